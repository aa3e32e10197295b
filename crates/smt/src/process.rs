//! A solver as a child process that reads SMT-LIB and answers.
//!
//! Everything that is asked ends with a *mark*, a text that the solver is told to repeat. What it
//! prints up to a mark is its reply, so a late or unexpected line is never taken for the answer to
//! another question.
//!
//! A thread reads what the solver prints, and another one writes what may be too long for a pipe, so
//! that waiting can end at a deadline whatever the solver does: think, or not even read.

use std::io::{BufRead, BufReader, PipeReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::profile::Profile;

/// What every pipe holds: so much can be written without waiting for a reader.
const PIPE: usize = 4096;

/// A solver that prints more than this before a mark is out of its mind.
const LONGEST_REPLY: usize = 16 << 20;

/// How often somebody who waits looks whether to go on.
const SLICE: Duration = Duration::from_millis(20);

const MARK: &str = "lancehead-mark-";

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The deadline passed.
    Timeout,
    /// Nobody wants the reply any more.
    Cancelled,
    /// The process ended, or its pipes did.
    Gone(String),
}

/// How long to wait.
pub(crate) struct Patience<'a> {
    pub deadline: Instant,
    /// Set by who no longer wants to know.
    pub cancel: Option<&'a AtomicBool>,
}

struct Reply {
    mark: u64,
    text: String,
}

pub(crate) struct Process {
    child: Child,
    stdin: Arc<ChildStdin>,
    /// Texts for the writing thread, which is started by the first.
    queue: Option<Sender<String>>,
    /// How many of them are not written yet.
    queued: Arc<AtomicUsize>,
    /// How many bytes the solver may not have read yet.
    unread: usize,
    /// How many of them come before the last mark.
    before_mark: usize,
    /// The last mark.
    mark: u64,
    replies: Receiver<Result<Reply, String>>,
}

impl Process {
    /// Starts a solver that ends by itself after this time, if nobody ends it before: when we are
    /// killed, nobody does. With a profile, what it says about instances goes there.
    pub fn start(
        program: &Path,
        lifetime: Duration,
        profile: Option<Arc<Mutex<Profile>>>,
    ) -> std::io::Result<Process> {
        let (output, end) = std::io::pipe()?;
        let mut command = Command::new(program);
        command.args(["-smt2", "-in"]);
        command.arg(format!("-T:{}", lifetime.as_secs() + 1));
        // One pipe for both, so that it is known behind which question something was said.
        let errors = if profile.is_some() { end.try_clone()?.into() } else { Stdio::null() };
        command.stdin(Stdio::piped()).stdout(end).stderr(errors);
        if std::env::var_os("GLIBC_TUNABLES").is_none() {
            // Z3 starts by clearing two tables of 8 MB. Huge pages halve the time of a start.
            command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
        }
        let mut child = command.spawn()?;
        // Our copies of its end of the pipe are in there: it must be the only one who has it.
        drop(command);
        let Some(stdin) = child.stdin.take() else {
            return Err(std::io::Error::other("no pipes"));
        };
        let (sender, replies) = channel();
        std::thread::Builder::new()
            .name("solver output".to_string())
            .spawn(move || read_replies(output, &sender, profile.as_deref()))?;
        Ok(Process {
            child,
            stdin: Arc::new(stdin),
            queue: None,
            queued: Arc::default(),
            unread: 0,
            before_mark: 0,
            mark: 0,
            replies,
        })
    }

    /// Writes something that has no reply.
    pub fn write(&mut self, text: &str) -> Result<(), Silence> {
        self.unread += text.len();
        let idle = self.queued.load(Ordering::Acquire) == 0;
        if idle && self.unread <= PIPE {
            let written = (&*self.stdin).write_all(text.as_bytes());
            return written.map_err(|e| self.gone(&e));
        }
        self.enqueue(text.to_string()).map_err(|e| self.gone(&e))
    }

    /// It does not read any more. How it ended says more than that.
    fn gone(&mut self, error: &std::io::Error) -> Silence {
        Silence::Gone(self.end().unwrap_or_else(|| error.to_string()))
    }

