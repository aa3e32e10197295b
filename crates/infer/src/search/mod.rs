//! Runs that end in a fault, looked for by running: random inputs first, then changes of those that led to
//! something new.
//!
//! A violation that is found here is one: the interpreter ran into it. That none is found says nothing, unless
//! there is only one run ([`Search::sole_run`]).
//!
//! A memory error ends a run, and so does a failed assertion: what is behind it belongs to other runs. Memory
//! that was lost before stays lost, so such a run may also show a leak, in the part before its end.

mod coverage;
mod minimise;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heap::run::{Config, End, Fault, FaultKind, Inputs, Machine, NoObserver, Property, Run};
use heap::{LocId, ProcId, Program};

use self::coverage::Coverage;
use crate::progress::Progress;

/// So many steps the first runs may take; those that need more are tried later.
const FEW_STEPS: u64 = 20_000;
/// And later runs.
const MANY_STEPS: u64 = 1_000_000;
/// So many inputs are kept for being changed.
const CORPUS: usize = 400;
/// After so many runs in which nothing new happened the search gives up.
const PATIENCE: u32 = 4_000;

/// A run that violates a property: give it the same inputs and limits, and it does so again.
#[derive(Clone, Debug)]
pub(crate) struct Witness {
    /// The values that are drawn, in this order.
    pub(crate) inputs: Vec<i128>,
    /// After so many commands it has happened. Leaks are looked for at the end of a run only.
    pub(crate) max_steps: u64,
    /// What it is.
    pub(crate) kind: FaultKind,
    /// How long the run is.
    pub(crate) steps: u64,
}

/// A search for violations of a program.
pub(crate) struct Search<'p> {
    progress: Arc<Progress>,
    program: &'p Program,
    config: Config,
    wanted: Vec<Property>,
    pub(crate) found: BTreeMap<Property, Witness>,
    coverage: Coverage<'p>,
    corpus: Vec<Entry>,
    /// Places where the analysis could not exclude a fault.
    targets: Vec<(ProcId, LocId)>,
    values: Arc<[i128]>,
    random: Random,
    /// How many runs there were.
    pub(crate) runs: u64,
    pub(crate) steps: u64,
    /// Since when nothing new happened.
    idle: u32,
    /// Was the last run, as far as it went, the only one that there is?
    is_sole: bool,
    sole: Option<Sole>,
}

/// The only run that a program has.
#[derive(Clone, Debug)]
pub(crate) struct Sole {
    /// How it ended.
    pub(crate) end: End,
    /// How long it is.
    pub(crate) steps: u64,
}

struct Entry {
    inputs: Vec<i128>,
    /// By how much the sides of its conditions differ.
    gaps: Vec<i128>,
    /// Does it come to one of the targets?
    near: bool,
}

