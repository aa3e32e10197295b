//! Finds loops and marks the edges that leave them or go back.
//!
//! The heads of loops are the targets of edges that go back in a depth-first tree. From the
//! innermost loop outwards, each is collected against the edges from where it goes back, then
//! shrunk to its head. If that leads to a node outside of the tree below the head, the loop has
//! another way in: the flow is not reducible. This takes almost linear time.

use std::collections::HashMap;
use std::mem;

use report::Pos;

use super::build::{Origin, Raw};
use super::{Cfg, Edge, Loop, LoopId, Node, NodeId, NodeKind, Unsupported, written};

/// Who is in which loop.
pub(super) struct Nesting {
    tree: Tree,
    /// For each node the head of the innermost loop around it, other than its own.
    header: Vec<Option<NodeId>>,
    /// In the order of the tree, that is, outer before inner; what is never reached comes last.
    heads: Vec<NodeId>,
}

/// A way between nodes on which loops are looked for.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) to: NodeId,
    jump: Option<Pos>,
}

/// Finds the loops.
pub(super) fn nesting(raw: &Raw<'_>) -> Result<Nesting, Unsupported> {
    let steps = steps(raw);
    let tree = Tree::new(&steps, raw.entry);
    let mut sources = vec![Vec::new(); steps.len()];
    for &from in &tree.order {
        for step in &steps[from.index()] {
            sources[step.to.index()].push((from, step.jump));
        }
    }
    let mut search = Search {
        origins: &raw.origins,
        sources,
        header: vec![None; steps.len()],
        seen_for: vec![None; steps.len()],
        shrunk: (0..steps.len() as u32).map(NodeId).collect(),
        tree,
    };
    let mut heads = Vec::new();
    for position in (0..search.tree.order.len()).rev() {
        let node = search.tree.order[position];
        if search.collect(node)? {
            heads.push(node);
        }
    }
    heads.reverse();
    heads.extend(unreachable_heads(raw, &search.tree));
    Ok(Nesting { tree: search.tree, header: search.header, heads })
}

/// The heads of each `while` that is never reached. Their loops are empty.
fn unreachable_heads(raw: &Raw<'_>, tree: &Tree) -> impl Iterator<Item = NodeId> {
    let nodes = (0..).map(NodeId).zip(&raw.nodes);
    let heads = nodes.filter(|(_, node)| matches!(node.kind, NodeKind::LoopHead { .. }));
    heads.map(|(id, _)| id).filter(|id| !tree.reaches(*id))
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
    let real = Tree::new(&steps, raw.entry);
    for (steps, origin) in steps.iter_mut().zip(&raw.origins) {
        let head = origin.around.filter(|head| real.reaches(*head));
        steps.extend(head.map(|to| Step { to, jump: None }));
    }
    steps
}

/// A depth-first tree of the nodes that can be reached.
struct Tree {
    /// Each node before those below it.
    order: Vec<NodeId>,
    /// For each node the range of `order` with itself and all that is below it.
    range: Vec<(u32, u32)>,
}

impl Tree {
    fn new(steps: &[Vec<Step>], entry: NodeId) -> Tree {
        let mut tree = Tree { order: Vec::new(), range: vec![(u32::MAX, 0); steps.len()] };
        tree.enter(entry);
        let mut path = vec![(entry, 0)];
        while let Some((node, tried)) = path.last_mut() {
            match steps[node.index()].get(*tried) {
                Some(step) => {
                    *tried += 1;
                    if !tree.reaches(step.to) {
                        tree.enter(step.to);
                        path.push((step.to, 0));
                    }
                }
                None => {
                    tree.range[node.index()].1 = tree.order.len() as u32;
                    path.pop();
                }
            }
        }
        tree
    }

    fn enter(&mut self, node: NodeId) {
        self.range[node.index()].0 = self.order.len() as u32;
        self.order.push(node);
    }

    fn reaches(&self, node: NodeId) -> bool {
        self.range[node.index()].0 != u32::MAX
    }

    /// Is `lower` the same node or below it? Both can be reached.
    fn is_above(&self, upper: NodeId, lower: NodeId) -> bool {
        let (start, end) = self.range[upper.index()];
        (start..end).contains(&self.range[lower.index()].0)
    }
}

