//! What is verified, in which order, and on which thread.
//!
//! A unit is a method, a predicate, or a group of functions that call each other. Groups of functions
//! come first, callees before callers, since everyone else uses their axioms; then all other units in
//! any order. Each worker has a solver of its own.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use report::{Diagnostic, Pos, Status};
use smt::Session;
use viper::core::{
    Block, ExprKind, FieldId, Function, FunctionId, Info, Method, MethodId, PredicateId, Program,
    ReportAs, StmtKind,
};

use crate::blame::Blame;
use crate::callgraph::{CallGraph, call_graph};
use crate::config::{Config, ExhaleMode, JoinMode};
use crate::executor::Executor;
use crate::instances::Counts;
use crate::origin::Origin;
use crate::path::{Run, Stop};
use crate::state::{Owner, State};
use crate::symbols::{Foreign, FunctionTheory, Theories, foreign_axioms};
use crate::verdict::{Failure, Member, MemberKind, Observer, Stats, Verdict};

/// Something to verify.
#[derive(Clone, Debug)]
enum Unit {
    Functions(Vec<FunctionId>),
    Predicate(PredicateId),
    Method(MethodId),
}

/// The name that errors and times belong to.
type Key = (MemberKind, u32);

/// What came out of verifying something.
#[derive(Default)]
struct Part {
    failures: Vec<Failure>,
    time: Duration,
    stats: Stats,
    trouble: Option<(Status, String)>,
    instances: Counts,
    /// Did the solver give up on a question?
    gave_up: bool,
}

/// The work that is left, and what is done.
struct Work {
    /// Groups of functions that wait for others; with the group, how many.
    groups: Vec<Group>,
    /// Units that can be started.
    ready: Vec<Unit>,
    /// To be started when all functions are done.
    later: Vec<Unit>,
    theories: Theories,
    groups_left: usize,
    parts: BTreeMap<Key, Part>,
}

struct Group {
    functions: Vec<FunctionId>,
    recursive: bool,
    waits_for: usize,
    callers: Vec<usize>,
}

struct Shared<'a> {
    program: &'a Program,
    config: &'a Config,
    observer: &'a dyn Observer,
    foreign: Arc<Foreign>,
    triggers: Arc<HashSet<FieldId>>,
    /// The formulas that functions tell others.
    told: Mutex<HashMap<Arc<str>, Origin>>,
    deadline: Option<Instant>,
    group_of: Vec<usize>,
    work: Mutex<Work>,
    news: Condvar,
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

/// Verifies a whole program.
pub(crate) fn verify(program: &Program, config: &Config, observer: &dyn Observer) -> Verdict {
    let plan = Plan::new(program, config);
    observer.started(plan.members.len());
    let shared = plan.share(program, config, observer);
    let jobs = config.jobs.clamp(1, plan.units.max(1));
    std::thread::scope(|scope| {
        for i in 0..jobs {
            let shared = &shared;
            let builder =
                std::thread::Builder::new().name(format!("verifier {i}")).stack_size(STACK);
            // A thread that cannot be had leaves its work to the others.
            if builder.spawn_scoped(scope, move || worker(shared)).is_err() && i == 0 {
                worker(shared);
            }
        }
    });
    let work = shared.work.into_inner().unwrap_or_else(PoisonError::into_inner);
    plan.verdict(program, work.parts)
}

/// Expressions nest deep. Pages of a stack cost nothing until they are touched.
const STACK: usize = 1 << 30;

/// What is to be done.
struct Plan {
    /// In source order.
    members: Vec<Key>,
    groups: Vec<Group>,
    group_of: Vec<usize>,
    later: Vec<Unit>,
    units: usize,
    /// Methods that plugins made, with the function that they are about.
    proofs: BTreeMap<u32, u32>,
}

