//! Predicate instances as measures: an instance inside another one is smaller.
//!
//! ```text
//! unfold P(x)   becomes   outer := #P(x)
//!                         unfold P(x)
//!                         inner := #Q(y)                    for each Q(y) in the body of P,
//!                         inhale nestedPredicates(inner, outer)    under its conditions
//! ```
//!
//! Under its conditions also means: if the amount is positive. Nothing is inside by `acc(Q(y), none)`.

use std::sync::Arc;

use report::Pos;

use super::measures::Checks;
use crate::core::rename::Renaming;
use crate::core::{
    BinOp, Block, DomainFunctionId, Expr, ExprKind, Local, LocalId, PredicateAccess, PredicateId,
    Program, Resource, Stmt, StmtKind, Type,
};
use crate::plugins::build::{branch, domain_call_inferred, fresh, inhale, local};
use crate::plugins::predicate_instance;

/// Adds what is known about nested predicates after every `unfold`.
pub(super) fn add(
    program: &Program,
    body: Block,
    locals: &mut Vec<Local>,
    checks: &mut Checks,
) -> Block {
    let Some(domain) = program.find_domain(predicate_instance::DOMAIN) else { return body };
    let ty = Type::Domain(domain, [].into());
    body.flat_map(&mut |stmt| {
        let StmtKind::Unfold(access) = &stmt.kind else { return vec![stmt] };
        let Some(nested) = checks.nested else {
            checks.missing("nestedPredicates", stmt.pos);
            return vec![stmt];
        };
        let mut unfolded = Unfolded { program, ty: ty.clone(), nested, locals };
        vec![unfolded.stmt(&stmt, access)]
    })
}

struct Unfolded<'a> {
    program: &'a Program,
    ty: Type,
    nested: DomainFunctionId,
    locals: &'a mut Vec<Local>,
}

impl Unfolded<'_> {
    fn stmt(&mut self, unfold: &Stmt, access: &PredicateAccess) -> Stmt {
        let pos = unfold.pos;
        let predicate = self.program.predicate(access.predicate);
        let (outer, mut stmts) = self.remember(access.predicate, &access.args, access.loc_pos);
        stmts.push(unfold.clone());
        if let Some(body) = &predicate.body {
            let mut renaming = Renaming::new(&predicate.locals, self.locals);
            renaming.replace_params(access.args.iter().cloned());
            let body = renaming.expr(body);
            stmts.extend(self.inner(&body, outer));
        }
        Stmt::new(StmtKind::Block(Block { stmts, pos }), pos)
    }

    /// Keeps a predicate instance in a variable.
    fn remember(
        &mut self,
        predicate: PredicateId,
        args: &[Arc<Expr>],
        pos: Pos,
    ) -> (LocalId, Vec<Stmt>) {
        let name = format!("{}_instance", self.program.predicate(predicate).name);
        let id = fresh(self.locals, &name, self.ty.clone(), pos);
        let instance = ExprKind::PredicateInstance(predicate, args.to_vec());
        let instance = Expr::new(instance, self.ty.clone(), pos);
        let stmts =
            vec![Stmt::new(StmtKind::Var(id), pos), Stmt::new(StmtKind::Assign(id, instance), pos)];
        (id, stmts)
    }

    fn inner(&mut self, body: &Arc<Expr>, outer: LocalId) -> Vec<Stmt> {
        match &body.kind {
            ExprKind::Acc(Resource::Predicate(predicate, args, pos), amount) => {
                let (inner, mut stmts) = self.remember(*predicate, args, *pos);
                let instances = [inner, outer].map(|id| local(id, self.ty.clone(), *pos));
                let nested =
                    domain_call_inferred(self.program, self.nested, instances.into(), *pos);
                stmts.push(inhale(nested, *pos));
                match amount {
                    Some(amount) if amount.kind != ExprKind::WildcardPerm => {
                        let none = Expr::new(ExprKind::NoPerm, Type::Perm, *pos);
                        let some = Expr::binary_bool(BinOp::Lt, none, Arc::clone(amount), *pos);
                        branch(some, stmts, Vec::new(), *pos)
                    }
                    _ => stmts,
                }
            }
            ExprKind::Cond(cond, then, otherwise) => {
                let then = self.inner(then, outer);
                let otherwise = self.inner(otherwise, outer);
                branch(Arc::clone(cond), then, otherwise, body.pos)
            }
            ExprKind::Binary(BinOp::Implies, cond, then) => {
                let then = self.inner(then, outer);
                branch(Arc::clone(cond), then, Vec::new(), body.pos)
            }
            ExprKind::Binary(_, left, right) => {
                let mut stmts = self.inner(left, outer);
                stmts.extend(self.inner(right, outer));
                stmts
            }
            ExprKind::Let(var, value, inner) => {
                let stmts = self.inner(inner, outer);
                if stmts.is_empty() {
                    return stmts;
                }
                let pos = body.pos;
                let mut block = vec![
                    Stmt::new(StmtKind::Var(*var), pos),
                    Stmt::new(StmtKind::Assign(*var, Arc::clone(value)), pos),
                ];
                block.extend(stmts);
                vec![Stmt::new(StmtKind::Block(Block { stmts: block, pos }), pos)]
            }
            _ => Vec::new(),
        }
    }
}