/// Collects loops, inner before outer.
struct Search<'r, 'p> {
    origins: &'r [Origin<'p>],
    tree: Tree,
    /// For each node from where it is reached.
    sources: Vec<Vec<(NodeId, Option<Pos>)>>,
    header: Vec<Option<NodeId>>,
    /// The last head for which a node was met.
    seen_for: Vec<Option<NodeId>>,
    /// A node of a collected loop leads, step by step, to the head.
    shrunk: Vec<NodeId>,
}

impl Search<'_, '_> {
    /// Collects the loop of a head; answers whether the node is one.
    fn collect(&mut self, head: NodeId) -> Result<bool, Unsupported> {
        self.seen_for[head.index()] = Some(head);
        let mut body = Vec::new();
        let mut closed_by = None;
        let mut is_head = false;
        for (from, jump) in mem::take(&mut self.sources[head.index()]) {
            if self.tree.is_above(head, from) {
                is_head = true;
                closed_by = closed_by.or(jump);
                self.add(from, head, &mut body);
            } else {
                self.sources[head.index()].push((from, jump));
            }
        }
        let mut next = 0;
        while let Some(&node) = body.get(next) {
            next += 1;
            for (from, jump) in mem::take(&mut self.sources[node.index()]) {
                if !self.tree.is_above(head, from) {
                    return Err(self.second_way_in(jump, closed_by, head));
                }
                self.add(from, head, &mut body);
            }
        }
        for node in body {
            self.header[node.index()] = Some(head);
            self.shrunk[node.index()] = head;
        }
        Ok(is_head)
    }

    /// Adds a node that can get to the head, or the head of the largest loop it is in so far.
    fn add(&mut self, node: NodeId, head: NodeId, body: &mut Vec<NodeId>) {
        let node = self.outermost(node);
        if self.seen_for[node.index()].replace(head) != Some(head) {
            body.push(node);
        }
    }

    fn outermost(&mut self, mut node: NodeId) -> NodeId {
        while self.shrunk[node.index()] != node {
            let above = self.shrunk[self.shrunk[node.index()].index()];
            self.shrunk[node.index()] = above;
            node = above;
        }
        node
    }

    /// Says it of the jump that goes in or else of the one that closes the loop.
    fn second_way_in(&self, enters: Option<Pos>, closes: Option<Pos>, head: NodeId) -> Unsupported {
        match (enters, closes) {
            (Some(pos), _) => {
                Unsupported { pos, message: "this jump enters a loop elsewhere than at its head" }
            }
            (None, Some(pos)) => {
                Unsupported { pos, message: "this jump closes a loop that has more than one head" }
            }
            (None, None) => Unsupported {
                pos: self.origins[head.index()].pos,
                message: "this is part of a loop that has more than one head",
            },
        }
    }
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
    let mut loops = loops(&origins, nesting, &own);
    mark(&mut nodes, &loops, nesting, &own);
    written::fill_in(&mut loops, &nodes, has_jumps);
    let entry = insert_heads(&mut nodes, &mut loops, entry);
    Cfg { nodes, entry, loops, idle_invariants }
}

fn loops<'p>(origins: &[Origin<'p>], nesting: &Nesting, own: &[Option<LoopId>]) -> Vec<Loop<'p>> {
    let mut loops: Vec<Loop<'p>> = Vec::with_capacity(nesting.heads.len());
    for &head in &nesting.heads {
        let parent = nesting.header[head.index()].and_then(|outer| own[outer.index()]);
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
        let outer = nesting.header[i].and_then(|head| own[head.index()]);
        node.innermost = own[i].or(outer);
        if let (NodeKind::LoopHead { id, .. }, Some(own)) = (&mut node.kind, own[i]) {
            *id = own;
        }
    }
    let depth = |id: Option<LoopId>| id.map_or(0, |id| loops[id.index()].depth);
    let depths: Vec<u32> = nodes.iter().map(|node| depth(node.innermost)).collect();
    for &from in &nesting.tree.order {
        for edge in nodes[from.index()].kind.edges_mut() {
            let to = edge.to.index();
            edge.back = own[to].is_some() && nesting.tree.is_above(edge.to, from);
            // What enters a loop was in all loops around it.
            let enters = own[to].is_some() && !edge.back;
            let kept = if enters { depths[to] - 1 } else { depths[to] };
            edge.leaves = depths[from.index()].saturating_sub(kept);
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