    /// How it ended, if it has, or is about to: its pipes are closed before it is gone.
    fn end(&mut self) -> Option<String> {
        for _ in 0..20 {
            if let Some(status) = self.child.try_wait().ok()? {
                return Some(status.to_string());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    fn enqueue(&mut self, text: String) -> std::io::Result<()> {
        let queue = match &mut self.queue {
            Some(queue) => queue,
            none => {
                let (sender, texts) = channel::<String>();
                let (stdin, queued) = (Arc::clone(&self.stdin), Arc::clone(&self.queued));
                let write = move || {
                    for text in texts {
                        // A solver that is gone is noticed by who waits for its reply.
                        if (&*stdin).write_all(text.as_bytes()).is_err() {
                            break;
                        }
                        queued.fetch_sub(1, Ordering::Release);
                    }
                };
                std::thread::Builder::new().name("solver input".to_string()).spawn(write)?;
                none.insert(sender)
            }
        };
        self.queued.fetch_add(1, Ordering::Relaxed);
        queue.send(text).map_err(|_| std::io::Error::other("it reads no more"))
    }

    /// Writes something and a mark behind it, at which its reply ends.
    pub fn ask(&mut self, mut text: String) -> Result<u64, Silence> {
        self.mark += 1;
        text.push_str(&format!("(echo \"{MARK}{}\")\n", self.mark));
        self.write(&text)?;
        self.before_mark = self.unread;
        Ok(self.mark)
    }

    /// What the solver printed between this mark and the one before.
    pub fn reply(&mut self, mark: u64, patience: &Patience<'_>) -> Result<String, Silence> {
        loop {
            let reply = self.receive(patience)?;
            if reply.mark == self.mark {
                // It has read everything up to the mark.
                self.unread -= self.before_mark;
                self.before_mark = 0;
            }
            if reply.mark == mark {
                return Ok(reply.text);
            }
            if reply.mark > mark {
                return Err(Silence::Gone("it repeats the wrong things".to_string()));
            }
        }
    }

    fn receive(&mut self, patience: &Patience<'_>) -> Result<Reply, Silence> {
        loop {
            if patience.cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                return Err(Silence::Cancelled);
            }
            let rest = patience.deadline.saturating_duration_since(Instant::now());
            let slice = if patience.cancel.is_some() { rest.min(SLICE) } else { rest };
            match self.replies.recv_timeout(slice) {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(why)) => return Err(Silence::Gone(why)),
                Err(RecvTimeoutError::Timeout) if slice < rest => {}
                Err(RecvTimeoutError::Timeout) => return Err(Silence::Timeout),
                Err(RecvTimeoutError::Disconnected) => {
                    let how = self.end().unwrap_or_else(|| "it closed its output".to_string());
                    return Err(Silence::Gone(how));
                }
            }
        }
    }
}

/// Cuts what the solver prints into replies, until it ends or nobody listens.
fn read_replies(
    output: PipeReader,
    replies: &Sender<Result<Reply, String>>,
    profile: Option<&Mutex<Profile>>,
) {
    let mut output = BufReader::new(output);
    let about_instances = |line: &str| {
        profile.is_some_and(|p| p.lock().unwrap_or_else(PoisonError::into_inner).read(line))
    };
    let mut text = String::new();
    loop {
        let start = text.len();
        let rest = LONGEST_REPLY.saturating_sub(start) as u64;
        let trouble = match output.by_ref().take(rest).read_line(&mut text) {
            Ok(0) => return,
            Ok(_) if text.len() >= LONGEST_REPLY => "its reply has no end".to_string(),
            Ok(_) if about_instances(&text[start..]) => {
                text.truncate(start);
                continue;
            }
            Ok(_) => {
                let Some(mark) = mark_of(&text[start..]) else { continue };
                let reply = Reply { mark, text: text[..start].trim().to_string() };
                text.clear();
                if replies.send(Ok(reply)).is_err() {
                    return;
                }
                continue;
            }
            Err(e) => e.to_string(),
        };
        let _ = replies.send(Err(trouble));
        return;
    }
}

/// The mark that a line is. A line that is cut off, because the solver died, is none.
fn mark_of(line: &str) -> Option<u64> {
    let line = line.strip_suffix('\n')?.trim().trim_matches('"');
    line.strip_prefix(MARK)?.parse().ok()
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be in the middle of something, and there is nothing to save.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
