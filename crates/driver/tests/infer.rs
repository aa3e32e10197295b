//! One test for each program in `tests/infer`: its verdicts, and that every violation is one.
//!
//! A comment says what is expected: `//:: infer memsafety: safe, memtrack: unsafe@12, reach: unknown`, where
//! the number is the line of the fault. `//:: entry reverse` says where the program starts, `//:: inputs 1 0` which
//! inputs the smallest run has that violates the first property that is unsafe, `//:: requires FORMULA` which
//! precondition is found, `//:: int machine` that integers are those of the target, and `//:: error ID` that the
//! program is refused. Lines `//:: invariant FORMULA` are the disjuncts of the invariant of its only loop, about variables that
//! they mention. `//:: because reach: TEXT` is a part of what is said of a property, `//:: warning ID@LINE` a warning. SPL
//! programs start at all procedures unless there is an entry. Invariants that prove something pass the check, unless
//! `//:: unchecked` says that it does not get through.

mod equivalent;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use driver::infer::{Settings, infer_file};
use heap::Program;
use heap::run::{Config, End, Inputs, Property, Run};
use infer::Options;
use libtest_mimic::{Arguments, Failed, Trial};
use report::safety::{PropertyReport, SafetyReport, SafetyStatus};
use report::{Pos, SourceMap};

