//! Trying something without leaving a trace.

use std::time::Instant;

use smt::{Limits, Proposal, SolverError, Term};

use super::path::Log;
use super::{Prover, QueryLimits};
use crate::stats::Purpose;
use crate::verdict::Trouble;

/// What was there before something was tried.
pub(crate) struct Aside {
    log: Log,
    trail: usize,
    undecided: bool,
    gave_up: bool,
    trouble: Option<Trouble>,
    thorough: Limits,
    depth: usize,
}

impl Prover<'_> {
    /// From here on things are only tried, with so much work for each question.
    pub fn begin_aside(&mut self, work: u64) -> Aside {
        let aside = Aside {
            log: std::mem::take(&mut self.log),
            trail: self.trail.len(),
            undecided: self.undecided,
            gave_up: self.gave_up,
            trouble: self.trouble.take(),
            thorough: self.limits.thorough,
            depth: self.session.depth(),
        };
        let QueryLimits { thorough, quick } = &mut self.limits;
        *thorough = Limits { rlimit: Some(work), ..*quick };
        self.session.push();
        self.aside = true;
        aside
    }

    /// All is as it was before.
    pub fn end_aside(&mut self, before: Aside) {
        self.aside = false;
        self.session.pop_to(before.depth);
        self.limits.thorough = before.thorough;
        self.trail.truncate(before.trail);
        (self.undecided, self.gave_up) = (before.undecided, before.gave_up);
        (self.trouble, self.log) = (before.trouble, before.log);
    }

    /// Is something only tried?
    pub fn is_aside(&self) -> bool {
        self.aside
    }

    /// Did the solver give up on the last question that it did not answer? Says so once.
    pub fn take_undecided(&mut self) -> bool {
        std::mem::take(&mut self.undecided)
    }

    /// How long a proof may take.
    pub fn timeout(&self) -> std::time::Duration {
        self.limits.thorough.timeout
    }

    /// A model in which all that is known holds, and constraints do, and a goal does not.
    pub fn model(
        &mut self,
        constraints: &[Term],
        goal: Term,
        limits: Limits,
        pins: &[Term],
    ) -> Result<Option<Proposal>, SolverError> {
        self.session.push();
        for constraint in constraints {
            self.session.assert(&self.encoding.terms, *constraint);
        }
        let start = Instant::now();
        let found = self.session.prove_with_model(&mut self.encoding.terms, goal, limits, pins);
        let tally = &mut self.stats.by_purpose[Purpose::Counterexample];
        match &found {
            Ok(Some(_)) => tally.refuted += 1,
            Ok(None) => tally.unknown += 1,
            Err(_) => {}
        }
        tally.time += start.elapsed();
        self.session.pop();
        found
    }
}
