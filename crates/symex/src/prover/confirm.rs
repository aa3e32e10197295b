//! Failures that do not depend on who was asked, and what was asked before.
//!
//! A solver that has worked before may not find a proof that another finds, nor one that does not know all
//! axioms, and the native prover finds fewer. What is reported must not depend on that. So before the first
//! error of a unit, the goal is put to a solver that knows everything and has answered nothing, and that one
//! goes on. If it finds a proof or gives up, or if it is not known which goal decided, the unit is verified again: so
//! where questions were answered natively, since there the state itself may be another one.

use smt::{Answer, Term};

use super::{BASE, Prover, Run, Stop};
use crate::stats::Purpose;

/// Does a failure have to be confirmed?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confirmation {
    /// The solver knows everything, and began with this unit.
    NotNeeded,
    /// Before the first error.
    Due,
    /// It was.
    Done,
}

impl Prover<'_> {
    /// From now on failures have to be confirmed.
    pub fn require_confirmation(&mut self) {
        self.confirmation = Confirmation::Due;
    }

    pub fn confirmation(&self) -> Confirmation {
        self.confirmation
    }

    /// Before an error is reported: would a solver that begins here see it, too? If the goal whose proof
    /// failed is not the last one that was asked thoroughly, as `decided` says, or if it is proved now,
    /// the unit ends here, and is verified again.
    pub fn confirm_failure(&mut self, decided: bool) -> Run<()> {
        // Without doubts, each question that was not proved has a countermodel.
        if self.confirmation != Confirmation::Due || self.stats.doubts == 0 || self.log.replaying()
        {
            return Ok(());
        }
        if !decided || self.gave_up || self.stats.by_purpose.native() > 0 {
            return Err(Stop::Abort);
        }
        self.flush_symbols()?;
        self.session.refresh_with_all(BASE);
        if let Some(goal) = self.failed
            && !self.fails_anew(goal)?
        {
            return Err(Stop::Abort);
        }
        self.confirmation = Confirmation::Done;
        Ok(())
    }

    /// Is a goal not proved, by a solver that tries everything it can?
    fn fails_anew(&mut self, goal: Term) -> Run<bool> {
        match self.ask_solver(Purpose::Retry, goal, self.limits.thorough) {
            Ok(answer) => Ok(answer != Answer::Unsat && !answer.gave_up()),
            Err(error) => self.abort(&error),
        }
    }
}
