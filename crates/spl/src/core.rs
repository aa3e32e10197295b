//! The typed program: every name resolved, every expression typed, macros gone.
//!
//! This is what a verifier trusts. Locals are numbers into a table of their owner; globals are names,
//! of which there is one space. Hints to a prover were checked and are gone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use report::Span;

pub use crate::ast::{Ghost, Mods, Name, ProcKind, Quantifier};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Unbounded integers.
    Int,
    /// Truth values.
    Bool,
    /// 8 bits.
    Byte,
    /// References to objects of a struct.
    Struct(Name),
    /// References to arrays.
    Array(Arc<Type>),
    /// References to cells of arrays.
    Cell(Arc<Type>),
    /// Sets.
    Set(Arc<Type>),
    /// Total maps.
    Map(Arc<Type>, Arc<Type>),
    /// Free constructors.
    Datatype(Name),
    /// Nothing is known of its values.
    Opaque(Name),
    /// Spatial assertions.
    Perm,
    /// Not known yet; there is none in a checked program.
    Hole(u32),
}

impl Type {
    /// Are its values locations, or `null`?
    #[must_use]
    pub fn is_reference(&self) -> bool {
        matches!(self, Type::Struct(_) | Type::Array(_) | Type::Cell(_))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int => f.write_str("Int"),
            Type::Bool => f.write_str("Bool"),
            Type::Byte => f.write_str("Byte"),
            Type::Struct(name) | Type::Datatype(name) | Type::Opaque(name) => f.write_str(name),
            Type::Array(of) => write!(f, "Array<{of}>"),
            Type::Cell(of) => write!(f, "ArrayCell<{of}>"),
            Type::Set(of) => write!(f, "Set<{of}>"),
            Type::Map(k, v) => write!(f, "Map<{k}, {v}>"),
            Type::Perm => f.write_str("Permission"),
            Type::Hole(_) => f.write_str("?"),
        }
    }
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Fields, by name.
    pub fields: BTreeMap<Name, Field>,
    /// Structs with the names of their fields.
    pub structs: BTreeMap<Name, Vec<Name>>,
    /// Global variables.
    pub globals: BTreeMap<Name, Type>,
    /// Those of them that are declared as `ghost`.
    pub ghost_globals: BTreeSet<Name>,
    /// Datatypes with the names of their constructors.
    pub datatypes: BTreeMap<Name, Vec<Name>>,
    /// Constructors.
    pub ctors: BTreeMap<Name, Ctor>,
    /// Destructors: the constructor, the number of its argument.
    pub dtors: BTreeMap<Name, (Name, usize)>,
    /// Predicates.
    pub predicates: BTreeMap<Name, Predicate>,
    /// Functions and constants.
    pub functions: BTreeMap<Name, Function>,
    /// Procedures and lemmas.
    pub procedures: BTreeMap<Name, Procedure>,
    /// Assumed everywhere.
    pub axioms: Vec<Axiom>,
    /// What `options` say.
    pub options: Vec<(String, Span)>,
}

/// A field of a struct: a map from its objects.
#[derive(Clone, Debug)]
pub struct Field {
    /// The struct.
    pub owner: Name,
    /// What it holds.
    pub ty: Type,
    /// `ghost`
    pub ghost: bool,
}

/// A constructor.
#[derive(Clone, Debug)]
pub struct Ctor {
    /// Of which datatype.
    pub datatype: Name,
    /// Destructors and types.
    pub args: Vec<(Name, Type)>,
}

/// A local variable, parameter, result or bound variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// What it is called.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Is it declared as `ghost`? Of parameters, see [`Param::ghost`].
    pub ghost: bool,
}

/// A number in the table of locals of the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// A parameter or result.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Which local.
    pub local: LocalId,
    /// Is it passed?
    pub ghost: Ghost,
}

/// A claim of a contract, or an invariant.
#[derive(Clone, Debug)]
pub struct Clause {
    /// `pure`, `free`
    pub mods: Mods,
    /// What.
    pub expr: Expr,
    /// Where it is written.
    pub span: Span,
}

/// A predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: Name,
    /// `pure`
    pub pure: bool,
    /// All variables in it.
    pub locals: Vec<Local>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Spatial or Boolean?
    pub spatial: bool,
    /// Without one it is abstract.
    pub body: Option<Expr>,
    /// Where.
    pub span: Span,
}

/// A function, or a constant.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// `pure`
    pub pure: bool,
    /// All variables in it.
    pub locals: Vec<Local>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its result.
    pub result: LocalId,
    /// Under which its postconditions hold.
    pub requires: Vec<Clause>,
    /// What holds of its result.
    pub ensures: Vec<Clause>,
    /// Without one it is abstract.
    pub body: Option<Expr>,
    /// Where.
    pub span: Span,
}

