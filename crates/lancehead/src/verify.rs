//! `lancehead verify`: prove a program, or say what may fail.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use report::{Diagnostic, FileReport, HeapValue, MemberReport, Numbers, Pos, Severity, Status};
use report::{SourceMap, human, json};
use symex::{Config, Observer, Quiet, Stats, Verdict};

use crate::args::{self, Color, ExhaleMode, Language, VerifyFormat};
use crate::check::front_end;
use crate::crash;
use crate::output::{Output, complain};
use crate::z3::{self, Surroundings};

/// Verifies one file. The sources are what the report's positions point into.
#[must_use]
pub fn verify_file(
    path: &Path,
    language: &Language,
    config: &Config,
    observer: &dyn Observer,
) -> (FileReport, SourceMap) {
    let start = Instant::now();
    let front_end = front_end(path, language);
    let file = path.display().to_string();
    let mut report = match &front_end.program {
        None => FileReport::new(file, Status::Invalid, invalid(front_end.diagnostics)),
        Some(program) => {
            let verdict = symex::verify(program, config, observer);
            let mut report = FileReport::new(file, verdict.status(), front_end.diagnostics);
            add(&mut report, verdict);
            report
        }
    };
    report.time = start.elapsed();
    (report, front_end.sources)
}

/// As in Viper, the parser's warnings count as errors if there are others.
fn invalid(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.iter().any(|d| d.id == "parser.error") {
        for warning in diagnostics.iter_mut().filter(|d| d.id == "parser.warning") {
            warning.severity = Severity::Error;
        }
    }
    diagnostics
}

/// Puts a verdict into a report that has the warnings of the front end.
fn add(report: &mut FileReport, verdict: Verdict) {
    report.stats = numbers(&verdict.stats);
    let mut troubles: Vec<Diagnostic> = Vec::new();
    for member in verdict.members {
        report.members.push(MemberReport {
            stats: numbers(&member.stats),
            kind: member.kind.as_str().to_owned(),
            status: member.status,
            time: member.time,
            name: member.name.clone(),
        });
        for failure in member.failures {
            let mut diagnostic = failure.diagnostic;
            diagnostic.counterexample = failure.counterexample.map(|c| Box::new(values(c)));
            report.diagnostics.push(diagnostic);
        }
        if let Some(trouble) = member.trouble {
            let id =
                if member.status == Status::Timeout { "timeout.error" } else { "internal.error" };
            match troubles.iter_mut().find(|t| t.message == trouble && t.id == id) {
                Some(known) => {
                    known.labels.push((Pos::None, format!("the same for `{}`", member.name)));
                }
                None => {
                    let mut diagnostic = Diagnostic::error(id, member.pos, trouble);
                    diagnostic.member = Some(member.name);
                    troubles.push(diagnostic);
                }
            }
        }
    }
    report.diagnostics.extend(troubles);
}

fn values(counterexample: symex::Counterexample) -> report::Counterexample {
    let heap = counterexample.heap.into_iter();
    report::Counterexample {
        variables: counterexample.variables,
        heap: heap
            .map(|(location, permission, value)| HeapValue { location, permission, value })
            .collect(),
    }
}

fn numbers(stats: &Stats) -> Numbers {
    vec![
        ("paths", stats.paths),
        ("queries", stats.queries),
        ("unknown", stats.unknown),
        ("trivial", stats.trivial),
        ("starts", stats.starts),
        ("waiting_ms", u64::try_from(stats.waiting.as_millis()).unwrap_or(u64::MAX)),
    ]
}

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Verify, z3: Option<&Path>, color: Color, out: &mut Output) -> u8 {
    let start = Instant::now();
    let solver = z3::find(&Surroundings::of_this_process(z3));
    // Whether a solver is needed turns out on the way.
    let path = solver.as_ref().map_or_else(|_| PathBuf::from("z3"), |z3| z3.path.clone());
    let config = config(args, path);
    let options =
        human::Options { color: color.wanted(&io::stdout()), ..human::Options::default() };
    let mut reports = Vec::new();
    for path in &args.files {
        crash::working_on(path, args.format == VerifyFormat::Json);
        let (mut report, sources) = verify_file(path, &args.language, &config, &Quiet);
        if !args.stats {
            forget_numbers(&mut report);
        }
        match args.format {
            VerifyFormat::Human => out.write(human::render(&report, &sources, options).as_bytes()),
            VerifyFormat::Json => {
                out.write(json::render(&report, &sources).as_bytes());
                out.write(b"\n");
            }
        }
        out.flush();
        reports.push(report);
    }
    if args.format == VerifyFormat::Human {
        out.write(format!("{}\n", human::summary(&reports, start.elapsed())).as_bytes());
    }
    if let Err(missing) = solver
        && reports.iter().any(|r| r.status == Status::InternalError)
    {
        complain(&missing.to_string());
    }
    report::exit_code(&reports)
}

fn config(args: &args::Verify, solver: PathBuf) -> Config {
    Config {
        jobs: args.jobs.unwrap_or_else(cores),
        timeout: args.timeout.filter(|t| !t.is_zero()),
        assert_timeout: args.assert_timeout.filter(|t| !t.is_zero()),
        members: args.members.clone(),
        max_errors: args.max_errors,
        counterexamples: args.counterexample,
        exhale_mode: args.exhale_mode.into(),
        dump_smt: args.dump_smt.clone(),
        ..Config::new(solver)
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl From<ExhaleMode> for symex::ExhaleMode {
    fn from(mode: ExhaleMode) -> symex::ExhaleMode {
        match mode {
            ExhaleMode::Greedy => symex::ExhaleMode::Greedy,
            ExhaleMode::OnDemand => symex::ExhaleMode::MoreCompleteOnDemand,
            ExhaleMode::Complete => symex::ExhaleMode::MoreComplete,
        }
    }
}

/// Numbers are shown on request only.
fn forget_numbers(report: &mut FileReport) {
    report.stats.clear();
    report.members.iter_mut().for_each(|m| m.stats.clear());
}
