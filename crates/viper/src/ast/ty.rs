//! Types.

use super::{At, Expr, Ident};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Where it is written.
    pub at: At,
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `Int`
    Int,
    /// `Bool`
    Bool,
    /// `Perm`, also written `Rational`
    Perm,
    /// `Ref`
    Ref,
    /// `Seq[T]`
    Seq(Box<Type>),
    /// `Set[T]`
    Set(Box<Type>),
    /// `Multiset[T]`
    Multiset(Box<Type>),
    /// `Map[K, V]`
    Map(Box<Type>, Box<Type>),
    /// A domain, an ADT, a type variable or a macro without parentheses.
    Named {
        /// The name.
        name: Ident,
        /// `None`: no brackets.
        args: Option<Vec<Type>>,
    },
    /// A macro with parentheses.
    Macro {
        /// The macro.
        name: Ident,
        /// Its arguments.
        args: Vec<Expr>,
    },
}
