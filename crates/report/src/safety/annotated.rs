//! The source with invariants as comments above the lines that they are about.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::SafetyReport;
use crate::human::one_line;
use crate::source::{FileId, SourceMap};

/// The text of a file with its invariants. What was there stays as it was.
#[must_use]
pub fn render(report: &SafetyReport, sources: &SourceMap, file: FileId) -> String {
    let Some(source) = sources.get(file) else { return String::new() };
    let mut comments: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for invariant in &report.invariants {
        let Some(span) = invariant.pos.span().filter(|span| span.file == file) else { continue };
        let line = source.line_col(span.start).line;
        let lines = comments.entry(line).or_default();
        for (i, disjunct) in invariant.disjuncts.iter().enumerate() {
            let word = if i == 0 { "invariant" } else { "       or" };
            // The end of a comment, or a line that goes on, must not come from a formula.
            let disjunct = one_line(disjunct).replace('\\', "/");
            lines.push(format!("//@ {word} {disjunct}"));
        }
        if let Some(what) = &invariant.not_checked {
            lines.push(format!("// not re-checked: {}", one_line(what).replace('\\', "/")));
        }
    }
    let mut text = String::new();
    for definition in &report.definitions {
        let _ = writeln!(text, "//@ {}", one_line(definition).replace('\\', "/"));
    }
    for (line, number) in source.text.split_inclusive('\n').zip(1..) {
        let indent: String = line.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
        for comment in comments.get(&number).into_iter().flatten() {
            let _ = writeln!(text, "{indent}{comment}");
        }
        text.push_str(line);
    }
    text
}
