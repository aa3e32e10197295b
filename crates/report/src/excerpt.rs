//! Which lines of the source to show with a diagnostic.
//!
//! A diagnostic may mark a whole file, places a million lines apart, or a place in a line of fifty
//! megabytes. What is shown stays small all the same: marks that span many lines shrink to their
//! first line, lines are cut around the marks in them, and marks far from each other get excerpts
//! of their own. Building an excerpt costs what is shown, not what the file holds.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, LineCol, Pos, SourceFile, SourceMap};

/// A mark over more lines than this is cut to its first line.
const MAX_MARK_LINES: u32 = 6;
/// Marks further apart than this many lines do not share an excerpt.
const MAX_GAP_LINES: u32 = 5;
/// Longer lines are cut…
const MAX_LINE_BYTES: usize = 240;
/// …to begin this far before their first mark.
const LEAD_BYTES: usize = 60;

/// Some consecutive lines of a file and what is marked in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Name of the file.
    pub file: String,
    /// Number of the first line in `text`.
    pub first_line: usize,
    /// The lines, cut where they are long.
    pub text: String,
    /// Where the excerpt's first mark starts in the file.
    pub start: LineCol,
    /// Is the beginning of some line missing in `text`?
    pub shifted: bool,
    /// What to underline.
    pub marks: Vec<Mark>,
}

/// Something underlined in an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Bytes of the excerpt's text.
    pub range: Range<usize>,
    /// What to write there.
    pub label: Option<String>,
    /// Is it the place that the diagnostic is about?
    pub primary: bool,
}

/// A mark in terms of the file.
#[derive(Clone)]
struct Place {
    file: FileId,
    range: Range<usize>,
    first: LineCol,
    last_line: u32,
    label: Option<String>,
    primary: bool,
}

/// The excerpts for a diagnostic; the one with the primary position comes first.
pub(crate) fn excerpts(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<Excerpt> {
    let mut places: Vec<Place> = Vec::new();
    places.extend(place(diagnostic.pos, None, true, sources));
    for (pos, label) in &diagnostic.labels {
        places.extend(place(*pos, Some(label.clone()), false, sources));
    }
    places.sort_by_key(|p| (p.file, p.range.start));

    let mut clusters: Vec<Vec<Place>> = Vec::new();
    for place in places {
        match clusters.last_mut() {
            Some(cluster)
                if cluster.iter().any(|p| {
                    p.file == place.file && place.first.line <= p.last_line + MAX_GAP_LINES
                }) =>
            {
                cluster.push(place);
            }
            _ => clusters.push(vec![place]),
        }
    }
    clusters.sort_by_key(|cluster| !cluster.iter().any(|p| p.primary));
    clusters.iter().filter_map(|cluster| excerpt(cluster, sources)).collect()
}

fn place(pos: Pos, label: Option<String>, primary: bool, sources: &SourceMap) -> Option<Place> {
    let span = pos.span()?;
    let source = sources.get(span.file)?;
    let start = boundary(&source.text, span.start as usize);
    let mut end = boundary(&source.text, (span.end as usize).max(start));
    let first = source.line_col(start as u32);
    let mut last_line = source.line_col(end as u32).line;
    if last_line - first.line >= MAX_MARK_LINES {
        end = line(source, first.line).end.max(start);
        last_line = first.line;
    }
    Some(Place { file: span.file, range: start..end, first, last_line, label, primary })
}

fn excerpt(cluster: &[Place], sources: &SourceMap) -> Option<Excerpt> {
    let lead = cluster.iter().find(|p| p.primary).or(cluster.first())?;
    let source = sources.get(lead.file)?;
    let first_line = cluster.iter().map(|p| p.first.line).min()?;
    let last_line = cluster.iter().map(|p| p.last_line).max()?;

    let mut text = String::new();
    let mut shifted = false;
    // Pairs of a range of the file and where in `text` it went.
    let mut kept: Vec<(Range<usize>, usize)> = Vec::new();
    for number in first_line..=last_line {
        let whole = line(source, number);
        let part = cut(source, whole.clone(), cluster);
        if part.start > whole.start {
            text.push('…');
            shifted = true;
        }
        kept.push((part.clone(), text.len()));
        text.push_str(source.text.get(part.clone()).unwrap_or_default());
        if part.end < whole.end {
            text.push('…');
        }
        text.push('\n');
    }
    // Offsets in what was left out move to the nearest offset that is shown.
    let locate = |offset: usize| {
        let near = kept.iter().rev().find(|(part, _)| part.start <= offset).or(kept.first());
        near.map_or(0, |(part, at)| at + offset.clamp(part.start, part.end) - part.start)
    };
    let marks = cluster
        .iter()
        .map(|p| Mark {
            range: locate(p.range.start)..locate(p.range.end),
            label: p.label.clone(),
            primary: p.primary,
        })
        .collect();
    let (file, start) = source.presumed(lead.range.start as u32);
    let first_line = (start.line + first_line).saturating_sub(lead.first.line);
    Some(Excerpt {
        file: file.to_owned(),
        first_line: first_line.max(1) as usize,
        text,
        start,
        shifted,
        marks,
    })
}

/// The bytes of a line (from 1), without its line break.
fn line(source: &SourceFile, number: u32) -> Range<usize> {
    let len = source.text.len();
    let start = source.line_start(number).map_or(len, |s| s as usize);
    let next = source.line_start(number + 1).map_or(len, |s| s as usize);
    let text = source.text.get(start..next).unwrap_or_default();
    start..start + text.trim_end_matches(['\n', '\r']).len()
}

/// The part of a line to show: all of it, or what surrounds the marks in it.
fn cut(source: &SourceFile, whole: Range<usize>, cluster: &[Place]) -> Range<usize> {
    if whole.len() <= MAX_LINE_BYTES {
        return whole;
    }
    let first_mark = cluster
        .iter()
        .flat_map(|p| [p.range.start, p.range.end])
        .filter(|offset| (whole.start..=whole.end).contains(offset))
        .min()
        .unwrap_or(whole.start);
    let start = if first_mark - whole.start <= LEAD_BYTES {
        whole.start
    } else {
        boundary(&source.text, first_mark - LEAD_BYTES)
    };
    let end = boundary(&source.text, start + MAX_LINE_BYTES).clamp(start, whole.end);
    start..end
}

/// The nearest offset at or before this one that is inside the text and between characters.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
