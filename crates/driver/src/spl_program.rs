//! SPL programs on disk: the whole front end.

use std::path::Path;

use report::{Diagnostic, SourceMap};
use spl::core::Program;
use spl::loader::{DiskFiles, load_text};

use crate::source;

/// Is this the name of an SPL program?
#[must_use]
pub fn is_spl(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "spl")
}

/// What the front end makes of a file.
#[derive(Debug)]
pub struct Frontend {
    /// The file and all that it includes.
    pub sources: SourceMap,
    /// The file and what it includes, as it was written.
    pub parsed: spl::ast::Program,
    /// Absent if and only if there are errors.
    pub program: Option<Program>,
    /// In source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a program with what it includes; names and types.
#[must_use]
pub fn front_end(path: &Path) -> Frontend {
    let mut sources = SourceMap::new();
    let file = match source::read_one_of(path, "*.spl", &mut sources) {
        Ok(file) => file,
        Err(problem) => {
            let (parsed, diagnostics) = (spl::ast::Program::default(), vec![*problem]);
            return Frontend { sources, parsed, program: None, diagnostics };
        }
    };
    let loaded = load_text(&DiskFiles, &mut sources, file, path);
    let mut diagnostics = loaded.diagnostics;
    let mut program = None;
    if !diagnostics.iter().any(Diagnostic::is_error) {
        let checked = spl::check(&loaded.program);
        diagnostics.extend(checked.diagnostics);
        program = checked.program;
    }
    diagnostics.sort_by_key(|d| d.pos.span().map(|s| (s.file, s.start)));
    Frontend { sources, parsed: loaded.program, program, diagnostics }
}

/// The heap program of a file, with the front end's findings and what heap programs have no commands for.
#[must_use]
pub fn heap_program(path: &Path) -> (Option<spl::lower::Lowered>, SourceMap, Vec<Diagnostic>) {
    let front = front_end(path);
    let lowered = front.program.as_ref().map(|p| spl::lower::lower(p, &front.sources));
    (lowered, front.sources, front.diagnostics)
}

/// The one file, with its includes and macros as they are.
#[must_use]
pub fn parsed(path: &Path) -> (Option<spl::ast::Program>, SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    match source::read_one_of(path, "*.spl", &mut sources) {
        Err(problem) => (None, sources, vec![*problem]),
        Ok(file) => {
            let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
            let parsed = spl::parser::parse(file, &text);
            (Some(parsed.program), sources, parsed.diagnostics)
        }
    }
}
