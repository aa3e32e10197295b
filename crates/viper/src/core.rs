//! The typed core: what the verifier sees.
//!
//! Macros are expanded, names are resolved to identifiers of declarations, every expression has its
//! type, overloaded operators are told apart. [`crate::check`] produces a core program from a
//! surface program; [`crate::plugins::desugar`] then removes what is not core Viper (termination
//! measures, `refute`, predicate instances), after which [`Program::is_desugared`] holds.
//!
//! Nodes are shared (`Arc`) and immutable.

use std::sync::Arc;

use num_bigint::BigInt;
use report::Pos;

use crate::ast::{Annotation, Name, Quantifier};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into the list it identifies an element of.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Index into [`Program::domains`].
    DomainId;
    /// Index into [`Program::domain_functions`].
    DomainFunctionId;
    /// Index into [`Program::fields`].
    FieldId;
    /// Index into [`Program::functions`].
    FunctionId;
    /// Index into [`Program::predicates`].
    PredicateId;
    /// Index into [`Program::methods`].
    MethodId;
    /// Index into the `locals` of a member.
    LocalId;
    /// Index into [`Method::labels`].
    LabelId;
}

/// A type. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Mathematical integers.
    Int,
    /// Booleans; also the type of assertions.
    Bool,
    /// Rational permission amounts.
    Perm,
    /// References.
    Ref,
    /// Sequences.
    Seq(Arc<Type>),
    /// Sets.
    Set(Arc<Type>),
    /// Multisets.
    Multiset(Arc<Type>),
    /// Maps.
    Map(Arc<(Type, Type)>),
    /// An instance of a domain or an ADT.
    Domain(DomainId, Arc<[Type]>),
    /// A type parameter of the enclosing domain, by position.
    Param(u32),
}

impl Type {
    /// `Seq[elem]`
    #[must_use]
    pub fn seq(elem: Type) -> Type {
        Type::Seq(Arc::new(elem))
    }

    /// `Set[elem]`
    #[must_use]
    pub fn set(elem: Type) -> Type {
        Type::Set(Arc::new(elem))
    }

    /// `Multiset[elem]`
    #[must_use]
    pub fn multiset(elem: Type) -> Type {
        Type::Multiset(Arc::new(elem))
    }

    /// `Map[key, value]`
    #[must_use]
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new((key, value)))
    }

    /// Replaces the parameters of the enclosing domain.
    #[must_use]
    pub fn substitute(&self, args: &[Type]) -> Type {
        match self {
            Type::Int | Type::Bool | Type::Perm | Type::Ref => self.clone(),
            Type::Seq(t) => Type::seq(t.substitute(args)),
            Type::Set(t) => Type::set(t.substitute(args)),
            Type::Multiset(t) => Type::multiset(t.substitute(args)),
            Type::Map(kv) => Type::map(kv.0.substitute(args), kv.1.substitute(args)),
            Type::Domain(d, ts) => {
                Type::Domain(*d, ts.iter().map(|t| t.substitute(args)).collect())
            }
            Type::Param(i) => args.get(*i as usize).unwrap_or(self).clone(),
        }
    }
}

/// What a node carries besides its meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// `@key("…")`
    pub annotations: Vec<Annotation>,
    /// How an error at this node is reported, where that is not as usual.
    pub report: Option<ReportAs>,
}

impl Info {
    /// The annotation with this key.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&Annotation> {
        self.annotations.iter().find(|a| a.key.as_str() == key)
    }
}

/// How errors at a node that a plugin made are mapped back to the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportAs {
    /// A failed proof here is this error there; other kinds of failure keep their reason.
    Error {
        /// The identifier in place of, for instance, `assert.failed`.
        id: Name,
        /// The reason in place of `assertion.false`.
        reason: Name,
        /// The offending node.
        pos: Pos,
        /// The message.
        message: Name,
    },
    /// The proof is meant to fail: no error here is reported, and if there is none at all, this
    /// error is.
    MustFail {
        /// The identifier with its reason.
        id: Name,
        /// The offending node.
        pos: Pos,
        /// The message.
        message: Name,
    },
    /// Like the error at another position, with another identifier.
    Elsewhere {
        /// The offending node.
        pos: Pos,
    },
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Domains and ADTs.
    pub domains: Vec<Domain>,
    /// The functions of all domains.
    pub domain_functions: Vec<DomainFunction>,
    /// Fields.
    pub fields: Vec<Field>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Predicates.
    pub predicates: Vec<Predicate>,
    /// Methods.
    pub methods: Vec<Method>,
}

