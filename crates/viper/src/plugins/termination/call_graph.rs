//! Who calls whom, and who may thereby call himself.

use crate::core::{ExprKind, Program, StmtKind};

/// The strongly connected components of a graph whose nodes are `0..n`.
#[derive(Debug)]
pub(super) struct Components(Vec<usize>);

impl Components {
    /// The components of a graph given by the successors of each node.
    pub(super) fn new(successors: &[Vec<usize>]) -> Components {
        Tarjan::new(successors).run()
    }

    /// May each of the two lead to the other? Every node counts as leading to itself.
    pub(super) fn together(&self, a: usize, b: usize) -> bool {
        a == b || self.0.get(a).is_some_and(|component| self.0.get(b) == Some(component))
    }
}

/// Tarjan's algorithm with an explicit stack, since call chains of generated programs are long.
struct Tarjan<'g> {
    successors: &'g [Vec<usize>],
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    component: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    visited: usize,
    components: usize,
}

impl<'g> Tarjan<'g> {
    fn new(successors: &'g [Vec<usize>]) -> Tarjan<'g> {
        let n = successors.len();
        Tarjan {
            successors,
            order: vec![None; n],
            low: vec![0; n],
            component: vec![0; n],
            open: Vec::new(),
            is_open: vec![false; n],
            visited: 0,
            components: 0,
        }
    }

    fn run(mut self) -> Components {
        for node in 0..self.successors.len() {
            if self.order[node].is_none() {
                self.explore(node);
            }
        }
        Components(self.component)
    }

    fn explore(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(&successor) = self.successors[node].get(*next) {
                *next += 1;
                match self.order[successor] {
                    None => {
                        self.enter(successor);
                        path.push((successor, 0));
                    }
                    Some(order) if self.is_open[successor] => {
                        self.low[node] = self.low[node].min(order);
                    }
                    Some(_) => {}
                }
            } else {
                path.pop();
                if let Some((parent, _)) = path.last() {
                    self.low[*parent] = self.low[*parent].min(self.low[node]);
                }
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = Some(self.visited);
        self.low[node] = self.visited;
        self.visited += 1;
        self.open.push(node);
        self.is_open[node] = true;
    }

    fn leave(&mut self, node: usize) {
        if self.order[node] != Some(self.low[node]) {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.is_open[member] = false;
            self.component[member] = self.components;
            if member == node {
                break;
            }
        }
        self.components += 1;
    }
}

/// Which parts of a function count as calling.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    /// Preconditions and postconditions.
    pub(super) contract: bool,
    /// Termination measures.
    pub(super) decreases: bool,
    /// The body.
    pub(super) body: bool,
}

/// The functions that parts of a function call.
pub(super) fn calls_of_function(program: &Program, function: usize, parts: Parts) -> Vec<usize> {
    let mut calls = Vec::new();
    let Some(function) = program.functions.get(function) else { return calls };
    let mut visit = |e: &std::sync::Arc<crate::core::Expr>| {
        e.walk(&mut |e| {
            if let ExprKind::Call(callee, _) = e.kind {
                calls.push(callee.index());
            }
            true
        });
    };
    if parts.contract {
        function.pres.iter().chain(&function.posts).for_each(&mut visit);
    }
    if parts.decreases {
        function.decreases.iter().for_each(|clause| clause.for_each_expr(&mut visit));
    }
    if parts.body {
        function.body.iter().for_each(&mut visit);
    }
    calls
}

/// Functions that call each other in these parts.
pub(super) fn recursive_functions(program: &Program, parts: Parts) -> Components {
    let successors: Vec<_> =
        (0..program.functions.len()).map(|f| calls_of_function(program, f, parts)).collect();
    Components::new(&successors)
}

/// Methods that call each other in their bodies.
pub(super) fn recursive_methods(program: &Program) -> Components {
    let successors: Vec<_> = program
        .methods
        .iter()
        .map(|method| {
            let mut calls = Vec::new();
            if let Some(body) = &method.body {
                body.walk_stmts(&mut |stmt| {
                    if let StmtKind::Call { method, .. } = stmt.kind {
                        calls.push(method.index());
                    }
                    true
                });
            }
            calls
        })
        .collect();
    Components::new(&successors)
}

#[cfg(test)]
mod tests {
    use super::Components;

    #[test]
    fn mutual_recursion_is_one_component() {
        let graph = [vec![1], vec![2], vec![0, 3], vec![3], vec![0]];
        let components = Components::new(&graph);
        assert!(components.together(0, 1) && components.together(1, 2));
        assert!(!components.together(2, 3));
        assert!(!components.together(4, 0));
        assert!(components.together(4, 4));
    }
}
