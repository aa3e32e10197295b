//! Heaps that are described more than once: symbolic heaps with conjunctions inside.
//!
//! `(ls(x, y) && x |-> z * ls(z, y)) * ls(u, v)` says two things of one part of the heap. Every formula
//! without negation, wands and universal quantifiers is a disjunction of such heaps.

use std::collections::BTreeSet;

use crate::formula::{Formula, Kind, Semantics};
use crate::sort::{Name, Symbol, Var, Variable};
use crate::substitute::Substitution;
use crate::symbolic::{SymbolicHeap, take_aliases};
use crate::term::Term;

/// More disjuncts than this are not made.
const MAX_DISJUNCTS: usize = 256;

/// `exists vars. pure && layout`: pure atoms hold, and the heap is laid out so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverlaidHeap<V = Var, P = Name> {
    /// Variables that stand for some value; their names are different from all others.
    pub vars: Vec<V>,
    /// `=`, `!=`, `<=`, `<`.
    pub pure: Vec<Formula<V, P>>,
    /// What the heap is made of.
    pub layout: Layout<V, P>,
}

/// What a heap is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout<V = Var, P = Name> {
    /// Anything.
    Any,
    /// A points-to atom, or an instance of a predicate.
    Atom(Formula<V, P>),
    /// It is divided among these.
    Star(Vec<Layout<V, P>>),
    /// It is laid out in each of these ways.
    Both(Vec<Layout<V, P>>),
}

impl<V: Variable, P: Symbol> OverlaidHeap<V, P> {
    /// The heaps whose disjunction a formula is. `None` if it is none, because of negation of anything
    /// but pure atoms, wands or universal quantifiers, and if there would be too many.
    #[must_use]
    pub fn disjuncts(
        formula: &Formula<V, P>,
        semantics: Semantics,
    ) -> Option<Vec<OverlaidHeap<V, P>>> {
        let taken = all_vars(formula);
        let used = formula.free_vars().into_iter().map(|var| var.id().clone()).collect();
        let mut flattener = Flattener { semantics, taken, used };
        flattener.flatten(formula)
    }

    /// The same with existential variables replaced by what they are equal to.
    #[must_use]
    pub fn without_aliases(mut self) -> OverlaidHeap<V, P> {
        let by = take_aliases(&mut self.vars, &mut self.pure);
        self.layout.for_each_atom_mut(&mut |atom| *atom = atom.substitute(&by));
        self
    }

    /// The symbolic heap that it is, if nothing is described twice.
    #[must_use]
    pub fn into_symbolic(self) -> Option<SymbolicHeap<V, P>> {
        let (vars, pure) = (self.vars, self.pure);
        let mut heap = SymbolicHeap { vars, pure, ..SymbolicHeap::default() };
        self.layout.add_to(&mut heap)?;
        Some(heap)
    }

    fn new(layout: Layout<V, P>) -> OverlaidHeap<V, P> {
        OverlaidHeap { vars: Vec::new(), pure: Vec::new(), layout }
    }

    fn join(&self, other: &OverlaidHeap<V, P>, layout: Layout<V, P>) -> OverlaidHeap<V, P> {
        let vars = self.vars.iter().chain(&other.vars).cloned().collect();
        let pure = self.pure.iter().chain(&other.pure).cloned().collect();
        OverlaidHeap { vars, pure, layout }
    }
}

impl<V: Variable, P: Symbol> Layout<V, P> {
    /// No heap.
    const EMPTY: Layout<V, P> = Layout::Star(Vec::new());

    /// Calls `f` on all atoms, in order.
    pub fn for_each_atom<'a>(&'a self, f: &mut impl FnMut(&'a Formula<V, P>)) {
        match self {
            Layout::Any => {}
            Layout::Atom(atom) => f(atom),
            Layout::Star(parts) | Layout::Both(parts) => {
                parts.iter().for_each(|part| part.for_each_atom(f));
            }
        }
    }

    /// May there be more than its atoms say?
    #[must_use]
    pub fn is_open(&self) -> bool {
        match self {
            Layout::Any => true,
            Layout::Atom(_) => false,
            Layout::Star(parts) => parts.iter().any(|part| part.is_open()),
            Layout::Both(parts) => parts.iter().all(|part| part.is_open()),
        }
    }

    fn for_each_atom_mut(&mut self, f: &mut impl FnMut(&mut Formula<V, P>)) {
        match self {
            Layout::Any => {}
            Layout::Atom(atom) => f(atom),
            Layout::Star(parts) | Layout::Both(parts) => {
                parts.iter_mut().for_each(|part| part.for_each_atom_mut(f));
            }
        }
    }

    fn star(&self, other: &Layout<V, P>) -> Layout<V, P> {
        let mut parts = Vec::new();
        for layout in [self, other] {
            match layout {
                Layout::Star(inner) => parts.extend(inner.iter().cloned()),
                one => parts.push(one.clone()),
            }
        }
        match parts.as_slice() {
            [Layout::Any, Layout::Any] => Layout::Any,
            [one] => one.clone(),
            _ => Layout::Star(parts),
        }
    }

    fn both(&self, other: &Layout<V, P>) -> Layout<V, P> {
        let mut parts = Vec::new();
        for layout in [self, other] {
            match layout {
                Layout::Any => {}
                Layout::Both(inner) => parts.extend(inner.iter().cloned()),
                one => parts.push(one.clone()),
            }
        }
        let mut different: Vec<Layout<V, P>> = Vec::new();
        for part in parts {
            if !different.contains(&part) {
                different.push(part);
            }
        }
        match different.as_slice() {
            [] => Layout::Any,
            [one] => one.clone(),
            _ => Layout::Both(different),
        }
    }

