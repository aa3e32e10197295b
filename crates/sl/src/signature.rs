//! What formulas are about: records, the heap, and definitions of predicates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use report::{Diagnostic, Pos};

use crate::formula::{Formula, Kind};
use crate::sort::{Name, Sort, Symbol, Var, Variable};

/// A record: what a location of the heap can hold.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Record {
    /// The name of its sort.
    pub name: Name,
    /// What makes a record of the values of its fields.
    pub constructor: Name,
    /// Its fields, in their order.
    pub fields: Vec<Var>,
}

/// One part of the heap: locations of a sort and what they hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// A sort of locations.
    pub loc: Sort,
    /// What they hold: mostly a record, but any sort will do.
    pub content: Sort,
}

/// The definition of a predicate. It may mention itself, other predicates and stack variables; it
/// means the least relation for which it holds.
#[derive(Clone, Debug)]
pub struct Definition<V = Var, P = Name> {
    /// The predicate.
    pub name: P,
    /// Its parameters; they are different.
    pub params: Vec<V>,
    /// What it stands for.
    pub body: Formula<V, P>,
    /// Where it was written.
    pub pos: Pos,
}

/// As for formulas, positions do not count.
impl<V: PartialEq, P: PartialEq> PartialEq for Definition<V, P> {
    fn eq(&self, other: &Definition<V, P>) -> bool {
        (&self.name, &self.params, &self.body) == (&other.name, &other.params, &other.body)
    }
}

impl<V: Eq, P: Eq> Eq for Definition<V, P> {}

impl<V: Variable, P: Symbol> Definition<V, P> {
    /// Does it mention no stack variables?
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.body.free_vars().iter().all(|var| self.params.contains(var))
    }
}

/// Everything that a formula can refer to, except stack variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// Sorts of locations and of things that we know nothing about, in the order of declaration.
    pub sorts: Vec<Name>,
    /// The records by the name of their sort, in the order of declaration.
    pub records: Vec<Arc<Record>>,
    /// What can be allocated.
    pub heap: Vec<Cell>,
    /// The definitions.
    pub predicates: BTreeMap<Name, Arc<Definition>>,
}

impl Signature {
    /// The record of a sort.
    #[must_use]
    pub fn record(&self, sort: &Sort) -> Option<&Arc<Record>> {
        match sort {
            Sort::Record(name) => self.records.iter().find(|r| r.name == *name),
            _ => None,
        }
    }

    /// What locations of this sort hold, if they can be allocated at all.
    #[must_use]
    pub fn content(&self, loc: &Sort) -> Option<&Sort> {
        self.heap.iter().find(|cell| cell.loc == *loc).map(|cell| &cell.content)
    }

    /// The predicates that some formulas come to, through definitions.
    fn reached<'f>(&self, formulas: impl IntoIterator<Item = &'f Formula>) -> BTreeSet<Name> {
        let mut pending: Vec<Name> = formulas.into_iter().flat_map(Formula::predicates).collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = pending.pop() {
            if let Some(definition) = self.predicates.get(&name).filter(|_| !seen.contains(&name)) {
                pending.extend(definition.body.predicates());
            }
            seen.insert(name);
        }
        seen
    }

    /// Does the definition of a predicate come to itself?
    #[must_use]
    pub fn is_inductive(&self, name: &Name) -> bool {
        let body = self.predicates.get(name).map(|definition| &definition.body);
        body.is_some_and(|body| self.reached([body]).contains(name))
    }

    /// The formula with bodies in place of instances of predicates, except of inductive ones and those
    /// that are kept. `None` if that makes it much larger.
    #[must_use]
    pub fn unfolded(&self, formula: &Formula, keep: impl Fn(&Name) -> bool) -> Option<Formula> {
        formula.unfold_all(&|name: &Name| {
            let definition = self.predicates.get(name)?;
            let simple = definition.is_closed() && !keep(name) && !self.is_inductive(name);
            simple.then_some(definition.as_ref())
        })
    }

    /// The names and sorts of what locations of this sort hold. A cell that holds no record has one
    /// field without a name.
    #[must_use]
    pub fn fields(&self, loc: &Sort) -> Vec<(Option<Name>, Sort)> {
        match self.content(loc) {
            None => Vec::new(),
            Some(content) => match self.record(content) {
                Some(record) => record
                    .fields
                    .iter()
                    .map(|field| (Some(field.name.clone()), field.sort.clone()))
                    .collect(),
                None => vec![(None, content.clone())],
            },
        }
    }
}

/// Refuses predicates that are defined by what does not hold of them: there need not be a least
/// relation of that kind. `group` are the predicates that are defined together.
pub(crate) fn check_positive(
    body: &Formula,
    group: &BTreeSet<Name>,
) -> Result<(), Box<Diagnostic>> {
    check_polarity(body, group, true)
}

fn check_polarity(
    formula: &Formula,
    group: &BTreeSet<Name>,
    positive: bool,
) -> Result<(), Box<Diagnostic>> {
    match formula.kind() {
        Kind::Pred(name, _) if !positive && group.contains(name) => {
            let message = format!("the definition of `{name}` has no meaning");
            let diagnostic = Diagnostic::error("sl.definition", formula.pos(), message);
            let help = "a predicate cannot be defined by where it does not hold";
            Err(Box::new(diagnostic.with_help(help)))
        }
        Kind::Not(part) => check_polarity(part, group, !positive),
        Kind::Wand(a, b) => {
            check_polarity(a, group, !positive)?;
            check_polarity(b, group, positive)
        }
        _ => formula.parts().into_iter().try_for_each(|p| check_polarity(p, group, positive)),
    }
}
