//! Quantifiers and comprehensions.
//!
//! One over references tries all locations; one over numbers tries those that its guard allows (`0 <= i < n`,
//! `x in S`), or else some, and then the value is `inexact`.

use std::collections::BTreeSet;
use std::sync::Arc;

use report::Span;
use spl::core::{BinOp, Expr, ExprKind, LocalId, Type, UnOp};

use crate::eval::{is_local, mentions, unknown};
use crate::machine::{Env, Machine, Result, is_infinite};
use crate::value::{Map, Slot, Value};

/// More values of a bound variable are not tried.
const MANY: usize = 4096;

impl<'p> Machine<'p> {
    /// Is there a value for the variables for which the body is `wanted`?
    pub fn quantified(
        &mut self,
        env: &mut Env<'p>,
        vars: &'p [LocalId],
        body: &'p Expr,
        wanted: bool,
        span: Span,
    ) -> Result<bool> {
        let Some((var, rest)) = vars.split_first() else {
            return Ok(self.bool(env, body)? == wanted);
        };
        let before = env.get(*var).cloned();
        let guards = guards(body, wanted);
        // Bounds may be in terms of variables before this one, never of those after it.
        let (values, all) = self.range(env, *var, rest, &guards, span)?;
        let outer = std::mem::replace(&mut self.inexact, false);
        let (mut found, mut doubt) = (false, false);
        for value in values {
            env.set(*var, Some(value));
            self.inexact = false;
            if self.quantified(env, rest, body, wanted, span)? {
                found = true;
                doubt = self.inexact;
                if !doubt {
                    break;
                }
            }
            doubt |= self.inexact;
        }
        env.set(*var, before);
        self.inexact = outer || doubt || (!found && !all);
        Ok(found)
    }

    pub fn comprehension(
        &mut self,
        env: &mut Env<'p>,
        var: LocalId,
        body: &'p Expr,
        ty: &Type,
        span: Span,
    ) -> Result<Value> {
        let before = env.get(var).cloned();
        let is_set = matches!(ty, Type::Set(_));
        let guards = if is_set { guards(body, true) } else { Vec::new() };
        let (values, all) = self.range(env, var, &[], &guards, span)?;
        self.inexact |= !all;
        let mut set = BTreeSet::new();
        let mut map: Option<Map> = None;
        for value in values {
            env.set(var, Some(value.clone()));
            match self.eval(env, body)? {
                Value::Bool(true) if is_set => drop(set.insert(value)),
                Value::Bool(false) if is_set => {}
                result => {
                    map = Some(match map {
                        Some(map) => map.updated(value, result),
                        None => Map::constant(result),
                    });
                }
            }
        }
        env.set(var, before);
        match (is_set, map) {
            (true, _) => Ok(Value::Set(Arc::new(set))),
            (false, Some(map)) => Ok(Value::Map(Arc::new(map))),
            (false, None) => unknown(span, "this map"),
        }
    }

