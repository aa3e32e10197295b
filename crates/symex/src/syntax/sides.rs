//! `[A, B]`: `A` is produced where `B` was consumed.
//!
//! The snapshot at hand is that of `B`. It is one of `A`, too, if both have the same permissions in the
//! same order; what else they say does not matter, nor how much of each location they take as long as it
//! is something. Otherwise values would end up at the wrong locations, and nothing is known of them.

use std::fmt::Write;
use std::sync::Arc;

use viper::core::{Expr, ExprKind, PredicateId, Resource};

use super::{Syntax, conjuncts};
use crate::state::Owner;

impl Syntax<'_> {
    /// Does a snapshot of `b` have the values of `a` where they are expected?
    pub fn sides_agree(&mut self, a: &Arc<Expr>, b: &Arc<Expr>, owner: Owner) -> bool {
        self.permissions_text(a, owner) == self.permissions_text(b, owner)
    }

    /// Do the sides of all inhale-exhale assertions in an assertion agree?
    pub fn all_sides_agree(&mut self, e: &Arc<Expr>, owner: Owner) -> bool {
        let mut agree = true;
        e.walk(&mut |e| {
            if let ExprKind::InhaleExhale(a, b) = &e.kind {
                agree = agree && self.sides_agree(a, b, owner);
            }
            agree
        });
        agree
    }

    /// Is a state in which an assertion holds not determined by its snapshot? Amounts may vary; so may
    /// values where `[A, B]` has the snapshot of `B`.
    pub fn varies(&mut self, e: &Arc<Expr>, owner: Owner) -> bool {
        let mut seen: Vec<PredicateId> = Vec::new();
        let mut pending = vec![(e, owner)];
        while let Some((e, owner)) = pending.pop() {
            let mut found = false;
            e.walk(&mut |e| {
                let predicate = match &e.kind {
                    ExprKind::WildcardPerm => {
                        found = true;
                        None
                    }
                    ExprKind::InhaleExhale(a, b) => {
                        found = found || !self.sides_agree(a, b, owner);
                        None
                    }
                    ExprKind::Acc(Resource::Predicate(predicate, ..), _) => Some(*predicate),
                    _ => None,
                };
                if let Some(predicate) = predicate.filter(|p| !seen.contains(p)) {
                    seen.push(predicate);
                    let body = self.program.predicate(predicate).body.as_ref();
                    pending.extend(body.map(|body| (body, Owner::Predicate(predicate))));
                }
                !found
            });
            if found {
                return true;
            }
        }
        false
    }

    /// The permissions of an assertion in the order of their snapshots.
    fn permissions_text(&mut self, e: &Arc<Expr>, owner: Owner) -> String {
        let mut text = String::new();
        for part in conjuncts(e) {
            if self.is_pure(part) {
                continue;
            }
            let _ = match &part.kind {
                ExprKind::Acc(resource, amount) => {
                    let amount = amount.clone().filter(|amount| !is_some(amount));
                    let kind = ExprKind::Acc(resource.clone(), amount);
                    let part = Expr::new(kind, part.ty.clone(), part.pos);
                    write!(text, "{};", owner.text(self.program, &part))
                }
                ExprKind::Binary(viper::core::BinOp::Implies, c, a) => {
                    let (c, a) = (owner.text(self.program, c), self.permissions_text(a, owner));
                    write!(text, "{c} ==> ({a});")
                }
                ExprKind::Cond(c, a, b) => {
                    let c = owner.text(self.program, c);
                    let (a, b) = (self.permissions_text(a, owner), self.permissions_text(b, owner));
                    write!(text, "{c} ? ({a}) : ({b});")
                }
                _ => write!(text, "{};", owner.text(self.program, part)),
            };
        }
        text
    }
}

/// Is it visibly some permission, and not none?
fn is_some(amount: &Arc<Expr>) -> bool {
    use viper::core::BinOp;
    let positive =
        |e: &Arc<Expr>| matches!(&e.kind, ExprKind::Int(n) if n.sign() == num_bigint::Sign::Plus);
    match &amount.kind {
        ExprKind::FullPerm | ExprKind::WildcardPerm => true,
        ExprKind::Binary(BinOp::Fraction, a, b) => positive(a) && positive(b),
        _ => false,
    }
}
