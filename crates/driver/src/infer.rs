//! C and heap programs without annotations: from a file to verdicts on its safety.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use heap::run::{Fault, FaultKind, Property};
use heap::{ProcId, Program};
use infer::Options;
use infer::analysis::Analysis;
use infer::contract;
use infer::verdict::{self, Evidence, Report, Verdict, Violation};
use report::picture::Picture;
use report::safety::{
    InvariantReport, PossibleFaultReport, PropertyReport, PropertyVerdict, SafetyReport,
    SafetyStatus, TraceStep, ViolationReport,
};
use report::{Diagnostic, FileId, Pos, SourceMap};

use crate::c_program;

/// What is asked of each file.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The C that is read.
    pub c: c::Options,
    /// Where it starts, if not at `main`.
    pub entry: Option<String>,
    /// Properties and limits.
    pub options: Options,
    /// Are numbers wanted?
    pub stats: bool,
}

/// What is known of a file in the end.
#[derive(Debug)]
pub struct Done {
    /// All of it.
    pub report: SafetyReport,
    /// What its positions point into.
    pub sources: SourceMap,
    /// Pictures of the heaps in which violations end.
    pub pictures: Vec<Picture>,
}

pub use infer::shapes::Shapes;

/// C programs nest deeper than a usual stack allows.
const STACK: usize = 512 << 20;

/// Asks whether the program in a file is safe.
pub fn infer_file(
    path: &Path,
    settings: &Settings,
    analysis: &dyn Analysis,
    cancelled: &Arc<AtomicBool>,
) -> Done {
    let start = Instant::now();
    let (loaded, sources) = c_program::load(path, settings.c);
    let name = path.display().to_string();
    let mut diagnostics = loaded.diagnostics;
    let found = loaded.program.and_then(|program| {
        let entry = entry(&program, settings.entry.as_deref());
        let read = entry.and_then(|entry| Ok((entry, contract::read(&program, entry)?)));
        match read {
            Ok((entry, contract)) => {
                diagnostics.extend(unused_contracts(&program, entry));
                Some((program, entry, contract))
            }
            Err(problem) => {
                diagnostics.push(*problem);
                None
            }
        }
    });
    let mut pictures = Vec::new();
    let mut report = match found {
        None => SafetyReport::invalid(name, diagnostics),
        Some((program, entry, contract)) => {
            let (contract, options) = (contract.as_ref(), &settings.options);
            let report = infer::infer(&program, entry, contract, options, analysis, cancelled);
            for (_, verdict) in &report.properties {
                if let Verdict::Unsafe(violation) = verdict {
                    pictures.push(violation.run.picture(&program));
                }
            }
            safety(name, &program, report, diagnostics, settings)
        }
    };
    report.time = start.elapsed();
    Done { report, sources, pictures }
}

/// Asks it of many files, so many at a time. `done` is called for each, in their order.
pub fn infer_files(
    files: &[PathBuf],
    jobs: usize,
    settings: &Settings,
    analysis: &dyn Analysis,
    cancelled: &Arc<AtomicBool>,
    begun: &(dyn Fn(&Path) + Sync),
    mut done: impl FnMut(Done),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, files.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while let Some((number, path)) = {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    files.get(number).map(|path| (number, path))
                } {
                    begun(path);
                    if sender
                        .send((number, infer_file(path, settings, analysis, cancelled)))
                        .is_err()
                    {
                        return;
                    }
                }
            };
            if std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work.clone())
                .is_err()
            {
                work();
            }
        }
        drop(sender);
        let mut waiting: Vec<Option<Done>> = files.iter().map(|_| None).collect();
        let mut shown = 0;
        for (number, result) in receiver {
            if let Some(place) = waiting.get_mut(number) {
                *place = Some(result);
            }
            while let Some(result) = waiting.get_mut(shown).and_then(Option::take) {
                done(result);
                shown += 1;
            }
        }
    });
}

/// Where the program starts.
fn entry(program: &Program, named: Option<&str>) -> Result<ProcId, Box<Diagnostic>> {
    let error = |message: String| Box::new(Diagnostic::error("infer.entry", Pos::None, message));
    let defined = || {
        let own = program.procs.iter().filter(|p| p.body.is_some() && p.pos != Pos::None);
        let names: Vec<&str> = own.map(|p| p.name.as_str()).take(8).collect();
        if names.is_empty() {
            "there is no function with a body".to_owned()
        } else {
            format!("functions with a body are {}", names.join(", "))
        }
    };
    let Some(name) = named else {
        return program.entry.ok_or_else(|| {
            let help = format!("--entry says where to start; {}", defined());
            Box::new(error("there is no function `main`".into()).with_help(help))
        });
    };
    let Some(id) = program.find(name) else {
        let message = format!("there is no function `{name}`");
        return Err(Box::new(error(message).with_help(defined())));
    };
    if program.proc(id).body.is_none() {
        return Err(error(format!("the function `{name}` has no body")));
    }
    Ok(id)
}

/// Contracts of other functions: they are analysed for what they are called with.
fn unused_contracts(program: &Program, entry: ProcId) -> Vec<Diagnostic> {
    let others = program.procs.iter().enumerate().filter(|(i, _)| *i != entry.index());
    let contracts = others.filter_map(|(_, proc)| {
        let formula = proc.requires.first().or(proc.ensures.first())?;
        let start = &program.proc(entry).name;
        let message = format!(
            "the contract of `{}` is not used: the analysis starts at `{start}`",
            proc.name
        );
        let help = format!("--entry {} starts there", proc.name);
        Some(Diagnostic::warning("infer.contract", formula.pos, message).with_help(help))
    });
    contracts.collect()
}

