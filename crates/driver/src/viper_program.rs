//! Viper programs on disk: the whole front end.

use report::{Diagnostic, SourceMap};
use viper::core;
use viper::loader::{DiskFiles, load_text};

use crate::inputs::Input;
use crate::source;

/// What the front end makes of a file.
#[derive(Debug)]
pub struct Frontend {
    /// The file and all that it imports.
    pub sources: SourceMap,
    /// Core Viper, ready to verify. Absent if and only if there are errors.
    pub program: Option<core::Program>,
    /// In source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Runs the whole front end on a file: imports, syntax, names, types, consistency, plugins.
///
/// As in Viper, each phase runs only on what the ones before it accepted.
#[must_use]
pub fn front_end(input: &Input, plugins: &viper::plugins::Options) -> Frontend {
    let mut sources = SourceMap::new();
    let read = match &input.problem {
        Some(problem) => Err(Box::new(problem.clone())),
        None => source::read(&input.path, &mut sources),
    };
    let loaded = match read {
        Ok(file) => load_text(&DiskFiles, &mut sources, file, &input.path),
        Err(problem) => {
            return Frontend { sources, program: None, diagnostics: vec![*problem] };
        }
    };
    let mut diagnostics = loaded.diagnostics;
    let mut program = None;
    if !any_error(&diagnostics) {
        let checked = viper::check(&loaded.program);
        diagnostics.extend(checked.diagnostics);
        program = checked.program.filter(|_| !any_error(&diagnostics));
    }
    // Surface trees are large, and nobody needs this one any more.
    drop(loaded.program);
    if let Some(typed) = program.take() {
        let (desugared, more) = viper::plugins::desugar(typed, plugins);
        diagnostics.extend(more);
        program = Some(desugared).filter(|_| !any_error(&diagnostics));
    }
    diagnostics.sort_by_key(|d| d.pos.span().map(|span| (span.file, span.start)));
    Frontend { sources, program, diagnostics }
}

fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
