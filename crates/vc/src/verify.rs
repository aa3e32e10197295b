//! Which members of a program are verified, by whom, and what came of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use report::{Diagnostic, Span, Status};
use smt::{Limits, SolverError};
use spl::core::{Function, Name, Param, ProcKind, Procedure, Program, Type};

use crate::cache::Cache;
use crate::definitions::Definitions;
use crate::effects::{self, Effects};
use crate::ending::{CallGraph, Ending, Recursion, endless};
use crate::member::{Jobs, Part, verify_part};
use crate::prove::Solvers;
use crate::scope::Scope;
use crate::termination::Value;
use crate::translate::{Env, Heap, Result as Translated, Stopped, Translator};
use crate::unit::{Blame, Path, Unit};
use crate::vacuous;
use crate::wellformed::Questions;

/// Some ten seconds of a machine that does nothing else.
const GOAL_WORK: u64 = 30_000_000;

/// How to verify.
#[derive(Clone, Debug)]
pub struct Config {
    /// The solver.
    pub solver: PathBuf,
    /// Options for it, set after ours.
    pub solver_options: Vec<(String, String)>,
    /// So many solvers at once.
    pub jobs: usize,
    /// For the whole program.
    pub timeout: Option<Duration>,
    /// Work, in units of the solver, for one goal: so what is proved does not depend on how busy the machine is.
    pub goal_work: Option<u64>,
    /// Time for one goal, whatever the limit on work says.
    pub goal_timeout: Duration,
    /// Work, in units of the solver, for a second try of a goal that was neither proved nor refuted: with
    /// instances that models suggest. This is what a failed proof costs at least.
    pub second_try: u64,
    /// The members to verify; none are all.
    pub members: Vec<String>,
    /// Where to write what the solver is told, a file per member.
    pub dump_smt: Option<PathBuf>,
    /// What was proved in this run.
    pub cache: Arc<Cache>,
    /// Whoever sets this wants no verdict any more.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Config {
    /// The usual way.
    #[must_use]
    pub fn new(solver: PathBuf) -> Config {
        Config {
            solver,
            solver_options: Vec::new(),
            jobs: 1,
            timeout: None,
            goal_work: Some(GOAL_WORK),
            goal_timeout: Duration::from_secs(180),
            second_try: 2_000_000,
            members: Vec::new(),
            dump_smt: None,
            cache: Arc::default(),
            cancel: None,
        }
    }

    /// What one goal may take.
    pub(crate) fn limits(&self) -> Limits {
        Limits { rlimit: self.goal_work, timeout: self.goal_timeout }
    }
}

/// What came of a member.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// `procedure`, `lemma`, `function`, or a `predicate` that is not defined
    pub kind: &'static str,
    /// The verdict.
    pub status: Status,
    /// How long it took.
    pub time: Duration,
    /// What could not be proved, or why nothing was.
    pub diagnostics: Vec<Diagnostic>,
    /// How many goals there were.
    pub goals: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Time spent waiting for it.
    pub waiting: Duration,
}

/// What came of a program.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// In source order.
    pub members: Vec<Member>,
    /// Solvers that were started.
    pub starts: u64,
    /// Why no solver can be had.
    pub no_solver: Option<String>,
}

impl Verdict {
    /// That of the worst member.
    #[must_use]
    pub fn status(&self) -> Status {
        self.members.iter().map(|m| m.status).max().unwrap_or(Status::Verified)
    }
}

/// Something to verify.
#[derive(Clone, Copy)]
pub(crate) enum Task<'p> {
    Procedure(&'p Procedure),
    Function(&'p Function),
}

impl Task<'_> {
    pub fn name(&self) -> &Name {
        match self {
            Task::Procedure(p) => &p.name,
            Task::Function(f) => &f.name,
        }
    }

    pub fn span(&self) -> Span {
        match self {
            Task::Procedure(p) => p.span,
            Task::Function(f) => f.span,
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Task::Procedure(p) if p.kind == ProcKind::Procedure => "procedure",
            Task::Procedure(_) => "lemma",
            Task::Function(_) => "function",
        }
    }
}

/// Everything with something to prove, in source order.
fn tasks(program: &Program) -> Vec<Task<'_>> {
    let procedures = program.procedures.values().filter(|p| p.body.is_some());
    let mut tasks: Vec<Task<'_>> = procedures.map(Task::Procedure).collect();
    let functions = program.functions.values();
    let functions = functions.filter(|f| f.body.is_some());
    tasks.extend(functions.map(Task::Function));
    tasks.sort_by_key(|t| (t.span().file, t.span().start));
    tasks
}

