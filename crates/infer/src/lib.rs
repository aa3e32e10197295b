//! Is a heap program safe? Verdicts without annotations, from two sides: an analysis of all runs proves, and
//! runs of the interpreter refute. What neither can do is unknown, with the place and the reason.
//!
//! - [`analysis`]: what a shape analysis says of a program, and what follows from that.
//! - [`contract`]: what is known when the entry is called, and what is to hold when it returns; [`logic`]: symbolic heaps
//!   of the analysis as formulas of separation logic that others decide and prove.
//! - `search`: runs that end in a fault. Every violation that is reported was run; its inputs are made as small
//!   as runs show they can be.
//! - [`trace`]: what such a run does, step by step.
//! - [`verdict`]: the verdicts.
//!
//! *Does not know*: C, files, terminals, how the analysis works.

pub mod analysis;
pub mod assertions;
pub mod check;
pub mod contract;
mod ensures;
pub mod facts;
mod formula;
pub mod holds;
pub mod logic;
mod pictures;
pub mod progress;
mod search;
pub mod shapes;
pub mod tested;
pub mod trace;
pub mod verdict;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use heap::run::{Config, End, FaultKind, Property};
use heap::{ProcId, Program};

use crate::analysis::{Analysis, Asked, Outcome};
use crate::contract::Contract;
use crate::progress::Progress;
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
    /// Where it is said how far the answer is.
    pub progress: Arc<Progress>,
    /// Is what the analysis finds to be checked ([`check`])?
    pub check: bool,
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

/// Asks whether a program is safe, from an entry on, which is called as its contract says if there is one
/// ([`contract::read`]).
///
/// `cancelled` is looked at now and then; once it is set, what is known so far is reported.
pub fn infer(
    program: &Program,
    entry: ProcId,
    contract: Option<&Contract>,
    options: &Options,
    analysis: &dyn Analysis,
    cancelled: &Arc<AtomicBool>,
) -> Report {
    let flag = cancelled;
    let cancelled = &|| flag.load(Ordering::Relaxed);
    let start = Instant::now();
    let all = options.timeout.unwrap_or(UNLIMITED);
    let deadline = start + all;
    let library = program.entry.is_none();
    let program = &Program { entry: Some(entry), ..program.clone() };
    let mut stats = Stats::default();
    let progress = Arc::clone(&options.progress);
    let mut search = Search::new(program, &options.config, &options.properties, progress);

    // Pointers that are given to the entry lead nowhere in a run, which says nothing of real callers. Nor does it where
    // others have to be called before, so that global pointers lead somewhere.
    let runs = has_runs(program, entry) && !(library && shape::has_global_pointers(program));
    if runs {
        search.sample(SAMPLE, &until(start + SAMPLE_TIME.min(all / 10), cancelled));
    }
    stats.search = start.elapsed();

    let mut outcomes = Vec::new();
    // Behind a memory error nothing is proved.
    let hopeless = search.found.contains_key(&Property::MemSafety);
    if !search.is_done() && !hopeless && !cancelled() {
        let begin = Instant::now();
        let asked = Asked {
            entry,
            contract,
            library,
            properties: &options.properties,
            check: options.check,
            config: &options.config,
            deadline: start + all * 3 / 4,
            cancelled: flag,
            progress: &options.progress,
        };
        outcomes = analysis.analyse(program, &asked);
        stats.analysis = begin.elapsed();
    }
    if runs {
        outcomes.iter().flat_map(|o: &Outcome| &o.inputs).for_each(|i| search.try_inputs(i));
    }
    let proved = |property| outcomes.iter().any(|o: &Outcome| o.proves(property));
    let open = |search: &Search<'_>| {
        let is_open = |p: &&Property| !search.found.contains_key(p) && !proved(**p);
        !search.is_done() && options.properties.iter().any(|p| is_open(&p))
    };
    if runs && open(&search) {
        let begin = Instant::now();
        if let Some(best) = closest(&outcomes, &options.properties) {
            search.direct_at(best.faults.iter().map(|f| (f.proc, f.loc)).collect());
        }
        search.go_on(&until(deadline.min(begin + all / SEARCH_SHARE), cancelled));
        stats.search += begin.elapsed();
    }

    // A run says nothing of postconditions, and that of a library starts in one of many states.
    let state = program.globals.iter().any(|global| !global.constant);
    let promises = contract.is_some_and(|contract| contract.ensures.is_some());
    let decides = !(promises || library && state);
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
            None if decides && sole_run_shows(&search, *property) => {
                Verdict::Safe(Evidence::SoleRun(search.sole_run().map_or(0, |sole| sole.steps)))
            }
            None => {
                let best = closest(&outcomes, &[*property]);
                verdict::unknown(*property, &search, best, runs, cancelled())
            }
        };
        properties.push((*property, verdict));
    }
    stats.runs = search.runs;
    stats.steps = search.steps;
    let by_time = |o: &Outcome| o.complete.as_ref().is_err_and(|stop| stop.timeout);
    let timeout = !outcomes.is_empty() && outcomes.iter().all(by_time);
    stats.analysis_steps = outcomes.iter().map(|o| o.steps).sum();
    for paths in outcomes.iter().map(|o| o.paths) {
        stats.paths.proved += paths.proved;
        stats.paths.entailments += paths.entailments;
        stats.paths.spatial += paths.spatial;
        stats.paths.theory += paths.theory;
    }
    let best = closest(&outcomes, &options.properties);
    let (invariants, definitions) =
        best.map(|o| (o.invariants.clone(), o.definitions.clone())).unwrap_or_default();
    // All that verdicts rest on.
    let mut checked: Option<check::Report> = None;
    for report in outcomes.iter().filter_map(|o| o.checked.as_ref()) {
        let all = checked.get_or_insert_default();
        all.proved += report.proved;
        all.open.extend(report.open.iter().cloned());
        all.shapes_only.extend(report.shapes_only.iter().map(|(at, why)| (*at, why.clone())));
    }
    let cancelled = cancelled();
    // A precondition is worth something if the procedure is safe under it.
    let assumed = best.filter(|_| proved(Property::MemSafety)).and_then(|o| o.assumed.clone());
    Report { assumed, properties, invariants, definitions, checked, stats, timeout, cancelled }
}

/// The outcome that is closest to a proof of these properties; of several, the first one.
fn closest<'o>(outcomes: &'o [Outcome], properties: &[Property]) -> Option<&'o Outcome> {
    let distance = |o: &&Outcome| {
        let open = properties.iter().filter(|p| !o.proves(**p)).count();
        let obstacles: usize = properties.iter().map(|p| o.obstacles(*p).count()).sum();
        (open, o.complete.is_err(), obstacles)
    };
    outcomes.iter().min_by_key(distance)
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
