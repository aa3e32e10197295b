//! Expressions in which macros are expanded.

use super::{Expander, Frame, Result};
use crate::ast::{At, BinOp, Define, DefineBody, Expr, ExprKind, Name, OldLabel};

impl Expander<'_> {
    pub(super) fn expr(&mut self, e: &mut Expr, frame: &mut Frame) -> Result<()> {
        if let Some(at) = frame.at {
            e.at = at;
        }
        self.enter(e.at)?;
        self.expr_kind(e, frame)?;
        self.depth -= 1;
        Ok(())
    }

    pub(super) fn expr_kind(&mut self, e: &mut Expr, frame: &mut Frame) -> Result<()> {
        let at = e.at;
        match &mut *e.kind {
            ExprKind::Name(name) => {
                if let Some(to) = frame.renamed(name) {
                    *name = to.clone();
                } else if let Some(arg) = frame.args.get(name) {
                    *e = arg.clone();
                    // Already expanded: only positions and nesting are left to see to.
                    self.reposition(e, frame.at)?;
                } else if self.is_macro(name) {
                    let name = name.clone();
                    *e = self.expr_macro(&name, None, at)?;
                }
            }
            ExprKind::Call { callee, args, ty } => {
                self.substitute_ident(callee, frame)?;
                self.keeping(frame, |this, frame| {
                    this.exprs(args, frame)?;
                    ty.as_mut().map_or(Ok(()), |ty| this.ty(ty, frame))
                })?;
                let has_params = |define: Define| define.params.is_some();
                if ty.is_none() && self.find(&callee.name).is_some_and(has_params) {
                    let (name, args) = (callee.name.clone(), std::mem::take(args));
                    *e = self.expr_macro(&name, Some(args), at)?;
                } else {
                    self.ident(callee, &Frame::default())?;
                }
            }
            ExprKind::Acc { loc, amount } => {
                self.expr(loc, frame)?;
                if let Some(amount) = amount {
                    self.keeping(frame, |this, frame| this.expr(amount, frame))?;
                }
                if !matches!(*loc.kind, ExprKind::Field(..) | ExprKind::Call { .. }) {
                    return self.fail(at, NOT_A_LOCATION);
                }
            }
            ExprKind::Perm(resource) => {
                self.expr(resource, frame)?;
                if !matches!(
                    *resource.kind,
                    ExprKind::Field(..) | ExprKind::Call { .. } | ExprKind::Binary(BinOp::Wand, ..)
                ) {
                    return self.fail(at, NOT_A_LOCATION);
                }
            }
            ExprKind::Field(receiver, field) => {
                self.expr(receiver, frame)?;
                self.ident(field, frame)?;
            }
            ExprKind::PredicateInstance { predicate, args } => {
                self.ident(predicate, frame)?;
                self.keeping(frame, |this, frame| this.exprs(args, frame))?;
            }
            ExprKind::Old(label, inner) => {
                if let Some(OldLabel::Label(label)) = label {
                    self.keeping(frame, |this, frame| this.ident(label, frame))?;
                }
                self.expr(inner, frame)?;
            }
            ExprKind::Let { var, value, body } => {
                self.expr(value, frame)?;
                let scope = frame.renames.len();
                self.declare(var, frame);
                self.expr(body, frame)?;
                frame.renames.truncate(scope);
            }
            ExprKind::Quant { vars, triggers, body, .. } => {
                let scope = frame.renames.len();
                self.declare_params(vars, frame)?;
                self.keeping(frame, |this, frame| {
                    triggers.iter_mut().try_for_each(|t| this.exprs(&mut t.exprs, frame))
                })?;
                self.expr(body, frame)?;
                frame.renames.truncate(scope);
            }
            ExprKind::Unfolding(access, body) => {
                self.expr(access, frame)?;
                self.expr(body, frame)?;
                if !matches!(*access.kind, ExprKind::Acc { .. } | ExprKind::Call { .. }) {
                    return self.fail(at, NOT_A_LOCATION);
                }
            }
            ExprKind::ForPerm { vars, resource, body } => {
                let scope = frame.renames.len();
                self.declare_params(vars, frame)?;
                self.expr(resource, frame)?;
                self.expr(body, frame)?;
                frame.renames.truncate(scope);
            }
            ExprKind::Collection { ty, elems, .. } => {
                self.keeping(frame, |this, frame| {
                    ty.as_mut().map_or(Ok(()), |ty| this.ty(ty, frame))?;
                    this.exprs(elems, frame)
                })?;
            }
            ExprKind::Map { ty, entries } => {
                self.keeping(frame, |this, frame| {
                    if let Some((key, value)) = ty.as_deref_mut() {
                        this.ty(key, frame)?;
                        this.ty(value, frame)?;
                    }
                    for (key, value) in entries {
                        this.expr(key, frame)?;
                        this.expr(value, frame)?;
                    }
                    Ok(())
                })?;
            }
            ExprKind::Slice(base, from, to) => {
                self.expr(base, frame)?;
                self.keeping(frame, |this, frame| {
                    from.iter_mut().chain(to).try_for_each(|bound| this.expr(bound, frame))
                })?;
            }
            ExprKind::New(Some(fields)) => {
                self.keeping(frame, |this, frame| {
                    fields.iter_mut().try_for_each(|field| this.ident(field, frame))
                })?;
            }
            _ => {
                let mut result = Ok(());
                crate::ast::visit::for_each_child_mut(e, &mut |child| {
                    if result.is_ok() {
                        result = self.expr(child, frame);
                    }
                });
                result?;
            }
        }
        Ok(())
    }

    pub(super) fn expr_macro(
        &mut self,
        name: &Name,
        args: Option<Vec<Expr>>,
        at: At,
    ) -> Result<Expr> {
        let (define, mut frame) = self.open(name, args, at)?;
        let mut body = match define.body {
            DefineBody::Expr(body) => body,
            DefineBody::Type(_) => {
                return self.fail(at, format!("the type macro `{name}` is used as an expression"));
            }
            DefineBody::Block(_) => {
                return self
                    .fail(at, format!("the statement macro `{name}` is used as an expression"));
            }
        };
        self.expr(&mut body, &mut frame)?;
        self.active.pop();
        Ok(body)
    }

    /// Moves an argument to the use of the macro, if it does not keep its position.
    pub(super) fn reposition(&mut self, e: &mut Expr, at: Option<At>) -> Result<()> {
        if let Some(at) = at {
            e.at = at;
            crate::ast::visit::for_each_ident_mut(e, &mut |ident| ident.at = at);
        }
        self.enter(e.at)?;
        let (first, last) = moving_children(&e.kind);
        let mut children = 0usize;
        crate::ast::visit::for_each_child(e, &mut |_| children += 1);
        let (mut n, mut result) = (0, Ok(()));
        crate::ast::visit::for_each_child_mut(e, &mut |child| {
            let moves = (first && n == 0) || (last && n + 1 == children) || (first && last);
            if result.is_ok() {
                result = self.reposition(child, at.filter(|_| moves));
            }
            n += 1;
        });
        self.depth -= 1;
        result
    }
}

/// Which subexpressions do not stand in a list and are not optional: the first, the last (both:
/// all of them).
fn moving_children(kind: &ExprKind) -> (bool, bool) {
    match kind {
        ExprKind::Call { .. }
        | ExprKind::PredicateInstance { .. }
        | ExprKind::Collection { .. }
        | ExprKind::Map { .. } => (false, false),
        ExprKind::Acc { .. } | ExprKind::Slice(..) => (true, false),
        ExprKind::Quant { .. } => (false, true),
        _ => (true, true),
    }
}

const NOT_A_LOCATION: &str =
    "the macro must expand to a field access `e.f` or a predicate `P(…)` in this place";
