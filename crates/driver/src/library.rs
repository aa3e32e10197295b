//! Programs without `main`: each function is analysed for itself, under its contract or under a precondition that is
//! found, and what is said of the file is what is said of all of them.

use std::collections::BTreeSet;

use heap::{ProcId, Program};
use report::Pos;
use report::safety::{PropertyReport, PropertyVerdict, SafetyReport, SafetyStatus};

/// The functions that a user wrote.
#[must_use]
pub fn functions(program: &Program) -> Vec<ProcId> {
    let own = program.procs.iter().enumerate();
    own.filter(|(_, proc)| proc.body.is_some() && proc.pos != Pos::None)
        .map(|(i, _)| ProcId(i as u32))
        .collect()
}

/// One report of those of functions, each with its name: a property holds if it holds for each.
#[must_use]
pub fn merged(reports: Vec<(String, SafetyReport)>) -> Option<SafetyReport> {
    let count = reports.len();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut all: Option<SafetyReport> = None;
    for (name, mut report) in reports {
        if count > 1 {
            for property in &mut report.properties {
                property.reason = format!("in `{name}` {}", property.reason);
            }
        }
        let Some(all) = &mut all else {
            known.extend(report.definitions.iter().cloned());
            all = Some(report);
            continue;
        };
        rename(&mut report, &name, &all.definitions);
        for (own, other) in all.properties.iter_mut().zip(report.properties) {
            if rank(&other) > rank(own) {
                *own = other;
            }
        }
        all.status = worse(all.status, report.status);
        all.invariants.extend(report.invariants);
        all.definitions.extend(report.definitions.into_iter().filter(|d| known.insert(d.clone())));
        all.contracts.extend(report.contracts);
        all.diagnostics.extend(report.diagnostics);
        match (&mut all.check, report.check) {
            (Some(own), Some(other)) => {
                own.proved += other.proved;
                own.open.extend(other.open);
            }
            (own @ None, other) => *own = other,
            (Some(_), None) => {}
        }
        for ((_, own), (_, other)) in all.stats.iter_mut().zip(report.stats) {
            *own += other;
        }
    }
    if let Some(all) = all.as_mut().filter(|_| count > 1) {
        for property in all.properties.iter_mut().filter(|p| p.verdict == PropertyVerdict::Safe) {
            property.reason = format!(
                "it holds for each of {count} functions that is called as its contract says"
            );
        }
    }
    all
}

fn rank(property: &PropertyReport) -> u8 {
    match property.verdict {
        PropertyVerdict::Safe => 0,
        PropertyVerdict::Unknown => 1,
        PropertyVerdict::Unsafe => 2,
    }
}

fn worse(a: SafetyStatus, b: SafetyStatus) -> SafetyStatus {
    let order = |status: SafetyStatus| match status {
        SafetyStatus::Safe => 0,
        SafetyStatus::Timeout => 1,
        SafetyStatus::Unknown => 2,
        SafetyStatus::Unsafe => 3,
        _ => 4,
    };
    if order(b) > order(a) { b } else { a }
}

/// Functions are analysed one by one, so one name may have several definitions: that of a function is told apart by its
/// name.
fn rename(report: &mut SafetyReport, function: &str, known: &[String]) {
    let name = |definition: &String| -> Option<String> {
        let rest = definition.strip_prefix("pred ")?;
        rest.split('(').next().map(|name| name.trim().to_owned())
    };
    let taken: BTreeSet<String> = known.iter().filter_map(name).collect();
    let clashes = report.definitions.iter().filter(|d| !known.contains(d)).filter_map(name);
    let clashes: Vec<String> = clashes.filter(|name| taken.contains(name)).collect();
    for clash in clashes {
        let new = format!("{clash}_{function}");
        let change = |text: &mut String| *text = replaced(text, &clash, &new);
        report.definitions.iter_mut().for_each(change);
        report.invariants.iter_mut().flat_map(|i| &mut i.disjuncts).for_each(change);
        for contract in &mut report.contracts {
            change(&mut contract.requires);
            contract.ensures.iter_mut().for_each(change);
        }
        let possible = report.properties.iter_mut().flat_map(|p| &mut p.possible);
        possible.for_each(|fault| change(&mut fault.heap));
    }
}

/// A text with one word for another.
fn replaced(text: &str, word: &str, by: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, found) = rest.split_at(at);
        let after = &found[word.len()..];
        let inside = before.chars().next_back().or(result.chars().next_back()).is_some_and(part)
            || after.chars().next().is_some_and(part);
        result.push_str(before);
        result.push_str(if inside { word } else { by });
        rest = after;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_are_replaced_whole() {
        let text = "ls(x, y) * xls(y) * ls1(z) * ls(y, nil)";
        let changed = super::replaced(text, "ls", "ls_f");
        assert_eq!(changed, "ls_f(x, y) * xls(y) * ls1(z) * ls_f(y, nil)");
    }
}
