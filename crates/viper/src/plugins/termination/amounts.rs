//! Wildcards in place of permission amounts.
//!
//! For a function it only matters whether there is any permission, so a proof about a function must
//! not depend on how much there is: `acc(x.f, p)` becomes `none < p ==> acc(x.f, wildcard)`.

use std::sync::Arc;

use num_bigint::Sign;

use crate::core::{BinOp, Block, Expr, ExprKind, PredicateAccess, Resource, Stmt, StmtKind, Type};

/// Erases the amounts in a block.
pub(super) fn erase_in_block(block: Block) -> Block {
    block.flat_map(&mut |stmt| {
        let stmt = stmt.map_exprs(erase);
        let StmtKind::Unfold(access) = stmt.kind else { return vec![stmt] };
        vec![Stmt { kind: StmtKind::Unfold(with_wildcard(access)), ..stmt }]
    })
}

/// Erases the amounts in an expression.
pub(super) fn erase(e: &Arc<Expr>) -> Arc<Expr> {
    match &e.kind {
        ExprKind::Wand(_) | ExprKind::Perm(_) => return Arc::clone(e),
        _ => {}
    }
    let e = e.map_children(erase);
    match &e.kind {
        ExprKind::Unfolding(access, body) => {
            let kind = ExprKind::Unfolding(with_wildcard(access.clone()), Arc::clone(body));
            e.with_kind(kind)
        }
        ExprKind::Acc(resource, amount) => erase_amount(&e, resource, amount.as_ref()),
        ExprKind::Binary(BinOp::Implies, left, right) => match &right.kind {
            // Quantified permissions have one implication at most.
            ExprKind::Binary(BinOp::Implies, middle, right) if is_wildcard_access(right) => {
                let left =
                    Expr::binary_bool(BinOp::And, Arc::clone(left), Arc::clone(middle), left.pos);
                let kind = ExprKind::Binary(BinOp::Implies, left, Arc::clone(right));
                e.with_kind(kind)
            }
            _ => e,
        },
        _ => e,
    }
}

fn is_wildcard_access(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Acc(_, Some(amount)) if amount.kind == ExprKind::WildcardPerm)
}

fn with_wildcard(access: PredicateAccess) -> PredicateAccess {
    let wildcard = Expr::new(ExprKind::WildcardPerm, Type::Perm, access.pos);
    PredicateAccess { amount: Some(wildcard), ..access }
}

fn erase_amount(e: &Arc<Expr>, resource: &Resource, amount: Option<&Arc<Expr>>) -> Arc<Expr> {
    let wildcard = Expr::new(ExprKind::WildcardPerm, Type::Perm, e.pos);
    let kind = ExprKind::Acc(resource.clone(), Some(wildcard));
    let some = e.with_kind(kind);
    match amount.map(|amount| (amount, is_positive(amount))) {
        None | Some((_, Some(true))) => some,
        Some((_, Some(false))) => Expr::bool(true, e.pos),
        Some((amount, None)) => {
            let none = Expr::new(ExprKind::NoPerm, Type::Perm, amount.pos);
            let amount = amount.rewrite(&mut |e| {
                let is_wildcard = e.kind == ExprKind::WildcardPerm;
                is_wildcard.then(|| Expr::new(ExprKind::FullPerm, Type::Perm, e.pos))
            });
            let positive = Expr::binary_bool(BinOp::Lt, none, amount, e.pos);
            Expr::binary_bool(BinOp::Implies, positive, some, e.pos)
        }
    }
}

/// Is the amount positive, as far as one can see?
fn is_positive(amount: &Expr) -> Option<bool> {
    match &amount.kind {
        ExprKind::FullPerm | ExprKind::WildcardPerm => Some(true),
        ExprKind::NoPerm => Some(false),
        ExprKind::Binary(BinOp::Fraction, a, b) => match (&a.kind, &b.kind) {
            (ExprKind::Int(a), ExprKind::Int(b)) if b.sign() == Sign::Plus => {
                Some(a.sign() == Sign::Plus)
            }
            _ => None,
        },
        _ => None,
    }
}
