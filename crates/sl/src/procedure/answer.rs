//! Answers, and why there is none.

use std::fmt;
use std::sync::Arc;

use super::{Limit, Reason, Unknown};
use crate::core::{Assertion, Scope};
use crate::formula::Formula;
use crate::model::Model;
use crate::proof::Derivation;

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
    /// There is none, and this is why: a proof that `false` is entailed, or that there is no
    /// counterexample if one was asked for.
    Unsat(Proof),
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
    /// This one, and why it is one: the entailment that makes it a frame or an anti-frame.
    Found(F, Proof),
    /// There is none. For frames: here is a model of the first formula no part of which is one of the
    /// second.
    Nothing(Option<Model>),
}

impl<F> Inference<F> {
    /// The same for another form of what was found.
    pub fn map<G>(self, f: impl FnOnce(F) -> G) -> Inference<G> {
        match self {
            Inference::Found(found, proof) => Inference::Found(f(found), proof),
            Inference::Nothing(model) => Inference::Nothing(model),
        }
    }
}

impl Inference<Formula> {
    /// The same as an assertion. Frames mention no variables that the question does not, so the scope
    /// has them all.
    #[must_use]
    pub fn lowered(self, scope: &Scope) -> Inference {
        self.map(|formula| scope.clone().lower(&formula))
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
pub struct Later {
    make: Arc<dyn Fn() -> Option<Vec<Derivation>> + Send + Sync>,
    /// Why there is none if nothing is made.
    otherwise: NoProof,
}

impl Later {
    /// Proofs that this makes; nothing if they have no such form after all.
    pub fn new(make: impl Fn() -> Option<Vec<Derivation>> + Send + Sync + 'static) -> Later {
        Later { make: Arc::new(make), otherwise: NoProof::NotRecorded }
    }

    /// The same with another reason why there may be none.
    #[must_use]
    pub fn or_else(self, otherwise: NoProof) -> Later {
        Later { otherwise, ..self }
    }
}

impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Later")
    }
}

/// Closures cannot be compared: those that are shared are equal.
impl PartialEq for Later {
    fn eq(&self, other: &Later) -> bool {
        Arc::ptr_eq(&self.make, &other.make)
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
            Proof::Later(later) => (later.make)().map(Arc::new).ok_or(later.otherwise),
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
            Answer::Decided(Satisfiability::Unsat(_)) => "unsat",
            Answer::OutOfFragment(_) | Answer::GaveUp(_) => "unknown",
        }
    }
}

impl Answer<Satisfiability> {
    /// The model, if there is one.
    #[must_use]
    pub fn model(&self) -> Option<&Model> {
        match self {
            Answer::Decided(Satisfiability::Sat(model)) => Some(model),
            _ => None,
        }
    }

    /// Is there certainly none?
    #[must_use]
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Decided(Satisfiability::Unsat(_)))
    }
}

impl Answer<Entailment> {
    /// The answer to whether there is a counterexample.
    #[must_use]
    pub fn counterexample(self) -> Answer<Satisfiability> {
        self.map(|entailment| match entailment {
            Entailment::Invalid(model) => Satisfiability::Sat(model),
            Entailment::Valid(proof) => Satisfiability::Unsat(proof),
        })
    }

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
