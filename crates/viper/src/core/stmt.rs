//! Statements.

use std::sync::Arc;

use report::Pos;

use super::{
    Decreases, Expr, FieldId, Info, LabelId, LocalId, MethodId, PredicateAccess, Resource, Wand,
};

/// A sequence of statements that is a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// Braces included.
    pub pos: Pos,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where.
    pub pos: Pos,
    /// Annotations and error mapping.
    pub info: Option<Arc<Info>>,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// A declaration: the variable has an arbitrary value from here on.
    Var(LocalId),
    /// `x := e`
    Assign(LocalId, Arc<Expr>),
    /// `e.f := e`
    FieldAssign(Arc<Expr>, FieldId, Arc<Expr>),
    /// `x := new(f, …)`
    New(LocalId, Vec<FieldId>),
    /// `x, … := m(e, …)`
    Call {
        /// What is called.
        method: MethodId,
        /// Arguments.
        args: Vec<Arc<Expr>>,
        /// One for each result, all different.
        targets: Vec<LocalId>,
    },
    /// `inhale A`
    Inhale(Arc<Expr>),
    /// `exhale A`
    Exhale(Arc<Expr>),
    /// `assert A`
    Assert(Arc<Expr>),
    /// `assume A`
    Assume(Arc<Expr>),
    /// `refute A`; none after desugaring.
    Refute(Arc<Expr>),
    /// `unreachable`: smoke detection says nothing from here on; none after desugaring.
    Unreachable,
    /// `fold acc(P(e, …), p)`
    Fold(PredicateAccess),
    /// `unfold acc(P(e, …), p)`
    Unfold(PredicateAccess),
    /// `package A --* B { … }`
    Package(Wand, Block),
    /// `apply A --* B`
    Apply(Wand),
    /// `if (e) { … } else { … }`
    If(Arc<Expr>, Block, Block),
    /// `while (e) { … }`
    While {
        /// Loop condition.
        cond: Arc<Expr>,
        /// Invariants.
        invariants: Vec<Arc<Expr>>,
        /// Termination measures; none after desugaring.
        decreases: Vec<Decreases>,
        /// Body.
        body: Block,
    },
    /// `label l invariant …`
    Label(LabelId, Vec<Arc<Expr>>),
    /// `goto l`
    Goto(LabelId),
    /// `quasihavoc c ==> r`
    Quasihavoc(Option<Arc<Expr>>, Resource),
    /// `quasihavocall x: T :: c ==> r`
    QuasihavocAll(Vec<LocalId>, Option<Arc<Expr>>, Resource),
    /// `{ … }`
    Block(Block),
}

impl Stmt {
    /// A statement without annotations.
    #[must_use]
    pub fn new(kind: StmtKind, pos: Pos) -> Stmt {
        Stmt { kind, pos, info: None }
    }
}
