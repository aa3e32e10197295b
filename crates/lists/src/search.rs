//! Choices: which of the segments that leave a vertex is the one that is not empty?

use std::collections::BTreeMap;

use crate::graph::{Graph, Vertex};
use crate::saturate::State;

/// A state in which at most one edge leaves every vertex: it has a model, in which nothing else is
/// the same. `None` if there is no model.
pub(crate) fn solve(graph: &Graph) -> Option<State> {
    choose(graph, State::new(graph))
}

/// The same from a state.
pub(crate) fn choose(graph: &Graph, state: State) -> Option<State> {
    let state = close(graph, state)?;
    let choices = branching(graph, &state);
    let Some(edges) = choices.first() else { return Some(state) };
    // No single step told them apart, so hardly any of them fails later (of ten thousand random
    // formulas, in twelve); trying the others keeps this complete.
    edges.iter().find_map(|open| choose(graph, leave_open(graph, &state, edges, *open)))
}

/// Draws all conclusions, also those that come from trying each choice alone.
pub(crate) fn close(graph: &Graph, mut state: State) -> Option<State> {
    state.saturate(graph).ok()?;
    'again: loop {
        for edges in branching(graph, &state) {
            for open in &edges {
                let mut attempt = leave_open(graph, &state, &edges, *open);
                if attempt.saturate(graph).is_err() {
                    // This one cannot be the one that is not empty.
                    let edge = graph.edges.get(*open)?;
                    state.merge(edge.from, edge.to);
                    state.saturate(graph).ok()?;
                    continue 'again;
                }
            }
        }
        return Some(state);
    }
}

/// The vertices that several edges leave: those edges, per vertex.
fn branching(graph: &Graph, state: &State) -> Vec<Vec<usize>> {
    let mut leaving: BTreeMap<Vertex, Vec<usize>> = BTreeMap::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        if state.is_alive(index) {
            leaving.entry(state.find(edge.from)).or_default().push(index);
        }
    }
    leaving.into_values().filter(|edges| edges.len() > 1).collect()
}

/// All of these edges but one are empty.
fn leave_open(graph: &Graph, state: &State, edges: &[usize], open: usize) -> State {
    let mut state = state.clone();
    for index in edges.iter().filter(|e| **e != open) {
        if let Some(edge) = graph.edges.get(*index) {
            state.merge(edge.from, edge.to);
        }
    }
    state
}
