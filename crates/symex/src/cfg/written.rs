//! Which variables statements change.

use std::collections::{HashMap, HashSet};

use viper::core::{Block, LocalId, Stmt, StmtKind};

use super::{Loop, LoopId, Node, NodeKind};

/// The variables that a block assigns to and does not declare, sorted.
pub(crate) fn written_locals(block: &Block) -> Vec<LocalId> {
    let mut assigned = Vec::new();
    let mut declared = HashSet::new();
    block.walk_stmts(&mut |stmt| {
        match &stmt.kind {
            StmtKind::Var(local) => {
                declared.insert(*local);
            }
            _ => targets(stmt, &mut assigned),
        }
        true
    });
    assigned.retain(|local| !declared.contains(local));
    assigned.sort_unstable();
    assigned.dedup();
    assigned
}

/// Adds the variables that a statement itself assigns to, not those of blocks in it.
fn targets(stmt: &Stmt, out: &mut Vec<LocalId>) {
    match &stmt.kind {
        StmtKind::Assign(target, _) | StmtKind::New(target, _) => out.push(*target),
        StmtKind::Call { targets, .. } => out.extend(targets),
        _ => {}
    }
}

/// Fills in [`Loop::written`].
///
/// Without jumps a declaration comes before all uses of its variable, so that the loop it is in
/// carries nothing over. With jumps a declaration is one more way to change the variable.
pub(super) fn fill_in(loops: &mut [Loop<'_>], nodes: &[Node<'_>], has_jumps: bool) {
    let mut declared_in: HashMap<LocalId, LoopId> = HashMap::new();
    for node in nodes {
        let (NodeKind::Stmt { stmt, .. }, Some(id)) = (&node.kind, node.innermost) else {
            continue;
        };
        let written = &mut loops[id.index()].written;
        match &stmt.kind {
            StmtKind::Var(local) if has_jumps => written.push(*local),
            StmtKind::Var(local) => {
                declared_in.insert(*local, id);
            }
            StmtKind::Package(_, script) => written.extend(written_locals(script)),
            _ => targets(stmt, written),
        }
    }
    for id in (0..loops.len() as u32).map(LoopId).rev() {
        let this = &mut loops[id.index()];
        this.written.retain(|local| declared_in.get(local) != Some(&id));
        this.written.sort_unstable();
        this.written.dedup();
        if let Some(parent) = this.parent {
            let inner = this.written.clone();
            loops[parent.index()].written.extend(inner);
        }
    }
}
