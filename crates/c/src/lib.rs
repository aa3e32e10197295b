//! C programs as heap programs.
//!
//! [`load`] reads a file: the preprocessor ([`pp`]) takes out directives, `lang-c` parses what is left,
//! `lower` resolves names and types and emits commands. Everything a verdict rests on is decided here:
//! the order in which expressions are evaluated, which accesses touch memory, when objects come to life
//! and are gone. What is not supported is an error at its position.
//!
//! *Does not know*: solvers, separation logic, terminals. It reads files only through [`Files`].

mod ctype;
mod headers;
mod literal;
mod lower;
pub mod pp;

use heap::{DataModel, Program};
use report::{Diagnostic, FileId, SourceMap};

pub use pp::Preprocessed;

/// Where files come from.
pub trait Files {
    /// The path of a file that another one includes by name, if there is one.
    fn resolve(&self, from: &str, name: &str) -> Option<String>;

    /// The text of a file.
    ///
    /// # Errors
    ///
    /// Why it cannot be read.
    fn read(&self, path: &str) -> Result<String, String>;

    /// The file as a compiler preprocesses it, if there is a compiler.
    ///
    /// # Errors
    ///
    /// Why there is no such text.
    fn compiler_preprocessed(&self, path: &str) -> Result<String, String>;
}

/// There is only the program itself: no files beside it, and no compiler.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn resolve(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn read(&self, path: &str) -> Result<String, String> {
        Err(format!("there is no {path}"))
    }

    fn compiler_preprocessed(&self, _: &str) -> Result<String, String> {
        Err("there is no compiler".into())
    }
}

/// How C is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Sizes of the target.
    pub model: DataModel,
}

/// A program, if there are no errors, and what is to be said of it.
#[derive(Debug)]
pub struct Loaded {
    /// The program.
    pub program: Option<Program>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and translates a file that is in the map.
pub fn load(files: &dyn Files, sources: &mut SourceMap, file: FileId, options: Options) -> Loaded {
    let failed = |diagnostics| Loaded { program: None, diagnostics };
    let preprocessed = match pp::preprocess(files, sources, file) {
        Ok(text) => text,
        Err(pp::Trouble::Errors(errors)) => return failed(errors),
        Err(pp::Trouble::UnknownHeader(error)) => {
            let path = sources.get(file).map(|f| f.name.clone()).unwrap_or_default();
            let text = match files.compiler_preprocessed(&path) {
                Ok(text) => text,
                Err(reason) => {
                    let help =
                        format!("it is not built in, and no compiler could be asked: {reason}");
                    return failed(vec![error.with_help(help)]);
                }
            };
            let expanded = sources.add(path, text);
            match pp::preprocess(files, sources, expanded) {
                Ok(text) => text,
                Err(pp::Trouble::Errors(errors)) => return failed(errors),
                Err(pp::Trouble::UnknownHeader(error)) => return failed(vec![*error]),
            }
        }
    };
    let (program, diagnostics) = lower::translate(preprocessed, options);
    Loaded { program, diagnostics }
}
