//! Tokens of the text form.

/// A token and where it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind<'t> {
    /// A name, which may hold `$` and `.`.
    Name(&'t str),
    /// A number without a point.
    Int(i128),
    Float(f64),
    /// What is between quotes, as it is written.
    String(&'t str),
    /// An operator, or a character that is none.
    Punct(&'t str),
    End,
}

const OPERATORS: [&str; 12] =
    [":=", "->", "@-", "==", "!=", "<=", "<<", ">>", "&&", "||", "@", "?"];

/// All tokens of a text, with an end. Comments start with `//`.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(&c) = bytes.get(at) {
        let start = at;
        let rest = text.get(at..).unwrap_or_default();
        let is_name = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.');
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let negative = c == b'-' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let kind = if c.is_ascii_digit() || negative {
            at += 1;
            while bytes.get(at).is_some_and(|c| {
                is_name(c) || (matches!(c, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E'))
            }) {
                at += 1;
            }
            let word = text.get(start..at).unwrap_or_default();
            match (word.parse::<i128>(), word.parse::<f64>()) {
                (Ok(n), _) => Kind::Int(n),
                (_, Ok(x)) => Kind::Float(x),
                _ => Kind::Punct(word),
            }
        } else if c == b'"' {
            at += 1;
            while bytes.get(at).is_some_and(|c| *c != b'"') {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            let inner = text.get(start + 1..at.min(text.len())).unwrap_or_default();
            let closed = at < bytes.len();
            at = (at + 1).min(bytes.len());
            if closed { Kind::String(inner) } else { Kind::Punct("\"") }
        } else if is_name(&c) && c != b'.' {
            while bytes.get(at).is_some_and(is_name) {
                at += 1;
            }
            Kind::Name(text.get(start..at).unwrap_or_default())
        } else {
            let width = OPERATORS
                .iter()
                .find(|op| rest.starts_with(**op))
                .map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |op| op.len());
            at += width;
            Kind::Punct(text.get(start..at).unwrap_or_default())
        };
        all.push(Token { kind, start, end: at });
    }
    all.push(Token { kind: Kind::End, start: text.len(), end: text.len() });
    all
}
