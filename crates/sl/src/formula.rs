//! Formulas of separation logic.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use report::Pos;

use crate::sort::{Name, Symbol, Var, Variable};
use crate::term::Term;

/// What pure atoms (`x = y`, `n < 3`) say about the heap.
///
/// There is no difference for `true` and `false`: the first holds in every heap, the second in none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Semantics {
    /// Nothing: they hold in every heap. What SL-COMP's files mean.
    #[default]
    Standard,
    /// That it is empty, so that `*` adds them to a spatial formula ([PWZ13, Fig. 3]). What the
    /// text notation means.
    Precise,
}

/// A formula. Immutable and shared; cloning it is cheap. Positions do not count when formulas are
/// compared. Variables and predicates are names on the surface, numbers in the core
/// ([`Form`](crate::core::Form)).
#[derive(Clone, Debug)]
pub struct Formula<V = Var, P = Name>(Arc<Node<V, P>>);

#[derive(Debug)]
struct Node<V, P> {
    kind: Kind<V, P>,
    pos: Pos,
}

/// What a formula can be.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind<V = Var, P = Name> {
    /// Holds in every heap.
    True,
    /// Holds in no heap.
    False,
    /// The empty heap.
    Emp,
    /// `a = b`; see [`Semantics`] for what it says of the heap.
    Eq(Term<V>, Term<V>),
    /// `a != b`.
    Ne(Term<V>, Term<V>),
    /// `a <= b`.
    Le(Term<V>, Term<V>),
    /// `a < b`.
    Lt(Term<V>, Term<V>),
    /// A heap of one location, the first term, which holds the second.
    PointsTo(Term<V>, Term<V>),
    /// An instance of a predicate.
    Pred(P, Vec<Term<V>>),
    /// The heap is divided among these.
    Sep(Vec<Formula<V, P>>),
    /// Whatever heap of the first kind is added, the result is of the second.
    Wand(Formula<V, P>, Formula<V, P>),
    /// All of these hold of the heap.
    And(Vec<Formula<V, P>>),
    /// One of these holds of the heap.
    Or(Vec<Formula<V, P>>),
    /// This does not hold of the heap.
    Not(Formula<V, P>),
    /// For some values.
    Exists(Vec<V>, Formula<V, P>),
    /// For all values.
    Forall(Vec<V>, Formula<V, P>),
}

impl<V: PartialEq, P: PartialEq> PartialEq for Formula<V, P> {
    fn eq(&self, other: &Formula<V, P>) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.kind == other.0.kind
    }
}

impl<V: Eq, P: Eq> Eq for Formula<V, P> {}

impl<V: Hash, P: Hash> Hash for Formula<V, P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.kind.hash(state);
    }
}

impl<V: Variable, P: Symbol> From<Kind<V, P>> for Formula<V, P> {
    fn from(kind: Kind<V, P>) -> Formula<V, P> {
        Formula::new(kind, Pos::None)
    }
}

impl<V: Variable, P: Symbol> Formula<V, P> {
    /// A formula at a position.
    #[must_use]
    pub fn new(kind: Kind<V, P>, pos: Pos) -> Formula<V, P> {
        Formula(Arc::new(Node { kind, pos }))
    }

    /// `a = b`.
    #[must_use]
    pub fn equal(a: Term<V>, b: Term<V>) -> Formula<V, P> {
        Kind::Eq(a, b).into()
    }

    /// `a != b`.
    #[must_use]
    pub fn different(a: Term<V>, b: Term<V>) -> Formula<V, P> {
        Kind::Ne(a, b).into()
    }

    /// `loc |-> content`.
    #[must_use]
    pub fn points_to(loc: Term<V>, content: Term<V>) -> Formula<V, P> {
        Kind::PointsTo(loc, content).into()
    }

    /// An instance of a predicate.
    pub fn pred(name: impl Into<P>, args: Vec<Term<V>>) -> Formula<V, P> {
        Kind::Pred(name.into(), args).into()
    }

    /// The separating conjunction of any number of formulas; of none it is `emp`.
    #[must_use]
    pub fn sep(parts: Vec<Formula<V, P>>) -> Formula<V, P> {
        joined(parts, Kind::Emp, Kind::Sep)
    }

    /// The conjunction of any number of formulas; of none it is `true`.
    #[must_use]
    pub fn and(parts: Vec<Formula<V, P>>) -> Formula<V, P> {
        joined(parts, Kind::True, Kind::And)
    }

