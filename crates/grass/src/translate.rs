//! From separation logic to reachability and sets: `Tr` with `tr` and `str` ([seed 001, Fig. 4]).
//!
//! A formula is translated for a footprint: a set of nodes for every sort of locations. Existential
//! variables are names for nodes where the formula must hold; where it must not, they have to be
//! determined by what locations hold.

use std::collections::{BTreeMap, BTreeSet};

use sl::formula::Kind;
use sl::shape::{self, Shape};
use sl::{Name, Semantics, Signature, SymbolicHeap, TermKind, Var};
use smt::{Op, Sort, Term};

use crate::logic::{Formula, Set};
use crate::segment::{Segment, may_be_cyclic};
use crate::theory::{Field, Theory};

/// Each list that may be cyclic doubles the cases of a heap.
const MAX_CYCLIC: usize = 6;

/// Why a formula is not translated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutOfFragment(pub String);

pub(crate) fn out<T>(reason: impl Into<String>) -> Result<T, OutOfFragment> {
    Err(OutOfFragment(reason.into()))
}

/// The allocated nodes, by the sort of their location.
pub type Footprint = BTreeMap<Name, Set>;

/// A translation of formulas over one signature.
pub struct Translator<'a> {
    /// Where the definitions are.
    pub signature: &'a Signature,
    /// What pure atoms say of the heap.
    pub semantics: Semantics,
    /// Nodes, fields and all terms.
    pub theory: Theory,
    pub(crate) lists: BTreeMap<Name, shape::List>,
    /// What existential variables are.
    bound: BTreeMap<Name, Term>,
    /// Fields that are not those of the beginning.
    fields: BTreeMap<(Name, usize), Field>,
    /// What names that were introduced stand for; to be added to what is asked.
    pub definitions: Vec<Formula>,
    /// Fields along which there are segments.
    pub(crate) links: BTreeSet<Field>,
    /// Which lists of the current heap come back to their end, in their order.
    choice: u32,
    /// Must what is translated now hold?
    pub(crate) positive: bool,
}

/// The atoms of a symbolic heap: what holds, and the nodes of each of its parts.
#[derive(Default)]
pub(crate) struct Pieces {
    pub(crate) facts: Vec<Formula>,
    pub(crate) parts: Vec<(Name, Set)>,
}

