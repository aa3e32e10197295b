//! What a shape analysis says of all runs of a program, and what follows from that.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use heap::run::{Config, FaultKind, Property};
use heap::{LocId, ProcId, Program};
use report::Pos;
use report::picture::Picture;

use crate::check;
use crate::contract::Contract;
use crate::facts::Fact;
use crate::progress::Progress;
use crate::verdict::PathStats;

/// What came out of an analysis.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Was a fixed point reached? Otherwise why not, and nothing else is known.
    pub complete: Result<(), Stop>,
    /// Faults that are not excluded.
    pub faults: Vec<PossibleFault>,
    /// What holds where.
    pub invariants: Vec<Invariant>,
    /// Definitions of the predicates in them.
    pub definitions: Vec<String>,
    /// How many commands were executed on symbolic heaps.
    pub steps: u64,
    /// What a proof by paths took.
    pub paths: PathStats,
    /// What a check of all this says, if one was asked for.
    pub checked: Option<check::Report>,
    /// Inputs that may lead to a fault: they are run before anything is said.
    pub inputs: Vec<Vec<i128>>,
    /// Under which precondition all this is so, if it was found.
    pub assumed: Option<Assumed>,
}

/// A contract that was found: the procedure is called in states of the one kind, and returns in states of the other.
#[derive(Clone, Debug)]
pub struct Assumed {
    /// The procedure.
    pub proc: ProcId,
    /// What has to hold when it is called.
    pub requires: String,
    /// One of these holds when it returns.
    pub ensures: Vec<String>,
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
    /// What it would be.
    pub kind: FaultKind,
    /// Are there runs behind it that were not followed?
    pub cuts: bool,
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
    /// Pictures of them, in their order.
    pub pictures: Vec<Picture>,
    /// What they say of variables: the facts of one of these lists hold.
    pub facts: Vec<Vec<Fact>>,
    /// Where a check was asked for that did not show it as it is: what was not shown, and why.
    pub not_checked: Option<String>,
}

/// What is asked of an analysis.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Where the program starts.
    pub entry: ProcId,
    /// What its caller sees to, and what must hold when it returns.
    pub contract: Option<&'a Contract>,
    /// Is the entry a function of a library, called by others and after others? Then nothing is known of global objects.
    pub library: bool,
    /// What is to be proved.
    pub properties: &'a [Property],
    /// Is what it finds to be checked?
    pub check: bool,
    /// What integers are, and whether allocation may fail.
    pub config: &'a Config,
    /// When it has to stop.
    pub deadline: Instant,
    /// Set from outside to stop it.
    pub cancelled: &'a Arc<AtomicBool>,
    /// Where it says how far it is.
    pub progress: &'a Arc<Progress>,
}

/// An analysis of all runs.
pub trait Analysis: Sync {
    /// Analyses a program from its entry, until time is up or it is cancelled. It may do so in several ways: each of
    /// the outcomes is right for itself.
    fn analyse(&self, program: &Program, asked: &Asked<'_>) -> Vec<Outcome>;
}

/// None: nothing is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAnalysis;

impl Analysis for NoAnalysis {
    fn analyse(&self, _: &Program, _: &Asked<'_>) -> Vec<Outcome> {
        Vec::new()
    }
}

impl Outcome {
    /// Of an analysis that did not come to its end.
    #[must_use]
    pub fn stopped(stop: Stop) -> Outcome {
        Outcome {
            complete: Err(stop),
            faults: Vec::new(),
            invariants: Vec::new(),
            definitions: Vec::new(),
            steps: 0,
            paths: PathStats::default(),
            checked: None,
            inputs: Vec::new(),
            assumed: None,
        }
    }

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
            let violated = fault.kind.property();
            fault.cuts || violated == Some(property) || violated == Some(Property::MemSafety)
        })
    }
}
