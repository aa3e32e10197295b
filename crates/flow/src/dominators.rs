//! Dominators, by the iterative algorithm of Cooper, Harvey and Kennedy (2001).

use crate::Order;

/// Which nodes every path to a node goes through.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// For each node that can be reached its immediate dominator; the entry is its own.
    immediate: Vec<Option<usize>>,
    position: Vec<Option<usize>>,
}

impl Dominators {
    /// The dominators of a graph, given its order.
    #[must_use]
    pub fn new(order: &Order) -> Dominators {
        let mut found = Dominators {
            immediate: vec![None; order.position.len()],
            position: order.position.clone(),
        };
        let Some((&entry, rest)) = order.nodes.split_first() else { return found };
        found.immediate[entry] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in rest {
                let known = order.predecessors[node]
                    .iter()
                    .copied()
                    .filter(|from| found.immediate[*from].is_some());
                let new = known.reduce(|a, b| found.common(a, b));
                changed |= found.immediate[node] != new;
                found.immediate[node] = new;
            }
        }
        found
    }

    /// The nearest node that dominates both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.position[a] > self.position[b] {
                a = self.immediate[a].unwrap_or(b);
            } else {
                b = self.immediate[b].unwrap_or(a);
            }
        }
        a
    }

    /// Does every path to `node` go through `upper`? A node dominates itself; nothing dominates what
    /// cannot be reached.
    #[must_use]
    pub fn dominates(&self, upper: usize, node: usize) -> bool {
        let mut at = node;
        loop {
            let Some(up) = self.immediate[at] else { return false };
            if at == upper {
                return true;
            }
            if up == at {
                return false;
            }
            at = up;
        }
    }

    /// The immediate dominator of a node other than the entry.
    #[must_use]
    pub fn immediate(&self, node: usize) -> Option<usize> {
        self.immediate[node].filter(|up| *up != node)
    }
}
