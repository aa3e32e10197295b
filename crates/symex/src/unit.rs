//! How a unit is verified: by a worker, who has a solver of its own.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use report::{Diagnostic, Pos};
use smt::Session;
use viper::core::{
    Block, Expr, FunctionId, Info, Method, PredicateId, Program, ReportAs, Stmt, StmtKind,
};

use crate::advice::advise;
use crate::config::{Ablation, Config, ExhaleMode, JoinMode};
use crate::diagnostics::Candidate;
use crate::diagnostics::{Blame, ErrorKind, Fault, ReasonKind};
use crate::encoding::{Encoding, FunctionTheory, Theories};
use crate::executor::Executor;
use crate::instances::Counts;
use crate::plan::{Key, Unit};
use crate::prover::{Confirmation, Prover, Run, Stop};
use crate::state::{Mode, Owner, State};
use crate::stats::Stats;
use crate::syntax::Syntax;
use crate::verdict::{Failure, MemberKind};
use crate::verification::{Found, Part, Ready, Verification};

/// Who verifies units, one after the other, with the same solver if it can.
#[derive(Default)]
pub(crate) struct Worker {
    session: Option<Session>,
    /// What it was started with.
    options: Vec<(String, String)>,
}

/// Options of the solver that symbolic execution relies on.
const OPTIONS: &[(&str, &str)] = &[
    ("auto_config", "false"),
    ("smt.mbqi", "false"),
    ("smt.case_split", "3"),
    ("smt.delay_units", "true"),
    ("smt.qi.eager_threshold", "100"),
    ("smt.qi.max_multi_patterns", "1000"),
    ("smt.arith.solver", "2"),
    ("smt.phase_selection", "0"),
    ("smt.restart_strategy", "0"),
    ("smt.restart_factor", "1.5"),
    ("smt.random_seed", "0"),
    ("sat.random_seed", "0"),
    ("nlsat.seed", "0"),
];

/// Those that a seed changes.
const SEEDS: [&str; 3] = ["smt.random_seed", "sat.random_seed", "nlsat.seed"];

// --- Workers

impl Worker {
    pub fn run(&mut self, shared: &Verification<'_>, ready: &Ready) -> Found {
        let Ready { unit, theories, deadline } = ready;
        let options = solver_options(shared.program(), unit);
        if !options.is_empty() {
            // A solver of its own: options stay.
            let mut config = session_config(&shared.config);
            config.options.extend(options);
            let session = Session::new(config);
            let result = run(shared, unit, theories, *deadline, session, Means::default());
            return (result.parts, result.found);
        }
        let session = self.session(&shared.config);
        let means = Means::worthwhile(shared);
        let mut result = run(shared, unit, theories, *deadline, session, means);
        // A solver that has worked before may not find a proof that another finds, nor one that has not
        // seen the questions that were answered natively, nor one that does not know all axioms. What is
        // reported must not depend on that; it does not if each proof that failed has a countermodel.
        let alone = result.fresh && means == Means::default();
        if !alone && !result.confirmed && result.is_doubtful() {
            result.session.reset();
            let (before, session) = (Stats { reruns: 1, ..result.stats() }, result.session);
            result = run(shared, unit, theories, *deadline, session, Means::default());
            result.add_stats(before);
        }
        self.suggest(shared, ready, &mut result);
        self.session = Some(result.session);
        (result.parts, result.found)
    }

    /// Advises preconditions with which a method verifies, or gets further. Each is tried.
    fn suggest(&self, shared: &Verification<'_>, ready: &Ready, result: &mut Outcome) {
        let Some(part) = result.parts.get_mut(&result.key) else { return };
        if part.trouble.is_some() || part.time > SUGGEST_WITHIN {
            return;
        }
        let started = Instant::now();
        let limit = started + SUGGEST_WITHIN;
        let deadline = ready.deadline.map_or(limit, |end| end.min(limit));
        for candidate in std::mem::take(&mut result.candidates) {
            let is_it =
                |f: &Failure| f.diagnostic.id == candidate.id && f.diagnostic.pos == candidate.pos;
            let Some(failure) = part.failures.iter_mut().find(|f| is_it(f)) else { continue };
            let mut attempt =
                || verify_with(shared, &candidate, &ready.theories, deadline, &mut result.session);
            if attempt() == Some(true) {
                let help = format!("`{}` is missing in the precondition", candidate.text);
                failure.diagnostic.help = Some(help);
            }
            if Instant::now() >= deadline {
                break;
            }
        }
    }

