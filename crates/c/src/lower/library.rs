//! Functions that every program knows.

use heap::{Arith, Check, Command, Expr, IntType, RecordId, Region, VarId};
use lang_c::ast::{self, Expression};
use lang_c::span::{Node, Span};
use report::Pos;

use super::arith::{arith, truth};
use super::expr::Value;
use super::{Lowered, Lowering, Symbol};
use crate::ctype::{CType, INT};

/// Functions without a body whose result is meant to be any value.
pub(super) fn is_input(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet")
        || name.starts_with("nondet")
        || name == "rand"
        || name == "getchar"
}

impl Lowering<'_> {
    /// A function that every program knows, if it is one.
    pub(super) fn builtin(
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
            ("printf", [_, ..]) => self.print(None, args, pos)?,
            ("sprintf", [to, rest @ ..]) if !rest.is_empty() => {
                let to = self.argument(to, &void_pointer)?;
                self.print(Some((to, None)), rest, pos)?
            }
            ("snprintf", [to, most, rest @ ..]) if !rest.is_empty() => {
                let to = self.argument(to, &void_pointer)?;
                let most = self.argument(most, &size)?;
                self.print(Some((to, Some(most))), rest, pos)?
            }
            ("fprintf", [_, rest @ ..]) if !rest.is_empty() => {
                // Only the standard output is kept.
                if self.is_standard_output(&args[0]) {
                    self.print(None, rest, pos)?
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
                self.emit(Command::Print { to: None, into: None, args: vec![format, text] }, pos);
                Value::new(Expr::Int(1), CType::int())
            }
            ("putchar", [c]) => {
                let c = self.argument(c, &CType::int())?;
                let format = Expr::Global(self.constant(b"%c"));
                self.emit(
                    Command::Print { to: None, into: None, args: vec![format, c.clone()] },
                    pos,
                );
                Value::new(c, CType::int())
            }
            ("fflush", [_]) | ("perror", [_]) | ("srand", [_]) => {
                for argument in args {
                    self.rvalue(argument)?;
                }
                Value::new(Expr::Int(0), CType::int())
            }
            ("expect", [value, _]) => self.rvalue(value)?,
            ("va_start", [list, ..]) => self.va_start(list, span)?,
            ("va_copy", [to, from]) => self.va_copy(to, from, span)?,
            ("va_end", [list]) => {
                self.rvalue(list)?;
                void()
            }
            ("types_compatible_p" | "choose_expr", _) => {
                return self.unsupported(span, &format!("`__builtin_{name}`"));
            }
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

    fn print(
        &mut self,
        into: Option<(Expr, Option<Expr>)>,
        args: &[Node<Expression>],
        pos: Pos,
    ) -> Lowered<Value> {
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
        self.emit(Command::Print { to: Some(to), into, args: values }, pos);
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