    /// Values for a bound variable: those that guards allow, or some. Are these all that matter?
    fn range(
        &mut self,
        env: &mut Env<'p>,
        var: LocalId,
        later: &[LocalId],
        guards: &[&'p Expr],
        span: Span,
    ) -> Result<(Vec<Value>, bool)> {
        let ty = env.ty(var);
        let known = |e: &Expr| !mentions(e, var) && !later.iter().any(|l| mentions(e, *l));
        let (mut low, mut high) = (None::<i128>, None::<i128>);
        for guard in guards {
            let ExprKind::Binary(op, a, b) = &*guard.kind else { continue };
            let left = is_local(a, var) && known(b);
            let right = is_local(b, var) && known(a);
            match op {
                BinOp::In if left => {
                    let set = self.set(env, b)?;
                    return Ok((set.iter().cloned().collect(), true));
                }
                BinOp::Eq if left || right => {
                    let value = self.eval(env, if left { b } else { a })?;
                    return Ok((vec![value], true));
                }
                BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge
                    if ty == Type::Int && (left || right) =>
                {
                    let bound = self.int(env, if left { b } else { a })?;
                    let strict = i128::from(matches!(op, BinOp::Lt | BinOp::Gt));
                    let less = matches!(op, BinOp::Lt | BinOp::Le) == left;
                    if less {
                        high = Some(high.map_or(bound - strict, |h| h.min(bound - strict)));
                    } else {
                        low = Some(low.map_or(bound + strict, |l| l.max(bound + strict)));
                    }
                }
                _ => {}
            }
        }
        if let (Some(low), Some(high)) = (low, high) {
            if high - low > MANY as i128 {
                return unknown(span, "a quantifier over so many numbers");
            }
            return Ok(((low..=high).map(Value::Int).collect(), true));
        }
        let values = self.domain(env, &ty, span, 2)?;
        let values: Vec<Value> = values
            .into_iter()
            .filter(|value| match value {
                Value::Int(n) => low.is_none_or(|l| l <= *n) && high.is_none_or(|h| *n <= h),
                _ => true,
            })
            .collect();
        let all = !is_infinite(&ty) || matches!(ty, Type::Byte);
        Ok((values, all))
    }

    /// Values of a type: all, or those that are worth trying.
    pub fn domain(
        &mut self,
        env: &Env<'p>,
        ty: &Type,
        span: Span,
        height: u32,
    ) -> Result<Vec<Value>> {
        let all = match ty {
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Byte => (0..=255).map(Value::Byte).collect(),
            Type::Int => self.integers(env).into_iter().map(Value::Int).collect(),
            Type::Struct(_) | Type::Array(_) => {
                let count = self.count(ty);
                self.state.used.insert(ty.clone(), count);
                (0..=count).map(Value::Location).collect()
            }
            Type::Cell(of) => {
                let mut cells = vec![Value::NoCell];
                for array in 1..=self.count(&Type::Array(of.clone())) {
                    let length = self.length(of, array);
                    cells.extend((-1..=length).map(|index| Value::Cell(array, index)));
                }
                cells
            }
            Type::Set(of) => {
                // A datatype may contain sets of itself.
                let mut elements = match height {
                    0 if !matches!(**of, Type::Bool | Type::Struct(_)) => Vec::new(),
                    _ => self.domain(env, of, span, height.saturating_sub(1))?,
                };
                elements.retain(|e| !e.is_null());
                elements.truncate(8);
                let mut sets = vec![BTreeSet::new()];
                for element in elements {
                    let with: Vec<BTreeSet<Value>> = sets.clone();
                    sets.extend(with.into_iter().map(|mut set| {
                        set.insert(element.clone());
                        set
                    }));
                }
                sets.into_iter().map(|set| Value::Set(Arc::new(set))).collect()
            }
            Type::Opaque(_) => (0..3).map(Value::Opaque).collect(),
            Type::Datatype(name) => {
                let mut values = Vec::new();
                let constructors = self.program.datatypes.get(name).cloned().unwrap_or_default();
                for constructor in constructors {
                    let Some(declared) = self.program.ctors.get(&constructor) else { continue };
                    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
                    for (_, ty) in &declared.args {
                        let mut choices = match height {
                            0 if matches!(ty, Type::Datatype(_)) => Vec::new(),
                            _ => self.domain(env, ty, span, height.saturating_sub(1))?,
                        };
                        choices.truncate(5);
                        all = all
                            .iter()
                            .flat_map(|args| {
                                choices.iter().map(move |c| {
                                    let mut args = args.clone();
                                    args.push(c.clone());
                                    args
                                })
                            })
                            .take(200)
                            .collect();
                    }
                    values.extend(
                        all.into_iter().map(|a| Value::Data(constructor.clone(), Arc::new(a))),
                    );
                }
                values
            }
            Type::Map(_, value) => self
                .deeper(span, |machine| machine.domain(env, value, span, 0))?
                .into_iter()
                .map(|v| Value::Map(Arc::new(Map::constant(v))))
                .collect(),
            Type::Perm | Type::Hole(_) => return unknown(span, "a quantifier over this"),
        };
        Ok(all)
    }

    /// Numbers around those that occur.
    fn integers(&self, env: &Env<'p>) -> Vec<i128> {
        let mut found: BTreeSet<i128> = self.numbers.iter().copied().collect();
        let mut add = |value: &Value| match value {
            Value::Int(n) => drop(found.insert(*n)),
            Value::Set(set) => set.iter().for_each(|v| {
                if let Value::Int(n) = v {
                    found.insert(*n);
                }
            }),
            _ => {}
        };
        self.state.base.values().for_each(&mut add);
        env.locals.iter().flatten().for_each(&mut add);
        for heap in [&self.state.heap, &*env.old] {
            for slot in heap.written.values() {
                if let Slot::Value(value) = slot {
                    add(value);
                }
            }
        }
        let near: BTreeSet<i128> = found.iter().flat_map(|n| [n - 1, *n, n + 1]).collect();
        let mut near: Vec<i128> = near.into_iter().collect();
        near.sort_by_key(|n| (n.unsigned_abs(), *n));
        near.truncate(48);
        near
    }
}

/// What must be so for a body to be `wanted`: conjuncts of it, or of the left side of an implication.
fn guards(body: &Expr, wanted: bool) -> Vec<&Expr> {
    let mut found = Vec::new();
    match (&*body.kind, wanted) {
        (ExprKind::Binary(BinOp::And, a, b), true) => {
            found.extend(guards(a, true));
            found.extend(guards(b, true));
        }
        (ExprKind::Binary(BinOp::Implies, a, b), false) => {
            found.extend(guards(a, true));
            found.extend(guards(b, false));
        }
        (ExprKind::Binary(BinOp::Or, a, b), false) => {
            found.extend(guards(a, false));
            found.extend(guards(b, false));
        }
        (ExprKind::Unary(UnOp::Not, inner), _) => found.extend(guards(inner, !wanted)),
        (_, true) => found.push(body),
        _ => {}
    }
    found
}
