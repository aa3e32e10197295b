//! `lancehead print`: the program as the tool understands it.

use std::io;
use std::path::Path;

use driver::c_program;
use driver::viper_program::{Frontend, front_end};
use report::{Diagnostic, SourceMap, human};
use viper::ast;

use crate::args::{self, Color};
use crate::inputs::Input;
use crate::output::{Output, to_stderr};
use crate::{crash, source, spl_program};

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Print, color: Color, out: &mut Output) -> u8 {
    crash::working_on(&args.file, false);
    let (text, sources, diagnostics) = if c_program::is_c(&args.file) {
        let (loaded, sources) = c_program::load(&args.file, args.c.options());
        (loaded.program.map(|p| heap::text::print(&p)), sources, loaded.diagnostics)
    } else if spl_program::is_spl(&args.file) && args.core {
        let (lowered, sources, mut diagnostics) = spl_program::heap_program(&args.file);
        let text = lowered.map(|lowered| {
            diagnostics.extend(lowered.diagnostics);
            heap::text::print(&lowered.program)
        });
        (text, sources, diagnostics)
    } else if spl_program::is_spl(&args.file) {
        let (program, sources, diagnostics) = spl_program::parsed(&args.file);
        (program.map(|p| spl::print::program(&p)), sources, diagnostics)
    } else {
        let (program, sources, diagnostics) =
            if args.core { core(args) } else { parsed(&args.file) };
        (program.map(|p| viper::print::program(&p)), sources, diagnostics)
    };
    let color = color.wanted(&io::stderr());
    let options = human::Options { color, ..human::Options::default() };
    let name = args.file.display().to_string();
    for diagnostic in &diagnostics {
        to_stderr(&human::render_diagnostic(diagnostic, &name, &sources, options));
        to_stderr("\n");
    }
    match text {
        Some(text) if !diagnostics.iter().any(Diagnostic::is_error) => {
            out.write(text.as_bytes());
            0
        }
        _ => 2,
    }
}

type Result = (Option<ast::Program>, SourceMap, Vec<Diagnostic>);

/// The one file, with its imports and macros as they are.
fn parsed(path: &Path) -> Result {
    let mut sources = SourceMap::new();
    match source::read(path, &mut sources) {
        Err(problem) => (None, sources, vec![*problem]),
        Ok(file) => {
            let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
            let parsed = viper::parser::parse(file, &text);
            (Some(parsed.program), sources, parsed.diagnostics)
        }
    }
}

/// What a verifier sees, as far as it can be written in Viper.
fn core(args: &args::Print) -> Result {
    let Frontend { sources, program, diagnostics } =
        front_end(&Input::file(&args.file), &args.language.plugins());
    (program.map(|p| viper::unparse::program(&p)), sources, diagnostics)
}
