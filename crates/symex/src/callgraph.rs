//! Which functions call each other, and in which order they are to be verified.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use viper::core::{Expr, ExprKind, Program};

/// The order in which functions are verified.
pub(crate) struct CallGraph {
    /// A number for each function. Two functions have the same if and only if they call each other,
    /// perhaps by way of others; all others that a function calls have smaller ones.
    pub(crate) heights: Vec<usize>,
    /// Pairs of heights: the first must be done before the second is begun. Besides calls these are
    /// calls in the bodies of predicates that a function unfolds. Functions that lead to each other
    /// in this way only are in the order of their heights.
    pub(crate) before: BTreeSet<(usize, usize)>,
    /// Which functions call themselves, perhaps by way of others.
    pub(crate) recursive: Vec<bool>,
}

/// Finds out which functions call which.
pub(crate) fn call_graph(program: &Program) -> CallGraph {
    let count = program.functions.len();
    let graph = uses(program);
    let calls: Vec<Vec<usize>> = graph[..count]
        .iter()
        .map(|used| used.iter().copied().filter(|node| *node < count).collect())
        .collect();
    let heights = numbers(&calls, count);
    let wider = numbers(&graph, count);
    let mut before = BTreeSet::new();
    let mut recursive = vec![false; count];
    for function in 0..count {
        for callee in &calls[function] {
            if heights[*callee] == heights[function] {
                recursive[function] = true;
            } else {
                before.insert((heights[*callee], heights[function]));
            }
        }
        for callee in callees(&graph, count, function) {
            if wider[callee] != wider[function] {
                before.insert((heights[callee], heights[function]));
            }
        }
    }
    let mut groups: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for function in 0..count {
        groups.entry(wider[function]).or_default().insert(heights[function]);
    }
    for group in groups.values() {
        before.extend(group.iter().copied().zip(group.iter().copied().skip(1)));
    }
    CallGraph { heights, before, recursive }
}

/// For each of the first `count` nodes, the number of its component among those that have such nodes.
fn numbers(graph: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut numbers = vec![0; count];
    let mut number = 0;
    for component in components(graph) {
        let nodes: Vec<usize> = component.into_iter().filter(|node| *node < count).collect();
        nodes.iter().for_each(|node| numbers[*node] = number);
        number += usize::from(!nodes.is_empty());
    }
    numbers
}

/// The functions that one leads to directly or by way of predicates, sorted.
fn callees(graph: &[Vec<usize>], count: usize, function: usize) -> Vec<usize> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut pending = vec![function];
    while let Some(node) = pending.pop() {
        for &used in &graph[node] {
            if used < count {
                found.insert(used);
            } else if seen.insert(used) {
                pending.push(used);
            }
        }
    }
    found.into_iter().collect()
}

/// For each function, then for each predicate, what it uses. Predicates only pass calls on.
fn uses(program: &Program) -> Vec<Vec<usize>> {
    let functions = program.functions.len();
    let users = program
        .functions
        .iter()
        .map(|function| used(function.pres.iter().chain(&function.posts).chain(&function.body)))
        .chain(program.predicates.iter().map(|predicate| used(predicate.body.iter())));
    users
        .map(|(called, unfolded)| {
            let unfolded = unfolded.into_iter().map(|predicate| functions + predicate);
            called.into_iter().chain(unfolded).collect()
        })
        .collect()
}

/// The functions that expressions call and the predicates that they unfold.
fn used<'p>(exprs: impl Iterator<Item = &'p Arc<Expr>>) -> (Vec<usize>, Vec<usize>) {
    let (mut called, mut unfolded) = (Vec::new(), Vec::new());
    for e in exprs {
        e.walk(&mut |e| {
            match &e.kind {
                ExprKind::Call(function, _) => called.push(function.index()),
                ExprKind::Unfolding(access, _) => unfolded.push(access.predicate.index()),
                _ => {}
            }
            true
        });
    }
    (called, unfolded)
}

/// The strongly connected components of a graph, those that others lead to first (Tarjan).
fn components(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        graph,
        number: vec![None; graph.len()],
        low: vec![0; graph.len()],
        open: Vec::new(),
        is_open: vec![false; graph.len()],
        components: Vec::new(),
        count: 0,
    };
    for node in 0..graph.len() {
        if search.number[node].is_none() {
            search.visit(node);
        }
    }
    search.components
}

