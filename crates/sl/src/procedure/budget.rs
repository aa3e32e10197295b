//! How long a question may take, and what it took.

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
    /// How many steps a search for a proof makes at most; as many as the procedure thinks right if
    /// there is no number.
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

    /// A number of steps, no more than may be made.
    #[must_use]
    pub fn at_most(&self, steps: u64) -> u64 {
        self.steps.map_or(steps, |most| most.min(steps))
    }
}

/// What was done for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The procedure that answered, or was asked last.
    pub procedure: Option<&'static str>,
    /// Steps of searches for proofs.
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
