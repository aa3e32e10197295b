//! Verifying SPL programs, by `vc`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use report::{Diagnostic, FileReport, MemberReport, Numbers, Pos, SeedReport, SourceMap, Status};
use spl::core::Program;

use crate::seeds::{self, Seen};
use crate::select::matches;
use crate::spl_help::Failed;
use crate::spl_program::front_end;
use crate::verdict::NoSolver;

/// A counterexample is looked for so long, and all of a file together.
const SEARCH: Duration = Duration::from_millis(700);
const SEARCH_ALL: Duration = Duration::from_secs(3);

/// Where more proofs of a member fail than this, it is not for a missing conjunct.
const MANY: usize = 4;

/// Members of a file get advice for so long, and none does in the last seconds of a time limit.
const ADVICE: Duration = Duration::from_secs(8);
const ADVICE_EACH: Duration = Duration::from_secs(2);

/// What came of a file.
#[derive(Debug)]
pub struct Done {
    /// All of it.
    pub report: FileReport,
    /// The file and what it includes.
    pub sources: SourceMap,
    /// Was there no solver?
    pub solver_missing: bool,
}

/// Verifies a file: the members that some pattern matches, or all if there is none. It is verified as many times as there are
/// runs, each with another seed of the solver; the first is what is reported.
#[must_use]
pub fn verify(
    path: &Path,
    patterns: &[String],
    config: &vc::Config,
    runs: usize,
    no_solver: &NoSolver,
) -> Done {
    let start = Instant::now();
    let front = front_end(path);
    let name = path.display().to_string();
    let Some(program) = &front.program else {
        let mut report = FileReport::new(name, Status::Invalid, front.diagnostics);
        report.time = start.elapsed();
        return Done { report, sources: front.sources, solver_missing: false };
    };
    let names = vc::member_names(program).into_iter();
    let members: Vec<String> =
        names.filter(|name| patterns.iter().any(|pattern| matches(pattern, name))).collect();
    let config = &vc::Config { members, ..config.clone() };
    let verdict = if config.members.is_empty() && !patterns.is_empty() {
        vc::Verdict::default()
    } else {
        // What is missing is looked for afterwards, with runs.
        vc::verify(program, config)
    };
    let mut report = report_of(name, front.diagnostics, &verdict);
    if runs > 1 && verdict.no_solver.is_none() {
        let seeds = with_seeds(program, config, runs, &verdict, start);
        report.diagnostics.extend(seeds::warnings(&seeds));
        report.seeds = Some(seeds);
    }
    confirm(program, &mut report.diagnostics, config, start);
    advise(&front.parsed, program, &mut report.diagnostics, config, start);
    if let Some(why) = &verdict.no_solver {
        // Nothing was found out about any member: that is one message.
        no_solver.learn(why);
        let (message, remedy) = no_solver.message();
        let problem = Diagnostic::error("internal.error", Pos::None, message).with_help(remedy);
        report.diagnostics = vec![problem];
    }
    report.time = start.elapsed();
    Done { report, sources: front.sources, solver_missing: verdict.no_solver.is_some() }
}

/// The verdict, which is that of seed 0, beside those of others. A time limit is for all runs together.
fn with_seeds(
    program: &Program,
    config: &vc::Config,
    runs: usize,
    verdict: &vc::Verdict,
    start: Instant,
) -> SeedReport {
    let pos = |name: &str| {
        let procedure = program.procedures.get(name).map(|p| p.span);
        let function = || program.functions.get(name).map(|f| f.span);
        let predicate = || program.predicates.get(name).map(|p| p.span);
        procedure.or_else(function).or_else(predicate).map_or(Pos::None, Pos::from)
    };
    let seen = |verdict: &vc::Verdict| -> Vec<Seen> {
        let seen = verdict.members.iter().map(|member| Seen {
            name: member.name.clone(),
            kind: member.kind.to_owned(),
            pos: pos(&member.name),
            status: member.status,
            errors: member.diagnostics.iter().filter(|d| d.is_error()).cloned().collect(),
        });
        seen.collect()
    };
    let (mut statuses, mut all) = (vec![verdict.status()], vec![seen(verdict)]);
    for seed in 1..runs {
        // What one run proved is no evidence for another.
        let mut config = vc::Config { cache: Arc::default(), ..config.clone() };
        config.solver_options.push(("smt.random_seed".to_owned(), seed.to_string()));
        config.timeout = config.timeout.map(|limit| limit.saturating_sub(start.elapsed()));
        let verdict = vc::verify(program, &config);
        statuses.push(verdict.status());
        all.push(seen(&verdict));
    }
    seeds::compare_members(statuses, &all)
}

