//! Several files, one pool of workers, and output in the order of the files.
//!
//! Errors are shown as they are found: those of a member when it is done and all before it are. On a
//! terminal, a member that takes long holds those behind it back for [`HELD_BACK`] only, since
//! somebody is waiting; elsewhere output is the same in every run.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use report::{Diagnostic, FileReport, Pos, SourceMap, Status, human};
use symex::{Config, Member, Programs, Verdict, Verification};
use viper::core::Program;

use super::reorder::Reorder;
use super::{NoSolver, Style, dumping, failures, invalid, report_of, seeds, troubles};
use crate::args::{Language, VerifyFormat};
use crate::check::front_end;
use crate::crash;
use crate::inputs::Input;
use crate::output::Output;
use crate::progress::Progress;
use crate::select::Selection;

/// So long a member that is not done holds back what is known of those behind it, on a terminal.
pub(super) const HELD_BACK: Duration = Duration::from_secs(1);

/// What is to be done.
pub(super) struct Settings {
    pub inputs: Vec<Input>,
    pub language: Language,
    pub selection: Selection,
    pub config: Config,
    /// How often each file is verified.
    pub runs: usize,
    pub style: Style,
    pub no_solver: NoSolver,
    pub progress: Progress,
}

/// The files of a run.
pub(super) struct Batch {
    pub settings: Settings,
    pub start: Instant,
    files: Vec<Mutex<File>>,
    shown: Mutex<Shown>,
    /// Could no solver be started?
    pub solver_missing: AtomicBool,
}

#[derive(Default)]
struct File {
    /// Kept while there is something to verify.
    front: Option<Arc<Front>>,
    /// Of each run.
    verdicts: Vec<Option<Verdict>>,
}

/// What the front end made of a file.
pub(super) struct Front {
    start: Instant,
    sources: Arc<SourceMap>,
    pub program: Option<Arc<Program>>,
    diagnostics: Vec<Diagnostic>,
}

/// What was written, and what is to be written.
struct Shown {
    out: Output,
    order: Reorder<Piece>,
    files: Vec<Progressed>,
    /// When something was written.
    last: Instant,
}

/// What is known of a file that is not done.
#[derive(Default)]
struct Progressed {
    begun: bool,
    /// Members that are done, with the place in the file where they belong.
    members: Vec<(usize, Member)>,
    sources: Option<Arc<SourceMap>>,
    /// Errors that were shown: the same one may be found in several members.
    seen: HashSet<(String, Pos)>,
    report: Option<FileReport>,
}

/// Something to show.
#[derive(Default)]
struct Piece {
    /// Errors of a member. Those that another member has, too, are shown once.
    errors: Vec<Diagnostic>,
    diagnostics: Vec<Diagnostic>,
    text: String,
}

impl Batch {
    pub(super) fn new(settings: Settings, out: Output) -> Batch {
        let count = settings.inputs.len();
        Batch {
            settings,
            start: Instant::now(),
            files: (0..count).map(|_| Mutex::default()).collect(),
            shown: Mutex::new(Shown {
                out,
                order: Reorder::new(count),
                files: (0..count).map(|_| Progressed::default()).collect(),
                last: Instant::now(),
            }),
            solver_missing: AtomicBool::new(false),
        }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, number: usize) -> MutexGuard<'_, File> {
        self.files[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self, number: usize) -> String {
        self.settings.inputs[number].path.display().to_string()
    }

    fn is_human(&self) -> bool {
        self.settings.style.format == VerifyFormat::Human
    }

    /// Reads a file and checks it, once.
    pub(super) fn front(&self, number: usize) -> Arc<Front> {
        let input = &self.settings.inputs[number];
        crash::working_on(&input.path, self.settings.style.format == VerifyFormat::Json);
        self.shown().files[number].begun = true;
        let mut file = self.file(number);
        let front = file.front.get_or_insert_with(|| {
            self.settings.progress.file_begun(&input.path);
            let start = Instant::now();
            let made = front_end(input, &self.settings.language);
            Arc::new(Front {
                start,
                sources: Arc::new(made.sources),
                program: made.program.map(Arc::new),
                diagnostics: made.diagnostics,
            })
        });
        Arc::clone(front)
    }

    /// Shows what is ready, if nothing was shown for a while. On a terminal, this is called now and
    /// then.
    pub(super) fn show_what_is_held_back(&self) {
        let mut shown = self.shown();
        if shown.last.elapsed() >= HELD_BACK {
            let pieces = shown.order.ready();
            self.write(&mut shown, pieces);
        }
    }

