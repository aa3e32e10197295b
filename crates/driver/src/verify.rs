//! Verifying Viper programs: one file, or many with one pool of workers. Whoever watches a [`Batch`] is
//! told of each member as soon as it is done ([`Events`]).

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use report::{Diagnostic, FileReport, Pos, SourceMap, Status};
use symex::{Config, Member, Observer, Programs, Verdict, Verification};
use viper::core::Program;

use crate::inputs::Input;
use crate::seeds;
use crate::select::{Selection, matches};
use crate::verdict::{NoSolver, failures, invalid, report_of, troubles};
use crate::viper_program::front_end;

/// Verifies one file. The sources are what the report's positions point into.
#[must_use]
pub fn verify_file(
    path: &Path,
    plugins: &viper::plugins::Options,
    selection: &Selection,
    config: &Config,
    observer: &dyn Observer,
) -> (FileReport, SourceMap) {
    let start = Instant::now();
    let front_end = front_end(&Input::file(path), plugins);
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

/// What happens while files are verified. Files are known by their numbers in [`Settings::inputs`].
/// Events come from all workers, in any order; of one file, [`Events::done`] or
/// [`Events::interrupted`] comes last, and once.
pub trait Events: Sync {
    /// This thread turns to a file. It may do so many times.
    fn working_on(&self, file: usize) {
        let _ = file;
    }

    /// A file is about to be read.
    fn begun(&self, file: usize) {
        let _ = file;
    }

    /// So many members are to be verified; again for each further run.
    fn members_to_do(&self, members: usize) {
        let _ = members;
    }

    /// A program is well-formed, with these warnings, and has so many members to be verified.
    fn opened(
        &self,
        file: usize,
        sources: &Arc<SourceMap>,
        warnings: &[Diagnostic],
        members: usize,
    );

    /// A member is verified, of whatever run.
    fn member_done(&self) {}

    /// These are the errors of a member, the `place`th of the file.
    fn errors(&self, file: usize, place: usize, errors: Vec<Diagnostic>);

    /// All that is to be known is known. `rest` is what was in no event before.
    fn done(&self, file: usize, done: Done);

    /// Not more than this will be known.
    fn interrupted(&self, file: usize, report: FileReport, sources: &Arc<SourceMap>);
}

/// What is known of a file in the end.
#[derive(Debug)]
pub struct Done {
    /// All of it.
    pub report: FileReport,
    /// What its positions point into.
    pub sources: Arc<SourceMap>,
    /// Diagnostics that belong to no member that is done: of the front end, why there is no verdict,
    /// warnings.
    pub rest: Vec<Diagnostic>,
}

/// What is to be done.
pub struct Settings {
    /// Files.
    pub inputs: Vec<Input>,
    /// Which parts of the language are switched on.
    pub plugins: viper::plugins::Options,
    /// Members.
    pub selection: Selection,
    /// How to verify them.
    pub config: Config,
    /// How often each file is verified, with other seeds.
    pub runs: usize,
    /// What is known of the solver.
    pub no_solver: NoSolver,
}

/// The files of a run.
pub struct Batch<E> {
    /// What is to be done.
    pub settings: Settings,
    /// Who is told.
    pub events: E,
    start: Instant,
    files: Vec<Mutex<File>>,
    known: Mutex<Vec<Known>>,
    solver_missing: AtomicBool,
}

/// Held while the file is read.
#[derive(Default)]
struct File {
    /// Kept while there is something to verify.
    front: Option<Arc<Front>>,
    /// Of each run.
    verdicts: Vec<Option<Verdict>>,
}

/// What the front end made of a file.
struct Front {
    start: Instant,
    sources: Arc<SourceMap>,
    program: Option<Arc<Program>>,
    diagnostics: Vec<Diagnostic>,
}

/// What is known of a file that is not done. Never locked for long.
#[derive(Default)]
struct Known {
    begun: bool,
    done: bool,
    /// Members that are done, with the place in the file where they belong.
    members: Vec<(usize, Member)>,
    sources: Arc<SourceMap>,
}

impl<E: Events> Batch<E> {
    /// Nothing is done before [`Batch::run`].
    pub fn new(settings: Settings, events: E) -> Batch<E> {
        let count = settings.inputs.len();
        Batch {
            settings,
            events,
            start: Instant::now(),
            files: (0..count).map(|_| Mutex::default()).collect(),
            known: Mutex::new((0..count).map(|_| Known::default()).collect()),
            solver_missing: AtomicBool::new(false),
        }
    }

    /// Verifies everything. If that is cancelled, see [`Batch::give_up`].
    pub fn run(&self) {
        symex::verify_all(self, self.settings.config.jobs);
    }

    /// Could no solver be started?
    pub fn solver_missing(&self) -> bool {
        self.solver_missing.load(Ordering::Relaxed)
    }

    fn known(&self) -> MutexGuard<'_, Vec<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, number: usize) -> MutexGuard<'_, File> {
        self.files[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self, number: usize) -> String {
        self.settings.inputs[number].path.display().to_string()
    }

    /// Reads a file and checks it, once.
    fn front(&self, number: usize) -> Arc<Front> {
        self.events.working_on(number);
        self.known()[number].begun = true;
        let mut file = self.file(number);
        let front = file.front.get_or_insert_with(|| {
            self.events.begun(number);
            let start = Instant::now();
            let made = front_end(&self.settings.inputs[number], &self.settings.plugins);
            Arc::new(Front {
                start,
                sources: Arc::new(made.sources),
                program: made.program.map(Arc::new),
                diagnostics: made.diagnostics,
            })
        });
        Arc::clone(front)
    }

    /// A name of the selection that no member has, in whichever file. Nobody knows the members of
    /// invalid files.
    pub fn unmatched(&self) -> Option<Diagnostic> {
        let patterns = &self.settings.selection.members;
        if patterns.is_empty() {
            return None;
        }
        let mut left: Vec<&String> = patterns.iter().collect();
        let mut names: Vec<String> = Vec::new();
        for number in 0..self.settings.inputs.len() {
            let front = self.front(number);
            let program = front.program.as_ref()?;
            let members = symex::member_names(program);
            left.retain(|pattern| !members.iter().any(|m| matches(pattern, m)));
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

    /// All that is to be known of a file is known.
    fn report(&self, number: usize, front: &Front, verdicts: Vec<Verdict>) {
        let name = self.name(number);
        let (mut report, rest) = match front.program {
            None => {
                let diagnostics = invalid(front.diagnostics.clone());
                (FileReport::new(name, Status::Invalid, diagnostics.clone()), diagnostics)
            }
            Some(_) => {
                let seeds = (self.settings.runs > 1).then(|| seeds::compare(&verdicts));
                let verdict = verdicts.into_iter().next().unwrap_or_default();
                let mut rest = troubles(&verdict, None);
                rest.extend(verdict.warnings.iter().cloned());
                rest.extend(seeds.iter().flat_map(seeds::warnings));
                let (warnings, no_solver) = (front.diagnostics.clone(), &self.settings.no_solver);
                let mut report = report_of(name, warnings, verdict, Some(no_solver));
                report.seeds = seeds;
                (report, rest)
            }
        };
        report.time = front.start.elapsed();
        {
            let mut known = self.known();
            if std::mem::replace(&mut known[number].done, true) {
                return;
            }
            known[number].members = Vec::new();
        }
        self.events.done(number, Done { report, sources: Arc::clone(&front.sources), rest });
        if front.program.is_some() {
            // That one is large. Those that are invalid may be asked for again.
            self.file(number).front = None;
        }
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

    /// After a run that was stopped: what is known of files that were begun. Takes no lock that a
    /// worker holds for long.
    pub fn give_up(&self) {
        for number in 0..self.settings.inputs.len() {
            let (mut members, sources) = {
                let file = &mut self.known()[number];
                if !file.begun || std::mem::replace(&mut file.done, true) {
                    continue;
                }
                (std::mem::take(&mut file.members), Arc::clone(&file.sources))
            };
            members.sort_by_key(|(place, _)| *place);
            let members = members.into_iter().map(|(_, member)| member).collect();
            let verdict = Verdict { members, ..Verdict::default() };
            let no_solver = Some(&self.settings.no_solver);
            let mut report = report_of(self.name(number), Vec::new(), verdict, no_solver);
            if report.status < Status::Timeout {
                report.status = Status::Timeout;
                let message = symex::Trouble::Cancelled.to_string();
                report.diagnostics.push(Diagnostic::error("timeout.error", Pos::None, message));
            }
            report.time = self.start.elapsed();
            self.events.interrupted(number, report, &sources);
        }
    }

    /// Several files get folders of their own.
    fn config(&self, number: usize) -> Config {
        let mut config = self.settings.config.clone();
        if self.settings.inputs.len() > 1
            && let Some(folder) = &mut config.dump_smt
        {
            let stem = self.settings.inputs[number].path.file_stem().unwrap_or_default();
            folder.push(format!("{number}-{}", stem.display()));
        }
        config
    }
}

impl<E: Events> Programs<'static> for Batch<E> {
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
        let mut config = self.config(number);
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
        let members = verification.members();
        self.events.members_to_do(members);
        if run == 0 {
            self.known()[number].sources = Arc::clone(&front.sources);
            self.events.opened(number, &front.sources, &front.diagnostics, members);
        }
        Some(verification)
    }

    fn finished(&self, number: usize, place: usize, member: &Member) {
        self.events.member_done();
        if let Some(symex::Trouble::NoSolver(why)) = &member.trouble
            && !self.solver_missing.swap(true, Ordering::Relaxed)
        {
            self.settings.no_solver.learn(why);
        }
        let (number, run) = (number / self.settings.runs, number % self.settings.runs);
        if run > 0 {
            return;
        }
        self.known()[number].members.push((place, member.clone()));
        self.events.errors(number, place, failures(member));
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
