//! Verifying a member, in parts: each has a share of its goals.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use report::{Diagnostic, Status};
use smt::SolverError;
use spl::core::Program;

use crate::ending::{Ending, Recursion};
use crate::prove::{Effort, Outcome, Prover, Solvers};
use crate::share::Numbering;
use crate::translate::Stopped;
use crate::unit::Unit;
use crate::vacuous;
use crate::verify::{Config, Context, Member, Task, as_procedure, build, build_function, new_unit};

/// A share of a member, by numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub task: usize,
    pub share: usize,
}

/// What came of a share.
#[derive(Debug)]
pub(crate) struct Part {
    /// How many shares the member has.
    shares: usize,
    status: Status,
    started: Instant,
    ended: Instant,
    diagnostics: Vec<Diagnostic>,
    goals: u64,
    queries: u64,
    waiting: Duration,
    ending: Ending,
    probes: BTreeMap<usize, bool>,
}

/// Jobs for workers, and what came of them. How many shares a member has is known when the first is verified.
pub(crate) struct Jobs {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: VecDeque<Job>,
    running: usize,
    parts: Vec<BTreeMap<usize, Part>>,
}

impl Jobs {
    pub fn new(tasks: usize) -> Jobs {
        let waiting = (0..tasks).map(|task| Job { task, share: 0 }).collect();
        let parts = (0..tasks).map(|_| BTreeMap::new()).collect();
        let state = State { waiting, running: 0, parts };
        Jobs { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; none if there will be no more.
    pub fn next(&self) -> Option<Running<'_>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.waiting.pop_front() {
                state.running += 1;
                return Some(Running { jobs: self, job });
            }
            if state.running == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn into_parts(self) -> Vec<BTreeMap<usize, Part>> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).parts
    }
}

/// A job that a worker has. Whatever becomes of the worker, nobody waits for it after this is gone.
pub(crate) struct Running<'a> {
    jobs: &'a Jobs,
    job: Job,
}

impl Running<'_> {
    pub fn job(&self) -> Job {
        self.job
    }

    /// Other shares of the member can be verified now.
    fn add(&self, shares: usize) {
        let mut state = self.jobs.lock();
        for share in (1..shares).rev() {
            state.waiting.push_front(Job { task: self.job.task, share });
        }
        self.jobs.changed.notify_all();
    }

    pub fn done(self, part: Part) {
        if let Some(parts) = self.jobs.lock().parts.get_mut(self.job.task) {
            parts.insert(self.job.share, part);
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.jobs.lock().running -= 1;
        self.jobs.changed.notify_all();
    }
}

