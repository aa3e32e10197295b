//! Questions and answers: which procedure decides what.

use crate::formula::{Formula, Kind, Semantics};
use crate::lists::{Entailment, ListLogic, OutOfFragment, Satisfiability};
use crate::model::Model;
use crate::signature::Signature;

/// The answer to a question about models.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// There is one; the evaluator agrees.
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

/// Is there a stack and a heap for which all of these hold? Asking whether one formula entails
/// another is asking this of the first and the negation of the second.
#[must_use]
pub fn decide(signature: &Signature, semantics: Semantics, formulas: &[Formula]) -> Verdict {
    let (positive, negative) = sorted_out(formulas, semantics);
    if positive.is_empty() && negative.is_empty() {
        return Verdict::Sat(Model::default());
    }
    let logic = match ListLogic::new(signature, semantics) {
        Ok(logic) => logic,
        Err(reason) => return Verdict::Unknown(reason.0),
    };
    let positive = Formula::and(positive);
    let answer = match negative.as_slice() {
        [] => logic.satisfiable(&positive).map(|answer| match answer {
            Satisfiability::Sat(model) => Verdict::Sat(model),
            Satisfiability::Unsat => Verdict::Unsat,
        }),
        [negated] => logic.entails(&positive, negated).map(|answer| match answer {
            Entailment::Valid => Verdict::Unsat,
            Entailment::Invalid(model) => Verdict::Sat(model),
        }),
        _ => Err(OutOfFragment("there are several negations".into())),
    };
    answer.unwrap_or_else(|reason| match logic.satisfiable(&positive) {
        // Then it does not matter what the negations are.
        Ok(Satisfiability::Unsat) if !negative.is_empty() => Verdict::Unsat,
        _ => Verdict::Unknown(reason.0),
    })
}

/// Formulas that must hold, and those that must not, for all of these to hold.
#[must_use]
pub fn sorted_out(formulas: &[Formula], semantics: Semantics) -> (Vec<Formula>, Vec<Formula>) {
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    for formula in formulas {
        sort_out(formula, semantics, &mut positive, &mut negative);
    }
    (positive, negative)
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
