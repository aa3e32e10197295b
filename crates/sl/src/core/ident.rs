//! Formulas of the core: numbers in place of names.
//!
//! A [`Form`] is a formula with all its connectives. Procedures that want symbolic heaps take it apart
//! ([`SymbolicHeap::disjuncts`](crate::SymbolicHeap::disjuncts)), others walk it as it is.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use super::symheap::{existential, is_existential};
use super::{PredId, Var};
use crate::{Formula, Name, Sort, SymbolicHeap, Term, Variable};

/// A variable of the core in a formula. Its number tells it from others; its name is for those who read.
///
/// Free variables have the numbers of their [`Scope`](super::Scope), bound ones those of existential
/// variables.
#[derive(Clone, Debug)]
pub struct Ident {
    /// Its number.
    pub number: Var,
    /// What it was called.
    pub name: Name,
    /// What it ranges over.
    pub sort: Sort,
}

/// A formula with numbers for variables and predicates.
pub type Form = Formula<Ident, PredId>;
/// A term with numbers for variables.
pub type Expr = Term<Ident>;
/// A symbolic heap with numbers for variables and predicates, whose terms are as they were written.
pub type FormHeap = SymbolicHeap<Ident, PredId>;

impl PartialEq for Ident {
    fn eq(&self, other: &Ident) -> bool {
        self.number == other.number
    }
}

impl Eq for Ident {}

impl PartialOrd for Ident {
    fn partial_cmp(&self, other: &Ident) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ident {
    fn cmp(&self, other: &Ident) -> Ordering {
        self.number.cmp(&other.number)
    }
}

impl Hash for Ident {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl Variable for Ident {
    type Id = Var;

    fn id(&self) -> &Var {
        &self.number
    }

    fn sort(&self) -> &Sort {
        &self.sort
    }

    fn apart_from(&self, taken: &BTreeSet<Var>) -> Ident {
        if !taken.contains(&self.number) {
            return self.clone();
        }
        let last = taken.last().copied().filter(|var| is_existential(*var));
        let number = last.map_or(existential(0), |var| var.saturating_add(1));
        Ident { number, ..self.clone() }
    }
}
