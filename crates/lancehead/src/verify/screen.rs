//! What people and tools see of a run: reports in the order of the files, errors in the order of the
//! source as far as that is possible without waiting.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use driver::verify::{Done, Events};
use report::{Diagnostic, FileReport, Pos, SourceMap, Status, human};
use symex::Cancel;

use super::Style;
use super::reorder::Reorder;
use crate::args::VerifyFormat;
use crate::crash;
use crate::output::Output;
use crate::progress::Progress;

/// On a terminal, what is ready is shown after this time, even if something before it is not.
pub(super) const HELD_BACK: Duration = Duration::from_secs(1);

/// Where events are shown.
pub(super) struct Screen {
    paths: Vec<PathBuf>,
    pub style: Style,
    pub progress: Progress,
    /// Ends the run if nobody reads on.
    cancel: Cancel,
    shown: Mutex<Shown>,
}

/// What was written, and what is to be written.
struct Shown {
    out: Output,
    order: Reorder<Piece>,
    files: Vec<File>,
    /// When something was written.
    last: Instant,
}

#[derive(Default)]
struct File {
    sources: Arc<SourceMap>,
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

impl Screen {
    pub(super) fn new(
        paths: Vec<PathBuf>,
        style: Style,
        progress: Progress,
        cancel: Cancel,
        out: Output,
    ) -> Screen {
        let order = Reorder::new(paths.len());
        let files = paths.iter().map(|_| File::default()).collect();
        let shown = Shown { out, order, files, last: Instant::now() };
        Screen { paths, style, progress, cancel, shown: Mutex::new(shown) }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_human(&self) -> bool {
        self.style.format == VerifyFormat::Human
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

    /// Shows all that is ready.
    pub(super) fn show_all(&self) {
        let mut shown = self.shown();
        let pieces = shown.order.ready();
        self.write(&mut shown, pieces);
    }

    fn write(&self, shown: &mut Shown, pieces: Vec<(usize, Piece)>) {
        let mut text = String::new();
        for (number, piece) in pieces {
            let name = self.paths[number].display().to_string();
            let file = &mut shown.files[number];
            let sources = Arc::clone(&file.sources);
            let mut is_new = |d: &&Diagnostic| file.seen.insert((d.id.to_string(), d.pos));
            let new: Vec<&Diagnostic> = piece.errors.iter().filter(|d| is_new(d)).collect();
            for diagnostic in new.into_iter().chain(&piece.diagnostics) {
                let options = self.style.human;
                text.push_str(&human::render_diagnostic(diagnostic, &name, &sources, options));
                text.push('\n');
            }
            text.push_str(&piece.text);
        }
        if text.is_empty() {
            return;
        }
        shown.last = Instant::now();
        self.progress.hidden(|| {
            shown.out.write(text.as_bytes());
            shown.out.flush();
        });
        if shown.out.is_closed() {
            // Nobody reads on, so nobody wants to know more.
            self.cancel.cancel();
        }
    }

    /// The reports, in the order of the files; those that were not begun have none.
    pub(super) fn take_reports(&self) -> Vec<FileReport> {
        self.shown().files.iter_mut().filter_map(|file| file.report.take()).collect()
    }

    /// Writes something at the end.
    pub(super) fn write_line(&self, line: &str) {
        let mut shown = self.shown();
        self.progress.hidden(|| shown.out.write(format!("{line}\n").as_bytes()));
    }

    /// Gives standard output back.
    pub(super) fn take_output(&self) -> Output {
        std::mem::take(&mut self.shown().out)
    }

    /// Reports the same problem for every file.
    pub(super) fn refuse(&self, problem: &Diagnostic) {
        for path in &self.paths {
            let diagnostics = vec![problem.clone()];
            let name = path.display().to_string();
            let report = FileReport::new(name, Status::Invalid, diagnostics);
            let text = self.style.render(&report, &SourceMap::new());
            self.shown().out.write(text.as_bytes());
        }
    }
}

impl Events for Screen {
    fn working_on(&self, file: usize) {
        crash::working_on(&self.paths[file], self.style.format == VerifyFormat::Json);
    }

    fn begun(&self, file: usize) {
        self.progress.file_begun(&self.paths[file]);
    }

    fn members_to_do(&self, members: usize) {
        self.progress.add_members(members);
    }

    fn opened(
        &self,
        file: usize,
        sources: &Arc<SourceMap>,
        warnings: &[Diagnostic],
        members: usize,
    ) {
        let mut shown = self.shown();
        shown.files[file].sources = Arc::clone(sources);
        if self.is_human() {
            shown.order.expect(file, members + 1);
            let diagnostics = warnings.to_vec();
            shown.order.put(file, 0, Piece { diagnostics, ..Piece::default() });
            let pieces = shown.order.in_order();
            self.write(&mut shown, pieces);
        }
    }

    fn member_done(&self) {
        self.progress.member_done();
    }

    fn errors(&self, file: usize, place: usize, errors: Vec<Diagnostic>) {
        if self.is_human() {
            let mut shown = self.shown();
            shown.order.put(file, place + 1, Piece { errors, ..Piece::default() });
            let pieces = shown.order.in_order();
            self.write(&mut shown, pieces);
        }
    }

    fn done(&self, file: usize, done: Done) {
        let Done { report, sources, rest } = done;
        let piece = if self.is_human() {
            let text = self.style.numbers(&report, &sources);
            Piece { diagnostics: rest, text, ..Piece::default() }
        } else {
            Piece { text: self.style.render(&report, &sources), ..Piece::default() }
        };
        let mut shown = self.shown();
        shown.files[file].sources = sources;
        shown.files[file].report = Some(report);
        shown.order.close(file, piece);
        let pieces = shown.order.in_order();
        self.write(&mut shown, pieces);
        drop(shown);
        self.progress.file_done();
    }

    fn interrupted(&self, file: usize, report: FileReport, sources: &Arc<SourceMap>) {
        let text =
            if self.is_human() { String::new() } else { self.style.render(&report, sources) };
        let mut shown = self.shown();
        shown.files[file].report = Some(report);
        shown.order.close(file, Piece { text, ..Piece::default() });
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
