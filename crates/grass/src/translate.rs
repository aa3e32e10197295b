//! From separation logic to reachability and sets: `Tr` with `tr` and `str` ([PWZ13, Fig. 4]).
//!
//! A formula is translated for a footprint: a set of nodes for every sort of locations. Existential
//! variables are names for nodes where the formula must hold; where it must not, they have to be
//! determined by what locations hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sl::core::{Expr, Form, Ident, PredId, Var};
use sl::formula::Kind;
use sl::procedure::{Limit, Reason, Unknown};
use sl::shape::Shapes;
use sl::{Defs, Name, Semantics, Signature, TermKind};
use smt::{Op, Sort, Term};

use crate::choices::{self, Postponed};
use crate::logic::{Formula, Set};
use crate::segment::{Segment, may_be_anything, may_be_cyclic};
use crate::theory::{Field, Theory};

/// Each list that may be cyclic doubles the cases of a heap that must not hold, if it is no plain one.
const MAX_CYCLIC: usize = 8;

pub(crate) fn out<T>(reason: Reason) -> Result<T, Unknown> {
    Err(reason.into())
}

/// A heap of the core that may be described more than once.
pub(crate) type OverlaidHeap = sl::OverlaidHeap<Ident, PredId>;
/// What it is made of.
pub(crate) type Layout = sl::Layout<Ident, PredId>;

/// The allocated nodes, by the sort of their location.
pub type Footprint = BTreeMap<Name, Set>;

/// A translation of formulas over the same definitions.
pub struct Translator<'a> {
    /// The definitions.
    pub defs: &'a Defs,
    /// Sorts and records.
    pub signature: &'a Signature,
    /// What pure atoms say of the heap.
    pub semantics: Semantics,
    /// Nodes, fields and all terms.
    pub theory: Theory,
    pub(crate) lists: Arc<Shapes>,
    scope: Scope,
    /// Formulas that the solver is told of in parts.
    pub(crate) postponed: Vec<Postponed>,
    /// What names that were introduced stand for; to be added to what is asked.
    pub definitions: Vec<Formula>,
    /// Fields along which there are segments.
    pub(crate) links: BTreeSet<Field>,
    /// Which lists of the current heap come back to their end, in their order.
    choice: u32,
    /// Must what is translated now hold?
    pub(crate) positive: bool,
}

/// How much was defined.
pub(crate) struct Mark {
    definitions: usize,
    postponed: usize,
    theory: [usize; 2],
}

/// A state of a program: what its variables and fields are there. What is not mentioned is as at the
/// beginning, so the empty one is the beginning.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    vars: BTreeMap<Var, Term>,
    fields: BTreeMap<(Name, usize), Field>,
}

impl Snapshot {
    /// The state after an assignment to a variable.
    #[must_use]
    pub fn with_var(mut self, var: Var, value: Term) -> Snapshot {
        self.vars.insert(var, value);
        self
    }

    /// The state after a field of a location, the one of this number, was updated.
    #[must_use]
    pub fn with_field(mut self, loc: &Name, index: usize, field: Field) -> Snapshot {
        self.fields.insert((loc.clone(), index), field);
        self
    }
}

/// What variables stand for.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    /// What existential variables are.
    bound: BTreeMap<Var, Term>,
    /// Existential variables that may be anything.
    anything: BTreeSet<Var>,
    /// Fields that are not those of the beginning.
    fields: BTreeMap<(Name, usize), Field>,
}

/// A layout: what holds, and the nodes of each of its parts.
#[derive(Default)]
pub(crate) struct Pieces {
    pub(crate) facts: Vec<Formula>,
    pub(crate) parts: Vec<(Name, Set)>,
    /// May there be more?
    pub(crate) open: bool,
}

impl Pieces {
    /// The sorts of locations of its parts.
    fn locs(&self) -> BTreeSet<Name> {
        self.parts.iter().map(|(loc, _)| loc.clone()).collect()
    }

    /// All nodes of its parts.
    pub(crate) fn nodes(&self, loc: &Name) -> Set {
        let parts = self.parts.iter().filter(|(l, _)| l == loc);
        Set::Union(parts.map(|(_, part)| part.clone()).collect())
    }

    /// All of both.
    pub(crate) fn add(&mut self, other: Pieces) {
        self.facts.extend(other.facts);
        self.parts.extend(other.parts);
        self.open |= other.open;
    }

