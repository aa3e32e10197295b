//! The surface syntax tree: what a user writes, before macros are expanded and names are resolved.
//!
//! The tree is owned and has no hidden state, so a front end can build one by hand, mark its nodes
//! with positions of its own ([`At::foreign`]) and pass it to [`crate::check`]. Two trees are equal
//! iff they are the same program: positions ([`At`]) do not take part in comparisons, parentheses
//! and comments are not in the tree at all.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use num_bigint::BigInt;
use report::Pos;

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
