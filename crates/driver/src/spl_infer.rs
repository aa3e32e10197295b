//! SPL programs without a proof: each procedure from its precondition on, as a heap program.
//!
//! An analysis proves. What it leaves open is looked for by runs: `rac` finds small heaps in which a precondition holds,
//! and the interpreter of heap programs runs on them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use heap::run::Property;
use heap::{ProcId, Program};
use infer::Options;
use infer::analysis::{Analysis, Asked, NoAnalysis, Outcome, Stop};
use infer::contract::{self, Contract};
use infer::verdict::{Report, Verdict};
use report::picture::Picture;
use report::safety::{PropertyReport, PropertyVerdict, SafetyReport, SafetyStatus};
use report::{Diagnostic, Pos, SourceMap};
use spl::core::{ProcKind, Procedure};
use spl::lower::{Lowered, Shape};

use crate::infer::{Done, Settings, drawn, drawn_invariants, safety};
use crate::spl_program::front_end;
use crate::spl_start::started;

/// So many start states are tried for what is not proved.
const STARTS: u64 = 60;
/// How long that may take for one procedure, at most and as a part of all.
const START_TIME: Duration = Duration::from_secs(2);
const START_SHARE: u32 = 4;
/// How long one start state may take.
const ONE_START: Duration = Duration::from_millis(200);

/// Asks whether the procedures of a file are safe.
pub(crate) fn infer_file(
    path: &Path,
    settings: &Settings,
    analysis: &dyn Analysis,
    cancelled: &Arc<AtomicBool>,
) -> Done {
    let start = Instant::now();
    // `new` never fails.
    let mut settings = settings.clone();
    settings.options.config.malloc_may_fail = false;
    let settings = &settings;
    let file = path.display().to_string();
    let front = front_end(path);
    let mut diagnostics = front.diagnostics;
    let invalid = |diagnostics, sources| {
        let report = SafetyReport::invalid(file.clone(), diagnostics);
        Done { report, sources, pictures: Vec::new(), harness: None, witness: None }
    };
    let Some(core) = &front.program else { return invalid(diagnostics, front.sources) };
    let lowered = spl::lower::lower(core, &front.sources);
    let wanted = match selected(core, &lowered, settings.entry.as_deref()) {
        Ok(wanted) => wanted,
        Err(problem) => {
            diagnostics.push(*problem);
            return invalid(diagnostics, front.sources);
        }
    };
    // What has no counterpart stands in the way of a proof, and only there.
    diagnostics.extend(lowered.diagnostics.iter().map(|problem| {
        let mut warning =
            Diagnostic::warning(problem.id.clone(), problem.pos, problem.message.clone());
        warning.member.clone_from(&problem.member);
        match &problem.help {
            Some(help) => warning.with_help(help.clone()),
            None => warning,
        }
    }));
    let mut asked = File { path, settings, analysis, cancelled, start, core, lowered: &lowered };
    let mut reports = Vec::new();
    let mut pictures: Vec<(String, Picture)> = Vec::new();
    for (number, (procedure, shape)) in wanted.iter().enumerate() {
        let left = (wanted.len() - number) as u32;
        let (report, drawn) = asked.procedure(procedure, shape, left, &front.sources);
        let violated = |r: &SafetyReport| r.status == SafetyStatus::Unsafe;
        // The first violation is drawn, or else the invariants.
        match reports.iter().any(|(_, r)| violated(r)) {
            false if violated(&report) => pictures = drawn,
            false => pictures.extend(drawn),
            true => {}
        }
        reports.push((procedure.name.to_string(), report));
    }
    let mut report = merged(file, reports);
    report.diagnostics = diagnostics;
    report.time = start.elapsed();
    Done { report, sources: front.sources, pictures, harness: None, witness: None }
}

