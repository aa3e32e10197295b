//! Numbers that are worth trying as inputs: those that the program itself mentions, and their neighbours.

use std::collections::BTreeSet;
use std::sync::Arc;

use heap::{Action, Expr, LocId, Program};

/// So many are collected; more would only make each of them rare.
const MOST: usize = 256;

/// The constants of the program's conditions, assertions and assignments, each with its neighbours: conditions
/// change their truth there.
pub(super) fn of(program: &Program) -> Arc<[i128]> {
    let mut found = BTreeSet::from([0, 1]);
    for body in program.procs.iter().filter_map(|proc| proc.body.as_ref()) {
        for at in 0..body.locations.len() {
            for (action, _) in body.edges(LocId(at as u32)) {
                match action {
                    Action::Do(command) => command.for_each_expr(&mut |e| constants(e, &mut found)),
                    Action::When(condition, _) => constants(condition, &mut found),
                    Action::Skip => {}
                }
            }
        }
        if found.len() >= MOST {
            break;
        }
    }
    found.into_iter().take(MOST).collect()
}

fn constants(e: &Expr, found: &mut BTreeSet<i128>) {
    e.for_each(&mut |part| {
        if let Expr::Int(n) = part {
            found.extend([n.saturating_sub(1), *n, n.saturating_add(1)]);
        }
    });
}