    /// A session without assertions: the last one, if its solver was started with the same options.
    fn session(&mut self, config: &Config) -> Session {
        let wanted = session_config(config);
        match self.session.take() {
            Some(mut session) if self.options == wanted.options => {
                session.clear();
                session
            }
            _ => {
                self.options.clone_from(&wanted.options);
                Session::new(wanted)
            }
        }
    }
}

/// Methods that take longer are not verified again to see what helps.
const SUGGEST_WITHIN: Duration = Duration::from_secs(2);

/// Does an error go away with another precondition, one that can hold together with those that there
/// are? `None` if that could not be found out.
fn verify_with(
    shared: &Verification<'_>,
    candidate: &Candidate,
    theories: &Arc<Theories>,
    deadline: Instant,
    session: &mut Session,
) -> Option<bool> {
    let config = Config {
        counterexamples: false,
        profile: false,
        dump_smt: None,
        max_errors: 0,
        ..shared.config.clone()
    };
    let mut program = shared.program().clone();
    let method = program.methods.get_mut(candidate.method.index())?;
    method.pres.push(Arc::clone(&candidate.assertion));
    method.locals.clone_from(&candidate.locals);
    let mut verify = |program: &Program| -> Option<Vec<(Fault, Failure)>> {
        let mut own = std::mem::replace(session, Session::new(session_config(&config)));
        own.clear();
        own.set_deadline(Some(deadline));
        own.push();
        own.push();
        let encoding = encoding(shared, program, &config, theories);
        let prover = Prover::new(encoding, own, Some(deadline));
        // No advice on advice.
        let mode = mode(program, &config, &Unit::Method(candidate.method));
        let mut executor = Executor::new(prover, mode, None);
        executor.register_method(candidate.method);
        let result = executor.verify_method(candidate.method);
        let failures = executor.diagnostics.take_failures();
        *session = executor.into_session();
        (result != Err(Stop::Abort)).then_some(failures)
    };
    let failures = verify(&program)?;
    let goes_away = !failures.iter().any(|(fault, f)| {
        let d = &f.diagnostic;
        (d.id == candidate.id && d.pos == candidate.pos)
            || matches!(fault, Fault::Unproved(ErrorKind::ContractNotWellformed, _))
    });
    if !goes_away {
        return Some(false);
    }
    // Where nothing can get there any more, everything goes away.
    let method = program.methods.get_mut(candidate.method.index())?;
    let pos = candidate.pos;
    method.body = method.body.take().map(|body| assert_false_before(body, pos));
    let falsum = Fault::Unproved(ErrorKind::AssertFailed, ReasonKind::AssertionFalse);
    let reached = |(fault, f): &(Fault, Failure)| *fault == falsum && f.diagnostic.pos == pos;
    Some(verify(&program)?.iter().any(reached))
}

/// A body that fails at the statement in which a position is, or at its end if there is none.
fn assert_false_before(mut body: Block, pos: Pos) -> Block {
    let contains = |outer: Pos| match (outer.span(), pos.span()) {
        (Some(a), Some(b)) => a.file == b.file && a.start <= b.start && b.end <= a.end,
        _ => false,
    };
    let size = |pos: Pos| pos.span().map_or(u32::MAX, |s| s.end.saturating_sub(s.start));
    let mut target: Option<Pos> = None;
    body.walk_stmts(&mut |stmt| {
        let smaller = target.is_none_or(|t| size(stmt.pos) < size(t));
        if contains(stmt.pos) && smaller {
            target = Some(stmt.pos);
        }
        true
    });
    let falsum = || Stmt::new(StmtKind::Assert(Expr::bool(false, pos)), pos);
    match target {
        Some(target) => body.flat_map(&mut |stmt| {
            if stmt.pos == target { vec![falsum(), stmt] } else { vec![stmt] }
        }),
        None => {
            body.stmts.push(falsum());
            body
        }
    }
}

/// What came out of a unit.
struct Outcome {
    session: Session,
    /// Was the solver fresh when it started?
    fresh: bool,
    /// Were failures seen by a solver that knows everything and began there?
    confirmed: bool,
    key: Key,
    parts: BTreeMap<Key, Part>,
    found: Vec<(FunctionId, FunctionTheory)>,
    /// Preconditions that may help.
    candidates: Vec<Candidate>,
}

