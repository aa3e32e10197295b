//! What a session is told, and what it says.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How a session talks to its solver.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program to run.
    pub solver: PathBuf,
    /// Options, set in this order before anything else: `("smt.mbqi", "false")`.
    pub options: Vec<(String, String)>,
    /// What a question may take if it does not say so itself.
    pub limits: Limits,
    /// The whole session ends here: with [`SolverError::OutOfTime`].
    pub deadline: Option<Instant>,
    /// Whoever sets this ends the session, with [`SolverError::Cancelled`].
    pub cancel: Option<Arc<AtomicBool>>,
    /// Count how often quantified formulas are instantiated, for
    /// [`Session::instances`](crate::Session::instances).
    pub profile: bool,
    /// Have a native prover beside the solver, for [`Session::prove_natively`](crate::Session::prove_natively).
    pub native: bool,
}

/// What a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work, in units of the solver: the same on every machine.
    pub rlimit: Option<u64>,
    /// Time, whatever the limit on work says.
    pub timeout: Duration,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The assertions are satisfiable.
    Sat,
    /// They contradict each other.
    Unsat,
    /// The solver does not know, for this reason.
    Unknown(String),
}

impl Answer {
    /// Did the solver stop before it had tried everything it can?
    #[must_use]
    pub fn gave_up(&self) -> bool {
        matches!(self, Answer::Unknown(why) if !why.contains("incomplete"))
    }
}

/// Why a session cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverError {
    /// The program cannot be started.
    Start(String),
    /// It died, and died again whenever it was started anew.
    Lost(String),
    /// It complained about what was written: a mistake of ours.
    Rejected(String),
    /// Somebody said through [`Config::cancel`] that no answer is needed.
    Cancelled,
    /// The deadline of the session passed.
    OutOfTime,
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverError::Start(why) => write!(f, "the solver cannot be started: {why}"),
            SolverError::Lost(why) => write!(f, "the solver was lost: {why}"),
            SolverError::Rejected(why) => write!(f, "the solver rejects its input: {why}"),
            SolverError::Cancelled => write!(f, "the question was cancelled"),
            SolverError::OutOfTime => write!(f, "the time is over"),
        }
    }
}

impl std::error::Error for SolverError {}

/// What a session has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Questions that simplification answered.
    pub trivial: u64,
    /// Questions put to the solver.
    pub queries: u64,
    /// Of these, questions without an answer.
    pub unknown: u64,
    /// How often the solver was started.
    pub starts: u64,
    /// Of these, how often in place of one that had died or was killed.
    pub restarts: u64,
    /// Time spent waiting for it.
    pub waiting: Duration,
}
