//! Symbolic heaps as graphs, and models of graphs.

use std::collections::BTreeMap;

use crate::ListLogic;
use crate::saturate::State;
use sl::core::{Scope, SymHeap, Var};
use sl::{Loc, Model, Object, Reason, Value};

/// The number of a vertex; 0 is `nil`.
pub(crate) type Vertex = usize;

/// The vertex of `nil`.
pub(crate) const NIL: Vertex = 0;

/// A location that points to another, or a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Vertex,
    pub(crate) to: Vertex,
    /// Exactly one location; otherwise a segment of any length.
    pub(crate) solid: bool,
}

/// A symbolic heap of the fragment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Graph {
    /// How many vertices there are.
    pub(crate) size: usize,
    pub(crate) edges: Vec<Edge>,
    pub(crate) equal: Vec<(Vertex, Vertex)>,
    pub(crate) different: Vec<(Vertex, Vertex)>,
    /// May there be more in the heap?
    pub(crate) open: bool,
}

/// Gives numbers to variables.
pub(crate) struct Builder<'a> {
    logic: &'a ListLogic,
    scope: &'a Scope,
    /// The variables of vertices 1, 2, …; those of the scope come first.
    vars: Vec<Var>,
}

impl<'a> Builder<'a> {
    /// Makes vertices of these variables of the scope, so that models have values for them.
    pub(crate) fn new(
        logic: &'a ListLogic,
        scope: &'a Scope,
        free: Vec<Var>,
    ) -> Result<Builder<'a>, Reason> {
        for var in &free {
            logic.check(scope, scope.sort(*var))?;
        }
        Ok(Builder { logic, scope, vars: free })
    }

    /// The number of vertices so far.
    pub(crate) fn size(&self) -> usize {
        self.vars.len() + 1
    }

    pub(crate) fn graph(&mut self, heap: &SymHeap) -> Result<Graph, Reason> {
        if !heap.constraints().is_empty() {
            return Err(Reason::Arithmetic);
        }
        let mut graph = Graph { open: heap.is_open(), ..Graph::default() };
        for (a, b) in heap.equations() {
            graph.equal.push((self.vertex(heap, *a)?, self.vertex(heap, *b)?));
        }
        for (a, b) in heap.disequations() {
            graph.different.push((self.vertex(heap, *a)?, self.vertex(heap, *b)?));
        }
        for cell in heap.cells() {
            let [target] = cell.fields.as_slice() else { return Err(Reason::SeveralFields) };
            let (from, to) = (self.vertex(heap, cell.addr)?, self.vertex(heap, *target)?);
            graph.edges.push(Edge { from, to, solid: true });
        }
        for call in heap.calls() {
            let (root, end) = self.logic.segment(self.scope, call.pred)?;
            let [_, _] = call.args.as_slice() else { return Err(Reason::IllSorted) };
            let (Some(from), Some(to)) = (call.args.get(root), call.args.get(end)) else {
                return Err(Reason::IllSorted);
            };
            let (from, to) = (self.vertex(heap, *from)?, self.vertex(heap, *to)?);
            graph.edges.push(Edge { from, to, solid: false });
        }
        graph.size = self.size();
        Ok(graph)
    }

    fn vertex(&mut self, heap: &SymHeap, var: Var) -> Result<Vertex, Reason> {
        self.logic.check(self.scope, self.scope.sort_in(heap, var))?;
        if self.scope.is_nil(var) {
            return Ok(NIL);
        }
        let known = self.vars.iter().position(|known| *known == var);
        let place = known.unwrap_or_else(|| {
            self.vars.push(var);
            self.vars.len() - 1
        });
        Ok(place + 1)
    }

    /// The model in which only those vertices are the same that the state says, and segments have
    /// this length. What a graph leaves open is one more location that nothing leads to.
    pub(crate) fn model(&self, graph: &Graph, state: &State, length: usize) -> Model {
        let mut next = 0;
        let mut numbers: BTreeMap<Vertex, Loc> = BTreeMap::from([(state.find(NIL), Loc::NIL)]);
        let mut fresh = || {
            next += 1;
            Loc(next)
        };
        let mut model = Model::default();
        for (place, var) in self.vars.iter().enumerate() {
            if let Some(var) = self.scope.var(*var) {
                let loc = *numbers.entry(state.find(place + 1)).or_insert_with(&mut fresh);
                model.stack.insert(var.name.clone(), Value::Loc(loc));
            }
        }
        for edge in state.edges(graph) {
            let from = *numbers.entry(state.find(edge.from)).or_insert_with(&mut fresh);
            let to = *numbers.entry(state.find(edge.to)).or_insert_with(&mut fresh);
            let mut at = from;
            for _ in 1..if edge.solid { 1 } else { length } {
                let inner = fresh();
                self.link(&mut model, at, inner);
                at = inner;
            }
            self.link(&mut model, at, to);
        }
        if graph.open {
            let extra = fresh();
            self.link(&mut model, extra, Loc::NIL);
        }
        model
    }

    fn link(&self, model: &mut Model, from: Loc, to: Loc) {
        let sort = self.logic.sort.clone();
        let target = Value::Loc(to);
        let content = if self.logic.is_record { Value::Record(vec![target]) } else { target };
        model.heap.insert(from, Object { sort, content });
    }
}
