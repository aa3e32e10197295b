//! Control flow in expressions: conditions, `&&`, `||` and `?:`.

use heap::{Command, Expr, LocId};
use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::{Node, Span};
use report::Pos;

use super::arith::truth;
use super::expr::Value;
use super::{Lowered, Lowering};
use crate::ctype::{CType, common};

impl Lowering<'_> {
    /// Goes to one of two places, evaluating only what decides it.
    pub(super) fn condition(
        &mut self,
        e: &Node<Expression>,
        then: LocId,
        otherwise: LocId,
    ) -> Lowered<()> {
        let pos = self.pos(e.span);
        match &e.node {
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == BinaryOperator::LogicalAnd =>
            {
                let second = self.location();
                self.condition(&binary.node.lhs, second, otherwise)?;
                self.go_on_at(second);
                self.condition(&binary.node.rhs, then, otherwise)
            }
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == BinaryOperator::LogicalOr =>
            {
                let second = self.location();
                self.condition(&binary.node.lhs, then, second)?;
                self.go_on_at(second);
                self.condition(&binary.node.rhs, then, otherwise)
            }
            Expression::UnaryOperator(unary)
                if unary.node.operator.node == UnaryOperator::Negate =>
            {
                self.condition(&unary.node.operand, otherwise, then)
            }
            _ => {
                let value = self.rvalue(e)?;
                self.branch_on(&value, then, otherwise, e.span, pos)
            }
        }
    }

    fn branch_on(
        &mut self,
        value: &Value,
        then: LocId,
        otherwise: LocId,
        span: Span,
        pos: Pos,
    ) -> Lowered<()> {
        if !value.ty.is_scalar() {
            let shown = self.show(&value.ty);
            return self.wrong(span, format!("`{shown}` is no condition"));
        }
        let cond = truth(value);
        if let Some(function) = &mut self.function {
            function.branch(cond, then, otherwise, pos);
        }
        Ok(())
    }

    /// 1 or 0 as a condition holds or not.
    pub(super) fn logical(&mut self, e: &Node<Expression>, pos: Pos) -> Lowered<Value> {
        if self.is_constant_context() {
            return self.constant_logical(e);
        }
        let (then, otherwise, end) = (self.location(), self.location(), self.location());
        let result = self.temporary(&CType::int());
        self.condition(e, then, otherwise)?;
        for (at, n) in [(then, 1), (otherwise, 0)] {
            self.go_on_at(at);
            self.emit(Command::Assign(result, Expr::Int(n)), pos);
            self.jump(end, pos);
        }
        self.go_on_at(end);
        Ok(Value::new(Expr::Var(result), CType::int()))
    }

    fn constant_logical(&mut self, e: &Node<Expression>) -> Lowered<Value> {
        let Expression::BinaryOperator(binary) = &e.node else {
            return self.wrong(e.span, "this is not constant");
        };
        let decides = i128::from(binary.node.operator.node == BinaryOperator::LogicalOr);
        for operand in [&binary.node.lhs, &binary.node.rhs] {
            let value = self.rvalue(operand)?;
            match truth(&value) {
                Expr::Int(n) if n == decides => return Ok(Value::int(n)),
                Expr::Int(_) => {}
                _ => return self.wrong(operand.span, "this is not constant"),
            }
        }
        Ok(Value::int(1 - decides))
    }

    pub(super) fn conditional(
        &mut self,
        c: &ast::ConditionalExpression,
        span: Span,
    ) -> Lowered<Value> {
        if self.is_constant_context() {
            return self.constant_conditional(c, span);
        }
        let pos = self.pos(span);
        let (then, otherwise, end) = (self.location(), self.location(), self.location());
        // `a ?: b` is `a` evaluated once.
        let same = match crate::pp::is_omitted_operand(&c.then_expression.node) {
            true => {
                let value = self.rvalue(&c.condition)?;
                let value = self.kept(value, pos);
                self.branch_on(&value, then, otherwise, c.condition.span, pos)?;
                Some(value)
            }
            false => {
                self.condition(&c.condition, then, otherwise)?;
                None
            }
        };
        self.go_on_at(then);
        let a = match same {
            Some(value) => value,
            None => self.rvalue(&c.then_expression)?,
        };
        let end_of_then = self.here();
        self.go_on_at(otherwise);
        let b = self.rvalue(&c.else_expression)?;
        let end_of_else = self.here();
        // Only now the type is known to which both are converted.
        let ty = chosen_type(&a, &b);
        let holder = if ty.is_scalar() { ty.clone() } else { CType::pointer(ty.clone()) };
        let result = (ty != CType::Void).then(|| self.temporary(&holder));
        for (at, value, span) in
            [(end_of_then, a, c.then_expression.span), (end_of_else, b, c.else_expression.span)]
        {
            self.go_on_at(at);
            if let Some(result) = result {
                let value = self.converted(value, &ty, span)?;
                self.emit(Command::Assign(result, value), pos);
            }
            self.jump(end, pos);
        }
        self.go_on_at(end);
        Ok(match result {
            Some(result) => Value::new(Expr::Var(result), ty),
            None => Value::void(),
        })
    }

    fn constant_conditional(
        &mut self,
        c: &ast::ConditionalExpression,
        span: Span,
    ) -> Lowered<Value> {
        let condition = self.rvalue(&c.condition)?;
        let Expr::Int(holds) = truth(&condition) else {
            return self.wrong(c.condition.span, "this is not constant");
        };
        let (chosen, other) = match holds {
            0 => (&c.else_expression, &c.then_expression),
            _ => (&c.then_expression, &c.else_expression),
        };
        let value = match crate::pp::is_omitted_operand(&chosen.node) {
            true => condition,
            false => self.rvalue(chosen)?,
        };
        // The other one has a say in the type, even where it has no value.
        let mark = self.error_mark();
        let other = match crate::pp::is_omitted_operand(&other.node) {
            true => return Ok(value),
            false => self.rvalue(other),
        };
        let Ok(other) = other else {
            self.forget_errors(mark);
            return Ok(value);
        };
        let ty = chosen_type(&value, &other);
        let expr = self.converted(value, &ty, span)?;
        Ok(Value::new(expr, ty))
    }

    /// A value in a variable of its own.
    fn kept(&mut self, value: Value, pos: Pos) -> Value {
        let to = self.temporary(&value.ty);
        self.emit(Command::Assign(to, value.expr), pos);
        Value::new(Expr::Var(to), value.ty)
    }
}

/// The type of `?:` for the values of its two sides.
fn chosen_type(a: &Value, b: &Value) -> CType {
    match (&a.ty, &b.ty) {
        (CType::Void, _) | (_, CType::Void) => CType::Void,
        (CType::Ptr(to), CType::Ptr(_)) if **to == CType::Void && a.expr == Expr::Null => {
            b.ty.clone()
        }
        (CType::Ptr(_), CType::Ptr(to)) if **to == CType::Void && b.expr != Expr::Null => {
            b.ty.clone()
        }
        (CType::Ptr(_), _) => a.ty.clone(),
        (_, CType::Ptr(_)) => b.ty.clone(),
        (x, y) if x.is_arithmetic() && y.is_arithmetic() => common(x, y),
        (x, _) => x.clone(),
    }
}
