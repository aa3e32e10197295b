//! The procedure as others see it.

use sl::core::{Assertion, Form, Scope};
use sl::procedure::{NoProof, Unknown};
use sl::{Answer, Budget, Entailment, Inference, Model, Procedure, Proof, Satisfiability};

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
        self.within(budget, |solver| solver.model(scope, &[assertion.form(scope)?]))
    }

    fn entails(
        &mut self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Entailment> {
        let found = self.within(budget, |solver| {
            let (left, right) = (left.form(scope)?, right.form(scope)?);
            solver.counterexample_by_solver(scope, &left, &right)
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
        let found = self
            .within(budget, |solver| solver.find_frame(scope, &h.form(scope)?, &g.form(scope)?));
        found.map(|inference| inference.map(|form| scope.assertion(form)))
    }

    fn abduce(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        let found = self.within(budget, |solver| {
            solver.find_anti_frame(scope, &h.form(scope)?, &g.form(scope)?)
        });
        found.map(|inference| inference.map(|form| scope.assertion(form)))
    }
}

impl Solver {
    /// A model of the left side that is none of the right, if there is one. A solver proves that
    /// something has no model, so this is what it is asked.
    pub(crate) fn counterexample_by_solver(
        &mut self,
        scope: &Scope,
        left: &Form,
        right: &Form,
    ) -> Result<Option<Model>, Unknown> {
        match self.model(scope, &[left.clone(), Form::negation(right.clone())])? {
            Satisfiability::Sat(model) => Ok(Some(model)),
            Satisfiability::Unsat(_) => Ok(None),
        }
    }
}