/// A procedure or lemma.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Which.
    pub kind: ProcKind,
    /// All variables in it.
    pub locals: Vec<Local>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its results.
    pub returns: Vec<Param>,
    /// Preconditions.
    pub requires: Vec<Clause>,
    /// Postconditions.
    pub ensures: Vec<Clause>,
    /// Without one the contract is trusted.
    pub body: Option<Stmt>,
    /// Its name in the source.
    pub span: Span,
}

/// An axiom.
#[derive(Clone, Debug)]
pub struct Axiom {
    /// All variables in it.
    pub locals: Vec<Local>,
    /// What.
    pub expr: Expr,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Which.
    pub kind: Box<ExprKind>,
    /// Its type.
    pub ty: Type,
    /// Where.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Int(i64),
    /// `'c'`
    Byte(u8),
    /// `null` of the type
    Null,
    /// The empty heap.
    Emp,
    /// A local variable.
    Local(LocalId),
    /// A global variable.
    Global(Name),
    /// A field as a map.
    Field(Name),
    /// `map[key]`; `x.f` is `f[x]`.
    Read(Expr, Expr),
    /// `map[key := value]`
    Update(Expr, Expr, Expr),
    /// `a[i]`
    ArrayRead(Expr, Expr),
    /// `c[]`
    CellRead(Expr),
    /// `a.length`
    Length(Expr),
    /// `a.cells`
    Cells(Expr),
    /// `a.map`
    Contents(Expr),
    /// `c.array`
    CellArray(Expr),
    /// `c.index`
    CellIndex(Expr),
    /// `{e, …}`
    Set(Vec<Expr>),
    /// `{x: T :: e}`, a set or a map
    Comprehension(LocalId, Expr),
    /// `f(args)`
    Function(Name, Vec<Expr>),
    /// `p(args)`
    Predicate(Name, Vec<Expr>),
    /// A call in an expression.
    Call(Name, Vec<Expr>),
    /// `c(args)`
    Construct(Name, Vec<Expr>),
    /// `d(e)`
    Destruct(Name, Expr),
    /// `new S`
    New(Type),
    /// `new Array<T>(n)`
    NewArray(Type, Expr),
    /// `acc(x)`
    Acc(Expr),
    /// `acc(S)`
    AccSet(Expr),
    /// `x.f |-> v`: the location, what is read, its value
    PointsTo(Expr, Expr, Expr),
    /// `Btwn(f, x, y, z)`
    Btwn(Expr, Expr, Expr, Expr),
    /// `Disjoint(S, T)`
    Disjoint(Expr, Expr),
    /// `Frame(X, A, f, g)`
    Frame(Expr, Expr, Expr, Expr),
    /// `old(e)`
    Old(Expr),
    /// A prefix operator.
    Unary(UnOp, Expr),
    /// An infix operator.
    Binary(BinOp, Expr, Expr),
    /// `c ? a : b`
    Cond(Expr, Expr, Expr),
    /// A quantifier; sets over which variables range are part of the body.
    Quant(Quantifier, Vec<LocalId>, Expr),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnOp {
    Neg,
    Not,
    BitNot,
    Int2Byte,
    Byte2Int,
}

/// Infix operators: on sets `<=` is inclusion.
pub use crate::ast::BinOp;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// What is assigned to.
#[derive(Clone, Debug)]
pub enum Target {
    /// A local variable.
    Local(LocalId),
    /// A global variable.
    Global(Name),
    /// `x.f`
    Field(Name, Expr),
    /// `a[i]`
    Array(Expr, Expr),
    /// `c[]`
    Cell(Expr),
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// One after the other.
    Block(Vec<Stmt>),
    /// All at once. Of several targets each is a different variable.
    Assign(Vec<Target>, Vec<Expr>),
    /// `x, y := p(args);` with as many targets as `p` has explicit results
    Call(Vec<Target>, Name, Vec<Expr>),
    /// `free e;`
    Free(Expr),
    /// Any values.
    Havoc(Vec<Target>),
    /// All results.
    Return(Vec<Expr>),
    /// `assume e;`
    Assume(Mods, Expr),
    /// `assert e with { … }`
    Assert(Mods, Expr, Option<Proof>),
    /// `if (c) s else t`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// Any of them.
    Choose(Vec<Stmt>),
    /// `while (c) invariant … { … }`
    While(Expr, Vec<Clause>, Box<Stmt>),
}

/// The proof of an assertion. Of `forall x :: b` it may be about `x`, and then proves `b`.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The variables of the quantifier on top, arbitrary in the proof.
    pub vars: Vec<LocalId>,
    /// What is to be proved after it.
    pub goal: Expr,
    /// The statements.
    pub body: Box<Stmt>,
}