impl Outcome {
    /// Is everything proved?
    fn is_clean(&self) -> bool {
        self.parts.values().all(|part| part.failures.is_empty() && part.trouble.is_none())
    }

    /// Are there failures or trouble, and not for each a countermodel?
    fn is_doubtful(&self) -> bool {
        let trouble = self.parts.values().any(|part| part.trouble.is_some());
        !self.is_clean() && (trouble || self.stats().doubts > 0)
    }

    fn stats(&self) -> Stats {
        self.parts.get(&self.key).map(|part| part.stats).unwrap_or_default()
    }

    fn add_stats(&mut self, stats: Stats) {
        self.parts.entry(self.key).or_default().stats += stats;
    }
}

/// The annotations of a unit's members.
fn infos<'p>(program: &'p Program, unit: &Unit) -> Vec<&'p Info> {
    let infos: Vec<_> = match unit {
        Unit::Functions(group) => group.iter().map(|f| &program.function(*f).info).collect(),
        Unit::Predicate(id) => vec![&program.predicate(*id).info],
        Unit::Method(id) => vec![&program.method(*id).info],
    };
    infos.into_iter().filter_map(|info| info.as_deref()).collect()
}

/// `@proverConfigArgs("key=value", …)`
fn solver_options(program: &Program, unit: &Unit) -> Vec<(String, String)> {
    let mut options = Vec::new();
    for annotation in infos(program, unit).iter().filter_map(|i| i.annotation("proverConfigArgs")) {
        for text in annotation.values.iter().flat_map(|v| v.as_str().split_whitespace()) {
            if let Some((key, value)) = text.split_once('=') {
                options.push((key.to_string(), value.to_string()));
            }
        }
    }
    options
}

/// `@exhaleMode("…")`, with Silicon's names and numbers.
fn exhale_mode(program: &Program, unit: &Unit) -> Option<ExhaleMode> {
    let infos = infos(program, unit);
    let value = infos.iter().find_map(|i| i.annotation("exhaleMode")?.values.first())?;
    match value.as_str().to_ascii_lowercase().as_str() {
        "greedy" | "0" => Some(ExhaleMode::Greedy),
        "mce" | "morecompleteexhale" | "1" => Some(ExhaleMode::MoreComplete),
        "mceondemand" | "2" => Some(ExhaleMode::MoreCompleteOnDemand),
        _ => None,
    }
}

/// `@moreJoins("…")` of a method, with Silicon's numbers; all if it has no value.
fn join_mode(method: &Method) -> Option<JoinMode> {
    match method.info.as_ref()?.annotation("moreJoins")?.values.as_slice() {
        [] => Some(JoinMode::All),
        [value] => match value.as_str() {
            "0" => Some(JoinMode::Off),
            "1" => Some(JoinMode::Impure),
            "2" => Some(JoinMode::All),
            _ => None,
        },
        _ => None,
    }
}

fn session_config(config: &Config) -> smt::Config {
    let mut options: Vec<(String, String)> =
        OPTIONS.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    if config.seed != 0 {
        let value = config.seed.to_string();
        options.extend(SEEDS.iter().map(|name| ((*name).to_string(), value.clone())));
    }
    options.extend(config.solver_options.iter().cloned());
    smt::Config {
        native: false,
        solver: config.solver.clone(),
        options,
        limits: smt::Limits { rlimit: None, timeout: Duration::from_secs(60) },
        deadline: None,
        cancel: Some(config.cancel.flag()),
        profile: config.profile,
    }
}

fn unit_name(program: &Program, unit: &Unit) -> String {
    let name = match unit {
        Unit::Functions(group) => {
            let first = group.first().map_or("", |f| program.function(*f).name.as_str());
            format!("function-{first}")
        }
        Unit::Predicate(id) => format!("predicate-{}", program.predicate(*id).name.as_str()),
        Unit::Method(id) => format!("method-{}", program.method(*id).name.as_str()),
    };
    name.chars().map(|c| if c.is_alphanumeric() || "-_$.".contains(c) { c } else { '_' }).collect()
}

