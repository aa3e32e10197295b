//! The procedure as others see it.

use sl::core::{Assertion, Scope};
use sl::procedure::{NoProof, Unknown};
use sl::{
    Answer, Budget, Defs, Entailment, Formula, Inference, Model, Procedure, Proof, Satisfiability,
};

use crate::solve::Solver;

impl Procedure for Solver {
    fn name(&self) -> &'static str {
        "grass"
    }

    fn satisfiable(
        &mut self,
        scope: &Scope,
        assertion: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Satisfiability> {
        let defs = scope.defs();
        self.within(budget, |solver| {
            solver.model(defs.signature(), defs.semantics(), &[assertion.formula(scope)?])
        })
    }

    fn entails(
        &mut self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Entailment> {
        let found = self.within(budget, |solver| {
            let (left, right) = (left.formula(scope)?, right.formula(scope)?);
            solver.counterexample_by_solver(scope.defs(), &left, &right)
        });
        found.map(|counterexample| match counterexample {
            None => Entailment::Valid(Proof::None(NoProof::Solver)),
            Some(model) => Entailment::Invalid(model),
        })
    }

    fn frame(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        let found = self.within(budget, |solver| {
            solver.find_frame(scope.defs(), &h.formula(scope)?, &g.formula(scope)?)
        });
        found.map(|inference| inference.lowered(scope))
    }

    fn abduce(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        let found = self.within(budget, |solver| {
            solver.find_anti_frame(scope.defs(), &h.formula(scope)?, &g.formula(scope)?)
        });
        found.map(|inference| inference.lowered(scope))
    }
}

impl Solver {
    /// A model of the left side that is none of the right, if there is one. A solver proves that
    /// something has no model, so this is what it is asked.
    pub(crate) fn counterexample_by_solver(
        &mut self,
        defs: &Defs,
        left: &Formula,
        right: &Formula,
    ) -> Result<Option<Model>, Unknown> {
        let formulas = [left.clone(), Formula::negation(right.clone())];
        match self.model(defs.signature(), defs.semantics(), &formulas)? {
            Satisfiability::Sat(model) => Ok(Some(model)),
            Satisfiability::Unsat => Ok(None),
        }
    }
}