/// The procedures that are meant, in the order of the source.
fn selected<'p>(
    core: &'p spl::core::Program,
    lowered: &Lowered,
    entry: Option<&str>,
) -> Result<Vec<(&'p Procedure, Shape)>, Box<Diagnostic>> {
    let error = |message: String| Box::new(Diagnostic::error("infer.entry", Pos::None, message));
    let mut all: Vec<&Procedure> = match entry {
        Some(name) => match core.procedures.get(name) {
            Some(procedure) if procedure.body.is_none() => {
                return Err(error(format!("the procedure `{name}` has no body")));
            }
            Some(procedure) if !lowered.map.procedures.contains_key(name) => {
                let message = format!("the lemma `{name}` is ghost code, which does nothing");
                return Err(Box::new(Diagnostic::error("infer.entry", procedure.span, message)));
            }
            Some(procedure) => vec![procedure],
            None => {
                let names = core.procedures.keys().map(|name| &**name);
                let problem = error(format!("there is no procedure `{name}`"));
                return Err(match viper::closest(name, names) {
                    Some(close) => Box::new(problem.with_help(format!("did you mean `{close}`?"))),
                    None => problem,
                });
            }
        },
        None => core
            .procedures
            .values()
            .filter(|p| p.body.is_some() && p.kind == ProcKind::Procedure)
            .collect(),
    };
    if all.is_empty() {
        return Err(error("there is no procedure with a body".into()));
    }
    all.sort_by_key(|p| (p.span.file, p.span.start));
    let shape = |p: &'p Procedure| Some((p, lowered.map.procedures.get(&p.name)?.clone()));
    Ok(all.into_iter().filter_map(shape).collect())
}

struct File<'a> {
    path: &'a Path,
    settings: &'a Settings,
    analysis: &'a dyn Analysis,
    cancelled: &'a Arc<AtomicBool>,
    start: Instant,
    core: &'a spl::core::Program,
    lowered: &'a Lowered,
}

impl File<'_> {
    fn procedure(
        &mut self,
        procedure: &Procedure,
        shape: &Shape,
        left: u32,
        sources: &SourceMap,
    ) -> (SafetyReport, Vec<(String, Picture)>) {
        let program = &self.lowered.program;
        // Time is for all procedures.
        let timeout = self
            .settings
            .options
            .timeout
            .map(|all| all.saturating_sub(self.start.elapsed()) / left.max(1));
        let options = Options { timeout, ..self.settings.options.clone() };
        let mut report = self.analyse(program, shape.id, &options);
        let mut shown: Option<(Program, u64)> = None;
        let open = |report: &Report| {
            let unknown = |(_, v): &&(Property, Verdict)| matches!(v, Verdict::Unknown(_));
            report.properties.iter().filter(unknown).map(|(p, _)| *p).collect::<Vec<Property>>()
        };
        if !open(&report).is_empty() {
            let all = timeout.unwrap_or(START_TIME * START_SHARE);
            let until = Instant::now() + START_TIME.min(all / START_SHARE);
            for seed in 0..STARTS {
                let missing = open(&report);
                let stop = self.cancelled.load(Ordering::Relaxed) || Instant::now() > until;
                if missing.is_empty() || stop {
                    break;
                }
                let Some((started, found)) = self.run(procedure, shape, seed, missing, &options)
                else {
                    continue;
                };
                for (property, verdict) in found.properties {
                    let place = report.properties.iter_mut().find(|(p, _)| *p == property);
                    if let (Verdict::Unsafe(_), Some(place)) = (&verdict, place) {
                        place.1 = verdict;
                        shown.get_or_insert((started.clone(), seed));
                    }
                }
            }
        }
        let seed = shown.as_ref().map_or(0, |(_, seed)| *seed);
        let program = shown.as_ref().map_or(program, |(program, _)| program);
        let first = report.properties.iter().find_map(|(_, verdict)| match verdict {
            Verdict::Unsafe(violation) => Some(&**violation),
            _ => None,
        });
        let pictures = match first {
            Some(violation) => drawn(violation, program, sources),
            None => drawn_invariants(program, &report, sources),
        };
        let (path, name) = (self.path.display().to_string(), &procedure.name);
        let replay = format!("lancehead run {path} --member {name} --seed {seed} --runs 1");
        let file = self.path.display().to_string();
        let report = safety(file, program, report, Vec::new(), self.settings, &|_| replay.clone());
        (report, pictures)
    }

    fn analyse(&self, program: &Program, entry: ProcId, options: &Options) -> Report {
        let read = contract::read(program, entry);
        let stopped;
        let (contract, analysis): (Option<Contract>, &dyn Analysis) = match read {
            Ok(contract) => (contract, self.analysis),
            Err(problem) => {
                let written = program.proc(entry).requires.first().map_or(Pos::None, |f| f.pos);
                let unsaid = program.proc(entry).requires.iter().find_map(|f| f.in_logic().err());
                let pos = unsaid.map_or(written, |(_, pos)| pos);
                let reason = format!("the precondition is not understood: {}", problem.message);
                stopped = NotUnderstood { reason, pos };
                (None, &stopped)
            }
        };
        let mut report =
            infer::infer(program, entry, contract.as_ref(), options, analysis, self.cancelled);
        // An analysis that starts with less than the precondition may find faults that there are not.
        if let Some((what, _)) = program.proc(entry).requires.iter().find_map(|f| f.missing()) {
            for (_, verdict) in &mut report.properties {
                if let Verdict::Unknown(unknown) = verdict {
                    unknown
                        .reason
                        .push_str(&format!("; of the precondition it does not use {what}"));
                }
            }
        }
        report
    }

    /// A run from a state in which the precondition holds beyond doubt.
    fn run(
        &self,
        procedure: &Procedure,
        shape: &Shape,
        seed: u64,
        properties: Vec<Property>,
        options: &Options,
    ) -> Option<(Program, Report)> {
        let size = 1 + (seed % 5) as u32;
        let config = rac::Config { seed, size, modular: false, steps: 20_000 };
        let ran = rac::run(self.core, procedure, &config);
        let state = ran.start.as_ref().filter(|_| !ran.doubtful_start)?;
        let started = started(self.lowered, shape, state)?;
        let entry = started.program.entry?;
        let options =
            Options { properties, timeout: Some(ONE_START), check: false, ..options.clone() };
        let found =
            infer::infer(&started.program, entry, None, &options, &NoAnalysis, self.cancelled);
        Some((started.program, found))
    }
}

