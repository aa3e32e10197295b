//! Calls, and functions that every program knows.

use std::rc::Rc;

use heap::{Arith, Callee, Check, Command, Expr, IntType, RecordId, Region, VarId};
use lang_c::ast::{self, Expression};
use lang_c::span::{Node, Span};
use report::Pos;

use super::expr::{Value, arith, truth};
use super::{Lowered, Lowering, Symbol};
use crate::ctype::{CType, FuncType, INT};

/// Functions without a body whose result is meant to be any value.
pub(super) fn is_input(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet")
        || name.starts_with("nondet")
        || name == "rand"
        || name == "getchar"
}

impl Lowering<'_> {
    pub(super) fn call(&mut self, call: &ast::CallExpression, span: Span) -> Lowered<Value> {
        if self.function.is_none() {
            return self.wrong(span, "this is not constant");
        }
        if let Expression::Identifier(name) = &call.callee.node {
            let name = name.node.name.clone();
            let known = match self.find(&name) {
                None => None,
                Some(Symbol::Function(ty)) => Some(Rc::clone(ty)),
                Some(_) => return self.call_pointer(call, span),
            };
            let defined = self.program.find(&name).is_some_and(|id| {
                self.program.proc(id).body.is_some()
                    || self.function.as_ref().is_some_and(|f| f.id == id)
            });
            // Whatever a program does there, it has arrived where it must not.
            let error = matches!(&*name, "reach_error" | "__VERIFIER_error");
            if (!defined || error)
                && let Some(value) = self.builtin(&name, call, span)?
            {
                return Ok(value);
            }
            let ty = known.unwrap_or_else(|| {
                let message = format!(
                    "`{name}` is not declared: it is taken for a function that returns `int`"
                );
                self.warn(span, message);
                let params = Vec::new();
                let ty = FuncType { result: CType::int(), params, variadic: false, unknown: true };
                let ty = Rc::new(ty);
                self.scopes[0].names.insert(name.clone(), Symbol::Function(Rc::clone(&ty)));
                ty
            });
            let pos = self.pos(span);
            let id = self.procedure(&name, &ty, pos);
            self.bodiless.entry(id).or_insert(pos);
            return self.call_to(Callee::Proc(id), &ty, &call.arguments, span);
        }
        self.call_pointer(call, span)
    }

    fn call_pointer(&mut self, call: &ast::CallExpression, span: Span) -> Lowered<Value> {
        let callee = self.rvalue(&call.callee)?;
        let ty = match &callee.ty {
            CType::Ptr(to) => (**to).clone(),
            ty => ty.clone(),
        };
        match (ty, callee.expr) {
            (CType::Func(ty), Expr::Proc(id)) => {
                self.call_to(Callee::Proc(id), &ty, &call.arguments, span)
            }
            (CType::Func(ty), e) => self.call_to(Callee::Pointer(e), &ty, &call.arguments, span),
            _ => self.wrong(span, "this is no function"),
        }
    }

    fn call_to(
        &mut self,
        callee: Callee,
        ty: &FuncType,
        arguments: &[Node<Expression>],
        span: Span,
    ) -> Lowered<Value> {
        let pos = self.pos(span);
        let mut args = Vec::new();
        for (i, argument) in arguments.iter().enumerate() {
            let value = self.rvalue(argument)?;
            match ty.params.get(i) {
                Some(param) => args.push(self.converted(value, param, argument.span)?),
                // Of a function without known parameters, what is given.
                None if ty.unknown => args.push(value.expr),
                None if ty.variadic => {}
                None => {
                    return self.wrong(argument.span, "there is no parameter for this argument");
                }
            }
        }
        if args.len() < ty.params.len() && !ty.unknown {
            let message =
                format!("{} arguments are expected, but {} are given", ty.params.len(), args.len());
            return self.wrong(span, message);
        }
        if let CType::Record(_) = &ty.result {
            let heap_type = self.heap_type(&ty.result);
            self.size_of(&ty.result, span)?;
            let Some(function) = &mut self.function else {
                return self.wrong(span, "this is not constant");
            };
            let object = function.object("$returned", heap_type);
            function.live.objects.push(object);
            function.emit(Command::Enter(object), pos);
            args.insert(0, Expr::Object(object));
            function.emit(Command::Call { to: None, callee, args }, pos);
            return Ok(Value::new(Expr::Object(object), ty.result.clone()));
        }
        let to = (ty.result != CType::Void).then(|| self.temporary(&ty.result));
        self.emit(Command::Call { to, callee, args }, pos);
        Ok(match to {
            Some(to) => Value::new(Expr::Var(to), ty.result.clone()),
            None => Value::new(Expr::Int(0), CType::Void),
        })
    }

    /// A function that every program knows, if it is one.
    fn builtin(
        &mut self,
        name: &str,
        call: &ast::CallExpression,
        span: Span,
    ) -> Lowered<Option<Value>> {
        let pos = self.pos(span);
        let args = &call.arguments;
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        let size = CType::Int(self.program.model.address());
        let void = || Value::new(Expr::Int(0), CType::Void);
        let void_pointer = CType::pointer(CType::Void);
        let value = match (name, args.as_slice()) {
            (
                "malloc" | "kmalloc" | "__VERIFIER_malloc" | "alloca" | "__alloca" | "valloc",
                [bytes, ..],
            ) => {
                let record = self.allocated_record(bytes);
                let bytes = self.argument(bytes, &size)?;
                let region = if name.contains("alloca") { Region::Stack } else { Region::Heap };
                self.alloc(bytes, false, region, record, pos)
            }
            ("calloc" | "kcalloc", [count, bytes]) => {
                let record = self.allocated_record(bytes);
                let count = self.argument(count, &size)?;
                let bytes = self.argument(bytes, &size)?;
                let bytes = arith(Arith::Mul, self.program.model.address(), count, bytes);
                self.alloc(bytes, true, Region::Heap, record, pos)
            }
            ("kzalloc", [bytes, ..]) => {
                let record = self.allocated_record(bytes);
                let bytes = self.argument(bytes, &size)?;
                self.alloc(bytes, true, Region::Heap, record, pos)
            }
            ("realloc", [old, bytes]) => {
                let from = self.argument(old, &void_pointer)?;
                let bytes = self.argument(bytes, &size)?;
                let to = self.temporary(&void_pointer);
                self.emit(Command::Realloc { to, from, size: bytes }, pos);
                Value::new(Expr::Var(to), void_pointer)
            }
            ("free" | "kfree" | "cfree", [block]) => {
                let block = self.argument(block, &void_pointer)?;
                self.emit(Command::Free(block), pos);
                void()
            }
            ("memset", [at, byte, bytes]) => {
                let at = self.argument(at, &void_pointer)?;
                let byte = self.argument(byte, &CType::int())?;
                let bytes = self.argument(bytes, &size)?;
                self.emit(Command::Fill { at: at.clone(), byte, size: bytes }, pos);
                Value::new(at, void_pointer)
            }
            ("memcpy" | "memmove", [to, from, bytes]) => {
                let to = self.argument(to, &void_pointer)?;
                let from = self.argument(from, &void_pointer)?;
                let bytes = self.argument(bytes, &size)?;
                let may_overlap = name == "memmove";
                self.emit(Command::Copy { to: to.clone(), from, size: bytes, may_overlap }, pos);
                Value::new(to, void_pointer)
            }
            ("abort" | "trap", []) => {
                self.emit(Command::Abort, pos);
                void()
            }
            ("exit" | "_exit" | "_Exit", [status]) => {
                let status = self.argument(status, &CType::int())?;
                self.emit(Command::Exit(status), pos);
                void()
            }
            ("__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail", _) => {
                self.emit(Command::Assert(Expr::Int(0), Check::Assertion), pos);
                void()
            }
            ("__VERIFIER_assert" | "assert", [condition]) => {
                let value = self.rvalue(condition)?;
                self.emit(Command::Assert(truth(&value), Check::Assertion), pos);
                void()
            }
            ("__VERIFIER_error" | "reach_error", _) => {
                self.emit(Command::Assert(Expr::Int(0), Check::Unreachable), pos);
                void()
            }
            // Other functions without a body, whatever they are called, cut no paths.
            ("__VERIFIER_assume" | "__CPROVER_assume", [condition]) => {
                let value = self.rvalue(condition)?;
                self.emit(Command::Assume(truth(&value)), pos);
                void()
            }
            ("printf", [_, ..]) => self.print(args, pos)?,
            ("fprintf", [_, rest @ ..]) if !rest.is_empty() => {
                // Only the standard output is kept.
                if self.is_standard_output(&args[0]) {
                    self.print(rest, pos)?
                } else {
                    for argument in args {
                        self.rvalue(argument)?;
                    }
                    Value::new(Expr::Int(0), CType::int())
                }
            }
            ("puts", [text]) => {
                let text = self.argument(text, &void_pointer)?;
                let format = Expr::Global(self.constant(b"%s\n"));
                self.emit(Command::Print { to: None, args: vec![format, text] }, pos);
                Value::new(Expr::Int(1), CType::int())
            }
            ("putchar", [c]) => {
                let c = self.argument(c, &CType::int())?;
                let format = Expr::Global(self.constant(b"%c"));
                self.emit(Command::Print { to: None, args: vec![format, c.clone()] }, pos);
                Value::new(c, CType::int())
            }
            ("fflush", [_]) | ("perror", [_]) | ("srand", [_]) => {
                for argument in args {
                    self.rvalue(argument)?;
                }
                Value::new(Expr::Int(0), CType::int())
            }
            ("expect", [value, _]) => self.rvalue(value)?,
            ("constant_p", [_]) => Value::new(Expr::Int(0), CType::int()),
            ("unreachable", []) => {
                self.emit(Command::Abort, pos);
                void()
            }
            ("object_size", [_, _]) => {
                let most = self.program.model.address().largest();
                Value::new(Expr::Int(most), size)
            }
            _ if name.starts_with("__VERIFIER_nondet_") => {
                let ty = match self.find(name) {
                    Some(Symbol::Function(ty)) => ty.result.clone(),
                    _ => nondet_type(name.trim_start_matches("__VERIFIER_nondet_")),
                };
                if !ty.is_scalar() {
                    return Ok(None);
                }
                let to = self.temporary(&ty);
                self.emit(Command::Havoc(to), pos);
                Value::new(Expr::Var(to), ty)
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn argument(&mut self, e: &Node<Expression>, ty: &CType) -> Lowered<Expr> {
        let value = self.rvalue(e)?;
        self.converted(value, ty, e.span)
    }

    fn alloc(
        &mut self,
        size: Expr,
        zeroed: bool,
        region: Region,
        record: Option<RecordId>,
        pos: Pos,
    ) -> Value {
        let ty = CType::pointer(CType::Void);
        let to: VarId = self.temporary(&ty);
        self.emit(Command::Alloc { to, size, zeroed, region, record }, pos);
        Value::new(Expr::Var(to), ty)
    }

    /// What `sizeof` in the size of an allocation is about.
    fn allocated_record(&mut self, e: &Node<Expression>) -> Option<RecordId> {
        let ty = match &e.node {
            Expression::SizeOfTy(size) => self.type_name(&size.node.0).ok()?,
            Expression::SizeOfVal(size) => self.type_of(&size.node.0).ok()?,
            Expression::BinaryOperator(b) => {
                return self
                    .allocated_record(&b.node.lhs)
                    .or_else(|| self.allocated_record(&b.node.rhs));
            }
            Expression::Cast(cast) => return self.allocated_record(&cast.node.expression),
            _ => return None,
        };
        match ty {
            CType::Record(id) => Some(id),
            _ => None,
        }
    }

    fn print(&mut self, args: &[Node<Expression>], pos: Pos) -> Lowered<Value> {
        let mut values = Vec::new();
        for argument in args {
            let value = self.rvalue(argument)?;
            let ty = match &value.ty {
                CType::Float(_) => CType::Float(64),
                ty => ty.promoted(),
            };
            values.push(self.converted(value, &ty, argument.span)?);
        }
        let to = self.temporary(&CType::int());
        self.emit(Command::Print { to: Some(to), args: values }, pos);
        Ok(Value::new(Expr::Var(to), CType::int()))
    }

    fn is_standard_output(&self, e: &Node<Expression>) -> bool {
        matches!(&e.node, Expression::Identifier(name) if name.node.name == "stdout")
    }
}

/// The type that a name of an input says.
fn nondet_type(name: &str) -> CType {
    let ty = match name {
        "bool" | "_Bool" => return CType::Bool,
        "char" => IntType::signed(8),
        "uchar" | "unsigned_char" | "u8" => IntType::unsigned(8),
        "short" => IntType::signed(16),
        "ushort" | "u16" => IntType::unsigned(16),
        "uint" | "unsigned" | "unsigned_int" | "u32" => IntType::unsigned(32),
        "long" | "longlong" | "loff_t" => IntType::signed(64),
        "ulong" | "ulonglong" | "size_t" | "unsigned_long" => IntType::unsigned(64),
        "float" => return CType::Float(32),
        "double" => return CType::Float(64),
        "pointer" | "pchar" => return CType::pointer(CType::Void),
        _ => INT,
    };
    CType::Int(ty)
}