    /// The whole is the nodes of its parts, or has them. Whoever says `true` of the rest says the paper's
    /// `Trf`.
    pub(crate) fn covers(&self, sort: Sort, whole: Set, nodes: Set) -> Formula {
        if self.open {
            Formula::subset(sort, nodes, whole)
        } else {
            Formula::Equal(sort, whole, nodes)
        }
    }
}

impl<'a> Translator<'a> {
    /// Looks at the definitions.
    #[must_use]
    pub fn new(defs: &'a Defs) -> Translator<'a> {
        Translator {
            defs,
            signature: defs.signature(),
            semantics: defs.semantics(),
            theory: Theory::new(defs.signature()),
            lists: defs.shapes(),
            scope: Scope::default(),
            postponed: Vec::new(),
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

    /// What was defined so far.
    pub(crate) fn mark(&self) -> Mark {
        let (definitions, postponed) = (self.definitions.len(), self.postponed.len());
        Mark { definitions, postponed, theory: self.theory.mark() }
    }

    /// Goes back to a mark. Formulas that were made since then are without meaning.
    pub(crate) fn forget(&mut self, mark: Mark) {
        self.definitions.truncate(mark.definitions);
        self.postponed.truncate(mark.postponed);
        self.theory.forget(mark.theory);
    }

    /// What variables stand for now.
    pub(crate) fn scope(&self) -> Scope {
        self.scope.clone()
    }

    /// From now on variables stand for this; what they stood for.
    pub(crate) fn enter(&mut self, scope: Scope) -> Scope {
        std::mem::replace(&mut self.scope, scope)
    }

    /// The field of this number in the state that is translated, at the beginning if there is none.
    #[must_use]
    pub fn field(&self, loc: &Name, index: usize) -> Option<Field> {
        let now = self.scope.fields.get(&(loc.clone(), index)).copied();
        now.or_else(|| self.theory.field(&sl::Sort::Loc(loc.clone()), index))
    }

    /// The paper's `Tr` in a state: the formula holds of the footprint there, as verification
    /// conditions want it [PWZ13, App. B].
    ///
    /// # Errors
    /// If the formula is out of the fragment.
    pub fn translate_at(
        &mut self,
        formula: &Form,
        snapshot: &Snapshot,
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Formula, Unknown> {
        let Snapshot { vars, fields } = snapshot.clone();
        let outer = self.enter(Scope { bound: vars, fields, ..Scope::default() });
        let result = self.translate(formula, footprint, positive);
        self.scope = outer;
        result
    }

    /// The formula with definitions in place of predicates that are no lists, if they are not inductive.
    #[must_use]
    pub fn unfolded(&self, formula: &Form) -> Form {
        let is_list = |pred| self.lists.list(pred).is_some();
        let unfolded = self.defs.core().unfolded(formula, is_list);
        unfolded.unwrap_or_else(|| formula.clone())
    }

    /// What a predicate is called.
    pub(crate) fn name(&self, pred: PredId) -> Name {
        self.defs.core().name(pred).cloned().unwrap_or_else(|| "?".into())
    }

    /// How many parameters a predicate has.
    pub(crate) fn arity(&self, pred: PredId) -> Option<usize> {
        self.defs.core().form(pred).ok().map(|definition| definition.params.len())
    }

    /// The paper's `Tr`: the formula holds of the footprint.
    ///
    /// # Errors
    /// If the formula is out of the fragment.
    pub fn translate(
        &mut self,
        formula: &Form,
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Formula, Unknown> {
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
        parts: &[Form],
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Vec<Formula>, Unknown> {
        parts.iter().map(|part| self.translate(part, footprint, positive)).collect()
    }

    fn disjunction(
        &mut self,
        formula: &Form,
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Formula, Unknown> {
        let heaps = OverlaidHeap::disjuncts(formula, self.semantics);
        let heaps = heaps.filter(|heaps| heaps.len() <= 1);
        if let (Kind::Sep(parts), false) = (formula.kind(), positive) {
            let is_simple = |heap: &OverlaidHeap| !matches!(heap.layout, Layout::Both(_));
            let is_known = |heaps: &[OverlaidHeap]| heaps.len() == 1 && heaps.iter().all(is_simple);
            if let Some((known, other)) = self.single_out(parts, is_known) {
                return self.remainder(known, &other, footprint);
            }
        }
        match (heaps, formula.kind()) {
            (Some(mut heaps), _) => match heaps.pop() {
                Some(heap) => self.heap(heap, footprint, positive),
                None => Ok(Formula::Or(Vec::new())),
            },
            (None, Kind::Sep(parts)) if positive => self.divided(parts, footprint),
            (None, Kind::Wand(..)) => Err(Reason::Wand.into()),
            (None, Kind::Forall(..)) => Err(Reason::Forall.into()),
            (None, _) if !positive && choices::is_disjunction(formula, self.semantics) => {
                self.postpone(formula, footprint)
            }
            (None, Kind::Sep(parts)) => match self.single_out(parts, |_| true) {
                Some((known, other)) => self.remainder(known, &other, footprint),
                None => out(Reason::NegationBelowStar),
            },
            (None, _) => out(Reason::NegationBelowStar),
        }
    }

    /// There are sets of nodes, one for each part, that the footprint consists of. This says that there
    /// are some, so it is good only where the formula must hold.
    fn divided(&mut self, parts: &[Form], footprint: &Footprint) -> Result<Formula, Unknown> {
        let (plain, mut others): (Vec<_>, Vec<_>) =
            parts.iter().cloned().partition(|part| self.is_plain(part));
        others.push(Form::sep(plain));
        let mut pieces = Pieces::default();
        for part in &others {
            let (own, _) = self.footprint("part");
            pieces.facts.push(self.translate(part, &own, true)?);
            pieces.parts.extend(own);
        }
        self.keep_apart(&mut pieces)?;
        self.assemble(pieces, footprint)
    }

    /// All parts but one, if these are heaps whose nodes are determined and which are known, and the one
    /// that is left.
    fn single_out(
        &self,
        parts: &[Form],
        are_known: impl Fn(&[OverlaidHeap]) -> bool,
    ) -> Option<(Vec<OverlaidHeap>, Form)> {
        let heaps = |formula: &Form| OverlaidHeap::disjuncts(formula, self.semantics);
        let is_known = |part: &Form| heaps(part).is_some_and(|heaps| are_known(&heaps));
        let (known, others): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(is_known);
        let [other] = others.as_slice() else { return None };
        let known = heaps(&Form::sep(known))?;
        known.iter().all(|heap| !heap.layout.is_open()).then(|| (known, other.clone()))
    }

    /// Where the formula must not hold, all parts but one have nodes that are determined, so that the
    /// last one has the others.
    fn remainder(
        &mut self,
        heaps: Vec<OverlaidHeap>,
        other: &Form,
        footprint: &Footprint,
    ) -> Result<Formula, Unknown> {
        let mut cases = Vec::new();
        for heap in heaps {
            for pieces in self.in_scope(heap, false, Self::cases)? {
                let mut rest = footprint.clone();
                for (loc, set) in &mut rest {
                    *set = set.clone().minus(pieces.nodes(loc));
                }
                let other = self.translate(other, &rest, false)?;
                let known = self.assemble(Pieces { open: true, ..pieces }, footprint)?;
                cases.push(Formula::And(vec![known, other]));
            }
        }
        Ok(Formula::Or(cases))
    }

    /// Is it a single heap?
    fn is_plain(&self, formula: &Form) -> bool {
        OverlaidHeap::disjuncts(formula, self.semantics).is_some_and(|heaps| heaps.len() == 1)
    }

    /// The paper's `tr` for a spatial formula.
    fn heap(
        &mut self,
        heap: OverlaidHeap,
        footprint: &Footprint,
        positive: bool,
    ) -> Result<Formula, Unknown> {
        self.in_scope(heap, positive, |translator, heap| {
            if !positive && translator.has_rings(heap) {
                return translator.rings(heap, footprint);
            }
            let mut cases = Vec::new();
            for pieces in translator.cases(heap)? {
                cases.push(translator.assemble(pieces, footprint)?);
            }
            Ok(Formula::Or(cases))
        })
    }

    /// With a meaning of the variables of a heap.
    fn in_scope<T>(
        &mut self,
        heap: OverlaidHeap,
        positive: bool,
        body: impl FnOnce(&mut Self, &OverlaidHeap) -> Result<T, Unknown>,
    ) -> Result<T, Unknown> {
        let heap = heap.without_aliases();
        let hidden = if positive { self.bind_fresh(&heap.vars)? } else { self.determine(&heap)? };
        self.positive = positive;
        let result = body(self, &heap);
        self.restore(hidden);
        result
    }

    /// The pieces of a heap. If it must not hold, a segment that may come back to its end is one of two
    /// things, each of which has a footprint that is determined.
    fn cases(&mut self, heap: &OverlaidHeap) -> Result<Vec<Pieces>, Unknown> {
        let cyclic = if self.positive { 0 } else { self.cyclic_lists(heap) };
        if cyclic > MAX_CYCLIC {
            return Err(Limit::CyclicLists.into());
        }
        let mut all = Vec::new();
        for choice in 0..1 << cyclic {
            self.choice = choice;
            let mut pieces = Pieces::default();
            self.pure_facts(heap, &mut pieces)?;
            pieces.add(self.pieces(&heap.layout)?);
            all.push(pieces);
        }
        self.choice = 0;
        Ok(all)
    }

    pub(crate) fn pure_facts(
        &mut self,
        heap: &OverlaidHeap,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        for atom in &heap.pure {
            pieces.facts.push(Formula::Atom(self.pure(atom)?));
        }
        Ok(())
    }

    /// How many of its lists may come back to their end?
    fn cyclic_lists(&self, heap: &OverlaidHeap) -> usize {
        let mut count = 0;
        heap.layout.for_each_atom(&mut |atom| {
            if let Kind::Pred(pred, args) = atom.kind() {
                let list = self.lists.list(*pred);
                count += usize::from(list.is_some_and(|list| may_be_cyclic(list, args)));
            }
        });
        count
    }

    /// Does the next list that may be cyclic come back to its end?
    fn choose_cyclic(&mut self) -> bool {
        let cyclic = self.choice & 1 == 1;
        self.choice >>= 1;
        cyclic
    }

    /// The footprint consists of the parts.
    fn assemble(&mut self, pieces: Pieces, footprint: &Footprint) -> Result<Formula, Unknown> {
        let mut facts = Vec::new();
        for (loc, whole) in footprint {
            let sort = self.node_sort(loc)?;
            facts.push(pieces.covers(sort, whole.clone(), pieces.nodes(loc)));
        }
        Ok(Formula::And(pieces.facts.into_iter().chain(facts).collect()))
    }

    /// The paper's `str`. What the heap is described by more than once has the same nodes each time, or
    /// some of them.
    pub(crate) fn pieces(&mut self, layout: &Layout) -> Result<Pieces, Unknown> {
        let mut pieces = Pieces::default();
        match layout {
            Layout::Any => pieces.open = true,
            Layout::Atom(atom) => self.atom(atom, &mut pieces)?,
            Layout::Star(parts) => {
                for part in parts {
                    let part = self.pieces(part)?;
                    pieces.add(part);
                }
                self.keep_apart(&mut pieces)?;
            }
            Layout::Both(parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for part in parts {
                    all.push(self.pieces(part)?);
                }
                pieces = self.overlay(all)?;
            }
        }
        Ok(pieces)
    }

    /// Parts have nothing in common.
    pub(crate) fn keep_apart(&mut self, pieces: &mut Pieces) -> Result<(), Unknown> {
        for loc in pieces.locs() {
            let sort = self.node_sort(&loc)?;
            let mut before: Vec<Set> = Vec::new();
            for (_, part) in pieces.parts.iter().filter(|(l, _)| *l == loc) {
                if !before.is_empty() {
                    let before = Set::Union(before.clone());
                    pieces.facts.push(Formula::disjoint(sort, part.clone(), before));
                }
                before.push(part.clone());
            }
        }
        Ok(())
    }

    /// One heap that is laid out in all of these ways. If one of them says all that is in the heap, the
    /// others say the same or a part of it; else there is at least what they say.
    fn overlay(&mut self, mut all: Vec<Pieces>) -> Result<Pieces, Unknown> {
        let locs: BTreeSet<Name> = all.iter().flat_map(Pieces::locs).collect();
        let mut pieces = Pieces { open: all.iter().all(|p| p.open), ..Pieces::default() };
        let whole = all.iter().position(|p| !p.open);
        for loc in locs {
            let sort = self.node_sort(&loc)?;
            let nodes = match whole {
                Some(index) => all[index].nodes(&loc),
                None => Set::Union(all.iter().map(|p| p.nodes(&loc)).collect()),
            };
            for (index, other) in all.iter().enumerate() {
                if whole.is_none_or(|whole| whole == index) {
                    continue;
                }
                pieces.facts.push(if other.open {
                    Formula::subset(sort, other.nodes(&loc), nodes.clone())
                } else {
                    Formula::Equal(sort, other.nodes(&loc), nodes.clone())
                });
            }
            pieces.parts.push((loc, nodes));
        }
        for other in &mut all {
            pieces.facts.append(&mut other.facts);
        }
        Ok(pieces)
    }

    fn atom(&mut self, atom: &Form, pieces: &mut Pieces) -> Result<(), Unknown> {
        match atom.kind() {
            Kind::PointsTo(loc, content) => self.points_to(loc, content, pieces),
            Kind::Pred(pred, args) => {
                let mut segment = Segment::new(self, *pred, args)?;
                if self.positive && segment.may_be_cyclic {
                    return self.either(segment, pieces);
                }
                segment.cyclic = segment.may_be_cyclic && self.choose_cyclic();
                segment.translate(self, pieces)
            }
            _ => out(Reason::IllSorted),
        }
    }

    fn points_to(
        &mut self,
        loc: &Expr,
        content: &Expr,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        let sl::Sort::Loc(name) = loc.sort() else { return out(Reason::IllSorted) };
        let node = self.term(loc)?;
        for (index, value) in values(content).iter().enumerate() {
            let Some(field) = self.field(&name, index) else {
                return out(Reason::Content(name.clone()));
            };
            let value = self.term(value)?;
            let held = self.theory.read(field, node);
            pieces.facts.push(Formula::Atom(self.theory.terms.eq(held, value)));
        }
        pieces.parts.push((name, Set::single(&mut self.theory, node)));
        Ok(())
    }

    // --- Variables

    fn bind_fresh(&mut self, vars: &[Ident]) -> Result<Hidden, Unknown> {
        let mut hidden = Vec::with_capacity(vars.len());
        for var in vars {
            let Some(sort) = self.theory.sort(&var.sort) else {
                return out(Reason::WholeRecord);
            };
            let fresh = self.theory.terms.fresh(&format!("some.{}", var.name), sort);
            hidden.push((var.number, self.scope.bound.insert(var.number, fresh)));
        }
        Ok(hidden)
    }

    /// Existential variables as what fields of known locations hold.
    fn determine(&mut self, heap: &OverlaidHeap) -> Result<Hidden, Unknown> {
        let mut open: Vec<Ident> = heap.vars.clone();
        let mut hidden: Hidden = Vec::new();
        for var in &open {
            hidden.push((var.number, self.scope.bound.remove(&var.number)));
        }
        loop {
            let found = self.find_determined(&heap.layout, &open);
            let Some((number, term)) = found else { break };
            open.retain(|var| var.number != number);
            self.scope.bound.insert(number, term);
        }
        let mut atoms: Vec<&Form> = heap.pure.iter().collect();
        heap.layout.for_each_atom(&mut |atom| atoms.push(atom));
        open.retain(|var| occurrences(&atoms, var) > 0);
        let (hideable, open): (Vec<Ident>, Vec<Ident>) = open
            .into_iter()
            .partition(|var| occurrences(&atoms, var) == 1 && self.is_hideable(&atoms, var));
        if !open.is_empty() {
            self.restore(hidden);
            return out(Reason::UndeterminedVariable);
        }
        self.scope.anything.extend(hideable.into_iter().map(|var| var.number));
        Ok(hidden)
    }

    /// Is it an argument of a list that may be hidden?
    fn is_hideable(&self, atoms: &[&Form], var: &Ident) -> bool {
        atoms.iter().any(|atom| {
            let Kind::Pred(pred, args) = atom.kind() else { return false };
            let Some(list) = self.lists.list(*pred) else { return false };
            args.iter()
                .enumerate()
                .any(|(index, arg)| arg.as_var() == Some(var) && may_be_anything(list, index))
        })
    }

    /// Is it a variable of which nothing is known or needed?
    pub(crate) fn is_anything(&self, term: &Expr) -> bool {
        term.as_var().is_some_and(|var| self.scope.anything.contains(&var.number))
    }

    fn find_determined(&mut self, layout: &Layout, open: &[Ident]) -> Option<(Var, Term)> {
        let is_open = |t: &Expr| {
            let mut found = false;
            t.for_each_var(&mut |var| found |= open.contains(var));
            found
        };
        let mut atoms = Vec::new();
        layout.for_each_atom(&mut |atom| atoms.push(atom));
        for atom in atoms {
            let Kind::PointsTo(loc, content) = atom.kind() else { continue };
            let sl::Sort::Loc(name) = loc.sort() else { continue };
            if is_open(loc) {
                continue;
            }
            for (index, value) in values(content).iter().enumerate() {
                let Some(var) = value.as_var().filter(|_| is_open(value)) else { continue };
                let field = self.field(&name, index)?;
                let node = self.term(loc).ok()?;
                return Some((var.number, self.theory.read(field, node)));
            }
        }
        None
    }

    fn restore(&mut self, hidden: Hidden) {
        for (number, before) in hidden.into_iter().rev() {
            self.scope.anything.remove(&number);
            match before {
                Some(term) => self.scope.bound.insert(number, term),
                None => self.scope.bound.remove(&number),
            };
        }
    }

    // --- Terms

    /// A term.
    ///
    /// # Errors
    /// If it is a record.
    pub fn term(&mut self, term: &Expr) -> Result<Term, Unknown> {
        match term.kind() {
            TermKind::Var(var) => self.var(var),
            TermKind::Nil(sort) => match self.theory.nil(sort) {
                Some(nil) => Ok(nil),
                None => out(Reason::IllSorted),
            },
            TermKind::Int(value) => Ok(self.theory.terms.int(value.clone())),
            TermKind::Bool(value) => Ok(self.theory.terms.bool(*value)),
            TermKind::Record(..) | TermKind::Field(..) => out(Reason::WholeRecord),
            TermKind::Add(parts) => self.fold(parts, Op::Add),
            TermKind::Mul(parts) => self.fold(parts, Op::Mul),
            TermKind::Neg(part) => {
                let part = self.term(part)?;
                Ok(self.theory.terms.neg(part))
            }
        }
    }

    fn fold(&mut self, parts: &[Expr], op: Op) -> Result<Term, Unknown> {
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
            None => out(Reason::IllSorted),
        }
    }

    /// The term for a variable.
    ///
    /// # Errors
    /// If it stands for a record.
    pub fn var(&mut self, var: &Ident) -> Result<Term, Unknown> {
        if let Some(term) = self.scope.bound.get(&var.number) {
            return Ok(*term);
        }
        match self.theory.sort(&var.sort) {
            Some(sort) => Ok(self.theory.constant(&format!("{}:{}", var.name, var.sort), sort)),
            None => out(Reason::WholeRecord),
        }
    }

    fn pure(&mut self, atom: &Form) -> Result<Term, Unknown> {
        let (Kind::Eq(a, b) | Kind::Ne(a, b) | Kind::Le(a, b) | Kind::Lt(a, b)) = atom.kind()
        else {
            return out(Reason::IllSorted);
        };
        let (a, b) = (self.term(a)?, self.term(b)?);
        let terms = &mut self.theory.terms;
        if terms.sort(a) != terms.sort(b) {
            return out(Reason::IllSorted);
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
    pub(crate) fn node_sort(&mut self, loc: &Name) -> Result<Sort, Unknown> {
        match self.theory.sort(&sl::Sort::Loc(loc.clone())) {
            Some(sort) => Ok(sort),
            None => out(Reason::IllSorted),
        }
    }
}

/// How often a variable occurs in some atoms.
fn occurrences(atoms: &[&Form], var: &Ident) -> usize {
    let mut count = 0;
    for term in atoms.iter().flat_map(|atom| atom.terms()) {
        term.for_each_var(&mut |v| count += usize::from(v == var));
    }
    count
}

/// What variables were before.
type Hidden = Vec<(Var, Option<Term>)>;

/// What the fields hold.
pub(crate) fn values(content: &Expr) -> &[Expr] {
    match content.kind() {
        TermKind::Record(_, values) => values,
        _ => std::slice::from_ref(content),
    }
}
