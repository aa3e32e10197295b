//! For people: a line for each verdict, the run that violates a property step by step, invariants beside
//! their source lines.

use std::fmt::Write as _;
use std::time::Duration;

use super::{
    PossibleFaultReport, PropertyReport, PropertyVerdict, SafetyReport, SafetyStatus,
    ViolationReport, source_line,
};
use crate::human::{Options, counted, numbers, one_line, render_diagnostic};
use crate::source::{Pos, SourceMap};

/// So many steps of a run are shown: the first and the last ones.
const FIRST_STEPS: usize = 12;
const LAST_STEPS: usize = 40;
/// So many faults that are not excluded.
const MOST_FAULTS: usize = 5;
/// So many disjuncts of an invariant.
const DISJUNCTS: usize = 8;
/// Longer heaps are left to other formats.
const HEAP_LINES: usize = 40;
/// Also between steps, where there are several of them.
const STEP_HEAP_LINES: usize = 8;

/// A command with more inputs is no line any more.
const REPLAYED: usize = 100;

/// What to show beyond verdicts and violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    /// Invariants.
    pub invariants: bool,
    /// Numbers.
    pub stats: bool,
}

/// Everything there is to say about a file.
#[must_use]
pub fn render(report: &SafetyReport, sources: &SourceMap, options: Options, show: Show) -> String {
    let mut text = String::new();
    for diagnostic in &report.diagnostics {
        text.push_str(&render_diagnostic(diagnostic, &report.file, sources, options));
        text.push('\n');
    }
    for property in &report.properties {
        if let Some(violation) = &property.violation {
            run(&mut text, violation, report, sources, options);
        }
    }
    possible(&mut text, report, sources);
    if show.invariants {
        invariants(&mut text, report, sources);
    }
    contracts(&mut text, report, sources);
    for property in &report.properties {
        verdict(&mut text, report, property, sources, options);
    }
    checked(&mut text, report, sources);
    if show.stats {
        let (time, file) = (report.time.as_millis(), one_line(&report.file));
        let _ = writeln!(text, "  {time:>6} ms  {file}{}", numbers(&report.stats));
    }
    text
}

fn verdict(
    text: &mut String,
    report: &SafetyReport,
    property: &PropertyReport,
    sources: &SourceMap,
    options: Options,
) {
    let (on, off) = match (options.color, property.verdict) {
        (false, _) => ("", ""),
        (true, PropertyVerdict::Safe) => ("\u{1b}[1;32m", "\u{1b}[0m"),
        (true, PropertyVerdict::Unsafe) => ("\u{1b}[1;31m", "\u{1b}[0m"),
        (true, PropertyVerdict::Unknown) => ("\u{1b}[1;33m", "\u{1b}[0m"),
    };
    let _ = write!(
        text,
        "{}: {} {on}{}{off}: {}",
        one_line(&report.file),
        property.property,
        property.verdict.as_str(),
        one_line(&property.reason),
    );
    if let Some(place) = property.violation.as_ref().and_then(|v| line_of(v.fault.pos, sources)) {
        let _ = write!(text, " ({place})");
    }
    text.push('\n');
}

/// `a.c:12`, if it is somewhere.
fn line_of(pos: Pos, sources: &SourceMap) -> Option<String> {
    let span = pos.span()?;
    let (file, at) = sources.get(span.file)?.presumed(span.start);
    Some(format!("{}:{}", one_line(file), at.line))
}

/// A run that violates a property.
fn run(
    text: &mut String,
    violation: &ViolationReport,
    report: &SafetyReport,
    sources: &SourceMap,
    options: Options,
) {
    text.push_str(&render_diagnostic(&violation.fault, &report.file, sources, options));
    let steps = violation.trace.len();
    let shown = FIRST_STEPS + LAST_STEPS;
    if steps > 0 {
        text.push_str("How it gets there:\n");
    }
    let (mut omitted, mut function) = (0, "");
    for (i, step) in violation.trace.iter().enumerate() {
        if let Some((behind, more)) = violation.omitted
            && i == behind
        {
            omitted += more;
        }
        if steps > shown && (FIRST_STEPS..steps - LAST_STEPS).contains(&i) {
            omitted += 1;
            continue;
        }
        if omitted > 0 {
            let _ = writeln!(text, "         … {}", counted(omitted as usize, "step"));
            omitted = 0;
        }
        if step.function != function {
            let _ = writeln!(text, "       in {}", one_line(&step.function));
            function = &step.function;
        }
        let place = line_of(step.pos, sources).unwrap_or_default();
        let _ = write!(
            text,
            "  {:>4}. {place}: {}",
            step.number,
            one_line(source_line(step.pos, sources))
        );
        if !step.state.is_empty() {
            let state: Vec<String> = step
                .state
                .iter()
                .map(|(name, value)| format!("{} = {}", one_line(name), one_line(value)))
                .collect();
            let _ = write!(text, "    // {}", state.join(", "));
        }
        text.push('\n');
        let heap = step.heap.as_deref().unwrap_or_default();
        if heap.lines().count() <= STEP_HEAP_LINES {
            heap.lines().for_each(|line| {
                let _ = writeln!(text, "         | {}", one_line(line));
            });
        }
    }
    if !violation.heap.is_empty() && violation.heap.lines().count() <= HEAP_LINES {
        text.push_str("The heap at that point:\n");
        for line in violation.heap.lines() {
            let _ = writeln!(text, "  {}", one_line(line));
        }
    }
    if violation.inputs.is_empty() {
        text.push_str("It needs no inputs.\n");
    } else {
        let _ = writeln!(text, "Inputs: {}", violation.inputs.join(" "));
    }
    if violation.inputs.len() <= REPLAYED {
        let _ = writeln!(text, "Again: {}", one_line(&violation.replay));
    }
    text.push('\n');
}

