//! A line on the terminal that says how far a long run has got.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use symex::{Member, Observer};

use crate::output::to_stderr;

/// Shorter runs show no line.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is drawn.
const TICK: Duration = Duration::from_millis(200);
/// Longer names are cut, so that the line stays one.
const MAX_NAME: usize = 40;
/// Back to the first column, and away with what stands there.
const CLEAR: &str = "\r\u{1b}[K";

/// How far a run has got. Observes one verification after the other.
pub(crate) struct Progress {
    start: Instant,
    line: Mutex<Line>,
}

#[derive(Default)]
struct Line {
    files: usize,
    /// The number of the file that is being verified, from 1.
    file: usize,
    name: String,
    members: usize,
    done: usize,
    drawn: bool,
}

impl Progress {
    pub(crate) fn new(files: usize) -> Progress {
        let line = Mutex::new(Line { files, ..Line::default() });
        Progress { start: Instant::now(), line }
    }

    /// Runs something, showing the progress it reports if standard error is a terminal.
    pub(crate) fn show<T>(&self, run: impl FnOnce() -> T) -> T {
        if !std::io::stderr().is_terminal() {
            return run();
        }
        let (stop, stopped) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut wait = PATIENCE;
                while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    self.draw();
                    wait = TICK;
                }
                self.line().clear();
            });
            let result = run();
            drop(stop);
            result
        })
    }

    /// The next file begins.
    pub(crate) fn next_file(&self, path: &Path) {
        let mut line = self.line();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        line.name = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
        line.file += 1;
        (line.members, line.done) = (0, 0);
    }

    /// Writes something while the line is out of the way.
    pub(crate) fn hidden<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut line = self.line();
        line.clear();
        write()
    }

    fn draw(&self) {
        let mut line = self.line();
        to_stderr(&format!("{CLEAR}{}", line.text(self.start.elapsed())));
        line.drawn = true;
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn text(&self, time: Duration) -> String {
        let files = if self.files > 1 {
            format!("file {} of {}, ", self.file, self.files)
        } else {
            String::new()
        };
        format!(
            "{files}{}: {} of {} members, {} s",
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

impl Observer for Progress {
    fn started(&self, members: usize) {
        self.line().members = members;
    }

    fn finished(&self, _: &Member) {
        self.line().done += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_line_says() {
        let progress = Progress::new(2);
        progress.next_file(Path::new("some/folder/a\u{1b}b.vpr"));
        progress.started(7);
        let text = |seconds| progress.line().text(Duration::from_secs(seconds));
        assert_eq!(text(3), "file 1 of 2, ab.vpr: 0 of 7 members, 3 s");
        progress.next_file(Path::new("c.vpr"));
        assert_eq!(text(4), "file 2 of 2, c.vpr: 0 of 0 members, 4 s");
    }
}
