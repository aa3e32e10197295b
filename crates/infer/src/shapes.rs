//! The shape analysis as an [`Analysis`]: its faults, and its symbolic heaps as formulas.

use std::sync::Arc;
use std::time::{Duration, Instant};

use heap::run::{FaultKind, Property};
use heap::{LocId, Program};
use report::Pos;
use report::picture::Picture;
use shape::Start;

use crate::analysis::{Analysis, Asked, Assumed, Invariant, Outcome, PossibleFault, Stop};
use crate::check::{self, Claim};
use crate::ensures;
use crate::facts;
use crate::formula::Names;
use crate::verdict::PathStats;

/// The analysis of crate `shape`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shapes;

/// How long a check may take.
const CHECK_TIME: Duration = Duration::from_secs(20);
/// So many disjuncts of an invariant are printed.
const MOST: usize = 64;

impl Analysis for Shapes {
    fn analyse(&self, program: &Program, asked: &Asked<'_>) -> Vec<Outcome> {
        let options = shape::Options {
            malloc_may_fail: asked.config.malloc_may_fail,
            machine_integers: asked.config.machine_integers,
            deadline: Some(asked.deadline),
            cancelled: Arc::clone(asked.cancelled),
            executed: Arc::clone(&asked.progress.symbolic),
            ..shape::Options::default()
        };
        let abduced = abduced(program, asked, &options);
        // Others of the library may have been called before.
        let library = (asked.library && asked.contract.is_none())
            .then(|| shape::anything(program, asked.entry));
        let given = asked.contract.map(|contract| &contract.start);
        let start = abduced.as_ref().map(|(start, _)| start).or(given).or(library.as_ref());
        let proves_all =
            |o: &shape::Outcome| asked.properties.iter().all(|property| o.proves(*property));
        let found = match &abduced {
            Some((_, first)) if proves_all(first) => std::slice::from_ref(first),
            _ => &shape::analyse_all_from(program, asked.entry, start, &options, asked.properties),
        };
        let given = abduced.as_ref().map(|(start, _)| start);
        let mut outcomes: Vec<Outcome> =
            found.iter().map(|outcome| outcome_of(outcome, program, asked, given)).collect();
        if asked.check {
            let mut claimed: Vec<Property> = Vec::new();
            let mut order: Vec<(&shape::Outcome, &mut Outcome)> =
                found.iter().zip(&mut outcomes).collect();
            // That which shows most first; what it shows others need not.
            let open = |o: &Outcome| asked.properties.iter().filter(|p| !o.proves(**p)).count();
            order.sort_by_key(|(_, outcome)| open(outcome));
            for (found, outcome) in order {
                let claims = |p: &&Property| outcome.proves(**p) && !claimed.contains(*p);
                let new: Vec<Property> = asked.properties.iter().filter(claims).copied().collect();
                if new.is_empty() {
                    continue;
                }
                outcome.checked = Some(check::check(&Claim {
                    program,
                    entry: asked.entry,
                    start: start
                        .map(|start| Start { anchors: found.anchors.clone(), ..start.clone() })
                        .as_ref(),
                    certificate: &found.certificate,
                    preds: found.preds.all(),
                    properties: &new,
                    malloc_may_fail: asked.config.malloc_may_fail,
                    machine_integers: asked.config.machine_integers,
                    deadline: Instant::now() + CHECK_TIME,
                }));
                claimed.extend(new);
            }
            for outcome in &mut outcomes {
                for invariant in &mut outcome.invariants {
                    let place = (invariant.proc, invariant.loc);
                    invariant.not_checked = not_checked(outcome.checked.as_ref(), place);
                }
            }
        }
        outcomes
    }
}

/// What a check did not show of the invariant of a loop.
fn not_checked(report: Option<&check::Report>, place: (heap::ProcId, LocId)) -> Option<String> {
    let Some(report) = report else {
        return Some("no verdict rests on it".into());
    };
    if !report.is_complete() {
        return Some("invariants are shown together, and not all of them were".into());
    }
    let why = report.shapes_only.get(&place)?;
    Some(format!("what it says of numbers ({why})"))
}

