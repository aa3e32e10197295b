//! What became of a run: a status per member, per file and for the whole command.

use std::time::Duration;

use crate::diagnostic::Diagnostic;
use crate::source::Pos;

/// The verdict on a file or a member.
///
/// Ordered from best to worst, so the status of a whole is the maximum over its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Well-formed. The verdict of a command that verifies nothing, such as `check`.
    Valid,
    /// Every obligation was proved.
    Verified,
    /// Some obligation could not be proved.
    Failed,
    /// Not a program: it does not parse, does not type-check, or cannot be read.
    Invalid,
    /// Out of time before the verdict.
    Timeout,
    /// A bug of ours, or a solver that went away.
    InternalError,
}

impl Status {
    /// The word that the JSON contract uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Valid => "valid",
            Status::Verified => "verified",
            Status::Failed => "failed",
            Status::Invalid => "invalid",
            Status::Timeout => "timeout",
            Status::InternalError => "internal-error",
        }
    }

    /// The exit status of a process that ends with this verdict: 0 for success, 1 for failed
    /// proofs, 2 for bad input, 3 for "could not finish".
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Status::Valid | Status::Verified => 0,
            Status::Failed => 1,
            Status::Invalid => 2,
            Status::Timeout | Status::InternalError => 3,
        }
    }
}

/// The verdict on one member of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberReport {
    /// Its name in the program.
    pub name: String,
    /// `method`, `function`, `predicate`, …
    pub kind: String,
    /// The verdict.
    pub status: Status,
    /// How long it took.
    pub time: Duration,
    /// What else was counted, if that was asked for.
    pub stats: Numbers,
}

/// Numbers with their names, in the order in which to show them.
pub type Numbers = Vec<(&'static str, u64)>;

/// Questions that a solver was asked for one purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryReport {
    /// `branch`, `permission`, `assertion`, …
    pub purpose: &'static str,
    /// So many were proved.
    pub proved: u64,
    /// So many have a countermodel.
    pub refuted: u64,
    /// So many have no answer.
    pub unknown: u64,
    /// Of all these, so many were answered without a solver.
    pub native: u64,
    /// All of them took so long.
    pub time: Duration,
}

/// How often the solver instantiated a quantified formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantifierReport {
    /// What it is: `user`, `axiom`, `inverse`, …
    pub kind: String,
    /// Where it comes from.
    pub pos: Pos,
    /// So often.
    pub instances: u64,
    /// The longest chain of instances that led to each other.
    pub generation: u64,
}

/// What came out of a file that was verified several times, with other seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedReport {
    /// The verdict of each run; the first is the one that is reported.
    pub statuses: Vec<Status>,
    /// The members with different outcomes, in source order.
    pub members: Vec<MemberSeeds>,
}

/// A member that is not the same in all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSeeds {
    /// Its name in the program.
    pub name: String,
    /// `method`, `function`, `predicate`, …
    pub kind: String,
    /// Where it is.
    pub pos: Pos,
    /// Two or more, that of the first run first.
    pub outcomes: Vec<Outcome>,
}

/// What came out of some runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The numbers of these runs, from 0.
    pub seeds: Vec<usize>,
    /// The verdict.
    pub status: Status,
    /// The errors.
    pub errors: Vec<Diagnostic>,
}

/// The verdict on one file: what every renderer starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    /// The path as the user gave it.
    pub file: String,
    /// The verdict.
    pub status: Status,
    /// How long it took.
    pub time: Duration,
    /// In source order; empty where members get no verdicts of their own.
    pub members: Vec<MemberReport>,
    /// Errors and warnings, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// What else was counted, if that was asked for.
    pub stats: Numbers,
    /// What a solver was asked, by purpose, if that was asked for.
    pub queries: Vec<QueryReport>,
    /// The quantified formulas with most instances first, if they were counted.
    pub quantifiers: Vec<QuantifierReport>,
    /// What changes with other seeds, if that was asked for.
    pub seeds: Option<SeedReport>,
}

impl FileReport {
    /// A verdict that took no time and says nothing of members.
    #[must_use]
    pub fn new(
        file: impl Into<String>,
        status: Status,
        diagnostics: Vec<Diagnostic>,
    ) -> FileReport {
        FileReport {
            file: file.into(),
            status,
            time: Duration::ZERO,
            members: Vec::new(),
            diagnostics,
            stats: Numbers::new(),
            queries: Vec::new(),
            quantifiers: Vec::new(),
            seeds: None,
        }
    }

    /// The errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| d.is_error())
    }

    /// Everything that is not an error.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| !d.is_error())
    }
}

/// The exit status of a run over these files: that of the worst of them, whatever the seed.
pub fn exit_code<'a>(reports: impl IntoIterator<Item = &'a FileReport>) -> u8 {
    let codes = reports.into_iter().flat_map(|report| {
        let seeds = report.seeds.iter().flat_map(|seeds| &seeds.statuses);
        seeds.chain([&report.status]).map(|status| status.exit_code())
    });
    codes.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_file_decides_the_exit_status() {
        use Status::*;
        let code = |statuses: &[Status]| {
            exit_code(
                &statuses
                    .iter()
                    .map(|&s| FileReport::new("a.vpr", s, Vec::new()))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&[Valid, Verified]), 0);
        assert_eq!(code(&[Verified, Failed]), 1);
        assert_eq!(code(&[Failed, Invalid, Verified]), 2);
        assert_eq!(code(&[Timeout, Invalid]), 3);
        assert_eq!(code(&[InternalError]), 3);
    }
}
