//! What could not be proved, for those who explain it: counterexamples and advice.

use smt::Term;

use crate::state::{Heap, ResourceId};

/// A proof obligation that failed.
#[derive(Clone, Debug)]
pub(crate) struct Unproved {
    /// The formula.
    pub goal: Term,
    /// The permission that it says to be there.
    pub shortage: Option<Shortage>,
}

/// Permission that may not be there. Its location may mention the formals of the resource: then it is
/// any one of many.
#[derive(Clone, Debug)]
pub(crate) struct Shortage {
    pub resource: ResourceId,
    pub args: Vec<Term>,
    pub amount: Term,
    /// Is any positive amount enough?
    pub some: bool,
    /// Where it was looked for.
    pub heap: Heap,
}
