//! Loops and how they nest.
//!
//! The heads of loops are the ends of edges that go back in a depth-first tree. A loop has all nodes
//! that can get back to its head without leaving what the head was entered for first (Havlak 1997):
//! reducible loops have one way in, which is the head; others have more, and say so.

use crate::{Graph, Order};

/// A loop of [`Loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u32);

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where it is entered, first of all.
    pub head: usize,
    /// The next outer one.
    pub parent: Option<LoopId>,
    /// How many loops it is in, itself included.
    pub depth: u32,
    /// Nodes other than the head by which it is entered, too.
    pub other_entries: Vec<usize>,
}

/// The loops of a graph, outer before inner.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// All of them.
    pub loops: Vec<Loop>,
    /// For each node the innermost loop it is in; a head is in its own.
    innermost: Vec<Option<LoopId>>,
}

impl Loops {
    /// Finds the loops of a graph.
    #[must_use]
    pub fn new(graph: &dyn Graph) -> Loops {
        Loops::of(&Order::new(graph))
    }

    /// Finds the loops of a graph, given its order.
    #[must_use]
    pub fn of(order: &Order) -> Loops {
        let count = order.position.len();
        // In reverse postorder every edge goes to a later place but those that go back to an ancestor in
        // the depth-first tree. Dominance would miss the loops that have several ways in.
        let mut head_of = vec![None; count];
        let mut heads = Vec::new();
        let mut others: Vec<(usize, Vec<usize>)> = Vec::new();
        for &head in order.nodes.iter().rev() {
            let place = order.position[head];
            let back: Vec<usize> = order.predecessors[head]
                .iter()
                .copied()
                .filter(|n| order.position[*n] >= place)
                .collect();
            if back.is_empty() {
                continue;
            }
            let mut body = vec![false; count];
            let mut entries = Vec::new();
            let mut pending: Vec<usize> =
                back.iter().map(|n| outermost(&head_of, *n, head)).collect();
            while let Some(node) = pending.pop() {
                if node == head || std::mem::replace(&mut body[node], true) {
                    continue;
                }
                for &from in &order.predecessors[node] {
                    let from = outermost(&head_of, from, head);
                    if order.position[from] < place {
                        // It comes from outside: another way in.
                        if !entries.contains(&node) {
                            entries.push(node);
                        }
                    } else {
                        pending.push(from);
                    }
                }
            }
            for (node, inside) in body.iter().enumerate() {
                if *inside {
                    head_of[node] = Some(head);
                }
            }
            heads.push(head);
            others.push((head, entries));
        }
        heads.reverse();
        others.reverse();
        let mut own = vec![None; count];
        for (id, head) in heads.iter().enumerate() {
            own[*head] = Some(LoopId(id as u32));
        }
        let mut loops: Vec<Loop> = Vec::with_capacity(heads.len());
        for (head, other_entries) in others {
            let parent = head_of[head].and_then(|outer: usize| own[outer]);
            let depth = parent.map_or(0, |LoopId(outer)| loops[outer as usize].depth) + 1;
            loops.push(Loop { head, parent, depth, other_entries });
        }
        let innermost = (0..count).map(|n| own[n].or(head_of[n].and_then(|h| own[h]))).collect();
        Loops { loops, innermost }
    }

    /// The innermost loop around a node; a head is in its own loop.
    #[must_use]
    pub fn innermost(&self, node: usize) -> Option<LoopId> {
        self.innermost.get(node).copied().flatten()
    }

    /// The loops around a node, innermost first.
    pub fn around(&self, node: usize) -> impl Iterator<Item = LoopId> {
        std::iter::successors(self.innermost(node), |id| self.loops[id.0 as usize].parent)
    }

    /// Is a node in a loop?
    #[must_use]
    pub fn contains(&self, id: LoopId, node: usize) -> bool {
        self.around(node).any(|other| other == id)
    }

    /// The loop that a node is the head of.
    #[must_use]
    pub fn headed_by(&self, node: usize) -> Option<LoopId> {
        self.innermost(node).filter(|id| self.loops[id.0 as usize].head == node)
    }
}

/// A node stands for itself, or for the largest loop collected so far that it is in.
fn outermost(head_of: &[Option<usize>], mut node: usize, head: usize) -> usize {
    while let Some(up) = head_of[node] {
        if up == head {
            break;
        }
        node = up;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dominators;

    fn loops(edges: &[&[usize]]) -> Loops {
        let graph: Vec<Vec<usize>> = edges.iter().map(|to| to.to_vec()).collect();
        Loops::new(&graph)
    }

    #[test]
    fn nested_loops_have_parents() {
        // 0 -> 1 (outer head) -> 2 (inner head) -> 3 -> 2; 2 -> 4 -> 1; 1 -> 5
        let found = loops(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]]);
        let heads: Vec<usize> = found.loops.iter().map(|l| l.head).collect();
        assert_eq!(heads, [1, 2]);
        assert_eq!(found.loops[1].parent, Some(LoopId(0)));
        assert_eq!(found.loops[1].depth, 2);
        assert_eq!(found.innermost(3), Some(LoopId(1)));
        assert_eq!(found.innermost(4), Some(LoopId(0)));
        assert_eq!(found.innermost(5), None);
        assert!(found.contains(LoopId(0), 3));
        assert!(found.loops.iter().all(|l| l.other_entries.is_empty()));
    }

    #[test]
    fn a_node_may_be_a_loop_by_itself() {
        let found = loops(&[&[0, 1], &[]]);
        assert_eq!(found.loops.len(), 1);
        assert_eq!(found.headed_by(0), Some(LoopId(0)));
        assert_eq!(found.innermost(1), None);
    }

    #[test]
    fn two_ways_into_a_loop_are_seen() {
        // 0 -> 1, 0 -> 2, 1 <-> 2
        let found = loops(&[&[1, 2], &[2], &[1]]);
        assert_eq!(found.loops.len(), 1);
        assert_eq!(found.loops[0].other_entries.len(), 1);
    }

    #[test]
    fn branches_dominate_what_is_between_them_and_the_join() {
        let graph: Vec<Vec<usize>> = vec![vec![1, 2], vec![3], vec![3], vec![]];
        let order = Order::new(&graph);
        let dominators = Dominators::new(&order);
        assert_eq!(dominators.immediate(3), Some(0));
        assert!(dominators.dominates(0, 3) && !dominators.dominates(1, 3));
    }
}
