//! Expressions and assertions.

use num_bigint::BigInt;

use super::{Annotation, At, Ident, Name, Param, Type};

/// An expression or assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Which.
    pub kind: Box<ExprKind>,
    /// Without the parentheses around it.
    pub at: At,
}

impl Expr {
    /// An expression at a position.
    pub fn new(kind: ExprKind, at: impl Into<At>) -> Expr {
        Expr { kind: Box::new(kind), at: at.into() }
    }
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Binary operators, from tightest to loosest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `\`
    IntDiv,
    /// `%`
    Mod,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `++`
    Append,
    /// `union`
    Union,
    /// `intersection`
    Intersection,
    /// `setminus`
    Setminus,
    /// `subset`
    Subset,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `--*`
    Wand,
    /// `==>`
    Implies,
    /// `<==>`
    Iff,
}

impl BinOp {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::IntDiv => "\\",
            BinOp::Mod => "%",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Append => "++",
            BinOp::Union => "union",
            BinOp::Intersection => "intersection",
            BinOp::Setminus => "setminus",
            BinOp::Subset => "subset",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::In => "in",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::And => "&&",
            BinOp::Or => "||",
            BinOp::Wand => "--*",
            BinOp::Implies => "==>",
            BinOp::Iff => "<==>",
        }
    }

    /// How tightly it binds: larger is tighter.
    #[must_use]
    pub fn precedence(self) -> u8 {
        match self {
            BinOp::Mul | BinOp::Div | BinOp::IntDiv | BinOp::Mod => 10,
            BinOp::Add
            | BinOp::Sub
            | BinOp::Append
            | BinOp::Union
            | BinOp::Intersection
            | BinOp::Setminus
            | BinOp::Subset => 9,
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::In => 8,
            BinOp::Eq | BinOp::Ne => 7,
            BinOp::And => 6,
            BinOp::Or => 5,
            BinOp::Wand => 4,
            BinOp::Implies => 3,
            BinOp::Iff => 2,
        }
    }

    /// Does `a op b op c` mean `a op (b op c)`?
    #[must_use]
    pub fn is_right_associative(self) -> bool {
        self.precedence() <= BinOp::Eq.precedence()
    }

    /// May it be chained: `a < b <= c`?
    #[must_use]
    pub fn is_comparison(self) -> bool {
        self.precedence() == BinOp::Lt.precedence()
    }
}

/// Universal or existential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
}

/// `{ e, … }` of a quantifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The terms.
    pub exprs: Vec<Expr>,
    /// Braces included.
    pub at: At,
}

/// The label of an `old`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OldLabel {
    /// `old[lhs](…)`: the state of the left-hand side of a wand.
    Lhs,
    /// `old[l](…)`
    Label(Ident),
}

/// The kinds of collection literals with elements of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectionKind {
    /// `Seq(…)`
    Seq,
    /// `Set(…)`
    Set,
    /// `Multiset(…)`
    Multiset,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// `42`
    Int(BigInt),
    /// `true`, `false`
    Bool(bool),
    /// `null`
    Null,
    /// `result`
    Result,
    /// `none`
    None,
    /// `write`
    Write,
    /// `wildcard`
    Wildcard,
    /// `epsilon`
    Epsilon,
    /// A variable, or a macro without parentheses.
    Name(Name),
    /// `-e`, `!e`
    Unary(UnOp, Expr),
    /// `a op b`
    Binary(BinOp, Expr, Expr),
    /// `a < b <= c`: at least two comparisons.
    Chain(Expr, Vec<(BinOp, Expr)>),
    /// `c ? a : b`
    Cond(Expr, Expr, Expr),
    /// `e.f`: a field, or a destructor or discriminator of an ADT.
    Field(Expr, Ident),
    /// `f(e, …)` or `(f(e, …): T)`: a function, constructor, predicate, macro or method.
    Call {
        /// What is called.
        callee: Ident,
        /// Arguments.
        args: Vec<Expr>,
        /// Result type given explicitly.
        ty: Option<Box<Type>>,
    },
    /// `acc(x.f, p)`, `acc(P(x))`
    Acc {
        /// A field access or a predicate.
        loc: Expr,
        /// `None`: full permission.
        amount: Option<Expr>,
    },
    /// `perm(x.f)`
    Perm(Expr),
    /// `old(e)`, `old[l](e)`
    Old(Option<OldLabel>, Expr),
    /// `let x == (e) in b`
    Let {
        /// The variable.
        var: Ident,
        /// Its value.
        value: Expr,
        /// Where it is known.
        body: Expr,
    },
    /// `forall x: T :: { … } e`
    Quant {
        /// Which.
        quantifier: Quantifier,
        /// At least one.
        vars: Vec<Param>,
        /// As given.
        triggers: Vec<Trigger>,
        /// The body.
        body: Expr,
    },
    /// `forperm x: Ref [x.f] :: e`
    ForPerm {
        /// At least one.
        vars: Vec<Param>,
        /// A field access, predicate or wand.
        resource: Expr,
        /// The body.
        body: Expr,
    },
    /// `unfolding acc(P(x), p) in e`
    Unfolding(Expr, Expr),
    /// `applying (A --* B) in e`
    Applying(Expr, Expr),
    /// `asserting (A) in e`
    Asserting(Expr, Expr),
    /// `[A, B]`
    InhaleExhale(Expr, Expr),
    /// `Seq(…)`, `Set[T]()`
    Collection {
        /// Which.
        kind: CollectionKind,
        /// Only of empty literals.
        ty: Option<Box<Type>>,
        /// Elements.
        elems: Vec<Expr>,
    },
    /// `Map(k := v, …)`, `Map[K, V]()`
    Map {
        /// Only of empty literals.
        ty: Option<Box<(Type, Type)>>,
        /// Keys and values.
        entries: Vec<(Expr, Expr)>,
    },
    /// `[a..b)`
    Range(Expr, Expr),
    /// `s[i]`
    Index(Expr, Expr),
    /// `s[a..b]`, `s[..b]`, `s[a..]`
    Slice(Expr, Option<Expr>, Option<Expr>),
    /// `s[i := v]`
    Update(Expr, Expr, Expr),
    /// `|s|`
    Size(Expr),
    /// `domain(m)`
    MapDomain(Expr),
    /// `range(m)`
    MapRange(Expr),
    /// `#P(x)`: the instance of a predicate as a value.
    PredicateInstance {
        /// The predicate.
        predicate: Ident,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `new(f, g)`; `None`: `new(*)`. Only as the right-hand side of an assignment.
    New(Option<Vec<Ident>>),
    /// `@key("…") e`
    Annotated(Annotation, Expr),
}