/// A domain, also one that stands for an ADT.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Its name.
    pub name: Name,
    /// Names of its type parameters.
    pub type_params: Vec<Name>,
    /// Back-end types by back end.
    pub interpretations: Option<Vec<(Name, Name)>>,
    /// Its functions, in order.
    pub functions: Vec<DomainFunctionId>,
    /// Its axioms, in order.
    pub axioms: Vec<Axiom>,
    /// Set iff it stands for an ADT.
    pub adt: Option<Adt>,
    /// The whole declaration.
    pub pos: Pos,
    /// Annotations.
    pub info: Option<Arc<Info>>,
}

/// What makes a domain an algebraic data type.
#[derive(Clone, Debug)]
pub struct Adt {
    /// In source order.
    pub constructors: Vec<Constructor>,
    /// `tag(x: T): Int`, which discriminators compare.
    pub tag: DomainFunctionId,
    /// The types for which `contains` is derived, the function, and the destructors that do not
    /// count.
    pub contains: Option<Contains>,
}

/// A derived `contains`.
#[derive(Clone, Debug)]
pub struct Contains {
    /// Destructors that do not count.
    pub without: Vec<DomainFunctionId>,
    /// Where it was asked for.
    pub pos: Pos,
}

/// A constructor of an ADT.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// The constructor itself.
    pub function: DomainFunctionId,
    /// One for each argument.
    pub destructors: Vec<DomainFunctionId>,
    /// `isC`
    pub discriminator: DomainFunctionId,
}

/// A function of a domain.
#[derive(Clone, Debug)]
pub struct DomainFunction {
    /// Its name.
    pub name: Name,
    /// The domain it belongs to.
    pub domain: DomainId,
    /// Different from all other unique functions of its type.
    pub unique: bool,
    /// Names (where given) and types of arguments.
    pub params: Vec<(Option<Name>, Type)>,
    /// Result type.
    pub ty: Type,
    /// The SMT-LIB function it stands for.
    pub interpretation: Option<Name>,
    /// The whole declaration.
    pub pos: Pos,
    /// Annotations.
    pub info: Option<Arc<Info>>,
}

/// An axiom of a domain.
#[derive(Clone, Debug)]
pub struct Axiom {
    /// Axioms may be anonymous.
    pub name: Option<Name>,
    /// Bound variables of the body.
    pub locals: Vec<Local>,
    /// What is assumed.
    pub body: Arc<Expr>,
    /// The whole declaration.
    pub pos: Pos,
    /// Annotations.
    pub info: Option<Arc<Info>>,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// The declaration.
    pub pos: Pos,
    /// Annotations.
    pub info: Option<Arc<Info>>,
}

/// A heap-dependent function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// The first `params` of these are the arguments.
    pub locals: Vec<Local>,
    /// How many arguments it has.
    pub params: u32,
    /// Result type.
    pub ty: Type,
    /// Preconditions.
    pub pres: Vec<Arc<Expr>>,
    /// Postconditions.
    pub posts: Vec<Arc<Expr>>,
    /// Termination measures; none after desugaring.
    pub decreases: Vec<Decreases>,
    /// `None`: abstract.
    pub body: Option<Arc<Expr>>,
    /// The whole declaration.
    pub pos: Pos,
    /// Annotations.
    pub info: Option<Arc<Info>>,
}

/// A predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: Name,
    /// The first `params` of these are the arguments.
    pub locals: Vec<Local>,
    /// How many arguments it has.
    pub params: u32,
    /// `None`: abstract.
    pub body: Option<Arc<Expr>>,
    /// The whole declaration.
    pub pos: Pos,
    /// Annotations.
    pub info: Option<Arc<Info>>,
}

/// A method.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: Name,
    /// First the arguments, then the results, then all others.
    pub locals: Vec<Local>,
    /// How many arguments it has.
    pub params: u32,
    /// How many results it has.
    pub returns: u32,
    /// Preconditions.
    pub pres: Vec<Arc<Expr>>,
    /// Postconditions.
    pub posts: Vec<Arc<Expr>>,
    /// Termination measures; none after desugaring.
    pub decreases: Vec<Decreases>,
    /// All labels of the body.
    pub labels: Vec<Name>,
    /// `None`: abstract.
    pub body: Option<Block>,
    /// The whole declaration.
    pub pos: Pos,
    /// Annotations.
    pub info: Option<Arc<Info>>,
}

/// A variable: argument, result, local or bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name; not unique within a member.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Its declaration.
    pub pos: Pos,
}

/// A termination measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decreases {
    /// The measure.
    pub measure: Measure,
    /// `if e`
    pub condition: Option<Arc<Expr>>,
    /// The clause without its keyword.
    pub pos: Pos,
}

/// The kinds of termination measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Decreases lexicographically.
    Tuple(Vec<Arc<Expr>>),
    /// Terminates, not checked.
    Wildcard,
    /// May diverge.
    Star,
}

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

