//! Expressions in code: what reads memory, calls or may fail is a command before the expression.
//!
//! Calls and allocations come first, from right to left and from the inside to the outside; then what is read, from left
//! to right. Whoever asks for a value has asked [`Body::refused`] before.

use heap::{
    Arith, BinOp as HeapOp, Check, Command, Comparison, Expr, IntType, LocId, Region, Scalar,
};
use report::{Pos, Span};

use super::ghost::Refusal;
use super::types::{BOOL, CELLS, LENGTH};
use super::{Body, Pure};
use crate::core::{self, BinOp, ExprKind, Ghost, LocalId, Name, Type, UnOp};

/// Where an expression is in memory: which of several equal ones it is.
fn address(e: &core::Expr) -> usize {
    std::ptr::from_ref(&*e.kind) as usize
}

/// What a way leads to.
enum Way<'p> {
    Value(&'p core::Expr),
    Truth(bool),
}

impl<'p> Body<'_, 'p> {
    /// Why an expression cannot be evaluated.
    pub(super) fn refused(&self, e: &core::Expr) -> Option<Refusal> {
        let is_ghost = |local: LocalId| self.is_ghost(local);
        self.lowering.erasure.refusal(e, self.locals, &is_ghost)
    }

    /// A value in code.
    pub(super) fn code_value(&mut self, e: &'p core::Expr) -> Result<Expr, Refusal> {
        if let Some(refusal) = self.refused(e) {
            return Err(refusal);
        }
        self.effects(e)?;
        self.checked = !matches!(
            &*e.kind,
            ExprKind::Unary(UnOp::Not, _) | ExprKind::Binary(BinOp::And | BinOp::Or, ..)
        );
        let value = self.value(e);
        self.checked = true;
        value
    }

    /// Leads to one of two locations.
    pub(super) fn condition(
        &mut self,
        e: &'p core::Expr,
        then: LocId,
        otherwise: LocId,
    ) -> Result<(), Refusal> {
        if let Some(refusal) = self.refused(e) {
            return Err(refusal);
        }
        self.effects(e)?;
        self.checked = false;
        let done = self.branch(e, then, otherwise);
        self.checked = true;
        done
    }

    /// Makes the calls and allocations of an expression.
    pub(super) fn effects(&mut self, e: &'p core::Expr) -> Result<(), Refusal> {
        let mut found = false;
        e.walk(&mut |e| {
            found |=
                matches!(&*e.kind, ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..));
        });
        if !found {
            return Ok(());
        }
        let mut children = Vec::new();
        e.each_child(&mut |child| children.push(child));
        for child in children.into_iter().rev() {
            self.effects(child)?;
        }
        let result = match &*e.kind {
            ExprKind::Call(name, args) => {
                let mut results = self.call(name, args, e.span, false)?;
                if results.is_empty() {
                    return Err(Refusal::new(e.span, "a call without a result in an expression"));
                }
                results.swap_remove(0)
            }
            ExprKind::New(ty) => self.new_object(ty, e.span)?,
            ExprKind::NewArray(of, length) => {
                let number = self.value(length)?;
                self.new_array(of, number, e.span, length.span)?
            }
            _ => return Ok(()),
        };
        if let Some(result) = result {
            self.results.insert(address(e), result);
        }
        Ok(())
    }

    /// Calls a procedure; one value for each explicit result, none for those that are erased.
    pub(super) fn call(
        &mut self,
        name: &Name,
        args: &'p [core::Expr],
        span: Span,
        evaluate_calls: bool,
    ) -> Result<Vec<Option<Expr>>, Refusal> {
        let program = self.lowering.program;
        let (Some(callee), Some(shape)) =
            (program.procedures.get(name), self.lowering.map.procedures.get(name).cloned())
        else {
            return Err(Refusal::new(span, format!("a call of `{name}` here")));
        };
        let explicit = callee.params.iter().filter(|p| p.ghost != Ghost::Implicit);
        let args: Vec<(bool, &'p core::Expr)> =
            explicit.zip(args).map(|(p, arg)| (shape.params.contains(&p.local), arg)).collect();
        let mut values = Vec::new();
        if evaluate_calls {
            for (passed, arg) in args.into_iter().rev() {
                match passed {
                    true => values.push(self.code_value(arg)?),
                    // What is called there may do more than return a value.
                    false => self.effects(arg)?,
                }
            }
            values.reverse();
        } else {
            for (_, arg) in args.into_iter().filter(|(passed, _)| *passed) {
                values.push(self.value(arg)?);
            }
        }
        let pos: Pos = span.into();
        let to = shape.results.first().map(|(_, _, ty)| self.made.temporary(*ty));
        let callee_id = heap::Callee::Proc(shape.id);
        self.made.emit(Command::Call { to, callee: callee_id, args: values }, pos);
        let mut results = Vec::new();
        for param in callee.returns.iter().filter(|r| r.ghost != Ghost::Implicit) {
            let place = shape.results.iter().find(|(local, ..)| *local == param.local);
            results.push(match place {
                None => None,
                Some((_, None, _)) => to.map(Expr::Var),
                Some((_, Some(global), ty)) => {
                    let at = Expr::Global(*global);
                    let var = self.load(at.clone(), *ty, pos);
                    // What it led to is not kept by it any longer.
                    if ty.is_pointer() {
                        self.made.emit(Command::Store { at, value: Expr::Null, ty: *ty }, pos);
                    }
                    Some(var)
                }
            });
        }
        Ok(results)
    }

    fn load(&mut self, at: Expr, ty: Scalar, pos: Pos) -> Expr {
        let to = self.made.temporary(ty);
        self.made.emit(Command::Load { to, at, ty }, pos);
        Expr::Var(to)
    }

    fn keep(&mut self, value: Expr, ty: Scalar, pos: Pos) -> Expr {
        match value {
            value @ (Expr::Var(_) | Expr::Int(_) | Expr::Null) => value,
            value => {
                let to = self.made.temporary(ty);
                self.made.emit(Command::Assign(to, value), pos);
                Expr::Var(to)
            }
        }
    }

    fn new_object(&mut self, ty: &Type, span: Span) -> Result<Option<Expr>, Refusal> {
        let (Some((id, record)), Some(scalar)) =
            (self.lowering.map.layouts.record(ty), self.lowering.map.layouts.scalar(ty))
        else {
            return Err(Refusal::new(span, format!("an object of type `{ty}` in code")));
        };
        let size = Expr::Int(i128::from(record.size));
        let to = self.made.temporary(scalar);
        let (zeroed, region, record) = (false, Region::Heap, Some(id));
        self.made.emit(Command::Alloc { to, size, zeroed, region, record }, span.into());
        Ok(Some(Expr::Var(to)))
    }

    /// A header, and an object for the cells.
    fn new_array(
        &mut self,
        of: &Type,
        length: Expr,
        span: Span,
        length_at: Span,
    ) -> Result<Option<Expr>, Refusal> {
        let pos: Pos = span.into();
        let array = Type::Array(of.clone().into());
        let number = Scalar::Int(IntType::UNBOUNDED);
        let length = self.keep(length, number, pos);
        let negative = Expr::compare(Comparison::Le, Expr::Int(0), length.clone());
        self.made.emit(Command::Assert(negative, Check::Length), length_at.into());
        let Some(header) = self.new_object(&array, span)? else { return Ok(None) };
        let Some(element) = self.lowering.map.layouts.scalar(of) else {
            return Err(Refusal::new(span, format!("an array of type `{array}` in code")));
        };
        let cells = Scalar::Ptr(heap::Target::Unknown);
        let to = self.made.temporary(cells);
        let size = scaled(length.clone(), element);
        let (zeroed, region, record) = (false, Region::Heap, None);
        self.made.emit(Command::Alloc { to, size, zeroed, region, record }, pos);
        let at = |offset: u64| Expr::offset(header.clone(), Expr::Int(i128::from(offset)));
        self.made.emit(Command::Store { at: at(LENGTH), value: length, ty: number }, pos);
        let value = Expr::Var(to);
        self.made.emit(Command::Store { at: at(CELLS), value, ty: cells }, pos);
        Ok(Some(header))
    }

    /// The cells of an array.
    pub(super) fn cells(&mut self, array: Expr, pos: Pos) -> Expr {
        let at = Expr::offset(array, Expr::Int(i128::from(CELLS)));
        self.load(at, Scalar::Ptr(heap::Target::Unknown), pos)
    }

    /// The place of an element.
    pub(super) fn element(&mut self, array: Expr, index: Expr, ty: Scalar, pos: Pos) -> Expr {
        let cells = self.cells(array, pos);
        Expr::offset(cells, scaled(index, ty))
    }

    fn branch(&mut self, e: &'p core::Expr, then: LocId, otherwise: LocId) -> Result<(), Refusal> {
        match &*e.kind {
            ExprKind::Unary(UnOp::Not, a) => self.branch(a, otherwise, then),
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Implies), a, b) => {
                let second = self.made.location();
                match op {
                    BinOp::And => self.branch(a, second, otherwise)?,
                    BinOp::Or => self.branch(a, then, second)?,
                    _ => self.branch(a, second, then)?,
                }
                self.made.go_on_at(second);
                self.branch(b, then, otherwise)
            }
            ExprKind::Cond(c, a, b) => {
                let (first, second) = (self.made.location(), self.made.location());
                self.branch(c, first, second)?;
                self.made.go_on_at(first);
                self.branch(a, then, otherwise)?;
                self.made.go_on_at(second);
                self.branch(b, then, otherwise)
            }
            _ => {
                let value = self.value(e)?;
                self.made.branch(value, then, otherwise, e.span.into());
                Ok(())
            }
        }
    }

    /// A value of a type that one of two ways leads to.
    fn joined(
        &mut self,
        ty: Scalar,
        pos: Pos,
        ways: [(LocId, Way<'p>); 2],
    ) -> Result<Expr, Refusal> {
        let to = self.made.temporary(ty);
        let end = self.made.location();
        for (at, way) in ways {
            self.made.go_on_at(at);
            let value = match way {
                Way::Value(e) => self.value(e)?,
                Way::Truth(truth) => Expr::Int(truth.into()),
            };
            self.made.emit(Command::Assign(to, value), pos);
            self.made.jump(end, pos);
        }
        self.made.go_on_at(end);
        Ok(Expr::Var(to))
    }

    /// The value of an expression whose calls were made.
    pub(super) fn value(&mut self, e: &'p core::Expr) -> Result<Expr, Refusal> {
        let pos: Pos = e.span.into();
        let ty = self.lowering.map.layouts.scalar(&e.ty);
        let impossible = || Refusal::new(e.span, format!("a value of type `{}` in code", e.ty));
        let ty = ty.ok_or_else(impossible)?;
        Ok(match &*e.kind {
            ExprKind::Bool(b) => Expr::Int((*b).into()),
            ExprKind::Int(n) => Expr::Int((*n).into()),
            ExprKind::Byte(n) => Expr::Int((*n).into()),
            ExprKind::Null => Expr::Null,
            ExprKind::Local(local) => Expr::Var(self.var(*local).ok_or_else(impossible)?),
            ExprKind::Global(name) => {
                let place = self.lowering.map.globals.get(name).copied();
                let (id, ty) = place.ok_or_else(impossible)?;
                self.load(Expr::Global(id), ty, pos)
            }
            ExprKind::Read(map, key) => match &*map.kind {
                ExprKind::Field(name) => {
                    let place = self.lowering.map.layouts.field(name).ok_or_else(impossible)?;
                    let object = self.value(key)?;
                    let at = Expr::offset(object, Expr::Int(i128::from(place.offset)));
                    self.load(at, place.ty, pos)
                }
                ExprKind::Cells(array) => {
                    let (Type::Cell(of), array) = (&e.ty, self.value(array)?) else {
                        return Err(impossible());
                    };
                    let element = self.lowering.map.layouts.scalar(of).ok_or_else(impossible)?;
                    let index = self.value(key)?;
                    self.element(array, index, element, pos)
                }
                _ => return Err(impossible()),
            },
            ExprKind::ArrayRead(array, index) => {
                let (array, index) = (self.value(array)?, self.value(index)?);
                let at = self.element(array, index, ty, pos);
                self.load(at, ty, pos)
            }
            ExprKind::CellRead(cell) => {
                let cell = self.value(cell)?;
                self.load(cell, ty, pos)
            }
            ExprKind::Length(array) => {
                let array = self.value(array)?;
                let at = Expr::offset(array, Expr::Int(i128::from(LENGTH)));
                self.load(at, Scalar::Int(IntType::UNBOUNDED), pos)
            }
            ExprKind::Function(name, args) => {
                let program = self.lowering.program;
                let function = program.functions.get(name).ok_or_else(impossible)?;
                let real = self.lowering.real_params(&function.locals, &function.params);
                let kept = |p: &core::Param| real.contains(&p.local);
                let args =
                    function.params.iter().zip(args).filter(|(p, _)| kept(p)).map(|(_, arg)| arg);
                self.call_pure(Pure::Function(function), args.collect(), ty, pos)?
            }
            ExprKind::Predicate(name, args) => {
                let program = self.lowering.program;
                let predicate = program.predicates.get(name).ok_or_else(impossible)?;
                let real = self.lowering.real_params(&predicate.locals, &predicate.params);
                let kept = |p: &core::Param| real.contains(&p.local);
                let args =
                    predicate.params.iter().zip(args).filter(|(p, _)| kept(p)).map(|(_, arg)| arg);
                self.call_pure(Pure::Predicate(predicate), args.collect(), ty, pos)?
            }
            ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..) => {
                self.results.get(&address(e)).cloned().ok_or_else(impossible)?
            }
            ExprKind::Unary(op, a) => {
                let a = self.value(a)?;
                match (op, ty) {
                    (UnOp::Not, _) => Expr::not(a),
                    (UnOp::Neg, Scalar::Int(int)) => {
                        wrapped(Expr::Unary(heap::UnOp::Neg(int), Box::new(a)), int)
                    }
                    (UnOp::BitNot, Scalar::Int(int)) => {
                        Expr::Unary(heap::UnOp::BitNot(int), Box::new(a))
                    }
                    (UnOp::Int2Byte, Scalar::Int(int)) => Expr::Convert(int, Box::new(a)),
                    (UnOp::Byte2Int, _) => a,
                    _ => return Err(impossible()),
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e)?,
            ExprKind::Cond(c, a, b) => {
                let (first, second) = (self.made.location(), self.made.location());
                self.branch(c, first, second)?;
                self.joined(ty, pos, [(first, Way::Value(a)), (second, Way::Value(b))])?
            }
            _ => return Err(impossible()),
        })
    }

    fn call_pure(
        &mut self,
        pure: Pure<'p>,
        args: Vec<&'p core::Expr>,
        ty: Scalar,
        pos: Pos,
    ) -> Result<Expr, Refusal> {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.value(arg)?);
        }
        let id = self.lowering.pure_procedure(pure);
        let to = self.made.temporary(ty);
        let callee = heap::Callee::Proc(id);
        self.made.emit(Command::Call { to: Some(to), callee, args: values }, pos);
        Ok(Expr::Var(to))
    }

    /// The body of a function; the variable of its result.
    pub(super) fn pure_result(&mut self, e: &'p core::Expr) -> Option<heap::VarId> {
        let ty = self.lowering.map.layouts.scalar(&e.ty)?;
        let result = self.made.variable("$value", ty);
        self.checked = false;
        let value = match self.refused(e) {
            Some(refusal) => Err(refusal),
            None => self.value(e),
        };
        match value {
            Ok(value) => self.made.emit(Command::Assign(result, value), e.span.into()),
            Err(refusal) => self.refuse(refusal),
        }
        Some(result)
    }

    fn binary(
        &mut self,
        op: BinOp,
        a: &'p core::Expr,
        b: &'p core::Expr,
        e: &'p core::Expr,
    ) -> Result<Expr, Refusal> {
        let pos: Pos = e.span.into();
        if let BinOp::And | BinOp::Or | BinOp::Implies = op {
            if needs_commands(b) {
                let (yes, no) = (self.made.location(), self.made.location());
                self.branch(e, yes, no)?;
                let ways = [(yes, Way::Truth(true)), (no, Way::Truth(false))];
                return self.joined(Scalar::Int(BOOL), pos, ways);
            }
            let (a, b) = (self.value(a)?, self.value(b)?);
            return Ok(match op {
                BinOp::And => Expr::binary(HeapOp::And, a, b),
                BinOp::Or => Expr::binary(HeapOp::Or, a, b),
                _ => Expr::binary(HeapOp::Or, Expr::not(a), b),
            });
        }
        let (x, y) = (self.value(a)?, self.value(b)?);
        let compare = |op, x, y| Ok(Expr::compare(op, x, y));
        match op {
            BinOp::Eq | BinOp::Iff => return compare(Comparison::Eq, x, y),
            BinOp::Ne => return compare(Comparison::Ne, x, y),
            BinOp::Lt => return compare(Comparison::Lt, x, y),
            BinOp::Le => return compare(Comparison::Le, x, y),
            BinOp::Gt => return compare(Comparison::Lt, y, x),
            BinOp::Ge => return compare(Comparison::Le, y, x),
            _ => {}
        }
        let Some(Scalar::Int(ty)) = self.lowering.map.layouts.scalar(&e.ty) else {
            return Err(Refusal::new(e.span, "this operation in code"));
        };
        let arith = |op, x, y| wrapped(Expr::binary(HeapOp::Arith(op, ty), x, y), ty);
        Ok(match op {
            BinOp::Add => arith(Arith::Add, x, y),
            BinOp::Sub => arith(Arith::Sub, x, y),
            BinOp::Mul => arith(Arith::Mul, x, y),
            BinOp::BitAnd => arith(Arith::BitAnd, x, y),
            BinOp::BitOr => arith(Arith::BitOr, x, y),
            BinOp::Shl | BinOp::Shr => {
                // As many bits as there are, or more: all are gone.
                let y = self.keep(y, Scalar::Int(ty), pos);
                let less = Expr::compare(Comparison::Lt, y.clone(), Expr::Int(0));
                let more = Expr::compare(Comparison::Lt, Expr::Int(31), y.clone());
                let far = Expr::binary(HeapOp::Or, less, more);
                let amount = Expr::If(Box::new(far), Box::new(Expr::Int(32)), Box::new(y));
                let op = if op == BinOp::Shl { Arith::Shl } else { Arith::Shr };
                arith(op, x, amount)
            }
            BinOp::Div | BinOp::Mod => self.division(op, (x, y), ty, b.span, pos),
            _ => return Err(Refusal::new(e.span, "this operation in code")),
        })
    }

    /// Integers are divided such that the rest is not negative; those with bits, towards zero. Where divisors are not
    /// checked, a quotient by zero is any number.
    fn division(&mut self, op: BinOp, of: (Expr, Expr), ty: IntType, at: Span, pos: Pos) -> Expr {
        let (x, y) = (self.keep(of.0, Scalar::Int(ty), pos), self.keep(of.1, Scalar::Int(ty), pos));
        let zero = Expr::compare(Comparison::Eq, y.clone(), Expr::Int(0));
        if self.checked {
            self.made.emit(Command::Assert(Expr::not(zero.clone()), Check::Divisor), at.into());
        }
        let arith =
            |op, x: &Expr, y: &Expr| Expr::binary(HeapOp::Arith(op, ty), x.clone(), y.clone());
        let either = |c: Expr, a: Expr, b: Expr| Expr::If(Box::new(c), Box::new(a), Box::new(b));
        let (quotient, rest) = (arith(Arith::Div, &x, &y), arith(Arith::Rem, &x, &y));
        let value = if ty != IntType::UNBOUNDED {
            wrapped(if op == BinOp::Div { quotient } else { rest }, ty)
        } else {
            let negative = Expr::compare(Comparison::Lt, rest.clone(), Expr::Int(0));
            let positive = Expr::compare(Comparison::Lt, Expr::Int(0), y.clone());
            let one = Expr::Int(1);
            match op {
                BinOp::Div => {
                    let (less, more) =
                        (arith(Arith::Sub, &quotient, &one), arith(Arith::Add, &quotient, &one));
                    either(negative, either(positive, less, more), quotient)
                }
                _ => {
                    let (more, less) = (arith(Arith::Add, &rest, &y), arith(Arith::Sub, &rest, &y));
                    either(negative, either(positive, more, less), rest)
                }
            }
        };
        if self.checked {
            return value;
        }
        let result = self.made.temporary(Scalar::Int(ty));
        let (none, some, end) = (self.made.location(), self.made.location(), self.made.location());
        self.made.branch(zero, none, some, pos);
        for (way, command) in
            [(none, Command::Havoc(result)), (some, Command::Assign(result, value))]
        {
            self.made.go_on_at(way);
            self.made.emit(command, pos);
            self.made.jump(end, pos);
        }
        self.made.go_on_at(end);
        Expr::Var(result)
    }
}

/// A number in its type: those with bits wrap around.
fn wrapped(e: Expr, ty: IntType) -> Expr {
    if ty == IntType::UNBOUNDED { e } else { Expr::Convert(ty, Box::new(e)) }
}

/// The offset of the element of an index.
fn scaled(index: Expr, element: Scalar) -> Expr {
    let bytes = i128::from(element.bytes(heap::DataModel::Lp64));
    match index {
        Expr::Int(n) => Expr::Int(n.saturating_mul(bytes)),
        index if bytes == 1 => index,
        index => {
            let times = HeapOp::Arith(Arith::Mul, IntType::UNBOUNDED);
            Expr::binary(times, index, Expr::Int(bytes))
        }
    }
}

/// Does an expression read memory, call, or may it fail?
fn needs_commands(e: &core::Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= matches!(
            &*e.kind,
            ExprKind::Read(..)
                | ExprKind::ArrayRead(..)
                | ExprKind::CellRead(_)
                | ExprKind::Length(_)
                | ExprKind::Global(_)
                | ExprKind::Function(..)
                | ExprKind::Predicate(..)
                | ExprKind::Cond(..)
                | ExprKind::Binary(BinOp::Div | BinOp::Mod, ..)
        );
    });
    found
}
