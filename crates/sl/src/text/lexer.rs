//! Tokens of the text notation.

use report::{Diagnostic, FileId, Span};

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A name, or a keyword.
    Name(String),
    /// A name in backquotes: never a keyword.
    Quoted(String),
    /// A natural number.
    Number(String),
    /// An operator or a bracket.
    Punct(&'static str),
    /// The end of the text.
    End,
}

/// Longer ones first, so that the first match is the right one.
const PUNCT: [&str; 25] = [
    "|->", "||", "&&", "-*", "->", ":=", "!=", "<=", ">=", "(", ")", "{", "}", ",", ";", ":", ".",
    "*", "!", "=", "<", ">", "+", "-", "|",
];

pub(super) fn tokens(file: FileId, text: &str) -> Result<Vec<(Token, Span)>, Box<Diagnostic>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        let rest = rest.get(blank..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("//") {
            at += 2 + comment.find('\n').unwrap_or(comment.len());
            continue;
        }
        let span = |len: usize| Span { file, start: at as u32, end: (at + len) as u32 };
        let Some(first) = rest.chars().next() else {
            tokens.push((Token::End, span(0)));
            return Ok(tokens);
        };
        let (token, len) = match next(rest, first) {
            Some(found) => found,
            None => {
                let message = format!("`{first}` is not part of the notation");
                let at = span(first.len_utf8());
                return Err(Box::new(Diagnostic::error("sl.syntax", at, message)));
            }
        };
        tokens.push((token, span(len)));
        at += len;
    }
}

fn next(rest: &str, first: char) -> Option<(Token, usize)> {
    if first == '`' {
        let len = rest.get(1..)?.find('`')?;
        return Some((Token::Quoted(rest.get(1..=len)?.to_owned()), len + 2));
    }
    if first.is_ascii_digit() {
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        return Some((Token::Number(rest.get(..len)?.to_owned()), len));
    }
    if is_start(first) {
        let len = rest.find(|c| !is_continue(c)).unwrap_or(rest.len());
        return Some((Token::Name(rest.get(..len)?.to_owned()), len));
    }
    PUNCT.iter().find(|p| rest.starts_with(**p)).map(|p| (Token::Punct(p), p.len()))
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_continue(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'')
}

const KEYWORDS: [&str; 12] = [
    "emp", "true", "false", "nil", "exists", "forall", "sort", "record", "heap", "pred", "var",
    "mul",
];

/// Can a name be written as it is?
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(is_start)
        && name.chars().all(is_continue)
        && !KEYWORDS.contains(&name)
        && !matches!(name, "Int" | "Bool")
}

/// Does this word have a meaning of its own?
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}
