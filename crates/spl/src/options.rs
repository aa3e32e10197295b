//! `options "-abspreds …"`: what the reference tool's options mean here.

use report::{Diagnostic, Span};

use crate::core::Program;

/// Options that change what a program means, each with where it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Arrays without cells.
    pub simple_arrays: Option<Span>,
    /// `Int` has 32 bits.
    pub bitvector: Option<Span>,
    /// Automatic lemmas are no axioms.
    pub no_auto_lemmas: Option<Span>,
    /// Another engine of the reference tool.
    pub symbolic_execution: Option<Span>,
}

/// They only steer the reference tool's prover, or say what is so here anyway.
const WITHOUT_EFFECT: &[&str] = &[
    "-abspreds",
    "-stratify",
    "-propreads",
    "-noinst",
    "-optreach",
    "-noep",
    "-fullep",
    "-smtpatterns",
    "-splitlemmas",
    "-nomodifiesopt",
];

/// They have an argument, and only steer the reference tool's prover.
const WITH_ARGUMENT: &[&str] = &["-termgen", "-smtsolver"];

/// The options of a program.
#[must_use]
pub fn options(program: &Program) -> (Options, Vec<Diagnostic>) {
    let (mut options, mut diagnostics) = (Options::default(), Vec::new());
    for (text, span) in &program.options {
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "-simplearrays" => options.simple_arrays = Some(*span),
                "-bitvector" => options.bitvector = Some(*span),
                "-noautolemmas" => options.no_auto_lemmas = Some(*span),
                "-symbexec" => options.symbolic_execution = Some(*span),
                _ if WITHOUT_EFFECT.contains(&word) => {}
                _ if WITH_ARGUMENT.contains(&word) => {
                    words.next();
                }
                _ => {
                    let message = format!("there is no option `{word}`");
                    let known = WITHOUT_EFFECT.iter().chain(WITH_ARGUMENT).copied();
                    let known = known.chain(["-simplearrays", "-bitvector", "-noautolemmas"]);
                    let error = Diagnostic::error("typechecker.error", *span, message);
                    diagnostics.push(match crate::check::closest(word, known) {
                        Some(close) => error.with_help(format!("did you mean `{close}`?")),
                        None => error,
                    });
                }
            }
        }
    }
    (options, diagnostics)
}
