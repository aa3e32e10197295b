//! A question that needs a process of its own.

use std::path::Path;
use std::time::Instant;

use crate::config::SolverError;
use crate::process::{Patience, Process, Silence};

/// What a new solver prints for a text, if it does so before a deadline.
///
/// # Errors
/// If it cannot be started, dies, or takes too long.
pub fn ask_once(solver: &Path, text: String, deadline: Instant) -> Result<String, SolverError> {
    let lifetime = deadline.saturating_duration_since(Instant::now());
    let mut process =
        Process::start(solver, lifetime, None).map_err(|e| SolverError::Start(e.to_string()))?;
    let lost = |silence| match silence {
        Silence::Timeout => SolverError::OutOfTime,
        Silence::Cancelled => SolverError::Cancelled,
        Silence::Gone(why) => SolverError::Lost(why),
    };
    let mark = process.ask(text).map_err(lost)?;
    process.reply(mark, &Patience { deadline, cancel: None }).map_err(lost)
}
