//! Is a heap program safe? Verdicts without annotations, from two sides: an analysis of all runs proves, and
//! runs of the interpreter refute. What neither can do is unknown, with the place and the reason.
//!
//! - [`analysis`]: what a shape analysis says of a program, and what follows from that.
//! - `search`: runs that end in a fault. Every violation that is reported was run; its inputs are made as small
//!   as runs show they can be.
//! - [`trace`]: what such a run does, step by step.
//! - [`verdict`]: the verdicts.
//!
//! *Does not know*: C, files, terminals, how the analysis works.

pub mod analysis;
pub mod holds;
mod search;
pub mod trace;
pub mod verdict;

use std::time::{Duration, Instant};

use heap::run::{Config, End, FaultKind, Property};
use heap::{ProcId, Program};

use crate::analysis::{Analysis, Outcome};
use crate::search::{Search, until};
use crate::verdict::{Evidence, Report, Stats, Verdict, Violation};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which properties, in the order in which they are reported.
    pub properties: Vec<Property>,
    /// How long it may take; `None` for no limit.
    pub timeout: Option<Duration>,
    /// What integers are and whether allocation may fail; limits of runs are set here.
    pub config: Config,
}

/// The runs that come first: enough for most violations, and over in milliseconds.
const SAMPLE: u64 = 120;
/// How long the first runs may take, at most and as a part of all.
const SAMPLE_TIME: Duration = Duration::from_millis(60);
/// How long violations are looked for that neither sampling found nor the analysis excluded, as a part of all.
const SEARCH_SHARE: u32 = 4;
/// How long a violation is made smaller.
const MINIMISE_TIME: Duration = Duration::from_millis(250);
/// Without a limit this is what all refers to.
const UNLIMITED: Duration = Duration::from_secs(240);

/// Asks whether a program is safe.
///
/// `cancelled` is asked now and then; then what is known so far is reported.
pub fn infer(
    program: &Program,
    entry: ProcId,
    options: &Options,
    analysis: &dyn Analysis,
    cancelled: &dyn Fn() -> bool,
) -> Report {
    let start = Instant::now();
    let all = options.timeout.unwrap_or(UNLIMITED);
    let deadline = start + all;
    let program = &Program { entry: Some(entry), ..program.clone() };
    let mut stats = Stats::default();
    let mut search = Search::new(program, &options.config, &options.properties);

    // Pointers that are given to the entry lead nowhere in a run, which says nothing of real callers.
    let runs = has_runs(program, entry);
    if runs {
        search.sample(SAMPLE, &until(start + SAMPLE_TIME.min(all / 10), cancelled));
    }
    stats.search = start.elapsed();

    let mut outcome = None;
    // Behind a memory error nothing is proved.
    let hopeless = search.found.contains_key(&Property::MemSafety);
    if !search.is_done() && !hopeless && !cancelled() {
        let begin = Instant::now();
        let analysed = analysis.analyse(program, entry, &until(start + all * 3 / 4, cancelled));
        stats.analysis = begin.elapsed();
        outcome = Some(analysed);
    }
    let proved = |property| outcome.as_ref().is_some_and(|o: &Outcome| o.proves(property));
    let open = |search: &Search<'_>| {
        let is_open = |p: &&Property| !search.found.contains_key(p) && !proved(**p);
        !search.is_done() && options.properties.iter().any(|p| is_open(&p))
    };
    if runs && open(&search) {
        let begin = Instant::now();
        if let Some(outcome) = &outcome {
            search.direct_at(outcome.faults.iter().map(|f| (f.proc, f.loc)).collect());
        }
        search.go_on(&until(deadline.min(begin + all / SEARCH_SHARE), cancelled));
        stats.search += begin.elapsed();
    }

    let mut properties = Vec::new();
    for property in &options.properties {
        let begin = Instant::now();
        let limit = until(deadline.min(begin + MINIMISE_TIME.min(all / 10)), cancelled);
        let violation = search.smallest(*property, &limit).and_then(|witness| {
            let (run, config) = search.replay(&witness);
            Violation::of(run, config, program, *property)
        });
        stats.search += begin.elapsed();
        let verdict = match violation {
            Some(violation) => Verdict::Unsafe(Box::new(violation)),
            None if proved(*property) => Verdict::Safe(Evidence::Invariants),
            None if sole_run_shows(&search, *property) => {
                Verdict::Safe(Evidence::SoleRun(search.sole_run().map_or(0, |sole| sole.steps)))
            }
            None => verdict::unknown(*property, &search, outcome.as_ref(), runs, cancelled()),
        };
        properties.push((*property, verdict));
    }
    stats.runs = search.runs;
    stats.steps = search.steps;
    let timeout = outcome.as_ref().is_some_and(|o| o.complete.as_ref().is_err_and(|s| s.timeout));
    let invariants = outcome.map(|o| o.invariants).unwrap_or_default();
    Report { properties, invariants, stats, timeout, cancelled: cancelled() }
}

/// Can a run start at this procedure? What its callers must see to, or which memory it is given, is not
/// something that inputs say.
fn has_runs(program: &Program, entry: ProcId) -> bool {
    let Some(proc) = program.procs.get(entry.index()) else { return false };
    let given = proc.vars.iter().take(proc.params as usize);
    // The parameters of `main` are set by its first commands.
    let pointers = given.filter(|var| var.ty.is_pointer()).count() > 0;
    proc.body.is_some() && proc.requires.is_empty() && (!pointers || proc.name == "main")
}

/// Is a property shown by the only run that there is?
fn sole_run_shows(search: &Search<'_>, property: Property) -> bool {
    let Some(sole) = search.sole_run() else { return false };
    match &sole.end {
        End::Returned(_) | End::Exited(_) | End::Aborted | End::Blocked => true,
        // It went on to its end.
        End::Fault(fault) if fault.kind == FaultKind::Leak => property != Property::MemTrack,
        // It ended there, and what is lost is a violation of its own.
        End::Fault(fault) => {
            fault.kind.property() == Some(Property::Reach) && property != Property::Reach
        }
        End::Limit(_) => false,
    }
}
