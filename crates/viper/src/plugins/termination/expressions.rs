//! The evaluation of an expression as statements, which check the calls in it.
//!
//! Only what decides which calls are made, and what is known when they are made, appears in the
//! statements: conditions, short-circuit operators, `unfolding`, bound variables. Side effects of a
//! detour (an unfolded predicate) are confined to a branch that is
//! cut off at its end:
//!
//! ```text
//! unfolding P(x) in e   becomes   if (*) { unfold P(x); checks of e; inhale false }
//! ```

use std::sync::Arc;

use report::Pos;

use super::functions::{Caller, instantiate};
use crate::core::{BinOp, Block, Expr, ExprKind, Local, LocalId, Resource, Stmt, StmtKind, Type};
use crate::plugins::build::{branch, fresh, inhale, local, nondet, stop};

/// Builds the body of a proof method.
pub(super) struct Evaluation<'a> {
    caller: Caller<'a>,
    /// Variables of the method; those of the function come first.
    pub(super) locals: Vec<Local>,
    /// Stands for the choice between inhaling and exhaling; made when needed.
    inhaling: Option<LocalId>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(caller: Caller<'a>, locals: Vec<Local>) -> Evaluation<'a> {
        Evaluation { caller, locals, inhaling: None }
    }

    /// The variables and statements of the method, if there are statements.
    pub(super) fn finish(self, mut stmts: Vec<Stmt>) -> Option<(Vec<Local>, Vec<Stmt>)> {
        if stmts.is_empty() {
            return None;
        }
        if let Some(inhaling) = self.inhaling {
            stmts.insert(0, Stmt::new(StmtKind::Var(inhaling), Pos::None));
        }
        Some((self.locals, stmts))
    }

    /// The checks of an expression. With `assume`, what it says about permissions holds afterwards,
    /// as it does for the preconditions of a function.
    pub(super) fn expr(&mut self, e: &Arc<Expr>, assume: bool) -> Vec<Stmt> {
        let pos = e.pos;
        match &e.kind {
            ExprKind::Binary(BinOp::And, first, second) if assume => {
                let mut stmts = self.then_assume(first);
                stmts.extend(self.expr(second, true));
                stmts
            }
            ExprKind::Binary(op, left, right) => {
                let mut stmts = self.expr(left, assume);
                let right = self.expr(right, assume);
                if right.is_empty() {
                    return stmts;
                }
                stmts.extend(match op {
                    BinOp::And | BinOp::Implies => branch(self.pure(left), right, Vec::new(), pos),
                    BinOp::Or => branch(Expr::not(self.pure(left)), right, Vec::new(), pos),
                    _ => right,
                });
                stmts
            }
            ExprKind::Cond(cond, then, otherwise) => {
                let mut stmts = self.expr(cond, false);
                let then = self.expr(then, assume);
                let otherwise = self.expr(otherwise, assume);
                stmts.extend(branch(self.pure(cond), then, otherwise, pos));
                stmts
            }
            ExprKind::Call(callee, args) => {
                let mut stmts = self.exprs(args);
                stmts.extend(self.caller.call(*callee, e, args, &mut self.locals));
                stmts
            }
            ExprKind::Unfolding(access, body) => {
                let mut stmts = self.exprs(&access.args);
                stmts.extend(access.amount.iter().flat_map(|amount| self.expr(amount, false)));
                let body = self.expr(body, assume);
                let mut detour = Vec::new();
                if !body.is_empty() {
                    detour.push(Stmt::new(StmtKind::Unfold(access.clone()), pos));
                    detour.extend(body);
                }
                let otherwise = if assume { vec![inhale(Arc::clone(e), pos)] } else { Vec::new() };
                stmts.extend(self.detour(detour, otherwise, pos));
                stmts
            }
            ExprKind::Applying(wand, body) => {
                let mut body = self.expr(body, assume);
                if !body.is_empty() {
                    body.insert(0, Stmt::new(StmtKind::Apply(wand.clone()), pos));
                }
                self.detour(body, Vec::new(), pos)
            }
            ExprKind::Asserting(asserted, body) => {
                let checks = self.expr(asserted, true);
                let mut stmts = self.detour(checks, Vec::new(), pos);
                let body = self.expr(body, assume);
                stmts.extend(branch(self.pure(asserted), body, Vec::new(), pos));
                stmts
            }
            ExprKind::InhaleExhale(inhaled, exhaled) => {
                let inhaled = self.expr(inhaled, assume);
                let exhaled = self.expr(exhaled, assume);
                branch(self.inhaling(pos), inhaled, exhaled, pos)
            }
            ExprKind::Let(var, value, body) => {
                let mut stmts = self.expr(value, false);
                let fresh = instantiate(&[*var], &mut self.locals);
                let body = self.renamed(body, &fresh);
                let checks = self.expr(&body, assume);
                if let (Some((_, var)), false) = (fresh.first(), checks.is_empty()) {
                    let mut scope = vec![
                        Stmt::new(StmtKind::Var(*var), pos),
                        Stmt::new(StmtKind::Assign(*var, Arc::clone(value)), pos),
                    ];
                    scope.extend(checks);
                    stmts.push(block(scope, pos));
                }
                stmts
            }
            // Either quantifier is evaluated for all values, not only for witnesses.
            ExprKind::Quant { vars, body, .. } => {
                let fresh = instantiate(vars, &mut self.locals);
                let body = self.renamed(body, &fresh);
                let checks = self.expr(&body, assume);
                scope(&fresh, checks, pos)
            }
            ExprKind::ForPerm(vars, resource, body) => {
                let fresh = instantiate(vars, &mut self.locals);
                let held = Expr::new(ExprKind::Perm(resource.clone()), Type::Perm, pos);
                let none = Expr::new(ExprKind::NoPerm, Type::Perm, pos);
                let held = Expr::binary_bool(BinOp::Gt, held, none, pos);
                let held = self.renamed(&held, &fresh);
                let body = self.renamed(body, &fresh);
                let mut checks = self.expr(&body, assume);
                if !checks.is_empty() {
                    checks.push(stop(pos));
                }
                scope(&fresh, branch(held, checks, Vec::new(), pos), pos)
            }
            ExprKind::Acc(resource, amount) => {
                let mut stmts = Vec::new();
                resource.for_each_child(|child| stmts.extend(self.expr(child, false)));
                stmts.extend(amount.iter().flat_map(|amount| self.expr(amount, false)));
                stmts.push(inhale(Arc::clone(e), pos));
                stmts
            }
            // The sides of a wand are not evaluated.
            ExprKind::Wand(_) | ExprKind::Perm(Resource::Wand(_)) => Vec::new(),
            _ => {
                let mut stmts = Vec::new();
                e.for_each_child(|child| stmts.extend(self.expr(child, false)));
                stmts
            }
        }
    }

    fn exprs(&mut self, es: &[Arc<Expr>]) -> Vec<Stmt> {
        es.iter().flat_map(|e| self.expr(e, false)).collect()
    }

    /// Checks a conjunct, then has it, whether its checks were made or not.
    fn then_assume(&mut self, e: &Arc<Expr>) -> Vec<Stmt> {
        let pos = e.pos;
        let checks = self.expr(e, true);
        let assumed = vec![inhale(Arc::clone(e), pos)];
        let assumed = if e.any(|e| matches!(e.kind, ExprKind::InhaleExhale(..))) {
            let exhaled = vec![inhale(when_exhaling(e), pos)];
            branch(self.inhaling(pos), assumed, exhaled, pos)
        } else {
            assumed
        };
        if checks.iter().any(needed) { self.detour(checks, assumed, pos) } else { assumed }
    }

    /// `if (*) { checks; inhale false } else { otherwise }`
    fn detour(&mut self, mut checks: Vec<Stmt>, otherwise: Vec<Stmt>, pos: Pos) -> Vec<Stmt> {
        if checks.is_empty() {
            return otherwise;
        }
        let (declaration, choice) = nondet(&mut self.locals, "b", pos);
        checks.push(stop(pos));
        let mut stmts = vec![declaration];
        stmts.extend(branch(choice, checks, otherwise, pos));
        vec![block_or_single(stmts, pos)]
    }

    fn inhaling(&mut self, pos: Pos) -> Arc<Expr> {
        let locals = &mut self.locals;
        let id =
            *self.inhaling.get_or_insert_with(|| fresh(locals, "inhaling", Type::Bool, Pos::None));
        local(id, Type::Bool, pos)
    }

    fn renamed(&self, e: &Arc<Expr>, vars: &[(LocalId, LocalId)]) -> Arc<Expr> {
        e.substitute(&|id| {
            let (_, new) = vars.iter().find(|(old, _)| *old == id)?;
            let declared = self.locals.get(new.index())?;
            Some(local(*new, declared.ty.clone(), declared.pos))
        })
    }

    /// The expression as a condition: without permissions, and with one side of each
    /// inhale-exhale assertion.
    fn pure(&mut self, e: &Arc<Expr>) -> Arc<Expr> {
        e.rewrite(&mut |e| match &e.kind {
            ExprKind::Acc(..) | ExprKind::Wand(_) => Some(Expr::bool(true, e.pos)),
            ExprKind::InhaleExhale(a, b) => {
                let cond = self.inhaling(e.pos);
                let kind = ExprKind::Cond(cond, self.pure(a), self.pure(b));
                Some(Expr::new(kind, Type::Bool, e.pos))
            }
            ExprKind::Unfolding(access, body) => {
                let kind = ExprKind::Unfolding(access.clone(), self.pure(body));
                Some(e.with_kind(kind))
            }
            ExprKind::Applying(wand, body) => {
                let kind = ExprKind::Applying(wand.clone(), self.pure(body));
                Some(e.with_kind(kind))
            }
            ExprKind::Asserting(_, body) => Some(self.pure(body)),
            _ => None,
        })
    }
}

