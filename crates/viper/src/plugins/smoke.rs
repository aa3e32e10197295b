//! Smoke detection: where `false` can be proven, something is wrong with the specification.
//!
//! `refute false` is placed at the end of every method, at the end of every loop body and of every
//! branch that is not empty, after every `inhale` and `assume`, and before every `goto`; except
//! where the user said `unreachable` before.

use std::collections::HashSet;
use std::sync::Arc;

use report::Pos;

use super::refute::must_fail;
use crate::core::{Block, Expr, Info, LabelId, Program, Stmt, StmtKind};

/// Adds the refutations.
pub(super) fn apply(program: &mut Program) {
    for method in &mut program.methods {
        let pos = method.pos;
        method.body = method.body.take().map(|body| {
            let mut body = add_refutations(body);
            body.stmts.push(refute_false(pos));
            Reachability::default().prune(body)
        });
    }
}

/// Removes the `unreachable` statements.
pub(super) fn remove_unreachable(program: &mut Program) {
    for method in &mut program.methods {
        method.body = method.body.take().map(|body| {
            body.flat_map(&mut |stmt| match stmt.kind {
                StmtKind::Unreachable => Vec::new(),
                _ => vec![stmt],
            })
        });
    }
}

fn refute_false(pos: Pos) -> Stmt {
    let report = must_fail(pos, "`false` holds here: this place cannot be reached.");
    let info = Info { annotations: Vec::new(), report: Some(report) };
    let kind = StmtKind::Refute(Expr::bool(false, pos));
    Stmt { kind, pos, info: Some(Arc::new(info)) }
}

/// Was it made by [`refute_false`]?
fn is_ours(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Refute(_))
        && stmt.info.as_ref().is_some_and(|info| info.report.is_some())
}

fn add_refutations(body: Block) -> Block {
    let close = |mut block: Block| {
        block.stmts.push(refute_false(block.pos));
        block
    };
    let close_unless_empty = |block: Block| {
        if block.stmts.is_empty() { block } else { close(block) }
    };
    body.flat_map(&mut |stmt| {
        let pos = stmt.pos;
        match &stmt.kind {
            StmtKind::Inhale(_) | StmtKind::Assume(_) => vec![stmt, refute_false(pos)],
            StmtKind::Goto(_) => vec![refute_false(pos), stmt],
            StmtKind::While { .. } => vec![stmt.map_blocks(close)],
            StmtKind::If(..) => vec![stmt.map_blocks(close_unless_empty)],
            _ => vec![stmt],
        }
    })
}

/// Which places come after an `unreachable` on every way to them.
#[derive(Default)]
struct Reachability {
    /// Labels that a `goto` leads to from a place that is not marked.
    live_labels: HashSet<LabelId>,
}

impl Reachability {
    /// Removes the refutations at marked places. A jump backwards may show that a label is not
    /// marked after all, so the walk is repeated until nothing changes.
    fn prune(mut self, body: Block) -> Block {
        loop {
            let known = self.live_labels.len();
            let mut marked = false;
            let pruned = self.block(&body, &mut marked);
            if self.live_labels.len() == known {
                return pruned;
            }
        }
    }

    fn block(&mut self, block: &Block, marked: &mut bool) -> Block {
        let stmts = block.stmts.iter().filter_map(|stmt| self.stmt(stmt, marked)).collect();
        Block { stmts, pos: block.pos }
    }

    fn stmt(&mut self, stmt: &Stmt, marked: &mut bool) -> Option<Stmt> {
        match &stmt.kind {
            StmtKind::Unreachable => *marked = true,
            StmtKind::Refute(_) if *marked && is_ours(stmt) => return None,
            StmtKind::Goto(label) if !*marked => {
                self.live_labels.insert(*label);
            }
            StmtKind::Label(label, _) => *marked &= !self.live_labels.contains(label),
            StmtKind::If(cond, then, otherwise) => {
                let (mut then_marked, mut otherwise_marked) = (*marked, *marked);
                let then = self.block(then, &mut then_marked);
                let otherwise = self.block(otherwise, &mut otherwise_marked);
                *marked = then_marked && otherwise_marked;
                let kind = StmtKind::If(Arc::clone(cond), then, otherwise);
                return Some(Stmt { kind, ..stmt.clone() });
            }
            StmtKind::While { .. } | StmtKind::Package(..) => {
                // The loop may be left before its body is entered.
                let mut body_marked = *marked;
                return Some(stmt.clone().map_blocks(|body| self.block(&body, &mut body_marked)));
            }
            StmtKind::Block(_) => {
                return Some(stmt.clone().map_blocks(|block| self.block(&block, marked)));
            }
            _ => {}
        }
        Some(stmt.clone())
    }
}
