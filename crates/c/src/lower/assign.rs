//! Assignments.

use heap::{Arith, Command, Expr, IntType};
use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::{Node, Span};
use report::Pos;

use super::arith::arith;
use super::expr::Value;
use super::place::{Place, of_bits};
use super::{Lowered, Lowering};
use crate::ctype::{CType, INT};

impl Lowering<'_> {
    /// Stores a value that has the right type.
    pub(super) fn store(&mut self, place: &Place, value: Expr, ty: &CType, pos: Pos) {
        match place {
            Place::Var(var) => self.emit(Command::Assign(*var, value), pos),
            Place::Memory(at) => {
                self.emit(Command::Store { at: at.clone(), value, ty: ty.scalar() }, pos);
            }
            Place::Bits { at, first, width } => {
                let to = self.temporary(ty);
                self.emit(Command::Load { to, at: at.clone(), ty: ty.scalar() }, pos);
                let unit = ty.int_type().unwrap_or(INT);
                let unsigned = IntType::unsigned(unit.bits);
                let mask = ((1i128 << width) - 1) << first;
                let whole = Expr::Convert(unsigned, Box::new(Expr::Var(to)));
                let kept = arith(Arith::BitAnd, unsigned, whole, Expr::Int(unsigned.wrap(!mask)));
                let field = Expr::Convert(IntType::unsigned(*width), Box::new(value));
                let field = arith(Arith::Shl, unsigned, field, Expr::Int((*first).into()));
                let both = arith(Arith::BitOr, unsigned, kept, field);
                let value = Expr::Convert(unit, Box::new(both));
                self.emit(Command::Store { at: at.clone(), value, ty: ty.scalar() }, pos);
            }
        }
    }

    /// Copies a record.
    pub(super) fn copy_record(
        &mut self,
        to: Expr,
        from: Value,
        ty: &CType,
        size: u64,
        span: Span,
    ) -> Lowered<()> {
        if from.ty != *ty {
            let (a, b) = (self.show(&from.ty), self.show(ty));
            return self.wrong(span, format!("`{a}` does not become `{b}`"));
        }
        let pos = self.pos(span);
        let size = Expr::Int(size.into());
        // An object may be assigned to itself.
        self.emit(Command::Copy { to, from: from.expr, size, may_overlap: true }, pos);
        Ok(())
    }

    pub(super) fn assign(
        &mut self,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
        span: Span,
    ) -> Lowered<Value> {
        let pos = self.pos(span);
        let lvalue = self.lvalue(lhs)?;
        let value = self.rvalue(rhs)?;
        if let (CType::Record(_), Place::Memory(at)) = (&lvalue.ty, &lvalue.place) {
            let size = self.size_of(&lvalue.ty, span)?;
            self.copy_record(at.clone(), value, &lvalue.ty, size, span)?;
            return Ok(Value::new(at.clone(), lvalue.ty));
        }
        if !lvalue.ty.is_scalar() {
            let shown = self.show(&lvalue.ty);
            return self.wrong(span, format!("nothing is assigned to `{shown}`"));
        }
        let value = self.converted(value, &lvalue.ty, rhs.span)?;
        self.store(&lvalue.place, value.clone(), &lvalue.ty, pos);
        Ok(self.assigned(lvalue.place, value, lvalue.ty))
    }

    /// The value of an assignment.
    fn assigned(&mut self, place: Place, value: Expr, ty: CType) -> Value {
        match place {
            Place::Var(var) => Value::new(Expr::Var(var), ty),
            Place::Memory(_) => Value::new(value, ty),
            Place::Bits { width, .. } => {
                let signed = ty.int_type().unwrap_or(INT).signed;
                let bits = IntType { bits: width, signed };
                Value::new(Expr::Convert(bits, Box::new(value)), of_bits(&ty, width))
            }
        }
    }

    pub(super) fn compound_assign(
        &mut self,
        lhs: &Node<Expression>,
        op: BinaryOperator,
        rhs: &Node<Expression>,
        span: Span,
    ) -> Lowered<Value> {
        let pos = self.pos(span);
        let lvalue = self.lvalue(lhs)?;
        let right = self.rvalue(rhs)?;
        let left = self.load(lvalue.clone(), pos);
        let value = self.operation(&op, left, right, span)?;
        let value = self.converted(value, &lvalue.ty, span)?;
        self.store(&lvalue.place, value.clone(), &lvalue.ty, pos);
        Ok(self.assigned(lvalue.place, value, lvalue.ty))
    }

    /// `++` and `--`.
    pub(super) fn step(
        &mut self,
        operand: &Node<Expression>,
        up: bool,
        before: bool,
        span: Span,
    ) -> Lowered<Value> {
        let pos = self.pos(span);
        let lvalue = self.lvalue(operand)?;
        let old = self.load(lvalue.clone(), pos);
        // The old value is needed after the variable has changed.
        let old = match (&lvalue.place, before) {
            (Place::Var(_), false) => {
                let kept = self.temporary(&old.ty);
                self.emit(Command::Assign(kept, old.expr), pos);
                Value::new(Expr::Var(kept), old.ty)
            }
            _ => old,
        };
        let one = Value::new(Expr::Int(1), CType::int());
        let op = if up { BinaryOperator::Plus } else { BinaryOperator::Minus };
        let new = self.operation(&op, old.clone(), one, span)?;
        let new = self.converted(new, &lvalue.ty, span)?;
        self.store(&lvalue.place, new.clone(), &lvalue.ty, pos);
        Ok(if before { self.assigned(lvalue.place, new, lvalue.ty) } else { old })
    }
}
