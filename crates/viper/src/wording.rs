//! Sentences that several messages share: "did you mean …?", "takes …, but … are given".

/// The candidate closest to a misspelt word, if one is close enough.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|c| *c != word && !c.contains('$'))
        .filter_map(|c| distance(word, c, limit).map(|d| (d, c)))
        // Ties go to the first in the alphabet: the answer must not depend on hashing.
        .min()
        .map(|(_, c)| c)
}

/// How many characters to insert, delete, replace or swap, if at most `limit`.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).take(64).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).take(64).collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let width = b.len() + 1;
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..width).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(width);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let above = last.get(j + 1).copied().unwrap_or(usize::MAX - 1);
            let diagonal = last.get(j).copied().unwrap_or(usize::MAX - 1);
            let left = row.get(j).copied().unwrap_or(usize::MAX - 1);
            let mut best = (above + 1).min(left + 1).min(diagonal + usize::from(x != y));
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(before.get(j - 1).copied().unwrap_or(usize::MAX - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|d| *d <= limit)
}

/// What to say when the number of arguments is wrong.
pub(crate) fn arity(what: &str, noun: &str, expected: usize, given: usize) -> String {
    let plural = if expected == 1 { "" } else { "s" };
    let verb = if given == 1 { "is" } else { "are" };
    format!("{what} takes {expected} {noun}{plural}, but {given} {verb} given")
}

#[cfg(test)]
mod tests {
    use super::{arity, closest};

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(closest("nxet", ["value", "next"]), Some("next"));
        assert_eq!(closest("int", ["Bool", "Int"]), Some("Int"));
        assert_eq!(closest("elephant", ["Bool", "Int"]), None);
        assert_eq!(closest("x", ["xy", "xz"]), Some("xy"));
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(arity("`f`", "argument", 1, 2), "`f` takes 1 argument, but 2 are given");
        assert_eq!(arity("`g`", "argument", 0, 1), "`g` takes 0 arguments, but 1 is given");
    }
}
