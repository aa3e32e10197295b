//! The surface syntax tree: what a user writes, before macros are expanded and names are resolved.
//!
//! The tree is owned and has no hidden state, so a front end can build one by hand, mark its nodes
//! with positions of its own ([`At::foreign`]) and pass it to [`crate::check`]. Two trees are equal
//! iff they are the same program: positions ([`At`]) do not take part in comparisons, parentheses
//! and comments are not in the tree at all.

mod expr;
mod member;
mod stmt;
mod ty;
pub mod visit;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use report::Pos;

pub use expr::{BinOp, CollectionKind, Expr, ExprKind, OldLabel, Quantifier, Trigger, UnOp};
pub use member::{
    Adt, Constructor, Decreases, Define, DefineBody, Derive, Domain, DomainFunction, DomainItem,
    DomainItemKind, DomainParam, Function, Import, Interpretation, Measure, Member, MemberKind,
    Method, Param, Predicate, Program, Spec, SpecKind,
};
pub use stmt::{Block, Else, If, Stmt, StmtKind};
pub use ty::{Type, TypeKind};

/// A name, cheap to clone. The parser shares one allocation between all uses of a name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

impl Name {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(s: &str) -> Name {
        Name(s.into())
    }
}

impl From<String> for Name {
    fn from(s: String) -> Name {
        Name(s.into())
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
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
        write!(f, "`{}`", self.0)
    }
}

/// A position as metadata: any two are equal, so that comparing trees compares programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct At(pub Pos);

impl At {
    /// A position that means something only to the front end that made it.
    #[must_use]
    pub fn foreign(id: u64) -> At {
        At(Pos::Foreign(id))
    }
}

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl Eq for At {}

impl From<Pos> for At {
    fn from(pos: Pos) -> At {
        At(pos)
    }
}

impl From<report::Span> for At {
    fn from(span: report::Span) -> At {
        At(Pos::Source(span))
    }
}

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it occurs.
    pub at: At,
}

impl Ident {
    /// An identifier without a position.
    pub fn new(name: impl Into<Name>) -> Ident {
        Ident { name: name.into(), at: At::default() }
    }
}

/// `@key("value", …)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// May contain dots.
    pub key: Name,
    /// The texts between the quotes.
    pub values: Vec<Name>,
    /// The whole annotation.
    pub at: At,
}
