//! Declarations.

use std::sync::Arc;

use report::Pos;

use super::{Block, DomainFunctionId, DomainId, Expr, FunctionId, Info, Type};
use crate::ast::Name;

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
    /// The function whose termination it proves, if that is what it was made for.
    pub proof_of: Option<FunctionId>,
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
    /// Did nobody write it?
    made_up: bool,
}

impl Local {
    /// A variable of the user's.
    #[must_use]
    pub fn new(name: impl Into<Name>, ty: Type, pos: Pos) -> Local {
        Local { name: name.into(), ty, pos, made_up: false }
    }

    /// A variable that a phase needs and nobody wrote. Its value is not shown to the user, who knows of no
    /// such variable.
    #[must_use]
    pub fn made_up(name: impl Into<Name>, ty: Type, pos: Pos) -> Local {
        Local { name: name.into(), ty, pos, made_up: true }
    }

    /// Does the user know it?
    #[must_use]
    pub fn is_written(&self) -> bool {
        !self.made_up
    }
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
