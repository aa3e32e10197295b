//! The shape analysis as an [`Analysis`]: its faults, and its symbolic heaps as formulas.

use std::sync::Arc;

use heap::run::FaultKind;
use heap::{LocId, Program};
use report::Pos;

use crate::analysis::{Analysis, Asked, Invariant, Outcome, PossibleFault, Stop};
use crate::ensures;
use crate::facts;
use crate::formula::Names;
use crate::verdict::PathStats;

/// The analysis of crate `shape`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shapes;

/// So many disjuncts of an invariant are printed.
const MOST: usize = 64;

impl Analysis for Shapes {
    fn analyse(&self, program: &Program, asked: &Asked<'_>) -> Vec<Outcome> {
        if asked.config.machine_integers {
            let reason = "the analysis takes integers for unbounded".to_owned();
            return vec![Outcome::stopped(Stop { reason, pos: Pos::None, timeout: false })];
        }
        let options = shape::Options {
            malloc_may_fail: asked.config.malloc_may_fail,
            deadline: Some(asked.deadline),
            cancelled: Arc::clone(asked.cancelled),
            executed: Arc::clone(&asked.progress.symbolic),
            ..shape::Options::default()
        };
        let start = asked.contract.map(|contract| &contract.start);
        let found =
            shape::analyse_all_from(program, asked.entry, start, &options, asked.properties);
        found.iter().map(|outcome| outcome_of(outcome, program, asked)).collect()
    }
}

fn outcome_of(found: &shape::Outcome, program: &Program, asked: &Asked<'_>) -> Outcome {
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
        let mut disjuncts: Vec<String> =
            states.map(|state| names.state(state, invariant.site.proc)).collect();
        disjuncts.sort();
        disjuncts.dedup();
        let (proc, loc) = (invariant.site.proc, invariant.site.at);
        let decl = program.procs.get(proc.index());
        let facts = decl.map_or_else(Vec::new, |decl| {
            invariant.states.iter().map(|state| facts::of(state, decl)).collect()
        });
        Invariant { proc, loc, pos: invariant.pos, disjuncts, facts }
    });
    let invariants = invariants.collect();
    let (definitions, steps) = (names.definitions(), found.steps);
    let paths = PathStats::default();
    Outcome { complete, faults, invariants, definitions, steps, paths }
}
