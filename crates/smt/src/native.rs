//! A native prover beside the solver: it is told the same, and asked first.

use ground::{Answer, Limits, Prover};

/// What the native prover makes of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// The formula follows; there is a proof, which was checked.
    Proved,
    /// It does not: there is a model.
    Refuted,
    /// All instances that triggers ask for were made, and the rest has a model: a solver that looks at
    /// triggers only would not find a proof either, most likely.
    Saturated,
    /// It does not know.
    Unknown,
}

/// So many questions are asked before it is judged.
const TRIAL: u64 = 32;

/// A question takes it a small part of the time of the solver: it is worth asking if it answers one of so
/// many.
const WORTH: u64 = 8;

/// The native prover of a session.
#[derive(Default)]
pub(crate) struct Beside {
    prover: Prover,
    asked: u64,
    answered: u64,
}

impl Beside {
    pub fn depth(&self) -> usize {
        self.prover.depth()
    }

    pub fn push(&mut self) {
        self.prover.push();
    }

    pub fn pop(&mut self) {
        self.prover.pop();
    }

    /// Reads commands in the scope at a depth, counted from 1.
    pub fn read_at(&mut self, depth: usize, text: &str) {
        self.prover.read_at(depth, text);
    }

    /// Is it worth asking? One that hardly ever knows costs time and saves none.
    pub fn is_useful(&self) -> bool {
        self.asked < TRIAL || self.answered * WORTH > self.asked
    }

    pub fn ask(&mut self) -> Native {
        self.asked += 1;
        let answer = match self.prover.prove(Limits::default()) {
            Answer::Unsat(proof) => {
                let right = proof.is_some_and(|proof| proof.check(&self.prover));
                debug_assert!(right, "the checker accepts every proof");
                if right { Native::Proved } else { Native::Unknown }
            }
            Answer::Sat => Native::Refuted,
            Answer::Saturated => Native::Saturated,
            Answer::Unknown => Native::Unknown,
        };
        self.answered += u64::from(answer != Native::Unknown);
        answer
    }
}