impl<'a> Translator<'a> {
    /// Looks at the definitions.
    #[must_use]
    pub fn new(signature: &'a Signature, semantics: Semantics) -> Translator<'a> {
        let mut lists = BTreeMap::new();
        for definition in signature.predicates.values() {
            if let Some(Shape::List(list)) = shape::classify(definition, signature, semantics) {
                lists.insert(definition.name.clone(), list);
            }
        }
        Translator {
            signature,
            semantics,
            theory: Theory::new(signature),
            lists,
            bound: BTreeMap::new(),
            fields: BTreeMap::new(),
            definitions: Vec::new(),
            links: BTreeSet::new(),
            choice: 0,
            positive: true,
        }
    }

    /// A footprint of new variables, in which `nil` is not, and that it is not.
    pub fn footprint(&mut self, name: &str) -> (Footprint, Vec<Formula>) {
        let mut footprint = Footprint::new();
        let mut facts = Vec::new();
        for cell in &self.signature.heap {
            let sl::Sort::Loc(loc) = &cell.loc else { continue };
            let (Some(sort), Some(nil)) = (self.theory.sort(&cell.loc), self.theory.nil(&cell.loc))
            else {
                continue;
            };
            let set = Set::Var(self.theory.add_set(&format!("{name}.{loc}"), sort));
            facts.push(Formula::In(nil, set.clone()).negation());
            footprint.insert(loc.clone(), set);
        }
        (footprint, facts)
    }

    /// The field of this number, as it is now.
    #[must_use]
    pub fn field(&self, loc: &Name, index: usize) -> Option<Field> {
        let now = self.fields.get(&(loc.clone(), index)).copied();
        now.or_else(|| self.theory.field(&sl::Sort::Loc(loc.clone()), index))
    }

    /// From now on formulas are about this field in place of the one of this number.
    pub fn set_field(&mut self, loc: &Name, index: usize, field: Field) {
        self.fields.insert((loc.clone(), index), field);
    }

    /// From now on formulas are about this term in place of a variable.
    pub fn set_var(&mut self, name: &Name, term: Term) {
        self.bound.insert(name.clone(), term);
    }

    /// The paper's `Tr`: the formula holds of the footprint.
    ///
    /// # Errors
    /// If the formula is out of the fragment.
    pub fn translate(
        &mut self,
        formula: &sl::Formula,
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Formula, OutOfFragment> {
        match formula.kind() {
            Kind::Not(part) => Ok(self.translate(part, footprint, !positive)?.negation()),
            Kind::And(parts) => Ok(Formula::And(self.translate_all(parts, footprint, positive)?)),
            Kind::Or(parts) => Ok(Formula::Or(self.translate_all(parts, footprint, positive)?)),
            Kind::Exists(vars, body) if positive => {
                let hidden = self.bind_fresh(vars)?;
                let result = self.translate(body, footprint, positive);
                self.restore(hidden);
                result
            }
            _ => self.disjunction(formula, footprint, positive),
        }
    }

    fn translate_all(
        &mut self,
        parts: &[sl::Formula],
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Vec<Formula>, OutOfFragment> {
        parts.iter().map(|part| self.translate(part, footprint, positive)).collect()
    }

    fn disjunction(
        &mut self,
        formula: &sl::Formula,
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Formula, OutOfFragment> {
        let Some(heaps) = SymbolicHeap::disjuncts(formula, self.semantics) else {
            return out("there is a negation, a wand or a conjunction of heaps below `*`");
        };
        let mut cases = Vec::with_capacity(heaps.len());
        for heap in heaps {
            cases.push(self.symbolic_heap(&heap, footprint, positive)?);
        }
        Ok(Formula::Or(cases))
    }

    /// The paper's `tr` for a spatial formula.
    fn symbolic_heap(
        &mut self,
        heap: &SymbolicHeap,
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Formula, OutOfFragment> {
        let heap = heap.without_aliases();
        let hidden = if positive { self.bind_fresh(&heap.vars)? } else { self.determine(&heap)? };
        self.positive = positive;
        let cases = self.cases(&heap);
        self.restore(hidden);
        let cases =
            cases?.into_iter().map(|pieces| self.assemble(pieces, footprint, heap.open)).collect();
        Ok(Formula::Or(cases))
    }

    /// The pieces of a heap. A segment that may come back to its end is one of two things, each of
    /// which has a footprint that is determined.
    fn cases(&mut self, heap: &SymbolicHeap) -> Result<Vec<Pieces>, OutOfFragment> {
        let is_cyclic = |atom: &&sl::Formula| match atom.kind() {
            Kind::Pred(name, _) => self.lists.get(name).is_some_and(may_be_cyclic),
            _ => false,
        };
        let count = heap.spatial.iter().filter(is_cyclic).count();
        if count > MAX_CYCLIC {
            return out("there are too many lists that may be cyclic");
        }
        let mut all = Vec::new();
        for choice in 0..1 << count {
            self.choice = choice;
            all.push(self.pieces(heap)?);
        }
        self.choice = 0;
        Ok(all)
    }

    /// Does the next list that may be cyclic come back to its end?
    pub(crate) fn choose_cyclic(&mut self) -> bool {
        let cyclic = self.choice & 1 == 1;
        self.choice >>= 1;
        cyclic
    }

    /// Facts, parts that have nothing in common, and a footprint that consists of them.
    fn assemble(&mut self, pieces: Pieces, footprint: &Footprint, open: bool) -> Formula {
        let mut facts = pieces.facts;
        for (loc, whole) in footprint {
            let Some(sort) = self.theory.sort(&sl::Sort::Loc(loc.clone())) else { continue };
            let mut together = Vec::new();
            for (_, part) in pieces.parts.iter().filter(|(l, _)| l == loc) {
                if !together.is_empty() {
                    let before = Set::Union(together.clone());
                    facts.push(Formula::disjoint(sort, part.clone(), before));
                }
                together.push(part.clone());
            }
            let (whole, together) = (whole.clone(), Set::Union(together));
            // Whoever says `true` of the rest says the paper's `Trf`.
            facts.push(if open {
                Formula::subset(sort, together, whole)
            } else {
                Formula::Equal(sort, whole, together)
            });
        }
        Formula::And(facts)
    }

    /// The paper's `str`.
    pub(crate) fn pieces(&mut self, heap: &SymbolicHeap) -> Result<Pieces, OutOfFragment> {
        let mut pieces = Pieces::default();
        for atom in &heap.pure {
            let atom = self.pure(atom)?;
            pieces.facts.push(Formula::Atom(atom));
        }
        for atom in &heap.spatial {
            match atom.kind() {
                Kind::PointsTo(loc, content) => self.points_to(loc, content, &mut pieces)?,
                Kind::Pred(name, args) => {
                    let segment = Segment::new(self, name, args)?;
                    segment.translate(self, &mut pieces)?;
                }
                _ => return out("this is no spatial atom"),
            }
        }
        Ok(pieces)
    }

    fn points_to(
        &mut self,
        loc: &sl::Term,
        content: &sl::Term,
        pieces: &mut Pieces,
    ) -> Result<(), OutOfFragment> {
        let sl::Sort::Loc(name) = loc.sort() else { return out("this is no location") };
        let node = self.term(loc)?;
        for (index, value) in values(content).iter().enumerate() {
            let Some(field) = self.field(&name, index) else {
                return out(format!("the content of `{name}` is no record of simple values"));
            };
            let value = self.term(value)?;
            let held = self.theory.read(field, node);
            pieces.facts.push(Formula::Atom(self.theory.terms.eq(held, value)));
        }
        pieces.parts.push((name, Set::single(&mut self.theory, node)));
        Ok(())
    }

    // --- Variables

    fn bind_fresh(&mut self, vars: &[Var]) -> Result<Hidden, OutOfFragment> {
        let mut hidden = Vec::with_capacity(vars.len());
        for var in vars {
            let Some(sort) = self.theory.sort(&var.sort) else {
                return out("there is a variable for a whole record");
            };
            let fresh = self.theory.terms.fresh(&format!("some.{}", var.name), sort);
            hidden.push((var.name.clone(), self.bound.insert(var.name.clone(), fresh)));
        }
        Ok(hidden)
    }

    /// Existential variables as what fields of known locations hold.
    fn determine(&mut self, heap: &SymbolicHeap) -> Result<Hidden, OutOfFragment> {
        let mut open: Vec<Var> = heap.vars.clone();
        let mut hidden: Hidden = Vec::new();
        for var in &open {
            hidden.push((var.name.clone(), self.bound.remove(&var.name)));
        }
        loop {
            let found = self.find_determined(heap, &open);
            let Some((name, term)) = found else { break };
            open.retain(|v| v.name != name);
            self.bound.insert(name, term);
        }
        let occurs = |var: &Var| {
            let atoms = heap.pure.iter().chain(&heap.spatial);
            atoms.flat_map(sl::Formula::free_vars).any(|v| v.name == var.name)
        };
        if open.iter().any(occurs) {
            self.restore(hidden);
            return out("a variable below a negation is determined by nothing");
        }
        Ok(hidden)
    }

    fn find_determined(&mut self, heap: &SymbolicHeap, open: &[Var]) -> Option<(Name, Term)> {
        let is_open = |t: &sl::Term| {
            let mut found = false;
            t.for_each_var(&mut |v| found |= open.iter().any(|o| o.name == v.name));
            found
        };
        for atom in &heap.spatial {
            let Kind::PointsTo(loc, content) = atom.kind() else { continue };
            let sl::Sort::Loc(name) = loc.sort() else { continue };
            if is_open(loc) {
                continue;
            }
            for (index, value) in values(content).iter().enumerate() {
                let Some(var) = value.as_var().filter(|_| is_open(value)) else { continue };
                let field = self.field(&name, index)?;
                let node = self.term(loc).ok()?;
                return Some((var.name.clone(), self.theory.read(field, node)));
            }
        }
        None
    }

    fn restore(&mut self, hidden: Hidden) {
        for (name, before) in hidden.into_iter().rev() {
            match before {
                Some(term) => self.bound.insert(name, term),
                None => self.bound.remove(&name),
            };
        }
    }

    // --- Terms

    /// A term.
    ///
    /// # Errors
    /// If it is a record.
    pub fn term(&mut self, term: &sl::Term) -> Result<Term, OutOfFragment> {
        match term.kind() {
            TermKind::Var(var) => self.var(var),
            TermKind::Nil(sort) => match self.theory.nil(sort) {
                Some(nil) => Ok(nil),
                None => out("this `nil` is no location"),
            },
            TermKind::Int(value) => Ok(self.theory.terms.int(value.clone())),
            TermKind::Bool(value) => Ok(self.theory.terms.bool(*value)),
            TermKind::Record(..) | TermKind::Field(..) => out("there is a term for a whole record"),
            TermKind::Add(parts) => self.fold(parts, Op::Add),
            TermKind::Mul(parts) => self.fold(parts, Op::Mul),
            TermKind::Neg(part) => {
                let part = self.term(part)?;
                Ok(self.theory.terms.neg(part))
            }
        }
    }

    fn fold(&mut self, parts: &[sl::Term], op: Op) -> Result<Term, OutOfFragment> {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            all.push(self.term(part)?);
        }
        let terms = &mut self.theory.terms;
        let joined = all.into_iter().reduce(|a, b| match op {
            Op::Add => terms.add(a, b),
            _ => terms.mul(a, b),
        });
        match joined {
            Some(term) => Ok(term),
            None => out("there is a sum or a product of nothing"),
        }
    }

    /// The term for a variable.
    ///
    /// # Errors
    /// If it stands for a record.
    pub fn var(&mut self, var: &Var) -> Result<Term, OutOfFragment> {
        if let Some(term) = self.bound.get(&var.name) {
            return Ok(*term);
        }
        match self.theory.sort(&var.sort) {
            Some(sort) => Ok(self.theory.constant(&format!("{}:{}", var.name, var.sort), sort)),
            None => out("there is a variable for a whole record"),
        }
    }

    fn pure(&mut self, atom: &sl::Formula) -> Result<Term, OutOfFragment> {
        let (Kind::Eq(a, b) | Kind::Ne(a, b) | Kind::Le(a, b) | Kind::Lt(a, b)) = atom.kind()
        else {
            return out("this is no pure atom");
        };
        let (a, b) = (self.term(a)?, self.term(b)?);
        let terms = &mut self.theory.terms;
        if terms.sort(a) != terms.sort(b) {
            return out("things of different sorts are compared");
        }
        Ok(match atom.kind() {
            Kind::Eq(..) => terms.eq(a, b),
            Kind::Le(..) => terms.le(a, b),
            Kind::Lt(..) => terms.lt(a, b),
            _ => {
                let equal = terms.eq(a, b);
                terms.not(equal)
            }
        })
    }

    /// The sort of nodes for locations.
    pub(crate) fn node_sort(&mut self, loc: &Name) -> Result<Sort, OutOfFragment> {
        match self.theory.sort(&sl::Sort::Loc(loc.clone())) {
            Some(sort) => Ok(sort),
            None => out("this is no location"),
        }
    }
}

/// What variables were before.
type Hidden = Vec<(Name, Option<Term>)>;

/// What the fields hold.
pub(crate) fn values(content: &sl::Term) -> &[sl::Term] {
    match content.kind() {
        TermKind::Record(_, values) => values,
        _ => std::slice::from_ref(content),
    }
}
