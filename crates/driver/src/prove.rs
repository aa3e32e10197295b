//! The engines behind `lancehead prove`, as one analysis: spatial interpolants and shapes, the quick ways first.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use heap::Program;
use heap::run::{Config, End, FaultKind, Inputs, Property, Run};
use infer::analysis::{Analysis, Asked, Invariant, Outcome, PossibleFault, Stop};
use infer::facts::Fact;
use infer::shapes::Shapes;
use infer::verdict::PathStats;
use prove::art::{Art, Options, Verdict};
use prove::program::Setting;
use report::Pos;

/// Spatial interpolants for a moment, the shape analysis, then [ABCK15] for what is left.
#[derive(Clone, Debug, Default)]
pub struct Portfolio {
    /// Z3, if it is known where it is: some Horn clauses are solved by it.
    pub solver: Option<PathBuf>,
}

/// Steps of a run with inputs of a path.
const MOST_STEPS: u64 = 1_000_000;
/// How long interpolants are tried first.
const QUICK_TIME: Duration = Duration::from_millis(400);

impl Analysis for Portfolio {
    fn analyse(&self, program: &Program, asked: &Asked<'_>) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        let refuted = |outcomes: &[Outcome]| -> Vec<Property> {
            let inputs = outcomes.iter().flat_map(|outcome| &outcome.inputs);
            inputs.filter_map(|inputs| violated(program, asked, inputs)).collect()
        };
        let is_open = |outcomes: &[Outcome]| {
            let wrong = refuted(outcomes);
            // Behind a memory error nothing is proved.
            let known = |p: &Property| {
                wrong.contains(p) || outcomes.iter().any(|outcome| outcome.proves(*p))
            };
            !wrong.contains(&Property::MemSafety) && !asked.properties.iter().all(known)
        };
        let mut quick = false;
        let now = Instant::now();
        let left = asked.deadline.saturating_duration_since(now);
        // What is to be checked must come from the analysis that the check reads.
        if !asked.check {
            let soon = Asked { deadline: now + QUICK_TIME.min(left / 10), ..asked.clone() };
            let outcome = interpolants(program, &soon, None);
            quick = outcome.complete.is_ok() || !outcome.inputs.is_empty();
            if quick {
                outcomes.push(outcome);
            }
        }
        if is_open(&outcomes) {
            let half = now + left / 2;
            outcomes.extend(Shapes.analyse(program, &Asked { deadline: half, ..asked.clone() }));
        }
        // What the quick look has proved, or found feasible, it would prove or find again.
        if is_open(&outcomes) && !quick {
            outcomes.push(interpolants(program, asked, Some(self.solver.clone())));
        }
        outcomes
    }
}

