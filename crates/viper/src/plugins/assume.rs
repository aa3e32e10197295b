//! What is assumed of permissions below a quantifier, where something is unfolded or applied: a
//! comparison with what is held there.
//!
//! ```text
//! assume forall y: Ref :: y in s ==> unfolding P(y) in acc(y.f)
//! becomes
//! assume forall y: Ref :: y in s ==> unfolding P(y) in perm(y.f) >= write
//! ```
//!
//! Two permissions to the same location are compared one by one, so that less may be assumed than
//! their sum; never more.

use std::sync::Arc;

use crate::core::{BinOp, Expr, ExprKind, Program, Resource, StmtKind, Type};

pub(super) fn apply(program: &mut Program) {
    for method in &mut program.methods {
        method.body = method.body.take().map(|body| {
            body.flat_map(&mut |mut stmt| {
                if let StmtKind::Assume(e) = &mut stmt.kind {
                    *e = below_quantifiers(e);
                }
                vec![stmt]
            })
        });
    }
}

fn below_quantifiers(e: &Arc<Expr>) -> Arc<Expr> {
    e.rewrite(&mut |e| match &e.kind {
        ExprKind::Quant { .. } => Some(e.map_children(where_unfolded)),
        ExprKind::Wand(_) => Some(Arc::clone(e)),
        _ => None,
    })
}

fn where_unfolded(e: &Arc<Expr>) -> Arc<Expr> {
    e.rewrite(&mut |e| {
        let kind = match &e.kind {
            ExprKind::Unfolding(access, body) if !body.is_pure() => {
                ExprKind::Unfolding(access.clone(), compared(body))
            }
            ExprKind::Applying(wand, body) if !body.is_pure() => {
                ExprKind::Applying(wand.clone(), compared(body))
            }
            ExprKind::Asserting(assertion, body) if !body.is_pure() => {
                ExprKind::Asserting(Arc::clone(assertion), compared(body))
            }
            ExprKind::Wand(_) => return Some(Arc::clone(e)),
            _ => return None,
        };
        Some(e.with_kind(kind))
    })
}

fn compared(e: &Arc<Expr>) -> Arc<Expr> {
    e.rewrite(&mut |e| match &e.kind {
        ExprKind::Acc(resource, amount) => Some(comparison(resource, amount.as_ref(), e)),
        ExprKind::Wand(wand) => Some(comparison(&Resource::Wand(wand.clone()), None, e)),
        _ => None,
    })
}

fn comparison(resource: &Resource, amount: Option<&Arc<Expr>>, e: &Expr) -> Arc<Expr> {
    let perm = |kind| Expr::new(kind, Type::Perm, e.pos);
    let held = perm(ExprKind::Perm(resource.clone()));
    match amount {
        Some(amount) if amount.kind == ExprKind::WildcardPerm => {
            Expr::binary_bool(BinOp::Gt, held, perm(ExprKind::NoPerm), e.pos)
        }
        Some(amount) => Expr::binary_bool(BinOp::Ge, held, Arc::clone(amount), e.pos),
        None => Expr::binary_bool(BinOp::Ge, held, perm(ExprKind::FullPerm), e.pos),
    }
}
