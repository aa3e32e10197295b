//! The semantics, executed: does a formula hold of a stack and a heap?
//!
//! A separating conjunction is a list of goals that share the heap. Goals take what they are about
//! and leave the rest to the others; existential variables are found out on the way, from what
//! locations hold and from equations. Definitions are unfolded as far as there are locations. What
//! cannot be decided that way (negation, wands, conjunctions of spatial formulas) is asked of every
//! part of the heap that is left, so it is exact but slow.
//!
//! There are infinitely many locations, but all that the model does not mention are alike: one fresh
//! location stands for them. Integers are not, so an existential integer that nothing determines is
//! looked for near the numbers that occur, and otherwise the answer is [`Truth::Unknown`].
//!
//! A wand is about infinitely many heaps, of which finitely many can be told apart unless there are
//! quantifiers or predicates in it; then too the answer may be [`Truth::Unknown`].

mod extend;
mod pure;
mod search;
mod state;
mod step;

use crate::formula::{Formula, Semantics};
use crate::model::Model;
use crate::signature::Signature;

/// What can be said of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It was too hard to find out.
    Unknown,
}

impl Truth {
    /// Whether both hold.
    #[must_use]
    pub fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::False, _) | (_, Truth::False) => Truth::False,
            (Truth::True, Truth::True) => Truth::True,
            _ => Truth::Unknown,
        }
    }

    /// Whether one of them holds.
    #[must_use]
    pub fn or(self, other: Truth) -> Truth {
        self.negate().and(other.negate()).negate()
    }

    /// Whether it does not hold.
    #[must_use]
    pub fn negate(self) -> Truth {
        match self {
            Truth::True => Truth::False,
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        if value { Truth::True } else { Truth::False }
    }
}

/// How formulas are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'a> {
    /// The definitions.
    pub signature: &'a Signature,
    /// What pure atoms say of the heap.
    pub semantics: Semantics,
    /// After this many steps the answer is [`Truth::Unknown`].
    pub max_steps: u64,
}

impl<'a> Evaluator<'a> {
    /// An evaluator with the usual limits.
    #[must_use]
    pub fn new(signature: &'a Signature, semantics: Semantics) -> Evaluator<'a> {
        Evaluator { signature, semantics, max_steps: 1_000_000 }
    }

    /// Does the formula hold? Variables that the stack does not know make it [`Truth::Unknown`].
    #[must_use]
    pub fn holds(&self, model: &Model, formula: &Formula) -> Truth {
        if formula.free_vars().iter().any(|var| !model.stack.contains_key(&var.name)) {
            return Truth::Unknown;
        }
        search::Search::new(*self, model).holds(formula)
    }
}
