//! Where the two ways of an `if` meet again.
//!
//! The nodes of a statement follow each other in source order, but for the heads of loops that are
//! no `while`. So it is enough to look at the edges that go out of this range or into it.

use std::ops::Range;

use super::{Cfg, NodeId, NodeKind};

/// Where an edge goes, after the loops that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) to: NodeId,
    /// Does it close a loop?
    pub(crate) back: bool,
}

impl Cfg<'_> {
    /// For each `if` that is entered through its condition only, and left in one way only, without
    /// leaving a loop around it: this way.
    pub(crate) fn joins(&self) -> Vec<Option<Way>> {
        let jumps = self.jumps();
        let ids = (0..self.nodes.len() as u32).map(NodeId);
        ids.map(|id| self.join(id, &jumps)).collect()
    }

    /// Edges that do not follow from the structure of statements.
    fn jumps(&self) -> Vec<(NodeId, NodeId)> {
        let mut jumps = Vec::new();
        for (from, node) in (0..).map(NodeId).zip(&self.nodes) {
            let is_head = matches!(node.kind, NodeKind::LoopHead { .. });
            let edges = node.kind.edges().filter(|edge| is_head || edge.jump.is_some());
            jumps.extend(edges.map(|edge| (from, edge.to)));
        }
        jumps
    }

    fn join(&self, id: NodeId, jumps: &[(NodeId, NodeId)]) -> Option<Way> {
        let NodeKind::Branch { loop_guard: false, end, .. } = self.node(id).kind else {
            return None;
        };
        let range = id.0..end.0;
        let inside = |node: NodeId| within(&range, node) && node != id;
        if jumps.iter().any(|(from, to)| inside(*to) && !within(&range, *from)) {
            return None;
        }
        let mut join = None;
        for from in range.clone().map(NodeId) {
            for edge in self.node(from).kind.edges().filter(|edge| !inside(edge.to)) {
                let this = Way { to: edge.to, back: edge.back };
                let same_loop = self.depth(from) == self.depth(id) + edge.leaves;
                if *join.get_or_insert(this) != this || !same_loop {
                    return None;
                }
            }
        }
        join
    }

    /// How many loops are around a node.
    fn depth(&self, id: NodeId) -> u32 {
        self.node(id).innermost.map_or(0, |innermost| self.loop_(innermost).depth)
    }
}

fn within(range: &Range<u32>, node: NodeId) -> bool {
    range.contains(&node.0)
}