    fn write(&self, shown: &mut Shown, pieces: Vec<(usize, Piece)>) {
        let mut text = String::new();
        for (number, piece) in pieces {
            let name = self.name(number);
            let file = &mut shown.files[number];
            let sources = file.sources.clone().unwrap_or_default();
            let mut is_new = |d: &&Diagnostic| file.seen.insert((d.id.to_string(), d.pos));
            let new: Vec<&Diagnostic> = piece.errors.iter().filter(|d| is_new(d)).collect();
            for diagnostic in new.into_iter().chain(&piece.diagnostics) {
                let options = self.settings.style.human;
                text.push_str(&human::render_diagnostic(diagnostic, &name, &sources, options));
                text.push('\n');
            }
            text.push_str(&piece.text);
        }
        if text.is_empty() {
            return;
        }
        shown.last = Instant::now();
        self.settings.progress.hidden(|| {
            shown.out.write(text.as_bytes());
            shown.out.flush();
        });
        if shown.out.is_closed() {
            // Nobody reads on, so nobody wants to know more.
            self.settings.config.cancel.cancel();
        }
    }

    /// All that is to be known of a file is known.
    fn report(&self, number: usize, front: &Front, verdicts: Vec<Verdict>) {
        let name = self.name(number);
        let (report, tail) = match front.program {
            None => {
                let mut report =
                    FileReport::new(name, Status::Invalid, invalid(front.diagnostics.clone()));
                report.time = front.start.elapsed();
                let tail = report.diagnostics.clone();
                (report, tail)
            }
            Some(_) => {
                let seeds = (self.settings.runs > 1).then(|| seeds::compare(&verdicts));
                let verdict = verdicts.into_iter().next().unwrap_or_default();
                let mut tail = if self.is_human() {
                    // The rest was said before, or is said once for all files.
                    troubles(&verdict, None)
                } else {
                    Vec::new()
                };
                tail.extend(verdict.warnings.iter().cloned());
                tail.extend(seeds.iter().flat_map(seeds::warnings));
                let mut report = report_of(
                    name,
                    front.diagnostics.clone(),
                    verdict,
                    Some(&self.settings.no_solver),
                );
                report.seeds = seeds;
                report.time = front.start.elapsed();
                (report, tail)
            }
        };
        let piece = if self.is_human() {
            Piece {
                diagnostics: tail,
                text: self.settings.style.numbers(&report, &front.sources),
                ..Piece::default()
            }
        } else {
            let text = self.settings.style.render(&report, &front.sources);
            Piece { text, ..Piece::default() }
        };
        let mut shown = self.shown();
        let file = &mut shown.files[number];
        if file.report.is_some() {
            return;
        }
        file.sources = Some(Arc::clone(&front.sources));
        file.members = Vec::new();
        file.report = Some(report);
        shown.order.close(number, piece);
        let pieces = shown.order.in_order();
        self.write(&mut shown, pieces);
        drop(shown);
        if front.program.is_some() {
            // That one is large. Those that are invalid may be asked for again.
            self.file(number).front = None;
        }
        self.settings.progress.file_done();
    }

    /// A run of a file has come to an end.
    fn ended(&self, number: usize, front: &Front, run: usize, verdict: Verdict) {
        let verdicts = {
            let mut file = self.file(number);
            file.verdicts.resize_with(self.settings.runs, || None);
            file.verdicts[run] = Some(verdict);
            if file.verdicts.iter().any(Option::is_none) {
                return;
            }
            std::mem::take(&mut file.verdicts)
        };
        self.report(number, front, verdicts.into_iter().flatten().collect());
    }

    /// After a run that was stopped: what is known of files that were begun.
    pub(super) fn give_up(&self) {
        let open = |file: &Progressed| file.begun && file.report.is_none();
        let left: Vec<usize> = {
            let shown = self.shown();
            (0..shown.files.len()).filter(|i| open(&shown.files[*i])).collect()
        };
        for number in left {
            self.interrupted(number);
        }
        let mut shown = self.shown();
        let pieces = shown.order.ready();
        self.write(&mut shown, pieces);
    }

    /// Reports a file with what is known of it. Takes no lock that a worker holds for long.
    fn interrupted(&self, number: usize) {
        let mut shown = self.shown();
        let file = &mut shown.files[number];
        if file.report.is_some() {
            return;
        }
        let mut members = std::mem::take(&mut file.members);
        members.sort_by_key(|(place, _)| *place);
        let members = members.into_iter().map(|(_, member)| member).collect();
        let verdict = Verdict { members, ..Verdict::default() };
        let mut report =
            report_of(self.name(number), Vec::new(), verdict, Some(&self.settings.no_solver));
        if report.status < Status::Timeout {
            report.status = Status::Timeout;
            let message = symex::Trouble::Cancelled.to_string();
            let problem = Diagnostic::error("timeout.error", Pos::None, message);
            report.diagnostics.push(problem);
        }
        report.time = self.start.elapsed();
        let text = if self.is_human() {
            String::new()
        } else {
            self.settings.style.render(&report, &file.sources.clone().unwrap_or_default())
        };
        file.report = Some(report);
        shown.order.close(number, Piece { text, ..Piece::default() });
    }

