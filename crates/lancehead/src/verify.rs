//! `lancehead verify`: prove programs, or say what may fail.
//!
//! `batch` verifies files with one pool of workers and shows what comes out in their order, `seeds`
//! compares several runs of one file.

mod batch;
mod reorder;
mod seeds;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use report::{Diagnostic, FileReport, HeapValue, MemberReport, Numbers, Pos, QuantifierReport};
use report::{Severity, SourceMap, Status, human, json};
use symex::{Config, Member, Observer, Stats, Trouble, Verdict};
use viper::core::Program;

use crate::args::{self, Ablation, Color, ExhaleMode, JoinMode, Language, VerifyFormat};
use crate::check::front_end;
use crate::inputs::{self, Input};
use crate::interrupt::Interrupt;
use crate::output::{Output, complain};
use crate::progress::Progress;
use crate::select::Selection;
use crate::silicon::{self, Translation};
use crate::z3::{Missing, Solver, Surroundings};

use batch::{Batch, Settings, interrupted_summary};

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
    let front_end = front_end(&Input::file(path), language);
    let sources = Arc::new(front_end.sources);
    let file = path.display().to_string();
    let mut report = match &front_end.program {
        None => FileReport::new(file, Status::Invalid, invalid(front_end.diagnostics)),
        Some(program) => {
            let config = Config { sources: Some(Arc::clone(&sources)), ..config.clone() };
            let verdict = verify_selected(program, selection, &config, observer);
            report_of(file, front_end.diagnostics, verdict, None)
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

/// Why no solver can be started, and what to do about it.
#[derive(Default)]
struct NoSolver {
    missing: Option<Missing>,
    why: Mutex<Option<String>>,
}

impl NoSolver {
    /// It was tried.
    fn learn(&self, why: &str) {
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
    }

    /// What is wrong, and the remedy.
    fn message(&self) -> (String, String) {
        if let Some(missing) = &self.missing {
            return (missing.to_string(), missing.remedy());
        }
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let why = why.unwrap_or_else(|| "no reason is known".into());
        let remedy = if why.contains("rejects its options") {
            "options for Z3 are set by --z3-option KEY=VALUE".to_owned()
        } else {
            crate::z3::REMEDY.to_owned()
        };
        (Trouble::NoSolver(why).to_string(), remedy)
    }
}

/// The report of a file that has these warnings of the front end.
fn report_of(
    file: String,
    warnings: Vec<Diagnostic>,
    verdict: Verdict,
    no_solver: Option<&NoSolver>,
) -> FileReport {
    let mut report = FileReport::new(file, verdict.status(), warnings);
    report.stats = numbers(&verdict.stats);
    report.diagnostics.extend(verdict.members.iter().flat_map(failures));
    report.diagnostics.extend(troubles(&verdict, Some(no_solver)));
    report.quantifiers = verdict.quantified.into_iter().take(REPORTED).map(quantifier).collect();
    for member in verdict.members {
        report.members.push(MemberReport {
            stats: numbers(&member.stats),
            kind: member.kind.as_str().to_owned(),
            status: member.status,
            time: member.time,
            name: member.name,
        });
    }
    report.diagnostics.extend(verdict.warnings);
    report
}

/// What could not be proved.
fn failures(member: &Member) -> Vec<Diagnostic> {
    let diagnostic = |failure: &symex::Failure| {
        let mut diagnostic = failure.diagnostic.clone();
        diagnostic.counterexample = failure.counterexample.clone().map(|c| Box::new(values(c)));
        diagnostic
    };
    member.failures.iter().map(diagnostic).collect()
}

/// So many members are named that have the same trouble.
const NAMED: usize = 3;

/// Why members have no verdict: one diagnostic for each reason. What is wrong with the whole run, and
/// not with a member, is among them only if there is something to say about the solver.
fn troubles(verdict: &Verdict, whole_run: Option<Option<&NoSolver>>) -> Vec<Diagnostic> {
    let mut troubles: Vec<(&Trouble, Vec<&Member>)> = Vec::new();
    for member in &verdict.members {
        let Some(trouble) = &member.trouble else { continue };
        // Solvers that cannot be started may end in different ways.
        let same = |known: &Trouble| {
            let no_solver = |t: &Trouble| matches!(t, Trouble::NoSolver(_));
            known == trouble || (no_solver(known) && no_solver(trouble))
        };
        match troubles.iter_mut().find(|(known, _)| same(known)) {
            Some((_, members)) => members.push(member),
            None => troubles.push((trouble, vec![member])),
        }
    }
    let mut diagnostics = Vec::new();
    for (trouble, members) in troubles {
        let id = match trouble.status() {
            Status::Timeout => "timeout.error",
            _ => "internal.error",
        };
        let of_run = matches!(trouble, Trouble::NoSolver(_) | Trouble::Cancelled);
        if of_run && whole_run.is_none() {
            continue;
        }
        let diagnostic = match (trouble, whole_run.flatten()) {
            (Trouble::NoSolver(_), Some(no_solver)) => {
                let (message, remedy) = no_solver.message();
                Diagnostic::error(id, Pos::None, message).with_help(remedy)
            }
            _ if of_run => Diagnostic::error(id, Pos::None, trouble.to_string()),
            _ => {
                let first = members.first();
                let pos = first.map_or(Pos::None, |member| member.pos);
                let mut diagnostic = Diagnostic::error(id, pos, trouble.to_string());
                diagnostic.member = first.map(|member| member.name.clone());
                match same_for(members.get(1..).unwrap_or_default()) {
                    Some(others) => diagnostic.with_label(Pos::None, others),
                    None => diagnostic,
                }
            }
        };
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// `the same for `a`, `b`, `c` and 12 more`
fn same_for(members: &[&Member]) -> Option<String> {
    let names: Vec<String> =
        members.iter().take(NAMED).map(|member| format!("`{}`", member.name)).collect();
    let (last, before) = names.split_last()?;
    let rest = members.len() - names.len();
    Some(match (before, rest) {
        ([], _) => format!("the same for {last}"),
        (_, 0) => format!("the same for {} and {last}", before.join(", ")),
        _ => format!("the same for {} and {rest} more", names.join(", ")),
    })
}

fn quantifier(counted: symex::Quantified) -> QuantifierReport {
    let symex::Quantified { kind, pos, instances, generation } = counted;
    QuantifierReport { kind, pos, instances, generation }
}

fn values(counterexample: symex::Counterexample) -> report::Counterexample {
    let symex::Counterexample { variables, heap, states, confirmed } = counterexample;
    let states = states.into_iter().map(|(state, heap)| (state, places(heap))).collect();
    report::Counterexample { variables, heap: places(heap), states, confirmed }
}

fn places(heap: Vec<symex::Held>) -> Vec<HeapValue> {
    let place = |held| {
        let symex::Held { location, permission, value } = held;
        HeapValue { location, permission, value }
    };
    heap.into_iter().map(place).collect()
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
    let cancel = config.cancel.clone();
    let interrupt = Interrupt::cancels(cancel.clone());
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
    let inputs = inputs::expand(&args.files, &|| cancel.is_cancelled());
    let runs = args.seeds.unwrap_or(1);
    let settings = Settings {
        progress: Progress::new(inputs.len(), runs),
        no_solver: NoSolver { missing: solver.missing(), why: Mutex::default() },
        inputs,
        language: args.language,
        selection,
        config,
        runs,
        style,
    };
    let batch = Arc::new(Batch::new(settings, std::mem::take(out)));
    let code = verify(&batch, &interrupt, solver);
    *out = batch.take_output();
    code
}

fn verify(batch: &Arc<Batch>, interrupt: &Interrupt, solver: Solver) -> u8 {
    let stuck = Arc::clone(batch);
    interrupt.last_words(move || {
        stuck.give_up();
        say_interrupted(&stuck, &stuck.reports());
        let _ = stuck.take_output().finish();
    });
    if let Some(problem) = unmatched(batch) {
        return refuse(batch, &problem);
    }
    let jobs = batch.settings.config.jobs;
    let held_back =
        batch.settings.style.terminal && batch.settings.style.format == VerifyFormat::Human;
    let tick = || batch.show_what_is_held_back();
    let tick = held_back.then_some(&tick as &(dyn Fn() + Sync));
    batch.settings.progress.show(tick, || symex::verify_all(&**batch, jobs));
    interrupt.done();
    let stopped = batch.settings.config.cancel.is_cancelled();
    if stopped {
        batch.give_up();
    }
    let reports = batch.reports();
    if stopped {
        say_interrupted(batch, &reports);
        return 3;
    }
    if batch.settings.style.format == VerifyFormat::Human {
        let mut summary = human::summary(&reports, batch.start.elapsed());
        if batch.settings.runs > 1 {
            summary.push('\n');
            summary.push_str(&human::seeds_summary(&reports, batch.settings.runs));
        }
        batch.write_line(&summary);
    }
    let started =
        |r: &FileReport| r.stats.iter().any(|(name, n)| *name == "solver_starts" && *n > 0);
    if batch.solver_missing.load(Ordering::Relaxed) {
        let (message, remedy) = batch.settings.no_solver.message();
        crate::output::complain_with(&message, &remedy);
    } else {
        solver.complain(reports.iter().any(started));
    }
    report::exit_code(&reports)
}

fn say_interrupted(batch: &Batch, reports: &[FileReport]) {
    if batch.settings.style.format == VerifyFormat::Human {
        let time = batch.start.elapsed();
        batch.write_line(&interrupted_summary(batch.settings.inputs.len(), reports, time));
    }
}

/// A name that no member has, in whichever file. Nobody knows the members of invalid files.
fn unmatched(batch: &Batch) -> Option<Diagnostic> {
    let patterns = &batch.settings.selection.members;
    if patterns.is_empty() {
        return None;
    }
    let mut left: Vec<&String> = patterns.iter().collect();
    let mut names: Vec<String> = Vec::new();
    for number in 0..batch.settings.inputs.len() {
        let front = batch.front(number);
        let program = front.program.as_ref()?;
        let members = symex::member_names(program);
        left.retain(|pattern| !members.iter().any(|m| crate::select::matches(pattern, m)));
        if left.is_empty() {
            return None;
        }
        names.extend(members.into_iter().map(str::to_owned));
    }
    let pattern = left.first()?;
    let message = format!("there is no member named '{pattern}'");
    let problem = Diagnostic::error("usage.error", Pos::None, message);
    let close = viper::closest(pattern, names.iter().map(String::as_str));
    Some(match close {
        Some(close) => problem.with_help(format!("did you mean `{close}`?")),
        None if names.is_empty() => problem.with_help("there are no members at all"),
        None => problem,
    })
}

/// Verifies nothing.
fn refuse(batch: &Batch, problem: &Diagnostic) -> u8 {
    let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    complain(&format!("{}{help}", problem.message));
    if batch.settings.style.format != VerifyFormat::Human {
        batch.refuse(problem);
    }
    2
}

/// How reports are written.
struct Style {
    format: VerifyFormat,
    stats: bool,
    timing: bool,
    terminal: bool,
    human: human::Options,
}

impl Style {
    /// What people get to know besides errors.
    fn numbers(&self, report: &FileReport, sources: &SourceMap) -> String {
        if self.stats {
            human::members(report, usize::MAX)
                + &human::totals(report)
                + &human::quantifiers(report, sources, BUSIEST)
        } else if self.terminal && report.time > SLOW {
            human::members(&without_numbers(report), SLOWEST)
        } else {
            String::new()
        }
    }

    fn render(&self, report: &FileReport, sources: &SourceMap) -> String {
        match self.format {
            VerifyFormat::Human => {
                human::render(report, sources, self.human) + &self.numbers(report, sources)
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
fn dumping(config: &Config, number: usize, path: &Path, files: usize) -> Config {
    let mut config = config.clone();
    if files > 1
        && let Some(folder) = &mut config.dump_smt
    {
        let stem = path.file_stem().unwrap_or_default().display();
        folder.push(format!("{number}-{stem}"));
    }
    config
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
