//! What could not be proved, for those who explain it: counterexamples and advice.

use smt::Term;

use crate::executor::Executor;
use crate::heap::Demand;
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

impl Executor<'_> {
    /// Remembers that a permission could not be found in a heap.
    pub fn note_shortage(&mut self, heap: &Heap, demand: Demand<'_>) {
        let Demand { resource, args, amount, wildcard } = demand;
        let held = self.held(heap, resource, args);
        let goal = self.enough(held, amount, wildcard);
        let (args, some, heap) = (args.to_vec(), wildcard, heap.clone());
        self.unproved = Some(Unproved {
            goal,
            shortage: Some(Shortage { resource, args, amount, some, heap }),
        });
    }

    /// Remembers that not any permission to a location could be found.
    pub fn note_unreadable(&mut self, heap: &Heap, resource: ResourceId, args: &[Term]) {
        let amount = self.amount(1, 1);
        self.note_shortage(heap, Demand { resource, args, amount, wildcard: true });
    }

    /// Remembers that there is a location of a resource at which not enough was found: so much is
    /// needed, a term over the formals.
    pub fn note_shortage_somewhere(
        &mut self,
        heap: &Heap,
        resource: ResourceId,
        needed: Term,
        some: bool,
    ) {
        let formals = self.formals(resource);
        let demand = Demand { resource, args: &formals, amount: needed, wildcard: some };
        self.note_shortage(heap, demand);
    }
}