/// The expression as it is when it is exhaled.
fn when_exhaling(e: &Arc<Expr>) -> Arc<Expr> {
    e.rewrite(&mut |e| match &e.kind {
        ExprKind::InhaleExhale(_, exhaled) => Some(when_exhaling(exhaled)),
        _ => None,
    })
}

/// Does the statement check anything?
fn needed(stmt: &Stmt) -> bool {
    let mut found = matches!(stmt.kind, StmtKind::Assert(_));
    stmt.for_each_block(|block| found = found || block.stmts.iter().any(needed));
    found
}

fn block(stmts: Vec<Stmt>, pos: Pos) -> Stmt {
    Stmt::new(StmtKind::Block(Block { stmts, pos }), pos)
}

fn block_or_single(mut stmts: Vec<Stmt>, pos: Pos) -> Stmt {
    match stmts.pop() {
        Some(only) if stmts.is_empty() => only,
        last => {
            stmts.extend(last);
            block(stmts, pos)
        }
    }
}

/// The statements with new variables around them.
fn scope(vars: &[(LocalId, LocalId)], checks: Vec<Stmt>, pos: Pos) -> Vec<Stmt> {
    if checks.is_empty() {
        return checks;
    }
    let declarations = vars.iter().map(|(_, var)| Stmt::new(StmtKind::Var(*var), pos));
    vec![block(declarations.chain(checks).collect(), pos)]
}