/// Faults that are not excluded, with what is known of the heap there. One may stand in the way of several
/// properties; it is shown once.
fn possible(text: &mut String, report: &SafetyReport, sources: &SourceMap) {
    let mut all: Vec<&PossibleFaultReport> = Vec::new();
    for fault in report.properties.iter().flat_map(|property| &property.possible) {
        if !all.iter().any(|known| known.pos == fault.pos && known.what == fault.what) {
            all.push(fault);
        }
    }
    for fault in all.iter().take(MOST_FAULTS) {
        let place = line_of(fault.pos, sources).unwrap_or_default();
        let _ = writeln!(
            text,
            "{place}: {}\n    {}",
            one_line(&fault.what),
            one_line(source_line(fault.pos, sources))
        );
        if !fault.heap.is_empty() {
            let _ = writeln!(text, "    where {}", one_line(&fault.heap));
        }
    }
    if all.len() > MOST_FAULTS {
        let _ = writeln!(text, "    and {} more", all.len() - MOST_FAULTS);
    }
}

/// Contracts that were found, before the verdicts that rest on them.
fn contracts(text: &mut String, report: &SafetyReport, sources: &SourceMap) {
    for contract in &report.contracts {
        let place = line_of(contract.pos, sources).unwrap_or_default();
        let _ = writeln!(text, "{place}: {}", one_line(&contract.function));
        let _ = writeln!(text, "     requires {}", one_line(&contract.requires));
        for (i, disjunct) in contract.ensures.iter().take(DISJUNCTS).enumerate() {
            let word = if i == 0 { "ensures" } else { "     or" };
            let _ = writeln!(text, "      {word} {}", one_line(disjunct));
        }
        if let Some(more) = contract.ensures.len().checked_sub(DISJUNCTS).filter(|n| *n > 0) {
            let _ = writeln!(text, "           or one of {more} more");
        }
    }
}

/// Invariants beside the lines that they are about.
fn invariants(text: &mut String, report: &SafetyReport, sources: &SourceMap) {
    for invariant in &report.invariants {
        let place = line_of(invariant.pos, sources).unwrap_or_default();
        let line = one_line(source_line(invariant.pos, sources));
        let _ = writeln!(text, "{place}: {}: {line}", one_line(&invariant.function));
        for (i, disjunct) in invariant.disjuncts.iter().take(DISJUNCTS).enumerate() {
            let _ = writeln!(
                text,
                "    {} {}",
                if i == 0 { "invariant" } else { "       or" },
                one_line(disjunct)
            );
        }
        if let Some(more) = invariant.disjuncts.len().checked_sub(DISJUNCTS).filter(|n| *n > 0) {
            let _ = writeln!(text, "           or one of {more} more");
        }
        if let Some(what) = &invariant.not_checked {
            let _ = writeln!(text, "    not re-checked: {}", one_line(what));
        }
    }
    if !report.definitions.is_empty() {
        text.push_str("where\n");
    }
    for definition in &report.definitions {
        let _ = writeln!(text, "    {}", one_line(definition));
    }
    if !report.invariants.is_empty() {
        text.push('\n');
    }
}

/// What a check of the invariants says.
fn checked(text: &mut String, report: &SafetyReport, sources: &SourceMap) {
    let Some(check) = &report.check else { return };
    for (pos, function, what) in &check.open {
        let place = line_of(*pos, sources).unwrap_or_default();
        let _ = writeln!(text, "{place}: {}: not checked: {}", one_line(function), one_line(what));
    }
    let proofs = counted(check.proved, "entailment");
    let partly = report.invariants.iter().any(|invariant| invariant.not_checked.is_some());
    let rest = match check.open.len() {
        0 if partly => {
            "the invariants, without what is not re-checked, are inductive, and exclude what is proved"
                .to_owned()
        }
        0 => "the invariants are inductive, and exclude what is proved".to_owned(),
        open => format!("{} not shown", counted(open, "obligation")),
    };
    let _ = writeln!(text, "{}: check: {proofs} proved; {rest}", report.file);
}

/// The last line of a run: `3 files: 1 safe, 1 unsafe, 1 unknown (12 ms)`.
#[must_use]
pub fn summary(reports: &[SafetyReport], time: Duration) -> String {
    let mut text = counted(reports.len(), "file");
    let mut separator = ": ";
    for (status, word) in [
        (SafetyStatus::Safe, "safe"),
        (SafetyStatus::Unsafe, "unsafe"),
        (SafetyStatus::Unknown, "unknown"),
        (SafetyStatus::Invalid, "invalid"),
        (SafetyStatus::Timeout, "out of time"),
        (SafetyStatus::InternalError, "not finished"),
    ] {
        let count = reports.iter().filter(|r| r.status == status).count();
        if count > 0 {
            let _ = write!(text, "{separator}{count} {word}");
            separator = ", ";
        }
    }
    let assumptions: Vec<&str> = reports.first().map(|r| r.assumptions.clone()).unwrap_or_default();
    if !assumptions.is_empty() {
        let _ = write!(text, "; {}", assumptions.join(", "));
    }
    let _ = write!(text, " ({} ms)", time.as_millis());
    text
}