impl Expr {
    /// Visits the direct subexpressions.
    pub fn each_child<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        match &*self.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Byte(_)
            | ExprKind::Null
            | ExprKind::Emp
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Field(_)
            | ExprKind::New(_) => {}
            ExprKind::CellRead(a)
            | ExprKind::Length(a)
            | ExprKind::Cells(a)
            | ExprKind::Contents(a)
            | ExprKind::CellArray(a)
            | ExprKind::CellIndex(a)
            | ExprKind::Comprehension(_, a)
            | ExprKind::Destruct(_, a)
            | ExprKind::NewArray(_, a)
            | ExprKind::Acc(a)
            | ExprKind::AccSet(a)
            | ExprKind::Old(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Quant(_, _, a) => f(a),
            ExprKind::Read(a, b)
            | ExprKind::ArrayRead(a, b)
            | ExprKind::Disjoint(a, b)
            | ExprKind::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            ExprKind::Update(a, b, c) | ExprKind::PointsTo(a, b, c) | ExprKind::Cond(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            ExprKind::Btwn(a, b, c, d) | ExprKind::Frame(a, b, c, d) => {
                f(a);
                f(b);
                f(c);
                f(d);
            }
            ExprKind::Set(all)
            | ExprKind::Function(_, all)
            | ExprKind::Predicate(_, all)
            | ExprKind::Call(_, all)
            | ExprKind::Construct(_, all) => all.iter().for_each(f),
        }
    }

    /// Visits the direct subexpressions, which may be changed.
    pub fn each_child_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        match &mut *self.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Byte(_)
            | ExprKind::Null
            | ExprKind::Emp
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Field(_)
            | ExprKind::New(_) => {}
            ExprKind::CellRead(a)
            | ExprKind::Length(a)
            | ExprKind::Cells(a)
            | ExprKind::Contents(a)
            | ExprKind::CellArray(a)
            | ExprKind::CellIndex(a)
            | ExprKind::Comprehension(_, a)
            | ExprKind::Destruct(_, a)
            | ExprKind::NewArray(_, a)
            | ExprKind::Acc(a)
            | ExprKind::AccSet(a)
            | ExprKind::Old(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Quant(_, _, a) => f(a),
            ExprKind::Read(a, b)
            | ExprKind::ArrayRead(a, b)
            | ExprKind::Disjoint(a, b)
            | ExprKind::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            ExprKind::Update(a, b, c) | ExprKind::PointsTo(a, b, c) | ExprKind::Cond(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            ExprKind::Btwn(a, b, c, d) | ExprKind::Frame(a, b, c, d) => {
                f(a);
                f(b);
                f(c);
                f(d);
            }
            ExprKind::Set(all)
            | ExprKind::Function(_, all)
            | ExprKind::Predicate(_, all)
            | ExprKind::Call(_, all)
            | ExprKind::Construct(_, all) => all.iter_mut().for_each(f),
        }
    }

    /// Visits it and everything in it.
    pub fn walk<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        f(self);
        self.each_child(&mut |child| child.walk(f));
    }
}

impl Stmt {
    /// Visits all statements in it, itself first.
    pub fn walk<'s>(&'s self, f: &mut dyn FnMut(&'s Stmt)) {
        f(self);
        match &self.kind {
            StmtKind::Block(stmts) | StmtKind::Choose(stmts) => {
                stmts.iter().for_each(|s| s.walk(f));
            }
            StmtKind::If(_, then, otherwise) => {
                then.walk(f);
                if let Some(otherwise) = otherwise {
                    otherwise.walk(f);
                }
            }
            StmtKind::While(_, _, body) => body.walk(f),
            StmtKind::Assert(_, _, Some(proof)) => proof.body.walk(f),
            _ => {}
        }
    }

    /// Visits the expressions of this statement, without those of statements in it.
    pub fn each_expr<'s>(&'s self, f: &mut dyn FnMut(&'s Expr)) {
        let target = |target: &'s Target, f: &mut dyn FnMut(&'s Expr)| match target {
            Target::Local(_) | Target::Global(_) => {}
            Target::Field(_, e) | Target::Cell(e) => f(e),
            Target::Array(a, i) => {
                f(a);
                f(i);
            }
        };
        match &self.kind {
            StmtKind::Block(_) | StmtKind::Choose(_) => {}
            StmtKind::Assign(targets, values) => {
                targets.iter().for_each(|t| target(t, f));
                values.iter().for_each(f);
            }
            StmtKind::Call(targets, _, args) => {
                targets.iter().for_each(|t| target(t, f));
                args.iter().for_each(f);
            }
            StmtKind::Havoc(targets) => targets.iter().for_each(|t| target(t, f)),
            StmtKind::Return(values) => values.iter().for_each(f),
            StmtKind::Free(e) | StmtKind::Assume(_, e) | StmtKind::If(e, ..) => f(e),
            StmtKind::Assert(_, e, proof) => {
                f(e);
                if let Some(proof) = proof {
                    f(&proof.goal);
                }
            }
            StmtKind::While(cond, invariants, _) => {
                f(cond);
                invariants.iter().for_each(|i| f(&i.expr));
            }
        }
    }
}
