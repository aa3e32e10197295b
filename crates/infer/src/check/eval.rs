//! Expressions and conditions on a path.

use arith::{Constraint, Sum};
use heap::{Arith, BinOp, Comparison, Expr, IntType, UnOp};
use sl::core::Var;

use super::Checker;
use super::path::{Path, Value};

impl Checker<'_> {
    fn number(&self, path: &mut Path, low: i128, high: i128) -> Value {
        let sum = Sum::var(path.fresh_int(&self.logic));
        let low = Constraint::at_most(&Sum::number(low), &sum);
        let high = Constraint::at_most(&sum, &Sum::number(high));
        low.into_iter().chain(high).for_each(|c| path.heap.add_linear(c));
        Value::Int(sum)
    }

    /// The value of an expression.
    pub(super) fn eval(&self, path: &mut Path, e: &Expr) -> Value {
        let null = self.logic.loc as Var;
        match e {
            Expr::Int(n) => Value::Int(Sum::number(*n)),
            Expr::Null => Value::Loc(null, 0),
            Expr::Var(var) => path.vars.get(var.index()).cloned().unwrap_or(Value::Any),
            Expr::Global(id) => {
                self.globals.get(id.index()).map_or(Value::Any, |var| Value::Loc(*var, 0))
            }
            Expr::Object(id) => {
                path.objects.get(id.index()).cloned().flatten().unwrap_or(Value::Any)
            }
            Expr::Offset(base, bytes) => {
                let (base, bytes) = (self.eval(path, base), self.eval(path, bytes));
                let (Some((at, k)), Value::Int(sum)) = (base.place(), bytes) else {
                    return Value::Any;
                };
                k.plus(&sum, 1).map_or(Value::Any, |distance| path.behind(at, &distance))
            }
            Expr::Distance(a, b) => {
                match (self.eval(path, a).place(), self.eval(path, b).place()) {
                    (Some((a, k)), Some((b, j))) if a == b => {
                        k.plus(&j, -1).map_or(Value::Any, Value::Int)
                    }
                    _ => Value::Any,
                }
            }
            Expr::Unary(UnOp::Not, _)
            | Expr::Binary(BinOp::Compare(_) | BinOp::And | BinOp::Or, ..) => {
                self.number(path, 0, 1)
            }
            Expr::Unary(UnOp::Neg(ty), a) => match self.eval(path, a) {
                Value::Int(a) => self.result(path, *ty, a.negative()),
                _ => self.result(path, *ty, None),
            },
            Expr::Binary(BinOp::Arith(op, ty), a, b) => {
                match (self.eval(path, a), self.eval(path, b)) {
                    (Value::Int(a), Value::Int(b)) => {
                        let (a, b) = (path.simplified(&a), path.simplified(&b));
                        self.result(path, *ty, arithmetic(*op, &a, &b))
                    }
                    _ => self.result(path, *ty, None),
                }
            }
            Expr::Convert(ty, a) => {
                let a = self.eval(path, a);
                self.convert(path, *ty, a)
            }
            Expr::Proc(id) => {
                let Some(var) = self.procedure(*id) else { return Value::Any };
                path.heap.add_different(var, null);
                Value::Loc(var, 0)
            }
            Expr::Float(_)
            | Expr::ToFloat(..)
            | Expr::Unary(UnOp::BitNot(_) | UnOp::FloatNeg, _)
            | Expr::Binary(BinOp::Float(_), ..)
            | Expr::If(..) => Value::Any,
        }
    }

    /// What an operation yields: with machine integers a number of its type. One that has none there is any other.
    fn result(&self, path: &mut Path, ty: IntType, sum: Option<Sum>) -> Value {
        match (sum, self.machine_integers) {
            (Some(sum), false) => Value::Int(sum),
            (Some(sum), true) => self.convert(path, ty, Value::Int(sum)),
            (None, true) => match ty.bounds() {
                Some((low, high)) => self.number(path, low, high),
                None => Value::Any,
            },
            (None, false) => Value::Any,
        }
    }

    fn convert(&self, path: &mut Path, ty: IntType, value: Value) -> Value {
        // `offsetof` by hand: a distance from the null pointer.
        let value = match value {
            Value::Loc(at, k) if at == self.logic.loc as Var => Value::Int(Sum::number(k)),
            value => value,
        };
        let Value::Int(sum) = &value else { return Value::Any };
        let Some((least, largest)) = ty.bounds() else { return value };
        if sum.factors.is_empty() {
            return Value::Int(Sum::number(ty.wrap(sum.constant)));
        }
        let low = Constraint::at_most(&Sum::number(least), sum);
        let high = Constraint::at_most(sum, &Sum::number(largest));
        if path.proves(low) && path.proves(high) {
            return value;
        }
        self.number(path, least, largest)
    }

    /// The paths on which a condition holds, or does not.
    pub(super) fn assume(&self, mut path: Path, e: &Expr, truth: bool) -> Vec<Path> {
        match e {
            Expr::Unary(UnOp::Not, a) => self.assume(path, a, !truth),
            Expr::Binary(BinOp::And | BinOp::Or, a, b) => {
                let both = matches!(e, Expr::Binary(BinOp::And, ..)) == truth;
                let first = self.assume(path.clone(), a, truth);
                if both {
                    return first.into_iter().flat_map(|p| self.assume(p, b, truth)).collect();
                }
                let other = self.assume(path, a, !truth);
                let second = other.into_iter().flat_map(|p| self.assume(p, b, truth));
                first.into_iter().chain(second).collect()
            }
            Expr::Binary(BinOp::Compare(op), a, b) => {
                let (a, b) = (self.eval(&mut path, a), self.eval(&mut path, b));
                self.compare(path, *op, a, b, truth)
            }
            Expr::Convert(_, inner) if inner.is_condition() => self.assume(path, inner, truth),
            e => {
                let value = self.eval(&mut path, e);
                let zero = match value {
                    Value::Loc(..) => Value::Loc(self.logic.loc as Var, 0),
                    _ => Value::Int(Sum::number(0)),
                };
                self.compare(path, Comparison::Ne, value, zero, truth)
            }
        }
    }

    fn compare(
        &self,
        mut path: Path,
        op: Comparison,
        a: Value,
        b: Value,
        truth: bool,
    ) -> Vec<Path> {
        let (op, a, b) = match (op, truth) {
            (op, true) => (op, a, b),
            (Comparison::Eq, false) => (Comparison::Ne, a, b),
            (Comparison::Ne, false) => (Comparison::Eq, a, b),
            (Comparison::Lt, false) => (Comparison::Le, b, a),
            (Comparison::Le, false) => (Comparison::Lt, b, a),
        };
        let null = self.logic.loc as Var;
        let is_zero = |v: &Value| matches!(v, Value::Int(sum) if *sum == Sum::number(0));
        let (a, b) = match (a, b) {
            (a @ Value::Loc(..), b) if is_zero(&b) => (a, Value::Loc(null, 0)),
            (a, b @ Value::Loc(..)) if is_zero(&a) => (Value::Loc(null, 0), b),
            pair => pair,
        };
        let possible = match (a, b) {
            (Value::Int(a), Value::Int(b)) => {
                let constraint = match op {
                    Comparison::Eq => Constraint::equal(&a, &b),
                    Comparison::Ne => Constraint::different(&a, &b),
                    Comparison::Lt => Constraint::less(&a, &b),
                    Comparison::Le => Constraint::at_most(&a, &b),
                };
                constraint.into_iter().for_each(|c| path.heap.add_linear(c));
                !arith::contradictory(path.heap.constraints())
            }
            (Value::Within(a, k), Value::Loc(b, j)) if a == b => {
                return self.compare(path, op, Value::Int(k), Value::Int(Sum::number(j)), true);
            }
            (Value::Loc(a, k), Value::Within(b, j)) if a == b => {
                return self.compare(path, op, Value::Int(Sum::number(k)), Value::Int(j), true);
            }
            (Value::Within(a, k), Value::Within(b, j)) if a == b => {
                return self.compare(path, op, Value::Int(k), Value::Int(j), true);
            }
            (Value::Loc(a, k), Value::Loc(b, j)) => match op {
                Comparison::Eq | Comparison::Ne if a == b => (k == j) == (op == Comparison::Eq),
                Comparison::Eq | Comparison::Ne => self.locations(&mut path, op, (a, k), (b, j)),
                Comparison::Lt => a != b || k < j,
                Comparison::Le => a != b || k <= j,
            },
            _ => true,
        };
        if possible { vec![path] } else { Vec::new() }
    }

    fn locations(&self, path: &mut Path, op: Comparison, a: (Var, i128), b: (Var, i128)) -> bool {
        let null = self.logic.loc as Var;
        let names = (self.location(path, a.0, a.1), self.location(path, b.0, b.1));
        let procs = |var: Var| self.procs.values().any(|known| *known == var);
        match names {
            (Some(x), Some(y)) if procs(x) && procs(y) => op == Comparison::Ne,
            (Some(x), Some(y)) if op == Comparison::Eq => path.equate(&self.logic, x, y),
            (Some(x), Some(y)) => {
                path.heap.add_different(x, y);
                path.settle(&self.logic)
            }
            // A place in an object is not null.
            _ => {
                let (inner, other) = if a.1 != 0 { (a, b) } else { (b, a) };
                let in_object = path.heap.cell_at(inner.0).is_some()
                    && path.object(&self.logic, inner.0).is_ok_and(|(cell, offset)| {
                        let offset = Sum::number(offset.saturating_add(inner.1));
                        path.is_inside(cell, &offset, &Sum::number(0))
                    });
                !(in_object && other == (null, 0) && op == Comparison::Eq)
            }
        }
    }
}

fn arithmetic(op: Arith, a: &Sum, b: &Sum) -> Option<Sum> {
    match op {
        Arith::Add => a.plus(b, 1),
        Arith::Sub => a.plus(b, -1),
        Arith::Mul if b.factors.is_empty() => Sum::default().plus(a, b.constant),
        Arith::Mul if a.factors.is_empty() => Sum::default().plus(b, a.constant),
        Arith::Div if a.factors.is_empty() && b.factors.is_empty() => {
            Some(Sum::number(a.constant.checked_div(b.constant).unwrap_or(0)))
        }
        Arith::Rem if a.factors.is_empty() && b.factors.is_empty() => {
            Some(Sum::number(a.constant.checked_rem(b.constant).unwrap_or(0)))
        }
        _ => None,
    }
}
