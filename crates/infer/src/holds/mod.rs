//! Does an assertion hold in a state of the interpreter?
//!
//! Invariants are tested by running: whatever an analysis says of a location has to hold in every state that a run
//! passes there. Nothing here is shared with an analysis: assertions are read off its symbolic heaps, and
//! this is another opinion on what they mean.
//!
//! A symbolic heap holds if its atoms describe separate parts of memory, for some values of its existential
//! variables. These are found by unification along the heap: an atom whose address is known tells the
//! values of its cells, an instance of a predicate is replaced by the cases of its definition, one after the other.
//! What is left of memory may be anything, so that an assertion may be about the footprint of a procedure.

mod numbers;
mod search;
#[cfg(test)]
mod tests;

use heap::run::{Memory, Value};
use heap::{GlobalId, ObjectId, ProcId, VarId};

/// A value, as a term.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A variable of the procedure.
    Var(VarId),
    /// The start of a global object.
    Global(GlobalId),
    /// The start of a local object of the procedure.
    Local(ObjectId),
    /// A procedure.
    Proc(ProcId),
    /// An existential variable, or in a definition a parameter: those come first.
    Exists(u32),
    /// A number; null is 0.
    Int(i128),
    /// So many bytes further on, or so much more.
    Plus(Box<Term>, Box<Term>),
    /// So many times.
    Times(i128, Box<Term>),
}

/// A part of memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// Cells of one live object, at offsets from a place.
    Cells {
        /// The place.
        at: Term,
        /// The size of the object, if the place is its start; then all of it is described.
        size: Option<Term>,
        /// Must it be on the heap?
        on_heap: bool,
        /// Offset, bytes and value of each.
        cells: Vec<(i64, u8, Term)>,
    },
    /// An instance of a predicate.
    Instance {
        /// Its definition.
        definition: usize,
        /// Its arguments.
        args: Vec<Term>,
    },
}

/// What holds of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Pure {
    /// They are equal.
    Eq(Term, Term),
    /// They differ.
    Ne(Term, Term),
    /// The first is less or equal.
    Le(Term, Term),
    /// One of these lists of facts holds.
    Or(Vec<Vec<Pure>>),
}

/// A symbolic heap: some values, separate parts of memory, facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymbolicHeap {
    /// How many variables there are beyond the parameters.
    pub exists: u32,
    /// Separate parts.
    pub atoms: Vec<Atom>,
    /// Facts.
    pub pure: Vec<Pure>,
}

/// A predicate: one of the cases holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    /// How many parameters.
    pub params: u32,
    /// The cases.
    pub cases: Vec<SymbolicHeap>,
}

/// Where an assertion is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct State<'s> {
    /// The procedure.
    pub proc: ProcId,
    /// The variables of the procedure.
    pub registers: &'s [Value],
    /// Memory.
    pub memory: &'s Memory,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// That would take too long, or depends on values that are not determined.
    NotEvaluated,
}

/// Does one of these symbolic heaps hold?
#[must_use]
pub fn holds(disjuncts: &[SymbolicHeap], definitions: &[Definition], state: State<'_>) -> Holds {
    let mut result = Holds::No;
    for disjunct in disjuncts {
        match search::satisfies(disjunct, definitions, state) {
            Holds::Yes => return Holds::Yes,
            Holds::NotEvaluated => result = Holds::NotEvaluated,
            Holds::No => {}
        }
    }
    result
}
