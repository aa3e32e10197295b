//! Depth-first orders.

use crate::Graph;

/// The nodes that can be reached, each before what it leads to unless an edge goes back.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Reverse postorder of a depth-first tree.
    pub nodes: Vec<usize>,
    /// For each node its place in `nodes`, unless it is unreachable.
    pub position: Vec<Option<usize>>,
    /// For each node from where it is reached, unreachable nodes left out.
    pub predecessors: Vec<Vec<usize>>,
}

impl Order {
    /// The order of a graph.
    #[must_use]
    pub fn new(graph: &dyn Graph) -> Order {
        let count = graph.len();
        let mut order = Order {
            nodes: Vec::new(),
            position: vec![None; count],
            predecessors: vec![Vec::new(); count],
        };
        if graph.entry() >= count {
            return order;
        }
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut seen = vec![false; count];
        let mut path = Vec::new();
        let enter =
            |node: usize, path: &mut Vec<(usize, usize)>, successors: &mut Vec<Vec<usize>>| {
                let list = &mut successors[node];
                graph.successors(node, &mut |to| {
                    if to < count && !list.contains(&to) {
                        list.push(to);
                    }
                });
                path.push((node, 0));
            };
        seen[graph.entry()] = true;
        enter(graph.entry(), &mut path, &mut successors);
        // Bodies may be long: no recursion.
        while let Some((node, tried)) = path.last_mut() {
            let node = *node;
            match successors[node].get(*tried).copied() {
                Some(to) => {
                    *tried += 1;
                    order.predecessors[to].push(node);
                    if !std::mem::replace(&mut seen[to], true) {
                        enter(to, &mut path, &mut successors);
                    }
                }
                None => {
                    order.nodes.push(node);
                    path.pop();
                }
            }
        }
        order.nodes.reverse();
        for (place, node) in order.nodes.iter().enumerate() {
            order.position[*node] = Some(place);
        }
        order
    }
}
