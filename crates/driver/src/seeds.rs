//! What changes when a program is verified several times, with other seeds.

use std::collections::BTreeMap;

use report::{Diagnostic, MemberSeeds, Outcome, Pos, SeedReport, Status};
use symex::{Member, Verdict};

/// What one run says of a member.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// `method`, `procedure`, …
    pub kind: String,
    /// Where it is.
    pub pos: Pos,
    /// What came of it.
    pub status: Status,
    /// What could not be proved.
    pub errors: Vec<Diagnostic>,
}

/// Compares the verdicts of a program, by seed.
pub fn compare(verdicts: &[Verdict]) -> SeedReport {
    let seen = |member: &Member| Seen {
        name: member.name.clone(),
        kind: member.kind.as_str().to_owned(),
        pos: member.pos,
        status: member.status,
        errors: errors(member),
    };
    let runs: Vec<Vec<Seen>> =
        verdicts.iter().map(|verdict| verdict.members.iter().map(seen).collect()).collect();
    compare_members(verdicts.iter().map(Verdict::status).collect(), &runs)
}

/// The same, for runs of which the status and the members are known. All have the same members, in the same order.
pub fn compare_members(statuses: Vec<Status>, runs: &[Vec<Seen>]) -> SeedReport {
    let mut members = Vec::new();
    for (place, first) in runs.first().into_iter().flatten().enumerate() {
        let mut outcomes: Vec<Outcome> = Vec::new();
        for (seed, run) in runs.iter().enumerate() {
            let Some(Seen { status, errors, .. }) = run.get(place) else { continue };
            let same =
                |o: &&mut Outcome| o.status == *status && places(&o.errors) == places(errors);
            match outcomes.iter_mut().find(same) {
                Some(outcome) => outcome.seeds.push(seed),
                None => {
                    let (status, errors) = (*status, errors.clone());
                    outcomes.push(Outcome { seeds: vec![seed], status, errors });
                }
            }
        }
        if outcomes.len() > 1 {
            let Seen { name, kind, pos, .. } = first.clone();
            members.push(MemberSeeds { name, kind, pos, outcomes });
        }
    }
    SeedReport { statuses, members }
}

fn errors(member: &Member) -> Vec<Diagnostic> {
    member.failures.iter().map(|f| f.diagnostic.clone()).collect()
}

/// What makes an error that error; what else is said of it may depend on a model.
type Identity<'a> = (&'a str, Option<(u32, u32, u32)>);

/// The errors, and how often each occurs.
fn places(errors: &[Diagnostic]) -> BTreeMap<Identity<'_>, usize> {
    let mut places = BTreeMap::new();
    for error in errors {
        let span = error.pos.span().map(|span| (span.file.0, span.start, span.end));
        *places.entry((&*error.id, span)).or_insert(0) += 1;
    }
    places
}

/// What to tell people: a warning for each member with different outcomes.
pub fn warnings(report: &SeedReport) -> Vec<Diagnostic> {
    let runs = report.statuses.len();
    let warn = |member: &MemberSeeds| {
        let message = format!("`{}` is not the same in all {runs} runs", member.name);
        let mut warning = Diagnostic::warning("verifier.warning:unstable", member.pos, message);
        warning.member = Some(member.name.clone());
        for outcome in &member.outcomes {
            let what = match outcome.status {
                Status::Failed => {
                    let ids: Vec<&str> = outcome.errors.iter().map(|e| &*e.id).collect();
                    format!("failed ({})", ids.join(", "))
                }
                other => other.as_str().to_owned(),
            };
            let seeds = ranges(&outcome.seeds);
            warning = warning.with_label(report::Pos::None, format!("{what} with {seeds}"));
        }
        warning
    };
    report.members.iter().map(warn).collect()
}

/// `seed 3`, `seeds 0-4, 7`
fn ranges(seeds: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &seed in seeds {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == seed => last.1 = seed,
            _ => ranges.push((seed, seed)),
        }
    }
    let text: Vec<String> = ranges
        .iter()
        .map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") })
        .collect();
    format!("seed{} {}", if seeds.len() == 1 { "" } else { "s" }, text.join(", "))
}

#[cfg(test)]
mod tests {
    use symex::MemberKind;

    use super::*;

    fn verdict(statuses: &[(Status, &[&'static str])]) -> Verdict {
        let member = |(i, (status, ids)): (usize, &(Status, &[&'static str]))| Member {
            name: format!("m{i}"),
            kind: MemberKind::Method,
            pos: report::Pos::None,
            status: *status,
            time: std::time::Duration::ZERO,
            failures: ids
                .iter()
                .map(|id| symex::Failure {
                    diagnostic: Diagnostic::error(*id, report::Pos::None, ""),
                    counterexample: None,
                })
                .collect(),
            trouble: None,
            stats: symex::Stats::default(),
        };
        Verdict { members: statuses.iter().enumerate().map(member).collect(), ..Verdict::default() }
    }

    #[test]
    fn outcomes_that_differ_are_told_apart() {
        use Status::{Failed, Verified};
        let verdicts = [
            verdict(&[(Verified, &[]), (Failed, &["a", "b"]), (Failed, &["a"])]),
            verdict(&[(Failed, &["a"]), (Failed, &["b", "a"]), (Failed, &["b"])]),
            verdict(&[(Verified, &[]), (Failed, &["a", "b"]), (Failed, &["a"])]),
        ];
        let report = compare(&verdicts);
        assert_eq!(report.statuses, [Failed, Failed, Failed]);
        let names: Vec<&str> = report.members.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["m0", "m2"]);
        let warnings = warnings(&report);
        let notes: Vec<&str> = warnings[0].labels.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(notes, ["verified with seeds 0, 2", "failed (a) with seed 1"]);
        assert!(compare(&verdicts[..1]).members.is_empty());
    }

    #[test]
    fn seeds_in_words() {
        assert_eq!(ranges(&[3]), "seed 3");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "seeds 0-2, 5, 7-8");
    }
}
