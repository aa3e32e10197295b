//! Invariants, tested by running: in every state that a run passes at the head of a loop, the invariant of that loop
//! has to hold.

use std::collections::HashMap;
use std::time::Instant;

use heap::run::{Config, Inputs, Machine, Memory, Observer, Value};
use heap::{LocId, ProcId, Program};
use shape::Outcome;

use crate::assertions::Assertions;
use crate::holds::{Definition, Holds, State, SymbolicHeap, holds};

/// So many states of a loop are looked at in a run; later ones are like those before.
const PER_RUN: u32 = 60;

/// What came of the states of some runs.
#[derive(Clone, Debug, Default)]
pub struct Tested {
    /// States that were looked at.
    pub states: u64,
    /// Of these, in which nothing could be said.
    pub not_evaluated: u64,
    /// Where an invariant does not hold, and with what in the variables.
    pub violated: Vec<(ProcId, LocId, Vec<Value>)>,
}

/// Runs a program with these inputs, and evaluates the invariants of an analysis in the states that it passes, until
/// time is up. `None` if the analysis does not claim that they hold: it did not come to its end, or not all paths were followed.
#[must_use]
pub fn test(
    program: &Program,
    outcome: &Outcome,
    config: &Config,
    inputs: impl IntoIterator<Item = Inputs>,
    deadline: Instant,
) -> Option<Tested> {
    if outcome.complete.is_err() || outcome.faults.iter().any(|fault| fault.cuts) {
        return None;
    }
    let mut assertions = Assertions::new(&outcome.preds);
    let invariants = outcome.invariants.iter().map(|invariant| {
        let states = invariant.states.iter().map(|state| assertions.assertion(state)).collect();
        ((invariant.site.proc, invariant.site.at), states)
    });
    let mut watch = Watch {
        invariants: invariants.collect(),
        definitions: assertions.definitions(),
        looked_at: HashMap::new(),
        tested: Tested::default(),
        deadline,
    };
    for inputs in inputs {
        if Instant::now() >= deadline {
            break;
        }
        watch.looked_at.clear();
        watch = Machine::new(program, config, inputs, watch).run().1;
    }
    Some(watch.tested)
}

struct Watch {
    invariants: HashMap<(ProcId, LocId), Vec<SymbolicHeap>>,
    definitions: Vec<Definition>,
    looked_at: HashMap<(ProcId, LocId), u32>,
    tested: Tested,
    deadline: Instant,
}

impl Observer for Watch {
    fn step(&mut self, proc: ProcId, at: LocId, registers: &[Value], memory: &Memory) {
        let Some(invariant) = self.invariants.get(&(proc, at)) else { return };
        let count = self.looked_at.entry((proc, at)).or_default();
        *count += 1;
        if *count > PER_RUN || Instant::now() >= self.deadline {
            return;
        }
        self.tested.states += 1;
        match holds(invariant, &self.definitions, State { proc, registers, memory }) {
            Holds::Yes => {}
            Holds::No => self.tested.violated.push((proc, at, registers.to_vec())),
            Holds::NotEvaluated => self.tested.not_evaluated += 1,
        }
    }
}