/// A wand instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wand {
    /// What is given up on `apply`.
    pub lhs: Arc<Expr>,
    /// What is gained on `apply`.
    pub rhs: Arc<Expr>,
    /// Where.
    pub pos: Pos,
}

/// `acc(P(e, …), p)` where only a predicate may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateAccess {
    /// The predicate.
    pub predicate: PredicateId,
    /// Arguments.
    pub args: Vec<Arc<Expr>>,
    /// `None`: full permission.
    pub amount: Option<Arc<Expr>>,
    /// The whole `acc(…)`.
    pub pos: Pos,
    /// The predicate with its arguments.
    pub loc_pos: Pos,
}

/// What permissions are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    /// `e.f`
    Field(Arc<Expr>, FieldId, Pos),
    /// `P(e, …)`
    Predicate(PredicateId, Vec<Arc<Expr>>, Pos),
    /// `A --* B`
    Wand(Wand),
}

impl Resource {
    /// Where it is written.
    #[must_use]
    pub fn pos(&self) -> Pos {
        match self {
            Resource::Field(_, _, pos) | Resource::Predicate(_, _, pos) => *pos,
            Resource::Wand(wand) => wand.pos,
        }
    }
}

/// An expression or assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Its type; assertions are of type `Bool`.
    pub ty: Type,
    /// Where.
    pub pos: Pos,
    /// Annotations and error mapping.
    pub info: Option<Arc<Info>>,
}

/// Binary operators, with overloading resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `Int + Int` or `Perm + Perm`
    Add,
    /// `Int - Int` or `Perm - Perm`
    Sub,
    /// `Int * Int` or `Perm * Perm`
    Mul,
    /// `Int * Perm`
    IntPermMul,
    /// `Int \ Int`, also `Int / Int` of type `Int`
    Div,
    /// `Int % Int`
    Mod,
    /// `Int / Int` of type `Perm`
    Fraction,
    /// `Perm / Int`
    PermDiv,
    /// `Perm / Perm`
    PermPermDiv,
    /// `<` on `Int` or `Perm`
    Lt,
    /// `<=` on `Int` or `Perm`
    Le,
    /// `>` on `Int` or `Perm`
    Gt,
    /// `>=` on `Int` or `Perm`
    Ge,
    /// `==`, also `<==>`
    Eq,
    /// `!=`
    Ne,
    /// `&&`, the separating conjunction on assertions
    And,
    /// `||`
    Or,
    /// `==>`
    Implies,
}

/// Operators on collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectionOp {
    /// `[a..b)`
    Range,
    /// `s ++ t`
    SeqAppend,
    /// `s[i]`
    SeqIndex,
    /// `s[..n]`
    SeqTake,
    /// `s[n..]`
    SeqDrop,
    /// `s[i := v]`
    SeqUpdate,
    /// `e in s`
    SeqContains,
    /// `|s|`
    SeqLength,
    /// `s union t` on sets and multisets
    Union,
    /// `s intersection t` on sets and multisets
    Intersection,
    /// `s setminus t` on sets and multisets
    Setminus,
    /// `s subset t` on sets and multisets
    Subset,
    /// `e in s` of a set
    SetContains,
    /// `|s|` of a set or multiset
    Cardinality,
    /// `e in s` of a multiset: how often
    MultisetCount,
    /// `m[k]`
    MapLookup,
    /// `m[k := v]`
    MapUpdate,
    /// `k in m`
    MapContains,
    /// `|m|`
    MapCardinality,
    /// `domain(m)`
    MapDomain,
    /// `range(m)`
    MapRange,
}

