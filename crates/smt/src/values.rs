//! The values that a solver gives to terms.

/// The values in the reply to one `(get-value (t))` per wanted term. A complaint instead of a value is
/// no value; a reply that cannot be read has none at all.
pub(crate) fn values(reply: &str, wanted: usize) -> Vec<Option<String>> {
    match parse(reply) {
        Some(replies) if replies.len() == wanted => replies.iter().map(value).collect(),
        _ => vec![None; wanted],
    }
}

/// The value in `((term value))`.
fn value(reply: &Sexp<'_>) -> Option<String> {
    let Sexp::List(pairs) = reply else { return None };
    let [Sexp::List(pair)] = pairs.as_slice() else { return None };
    let [_, value] = pair.as_slice() else { return None };
    let mut text = String::new();
    value.write(&mut text);
    Some(text)
}

pub(crate) enum Sexp<'a> {
    /// A symbol, number, keyword, string or quoted symbol, as it was written.
    Atom(&'a str),
    List(Vec<Sexp<'a>>),
}

impl Sexp<'_> {
    /// On one line, with single spaces.
    fn write(&self, out: &mut String) {
        match self {
            Sexp::Atom(text) => out.push_str(text),
            Sexp::List(items) => {
                out.push('(');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(' ');
                    }
                    item.write(out);
                }
                out.push(')');
            }
        }
    }
}

/// Deeper values are not worth a larger stack.
const DEEPEST: usize = 1000;

/// All expressions of a text, if it is nothing but expressions.
pub(crate) fn parse(text: &str) -> Option<Vec<Sexp<'_>>> {
    let mut open: Vec<Vec<Sexp<'_>>> = vec![Vec::new()];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' => {
                open.push(Vec::new());
                1
            }
            ')' => {
                let list = Sexp::List(open.pop()?);
                open.last_mut()?.push(list);
                1
            }
            _ => {
                let length = atom(rest, first)?;
                open.last_mut()?.push(Sexp::Atom(&rest[..length]));
                length
            }
        };
        if open.len() > DEEPEST {
            return None;
        }
        rest = rest[length..].trim_start();
    }
    let all = open.pop()?;
    open.is_empty().then_some(all)
}

/// The length of the atom at the start of a text.
fn atom(text: &str, first: char) -> Option<usize> {
    match first {
        '|' => Some(text[1..].find('|')? + 2),
        '"' => {
            // A quote in a string is written twice.
            let mut length = 1;
            loop {
                length += text[length..].find('"')? + 1;
                if !text[length..].starts_with('"') {
                    return Some(length);
                }
                length += 1;
            }
        }
        _ => Some(
            text.find(|c: char| c.is_whitespace() || "()|\"".contains(c)).unwrap_or(text.len()),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_complaints() {
        let reply = "((x 4))\n((|a b|\n   (- 3)))\n(error \"line 1: unknown (constant \"\"q\"\"\")\n\
                     (((f x)\n  (as  const\n (Array Int Int))))";
        let texts: Vec<_> = values(reply, 4);
        let expected = [Some("4"), Some("(- 3)"), None, Some("(as const (Array Int Int))")];
        assert_eq!(texts, expected.map(|v| v.map(str::to_string)));
    }

    #[test]
    fn nonsense_has_no_values() {
        for reply in ["", "((x 4)", "((x 4)))", "((x |4))", "((x 4)) ((y 5))", "x", "\"", "()", ")"]
        {
            assert_eq!(values(reply, 1), [None], "{reply}");
        }
        assert_eq!(values(&"(".repeat(1_000_000), 1), [None]);
        assert_eq!(values("", 0), []);
    }
}
