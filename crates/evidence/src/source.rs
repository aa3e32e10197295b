//! C text, seen as far as is needed to put something into it, or to point at a statement: words and brackets, without
//! comments and literals.

use std::collections::BTreeMap;

/// A word or a sign of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// Where it starts.
    pub(crate) start: usize,
    /// What it is.
    pub(crate) text: &'t str,
}

/// The words and signs of a program. Comments, literals and directives are left out.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let mut found = Vec::new();
    let (mut i, mut line_starts) = (0, true);
    while i < bytes.len() {
        let start = i;
        match (at(i), at(i + 1)) {
            (b'\n', _) => line_starts = true,
            (b'/', b'/') => i = end_of_line(bytes, i),
            (b'/', b'*') => {
                i += 2;
                while i < bytes.len() && (at(i), at(i + 1)) != (b'*', b'/') {
                    i += 1;
                }
                i += 1;
            }
            (b'#', _) if line_starts => i = end_of_line(bytes, i),
            (quote @ (b'"' | b'\''), _) => {
                line_starts = false;
                i += 1;
                while i < bytes.len() && at(i) != quote {
                    i += if at(i) == b'\\' { 2 } else { 1 };
                }
            }
            (c, _) if c == b'_' || c.is_ascii_alphanumeric() => {
                line_starts = false;
                while at(i + 1) == b'_' || at(i + 1).is_ascii_alphanumeric() {
                    i += 1;
                }
                found.extend(text.get(start..=i).map(|text| Token { start, text }));
            }
            (c, _) if c.is_ascii_punctuation() => {
                line_starts = false;
                found.extend(text.get(start..=i).map(|text| Token { start, text }));
            }
            _ => {}
        }
        i += 1;
    }
    found
}

/// Where the line ends, with those that a backslash joins to it.
fn end_of_line(bytes: &[u8], mut i: usize) -> usize {
    while i < bytes.len() && !(bytes.get(i) == Some(&b'\n') && bytes.get(i - 1) != Some(&b'\\')) {
        i += 1;
    }
    i.saturating_sub(1)
}

/// The place behind the declaration, in a block, that a place is in. Not behind those in the head of a loop.
pub(crate) fn behind_declaration(tokens: &[Token<'_>], start: usize) -> Option<usize> {
    let mut open: Vec<&str> = Vec::new();
    let mut depth = None;
    for token in tokens {
        if token.start >= start && depth.is_none() {
            if open.last() != Some(&"{") {
                return None;
            }
            depth = Some(open.len());
        }
        match token.text {
            "(" | "[" | "{" => open.push(token.text),
            ")" | "]" | "}" => {
                open.pop();
                if depth.is_some_and(|depth| open.len() < depth) {
                    return None;
                }
            }
            ";" if depth == Some(open.len()) => return Some(token.start + 1),
            _ => {}
        }
    }
    None
}

/// All words of a text, those of directives and comments among them.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// The names of functions that have a body.
pub(crate) fn definitions<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let closing = matching(tokens);
    let mut depth = 0u32;
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "(" if depth == 0 && i > 0 => {
                // A block, or declarations of parameters in the old style.
                let behind = closing.get(&i).and_then(|close| tokens.get(close + 1));
                let word = |t: &Token<'_>| t.text.starts_with(|c: char| c.is_ascii_alphabetic());
                let body = behind.is_some_and(|t| t.text == "{" || (word(t)));
                found.extend(tokens.get(i - 1).filter(|_| body).map(|name| name.text));
            }
            _ => {}
        }
    }
    found
}