/// Which earlier state an `old` refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OldState {
    /// The pre-state of the method.
    Pre,
    /// The state of the left-hand side of the enclosing wand.
    Lhs,
    /// The state at a label.
    Label(LabelId),
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// An integer literal.
    Int(BigInt),
    /// A Boolean literal.
    Bool(bool),
    /// `null`
    Null,
    /// `none`
    NoPerm,
    /// `write`
    FullPerm,
    /// `wildcard`
    WildcardPerm,
    /// A variable.
    Local(LocalId),
    /// `result`
    Result,
    /// `-e` on `Int` or `Perm`
    Neg(Arc<Expr>),
    /// `!e`
    Not(Arc<Expr>),
    /// `a op b`
    Binary(BinOp, Arc<Expr>, Arc<Expr>),
    /// `c ? a : b`
    Cond(Arc<Expr>, Arc<Expr>, Arc<Expr>),
    /// `e.f`
    Field(Arc<Expr>, FieldId),
    /// `f(e, …)`
    Call(FunctionId, Vec<Arc<Expr>>),
    /// `f(e, …)` of a domain with its type arguments
    DomainCall(DomainFunctionId, Vec<Arc<Expr>>, Arc<[Type]>),
    /// `acc(r, p)`; wands are [`ExprKind::Wand`].
    Acc(Resource, Option<Arc<Expr>>),
    /// `A --* B`
    Wand(Wand),
    /// `perm(r)`
    Perm(Resource),
    /// `old(e)`
    Old(OldState, Arc<Expr>),
    /// `let x == (e) in b`
    Let(LocalId, Arc<Expr>, Arc<Expr>),
    /// `forall x: T :: { … } e`
    Quant {
        /// Which.
        quantifier: Quantifier,
        /// At least one.
        vars: Vec<LocalId>,
        /// As given.
        triggers: Vec<Vec<Arc<Expr>>>,
        /// The body.
        body: Arc<Expr>,
    },
    /// `forperm x: Ref [x.f] :: e`
    ForPerm(Vec<LocalId>, Resource, Arc<Expr>),
    /// `unfolding acc(P(x), p) in e`
    Unfolding(PredicateAccess, Arc<Expr>),
    /// `applying (A --* B) in e`
    Applying(Wand, Arc<Expr>),
    /// `asserting (A) in e`
    Asserting(Arc<Expr>, Arc<Expr>),
    /// `[A, B]`
    InhaleExhale(Arc<Expr>, Arc<Expr>),
    /// `Seq(…)`; empty for the empty sequence
    Seq(Vec<Arc<Expr>>),
    /// `Set(…)`
    Set(Vec<Arc<Expr>>),
    /// `Multiset(…)`
    Multiset(Vec<Arc<Expr>>),
    /// `Map(k := v, …)`
    Map(Vec<(Arc<Expr>, Arc<Expr>)>),
    /// An operation on collections.
    Collection(CollectionOp, Vec<Arc<Expr>>),
    /// `#P(e, …)`; none after desugaring. Its type is the domain `PredicateInstance`.
    PredicateInstance(PredicateId, Vec<Arc<Expr>>),
}

impl Expr {
    /// An expression without annotations.
    #[must_use]
    pub fn new(kind: ExprKind, ty: Type, pos: Pos) -> Arc<Expr> {
        Arc::new(Expr { kind, ty, pos, info: None })
    }

    /// `true` or `false`
    #[must_use]
    pub fn bool(value: bool, pos: Pos) -> Arc<Expr> {
        Expr::new(ExprKind::Bool(value), Type::Bool, pos)
    }

    /// `a op b` of type `Bool`
    #[must_use]
    pub fn binary_bool(op: BinOp, a: Arc<Expr>, b: Arc<Expr>, pos: Pos) -> Arc<Expr> {
        Expr::new(ExprKind::Binary(op, a, b), Type::Bool, pos)
    }

    /// The conjunction of all, `true` if there are none.
    #[must_use]
    pub fn conjunction(exprs: impl IntoIterator<Item = Arc<Expr>>, pos: Pos) -> Arc<Expr> {
        exprs
            .into_iter()
            .reduce(|a, b| Expr::binary_bool(BinOp::And, a, b, pos))
            .unwrap_or_else(|| Expr::bool(true, pos))
    }

    /// `!e`
    #[must_use]
    #[allow(clippy::should_implement_trait)] // named like its siblings; `!` is for Rust's booleans
    pub fn not(e: Arc<Expr>) -> Arc<Expr> {
        let pos = e.pos;
        Expr::new(ExprKind::Not(e), Type::Bool, pos)
    }
}

impl Stmt {
    /// A statement without annotations.
    #[must_use]
    pub fn new(kind: StmtKind, pos: Pos) -> Stmt {
        Stmt { kind, pos, info: None }
    }
}

impl Program {
    /// The domain with this identifier.
    #[must_use]
    pub fn domain(&self, id: DomainId) -> &Domain {
        &self.domains[id.index()]
    }

    /// The domain function with this identifier.
    #[must_use]
    pub fn domain_function(&self, id: DomainFunctionId) -> &DomainFunction {
        &self.domain_functions[id.index()]
    }

    /// The field with this identifier.
    #[must_use]
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// The function with this identifier.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The predicate with this identifier.
    #[must_use]
    pub fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.index()]
    }

    /// The method with this identifier.
    #[must_use]
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.index()]
    }

    /// The domain with this name.
    #[must_use]
    pub fn find_domain(&self, name: &str) -> Option<DomainId> {
        self.domains.iter().position(|d| d.name.as_str() == name).map(|i| DomainId(i as u32))
    }

    /// The domain function with this name.
    #[must_use]
    pub fn find_domain_function(&self, name: &str) -> Option<DomainFunctionId> {
        let i = self.domain_functions.iter().position(|f| f.name.as_str() == name)?;
        Some(DomainFunctionId(i as u32))
    }
}