    /// The disjunction of any number of formulas; of none it is `false`.
    #[must_use]
    pub fn or(parts: Vec<Formula<V, P>>) -> Formula<V, P> {
        joined(parts, Kind::False, Kind::Or)
    }

    /// The negation.
    #[must_use]
    pub fn negation(part: Formula<V, P>) -> Formula<V, P> {
        Kind::Not(part).into()
    }

    /// The formula for some values of these variables, if there are any.
    #[must_use]
    pub fn exists(vars: Vec<V>, body: Formula<V, P>) -> Formula<V, P> {
        if vars.is_empty() { body } else { Kind::Exists(vars, body).into() }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> &Kind<V, P> {
        &self.0.kind
    }

    /// Where it was written.
    #[must_use]
    pub fn pos(&self) -> Pos {
        self.0.pos
    }

    /// The formulas that it is made of.
    #[must_use]
    pub fn parts(&self) -> Vec<&Formula<V, P>> {
        match self.kind() {
            Kind::Sep(parts) | Kind::And(parts) | Kind::Or(parts) => parts.iter().collect(),
            Kind::Wand(a, b) => vec![a, b],
            Kind::Not(part) | Kind::Exists(_, part) | Kind::Forall(_, part) => vec![part],
            _ => Vec::new(),
        }
    }

    /// The terms in it that are not inside of another formula.
    #[must_use]
    pub fn terms(&self) -> Vec<&Term<V>> {
        match self.kind() {
            Kind::Eq(a, b)
            | Kind::Ne(a, b)
            | Kind::Le(a, b)
            | Kind::Lt(a, b)
            | Kind::PointsTo(a, b) => vec![a, b],
            Kind::Pred(_, args) => args.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Is it an atom about data and the stack only?
    #[must_use]
    pub fn is_pure_atom(&self) -> bool {
        matches!(self.kind(), Kind::Eq(..) | Kind::Ne(..) | Kind::Le(..) | Kind::Lt(..))
    }

    /// Does it say nothing about the heap, whatever pure atoms mean? Boolean combinations of pure
    /// atoms in the standard semantics are so.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        match self.kind() {
            Kind::True | Kind::False => true,
            Kind::Emp | Kind::PointsTo(..) | Kind::Pred(..) | Kind::Sep(_) | Kind::Wand(..) => {
                false
            }
            Kind::Eq(..) | Kind::Ne(..) | Kind::Le(..) | Kind::Lt(..) => true,
            Kind::And(_) | Kind::Or(_) | Kind::Not(_) | Kind::Exists(..) | Kind::Forall(..) => {
                self.parts().into_iter().all(|part| part.is_pure())
            }
        }
    }

    /// Calls `f` on this formula and on all inside of it.
    pub fn for_each<'a>(&'a self, f: &mut impl FnMut(&'a Formula<V, P>)) {
        f(self);
        for part in self.parts() {
            part.for_each(f);
        }
    }

    /// The predicates that are mentioned in it, in order.
    #[must_use]
    pub fn predicates(&self) -> BTreeSet<P> {
        let mut names = BTreeSet::new();
        self.for_each(&mut |part| {
            if let Kind::Pred(name, _) = part.kind() {
                names.insert(name.clone());
            }
        });
        names
    }

    /// The variables that are not bound in it, in order.
    #[must_use]
    pub fn free_vars(&self) -> BTreeSet<V> {
        let mut free = BTreeSet::new();
        self.add_free(&mut Vec::new(), &mut free);
        free
    }

    fn add_free(&self, bound: &mut Vec<V::Id>, free: &mut BTreeSet<V>) {
        for term in self.terms() {
            term.for_each_var(&mut |var| {
                if !bound.contains(var.id()) {
                    free.insert(var.clone());
                }
            });
        }
        let depth = bound.len();
        if let Kind::Exists(vars, _) | Kind::Forall(vars, _) = self.kind() {
            bound.extend(vars.iter().map(|var| var.id().clone()));
        }
        for part in self.parts() {
            part.add_free(bound, free);
        }
        bound.truncate(depth);
    }
}

fn joined<V: Variable, P: Symbol>(
    mut parts: Vec<Formula<V, P>>,
    none: Kind<V, P>,
    many: impl FnOnce(Vec<Formula<V, P>>) -> Kind<V, P>,
) -> Formula<V, P> {
    match parts.pop() {
        None => none.into(),
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts).into()
        }
    }
}
