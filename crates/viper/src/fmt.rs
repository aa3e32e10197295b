//! The formatter: the same text in a uniform style.
//!
//! It changes white space and nothing else. Comments, parentheses and semicolons stay where they
//! are; empty lines between declarations, statements and clauses stay too, several become one.
//! Formatting a formatted text changes nothing.

use report::{Diagnostic, FileId};

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
    let mut layout = Layout::of_text(text);
    layout.program(&parsed.program);
    let formatted = layout.finish().filter(|formatted| same_ink(text, formatted));
    // Should the walk ever disagree with the parser, then better unformatted than lost.
    debug_assert!(formatted.is_some(), "the formatter lost a token");
    Ok(formatted.unwrap_or_else(|| text.to_owned()))
}

/// Do the texts differ in white space only?
fn same_ink(a: &str, b: &str) -> bool {
    let ink = |c: &char| !c.is_whitespace() && *c != '\u{feff}';
    a.chars().filter(ink).eq(b.chars().filter(ink))
}
