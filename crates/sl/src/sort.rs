//! Names and sorts.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;

use crate::substitute::fresh_name;

/// A name; cloning it is cheap.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

impl Name {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name(text.into())
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name(text.into())
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a variable or a term ranges over.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// Mathematical integers.
    Int,
    /// Truth values.
    Bool,
    /// Locations: infinitely many, one of them `nil`. Sorts of different names share nothing else.
    Loc(Name),
    /// The values of a record.
    Record(Name),
}

impl Sort {
    /// Is it a sort of locations?
    #[must_use]
    pub fn is_loc(&self) -> bool {
        matches!(self, Sort::Loc(_))
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Int => f.write_str("Int"),
            Sort::Bool => f.write_str("Bool"),
            Sort::Loc(name) | Sort::Record(name) => f.write_str(name),
        }
    }
}

/// A variable: of the stack, bound by a quantifier, or a parameter of a definition.
///
/// Variables are the same if their names are; a name has one sort wherever it is in scope.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var {
    /// Its name.
    pub name: Name,
    /// What it ranges over.
    pub sort: Sort,
}

impl Var {
    /// A variable.
    pub fn new(name: impl Into<Name>, sort: Sort) -> Var {
        Var { name: name.into(), sort }
    }
}

/// What predicates are called by: a name on the surface, a number in the core.
pub trait Symbol: Clone + Ord + Hash + fmt::Debug {}

impl Symbol for Name {}
impl Symbol for usize {}

/// What formulas know of their variables. On the surface they are names ([`Var`]), in the core numbers
/// ([`Ident`](crate::core::Ident)).
pub trait Variable: Clone + Ord + Hash + fmt::Debug {
    /// What tells a variable from others.
    type Id: Clone + Ord + fmt::Debug;

    /// What tells it from others.
    fn id(&self) -> &Self::Id;

    /// What it ranges over.
    fn sort(&self) -> &Sort;

    /// The same variable under an identity that nobody has; its own if nobody has that.
    #[must_use]
    fn apart_from(&self, taken: &BTreeSet<Self::Id>) -> Self;
}

impl Variable for Var {
    type Id = Name;

    fn id(&self) -> &Name {
        &self.name
    }

    fn sort(&self) -> &Sort {
        &self.sort
    }

    fn apart_from(&self, taken: &BTreeSet<Name>) -> Var {
        Var { name: fresh_name(&self.name, taken), sort: self.sort.clone() }
    }
}
