//! RSep: symbolic heaps with refined recursive predicates [ABCK15, Fig. 4 and 12].
//!
//! A [`Formula`] is `∃X. Π : Σ * true`. Its variables are *symbols*; a program variable has a symbol, or null, as its
//! value, so `x = y` is that both have the same one and substitution is done once, when an equation is learnt
//! (rule SUBSTITUTION of Fig. 14). Every formula is meant with `* true`, as in Fig. 3: what is not needed is not
//! mentioned. Data terms are linear sums of data symbols; the data part `Φ` is a conjunction of constraints and of
//! queries to second-order variables, whose formulas are a [`horn::Solution`].

use arith::{Constraint, Sum};
use horn::{Query, RelId};

use crate::defs::{Defs, End, KindId, PredId};

/// A heap term: null or a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HTerm {
    /// The null pointer.
    Null,
    /// A symbol.
    Sym(u32),
}

/// `λ a₁, …, aₙ. ∧ atoms`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refinement {
    /// Without any it is `λ a⃗. true`.
    pub atoms: Vec<Applied>,
}

/// A second-order variable applied to bound variables and terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The variable.
    pub rel: RelId,
    /// Its arguments.
    pub args: Vec<Arg>,
}

/// An argument in a refinement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The bound variable of this number.
    Bound(usize),
    /// A term over the symbols of the formula.
    Term(Sum),
}

/// `E ↦ [A⃗, E⃗]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Where it is.
    pub at: HTerm,
    /// Which fields it has.
    pub kind: KindId,
    /// Data fields.
    pub data: Vec<Sum>,
    /// Heap fields.
    pub ptrs: Vec<HTerm>,
}

/// `Z(θ⃗, E⃗)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its definition.
    pub pred: PredId,
    /// Heap arguments; the first one is the root.
    pub args: Vec<HTerm>,
    /// Refinements: as many as the definition has, or none for `true`.
    pub refs: Vec<Refinement>,
}

/// A tree without one of its parts: what is below `root`, but not what is below `hole`.
///
/// `ctx(Q, L, R, H, x, y)` is empty where `x = y`, and `H` implies `Q` then. Otherwise there is a smaller one up to a
/// record `y' ↦ [d, l, r]` with `H'(d)`, of which `y` is one child and the other one is a tree: `H` implies
/// `λa. H'(a) ∧ L(d, a)` where `y` is `l`. So `H` is what may be below the hole: `ctx(Q, L, R, H, x, y) * bt(H, L, R, y) ⊢
/// bt(Q, L, R, x)`, whatever `H` is. It is a second-order variable of the formula, existential like its symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The trees: a predicate with one parameter.
    pub pred: PredId,
    /// The root of the whole.
    pub root: HTerm,
    /// Where the part that is missing starts.
    pub hole: HTerm,
    /// Refinements of the whole: as many as the definition has, or none for `true`.
    pub refs: Vec<Refinement>,
    /// `H`, if there are refinements.
    pub inside: Option<RelId>,
}

/// The first of the numbers of relations that stand for what may be below a hole. They are rigid: clauses are about
/// all of them at once, so `H(a) ← … ∧ H(b)` holds where `a = b` does.
const RIGID: u32 = 1 << 31;

/// A relation for what may be below a hole; numbers that differ give different ones.
#[must_use]
pub fn rigid(number: u32) -> RelId {
    RelId(RIGID | number)
}

/// Does it stand for what may be below a hole?
#[must_use]
pub fn is_rigid(rel: RelId) -> bool {
    rel.0 >= RIGID
}

/// A heaplet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A record.
    Cell(Cell),
    /// An instance of a recursive predicate.
    Pred(Instance),
    /// A tree with a hole.
    Context(Context),
}

/// `∃X. Π : Σ * true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The values of heap variables of the program.
    pub vars: Vec<HTerm>,
    /// The values of its data variables.
    pub data: Vec<Sum>,
    /// Disequations.
    pub apart: Vec<(HTerm, HTerm)>,
    /// What is known of data.
    pub facts: Vec<Constraint>,
    /// What second-order variables say of them.
    pub queries: Vec<Query>,
    /// Heaplets.
    pub atoms: Vec<Atom>,
    /// The first symbol that is not in use.
    pub next: u32,
    /// The first data symbol that is not in use.
    pub next_data: u32,
}

impl Refinement {
    /// The body for these arguments.
    #[must_use]
    pub fn apply(&self, bound: &[Sum]) -> Vec<Query> {
        let query = |atom: &Applied| Query {
            rel: atom.rel,
            args: atom
                .args
                .iter()
                .map(|arg| match arg {
                    Arg::Bound(place) => bound.get(*place).cloned().unwrap_or_default(),
                    Arg::Term(sum) => sum.clone(),
                })
                .collect(),
        };
        self.atoms.iter().map(query).collect()
    }
}

impl Formula {
    /// Nothing is known: every variable has a symbol of its own.
    #[must_use]
    pub fn anything(heap_vars: usize, data_vars: usize) -> Formula {
        Formula {
            vars: (0..heap_vars as u32).map(HTerm::Sym).collect(),
            data: (0..data_vars as u32).map(Sum::var).collect(),
            apart: Vec::new(),
            facts: Vec::new(),
            queries: Vec::new(),
            atoms: Vec::new(),
            next: heap_vars as u32,
            next_data: data_vars as u32,
        }
    }

