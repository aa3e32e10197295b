//! What is asked of a decision procedure, and what it answers.
//!
//! Entailment is the question: [`Procedure::entails`] says that it is valid, with a proof where there
//! is one, or shows a counterexample. An [`Answer`] that is not decided says whether the question is
//! outside of the procedure's fragment or a limit was reached. [`Defs`] are made once and kept: a
//! procedure keeps there what it finds out about definitions. A [`Budget`] says how long a question
//! may take, and counts what it took.

mod answer;
mod budget;
mod defs;
mod reason;

pub use answer::{Answer, Entailment, Inference, Later, NoProof, Proof, Satisfiability};
pub use budget::{Budget, Clock, Meter, Stats};
pub use defs::Defs;
pub use reason::{Limit, ListFault, Reason, SolverFault, Unknown};

use crate::core::{Assertion, Scope};
use crate::formula::{Formula, Kind, Semantics};

/// A decision procedure of separation logic.
///
/// Questions are about [`Assertion`]s over the variables of one [`Scope`]. [`ask`](crate::ask) lowers
/// formulas to them.
pub trait Procedure {
    /// What it is called in statistics.
    fn name(&self) -> &'static str;

    /// Is there a stack and a heap for which this holds?
    fn satisfiable(
        &mut self,
        scope: &Scope,
        assertion: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Satisfiability>;

    /// Is every model of the left assertion one of the right?
    fn entails(
        &mut self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Entailment>;

    /// The frame: some `F` for which `H |= G * F`.
    fn frame(
        &mut self,
        _scope: &Scope,
        _h: &Assertion,
        _g: &Assertion,
        _budget: &mut Budget,
    ) -> Answer<Inference> {
        Answer::OutOfFragment(Reason::InfersNothing)
    }

    /// The anti-frame: some `F` for which `H * F |= G`, and for which `H * F` has models.
    fn abduce(
        &mut self,
        _scope: &Scope,
        _h: &Assertion,
        _g: &Assertion,
        _budget: &mut Budget,
    ) -> Answer<Inference> {
        Answer::OutOfFragment(Reason::InfersNothing)
    }
}

/// What the assertions of a script ask.
#[derive(Clone, PartialEq, Debug)]
pub enum Check {
    /// Whether this has a model.
    Satisfiable(Formula),
    /// Whether the first does not entail the second.
    Entails(Formula, Formula),
}

impl Check {
    /// The question that these assertions are together: those that are negations are the right side.
    #[must_use]
    pub fn of(assertions: &[Formula], semantics: Semantics) -> Check {
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        for assertion in assertions {
            sort_out(assertion, semantics, &mut positive, &mut negative);
        }
        let left = Formula::and(positive);
        if negative.is_empty() {
            Check::Satisfiable(left)
        } else {
            Check::Entails(left, Formula::or(negative))
        }
    }
}

fn sort_out(
    formula: &Formula,
    semantics: Semantics,
    positive: &mut Vec<Formula>,
    negative: &mut Vec<Formula>,
) {
    match formula.kind() {
        // The negation of a pure atom is a pure atom.
        Kind::Not(part) if semantics == Semantics::Standard && part.is_pure_atom() => {
            positive.push(formula.clone());
        }
        Kind::Not(part) => match part.kind() {
            Kind::Not(inner) => sort_out(inner, semantics, positive, negative),
            _ => negative.push(part.clone()),
        },
        Kind::And(parts) => {
            parts.iter().for_each(|part| sort_out(part, semantics, positive, negative));
        }
        _ => positive.push(formula.clone()),
    }
}
