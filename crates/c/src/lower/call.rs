//! Calls.

use std::rc::Rc;

use heap::{Callee, Command, Expr};
use lang_c::ast::{self, Expression};
use lang_c::span::{Node, Span};

use super::expr::Value;
use super::{Lowered, Lowering, Symbol};
use crate::ctype::{CType, FuncType};

impl Lowering<'_> {
    pub(super) fn call(&mut self, call: &ast::CallExpression, span: Span) -> Lowered<Value> {
        if self.is_constant_context() {
            return self.wrong(span, "this is not constant");
        }
        if let Expression::Identifier(name) = &call.callee.node {
            let name = name.node.name.clone();
            let known = match self.find(&name) {
                None => None,
                Some(Symbol::Function(ty)) => Some(Rc::clone(ty)),
                Some(_) => return self.call_pointer(call, span),
            };
            // Whatever a program does there, it has arrived where it must not.
            let error = matches!(&*name, "reach_error" | "__VERIFIER_error");
            if (!self.defined.contains(&name) || error)
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
            let rest = ty.variadic && self.defined.contains(&name);
            return self.call_to(Callee::Proc(id), &ty, &call.arguments, rest, span);
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
            (CType::Func(ty), e) => {
                let callee = match e {
                    Expr::Proc(id) => Callee::Proc(id),
                    e => Callee::Pointer(e),
                };
                self.call_to(callee, &ty, &call.arguments, ty.variadic, span)
            }
            _ => self.wrong(span, "this is no function"),
        }
    }

    fn call_to(
        &mut self,
        callee: Callee,
        ty: &FuncType,
        arguments: &[Node<Expression>],
        takes_rest: bool,
        span: Span,
    ) -> Lowered<Value> {
        let pos = self.pos(span);
        let mut args = Vec::new();
        let mut rest = Vec::new();
        for (i, argument) in arguments.iter().enumerate() {
            let value = self.rvalue(argument)?;
            match ty.params.get(i) {
                Some(param) => args.push(self.converted(value, param, argument.span)?),
                // Of a function without known parameters, what is given.
                None if ty.unknown => args.push(value.expr),
                None if ty.variadic => rest.push((value, argument.span)),
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
        let rest = match takes_rest {
            true => {
                let (at, object) = self.pass_rest(rest, pos)?;
                args.push(at);
                object
            }
            false => None,
        };
        let value = self.call_with(callee, ty, args, span)?;
        if let Some(object) = rest {
            self.emit(Command::Leave(object), pos);
        }
        Ok(value)
    }

    fn call_with(
        &mut self,
        callee: Callee,
        ty: &FuncType,
        mut args: Vec<Expr>,
        span: Span,
    ) -> Lowered<Value> {
        let pos = self.pos(span);
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
}
