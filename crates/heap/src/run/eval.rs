//! Values of expressions.

use super::fault::FaultKind;
use super::machine::{Machine, Observer};
use super::value::{Pointer, Value};
use crate::expr::{Arith, BinOp, Comparison, Expr, UnOp};
use crate::types::IntType;

/// A value, or why there is none.
pub(super) type Eval<T> = Result<T, Trouble>;

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Something is wrong with the program.
    Fault(FaultKind),
    /// A number has more than 127 bits.
    TooLarge,
}

impl<O: Observer> Machine<'_, O> {
    pub(super) fn eval(&mut self, e: &Expr) -> Eval<Value> {
        Ok(match e {
            Expr::Var(var) => {
                let place = self.base + var.index();
                match self.registers[place] {
                    Value::Undef => self.draw_variable(var.index()),
                    value => value,
                }
            }
            Expr::Int(n) => Value::Int(*n),
            Expr::Null => Value::NULL,
            Expr::Offset(base, bytes) => {
                let base = self.eval(base)?;
                let bytes = self.eval(bytes)?;
                offset(base, bytes)?
            }
            Expr::Binary(op, a, b) => {
                let a = self.eval(a)?;
                let b = self.eval(b)?;
                self.binary(*op, a, b)?
            }
            Expr::Unary(op, a) => {
                let a = self.eval(a)?;
                self.unary(*op, a)?
            }
            Expr::Convert(ty, a) => {
                let a = self.eval(a)?;
                convert(*ty, a)
            }
            Expr::Global(id) => Value::Ptr(Pointer { object: id.0, offset: 0 }),
            Expr::Object(id) => match self.objects[self.objects_base + id.index()] {
                Some(object) => Value::Ptr(Pointer { object, offset: 0 }),
                None => Value::Garbage,
            },
            Expr::Proc(id) => Value::Proc(*id),
            Expr::Float(x) => Value::Float(*x),
            Expr::Distance(a, b) => {
                let a = self.eval(a)?;
                let b = self.eval(b)?;
                distance(a, b)
            }
            Expr::ToFloat(bits, a) => {
                let x = match self.eval(a)? {
                    Value::Int(n) => n as f64,
                    Value::Float(x) => x,
                    _ => 0.0,
                };
                Value::Float(if *bits == 32 { f64::from(x as f32) } else { x })
            }
            Expr::If(c, a, b) => {
                let c = self.eval(c)?;
                let a = self.eval(a)?;
                let b = self.eval(b)?;
                if c.is_true() { a } else { b }
            }
        })
    }

    /// A variable that was not initialised has any value, and keeps it.
    fn draw_variable(&mut self, var: usize) -> Value {
        let ty = self.program.proc(self.proc).vars.get(var).map(|v| v.ty);
        let value = ty.map_or(Value::Garbage, |ty| self.uninitialised(ty));
        self.registers[self.base + var] = value;
        value
    }

    fn unary(&mut self, op: UnOp, a: Value) -> Eval<Value> {
        match (op, a) {
            (UnOp::Not, a) => Ok(Value::Int(i128::from(!a.is_true()))),
            (UnOp::Neg(ty), Value::Int(n)) => self.number(ty, n.checked_neg()),
            (UnOp::BitNot(ty), Value::Int(n)) => Ok(Value::Int(ty.wrap(!n))),
            (UnOp::FloatNeg, Value::Float(x)) => Ok(Value::Float(-x)),
            _ => Ok(Value::Garbage),
        }
    }

    fn binary(&mut self, op: BinOp, a: Value, b: Value) -> Eval<Value> {
        match op {
            BinOp::Compare(op) => Ok(Value::Int(i128::from(compare(op, a, b)))),
            BinOp::And => Ok(Value::Int(i128::from(a.is_true() && b.is_true()))),
            BinOp::Or => Ok(Value::Int(i128::from(a.is_true() || b.is_true()))),
            BinOp::Float(op) => Ok(float(op, a, b)),
            BinOp::Arith(op, ty) => match (a, b) {
                (Value::Int(a), Value::Int(b)) => self.arith(op, ty, a, b),
                // Numbers that are pointers keep what they lead to.
                (Value::Ptr(_), Value::Int(_)) if op == Arith::Add => offset(a, b),
                (Value::Int(_), Value::Ptr(_)) if op == Arith::Add => offset(b, a),
                (Value::Ptr(_), Value::Int(n)) if op == Arith::Sub => offset(a, Value::Int(-n)),
                (Value::Ptr(_), Value::Ptr(_)) if op == Arith::Sub => Ok(distance(a, b)),
                (Value::Ptr(p), Value::Int(mask)) if op == Arith::BitAnd => Ok(masked(p, mask, ty)),
                (Value::Ptr(p), Value::Int(bits)) if op == Arith::BitOr && is_aligned(p, bits) => {
                    offset(a, b)
                }
                _ => Ok(Value::Garbage),
            },
        }
    }

    fn arith(&mut self, op: Arith, ty: IntType, a: i128, b: i128) -> Eval<Value> {
        let result = match op {
            Arith::Add => a.checked_add(b),
            Arith::Sub => a.checked_sub(b),
            Arith::Mul => a.checked_mul(b),
            Arith::Div => Some(a.checked_div(b).unwrap_or(0)),
            Arith::Rem => Some(a.checked_rem(b).unwrap_or(0)),
            Arith::BitAnd => Some(a & b),
            Arith::BitOr => Some(a | b),
            Arith::BitXor => Some(a ^ b),
            Arith::Shl | Arith::Shr => {
                if self.config.machine_integers && !(0..i128::from(ty.bits)).contains(&b) {
                    return Err(Trouble::Fault(FaultKind::Overflow));
                }
                match (op, u32::try_from(b)) {
                    (Arith::Shr, Ok(b)) => Some(a >> b.min(127)),
                    (Arith::Shl, Ok(b)) if b < 127 && a.unsigned_abs() < 1 << (126 - b) => {
                        Some(a << b)
                    }
                    (Arith::Shl, Ok(_)) if a != 0 => None,
                    _ => Some(0),
                }
            }
        };
        self.number(ty, result)
    }

    /// The result of an operation in a type.
    fn number(&self, ty: IntType, n: Option<i128>) -> Eval<Value> {
        let n = n.ok_or(Trouble::TooLarge)?;
        if !self.config.machine_integers || ty.holds(n) {
            Ok(Value::Int(n))
        } else if ty.signed {
            Err(Trouble::Fault(FaultKind::Overflow))
        } else {
            Ok(Value::Int(ty.wrap(n)))
        }
    }
}