/// How the questions of a unit are answered. Without any of it, the solver is told everything and answers
/// all that is not obvious.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Means {
    /// By a native prover, and by the solver what that leaves open.
    native: bool,
    /// With axioms that are told once their symbols are mentioned.
    on_demand: bool,
}

impl Means {
    /// The native prover is worth asking if there is little of a prelude. What front ends emit has hundreds
    /// of axioms, which ask for more instances than its limits allow, and of which few matter at a time.
    fn worthwhile(shared: &Verification<'_>) -> Means {
        const PRELUDE: usize = 60;
        let domains = &shared.program().domains;
        let axioms = domains.iter().map(|domain| domain.axioms.len()).sum::<usize>();
        Means {
            native: !shared.config.ablates(Ablation::Native) && axioms <= PRELUDE,
            on_demand: !shared.config.ablates(Ablation::Relevance) && axioms > PRELUDE,
        }
    }
}

fn run(
    shared: &Verification<'_>,
    unit: &Unit,
    theories: &Arc<Theories>,
    deadline: Option<Instant>,
    mut session: Session,
    means: Means,
) -> Outcome {
    session.set_deadline(deadline);
    session.set_native(means.native);
    session.set_on_demand(means.on_demand);
    let before = session.stats();
    let fresh = session.is_fresh();
    if let Some(folder) = &shared.config.dump_smt {
        // A dump that cannot be written does not stop a proof.
        let _ =
            session.dump_to(&folder.join(format!("{}.smt2", unit_name(shared.program(), unit))));
    }
    // One scope for symbols and axioms, one for the rest.
    session.push();
    session.push();
    let (program, config) = (shared.program(), &shared.config);
    let prover = Prover::new(encoding(shared, program, config, theories), session, deadline);
    let mut executor = Executor::new(prover, mode(program, config, unit), Some(advise));
    if !fresh || means != Means::default() {
        executor.require_confirmation();
    }
    let start = Instant::now();
    let mut parts: BTreeMap<Key, Part> = BTreeMap::new();
    let mut found: Vec<(FunctionId, FunctionTheory)> = Vec::new();
    match unit {
        Unit::Method(id) => executor.register_method(*id),
        Unit::Predicate(id) => executor.register_predicate(*id),
        Unit::Functions(group) => executor.register_functions(group),
    }
    let (key, result): (Key, Run<()>) = match unit {
        Unit::Method(id) => {
            let method = shared.program().method(*id);
            let result = executor.verify_method(*id);
            if result != Err(Stop::Abort) {
                unfulfilled_refutations(&mut executor, method);
            }
            ((MemberKind::Method, id.0), result)
        }
        Unit::Predicate(id) => {
            ((MemberKind::Predicate, id.0), verify_predicate(&mut executor, *id))
        }
        Unit::Functions(group) => {
            let recursive = {
                let work = shared.lock();
                group
                    .first()
                    .is_some_and(|f| work.groups[shared.plan.group_of[f.index()]].recursive)
            };
            let mut last = start;
            let mut done = |executor: &mut Executor<'_>, id: FunctionId| {
                let part = parts.entry((MemberKind::Function, id.0)).or_default();
                part.failures.extend(failures(executor));
                part.time += last.elapsed();
                last = Instant::now();
            };
            let result = executor.verify_functions(group, recursive, &mut done);
            let key = (MemberKind::Function, group.first().map_or(0, |f| f.0));
            match result {
                Ok(theories) => {
                    found = theories;
                    (key, Ok(()))
                }
                Err(stop) => (key, Err(stop)),
            }
        }
    };
    let time = start.elapsed();
    let part = parts.entry(key).or_default();
    if part.time == Duration::ZERO {
        part.time = time;
    }
    part.failures.extend(failures(&mut executor));
    part.stats = executor.stats();
    let stats = executor.session().stats();
    part.stats.queries += stats.queries - before.queries;
    part.stats.unknown += stats.unknown - before.unknown;
    part.stats.trivial += stats.trivial - before.trivial;
    part.stats.starts += stats.starts - before.starts;
    part.stats.waiting += stats.waiting.saturating_sub(before.waiting);
    if result == Err(Stop::Abort) {
        part.trouble = Some(executor.take_trouble());
        if let Unit::Functions(group) = unit {
            let trouble = part.trouble.clone();
            for id in group {
                let part = parts.entry((MemberKind::Function, id.0)).or_default();
                part.trouble.clone_from(&trouble);
            }
        }
    }
    let part = parts.entry(key).or_default();
    part.warnings.append(&mut executor.diagnostics.take_warnings());
    part.gave_up = executor.gave_up() || result == Err(Stop::Abort);
    part.instances = instances(shared, unit, &mut executor);
    let candidates = executor.diagnostics.take_candidates();
    let confirmed = result != Err(Stop::Abort) && executor.confirmation() == Confirmation::Done;
    Outcome { session: executor.into_session(), fresh, confirmed, key, parts, found, candidates }
}