/// The names of all members that are verified.
#[must_use]
pub fn member_names(program: &Program) -> Vec<String> {
    tasks(program).iter().map(|t| t.name().to_string()).collect()
}

/// Verifies a program.
#[must_use]
pub fn verify(program: &Program, config: &Config) -> Verdict {
    let deadline = config.timeout.map(|t| Instant::now() + t);
    let wanted = |t: &Task<'_>| {
        config.members.is_empty() || config.members.iter().any(|m| **m == **t.name())
    };
    let tasks: Vec<Task<'_>> = tasks(program).into_iter().filter(wanted).collect();
    let limits = config.limits();
    let mut solvers = Solvers::new(&solver_config(config, deadline), &config.cache);
    let definitions = Questions { program, solvers: &mut solvers, limits }.answer();
    let first_starts = solvers.stats().0;
    drop(solvers);
    let context = Context {
        program,
        effects: effects::effects(program),
        graph: CallGraph::new(program),
        definitions,
        patience: Patience { deadline, cancel: config.cancel.clone() },
    };
    let jobs = Jobs::new(tasks.len());
    let no_solver: Mutex<Option<String>> = Mutex::default();
    let starts = AtomicU64::new(first_starts);
    let work = || {
        let mut solvers = Solvers::new(&solver_config(config, deadline), &config.cache);
        while let Some(running) = jobs.next() {
            if let Some(task) = tasks.get(running.job().task) {
                let part = verify_part(&context, *task, &running, &mut solvers, config, &no_solver);
                running.done(part);
            }
        }
        starts.fetch_add(solvers.stats().0, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 0..config.jobs.max(1) {
            // Trees may be as high as the parser allows.
            let thread = std::thread::Builder::new().stack_size(STACK);
            if thread.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
    });
    let parts = jobs.into_parts();
    let members = tasks.iter().zip(parts).map(|(task, parts)| Part::merge(program, *task, parts));
    let (mut members, recursion): (Vec<Member>, Vec<Vec<Recursion>>) = members.unzip();
    vacuous::say_once(members.iter_mut().map(|m| &mut m.diagnostics));
    let recursion: Vec<Recursion> = recursion.into_iter().flatten().collect();
    for (caller, span) in endless(&context.graph, &recursion) {
        if let Some(member) = members.iter_mut().find(|m| *m.name == *caller) {
            let message = "this recursive call might go on forever: no measure was found that \
                           gets smaller";
            let mut error = Diagnostic::error("termination.failed", span, message);
            error.member = Some(member.name.clone());
            member.diagnostics.push(error);
            member.status = member.status.max(Status::Failed);
        }
    }
    members.extend(undefined(&context, config));
    let no_solver = no_solver.into_inner().unwrap_or_else(PoisonError::into_inner);
    Verdict { members, starts: starts.into_inner(), no_solver }
}

/// Boolean predicates that are nowhere defined: they use themselves under a negation, without end.
fn undefined(context: &Context<'_>, config: &Config) -> Vec<Member> {
    let mut members = Vec::new();
    for (name, domains) in &context.definitions.domains {
        let Some(predicate) = context.program.predicates.get(name) else { continue };
        let wanted = config.members.is_empty() || config.members.iter().any(|m| **m == **name);
        if !domains.is_empty() || !wanted {
            continue;
        }
        let message = format!(
            "the recursion of `{name}` might go on forever: it uses itself under a negation, and no \
             measure was found that gets smaller"
        );
        let mut error = Diagnostic::error("termination.failed", predicate.span, message);
        error.member = Some(name.to_string());
        members.push(Member {
            name: name.to_string(),
            kind: "predicate",
            status: Status::Failed,
            time: Duration::ZERO,
            diagnostics: vec![error],
            goals: 0,
            queries: 0,
            waiting: Duration::ZERO,
        });
    }
    members
}

/// Reserved, not used.
pub(crate) const STACK: usize = 512 << 20;

pub(crate) fn solver_config(config: &Config, deadline: Option<Instant>) -> smt::Config {
    let ours = [
        ("auto_config", "false"),
        ("smt.mbqi", "false"),
        ("smt.random_seed", "0"),
        ("smt.qi.eager_threshold", "100"),
        ("smt.case_split", "1"),
        ("smt.phase_selection", "0"),
        ("smt.relevancy", "1"),
        ("type_check", "true"),
    ];
    let mut options: Vec<(String, String)> =
        ours.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    options.extend(config.solver_options.iter().cloned());
    smt::Config {
        native: false,
        solver: config.solver.clone(),
        options,
        limits: config.limits(),
        deadline,
        cancel: config.cancel.clone(),
        profile: false,
    }
}