/// The places behind the `{` with which functions of this name start.
pub(crate) fn bodies(tokens: &[Token<'_>], name: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate().filter(|(_, token)| token.text == name) {
        let mut rest = tokens.iter().skip(i + 1);
        if rest.next().is_none_or(|t| t.text != "(" || token.start > t.start) {
            continue;
        }
        let mut depth = 1;
        while let Some(token) = rest.next().filter(|_| depth > 0) {
            match token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        if let Some(brace) = rest.next().filter(|t| t.text == "{") {
            found.push(brace.start + 1);
        }
    }
    found
}

/// The bracket that closes each one that is opened, by their places in the list.
fn matching(tokens: &[Token<'_>]) -> BTreeMap<usize, usize> {
    let (mut open, mut pairs) = (Vec::new(), BTreeMap::new());
    for (i, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => open.push(i),
            ")" | "]" | "}" => pairs.extend(open.pop().map(|start| (start, i))),
            _ => {}
        }
    }
    pairs
}

/// The statements and brackets of a program.
pub(crate) struct Outline<'t> {
    tokens: Vec<Token<'t>>,
    closing: BTreeMap<usize, usize>,
    opening: BTreeMap<usize, usize>,
}

impl<'t> Outline<'t> {
    pub(crate) fn new(text: &'t str) -> Outline<'t> {
        let tokens = tokens(text);
        let closing = matching(&tokens);
        let opening = closing.iter().map(|(a, b)| (*b, *a)).collect();
        Outline { tokens, closing, opening }
    }

    fn text(&self, i: usize) -> &'t str {
        self.tokens.get(i).map_or("", |token| token.text)
    }

    fn index(&self, place: usize) -> usize {
        self.tokens.partition_point(|token| token.start < place)
    }

    fn place(&self, i: usize) -> Option<usize> {
        self.tokens.get(i).map(|token| token.start)
    }

    /// Where the statement starts that a place is in, or the condition, if it is in the head of one.
    pub(crate) fn statement(&self, place: usize) -> Option<usize> {
        let at = self.index(place);
        let mut start = at;
        // Back to what ends a statement, over brackets that are closed.
        while start > 0 {
            match self.text(start - 1) {
                ";" | "{" | "}" | "(" => break,
                ")" => match self.opening.get(&(start - 1)) {
                    // The head of a statement ends here; otherwise it is a call or a cast.
                    Some(open) if *open > 0 && self.is_head(open - 1) => break,
                    Some(open) => start = *open,
                    None => break,
                },
                "]" => match self.opening.get(&(start - 1)) {
                    Some(open) => start = *open,
                    None => break,
                },
                "else" | "do" => break,
                _ => start -= 1,
            }
        }
        // A bracket that is still open: a call is part of its statement, a head is not.
        if start > 0 && self.text(start - 1) == "(" && !(start > 1 && self.is_head(start - 2)) {
            return self.statement(self.place(start - 1)?);
        }
        // Labels are no part of it.
        while start < at {
            let label = match self.text(start) {
                "case" => (start..at).find(|i| self.text(*i) == ":"),
                _ if self.text(start + 1) == ":" && start + 1 < at => Some(start + 1),
                _ => None,
            };
            match label {
                Some(colon) => start = colon + 1,
                None => break,
            }
        }
        self.place(start)
    }

    fn is_head(&self, i: usize) -> bool {
        matches!(self.text(i), "if" | "while" | "for" | "switch")
    }

    /// The keyword of the statement whose whole condition this is.
    pub(crate) fn branching(&self, start: usize, end: usize) -> Option<usize> {
        let first = self.index(start);
        let open = first.checked_sub(1).filter(|i| self.text(*i) == "(")?;
        let keyword = open.checked_sub(1)?;
        let close = *self.closing.get(&open)?;
        // It ends where the bracket is closed.
        let whole = self.place(close)? >= end && self.place(close - 1)? < end;
        (whole && matches!(self.text(keyword), "if" | "while")).then(|| self.place(keyword))?
    }

    /// The keyword of the loop that starts at a place: in its head, or at the first statement of its body.
    pub(crate) fn loop_keyword(&self, place: usize) -> Option<usize> {
        let at = self.index(place);
        for i in (0..at.min(self.tokens.len())).rev() {
            if self.text(i) == "do" {
                let behind = (i + 1..at).all(|j| matches!(self.text(j), "{" | ";" | "("));
                return if behind { self.place(i) } else { None };
            }
            if !matches!(self.text(i), "while" | "for") || self.text(i + 1) != "(" {
                continue;
            }
            let close = *self.closing.get(&(i + 1))?;
            let inside = at <= close;
            let behind = (close + 1..at).all(|j| matches!(self.text(j), "{" | ";" | "("));
            if !inside && !behind {
                continue;
            }
            // The condition of `do … while`: its loop starts at the `do`.
            if inside
                && self.text(i) == "while"
                && i > 0
                && self.text(i - 1) == "}"
                && let Some(open) = self.opening.get(&(i - 1))
                && *open > 0
                && self.text(open - 1) == "do"
            {
                return self.place(open - 1);
            }
            return self.place(i);
        }
        None
    }

