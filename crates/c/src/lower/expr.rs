//! Expressions: values and places.

use std::rc::Rc;

use heap::{Arith, BinOp, Check, Command, Comparison, Expr, IntType, LocId, UnOp, VarId};
use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::{Node, Span};
use report::Pos;

use super::decl::decayed;
use super::{Lowered, Lowering, Symbol};
use crate::ctype::{CType, INT, common};
use crate::literal;

/// A value. That of a record is the address of one.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) ty: CType,
}

/// Where a value can be stored.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Var(VarId),
    Memory(Expr),
    /// Some bits of a unit.
    Bits {
        at: Expr,
        first: u8,
        width: u8,
    },
}

/// A place and the type of what is there.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    pub(super) place: Place,
    pub(super) ty: CType,
}

impl Value {
    pub(super) fn new(expr: Expr, ty: CType) -> Value {
        Value { expr, ty }
    }

    fn int(n: i128) -> Value {
        Value::new(Expr::Int(n), CType::int())
    }

    fn void() -> Value {
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

    /// The type of an expression that is not evaluated.
    pub(super) fn type_of(&mut self, e: &Node<Expression>) -> Lowered<CType> {
        // An array does not become a pointer here.
        if let Some(bytes) = super::init::string_of_expr(e) {
            return Ok(CType::Array(
                Rc::new(CType::Int(crate::ctype::CHAR)),
                Some(bytes.len() as u64 + 1),
            ));
        }
        let Some(function) = &self.function else {
            return match self.lvalue_or_none(e)? {
                Some(lvalue) => Ok(lvalue.ty),
                None => Ok(self.rvalue(e)?.ty),
            };
        };
        let checkpoint = function.checkpoint();
        let result = match self.lvalue_or_none(e) {
            Ok(Some(lvalue)) => Ok(lvalue.ty),
            Ok(None) => self.rvalue(e).map(|value| value.ty),
            Err(failed) => Err(failed),
        };
        if let Some(function) = &mut self.function {
            function.back_to(checkpoint);
        }
        result
    }

    /// A constant integer.
    pub(super) fn constant_value(&mut self, e: &Node<Expression>) -> Lowered<i128> {
        match self.constant_or_none(e)? {
            Some(n) => Ok(n),
            None => self.wrong(e.span, "a constant is expected here"),
        }
    }

    pub(super) fn constant_or_none(&mut self, e: &Node<Expression>) -> Lowered<Option<i128>> {
        let value = self.constant_expr(e)?;
        Ok(match value.expr {
            Expr::Int(n) => Some(n),
            _ => None,
        })
    }

    /// A value that needs no commands; addresses of global objects are such.
    pub(super) fn constant_expr(&mut self, e: &Node<Expression>) -> Lowered<Value> {
        let Some(function) = &self.function else { return self.rvalue(e) };
        let checkpoint = function.checkpoint();
        let before = function.here();
        let result = self.rvalue(e);
        if let Some(function) = &mut self.function {
            let pure = function.here() == before;
            function.back_to(checkpoint);
            if !pure {
                // It needs commands, so it is no constant.
                return result.map(|value| Value { expr: Expr::Null, ..value });
            }
        }
        result
    }

    // --- Places

    pub(super) fn lvalue(&mut self, e: &Node<Expression>) -> Lowered<Lvalue> {
        match self.lvalue_or_none(e)? {
            Some(lvalue) => Ok(lvalue),
            None => self.wrong(e.span, "this has no place in memory"),
        }
    }

    fn lvalue_or_none(&mut self, e: &Node<Expression>) -> Lowered<Option<Lvalue>> {
        let memory = |at: Expr, ty: CType| Ok(Some(Lvalue { place: Place::Memory(at), ty }));
        match &e.node {
            Expression::Identifier(name) => {
                let name = &name.node.name;
                match self.find(name).cloned() {
                    Some(Symbol::Var(var, ty)) => Ok(Some(Lvalue { place: Place::Var(var), ty })),
                    Some(Symbol::Object(object, ty)) => memory(Expr::Object(object), ty),
                    Some(Symbol::Global(global, ty)) => memory(Expr::Global(global), ty),
                    Some(Symbol::Function(..) | Symbol::Constant(_)) => Ok(None),
                    Some(Symbol::Typedef(_)) => self.wrong(e.span, format!("`{name}` is a type")),
                    None if matches!(
                        &**name,
                        "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__"
                    ) =>
                    {
                        let name =
                            self.function.as_ref().map(|f| f.name.clone()).unwrap_or_default();
                        let id = self.constant(name.as_bytes());
                        let ty = CType::Array(
                            Rc::new(CType::Int(crate::ctype::CHAR)),
                            Some(name.len() as u64 + 1),
                        );
                        memory(Expr::Global(id), ty)
                    }
                    None => self.wrong(e.span, format!("there is no variable `{name}`")),
                }
            }
            Expression::StringLiteral(_) => {
                let Some(bytes) = super::init::string_of_expr(e) else {
                    return self.unsupported(e.span, "this string");
                };
                let id = self.constant(&bytes);
                let ty = CType::Array(
                    Rc::new(CType::Int(crate::ctype::CHAR)),
                    Some(bytes.len() as u64 + 1),
                );
                memory(Expr::Global(id), ty)
            }
            Expression::UnaryOperator(unary)
                if unary.node.operator.node == UnaryOperator::Indirection =>
            {
                let pointer = self.rvalue(&unary.node.operand)?;
                match pointer.ty {
                    CType::Ptr(to) => memory(pointer.expr, (*to).clone()),
                    ty => {
                        let shown = self.show(&ty);
                        self.wrong(e.span, format!("`{shown}` is no pointer"))
                    }
                }
            }
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == BinaryOperator::Index =>
            {
                let a = self.rvalue(&binary.node.lhs)?;
                let b = self.rvalue(&binary.node.rhs)?;
                let (pointer, index) = if a.ty.is_pointer() { (a, b) } else { (b, a) };
                let sum = self.moved(pointer, index, false, e.span)?;
                match sum.ty {
                    CType::Ptr(to) => memory(sum.expr, (*to).clone()),
                    _ => self.wrong(e.span, "this is no array"),
                }
            }
            Expression::Member(member) => {
                let name = &member.node.identifier.node.name;
                let record = match member.node.operator.node {
                    ast::MemberOperator::Direct => {
                        match self.lvalue_or_none(&member.node.expression)? {
                            Some(lvalue) => lvalue,
                            None => {
                                // A record that a call or an assignment yields.
                                let value = self.rvalue(&member.node.expression)?;
                                Lvalue { place: Place::Memory(value.expr), ty: value.ty }
                            }
                        }
                    }
                    ast::MemberOperator::Indirect => {
                        let pointer = self.rvalue(&member.node.expression)?;
                        let CType::Ptr(to) = &pointer.ty else {
                            let shown = self.show(&pointer.ty);
                            return self
                                .wrong(e.span, format!("`{shown}` is no pointer to a record"));
                        };
                        Lvalue { place: Place::Memory(pointer.expr), ty: (**to).clone() }
                    }
                };
                let (CType::Record(id), Place::Memory(base)) = (&record.ty, record.place) else {
                    let shown = self.show(&record.ty);
                    return self.wrong(e.span, format!("`{shown}` has no members"));
                };
                let Some(found) = self.member(*id, name) else {
                    let shown = self.show(&record.ty);
                    let complete = self.records[id.0 as usize].members.is_some();
                    return self.wrong(
                        member.node.identifier.span,
                        match complete {
                            true => format!("`{shown}` has no member `{name}`"),
                            false => format!("the members of `{shown}` are not known here"),
                        },
                    );
                };
                let at = Expr::offset(base, Expr::Int(found.offset.into()));
                let place = match found.bits {
                    Some((first, width)) => Place::Bits { at, first, width },
                    None => Place::Memory(at),
                };
                Ok(Some(Lvalue { place, ty: found.ty }))
            }
            Expression::CompoundLiteral(compound) => {
                let ty = self.type_name(&compound.node.type_name)?;
                let list = ast::Initializer::List(compound.node.initializer_list.clone());
                let list = Node::new(list, compound.span);
                let ty = self.completed(ty, Some(&list))?;
                self.size_of(&ty, e.span)?;
                let pos = self.pos(e.span);
                let heap_type = self.heap_type(&ty);
                let at = match &mut self.function {
                    Some(function) => {
                        let object = function.object("$literal", heap_type);
                        function.live.objects.push(object);
                        function.emit(Command::Enter(object), pos);
                        let at = Expr::Object(object);
                        self.initialize(&at, &ty, &list)?;
                        at
                    }
                    None => {
                        let name = format!("$literal.{}", self.program.globals.len());
                        let id = self.new_global(name, &ty, e.span);
                        let init = self.constant_initializer(&ty, &list)?;
                        self.program.globals[id.index()].init = init;
                        Expr::Global(id)
                    }
                };
                memory(at, ty)
            }
            Expression::GenericSelection(_) => self.unsupported(e.span, "a generic selection"),
            _ => Ok(None),
        }
    }

    /// What is at a place.
    pub(super) fn load(&mut self, lvalue: Lvalue, pos: Pos) -> Value {
        let Lvalue { place, ty } = lvalue;
        match (place, &ty) {
            (Place::Memory(at), CType::Array(element, _)) => {
                Value::new(at, CType::Ptr(Rc::clone(element)))
            }
            (Place::Memory(at), CType::Record(_) | CType::VaList) => Value::new(at, ty),
            (Place::Memory(at), CType::Func(_)) => Value::new(at, CType::pointer(ty)),
            (Place::Memory(at), CType::Void) => Value::new(at, ty),
            (Place::Var(var), _) => Value::new(Expr::Var(var), ty),
            (Place::Memory(at), _) => {
                let to = self.temporary(&ty);
                self.emit(Command::Load { to, at, ty: ty.scalar() }, pos);
                Value::new(Expr::Var(to), ty)
            }
            (Place::Bits { at, first, width }, _) => {
                let to = self.temporary(&ty);
                self.emit(Command::Load { to, at, ty: ty.scalar() }, pos);
                let unit = ty.int_type().unwrap_or(INT);
                let unsigned = IntType::unsigned(unit.bits);
                let whole = Expr::Convert(unsigned, Box::new(Expr::Var(to)));
                let shifted = arith(Arith::Shr, unsigned, whole, Expr::Int(first.into()));
                let field = IntType { bits: width, signed: unit.signed };
                let value = Expr::Convert(field, Box::new(shifted));
                Value::new(value, if width < 32 { CType::int() } else { ty })
            }
        }
    }

    /// The value of an expression.
    pub(super) fn rvalue(&mut self, e: &Node<Expression>) -> Lowered<Value> {
        let pos = self.pos(e.span);
        match &e.node {
            Expression::Identifier(name) => match self.find(&name.node.name).cloned() {
                Some(Symbol::Constant(n)) => Ok(Value::int(n)),
                Some(Symbol::Function(ty)) => {
                    let id = self.procedure(&name.node.name, &ty, pos);
                    Ok(Value::new(Expr::Proc(id), CType::pointer(CType::Func(ty))))
                }
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
                for part in parts.iter() {
                    last = self.rvalue(part)?;
                }
                Ok(last)
            }
            Expression::Statement(statement) => self.statement_value(statement),
            Expression::Member(_)
            | Expression::StringLiteral(_)
            | Expression::CompoundLiteral(_) => self.loaded(e, pos),
            Expression::VaArg(_) => self.unsupported(e.span, "`va_arg`"),
            Expression::GenericSelection(_) => self.unsupported(e.span, "a generic selection"),
        }
    }

    fn loaded(&mut self, e: &Node<Expression>, pos: Pos) -> Lowered<Value> {
        let lvalue = self.lvalue(e)?;
        if self.function.is_none() && lvalue.ty.is_scalar() {
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
                let bits = if float.suffix.format == ast::FloatFormat::Float { 32 } else { 64 };
                match float.number.parse::<f64>() {
                    Ok(x) if float.base == ast::FloatBase::Decimal => {
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
                    (ty, Expr::Int(n)) => Expr::Int(ty.int_type().unwrap_or(INT).wrap(-n)),
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

    fn address(&mut self, operand: &Node<Expression>, span: Span) -> Lowered<Value> {
        if let Expression::Identifier(name) = &operand.node
            && let Some(Symbol::Function(ty)) = self.find(&name.node.name).cloned()
        {
            let id = self.procedure(&name.node.name, &ty, self.pos(span));
            return Ok(Value::new(Expr::Proc(id), CType::pointer(CType::Func(ty))));
        }
        let lvalue = self.lvalue(operand)?;
        match lvalue.place {
            Place::Memory(at) => Ok(Value::new(at, CType::pointer(lvalue.ty))),
            Place::Bits { .. } => self.wrong(span, "a bit-field has no address"),
            Place::Var(_) => self.unsupported(span, "the address of this variable"),
        }
    }

    /// After the promotions of integers.
    fn promote(&mut self, value: Value, span: Span) -> Lowered<Value> {
        if !value.ty.is_arithmetic() {
            let shown = self.show(&value.ty);
            return self.wrong(span, format!("`{shown}` is no number"));
        }
        let ty = value.ty.promoted();
        let expr = self.converted(value, &ty, span)?;
        Ok(Value::new(expr, ty))
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
            Op::LogicalAnd | Op::LogicalOr => {
                if self.function.is_none() {
                    let (a, b) = (self.rvalue(&binary.lhs)?, self.rvalue(&binary.rhs)?);
                    let (Expr::Int(a), Expr::Int(b)) = (truth(&a), truth(&b)) else {
                        return self.wrong(e.span, "this is not constant");
                    };
                    let and = *operator == Op::LogicalAnd;
                    let value = if and { a != 0 && b != 0 } else { a != 0 || b != 0 };
                    return Ok(Value::int(value.into()));
                }
                self.logical(e, pos)
            }
            _ => {
                let a = self.rvalue(&binary.lhs)?;
                let b = self.rvalue(&binary.rhs)?;
                self.operation(operator, a, b, e.span)
            }
        }
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
                    let float = BinOp::Float(op);
                    return Ok(Value::new(Expr::binary(float, a, b), ty));
                };
                if matches!(op, Arith::Div | Arith::Rem) && !matches!(b, Expr::Int(n) if n != 0) {
                    if self.function.is_none() {
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
        let bytes = arith(Arith::Mul, address, index.expr, Expr::Int(size));
        let base = if pointer.expr == Expr::Null { Expr::Int(0) } else { pointer.expr };
        let expr = match (base, bytes) {
            (Expr::Int(n), Expr::Int(m)) => Expr::Int(n + m),
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
                e => e,
            },
            (CType::Ptr(_), CType::Ptr(_)) => expr,
            (CType::Float(a), CType::Float(b)) if a <= b => expr,
            (CType::Float(_) | CType::Int(_) | CType::Bool, CType::Float(bits)) => match expr {
                Expr::Int(n) => Expr::Float(n as f64),
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

    // --- Control flow in expressions

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
                if !value.ty.is_scalar() {
                    let shown = self.show(&value.ty);
                    return self.wrong(e.span, format!("`{shown}` is no condition"));
                }
                let cond = truth(&value);
                if let Some(function) = &mut self.function {
                    function.branch(cond, then, otherwise, pos);
                }
                Ok(())
            }
        }
    }

    /// 1 or 0 as a condition holds or not.
    fn logical(&mut self, e: &Node<Expression>, pos: Pos) -> Lowered<Value> {
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

    fn conditional(&mut self, c: &ast::ConditionalExpression, span: Span) -> Lowered<Value> {
        if self.function.is_none() {
            return match self.constant_value(&c.condition)? {
                0 => self.rvalue(&c.else_expression),
                _ => self.rvalue(&c.then_expression),
            };
        }
        let a = self.type_of(&c.then_expression).map(decayed)?;
        let b = self.type_of(&c.else_expression).map(decayed)?;
        let ty = match (&a, &b) {
            (CType::Void, _) | (_, CType::Void) => CType::Void,
            (CType::Ptr(to), CType::Ptr(_)) if **to == CType::Void => b.clone(),
            (CType::Ptr(_), _) => a.clone(),
            (_, CType::Ptr(_)) => b.clone(),
            (a, b) if a.is_arithmetic() && b.is_arithmetic() => common(a, b),
            _ => a.clone(),
        };
        let pos = self.pos(span);
        let (then, otherwise, end) = (self.location(), self.location(), self.location());
        let holder = if ty.is_scalar() { ty.clone() } else { CType::pointer(ty.clone()) };
        let result = (ty != CType::Void).then(|| self.temporary(&holder));
        self.condition(&c.condition, then, otherwise)?;
        for (at, e) in [(then, &c.then_expression), (otherwise, &c.else_expression)] {
            self.go_on_at(at);
            let value = self.rvalue(e)?;
            if let Some(result) = result {
                let value = self.converted(value, &ty, e.span)?;
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
            Arith::Shl if shift < 63 => Some(x << shift),
            Arith::Shr if shift < 127 => Some(x >> shift),
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

/// The operator of a compound assignment.
fn compound(op: &BinaryOperator) -> Option<BinaryOperator> {
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
