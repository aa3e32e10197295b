//! Which members of a program are verified, by whom, and what came of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use report::{Diagnostic, Span, Status};
use smt::{Limits, SolverError};
use spl::core::{Function, Name, Param, ProcKind, Procedure, Program, Type};

use crate::abduce;
use crate::definitions::Definitions;
use crate::effects::{self, Effects};
use crate::ending::{CallGraph, Ending, Recursion, endless};
use crate::prove::{Effort, Failure, Prover, Solvers};
use crate::termination::Value;
use crate::translate::{Env, Heap, Result as Translated, Translator, Unsupported};
use crate::unit::{Blame, Path, Unit};
use crate::wellformed::Questions;

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
    /// For one goal.
    pub goal_timeout: Duration,
    /// Work, in units of the solver, for a second try of a goal that was neither proved nor refuted: with
    /// instances that models suggest. This is what a failed proof costs at least.
    pub second_try: u64,
    /// The members to verify; none are all.
    pub members: Vec<String>,
    /// Where to write what the solver is told, a file per member.
    pub dump_smt: Option<PathBuf>,
    /// Infer what is missing in a contract, and try it.
    pub abduce: bool,
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
            goal_timeout: Duration::from_secs(30),
            second_try: 2_000_000,
            members: Vec::new(),
            dump_smt: None,
            abduce: true,
            cancel: None,
        }
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
enum Task<'p> {
    Procedure(&'p Procedure),
    Function(&'p Function),
}

impl Task<'_> {
    fn name(&self) -> &Name {
        match self {
            Task::Procedure(p) => &p.name,
            Task::Function(f) => &f.name,
        }
    }

    fn span(&self) -> Span {
        match self {
            Task::Procedure(p) => p.span,
            Task::Function(f) => f.span,
        }
    }

    fn kind(&self) -> &'static str {
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
    let limits = Limits { rlimit: None, timeout: config.goal_timeout };
    let mut solvers = Solvers::new(&solver_config(config, deadline));
    let definitions = Questions { program, solvers: &mut solvers, limits }.answer();
    let first_starts = solvers.stats().0;
    drop(solvers);
    let context = Context {
        program,
        effects: effects::effects(program),
        graph: CallGraph::new(program),
        definitions,
    };
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, (Member, Vec<Recursion>)>> = Mutex::default();
    let starts = AtomicUsize::new(0);
    let no_solver: Mutex<Option<String>> = Mutex::default();
    let work = || {
        let mut solvers = Solvers::new(&solver_config(config, deadline));
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(index) else { break };
            let member = verify_task(&context, *task, &mut solvers, config, &no_solver);
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(index, member);
        }
        let (started, ..) = solvers.stats();
        starts.fetch_add(usize::try_from(started).unwrap_or(0), Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 0..config.jobs.clamp(1, tasks.len().max(1)) {
            // Trees may be as high as the parser allows.
            let thread = std::thread::Builder::new().stack_size(STACK);
            if thread.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
    });
    let members = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (mut members, recursion): (Vec<Member>, Vec<Vec<Recursion>>) =
        members.into_values().unzip();
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
    Verdict { members, starts: starts.into_inner() as u64 + first_starts, no_solver }
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

/// Where more goals than this fail, it is not for a missing conjunct.
const MANY: usize = 4;

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
        ("type_check", "true"),
    ];
    let mut options: Vec<(String, String)> =
        ours.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    options.extend(config.solver_options.iter().cloned());
    smt::Config {
        solver: config.solver.clone(),
        options,
        limits: Limits { rlimit: None, timeout: config.goal_timeout },
        deadline,
        cancel: config.cancel.clone(),
        profile: false,
    }
}

/// What all members of a program share.
struct Context<'p> {
    program: &'p Program,
    effects: BTreeMap<Name, Effects>,
    graph: CallGraph,
    definitions: Definitions,
}

