//! S-expressions: the reader of SMT-LIB.
//!
//! Reads without recursion and refuses what is nested deeper than [`MAX_DEPTH`], so that whoever
//! recurses over the result needs a bounded stack.

use report::{Diagnostic, FileId, Span};

/// How deep lists may be nested.
pub const MAX_DEPTH: usize = 1000;

/// An S-expression with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sexp {
    /// What it is.
    pub kind: SexpKind,
    /// Where it is.
    pub span: Span,
}

/// What an S-expression can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SexpKind {
    /// A symbol, without the bars of `|x|`.
    Symbol(String),
    /// `:status` and the like, with the colon.
    Keyword(String),
    /// A natural number as written.
    Numeral(String),
    /// The text of a string literal, or any other constant as written.
    Other(String),
    /// A list.
    List(Vec<Sexp>),
}

impl Sexp {
    /// The symbol that it is, if it is one.
    #[must_use]
    pub fn symbol(&self) -> Option<&str> {
        match &self.kind {
            SexpKind::Symbol(text) => Some(text),
            _ => None,
        }
    }

    /// The members of the list that it is, if it is one.
    #[must_use]
    pub fn list(&self) -> Option<&[Sexp]> {
        match &self.kind {
            SexpKind::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads all S-expressions of a text.
///
/// # Errors
/// Says what is wrong, and where, with the first thing that is no S-expression.
pub fn read(file: FileId, text: &str) -> Result<Vec<Sexp>, Box<Diagnostic>> {
    Reader { file, text, at: 0 }.read_all()
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn read_all(mut self) -> Result<Vec<Sexp>, Box<Diagnostic>> {
        // The lists that are open: where they begin, and what is in them so far.
        let mut open: Vec<(usize, Vec<Sexp>)> = Vec::new();
        let mut done = Vec::new();
        loop {
            self.skip_blank();
            let start = self.at;
            let Some(byte) = self.peek() else { break };
            let item = match byte {
                b'(' => {
                    self.at += 1;
                    if open.len() >= MAX_DEPTH {
                        let message = format!("this is nested deeper than {MAX_DEPTH} levels");
                        return Err(self.error(start, self.at, message));
                    }
                    open.push((start, Vec::new()));
                    continue;
                }
                b')' => {
                    self.at += 1;
                    let Some((start, items)) = open.pop() else {
                        return Err(self.error(start, self.at, "this parenthesis closes nothing"));
                    };
                    Sexp { kind: SexpKind::List(items), span: self.span(start, self.at) }
                }
                _ => self.atom()?,
            };
            open.last_mut().map_or(&mut done, |(_, items)| items).push(item);
        }
        match open.pop() {
            None => Ok(done),
            Some((start, _)) => {
                Err(self.error(start, start + 1, "this parenthesis is never closed"))
            }
        }
    }

    fn atom(&mut self) -> Result<Sexp, Box<Diagnostic>> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'|') => SexpKind::Symbol(self.quoted(b'|', "this quoted symbol has no end")?),
            Some(b'"') => SexpKind::Other(self.string()?),
            _ => {
                let word = self.word();
                let digits = word.bytes().all(|b| b.is_ascii_digit());
                match word.bytes().next() {
                    Some(b':') => SexpKind::Keyword(word),
                    Some(_) if digits => SexpKind::Numeral(word),
                    Some(b'0'..=b'9' | b'#') => SexpKind::Other(word),
                    _ => SexpKind::Symbol(word),
                }
            }
        };
        Ok(Sexp { kind, span: self.span(start, self.at) })
    }

    fn word(&mut self) -> String {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let stop = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '"' | '|');
        let len = rest.find(stop).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default().to_owned()
    }

    /// What is between two such marks.
    fn quoted(&mut self, mark: u8, problem: &str) -> Result<String, Box<Diagnostic>> {
        let start = self.at;
        let rest = self.text.get(start + 1..).unwrap_or_default();
        match rest.find(char::from(mark)) {
            Some(len) => {
                self.at = start + len + 2;
                Ok(rest.get(..len).unwrap_or_default().to_owned())
            }
            None => Err(self.error(start, start + 1, problem)),
        }
    }

    /// A string literal, in which `""` stands for a quotation mark.
    fn string(&mut self) -> Result<String, Box<Diagnostic>> {
        let mut text = self.quoted(b'"', "this string has no end")?;
        while self.peek() == Some(b'"') {
            text.push('"');
            text.push_str(&self.quoted(b'"', "this string has no end")?);
        }
        Ok(text)
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            if self.peek() != Some(b';') {
                return;
            }
            let comment = rest.get(blank..).unwrap_or_default();
            self.at += comment.find('\n').unwrap_or(comment.len());
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    fn error(&self, start: usize, end: usize, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error("sl.syntax", self.span(start, end), message))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn message(text: &str) -> (String, u32) {
        let error = read(FileId(0), text).unwrap_err();
        (error.message.clone(), error.pos.span().unwrap().start)
    }

    #[test]
    fn reads_atoms_and_lists() {
        let all = read(FileId(0), "; comment\n(a |b c| :k 12 \"x\"\"y\" (#b1)) d").unwrap();
        assert_eq!(all.len(), 2);
        let items = all[0].list().unwrap();
        assert_eq!(items[1].symbol(), Some("b c"));
        assert_eq!(items[2].kind, SexpKind::Keyword(":k".into()));
        assert_eq!(items[3].kind, SexpKind::Numeral("12".into()));
        assert_eq!(items[4].kind, SexpKind::Other("x\"y".into()));
        assert_eq!(all[1].symbol(), Some("d"));
    }

    #[test]
    fn unbalanced_parentheses_have_a_place() {
        assert_eq!(message("(a (b)"), ("this parenthesis is never closed".into(), 0));
        assert_eq!(message("(a))"), ("this parenthesis closes nothing".into(), 3));
        assert_eq!(message("(a |b)"), ("this quoted symbol has no end".into(), 3));
        assert_eq!(message("\"a"), ("this string has no end".into(), 0));
    }

    #[test]
    fn deep_input_is_refused_without_recursion() {
        let deep = "(".repeat(1_000_000);
        assert!(message(&deep).0.starts_with("this is nested deeper"));
    }
}