fn safety(
    file: String,
    program: &Program,
    report: Report,
    diagnostics: Vec<Diagnostic>,
    settings: &Settings,
) -> SafetyReport {
    let function = |proc: ProcId| program.procs.get(proc.index()).map_or("?", |p| p.name.as_str());
    let invariants = report
        .invariants
        .into_iter()
        .map(|i| InvariantReport {
            pos: i.pos,
            function: function(i.proc).to_owned(),
            disjuncts: i.disjuncts,
        })
        .collect();
    let properties: Vec<PropertyReport> =
        report.properties.into_iter().map(|(p, v)| property(p, v, program)).collect();
    let has = |verdict| properties.iter().any(|p| p.verdict == verdict);
    let status = if has(PropertyVerdict::Unsafe) {
        SafetyStatus::Unsafe
    } else if !has(PropertyVerdict::Unknown) {
        SafetyStatus::Safe
    } else if report.timeout {
        SafetyStatus::Timeout
    } else {
        SafetyStatus::Unknown
    };
    let config = &settings.options.config;
    let mut assumptions = Vec::new();
    if !config.machine_integers {
        assumptions.push("integers are unbounded");
    }
    if !config.malloc_may_fail {
        assumptions.push("allocation succeeds");
    }
    let stats = if settings.stats {
        let stats = report.stats;
        vec![
            ("runs", stats.runs),
            ("steps", stats.steps),
            ("search_ms", stats.search.as_millis() as u64),
            ("analysis_ms", stats.analysis.as_millis() as u64),
            ("symbolic_steps", stats.analysis_steps),
        ]
    } else {
        Vec::new()
    };
    let time = std::time::Duration::ZERO;
    let definitions = report.definitions;
    SafetyReport {
        file,
        status,
        time,
        properties,
        invariants,
        definitions,
        diagnostics,
        assumptions,
        stats,
    }
}

fn property(property: Property, verdict: Verdict, program: &Program) -> PropertyReport {
    let name = verdict::name(property);
    let known = |verdict, reason, violation| PropertyReport {
        property: name,
        verdict,
        reason,
        possible: Vec::new(),
        violation,
    };
    match verdict {
        Verdict::Safe(Evidence::Invariants) => {
            let reason = match property {
                Property::MemSafety => "no dereference and no free can fail",
                Property::MemTrack => "no memory can be lost",
                Property::Reach => "no assertion can fail",
            };
            known(PropertyVerdict::Safe, reason.to_owned(), None)
        }
        Verdict::Safe(Evidence::SoleRun(steps)) => {
            let reason =
                format!("it has no inputs, and its only run of {steps} steps is as it should be");
            known(PropertyVerdict::Safe, reason, None)
        }
        Verdict::Unsafe(violation) => {
            let reason = violation.fault.kind.to_string();
            known(PropertyVerdict::Unsafe, reason, Some(self::violation(*violation, program)))
        }
        Verdict::Unknown(unknown) => PropertyReport {
            property: name,
            verdict: PropertyVerdict::Unknown,
            reason: unknown.reason,
            possible: unknown
                .possible
                .into_iter()
                .map(|f| PossibleFaultReport { pos: f.pos, what: f.what, heap: f.heap })
                .collect(),
            violation: None,
        },
    }
}

fn violation(violation: Violation, program: &Program) -> ViolationReport {
    let heap = report::picture::text(&violation.run.picture(program));
    let function = |proc: ProcId| {
        program.procs.get(proc.index()).map_or_else(|| "?".to_owned(), |p| p.name.clone())
    };
    ViolationReport {
        kind: violation.kind(),
        fault: fault(&violation, program),
        inputs: violation.inputs.iter().map(|drawn| drawn.value.to_string()).collect(),
        steps: violation.run.steps,
        omitted: violation.trace.omitted,
        trace: violation
            .trace
            .steps
            .into_iter()
            .map(|step| TraceStep {
                number: step.number,
                pos: step.pos,
                function: function(step.proc),
                state: step.changes,
            })
            .collect(),
        heap,
    }
}

/// The fault with its places.
fn fault(violation: &Violation, program: &Program) -> Diagnostic {
    diagnostic(&violation.fault, &violation.run, program)
}

/// A fault of a run as a diagnostic: what, where, the object that it is about, and the callers.
#[must_use]
pub fn diagnostic(fault: &Fault, ended: &heap::run::Run, program: &Program) -> Diagnostic {
    let mut message = fault.kind.to_string();
    if !fault.details.is_empty() {
        message.push_str(": ");
        message.push_str(&fault.details);
    }
    let mut diagnostic = Diagnostic::error(fault.kind.as_str(), fault.pos, message);
    if let Some(object) = fault.object.and_then(|number| ended.memory.object(number))
        && object.pos != Pos::None
    {
        diagnostic = diagnostic.with_label(object.pos, "the object was made here");
    }
    // At a leak nothing is active that led to it.
    if fault.kind != FaultKind::Leak {
        for caller in fault.stack.iter().skip(1) {
            let name = program.procs.get(caller.proc.index()).map_or("?", |p| p.name.as_str());
            diagnostic = diagnostic.with_label(caller.pos, format!("called in `{name}`"));
        }
    }
    diagnostic
}

/// The file that the user named.
#[must_use]
pub fn main_file(done: &Done) -> Option<FileId> {
    done.sources.files().next().map(|(id, _)| id)
}
