//! Expressions and assertions.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use num_bigint::BigInt;
use report::Pos;

use super::{DomainFunctionId, FieldId, FunctionId, Info, LabelId, LocalId, PredicateId, Type};
use crate::ast::Quantifier;

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

/// The number of an expression. No other expression of the process has it, or will have it: tables
/// about expressions are keyed by it, and need not keep what they are about.
///
/// Numbers say nothing else. They depend on what else the process has done, so there is no order on
/// them, and nothing that a user sees may depend on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExprId(u64);

impl ExprId {
    fn fresh() -> ExprId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Nobody looks at other memory because of a number: no ordering is needed.
        ExprId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// An expression or assertion: a [`Node`] with a number of its own.
///
/// A number names one value for ever. That holds by construction: who makes an expression gets a fresh
/// number ([`Node::into_expr`]), its node can be read and not be written ([`Deref`] without `DerefMut`), and
/// it cannot be cloned to be edited, only shared by an [`Arc`] or built anew ([`Expr::with_kind`]).
///
/// Two expressions are equal if they look the same, whatever their numbers.
pub struct Expr {
    id: ExprId,
    node: Node,
}

impl Expr {
    /// Which expression this is.
    #[must_use]
    pub fn id(&self) -> ExprId {
        self.id
    }
}

impl Deref for Expr {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.id == other.id || self.node == other.node
    }
}

impl Eq for Expr {}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
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

impl Node {
    /// A new expression.
    #[must_use]
    pub fn into_expr(self) -> Arc<Expr> {
        Arc::new(Expr { id: ExprId::fresh(), node: self })
    }
}

impl Expr {
    /// An expression without annotations.
    #[must_use]
    pub fn new(kind: ExprKind, ty: Type, pos: Pos) -> Arc<Expr> {
        Node { kind, ty, pos, info: None }.into_expr()
    }

    /// Another expression with the type, position and annotations of this one.
    #[must_use]
    pub fn with_kind(&self, kind: ExprKind) -> Arc<Expr> {
        Node { kind, ty: self.ty.clone(), pos: self.pos, info: self.info.clone() }.into_expr()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_one_expression() {
        let e = Expr::bool(true, Pos::None);
        let shared = Arc::clone(&e);
        let same = Expr::bool(true, Pos::None);
        assert_eq!(shared.id(), e.id());
        assert_eq!(e, same);
        assert_ne!(e.id(), same.id());
        assert_ne!(e.id(), e.with_kind(ExprKind::Bool(false)).id());
        // Not even a number that is free again is used twice.
        let gone = Expr::not(Arc::clone(&e)).id();
        assert_ne!(gone, Expr::not(e).id());
    }

    #[test]
    fn threads_do_not_share_numbers() {
        let make = || (0..1000).map(|_| Expr::bool(true, Pos::None).id()).collect::<Vec<_>>();
        let ids: Vec<ExprId> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
            threads.into_iter().flat_map(|t| t.join().unwrap_or_default()).collect()
        });
        let different: std::collections::HashSet<ExprId> = ids.iter().copied().collect();
        assert_eq!(different.len(), 4000);
    }
}
