//! Running pieces of symbolic execution on all their paths.

use std::rc::Rc;

use crate::executor::Executor;
use crate::prover::{Outcome, Run, Stop};
use crate::state::State;

impl Executor<'_> {
    /// Runs `f` on all its paths, each from a copy of `state`, and returns their results. No results
    /// at all means that the path is infeasible.
    pub fn explore<R: Clone + 'static>(
        &mut self,
        state: &mut State,
        mut f: impl FnMut(&mut Self, &mut State) -> Run<R>,
    ) -> Run<Rc<Vec<Outcome<R>>>> {
        if let Some(explored) = self.replay_explored(state) {
            return explored;
        }
        let exploration = self.begin_exploration()?;
        let mut outcomes: Vec<Outcome<R>> = Vec::new();
        let (mut failed, mut ended, mut aborted) = (false, false, false);
        loop {
            let mut local = state.clone();
            local.enter_level(state);
            match f(self, &mut local) {
                Ok(value) => outcomes.push(self.outcome(&exploration, value)),
                Err(Stop::Infeasible) => {}
                Err(Stop::Failed) => failed = true,
                Err(Stop::Ended) => ended = true,
                Err(Stop::Abort) => aborted = true,
            }
            if aborted || self.enough_errors() || !self.next_path(&exploration) {
                break;
            }
        }
        self.end_exploration(state, exploration);
        if aborted {
            return Err(Stop::Abort);
        }
        if failed || self.enough_errors() {
            return Err(Stop::Failed);
        }
        if ended {
            return Err(Stop::Ended);
        }
        self.record_explored(outcomes)
    }

    /// Runs `f`, whose result must not rest on an assumption that could not be proved: after an error
    /// there is none.
    pub fn without_errors<R>(&mut self, f: impl FnOnce(&mut Self) -> Run<R>) -> Run<R> {
        let before = self.diagnostics.counted();
        let result = f(self);
        match result {
            Ok(_) | Err(Stop::Infeasible | Stop::Ended) if self.diagnostics.counted() > before => {
                Err(Stop::Failed)
            }
            result => result,
        }
    }

    /// Runs `f` on all its paths for nothing but its checks: what does not make sense is used no
    /// further.
    pub fn check_wellformed(
        &mut self,
        state: &mut State,
        f: impl FnMut(&mut Self, &mut State) -> Run<()>,
    ) -> Run<()> {
        match self.without_errors(|this| this.explore(state, f)) {
            Ok(_) | Err(Stop::Infeasible) => Ok(()),
            Err(stop) => Err(stop),
        }
    }
}