impl Plan {
    fn new(program: &Program, config: &Config) -> Plan {
        let wanted =
            |name: &str| config.members.is_empty() || config.members.iter().any(|m| m == name);
        let proofs = termination_proofs(program);
        let mut members: Vec<(Option<report::Span>, Key)> = Vec::new();
        let mut later = Vec::new();
        for (i, f) in program.functions.iter().enumerate() {
            if wanted(f.name.as_str()) {
                members.push((f.pos.span(), (MemberKind::Function, i as u32)));
            }
        }
        for (i, p) in program.predicates.iter().enumerate() {
            if wanted(p.name.as_str()) {
                members.push((p.pos.span(), (MemberKind::Predicate, i as u32)));
                later.push(Unit::Predicate(PredicateId(i as u32)));
            }
        }
        for (i, m) in program.methods.iter().enumerate() {
            match proofs.get(&(i as u32)) {
                Some(function) if wanted(program.functions[*function as usize].name.as_str()) => {
                    later.push(Unit::Method(MethodId(i as u32)));
                }
                Some(_) => {}
                None if wanted(m.name.as_str()) => {
                    members.push((m.pos.span(), (MemberKind::Method, i as u32)));
                    later.push(Unit::Method(MethodId(i as u32)));
                }
                None => {}
            }
        }
        members.sort_by_key(|(span, key)| (span.map(|s| (s.file, s.start)), *key));
        let (groups, group_of) = groups(program);
        Plan {
            members: members.into_iter().map(|(_, key)| key).collect(),
            units: groups.len() + later.len(),
            groups,
            group_of,
            later,
            proofs,
        }
    }

    fn share<'a>(
        &self,
        program: &'a Program,
        config: &'a Config,
        observer: &'a dyn Observer,
    ) -> Shared<'a> {
        let groups: Vec<Group> = self
            .groups
            .iter()
            .map(|g| Group {
                functions: g.functions.clone(),
                recursive: g.recursive,
                waits_for: g.waits_for,
                callers: g.callers.clone(),
            })
            .collect();
        let mut ready: Vec<Unit> = groups
            .iter()
            .filter(|g| g.waits_for == 0)
            .map(|g| Unit::Functions(g.functions.clone()))
            .rev()
            .collect();
        // Taken from the end.
        let mut later: Vec<Unit> = self.later.iter().rev().cloned().collect();
        if groups.is_empty() {
            ready = std::mem::take(&mut later);
        }
        Shared {
            program,
            config,
            observer,
            foreign: Arc::new(foreign_axioms(program)),
            triggers: Arc::new(fields_in_triggers(program)),
            told: Mutex::default(),
            deadline: config.timeout.map(|t| Instant::now() + t),
            group_of: self.group_of.clone(),
            work: Mutex::new(Work {
                groups_left: groups.len(),
                groups,
                ready,
                later,
                theories: vec![None; program.functions.len()],
                parts: BTreeMap::new(),
            }),
            news: Condvar::new(),
        }
    }

    /// Puts the parts together, in source order.
    fn verdict(&self, program: &Program, mut parts: BTreeMap<Key, Part>) -> Verdict {
        let mut verdict = Verdict::default();
        let mut instances = Counts::default();
        parts.values().for_each(|part| instances.add(&part.instances));
        verdict.quantified = instances.quantified();
        // The errors of proofs that plugins made belong to the functions they are about.
        for (method, function) in &self.proofs {
            if let Some(part) = parts.remove(&(MemberKind::Method, *method)) {
                parts.entry((MemberKind::Function, *function)).or_default().add(part);
            }
        }
        let mut seen: HashSet<(String, Pos)> = HashSet::new();
        for key in &self.members {
            let part = parts.remove(key).unwrap_or_default();
            let (name, pos) = describe(program, *key);
            let mut failures = part.failures;
            failures.sort_by_key(|f| f.diagnostic.pos.span().map(|s| (s.file, s.start)));
            failures.retain(|f| seen.insert((f.diagnostic.id.to_string(), f.diagnostic.pos)));
            for failure in &mut failures {
                failure.diagnostic.member = Some(name.to_string());
            }
            let status = match &part.trouble {
                Some((status, _)) => *status,
                None if failures.is_empty() => Status::Verified,
                None => Status::Failed,
            };
            verdict.stats += part.stats;
            for mut warning in part.instances.matching_loops(part.gave_up) {
                // One is enough, whoever uses the formula.
                let known = |w: &Diagnostic| w.pos == warning.pos && w.id == warning.id;
                if !verdict.warnings.iter().any(known) {
                    warning.member = Some(name.to_string());
                    verdict.warnings.push(warning);
                }
            }
            verdict.members.push(Member {
                name: name.to_string(),
                kind: key.0,
                pos,
                status,
                time: part.time,
                failures,
                trouble: part.trouble.map(|(_, why)| why),
                stats: part.stats,
            });
        }
        verdict
    }
}

