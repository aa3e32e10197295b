//! How long a question may take, and what it took.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Limit;

/// When nobody waits for an answer any more. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// The time after which there is no answer.
    pub deadline: Option<Instant>,
    /// Set from another thread when nobody wants an answer any more.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Clock {
    /// Is it too late for an answer?
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.limit().is_some()
    }

    /// Why it is too late, if it is.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Some(Limit::Cancelled);
        }
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late.then_some(Limit::Time)
    }
}

/// What a question may take, and what it has taken so far.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Until when, and whether anybody still waits.
    pub clock: Clock,
    /// How many steps are made at most, with those that [`stats`](Budget::stats) has already: rule
    /// applications, unfoldings, models that are tried, questions to a solver. As many as the procedures
    /// think right if there is no number.
    pub steps: Option<u64>,
    /// What was done.
    pub stats: Stats,
}

impl Budget {
    /// As long as it takes, but not after this time.
    #[must_use]
    pub fn until(deadline: Option<Instant>) -> Budget {
        let clock = Clock { deadline, cancel: None };
        Budget { clock, ..Budget::default() }
    }

    /// What counts the steps of a question.
    #[must_use]
    pub fn meter(&self) -> Meter {
        Meter { clock: self.clock.clone(), most: self.steps, steps: Cell::new(self.stats.steps) }
    }

    /// The steps that were counted are spent.
    pub fn spend(&mut self, meter: &Meter) {
        self.stats.steps = meter.steps.get();
    }
}

/// Counts steps, and says when there are to be no more.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    clock: Clock,
    most: Option<u64>,
    steps: Cell<u64>,
}

impl Meter {
    /// So many steps are made. Says whether they may be.
    pub fn step(&self, count: u64) -> bool {
        if self.is_over() {
            return false;
        }
        self.steps.set(self.steps.get().saturating_add(count));
        !self.is_over()
    }

    /// Are there to be no more steps?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.limit().is_some()
    }

    /// Why there are to be no more, if so.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        let used_up = self.most.is_some_and(|most| self.steps.get() > most);
        self.clock.limit().or_else(|| used_up.then_some(Limit::Steps))
    }

    /// Until when, and whether anybody still waits.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }
}

/// What was done for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The procedure that answered, or was asked last.
    pub procedure: Option<&'static str>,
    /// Steps, as [`Budget::steps`] counts them.
    pub steps: u64,
    /// Formulas for which a solver looked for a model.
    pub searches: u64,
    /// Questions to the solver: one for each search, and one for each round that instances follow.
    pub queries: u64,
    /// Rounds of instances.
    pub rounds: u64,
    /// Instances of axioms that the solver was told in them.
    pub instances: u64,
    /// Nodes of the largest formula.
    pub nodes: usize,
    /// Time spent waiting for the solver.
    pub waiting: Duration,
}

impl Stats {
    /// That, too.
    pub fn add(&mut self, more: Stats) {
        self.procedure = more.procedure.or(self.procedure);
        self.steps += more.steps;
        self.searches += more.searches;
        self.queries += more.queries;
        self.rounds += more.rounds;
        self.instances += more.instances;
        self.nodes = self.nodes.max(more.nodes);
        self.waiting += more.waiting;
    }
}
