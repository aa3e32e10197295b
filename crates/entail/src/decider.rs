//! The portfolio on a thread of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lists::Lists;
use sl::core::{Assertion, Scope};
use sl::{Answer, Budget, Entailment, Inference, Limit, Procedure, Satisfiability};

use crate::portfolio::{FindSolver, Portfolio};
use crate::worker::Worker;

/// How much longer than the deadline an answer is waited for: procedures end by themselves then.
const GRACE: Duration = Duration::from_millis(150);

/// Decides questions, one after the other. A solver is started by the first question that needs one,
/// and kept for those that follow.
pub struct Decider {
    find_solver: FindSolver,
    worker: Option<Worker<Portfolio>>,
}

impl Decider {
    /// The path of the solver is asked for only when it is needed, and the reason why there is none is
    /// one why an answer is unknown.
    pub fn new(
        find_solver: impl Fn() -> Result<PathBuf, String> + Send + Sync + 'static,
    ) -> Decider {
        Decider { find_solver: Arc::new(find_solver), worker: None }
    }

    /// An answer in time.
    fn ask<T: Send + 'static>(
        &mut self,
        budget: &mut Budget,
        question: impl FnOnce(&mut Portfolio, &mut Budget) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let worker = match self.worker.take() {
            Some(worker) => worker,
            None => {
                let find_solver = self.find_solver.clone();
                match Worker::start(|| Portfolio::new(find_solver)) {
                    Ok(worker) => worker,
                    Err(e) => {
                        return Answer::GaveUp(Limit::Thread(e.to_string()));
                    }
                }
            }
        };
        let until = budget.clock.deadline.and_then(|deadline| deadline.checked_add(GRACE));
        let mut spent = budget.clone();
        let answer = worker.ask(until, move |portfolio| {
            let answer = question(portfolio, &mut spent);
            (answer, spent.stats)
        });
        match answer {
            None => Answer::GaveUp(Limit::Time),
            Some(((answer, stats), worker)) => {
                self.worker = Some(worker);
                budget.stats = stats;
                answer
            }
        }
    }
}

impl Procedure for Decider {
    fn name(&self) -> &'static str {
        "all"
    }

    fn satisfiable(
        &mut self,
        scope: &Scope,
        assertion: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Satisfiability> {
        let (scope, assertion) = (scope.clone(), assertion.clone());
        self.ask(budget, move |portfolio, budget| portfolio.satisfiable(&scope, &assertion, budget))
    }

    /// What is about lists is decided at once, on the thread of the caller: that takes no longer than
    /// waking up another one.
    fn entails(
        &mut self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Entailment> {
        if let answer @ Answer::Decided(_) = Lists.entails(scope, left, right, budget) {
            budget.stats.procedure = Some(Lists.name());
            return answer;
        }
        let (scope, left, right) = (scope.clone(), left.clone(), right.clone());
        self.ask(budget, move |portfolio, budget| portfolio.entails(&scope, &left, &right, budget))
    }

    fn frame(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        let (scope, h, g) = (scope.clone(), h.clone(), g.clone());
        self.ask(budget, move |portfolio, budget| portfolio.frame(&scope, &h, &g, budget))
    }

    fn abduce(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        let (scope, h, g) = (scope.clone(), h.clone(), g.clone());
        self.ask(budget, move |portfolio, budget| portfolio.abduce(&scope, &h, &g, budget))
    }
}

impl Drop for Decider {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.stop();
        }
    }
}
