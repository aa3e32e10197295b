//! Texts that are nearly right: what readers of texts have to survive.

use crate::Random;

/// A text in words, numbers, spaces and single signs.
#[must_use]
pub fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut all = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        if before.is_some_and(|before| before != kind(c) || before == 2) {
            all.push(&text[start..at]);
            start = at;
        }
        before = Some(kind(c));
    }
    if start < text.len() {
        all.push(&text[start..]);
    }
    all
}

/// A text with up to four changes: pieces are left out, repeated, exchanged, replaced by pieces of other
/// texts or by what nobody would write, or the rest is cut off.
#[must_use]
pub fn damage(text: &str, others: &[&str], random: &mut Random) -> String {
    const ODD: [&str; 12] = [
        "",
        "\0",
        "\"",
        "/*",
        "((((((((",
        "))))",
        "\u{e9}\u{1f600}",
        "99999999999999999999",
        "-",
        "\\",
        "|",
        "\n",
    ];
    let mut parts: Vec<String> = pieces(text).into_iter().map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        if parts.is_empty() {
            break;
        }
        let at = random.below(parts.len());
        match random.below(8) {
            0 => {
                let count = 1 + random.below(6);
                parts.drain(at..(at + count).min(parts.len()));
            }
            1 => {
                let part = parts[at].clone();
                let count = 1 << random.below(8);
                parts.splice(at..at, std::iter::repeat_n(part, count));
            }
            2 => {
                let other = random.below(parts.len());
                parts.swap(at, other);
            }
            3 => parts.truncate(at),
            4 => parts[at] = random.pick(&ODD).copied().unwrap_or_default().to_owned(),
            _ => {
                let other = random.pick(others).copied().unwrap_or(text);
                let words = pieces(other);
                let from = random.below(words.len());
                let count = 1 + random.below(4);
                let taken = words.into_iter().skip(from).take(count).collect();
                parts.insert(at, taken);
            }
        }
    }
    parts.concat()
}
