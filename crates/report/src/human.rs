//! For people: source excerpts with carets.
//!
//! [`crate::excerpt`] decides what of the source is worth showing; the drawing is left to
//! `annotate-snippets`. Whatever comes from a program is stripped of control characters first, so
//! that no input can play tricks on the terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Counterexample, Diagnostic, HeapValue, Heaps, Severity};
use crate::excerpt::{Excerpt, excerpts};
use crate::outcome::{FileReport, Numbers, Status};
use crate::picture;
use crate::source::SourceMap;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// With ANSI colours?
    pub color: bool,
    /// Columns of the terminal; excerpts are cut to it.
    pub width: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { color: false, width: 120 }
    }
}

/// Everything there is to say about a file, ending in a line break unless it is empty. The summary
/// of the run is [`summary`].
#[must_use]
pub fn render(report: &FileReport, sources: &SourceMap, options: Options) -> String {
    let mut text = String::new();
    for diagnostic in &report.diagnostics {
        text.push_str(&render_diagnostic(diagnostic, &report.file, sources, options));
        text.push('\n');
    }
    text
}

/// One diagnostic, ending in a line break. `file` is named where there is no better position.
#[must_use]
pub fn render_diagnostic(
    diagnostic: &Diagnostic,
    file: &str,
    sources: &SourceMap,
    options: Options,
) -> String {
    let (level, note) = match diagnostic.severity {
        Severity::Error => (Level::ERROR, Level::NOTE),
        Severity::Warning => (Level::WARNING, Level::NOTE),
    };
    let title = level.primary_title(clean(&diagnostic.message)).id(clean(&diagnostic.id));

    let excerpts = excerpts(diagnostic, sources);
    let mut elements: Vec<Element<'_>> = Vec::new();
    if excerpts.is_empty() {
        elements.push(Origin::path(clean(file)).into());
    }
    for excerpt in &excerpts {
        draw(excerpt, &mut elements);
    }
    for (_, text) in diagnostic
        .labels
        .iter()
        .filter(|(pos, _)| pos.span().is_none_or(|span| sources.get(span.file).is_none()))
    {
        elements.push(note.clone().message(clean(text)).into());
    }
    if !diagnostic.branch.is_empty() {
        let mut path = format!("on the path where {}", clean(&diagnostic.branch.join(", ")));
        if diagnostic.branch_omitted > 0 {
            let before = counted(diagnostic.branch_omitted, "condition");
            let _ = write!(path, " (and {before} before)");
        }
        elements.push(note.clone().message(path).into());
    }
    if let Some(table) = diagnostic.counterexample.as_deref().and_then(counterexample) {
        elements.push(note.clone().message(table).into());
    }
    if let Some(heaps) = &diagnostic.heaps {
        elements.push(note.clone().message(pictures(heaps)).into());
    }
    if let Some(help) = &diagnostic.help {
        elements.push(Level::HELP.message(clean(help)).into());
    }

    let renderer = if options.color { Renderer::styled() } else { Renderer::plain() };
    let group: Group<'_> = title.elements(elements);
    let mut text = renderer.term_width(options.width.max(40)).render(&[group]);
    text.push('\n');
    text
}

/// A table of what is known, variables first.
fn counterexample(values: &Counterexample) -> Option<String> {
    if !values.confirmed {
        return Some("no counterexample could be confirmed".to_string());
    }
    let mut rows: Vec<(Cow<'_, str>, String)> = Vec::new();
    for (name, value) in &values.variables {
        rows.push((one_line(name), format!("= {}", one_line(value))));
    }
    for held in &values.heap {
        rows.push((one_line(&held.location), held_text(held)));
    }
    for (state, heap) in &values.states {
        for held in heap {
            let location = format!("{}({})", one_line(state), one_line(&held.location));
            rows.push((location.into(), held_text(held)));
        }
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).max()?;
    let mut text = String::from("it may fail for");
    for (name, value) in rows {
        let _ = write!(text, "\n  {name:width$} {value}");
    }
    Some(text)
}

/// The heaps of a counterexample, an object a line.
fn pictures(heaps: &Heaps) -> String {
    let mut text = String::from(if heaps.confirmed {
        "it fails for this heap"
    } else {
        "it may fail for this heap, which is not confirmed"
    });
    for (state, picture) in &heaps.states {
        let _ = write!(text, "\n{state}:");
        let drawn = picture::text(picture);
        if drawn.is_empty() {
            text.push_str("\n  nothing");
        }
        for line in drawn.lines() {
            let _ = write!(text, "\n  {}", clean(line));
        }
    }
    text
}

/// What a location holds, and how much of it is held.
fn held_text(held: &HeapValue) -> String {
    let permission = one_line(&held.permission);
    match &held.value {
        Some(value) => format!("= {}  (permission {permission})", one_line(value)),
        None => format!("  (permission {permission})"),
    }
}

fn draw<'a>(excerpt: &'a Excerpt, elements: &mut Vec<Element<'a>>) {
    let mut snippet =
        Snippet::source(excerpt.text.as_str()).line_start(excerpt.first_line).fold(false);
    if excerpt.shifted {
        // The excerpt lacks the beginning of its line, so the column cannot be counted in it.
        elements.push(
            Origin::path(clean(&excerpt.file))
                .line(excerpt.start.line as usize)
                .char_column(excerpt.start.column as usize)
                .into(),
        );
    } else {
        snippet = snippet.path(clean(&excerpt.file));
    }
    for mark in &excerpt.marks {
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        snippet = snippet
            .annotation(kind.span(mark.range.clone()).label(mark.label.as_deref().map(one_line)));
    }
    elements.push(snippet.into());
}

