//! Termination: `decreases` clauses of functions, methods and loops.
//!
//! A call or a loop that may lead back to where it started must make the measure smaller in a
//! well-founded order; any other call must be known to terminate. The measures are tuples, compared
//! lexicographically with the domain functions `decreasing` and `bounded`, whose meaning for each
//! type is given by domains of the standard library or of the user ([`orders`]).
//!
//! - [`consistency`]: which clauses are allowed at all.
//! - [`functions`]: methods whose bodies follow the evaluation of a function ([`expressions`]) and
//!   assert that every call in it terminates; their permissions are wildcards ([`amounts`]).
//! - [`methods`]: assertions before calls and loops and at the end of loop bodies; [`jumps`]: loops
//!   that are made by `goto`.
//! - [`nested`]: what is known about predicate instances when a predicate is unfolded.

mod amounts;
mod call_graph;
mod consistency;
mod expressions;
mod functions;
mod jumps;
mod measures;
mod methods;
mod nested;
mod orders;

pub use consistency::check;
pub(super) use orders::{add as add_orders, bounded, decreasing};

use report::Diagnostic;

use super::build::Names;
use crate::core::{Block, Program, StmtKind};
use measures::Checks;

/// The domain of `decreasing` and `bounded`; also the end of the names of the domains that say what
/// they mean for a type.
pub(super) const ORDER_DOMAIN: &str = "WellFoundedOrder";

/// Adds all checks and removes all clauses.
pub(super) fn apply(program: &mut Program, diagnostics: &mut Vec<Diagnostic>) {
    if !has_clauses(program) {
        return;
    }
    let mut checks = Checks::new(program);
    let proofs = functions::proofs(program, &mut Names::new(program), &mut checks);
    let bodies = methods::bodies(program, &mut checks);
    diagnostics.append(&mut checks.diagnostics);
    for (method, (locals, body)) in program.methods.iter_mut().zip(bodies) {
        method.locals = locals;
        method.body = body;
    }
    program.methods.extend(proofs);
    remove(program);
}

fn has_clauses(program: &Program) -> bool {
    let in_loops = |body: &Block| {
        let mut found = false;
        body.walk_stmts(&mut |stmt| {
            if let StmtKind::While { decreases, .. } = &stmt.kind {
                found = found || !decreases.is_empty();
            }
            !found
        });
        found
    };
    program.functions.iter().any(|f| !f.decreases.is_empty())
        || program
            .methods
            .iter()
            .any(|m| !m.decreases.is_empty() || m.body.as_ref().is_some_and(in_loops))
}

/// Removes all clauses.
pub(super) fn remove(program: &mut Program) {
    for function in &mut program.functions {
        function.decreases.clear();
    }
    for method in &mut program.methods {
        method.decreases.clear();
        method.body = method.body.take().map(remove_from_loops);
    }
}

fn remove_from_loops(body: Block) -> Block {
    body.flat_map(&mut |mut stmt| {
        if let StmtKind::While { decreases, .. } = &mut stmt.kind {
            decreases.clear();
        }
        vec![stmt]
    })
}
