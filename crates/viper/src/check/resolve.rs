//! Filling in what inference found out.

use std::sync::Arc;

use super::types::{Inference, Kind};
use super::{Checker, operators};
use crate::core::{BinOp, Expr, ExprKind, LocalId, Node, Type};

/// An expression with what it is.
#[derive(Clone)]
pub(super) struct Typed {
    pub expr: Arc<Expr>,
    pub kind: Kind,
}

impl Checker<'_> {
    /// Ends the inference of a whole expression: decides overloading and fills in types. The
    /// variables from `first` on were declared in it.
    pub(super) fn finish(&mut self, expr: Arc<Expr>, first: LocalId) -> Arc<Expr> {
        if self.infer.is_trivial() {
            return expr;
        }
        let pos = expr.pos;
        if !self.infer.solve() {
            self.error(pos, "the operators in this expression do not fit together");
        }
        for undetermined in self.infer.default_rest(self.domain) {
            self.warn(undetermined, "nothing determines this type, `Int` is assumed");
        }
        for local in self.scopes.locals.iter_mut().skip(first.index()) {
            local.ty = self.infer.resolve(&local.ty);
        }
        let expr = fill(&self.infer, &expr);
        self.infer.clear();
        expr
    }
}

fn fill(infer: &Inference, e: &Arc<Expr>) -> Arc<Expr> {
    let inner = e.map_children(|child| fill(infer, child));
    let ty = infer.resolve(&inner.ty);
    let kind = match &inner.kind {
        ExprKind::Binary(op, a, b) => {
            let (op, a, b) = arithmetic(*op, a, b, &ty);
            ExprKind::Binary(op, a, b)
        }
        ExprKind::Collection(op, args) => {
            let on = args.get(operators::collection_arg(*op)).map_or(Type::Int, |e| e.ty.clone());
            ExprKind::Collection(operators::collection(*op, &on), args.clone())
        }
        ExprKind::DomainCall(function, args, types) => ExprKind::DomainCall(
            *function,
            args.clone(),
            types.iter().map(|t| infer.resolve(t)).collect(),
        ),
        other => other.clone(),
    };
    Node { kind, ty, pos: inner.pos, info: inner.info.clone() }.into_expr()
}

/// The operator that operands and result of these types select, with its operands in order.
pub(super) fn arithmetic(
    op: BinOp,
    a: &Arc<Expr>,
    b: &Arc<Expr>,
    result: &Type,
) -> (BinOp, Arc<Expr>, Arc<Expr>) {
    let (a, b) = (Arc::clone(a), Arc::clone(b));
    match op {
        BinOp::Mul | BinOp::IntPermMul => match (&a.ty, &b.ty) {
            (Type::Int, Type::Perm) => (BinOp::IntPermMul, a, b),
            (Type::Perm, Type::Int) => (BinOp::IntPermMul, b, a),
            _ => (BinOp::Mul, a, b),
        },
        BinOp::Div | BinOp::Fraction | BinOp::PermDiv | BinOp::PermPermDiv => {
            (operators::division(&a.ty, &b.ty, result), a, b)
        }
        other => (other, a, b),
    }
}
