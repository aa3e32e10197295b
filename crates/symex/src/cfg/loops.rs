//! Marks the edges that leave loops or go back. The loops themselves are [`flow`]'s; one that has
//! another way in than its head is refused.

use std::collections::HashMap;

use flow::{Graph, Loops, Order};
use report::Pos;

use super::build::{Origin, Raw};
use super::{Cfg, Edge, Loop, LoopId, Node, NodeId, NodeKind, Unsupported, written};

/// Who is in which loop.
pub(super) struct Nesting {
    order: Order,
    found: Loops,
    /// In the order of the tree, that is, outer before inner; what is never reached comes last.
    heads: Vec<NodeId>,
}

/// A way between nodes on which loops are looked for.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) to: NodeId,
    jump: Option<Pos>,
}

/// The edges on which loops are looked for, and where they start.
struct Steps<'s> {
    steps: &'s [Vec<Step>],
    entry: NodeId,
}

impl Graph for Steps<'_> {
    fn len(&self) -> usize {
        self.steps.len()
    }

    fn entry(&self) -> usize {
        self.entry.index()
    }

    fn successors(&self, node: usize, visit: &mut dyn FnMut(usize)) {
        self.steps[node].iter().for_each(|step| visit(step.to.index()));
    }
}

/// Finds the loops. Those of `flow` have the same numbers.
pub(super) fn nesting(raw: &Raw<'_>) -> Result<Nesting, Unsupported> {
    let steps = steps(raw);
    let order = Order::new(&Steps { steps: &steps, entry: raw.entry });
    let found = Loops::of(&order);
    // The innermost ones first.
    if let Some(bad) = found.loops.iter().rev().find(|l| !l.other_entries.is_empty()) {
        return Err(second_way_in(raw, &steps, &order, bad));
    }
    let mut heads: Vec<NodeId> = found.loops.iter().map(|l| NodeId(l.head as u32)).collect();
    heads.extend(unreachable_heads(raw, &order));
    Ok(Nesting { order, found, heads })
}

/// Says it of the jump that goes in or else of the one that closes the loop.
fn second_way_in(
    raw: &Raw<'_>,
    steps: &[Vec<Step>],
    order: &Order,
    bad: &flow::Loop,
) -> Unsupported {
    let jump = |from: usize, to: usize| {
        steps[from].iter().find(|step| step.to.index() == to).and_then(|step| step.jump)
    };
    let enters = bad.other_entries.first().and_then(|(from, to)| jump(*from, *to));
    let mut back = order.predecessors[bad.head].iter().filter(|n| order.is_above(bad.head, **n));
    let closes = back.find_map(|from| jump(*from, bad.head));
    match (enters, closes) {
        (Some(pos), _) => {
            Unsupported { pos, message: "this jump enters a loop elsewhere than at its head" }
        }
        (None, Some(pos)) => {
            Unsupported { pos, message: "this jump closes a loop that has more than one head" }
        }
        (None, None) => Unsupported {
            pos: raw.origins[bad.head].pos,
            message: "this is part of a loop that has more than one head",
        },
    }
}

/// The heads of each `while` that is never reached. Their loops are empty.
fn unreachable_heads(raw: &Raw<'_>, order: &Order) -> impl Iterator<Item = NodeId> {
    let nodes = (0..).map(NodeId).zip(&raw.nodes);
    let heads = nodes.filter(|(_, node)| matches!(node.kind, NodeKind::LoopHead { .. }));
    heads.map(|(id, _)| id).filter(|id| !order.reaches(id.index()))
}

/// The edges, jumps last, so that it is rather them that turn out to be the second way into a
/// loop. As all of the body of a `while` is part of it, each node of it gets a step to the head.
pub(super) fn steps(raw: &Raw<'_>) -> Vec<Vec<Step>> {
    let mut steps: Vec<Vec<Step>> = Vec::with_capacity(raw.nodes.len());
    for node in &raw.nodes {
        let edges = node.kind.edges().map(|edge| Step { to: edge.to, jump: edge.jump });
        let mut edges: Vec<Step> = edges.collect();
        edges.sort_by_key(|step| step.jump.is_some());
        steps.push(edges);
    }
    let real = Order::new(&Steps { steps: &steps, entry: raw.entry });
    for (steps, origin) in steps.iter_mut().zip(&raw.origins) {
        let head = origin.around.filter(|head| real.reaches(head.index()));
        steps.extend(head.map(|to| Step { to, jump: None }));
    }
    steps
}