/// A conversion keeps pointers: they become numbers only by arithmetic that has no other meaning.
fn convert(ty: IntType, a: Value) -> Value {
    match a {
        Value::Int(n) => Value::Int(ty.wrap(n)),
        Value::Float(x) if x.is_finite() && x.abs() < 1e30 => Value::Int(ty.wrap(x as i128)),
        Value::Float(_) => Value::Int(0),
        // A truth value is asked for by a comparison, a number with fewer bits has no pointer.
        Value::Ptr(_) | Value::Proc(_) if ty.bits >= 32 => a,
        Value::Ptr(p) => Value::Int(ty.wrap(p.offset.into())),
        other => other,
    }
}

fn offset(base: Value, bytes: Value) -> Eval<Value> {
    let Value::Int(bytes) = bytes else { return Ok(Value::Garbage) };
    match base {
        Value::Ptr(p) => {
            let offset = i64::try_from(i128::from(p.offset) + bytes.clamp(-(1 << 80), 1 << 80));
            Ok(Value::Ptr(Pointer { offset: offset.map_err(|_| Trouble::TooLarge)?, ..p }))
        }
        Value::Int(n) => Ok(Value::Int(n.checked_add(bytes).ok_or(Trouble::TooLarge)?)),
        other => Ok(other),
    }
}

fn distance(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Ptr(p), Value::Ptr(q)) if p.object == q.object => {
            Value::Int(i128::from(p.offset) - i128::from(q.offset))
        }
        // Objects are far from each other; how far is not determined.
        (Value::Ptr(p), Value::Ptr(q)) => {
            let base = |p: Pointer| (i128::from(p.object) << 40) + i128::from(p.offset);
            Value::Int(base(p) - base(q))
        }
        (Value::Int(a), Value::Int(b)) => Value::Int(a.saturating_sub(b)),
        (Value::Ptr(p), Value::Int(0)) => Value::Ptr(p),
        _ => Value::Garbage,
    }
}

/// Objects are aligned to 16 bytes.
fn masked(p: Pointer, mask: i128, ty: IntType) -> Value {
    let low = 15i128;
    if ty.wrap(mask | low) == ty.wrap(-1) {
        let offset = i128::from(p.offset);
        Value::Ptr(Pointer { offset: (offset - (offset & low & !mask)) as i64, ..p })
    } else if mask & !low == 0 {
        Value::Int(i128::from(p.offset) & mask)
    } else {
        Value::Garbage
    }
}

/// Are these bits of an address zero?
fn is_aligned(p: Pointer, bits: i128) -> bool {
    bits & !15 == 0 && i128::from(p.offset) & bits == 0
}

fn float(op: Arith, a: Value, b: Value) -> Value {
    let (Value::Float(a), Value::Float(b)) = (a, b) else { return Value::Float(0.0) };
    Value::Float(match op {
        Arith::Add => a + b,
        Arith::Sub => a - b,
        Arith::Mul => a * b,
        Arith::Div => a / b,
        _ => 0.0,
    })
}

fn compare(op: Comparison, a: Value, b: Value) -> bool {
    use std::cmp::Ordering;
    let order = match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
        (Value::Ptr(a), Value::Ptr(b)) => Some(a.cmp(&b)),
        (Value::Proc(a), Value::Proc(b)) => Some(a.cmp(&b)),
        // An object is at an address above all small numbers.
        (Value::Ptr(_) | Value::Proc(_) | Value::Garbage, Value::Int(n)) => {
            Some(if n < 1 << 62 { Ordering::Greater } else { Ordering::Less })
        }
        (Value::Int(n), Value::Ptr(_) | Value::Proc(_) | Value::Garbage) => {
            Some(if n < 1 << 62 { Ordering::Less } else { Ordering::Greater })
        }
        (Value::Garbage, Value::Garbage) => Some(Ordering::Equal),
        _ => None,
    };
    match op {
        Comparison::Eq => order == Some(Ordering::Equal),
        Comparison::Ne => order != Some(Ordering::Equal),
        Comparison::Lt => order == Some(Ordering::Less),
        Comparison::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }
}
