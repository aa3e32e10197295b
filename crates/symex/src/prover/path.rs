//! Path conditions, branching and joining.
//!
//! The executor is written in direct style: `if self.branch(state, condition)? { … } else { … }`.
//! A *step* is a piece of execution that starts at a checkpoint, a state. Everything a step learns
//! from outside (answers of the solver, decisions at branches) is written to its [`Log`]. To take the
//! other side of a decision, the solver is brought back to where it was, the log is cut off there,
//! and the step is run again from its checkpoint: up to the decision it replays the log and says
//! nothing to the solver.
//!
//! [`Executor::explore`](crate::executor::Executor::explore) does this for a local piece and returns the results of all its paths; within
//! the log of the surrounding step that is a single event. Pure expressions are evaluated this way
//! and joined, so that they never split paths.

use std::any::Any;
use std::rc::Rc;

use smt::{Node, Op, Term};

use super::Prover;
use super::questions::Openness;

use crate::state::State;
use crate::stats::Purpose;

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
pub(super) enum Event {
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
    pub(super) fn replaying(&self) -> bool {
        self.cursor < self.events.len()
    }

    pub(super) fn replay(&mut self) -> Option<Event> {
        let event = self.events.get(self.cursor).cloned();
        self.cursor += usize::from(event.is_some());
        event
    }

    pub(super) fn record(&mut self, event: Event) {
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

impl Prover<'_> {
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
        if state.mode.in_trigger && !matches!(entry(formula), Entry::Guard(_) | Entry::Side(_)) {
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
            if state.path_condition.contains(&formula) {
                continue;
            }
            let negation = self.terms.not(formula);
            if state.path_condition.contains(&negation) {
                return Err(Stop::Infeasible);
            }
            state.path_condition.insert_mut(formula);
            self.trail.push(entry(formula));
            if !self.log.replaying() {
                let told = self.told(&state.parameters, formula);
                self.session.assert(&self.encoding.terms, told);
            }
        }
        Ok(())
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
        let never = self.question(Purpose::Branch, negation, limits, Openness::Harmless)?;
        let always = self.question(Purpose::Branch, condition, limits, Openness::Harmless)?;
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
}
