//! C, heap and SPL programs: from a file to verdicts on its safety.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use evidence::witness::Task;
use heap::run::{Config, Fault, FaultKind, Property};
use heap::{ProcId, Program};
use infer::Options;
use infer::analysis::Analysis;
use infer::contract;
use infer::verdict::{self, Evidence, Report, Verdict, Violation};
use report::picture::Picture;
use report::safety::{
    CheckReport, ContractReport, InvariantReport, PossibleFaultReport, PropertyReport,
    PropertyVerdict, SafetyReport, SafetyStatus, TraceStep, ViolationReport,
};
use report::{Diagnostic, FileId, Pos, SourceMap};

use crate::c_program::{self, is_heap_text};
use crate::library;
use crate::spl_infer;
use crate::spl_program::is_spl;

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
    /// Is a C test wanted for the first violation?
    pub harness: bool,
    /// Is a witness wanted for the verdict?
    pub witness: bool,
}

/// What is known of a file in the end.
#[derive(Debug)]
pub struct Done {
    /// All of it.
    pub report: SafetyReport,
    /// What its positions point into.
    pub sources: SourceMap,
    /// The heap between the last steps of the first violation, and at its end, each with a title. Without a
    /// violation, the invariants of loops, one disjunct after the other.
    pub pictures: Vec<(String, Picture)>,
    /// A C test for the first violation, if it was asked for.
    pub harness: Option<String>,
    /// A witness for the first violation, or for all properties if they hold, if it was asked for.
    pub witness: Option<String>,
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
    if is_spl(path) {
        return spl_infer::infer_file(path, settings, analysis, cancelled);
    }
    let start = Instant::now();
    let (loaded, sources) = c_program::load(path, settings.c);
    let name = path.display().to_string();
    let diagnostics = loaded.diagnostics;
    let Some(program) = loaded.program else {
        let report =
            SafetyReport { time: start.elapsed(), ..SafetyReport::invalid(name, diagnostics) };
        return Done { report, sources, pictures: Vec::new(), harness: None, witness: None };
    };
    let functions = library::functions(&program);
    if settings.entry.is_some() || program.entry.is_some() || functions.is_empty() {
        let mut done =
            infer_program(path, program, sources, diagnostics, settings, analysis, cancelled);
        done.report.time = start.elapsed();
        return done;
    }
    let mut diagnostics = diagnostics;
    if settings.witness {
        let message = "without `main` it is a library: a witness is for one function, `--entry f`";
        diagnostics.push(Diagnostic::warning("infer.library", Pos::None, message));
    }
    // Without `main` it is a library. All functions share the time.
    let mut reports = Vec::new();
    let mut pictures = Vec::new();
    let mut harness = None;
    for (i, id) in functions.iter().enumerate() {
        let function = program.proc(*id).name.clone();
        let left = settings.options.timeout.map(|all| all.saturating_sub(start.elapsed()));
        let timeout = left.map(|left| left / (functions.len() - i) as u32);
        let options = Options { timeout, ..settings.options.clone() };
        let entry = Some(function.clone());
        let settings = Settings { entry, options, witness: false, ..settings.clone() };
        let own = if i == 0 { diagnostics.clone() } else { Vec::new() };
        let (program, sources) = (program.clone(), sources.clone());
        let done = infer_program(path, program, sources, own, &settings, analysis, cancelled);
        pictures.extend(done.pictures);
        // The test of the first violation.
        harness = harness.or(done.harness);
        reports.push((function, done.report));
    }
    let report =
        library::merged(reports).unwrap_or_else(|| SafetyReport::invalid(name, Vec::new()));
    let report = SafetyReport { time: start.elapsed(), ..report };
    Done { report, sources, pictures, harness, witness: None }
}

