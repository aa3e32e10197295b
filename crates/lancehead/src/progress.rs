//! A line on the terminal that says how far a long run has got.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::output::to_stderr;

/// Shorter runs show no line.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is drawn.
const TICK: Duration = Duration::from_millis(200);
/// Longer names are cut, so that the line stays one.
const MAX_NAME: usize = 40;
/// Back to the first column, and away with what stands there.
const CLEAR: &str = "\r\u{1b}[K";

/// How far a run has got.
pub(crate) struct Progress {
    start: Instant,
    line: Mutex<Line>,
    /// How far the work on a file is, if somebody counts.
    detail: Box<dyn Fn() -> String + Send + Sync>,
}

#[derive(Default)]
struct Line {
    files: usize,
    runs: usize,
    files_done: usize,
    /// The file that was begun last.
    name: String,
    /// Members of the files that were read.
    members: usize,
    done: usize,
    drawn: bool,
}

impl Progress {
    /// Of so many files, each of which is verified so often.
    pub(crate) fn new(files: usize, runs: usize) -> Progress {
        let line = Mutex::new(Line { files, runs, ..Line::default() });
        Progress { start: Instant::now(), line, detail: Box::new(String::new) }
    }

    /// With what this says of the work on a file.
    pub(crate) fn saying(self, detail: impl Fn() -> String + Send + Sync + 'static) -> Progress {
        Progress { detail: Box::new(detail), ..self }
    }

    /// Runs something, showing the progress it reports if standard error is a terminal. Meanwhile, this
    /// is called now and then, if there is something to call.
    pub(crate) fn show<T>(&self, tick: Option<&(dyn Fn() + Sync)>, run: impl FnOnce() -> T) -> T {
        let terminal = std::io::stderr().is_terminal();
        if !terminal && tick.is_none() {
            return run();
        }
        let (stop, stopped) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut wait = PATIENCE;
                while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    tick.iter().for_each(|tick| tick());
                    if terminal {
                        self.draw();
                    }
                    wait = TICK;
                }
                self.line().clear();
            });
            let result = run();
            drop(stop);
            result
        })
    }

    /// A file is being read.
    pub(crate) fn file_begun(&self, path: &Path) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        self.line().name = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    }

    /// So many members of it are to be verified.
    pub(crate) fn add_members(&self, members: usize) {
        self.line().members += members;
    }

    /// A member is done.
    pub(crate) fn member_done(&self) {
        self.line().done += 1;
    }

    /// A file is done.
    pub(crate) fn file_done(&self) {
        self.line().files_done += 1;
    }

    /// Writes something while the line is out of the way.
    pub(crate) fn hidden<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut line = self.line();
        line.clear();
        write()
    }

    fn draw(&self) {
        let mut line = self.line();
        to_stderr(&format!("{CLEAR}{}", line.text(self.start.elapsed(), &(self.detail)())));
        line.drawn = true;
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn text(&self, time: Duration, detail: &str) -> String {
        let files = if self.files > 1 {
            format!("{} of {} files, ", self.files_done, self.files)
        } else {
            String::new()
        };
        if self.members == 0 && !detail.is_empty() {
            return format!("{files}{}: {detail}, {} s", self.name, time.as_secs());
        }
        if self.members == 0 {
            return format!("{files}{}, {} s", self.name, time.as_secs());
        }
        let runs = if self.runs > 1 { format!(" in {} runs", self.runs) } else { String::new() };
        format!(
            "{files}{}: {} of {} members{runs}, {} s",
            self.name,
            self.done,
            self.members,
            time.as_secs()
        )
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            to_stderr(CLEAR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_line_says() {
        let progress = Progress::new(2, 1);
        progress.file_begun(Path::new("some/folder/a\u{1b}b.vpr"));
        let text = |seconds| progress.line().text(Duration::from_secs(seconds), "");
        assert_eq!(text(1), "0 of 2 files, ab.vpr, 1 s");
        let detailed = progress.line().text(Duration::from_secs(2), "40 runs");
        assert_eq!(detailed, "0 of 2 files, ab.vpr: 40 runs, 2 s");
        progress.add_members(7);
        assert_eq!(text(3), "0 of 2 files, ab.vpr: 0 of 7 members, 3 s");
        progress.member_done();
        progress.file_done();
        progress.file_begun(Path::new("c.vpr"));
        progress.add_members(2);
        assert_eq!(text(4), "1 of 2 files, c.vpr: 1 of 9 members, 4 s");
        let progress = Progress::new(1, 10);
        progress.file_begun(Path::new("c.vpr"));
        progress.add_members(2);
        assert_eq!(
            progress.line().text(Duration::ZERO, ""),
            "c.vpr: 0 of 2 members in 10 runs, 0 s"
        );
    }
}
