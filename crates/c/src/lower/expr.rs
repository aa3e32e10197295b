//! Expressions: their values.

use std::rc::Rc;

use heap::{Arith, Command, Expr, IntType, LocId, UnOp, VarId};
use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::{Node, Span};
use report::Pos;

use super::arith::{arith, truth};
use super::types::decayed;
use super::{Failed, Lowered, Lowering, Symbol};
use crate::ctype::{CHAR, CType, FuncType, INT};
use crate::literal;

/// A value. That of a record is the address of one.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) ty: CType,
}

impl Value {
    pub(super) fn new(expr: Expr, ty: CType) -> Value {
        Value { expr, ty }
    }

    pub(super) fn int(n: i128) -> Value {
        Value::new(Expr::Int(n), CType::int())
    }

    pub(super) fn void() -> Value {
        Value::new(Expr::Int(0), CType::Void)
    }
}

impl Lowering<'_> {
    pub(super) fn emit(&mut self, command: Command, pos: Pos) {
        if let Some(function) = &mut self.function {
            function.emit(command, pos);
        }
    }

    pub(super) fn temporary(&mut self, ty: &CType) -> VarId {
        self.function.as_mut().map_or(VarId(0), |function| function.temporary(ty))
    }

    pub(super) fn location(&mut self) -> LocId {
        self.function.as_mut().map_or(LocId(0), super::build::Function::location)
    }

    pub(super) fn jump(&mut self, to: LocId, pos: Pos) {
        if let Some(function) = &mut self.function {
            function.jump(to, pos);
        }
    }

    pub(super) fn go_on_at(&mut self, at: LocId) {
        if let Some(function) = &mut self.function {
            function.go_on_at(at);
        }
    }

    fn size_type(&self) -> CType {
        CType::Int(self.program.model.address())
    }

    pub(super) fn here(&self) -> LocId {
        self.function.as_ref().map_or(LocId(0), super::build::Function::here)
    }

    /// Nobody needs a value; but arithmetic that overflows does so all the same.
    pub(super) fn discard(&mut self, value: &Value, pos: Pos) {
        let mut computes = false;
        value.expr.for_each(&mut |e| {
            computes |= matches!(
                e,
                Expr::Binary(heap::BinOp::Arith(..), ..) | Expr::Unary(UnOp::Neg(_), _)
            );
        });
        if computes && value.ty.is_scalar() && !self.is_constant_context() {
            let to = self.temporary(&value.ty);
            self.emit(Command::Assign(to, value.expr.clone()), pos);
        }
    }

    /// A function as a value. Whoever has it may call it.
    pub(super) fn designator(&mut self, name: &str, ty: Rc<FuncType>, pos: Pos) -> Value {
        let id = self.procedure(name, &ty, pos);
        if !self.unevaluated {
            self.bodiless.entry(id).or_insert(pos);
        }
        Value::new(Expr::Proc(id), CType::pointer(CType::Func(ty)))
    }

    /// Must expressions be constant here?
    pub(super) fn is_constant_context(&self) -> bool {
        !self.unevaluated && (self.constant || self.function.is_none())
    }

    /// The type of an expression that is not evaluated. It is translated for that, once: otherwise
    /// types inside of types would take time without end.
    pub(super) fn type_of(&mut self, e: &Node<Expression>) -> Lowered<CType> {
        let key = (std::ptr::from_ref(e) as usize, e.span.start, e.span.end);
        if let Some(known) = self.types.get(&key) {
            return known.clone().ok_or(Failed);
        }
        let found = self.translated_type(e);
        self.types.insert(key, found.as_ref().ok().cloned());
        found
    }

    fn translated_type(&mut self, e: &Node<Expression>) -> Lowered<CType> {
        // Arrays and functions do not become pointers here.
        match &e.node {
            Expression::StringLiteral(_) => {
                let length = self.string(e)?.len() as u64 + 1;
                return Ok(CType::Array(Rc::new(CType::Int(CHAR)), Some(length)));
            }
            Expression::Identifier(name) => {
                if let Some(Symbol::Function(ty)) = self.find(&name.node.name) {
                    return Ok(CType::Func(Rc::clone(ty)));
                }
            }
            _ => {}
        }
        // What is not evaluated need not be constant.
        let outer = std::mem::replace(&mut self.unevaluated, true);
        let checkpoint = self.function.as_ref().map(super::build::Function::checkpoint);
        let result = match self.lvalue_or_none(e) {
            Ok(Some(lvalue)) => Ok(match lvalue.place {
                super::place::Place::Bits { width, .. } => super::place::of_bits(&lvalue.ty, width),
                _ => lvalue.ty,
            }),
            Ok(None) => self.rvalue(e).map(|value| value.ty),
            Err(failed) => Err(failed),
        };
        if let (Some(function), Some(checkpoint)) = (&mut self.function, checkpoint) {
            function.back_to(checkpoint);
        }
        self.unevaluated = outer;
        result
    }

    /// A constant integer.
    pub(super) fn constant_value(&mut self, e: &Node<Expression>) -> Lowered<i128> {
        match self.constant_expr(e)?.expr {
            Expr::Int(n) => Ok(n),
            _ => self.wrong(e.span, "a constant is expected here"),
        }
    }

    /// A value that needs no commands; addresses of global objects are such.
    pub(super) fn constant_expr(&mut self, e: &Node<Expression>) -> Lowered<Value> {
        let checkpoint = self.function.as_ref().map(super::build::Function::checkpoint);
        let outer = (self.constant, self.unevaluated);
        (self.constant, self.unevaluated) = (true, false);
        let before = self.here();
        let result = self.rvalue(e);
        (self.constant, self.unevaluated) = outer;
        let pure = self.here() == before;
        if let (Some(function), Some(checkpoint)) = (&mut self.function, checkpoint) {
            function.back_to(checkpoint);
        }
        match result {
            Ok(_) if !pure => self.wrong(e.span, "this is not constant"),
            result => result,
        }
    }

    /// The expression that a generic selection stands for.
    pub(super) fn selected<'e>(
        &mut self,
        generic: &'e ast::GenericSelection,
        span: Span,
    ) -> Lowered<&'e Node<Expression>> {
        let ty = decayed(self.type_of(&generic.expression)?);
        let mut default = None;
        for association in &generic.associations {
            match &association.node {
                ast::GenericAssociation::Type(of) => {
                    if self.type_name(&of.node.type_name)? == ty {
                        return Ok(&of.node.expression);
                    }
                }
                ast::GenericAssociation::Default(e) => default = Some(&**e),
            }
        }
        match default {
            Some(e) => Ok(e),
            None => {
                let shown = self.show(&ty);
                self.wrong(span, format!("nothing is selected for `{shown}`"))
            }
        }
    }

    /// The value of an expression.
    pub(super) fn rvalue(&mut self, e: &Node<Expression>) -> Lowered<Value> {
        let pos = self.pos(e.span);
        match &e.node {
            Expression::Identifier(name) => match self.find(&name.node.name).cloned() {
                Some(Symbol::Constant(n, ty)) => Ok(Value::new(Expr::Int(n), CType::Int(ty))),
                Some(Symbol::Function(ty)) => Ok(self.designator(&name.node.name, ty, pos)),
                _ => self.loaded(e, pos),
            },
            Expression::Constant(constant) => self.literal(&constant.node, e.span),
            Expression::Call(call) => self.call(&call.node, e.span),
            Expression::UnaryOperator(unary) => self.unary(e, &unary.node, pos),
            Expression::BinaryOperator(binary) => self.binary(e, &binary.node, pos),
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name)?;
                let value = self.rvalue(&cast.node.expression)?;
                if ty == CType::Void {
                    self.discard(&value, pos);
                    return Ok(Value::void());
                }
                let expr = self.converted(value, &ty, e.span)?;
                Ok(Value::new(expr, ty))
            }
            Expression::SizeOfTy(size) => {
                let ty = self.type_name(&size.node.0)?;
                let size = self.size_of(&ty, e.span)?;
                Ok(Value::new(Expr::Int(size.into()), self.size_type()))
            }
            Expression::SizeOfVal(size) => {
                let ty = self.type_of(&size.node.0)?;
                let size = self.size_of(&ty, e.span)?;
                Ok(Value::new(Expr::Int(size.into()), self.size_type()))
            }
            Expression::AlignOf(of) => {
                let ty = self.type_name(&of.node.0)?;
                Ok(Value::new(Expr::Int(self.layout().align(&ty).into()), self.size_type()))
            }
            Expression::OffsetOf(of) => self.offset_of(&of.node, e.span),
            Expression::Conditional(c) => self.conditional(&c.node, e.span),
            Expression::Comma(parts) => {
                let mut last = Value::void();
                for (i, part) in parts.iter().enumerate() {
                    last = self.rvalue(part)?;
                    if i + 1 < parts.len() {
                        self.discard(&last, pos);
                    }
                }
                Ok(last)
            }
            Expression::Statement(statement) => self.statement_value(statement),
            Expression::Member(_)
            | Expression::StringLiteral(_)
            | Expression::CompoundLiteral(_) => self.loaded(e, pos),
            Expression::VaArg(va) => self.va_arg(&va.node, e.span),
            Expression::GenericSelection(generic) => {
                let chosen = self.selected(&generic.node, e.span)?;
                self.rvalue(chosen)
            }
        }
    }

    fn loaded(&mut self, e: &Node<Expression>, pos: Pos) -> Lowered<Value> {
        let lvalue = self.lvalue(e)?;
        if self.is_constant_context() && lvalue.ty.is_scalar() {
            return self.wrong(e.span, "this is not constant");
        }
        Ok(self.load(lvalue, pos))
    }

    fn literal(&mut self, constant: &ast::Constant, span: Span) -> Lowered<Value> {
        match constant {
            ast::Constant::Integer(integer) => {
                let radix = match integer.base {
                    ast::IntegerBase::Decimal => 10,
                    ast::IntegerBase::Octal => 8,
                    ast::IntegerBase::Hexadecimal => 16,
                    ast::IntegerBase::Binary => 2,
                };
                let digits = if integer.number.is_empty() { "0" } else { &integer.number };
                let Ok(n) = i128::from_str_radix(digits, radix) else {
                    return self.wrong(span, "this number is too large");
                };
                let long = (self.program.model.pointer() * 8) as u8;
                let least = match integer.suffix.size {
                    ast::IntegerSize::Int => 32,
                    ast::IntegerSize::Long => long,
                    ast::IntegerSize::LongLong => 64,
                };
                let unsigned = integer.suffix.unsigned;
                let decimal = integer.base == ast::IntegerBase::Decimal;
                let mut types = Vec::new();
                for bits in [32u8, 64].into_iter().filter(|bits| *bits >= least) {
                    if !unsigned {
                        types.push(IntType::signed(bits));
                    }
                    if unsigned || !decimal {
                        types.push(IntType::unsigned(bits));
                    }
                }
                types.push(IntType::unsigned(64));
                match types.into_iter().find(|ty| ty.holds(n)) {
                    Some(ty) => Ok(Value::new(Expr::Int(n), CType::Int(ty))),
                    None => self.wrong(span, "this number is too large"),
                }
            }
            ast::Constant::Float(float) => {
                let bits = match float.suffix.format {
                    ast::FloatFormat::Float => 32,
                    ast::FloatFormat::LongDouble => 128,
                    _ => 64,
                };
                match float.number.parse::<f64>() {
                    Ok(x) if float.base == ast::FloatBase::Decimal => {
                        let x = if bits == 32 { f64::from(x as f32) } else { x };
                        Ok(Value::new(Expr::Float(x), CType::Float(bits)))
                    }
                    _ => self.unsupported(span, "this floating-point constant"),
                }
            }
            ast::Constant::Character(text) => match literal::character(text) {
                Some(n) => Ok(Value::int(n)),
                None => self.wrong(span, "this is no character"),
            },
        }
    }

    fn offset_of(&mut self, of: &ast::OffsetOfExpression, span: Span) -> Lowered<Value> {
        let mut ty = self.type_name(&of.type_name)?;
        let mut offset = Expr::Int(0);
        let designator = &of.designator.node;
        let base =
            Node::new(ast::OffsetMember::Member(designator.base.clone()), designator.base.span);
        for member in std::iter::once(&base).chain(&designator.members) {
            match &member.node {
                ast::OffsetMember::Member(name) | ast::OffsetMember::IndirectMember(name) => {
                    let found = match &ty {
                        CType::Record(id) => self.member(*id, &name.node.name),
                        _ => None,
                    };
                    let Some(found) = found else {
                        return self
                            .wrong(name.span, format!("there is no member `{}`", name.node.name));
                    };
                    let more = Expr::Int(found.offset.into());
                    offset = arith(Arith::Add, self.program.model.address(), offset, more);
                    ty = found.ty;
                }
                ast::OffsetMember::Index(index) => {
                    let CType::Array(element, _) = ty else {
                        return self.wrong(member.span, "this is no array");
                    };
                    let size = self.size_of(&element, span)?;
                    let index = self.rvalue(index)?.expr;
                    let address = self.program.model.address();
                    let more = arith(Arith::Mul, address, index, Expr::Int(size.into()));
                    offset = arith(Arith::Add, address, offset, more);
                    ty = (*element).clone();
                }
            }
        }
        Ok(Value::new(offset, self.size_type()))
    }

    fn unary(
        &mut self,
        e: &Node<Expression>,
        unary: &ast::UnaryOperatorExpression,
        pos: Pos,
    ) -> Lowered<Value> {
        let operand = &unary.operand;
        match unary.operator.node {
            UnaryOperator::Indirection => {
                let lvalue = self.lvalue(e)?;
                Ok(self.load(lvalue, pos))
            }
            UnaryOperator::Address => self.address(operand, e.span),
            UnaryOperator::Plus => {
                let value = self.rvalue(operand)?;
                self.promote(value, e.span)
            }
            UnaryOperator::Minus => {
                let value = self.rvalue(operand)?;
                let value = self.promote(value, e.span)?;
                let expr = match (&value.ty, value.expr) {
                    (CType::Float(_), Expr::Float(x)) => Expr::Float(-x),
                    (CType::Float(_), e) => Expr::Unary(UnOp::FloatNeg, Box::new(e)),
                    (ty, Expr::Int(n)) if is_negatable(ty.int_type().unwrap_or(INT), n) => {
                        Expr::Int(ty.int_type().unwrap_or(INT).wrap(-n))
                    }
                    (ty, e) => Expr::Unary(UnOp::Neg(ty.int_type().unwrap_or(INT)), Box::new(e)),
                };
                Ok(Value::new(expr, value.ty))
            }
            UnaryOperator::Complement => {
                let value = self.rvalue(operand)?;
                let value = self.promote(value, e.span)?;
                let Some(ty) = value.ty.int_type() else {
                    return self.wrong(e.span, "this is no integer");
                };
                let expr = match value.expr {
                    Expr::Int(n) => Expr::Int(ty.wrap(!n)),
                    e => Expr::Unary(UnOp::BitNot(ty), Box::new(e)),
                };
                Ok(Value::new(expr, value.ty))
            }
            UnaryOperator::Negate => {
                let value = self.rvalue(operand)?;
                let expr = match truth(&value) {
                    Expr::Int(n) => Expr::Int(i128::from(n == 0)),
                    e => Expr::not(e),
                };
                Ok(Value::new(expr, CType::int()))
            }
            UnaryOperator::PreIncrement => self.step(operand, true, true, e.span),
            UnaryOperator::PreDecrement => self.step(operand, false, true, e.span),
            UnaryOperator::PostIncrement => self.step(operand, true, false, e.span),
            UnaryOperator::PostDecrement => self.step(operand, false, false, e.span),
        }
    }

    fn binary(
        &mut self,
        e: &Node<Expression>,
        binary: &ast::BinaryOperatorExpression,
        pos: Pos,
    ) -> Lowered<Value> {
        use BinaryOperator as Op;
        let operator = &binary.operator.node;
        if let Some(op) = compound(operator) {
            return self.compound_assign(&binary.lhs, op, &binary.rhs, e.span);
        }
        match operator {
            Op::Assign => self.assign(&binary.lhs, &binary.rhs, e.span),
            Op::Index => {
                let lvalue = self.lvalue(e)?;
                Ok(self.load(lvalue, pos))
            }
            Op::LogicalAnd | Op::LogicalOr => self.logical(e, pos),
            _ => {
                let a = self.rvalue(&binary.lhs)?;
                let b = self.rvalue(&binary.rhs)?;
                self.operation(operator, a, b, e.span)
            }
        }
    }
}

/// The operator of a compound assignment.
pub(super) fn compound(op: &BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator as Op;
    Some(match op {
        Op::AssignMultiply => Op::Multiply,
        Op::AssignDivide => Op::Divide,
        Op::AssignModulo => Op::Modulo,
        Op::AssignPlus => Op::Plus,
        Op::AssignMinus => Op::Minus,
        Op::AssignShiftLeft => Op::ShiftLeft,
        Op::AssignShiftRight => Op::ShiftRight,
        Op::AssignBitwiseAnd => Op::BitwiseAnd,
        Op::AssignBitwiseXor => Op::BitwiseXor,
        Op::AssignBitwiseOr => Op::BitwiseOr,
        _ => return None,
    })
}

/// Is minus a number a value of its type, or wraps around to one? What overflows is left to whoever runs it.
fn is_negatable(ty: IntType, n: i128) -> bool {
    !ty.signed || ty.holds(-n)
}
