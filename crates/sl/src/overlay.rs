//! Heaps that are described more than once: symbolic heaps with conjunctions inside.
//!
//! `(ls(x, y) && x |-> z * ls(z, y)) * ls(u, v)` says two things of one part of the heap. Every formula
//! without negation, wands and universal quantifiers is a disjunction of such heaps.

use std::collections::BTreeSet;

use crate::formula::{Formula, Kind, Semantics};
use crate::sort::{Name, Var};
use crate::substitute::{Substitution, fresh_name};
use crate::symbolic::{SymbolicHeap, take_aliases};
use crate::term::Term;

/// More disjuncts than this are not made.
const MAX_DISJUNCTS: usize = 256;

/// `exists vars. pure && layout`: pure atoms hold, and the heap is laid out so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverlaidHeap {
    /// Variables that stand for some value; their names are different from all others.
    pub vars: Vec<Var>,
    /// `=`, `!=`, `<=`, `<`.
    pub pure: Vec<Formula>,
    /// What the heap is made of.
    pub layout: Layout,
}

/// What a heap is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Anything.
    Any,
    /// A points-to atom, or an instance of a predicate.
    Atom(Formula),
    /// It is divided among these.
    Star(Vec<Layout>),
    /// It is laid out in each of these ways.
    Both(Vec<Layout>),
}

impl OverlaidHeap {
    /// The heaps whose disjunction a formula is. `None` if it is none, because of negation of anything
    /// but pure atoms, wands or universal quantifiers, and if there would be too many.
    #[must_use]
    pub fn disjuncts(formula: &Formula, semantics: Semantics) -> Option<Vec<OverlaidHeap>> {
        let taken = all_names(formula);
        let used = formula.free_vars().into_iter().map(|var| var.name).collect();
        let mut flattener = Flattener { semantics, taken, used };
        flattener.flatten(formula)
    }

    /// The same with existential variables replaced by what they are equal to.
    #[must_use]
    pub fn without_aliases(mut self) -> OverlaidHeap {
        let by = take_aliases(&mut self.vars, &mut self.pure);
        self.layout.for_each_atom_mut(&mut |atom| *atom = atom.substitute(&by));
        self
    }

    /// The symbolic heap that it is, if nothing is described twice.
    #[must_use]
    pub fn into_symbolic(self) -> Option<SymbolicHeap> {
        let (vars, pure) = (self.vars, self.pure);
        let mut heap = SymbolicHeap { vars, pure, ..SymbolicHeap::default() };
        self.layout.add_to(&mut heap)?;
        Some(heap)
    }

    fn new(layout: Layout) -> OverlaidHeap {
        OverlaidHeap { vars: Vec::new(), pure: Vec::new(), layout }
    }

    fn join(&self, other: &OverlaidHeap, layout: Layout) -> OverlaidHeap {
        let vars = self.vars.iter().chain(&other.vars).cloned().collect();
        let pure = self.pure.iter().chain(&other.pure).cloned().collect();
        OverlaidHeap { vars, pure, layout }
    }
}

impl Layout {
    /// No heap.
    const EMPTY: Layout = Layout::Star(Vec::new());

    /// Calls `f` on all atoms, in order.
    pub fn for_each_atom<'a>(&'a self, f: &mut impl FnMut(&'a Formula)) {
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
            Layout::Star(parts) => parts.iter().any(Layout::is_open),
            Layout::Both(parts) => parts.iter().all(Layout::is_open),
        }
    }

    fn for_each_atom_mut(&mut self, f: &mut impl FnMut(&mut Formula)) {
        match self {
            Layout::Any => {}
            Layout::Atom(atom) => f(atom),
            Layout::Star(parts) | Layout::Both(parts) => {
                parts.iter_mut().for_each(|part| part.for_each_atom_mut(f));
            }
        }
    }

    fn star(&self, other: &Layout) -> Layout {
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

    fn both(&self, other: &Layout) -> Layout {
        let mut parts = Vec::new();
        for layout in [self, other] {
            match layout {
                Layout::Any => {}
                Layout::Both(inner) => parts.extend(inner.iter().cloned()),
                one => parts.push(one.clone()),
            }
        }
        let mut different: Vec<Layout> = Vec::new();
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

    fn add_to(self, heap: &mut SymbolicHeap) -> Option<()> {
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

fn all_names(formula: &Formula) -> BTreeSet<Name> {
    let mut names: BTreeSet<Name> = formula.free_vars().into_iter().map(|v| v.name).collect();
    formula.for_each(&mut |part| {
        if let Kind::Exists(vars, _) = part.kind() {
            names.extend(vars.iter().map(|v| v.name.clone()));
        }
    });
    names
}

struct Flattener {
    semantics: Semantics,
    /// All names that occur.
    taken: BTreeSet<Name>,
    /// Those of free variables, and of variables that were bound so far.
    used: BTreeSet<Name>,
}

impl Flattener {
    fn flatten(&mut self, formula: &Formula) -> Option<Vec<OverlaidHeap>> {
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
    fn product(
        &mut self,
        parts: &[Formula],
        none: Layout,
        join: impl Fn(&Layout, &Layout) -> Layout,
    ) -> Option<Vec<OverlaidHeap>> {
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

    fn exists(&mut self, vars: &[Var], body: &Formula) -> Option<Vec<OverlaidHeap>> {
        // Every binder gets names of its own, since its variables end up in a larger scope.
        let mut by = Substitution::new();
        let mut renamed = Vec::with_capacity(vars.len());
        for var in vars {
            let fresh = Var { name: self.own_name(&var.name), sort: var.sort.clone() };
            if fresh.name != var.name {
                by.insert(var.name.clone(), Term::var(fresh.clone()));
            }
            renamed.push(fresh);
        }
        let mut all = self.flatten(&body.substitute(&by))?;
        for heap in &mut all {
            let mut bound = renamed.clone();
            bound.append(&mut heap.vars);
            heap.vars = bound;
        }
        Some(all)
    }

    /// The name itself the first time it is asked for, if no free variable has it; else others.
    fn own_name(&mut self, name: &Name) -> Name {
        if self.used.insert(name.clone()) {
            return name.clone();
        }
        let fresh = fresh_name(name, &self.taken);
        self.taken.insert(fresh.clone());
        fresh
    }
}

/// The negation of a pure atom as an atom. In the precise semantics it is something else: the heap
/// might also not be empty.
fn negated_atom(atom: &Formula, semantics: Semantics) -> Option<Formula> {
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
