//! The engines behind `lancehead prove`, as one analysis: shapes first, and spatial interpolants for what is left.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heap::Program;
use heap::run::FaultKind;
use infer::analysis::{Analysis, Asked, Invariant, Outcome, PossibleFault, Stop};
use infer::shapes::Shapes;
use infer::verdict::PathStats;
use prove::art::{Art, Options, Verdict};
use report::Pos;

/// The shape analysis, then [ABCK15].
#[derive(Clone, Debug, Default)]
pub struct Portfolio {
    /// Z3, if it is known where it is: some Horn clauses are solved by it.
    pub solver: Option<PathBuf>,
}

impl Analysis for Portfolio {
    fn analyse(&self, program: &Program, asked: &Asked<'_>) -> Vec<Outcome> {
        let now = Instant::now();
        let half = now + asked.deadline.saturating_duration_since(now) / 2;
        let mut outcomes = Shapes.analyse(program, &Asked { deadline: half, ..asked.clone() });
        let mut open = asked.properties.iter().filter(|property| {
            // Lost memory is not followed by the other engine.
            FaultKind::Leak.property() != Some(**property)
                && !outcomes.iter().any(|outcome| outcome.proves(**property))
        });
        if open.next().is_some() {
            outcomes.push(interpolants(program, asked, self.solver.clone()));
        }
        outcomes
    }
}

/// A proof by spatial interpolants alone.
#[must_use]
pub fn interpolants(program: &Program, asked: &Asked<'_>, solver: Option<PathBuf>) -> Outcome {
    let stopped = |reason: &str, pos, timeout| {
        Outcome::stopped(Stop { reason: reason.to_owned(), pos, timeout })
    };
    if asked.config.machine_integers {
        return stopped("the analysis takes integers for unbounded", Pos::None, false);
    }
    let has_contract = program.procs.iter().any(|proc| {
        let locations = proc.body.iter().flat_map(|body| &body.locations);
        !proc.requires.is_empty()
            || !proc.ensures.is_empty()
            || locations.into_iter().any(|location| !location.invariants.is_empty())
    });
    if has_contract {
        return stopped("contracts are not read by this engine", Pos::None, false);
    }
    let cfg = match prove::program::translate(program, asked.entry, asked.config.malloc_may_fail) {
        Ok(cfg) => cfg,
        Err(reason) => return stopped(&reason, Pos::None, false),
    };
    let options =
        Options { deadline: Some(asked.deadline), cancelled: Arc::clone(asked.cancelled), solver };
    let mut art = Art::new(&cfg, &options);
    let verdict = art.run();
    let paths = PathStats {
        proved: art.stats.paths,
        spatial: art.stats.spatial,
        theory: art.stats.theory,
        ..PathStats::default()
    };
    asked.progress.paths.fetch_add(art.stats.paths, Ordering::Relaxed);
    asked.progress.proved.fetch_add(art.stats.paths, Ordering::Relaxed);
    asked.progress.covered.fetch_add(art.stats.covered, Ordering::Relaxed);
    // How far it got is said of an answer that is none, too.
    let far = |outcome: Outcome| Outcome { steps: art.stats.paths, paths, ..outcome };
    match verdict {
        Verdict::Safe => {}
        Verdict::Open { reason, node } => {
            let pos = cfg.nodes.get(node).map_or(Pos::None, |node| node.pos);
            return far(stopped(&format!("{reason}: no proof of a path excludes it"), pos, false));
        }
        Verdict::Stopped { reason, timeout } => return far(stopped(&reason, Pos::None, timeout)),
    }
    let mut invariants = Vec::new();
    for (loc, disjuncts) in art.invariants() {
        let Some(node) = cfg.nodes.get(loc) else { continue };
        let conjunction = |all: Vec<String>| match all.as_slice() {
            [] => "true".to_owned(),
            [one] => one.clone(),
            many => many.iter().map(|one| format!("({one})")).collect::<Vec<_>>().join(" && "),
        };
        let disjuncts = disjuncts.into_iter().map(conjunction).collect();
        let (proc, loc, pos) = (node.proc, node.loc, node.pos);
        // Formulas are text; what they say of variables nobody reads off.
        let facts = vec![Vec::new()];
        let pictures = Vec::new();
        invariants.push(Invariant { proc, loc, pos, disjuncts, pictures, facts });
    }
    // Formulas are meant with `* true`, so what is lost is not seen.
    let lost = PossibleFault {
        kind: FaultKind::Leak,
        cuts: false,
        proc: asked.entry,
        loc: heap::LocId(0),
        pos: Pos::None,
        what: "memory may be lost".to_owned(),
        heap: String::new(),
    };
    let steps = art.stats.paths;
    let (definitions, checked) = (Vec::new(), None);
    Outcome { complete: Ok(()), faults: vec![lost], invariants, definitions, steps, paths, checked }
}