/// The language in which units of a program are said to the solver.
fn encoding<'p>(
    shared: &Verification<'_>,
    program: &'p Program,
    config: &'p Config,
    theories: &Arc<Theories>,
) -> Encoding<'p> {
    let syntax = Syntax::new(program, Arc::clone(&shared.triggers));
    Encoding::new(program, config, syntax, Arc::clone(&shared.foreign), Arc::clone(theories))
}

/// How the assertions of a unit are looked at.
fn mode(program: &Program, config: &Config, unit: &Unit) -> Mode {
    let exhale = exhale_mode(program, unit).unwrap_or(config.exhale_mode);
    let join = match unit {
        Unit::Method(id) => join_mode(program.method(*id)).unwrap_or(config.join_mode),
        Unit::Functions(_) | Unit::Predicate(_) => JoinMode::Off,
    };
    Mode { exhale, join, ..Mode::default() }
}

/// How often the formulas of a unit were instantiated, by their origins.
fn instances(shared: &Verification<'_>, unit: &Unit, executor: &mut Executor<'_>) -> Counts {
    if shared.config.dump_smt.is_some() {
        let sources = shared.config.sources.as_deref();
        let table = executor.origin_table(sources);
        executor.session().note(&table);
    }
    if !shared.config.profile {
        return Counts::default();
    }
    let own = executor.origins();
    let mut told = shared.told.lock().unwrap_or_else(PoisonError::into_inner);
    if let Unit::Functions(_) = unit {
        told.extend(own.clone());
    }
    let origin = |name: &str| own.get(name).or_else(|| told.get(name)).cloned();
    Counts::new(executor.session().instances(), origin)
}

// --- Small units

/// The body of a predicate must make sense.
fn verify_predicate(executor: &mut Executor<'_>, id: PredicateId) -> Run<()> {
    let predicate = executor.program.predicate(id);
    let Some(body) = &predicate.body else { return Ok(()) };
    let mut state = State::new(Owner::Predicate(id), predicate.locals.len(), executor.mode);
    for i in 0..predicate.params {
        executor.havoc(&mut state, viper::core::LocalId(i));
    }
    let blame = Blame::new(ErrorKind::PredicateNotWellformed, predicate.pos)
        .with_info(&predicate.info)
        .about(predicate.name.as_str());
    let result = executor.explore(&mut state, |this, s| {
        let snap = this.fresh_snap(s);
        let full = this.amount(1, 1);
        this.produce(s, body, snap, full, &blame)
    });
    match result {
        Err(Stop::Abort) => Err(Stop::Abort),
        _ => Ok(()),
    }
}

/// The errors of a unit so far.
fn failures(executor: &mut Executor<'_>) -> impl Iterator<Item = Failure> {
    executor.diagnostics.take_failures().into_iter().map(|(_, failure)| failure)
}

/// Proofs that were meant to fail and did not are errors.
fn unfulfilled_refutations(executor: &mut Executor<'_>, method: &Method) {
    fn walk(executor: &mut Executor<'_>, body: &Block) {
        let mut reports = Vec::new();
        body.walk_stmts(&mut |stmt| {
            if let (StmtKind::Assert(_), Some(info)) = (&stmt.kind, &stmt.info)
                && let Some(ReportAs::MustFail { id, pos, message }) = &info.report
            {
                reports.push((id.clone(), *pos, message.clone()));
            }
            true
        });
        for (id, pos, message) in reports {
            if !executor.diagnostics.is_refuted(pos) {
                let diagnostic = Diagnostic::error(id.as_str().to_string(), pos, message.as_str());
                let failure = Failure { diagnostic, counterexample: None };
                executor.diagnostics.add(Fault::Unrefuted, failure);
            }
        }
    }
    if let Some(body) = &method.body {
        walk(executor, body);
    }
}
