//! Which values a bound variable ranges over.

use std::sync::Arc;

use viper::ast::Quantifier;
use viper::core::{BinOp, CollectionOp, Expr, ExprKind, LocalId, Type};

use crate::choose::UNMENTIONED;
use crate::eval::{View, mentions};
use crate::machine::Machine;
use crate::state::{Run, Scope, Stop, outside};
use crate::value::Value;

/// More instances than this are outside of the subset.
const MOST: usize = 3000;

impl Machine<'_> {
    /// All values of the variables that matter, and whether they are all. Where the guard gives no
    /// bounds, some are tried.
    pub fn instances(
        &mut self,
        scope: &mut Scope,
        view: View<'_>,
        vars: &[LocalId],
        body: &Arc<Expr>,
        quantifier: Quantifier,
    ) -> Run<(Vec<Vec<Value>>, bool)> {
        let mut guards = Vec::new();
        match quantifier {
            Quantifier::Forall => antecedents(body, &mut guards),
            _ => conjuncts(body, &mut guards),
        }
        let mut complete = true;
        let mut found: Vec<Vec<Value>> = vec![Vec::new()];
        let before = scope.locals.clone();
        for (i, var) in vars.iter().enumerate() {
            let mut longer = Vec::new();
            for prefix in found {
                for (earlier, value) in vars.iter().zip(&prefix) {
                    scope.locals[earlier.index()] = value.clone();
                }
                let later = &vars[i..];
                let values = self.values(scope, view, *var, later, &guards);
                scope.locals.clone_from(&before);
                let (values, all) = values?;
                complete &= all;
                for value in values {
                    let mut instance = prefix.clone();
                    instance.push(value);
                    longer.push(instance);
                }
                if longer.len() > MOST {
                    return outside("many instances");
                }
            }
            found = longer;
        }
        Ok((found, complete))
    }

    fn values(
        &mut self,
        scope: &mut Scope,
        view: View<'_>,
        var: LocalId,
        later: &[LocalId],
        guards: &[&Expr],
    ) -> Run<(Vec<Value>, bool)> {
        let ty = scope.types[var.index()].ty.clone();
        match ty {
            Type::Ref => {
                let all = self.objects + UNMENTIONED;
                return Ok(((0..=all).map(Value::Ref).collect(), true));
            }
            Type::Bool => return Ok((vec![Value::Bool(false), Value::Bool(true)], true)),
            _ => {}
        }
        // Bounds are evaluated out of order; if that fails they are no bounds.
        let closed = |e: &Expr| !later.iter().any(|v| mentions(e, *v));
        let is_var = |e: &Expr| matches!(e.kind, ExprKind::Local(id) if id == var);
        for guard in guards {
            let ExprKind::Collection(op, args) = &guard.kind else { continue };
            let [element, of] = &args[..] else { continue };
            let contains = matches!(
                op,
                CollectionOp::SeqContains | CollectionOp::SetContains | CollectionOp::MapContains
            );
            if !contains || !is_var(element) || !closed(of) {
                continue;
            }
            let values = match self.eval(scope, view, of) {
                Ok(Value::Seq(s)) => s,
                Ok(Value::Set(s)) => s.into_iter().collect(),
                Ok(Value::Map(m)) => m.into_keys().collect(),
                _ => continue,
            };
            let mut values = values;
            values.sort();
            values.dedup();
            return Ok((values, true));
        }
        if ty != Type::Int {
            return outside("quantifier over this type");
        }
        match self.bounds(scope, view, var, later, guards)? {
            (Some(low), Some(high)) => {
                if high.saturating_sub(low) > MOST as i64 {
                    return outside("many instances");
                }
                Ok(((low..=high).map(Value::Int).collect(), true))
            }
            _ => Ok(((-3..10).map(Value::Int).collect(), false)),
        }
    }
}

impl Machine<'_> {
    /// The least and the greatest value of an integer variable that the guards allow. A variable that
    /// has no value yet stands for its own bounds: `0 <= i && i < j && j < n`.
    fn bounds(
        &mut self,
        scope: &mut Scope,
        view: View<'_>,
        var: LocalId,
        later: &[LocalId],
        guards: &[&Expr],
    ) -> Run<(Option<i64>, Option<i64>)> {
        let closed = |e: &Expr| !later.iter().any(|v| mentions(e, *v));
        let is_var = |e: &Expr| matches!(e.kind, ExprKind::Local(id) if id == var);
        let (mut low, mut high) = (None::<i64>, None::<i64>);
        for (i, guard) in guards.iter().enumerate() {
            let ExprKind::Binary(op, a, b) = &guard.kind else { continue };
            let (bound, op) = if is_var(a) {
                (b, *op)
            } else if is_var(b) {
                (a, mirrored(*op))
            } else {
                continue;
            };
            let (least, greatest) = if closed(bound) {
                match self.eval_int(scope, view, bound) {
                    Ok(n) => (Some(n), Some(n)),
                    // Bounds are evaluated out of order; if that fails they are no bounds.
                    Err(Stop::Fault(_)) => continue,
                    Err(other) => return Err(other),
                }
            } else if let ExprKind::Local(other) = bound.kind {
                // Without this guard, so that it ends.
                let mut others = guards.to_vec();
                others.remove(i);
                self.bounds(scope, view, other, later, &others)?
            } else {
                continue;
            };
            // The variable is on the left now.
            let (l, h) = match op {
                BinOp::Lt => (None, greatest.map(|n| n.saturating_sub(1))),
                BinOp::Le => (None, greatest),
                BinOp::Gt => (least.map(|n| n.saturating_add(1)), None),
                BinOp::Ge => (least, None),
                BinOp::Eq => (least, greatest),
                _ => continue,
            };
            low = match (low, l) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            };
            high = match (high, h) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        Ok((low, high))
    }
}

fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}

fn antecedents<'e>(body: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &body.kind {
        ExprKind::Binary(BinOp::Implies, guard, rest) => {
            conjuncts(guard, out);
            antecedents(rest, out);
        }
        ExprKind::Cond(guard, _, other) if matches!(other.kind, ExprKind::Bool(true)) => {
            conjuncts(guard, out);
        }
        _ => {}
    }
}

fn conjuncts<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And, a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        _ => out.push(e),
    }
}
