//! Path conditions, branching and joining.
//!
//! The executor is written in direct style: `if self.branch(state, condition)? { … } else { … }`.
//! A *step* is a piece of execution that starts at a checkpoint, a state. Everything a step learns
//! from outside (answers of the solver, decisions at branches) is written to its [`Log`]. To take the
//! other side of a decision, the solver is brought back to where it was, the log is cut off there,
//! and the step is run again from its checkpoint: up to the decision it replays the log and says
//! nothing to the solver.
//!
//! [`Executor::explore`] does this for a local piece and returns the results of all its paths; within
//! the log of the surrounding step that is a single event. Pure expressions are evaluated this way
//! and joined, so that they never split paths.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Instant;

use smt::{Answer, Node, Op, Sort, Term};

use crate::executor::Executor;
use crate::state::State;
use crate::verdict::Trouble;

/// Why a path ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Its conditions contradict each other.
    Infeasible,
    /// A proof failed, was reported, and there is no going on as if it had not: a permission is
    /// missing, or there are enough errors.
    Failed,
    /// It ends here, and nothing is wrong: a proof failed that was meant to (`refute`).
    Ended,
    /// There is no going on at all: out of time, no solver. The reason is in the executor.
    Abort,
}

pub(crate) type Run<T> = Result<T, Stop>;

#[derive(Clone)]
enum Event {
    /// Only one side of a branch was possible.
    Forced(bool),
    /// Both were.
    Branch {
        taken: bool,
        /// Is the other side still to be explored?
        open: bool,
        /// Scopes of the session before it.
        depth: usize,
        /// The first fresh number after it, for the second side.
        resume: u32,
    },
    /// The solver's answer to a question.
    Answer(bool),
    /// The results of a local exploration, and the next fresh number after it.
    Explored(Rc<dyn Any>, u32),
}

/// What a step has learnt from outside, in order.
#[derive(Clone, Default)]
pub(crate) struct Log {
    events: Vec<Event>,
    cursor: usize,
}

impl Log {
    fn replaying(&self) -> bool {
        self.cursor < self.events.len()
    }

    fn replay(&mut self) -> Option<Event> {
        let event = self.events.get(self.cursor).cloned();
        self.cursor += usize::from(event.is_some());
        event
    }

    fn record(&mut self, event: Event) {
        self.events.push(event);
        self.cursor = self.events.len();
    }

    pub fn is_open(&self) -> bool {
        self.events.iter().any(|e| matches!(e, Event::Branch { open: true, .. }))
    }
}

/// An assumption on the current path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    /// Holds because of what is before it.
    Fact(Term),
    /// The same, and was proved.
    Proved(Term),
    /// Holds already in the state where the exploration around this level began.
    Lasting(Term, usize),
    /// A condition under which something is evaluated.
    Guard(Term),
    /// The side of a branch.
    Side(Term),
    /// A branch where both sides are possible, and the one that was taken. Says nothing that
    /// [`Entry::Side`] does not.
    Fork(Term, bool),
}

/// The result of one path of a local exploration.
#[derive(Clone)]
pub(crate) struct Outcome<R> {
    /// The conditions that it was started under.
    pub entry: Term,
    /// What selects the path: these, and the sides of branches.
    pub guard: Term,
    /// What is known besides.
    pub facts: Vec<Learnt>,
    pub value: R,
}

/// What was learnt on a path of a local exploration.
#[derive(Clone, Copy)]
pub(crate) struct Learnt {
    /// The guard that it depends on.
    pub guard: Term,
    pub fact: Term,
    /// The level at which it holds without any guard, if there is one.
    pub level: Option<usize>,
}

