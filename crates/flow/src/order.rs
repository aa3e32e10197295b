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
    /// The same tree in preorder: each node before those below it.
    pub preorder: Vec<usize>,
    /// For each node the range of `preorder` with itself and all that is below it.
    below: Vec<(usize, usize)>,
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
            preorder: Vec::new(),
            below: vec![(usize::MAX, 0); count],
        };
        if graph.entry() >= count {
            return order;
        }
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut path = Vec::new();
        let enter = |node: usize,
                     order: &mut Order,
                     path: &mut Vec<(usize, usize)>,
                     successors: &mut Vec<Vec<usize>>| {
            let list = &mut successors[node];
            graph.successors(node, &mut |to| {
                if to < count && !list.contains(&to) {
                    list.push(to);
                }
            });
            order.below[node].0 = order.preorder.len();
            order.preorder.push(node);
            path.push((node, 0));
        };
        enter(graph.entry(), &mut order, &mut path, &mut successors);
        // Bodies may be long: no recursion.
        while let Some((node, tried)) = path.last_mut() {
            let node = *node;
            match successors[node].get(*tried).copied() {
                Some(to) => {
                    *tried += 1;
                    order.predecessors[to].push(node);
                    if !order.reaches(to) {
                        enter(to, &mut order, &mut path, &mut successors);
                    }
                }
                None => {
                    order.nodes.push(node);
                    order.below[node].1 = order.preorder.len();
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

    /// Can a node be reached?
    #[must_use]
    pub fn reaches(&self, node: usize) -> bool {
        self.below.get(node).is_some_and(|(start, _)| *start != usize::MAX)
    }

    /// Is `lower` the same node as `upper`, or below it in the tree? An edge from there to `upper` goes
    /// back.
    #[must_use]
    pub fn is_above(&self, upper: usize, lower: usize) -> bool {
        let (start, end) = self.below[upper];
        self.reaches(lower) && (start..end).contains(&self.below[lower].0)
    }
}