fn main() -> std::process::ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/infer");
    let mut trials: Vec<Trial> = testing::files(&root, &["c", "i", "heap", "spl"])
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || check(&path))
        })
        .collect();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prove");
    for path in testing::files(examples, &["c"]) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        trials.push(Trial::test(format!("examples/prove/{name}"), move || table(&path, &name)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Those of [ABCK15, Table 1] that the shape analysis alone does not prove.
const OPEN: [&str; 4] = ["twolists", "bchunk_e", "bchunk_f", "sortedTree"];

/// A program of the table is safe, as far as that is known; with an error it is not.
fn table(path: &Path, name: &str) -> Result<(), Failed> {
    let wrong = name.ends_with("_error");
    // What is not proved takes all the time that there is.
    let seconds = if OPEN.contains(&name) { 1 } else { 20 };
    let mut settings = settings(None, seconds);
    settings.options.check = false;
    let done = infer_file(path, &settings, &driver::infer::Shapes, &Arc::default());
    let expected = match wrong {
        true => SafetyStatus::Unsafe,
        false => SafetyStatus::Safe,
    };
    let (status, reports) = (done.report.status, &done.report.properties);
    let open = matches!(status, SafetyStatus::Unknown | SafetyStatus::Timeout);
    if status == expected || (OPEN.contains(&name) && open) {
        return Ok(());
    }
    let reasons: Vec<&str> = reports.iter().map(|p| p.reason.as_str()).collect();
    Err(format!("{}: {reasons:?}", status.as_str()).into())
}

fn settings(entry: Option<String>, seconds: u64) -> Settings {
    let options = Options {
        properties: vec![Property::MemSafety, Property::MemTrack, Property::Reach],
        timeout: Some(Duration::from_secs(seconds)),
        config: Config::default(),
        progress: Arc::default(),
        check: true,
    };
    let c = c::Options::default();
    Settings { c, entry, options, stats: false, harness: false, witness: false }
}

/// What a file says of itself.
#[derive(Default)]
struct Expected {
    /// Property, verdict, and the line of the fault.
    verdicts: Vec<(String, String, Option<u32>)>,
    entry: Option<String>,
    inputs: Option<Vec<String>>,
    requires: Option<String>,
    machine: bool,
    error: Option<String>,
    invariant: Vec<String>,
    /// Property, and a part of the reason.
    because: Vec<(String, String)>,
    /// Identifiers and lines.
    warnings: Vec<(String, u32)>,
    /// Is what proves it too much for the check?
    unchecked: bool,
}

fn expected(text: &str) -> Result<Expected, Failed> {
    let mut found = Expected::default();
    for annotation in text.lines().filter_map(|line| line.trim().strip_prefix("//::")) {
        let (word, rest) = annotation.trim().split_once(' ').unwrap_or((annotation.trim(), ""));
        match word {
            "infer" => {
                for part in rest.split(',') {
                    let (property, verdict) =
                        part.split_once(':').ok_or("a verdict has a colon")?;
                    let verdict = verdict.trim();
                    let (verdict, line) = match verdict.split_once('@') {
                        Some((verdict, line)) => (verdict, Some(line.parse()?)),
                        None => (verdict, None),
                    };
                    found.verdicts.push((property.trim().into(), verdict.into(), line));
                }
            }
            "entry" => found.entry = Some(rest.trim().to_owned()),
            "inputs" => found.inputs = Some(rest.split_whitespace().map(str::to_owned).collect()),
            "invariant" => found.invariant.push(rest.trim().to_owned()),
            "because" => {
                let (property, reason) = rest.split_once(':').ok_or("a reason has a colon")?;
                found.because.push((property.trim().into(), reason.trim().into()));
            }
            "warning" => {
                let (id, at) = rest.split_once('@').ok_or("a warning has a line")?;
                found.warnings.push((id.trim().into(), at.trim().parse()?));
            }
            "unchecked" => found.unchecked = true,
            "requires" => found.requires = Some(rest.trim().to_owned()),
            "int" => found.machine = rest.trim() == "machine",
            "error" => found.error = Some(rest.trim().to_owned()),
            other => return Err(format!("nobody knows `{other}`").into()),
        }
    }
    Ok(found)
}

fn line(pos: Pos, sources: &SourceMap) -> u32 {
    let span = pos.span();
    span.and_then(|span| Some(sources.get(span.file)?.presumed(span.start).1.line)).unwrap_or(0)
}

fn check(path: &Path) -> Result<(), Failed> {
    let expected = expected(&std::fs::read_to_string(path)?)?;
    let mut settings = settings(expected.entry.clone(), 20);
    settings.options.config.machine_integers = expected.machine;
    let done = infer_file(path, &settings, &driver::infer::Shapes, &Arc::default());
    let report = &done.report;
    if let Some(id) = &expected.error {
        let found: Vec<_> = report.diagnostics.iter().map(|d| d.id.to_string()).collect();
        return match report.status == SafetyStatus::Invalid && found.contains(id) {
            true => Ok(()),
            false => Err(format!("found {found:?}, expected {id}").into()),
        };
    }
    if expected.verdicts.is_empty() {
        return Err("the program does not say what is expected".into());
    }
    for (property, verdict, at) in &expected.verdicts {
        let Some(found) = report.properties.iter().find(|p| p.property == property) else {
            return Err(format!("no verdict on {property}: {:?}", report.diagnostics).into());
        };
        let found_line = found.violation.as_ref().map(|v| line(v.fault.pos, &done.sources));
        if found.verdict.as_str() != verdict || (at.is_some() && found_line != *at) {
            return Err(format!(
                "{property}: found {} {found_line:?} ({}), expected {verdict} {at:?}",
                found.verdict.as_str(),
                found.reason
            )
            .into());
        }
    }
    for (property, because) in &expected.because {
        let found = report.properties.iter().find(|p| p.property == property);
        let reason = found.map_or("", |p| p.reason.as_str());
        if !reason.contains(because.as_str()) {
            return Err(format!("{property}: {reason}, expected {because}").into());
        }
    }
    let warned = report.diagnostics.iter();
    let warned: Vec<(String, u32)> =
        warned.map(|d| (d.id.to_string(), line(d.pos, &done.sources))).collect();
    if let Some(missing) = expected.warnings.iter().find(|w| !warned.contains(w)) {
        return Err(format!("no warning {missing:?} among {warned:?}").into());
    }
    // What rests on invariants passes a check that knows nothing of how they were found.
    let open = report.check.as_ref().map_or(&[][..], |check| &check.open);
    if open.is_empty() == expected.unchecked {
        return Err(format!("not checked: {open:?}").into());
    }
    if report.status == SafetyStatus::Safe {
        let disjuncts: usize = report.invariants.iter().map(|i| i.disjuncts.len()).sum();
        let drawn = report::picture::svg_of_states(&done.pictures);
        // Segments are drawn unlike objects; a name of a predicate is only theirs.
        let named = |title: &str| ["_ls", "_dls", "_tree"].iter().any(|word| title.contains(word));
        let segments = done.pictures.iter().any(|(title, _)| named(title));
        if done.pictures.len() != disjuncts || drawn.contains("class=\"seg\"") != segments {
            return Err(format!("{} pictures of {disjuncts} disjuncts", done.pictures.len()).into());
        }
    }
    if let Some(requires) = &expected.requires {
        let found = report.contracts.first().map(|contract| &contract.requires);
        if found != Some(requires) {
            return Err(format!("the precondition is {found:?}, expected {requires}").into());
        }
    }
    if let Some(inputs) = &expected.inputs {
        let found = report.properties.iter().find_map(|p| Some(&p.violation.as_ref()?.inputs));
        if found != Some(inputs) {
            return Err(format!("inputs {found:?}, expected {inputs:?}").into());
        }
    }
    // Where an SPL program starts is a state that was found for it.
    if path.extension().is_some_and(|e| e == "spl") {
        return Ok(());
    }
    let (loaded, _) = driver::c_program::load(path, c::Options::default());
    let mut program = loaded.program.ok_or("it was a program before")?;
    if let Some(name) = &expected.entry {
        program.entry = program.find(name);
    }
    // Of a library, its first function.
    let first = || program.procs.iter().find(|proc| proc.body.is_some() && proc.pos != Pos::None);
    let entry = program.entry.or_else(|| program.find(&first()?.name));
    let entry = entry.ok_or("it had an entry before")?;
    program.entry = Some(entry);
    if !expected.invariant.is_empty() {
        equivalent::check(&program, entry, &expected.invariant)?;
    }
    replay(&program, report, &done.sources, &settings.options.config)
}

/// Runs with the inputs that are reported end in the fault that is reported.
fn replay(
    program: &Program,
    report: &SafetyReport,
    sources: &SourceMap,
    config: &Config,
) -> Result<(), Failed> {
    let violated = |p: &PropertyReport| p.violation.clone();
    for violation in report.properties.iter().filter_map(violated) {
        let inputs: Vec<i128> =
            violation.inputs.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
        let config = Config { max_steps: violation.steps, ..config.clone() };
        let run = Run::new(program, &config, Inputs::given(inputs));
        let End::Fault(fault) = &run.end else {
            return Err(format!("the run ends with {:?}", run.end).into());
        };
        let (found, reported) = (line(fault.pos, sources), line(violation.fault.pos, sources));
        if fault.kind.as_str() != violation.fault.id || found != reported {
            return Err(format!("the run ends with {fault:?} in line {found}").into());
        }
        if violation.trace.last().map(|step| line(step.pos, sources)) != Some(reported) {
            return Err("the trace ends elsewhere".into());
        }
    }
    Ok(())
}
