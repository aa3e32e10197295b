//! Places in memory: what can be stored to, and what has an address.

use std::rc::Rc;

use heap::{Arith, Check, Command, Comparison, Expr, IntType, VarId};
use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::{Node, Span};
use report::Pos;

use super::arith::arith;
use super::expr::Value;
use super::init::Init;
use super::{Failed, Lowered, Lowering, Symbol};
use crate::ctype::{CHAR, CType, INT};

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

impl Lowering<'_> {
    pub(super) fn lvalue(&mut self, e: &Node<Expression>) -> Lowered<Lvalue> {
        match self.lvalue_or_none(e)? {
            Some(lvalue) => Ok(lvalue),
            None => self.wrong(e.span, "this has no place in memory"),
        }
    }

    pub(super) fn lvalue_or_none(&mut self, e: &Node<Expression>) -> Lowered<Option<Lvalue>> {
        let memory = |at: Expr, ty: CType| Ok(Some(Lvalue { place: Place::Memory(at), ty }));
        match &e.node {
            Expression::Identifier(name) => {
                let name = &name.node.name;
                match self.find(name).cloned() {
                    Some(Symbol::Var(var, ty)) => Ok(Some(Lvalue { place: Place::Var(var), ty })),
                    Some(Symbol::Object(object, ty)) => memory(Expr::Object(object), ty),
                    Some(Symbol::Global(global, ty)) => memory(Expr::Global(global), ty),
                    Some(Symbol::Function(..) | Symbol::Constant(..)) => Ok(None),
                    Some(Symbol::Failed) => Err(Failed),
                    Some(Symbol::Typedef(_)) => self.wrong(e.span, format!("`{name}` is a type")),
                    None if matches!(
                        &**name,
                        "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__"
                    ) =>
                    {
                        let name =
                            self.function.as_ref().map(|f| f.name.clone()).unwrap_or_default();
                        let id = self.constant(name.as_bytes());
                        memory(Expr::Global(id), char_array(name.len() as u64 + 1))
                    }
                    None => self.wrong(e.span, format!("there is no variable `{name}`")),
                }
            }
            Expression::StringLiteral(_) => {
                let bytes = self.string(e)?;
                let id = self.constant(&bytes);
                memory(Expr::Global(id), char_array(bytes.len() as u64 + 1))
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
                self.element(&binary.node, false, e.span).map(Some)
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
                let list = Init::List(&compound.node.initializer_list, compound.span);
                let ty = self.completed(ty, Some(list))?;
                self.size_of(&ty, e.span)?;
                let pos = self.pos(e.span);
                let heap_type = self.heap_type(&ty);
                let at = match &mut self.function {
                    Some(function) => {
                        let object = function.object("$literal", heap_type);
                        function.live.objects.push(object);
                        function.emit(Command::Enter(object), pos);
                        let at = Expr::Object(object);
                        self.initialize(&at, &ty, list)?;
                        at
                    }
                    None => {
                        let name = format!("$literal.{}", self.program.globals.len());
                        let id = self.new_global(name, &ty, e.span);
                        let init = self.constant_initializer(&ty, list)?;
                        self.program.globals[id.index()].init = init;
                        Expr::Global(id)
                    }
                };
                memory(at, ty)
            }
            Expression::GenericSelection(generic) => {
                let chosen = self.selected(&generic.node, e.span)?;
                self.lvalue_or_none(chosen)
            }
            _ => Ok(None),
        }
    }

    /// `a[i]`. An array that is part of a larger object has bounds of its own, which no access to memory
    /// checks; `&a[i]` may be the end of it.
    fn element(
        &mut self,
        index: &ast::BinaryOperatorExpression,
        end_allowed: bool,
        span: Span,
    ) -> Lowered<Lvalue> {
        let pos = self.pos(span);
        let (a, bound) = match self.lvalue_or_none(&index.lhs)? {
            Some(lvalue) => {
                let bound = match lvalue.ty {
                    // An array of arrays is left by an index that another one brings back.
                    CType::Array(ref element, Some(n))
                        if n > 0
                            && (matches!(**element, CType::Array(..))
                                || self.has_own_bounds(&index.lhs)) =>
                    {
                        Some(n)
                    }
                    _ => None,
                };
                (self.load(lvalue, pos), bound)
            }
            None => (self.rvalue(&index.lhs)?, None),
        };
        let b = self.rvalue(&index.rhs)?;
        if let (Some(bound), Some(ty)) = (bound, b.ty.int_type()) {
            let last = i128::from(bound) - i128::from(!end_allowed);
            if !matches!(b.expr, Expr::Int(n) if (0..=last).contains(&n)) {
                let mut inside = Expr::compare(Comparison::Le, b.expr.clone(), Expr::Int(last));
                if ty.signed {
                    let above = Expr::compare(Comparison::Le, Expr::Int(0), b.expr.clone());
                    inside = Expr::binary(heap::BinOp::And, above, inside);
                }
                self.emit(Command::Assert(inside, Check::Index), pos);
            }
        }
        let (pointer, by) = if a.ty.is_pointer() { (a, b) } else { (b, a) };
        let sum = self.moved(pointer, by, false, span)?;
        match sum.ty {
            CType::Ptr(to) => Ok(Lvalue { place: Place::Memory(sum.expr), ty: (*to).clone() }),
            _ => self.wrong(span, "this is no array"),
        }
    }

    /// Is an array part of a larger object? A member at the end of what a pointer leads to may be
    /// meant to go on behind it, as flexible array members do; compilers do not check such arrays either.
    fn has_own_bounds(&mut self, array: &Node<Expression>) -> bool {
        let Expression::Member(_) = &array.node else {
            return matches!(
                &array.node,
                Expression::BinaryOperator(_) | Expression::UnaryOperator(_)
            );
        };
        let mut part = array;
        while let Expression::Member(member) = &part.node {
            let Ok(ty) = self.type_of(&member.node.expression) else { return false };
            let record = match (&ty, &member.node.operator.node) {
                (CType::Record(id), _) => Some(*id),
                (CType::Ptr(to) | CType::Array(to, _), _) => match &**to {
                    CType::Record(id) => Some(*id),
                    _ => None,
                },
                _ => None,
            };
            let name = &member.node.identifier.node.name;
            if record.is_some_and(|id| !self.is_last_member(id, name)) {
                return true;
            }
            if member.node.operator.node == ast::MemberOperator::Indirect {
                return false;
            }
            part = &member.node.expression;
        }
        !self.is_behind_pointer(part)
    }

    fn is_last_member(&self, id: heap::RecordId, name: &str) -> bool {
        let Some(info) = self.records.get(id.0 as usize) else { return true };
        let Some(last) = info.members.as_ref().and_then(|m| m.last()) else { return true };
        info.union
            || match (&last.name, &last.ty) {
                (Some(last), _) => last == name,
                (None, CType::Record(inner)) => {
                    self.member(*inner, name).is_some() && self.is_last_member(*inner, name)
                }
                _ => false,
            }
    }

    /// Is an object reached through a pointer?
    fn is_behind_pointer(&mut self, e: &Node<Expression>) -> bool {
        match &e.node {
            Expression::UnaryOperator(u) => u.node.operator.node == UnaryOperator::Indirection,
            Expression::Member(m) => {
                m.node.operator.node == ast::MemberOperator::Indirect
                    || self.is_behind_pointer(&m.node.expression)
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                match self.type_of(&b.node.lhs) {
                    Ok(CType::Array(..)) => self.is_behind_pointer(&b.node.lhs),
                    _ => true,
                }
            }
            _ => false,
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
                Value::new(value, of_bits(&ty, width))
            }
        }
    }

    pub(super) fn address(&mut self, operand: &Node<Expression>, span: Span) -> Lowered<Value> {
        if let Expression::Identifier(name) = &operand.node
            && let Some(Symbol::Function(ty)) = self.find(&name.node.name).cloned()
        {
            return Ok(self.designator(&name.node.name, ty, self.pos(span)));
        }
        let lvalue = match &operand.node {
            Expression::BinaryOperator(index)
                if index.node.operator.node == BinaryOperator::Index =>
            {
                self.element(&index.node, true, operand.span)?
            }
            _ => self.lvalue(operand)?,
        };
        match lvalue.place {
            Place::Memory(at) => Ok(Value::new(at, CType::pointer(lvalue.ty))),
            Place::Bits { .. } => self.wrong(span, "a bit-field has no address"),
            Place::Var(_) => self.unsupported(span, "the address of this variable"),
        }
    }
}

fn char_array(count: u64) -> CType {
    CType::Array(Rc::new(CType::Int(CHAR)), Some(count))
}

/// The type of the value of a bit-field.
pub(super) fn of_bits(unit: &CType, width: u8) -> CType {
    if width < 32 { CType::int() } else { unit.clone() }
}