struct Search<'g> {
    graph: &'g [Vec<usize>],
    /// When a node was first seen.
    number: Vec<Option<usize>>,
    /// The smallest number of an open node that is known to be reached.
    low: Vec<usize>,
    /// Nodes whose component is not complete.
    open: Vec<usize>,
    is_open: Vec<bool>,
    components: Vec<Vec<usize>>,
    count: usize,
}

impl Search<'_> {
    /// Visits everything that is reached from a node. Calls may form long chains, so there is no
    /// recursion.
    fn visit(&mut self, root: usize) {
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((node, tried)) = path.last_mut() {
            let node = *node;
            let Some(&to) = self.graph[node].get(*tried) else {
                path.pop();
                self.leave(node);
                if let Some(&(caller, _)) = path.last() {
                    self.low[caller] = self.low[caller].min(self.low[node]);
                }
                continue;
            };
            *tried += 1;
            match self.number[to] {
                None => {
                    self.enter(to);
                    path.push((to, 0));
                }
                Some(number) if self.is_open[to] => self.low[node] = self.low[node].min(number),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.number[node] = Some(self.count);
        self.low[node] = self.count;
        self.count += 1;
        self.open.push(node);
        self.is_open[node] = true;
    }

    /// Completes the component of a node that reaches no earlier open node.
    fn leave(&mut self, node: usize) {
        if self.number[node] != Some(self.low[node]) {
            return;
        }
        let start = self.open.iter().rposition(|open| *open == node).unwrap_or_default();
        let component = self.open.split_off(start);
        component.iter().for_each(|member| self.is_open[*member] = false);
        self.components.push(component);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use report::SourceMap;
    use viper::loader::{DiskFiles, load_text};

    use super::*;

    fn heights(text: &str) -> Vec<usize> {
        graph(text).heights
    }

    fn graph(text: &str) -> CallGraph {
        let mut sources = SourceMap::new();
        let file = sources.add("test.vpr", text);
        let loaded = load_text(&DiskFiles, &mut sources, file, Path::new("test.vpr"));
        let checked = viper::check(&loaded.program);
        assert!(checked.program.is_some(), "{:?}", checked.diagnostics);
        call_graph(&checked.program.unwrap_or_default())
    }

    #[test]
    fn callees_come_first() {
        let text = "function f(): Int { g() + h() }
            function g(): Int requires h() > 0
            function h(): Int ensures result > i()
            function i(): Int { 1 }";
        assert_eq!(heights(text), [3, 2, 1, 0]);
    }

    #[test]
    fn functions_that_call_each_other_are_at_one_height() {
        let text = "function top(x: Int): Int { even(x) ? other(x) : 1 }
            function even(x: Int): Bool { x == 0 || !odd(x - 1) }
            function odd(x: Int): Bool { x != 0 && even(x - 1) && leaf(x) }
            function leaf(x: Int): Bool { x > 1 }
            function other(x: Int): Int { x == 0 ? 0 : other(x - 1) }";
        assert_eq!(heights(text), [3, 1, 1, 0, 2]);
    }

    #[test]
    fn predicates_pass_calls_on() {
        let text = "field v: Int
            predicate P(x: Ref) { acc(x.v) && g(x.v) > 0 }
            predicate Q(x: Ref) { acc(P(x)) && (unfolding P(x) in x.v > 0) }
            function f(x: Ref): Int requires Q(x) { unfolding Q(x) in 1 }
            function g(x: Int): Int { x }
            function h(x: Ref): Int requires acc(P(x)) { 1 }";
        let graph = graph(text);
        let (f, g) = (graph.heights[0], graph.heights[1]);
        assert!(graph.before.contains(&(g, f)), "{:?}", graph.before);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let mut text = String::from("function f0(): Int { 1 }\n");
        for i in 1..5000 {
            text.push_str(&format!("function f{i}(): Int {{ f{}() }}\n", i - 1));
        }
        assert_eq!(heights(&text), (0..5000).collect::<Vec<_>>());
        let turned = text.lines().rev().collect::<Vec<_>>().join("\n");
        assert_eq!(heights(&turned), (0..5000).rev().collect::<Vec<_>>());
    }
}