/// The last line of a run: `2 files: 1 valid, 1 invalid; 3 errors, 1 warning (12 ms)`.
#[must_use]
pub fn summary(reports: &[FileReport], time: Duration) -> String {
    let mut text = counted(reports.len(), "file");
    text.push(':');
    let mut separator = " ";
    for (status, word) in [
        (Status::Verified, "verified"),
        (Status::Valid, "valid"),
        (Status::Failed, "failed"),
        (Status::Invalid, "invalid"),
        (Status::Timeout, "out of time"),
        (Status::InternalError, "not finished"),
    ] {
        let count = reports.iter().filter(|r| r.status == status).count();
        if count > 0 {
            let _ = write!(text, "{separator}{count} {word}");
            separator = ", ";
        }
    }
    let mut separator = "; ";
    for (count, word) in [
        (reports.iter().map(|r| r.errors().count()).sum(), "error"),
        (reports.iter().map(|r| r.warnings().count()).sum(), "warning"),
    ] {
        if count > 0 {
            let _ = write!(text, "{separator}{}", counted(count, word));
            separator = ", ";
        }
    }
    let _ = write!(text, " ({} ms)", time.as_millis());
    text
}

/// The line behind the summary of a run with several seeds: `3 runs of each: all agree`.
#[must_use]
pub fn seeds_summary(reports: &[FileReport], runs: usize) -> String {
    let changes: usize =
        reports.iter().filter_map(|r| r.seeds.as_ref()).map(|seeds| seeds.members.len()).sum();
    match changes {
        0 => format!("{runs} runs with different seeds: all agree"),
        1 => format!("{runs} runs with different seeds: 1 member is not the same in all of them"),
        n => {
            format!("{runs} runs with different seeds: {n} members are not the same in all of them")
        }
    }
}

/// A table of the slowest members of a file: time, verdict and what else was counted. Empty if there
/// are none.
#[must_use]
pub fn members(report: &FileReport, limit: usize) -> String {
    let mut rows: Vec<_> = report.members.iter().collect();
    rows.sort_by_key(|m| std::cmp::Reverse(m.time));
    rows.truncate(limit);
    let width = rows.iter().map(|m| m.name.chars().count()).max().unwrap_or(0).min(40);
    let mut text = String::new();
    for member in rows {
        let _ = write!(
            text,
            "  {:>6} ms  {:9}  {:width$}  {}",
            member.time.as_millis(),
            member.kind,
            one_line(&member.name),
            member.status.as_str(),
        );
        text.push_str(&numbers(&member.stats));
        text.push('\n');
    }
    text
}

/// A line with time and numbers of a file.
#[must_use]
pub fn totals(report: &FileReport) -> String {
    let (time, file) = (report.time.as_millis(), one_line(&report.file));
    format!("  {time:>6} ms  {file}: {}{}\n", report.status.as_str(), numbers(&report.stats))
}

/// A table of what was asked, by purpose: how many, the answers, how many without a solver, the time.
/// Empty if nothing was asked.
#[must_use]
pub fn queries(report: &FileReport) -> String {
    let mut text = String::new();
    for q in &report.queries {
        let total = q.proved + q.refuted + q.unknown;
        let _ = writeln!(
            text,
            "  {:>6} ms  {total:>6} {:<16} {:>6} proved {:>6} refuted {:>6} unknown {:>6} natively",
            q.time.as_millis(),
            q.purpose,
            q.proved,
            q.refuted,
            q.unknown,
            q.native,
        );
    }
    text
}

/// A table of the quantified formulas with most instances: how many, the longest chain of them, what
/// the formula is and where it comes from. Empty if there are none.
#[must_use]
pub fn quantifiers(report: &FileReport, sources: &SourceMap, limit: usize) -> String {
    let rows = || report.quantifiers.iter().take(limit);
    let width = rows().map(|q| q.kind.chars().count()).max().unwrap_or(0).min(40);
    let mut text = String::new();
    for q in rows() {
        let _ = write!(
            text,
            "  {:>9} instances, depth {:>3}  {:width$}",
            q.instances,
            q.generation,
            one_line(&q.kind)
        );
        let place = q.pos.span().and_then(|span| Some((span, sources.get(span.file)?)));
        if let Some((span, source)) = place {
            let at = source.line_col(span.start);
            let _ = write!(text, "  {}:{}:{}", one_line(&source.name), at.line, at.column);
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    let rest = report.quantifiers.len().saturating_sub(limit);
    if rest > 0 {
        let instances: u64 = report.quantifiers.iter().skip(limit).map(|q| q.instances).sum();
        let _ =
            writeln!(text, "  {instances:>9} instances of {}", counted(rest, "other quantifier"));
    }
    text
}

/// `, 12 queries, 3 paths`; nothing for zeros.
pub(crate) fn numbers(numbers: &Numbers) -> String {
    let shown = numbers.iter().filter(|(_, number)| *number > 0);
    shown.map(|(name, number)| format!(", {number} {}", name.replace('_', " "))).collect()
}

pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Text without control characters other than line breaks.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let bad = |c: char| c.is_control() && c != '\n';
    if text.contains(bad) {
        Cow::Owned(text.chars().map(|c| if bad(c) { '\u{FFFD}' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// As [`clean`], and without line breaks: labels stand beside the source.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains('\n') {
        Cow::Owned(clean(&text.replace('\n', " ")).into_owned())
    } else {
        clean(text)
    }
}
