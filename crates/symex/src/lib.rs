//! Symbolic execution of Viper programs.
//!
//! [`verify`] takes a desugared core program and says, member by member, what could not be proved.
//! It has no global state: front ends in Rust call it as they like, from as many threads as they
//! like, and stop it with a [`Cancel`].

mod advice;
mod callgraph;
mod cfg;
mod check;
mod config;
mod consume;
mod counterexample;
mod diagnostics;
mod encoding;
mod eval;
mod exec;
mod executor;
mod explore;
mod functions;
mod heap;
mod instances;
mod plan;
mod pool;
mod produce;
mod prover;
mod state;
mod stats;
mod syntax;
mod transfer;
mod unit;
mod verdict;
mod verification;
mod wands;

pub use config::{Ablation, Cancel, Config, ExhaleMode, JoinMode};
pub use pool::{Programs, verify_all};
pub use stats::{Purpose, Stats, Tallies, Tally};
pub use verdict::{
    Counterexample, Failure, Held, Member, MemberKind, Observer, Quantified, Quiet, Trouble,
    Verdict,
};

pub use verification::Verification;

use std::sync::{Mutex, PoisonError};

use viper::core::Program;

/// Verifies a program that is desugared ([`Program::is_desugared`]).
///
/// The verdict does not depend on `config.jobs`, nor on members that a member does not use. To verify
/// several programs with the same workers there is [`verify_all`].
#[must_use]
pub fn verify(program: &Program, config: &Config, observer: &dyn Observer) -> Verdict {
    let one = One { program, config, observer, verdict: Mutex::default() };
    verify_all(&one, config.jobs);
    one.verdict.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_default()
}

/// The names of the members of a program that have verdicts, in source order.
#[must_use]
pub fn member_names(program: &Program) -> Vec<&str> {
    let plan = plan::Plan::new(program, &Config::new(""));
    plan.members.iter().map(|key| plan::describe(program, *key).0).collect()
}

/// A single program.
struct One<'a> {
    program: &'a Program,
    config: &'a Config,
    observer: &'a dyn Observer,
    verdict: Mutex<Option<Verdict>>,
}

impl<'a> Programs<'a> for One<'a> {
    fn count(&self) -> usize {
        1
    }

    fn open(&self, _: usize) -> Option<Verification<'a>> {
        let verification = Verification::new(self.program, self.config);
        self.observer.started(verification.members());
        Some(verification)
    }

    fn finished(&self, _: usize, _: usize, member: &Member) {
        self.observer.finished(member);
    }

    fn closed(&self, _: usize, verdict: Verdict) {
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
    }

    // One that was cancelled has a verdict, too.
    fn stopped(&self) -> bool {
        false
    }
}
