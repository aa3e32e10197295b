//! Graphs as text: a line for each node with the edges that leave it, then a line for each loop.
//!
//! ```text
//! 0: loop 0 -> 1
//! 1: while i < n -> 2 -> 3 leaves 0
//! 2: i := i + 1 -> 0 again
//! 3: exit
//! loop 0: [0 <= i] writes [i]
//! ```

use std::fmt::Write;

use report::{Pos, SourceMap};
use viper::core::Method;

use super::{Cfg, Edge, LoopId, NodeId, NodeKind};

/// The graph of the body of a method. Statements and conditions are shown by the first of their lines.
pub(super) fn print(cfg: &Cfg<'_>, method: &Method, sources: &SourceMap) -> String {
    let mut out = String::new();
    if cfg.entry != NodeId(0) {
        let _ = writeln!(out, "start at {}", cfg.entry.0);
    }
    for (i, node) in (0..).zip(&cfg.nodes) {
        let what = match &node.kind {
            NodeKind::Stmt { stmt, .. } => first_line(sources, stmt.pos).to_string(),
            NodeKind::Label { label, .. } => format!("label {}", method.labels[label.index()]),
            NodeKind::Branch { cond, loop_guard, .. } => {
                let keyword = if *loop_guard { "while" } else { "if" };
                format!("{keyword} {}", first_line(sources, cond.pos))
            }
            NodeKind::LoopHead { id, .. } => format!("loop {}", id.0),
            NodeKind::Exit => "exit".to_string(),
        };
        let _ = write!(out, "{i}: {what}");
        for edge in node.kind.edges() {
            let back = if edge.back { " again" } else { "" };
            let _ = write!(out, " -> {}{back}", edge.to.0);
            for left in left(cfg, NodeId(i), edge) {
                let _ = write!(out, " leaves {}", left.0);
            }
        }
        out.push('\n');
    }
    for (i, this) in cfg.loops.iter().enumerate() {
        let written = this.written.iter().map(|id| method.locals[id.index()].name.to_string());
        let written = written.collect::<Vec<_>>().join(" ");
        let invariants = this.invariants.iter().map(|e| first_line(sources, e.pos));
        let invariants = invariants.collect::<Vec<_>>().join(", ");
        let parent = this.parent.map_or(String::new(), |p| format!(" in {}", p.0));
        let _ = writeln!(out, "loop {i}{parent}: [{invariants}] writes [{written}]");
    }
    for pos in &cfg.idle_invariants {
        let _ = writeln!(out, "idle: {}", first_line(sources, *pos));
    }
    out
}

/// The first line of what is written at a position.
pub(super) fn first_line(sources: &SourceMap, pos: Pos) -> &str {
    let text = pos.span().and_then(|span| sources.text(span)).unwrap_or_default();
    text.lines().next().unwrap_or_default()
}

/// The loops around a node, innermost first.
pub(super) fn loops_around(cfg: &Cfg<'_>, node: NodeId) -> impl Iterator<Item = LoopId> {
    std::iter::successors(cfg.node(node).innermost, |id| cfg.loop_(*id).parent)
}

/// The loops that an edge of a node leaves, innermost first.
pub(super) fn left(cfg: &Cfg<'_>, from: NodeId, edge: &Edge) -> impl Iterator<Item = LoopId> {
    loops_around(cfg, from).take(edge.leaves as usize)
}
