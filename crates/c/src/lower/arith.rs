//! Arithmetic, comparisons and conversions.

use std::rc::Rc;

use heap::{Arith, BinOp, Check, Command, Comparison, Expr, IntType};
use lang_c::ast::BinaryOperator;
use lang_c::span::Span;

use super::expr::Value;
use super::{Lowered, Lowering};
use crate::ctype::{CType, INT, common};

impl Lowering<'_> {
    /// After the promotions of integers.
    pub(super) fn promote(&mut self, value: Value, span: Span) -> Lowered<Value> {
        if !value.ty.is_arithmetic() {
            let shown = self.show(&value.ty);
            return self.wrong(span, format!("`{shown}` is no number"));
        }
        let ty = value.ty.promoted();
        let expr = self.converted(value, &ty, span)?;
        Ok(Value::new(expr, ty))
    }

    /// A binary operation on values.
    pub(super) fn operation(
        &mut self,
        op: &BinaryOperator,
        a: Value,
        b: Value,
        span: Span,
    ) -> Lowered<Value> {
        use BinaryOperator as Op;
        match op {
            Op::Plus if a.ty.is_pointer() => self.moved(a, b, false, span),
            Op::Plus if b.ty.is_pointer() => self.moved(b, a, false, span),
            Op::Minus if a.ty.is_pointer() && b.ty.is_pointer() => {
                let CType::Ptr(to) = &a.ty else { return self.wrong(span, "this is no pointer") };
                let size = self.layout().size(to).unwrap_or(1).max(1);
                let bytes = Expr::Distance(Box::new(a.expr), Box::new(b.expr));
                let ty = IntType::signed((self.program.model.pointer() * 8) as u8);
                let expr = match size {
                    1 => bytes,
                    size => arith(Arith::Div, ty, bytes, Expr::Int(size.into())),
                };
                Ok(Value::new(expr, CType::Int(ty)))
            }
            Op::Minus if a.ty.is_pointer() => self.moved(a, b, true, span),
            Op::Equals
            | Op::NotEquals
            | Op::Less
            | Op::LessOrEqual
            | Op::Greater
            | Op::GreaterOrEqual => self.comparison(op, a, b, span),
            Op::ShiftLeft | Op::ShiftRight => {
                let a = self.promote(a, span)?;
                let b = self.promote(b, span)?;
                let (Some(ty), Some(_)) = (a.ty.int_type(), b.ty.int_type()) else {
                    return self.wrong(span, "only integers are shifted");
                };
                let op = if *op == Op::ShiftLeft { Arith::Shl } else { Arith::Shr };
                Ok(Value::new(arith(op, ty, a.expr, b.expr), a.ty))
            }
            _ => {
                if !a.ty.is_arithmetic() || !b.ty.is_arithmetic() {
                    let (x, y) = (self.show(&a.ty), self.show(&b.ty));
                    return self.wrong(span, format!("this operation is not for `{x}` and `{y}`"));
                }
                let ty = common(&a.ty, &b.ty);
                let a = self.converted(a, &ty, span)?;
                let b = self.converted(b, &ty, span)?;
                let op = match op {
                    Op::Plus => Arith::Add,
                    Op::Minus => Arith::Sub,
                    Op::Multiply => Arith::Mul,
                    Op::Divide => Arith::Div,
                    Op::Modulo => Arith::Rem,
                    Op::BitwiseAnd => Arith::BitAnd,
                    Op::BitwiseOr => Arith::BitOr,
                    Op::BitwiseXor => Arith::BitXor,
                    _ => return self.unsupported(span, "this operator"),
                };
                let Some(int) = ty.int_type() else {
                    if !matches!(op, Arith::Add | Arith::Sub | Arith::Mul | Arith::Div) {
                        return self.wrong(span, "this operation is for integers only");
                    }
                    let result = Expr::binary(BinOp::Float(op), a, b);
                    let expr = match ty {
                        CType::Float(32) => Expr::ToFloat(32, Box::new(result)),
                        _ => result,
                    };
                    return Ok(Value::new(expr, ty));
                };
                if matches!(op, Arith::Div | Arith::Rem) && !matches!(b, Expr::Int(n) if n != 0) {
                    if self.is_constant_context() {
                        return self.wrong(span, "this is not constant");
                    }
                    let nonzero = Expr::compare(Comparison::Ne, b.clone(), Expr::Int(0));
                    let pos = self.pos(span);
                    self.emit(Command::Assert(nonzero, Check::Divisor), pos);
                }
                Ok(Value::new(arith(op, int, a, b), ty))
            }
        }
    }

    fn comparison(
        &mut self,
        op: &BinaryOperator,
        a: Value,
        b: Value,
        span: Span,
    ) -> Lowered<Value> {
        use BinaryOperator as Op;
        let (a, b) = if a.ty.is_arithmetic() && b.ty.is_arithmetic() {
            let ty = common(&a.ty, &b.ty);
            (self.converted(a, &ty, span)?, self.converted(b, &ty, span)?)
        } else if (a.ty.is_pointer() || a.ty.is_arithmetic())
            && (b.ty.is_pointer() || b.ty.is_arithmetic())
        {
            let null = |v: Value| if v.expr == Expr::Int(0) { Expr::Null } else { v.expr };
            (null(a), null(b))
        } else {
            let (x, y) = (self.show(&a.ty), self.show(&b.ty));
            return self.wrong(span, format!("`{x}` and `{y}` are not comparable"));
        };
        let (op, a, b) = match op {
            Op::Equals => (Comparison::Eq, a, b),
            Op::NotEquals => (Comparison::Ne, a, b),
            Op::Less => (Comparison::Lt, a, b),
            Op::LessOrEqual => (Comparison::Le, a, b),
            Op::Greater => (Comparison::Lt, b, a),
            _ => (Comparison::Le, b, a),
        };
        let expr = match (op, &a, &b) {
            (_, Expr::Int(x), Expr::Int(y)) => Expr::Int(i128::from(match op {
                Comparison::Eq => x == y,
                Comparison::Ne => x != y,
                Comparison::Lt => x < y,
                Comparison::Le => x <= y,
            })),
            (Comparison::Eq, Expr::Null, Expr::Null) => Expr::Int(1),
            (Comparison::Ne, Expr::Null, Expr::Null) => Expr::Int(0),
            _ => Expr::compare(op, a, b),
        };
        Ok(Value::new(expr, CType::int()))
    }

    /// A pointer so many elements further on, or back.
    pub(super) fn moved(
        &mut self,
        pointer: Value,
        index: Value,
        back: bool,
        span: Span,
    ) -> Lowered<Value> {
        let CType::Ptr(to) = &pointer.ty else { return self.wrong(span, "this is no pointer") };
        if index.ty.int_type().is_none() {
            return self.wrong(span, "only an integer is added to a pointer");
        }
        let size = i128::from(self.size_of(&Rc::clone(to), span)?);
        let address = IntType::signed((self.program.model.pointer() * 8) as u8);
        let size = if back { -size } else { size };
        // Addresses wrap around: a large index without sign is a small negative one.
        let index = match index.expr {
            Expr::Int(n) => Expr::Int(address.wrap(n)),
            e if index.ty.int_type() == Some(self.program.model.address()) => {
                Expr::Convert(address, Box::new(e))
            }
            e => e,
        };
        let bytes = arith(Arith::Mul, address, index, Expr::Int(size));
        let base = if pointer.expr == Expr::Null { Expr::Int(0) } else { pointer.expr };
        let expr = match (base, bytes) {
            (Expr::Int(n), Expr::Int(m)) => Expr::Int(n.saturating_add(m)),
            (base, bytes) => Expr::offset(base, bytes),
        };
        Ok(Value::new(expr, pointer.ty))
    }

    /// The value converted to a type.
    pub(super) fn converted(&mut self, value: Value, ty: &CType, span: Span) -> Lowered<Expr> {
        let Value { expr, ty: from } = value;
        Ok(match (&from, ty) {
            (CType::Bool, CType::Bool) => expr,
            (_, CType::Bool) if from.is_scalar() => truth(&Value::new(expr, from)),
            (CType::Int(_) | CType::Bool, CType::Int(to)) => {
                let source = from.int_type().unwrap_or(INT);
                match expr {
                    Expr::Int(n) => Expr::Int(to.wrap(n)),
                    e if to.least() <= source.least() && source.largest() <= to.largest() => e,
                    e if e.is_condition() => e,
                    e => Expr::Convert(*to, Box::new(e)),
                }
            }
            (CType::Ptr(_), CType::Int(to)) => match expr {
                Expr::Null => Expr::Int(0),
                Expr::Int(n) => Expr::Int(to.wrap(n)),
                e => Expr::Convert(*to, Box::new(e)),
            },
            (CType::Int(_) | CType::Bool, CType::Ptr(_)) => match expr {
                Expr::Int(0) => Expr::Null,
                Expr::Int(n) => Expr::Int(self.program.model.address().wrap(n)),
                e if from.int_type().is_some_and(|ty| !ty.signed) => e,
                e => Expr::Convert(self.program.model.address(), Box::new(e)),
            },
            (CType::Ptr(_), CType::Ptr(_)) => expr,
            (CType::Float(a), CType::Float(b)) if a <= b => expr,
            (CType::Float(_) | CType::Int(_) | CType::Bool, CType::Float(bits)) => match expr {
                Expr::Int(n) => {
                    Expr::Float(if *bits == 32 { f64::from(n as f32) } else { n as f64 })
                }
                e => Expr::ToFloat(*bits, Box::new(e)),
            },
            (CType::Float(_), CType::Int(to)) => match expr {
                Expr::Float(x) if x.abs() < 1e18 => Expr::Int(to.wrap(x as i128)),
                e => Expr::Convert(*to, Box::new(e)),
            },
            (a, b) if a == b => expr,
            (_, CType::Void) => Expr::Int(0),
            (from, to) => {
                let (a, b) = (self.show(from), self.show(to));
                return self.wrong(span, format!("`{a}` does not become `{b}`"));
            }
        })
    }
}

