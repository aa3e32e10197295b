//! `refute A`: the proof of `A` must fail.
//!
//! ```text
//! refute A   becomes   var nondet: Bool
//!                      if (nondet) { assert A; inhale false }
//! ```

use std::sync::Arc;

use report::{Diagnostic, Pos};

use super::build::{branch, nondet, stop};
use crate::core::{Block, Expr, Info, Local, Program, ReportAs, Stmt, StmtKind};

/// The error of a refutation that did not fail.
pub(super) fn must_fail(pos: Pos, message: &str) -> ReportAs {
    ReportAs::MustFail { id: "refute.failed:refutation.true".into(), pos, message: message.into() }
}

/// Replaces all `refute` statements.
pub(super) fn apply(program: &mut Program) {
    for method in &mut program.methods {
        let locals = &mut method.locals;
        method.body = method.body.take().map(|body| {
            body.flat_map(&mut |stmt| match &stmt.kind {
                StmtKind::Refute(e) => vec![replacement(&stmt, e, locals)],
                _ => vec![stmt],
            })
        });
    }
}

fn replacement(stmt: &Stmt, refuted: &Arc<Expr>, locals: &mut Vec<Local>) -> Stmt {
    let pos = stmt.pos;
    let mut info = stmt.info.as_deref().cloned().unwrap_or_default();
    if info.report.is_none() {
        let message = "The refuted assertion holds, or this statement cannot be reached.";
        info = Info { report: Some(must_fail(refuted.pos, message)), ..info };
    }
    let check =
        Stmt { kind: StmtKind::Assert(Arc::clone(refuted)), pos, info: Some(Arc::new(info)) };
    let (declaration, condition) = nondet(locals, "refuted", pos);
    let mut stmts = vec![declaration];
    stmts.extend(branch(condition, vec![check, stop(pos)], Vec::new(), pos));
    Stmt::new(StmtKind::Block(Block { stmts, pos }), pos)
}

/// Reports all `refute` statements as errors.
pub(super) fn refuse(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    for body in program.methods.iter().filter_map(|m| m.body.as_ref()) {
        body.walk_stmts(&mut |stmt| {
            if matches!(stmt.kind, StmtKind::Refute(_)) {
                let message = "`refute` is used, but switched off.";
                diagnostics.push(Diagnostic::error("consistency.error", stmt.pos, message));
            }
            true
        });
    }
}
