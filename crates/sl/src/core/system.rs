//! Definitions with numbers in place of names.
//!
//! Variables are numbers. The first ones are the `nil`s, one for every sort, then come the free
//! variables (the parameters of a definition, the stack variables of a formula), then the existential
//! ones. Arguments, addresses and fields are always variables; an arithmetic term has a variable of
//! its own and an equation.

use std::collections::BTreeMap;

use arith::Constraint;

use super::definitions::Definitions;
use super::rename::Numbering;
use super::{Ident, lower};
use crate::{Formula, Kind, Name, Reason, Semantics, Signature, Sort, SymbolicHeap};

/// A variable of a clause or of a sequent.
pub type Var = u32;
/// The place of a sort in [`System::sorts`].
pub type SortId = usize;
/// The place of a predicate in [`System::predicates`].
pub type PredId = usize;

/// What a location holds.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cell {
    /// The location.
    pub addr: Var,
    /// Its fields.
    pub fields: Vec<Var>,
}

/// An instance of a predicate.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Call {
    /// The predicate.
    pub pred: PredId,
    /// Its arguments.
    pub args: Vec<Var>,
}

/// A symbolic heap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clause {
    /// The sorts of its variables.
    pub sorts: Vec<SortId>,
    /// How many variables are free, with the `nil`s.
    pub free: usize,
    /// Equal locations.
    pub equal: Vec<(Var, Var)>,
    /// Different locations.
    pub different: Vec<(Var, Var)>,
    /// What is said of integers.
    pub linear: Vec<Constraint>,
    /// Points-to atoms.
    pub cells: Vec<Cell>,
    /// Instances of predicates.
    pub calls: Vec<Call>,
    /// May there be more in the heap?
    pub open: bool,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: Name,
    /// Its parameters as they were written.
    pub written: Vec<crate::Var>,
    /// The sorts of its parameters.
    pub params: Vec<SortId>,
    /// Its disjuncts.
    pub cases: Vec<Clause>,
    /// The disjuncts as they were written, in the same order.
    pub heaps: Vec<SymbolicHeap>,
}

/// Definitions.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The sorts.
    pub sorts: Vec<Sort>,
    /// The fields of what locations of each sort hold; none if they cannot be allocated.
    pub fields: Vec<Vec<Field>>,
    /// The definitions.
    pub predicates: Vec<Predicate>,
    pub(super) ids: BTreeMap<Name, PredId>,
}

/// A field of what locations hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name, unless the whole content is meant.
    pub name: Option<Name>,
    /// Its sort, unless the core has no values of it.
    pub sort: Option<SortId>,
}

impl System {
    /// The sorts of a signature, without definitions.
    #[must_use]
    pub fn of_sorts(signature: &Signature) -> System {
        let mut sorts: Vec<Sort> = signature.sorts.iter().cloned().map(Sort::Loc).collect();
        for cell in &signature.heap {
            if !sorts.contains(&cell.loc) {
                sorts.push(cell.loc.clone());
            }
        }
        sorts.push(Sort::Int);
        let id = |sort: &Sort| sorts.iter().position(|s| s == sort);
        let field = |(name, sort): (Option<Name>, Sort)| Field { name, sort: id(&sort) };
        let fields = |sort: &Sort| signature.fields(sort).into_iter().map(field).collect();
        let fields = sorts.iter().map(fields).collect();
        System { sorts, fields, ..System::default() }
    }

    /// The definitions that these formulas mention, directly or not.
    ///
    /// # Errors
    /// If one of them is no disjunction of symbolic heaps.
    pub fn new(
        signature: &Signature,
        semantics: Semantics,
        formulas: &[Formula],
    ) -> Result<System, Reason> {
        let all = Definitions::new(signature, semantics, &[]);
        let mut names = Vec::new();
        for formula in formulas {
            mention(formula, &mut names);
        }
        let id = |name: &Name| all.pred(name).ok_or_else(|| Reason::Undefined(name.clone()));
        let ids: Vec<PredId> = names.iter().map(id).collect::<Result<_, _>>()?;
        all.select(&ids).map(|selection| System::clone(&selection.system))
    }

    /// The symbolic heap with numbers; these variables are free, in this order.
    ///
    /// # Errors
    /// If it mentions others, or what has no number.
    pub fn clause(&self, heap: &SymbolicHeap, free: &[crate::Var]) -> Result<Clause, Reason> {
        let sorts = free.iter().map(|var| self.sort(&var.sort)).collect::<Result<Vec<_>, _>>()?;
        let nils = self.nils();
        let ident = |var: &crate::Var| {
            let place = free.iter().position(|known| known.name == var.name)?;
            let crate::Var { name, sort } = var.clone();
            Some(Ident { number: (nils + place) as Var, name, sort })
        };
        let pred = |name: &Name| self.ids.get(name).copied();
        let numbered = Numbering::new(&pred, &ident).heap(heap)?;
        let lowered = lower::heap(self, &|_| true, &numbered)?;
        let free: Vec<Var> = (nils..nils + free.len()).map(|v| v as Var).collect();
        lower::clause(self, &lowered, &free, &sorts, &Some)
    }

    /// Adds a predicate that nobody has defined; its name is only for those who read.
    pub fn add(&mut self, name: &str, params: Vec<SortId>, cases: Vec<Clause>) -> PredId {
        let (written, heaps) = (Vec::new(), Vec::new());
        self.predicates.push(Predicate { name: name.into(), written, params, cases, heaps });
        self.predicates.len() - 1
    }

    /// The number of `nil`s, which are the first variables of every clause.
    #[must_use]
    pub fn nils(&self) -> usize {
        self.sorts.len()
    }

    /// Is it the sort of integers?
    #[must_use]
    pub fn is_int(&self, sort: SortId) -> bool {
        self.sorts.get(sort) == Some(&Sort::Int)
    }

    /// Which predicates the cases of each mention, directly or not.
    #[must_use]
    pub fn reaches(&self) -> Vec<Vec<bool>> {
        let count = self.predicates.len();
        let mut reaches = vec![vec![false; count]; count];
        for (pred, reached) in reaches.iter_mut().enumerate() {
            let mut open = vec![pred];
            while let Some(next) = open.pop() {
                for call in self.predicates[next].cases.iter().flat_map(|case| &case.calls) {
                    if !std::mem::replace(&mut reached[call.pred], true) {
                        open.push(call.pred);
                    }
                }
            }
        }
        reaches
    }

    /// Does anything say something about integers?
    #[must_use]
    pub fn has_arithmetic(&self) -> bool {
        self.predicates.iter().flat_map(|p| &p.cases).any(|case| !case.linear.is_empty())
    }

    pub(super) fn sort(&self, sort: &Sort) -> Result<SortId, Reason> {
        match self.sorts.iter().position(|s| s == sort) {
            Some(id) => Ok(id),
            None => Err(Reason::OtherValues),
        }
    }
}

/// The predicates that a formula mentions, in order of appearance, each once.
pub fn mention(formula: &Formula, names: &mut Vec<Name>) {
    formula.for_each(&mut |part| {
        if let Kind::Pred(name, _) = part.kind()
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    });
}
