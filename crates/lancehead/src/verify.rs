//! `lancehead verify`: prove a program, or say what may fail.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use report::{Diagnostic, FileReport, HeapValue, MemberReport, Numbers, Pos, QuantifierReport};
use report::{Severity, SourceMap, Status, human, json};
use symex::{Config, Observer, Stats, Verdict};
use viper::core::Program;

use crate::args::{self, Ablation, Color, ExhaleMode, JoinMode, Language, VerifyFormat};
use crate::check::front_end;
use crate::output::{Output, complain};
use crate::progress::Progress;
use crate::select::{self, Selection};
use crate::silicon::{self, Translation};
use crate::z3::{Solver, Surroundings};
use crate::{crash, interrupt};

/// Files that take longer than this show their slowest members on a terminal.
const SLOW: Duration = Duration::from_secs(1);
/// How many of them.
const SLOWEST: usize = 5;
/// So many quantifiers are shown to people who want numbers, and so many to tools.
const BUSIEST: usize = 10;
const REPORTED: usize = 100;

/// Verifies one file. The sources are what the report's positions point into.
#[must_use]
pub fn verify_file(
    path: &Path,
    language: &Language,
    selection: &Selection,
    config: &Config,
    observer: &dyn Observer,
) -> (FileReport, SourceMap) {
    let start = Instant::now();
    let front_end = front_end(path, language);
    let sources = Arc::new(front_end.sources);
    let file = path.display().to_string();
    let mut report = match &front_end.program {
        None => FileReport::new(file, Status::Invalid, invalid(front_end.diagnostics)),
        Some(program) => {
            let config = Config { sources: Some(Arc::clone(&sources)), ..config.clone() };
            let verdict = verify_selected(program, selection, &config, observer);
            let mut report = FileReport::new(file, verdict.status(), front_end.diagnostics);
            add(&mut report, verdict);
            report
        }
    };
    report.time = start.elapsed();
    (report, Arc::unwrap_or_clone(sources))
}

fn verify_selected(
    program: &Program,
    selection: &Selection,
    config: &Config,
    observer: &dyn Observer,
) -> Verdict {
    if selection.is_everything() {
        return symex::verify(program, config, observer);
    }
    let members = selection.choose(program);
    if members.is_empty() {
        return Verdict::default();
    }
    symex::verify(program, &Config { members, ..config.clone() }, observer)
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
    report.quantifiers = verdict.quantified.into_iter().take(REPORTED).map(quantifier).collect();
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
            let trouble = trouble.to_string();
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
    report.diagnostics.extend(verdict.warnings);
}

fn quantifier(counted: symex::Quantified) -> QuantifierReport {
    let symex::Quantified { kind, pos, instances, generation } = counted;
    QuantifierReport { kind, pos, instances, generation }
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
        ("solver_starts", stats.starts),
        ("solver_ms", u64::try_from(stats.waiting.as_millis()).unwrap_or(u64::MAX)),
    ]
}

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Verify, z3: Option<&Path>, color: Color, out: &mut Output) -> u8 {
    let Translation { args, z3: silicon_z3, selection, timing } = match Translation::of(args) {
        Ok(translation) => translation,
        Err(problem) => {
            complain(&problem);
            return 2;
        }
    };
    let solver = Solver::find(&Surroundings::of_this_process(silicon_z3.as_deref().or(z3)));
    let config = config(&args, solver.path());
    interrupt::cancels(config.cancel.clone());
    if args.ablate.contains(&Ablation::Footprints) {
        complain("with `--ablate footprints` anything may be proved; this is no verification");
    }
    if let Some(folder) = &config.dump_smt
        && let Err(e) = std::fs::create_dir_all(folder)
    {
        complain(&format!("the folder {} cannot be made: {e}", folder.display()));
        return 2;
    }
    let style = Style {
        format: args.format,
        stats: args.stats,
        timing,
        terminal: io::stdout().is_terminal(),
        human: human::Options { color: color.wanted(&io::stdout()), ..human::Options::default() },
    };

    let progress = Progress::new(args.files.len());
    let reports =
        progress.show(|| verify_files(&args, &selection, &config, &style, &progress, out));

    let needed =
        reports.iter().any(|r| r.stats.iter().any(|(name, n)| *name == "solver_starts" && *n > 0));
    let lost = reports.iter().any(|r| r.status == Status::InternalError);
    solver.complain(needed, lost);
    if config.cancel.is_cancelled() {
        return 3;
    }
    let code = report::exit_code(&reports);
    let unmatched = unmatched(&selection, &reports);
    for pattern in &unmatched {
        complain(&format!("there is no member named '{pattern}'"));
    }
    if unmatched.is_empty() { code } else { code.max(2) }
}

