//! Formulas as graphs, and models of graphs.

use std::collections::BTreeMap;

use crate::ListLogic;
use crate::saturate::State;
use sl::formula::{Formula, Kind};
use sl::{Loc, Model, Name, Object, Reason, SymbolicHeap, Term, TermKind, Value, Var};

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

/// A formula of the fragment.
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
    vertices: BTreeMap<Name, Vertex>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(logic: &'a ListLogic) -> Builder<'a> {
        Builder { logic, vertices: BTreeMap::new() }
    }

    /// The number of vertices so far.
    pub(crate) fn size(&self) -> usize {
        self.vertices.len() + 1
    }

    /// Makes vertices of all stack variables of a formula, so that models have values for them.
    pub(crate) fn add_variables(&mut self, formula: &Formula) -> Result<(), Reason> {
        for var in formula.free_vars() {
            self.vertex(&Term::var(var))?;
        }
        Ok(())
    }

    pub(crate) fn graph(&mut self, heap: &SymbolicHeap) -> Result<Graph, Reason> {
        let mut graph = Graph { open: heap.open, ..Graph::default() };
        for atom in &heap.pure {
            match atom.kind() {
                Kind::Eq(a, b) => graph.equal.push((self.vertex(a)?, self.vertex(b)?)),
                Kind::Ne(a, b) => graph.different.push((self.vertex(a)?, self.vertex(b)?)),
                _ => return Err(Reason::Arithmetic),
            }
        }
        for atom in &heap.spatial {
            let edge = self.edge(atom)?;
            graph.edges.push(edge);
        }
        graph.size = self.size();
        Ok(graph)
    }

    fn edge(&mut self, atom: &Formula) -> Result<Edge, Reason> {
        match atom.kind() {
            Kind::PointsTo(loc, content) => {
                let target = match content.kind() {
                    TermKind::Record(_, values) => match values.as_slice() {
                        [only] => only,
                        _ => return Err(Reason::SeveralFields),
                    },
                    _ => content,
                };
                Ok(Edge { from: self.vertex(loc)?, to: self.vertex(target)?, solid: true })
            }
            Kind::Pred(name, args) => {
                let Some(&(root, end)) = self.logic.segments.get(name) else {
                    return Err(Reason::NoSegment(name.clone()));
                };
                let (Some(from), Some(to)) = (args.get(root), args.get(end)) else {
                    return Err(Reason::unsupported(format!("`{name}` lacks an argument")));
                };
                Ok(Edge { from: self.vertex(from)?, to: self.vertex(to)?, solid: false })
            }
            _ => Err(Reason::NoSymbolicHeap),
        }
    }

    fn vertex(&mut self, term: &Term) -> Result<Vertex, Reason> {
        if term.sort() != self.logic.loc {
            return Err(Reason::Data(term.sort()));
        }
        match term.kind() {
            TermKind::Nil(_) => Ok(NIL),
            TermKind::Var(Var { name, .. }) => {
                let next = self.vertices.len() + 1;
                Ok(*self.vertices.entry(name.clone()).or_insert(next))
            }
            _ => Err(Reason::unsupported("there is a term that is no variable")),
        }
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
        for (name, vertex) in &self.vertices {
            let loc = *numbers.entry(state.find(*vertex)).or_insert_with(&mut fresh);
            model.stack.insert(name.clone(), Value::Loc(loc));
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
        let sort = self.logic.loc.clone();
        let target = Value::Loc(to);
        let content = if self.logic.is_record { Value::Record(vec![target]) } else { target };
        model.heap.insert(from, Object { sort, content });
    }
}