impl<'p> Search<'p> {
    pub(crate) fn new(
        program: &'p Program,
        config: &Config,
        wanted: &[Property],
        progress: Arc<Progress>,
    ) -> Search<'p> {
        Search {
            progress,
            program,
            config: Config { max_steps: FEW_STEPS, ..config.clone() },
            wanted: wanted.to_vec(),
            found: BTreeMap::new(),
            coverage: Coverage::new(program),
            corpus: Vec::new(),
            targets: Vec::new(),
            values: values::of(program),
            random: Random(0x5851_f42d_4c95_7f2d),
            runs: 0,
            steps: 0,
            idle: 0,
            is_sole: false,
            sole: None,
        }
    }

    /// Is nothing left to be found?
    pub(crate) fn is_done(&self) -> bool {
        self.sole.is_some() || self.wanted.iter().all(|p| self.found.contains_key(p))
    }

    /// The only run of a program that has no inputs: all that there is to know.
    pub(crate) fn sole_run(&self) -> Option<&Sole> {
        self.sole.as_ref()
    }

    /// Looks at these places from now on.
    pub(crate) fn direct_at(&mut self, targets: Vec<(ProcId, LocId)>) {
        self.targets = targets;
        self.idle = 0;
    }

    /// Was this place ever come to?
    pub(crate) fn reached(&self, proc: ProcId, at: LocId) -> bool {
        self.coverage.ever(proc, at)
    }

    /// Some runs of each kind, none of them long.
    pub(crate) fn sample(&mut self, runs: u64, stop: &dyn Fn() -> bool) {
        let fixed = [0, 1, 2, -1].map(|value| vec![value; 64]);
        for inputs in std::iter::once(Vec::new()).chain(fixed) {
            if self.is_done() || self.is_sole || stop() {
                return;
            }
            self.attempt(Inputs::given(inputs));
        }
        for _ in 0..runs {
            if self.is_done() || self.is_sole || stop() {
                return;
            }
            let inputs = self.fresh();
            self.attempt(inputs);
        }
    }

    /// Goes on until something stops it, or nothing new happens for long.
    pub(crate) fn go_on(&mut self, stop: &dyn Fn() -> bool) {
        self.config.max_steps = MANY_STEPS;
        if self.is_sole {
            for max_steps in [MANY_STEPS, 10 * MANY_STEPS] {
                if !self.is_done() && !stop() {
                    self.config.max_steps = max_steps;
                    self.attempt(Inputs::given([]));
                }
            }
            return;
        }
        while !self.is_done() && self.idle < PATIENCE && !stop() {
            let inputs = if self.corpus.is_empty() || self.random.below(4) == 0 {
                self.fresh()
            } else {
                self.changed()
            };
            self.attempt(inputs);
        }
    }

    /// Runs these inputs.
    pub(crate) fn try_inputs(&mut self, inputs: &[i128]) {
        self.config.max_steps = MANY_STEPS;
        self.attempt(Inputs::given(inputs.iter().copied()));
    }

    /// Random inputs, of one of several habits.
    fn fresh(&mut self) -> Inputs {
        let seeded = Inputs::seeded(self.random.next());
        let ones: Arc<[i128]> = Arc::from([1]);
        let zeros: Arc<[i128]> = Arc::from([0]);
        match self.random.below(8) {
            0..=2 => seeded,
            3 | 4 => seeded.preferring(Arc::clone(&self.values), 10),
            5 => seeded.preferring(Arc::clone(&self.values), 15),
            // Loops that go on while something is not zero, and those that go on while it is.
            6 => seeded.preferring(ones, 13),
            _ => seeded.preferring(zeros, 13),
        }
    }

    /// Inputs of an earlier run with changes, random ones behind them.
    fn changed(&mut self) -> Inputs {
        let near: Vec<usize> =
            self.corpus.iter().enumerate().filter(|(_, e)| e.near).map(|(i, _)| i).collect();
        let pick = if near.is_empty() || self.random.below(3) == 0 {
            self.random.below(self.corpus.len())
        } else {
            near.get(self.random.below(near.len())).copied().unwrap_or(0)
        };
        let mut inputs = self.corpus.get(pick).map(|e| e.inputs.clone()).unwrap_or_default();
        let gap = self.corpus.get(pick).and_then(|e| {
            let pick = self.random.below(e.gaps.len());
            e.gaps.get(pick).copied()
        });
        for _ in 0..=self.random.below(4) {
            let at = self.random.below(inputs.len() + 1);
            let value = self.value();
            match self.random.below(7) {
                0 => {
                    // The sides of a condition may then be equal, if this is what they depend on.
                    if let (Some(place), Some(gap)) = (inputs.get_mut(at), gap) {
                        *place = place.saturating_add(gap);
                    }
                }
                1 | 6 => {
                    if let Some(place) = inputs.get_mut(at) {
                        *place = value;
                    }
                }
                2 => inputs.insert(at, value),
                3 => {
                    let end = (at + 1 + self.random.below(4)).min(inputs.len());
                    inputs.drain(at.min(end)..end);
                }
                4 => {
                    // Once more what a loop's turn took.
                    let end = (at + 1 + self.random.below(8)).min(inputs.len());
                    let part: Vec<i128> = inputs.get(at..end).unwrap_or_default().to_vec();
                    for value in part.into_iter().rev() {
                        inputs.insert(end, value);
                    }
                }
                _ => inputs.truncate(at),
            }
        }
        self.fresh().after(inputs)
    }

    fn value(&mut self) -> i128 {
        match self.random.below(4) {
            0 => self.random.below(2) as i128,
            1 => self.random.below(12) as i128 - 2,
            _ => {
                let pick = self.random.below(self.values.len());
                self.values.get(pick).copied().unwrap_or(0)
            }
        }
    }

    fn attempt(&mut self, inputs: Inputs) {
        let mut coverage = std::mem::take(&mut self.coverage);
        coverage.clear();
        let (run, coverage) = Machine::new(self.program, &self.config, inputs, coverage).run();
        self.coverage = coverage;
        self.runs += 1;
        self.progress.runs.fetch_add(1, Ordering::Relaxed);
        self.steps += run.steps;
        let values = || run.inputs.drawn().iter().map(|d| d.value);
        self.is_sole = run.is_sole();
        if self.is_sole && !matches!(run.end, End::Limit(_)) {
            self.sole = Some(Sole { end: run.end.clone(), steps: run.steps });
        }
        for (property, max_steps, kind) in violations(&run, self.config.max_steps) {
            if self.wanted.contains(&property) && !self.found.contains_key(&property) {
                let inputs = values().collect();
                let witness = Witness { inputs, max_steps, kind, steps: run.steps };
                self.found.insert(property, witness);
            }
        }
        self.idle += 1;
        if self.coverage.note() {
            self.idle = 0;
            let near = self.targets.iter().any(|(proc, at)| self.coverage.passes(*proc, *at));
            let gaps = self.coverage.gaps.clone();
            let entry = Entry { inputs: values().take(1000).collect(), gaps, near };
            if self.corpus.len() < CORPUS {
                self.corpus.push(entry);
            } else if let Some(old) = {
                let pick = self.random.below(CORPUS);
                self.corpus.get_mut(pick)
            } {
                *old = entry;
            }
        }
    }

    /// The smallest run for a violation that was found.
    pub(crate) fn smallest(
        &mut self,
        property: Property,
        stop: &dyn Fn() -> bool,
    ) -> Option<Witness> {
        let witness = self.found.get(&property)?.clone();
        let mut runs = 0;
        let smaller =
            minimise::minimise(witness, property, self.program, &self.config, &mut runs, stop);
        self.runs += runs;
        Some(smaller)
    }

    /// Runs a witness; this is the run that is reported. It ends with the command that loses memory.
    pub(crate) fn replay(&self, witness: &Witness) -> (Run, Config) {
        let again = |max_steps| {
            let config = Config { max_steps, ..self.config.clone() };
            let inputs = Inputs::given(witness.inputs.iter().copied());
            (Run::new(self.program, &config, inputs), config)
        };
        let (run, config) = again(witness.max_steps);
        match run.lost_after {
            Some(steps) if steps < run.steps => again(steps),
            _ => (run, config),
        }
    }
}

/// What a run violates: each with the number of steps after which it has happened.
fn violations(run: &Run, max_steps: u64) -> Vec<(Property, u64, FaultKind)> {
    let mut found = Vec::new();
    if let End::Fault(Fault { kind, .. }) = &run.end {
        found.extend(kind.property().map(|property| (property, max_steps, *kind)));
        if *kind != FaultKind::Leak && !run.lost.is_empty() {
            // Lost before the command that failed.
            found.push((Property::MemTrack, run.steps.saturating_sub(1), FaultKind::Leak));
        }
    }
    found
}

/// Runs with given inputs, and gives what is needed to judge the run.
fn replayed(program: &Program, config: &Config, inputs: &[i128]) -> Run {
    Machine::new(program, config, Inputs::given(inputs.iter().copied()), NoObserver).run().0
}

/// A deadline as a reason to stop.
pub(crate) fn until(deadline: Instant, cancelled: &dyn Fn() -> bool) -> impl Fn() -> bool {
    move || Instant::now() >= deadline || cancelled()
}

/// Marsaglia's xorshift: the same choices in every search.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 16) % bound.max(1) as u64) as usize
    }
}
