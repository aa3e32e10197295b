//! Values of expressions.

use std::cmp::Ordering;

use super::fault::FaultKind;
use super::machine::Machine;
use super::memory::Life;
use super::outcome::{Observer, Open};
use super::value::{Pointer, Value};
use crate::expr::{Arith, BinOp, Comparison, Expr, UnOp};
use crate::program::VarId;
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
                self.convert(*ty, a)
            }
            Expr::Global(id) => Value::Ptr(Pointer { object: id.0, offset: 0 }),
            Expr::Object(id) => match self.objects[self.objects_base + id.index()] {
                Some(object) => Value::Ptr(Pointer { object, offset: 0 }),
                None => {
                    self.unspecified = true;
                    Value::Garbage
                }
            },
            Expr::Proc(id) => Value::Proc(*id),
            Expr::Float(x) => Value::Float(*x),
            Expr::Distance(a, b) => {
                let a = self.eval(a)?;
                let b = self.eval(b)?;
                self.distance(a, b)
            }
            Expr::ToFloat(bits, a) => {
                let x = match self.eval(a)? {
                    Value::Float(x) => x,
                    other => self.bits(other) as f64,
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
        self.observer.left_open(Open::Variable(VarId(var as u32)), value, &self.memory);
        self.registers[self.base + var] = value;
        value
    }

    /// A value as a number. Where objects and procedures are is nothing that a program determines.
    pub(super) fn bits(&mut self, value: Value) -> i128 {
        self.unspecified |= !matches!(value, Value::Int(_) | Value::Float(_));
        self.memory.number(value)
    }

    /// Are these different wherever objects are? The end of an object may be the start of another one, and
    /// where an object was there may be another.
    fn are_different(&self, a: Value, b: Value) -> bool {
        let place = |value| match value {
            Value::Ptr(p) => {
                let object = self.memory.object(p.object)?;
                let inside = u64::try_from(p.offset).is_ok_and(|offset| offset < object.size);
                Some((p.object, inside && object.life == Life::Live))
            }
            _ => None,
        };
        match (a, b) {
            (Value::Ptr(_), Value::Int(0)) => place(a).is_some_and(|(_, there)| there),
            (Value::Int(0), Value::Ptr(_)) => place(b).is_some_and(|(_, there)| there),
            (Value::Proc(_), Value::Int(0)) | (Value::Int(0), Value::Proc(_)) => true,
            (Value::Proc(a), Value::Proc(b)) => a != b,
            (Value::Ptr(_), Value::Ptr(_)) => match (place(a), place(b)) {
                (Some((a, true)), Some((b, true))) => a != b,
                _ => false,
            },
            _ => false,
        }
    }

    fn unary(&mut self, op: UnOp, a: Value) -> Eval<Value> {
        match (op, a) {
            (UnOp::Not, a) => Ok(Value::Int(i128::from(!a.is_true()))),
            (UnOp::FloatNeg, Value::Float(x)) => Ok(Value::Float(-x)),
            (UnOp::FloatNeg, _) => Ok(Value::Float(0.0)),
            (UnOp::Neg(ty), a) => {
                let n = self.bits(a).checked_neg();
                self.number(ty, n)
            }
            (UnOp::BitNot(ty), a) => Ok(Value::Int(ty.wrap(!self.bits(a)))),
        }
    }

    fn binary(&mut self, op: BinOp, a: Value, b: Value) -> Eval<Value> {
        match op {
            BinOp::Compare(op) => Ok(Value::Int(i128::from(self.compare(op, a, b)))),
            BinOp::And => Ok(Value::Int(i128::from(a.is_true() && b.is_true()))),
            BinOp::Or => Ok(Value::Int(i128::from(a.is_true() || b.is_true()))),
            // How precisely is up to the compiler.
            BinOp::Float(op) => {
                self.unspecified = true;
                Ok(float(op, a, b))
            }
            BinOp::Arith(op, ty) => match (a, b) {
                (Value::Int(a), Value::Int(b)) => self.arith(op, ty, a, b),
                _ => self.arith_on_addresses(op, ty, a, b),
            },
        }
    }

    /// Arithmetic on numbers that are pointers: they keep what they lead to while they move, and as long
    /// as they stay in their object.
    fn arith_on_addresses(&mut self, op: Arith, ty: IntType, a: Value, b: Value) -> Eval<Value> {
        match (op, a, b) {
            (Arith::Add, Value::Ptr(_) | Value::Garbage, Value::Int(_)) => return offset(a, b),
            (Arith::Add, Value::Int(_), Value::Ptr(_) | Value::Garbage) => return offset(b, a),
            (Arith::Sub, Value::Ptr(_) | Value::Garbage, Value::Int(n)) => {
                return offset(a, Value::Int(-n));
            }
            (Arith::Sub, Value::Ptr(_), Value::Ptr(_)) => return Ok(self.distance(a, b)),
            _ => {}
        }
        let (m, n) = (self.bits(a), self.bits(b));
        let result = self.arith(op, ty, m, n)?;
        Ok(match (a, b, result) {
            (Value::Ptr(p), Value::Int(_), Value::Int(n))
            | (Value::Int(_), Value::Ptr(p), Value::Int(n)) => match self.memory.at_address(n) {
                Some(place) if place.object == p.object => Value::Ptr(place),
                _ => result,
            },
            _ => result,
        })
    }

    /// How many bytes the first is after the second.
    fn distance(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Ptr(p), Value::Ptr(q)) if p.object == q.object => {
                Value::Int(i128::from(p.offset) - i128::from(q.offset))
            }
            _ => Value::Int(self.bits(a).saturating_sub(self.bits(b))),
        }
    }

    #[inline]
    fn compare(&mut self, op: Comparison, a: Value, b: Value) -> bool {
        let order = match (a, b) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
            _ if matches!(op, Comparison::Eq | Comparison::Ne) && self.are_different(a, b) => {
                return op == Comparison::Ne;
            }
            (Value::Ptr(a), Value::Ptr(b)) if a.object == b.object => Some(a.offset.cmp(&b.offset)),
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
            _ => Some(self.bits(a).cmp(&self.bits(b))),
        };
        match op {
            Comparison::Eq => order == Some(Ordering::Equal),
            Comparison::Ne => order != Some(Ordering::Equal),
            Comparison::Lt => order == Some(Ordering::Less),
            Comparison::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        }
    }

    fn arith(&mut self, op: Arith, ty: IntType, a: i128, b: i128) -> Eval<Value> {
        let result = match op {
            Arith::Add => a.checked_add(b),
            Arith::Sub => a.checked_sub(b),
            Arith::Mul => a.checked_mul(b),
            Arith::Div => Some(a.checked_div(b).unwrap_or(0)),
            // As its quotient, which has no value of the type.
            Arith::Rem
                if self.config.machine_integers && b == -1 && a == ty.least() && ty.signed =>
            {
                return Err(Trouble::Fault(FaultKind::Overflow));
            }
            Arith::Rem => Some(a.checked_rem(b).unwrap_or(0)),
            Arith::BitAnd => Some(a & b),
            Arith::BitOr => Some(a | b),
            Arith::BitXor => Some(a ^ b),
            Arith::Shl | Arith::Shr => {
                let negative = op == Arith::Shl && ty.signed && a < 0;
                if self.config.machine_integers
                    && (negative || !(0..i128::from(ty.bits)).contains(&b))
                {
                    return Err(Trouble::Fault(FaultKind::Overflow));
                }
                self.unspecified |= !(0..i128::from(ty.bits)).contains(&b);
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

    /// A conversion keeps pointers if there are bits enough: they become numbers only by arithmetic that has
    /// no other meaning.
    fn convert(&mut self, ty: IntType, a: Value) -> Value {
        match a {
            Value::Int(n) => Value::Int(ty.wrap(n)),
            Value::Float(x) => {
                let fits = x.is_finite() && x.abs() < 1e30;
                self.unspecified |= !(fits && ty.holds(x as i128));
                Value::Int(if fits { ty.wrap(x as i128) } else { 0 })
            }
            other if ty.bits >= self.program.model.address().bits => other,
            other => Value::Int(ty.wrap(self.bits(other))),
        }
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
