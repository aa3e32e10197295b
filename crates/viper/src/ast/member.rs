//! Declarations and contracts.

use super::{Annotation, At, Block, Expr, Ident, Name, Type};

/// A program: one file, or what a front end built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// In source order.
    pub members: Vec<Member>,
}

/// A top-level declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// In source order.
    pub annotations: Vec<Annotation>,
    /// What is declared.
    pub kind: MemberKind,
    /// The whole declaration, annotations included.
    pub at: At,
}

/// The kinds of top-level declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// `import "f.vpr"` or `import <f.vpr>`
    Import(Import),
    /// `define m(x) …`
    Define(Define),
    /// `field f: Int, g: Ref`
    Fields(Vec<Param>),
    /// `domain D[T] { … }`
    Domain(Domain),
    /// `adt List[T] { … }`
    Adt(Adt),
    /// `function f(x: Int): Int …`
    Function(Function),
    /// `predicate P(x: Ref) { … }`
    Predicate(Predicate),
    /// `method m(x: Ref) returns (y: Ref) …`
    Method(Method),
}

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The path as written.
    pub path: Name,
    /// `<…>`: from the standard library that ships with the tool.
    pub standard: bool,
    /// The path with its delimiters.
    pub path_at: At,
}

/// A macro definition, global or local to a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    /// Its name.
    pub name: Ident,
    /// `None`: used without parentheses.
    pub params: Option<Vec<Ident>>,
    /// What it stands for.
    pub body: DefineBody,
    /// From `define` to the end of the body.
    pub at: At,
}

/// What a macro stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefineBody {
    /// An expression; also a type where it is a bare name or an application.
    Expr(Expr),
    /// A type that is not also an expression, such as `Seq[Int]`.
    Type(Type),
    /// Statements.
    Block(Block),
}

/// `x: T`, also a field declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: Type,
    /// Name and type.
    pub at: At,
}

/// A domain declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Its name.
    pub name: Ident,
    /// `None`: no brackets.
    pub type_params: Option<Vec<Ident>>,
    /// `interpretation (SMTLIB: "…", …)`
    pub interpretations: Option<Vec<Interpretation>>,
    /// Functions and axioms in source order.
    pub items: Vec<DomainItem>,
}

/// `SMTLIB: "(_ BitVec 32)"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpretation {
    /// The back end.
    pub backend: Ident,
    /// Its type.
    pub value: Name,
}

/// A function or axiom of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainItem {
    /// In source order.
    pub annotations: Vec<Annotation>,
    /// What it is.
    pub kind: DomainItemKind,
    /// The whole item.
    pub at: At,
}

/// The kinds of domain items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomainItemKind {
    /// `unique function f(x: T, Int): T interpretation "…"`
    Function(DomainFunction),
    /// `axiom name { … }`
    Axiom {
        /// Axioms may be anonymous.
        name: Option<Ident>,
        /// What is assumed.
        body: Expr,
    },
}

/// A function of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainFunction {
    /// Different from all other unique functions of its type.
    pub unique: bool,
    /// Its name.
    pub name: Ident,
    /// Arguments, whose names may be left out.
    pub params: Vec<DomainParam>,
    /// Result type.
    pub ty: Type,
    /// The SMT-LIB function it stands for.
    pub interpretation: Option<Name>,
}

/// An argument of a domain function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainParam {
    /// May be left out.
    pub name: Option<Ident>,
    /// The type.
    pub ty: Type,
    /// Name and type.
    pub at: At,
}

/// An algebraic data type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adt {
    /// Its name.
    pub name: Ident,
    /// `None`: no brackets.
    pub type_params: Option<Vec<Ident>>,
    /// In source order.
    pub constructors: Vec<Constructor>,
    /// `derives { … }`
    pub derives: Option<Vec<Derive>>,
}

/// A constructor of an ADT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constructor {
    /// Its name.
    pub name: Ident,
    /// Its arguments; their names are the destructors.
    pub params: Vec<Param>,
    /// The whole constructor.
    pub at: At,
}

/// `contains without f, g`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derive {
    /// What is derived: `contains`.
    pub what: Ident,
    /// `contains[Int]`
    pub param: Option<Type>,
    /// Destructors that do not count.
    pub without: Vec<Ident>,
    /// The whole entry.
    pub at: At,
}

/// A function declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: Ident,
    /// Arguments.
    pub params: Vec<Param>,
    /// Result type.
    pub ty: Type,
    /// Contract in source order.
    pub contract: Vec<Spec>,
    /// `None`: abstract.
    pub body: Option<Expr>,
}

/// A predicate declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its name.
    pub name: Ident,
    /// Arguments.
    pub params: Vec<Param>,
    /// `None`: abstract.
    pub body: Option<Expr>,
}

/// A method declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: Ident,
    /// Arguments.
    pub params: Vec<Param>,
    /// Results.
    pub returns: Vec<Param>,
    /// Contract in source order.
    pub contract: Vec<Spec>,
    /// `None`: abstract.
    pub body: Option<Block>,
}

/// A clause of a contract or of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// What it says.
    pub kind: SpecKind,
    /// With its keyword.
    pub at: At,
}

/// The kinds of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecKind {
    /// `requires A`
    Requires(Expr),
    /// `ensures A`
    Ensures(Expr),
    /// `invariant A`
    Invariant(Expr),
    /// `decreases …`
    Decreases(Decreases),
}

/// A termination measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decreases {
    /// The measure.
    pub measure: Measure,
    /// `if e`
    pub condition: Option<Expr>,
    /// The clause without its keyword.
    pub at: At,
}

/// The kinds of termination measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `decreases a, b`; may be empty.
    Tuple(Vec<Expr>),
    /// `decreases _`: terminates, not checked.
    Wildcard,
    /// `decreases *`: may diverge.
    Star,
}
