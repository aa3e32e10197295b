//! Comments that are formulas: `//@ requires ls(x, nil)`. The preprocessor keeps them; what they are about is found
//! when declarations are, and what they say is known to whoever verifies the program.

use report::Span;

use super::Preprocessed;

/// What a comment says that starts with `//@`.
#[derive(Clone, Debug)]
pub(crate) struct Annotation {
    pub(crate) word: Word,
    /// The formula. It is as long as its place in the source, so that places in it are found.
    pub(crate) text: String,
    /// Where the formula is.
    pub(crate) formula: Span,
    /// Where the whole comment is.
    pub(crate) span: Span,
}

/// What a formula is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// What callers see to.
    Requires,
    /// What holds when a function returns.
    Ensures,
    /// A definition.
    Pred,
    /// Something that only other tools know.
    Unknown,
}

const START: &str = "//@";

impl Preprocessed {
    /// Keeps the comment at this place. A comment that starts with none of our words goes on with the formula of
    /// the one before it, if nothing is in between.
    pub(super) fn annotate(&mut self, text: &str, span: Span) {
        let Some(comment) = text.get(span.start as usize..span.end as usize) else { return };
        // Some places are read twice, and so are some files.
        let last = self.annotations.iter().rev().find(|a| a.span.file == span.file);
        if last.is_some_and(|a| span.start < a.span.end) {
            return;
        }
        let body = comment.get(START.len()..).unwrap_or_default();
        let rest = body.trim_start();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let known = match word {
            "requires" => Word::Requires,
            "ensures" => Word::Ensures,
            "pred" => Word::Pred,
            _ => Word::Unknown,
        };
        if known == Word::Unknown
            && let Some(last) = self.annotations.last_mut()
            && last.word != Word::Unknown
            && last.span.file == span.file
            && let Some(between) = text.get(last.span.end as usize..span.start as usize)
            && between.trim().is_empty()
        {
            last.text.push_str(between);
            last.text.push_str("   ");
            last.text.push_str(body);
            (last.span.end, last.formula.end) = (span.end, span.end);
            return;
        }
        // Definitions start with their word in our notation.
        let skipped = if known == Word::Pred { 0 } else { word.len() };
        let text = rest.get(skipped..).unwrap_or_default().trim_start().to_owned();
        let start = comment.len() - text.len();
        let formula = Span { start: span.start + start as u32, ..span };
        self.annotations.push(Annotation { word: known, text, formula, span });
    }
}
