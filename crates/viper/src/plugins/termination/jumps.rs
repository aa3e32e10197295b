//! Loops that are made by `goto`.
//!
//! Viper has no measure for them, so a method that must terminate must not go round one. Such a
//! loop is cut at its jumps backwards: each of them is checked never to be taken while termination
//! is claimed.
//!
//! ```text
//! while (c) { s }    start: s; end       end -> start is the edge that the measure is for
//!                    before -> start, before -> after, end -> after
//! ```
//!
//! Why that is enough. Take an infinite run, and the edges that it takes infinitely often. The
//! measure of a `while` decreases from one `end -> start` to the next, whatever happens in between,
//! unless `before -> start` is taken: so a loop that goes round infinitely often is also entered
//! infinitely often. Then every point that is passed infinitely often is also reached infinitely
//! often by an edge that is not `end -> start`, and such edges make a cycle. All of them but jumps
//! lead forwards in the text, so that a jump backwards is part of the cycle.

use std::collections::HashMap;

use super::call_graph::Components;
use super::measures::Specification;
use crate::core::{Block, LabelId, Stmt, StmtKind};

/// Of all `goto`s of a body, in source order: does it close a loop that has no measure, or enter a
/// loop whose measure is then not checked?
pub(super) fn unmeasured(body: &Block) -> Vec<bool> {
    let mut graph = Graph::default();
    let start = graph.point();
    graph.block(body, start);
    let components = Components::new(&graph.successors);
    let is_unmeasured = |jump: &Jump| {
        let Some(label) = graph.labels.get(&jump.to) else { return true };
        let closes = label.order <= jump.order && components.together(jump.from, label.point);
        // The claims of these loops are checked where they are entered from the top only.
        let mut entered = label.loops.iter().filter(|l| !jump.loops.contains(l));
        closes || entered.any(|id| !graph.unconditional.get(*id).is_some_and(|yes| *yes))
    };
    graph.jumps.iter().map(is_unmeasured).collect()
}

#[derive(Default)]
struct Graph {
    /// By point; without the edges that measures are for.
    successors: Vec<Vec<usize>>,
    labels: HashMap<LabelId, Label>,
    jumps: Vec<Jump>,
    /// Of all `while` loops: do they claim to terminate in any case?
    unconditional: Vec<bool>,
    /// Those around the current statement.
    loops: Vec<usize>,
    /// Counts labels and jumps in source order.
    order: usize,
    /// Points of labels that were jumped to but not met so far.
    awaited: HashMap<LabelId, usize>,
}

struct Label {
    point: usize,
    order: usize,
    loops: Vec<usize>,
}

struct Jump {
    from: usize,
    to: LabelId,
    order: usize,
    loops: Vec<usize>,
}

impl Graph {
    fn point(&mut self) -> usize {
        self.successors.push(Vec::new());
        self.successors.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize) {
        if let Some(successors) = self.successors.get_mut(from) {
            successors.push(to);
        }
    }

    fn point_after(&mut self, from: usize) -> usize {
        let to = self.point();
        self.edge(from, to);
        to
    }

    fn label(&mut self, label: LabelId) -> usize {
        if let Some(point) = self.awaited.get(&label) {
            return *point;
        }
        let point = self.point();
        self.awaited.insert(label, point);
        point
    }

    fn block(&mut self, block: &Block, from: usize) -> usize {
        block.stmts.iter().fold(from, |from, stmt| self.stmt(stmt, from))
    }

    /// The point where the statement ends.
    fn stmt(&mut self, stmt: &Stmt, from: usize) -> usize {
        match &stmt.kind {
            StmtKind::If(_, then, otherwise) => {
                let start = self.point_after(from);
                let then = self.block(then, start);
                let start = self.point_after(from);
                let otherwise = self.block(otherwise, start);
                let end = self.point_after(then);
                self.edge(otherwise, end);
                end
            }
            StmtKind::While { decreases, body, .. } => {
                let claim = Specification::new(decreases).termination_condition(stmt.pos);
                self.loops.push(self.unconditional.len());
                self.unconditional.push(claim.is_none());
                let start = self.point_after(from);
                let end = self.block(body, start);
                self.loops.pop();
                let after = self.point_after(end);
                self.edge(from, after);
                after
            }
            StmtKind::Block(block) | StmtKind::Package(_, block) => self.block(block, from),
            StmtKind::Label(label, _) => {
                let point = self.label(*label);
                self.edge(from, point);
                self.order += 1;
                let label_here = Label { point, order: self.order, loops: self.loops.clone() };
                self.labels.insert(*label, label_here);
                point
            }
            StmtKind::Goto(label) => {
                let point = self.label(*label);
                self.edge(from, point);
                self.order += 1;
                let loops = self.loops.clone();
                self.jumps.push(Jump { from, to: *label, order: self.order, loops });
                self.point()
            }
            _ => from,
        }
    }
}
