//! Running pieces of symbolic execution on all their paths.

use std::rc::Rc;

use smt::Term;

use crate::config::JoinMode;
use crate::executor::Executor;
use crate::prover::{Outcome, Run, Stop};
use crate::state::State;

/// The end of a path that goes on, together with others.
#[derive(Clone)]
pub(crate) struct Arrival<R> {
    /// What selects the path.
    pub guard: Term,
    pub state: State,
    pub value: R,
}

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

    /// Are the paths of assertions joined here?
    pub fn joins_assertions(&self, state: &State) -> bool {
        // The paths of a package must be known one by one.
        state.mode.join >= JoinMode::Impure && !state.mode.in_trigger && state.reserves.is_empty()
    }

    /// Runs `f` on all its paths and merges the states at their ends. A path whose result is `None`
    /// ended on its own, and so did one with an error. Returns the results of the others.
    pub fn explore_and_merge<R: Clone + 'static>(
        &mut self,
        state: &mut State,
        mut f: impl FnMut(&mut Self, &mut State) -> Run<Option<R>>,
    ) -> Run<Vec<Arrival<R>>> {
        let outcomes = self.explore(state, |this, s| match f(this, s) {
            Ok(Some(value)) => Ok(Ok((s.clone(), value))),
            Ok(None) => Ok(Err(Stop::Ended)),
            Err(stop @ (Stop::Failed | Stop::Ended)) => Ok(Err(stop)),
            Err(stop) => Err(stop),
        })?;
        let arrived = outcomes.iter().filter(|o| o.value.is_ok()).cloned().collect::<Vec<_>>();
        let ended = outcomes.len() - arrived.len();
        if arrived.is_empty() {
            // All of them count as one with that which ends here.
            self.count_paths(ended.saturating_sub(1));
            let failed = outcomes.iter().any(|o| matches!(o.value, Err(Stop::Failed)));
            return Err(if failed { Stop::Failed } else { Stop::Ended });
        }
        self.count_paths(ended);
        if let [only] = arrived.as_slice() {
            self.assume(state, only.guard)?;
        }
        self.learn(state, &arrived)?;
        let arrivals: Vec<Arrival<R>> = arrived.into_iter().filter_map(arrival).collect();
        let ends: Vec<_> = arrivals.iter().map(|a| (a.guard, &a.state)).collect();
        self.merge_states(state, &ends)?;
        Ok(arrivals)
    }
}

fn arrival<R>(outcome: Outcome<Run<(State, R)>>) -> Option<Arrival<R>> {
    let (state, value) = outcome.value.ok()?;
    Some(Arrival { guard: outcome.guard, state, value })
}
