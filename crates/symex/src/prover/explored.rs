//! Local explorations: a piece is run on all its paths, and what they found is joined.

use std::any::Any;
use std::rc::Rc;

use smt::Term;

use super::Prover;
use super::path::{Entry, Event, Log, Run, Stop};
use crate::state::State;

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

/// A local exploration that is under way.
pub(crate) struct Exploration {
    /// The log of the step around it.
    outer: Log,
    /// Scopes of the session before it.
    depth: usize,
    /// How long the trail was.
    mark: usize,
}

impl Prover<'_> {
    /// What a local exploration found when the step was run for the first time, if it is run again.
    pub fn replay_explored<R: 'static>(
        &mut self,
        state: &mut State,
    ) -> Option<Run<Rc<Vec<Outcome<R>>>>> {
        if !self.log.replaying() {
            return None;
        }
        let Some(Event::Explored(outcomes, fresh)) = self.log.replay() else {
            return Some(self.lost_track());
        };
        state.fresh = fresh;
        Some(match outcomes.downcast::<Vec<Outcome<R>>>() {
            Ok(outcomes) if outcomes.is_empty() => Err(Stop::Infeasible),
            Ok(outcomes) => Ok(outcomes),
            Err(_) => self.lost_track(),
        })
    }

    /// Begins a local exploration: its paths have a log of their own.
    pub fn begin_exploration(&mut self) -> Run<Exploration> {
        self.check_cancelled()?;
        let outer = std::mem::take(&mut self.log);
        let depth = self.session.depth();
        self.session.push();
        Ok(Exploration { outer, depth, mark: self.trail.len() })
    }

    /// Ends a path of a local exploration. Is there another one?
    pub fn next_path(&mut self, exploration: &Exploration) -> bool {
        self.trail.truncate(exploration.mark);
        let mut log = std::mem::take(&mut self.log);
        let more = self.turn(&mut log);
        if more {
            self.log = log;
        }
        more
    }

    /// Ends a local exploration.
    pub fn end_exploration(&mut self, state: &mut State, exploration: Exploration) {
        self.trail.truncate(exploration.mark);
        self.session.pop_to(exploration.depth);
        self.log = exploration.outer;
        state.fresh = self.high;
    }

    /// Writes down what a local exploration found.
    pub fn record_explored<R: 'static>(
        &mut self,
        outcomes: Vec<Outcome<R>>,
    ) -> Run<Rc<Vec<Outcome<R>>>> {
        let outcomes = Rc::new(outcomes);
        self.log.record(Event::Explored(Rc::clone(&outcomes) as Rc<dyn Any>, self.high));
        if outcomes.is_empty() { Err(Stop::Infeasible) } else { Ok(outcomes) }
    }

    /// The result of a path of a local exploration.
    pub fn outcome<R>(&mut self, exploration: &Exploration, value: R) -> Outcome<R> {
        let entries: Vec<Entry> = self.trail[exploration.mark..].to_vec();
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
}
