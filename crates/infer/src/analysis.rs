//! What a shape analysis says of all runs of a program, and what follows from that.

use heap::run::Property;
use heap::{LocId, ProcId, Program};
use report::Pos;

/// What came out of an analysis.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Was a fixed point reached? Otherwise why not, and nothing else is known.
    pub complete: Result<(), Stop>,
    /// Faults that are not excluded.
    pub faults: Vec<PossibleFault>,
    /// What holds where.
    pub invariants: Vec<Invariant>,
}

/// Why an analysis did not come to its end.
#[derive(Clone, Debug)]
pub struct Stop {
    /// A clause: "time is up", "`realloc` is not supported".
    pub reason: String,
    /// Where, if that is known.
    pub pos: Pos,
    /// Was it for lack of time?
    pub timeout: bool,
}

/// A fault that the analysis does not exclude.
#[derive(Clone, Debug)]
pub struct PossibleFault {
    /// What it would violate.
    pub property: Property,
    /// The procedure.
    pub proc: ProcId,
    /// The location whose command may fail.
    pub loc: LocId,
    /// Where that is.
    pub pos: Pos,
    /// What may go wrong, a clause.
    pub what: String,
    /// The symbolic heap there.
    pub heap: String,
}

/// What holds whenever a location is reached.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The procedure.
    pub proc: ProcId,
    /// The location.
    pub loc: LocId,
    /// Where that is.
    pub pos: Pos,
    /// One of these holds.
    pub disjuncts: Vec<String>,
}

/// An analysis of all runs.
pub trait Analysis: Sync {
    /// Analyses a program from its entry until it is told to stop.
    fn analyse(&self, program: &Program, entry: ProcId, stop: &dyn Fn() -> bool) -> Outcome;
}

/// None: nothing is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAnalysis;

impl Analysis for NoAnalysis {
    fn analyse(&self, _: &Program, _: ProcId, _: &dyn Fn() -> bool) -> Outcome {
        let reason = "there is no analysis of all runs yet".to_owned();
        let stop = Stop { reason, pos: Pos::None, timeout: false };
        Outcome { complete: Err(stop), faults: Vec::new(), invariants: Vec::new() }
    }
}

impl Outcome {
    /// Is a property proved? The analysis must have come to its end, without a possible violation of it, nor
    /// one that cuts paths before others are seen.
    #[must_use]
    pub fn proves(&self, property: Property) -> bool {
        self.complete.is_ok() && self.obstacles(property).next().is_none()
    }

    /// Possible faults that stand in the way of a property. A memory error may be followed by anything, so
    /// what is behind it is not explored; a failed assertion ends the program, and what is lost goes on.
    pub fn obstacles(&self, property: Property) -> impl Iterator<Item = &PossibleFault> {
        self.faults.iter().filter(move |fault| {
            fault.property == property || fault.property == Property::MemSafety
        })
    }
}