/// How reports are written.
struct Style {
    format: VerifyFormat,
    stats: bool,
    timing: bool,
    terminal: bool,
    human: human::Options,
}

/// Verifies file after file, and writes each report when it is there.
fn verify_files(
    args: &args::Verify,
    selection: &Selection,
    config: &Config,
    style: &Style,
    progress: &Progress,
    out: &mut Output,
) -> Vec<FileReport> {
    let start = Instant::now();
    let mut reports = Vec::new();
    for (number, path) in args.files.iter().enumerate() {
        if config.cancel.is_cancelled() {
            break;
        }
        crash::working_on(path, args.format == VerifyFormat::Json);
        progress.next_file(path);
        let config = dumping(config, number, path, args.files.len() > 1);
        let (report, sources) = verify_file(path, &args.language, selection, &config, progress);
        progress.hidden(|| {
            out.write(style.render(&report, &sources).as_bytes());
            out.flush();
        });
        reports.push(report);
    }
    if style.format == VerifyFormat::Human {
        let summary = human::summary(&reports, start.elapsed());
        progress.hidden(|| out.write(format!("{summary}\n").as_bytes()));
    }
    reports
}

impl Style {
    fn render(&self, report: &FileReport, sources: &SourceMap) -> String {
        match self.format {
            VerifyFormat::Human => {
                let mut text = human::render(report, sources, self.human);
                if self.stats {
                    text.push_str(&human::members(report, usize::MAX));
                    text.push_str(&human::totals(report));
                    text.push_str(&human::quantifiers(report, sources, BUSIEST));
                } else if self.terminal && report.time > SLOW {
                    text.push_str(&human::members(&without_numbers(report), SLOWEST));
                }
                text
            }
            VerifyFormat::Json if self.stats => json::render(report, sources) + "\n",
            VerifyFormat::Json => json::render(&without_numbers(report), sources) + "\n",
            VerifyFormat::Silicon => silicon::render(report, sources, self.timing),
        }
    }
}

/// The report without what is shown on request only.
fn without_numbers(report: &FileReport) -> FileReport {
    let mut report = report.clone();
    report.stats.clear();
    report.quantifiers.clear();
    report.members.iter_mut().for_each(|m| m.stats.clear());
    report
}

/// Several files get folders of their own.
fn dumping(config: &Config, number: usize, path: &Path, several: bool) -> Config {
    let mut config = config.clone();
    if several && let Some(folder) = &mut config.dump_smt {
        let stem = path.file_stem().unwrap_or_default().display();
        folder.push(format!("{number}-{stem}"));
    }
    config
}

/// The patterns that no member matches. Nobody knows the members of invalid files.
fn unmatched<'a>(selection: &'a Selection, reports: &[FileReport]) -> Vec<&'a str> {
    if reports.iter().any(|r| r.status == Status::Invalid) {
        return Vec::new();
    }
    let matched = |pattern: &str| {
        let mut members = reports.iter().flat_map(|r| &r.members);
        members.any(|m| select::matches(pattern, &m.name))
    };
    let patterns = selection.members.iter().map(String::as_str);
    patterns.filter(|pattern| !matched(pattern)).collect()
}

fn config(args: &args::Verify, solver: PathBuf) -> Config {
    Config {
        solver_options: args.z3_options.clone(),
        jobs: args.jobs.unwrap_or_else(cores),
        timeout: args.timeout.filter(|t| !t.is_zero()),
        assert_timeout: args.assert_timeout.filter(|t| !t.is_zero()),
        max_errors: args.max_errors,
        counterexamples: args.counterexample.is_some(),
        exhale_mode: args.exhale_mode.into(),
        assume_injectivity_on_inhale: args.assume_injectivity_on_inhale,
        ablations: args.ablate.iter().copied().map(Into::into).collect(),
        profile: args.stats,
        join_mode: args.join_mode.into(),
        dump_smt: args.dump_smt.clone(),
        ..Config::new(solver)
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl From<Ablation> for symex::Ablation {
    fn from(ablation: Ablation) -> symex::Ablation {
        match ablation {
            Ablation::Memoisation => symex::Ablation::Memoisation,
            Ablation::Triggers => symex::Ablation::Triggers,
            Ablation::Footprints => symex::Ablation::Footprints,
        }
    }
}

impl From<JoinMode> for symex::JoinMode {
    fn from(mode: JoinMode) -> symex::JoinMode {
        match mode {
            JoinMode::Off => symex::JoinMode::Off,
            JoinMode::Impure => symex::JoinMode::Impure,
            JoinMode::All => symex::JoinMode::All,
        }
    }
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