    /// A symbol that is not in use.
    pub fn fresh(&mut self) -> HTerm {
        self.next += 1;
        HTerm::Sym(self.next - 1)
    }

    /// A data symbol that is not in use.
    pub fn fresh_data(&mut self) -> Sum {
        self.next_data += 1;
        Sum::var(self.next_data - 1)
    }

    /// A record of which nothing else is known.
    pub fn fresh_cell(&mut self, at: HTerm, kind: KindId, defs: &Defs) -> Cell {
        let shape = defs.kind(kind);
        let data = shape.data.iter().map(|_| self.fresh_data()).collect();
        let ptrs = shape.ptrs.iter().map(|_| self.fresh()).collect();
        Cell { at, kind, data, ptrs }
    }

    /// The record at a place.
    #[must_use]
    pub fn cell_at(&self, at: HTerm) -> Option<usize> {
        self.atoms.iter().position(|atom| matches!(atom, Atom::Cell(cell) if cell.at == at))
    }

    /// The instance whose root is a place.
    #[must_use]
    pub fn instance_at(&self, at: HTerm) -> Option<usize> {
        let is_root = |atom: &Atom| matches!(atom, Atom::Pred(i) if i.args.first() == Some(&at));
        self.atoms.iter().position(is_root)
    }

    /// Makes two terms equal. Two that are known to be different make the formula inconsistent, which
    /// [`Formula::normalise`] notices.
    pub fn unify(&mut self, a: HTerm, b: HTerm) {
        let (from, to) = match (a, b) {
            (HTerm::Null, HTerm::Null) => return,
            (a, b) if a == b => return,
            (HTerm::Null, sym) | (sym, HTerm::Null) => (sym, HTerm::Null),
            // The older one stays.
            (a, b) => (a.max(b), a.min(b)),
        };
        let replace = |term: &mut HTerm| {
            if *term == from {
                *term = to;
            }
        };
        self.vars.iter_mut().for_each(replace);
        for (a, b) in &mut self.apart {
            replace(a);
            replace(b);
        }
        for atom in &mut self.atoms {
            match atom {
                Atom::Cell(cell) => {
                    replace(&mut cell.at);
                    cell.ptrs.iter_mut().for_each(replace);
                }
                Atom::Pred(instance) => instance.args.iter_mut().for_each(replace),
                Atom::Context(context) => {
                    replace(&mut context.root);
                    replace(&mut context.hole);
                }
            }
        }
    }

    /// The tree with a hole whose root is a place.
    #[must_use]
    pub fn context_at(&self, at: HTerm) -> Option<usize> {
        self.atoms.iter().position(|atom| matches!(atom, Atom::Context(c) if c.root == at))
    }

    /// Where an instance ends.
    #[must_use]
    pub fn end_of(instance: &Instance, defs: &Defs) -> HTerm {
        match defs.pred(instance.pred).end {
            End::Null => HTerm::Null,
            End::Param(place) => instance.args.get(place).copied().unwrap_or(HTerm::Null),
        }
    }

    /// The heaplet in whose footprint a place certainly is: a record, or an instance that is not empty.
    fn allocating(&self, at: HTerm, defs: &Defs) -> Option<usize> {
        let allocates = |atom: &Atom| match atom {
            Atom::Cell(cell) => cell.at == at,
            Atom::Pred(instance) => {
                instance.args.first() == Some(&at)
                    && self.is_apart_said(at, Formula::end_of(instance, defs))
            }
            Atom::Context(context) => context.root == at && self.is_apart_said(at, context.hole),
        };
        self.atoms.iter().position(allocates)
    }

    fn is_apart_said(&self, a: HTerm, b: HTerm) -> bool {
        self.apart.contains(&(a, b)) || self.apart.contains(&(b, a))
    }

    /// Are two terms certainly different? Rules NULL-NOT-LVAL and *-PARTIAL of Fig. 14, and what is said.
    #[must_use]
    pub fn are_apart(&self, a: HTerm, b: HTerm, defs: &Defs) -> bool {
        if a == b {
            return false;
        }
        if self.is_apart_said(a, b) {
            return true;
        }
        match (self.allocating(a, defs), self.allocating(b, defs)) {
            (Some(_), None) => self.avoids(b, a, defs),
            (None, Some(_)) => self.avoids(a, b, defs),
            (Some(one), Some(other)) => one != other,
            (None, None) => false,
        }
    }

    /// Is a term certainly null, or in the footprint of something that starts neither at `place` nor, where it is empty,
    /// ends there? What starts at `place` is not empty, so the two are different then.
    #[must_use]
    pub fn avoids(&self, term: HTerm, place: HTerm, defs: &Defs) -> bool {
        let mut at = term;
        // Each turn follows another instance, so there is an end.
        for _ in 0..=self.atoms.len() {
            if at == place {
                return false;
            }
            if at == HTerm::Null || self.cell_at(at).is_some() {
                return true;
            }
            match self.instance_at(at).and_then(|index| self.atoms.get(index)) {
                Some(Atom::Pred(instance)) => at = Formula::end_of(instance, defs),
                _ => return false,
            }
        }
        false
    }