/// A proof by spatial interpolants alone; without anything about a solver, a quick one.
#[must_use]
pub fn interpolants(
    program: &Program,
    asked: &Asked<'_>,
    solver: Option<Option<PathBuf>>,
) -> Outcome {
    let stopped = |reason: &str, pos, timeout| {
        Outcome::stopped(Stop { reason: reason.to_owned(), pos, timeout })
    };
    let has_contract = asked.contract.is_some()
        || program.procs.iter().any(|proc| {
            let locations = proc.body.iter().flat_map(|body| &body.locations);
            !proc.requires.is_empty()
                || !proc.ensures.is_empty()
                || locations.into_iter().any(|location| !location.invariants.is_empty())
        });
    if has_contract {
        return stopped("contracts are not read by this engine", Pos::None, false);
    }
    let setting = Setting {
        malloc_may_fail: asked.config.malloc_may_fail,
        library: asked.library,
        machine_integers: asked.config.machine_integers,
    };
    let cfg = match prove::program::translate(program, asked.entry, setting) {
        Ok(cfg) => cfg,
        Err(reason) => return stopped(&reason, Pos::None, false),
    };
    let options = Options {
        deadline: Some(asked.deadline),
        cancelled: Arc::clone(asked.cancelled),
        quick: solver.is_none(),
        solver: solver.flatten(),
    };
    let mut art = Art::new(&cfg, &options);
    let verdict = art.run();
    let paths = PathStats {
        proved: art.stats.paths,
        spatial: art.stats.spatial,
        theory: art.stats.theory,
        entailments: art.stats.entailments,
    };
    asked.progress.paths.fetch_add(art.stats.paths, Ordering::Relaxed);
    asked.progress.proved.fetch_add(art.stats.paths, Ordering::Relaxed);
    asked.progress.covered.fetch_add(art.stats.covered, Ordering::Relaxed);
    // How far it got is said of an answer that is none, too.
    let far = |outcome: Outcome| Outcome { steps: art.stats.paths, paths, ..outcome };
    match verdict {
        Verdict::Safe => {}
        Verdict::Open { reason, node, inputs } => {
            let pos = cfg.nodes.get(node).map_or(Pos::None, |node| node.pos);
            let reason = format!("{reason}: no proof of a path excludes it");
            let inputs = inputs.into_iter().collect();
            return Outcome { inputs, ..far(stopped(&reason, pos, false)) };
        }
        Verdict::Stopped { reason, timeout } => return far(stopped(&reason, Pos::None, timeout)),
    }
    let mut invariants: Vec<Invariant> = Vec::new();
    for (loc, disjuncts) in art.invariants() {
        let Some(node) = cfg.nodes.get(loc) else { continue };
        let conjunction = |all: Vec<String>| match all.as_slice() {
            [] => "true".to_owned(),
            [one] => one.clone(),
            many => many.iter().map(|one| format!("({one})")).collect::<Vec<_>>().join(" && "),
        };
        let disjuncts: Vec<String> = disjuncts.into_iter().map(conjunction).collect();
        let (proc, at, pos) = (node.proc, node.loc, node.pos);
        let facts = art.facts(loc).into_iter().map(|all| all.into_iter().map(fact).collect());
        let facts: Vec<Vec<Fact>> = facts.collect();
        // Of a procedure that is called from several places one of its invariants holds.
        let known = |i: &&mut Invariant| i.proc == proc && i.loc == at;
        match invariants.iter_mut().find(known) {
            Some(invariant) => {
                invariant.disjuncts.extend(disjuncts);
                invariant.facts.extend(facts);
            }
            None => {
                let pictures = Vec::new();
                invariants.push(Invariant {
                    proc,
                    loc: at,
                    pos,
                    disjuncts,
                    pictures,
                    facts,
                    not_checked: None,
                });
            }
        }
    }
    let lost = PossibleFault {
        kind: FaultKind::Leak,
        cuts: false,
        proc: asked.entry,
        loc: heap::LocId(0),
        pos: Pos::None,
        what: "memory may be lost".to_owned(),
        heap: String::new(),
    };
    let faults = if art.keeps_memory() { Vec::new() } else { vec![lost] };
    let steps = art.stats.paths;
    let (definitions, checked, inputs) = (Vec::new(), None, Vec::new());
    let (complete, assumed) = (Ok(()), None);
    Outcome { inputs, complete, faults, invariants, definitions, steps, paths, checked, assumed }
}

/// The property that a run with these inputs violates.
fn violated(program: &Program, asked: &Asked<'_>, inputs: &[i128]) -> Option<Property> {
    let config = Config { max_steps: MOST_STEPS, ..asked.config.clone() };
    let program = Program { entry: Some(asked.entry), ..program.clone() };
    let run = Run::new(&program, &config, Inputs::given(inputs.iter().copied()));
    match run.end {
        End::Fault(fault) => fault.kind.property(),
        _ => None,
    }
}

fn fact(fact: prove::art::Fact) -> Fact {
    match fact {
        prove::art::Fact::Zero(sum) => Fact::Zero(sum),
        prove::art::Fact::NonNegative(sum) => Fact::NonNegative(sum),
        prove::art::Fact::NotNull(var) => Fact::NotNull(var),
    }
}
