//! A copy of what a solver is told, for people and for running it again.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A file that gets everything that is sent. Comments say what was answered.
pub(crate) struct Dump {
    file: BufWriter<File>,
}

impl Dump {
    pub fn create(path: &Path) -> io::Result<Dump> {
        Ok(Dump { file: BufWriter::new(File::create(path)?) })
    }

    pub fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())
    }

    /// Writes comments, and sees to it that everything up to here is in the file.
    pub fn comment(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            writeln!(self.file, "; {line}")?;
        }
        self.file.flush()
    }
}