/// What all members of a program share.
pub(crate) struct Context<'p> {
    pub program: &'p Program,
    pub effects: BTreeMap<Name, Effects>,
    pub graph: CallGraph,
    pub definitions: Definitions,
    pub patience: Patience,
}

/// How long somebody waits for an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patience {
    deadline: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
}

impl Patience {
    /// An error if nobody waits any more.
    pub fn check(&self) -> Translated<()> {
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Stopped::Interrupted(SolverError::Cancelled));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stopped::Interrupted(SolverError::OutOfTime));
        }
        Ok(())
    }
}

pub(crate) fn new_unit<'p>(
    context: &'p Context<'p>,
    procedure: &'p Procedure,
    is_function: bool,
) -> Unit<'p> {
    let Context { program, effects, graph, definitions, patience } = context;
    let types = effects.get(&procedure.name).map(|e| e.types.clone()).unwrap_or_default();
    let mut lemmas = usable_lemmas(program, procedure);
    if is_function {
        // Proofs of lemmas may rest on what functions promise.
        lemmas.retain(|lemma| lemma.body.is_none());
    }
    let must_end = graph.must_end(&procedure.name);
    let ending = Ending::new(must_end, graph);
    let mut translator = Translator::new(program, definitions);
    translator.scope = Some(Scope::new(program, definitions, procedure, must_end));
    Unit {
        program,
        translator,
        steps: Vec::new(),
        effects,
        procedure,
        entry: Heap::default(),
        initial: BTreeMap::new(),
        types,
        lemmas,
        next_local: procedure.locals.len() as u32,
        extra: BTreeMap::new(),
        ending,
        patience,
    }
}

/// Automatic lemmas that are axioms for a procedure. What a proof rests on must not rest on it: a lemma
/// uses only automatic lemmas that come before it and call nothing.
pub(crate) fn usable_lemmas<'p>(program: &'p Program, procedure: &Procedure) -> Vec<&'p Procedure> {
    let (options, _) = spl::options(program);
    if options.no_auto_lemmas.is_some() {
        return Vec::new();
    }
    let place = |p: &Procedure| (p.span.file, p.span.start);
    let automatic = program.procedures.values().filter(|p| p.kind == ProcKind::AutoLemma);
    let usable = automatic.filter(|lemma| {
        procedure.kind == ProcKind::Procedure
            || (place(lemma) < place(procedure)
                && lemma.body.as_ref().is_none_or(|body| crate::ending::calls(body).is_empty()))
    });
    usable.collect()
}

/// What is not supported as a whole.
pub(crate) fn refuse(program: &Program, procedure: &Procedure) -> Translated<()> {
    let (options, _) = spl::options(program);
    if let Some(span) = options.symbolic_execution {
        return crate::translate::unsupported(span, "the option `-symbexec`");
    }
    if let Some(why) = crate::datatype::impossible(program) {
        return crate::translate::unsupported(procedure.span, why);
    }
    Ok(())
}

impl Unit<'_> {
    /// Axioms and lemmas; fields in them are those of the beginning.
    pub(crate) fn assume_everywhere(&mut self, path: &Path) -> Translated<()> {
        let heap = path.state.heap.clone();
        let mut axioms = Vec::new();
        for axiom in &self.program.axioms {
            let env = Env { locals: BTreeMap::new(), heap: &heap, old: &heap };
            let term = self.translator.term(&env, &axiom.expr)?;
            self.assume(path, term);
            axioms.push(term);
        }
        if !axioms.is_empty() {
            self.ask_axioms(path, &axioms);
        }
        for lemma in self.lemmas.clone() {
            let mut vars = Vec::new();
            let mut locals = BTreeMap::new();
            for param in &lemma.params {
                let ty = lemma.locals.get(param.local.0 as usize).map(|l| l.ty.clone());
                let ty = ty.unwrap_or(Type::Int);
                let (bound, term) = self.translator.logic.bound("param", &ty);
                vars.push((bound, term, ty));
                locals.insert(param.local, term);
            }
            let env = Env { locals, heap: &heap, old: &heap };
            let mut parts = Vec::new();
            for clauses in [&lemma.requires, &lemma.ensures] {
                let mut all = Vec::new();
                for clause in clauses {
                    all.push(self.translator.term(&env, &clause.expr)?);
                }
                parts.push(self.translator.logic.terms.and(all));
            }
            let [before, after] = parts[..] else { continue };
            let body = self.translator.logic.terms.implies(before, after);
            let forall = spl::core::Quantifier::Forall;
            let axiom = self.translator.quantified(forall, &vars, body);
            self.assume(path, axiom);
        }
        Ok(())
    }
}

