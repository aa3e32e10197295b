//! Writing to the standard streams without falling over when nobody listens.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use crate::args::Color;

/// Standard output. A reader that goes away (`lancehead … | head`) ends the writing, not the run;
/// any other failure is kept and told by [`Output::finish`].
pub(crate) struct Output {
    stream: BufWriter<Stdout>,
    failure: Option<io::Error>,
}

impl Default for Output {
    fn default() -> Output {
        Output::stdout()
    }
}

impl Output {
    pub(crate) fn stdout() -> Output {
        Output { stream: BufWriter::new(io::stdout()), failure: None }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.stream.write_all(bytes).err();
        }
    }

    /// Has the reader gone away?
    pub(crate) fn is_closed(&self) -> bool {
        self.failure.as_ref().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Lets the reader have what there is.
    pub(crate) fn flush(&mut self) {
        if self.failure.is_none() {
            self.failure = self.stream.flush().err();
        }
    }

    /// Flushes. Returns an exit status if something was lost that someone wanted to read.
    pub(crate) fn finish(mut self) -> Option<u8> {
        self.flush();
        let failure = self.failure.take()?;
        // What is still in the buffer must not be tried again.
        drop(self.stream.into_parts());
        if failure.kind() == io::ErrorKind::BrokenPipe {
            return None;
        }
        complain(&format!("cannot write to standard output: {failure}"));
        Some(3)
    }
}

/// Says on standard error that something is wrong that is no program's fault.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "lancehead: {message}");
}

/// As [`complain`], and says in lines of their own what to do about it.
pub(crate) fn complain_with(message: &str, remedy: &str) {
    complain(&format!("{message}\n    {}", remedy.replace('\n', "\n    ")));
}

/// Writes to standard error, wherever that leads.
pub(crate) fn to_stderr(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

impl Color {
    /// Should this stream get colours?
    pub(crate) fn wanted(self, stream: &impl IsTerminal) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                stream.is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && std::env::var_os("TERM").is_none_or(|v| v != "dumb")
            }
        }
    }
}