impl Part {
    /// The member that has these parts, and its recursive calls.
    pub fn merge(
        program: &Program,
        task: Task<'_>,
        parts: BTreeMap<usize, Part>,
    ) -> (Member, Vec<Recursion>) {
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
        let parts: Vec<Part> = parts.into_values().collect();
        let wanted = parts.first().map_or(1, |part| part.shares);
        if parts.len() < wanted {
            // A worker is gone.
            member.status = Status::InternalError;
            let message = "not all goals were asked";
            member.diagnostics.push(Diagnostic::error("internal.error", task.span(), message));
        }
        let started = parts.iter().map(|part| part.started).min();
        let ended = parts.iter().map(|part| part.ended).max();
        member.time = ended.zip(started).map(|(end, start)| end - start).unwrap_or_default();
        let (mut ending, mut probes) = (Ending::default(), BTreeMap::new());
        for part in parts {
            member.status = member.status.max(part.status);
            member.goals += part.goals;
            member.queries += part.queries;
            member.waiting += part.waiting;
            member.diagnostics.extend(part.diagnostics);
            probes.extend(part.probes);
            ending = part.ending;
        }
        if let Task::Procedure(procedure) = task {
            member.diagnostics.extend(vacuous::warnings(program, procedure, &probes));
        }
        let recursion = ending.recursion(task.name(), &probes);
        for span in ending.endless_loops(&probes) {
            member.status = member.status.max(Status::Failed);
            let message = "this loop in a proof might go on forever: no measure was found that \
                           gets smaller";
            member.diagnostics.push(Diagnostic::error("termination.failed", span, message));
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
        (member, recursion)
    }
}

/// Verifies a share of a member. The first finds out how many there are.
pub(crate) fn verify_part(
    context: &Context<'_>,
    task: Task<'_>,
    running: &Running<'_>,
    solvers: &mut Solvers,
    config: &Config,
    no_solver: &Mutex<Option<String>>,
) -> Part {
    let job = running.job();
    let started = Instant::now();
    let (_, queries, waiting) = solvers.stats();
    let mut part = Part {
        shares: 1,
        status: Status::Verified,
        started,
        ended: started,
        diagnostics: Vec::new(),
        goals: 0,
        queries: 0,
        waiting: Duration::ZERO,
        ending: Ending::default(),
        probes: BTreeMap::new(),
    };
    let synthetic;
    let procedure = match task {
        Task::Procedure(procedure) => procedure,
        Task::Function(function) => {
            synthetic = as_procedure(function);
            &synthetic
        }
    };
    let mut unit = new_unit(context, procedure, matches!(task, Task::Function(_)));
    let built = match task {
        Task::Procedure(_) => build(&mut unit),
        Task::Function(function) => build_function(&mut unit, function),
    };
    match built {
        Err(Stopped::Interrupted(why)) => part.interrupt(task, &why),
        Err(Stopped::Unsupported { span, what }) => {
            part.status = Status::InternalError;
            let message = format!("not supported yet: {what}");
            part.diagnostics.push(Diagnostic::error("unsupported", span, message));
        }
        Ok(()) => {
            let shares = Numbering::new(&unit.steps).shares();
            part.shares = shares.len();
            if job.share == 0 && shares.len() > 1 {
                running.add(shares.len());
            }
            let limits = config.limits();
            if let Some(folder) = &config.dump_smt {
                let name = match job.share {
                    0 => format!("{}.smt2", task.name()),
                    n => format!("{}.{}.smt2", task.name(), n + 1),
                };
                // A dump that cannot be written must not stop a proof.
                let _ = solvers.walk.dump_to(&folder.join(name));
            }
            let logic = &mut unit.translator.logic;
            let effort = Effort { limits, second: config.second_try, heaps: true };
            let share = shares.get(job.share).cloned();
            match Prover::prove(logic, solvers, effort, &unit.steps, share) {
                Ok(outcome) => part.learn(&mut unit, outcome),
                Err(error) => {
                    if let SolverError::Start(why) = &error {
                        let mut slot = no_solver.lock().unwrap_or_else(PoisonError::into_inner);
                        *slot = Some(why.clone());
                    }
                    part.interrupt(task, &error);
                }
            }
            part.ending = unit.ending;
            // What a member is must not depend on those before it.
            solvers.walk.reset();
        }
    }
    let (_, asked, waited) = solvers.stats();
    part.queries = asked - queries;
    part.waiting = waited.saturating_sub(waiting);
    part.ended = Instant::now();
    part
}

impl Part {
    /// Nothing came of the goals.
    fn interrupt(&mut self, task: Task<'_>, why: &SolverError) {
        let (status, id) = match why {
            SolverError::OutOfTime => (Status::Timeout, "timeout.error"),
            _ => (Status::InternalError, "internal.error"),
        };
        self.status = status;
        self.diagnostics.push(Diagnostic::error(id, task.span(), why.to_string()));
    }

    /// What came of the goals.
    fn learn(&mut self, unit: &mut Unit<'_>, outcome: Outcome) {
        self.goals = outcome.goals;
        for failure in &outcome.failures {
            self.status = Status::Failed;
            self.diagnostics.push(unit.diagnostic(failure));
        }
        self.probes = outcome.probes;
    }
}