impl Part {
    fn add(&mut self, other: Part) {
        self.failures.extend(other.failures);
        self.time += other.time;
        self.stats += other.stats;
        self.instances.add(&other.instances);
        self.gave_up |= other.gave_up;
        if self.trouble.is_none() {
            self.trouble = other.trouble;
        }
    }
}

fn describe(program: &Program, key: Key) -> (&str, Pos) {
    let index = key.1 as usize;
    match key.0 {
        MemberKind::Function => {
            let f = &program.functions[index];
            (f.name.as_str(), f.pos)
        }
        MemberKind::Predicate => {
            let p = &program.predicates[index];
            (p.name.as_str(), p.pos)
        }
        MemberKind::Method => {
            let m = &program.methods[index];
            (m.name.as_str(), m.pos)
        }
        MemberKind::Domain => {
            let d = &program.domains[index];
            (d.name.as_str(), d.pos)
        }
    }
}

/// Fields that are mentioned in triggers.
fn fields_in_triggers(program: &Program) -> HashSet<FieldId> {
    let mut fields = HashSet::new();
    program.walk_exprs(&mut |e| {
        if let ExprKind::Quant { triggers, .. } = &e.kind {
            for term in triggers.iter().flatten() {
                term.walk(&mut |e| {
                    if let ExprKind::Field(_, field) = e.kind {
                        fields.insert(field);
                    }
                    true
                });
            }
        }
        true
    });
    fields
}

/// Methods that check the termination of functions, with the functions.
fn termination_proofs(program: &Program) -> BTreeMap<u32, u32> {
    let is_proof = |m: &Method| m.name.as_str().ends_with("_termination_proof");
    let about = |m: &Method, f: &Function| f.pos == m.pos && f.pos != Pos::None;
    let mut proofs = BTreeMap::new();
    for (i, m) in program.methods.iter().enumerate().filter(|(_, m)| is_proof(m)) {
        if let Some(f) = program.functions.iter().position(|f| about(m, f)) {
            proofs.insert(i as u32, f as u32);
        }
    }
    proofs
}

/// Functions that call each other, with how the groups depend on each other.
fn groups(program: &Program) -> (Vec<Group>, Vec<usize>) {
    let CallGraph { heights, before, recursive } = call_graph(program);
    let count = heights.iter().max().map_or(0, |max| max + 1);
    let mut groups: Vec<Group> = (0..count)
        .map(|_| Group { functions: vec![], recursive: false, waits_for: 0, callers: vec![] })
        .collect();
    for (i, height) in heights.iter().enumerate() {
        groups[*height].functions.push(FunctionId(i as u32));
        groups[*height].recursive |= recursive[i];
    }
    for (first, second) in before {
        groups[first].callers.push(second);
        groups[second].waits_for += 1;
    }
    (groups, heights)
}

fn lock<'a>(work: &'a Mutex<Work>) -> MutexGuard<'a, Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

// --- Workers

