//! Expressions on a heap.
//!
//! Reachability follows fields, sets are finite, recursive definitions are unfolded (`define`), quantifiers try
//! values (`quantify`).

use std::collections::BTreeSet;
use std::sync::Arc;

use report::Span;
use spl::core::{BinOp, Expr, ExprKind, LocalId, Name, Quantifier, Type, UnOp};

use crate::machine::{Env, Machine, Result, Stop};
use crate::value::{Map, Place, Value};

impl<'p> Machine<'p> {
    pub fn bool(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<bool> {
        match self.eval(env, e)? {
            Value::Bool(b) => Ok(b),
            _ => unknown(e.span, "this truth value"),
        }
    }

    pub fn int(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<i128> {
        match self.eval(env, e)? {
            Value::Int(n) => Ok(n),
            Value::Byte(n) => Ok(i128::from(n)),
            _ => unknown(e.span, "this number"),
        }
    }

    pub fn set(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<Arc<BTreeSet<Value>>> {
        match self.eval(env, e)? {
            Value::Set(set) => Ok(set),
            _ => unknown(e.span, "this set"),
        }
    }

    fn values(&mut self, env: &mut Env<'p>, all: &'p [Expr]) -> Result<Vec<Value>> {
        all.iter().map(|e| self.eval(env, e)).collect()
    }

    /// The value of an expression that is no spatial assertion.
    pub fn eval(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<Value> {
        self.tick()?;
        let span = e.span;
        Ok(match &*e.kind {
            ExprKind::Bool(b) => Value::Bool(*b),
            ExprKind::Int(n) => self.number(&Type::Int, i128::from(*n)),
            ExprKind::Byte(n) => Value::Byte(*n),
            ExprKind::Null => Value::null(&e.ty),
            ExprKind::Local(local) => match env.get(*local) {
                Some(value) => value.clone(),
                None => {
                    let value = self.any(&env.ty(*local), span)?;
                    env.set(*local, Some(value.clone()));
                    value
                }
            },
            ExprKind::Global(name) => self.load(env, Place::Global(name.clone()), &e.ty, span)?,
            ExprKind::Field(name) => self.field_as_map(env, name, &e.ty, span)?,
            ExprKind::Read(map, key) => {
                let key = self.eval(env, key)?;
                self.read(env, map, key, &e.ty)?
            }
            ExprKind::Update(map, key, value) => {
                let Value::Map(map) = self.eval(env, map)? else {
                    return unknown(span, "this map");
                };
                let (key, value) = (self.eval(env, key)?, self.eval(env, value)?);
                Value::Map(Arc::new(map.updated(key, value)))
            }
            ExprKind::ArrayRead(array, index) => {
                let Value::Location(at) = self.eval(env, array)? else {
                    return unknown(span, "this array");
                };
                let index = self.int(env, index)?;
                self.element(env, &e.ty, at, index, span)?
            }
            ExprKind::CellRead(cell) => match self.eval(env, cell)? {
                Value::Cell(at, index) => self.element(env, &e.ty, at, index, span)?,
                cell => self.unspecified("contents", vec![cell], &e.ty, span)?,
            },
            ExprKind::Length(array) => {
                let Type::Array(of) = &array.ty else { return unknown(span, "this array") };
                match self.eval(env, array)? {
                    Value::Location(0) => self.unspecified("length", vec![], &Type::Int, span)?,
                    Value::Location(at) => Value::Int(self.length(of, at)),
                    _ => return unknown(span, "this array"),
                }
            }
            ExprKind::Cells(_) => return unknown(span, "the cells of an array as a map"),
            ExprKind::Contents(array) => {
                let (Type::Array(of), Value::Location(at)) = (&array.ty, self.eval(env, array)?)
                else {
                    return unknown(span, "this array");
                };
                let outside = vec![Value::Location(at)];
                let mut map = Map::constant(self.unspecified("outside", outside, of, span)?);
                let mut indices: BTreeSet<i128> = (0..self.length(of, at)).collect();
                let heap = if env.in_old { &*env.old } else { &self.state.heap };
                indices.extend(heap.written.keys().filter_map(|place| match place {
                    Place::Element(ty, array, index) if *ty == **of && *array == at => Some(*index),
                    _ => None,
                }));
                for index in indices {
                    let value = self.element(env, of, at, index, span)?;
                    map = map.updated(Value::Int(index), value);
                }
                Value::Map(Arc::new(map))
            }
            ExprKind::CellArray(cell) => match self.eval(env, cell)? {
                Value::Cell(array, _) => Value::Location(array),
                // No object has `null` among its cells: it is the first cell of `null`.
                _ => Value::Location(0),
            },
            ExprKind::CellIndex(cell) => match self.eval(env, cell)? {
                Value::Cell(_, index) => Value::Int(index),
                _ => Value::Int(0),
            },
            ExprKind::Set(elements) => Value::set(self.values(env, elements)?),
            ExprKind::Comprehension(local, body) => {
                self.comprehension(env, *local, body, &e.ty, span)?
            }
            ExprKind::Function(name, args) => {
                let args = self.values(env, args)?;
                self.function(env, name, args, span)?
            }
            ExprKind::Predicate(name, args) => {
                let args = self.values(env, args)?;
                Value::Bool(self.truth_of(env, name, args, span)?)
            }
            ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..) => {
                match env.results.get(&address(e)) {
                    Some(value) => value.clone(),
                    None => return unknown(span, "a side effect here"),
                }
            }
            ExprKind::Construct(name, args) => {
                Value::Data(name.clone(), Arc::new(self.values(env, args)?))
            }
            ExprKind::Destruct(name, value) => {
                let value = self.eval(env, value)?;
                match (&value, self.program.dtors.get(name)) {
                    (Value::Data(constructor, args), Some((of, index))) if constructor == of => {
                        args.get(*index).cloned().ok_or(Stop::Fails)?
                    }
                    _ => self.unspecified(name, vec![value], &e.ty, span)?,
                }
            }
            ExprKind::Emp | ExprKind::Acc(_) | ExprKind::AccSet(_) | ExprKind::PointsTo(..) => {
                return unknown(span, "a spatial assertion as a value");
            }
            ExprKind::Btwn(field, x, y, z) => {
                let [x, y, z] = [self.eval(env, x)?, self.eval(env, y)?, self.eval(env, z)?];
                Value::Bool(self.between(env, field, x, &y, &z)?)
            }
            ExprKind::Disjoint(a, b) => {
                let (a, b) = (self.set(env, a)?, self.set(env, b)?);
                Value::Bool(a.is_disjoint(&b))
            }
            ExprKind::Frame(owned, allocated, before, after) => {
                let (owned, all) = (self.set(env, owned)?, self.set(env, allocated)?);
                let Type::Map(_, ty) = &before.ty else { return unknown(span, "this frame") };
                let mut same = true;
                for x in all.difference(&owned) {
                    let old = self.read(env, before, x.clone(), ty)?;
                    same &= old == self.read(env, after, x.clone(), ty)?;
                }
                Value::Bool(same)
            }
            ExprKind::Old(inner) => {
                let outer = std::mem::replace(&mut env.in_old, true);
                let value = self.eval(env, inner);
                env.in_old = outer;
                value?
            }
            ExprKind::Unary(op, operand) => match (op, self.eval(env, operand)?) {
                (UnOp::Not, Value::Bool(b)) => Value::Bool(!b),
                (UnOp::Neg, Value::Int(n)) => self.number(&e.ty, -n),
                (UnOp::Neg, Value::Byte(n)) => Value::Byte(n.wrapping_neg()),
                (UnOp::BitNot, Value::Int(n)) => self.number(&e.ty, !n),
                (UnOp::BitNot, Value::Byte(n)) => Value::Byte(!n),
                (UnOp::Int2Byte, Value::Int(n)) => Value::Byte(n.rem_euclid(256) as u8),
                (UnOp::Byte2Int, Value::Byte(n)) => Value::Int(i128::from(n)),
                _ => return unknown(span, "this operation"),
            },
            ExprKind::Binary(op, a, b) => self.binary(env, *op, a, b, e)?,
            ExprKind::Cond(c, a, b) => {
                let side = if self.bool(env, c)? { a } else { b };
                self.eval(env, side)?
            }
            ExprKind::Quant(quantifier, vars, body) => {
                // forall x :: b  looks for a counterexample, exists x :: b  for a witness.
                let wanted = *quantifier == Quantifier::Exists;
                Value::Bool(self.quantified(env, vars, body, wanted, span)? == wanted)
            }
        })
    }

    /// A number of a type: with bit vectors it wraps around.
    fn number(&self, ty: &Type, n: i128) -> Value {
        match ty {
            Type::Byte => Value::Byte(n.rem_euclid(256) as u8),
            _ if self.bits => Value::Int((n.rem_euclid(1 << 32)) as u32 as i32 as i128),
            _ => Value::Int(n),
        }
    }

    fn binary(
        &mut self,
        env: &mut Env<'p>,
        op: BinOp,
        a: &'p Expr,
        b: &'p Expr,
        e: &'p Expr,
    ) -> Result<Value> {
        if matches!(op, BinOp::And | BinOp::Or | BinOp::Implies) {
            return self.junction(env, op, a, b).map(Value::Bool);
        }
        let (x, y) = (self.eval(env, a)?, self.eval(env, b)?);
        Ok(match (op, x, y) {
            (BinOp::Eq | BinOp::Iff, x, y) => Value::Bool(x == y),
            (BinOp::Ne, x, y) => Value::Bool(x != y),
            (BinOp::In, x, Value::Set(set)) => Value::Bool(set.contains(&x)),
            (BinOp::NotIn, x, Value::Set(set)) => Value::Bool(!set.contains(&x)),
            (BinOp::Le, Value::Set(x), Value::Set(y)) => Value::Bool(x.is_subset(&y)),
            (BinOp::Ge, Value::Set(x), Value::Set(y)) => Value::Bool(y.is_subset(&x)),
            (BinOp::Union, Value::Set(x), Value::Set(y)) => {
                Value::set(x.union(&y).cloned().collect::<Vec<_>>())
            }
            (BinOp::Inter, Value::Set(x), Value::Set(y)) => {
                Value::set(x.intersection(&y).cloned().collect::<Vec<_>>())
            }
            (BinOp::Diff, Value::Set(x), Value::Set(y)) => {
                Value::set(x.difference(&y).cloned().collect::<Vec<_>>())
            }
            (op, Value::Int(x), Value::Int(y)) => self.arithmetic(op, x, y, &e.ty, e.span)?,
            (op, Value::Byte(x), Value::Byte(y)) => {
                self.arithmetic(op, i128::from(x), i128::from(y), &e.ty, e.span)?
            }
            (op @ (BinOp::Shl | BinOp::Shr), Value::Byte(x), Value::Int(y)) => {
                let y = y.rem_euclid(1 << 32).min(8);
                self.arithmetic(op, i128::from(x), y, &e.ty, e.span)?
            }
            _ => return unknown(e.span, "this operation"),
        })
    }

    fn arithmetic(&mut self, op: BinOp, x: i128, y: i128, ty: &Type, span: Span) -> Result<Value> {
        let small = |n: Option<i128>| {
            n.filter(|n| n.unsigned_abs() < 1 << 100)
                .ok_or_else(|| Stop::Unknown(span, "a number as large as this".to_owned()))
        };
        // Bit vectors are divided towards zero, numbers of mathematics such that the rest is not negative.
        let towards_zero = self.bits && *ty == Type::Int;
        let n = match op {
            BinOp::Lt => return Ok(Value::Bool(x < y)),
            BinOp::Le => return Ok(Value::Bool(x <= y)),
            BinOp::Gt => return Ok(Value::Bool(x > y)),
            BinOp::Ge => return Ok(Value::Bool(x >= y)),
            BinOp::Add => small(x.checked_add(y))?,
            BinOp::Sub => small(x.checked_sub(y))?,
            BinOp::Mul => small(x.checked_mul(y))?,
            BinOp::Div | BinOp::Mod if y == 0 => {
                let name = if op == BinOp::Div { "/" } else { "%" };
                return self.unspecified(name, vec![Value::Int(x)], ty, span);
            }
            BinOp::Div if towards_zero => x / y,
            BinOp::Mod if towards_zero => x % y,
            BinOp::Div => x.div_euclid(y),
            BinOp::Mod => x.rem_euclid(y),
            BinOp::BitAnd => x & y,
            BinOp::BitOr => x | y,
            // As many bits as there are, or more: all are gone.
            BinOp::Shl => x << y.rem_euclid(1 << 32).min(32),
            BinOp::Shr => x >> y.rem_euclid(1 << 32).min(32),
            _ => return unknown(span, "this operation"),
        };
        Ok(self.number(ty, n))
    }

    /// Connectives: a side that decides beyond doubt decides, whatever the other is.
    fn junction(&mut self, env: &mut Env<'p>, op: BinOp, a: &'p Expr, b: &'p Expr) -> Result<bool> {
        let outer = std::mem::replace(&mut self.inexact, false);
        let x = self.bool(env, a)? ^ (op == BinOp::Implies);
        let first = std::mem::replace(&mut self.inexact, false);
        // x && y is decided by false, x || y by true.
        let decides = op != BinOp::And;
        if x == decides && !first {
            self.inexact = outer;
            return Ok(decides);
        }
        let y = self.bool(env, b)?;
        let second = self.inexact;
        let value = if decides { x || y } else { x && y };
        let certain = (x == decides && !first)
            || (y == decides && !second)
            || (value != decides && !first && !second);
        self.inexact = outer || !certain;
        Ok(value)
    }

    // --- Heaps

    fn element(
        &mut self,
        env: &Env<'p>,
        of: &Type,
        array: u32,
        index: i128,
        span: Span,
    ) -> Result<Value> {
        let place = Place::Element(of.clone(), array, index);
        let heap = if env.in_old { &*env.old } else { &self.state.heap };
        if self.simple_arrays
            && !heap.written.contains_key(&place)
            && !(0..self.length(of, array)).contains(&index)
        {
            // The contents are a map, which is the same almost everywhere.
            return self.unspecified("outside", vec![Value::Location(array)], of, span);
        }
        self.load(env, place, of, span)
    }

    /// `map[key]`, without making a value of the map if it is a field.
    pub fn read(
        &mut self,
        env: &mut Env<'p>,
        map: &'p Expr,
        key: Value,
        ty: &Type,
    ) -> Result<Value> {
        match &*map.kind {
            ExprKind::Field(name) => match key {
                Value::Location(at) => self.load(env, Place::Field(name.clone(), at), ty, map.span),
                _ => unknown(map.span, "this location"),
            },
            ExprKind::Old(inner) => {
                let outer = std::mem::replace(&mut env.in_old, true);
                let value = self.read(env, inner, key, ty);
                env.in_old = outer;
                value
            }
            ExprKind::Update(inner, at, value) => {
                if self.eval(env, at)? == key {
                    self.eval(env, value)
                } else {
                    self.read(env, inner, key, ty)
                }
            }
            ExprKind::Cells(array) => match (self.eval(env, array)?, key) {
                (Value::Location(0), Value::Int(0)) => Ok(Value::NoCell),
                (Value::Location(array), Value::Int(index)) => Ok(Value::Cell(array, index)),
                _ => unknown(map.span, "this cell"),
            },
            _ => match self.eval(env, map)? {
                Value::Map(map) => Ok(map.get(&key).clone()),
                _ => unknown(map.span, "this map"),
            },
        }
    }

    /// A field as a map of all its objects.
    fn field_as_map(
        &mut self,
        env: &mut Env<'p>,
        name: &Name,
        ty: &Type,
        span: Span,
    ) -> Result<Value> {
        let Type::Map(key, value) = ty else { return unknown(span, "this field") };
        let mut map = Map::constant(self.unspecified(name, vec![], value, span)?);
        for at in 0..=self.count(key) {
            let value = self.load(env, Place::Field(name.clone(), at), value, span)?;
            map = map.updated(Value::Location(at), value);
        }
        Ok(Value::Map(Arc::new(map)))
    }

    /// Following the field from `x` one comes to `z`, and to `y` at or before the first `z`.
    fn between(
        &mut self,
        env: &mut Env<'p>,
        field: &'p Expr,
        x: Value,
        y: &Value,
        z: &Value,
    ) -> Result<bool> {
        let Type::Map(_, ty) = &field.ty else { return unknown(field.span, "this field") };
        let (mut at, mut met, mut seen) = (x, false, BTreeSet::new());
        while seen.insert(at.clone()) {
            met |= at == *y;
            if at == *z {
                return Ok(met);
            }
            at = self.read(env, field, at, ty)?;
        }
        Ok(false)
    }
}

pub(crate) fn unknown<T>(span: Span, what: impl Into<String>) -> Result<T> {
    Err(Stop::Unknown(span, what.into()))
}

/// Where an expression is in memory: which of several equal ones it is.
pub(crate) fn address(e: &Expr) -> usize {
    std::ptr::from_ref(&*e.kind) as usize
}

pub(crate) fn is_local(e: &Expr, var: LocalId) -> bool {
    matches!(&*e.kind, ExprKind::Local(local) if *local == var)
}

pub(crate) fn mentions(e: &Expr, var: LocalId) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= is_local(e, var));
    found
}
