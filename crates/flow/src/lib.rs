//! Control flow as a graph of numbered nodes: orders, dominators, loops.
//!
//! Whoever has a graph says what its edges are ([`Graph`]) and keeps what is on them.

mod dominators;
mod loops;
mod order;

pub use dominators::Dominators;
pub use loops::{Loop, LoopId, Loops};
pub use order::Order;

/// A graph with an entry. Nodes are numbers below [`Graph::len`].
pub trait Graph {
    /// How many nodes there are.
    fn len(&self) -> usize;

    /// Are there no nodes?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where flow starts.
    fn entry(&self) -> usize;

    /// Calls `visit` for the end of each edge that leaves a node.
    fn successors(&self, node: usize, visit: &mut dyn FnMut(usize));
}

/// A graph as lists of successors, entered at node 0.
impl Graph for Vec<Vec<usize>> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn entry(&self) -> usize {
        0
    }

    fn successors(&self, node: usize, visit: &mut dyn FnMut(usize)) {
        self.get(node).into_iter().flatten().copied().for_each(visit);
    }
}
