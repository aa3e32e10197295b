//! What the solver was asked, why, and what it cost.

use std::ops::{AddAssign, Index, IndexMut};
use std::time::Duration;

/// Why the solver is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Can a path, or a side of a branch, be taken?
    Branch,
    /// Is permission held: by which chunks, how much, of which alias?
    Permission,
    /// Are the receivers of a quantified permission different?
    Injectivity,
    /// What the program or a contract asserts.
    Assertion,
    /// Does an expression make sense: indices, divisors, keys, amounts?
    WellFormedness,
    /// The same question again, to a solver that has answered nothing yet.
    Retry,
    /// Values for which a proof fails.
    Counterexample,
}

impl Purpose {
    /// All purposes, in the order in which they are shown.
    pub const ALL: [Purpose; 7] = [
        Purpose::Branch,
        Purpose::Permission,
        Purpose::Injectivity,
        Purpose::Assertion,
        Purpose::WellFormedness,
        Purpose::Retry,
        Purpose::Counterexample,
    ];

    /// For people and for JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Purpose::Branch => "branch",
            Purpose::Permission => "permission",
            Purpose::Injectivity => "injectivity",
            Purpose::Assertion => "assertion",
            Purpose::WellFormedness => "well-formedness",
            Purpose::Retry => "retry",
            Purpose::Counterexample => "counterexample",
        }
    }
}

/// Questions by answer, and their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// It follows.
    pub proved: u64,
    /// There is a model in which it does not.
    pub refuted: u64,
    /// Nobody knows.
    pub unknown: u64,
    /// Of these, so many were answered without the solver.
    pub native: u64,
    /// From the question to the answer.
    pub time: Duration,
}

impl Tally {
    /// How many questions.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.proved + self.refuted + self.unknown
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.unknown += other.unknown;
        self.native += other.native;
        self.time += other.time;
    }
}

/// Questions by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tallies([Tally; Purpose::ALL.len()]);

impl Tallies {
    /// How many questions were answered without the solver.
    #[must_use]
    pub fn native(&self) -> u64 {
        self.0.iter().map(|tally| tally.native).sum()
    }
}

impl Index<Purpose> for Tallies {
    type Output = Tally;

    fn index(&self, purpose: Purpose) -> &Tally {
        &self.0[purpose as usize]
    }
}

impl IndexMut<Purpose> for Tallies {
    fn index_mut(&mut self, purpose: Purpose) -> &mut Tally {
        &mut self.0[purpose as usize]
    }
}

impl AddAssign for Tallies {
    fn add_assign(&mut self, other: Tallies) {
        for purpose in Purpose::ALL {
            self[purpose] += other[purpose];
        }
    }
}

/// What the solver was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Questions that were answered without the solver.
    pub trivial: u64,
    /// Questions put to it.
    pub queries: u64,
    /// Of these, questions without an answer.
    pub unknown: u64,
    /// The questions that were put to it or to the native prover, by purpose.
    pub by_purpose: Tallies,
    /// Questions that were not proved, although no model is known in which the formula does not hold.
    pub doubts: u64,
    /// Members that were verified a second time, since they failed in a solver that had worked before.
    pub reruns: u64,
    /// How often it was started.
    pub starts: u64,
    /// Time spent waiting for it.
    pub waiting: Duration,
    /// Paths that were explored.
    pub paths: u64,
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.trivial += other.trivial;
        self.queries += other.queries;
        self.unknown += other.unknown;
        self.by_purpose += other.by_purpose;
        self.doubts += other.doubts;
        self.reruns += other.reruns;
        self.starts += other.starts;
        self.waiting += other.waiting;
        self.paths += other.paths;
    }
}