    /// The reports, in the order of the files; those that were not begun have none.
    pub(super) fn reports(&self) -> Vec<FileReport> {
        self.shown().files.iter_mut().filter_map(|file| file.report.take()).collect()
    }

    /// Writes something at the end.
    pub(super) fn write_line(&self, line: &str) {
        let mut shown = self.shown();
        self.settings.progress.hidden(|| shown.out.write(format!("{line}\n").as_bytes()));
    }

    /// Gives standard output back.
    pub(super) fn take_output(&self) -> Output {
        std::mem::take(&mut self.shown().out)
    }

    /// Reports the same problem for every file.
    pub(super) fn refuse(&self, problem: &Diagnostic) {
        for number in 0..self.settings.inputs.len() {
            let diagnostics = vec![problem.clone()];
            let report = FileReport::new(self.name(number), Status::Invalid, diagnostics);
            let text = self.settings.style.render(&report, &SourceMap::new());
            self.shown().out.write(text.as_bytes());
        }
    }
}

impl Programs<'static> for Batch {
    fn count(&self) -> usize {
        self.settings.inputs.len() * self.settings.runs
    }

    fn open(&self, number: usize) -> Option<Verification<'static>> {
        let (number, run) = (number / self.settings.runs, number % self.settings.runs);
        let front = self.front(number);
        let Some(program) = &front.program else {
            if run == 0 {
                self.report(number, &front, Vec::new());
            }
            return None;
        };
        let mut config = dumping(
            &self.settings.config,
            number,
            &self.settings.inputs[number].path,
            self.settings.inputs.len(),
        );
        config.sources = Some(Arc::clone(&front.sources));
        if run > 0 {
            // What is shown is the first run.
            config.seed = u32::try_from(run).unwrap_or(u32::MAX);
            (config.dump_smt, config.profile, config.counterexamples) = (None, false, false);
        }
        if !self.settings.selection.is_everything() {
            config.members = self.settings.selection.choose(program);
            if config.members.is_empty() {
                self.ended(number, &front, run, Verdict::default());
                return None;
            }
        }
        let verification = Verification::new(Arc::clone(program), &config);
        self.settings.progress.add_members(verification.members());
        if run == 0 {
            let mut shown = self.shown();
            let members = verification.members();
            shown.files[number].sources = Some(Arc::clone(&front.sources));
            if self.is_human() {
                shown.order.expect(number, members + 1);
                let diagnostics = front.diagnostics.clone();
                shown.order.put(number, 0, Piece { diagnostics, ..Piece::default() });
                let pieces = shown.order.in_order();
                self.write(&mut shown, pieces);
            }
        }
        Some(verification)
    }

    fn finished(&self, number: usize, place: usize, member: &Member) {
        self.settings.progress.member_done();
        if let Some(symex::Trouble::NoSolver(why)) = &member.trouble
            && !self.solver_missing.swap(true, Ordering::Relaxed)
        {
            self.settings.no_solver.learn(why);
        }
        let (number, run) = (number / self.settings.runs, number % self.settings.runs);
        if run > 0 {
            return;
        }
        let mut shown = self.shown();
        shown.files[number].members.push((place, member.clone()));
        if self.is_human() {
            let errors = failures(member);
            shown.order.put(number, place + 1, Piece { errors, ..Piece::default() });
            let pieces = shown.order.in_order();
            self.write(&mut shown, pieces);
        }
    }

    fn closed(&self, number: usize, verdict: Verdict) {
        let (number, run) = (number / self.settings.runs, number % self.settings.runs);
        let front = self.front(number);
        self.ended(number, &front, run, verdict);
    }

    fn stopped(&self) -> bool {
        self.settings.config.cancel.is_cancelled()
    }
}

/// What an interrupted run has to say of itself.
pub(super) fn interrupted_summary(all: usize, reports: &[FileReport], time: Duration) -> String {
    let done = reports.iter().filter(|r| r.status < Status::Timeout).count();
    let of = |status: Status| {
        reports.iter().flat_map(|r| &r.members).filter(|m| m.status == status).count()
    };
    let errors: usize = reports
        .iter()
        .flat_map(FileReport::errors)
        .filter(|e| e.id != "timeout.error" && e.id != "internal.error")
        .count();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    format!(
        "interrupted: {done} of {all} file{} done, {} member{} verified, {} failed; {errors} error{} ({} ms)",
        plural(all),
        of(Status::Verified),
        plural(of(Status::Verified)),
        of(Status::Failed),
        plural(errors),
        time.as_millis()
    )
}
