//! Answers, and why there is none.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::core::{Assertion, Scope};
use crate::formula::Formula;
use crate::model::Model;
use crate::proof::Derivation;
use crate::sort::{Name, Sort};

/// An answer, or why there is none.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer<T> {
    /// This is so.
    Decided(T),
    /// The question is not one for this procedure.
    OutOfFragment(Reason),
    /// It is, but a limit was reached.
    GaveUp(Limit),
}

/// The answer to "is there a model?".
#[derive(Clone, PartialEq, Debug)]
pub enum Satisfiability {
    /// This one; the evaluator agrees.
    Sat(Model),
    /// There is none.
    Unsat,
}

/// The answer to "is every model of this one of that?".
#[derive(Clone, PartialEq, Debug)]
pub enum Entailment {
    /// Yes, and this is why.
    Valid(Proof),
    /// This is a model of the first and not of the second; the evaluator agrees.
    Invalid(Model),
}

/// The answer to a question for a frame or an anti-frame.
#[derive(Clone, PartialEq, Debug)]
pub enum Inference<F = Assertion> {
    /// This one; the entailment was checked.
    Found(F),
    /// There is none. For frames: here is a model of the first formula no part of which is one of the
    /// second.
    Nothing(Option<Model>),
}

impl Inference<Formula> {
    /// The same as an assertion. Frames mention no variables that the question does not, so the scope
    /// has them all.
    #[must_use]
    pub fn lowered(self, scope: &Scope) -> Inference {
        match self {
            Inference::Found(formula) => Inference::Found(scope.clone().lower(&formula)),
            Inference::Nothing(model) => Inference::Nothing(model),
        }
    }
}

/// Why an entailment is valid.
#[derive(Clone, PartialEq, Debug)]
pub enum Proof {
    /// One for each disjunct of the left side.
    Derivations(Arc<Vec<Derivation>>),
    /// The same, written down when somebody wants to see them.
    Later(Later),
    /// There is nothing to look at.
    None(NoProof),
}

/// Proofs that are written down when somebody wants to see them: a procedure that is fast repeats its
/// search.
#[derive(Clone)]
pub struct Later(Arc<dyn Fn() -> Option<Vec<Derivation>> + Send + Sync>);

impl Later {
    /// Proofs that this makes; nothing if they have no such form after all.
    pub fn new(make: impl Fn() -> Option<Vec<Derivation>> + Send + Sync + 'static) -> Later {
        Later(Arc::new(make))
    }
}

impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Later")
    }
}

impl PartialEq for Later {
    fn eq(&self, other: &Later) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Proof {
    /// A derivation for each disjunct of the left side.
    ///
    /// # Errors
    /// If there are none, with the reason.
    pub fn derivations(&self) -> Result<Arc<Vec<Derivation>>, NoProof> {
        match self {
            Proof::Derivations(all) => Ok(all.clone()),
            Proof::Later(later) => (later.0)().map(Arc::new).ok_or(NoProof::NotRecorded),
            Proof::None(why) => Err(*why),
        }
    }
}

/// Why there is no proof to look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoProof {
    /// A solver says that there is no counterexample.
    Solver,
    /// The procedure says so without one.
    NotRecorded,
}

impl fmt::Display for NoProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoProof::Solver => "a solver found no counterexample, and gives no proof",
            NoProof::NotRecorded => "the proof was not written down",
        })
    }
}

/// Why a question is not one for a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A formula that is to hold is no disjunction of symbolic heaps.
    NoSymbolicHeap,
    /// The right side of an entailment is none.
    NoSymbolicHeapOnTheRight,
    /// A definition is none.
    NoSymbolicHeapInDefinition,
    /// A definition leaves a part of the heap open.
    OpenDefinition,
    /// There is a disjunction.
    Disjunction,
    /// There is a negation of more than pure atoms.
    Negation,
    /// There is a wand.
    Wand,
    /// There is a universal quantifier.
    Forall,
    /// There is an existential variable on the right side.
    ExistentialOnTheRight,
    /// There is arithmetic.
    Arithmetic,
    /// A product of variables.
    Nonlinear,
    /// A number does not fit.
    NumberTooLarge,
    /// There is data of this sort.
    Data(Sort),
    /// There are values that are neither locations nor integers.
    OtherValues,
    /// Locations have several fields.
    SeveralFields,
    /// No location has just one field that is a location.
    NoLinks,
    /// The predicate has no definition.
    Undefined(Name),
    /// A definition mentions a variable of the stack.
    OpenVariable,
    /// The predicate is no acyclic list segment.
    NoSegment(Name),
    /// The predicate is no list.
    NoList(Name),
    /// The predicate is inductive.
    Inductive(Name),
    /// The predicate has two definitions.
    DefinedTwice(Name),
    /// A variable, an atom or an instance has not the sorts that it should have.
    IllSorted,
    /// There is no such instance, or its definition has no such case.
    NoSuchInstance,
    /// The procedure does not look for frames.
    InfersNothing,
    /// Something else, in a sentence.
    Unsupported(Cow<'static, str>),
}

