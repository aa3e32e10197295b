//! Verdict: every edge of the right side is a path of the left side.

use crate::graph::{Edge, Graph, Vertex};
use crate::saturate::State;
use crate::search::{choose, close, solve};
use sl::Model;
use sl::procedure::Meter;

/// Turns a state into a model, if that is a counterexample.
pub(crate) type Refute<'a> = dyn Fn(&Graph, &State) -> Option<Model> + 'a;

pub(crate) struct Question<'a> {
    pub(crate) left: Graph,
    pub(crate) right: Graph,
    pub(crate) meter: &'a Meter,
    pub(crate) refutes: &'a Refute<'a>,
}

/// The answer.
pub(crate) enum Verdict {
    Valid,
    Invalid(Model),
}

/// What an attempt to prove it led to.
enum Attempt {
    Proved,
    Refuted(Model),
    Neither,
}

impl Question<'_> {
    /// The answer; `None` if none was found, which no formula has led to, or if the meter is over.
    pub(crate) fn answer(&self) -> Option<Verdict> {
        self.from(State::new(&self.left))
    }

    fn from(&self, state: State) -> Option<Verdict> {
        // A case is a step, and so is every path that is matched.
        if !self.meter.step(1) {
            return None;
        }
        let Some(mut state) = close(&self.left, state) else {
            return Some(Verdict::Valid);
        };
        if self.left.open && !self.right.open {
            let found = choose(&self.left, state)?;
            return (self.refutes)(&self.left, &found).map(Verdict::Invalid);
        }
        if let Some(answer) = self.pure(&mut state) {
            return answer;
        }
        match self.attempt(&state) {
            Attempt::Proved => Some(Verdict::Valid),
            Attempt::Refuted(model) => Some(Verdict::Invalid(model)),
            Attempt::Neither => self.split(&state),
        }
    }

    /// What the right side says about variables. An answer if it does not follow, or if nothing is
    /// possible at all.
    fn pure(&self, state: &mut State) -> Option<Option<Verdict>> {
        for (a, b) in &self.right.equal {
            if state.is_same(*a, *b) {
                continue;
            }
            let mut other = state.clone();
            other.separate(*a, *b);
            if let Some(found) = choose(&self.left, other) {
                return Some(self.refuted_by(&found));
            }
            state.merge(*a, *b);
            match close(&self.left, state.clone()) {
                Some(closed) => *state = closed,
                None => return Some(Some(Verdict::Valid)),
            }
        }
        for (a, b) in &self.right.different {
            let mut other = state.clone();
            other.merge(*a, *b);
            if let Some(found) = choose(&self.left, other) {
                return Some(self.refuted_by(&found));
            }
        }
        None
    }

    fn refuted_by(&self, found: &State) -> Option<Verdict> {
        (self.refutes)(&self.left, found).map(Verdict::Invalid)
    }

    /// Maps edges to paths; everything must be used, and nothing may go wrong on the way.
    fn attempt(&self, state: &State) -> Attempt {
        let mut used = vec![false; self.left.edges.len()];
        for edge in &self.right.edges {
            self.meter.step(1);
            let Some(path) = self.path(state, edge, &used) else { return self.generic(state) };
            for index in &path {
                if let Some(used) = used.get_mut(*index) {
                    *used = true;
                }
            }
            if !edge.solid {
                match self.passes_its_end(state, edge.to, &path) {
                    Some(Some(model)) => return Attempt::Refuted(model),
                    Some(None) => return Attempt::Neither,
                    None => {}
                }
            }
        }
        let left_over = used.iter().enumerate().any(|(i, used)| !used && state.is_alive(i));
        if left_over && !self.right.open { self.generic(state) } else { Attempt::Proved }
    }

    /// No proof: perhaps the model in which as little as possible is the same refutes it.
    fn generic(&self, state: &State) -> Attempt {
        let found = choose(&self.left, state.clone());
        match found.and_then(|found| (self.refutes)(&self.left, &found)) {
            Some(model) => Attempt::Refuted(model),
            None => Attempt::Neither,
        }
    }

    /// The edges of a path that an edge of the right side can stand for.
    fn path(&self, state: &State, edge: &Edge, used: &[bool]) -> Option<Vec<usize>> {
        if edge.solid {
            let fits = |(index, e): &(usize, &Edge)| {
                e.solid
                    && !used.get(*index).copied().unwrap_or(true)
                    && state.is_same(e.from, edge.from)
                    && state.is_same(e.to, edge.to)
            };
            let (index, _) = self.left.edges.iter().enumerate().find(fits)?;
            return Some(vec![index]);
        }
        let mut path = Vec::new();
        let mut tried = used.to_vec();
        self.walk(state, edge.from, edge.to, &mut tried, &mut path).then_some(path)
    }

    /// Depth first; an edge that was tried in vain leads nowhere later either.
    fn walk(
        &self,
        state: &State,
        from: Vertex,
        to: Vertex,
        tried: &mut [bool],
        path: &mut Vec<usize>,
    ) -> bool {
        // Frames are the next edge to look at from a vertex.
        let mut stack = vec![(from, 0)];
        while let Some((at, next)) = stack.pop() {
            if state.is_same(at, to) {
                return true;
            }
            let step = self.left.edges.iter().enumerate().skip(next).find(|(index, edge)| {
                state.is_alive(*index)
                    && !tried.get(*index).copied().unwrap_or(true)
                    && state.is_same(edge.from, at)
            });
            match step {
                Some((index, edge)) => {
                    if let Some(tried) = tried.get_mut(index) {
                        *tried = true;
                    }
                    stack.push((at, index + 1));
                    stack.push((edge.to, 0));
                    path.push(index);
                }
                None => {
                    path.pop();
                }
            }
        }
        false
    }

    /// Can the end of a segment be among the locations of the path for it? `None` if not; otherwise
    /// with the counterexample, if it is one.
    fn passes_its_end(&self, state: &State, end: Vertex, path: &[usize]) -> Option<Option<Model>> {
        let known = self.known_apart(state);
        for (place, index) in path.iter().enumerate() {
            let edge = self.left.edges.get(*index)?;
            let last = place + 1 == path.len();
            let found = if edge.solid {
                if known(end, edge.from) {
                    continue;
                }
                let mut other = state.clone();
                other.merge(end, edge.from);
                let found = choose(&self.left, other);
                found.map(|found| (self.refutes)(&self.left, &found))
            } else if last {
                // A segment does not contain its own end.
                continue;
            } else {
                let graph = self.with_inside(state, *index, end);
                solve(&graph).map(|found| (self.refutes)(&graph, &found))
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn known_apart(&self, state: &State) -> impl Fn(Vertex, Vertex) -> bool {
        let known = state.knowledge(&self.left);
        let state = state.clone();
        move |a, b| known.as_ref().is_ok_and(|k| k.is_apart(state.find(a), state.find(b)))
    }

    /// The left side with a vertex on a segment: `ls(x, y)` becomes `ls(x, v) * v |-> w * ls(w, y)`.
    fn with_inside(&self, state: &State, segment: usize, inside: Vertex) -> Graph {
        let mut graph = self.left.clone();
        for vertex in 0..graph.size {
            graph.equal.push((vertex, state.find(vertex)));
        }
        graph.different.extend_from_slice(state.differences());
        let after = graph.size;
        graph.size += 1;
        let Some(edge) = graph.edges.get_mut(segment) else { return graph };
        let end = edge.to;
        edge.to = inside;
        graph.edges.push(Edge { from: inside, to: after, solid: true });
        graph.edges.push(Edge { from: after, to: end, solid: false });
        graph.different.push((inside, end));
        let start = graph.edges.get(segment).map_or(end, |e| e.from);
        graph.different.push((start, end));
        graph
    }

    /// Two cases of something that is not known yet.
    fn split(&self, state: &State) -> Option<Verdict> {
        let known = self.known_apart(state);
        let undecided = |a: Vertex, b: Vertex| !state.is_same(a, b) && !known(a, b);
        let edges = state.edges(&self.left).map(|e| (e.from, e.to));
        let vertices = 0..self.left.size;
        let pairs = vertices.clone().flat_map(|a| vertices.clone().map(move |b| (a, b)));
        let (a, b) = edges.chain(pairs).find(|(a, b)| undecided(*a, *b))?;
        let mut same = state.clone();
        same.merge(a, b);
        match self.from(same)? {
            Verdict::Valid => {
                let mut apart = state.clone();
                apart.separate(a, b);
                self.from(apart)
            }
            refuted => Some(refuted),
        }
    }
}
