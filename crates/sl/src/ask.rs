//! Questions about formulas: they are lowered to the core, and answers come back as formulas.

use crate::core::{Assertion, Scope};
use crate::procedure::{
    Answer, Budget, Check, Defs, Entailment, Inference, Procedure, Satisfiability,
};
use crate::{Formula, Semantics, Signature};

/// Two formulas, lowered. Variables are numbered in the order of their names, so that answers do not
/// depend on the order of questions.
#[must_use]
pub fn lowered(defs: &Defs, left: &Formula, right: &Formula) -> (Scope, Assertion, Assertion) {
    let mut scope = Scope::new(defs);
    let mut free = left.free_vars();
    free.extend(right.free_vars());
    for var in free {
        if let Some(sort) = scope.sort_id(&var.sort) {
            scope.declare(var.name, sort);
        }
    }
    let (left, right) = (scope.lower(left), scope.lower(right));
    (scope, left, right)
}

/// Is there a stack and a heap for which this holds?
pub fn satisfiable(
    procedure: &mut (impl Procedure + ?Sized),
    defs: &Defs,
    formula: &Formula,
    budget: &mut Budget,
) -> Answer<Satisfiability> {
    let mut scope = Scope::new(defs);
    let assertion = scope.lower(formula);
    procedure.satisfiable(&scope, &assertion, budget)
}

/// Is every model of the left formula one of the right?
pub fn entails(
    procedure: &mut (impl Procedure + ?Sized),
    defs: &Defs,
    left: &Formula,
    right: &Formula,
    budget: &mut Budget,
) -> Answer<Entailment> {
    let (scope, left, right) = lowered(defs, left, right);
    procedure.entails(&scope, &left, &right, budget)
}

/// The frame: some `F` for which `H |= G * F`.
pub fn frame(
    procedure: &mut (impl Procedure + ?Sized),
    defs: &Defs,
    h: &Formula,
    g: &Formula,
    budget: &mut Budget,
) -> Answer<Inference<Formula>> {
    let (scope, h, g) = lowered(defs, h, g);
    procedure.frame(&scope, &h, &g, budget).and_then(|inference| raised(&scope, inference))
}

/// The anti-frame: some `F` for which `H * F |= G`, and for which `H * F` has models.
pub fn abduce(
    procedure: &mut (impl Procedure + ?Sized),
    defs: &Defs,
    h: &Formula,
    g: &Formula,
    budget: &mut Budget,
) -> Answer<Inference<Formula>> {
    let (scope, h, g) = lowered(defs, h, g);
    procedure.abduce(&scope, &h, &g, budget).and_then(|inference| raised(&scope, inference))
}

/// The same inference as a formula.
pub fn raised(scope: &Scope, inference: Inference) -> Answer<Inference<Formula>> {
    match inference {
        Inference::Found(assertion, proof) => match assertion.formula(scope) {
            Ok(formula) => Answer::Decided(Inference::Found(formula, proof)),
            Err(reason) => Answer::OutOfFragment(reason),
        },
        Inference::Nothing(model) => Answer::Decided(Inference::Nothing(model)),
    }
}

/// Is there a model of all of these, as `(check-sat)` asks? If some of them are negations, this is an
/// entailment, and is asked as one.
pub fn check_sat(
    procedure: &mut (impl Procedure + ?Sized),
    defs: &Defs,
    assertions: &[Formula],
    budget: &mut Budget,
) -> Answer<Satisfiability> {
    match Check::of(assertions, defs.semantics()) {
        Check::Satisfiable(formula) => satisfiable(procedure, defs, &formula, budget),
        Check::Entails(left, right) => {
            entails(procedure, defs, &left, &right, budget).counterexample()
        }
    }
}

/// Questions with definitions that nobody needs afterwards, and no limits.
pub mod once {
    use super::{
        Answer, Budget, Defs, Entailment, Formula, Procedure, Satisfiability, Semantics, Signature,
    };

    /// Is there a model of all of these?
    pub fn check_sat(
        procedure: &mut (impl Procedure + ?Sized),
        signature: &Signature,
        semantics: Semantics,
        assertions: &[Formula],
    ) -> Answer<Satisfiability> {
        let defs = Defs::new(signature.clone(), semantics);
        super::check_sat(procedure, &defs, assertions, &mut Budget::default())
    }

    /// Is every model of the left formula one of the right?
    pub fn entails(
        procedure: &mut (impl Procedure + ?Sized),
        signature: &Signature,
        semantics: Semantics,
        left: &Formula,
        right: &Formula,
    ) -> Answer<Entailment> {
        let defs = Defs::new(signature.clone(), semantics);
        super::entails(procedure, &defs, left, right, &mut Budget::default())
    }
}