fn verify_task(
    context: &Context<'_>,
    task: Task<'_>,
    solvers: &mut Solvers,
    config: &Config,
    no_solver: &Mutex<Option<String>>,
) -> (Member, Vec<Recursion>) {
    let start = Instant::now();
    let (_, queries, waiting) = solvers.stats();
    let mut member = Member {
        name: task.name().to_string(),
        kind: task.kind(),
        status: Status::Verified,
        time: Duration::ZERO,
        diagnostics: Vec::new(),
        goals: 0,
        queries: 0,
        waiting: Duration::ZERO,
    };
    let synthetic;
    let procedure = match task {
        Task::Procedure(procedure) => procedure,
        Task::Function(function) => {
            synthetic = as_procedure(function);
            &synthetic
        }
    };
    let mut recursion = Vec::new();
    let mut unit = new_unit(context, procedure, matches!(task, Task::Function(_)));
    let built = match task {
        Task::Procedure(_) => build(&mut unit),
        Task::Function(function) => build_function(&mut unit, function),
    };
    match built {
        Err(Unsupported { span, what }) => {
            member.status = Status::InternalError;
            let message = format!("not supported yet: {what}");
            member.diagnostics.push(Diagnostic::error("unsupported", span, message));
        }
        Ok(()) => {
            let limits = Limits { rlimit: None, timeout: config.goal_timeout };
            if let Some(folder) = &config.dump_smt {
                // A dump that cannot be written must not stop a proof.
                let _ = solvers.walk.dump_to(&folder.join(format!("{}.smt2", task.name())));
            }
            let logic = &mut unit.translator.logic;
            let effort = Effort { limits, second: config.second_try, heaps: true };
            match Prover::prove(logic, solvers, effort, &unit.steps) {
                Ok(outcome) => {
                    member.goals = outcome.goals;
                    recursion = unit.ending.recursion(task.name(), &outcome.probes);
                    for span in unit.ending.endless_loops(&outcome.probes) {
                        member.status = Status::Failed;
                        let message = "this loop in a proof might go on forever: no measure was \
                                       found that gets smaller";
                        let error = Diagnostic::error("termination.failed", span, message);
                        member.diagnostics.push(error);
                    }
                    let first = member.diagnostics.len();
                    for failure in &outcome.failures {
                        member.status = Status::Failed;
                        member.diagnostics.push(unit.diagnostic(failure));
                    }
                    if let (Task::Procedure(_), [failure, ..]) = (task, &outcome.failures[..])
                        && config.abduce
                        && outcome.failures.len() <= MANY
                    {
                        let help = missing_conjunct(context, &mut unit, failure, solvers, limits);
                        if let (Some(help), Some(error)) = (help, member.diagnostics.get_mut(first))
                        {
                            error.help = Some(help);
                        }
                    }
                }
                Err(error) => {
                    let (status, id) = match &error {
                        SolverError::OutOfTime => (Status::Timeout, "timeout.error"),
                        _ => (Status::InternalError, "internal.error"),
                    };
                    if let SolverError::Start(why) = &error {
                        let mut slot = no_solver.lock().unwrap_or_else(PoisonError::into_inner);
                        *slot = Some(why.clone());
                    }
                    member.status = status;
                    let message = error.to_string();
                    member.diagnostics.push(Diagnostic::error(id, task.span(), message));
                }
            }
            // What a member is must not depend on those before it.
            solvers.walk.reset();
        }
    }
    for diagnostic in &mut member.diagnostics {
        diagnostic.member = Some(member.name.clone());
    }
    // The same mistake on several paths is one.
    let mut seen = Vec::new();
    member.diagnostics.retain(|d| {
        let key = (d.pos, d.message.clone());
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    member.diagnostics.sort_by_key(|d| d.pos.span().map(|s| (s.file, s.start)));
    let (_, asked, waited) = solvers.stats();
    member.queries = asked - queries;
    member.waiting = waited.saturating_sub(waiting);
    member.time = start.elapsed();
    (member, recursion)
}

/// What is missing in the contract of a member, if something can be inferred with which all of it verifies.
fn missing_conjunct(
    context: &Context<'_>,
    unit: &mut Unit<'_>,
    failure: &Failure,
    solvers: &mut Solvers,
    limits: Limits,
) -> Option<String> {
    let procedure = unit.procedure;
    for suggestion in unit.suggestions(failure) {
        let program = suggestion.added(context.program, procedure);
        let changed = program.procedures.get(&procedure.name)?;
        let context = Context {
            program: &program,
            effects: effects::effects(&program),
            graph: context.graph.clone(),
            definitions: context.definitions.clone(),
        };
        let mut again = new_unit(&context, changed, false);
        if build(&mut again).is_err() {
            continue;
        }
        solvers.walk.reset();
        let limits = Limits { rlimit: Some(abduce::WORK), ..limits };
        let effort = Effort { limits, second: 0, heaps: false };
        let outcome =
            Prover::prove(&mut again.translator.logic, solvers, effort, &again.steps).ok()?;
        if outcome.failures.is_empty() && again.is_reached(&mut solvers.small, limits, failure) {
            return Some(format!("it verifies with `{}`", suggestion.text()));
        }
    }
    None
}

fn new_unit<'p>(context: &'p Context<'p>, procedure: &'p Procedure, is_function: bool) -> Unit<'p> {
    let Context { program, effects, graph, definitions } = context;
    let types = effects.get(&procedure.name).map(|e| e.types.clone()).unwrap_or_default();
    let mut lemmas = usable_lemmas(program, procedure);
    if is_function {
        // Proofs of lemmas may rest on what functions promise.
        lemmas.retain(|lemma| lemma.body.is_none());
    }
    let ending = Ending::new(graph.must_end(&procedure.name), graph);
    Unit {
        program,
        translator: Translator::new(program, definitions),
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
        for axiom in &self.program.axioms {
            let env = Env { locals: BTreeMap::new(), heap: &heap, old: &heap };
            let term = self.translator.term(&env, &axiom.expr)?;
            self.assume(path, term);
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
fn build(unit: &mut Unit<'_>) -> Translated<()> {
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
fn as_procedure(function: &Function) -> Procedure {
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
fn build_function<'p>(unit: &mut Unit<'p>, function: &'p Function) -> Translated<()> {
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