fn worker(shared: &Shared<'_>) {
    let mut session = Session::new(session_config(shared));
    while let Some((unit, theories)) = next(shared) {
        let options = solver_options(shared.program, &unit);
        if !options.is_empty() {
            // A solver of its own: options stay.
            let mut config = session_config(shared);
            config.options.extend(options);
            let result = run(shared, &unit, &theories, Session::new(config));
            finish(shared, &unit, result.parts, result.found);
            continue;
        }
        session.clear();
        let mut result = run(shared, &unit, &theories, session);
        // A solver that has worked before may not find a proof that another finds. What is reported
        // must not depend on what else it did.
        if !result.fresh && !result.is_clean() {
            result.session.reset();
            let (before, session) = (result.stats(), result.session);
            result = run(shared, &unit, &theories, session);
            result.add_stats(before);
        }
        finish(shared, &unit, result.parts, result.found);
        session = result.session;
    }
}

/// What came out of a unit.
struct Outcome {
    session: Session,
    /// Was the solver fresh when it started?
    fresh: bool,
    key: Key,
    parts: BTreeMap<Key, Part>,
    found: Vec<(FunctionId, FunctionTheory)>,
}

impl Outcome {
    /// Is everything proved?
    fn is_clean(&self) -> bool {
        self.parts.values().all(|part| part.failures.is_empty() && part.trouble.is_none())
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

fn session_config(shared: &Shared<'_>) -> smt::Config {
    let mut options: Vec<(String, String)> =
        OPTIONS.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    options.extend(shared.config.solver_options.iter().cloned());
    smt::Config {
        solver: shared.config.solver.clone(),
        options,
        limits: smt::Limits { rlimit: None, timeout: Duration::from_secs(60) },
        deadline: shared.deadline,
        cancel: Some(shared.config.cancel.flag()),
        profile: shared.config.profile,
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

/// The next unit; waits until there is one. `None` if there is nothing left.
fn next(shared: &Shared<'_>) -> Option<(Unit, Arc<Theories>)> {
    let mut work = lock(&shared.work);
    loop {
        if let Some(unit) = work.ready.pop() {
            let theories = Arc::new(work.theories.clone());
            return Some((unit, theories));
        }
        if work.groups_left == 0 {
            return None;
        }
        work = shared.news.wait(work).unwrap_or_else(PoisonError::into_inner);
    }
}

fn run(
    shared: &Shared<'_>,
    unit: &Unit,
    theories: &Arc<Theories>,
    mut session: Session,
) -> Outcome {
    let before = session.stats();
    let fresh = session.is_fresh();
    if let Some(folder) = &shared.config.dump_smt {
        // A dump that cannot be written does not stop a proof.
        let _ = session.dump_to(&folder.join(format!("{}.smt2", unit_name(shared.program, unit))));
    }
    // One scope for symbols and axioms, one for the rest.
    session.push();
    session.push();
    let mut executor = Executor::new(
        shared.program,
        shared.config,
        session,
        Arc::clone(&shared.foreign),
        Arc::clone(theories),
        shared.deadline,
        Arc::clone(&shared.triggers),
    );
    let start = Instant::now();
    let mut parts: BTreeMap<Key, Part> = BTreeMap::new();
    let mut found: Vec<(FunctionId, FunctionTheory)> = Vec::new();
    executor.exhale_mode = exhale_mode(shared.program, unit).unwrap_or(executor.exhale_mode);
    match unit {
        Unit::Method(id) => executor.register_method(*id),
        Unit::Predicate(id) => executor.register_predicate(*id),
        Unit::Functions(group) => executor.register_functions(group),
    }
    let (key, result): (Key, Run<()>) = match unit {
        Unit::Method(id) => {
            let method = shared.program.method(*id);
            executor.join_mode = join_mode(method).unwrap_or(shared.config.join_mode);
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
                let work = lock(&shared.work);
                group.first().is_some_and(|f| work.groups[shared.group_of[f.index()]].recursive)
            };
            let mut last = start;
            let mut done = |executor: &mut Executor<'_>, id: FunctionId| {
                let part = parts.entry((MemberKind::Function, id.0)).or_default();
                part.failures.append(&mut executor.failures);
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
    part.failures.append(&mut executor.failures);
    part.stats = executor.stats;
    let stats = executor.session.stats();
    part.stats.queries += stats.queries - before.queries;
    part.stats.unknown += stats.unknown - before.unknown;
    part.stats.trivial += stats.trivial - before.trivial;
    part.stats.starts += stats.starts - before.starts;
    part.stats.waiting += stats.waiting.saturating_sub(before.waiting);
    if result == Err(Stop::Abort) {
        let why = executor.trouble.take().unwrap_or_else(|| "no reason is known".to_string());
        part.trouble = Some((executor.trouble_status, why));
        if let Unit::Functions(group) = unit {
            let trouble = part.trouble.clone();
            for id in group {
                let part = parts.entry((MemberKind::Function, id.0)).or_default();
                part.trouble.clone_from(&trouble);
            }
        }
    }
    let part = parts.entry(key).or_default();
    part.gave_up = executor.gave_up || result == Err(Stop::Abort);
    part.instances = instances(shared, unit, &mut executor);
    Outcome { session: executor.session, fresh, key, parts, found }
}

/// How often the formulas of a unit were instantiated, by their origins.
fn instances(shared: &Shared<'_>, unit: &Unit, executor: &mut Executor<'_>) -> Counts {
    if shared.config.dump_smt.is_some() {
        let sources = shared.config.sources.as_deref();
        executor.session.note(&executor.names.table(sources));
    }
    if !shared.config.profile {
        return Counts::default();
    }
    let own = executor.names.origins();
    let mut told = shared.told.lock().unwrap_or_else(PoisonError::into_inner);
    if let Unit::Functions(_) = unit {
        told.extend(own.clone());
    }
    let origin = |name: &str| own.get(name).or_else(|| told.get(name)).cloned();
    Counts::new(executor.session.instances(), origin)
}

/// Writes down what came out of a unit, and starts what waited for it.
fn finish(
    shared: &Shared<'_>,
    unit: &Unit,
    parts: BTreeMap<Key, Part>,
    found: Vec<(FunctionId, FunctionTheory)>,
) {
    for (key, part) in &parts {
        let (name, pos) = describe(shared.program, *key);
        let status = match &part.trouble {
            Some((status, _)) => *status,
            None if part.failures.is_empty() => Status::Verified,
            None => Status::Failed,
        };
        shared.observer.finished(&Member {
            name: name.to_string(),
            kind: key.0,
            pos,
            status,
            time: part.time,
            failures: Vec::new(),
            trouble: part.trouble.as_ref().map(|(_, why)| why.clone()),
            stats: part.stats,
        });
    }
    let mut work = lock(&shared.work);
    for (key, part) in parts {
        work.parts.entry(key).or_default().add(part);
    }
    for (id, theory) in found {
        work.theories[id.index()] = Some(Arc::new(theory));
    }
    if let Unit::Functions(group) = unit
        && let Some(first) = group.first()
    {
        let index = shared.group_of[first.index()];
        work.groups_left -= 1;
        for caller in work.groups[index].callers.clone() {
            work.groups[caller].waits_for -= 1;
            if work.groups[caller].waits_for == 0 {
                let functions = work.groups[caller].functions.clone();
                work.ready.push(Unit::Functions(functions));
            }
        }
        if work.groups_left == 0 {
            let later = std::mem::take(&mut work.later);
            work.ready.extend(later);
        }
    }
    drop(work);
    shared.news.notify_all();
}

// --- Small units

/// The body of a predicate must make sense.
fn verify_predicate(executor: &mut Executor<'_>, id: PredicateId) -> Run<()> {
    let predicate = executor.program.predicate(id);
    let Some(body) = &predicate.body else { return Ok(()) };
    let mut state = State::new(Owner::Predicate(id), predicate.locals.len());
    for i in 0..predicate.params {
        executor.havoc(&mut state, viper::core::LocalId(i));
    }
    let blame = Blame::new("predicate.not.wellformed", predicate.pos)
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
            if !executor.refuted.contains(&pos) {
                let diagnostic = Diagnostic::error(id.as_str().to_string(), pos, message.as_str());
                executor.failures.push(Failure { diagnostic, counterexample: None });
            }
        }
    }
    if let Some(body) = &method.body {
        walk(executor, body);
    }
}
