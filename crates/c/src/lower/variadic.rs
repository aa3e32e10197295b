//! Functions with any number of arguments.
//!
//! Arguments that have no parameter are in an object of the caller, each in as many words of eight bytes as it
//! needs; a hidden parameter leads to them, and a `va_list` to the next one.

use heap::{Command, Expr, IntType, ObjectId, Scalar, Target, Type};
use lang_c::ast::{self, Expression};
use lang_c::span::{Node, Span};
use report::Pos;

use super::expr::Value;
use super::{Lowered, Lowering};
use crate::ctype::CType;

const WORD: u64 = 8;
const POINTER: Scalar = Scalar::Ptr(Target::Unknown);

impl Lowering<'_> {
    /// Stores arguments where a function with any number of them finds them.
    pub(super) fn pass_rest(
        &mut self,
        rest: Vec<(Value, Span)>,
        pos: Pos,
    ) -> Lowered<(Expr, Option<ObjectId>)> {
        if rest.is_empty() {
            return Ok((Expr::Null, None));
        }
        let mut placed = Vec::new();
        let mut at = 0;
        for (value, span) in rest {
            let size = self.size_of(&value.ty, span)?;
            placed.push((at, value, span));
            at += size.next_multiple_of(WORD);
        }
        let word = Type::Scalar(Scalar::Int(IntType::unsigned(64)));
        let Some(function) = &mut self.function else { return Ok((Expr::Null, None)) };
        let object = function.object("$rest", Type::Array(Box::new(word), at / WORD));
        self.emit(Command::Enter(object), pos);
        for (at, value, span) in placed {
            let place = Expr::offset(Expr::Object(object), Expr::Int(at.into()));
            if let CType::Record(_) = value.ty {
                let (ty, size) = (value.ty.clone(), self.size_of(&value.ty, span)?);
                self.copy_record(place, value, &ty, size, span)?;
                continue;
            }
            let ty = match &value.ty {
                CType::Float(32) => CType::Float(64),
                ty => ty.promoted(),
            };
            let value = self.converted(value, &ty, span)?;
            self.emit(Command::Store { at: place, value, ty: ty.scalar() }, pos);
        }
        Ok((Expr::Object(object), Some(object)))
    }

    pub(super) fn va_start(&mut self, list: &Node<Expression>, span: Span) -> Lowered<Value> {
        let pos = self.pos(span);
        let at = self.va_list(list)?;
        let Some(rest) = self.function.as_ref().and_then(|f| f.rest) else {
            return self.wrong(span, "this function has no `...`");
        };
        self.emit(Command::Store { at, value: Expr::Var(rest), ty: POINTER }, pos);
        Ok(Value::void())
    }

    pub(super) fn va_copy(
        &mut self,
        to: &Node<Expression>,
        from: &Node<Expression>,
        span: Span,
    ) -> Lowered<Value> {
        let pos = self.pos(span);
        let (to, from) = (self.va_list(to)?, self.va_list(from)?);
        let size = Expr::Int(self.program.model.pointer().into());
        self.emit(Command::Copy { to, from, size, may_overlap: true }, pos);
        Ok(Value::void())
    }

    pub(super) fn va_arg(&mut self, va: &ast::VaArgExpression, span: Span) -> Lowered<Value> {
        let pos = self.pos(span);
        let list = self.va_list(&va.va_list)?;
        let ty = self.type_name(&va.type_name)?;
        let size = self.size_of(&ty, span)?;
        let next = self.temporary(&CType::pointer(CType::Void));
        self.emit(Command::Load { to: next, at: list.clone(), ty: POINTER }, pos);
        let value = match ty.is_scalar() {
            true => {
                let to = self.temporary(&ty);
                self.emit(Command::Load { to, at: Expr::Var(next), ty: ty.scalar() }, pos);
                Expr::Var(to)
            }
            false => Expr::Var(next),
        };
        let after = Expr::Int(size.next_multiple_of(WORD).into());
        let after = Expr::offset(Expr::Var(next), after);
        self.emit(Command::Store { at: list, value: after, ty: POINTER }, pos);
        Ok(Value::new(value, ty))
    }

    /// The address of a `va_list`.
    fn va_list(&mut self, e: &Node<Expression>) -> Lowered<Expr> {
        let value = self.rvalue(e)?;
        match value.ty {
            CType::VaList => Ok(value.expr),
            ty => {
                let shown = self.show(&ty);
                self.wrong(e.span, format!("`{shown}` is no `va_list`"))
            }
        }
    }
}