impl Executor<'_> {
    // --- Assumptions

    /// Assumes a formula on this path.
    pub fn assume(&mut self, state: &mut State, formula: Term) -> Run<()> {
        self.assume_as(state, formula, Entry::Fact)
    }

    /// Assumes what was just proved. In a quantifier it need not be said to those outside, for each
    /// instance: it follows from what they know.
    pub fn assume_proved(&mut self, state: &mut State, formula: Term) -> Run<()> {
        if state.is_quantified() {
            self.assume_as(state, formula, Entry::Proved)
        } else {
            self.assume(state, formula)
        }
    }

    /// Assumes a condition that selects the path.
    pub fn guard(&mut self, state: &mut State, condition: Term) -> Run<()> {
        self.assume_as(state, condition, Entry::Guard)
    }

    /// Assumes a formula that holds already at a level of exploration, whatever the conditions since.
    pub fn assume_at(&mut self, state: &mut State, formula: Term, level: Option<usize>) -> Run<()> {
        match level {
            Some(level) if level < state.levels.len() => {
                self.assume_as(state, formula, |fact| Entry::Lasting(fact, level))
            }
            _ => self.assume(state, formula),
        }
    }

    fn assume_as(
        &mut self,
        state: &mut State,
        formula: Term,
        entry: impl Fn(Term) -> Entry,
    ) -> Run<()> {
        // What is only mentioned need not make sense: nothing follows from it.
        if state.mode.lenient && !matches!(entry(formula), Entry::Guard(_) | Entry::Side(_)) {
            return Ok(());
        }
        let mut pending = vec![formula];
        while let Some(formula) = pending.pop() {
            match self.terms.node(formula) {
                Node::Bool(true) => continue,
                Node::Bool(false) => return Err(Stop::Infeasible),
                Node::Op(Op::And, args) => {
                    pending.extend(args.iter().rev());
                    continue;
                }
                _ => {}
            }
            if state.known.contains(&formula) {
                continue;
            }
            let negation = self.terms.not(formula);
            if state.known.contains(&negation) {
                return Err(Stop::Infeasible);
            }
            state.known.insert_mut(formula);
            self.trail.push(entry(formula));
            if !self.log.replaying() {
                let told = self.told(&state.parameters, formula);
                self.session.assert(&self.encoding.terms, told);
            }
        }
        Ok(())
    }

    /// Does it follow from single assumptions, visibly?
    pub fn entailed(&mut self, state: &State, formula: Term) -> bool {
        if state.known.contains(&formula) {
            return true;
        }
        match self.terms.node(formula).clone() {
            Node::Bool(value) => value,
            Node::Op(Op::And, args) => args.iter().all(|a| self.entailed(state, *a)),
            Node::Op(Op::Or, args) => args.iter().any(|a| self.entailed(state, *a)),
            Node::Op(Op::Implies, args) => {
                let not = self.terms.not(args[0]);
                self.entailed(state, not) || self.entailed(state, args[1])
            }
            Node::Op(Op::Ite, args) => {
                let not = self.terms.not(args[0]);
                (state.known.contains(&args[0]) && self.entailed(state, args[1]))
                    || (state.known.contains(&not) && self.entailed(state, args[2]))
            }
            Node::Op(Op::Le, args) => {
                // Strict implies weak.
                let strict = self.terms.lt(args[0], args[1]);
                state.known.contains(&strict)
            }
            Node::Op(Op::Lt, args) => {
                // Products of positive amounts are positive.
                let zero = self.amount(0, 1);
                let Node::Op(Op::Mul, factors) = self.terms.node(args[1]).clone() else {
                    return false;
                };
                args[0] == zero
                    && factors.iter().all(|factor| {
                        let positive = self.terms.lt(zero, *factor);
                        self.entailed(state, positive)
                    })
            }
            _ => false,
        }
    }

    // --- Questions

    /// Does a formula follow from the path conditions? The answer is worth some work.
    pub fn prove(&mut self, state: &State, goal: Term) -> Run<bool> {
        let limits = self.limits.thorough;
        self.ask(state, goal, limits)
    }

    /// The same if it is cheap to find out.
    pub fn prove_quickly(&mut self, state: &State, goal: Term) -> Run<bool> {
        let limits = self.limits.quick;
        self.ask(state, goal, limits)
    }

    fn ask(&mut self, state: &State, goal: Term, limits: smt::Limits) -> Run<bool> {
        if self.entailed(state, goal) {
            self.stats.trivial += 1;
            return Ok(true);
        }
        if self.log.replaying() {
            return match self.log.replay() {
                Some(Event::Answer(answer)) => Ok(answer),
                _ => self.lost_track(),
            };
        }
        let answer = self.question(goal, limits)?;
        self.log.record(Event::Answer(answer));
        Ok(answer)
    }

    fn question(&mut self, goal: Term, limits: smt::Limits) -> Run<bool> {
        self.flush_symbols()?;
        let answer = if limits == self.limits.thorough && !self.advising {
            self.prove_thoroughly(goal, limits)
        } else {
            self.session.prove_within(&mut self.encoding.terms, goal, limits)
        };
        match answer {
            Ok(Answer::Unsat) => Ok(true),
            Ok(Answer::Sat) => {
                self.undecided = false;
                Ok(false)
            }
            Ok(answer @ Answer::Unknown(_)) => {
                // Questions that only save work are given up on all the time.
                self.gave_up |= answer.gave_up() && limits == self.limits.thorough;
                self.undecided = answer.gave_up();
                Ok(false)
            }
            Err(error) => self.abort(&error),
        }
    }

    /// Asks a solver that has answered other questions before, and one that has not if that gives up:
    /// what it learnt from them may lead it astray.
    fn prove_thoroughly(
        &mut self,
        goal: Term,
        limits: smt::Limits,
    ) -> Result<Answer, smt::SolverError> {
        let start = Instant::now();
        let first = smt::Limits { rlimit: limits.rlimit.map(|work| work / 5 * 4), ..limits };
        let answer = self.session.prove_within(&mut self.encoding.terms, goal, first)?;
        let timeout = limits.timeout.saturating_sub(start.elapsed());
        if !answer.gave_up() || timeout.is_zero() {
            return Ok(answer);
        }
        self.session.refresh();
        self.session.prove_within(&mut self.encoding.terms, goal, smt::Limits { timeout, ..limits })
    }

    /// A replayed step did something else than the first time: a mistake of ours.
    fn lost_track<T>(&mut self) -> Run<T> {
        debug_assert!(false, "a step that is run again must do the same");
        self.trouble
            .get_or_insert_with(|| Trouble::Internal("a step did not repeat itself".to_string()));
        Err(Stop::Abort)
    }

    // --- Branching

    fn side(&mut self, state: &mut State, condition: Term) -> Run<()> {
        self.assume_as(state, condition, Entry::Side)
    }

    /// Which side of a branch are we on? Both, one after the other, if both are possible.
    pub fn branch(&mut self, state: &mut State, condition: Term) -> Run<bool> {
        self.check_cancelled()?;
        let negation = self.terms.not(condition);
        if self.entailed(state, condition) {
            return Ok(true);
        }
        if self.entailed(state, negation) {
            return Ok(false);
        }
        if self.log.replaying() {
            return match self.log.replay() {
                Some(Event::Forced(side)) => {
                    self.side(state, if side { condition } else { negation })?;
                    Ok(side)
                }
                Some(Event::Branch { taken, resume, .. }) => {
                    if !taken {
                        state.fresh = state.fresh.max(resume);
                    }
                    self.trail.push(Entry::Fork(condition, taken));
                    self.side(state, if taken { condition } else { negation })?;
                    Ok(taken)
                }
                _ => self.lost_track(),
            };
        }
        let limits = self.limits.quick;
        let never = self.question(negation, limits)?;
        let always = self.question(condition, limits)?;
        match (never, always) {
            (true, true) => Err(Stop::Infeasible),
            (false, false) => {
                let depth = self.session.depth();
                self.log.record(Event::Branch { taken: true, open: true, depth, resume: 0 });
                self.session.push();
                self.trail.push(Entry::Fork(condition, true));
                self.side(state, condition)?;
                Ok(true)
            }
            (_, always) => {
                self.log.record(Event::Forced(always));
                self.side(state, if always { condition } else { negation })?;
                Ok(always)
            }
        }
    }

    /// Turns to the last side that is still open, if there is one: the log is ready for the step to
    /// be run again, and the solver is where the decision was made.
    pub fn turn(&mut self, log: &mut Log) -> bool {
        while let Some(event) = log.events.pop() {
            if let Event::Branch { open: true, depth, .. } = event {
                self.session.pop_to(depth);
                let resume = self.high;
                log.events.push(Event::Branch { taken: false, open: false, depth, resume });
                log.cursor = 0;
                return true;
            }
        }
        false
    }

    // --- Local exploration

    /// Runs `f` on all its paths, each from a copy of `state`, and returns their results. No results
    /// at all means that the path is infeasible.
    pub fn explore<R: Clone + 'static>(
        &mut self,
        state: &mut State,
        mut f: impl FnMut(&mut Self, &mut State) -> Run<R>,
    ) -> Run<Rc<Vec<Outcome<R>>>> {
        if self.log.replaying() {
            let Some(Event::Explored(outcomes, fresh)) = self.log.replay() else {
                return self.lost_track();
            };
            state.fresh = fresh;
            return match outcomes.downcast::<Vec<Outcome<R>>>() {
                Ok(outcomes) if outcomes.is_empty() => Err(Stop::Infeasible),
                Ok(outcomes) => Ok(outcomes),
                Err(_) => self.lost_track(),
            };
        }
        self.check_cancelled()?;
        let outer = std::mem::take(&mut self.log);
        let depth = self.session.depth();
        self.session.push();
        let mark = self.trail.len();
        let mut outcomes: Vec<Outcome<R>> = Vec::new();
        let (mut failed, mut ended, mut aborted) = (false, false, false);
        loop {
            let mut local = state.clone();
            local.enter_level(state);
            match f(self, &mut local) {
                Ok(value) => outcomes.push(self.outcome(mark, value)),
                Err(Stop::Infeasible) => {}
                Err(Stop::Failed) => failed = true,
                Err(Stop::Ended) => ended = true,
                Err(Stop::Abort) => aborted = true,
            }
            self.trail.truncate(mark);
            let mut log = std::mem::take(&mut self.log);
            if aborted || self.enough_errors() || !self.turn(&mut log) {
                break;
            }
            self.log = log;
        }
        self.session.pop_to(depth);
        self.log = outer;
        state.fresh = self.high;
        if aborted {
            return Err(Stop::Abort);
        }
        if failed || self.enough_errors() {
            return Err(Stop::Failed);
        }
        if ended {
            return Err(Stop::Ended);
        }
        let outcomes = Rc::new(outcomes);
        self.log.record(Event::Explored(Rc::clone(&outcomes) as Rc<dyn Any>, self.high));
        if outcomes.is_empty() { Err(Stop::Infeasible) } else { Ok(outcomes) }
    }

    /// Runs `f`, whose result must not rest on an assumption that could not be proved: after an error
    /// there is none.
    pub fn without_errors<R>(&mut self, f: impl FnOnce(&mut Self) -> Run<R>) -> Run<R> {
        let before = self.reports;
        let result = f(self);
        match result {
            Ok(_) | Err(Stop::Infeasible | Stop::Ended) if self.reports > before => {
                Err(Stop::Failed)
            }
            result => result,
        }
    }

    /// Runs `f` on all its paths for nothing but its checks: what does not make sense is used no
    /// further.
    pub fn check_wellformed(
        &mut self,
        state: &mut State,
        f: impl FnMut(&mut Self, &mut State) -> Run<()>,
    ) -> Run<()> {
        match self.without_errors(|this| this.explore(state, f)) {
            Ok(_) | Err(Stop::Infeasible) => Ok(()),
            Err(stop) => Err(stop),
        }
    }

    fn outcome<R>(&mut self, mark: usize, value: R) -> Outcome<R> {
        let entries: Vec<Entry> = self.trail[mark..].to_vec();
        let mut guard = self.terms.bool(true);
        let mut start = guard;
        let mut facts = Vec::new();
        for entry in entries {
            match entry {
                Entry::Guard(g) => {
                    guard = self.terms.and([guard, g]);
                    start = self.terms.and([start, g]);
                }
                Entry::Side(g) => guard = self.terms.and([guard, g]),
                Entry::Fact(fact) => facts.push(Learnt { guard, fact, level: None }),
                Entry::Lasting(fact, level) => {
                    facts.push(Learnt { guard, fact, level: Some(level) });
                }
                Entry::Fork(..) | Entry::Proved(_) => {}
            }
        }
        Outcome { entry: start, guard, facts, value }
    }

    /// Assumes what was learnt on the paths of a local exploration.
    pub fn learn<R>(&mut self, state: &mut State, outcomes: &[Outcome<R>]) -> Run<()> {
        for outcome in outcomes {
            for learnt in &outcome.facts {
                let fact = self.guarded(learnt);
                self.assume_at(state, fact, learnt.level)?;
            }
        }
        // One of the paths it is: all others are impossible.
        let Some(first) = outcomes.first() else { return Ok(()) };
        if outcomes.iter().all(|o| o.entry == first.entry) {
            let some = self.terms.or(outcomes.iter().map(|o| o.guard));
            let fact = self.terms.implies(first.entry, some);
            self.assume(state, fact)?;
        }
        Ok(())
    }

    /// What was learnt, as it holds where the exploration began.
    pub fn guarded(&mut self, learnt: &Learnt) -> Term {
        match learnt.level {
            Some(_) => learnt.fact,
            None => self.terms.implies(learnt.guard, learnt.fact),
        }
    }

    /// One value for all paths of a local exploration, and what was learnt on them.
    pub fn join(&mut self, state: &mut State, outcomes: &[Outcome<Term>]) -> Run<Term> {
        self.learn(state, outcomes)?;
        let Some((last, others)) = outcomes.split_last() else { return Err(Stop::Infeasible) };
        let mut value = last.value;
        for outcome in others.iter().rev() {
            value = self.terms.ite(outcome.guard, outcome.value, value);
        }
        Ok(value)
    }

    /// Gives names to the conditional values in terms that do not depend on `constants`.
    pub fn name_conditionals(
        &mut self,
        state: &mut State,
        terms: &[Term],
        constants: &[Term],
    ) -> Run<HashMap<Term, Term>> {
        let mut names = HashMap::new();
        let mut seen = HashSet::new();
        let mut pending = terms.to_vec();
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            let conditional = matches!(self.terms.node(term), Node::Op(Op::Ite, _));
            if conditional
                && self.terms.sort(term) != Sort::Bool
                && self.terms.free(term).is_empty()
                && !self.mentions(term, constants)
            {
                let known = state.named.get(&term).copied();
                let name = match known {
                    Some(name) => name,
                    None => {
                        let sort = self.terms.sort(term);
                        let name = self.fresh(state, "chosen", sort);
                        let fact = self.terms.eq(name, term);
                        self.assume(state, fact)?;
                        state.named.insert_mut(term, name);
                        name
                    }
                };
                names.insert(term, name);
                continue;
            }
            pending.extend(self.terms.children(term));
        }
        Ok(names)
    }
}