/// Asks whether a program is safe from its entry on.
fn infer_program(
    path: &Path,
    program: Program,
    sources: SourceMap,
    mut diagnostics: Vec<Diagnostic>,
    settings: &Settings,
    analysis: &dyn Analysis,
    cancelled: &Arc<AtomicBool>,
) -> Done {
    let name = path.display().to_string();
    let entry = entry(&program, settings.entry.as_deref());
    let read = entry.and_then(|entry| Ok((entry, contract::read(&program, entry)?)));
    let found = match read {
        Ok((entry, contract)) => {
            // In a library they are used where they are.
            if program.entry.is_some() {
                diagnostics.extend(unused_contracts(&program, entry));
            }
            Some((program, entry, contract))
        }
        Err(problem) => {
            diagnostics.push(*problem);
            None
        }
    };
    let mut pictures = Vec::new();
    let (mut harness, mut witness) = (None, None);
    let report = match found {
        None => SafetyReport::invalid(name, diagnostics),
        Some((program, entry, contract)) => {
            let (contract, options) = (contract.as_ref(), &settings.options);
            let report = infer::infer(&program, entry, contract, options, analysis, cancelled);
            // What is asked about starts where it was asked.
            let program = Program { entry: Some(entry), ..program };
            let first = report.properties.iter().find_map(|(_, verdict)| match verdict {
                Verdict::Unsafe(violation) => Some(&**violation),
                _ => None,
            });
            pictures = match first {
                Some(violation) => drawn(violation, &program, &sources),
                None => drawn_invariants(&program, &report, &sources),
            };
            // A heap program as text is no C.
            let file = sources.files().next().map(|(id, _)| id).filter(|_| !is_heap_text(path));
            if let Some(main_file) = file {
                let created = std::time::SystemTime::now();
                let task = Task { program: &program, sources: &sources, main_file, created };
                harness = first.filter(|_| settings.harness).and_then(|violation| {
                    evidence::harness::harness(&program, violation, &sources, main_file)
                });
                witness = if settings.witness { self::witness(task, &report, first) } else { None };
            }
            let replay = |violation: &Violation| replay(violation, path, settings);
            safety(name, &program, report, diagnostics, settings, &replay)
        }
    };
    Done { report, sources, pictures, harness, witness }
}

/// Invariants as pictures: each disjunct of each loop, with its formula.
pub(crate) fn drawn_invariants(
    program: &Program,
    report: &Report,
    sources: &SourceMap,
) -> Vec<(String, Picture)> {
    let mut all = Vec::new();
    for invariant in &report.invariants {
        let line = invariant.pos.span().and_then(|span| {
            let file = sources.get(span.file)?;
            Some(file.presumed(span.start).1.line)
        });
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        let name = program.procs.get(invariant.proc.index()).map_or("?", |p| p.name.as_str());
        let count = invariant.disjuncts.len();
        for (i, (text, picture)) in invariant.disjuncts.iter().zip(&invariant.pictures).enumerate()
        {
            let title = format!("{name}{line}, {} of {count}: {text}", i + 1);
            all.push((title, picture.clone()));
        }
    }
    all
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
///
/// # Errors
///
/// That there is no such function, or that it has no body.
pub fn entry(program: &Program, named: Option<&str>) -> Result<ProcId, Box<Diagnostic>> {
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

pub(crate) fn safety(
    file: String,
    program: &Program,
    report: Report,
    diagnostics: Vec<Diagnostic>,
    settings: &Settings,
    replay: &dyn Fn(&Violation) -> String,
) -> SafetyReport {
    let function = |proc: ProcId| program.procs.get(proc.index()).map_or("?", |p| p.name.as_str());
    let invariants = report
        .invariants
        .into_iter()
        .map(|i| InvariantReport {
            pos: i.pos,
            function: function(i.proc).to_owned(),
            disjuncts: i.disjuncts,
            not_checked: i.not_checked,
        })
        .collect();
    let mut properties: Vec<PropertyReport> =
        report.properties.into_iter().map(|(p, v)| property(p, v, program, replay)).collect();
    if let Some(assumed) = &report.assumed {
        let name = &program.proc(assumed.proc).name;
        for property in properties.iter_mut().filter(|p| p.verdict == PropertyVerdict::Safe) {
            let when = format!(", if `{name}` is called as its precondition says");
            property.reason.push_str(&when);
        }
    }
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
            ("paths", stats.paths.proved),
            ("entailments", stats.paths.entailments),
            ("spatial_ms", stats.paths.spatial.as_millis() as u64),
            ("theory_ms", stats.paths.theory.as_millis() as u64),
        ]
    } else {
        Vec::new()
    };
    let time = std::time::Duration::ZERO;
    let contracts = report.assumed.iter().map(|assumed| ContractReport {
        pos: program.proc(assumed.proc).pos,
        function: program.proc(assumed.proc).name.clone(),
        requires: assumed.requires.clone(),
        ensures: assumed.ensures.clone(),
    });
    let contracts = contracts.collect();
    let definitions = report.definitions;
    let check = report.checked.map(|check| CheckReport {
        proved: check.proved,
        open: check
            .open
            .into_iter()
            .map(|open| (open.pos, function(open.proc).to_owned(), open.what))
            .collect(),
    });
    SafetyReport {
        file,
        status,
        time,
        properties,
        invariants,
        definitions,
        check,
        contracts,
        diagnostics,
        assumptions,
        stats,
    }
}