/// A precondition, where nobody says what pointers the entry is given.
fn abduced(
    program: &Program,
    asked: &Asked<'_>,
    options: &shape::Options,
) -> Option<(Start, shape::Outcome)> {
    let decl = program.proc(asked.entry);
    let pointers = decl.vars.iter().take(decl.params as usize).any(|var| var.ty.is_pointer());
    if asked.contract.is_some() || decl.name == "main" || !(pointers || asked.library) {
        return None;
    }
    let now = Instant::now();
    let half = now + asked.deadline.saturating_duration_since(now) / 2;
    let hasty = shape::Options { deadline: Some(half), ..options.clone() };
    shape::abduce(program, asked.entry, &hasty)
}

/// The contract that was found.
fn assumed(
    names: &mut Names<'_>,
    found: &shape::Outcome,
    asked: &Asked<'_>,
    start: &Start,
) -> Assumed {
    let requires: Vec<String> =
        start.states.iter().map(|state| names.state(state, asked.entry)).collect();
    let exits = found.exits.iter().take(MOST);
    let mut ensures: Vec<String> =
        exits.map(|state| names.exit(state, asked.entry, &found.anchors)).collect();
    ensures.sort();
    ensures.dedup();
    let requires = match &requires[..] {
        [one] => one.clone(),
        several => {
            let each: Vec<String> = several.iter().map(|one| format!("({one})")).collect();
            each.join(" || ")
        }
    };
    Assumed { proc: asked.entry, requires, ensures }
}

fn outcome_of(
    found: &shape::Outcome,
    program: &Program,
    asked: &Asked<'_>,
    abduced: Option<&Start>,
) -> Outcome {
    let complete = found.complete.clone().map_err(|stop| match stop {
        shape::Stop::Time => Stop { reason: "time is up".into(), pos: Pos::None, timeout: true },
        shape::Stop::Cancelled => {
            Stop { reason: "it was cancelled".into(), pos: Pos::None, timeout: false }
        }
        shape::Stop::GaveUp(pos, reason) => Stop { reason, pos, timeout: false },
    });
    let mut names = Names::new(program, &found.preds);
    let faults = found.faults.iter().map(|fault| PossibleFault {
        kind: fault.kind,
        cuts: fault.cuts,
        proc: fault.site.proc,
        loc: fault.site.at,
        pos: fault.pos,
        what: fault.what.clone(),
        heap: names.state(&fault.state, fault.site.proc),
    });
    let mut faults: Vec<PossibleFault> = faults.collect();
    if let Some(ensures) = asked.contract.and_then(|contract| contract.ensures.as_ref())
        && complete.is_ok()
        && let Some((state, what)) =
            ensures::violated(program, asked.entry, &found.anchors, found, ensures)
    {
        faults.push(PossibleFault {
            kind: FaultKind::Assertion,
            cuts: false,
            proc: asked.entry,
            loc: LocId(0),
            pos: ensures.pos,
            what,
            heap: names.state(&state, asked.entry),
        });
    }
    let invariants = found.invariants.iter().map(|invariant| {
        let states = invariant.states.iter().take(MOST);
        let (proc, loc) = (invariant.site.proc, invariant.site.at);
        let disjuncts = states.map(|state| (names.state(state, proc), names.picture(state, proc)));
        let mut disjuncts: Vec<(String, Picture)> = disjuncts.collect();
        disjuncts.sort_by(|a, b| a.0.cmp(&b.0));
        disjuncts.dedup_by(|a, b| a.0 == b.0);
        let (disjuncts, pictures) = disjuncts.into_iter().unzip();
        let decl = program.procs.get(proc.index());
        let facts = decl.map_or_else(Vec::new, |decl| {
            invariant.states.iter().map(|state| facts::of(state, decl)).collect()
        });
        Invariant { proc, loc, pos: invariant.pos, disjuncts, pictures, facts, not_checked: None }
    });
    let invariants = invariants.collect();
    let assumed = abduced.map(|start| assumed(&mut names, found, asked, start));
    let (definitions, steps) = (names.definitions(), found.steps);
    let paths = PathStats::default();
    Outcome {
        complete,
        faults,
        invariants,
        definitions,
        steps,
        paths,
        checked: None,
        inputs: Vec::new(),
        assumed,
    }
}