/// The obligations of a procedure [PWZ13, Fig. 8 `VC`].
pub(crate) fn build(unit: &mut Unit<'_>) -> Translated<()> {
    let procedure = unit.procedure;
    refuse(unit.program, procedure)?;
    let Some(body) = &procedure.body else { return Ok(()) };
    let path = begin(unit)?;
    let ends = unit.exec(vec![path], body)?;
    // Falling off the end is at the closing brace.
    let end = Span { start: body.span.end.saturating_sub(1), ..body.span };
    for path in ends {
        unit.check_post(&path, end)?;
    }
    Ok(())
}

/// Any state in which the precondition holds on exactly what is owned.
fn begin(unit: &mut Unit<'_>) -> Translated<Path> {
    let procedure = unit.procedure;
    let params = procedure.params.iter().chain(&procedure.returns).map(|p| p.local);
    let state = unit.arbitrary(params);
    unit.entry = state.heap.clone();
    let initial = procedure.params.iter();
    unit.initial = initial.filter_map(|p| Some((p.local, *state.locals.get(&p.local)?))).collect();
    let path = unit.start(state);
    unit.assume_everywhere(&path)?;
    unit.assume_allocated(&path);
    let old = unit.entry.clone();
    let env = Env { locals: path.state.locals.clone(), heap: &path.state.heap, old: &old };
    let alternatives = unit.translator.clauses(&env, &procedure.requires)?;
    unit.assume_on(&path, &alternatives, Some(&path.state.footprint));
    if !procedure.requires.is_empty() {
        unit.ask_required(&path);
    }
    let values = procedure.params.iter().filter_map(|p| {
        Some(Value { ty: unit.local_type(p.local), term: *path.state.locals.get(&p.local)? })
    });
    let values: Vec<Value> = values.collect();
    if unit.ending.must {
        unit.ending.start = unit.candidates(&values, &path.state.heap, &alternatives);
    }
    Ok(path)
}

/// A function as something with a contract.
pub(crate) fn as_procedure(function: &Function) -> Procedure {
    Procedure {
        name: function.name.clone(),
        kind: ProcKind::Lemma,
        locals: function.locals.clone(),
        params: function.params.clone(),
        returns: vec![Param { local: function.result, ghost: spl::core::Ghost::No }],
        requires: function.requires.clone(),
        ensures: function.ensures.clone(),
        body: None,
        span: function.span,
    }
}

/// The postcondition of a function follows from its body, where its precondition holds. It may be used
/// for recursive calls, which are for smaller arguments if the function is defined where it requires.
pub(crate) fn build_function<'p>(unit: &mut Unit<'p>, function: &'p Function) -> Translated<()> {
    refuse(unit.program, unit.procedure)?;
    let Some(body) = &function.body else { return Ok(()) };
    let name = &function.name;
    let domains = unit.translator.definitions.domains.get(name).cloned().unwrap_or_default();
    let params = function.params.iter().map(|p| p.local);
    let mut state = unit.arbitrary(params);
    unit.entry = state.heap.clone();
    let node = unit.step(None);
    let heap = state.heap.clone();
    let env = Env { locals: state.locals.clone(), heap: &heap, old: &heap };
    unit.translator.proving = Some(name.clone());
    unit.translator.in_definition = true;
    let required = unit.translator.required(function, &env)?;
    let value = unit.translator.inside(name, |t| t.term(&env, body))?;
    state.locals.insert(function.result, value);
    let path = Path { node, state };
    unit.assume_everywhere(&path)?;
    unit.assume(&path, required);
    if unit.translator.definitions.recursive.contains(name) {
        if domains.is_empty() {
            let message = format!(
                "the recursion of `{name}` might go on forever: no measure was found that gets \
                 smaller"
            );
            let never = unit.translator.logic.terms.bool(false);
            unit.check(&path, never, Blame::new("termination.failed", function.span, message));
            return Ok(());
        }
        let facts = unit.translator.hypotheses(&env, function, body)?;
        facts.into_iter().for_each(|fact| unit.assume(&path, fact));
    }
    unit.translator.in_definition = false;
    for clause in &function.ensures {
        let env = Env { locals: path.state.locals.clone(), heap: &heap, old: &heap };
        let goal = unit.translator.inside(name, |t| t.term(&env, &clause.expr))?;
        let message = format!("a postcondition of `{name}` might not hold");
        unit.check(&path, goal, Blame::new("postcondition.violated", clause.span, message));
    }
    Ok(())
}
