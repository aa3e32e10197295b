//! Preprocessing tokens.

use std::rc::Rc;

use report::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Name,
    /// A number, also one that is none.
    Number,
    /// A string.
    String,
    /// A character constant.
    Char,
    /// Anything else, one operator at a time.
    Punct,
    /// The end of a line.
    Newline,
}

/// A preprocessing token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: Rc<str>,
    /// Is there white space before it?
    pub(crate) spaced: bool,
    /// In the user's file: the token, or the use of the macro that it comes from.
    pub(crate) span: Span,
    /// Macros that it may no longer be a use of.
    pub(crate) hidden: Hidden,
}

/// A set of names of macros; nearly always empty.
pub(crate) type Hidden = Option<Rc<HiddenNode>>;

#[derive(Debug, PartialEq)]
pub(crate) struct HiddenNode {
    name: Rc<str>,
    rest: Hidden,
}

pub(crate) fn hides(mut set: &Hidden, name: &str) -> bool {
    while let Some(node) = set {
        if &*node.name == name {
            return true;
        }
        set = &node.rest;
    }
    false
}

pub(crate) fn hiding(set: &Hidden, name: &Rc<str>) -> Hidden {
    if hides(set, name) {
        return set.clone();
    }
    Some(Rc::new(HiddenNode { name: Rc::clone(name), rest: set.clone() }))
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        &*self.text == text && self.kind != Kind::String
    }
}

/// Splits a text into tokens. Lines that end with a backslash go on; comments are white space.
pub(crate) struct Lexer<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    base: Span,
    /// Comments that start with `//@` and were passed over.
    pub(crate) annotations: Vec<Span>,
}

const PUNCTUATORS: [&str; 26] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "<:", ":>", "::",
];

impl<'t> Lexer<'t> {
    /// Positions are in the file of `base`, from its start.
    pub(crate) fn new(text: &'t str, base: Span) -> Lexer<'t> {
        Lexer { bytes: text.as_bytes(), text, at: 0, base, annotations: Vec::new() }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The length of a backslash and the end of the line behind it, if they are here.
    fn splice(&self, at: usize) -> usize {
        match self.bytes.get(at..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Token>, (usize, &'static str)> {
        let mut spaced = false;
        loop {
            let splice = self.splice(self.at);
            if splice > 0 {
                self.at += splice;
                spaced = true;
                continue;
            }
            match (self.peek(0), self.peek(1)) {
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    let (start, annotation) = (self.at, self.peek(2) == b'@');
                    while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                        self.at += 1 + self.splice(self.at + 1);
                    }
                    if annotation {
                        let at = |offset: usize| self.base.start + offset as u32;
                        let span = Span { start: at(start), end: at(self.at), ..self.base };
                        self.annotations.push(span);
                    }
                }
                (b'/', b'*') => {
                    let start = self.at;
                    match self.text.get(self.at + 2..).and_then(|rest| rest.find("*/")) {
                        Some(length) => self.at += length + 4,
                        None => return Err((start, "this comment does not end")),
                    }
                }
                _ => break,
            }
            spaced = true;
        }
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let start = self.at;
        let kind = match self.peek(0) {
            b'\n' => {
                self.at += 1;
                Kind::Newline
            }
            b'"' => self.quoted(b'"')?,
            b'\'' => self.quoted(b'\'')?,
            b'L' | b'u' | b'U' if matches!(self.peek(1), b'"' | b'\'') => {
                self.at += 1;
                self.quoted(self.peek(0))?
            }
            c if c.is_ascii_digit() || (c == b'.' && self.peek(1).is_ascii_digit()) => {
                self.at += 1;
                loop {
                    let (c, before) = (self.peek(0), self.bytes[self.at - 1]);
                    let exponent = matches!(before, b'e' | b'E' | b'p' | b'P');
                    if c.is_ascii_alphanumeric()
                        || matches!(c, b'_' | b'.')
                        || (matches!(c, b'+' | b'-') && exponent)
                    {
                        self.at += 1;
                    } else {
                        break Kind::Number;
                    }
                }
            }
            c if c.is_ascii_alphabetic() || matches!(c, b'_' | b'$') || c >= 0x80 => {
                while {
                    let c = self.peek(0);
                    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$') || c >= 0x80
                } {
                    self.at += 1;
                }
                Kind::Name
            }
            _ => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let found = PUNCTUATORS.iter().find(|p| rest.starts_with(p.as_bytes()));
                self.at += found.map_or(1, |p| p.len());
                Kind::Punct
            }
        };
        let text = self.text.get(start..self.at).unwrap_or("?");
        let text = if text.contains('\\') && kind != Kind::Punct {
            text.replace("\\\r\n", "").replace("\\\n", "").into()
        } else {
            text.into()
        };
        let span = Span {
            start: self.base.start + start as u32,
            end: self.base.start + self.at as u32,
            ..self.base
        };
        Ok(Some(Token { kind, text, spaced, span, hidden: None }))
    }

    fn quoted(&mut self, quote: u8) -> Result<Kind, (usize, &'static str)> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' | 0 if self.at >= self.bytes.len() || self.peek(0) == b'\n' => {
                    // An apostrophe in a text that is skipped is no error.
                    self.at = start + 1;
                    return Ok(Kind::Punct);
                }
                c if c == quote => {
                    self.at += 1;
                    return Ok(if quote == b'"' { Kind::String } else { Kind::Char });
                }
                _ => self.at += 1,
            }
        }
    }
}