/// A condition: not zero, not null.
pub(super) fn truth(value: &Value) -> Expr {
    match (&value.expr, &value.ty) {
        (Expr::Int(n), _) => Expr::Int(i128::from(*n != 0)),
        (Expr::Null, _) => Expr::Int(0),
        (Expr::Global(_) | Expr::Object(_) | Expr::Proc(_), _) => Expr::Int(1),
        (e, _) if e.is_condition() => e.clone(),
        (e, CType::Ptr(_)) => Expr::compare(Comparison::Ne, e.clone(), Expr::Null),
        (e, CType::Float(_)) => Expr::compare(Comparison::Ne, e.clone(), Expr::Float(0.0)),
        (e, _) => Expr::compare(Comparison::Ne, e.clone(), Expr::Int(0)),
    }
}

/// An operation, done at once on constants.
pub(super) fn arith(op: Arith, ty: IntType, a: Expr, b: Expr) -> Expr {
    if let (Expr::Int(x), Expr::Int(y)) = (&a, &b) {
        let shift = u32::try_from(*y).unwrap_or(u32::MAX);
        let result = match op {
            Arith::Add => x.checked_add(*y),
            Arith::Sub => x.checked_sub(*y),
            Arith::Mul => x.checked_mul(*y),
            Arith::Div => x.checked_div(*y),
            Arith::Rem => x.checked_rem(*y),
            Arith::Shl if *x >= 0 && shift < u32::from(ty.bits) => Some(x << shift),
            Arith::Shr if shift < u32::from(ty.bits) => Some(x >> shift),
            Arith::Shl | Arith::Shr => None,
            Arith::BitAnd => Some(x & y),
            Arith::BitOr => Some(x | y),
            Arith::BitXor => Some(x ^ y),
        };
        // What overflows is left to whoever runs it.
        if let Some(n) =
            result.map(|n| if ty.signed { n } else { ty.wrap(n) }).filter(|n| ty.holds(*n))
        {
            return Expr::Int(n);
        }
    }
    match (op, &a, &b) {
        (Arith::Mul, e, Expr::Int(1)) | (Arith::Mul, Expr::Int(1), e) => return e.clone(),
        (Arith::Add | Arith::Sub, e, Expr::Int(0)) | (Arith::Add, Expr::Int(0), e) => {
            return e.clone();
        }
        _ => {}
    }
    Expr::binary(BinOp::Arith(op, ty), a, b)
}
