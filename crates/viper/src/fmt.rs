//! The formatter: the same text in a uniform style.
//!
//! It changes white space and nothing else. Comments, parentheses and semicolons stay where they
//! are; empty lines between declarations, statements and clauses stay too, several become one.
//! Line breaks stay what most of them are, `\n` or `\r\n`, and a byte order mark stays.
//! Formatting a formatted text changes nothing.

use std::borrow::Cow;

use report::{Diagnostic, FileId};

use crate::ast::Program;
use crate::layout::Layout;
use crate::parser;

/// Formats a file, or says why it is not a program.
///
/// # Errors
///
/// The errors of the parser, if it has any. Positions are in the file `FileId(0)`.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parser::parse(FileId(0), text);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(parsed.diagnostics);
    }
    let (plain, ending) = plain(text);
    let formatted = match &plain {
        Cow::Borrowed(_) => lay_out(text, &parsed.program),
        // Positions in the tree are positions in the text.
        Cow::Owned(plain) => lay_out(plain, &parser::parse(FileId(0), plain).program),
    };
    let formatted = formatted.map(|formatted| ending.restore(&formatted));
    let formatted = formatted.filter(|formatted| same_ink(text, formatted));
    // Should the walk ever disagree with the parser, then better unformatted than lost.
    debug_assert!(formatted.is_some(), "the formatter lost a token");
    Ok(formatted.unwrap_or_else(|| text.to_owned()))
}

fn lay_out(text: &str, program: &Program) -> Option<String> {
    let mut layout = Layout::of_text(text);
    layout.program(program);
    layout.finish()
}

const MARK: char = '\u{feff}';

/// What a text has besides its characters.
struct Ending {
    /// A byte order mark at the start.
    mark: bool,
    /// `\r\n` at the ends of lines.
    crlf: bool,
}

/// The text without a byte order mark and with `\n` for every line break.
fn plain(text: &str) -> (Cow<'_, str>, Ending) {
    let unmarked = text.strip_prefix(MARK);
    let body = unmarked.unwrap_or(text);
    let all = body.matches('\n').count();
    let long = body.matches("\r\n").count();
    let first_is_long = body.find('\n').is_some_and(|at| body[..at].ends_with('\r'));
    let crlf = 2 * long > all || (2 * long == all && first_is_long);
    let ending = Ending { mark: unmarked.is_some(), crlf };
    let text = match unmarked {
        None if long == 0 => Cow::Borrowed(text),
        _ => Cow::Owned(body.replace("\r\n", "\n")),
    };
    (text, ending)
}

impl Ending {
    fn restore(&self, text: &str) -> String {
        let text = if self.crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        if self.mark { format!("{MARK}{text}") } else { text }
    }
}

/// Do the texts differ in white space only?
fn same_ink(a: &str, b: &str) -> bool {
    let ink = |c: &char| !c.is_whitespace() && *c != MARK;
    a.chars().filter(ink).eq(b.chars().filter(ink))
}
