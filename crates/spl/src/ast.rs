//! The surface syntax: what was written, without parentheses and comments.
//!
//! Positions are not part of a tree's identity: two trees are equal if and only if they are the same
//! program, so "print, parse, compare" is a test.

use std::sync::Arc;

use report::Span;

/// A name as it was written.
pub type Name = Arc<str>;

/// Where a node is. All positions are equal.
#[derive(Clone, Copy, Debug)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl Eq for At {}

impl From<Span> for At {
    fn from(span: Span) -> At {
        At(span)
    }
}

impl From<At> for report::Pos {
    fn from(at: At) -> report::Pos {
        at.0.into()
    }
}

/// A name with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where.
    pub at: At,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// In source order.
    pub decls: Vec<Decl>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    /// What is declared.
    pub kind: DeclKind,
    /// All of it.
    pub at: At,
}

/// What can be declared.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclKind {
    /// `include "p"`
    Include(Name),
    /// `options "…"`
    Options(Name),
    /// `axiom e`
    Axiom(Expr),
    /// `type T` or `type T = U`
    Type {
        /// T
        name: Ident,
        /// U
        alias: Option<Type>,
    },
    /// `datatype D = c(d: T) | …`
    Datatype {
        /// D
        name: Ident,
        /// The constructors.
        ctors: Vec<Ctor>,
    },
    /// `struct S { var f: T; … }`
    Struct {
        /// S
        name: Ident,
        /// Its fields.
        fields: Vec<Var>,
    },
    /// A global variable.
    Var(Var),
    /// `const c: T`
    Const {
        /// c
        name: Ident,
        /// T
        ty: Type,
    },
    /// `define m(a) { e }`
    Define {
        /// m
        name: Ident,
        /// Names that are replaced.
        params: Vec<Ident>,
        /// By what it is replaced.
        body: Expr,
    },
    /// A predicate.
    Predicate {
        /// `pure`: Boolean, reads no field unless its body does.
        pure: bool,
        /// Its name.
        name: Ident,
        /// Its parameters.
        params: Vec<Var>,
        /// What it reads; documentation.
        contracts: Vec<Contract>,
        /// Without one it is abstract.
        body: Option<Expr>,
    },
    /// A function.
    Function {
        /// `pure`: reads no field unless its body does.
        pure: bool,
        /// Its name.
        name: Ident,
        /// Its parameters.
        params: Vec<Var>,
        /// Its result.
        returns: Vec<Var>,
        /// Pre- and postconditions.
        contracts: Vec<Contract>,
        /// Without one it is abstract.
        body: Option<Expr>,
    },
    /// A procedure or lemma.
    Procedure {
        /// Which.
        kind: ProcKind,
        /// Its name.
        name: Ident,
        /// Its parameters.
        params: Vec<Var>,
        /// Its results.
        returns: Vec<Var>,
        /// Pre- and postconditions.
        contracts: Vec<Contract>,
        /// Without one the contract is trusted.
        body: Option<Stmt>,
    },
}

/// What has statements for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcKind {
    /// `procedure`
    Procedure,
    /// `lemma`
    Lemma,
    /// `auto lemma`
    AutoLemma,
}

/// A constructor of a datatype.
#[derive(Clone, Debug, PartialEq)]
pub struct Ctor {
    /// Its name.
    pub name: Ident,
    /// The destructors.
    pub args: Vec<Var>,
}

/// A field, parameter or variable with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// `ghost`, or `implicit ghost`
    pub ghost: Ghost,
}

/// Is a parameter passed, and does it exist at run time?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ghost {
    /// Both.
    No,
    /// It is passed.
    Ghost,
    /// Its value is to be found.
    Implicit,
}

/// `requires` or `ensures`
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Which.
    pub kind: ContractKind,
    /// `pure`, `free`
    pub mods: Mods,
    /// What.
    pub expr: Expr,
    /// All of it.
    pub at: At,
}

/// Before or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractKind {
    /// A precondition.
    Requires,
    /// A postcondition.
    Ensures,
}

/// How a claim is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mods {
    /// It says nothing about footprints.
    pub pure: bool,
    /// It is assumed, not checked.
    pub free: bool,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub at: At,
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `Int`
    Int,
    /// `Bool`
    Bool,
    /// `Byte`
    Byte,
    /// A struct, datatype, opaque type or alias; `Loc<S>` is `S`.
    Named(Ident),
    /// `Set<T>`
    Set(Box<Type>),
    /// `Map<K, V>`
    Map(Box<Type>, Box<Type>),
    /// `Array<T>`
    Array(Box<Type>),
    /// `ArrayCell<T>`
    Cell(Box<Type>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// All of it.
    pub at: At,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `{ … }`
    Block(Vec<Stmt>),
    /// `var x: T, y: T := e, f;`; without types they are inferred, without values arbitrary.
    Var {
        /// `ghost`
        ghost: bool,
        /// Names and types.
        vars: Vec<(Ident, Option<Type>)>,
        /// Their first values.
        values: Option<Vec<Expr>>,
    },
    /// `x, y := e, f;`
    Assign(Vec<Expr>, Vec<Expr>),
    /// `a := "…";`
    AssignString(Expr, Name),
    /// `p(args);`
    Call(Expr),
    /// `free e;`
    Free(Expr),
    /// `havoc x, y;`
    Havoc(Vec<Expr>),
    /// `return e, f;`
    Return(Vec<Expr>),
    /// `assume e;`
    Assume(Mods, Expr),
    /// `assert "name" e with { … }`
    Assert {
        /// `pure`, `free`
        mods: Mods,
        /// By which it can be selected.
        label: Option<Name>,
        /// What.
        expr: Expr,
        /// A proof.
        proof: Option<Box<Stmt>>,
    },
    /// `split e;`, which the reference tool does not survive.
    Split(Expr),
    /// `if (c) s else t`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `choose s or t`
    Choose(Vec<Stmt>),
    /// `while (c) invariant … { … }`
    While {
        /// The condition.
        cond: Expr,
        /// None is `emp`.
        invariants: Vec<Invariant>,
        /// What is repeated.
        body: Box<Stmt>,
    },
}

