//! Loops and how they nest.
//!
//! The heads of loops are the ends of edges that go back in a depth-first tree. A loop has all nodes
//! that can get back to its head without leaving the tree below it (Havlak 1997): reducible loops have
//! one way in, which is the head; others have more, and say so.

use crate::{Graph, Order};

/// A loop of [`Loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u32);

impl LoopId {
    /// Into [`Loops::loops`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where it is entered, first of all.
    pub head: usize,
    /// The next outer one.
    pub parent: Option<LoopId>,
    /// How many loops it is in, itself included.
    pub depth: u32,
    /// Edges that enter it elsewhere than at its head: such a loop is not reducible. If an inner loop
    /// is shrunk to its head by then, the end of the edge may be that head.
    pub other_entries: Vec<(usize, usize)>,
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

    /// Finds the loops of a graph, given its order. Takes almost linear time.
    #[must_use]
    pub fn of(order: &Order) -> Loops {
        let count = order.position.len();
        let mut search = Search {
            order,
            sources: order.predecessors.clone(),
            header: vec![None; count],
            seen_for: vec![None; count],
            shrunk: (0..count).collect(),
        };
        let mut heads: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
        // Inner before outer.
        for &node in order.preorder.iter().rev() {
            heads.extend(search.collect(node).map(|entries| (node, entries)));
        }
        heads.reverse();
        let mut own = vec![None; count];
        for (id, (head, _)) in (0..).map(LoopId).zip(&heads) {
            own[*head] = Some(id);
        }
        let header = search.header;
        let mut loops: Vec<Loop> = Vec::with_capacity(heads.len());
        for (head, other_entries) in heads {
            let parent = header[head].and_then(|outer| own[outer]);
            let depth = parent.map_or(0, |outer| loops[outer.index()].depth) + 1;
            loops.push(Loop { head, parent, depth, other_entries });
        }
        let innermost = (0..count).map(|n| own[n].or(header[n].and_then(|h| own[h]))).collect();
        Loops { loops, innermost }
    }

    /// The innermost loop around a node; a head is in its own loop.
    #[must_use]
    pub fn innermost(&self, node: usize) -> Option<LoopId> {
        self.innermost.get(node).copied().flatten()
    }

    /// The loops around a node, innermost first.
    pub fn around(&self, node: usize) -> impl Iterator<Item = LoopId> {
        std::iter::successors(self.innermost(node), |id| self.loops[id.index()].parent)
    }

    /// Is a node in a loop?
    #[must_use]
    pub fn contains(&self, id: LoopId, node: usize) -> bool {
        self.around(node).any(|other| other == id)
    }

    /// The loop that a node is the head of.
    #[must_use]
    pub fn headed_by(&self, node: usize) -> Option<LoopId> {
        self.innermost(node).filter(|id| self.loops[id.index()].head == node)
    }
}

/// Collects loops, inner before outer; each is then shrunk to its head.
struct Search<'o> {
    order: &'o Order,
    /// For each node from where it is reached.
    sources: Vec<Vec<usize>>,
    /// For each node the head of the innermost loop around it, other than its own.
    header: Vec<Option<usize>>,
    /// The last head for which a node was met.
    seen_for: Vec<Option<usize>>,
    /// A node of a collected loop leads, step by step, to the head.
    shrunk: Vec<usize>,
}

impl Search<'_> {
    /// Collects the loop of a head, if the node is one. Answers with the edges that enter it elsewhere.
    fn collect(&mut self, head: usize) -> Option<Vec<(usize, usize)>> {
        self.seen_for[head] = Some(head);
        let mut body = Vec::new();
        let mut is_head = false;
        for from in std::mem::take(&mut self.sources[head]) {
            if self.order.is_above(head, from) {
                is_head = true;
                self.add(from, head, &mut body);
            } else {
                self.sources[head].push(from);
            }
        }
        let mut entries = Vec::new();
        let mut next = 0;
        while let Some(&node) = body.get(next) {
            next += 1;
            for from in std::mem::take(&mut self.sources[node]) {
                if self.order.is_above(head, from) {
                    self.add(from, head, &mut body);
                } else {
                    // For the loops around, what enters the loop enters at its head.
                    entries.push((from, node));
                    self.sources[head].push(from);
                }
            }
        }
        for node in body {
            self.header[node] = Some(head);
            self.shrunk[node] = head;
        }
        is_head.then_some(entries)
    }

    /// Adds a node that can get to the head, or the head of the largest loop it is in so far.
    fn add(&mut self, node: usize, head: usize, body: &mut Vec<usize>) {
        let node = self.outermost(node);
        if self.seen_for[node].replace(head) != Some(head) {
            body.push(node);
        }
    }

    fn outermost(&mut self, mut node: usize) -> usize {
        while self.shrunk[node] != node {
            let above = self.shrunk[self.shrunk[node]];
            self.shrunk[node] = above;
            node = above;
        }
        node
    }
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
        assert_eq!(found.loops[0].other_entries, [(0, 2)]);
    }

    #[test]
    fn what_enters_an_inner_loop_elsewhere_is_in_the_loop_around() {
        // 1 is the outer head; 2 <-> 3 is entered at 2 from 1, and at 3 from 4, which 1 leads to.
        let found = loops(&[&[1], &[2, 4], &[3], &[2, 1], &[3]]);
        let heads: Vec<usize> = found.loops.iter().map(|l| l.head).collect();
        assert_eq!(heads, [1, 2]);
        assert_eq!(found.loops[1].other_entries, [(4, 3)]);
        assert_eq!(found.innermost(4), Some(LoopId(0)));
    }

    #[test]
    fn a_long_chain_of_loops_takes_no_time() {
        // Each loop is inside of the one before; 0 -> 1 -> … -> n -> n - 1 -> … is closed one by one.
        let n = 100_000;
        let mut graph: Vec<Vec<usize>> = (0..n).map(|i| vec![i + 1]).collect();
        graph.extend((0..n).map(|i| vec![n + i + 1, n - 1 - i]));
        graph.push(Vec::new());
        let found = Loops::new(&graph);
        assert_eq!(found.loops.len(), n);
        assert_eq!(found.loops[n - 1].depth, n as u32);
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