    fn add_to(self, heap: &mut SymbolicHeap<V, P>) -> Option<()> {
        match self {
            Layout::Any => heap.open = true,
            Layout::Atom(atom) => heap.spatial.push(atom),
            Layout::Star(parts) => {
                for part in parts {
                    part.add_to(heap)?;
                }
            }
            Layout::Both(_) => return None,
        }
        Some(())
    }
}

fn all_vars<V: Variable, P: Symbol>(formula: &Formula<V, P>) -> BTreeSet<V::Id> {
    let mut all: BTreeSet<V::Id> =
        formula.free_vars().into_iter().map(|var| var.id().clone()).collect();
    formula.for_each(&mut |part| {
        if let Kind::Exists(vars, _) = part.kind() {
            all.extend(vars.iter().map(|var| var.id().clone()));
        }
    });
    all
}

struct Flattener<V: Variable> {
    semantics: Semantics,
    /// All variables that occur.
    taken: BTreeSet<V::Id>,
    /// The free ones, and those that were bound so far.
    used: BTreeSet<V::Id>,
}

impl<V: Variable> Flattener<V> {
    fn flatten<P: Symbol>(&mut self, formula: &Formula<V, P>) -> Option<Vec<OverlaidHeap<V, P>>> {
        match formula.kind() {
            Kind::True => Some(vec![OverlaidHeap::new(Layout::Any)]),
            Kind::False => Some(Vec::new()),
            Kind::Emp => Some(vec![OverlaidHeap::new(Layout::EMPTY)]),
            Kind::Eq(..) | Kind::Ne(..) | Kind::Le(..) | Kind::Lt(..) => {
                let layout = match self.semantics {
                    Semantics::Standard => Layout::Any,
                    Semantics::Precise => Layout::EMPTY,
                };
                let pure = vec![formula.clone()];
                Some(vec![OverlaidHeap { pure, ..OverlaidHeap::new(layout) }])
            }
            Kind::PointsTo(..) | Kind::Pred(..) => {
                Some(vec![OverlaidHeap::new(Layout::Atom(formula.clone()))])
            }
            Kind::Sep(parts) => self.product(parts, Layout::EMPTY, Layout::star),
            Kind::And(parts) => self.product(parts, Layout::Any, Layout::both),
            Kind::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.flatten(part)?);
                    if all.len() > MAX_DISJUNCTS {
                        return None;
                    }
                }
                Some(all)
            }
            Kind::Exists(vars, body) => self.exists(vars, body),
            Kind::Not(part) => self.flatten(&negated_atom(part, self.semantics)?),
            Kind::Forall(..) | Kind::Wand(..) => None,
        }
    }

    /// All ways to pick one disjunct of each part.
    fn product<P: Symbol>(
        &mut self,
        parts: &[Formula<V, P>],
        none: Layout<V, P>,
        join: impl Fn(&Layout<V, P>, &Layout<V, P>) -> Layout<V, P>,
    ) -> Option<Vec<OverlaidHeap<V, P>>> {
        let mut all = vec![OverlaidHeap::new(none)];
        for part in parts {
            let next = self.flatten(part)?;
            if all.len().saturating_mul(next.len()) > MAX_DISJUNCTS {
                return None;
            }
            let pairs = all.iter().flat_map(|x| next.iter().map(move |y| (x, y)));
            all = pairs.map(|(x, y)| x.join(y, join(&x.layout, &y.layout))).collect();
        }
        Some(all)
    }

    fn exists<P: Symbol>(
        &mut self,
        vars: &[V],
        body: &Formula<V, P>,
    ) -> Option<Vec<OverlaidHeap<V, P>>> {
        // Every binder gets variables of its own, since they end up in a larger scope.
        let mut by = Substitution::<V>::new();
        let mut renamed = Vec::with_capacity(vars.len());
        for var in vars {
            let own = self.own(var);
            if own != *var {
                by.insert(var.id().clone(), Term::var(own.clone()));
            }
            renamed.push(own);
        }
        let mut all = self.flatten(&body.substitute(&by))?;
        for heap in &mut all {
            let mut bound = renamed.clone();
            bound.append(&mut heap.vars);
            heap.vars = bound;
        }
        Some(all)
    }

    /// The variable itself the first time it is asked for, if it is not free; else others.
    fn own(&mut self, var: &V) -> V {
        if self.used.insert(var.id().clone()) {
            return var.clone();
        }
        let fresh = var.apart_from(&self.taken);
        self.taken.insert(fresh.id().clone());
        fresh
    }
}

/// The negation of a pure atom as an atom. In the precise semantics it is something else: the heap
/// might also not be empty.
fn negated_atom<V: Variable, P: Symbol>(
    atom: &Formula<V, P>,
    semantics: Semantics,
) -> Option<Formula<V, P>> {
    if semantics == Semantics::Precise {
        return None;
    }
    let kind = match atom.kind() {
        Kind::True => Kind::False,
        Kind::False => Kind::True,
        Kind::Eq(a, b) => Kind::Ne(a.clone(), b.clone()),
        Kind::Ne(a, b) => Kind::Eq(a.clone(), b.clone()),
        Kind::Le(a, b) => Kind::Lt(b.clone(), a.clone()),
        Kind::Lt(a, b) => Kind::Le(b.clone(), a.clone()),
        Kind::Not(part) => return Some(part.clone()),
        _ => return None,
    };
    Some(Formula::new(kind, atom.pos()))
}