    /// The first word behind the declaration that a place is in.
    pub(crate) fn behind_declaration(&self, place: usize) -> Option<usize> {
        let behind = behind_declaration(&self.tokens, place)?;
        let next = self.index(behind);
        // The end of a block is no statement.
        (self.text(next) != "}").then(|| self.place(next))?
    }
}

/// The text with something at some places.
pub(crate) fn with_insertions(text: &str, mut insertions: Vec<(usize, String)>) -> String {
    insertions.sort();
    let mut result = String::new();
    let mut last = 0;
    for (place, what) in insertions {
        result.push_str(text.get(last..place).unwrap_or_default());
        result.push_str(&what);
        last = place.max(last);
    }
    result.push_str(text.get(last..).unwrap_or_default());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn comments_literals_and_directives_are_no_words() {
        assert_eq!(words("#define X \\\n y\nint /* a; */ a; // b\nc"), ["int", "a", ";", "c"]);
        assert_eq!(words(r#"f("a\"b", 'c') /*"#), ["f", "(", ",", ")"]);
    }

    #[test]
    fn where_a_declaration_ends() {
        let text = "int f(int a) { int n = g(1, 2), m; for (int i; ;) { struct { int q; } s; } }";
        let behind = |what: &str| {
            let end = behind_declaration(&tokens(text), text.find(what)?)?;
            text.get(..end)
        };
        assert_eq!(behind("n ="), Some("int f(int a) { int n = g(1, 2), m;"));
        assert_eq!(behind("m;"), Some("int f(int a) { int n = g(1, 2), m;"));
        assert_eq!(behind("i;"), None);
        assert!(behind("s;").is_some_and(|t| t.ends_with("} s;")));
    }

    #[test]
    fn where_statements_conditions_and_loops_start() {
        let text = "int main(void) { int x; if (x > f(1)) return *p; else g(a, *q); l: x = (int)y[2]; \
                    for (i = 0; i < n; i++) { h(); } do { k(); } while (z && w); while (1) { m(); } }";
        let outline = Outline::new(text);
        let from = |place: Option<usize>| text.get(place?..).and_then(|t| t.get(..6));
        let statement = |what: &str| from(outline.statement(text.find(what)?));
        assert_eq!(statement("*p"), Some("return"));
        assert_eq!(statement("f(1)"), Some("x > f("));
        assert_eq!(statement("*q"), Some("g(a, *"));
        assert_eq!(statement("y[2]"), Some("x = (i"));
        assert_eq!(statement("h()"), Some("h(); }"));
        let start = text.find("x > f").unwrap_or(0);
        assert_eq!(from(outline.branching(start, start + 8)), Some("if (x "));
        assert_eq!(from(outline.branching(start, start + 1)), None);
        let keyword = |what: &str| from(outline.loop_keyword(text.find(what)?));
        assert_eq!(keyword("i < n"), Some("for (i"));
        assert_eq!(keyword("k()"), Some("do { k"));
        assert_eq!(keyword("z && w"), Some("do { k"));
        assert_eq!(keyword("m()"), Some("while "));
        assert_eq!(keyword("x > f"), None);
        assert_eq!(from(outline.behind_declaration(text.find("x;").unwrap_or(0))), Some("if (x "));
    }

    #[test]
    fn where_functions_start() {
        let text =
            "void reach_error(void); void reach_error(void) {stop();} f() { reach_error(); }";
        let places = bodies(&tokens(text), "reach_error");
        assert_eq!(places.len(), 1);
        assert!(text.get(places[0]..).is_some_and(|t| t.starts_with("stop")));
    }
}
