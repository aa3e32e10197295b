//! From what the verifier found to a report.

use std::sync::{Mutex, PoisonError};

use report::{Diagnostic, FileReport, HeapValue, MemberReport, Numbers, Pos, QuantifierReport};
use report::{QueryReport, Severity, Status};
use symex::{Member, Purpose, Stats, Tally, Trouble, Verdict};

use crate::z3::{Missing, REMEDY};

/// So many quantifiers are reported.
const REPORTED: usize = 100;

/// As in Viper, the parser's warnings count as errors if there are others.
pub(crate) fn invalid(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.iter().any(|d| d.id == "parser.error") {
        for warning in diagnostics.iter_mut().filter(|d| d.id == "parser.warning") {
            warning.severity = Severity::Error;
        }
    }
    diagnostics
}

/// Why no solver can be started, and what to do about it.
#[derive(Debug, Default)]
pub struct NoSolver {
    missing: Option<Missing>,
    why: Mutex<Option<String>>,
}

impl NoSolver {
    /// That there is none may be known from the start.
    #[must_use]
    pub fn new(missing: Option<Missing>) -> NoSolver {
        NoSolver { missing, why: Mutex::default() }
    }

    /// It was tried.
    pub fn learn(&self, why: &str) {
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
    }

    /// What is wrong, and the remedy.
    #[must_use]
    pub fn message(&self) -> (String, String) {
        if let Some(missing) = &self.missing {
            return (missing.to_string(), missing.remedy());
        }
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let why = why.unwrap_or_else(|| "no reason is known".into());
        let remedy = if why.contains("rejects its options") {
            "options for Z3 are set by --z3-option KEY=VALUE".to_owned()
        } else {
            REMEDY.to_owned()
        };
        (Trouble::NoSolver(why).to_string(), remedy)
    }
}

/// The report of a file that has these warnings of the front end.
pub(crate) fn report_of(
    file: String,
    warnings: Vec<Diagnostic>,
    verdict: Verdict,
    no_solver: Option<&NoSolver>,
) -> FileReport {
    let mut report = FileReport::new(file, verdict.status(), warnings);
    report.stats = numbers(&verdict.stats);
    report.queries = queries(&verdict.stats);
    report.diagnostics.extend(verdict.members.iter().flat_map(failures));
    report.diagnostics.extend(troubles(&verdict, Some(no_solver)));
    report.quantifiers = verdict.quantified.into_iter().take(REPORTED).map(quantifier).collect();
    for member in verdict.members {
        report.members.push(MemberReport {
            stats: numbers(&member.stats),
            kind: member.kind.as_str().to_owned(),
            status: member.status,
            time: member.time,
            name: member.name,
        });
    }
    report.diagnostics.extend(verdict.warnings);
    report
}

/// What could not be proved.
pub(crate) fn failures(member: &Member) -> Vec<Diagnostic> {
    let diagnostic = |failure: &symex::Failure| {
        let mut diagnostic = failure.diagnostic.clone();
        diagnostic.counterexample = failure.counterexample.clone().map(|c| Box::new(values(c)));
        diagnostic
    };
    member.failures.iter().map(diagnostic).collect()
}

/// So many members are named that have the same trouble.
const NAMED: usize = 3;

/// Why members have no verdict: one diagnostic for each reason. What is wrong with the whole run, and
/// not with a member, is among them only if there is something to say about the solver.
pub(crate) fn troubles(verdict: &Verdict, whole_run: Option<Option<&NoSolver>>) -> Vec<Diagnostic> {
    let mut troubles: Vec<(&Trouble, Vec<&Member>)> = Vec::new();
    for member in &verdict.members {
        let Some(trouble) = &member.trouble else { continue };
        // Solvers that cannot be started may end in different ways.
        let same = |known: &Trouble| {
            let no_solver = |t: &Trouble| matches!(t, Trouble::NoSolver(_));
            known == trouble || (no_solver(known) && no_solver(trouble))
        };
        match troubles.iter_mut().find(|(known, _)| same(known)) {
            Some((_, members)) => members.push(member),
            None => troubles.push((trouble, vec![member])),
        }
    }
    let mut diagnostics = Vec::new();
    for (trouble, members) in troubles {
        let id = match trouble.status() {
            Status::Timeout => "timeout.error",
            _ => "internal.error",
        };
        let of_run = matches!(trouble, Trouble::NoSolver(_) | Trouble::Cancelled);
        if of_run && whole_run.is_none() {
            continue;
        }
        let diagnostic = match (trouble, whole_run.flatten()) {
            (Trouble::NoSolver(_), Some(no_solver)) => {
                let (message, remedy) = no_solver.message();
                Diagnostic::error(id, Pos::None, message).with_help(remedy)
            }
            _ if of_run => Diagnostic::error(id, Pos::None, trouble.to_string()),
            _ => {
                let first = members.first();
                let pos = first.map_or(Pos::None, |member| member.pos);
                let mut diagnostic = Diagnostic::error(id, pos, trouble.to_string());
                diagnostic.member = first.map(|member| member.name.clone());
                match same_for(members.get(1..).unwrap_or_default()) {
                    Some(others) => diagnostic.with_label(Pos::None, others),
                    None => diagnostic,
                }
            }
        };
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// `the same for `a`, `b`, `c` and 12 more`
fn same_for(members: &[&Member]) -> Option<String> {
    let names: Vec<String> =
        members.iter().take(NAMED).map(|member| format!("`{}`", member.name)).collect();
    let (last, before) = names.split_last()?;
    let rest = members.len() - names.len();
    Some(match (before, rest) {
        ([], _) => format!("the same for {last}"),
        (_, 0) => format!("the same for {} and {last}", before.join(", ")),
        _ => format!("the same for {} and {rest} more", names.join(", ")),
    })
}

fn quantifier(counted: symex::Quantified) -> QuantifierReport {
    let symex::Quantified { kind, pos, instances, generation } = counted;
    QuantifierReport { kind, pos, instances, generation }
}

fn values(counterexample: symex::Counterexample) -> report::Counterexample {
    let symex::Counterexample { variables, heap, states, confirmed } = counterexample;
    let states = states.into_iter().map(|(state, heap)| (state, places(heap))).collect();
    report::Counterexample { variables, heap: places(heap), states, confirmed }
}

fn places(heap: Vec<symex::Held>) -> Vec<HeapValue> {
    let place = |held| {
        let symex::Held { location, permission, value } = held;
        HeapValue { location, permission, value }
    };
    heap.into_iter().map(place).collect()
}

fn queries(stats: &Stats) -> Vec<QueryReport> {
    let asked = Purpose::ALL.iter().map(|purpose| (purpose.as_str(), stats.by_purpose[*purpose]));
    let report = |(purpose, tally): (&'static str, Tally)| {
        let Tally { proved, refuted, unknown, native, time } = tally;
        QueryReport { purpose, proved, refuted, unknown, native, time }
    };
    asked.filter(|(_, tally)| tally.total() > 0).map(report).collect()
}

fn numbers(stats: &Stats) -> Numbers {
    vec![
        ("paths", stats.paths),
        ("queries", stats.queries),
        ("unknown", stats.unknown),
        ("trivial", stats.trivial),
        ("reruns", stats.reruns),
        ("solver_starts", stats.starts),
        ("solver_ms", u64::try_from(stats.waiting.as_millis()).unwrap_or(u64::MAX)),
    ]
}
