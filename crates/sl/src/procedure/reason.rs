//! Why there is no answer.

use std::fmt;

use crate::sort::{Name, Sort};

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
    /// There is a negation or a wand below `*`.
    NegationBelowStar,
    /// A variable below a negation is determined by nothing.
    UndeterminedVariable,
    /// There is a term for a whole record.
    WholeRecord,
    /// Locations of this sort hold something that is no record of simple values.
    Content(Name),
    /// The predicate is a list, but not of a kind that is supported.
    List(Name, ListFault),
    /// What is left over is no heap of locations and lists.
    NoListFrame,
    /// This is no sort of locations.
    NoLocations(Sort),
    /// Locations hold more truth values than can be enumerated.
    TruthValues,
    /// A quantifier is below another one, or below `*` or `-*`.
    NestedQuantifier,
    /// Quantifiers have too many instances.
    Instances,
    /// There is arithmetic with a location that is bound by a quantifier or a definition.
    CountedLocation,
    /// The procedure does not look for frames.
    InfersNothing,
}

/// What is wrong with a list, for the procedure on reachability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListFault {
    /// There is more to it than links and data in order.
    MoreThanLinks,
    /// Its first location is not given.
    NoBeginning,
    /// Its end is not given.
    NoEnd,
    /// Its locations are not records of simple values.
    Content,
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
            Reason::NegationBelowStar => f.write_str("there is a negation or a wand below `*`"),
            Reason::UndeterminedVariable => {
                f.write_str("a variable below a negation is determined by nothing")
            }
            Reason::WholeRecord => f.write_str("there is a variable for a whole record"),
            Reason::Content(loc) => {
                write!(f, "the content of `{loc}` is no record of simple values")
            }
            Reason::List(name, fault) => match fault {
                ListFault::MoreThanLinks => {
                    write!(f, "the lists of `{name}` are more than links")
                }
                ListFault::NoBeginning => write!(f, "the lists of `{name}` begin nowhere"),
                ListFault::NoEnd => write!(f, "the lists of `{name}` end nowhere"),
                ListFault::Content => {
                    write!(f, "the locations of `{name}` are not simple records")
                }
            },
            Reason::NoListFrame => f.write_str("the rest is no heap of locations and lists"),
            Reason::NoLocations(sort) => write!(f, "`{sort}` is no sort of locations"),
            Reason::TruthValues => f.write_str("locations hold too many truth values"),
            Reason::NestedQuantifier => f.write_str("a quantifier is below another one or a split"),
            Reason::Instances => f.write_str("quantifiers have too many instances"),
            Reason::CountedLocation => f.write_str(
                "there is arithmetic with a location that is bound by a quantifier or a definition",
            ),
            Reason::InfersNothing => f.write_str("this procedure does not look for frames"),
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
    /// More cases of an entailment than are told apart, or of a frame than are written down.
    Cases,
    /// More lists that may be cyclic than are split into cases.
    CyclicLists,
    /// More splits or extensions of a heap than are tried.
    Splits,
    /// The formula with all splits and extensions is too large.
    FormulaSize,
    /// The addresses of a model or a frame are not known, because they are computed.
    ComputedAddresses,
    /// There is a proof, and the checker of proofs does not accept it, for this reason.
    RejectedProof(String),
    /// The solver has no answer.
    Solver(SolverFault),
    /// No thread was started, for this reason.
    Thread(String),
    /// What several procedures say, one after the other.
    All(Vec<Unknown>),
}

/// Why the solver has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverFault {
    /// There is none, for this reason.
    Missing(String),
    /// It does not know, as it says.
    GaveUp(String),
    /// It failed.
    Failed(String),
    /// Its model could not be read.
    UnreadableModel,
    /// Its model contradicts what it was told.
    WrongModel,
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
            Limit::Cases => f.write_str("there are too many cases"),
            Limit::CyclicLists => f.write_str("there are too many lists that may be cyclic"),
            Limit::Splits => f.write_str("there are too many splits or extensions of the heap"),
            Limit::FormulaSize => {
                f.write_str("the formula has too many splits and extensions to write down")
            }
            Limit::ComputedAddresses => f.write_str("the answer is about computed addresses"),
            Limit::RejectedProof(why) => write!(f, "the proof is not accepted: {why}"),
            Limit::Solver(fault) => match fault {
                SolverFault::Missing(why) | SolverFault::Failed(why) => f.write_str(why),
                SolverFault::GaveUp(why) => write!(f, "the solver gave up: {why}"),
                SolverFault::UnreadableModel => f.write_str("the solver's model could not be read"),
                SolverFault::WrongModel => {
                    f.write_str("the solver's model contradicts what it was told")
                }
            },
            Limit::Thread(why) => write!(f, "no thread was started: {why}"),
            Limit::All(all) => {
                for (place, unknown) in all.iter().enumerate() {
                    write!(f, "{}{unknown}", if place == 0 { "" } else { "; and " })?;
                }
                Ok(())
            }
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
