//! `lancehead verify`: prove programs, or say what may fail.
//!
//! The work is done by [`driver::verify`]; `screen` shows what comes out in the order of the files.

mod programs;
mod reorder;
mod screen;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use driver::inputs::{self, Input};
use driver::verdict::NoSolver;
use driver::verify::{Batch, Settings};
use driver::z3::{Solver, Surroundings};
use report::{Diagnostic, FileReport, SourceMap, human, json};
use symex::Config;

use crate::args::{self, Ablation, Color, ExhaleMode, JoinMode, VerifyFormat};
use crate::interrupt::Interrupt;
use crate::output::{Output, complain, complain_with};
use crate::progress::Progress;
use crate::silicon::{self, Translation};
use crate::spl_program;

use screen::{Screen, interrupted_summary};

/// Files that take longer than this show their slowest members on a terminal.
const SLOW: Duration = Duration::from_secs(1);
/// How many of them.
const SLOWEST: usize = 5;
/// So many quantifiers are shown to people who want numbers.
const BUSIEST: usize = 10;

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
    let named = args.files.iter().filter(|file| spl_program::is_spl(file)).count();
    if named > 0 && named < args.files.len() {
        complain("Viper and SPL programs are verified by different runs");
        return 2;
    }
    // A folder may have both.
    let inputs = inputs::expand(&args.files, inputs::PROGRAMS, &|| cancel.is_cancelled());
    let (programs, inputs): (Vec<Input>, Vec<Input>) = inputs
        .into_iter()
        .partition(|input| input.problem.is_none() && spl_program::is_spl(&input.path));
    let programs: Vec<PathBuf> = programs.into_iter().map(|input| input.path).collect();
    let mut code = 0;
    if !programs.is_empty() {
        if let Some(option) = viper_only(&args).filter(|_| inputs.is_empty()) {
            complain(&format!("`{option}` is for Viper programs"));
            return 2;
        }
        let missing = NoSolver::new(solver.missing());
        let (solver, cancel, style) = (solver.path(), cancel.clone(), style.clone());
        code = programs::Run { args: &args, solver, missing, cancel, style }.verify(&programs, out);
        if inputs.is_empty() {
            interrupt.done();
            return code;
        }
    }
    if args.svg.is_some() && programs.is_empty() {
        complain("`--svg` is for SPL programs; Viper programs have `--counterexample`");
        return 2;
    }
    let runs = args.seeds.unwrap_or(1);
    let screen = Screen::new(
        inputs.iter().map(|input| input.path.clone()).collect(),
        style,
        Progress::new(inputs.len(), runs),
        cancel,
        std::mem::take(out),
    );
    let settings = Settings {
        inputs,
        plugins: args.language.plugins(),
        selection,
        config,
        runs,
        no_solver: NoSolver::new(solver.missing()),
    };
    let batch = Arc::new(Batch::new(settings, screen));
    let code = code.max(verify(&batch, &interrupt, solver));
    *out = batch.events.take_output();
    code
}

/// An option that was given and means nothing for list programs.
fn viper_only(args: &args::Verify) -> Option<&'static str> {
    let given = [
        (args.counterexample.is_some(), "--counterexample"),
        (args.format == VerifyFormat::Silicon, "--format silicon"),
        (args.assume_injectivity_on_inhale, "--assume-injectivity-on-inhale"),
        (!args.ablate.is_empty(), "--ablate"),
    ];
    given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
}

fn verify(batch: &Arc<Batch<Screen>>, interrupt: &Interrupt, solver: Solver) -> u8 {
    let start = Instant::now();
    let screen = &batch.events;
    let stuck = Arc::clone(batch);
    interrupt.last_words(move || {
        stuck.give_up();
        stuck.events.show_all();
        say_interrupted(&stuck, &stuck.events.take_reports(), start);
        let _ = stuck.events.take_output().finish();
    });
    if let Some(problem) = batch.unmatched() {
        return refuse(screen, &problem);
    }
    let is_human = screen.style.format == VerifyFormat::Human;
    let tick = || screen.show_what_is_held_back();
    let tick = (screen.style.terminal && is_human).then_some(&tick as &(dyn Fn() + Sync));
    screen.progress.show(tick, || batch.run());
    interrupt.done();
    let stopped = batch.settings.config.cancel.is_cancelled();
    if stopped {
        batch.give_up();
        screen.show_all();
    }
    let reports = screen.take_reports();
    if stopped {
        say_interrupted(batch, &reports, start);
        return 3;
    }
    if is_human {
        let mut summary = human::summary(&reports, start.elapsed());
        if batch.settings.runs > 1 {
            summary.push('\n');
            summary.push_str(&human::seeds_summary(&reports, batch.settings.runs));
        }
        screen.write_line(&summary);
    }
    let started =
        |r: &FileReport| r.stats.iter().any(|(name, n)| *name == "solver_starts" && *n > 0);
    if batch.solver_missing() {
        let (message, remedy) = batch.settings.no_solver.message();
        complain_with(&message, &remedy);
    } else if reports.iter().any(started)
        && let Some(doubts) = solver.doubts()
    {
        complain(&doubts);
    }
    report::exit_code(&reports)
}

fn say_interrupted(batch: &Batch<Screen>, reports: &[FileReport], start: Instant) {
    let screen = &batch.events;
    if screen.style.format == VerifyFormat::Human {
        let all = batch.settings.inputs.len();
        screen.write_line(&interrupted_summary(all, reports, start.elapsed()));
    }
}

/// Verifies nothing.
fn refuse(screen: &Screen, problem: &Diagnostic) -> u8 {
    let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    complain(&format!("{}{help}", problem.message));
    if screen.style.format != VerifyFormat::Human {
        screen.refuse(problem);
    }
    2
}

/// How reports are written.
#[derive(Clone)]
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
                + &human::queries(report)
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
    report.queries.clear();
    report.quantifiers.clear();
    report.members.iter_mut().for_each(|m| m.stats.clear());
    report
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
            Ablation::Native => symex::Ablation::Native,
            Ablation::Relevance => symex::Ablation::Relevance,
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
