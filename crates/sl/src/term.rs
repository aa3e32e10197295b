//! Terms: locations, integers, truth values and records of them.

use std::sync::Arc;

use num_bigint::BigInt;

use crate::signature::Record;
use crate::sort::{Sort, Var, Variable};

/// A term. Immutable and shared; cloning it is cheap. Variables are names on the surface, numbers in the
/// core.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term<V = Var>(Arc<TermKind<V>>);

/// What a term can be.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum TermKind<V = Var> {
    /// A variable.
    Var(V),
    /// The location of this sort that is never allocated.
    Nil(Sort),
    /// An integer.
    Int(BigInt),
    /// A truth value.
    Bool(bool),
    /// A record with a value for each of its fields, in their order.
    Record(Arc<Record>, Vec<Term<V>>),
    /// The field of this number of a record.
    Field(Arc<Record>, usize, Term<V>),
    /// A sum.
    Add(Vec<Term<V>>),
    /// The negative of a term.
    Neg(Term<V>),
    /// A product; linear formulas have at most one factor that is not a number.
    Mul(Vec<Term<V>>),
}

impl<V: Variable> Term<V> {
    /// A term of this kind.
    #[must_use]
    pub fn new(kind: TermKind<V>) -> Term<V> {
        Term(Arc::new(kind))
    }

    /// A variable.
    #[must_use]
    pub fn var(var: V) -> Term<V> {
        Term::new(TermKind::Var(var))
    }

    /// `nil` of a sort of locations.
    #[must_use]
    pub fn nil(sort: Sort) -> Term<V> {
        Term::new(TermKind::Nil(sort))
    }

    /// A number.
    pub fn int(value: impl Into<BigInt>) -> Term<V> {
        Term::new(TermKind::Int(value.into()))
    }

    /// `-a`; a number stays a number.
    #[must_use]
    pub fn negative(a: Term<V>) -> Term<V> {
        match a.kind() {
            TermKind::Int(value) => Term::int(-value),
            _ => Term::new(TermKind::Neg(a)),
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> &TermKind<V> {
        &self.0
    }

    /// The variable that this term is, if it is one.
    #[must_use]
    pub fn as_var(&self) -> Option<&V> {
        match self.kind() {
            TermKind::Var(var) => Some(var),
            _ => None,
        }
    }

    /// Is it `nil`?
    #[must_use]
    pub fn is_nil(&self) -> bool {
        matches!(self.kind(), TermKind::Nil(_))
    }

    /// What it ranges over.
    #[must_use]
    pub fn sort(&self) -> Sort {
        match self.kind() {
            TermKind::Var(var) => var.sort().clone(),
            TermKind::Nil(sort) => sort.clone(),
            TermKind::Bool(_) => Sort::Bool,
            TermKind::Record(record, _) => Sort::Record(record.name.clone()),
            TermKind::Field(record, index, _) => {
                record.fields.get(*index).map_or(Sort::Int, |field| field.sort.clone())
            }
            TermKind::Int(_) | TermKind::Add(_) | TermKind::Neg(_) | TermKind::Mul(_) => Sort::Int,
        }
    }

    /// The terms that it is made of.
    #[must_use]
    pub fn parts(&self) -> &[Term<V>] {
        match self.kind() {
            TermKind::Record(_, parts) | TermKind::Add(parts) | TermKind::Mul(parts) => parts,
            TermKind::Neg(part) | TermKind::Field(_, _, part) => std::slice::from_ref(part),
            TermKind::Var(_) | TermKind::Nil(_) | TermKind::Int(_) | TermKind::Bool(_) => &[],
        }
    }

    /// Calls `f` on every variable in it.
    pub fn for_each_var<'a>(&'a self, f: &mut impl FnMut(&'a V)) {
        if let TermKind::Var(var) = self.kind() {
            f(var);
        }
        for part in self.parts() {
            part.for_each_var(f);
        }
    }

    /// Does it mention this variable?
    #[must_use]
    pub fn mentions(&self, id: &V::Id) -> bool {
        let mut found = false;
        self.for_each_var(&mut |var| found |= var.id() == id);
        found
    }

    /// The same term with some variables replaced. Shares what does not change.
    #[must_use]
    pub fn substitute(&self, replace: &impl Fn(&V::Id) -> Option<Term<V>>) -> Term<V> {
        let all =
            |parts: &[Term<V>]| parts.iter().map(|p| p.substitute(replace)).collect::<Vec<_>>();
        let kind = match self.kind() {
            TermKind::Var(var) => return replace(var.id()).unwrap_or_else(|| self.clone()),
            TermKind::Nil(_) | TermKind::Int(_) | TermKind::Bool(_) => return self.clone(),
            TermKind::Record(record, parts) => TermKind::Record(record.clone(), all(parts)),
            TermKind::Field(record, index, part) => {
                TermKind::Field(record.clone(), *index, part.substitute(replace))
            }
            TermKind::Add(parts) => TermKind::Add(all(parts)),
            TermKind::Neg(part) => TermKind::Neg(part.substitute(replace)),
            TermKind::Mul(parts) => TermKind::Mul(all(parts)),
        };
        if kind == *self.kind() { self.clone() } else { Term::new(kind) }
    }
}
