//! Checks in method bodies: before calls, before loops, at the end of loop bodies, and before jumps
//! that make a loop.
//!
//! ```text
//! while (c) decreases e if d { s }
//! becomes
//! while (c) {
//!     old_T := e; old_C := d
//!     { s }
//!     assert !(old_C && c) || d
//!     assert old_C && c ==> e is smaller than old_T
//! }
//! ```

use std::sync::Arc;

use report::Pos;

use super::call_graph::{Components, recursive_methods};
use super::jumps;
use super::measures::{Blame, Call, Checks, Reason, Specification};
use super::nested;
use crate::core::rename::Renaming;
use crate::core::{BinOp, Block, Expr, Local, Method, MethodId, Program, Stmt, StmtKind};
use crate::plugins::build::{fresh, local, old};

/// The variables and bodies of all methods, with checks.
pub(super) fn bodies(program: &Program, checks: &mut Checks) -> Vec<(Vec<Local>, Option<Block>)> {
    let recursive = recursive_methods(program);
    let mut bodies = Vec::with_capacity(program.methods.len());
    for (i, method) in program.methods.iter().enumerate() {
        let mut checked = CheckedMethod {
            program,
            recursive: &recursive,
            id: MethodId(i as u32),
            specification: Specification::new(&method.decreases),
            locals: method.locals.clone(),
            checks,
            loops: 0,
            unmeasured: method.body.as_ref().map(jumps::unmeasured).unwrap_or_default().into_iter(),
        };
        let body = checked.body(method);
        bodies.push((checked.locals, body));
    }
    bodies
}

struct CheckedMethod<'a> {
    program: &'a Program,
    recursive: &'a Components,
    id: MethodId,
    specification: Specification<'a>,
    locals: Vec<Local>,
    checks: &'a mut Checks,
    loops: usize,
    /// For the `goto`s that follow: do they need a check?
    unmeasured: std::vec::IntoIter<bool>,
}

impl CheckedMethod<'_> {
    fn body(&mut self, method: &Method) -> Option<Block> {
        let body = method.body.clone()?;
        let mut instances = self.specification.has_predicate_instances(self.program);
        body.walk_stmts(&mut |stmt| {
            if let StmtKind::While { decreases, .. } = &stmt.kind {
                instances |= Specification::new(decreases).has_predicate_instances(self.program);
            }
            true
        });
        let body = body.flat_map(&mut |stmt| self.stmt(stmt));
        Some(if instances {
            nested::add(self.program, body, &mut self.locals, self.checks)
        } else {
            body
        })
    }

    fn stmt(&mut self, stmt: Stmt) -> Vec<Stmt> {
        match &stmt.kind {
            StmtKind::Call { method, args, .. } => {
                let mut stmts = self.call(*method, args, &stmt);
                stmts.push(stmt);
                stmts
            }
            StmtKind::While { .. } => self.whole_loop(stmt),
            StmtKind::Goto(_) => {
                let check = if self.unmeasured.next() == Some(false) {
                    None
                } else {
                    self.never_taken(stmt.pos)
                };
                check.into_iter().chain([stmt]).collect()
            }
            _ => vec![stmt],
        }
    }

    fn call(&mut self, callee: MethodId, args: &[Arc<Expr>], call: &Stmt) -> Vec<Stmt> {
        let method = self.program.method(callee);
        let mut renaming = Renaming::new(&method.locals, &mut self.locals);
        renaming.replace_params(args.iter().cloned());
        let call = Call {
            program: self.program,
            caller: self.specification,
            callee: Specification::new(&method.decreases),
            recursive: self.recursive.together(self.id.index(), callee.index()),
            blame: Blame { what: "Method", pos: call.pos },
        };
        self.checks.call(&call, &mut renaming)
    }

    /// A jump that is not taken while termination is claimed.
    fn never_taken(&self, pos: Pos) -> Option<Stmt> {
        let (clause, _) = self.specification.tuple?;
        let required = clause.condition.as_ref().map(old);
        let never = Some(Expr::bool(false, pos));
        let blame = Blame { what: "Method", pos };
        Checks::condition(required, never, Reason::Jump, blame)
    }

    fn whole_loop(&mut self, mut stmt: Stmt) -> Vec<Stmt> {
        let pos = stmt.pos;
        let StmtKind::While { cond, decreases, body, .. } = &mut stmt.kind else {
            return vec![stmt];
        };
        self.loops += 1;
        let entered = self.specification.tuple.and_then(|(clause, _)| {
            let required = match &clause.condition {
                Some(condition) => {
                    Expr::binary_bool(BinOp::And, old(condition), Arc::clone(cond), pos)
                }
                None => Arc::clone(cond),
            };
            let given = Specification::new(decreases).termination_condition(pos);
            let blame = Blame { what: "Method", pos };
            Checks::condition(Some(required), given, Reason::TerminationCondition, blame)
        });
        *body = self.loop_body(cond, Specification::new(decreases), std::mem::take(body));
        entered.into_iter().chain([stmt]).collect()
    }

    fn loop_body(
        &mut self,
        cond: &Arc<Expr>,
        specification: Specification<'_>,
        body: Block,
    ) -> Block {
        let Some((clause, tuple)) = specification.tuple else { return body };
        let pos = body.pos;
        let blame = Blame { what: "Loop", pos: clause.pos };
        let mut stmts = Vec::new();
        let number = self.loops;
        let mut copy = |name: String, e: &Arc<Expr>| {
            let id = fresh(&mut self.locals, &name, e.ty.clone(), e.pos);
            stmts.push(Stmt::new(StmtKind::Var(id), e.pos));
            stmts.push(Stmt::new(StmtKind::Assign(id, Arc::clone(e)), e.pos));
            local(id, e.ty.clone(), e.pos)
        };
        let larger: Vec<_> =
            tuple.iter().enumerate().map(|(i, e)| copy(format!("old_W{number}_T{i}"), e)).collect();
        let condition = clause.condition.as_ref().map(|e| copy(format!("old_W{number}_C"), e));
        let again = match condition {
            Some(condition) => {
                Expr::binary_bool(BinOp::And, condition, Arc::clone(cond), clause.pos)
            }
            None => Arc::clone(cond),
        };
        stmts.push(Stmt::new(StmtKind::Block(body), pos));
        let given = clause.condition.clone();
        let required = Some(Arc::clone(&again));
        stmts.extend(Checks::condition(required, given, Reason::TupleCondition, blame));
        stmts.push(self.checks.tuple(self.program, Some(again), &larger, tuple, blame));
        Block { stmts, pos }
    }
}
