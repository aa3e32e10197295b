//! What was written, before anybody knows what its names mean.

use report::Span;

#[derive(Clone, Debug)]
pub(super) struct Ident {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A name with its sort, if that was written.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) name: Ident,
    pub(super) sort: Option<Ident>,
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Joint {
    Or,
    And,
    Sep,
    Add,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Eq,
    Ne,
    Le,
    Lt,
    Ge,
    Gt,
    PointsTo,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Constant {
    Emp,
    True,
    False,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Constant(Constant),
    Name(String),
    Nil(Option<Ident>),
    Number(String),
    Call(Ident, Vec<Expr>),
    /// `{next: x, prev: y}`
    Record(Vec<(Ident, Expr)>),
    Field(Box<Expr>, Ident),
    Mul(Vec<Expr>),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Joined(Joint, Vec<Expr>),
    Wand(Box<Expr>, Box<Expr>),
    Related(Relation, Box<Expr>, Box<Expr>),
    Quantified {
        exists: bool,
        vars: Vec<Typed>,
        body: Box<Expr>,
    },
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Sort(Ident),
    Record { name: Ident, fields: Vec<Typed> },
    Heap { loc: Ident, content: Ident },
    Pred { name: Ident, params: Vec<Typed>, body: Expr },
    Var(Typed),
}

/// A text: declarations, then formulas.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) items: Vec<Item>,
    pub(super) formulas: Vec<Expr>,
}