/// A run into each fault for which there is no counterexample yet: where sets of integers, arrays, recursive definitions
/// or datatypes are involved, small heaps are easier to run on than to solve for.
fn confirm(program: &Program, found: &mut [Diagnostic], config: &vc::Config, start: Instant) {
    let cancelled = || config.cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed));
    let mut left = SEARCH_ALL;
    for error in found.iter_mut().filter(|d| d.is_error()) {
        if error.heaps.as_ref().is_some_and(|heaps| heaps.confirmed) {
            continue;
        }
        let in_time = config.timeout.map_or(left, |t| t.saturating_sub(start.elapsed()).min(left));
        let (Some(span), Some(member)) = (error.pos.span(), error.member.as_deref()) else {
            continue;
        };
        if in_time.is_zero() || cancelled() {
            return;
        }
        let search = Instant::now();
        let found = rac::refute(program, &member.into(), &error.id, span, in_time.min(SEARCH));
        left = left.saturating_sub(search.elapsed());
        let Some(counterexample) = found else { continue };
        error.heaps = Some(Box::new(counterexample.heaps));
        // It is known now.
        if let Some(at) = error.message.find(" (unknown: ") {
            error.message.truncate(at);
        }
        if let Some(part) = counterexample.part.filter(|part| *part != span)
            && !error.labels.iter().any(|(pos, _)| pos.span() == Some(part))
        {
            error.labels.push((part.into(), "this does not hold then".to_owned()));
        }
    }
}

/// What is missing in a contract, for the first error of each member.
fn advise(
    ast: &spl::ast::Program,
    program: &Program,
    found: &mut [Diagnostic],
    config: &vc::Config,
    start: Instant,
) {
    let mut seen: Vec<Option<String>> = Vec::new();
    let advising = Instant::now();
    for at in 0..found.len() {
        let Some(error) = found.get(at).filter(|d| d.is_error() && d.member.is_some()) else {
            continue;
        };
        let many = found.iter().filter(|d| d.member == error.member).count() > MANY;
        let late = config.timeout.is_some_and(|t| start.elapsed() + ADVICE_EACH > t);
        if seen.contains(&error.member) || many || late || advising.elapsed() > ADVICE {
            continue;
        }
        seen.push(error.member.clone());
        let help = Failed { ast, program, error }.help(config);
        if let (Some(help), Some(error)) = (help, found.get_mut(at)) {
            error.help.get_or_insert(help);
        }
    }
}

fn report_of(name: String, warnings: Vec<Diagnostic>, verdict: &vc::Verdict) -> FileReport {
    let mut report = FileReport::new(name, verdict.status(), warnings);
    let sum = |f: fn(&vc::Member) -> u64| verdict.members.iter().map(f).sum::<u64>();
    let waiting = verdict.members.iter().map(|m| m.waiting).sum();
    report.stats = numbers(sum(|m| m.goals), sum(|m| m.queries), waiting);
    report.stats.push(("solver_starts", verdict.starts));
    for member in &verdict.members {
        report.members.push(MemberReport {
            name: member.name.clone(),
            kind: member.kind.to_owned(),
            status: member.status,
            time: member.time,
            stats: numbers(member.goals, member.queries, member.waiting),
        });
        report.diagnostics.extend(member.diagnostics.iter().cloned());
    }
    report
}

/// A pattern that no member of whichever file matches: the message, and who may have been meant. Nobody knows
/// the members of invalid files.
#[must_use]
pub fn unmatched(files: &[PathBuf], patterns: &[String]) -> Option<Diagnostic> {
    let mut left: Vec<&String> = patterns.iter().collect();
    let mut names: Vec<String> = Vec::new();
    if left.is_empty() {
        return None;
    }
    for file in files {
        let members = vc::member_names(&front_end(file).program?);
        left.retain(|pattern| !members.iter().any(|m| matches(pattern, m)));
        names.extend(members);
    }
    let pattern = left.first()?;
    let message = format!("there is no member named '{pattern}'");
    let problem = Diagnostic::error("usage.error", Pos::None, message);
    Some(match viper::closest(pattern, names.iter().map(String::as_str)) {
        Some(close) => problem.with_help(format!("did you mean `{close}`?")),
        None => problem,
    })
}

fn numbers(goals: u64, queries: u64, waiting: Duration) -> Numbers {
    let waiting = u64::try_from(waiting.as_millis()).unwrap_or(u64::MAX);
    vec![("goals", goals), ("queries", queries), ("solver_ms", waiting)]
}