fn property(
    property: Property,
    verdict: Verdict,
    program: &Program,
    replay: &dyn Fn(&Violation) -> String,
) -> PropertyReport {
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
            let replay = replay(&violation);
            let violation = self::violation(*violation, program, replay);
            known(PropertyVerdict::Unsafe, reason, Some(violation))
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

/// A witness for the first violation, or for all properties if they hold.
fn witness(task: Task<'_>, report: &Report, first: Option<&Violation>) -> Option<String> {
    if let Some(violation) = first {
        return evidence::witness::violation(task, violation);
    }
    let safe = report.properties.iter().all(|(_, v)| matches!(v, Verdict::Safe(_)));
    let properties: Vec<Property> = report.properties.iter().map(|(p, _)| *p).collect();
    safe.then(|| evidence::witness::correctness(task, &properties, &report.invariants))?
}

/// The command that runs a violation again.
fn replay(violation: &Violation, path: &Path, settings: &Settings) -> String {
    let mut command = format!("lancehead run {}", quoted(&path.display().to_string()));
    let config = &violation.config;
    if let Some(entry) = &settings.entry {
        command.push_str(&format!(" --entry {entry}"));
    }
    if settings.c.model != heap::DataModel::default() {
        command.push_str(" --ilp32");
    }
    if config.machine_integers {
        command.push_str(" --int machine");
    }
    if config.malloc_may_fail {
        command.push_str(" --malloc-may-fail");
    }
    // It ends with the command that loses memory; what comes after it is no part of the run.
    if violation.run.steps >= config.max_steps || config.max_steps > Config::default().max_steps {
        command.push_str(&format!(" --steps {}", config.max_steps));
    }
    let inputs: Vec<String> = violation.inputs.iter().map(|d| d.value.to_string()).collect();
    if !inputs.is_empty() {
        command.push_str(&format!(" --inputs={}", inputs.join(",")));
    }
    command
}

/// A word of a command line.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The heap between the last steps, and at the end.
pub(crate) fn drawn(
    violation: &Violation,
    program: &Program,
    sources: &SourceMap,
) -> Vec<(String, Picture)> {
    let title = |number: u64, pos: Pos| {
        let span = pos.span();
        let place = span.and_then(|span| Some(sources.get(span.file)?.presumed(span.start)));
        let (file, line) = place.map_or(("", 0), |(file, at)| (file, at.line));
        let text = span.and_then(|span| sources.text(span)).unwrap_or_default();
        format!("{number}. {file}:{line}: {}", text.lines().next().unwrap_or_default().trim())
    };
    let steps = violation.trace.steps.iter();
    let mut states: Vec<(String, Picture)> = steps
        .filter_map(|step| {
            Some((format!("after {}", title(step.number, step.pos)), step.heap.clone()?))
        })
        .collect();
    let end = violation.trace.steps.last();
    let end = end.map_or_else(String::new, |step| title(step.number, step.pos));
    let fault = violation.fault.kind;
    states.push((format!("{fault}, at {end}"), violation.run.picture(program)));
    states
}

fn violation(violation: Violation, program: &Program, replay: String) -> ViolationReport {
    let heap = report::picture::text(&violation.run.picture(program));
    let function = |proc: ProcId| {
        program.procs.get(proc.index()).map_or_else(|| "?".to_owned(), |p| p.name.clone())
    };
    let object = violation.fault.object.and_then(|number| violation.run.memory.object(number));
    let made = object.map_or(Pos::None, |object| object.pos);
    ViolationReport {
        made,
        replay,
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
                heap: step.heap.as_ref().map(report::picture::text),
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
        // What makes the state that an SPL procedure starts in is nowhere in the source.
        for caller in fault.stack.iter().skip(1).filter(|caller| caller.pos != Pos::None) {
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
