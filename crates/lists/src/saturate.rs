//! Conclusions that need no choice.

use crate::graph::{Edge, Graph, NIL, Vertex};

/// Which vertices are the same, which edges are empty, which vertices are different.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Vertices point to one they are the same as; the last one is its own.
    same: Vec<Vertex>,
    /// Edges that may be more than nothing.
    alive: Vec<bool>,
    different: Vec<(Vertex, Vertex)>,
}

/// What is wrong: there is no model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict;

impl State {
    /// All that is said about vertices; nothing is concluded yet.
    pub(crate) fn new(graph: &Graph) -> State {
        let mut state = State {
            same: (0..graph.size).collect(),
            alive: vec![true; graph.edges.len()],
            different: graph.different.clone(),
        };
        for (a, b) in &graph.equal {
            state.merge(*a, *b);
        }
        state
    }

    /// The vertex that stands for all that are the same as this one.
    pub(crate) fn find(&self, mut vertex: Vertex) -> Vertex {
        while let Some(&next) = self.same.get(vertex) {
            if next == vertex {
                break;
            }
            vertex = next;
        }
        vertex
    }

    /// Makes two vertices the same.
    pub(crate) fn merge(&mut self, a: Vertex, b: Vertex) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller number stays, so that `nil` does.
        if let Some(slot) = self.same.get_mut(a.max(b)) {
            *slot = a.min(b);
        }
    }

    /// Makes two vertices different.
    pub(crate) fn separate(&mut self, a: Vertex, b: Vertex) {
        self.different.push((a, b));
    }

    /// What was said to be different.
    pub(crate) fn differences(&self) -> &[(Vertex, Vertex)] {
        &self.different
    }

    pub(crate) fn is_same(&self, a: Vertex, b: Vertex) -> bool {
        self.find(a) == self.find(b)
    }

    pub(crate) fn is_alive(&self, edge: usize) -> bool {
        self.alive.get(edge).copied().unwrap_or(false)
    }

    /// The edges that may be more than nothing.
    pub(crate) fn edges<'g>(&'g self, graph: &'g Graph) -> impl Iterator<Item = &'g Edge> {
        graph.edges.iter().zip(&self.alive).filter(|(_, alive)| **alive).map(|(edge, _)| edge)
    }

    /// Draws all conclusions that need no choice.
    pub(crate) fn saturate(&mut self, graph: &Graph) -> Result<(), Conflict> {
        loop {
            let changed = self.drop_empty(graph)?;
            if !changed && !self.use_allocated(graph)? {
                return Ok(());
            }
        }
    }

    /// Segments from a vertex to itself, and from `nil`, are empty.
    fn drop_empty(&mut self, graph: &Graph) -> Result<bool, Conflict> {
        if self.different.iter().any(|(a, b)| self.is_same(*a, *b)) {
            return Err(Conflict);
        }
        let mut changed = false;
        for (index, edge) in graph.edges.iter().enumerate() {
            if !self.is_alive(index) {
                continue;
            }
            let from_nil = self.is_same(edge.from, NIL);
            if edge.solid {
                if from_nil {
                    return Err(Conflict);
                }
            } else if from_nil || self.is_same(edge.from, edge.to) {
                self.merge(edge.from, edge.to);
                if let Some(alive) = self.alive.get_mut(index) {
                    *alive = false;
                }
                changed = true;
            }
        }
        Ok(changed)
    }

    /// If an edge is certainly not empty, all others from its vertex are.
    fn use_allocated(&mut self, graph: &Graph) -> Result<bool, Conflict> {
        let known = self.knowledge(graph)?;
        let mut changed = false;
        for (index, edge) in graph.edges.iter().enumerate() {
            let owner = known.owner(self.find(edge.from));
            if self.is_alive(index) && owner.is_some_and(|o| o != index) {
                self.merge(edge.from, edge.to);
                changed = true;
            }
        }
        Ok(changed)
    }

    /// What is known for certain, without drawing conclusions.
    pub(crate) fn knowledge(&self, graph: &Graph) -> Result<Knowledge, Conflict> {
        let mut known =
            Knowledge { size: graph.size, owners: vec![None; graph.size], apart: Vec::new() };
        known.apart = vec![false; graph.size * graph.size];
        for (a, b) in &self.different {
            known.set_apart(self.find(*a), self.find(*b));
        }
        for (index, edge) in graph.edges.iter().enumerate() {
            let (from, to) = (self.find(edge.from), self.find(edge.to));
            if !self.is_alive(index) || !(edge.solid || known.said_apart(from, to)) {
                continue;
            }
            if known.owner(from).is_some() || from == NIL {
                return Err(Conflict);
            }
            if let Some(owner) = known.owners.get_mut(from) {
                *owner = Some(index);
            }
        }
        Ok(known)
    }
}

/// Which vertices are certainly allocated, by which edge, and which are certainly different. In
/// terms of the vertices that stand for others.
#[derive(Clone, Debug)]
pub(crate) struct Knowledge {
    size: usize,
    owners: Vec<Option<usize>>,
    apart: Vec<bool>,
}

impl Knowledge {
    /// The edge that certainly allocates this vertex.
    pub(crate) fn owner(&self, vertex: Vertex) -> Option<usize> {
        self.owners.get(vertex).copied().flatten()
    }

    /// Are these vertices certainly different?
    pub(crate) fn is_apart(&self, a: Vertex, b: Vertex) -> bool {
        let allocated = |v| self.owner(v).is_some();
        self.said_apart(a, b)
            || (a != b && (allocated(a) || a == NIL) && (allocated(b) || b == NIL))
    }

    fn said_apart(&self, a: Vertex, b: Vertex) -> bool {
        self.apart.get(a * self.size + b).copied().unwrap_or(false)
    }

    fn set_apart(&mut self, a: Vertex, b: Vertex) {
        for index in [a * self.size + b, b * self.size + a] {
            if let Some(slot) = self.apart.get_mut(index) {
                *slot = true;
            }
        }
    }
}