/// `invariant e`
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// `pure`, `free`
    pub mods: Mods,
    /// What.
    pub expr: Expr,
    /// All of it.
    pub at: At,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: Box<ExprKind>,
    /// Where.
    pub at: At,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Int(i64),
    /// `'c'`
    Byte(u8),
    /// `null`
    Null,
    /// `emp`
    Emp,
    /// A name.
    Name(Ident),
    /// `f(args)`
    Call(Ident, Vec<Expr>),
    /// `e.f`
    Dot(Expr, Ident),
    /// `e[i]`
    Index(Expr, Expr),
    /// `e[]`
    Cell(Expr),
    /// `e[i := v]`
    Update(Expr, Expr, Expr),
    /// `{e, …}`, `Set(e, …)`, `Set<T>(e, …)`
    Set(Option<Type>, Vec<Expr>),
    /// `{x: T :: e}`
    Comprehension(Ident, Type, Expr),
    /// `new S`
    New(Type),
    /// `new Array<T>(n)`; the type is that of the elements.
    NewArray(Type, Expr),
    /// A prefix operator.
    Unary(UnOp, Expr),
    /// An infix operator.
    Binary(BinOp, Expr, Expr),
    /// `a <= b < c`: two or more comparisons, which mean `a <= b && b < c`.
    Chain(Expr, Vec<(BinOp, Expr)>),
    /// `c ? a : b`
    Cond(Expr, Expr, Expr),
    /// `forall x: T, y in S :: e`
    Quant(Quantifier, Vec<Binder>, Expr),
    /// `e @(…)`
    Annotated(Expr, Annotation),
}

/// `forall` or `exists`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// For all.
    Forall,
    /// For some.
    Exists,
}

/// `x: T` or `x in S`
#[derive(Clone, Debug, PartialEq)]
pub struct Binder {
    /// x
    pub name: Ident,
    /// Over what it ranges.
    pub range: Range,
}

/// Over what a bound variable ranges.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// All values of a type.
    Type(Type),
    /// The elements of a set.
    Set(Expr),
}

/// Hints to a prover, without logical content.
#[derive(Clone, Debug, PartialEq)]
pub enum Annotation {
    /// `matching t without f, … yields t`
    Matching(Vec<(Expr, Option<Ident>)>, Expr),
    /// `pattern t`
    Pattern(Expr),
    /// `comment "…"`
    Comment(Name),
    /// `noinst x`
    Noinst(Ident),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    BitNot,
    /// `int2byte(e)`
    Int2Byte,
    /// `byte2int(e)`
    Byte2Int,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinOp {
    Iff,
    Implies,
    Or,
    SepIncl,
    SepPlus,
    SepStar,
    And,
    Eq,
    Ne,
    In,
    NotIn,
    Lt,
    Le,
    Gt,
    Ge,
    PointsTo,
    Add,
    Sub,
    Union,
    BitOr,
    Mul,
    Div,
    Mod,
    Inter,
    BitAnd,
    Diff,
    Shl,
    Shr,
}

impl BinOp {
    /// How it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Iff => "<=>",
            BinOp::Implies => "==>",
            BinOp::Or => "||",
            BinOp::SepIncl => "-**",
            BinOp::SepPlus => "&+&",
            BinOp::SepStar => "&*&",
            BinOp::And => "&&",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::In => "in",
            BinOp::NotIn => "!in",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::PointsTo => "|->",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Union => "++",
            BinOp::BitOr => "|",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Mod => "%",
            BinOp::Inter => "**",
            BinOp::BitAnd => "&",
            BinOp::Diff => "--",
            BinOp::Shl => "<-<",
            BinOp::Shr => ">->",
        }
    }

    /// How tightly it binds; comparisons are [`CHAIN`].
    #[must_use]
    pub fn level(self) -> u8 {
        match self {
            BinOp::Iff => 1,
            BinOp::Implies => 2,
            BinOp::Or => 3,
            BinOp::SepIncl => 4,
            BinOp::SepPlus => 5,
            BinOp::SepStar => 6,
            BinOp::And => 7,
            BinOp::Eq | BinOp::Ne => 8,
            BinOp::In | BinOp::NotIn => 9,
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => CHAIN,
            BinOp::PointsTo => 11,
            BinOp::Add | BinOp::Sub | BinOp::Union | BinOp::BitOr => 12,
            BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::Inter | BinOp::BitAnd => 13,
            BinOp::Diff | BinOp::Shl | BinOp::Shr => 14,
        }
    }
}

/// The level of comparisons, which may be chained.
pub const CHAIN: u8 = 10;

/// The level of prefix operators.
pub const PREFIX: u8 = 15;
