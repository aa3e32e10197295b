//! A solver as a child process that reads SMT-LIB and answers line by line.
//!
//! Threads of their own read what the solver prints and write what it is told, so that waiting for
//! it can end at a deadline whatever it does: think, or not even read.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Instant;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The deadline passed.
    Timeout,
    /// The process ended, or its pipes did.
    Gone(String),
}

pub(crate) struct Process {
    child: Child,
    input: Sender<String>,
    lines: Receiver<std::io::Result<String>>,
}

impl Process {
    pub fn start(program: &Path) -> std::io::Result<Process> {
        let mut child = Command::new(program)
            .args(["-smt2", "-in"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, texts) = channel::<String>();
        if let Some(mut stdin) = child.stdin.take() {
            std::thread::Builder::new().name("solver input".to_string()).spawn(move || {
                for text in texts {
                    // A solver that is gone is noticed by who waits for its answer.
                    if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        break;
                    }
                }
            })?;
        }
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::Builder::new().name("solver output".to_string()).spawn(move || {
                for line in BufReader::new(stdout).lines() {
                    let failed = line.is_err();
                    // Nobody listens any more, or nothing more will come.
                    if sender.send(line).is_err() || failed {
                        break;
                    }
                }
            })?;
        }
        Ok(Process { child, input, lines })
    }

    pub fn write(&mut self, text: String) -> Result<(), Silence> {
        self.input.send(text).map_err(|_| Silence::Gone("it reads no more".to_string()))
    }

    /// The next line that is not empty.
    pub fn read(&mut self, deadline: Instant) -> Result<String, Silence> {
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(rest) {
                Ok(Ok(line)) if line.trim().is_empty() => {}
                Ok(Ok(line)) => return Ok(line.trim().to_string()),
                Ok(Err(e)) => return Err(Silence::Gone(e.to_string())),
                Err(RecvTimeoutError::Timeout) => return Err(Silence::Timeout),
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.try_wait().ok().flatten();
                    let how = status.map_or("it closed its output".to_string(), |s| s.to_string());
                    return Err(Silence::Gone(how));
                }
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be in the middle of something, and there is nothing to save.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
