//! Verdicts, and what they rest on.

use std::time::Duration;

use heap::Program;
use heap::run::{Config, Drawn, End, Fault, FaultKind, Property, Run};
use report::Pos;

use crate::analysis::{Invariant, Outcome, PossibleFault};
use crate::search::Search;
use crate::trace::{self, Trace};

/// What is known of a program.
#[derive(Clone, Debug)]
pub struct Report {
    /// Under which precondition the program is safe, if it was found.
    pub assumed: Option<crate::analysis::Assumed>,
    /// The properties that were asked for, in that order.
    pub properties: Vec<(Property, Verdict)>,
    /// What holds where, as far as the analysis came.
    pub invariants: Vec<Invariant>,
    /// Definitions of the predicates in them.
    pub definitions: Vec<String>,
    /// What a check of the invariants says, if one was asked for and something rests on them.
    pub checked: Option<crate::check::Report>,
    /// What it took.
    pub stats: Stats,
    /// Did the analysis run out of time?
    pub timeout: bool,
    /// Was it cancelled?
    pub cancelled: bool,
}

/// Of one property.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run violates it.
    Safe(Evidence),
    /// This run does.
    Unsafe(Box<Violation>),
    /// Neither is known.
    Unknown(Unknown),
}

/// Why a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Invariants hold wherever the program gets to, and exclude it.
    Invariants,
    /// The program has one run, of so many steps, and that does not violate it.
    SoleRun(u64),
}

/// A run that was run.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What goes wrong.
    pub fault: Fault,
    /// The inputs that lead there.
    pub inputs: Vec<Drawn>,
    /// How it was run; with these inputs it goes the same way.
    pub config: Config,
    /// What the run does.
    pub trace: Trace,
    /// The run, with memory at its end.
    pub run: Run,
}

/// Why a property is neither proved nor refuted.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// A sentence without a full stop.
    pub reason: String,
    /// Where, if that is known.
    pub pos: Pos,
    /// Possible faults that stand in the way.
    pub possible: Vec<PossibleFault>,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// How many runs there were.
    pub runs: u64,
    /// Their steps.
    pub steps: u64,
    /// Time for runs.
    pub search: Duration,
    /// Time for the analysis.
    pub analysis: Duration,
    /// Commands that it executed on symbolic heaps.
    pub analysis_steps: u64,
    /// What a proof by paths took.
    pub paths: PathStats,
}

/// What a proof by paths took: the columns of [ABCK15, Table 1]. All zero without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathStats {
    /// Paths that were proved: calls of `ProvePath`.
    pub proved: u64,
    /// Entailments that were asked.
    pub entailments: u64,
    /// Time for spatial interpolants.
    pub spatial: Duration,
    /// Time for Horn clauses and theory interpolants.
    pub theory: Duration,
}

impl Violation {
    /// Of a run that violates the property; `None` of another.
    pub(crate) fn of(
        run: Run,
        config: Config,
        program: &Program,
        property: Property,
    ) -> Option<Violation> {
        let End::Fault(fault) = &run.end else { return None };
        if fault.kind.property() != Some(property) {
            return None;
        }
        let fault = fault.clone();
        let inputs = run.inputs.drawn().to_vec();
        let trace = trace::of(program, &config, &inputs);
        Some(Violation { fault, inputs, config, trace, run })
    }

    /// The sub-property, as SV-COMP calls it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        kind(self.fault.kind)
    }
}

/// What SV-COMP calls it.
#[must_use]
pub fn kind(fault: FaultKind) -> &'static str {
    match fault {
        FaultKind::DoubleFree | FaultKind::InvalidFree => "valid-free",
        FaultKind::Leak => "valid-memtrack",
        FaultKind::Assertion | FaultKind::ErrorReached => "assert",
        FaultKind::DivisionByZero => "division-by-zero",
        FaultKind::Overflow => "no-overflow",
        FaultKind::Null
        | FaultKind::Uninitialised
        | FaultKind::Dangling
        | FaultKind::Freed
        | FaultKind::OutOfBounds
        | FaultKind::Wild
        | FaultKind::Constant
        | FaultKind::InvalidCall
        | FaultKind::NegativeLength => "valid-deref",
    }
}

/// The word for a property.
#[must_use]
pub fn name(property: Property) -> &'static str {
    match property {
        Property::MemSafety => "memsafety",
        Property::MemTrack => "memtrack",
        Property::Reach => "reach",
    }
}

/// What stands in the way.
pub(crate) fn unknown(
    property: Property,
    search: &Search<'_>,
    outcome: Option<&Outcome>,
    runs: bool,
    cancelled: bool,
) -> Verdict {
    let mut possible = Vec::new();
    let (mut reason, pos) = match outcome {
        _ if cancelled => ("interrupted".to_owned(), Pos::None),
        None if search.found.contains_key(&Property::MemSafety) => (
            "a memory error ends the runs that were found, and what may follow is not analysed"
                .into(),
            Pos::None,
        ),
        None => ("it was not analysed".to_owned(), Pos::None),
        Some(Outcome { complete: Err(stop), .. }) => (stop.reason.clone(), stop.pos),
        Some(outcome) => {
            possible = outcome.obstacles(property).cloned().collect();
            match possible.first() {
                Some(fault) if search.reached(fault.proc, fault.loc) => (
                    format!(
                        "{}: that is not excluded, and no run that got there failed",
                        fault.what
                    ),
                    fault.pos,
                ),
                Some(fault) => (
                    format!("{}: that is not excluded, and no run got there", fault.what),
                    fault.pos,
                ),
                None => ("it is not proved".to_owned(), Pos::None),
            }
        }
    };
    // How far it got.
    if runs && search.runs > 0 {
        reason.push_str(&format!("; no violation in {} runs", search.runs));
    }
    match outcome {
        Some(o) if o.paths.proved > 0 => {
            reason.push_str(&format!("; {} paths were proved", o.paths.proved));
        }
        Some(o) if o.steps > 0 => {
            reason.push_str(&format!("; {} commands were executed on symbolic heaps", o.steps));
        }
        _ => {}
    }
    Verdict::Unknown(Unknown { reason, pos, possible })
}