/// A precondition that the analysis cannot start with.
struct NotUnderstood {
    reason: String,
    pos: Pos,
}

impl Analysis for NotUnderstood {
    fn analyse(&self, _: &Program, _: &Asked<'_>) -> Vec<Outcome> {
        let (reason, pos) = (self.reason.clone(), self.pos);
        vec![Outcome::stopped(Stop { reason, pos, timeout: false })]
    }
}

/// One report for all procedures: a property holds if it holds of each.
fn merged(file: String, reports: Vec<(String, SafetyReport)>) -> SafetyReport {
    let several = reports.len() > 1;
    let mut whole = SafetyReport::invalid(file, Vec::new());
    let mut statuses = Vec::new();
    for (name, report) in reports {
        statuses.push(report.status);
        whole.assumptions = report.assumptions;
        whole.invariants.extend(report.invariants);
        for definition in report.definitions {
            if !whole.definitions.contains(&definition) {
                whole.definitions.push(definition);
            }
        }
        if let Some(check) = report.check {
            let all = whole.check.get_or_insert_default();
            all.proved += check.proved;
            all.open.extend(check.open);
        }
        match whole.stats.is_empty() {
            true => whole.stats = report.stats,
            false => {
                whole.stats.iter_mut().zip(&report.stats).for_each(|(a, b)| a.1 += b.1);
            }
        }
        for mut property in report.properties {
            if several && property.verdict != PropertyVerdict::Safe {
                property.reason = format!("in `{name}`: {}", property.reason);
            }
            match whole.properties.iter_mut().find(|p| p.property == property.property) {
                None => whole.properties.push(property),
                Some(known) if rank(&property) > rank(known) => *known = property,
                Some(known) if rank(&property) == rank(known) => {
                    known.possible.extend(property.possible);
                }
                Some(_) => {}
            }
        }
    }
    let has = |status| statuses.contains(&status);
    let order = [
        SafetyStatus::Unsafe,
        SafetyStatus::InternalError,
        SafetyStatus::Unknown,
        SafetyStatus::Timeout,
    ];
    whole.status = order.into_iter().find(|s| has(*s)).unwrap_or(SafetyStatus::Safe);
    whole
}

fn rank(property: &PropertyReport) -> u8 {
    match property.verdict {
        PropertyVerdict::Safe => 0,
        PropertyVerdict::Unknown => 1,
        PropertyVerdict::Unsafe => 2,
    }
}
