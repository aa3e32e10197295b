//! The difference between two texts, line by line, as `diff -u` and patches have it.
//!
//! Lines that occur once in each text and in the same order are kept (patience diff, by Bram Cohen),
//! then the same between them. That takes n log n steps, however much was changed.

use std::collections::HashMap;
use std::fmt::Write as _;

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Keep,
    Delete,
    Insert,
}

/// The difference, with the names in its header; empty if there is none.
pub(crate) fn unified(old_name: &str, new_name: &str, old: &str, new: &str, color: bool) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let mut edits = Vec::new();
    compare(&old, &new, &mut edits);
    let mut text = String::new();
    for (start, end) in hunks(&edits) {
        if text.is_empty() {
            let header = format!("--- {old_name}\n+++ {new_name}\n");
            text.push_str(&painted(&header, "\u{1b}[1m", color));
        }
        hunk(&edits, start, end, color, &mut text);
    }
    text
}

fn compare<'a>(old: &[&'a str], new: &[&'a str], edits: &mut Vec<(Edit, &'a str)>) {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let ends = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let end = ends.min(old.len().min(new.len()) - start);
    let (kept, old) = old.split_at(start);
    let (old, kept_after) = old.split_at(old.len() - end);
    let new = &new[start..new.len() - end];
    edits.extend(kept.iter().map(|line| (Edit::Keep, *line)));
    let (mut i, mut j) = (0, 0);
    // Behind the anchors, the rest: if there are no anchors, that is all.
    for (a, b) in anchors(old, new) {
        compare(&old[i..a], &new[j..b], edits);
        edits.push((Edit::Keep, old[a]));
        (i, j) = (a + 1, b + 1);
    }
    if (i, j) == (0, 0) {
        edits.extend(old.iter().map(|line| (Edit::Delete, *line)));
        edits.extend(new.iter().map(|line| (Edit::Insert, *line)));
    } else {
        compare(&old[i..], &new[j..], edits);
    }
    edits.extend(kept_after.iter().map(|line| (Edit::Keep, *line)));
}

/// The places of lines that occur once in each text: as many as there are in the same order.
fn anchors(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let once = |lines: &[&str]| -> HashMap<String, Option<usize>> {
        let mut places = HashMap::new();
        for (i, line) in lines.iter().enumerate() {
            places.entry((*line).to_owned()).and_modify(|place| *place = None).or_insert(Some(i));
        }
        places
    };
    let there = once(new);
    let mut pairs: Vec<(usize, usize)> = once(old)
        .into_iter()
        .filter_map(|(line, place)| Some((place?, (*there.get(&line)?)?)))
        .collect();
    pairs.sort_unstable();
    longest_increasing(&pairs)
}

/// The longest of the sequences that increase in the second component, too.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // By length: the pair with the smallest second component that such a sequence ends with.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (i, pair) in pairs.iter().enumerate() {
        let at = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before.push(at.checked_sub(1).map(|previous| ends[previous]));
        if at == ends.len() {
            ends.push(i);
        } else {
            ends[at] = i;
        }
    }
    let mut sequence = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(i) = next {
        sequence.push(pairs[i]);
        next = before[i];
    }
    sequence.reverse();
    sequence
}

/// Where the parts that are shown begin and end.
fn hunks(edits: &[(Edit, &str)]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for (i, _) in edits.iter().enumerate().filter(|(_, (edit, _))| *edit != Edit::Keep) {
        let (start, end) = (i.saturating_sub(CONTEXT), (i + 1 + CONTEXT).min(edits.len()));
        match hunks.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => hunks.push((start, end)),
        }
    }
    hunks
}

fn hunk(edits: &[(Edit, &str)], start: usize, end: usize, color: bool, text: &mut String) {
    let count = |edits: &[(Edit, &str)], not: Edit| edits.iter().filter(|e| e.0 != not).count();
    let range = |not: Edit| {
        let (before, length) = (count(&edits[..start], not), count(&edits[start..end], not));
        // An empty range is named by the line before it.
        let first = if length == 0 { before } else { before + 1 };
        if length == 1 { format!("{first}") } else { format!("{first},{length}") }
    };
    let header = format!("@@ -{} +{} @@", range(Edit::Insert), range(Edit::Delete));
    let _ = writeln!(text, "{}", painted(&header, "\u{1b}[36m", color));
    for (edit, line) in &edits[start..end] {
        let (sign, paint) = match edit {
            Edit::Keep => (' ', ""),
            Edit::Delete => ('-', "\u{1b}[31m"),
            Edit::Insert => ('+', "\u{1b}[32m"),
        };
        let body = line.strip_suffix('\n').unwrap_or(line);
        text.push_str(&painted(&format!("{sign}{body}"), paint, color && !paint.is_empty()));
        text.push('\n');
        if !line.ends_with('\n') {
            text.push_str("\\ No newline at end of file\n");
        }
    }
}

fn painted(text: &str, paint: &str, color: bool) -> String {
    if color { format!("{paint}{text}\u{1b}[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> String {
        unified("a", "b", old, new, false)
    }

    #[test]
    fn nothing_and_everything() {
        assert_eq!(diff("x\ny\n", "x\ny\n"), "");
        assert_eq!(diff("", "x\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(diff("x\n", ""), "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n");
    }

    #[test]
    fn changes_have_context_and_distant_ones_hunks_of_their_own() {
        let old: String = (1..=20).map(|i| format!("{i}\n")).collect();
        let new = old.replace("\n2\n", "\ntwo\n").replace("\n19\n", "\n");
        let expected = "--- a\n+++ b\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n\
                        @@ -16,5 +16,4 @@\n 16\n 17\n 18\n-19\n 20\n";
        assert_eq!(diff(&old, &new), expected);
    }

    #[test]
    fn ends_without_a_line_break() {
        let expected = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n";
        assert_eq!(diff("x", "x\n"), expected);
    }

    /// What a patch says leads from one text to the other.
    #[test]
    fn the_edits_make_the_new_text_of_the_old_one() {
        let mut numbers = testing::Random::new(7);
        let mut random = |n: usize| numbers.below(n);
        for _ in 0..500 {
            let mut lines = || -> Vec<String> {
                let length = random(12);
                (0..length).map(|_| format!("{}\n", random(6))).collect()
            };
            let (old, new) = (lines(), lines());
            let borrowed = |lines: &'_ [String]| -> Vec<String> { lines.to_vec() };
            let (a, b) = (borrowed(&old), borrowed(&new));
            let (a, b): (Vec<&str>, Vec<&str>) =
                (a.iter().map(String::as_str).collect(), b.iter().map(String::as_str).collect());
            let mut edits = Vec::new();
            compare(&a, &b, &mut edits);
            let side = |not: Edit| -> Vec<&str> {
                edits.iter().filter(|e| e.0 != not).map(|e| e.1).collect()
            };
            assert_eq!((side(Edit::Insert), side(Edit::Delete)), (a.clone(), b.clone()));
        }
    }

    #[test]
    fn much_that_changed_takes_no_longer() {
        let old: String = (0..100_000).map(|i| format!("  line {i}\n")).collect();
        let new: String = (0..100_000).map(|i| format!("line {i}\n")).collect();
        assert_eq!(diff(&old, &new).lines().count(), 200_003);
    }
}