/// Marks nodes and edges, and gives heads to loops that are no `while`.
pub(super) fn with_loops<'p>(raw: Raw<'p>, nesting: &Nesting) -> Cfg<'p> {
    let Raw { mut nodes, entry, origins, has_jumps } = raw;
    let mut own = vec![None; nodes.len()];
    for (id, head) in (0..).map(LoopId).zip(&nesting.heads) {
        own[head.index()] = Some(id);
    }
    let idle_invariants = nodes
        .iter()
        .zip(&origins)
        .zip(&own)
        .filter(|((node, origin), own)| {
            let label = matches!(node.kind, NodeKind::Label { .. });
            label && own.is_none() && !origin.invariants.is_empty()
        })
        .map(|((_, origin), _)| origin.pos)
        .collect();
    let mut loops = loops(&origins, nesting);
    mark(&mut nodes, &loops, nesting, &own);
    written::fill_in(&mut loops, &nodes, has_jumps);
    let entry = insert_heads(&mut nodes, &mut loops, entry);
    Cfg { nodes, entry, loops, idle_invariants }
}

fn loops<'p>(origins: &[Origin<'p>], nesting: &Nesting) -> Vec<Loop<'p>> {
    let mut loops: Vec<Loop<'p>> = Vec::with_capacity(nesting.heads.len());
    for &head in &nesting.heads {
        // Those that are never reached are in none.
        let parent = nesting.found.loops.get(loops.len()).and_then(|l| l.parent);
        let parent = parent.map(|id| LoopId(id.0));
        let outer_depth = parent.map_or(0, |outer| loops[outer.index()].depth);
        let Origin { pos, invariants, .. } = origins[head.index()];
        let depth = outer_depth + 1;
        loops.push(Loop { head, invariants, written: Vec::new(), parent, depth, pos });
    }
    loops
}

/// Says of each node in which loop it is, and of each edge what it leaves and whether it goes back.
fn mark(nodes: &mut [Node<'_>], loops: &[Loop<'_>], nesting: &Nesting, own: &[Option<LoopId>]) {
    for (i, node) in nodes.iter_mut().enumerate() {
        let innermost = nesting.found.innermost(i).map(|id| LoopId(id.0));
        node.innermost = own[i].or(innermost);
        if let (NodeKind::LoopHead { id, .. }, Some(own)) = (&mut node.kind, own[i]) {
            *id = own;
        }
    }
    let depth = |id: Option<LoopId>| id.map_or(0, |id| loops[id.index()].depth);
    let depths: Vec<u32> = nodes.iter().map(|node| depth(node.innermost)).collect();
    for &from in &nesting.order.preorder {
        for edge in nodes[from].kind.edges_mut() {
            let to = edge.to.index();
            edge.back = own[to].is_some() && nesting.order.is_above(to, from);
            // What enters a loop was in all loops around it.
            let enters = own[to].is_some() && !edge.back;
            let kept = if enters { depths[to] - 1 } else { depths[to] };
            edge.leaves = depths[from].saturating_sub(kept);
        }
    }
}

/// Puts a head before the first node of each loop that has none. Answers with the new entry.
fn insert_heads(nodes: &mut Vec<Node<'_>>, loops: &mut [Loop<'_>], entry: NodeId) -> NodeId {
    let mut moved = HashMap::new();
    for (id, one) in (0..).map(LoopId).zip(loops) {
        if !matches!(nodes[one.head.index()].kind, NodeKind::LoopHead { .. }) {
            let head = NodeId(nodes.len() as u32);
            let next = Edge { to: one.head, leaves: 0, back: false, jump: None };
            let scope = nodes[one.head.index()].scope.clone();
            let kind = NodeKind::LoopHead { id, next };
            nodes.push(Node { kind, innermost: Some(id), scope });
            moved.insert(one.head, head);
            one.head = head;
        }
    }
    let old = nodes.len() - moved.len();
    for edge in nodes[..old].iter_mut().flat_map(|node| node.kind.edges_mut()) {
        edge.to = moved.get(&edge.to).copied().unwrap_or(edge.to);
    }
    moved.get(&entry).copied().unwrap_or(entry)
}
