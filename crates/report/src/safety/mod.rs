//! What is known of the safety of a program: the model of what `infer` and `prove` report, and how it is
//! shown to people ([`human`]) and tools ([`json`]).

pub mod annotated;
pub mod human;
pub mod json;

use std::time::Duration;

use crate::diagnostic::Diagnostic;
use crate::outcome::Numbers;
use crate::source::{Pos, SourceMap};

/// What became of a program.
#[derive(Clone, Debug)]
pub struct SafetyReport {
    /// As the user gave it.
    pub file: String,
    /// All in one word.
    pub status: SafetyStatus,
    /// How long it took.
    pub time: Duration,
    /// The properties that were asked for.
    pub properties: Vec<PropertyReport>,
    /// What holds where.
    pub invariants: Vec<InvariantReport>,
    /// Definitions of the predicates in them, in the notation of `lancehead sl`.
    pub definitions: Vec<String>,
    /// What a check of the invariants says, if one was asked for.
    pub check: Option<CheckReport>,
    /// Contracts that were found: the verdicts hold if the procedure is called so.
    pub contracts: Vec<ContractReport>,
    /// Errors that make it invalid, and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What the verdicts take for granted, as clauses: "allocation succeeds".
    pub assumptions: Vec<&'static str>,
    /// What it took, if that was asked for.
    pub stats: Numbers,
}

impl SafetyReport {
    /// Of something that is not a program.
    #[must_use]
    pub fn invalid(file: String, diagnostics: Vec<Diagnostic>) -> SafetyReport {
        SafetyReport {
            file,
            status: SafetyStatus::Invalid,
            time: Duration::ZERO,
            properties: Vec::new(),
            invariants: Vec::new(),
            definitions: Vec::new(),
            check: None,
            contracts: Vec::new(),
            diagnostics,
            assumptions: Vec::new(),
            stats: Numbers::new(),
        }
    }
}

/// What a check of invariants says that knows nothing of how they were found.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// How many entailments were proved, with proofs that were accepted.
    pub proved: usize,
    /// What was not shown: where, in which function, and what.
    pub open: Vec<(Pos, String, String)>,
}

/// All verdicts in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SafetyStatus {
    /// Every property holds.
    Safe,
    /// Some property is violated.
    Unsafe,
    /// None is violated that is known of, and some are not proved.
    Unknown,
    /// It is not a program.
    Invalid,
    /// As unknown, and time was up.
    Timeout,
    /// Something is wrong with the tool.
    InternalError,
}

impl SafetyStatus {
    /// The word for tools.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SafetyStatus::Safe => "safe",
            SafetyStatus::Unsafe => "unsafe",
            SafetyStatus::Unknown => "unknown",
            SafetyStatus::Invalid => "invalid",
            SafetyStatus::Timeout => "timeout",
            SafetyStatus::InternalError => "internal-error",
        }
    }

    /// The exit status for one such file.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            SafetyStatus::Safe => 0,
            SafetyStatus::Unsafe => 1,
            SafetyStatus::Invalid => 2,
            SafetyStatus::Unknown | SafetyStatus::Timeout | SafetyStatus::InternalError => 3,
        }
    }
}

/// The exit status of a run over these files: that of the worst of them.
#[must_use]
pub fn exit_code<'a>(reports: impl IntoIterator<Item = &'a SafetyReport>) -> u8 {
    reports.into_iter().map(|report| report.status.exit_code()).max().unwrap_or(0)
}

/// A verdict on a property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// `memsafety`, `memtrack` or `reach`.
    pub property: &'static str,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: PropertyVerdict,
    /// Why, as a clause.
    pub reason: String,
    /// Possible faults in the way of a proof, with their symbolic heaps.
    pub possible: Vec<PossibleFaultReport>,
    /// The run that violates it.
    pub violation: Option<ViolationReport>,
}

/// On one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyVerdict {
    /// It holds.
    Safe,
    /// It does not.
    Unsafe,
    /// Neither is known.
    Unknown,
}

impl PropertyVerdict {
    /// The word for tools.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            PropertyVerdict::Safe => "safe",
            PropertyVerdict::Unsafe => "unsafe",
            PropertyVerdict::Unknown => "unknown",
        }
    }
}

/// A fault that is not excluded, and was not seen.
#[derive(Clone, Debug)]
pub struct PossibleFaultReport {
    /// Where.
    pub pos: Pos,
    /// What may go wrong, a clause.
    pub what: String,
    /// The symbolic heap there.
    pub heap: String,
}

/// A run that violates a property.
#[derive(Clone, Debug)]
pub struct ViolationReport {
    /// `valid-deref`, `valid-free`, `valid-memtrack` or `assert`.
    pub kind: &'static str,
    /// What goes wrong, and where.
    pub fault: Diagnostic,
    /// The values that the run is given, in this order.
    pub inputs: Vec<String>,
    /// After how many commands it is seen.
    pub steps: u64,
    /// What happens.
    pub trace: Vec<TraceStep>,
    /// How many steps are left out, and behind which of them.
    pub omitted: Option<(usize, u64)>,
    /// A picture of the heap at the end, as text.
    pub heap: String,
    /// Where the object was made that it is about.
    pub made: Pos,
    /// A command that runs it again.
    pub replay: String,
}

/// A step of a run.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// Its number, from 1.
    pub number: u64,
    /// Where.
    pub pos: Pos,
    /// The procedure.
    pub function: String,
    /// Variables that change, and their values behind it.
    pub state: Vec<(String, String)>,
    /// A picture of the heap behind it, as text, of the last steps that change it.
    pub heap: Option<String>,
}

/// A contract that was found.
#[derive(Clone, Debug)]
pub struct ContractReport {
    /// Where the procedure is.
    pub pos: Pos,
    /// Its name.
    pub function: String,
    /// What has to hold when it is called.
    pub requires: String,
    /// One of these holds when it returns.
    pub ensures: Vec<String>,
}

/// What holds whenever a place is reached.
#[derive(Clone, Debug)]
pub struct InvariantReport {
    /// Where.
    pub pos: Pos,
    /// The procedure.
    pub function: String,
    /// One of these holds.
    pub disjuncts: Vec<String>,
    /// What of it a check did not show, if one was asked for.
    pub not_checked: Option<String>,
}

impl InvariantReport {
    /// As one formula.
    #[must_use]
    pub fn formula(&self) -> String {
        match self.disjuncts.as_slice() {
            [] => "false".to_owned(),
            [only] => only.clone(),
            several => several.iter().map(|d| format!("({d})")).collect::<Vec<_>>().join(" || "),
        }
    }
}

/// What stands at a position in the source: its first line.
pub(crate) fn source_line(pos: Pos, sources: &SourceMap) -> &str {
    let text = pos.span().and_then(|span| sources.text(span)).unwrap_or("");
    text.lines().next().unwrap_or("").trim()
}