impl Reason {
    /// Something that has no name of its own here.
    pub fn unsupported(what: impl Into<Cow<'static, str>>) -> Reason {
        Reason::Unsupported(what.into())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoSymbolicHeap => {
                f.write_str("the formula is no disjunction of symbolic heaps")
            }
            Reason::NoSymbolicHeapOnTheRight => {
                f.write_str("what is negated is no disjunction of symbolic heaps")
            }
            Reason::NoSymbolicHeapInDefinition => {
                f.write_str("a definition is no disjunction of symbolic heaps")
            }
            Reason::OpenDefinition => {
                f.write_str("a definition says nothing of a part of the heap")
            }
            Reason::Disjunction => f.write_str("there is a disjunction"),
            Reason::Negation => f.write_str("there is a negation"),
            Reason::Wand => f.write_str("there is a wand"),
            Reason::Forall => f.write_str("there is a universal quantifier"),
            Reason::ExistentialOnTheRight => {
                f.write_str("there is an existential variable on the right")
            }
            Reason::Arithmetic => f.write_str("there is arithmetic in it"),
            Reason::Nonlinear => f.write_str("a product is not linear"),
            Reason::NumberTooLarge => f.write_str("a number is too large"),
            Reason::Data(sort) => write!(f, "there is data of sort `{sort}`"),
            Reason::OtherValues => {
                f.write_str("there are variables that are neither locations nor integers")
            }
            Reason::SeveralFields => f.write_str("locations have several fields"),
            Reason::NoLinks => f.write_str("no location has just one field that is a location"),
            Reason::Undefined(name) => write!(f, "`{name}` is not defined"),
            Reason::OpenVariable => f.write_str("a definition mentions a stack variable"),
            Reason::NoSegment(name) => write!(f, "`{name}` is not an acyclic list segment"),
            Reason::NoList(name) => write!(f, "`{name}` is no list"),
            Reason::Inductive(name) => write!(f, "`{name}` is an inductive predicate"),
            Reason::DefinedTwice(name) => write!(f, "`{name}` is defined twice"),
            Reason::IllSorted => f.write_str("the formula is not well-sorted"),
            Reason::NoSuchInstance => f.write_str("there is no such instance of a predicate"),
            Reason::InfersNothing => f.write_str("this procedure does not look for frames"),
            Reason::Unsupported(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Reason {}

/// Why a procedure gave up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The deadline has passed.
    Time,
    /// Nobody wants an answer any more.
    Cancelled,
    /// So many steps were made.
    Steps,
    /// A model was found, and the evaluator did not confirm it.
    Unconfirmed,
    /// There is a model, which is too large to be written down.
    ModelSize,
    /// No model was found among the small ones.
    NoSmallModel,
    /// Neither a proof nor a counterexample was found.
    NeitherProofNorModel,
    /// No frame of a form that is looked for is right.
    NoFrame,
    /// No anti-frame of a form that is looked for is right.
    NoAntiFrame,
    /// More addresses than this.
    Addresses(usize),
    /// The solver does not know, or there is none.
    Solver(String),
    /// The reasons of several procedures, one after the other.
    All(Vec<String>),
    /// Something else, in a sentence.
    Other(Cow<'static, str>),
}

impl Limit {
    /// Something that has no name of its own here.
    pub fn other(what: impl Into<Cow<'static, str>>) -> Limit {
        Limit::Other(what.into())
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Time => f.write_str("the time is over"),
            Limit::Cancelled => f.write_str("the question was taken back"),
            Limit::Steps => f.write_str("it took too many steps"),
            Limit::Unconfirmed => f.write_str("the model that was found could not be confirmed"),
            Limit::ModelSize => f.write_str("the model is too large"),
            Limit::NoSmallModel => f.write_str("there was no model among the small ones"),
            Limit::NeitherProofNorModel => {
                f.write_str("neither a proof nor a counterexample was found")
            }
            Limit::NoFrame => f.write_str("no frame of this form is right"),
            Limit::NoAntiFrame => f.write_str("no anti-frame of this form is right"),
            Limit::Addresses(most) => write!(f, "there are more than {most} addresses"),
            Limit::Solver(what) => f.write_str(what),
            Limit::All(reasons) => f.write_str(&reasons.join("; and ")),
            Limit::Other(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Limit {}

/// Why there is no answer, for those who are on the way to one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// See [`Answer::OutOfFragment`].
    OutOfFragment(Reason),
    /// See [`Answer::GaveUp`].
    GaveUp(Limit),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::OutOfFragment(reason) => reason.fmt(f),
            Unknown::GaveUp(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for Unknown {}

impl From<Reason> for Unknown {
    fn from(reason: Reason) -> Unknown {
        Unknown::OutOfFragment(reason)
    }
}

impl From<Limit> for Unknown {
    fn from(limit: Limit) -> Unknown {
        Unknown::GaveUp(limit)
    }
}

impl<T> From<Result<T, Unknown>> for Answer<T> {
    fn from(result: Result<T, Unknown>) -> Answer<T> {
        match result {
            Ok(answer) => Answer::Decided(answer),
            Err(Unknown::OutOfFragment(reason)) => Answer::OutOfFragment(reason),
            Err(Unknown::GaveUp(limit)) => Answer::GaveUp(limit),
        }
    }
}

impl<T> Answer<T> {
    /// The answer, or why there is none.
    ///
    /// # Errors
    /// If it was not decided.
    pub fn result(self) -> Result<T, Unknown> {
        match self {
            Answer::Decided(answer) => Ok(answer),
            Answer::OutOfFragment(reason) => Err(reason.into()),
            Answer::GaveUp(limit) => Err(limit.into()),
        }
    }

    /// The answer, if there is one.
    pub fn decided(self) -> Option<T> {
        match self {
            Answer::Decided(answer) => Some(answer),
            Answer::OutOfFragment(_) | Answer::GaveUp(_) => None,
        }
    }

    /// Why there is none, if there is none.
    #[must_use]
    pub fn why_not(&self) -> Option<String> {
        match self {
            Answer::Decided(_) => None,
            Answer::OutOfFragment(reason) => Some(reason.to_string()),
            Answer::GaveUp(limit) => Some(limit.to_string()),
        }
    }

    /// Another answer for what was decided.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Answer<U> {
        self.and_then(|answer| Answer::Decided(f(answer)))
    }

    /// Another question if this was decided.
    pub fn and_then<U>(self, f: impl FnOnce(T) -> Answer<U>) -> Answer<U> {
        match self {
            Answer::Decided(answer) => f(answer),
            Answer::OutOfFragment(reason) => Answer::OutOfFragment(reason),
            Answer::GaveUp(limit) => Answer::GaveUp(limit),
        }
    }
}

impl Answer<Satisfiability> {
    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Answer::Decided(Satisfiability::Sat(_)) => "sat",
            Answer::Decided(Satisfiability::Unsat) => "unsat",
            Answer::OutOfFragment(_) | Answer::GaveUp(_) => "unknown",
        }
    }
}

impl Answer<Entailment> {
    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Answer::Decided(Entailment::Valid(_)) => "valid",
            Answer::Decided(Entailment::Invalid(_)) => "invalid",
            Answer::OutOfFragment(_) | Answer::GaveUp(_) => "unknown",
        }
    }

    /// Is it certainly valid?
    #[must_use]
    pub fn is_valid(&self) -> bool {
        matches!(self, Answer::Decided(Entailment::Valid(_)))
    }
}

/// What `(check-sat)` says.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// There is a model; the evaluator agrees.
    Sat(Model),
    /// There is none.
    Unsat,
    /// Nobody knows, and this is why.
    Unknown(String),
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::Sat(_) => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

impl From<Answer<Satisfiability>> for Verdict {
    fn from(answer: Answer<Satisfiability>) -> Verdict {
        match answer {
            Answer::Decided(Satisfiability::Sat(model)) => Verdict::Sat(model),
            Answer::Decided(Satisfiability::Unsat) => Verdict::Unsat,
            Answer::OutOfFragment(reason) => Verdict::Unknown(reason.to_string()),
            Answer::GaveUp(limit) => Verdict::Unknown(limit.to_string()),
        }
    }
}

/// An entailment is valid if there is no counterexample.
impl From<Answer<Entailment>> for Verdict {
    fn from(answer: Answer<Entailment>) -> Verdict {
        match answer {
            Answer::Decided(Entailment::Invalid(model)) => Verdict::Sat(model),
            Answer::Decided(Entailment::Valid(_)) => Verdict::Unsat,
            Answer::OutOfFragment(reason) => Verdict::Unknown(reason.to_string()),
            Answer::GaveUp(limit) => Verdict::Unknown(limit.to_string()),
        }
    }
}