    /// Draws conclusions that need no choice; `false` if the heap part is inconsistent.
    pub fn normalise(&mut self, defs: &Defs) -> bool {
        loop {
            if self.apart.iter().any(|(a, b)| a == b) {
                return false;
            }
            let mut learnt = None;
            for (index, atom) in self.atoms.iter().enumerate() {
                match atom {
                    Atom::Cell(cell) => {
                        let twice =
                            |other: &Atom| matches!(other, Atom::Cell(c) if c.at == cell.at);
                        if cell.at == HTerm::Null || self.atoms[..index].iter().any(twice) {
                            return false;
                        }
                    }
                    Atom::Pred(instance) => {
                        let Some(&root) = instance.args.first() else { return false };
                        let end = Formula::end_of(instance, defs);
                        // It is empty where its root is, where nothing can be, or where something else is.
                        let other = self.atoms.iter().enumerate().any(|(other, atom)| {
                            other != index
                                && match atom {
                                    Atom::Cell(cell) => cell.at == root,
                                    Atom::Pred(i) => {
                                        i.args.first() == Some(&root)
                                            && self.is_apart_said(root, Formula::end_of(i, defs))
                                    }
                                    Atom::Context(c) => {
                                        c.root == root && self.is_apart_said(root, c.hole)
                                    }
                                }
                        });
                        if root == end || root == HTerm::Null || other {
                            learnt = Some((index, root, end));
                            break;
                        }
                    }
                    Atom::Context(_) => {}
                }
            }
            match learnt {
                Some((index, root, end)) => {
                    if self.is_apart_said(root, end) {
                        return false;
                    }
                    self.atoms.remove(index);
                    self.unify(root, end);
                }
                None => return true,
            }
        }
    }

    /// The cases of an instance, in place of it: empty, and with a record (rule UNFOLD). Those that are
    /// inconsistent are left out.
    #[must_use]
    pub fn unfold(&self, index: usize, defs: &Defs) -> Vec<Formula> {
        let mut cases = Vec::new();
        let Some(Atom::Pred(instance)) = self.atoms.get(index) else { return cases };
        let (root, end) = (instance.args.first().copied(), Formula::end_of(instance, defs));
        let Some(root) = root else { return cases };
        if !self.are_apart(root, end, defs) {
            let mut empty = self.clone();
            empty.atoms.remove(index);
            empty.unify(root, end);
            if empty.normalise(defs) {
                cases.push(empty);
            }
        }
        let mut longer = self.clone();
        if longer.unfold_inductive(index, defs).is_some() && longer.normalise(defs) {
            cases.push(longer);
        }
        cases
    }

    /// The inductive case in place of an instance; where its record is among the heaplets.
    pub fn unfold_inductive(&mut self, index: usize, defs: &Defs) -> Option<usize> {
        let Some(Atom::Pred(instance)) = self.atoms.get(index).cloned() else { return None };
        let root = *instance.args.first()?;
        let end = Formula::end_of(&instance, defs);
        let pred = defs.pred(instance.pred);
        let mut cell = self.fresh_cell(root, pred.kind, defs);
        for (field, link) in cell.ptrs.iter_mut().zip(&pred.links) {
            if let Some(place) = link {
                *field = *instance.args.get(*place)?;
            }
        }
        self.atoms.remove(index);
        if !self.is_apart_said(root, end) {
            self.apart.push((root, end));
        }
        if let Some(all) = instance.refs.first() {
            self.queries.extend(all.apply(&cell.data));
        }
        let subs = pred.subs.iter().map(|sub| sub.instance(&instance, &cell));
        let subs: Vec<Instance> = subs.collect::<Option<_>>()?;
        self.atoms.push(Atom::Cell(cell));
        let at = self.atoms.len() - 1;
        self.atoms.extend(subs.into_iter().map(Atom::Pred));
        Some(at)
    }

    /// Are the data that are known inconsistent?
    #[must_use]
    pub fn data_contradictory(&self) -> bool {
        arith::contradictory(&self.facts)
    }

    /// The same without data: no facts, no refinements [ABCK15, Sec. 4].
    #[must_use]
    pub fn without_data(&self) -> Formula {
        let mut shape = self.clone();
        shape.facts.clear();
        shape.queries.clear();
        shape.next_data = shape.data.len() as u32;
        for (var, value) in shape.data.iter_mut().enumerate() {
            *value = Sum::var(var as u32);
        }
        let mut next_data = shape.next_data;
        for atom in &mut shape.atoms {
            match atom {
                Atom::Cell(cell) => {
                    for value in &mut cell.data {
                        *value = Sum::var(next_data);
                        next_data += 1;
                    }
                }
                Atom::Pred(instance) => instance.refs.clear(),
                Atom::Context(context) => {
                    context.refs.clear();
                    context.inside = None;
                }
            }
        }
        shape.next_data = next_data;
        shape
    }
}
