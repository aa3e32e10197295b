//! Statements.

use super::{Annotation, At, Define, Expr, Ident, Param, Spec};

/// `{ … }`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// Braces included.
    pub at: At,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Without a trailing semicolon.
    pub at: At,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `x := e`, `x.f := e`, `a, x.f := m(…)`, `x := new(…)`; targets are names, field accesses or
    /// macro applications.
    Assign {
        /// At least one.
        targets: Vec<Expr>,
        /// An expression, a method call or [`ExprKind::New`].
        value: Expr,
    },
    /// `m(…)` or `m`: a method call without results, or a statement macro.
    Call(Expr),
    /// `var x: T, y: T := e`
    Var {
        /// At least one.
        vars: Vec<Param>,
        /// Initial values.
        init: Option<Expr>,
    },
    /// `inhale A`
    Inhale(Expr),
    /// `exhale A`
    Exhale(Expr),
    /// `assert A`
    Assert(Expr),
    /// `assume A`
    Assume(Expr),
    /// `refute A`
    Refute(Expr),
    /// `fold acc(P(x), p)`
    Fold(Expr),
    /// `unfold acc(P(x), p)`
    Unfold(Expr),
    /// `package A --* B { … }`
    Package {
        /// The wand.
        wand: Expr,
        /// The proof script.
        script: Option<Block>,
    },
    /// `apply A --* B`
    Apply(Expr),
    /// `if (e) { … } else …`
    If(If),
    /// `while (e) invariant … { … }`
    While {
        /// Loop condition.
        cond: Expr,
        /// Invariants and measures.
        specs: Vec<Spec>,
        /// Body.
        body: Block,
    },
    /// `goto l`
    Goto(Ident),
    /// `label l invariant …`
    Label {
        /// The label.
        name: Ident,
        /// Invariants of a loop made of gotos.
        invariants: Vec<Spec>,
    },
    /// `quasihavoc c ==> x.f`
    Quasihavoc {
        /// Only if this holds.
        cond: Option<Expr>,
        /// A field access, predicate or wand.
        resource: Expr,
    },
    /// `quasihavocall x: T :: c ==> P(x)`
    QuasihavocAll {
        /// Quantified variables.
        vars: Vec<Param>,
        /// Only where this holds.
        cond: Option<Expr>,
        /// A field access, predicate or wand.
        resource: Expr,
    },
    /// `{ … }`
    Block(Block),
    /// A macro that is local to a method.
    Define(Define),
    /// `@key("…") s`
    Annotated(Annotation, Box<Stmt>),
}

/// An `if` with what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct If {
    /// Condition.
    pub cond: Expr,
    /// Then.
    pub then: Block,
    /// Else.
    pub otherwise: Option<Else>,
}

/// What follows an `if`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Else {
    /// `else { … }`
    Block(Block),
    /// `elseif (e) { … } …`
    If(Box<If>, At),
}
