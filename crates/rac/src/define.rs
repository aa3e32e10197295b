//! Predicates and functions: their bodies, or values that nothing but their postconditions determines.

use report::Span;
use spl::core::{Clause, Function, Name, Type};

use crate::eval::unknown;
use crate::machine::{Env, Machine, Result};
use crate::value::{Place, Slot, Value};

impl<'p> Machine<'p> {
    fn inner(&self, env: &Env<'p>, declared: &'p [spl::core::Local]) -> Env<'p> {
        let mut inner = Env::new(declared, env.old.clone());
        inner.in_old = env.in_old;
        inner
    }

    /// A predicate that is no spatial assertion.
    pub fn truth_of(
        &mut self,
        env: &Env<'p>,
        name: &Name,
        args: Vec<Value>,
        span: Span,
    ) -> Result<bool> {
        let Some(predicate) = self.program.predicates.get(name) else {
            return unknown(span, "this predicate");
        };
        let Some(body) = &predicate.body else {
            return self
                .abstract_value(env, name, args, &Type::Bool, predicate.pure, span)
                .map(|value| value == Value::Bool(true));
        };
        let key = (name.clone(), args.iter().cloned().map(Some).collect::<Vec<_>>());
        if self.open.contains(&key) {
            // The least relation: an instance does not follow from itself.
            return Ok(false);
        }
        let mut inner = self.inner(env, &predicate.locals);
        for (param, value) in predicate.params.iter().zip(args) {
            inner.set(param.local, Some(value));
        }
        self.open.push(key);
        let value = self.deeper(span, |m| m.bool(&mut inner, body));
        self.open.pop();
        value
    }

    pub fn function(
        &mut self,
        env: &Env<'p>,
        name: &Name,
        args: Vec<Value>,
        span: Span,
    ) -> Result<Value> {
        let Some(function) = self.program.functions.get(name) else {
            return unknown(span, "this function");
        };
        let ty = function.locals.get(function.result.0 as usize).map(|l| l.ty.clone());
        let ty = ty.unwrap_or(Type::Int);
        let Some(body) = &function.body else {
            return self.abstract_function(env, function, args, &ty, span);
        };
        let key = (name.clone(), args.iter().cloned().map(Some).collect::<Vec<_>>());
        if self.open.contains(&key) {
            return match ty {
                Type::Bool => Ok(Value::Bool(false)),
                _ => unknown(span, "a recursion that does not end"),
            };
        }
        let mut inner = self.inner(env, &function.locals);
        for (param, value) in function.params.iter().zip(args) {
            inner.set(param.local, Some(value));
        }
        self.open.push(key);
        let value = self.deeper(span, |m| m.eval(&mut inner, body));
        self.open.pop();
        value
    }

    /// What a function without body is: a value that was chosen, the same for the same arguments and heap.
    fn abstract_value(
        &mut self,
        env: &Env<'p>,
        name: &Name,
        args: Vec<Value>,
        ty: &Type,
        pure: bool,
        span: Span,
    ) -> Result<Value> {
        let place = self.abstract_place(env, name, args, pure);
        let guessed = self.guessed;
        let value = self.chosen(0, place, ty, span);
        self.guessed = guessed;
        value
    }

    fn abstract_place(&self, env: &Env<'p>, name: &Name, args: Vec<Value>, pure: bool) -> Place {
        let mut parts = Vec::new();
        if !pure {
            let heap = if env.in_old { &*env.old } else { &self.state.heap };
            for (place, slot) in &heap.written {
                if let Slot::Value(value) = slot {
                    parts.push((place.clone(), value.clone()));
                }
            }
        }
        Place::Abstract(name.clone(), args, parts)
    }

    /// A function that is only known by its postconditions: a value that satisfies them.
    fn abstract_function(
        &mut self,
        env: &Env<'p>,
        function: &'p Function,
        args: Vec<Value>,
        ty: &Type,
        span: Span,
    ) -> Result<Value> {
        if function.ensures.is_empty() {
            return self.abstract_value(env, &function.name, args, ty, function.pure, span);
        }
        let key = (0, self.abstract_place(env, &function.name, args.clone(), function.pure));
        if let Some(value) = self.state.base.get(&key) {
            return Ok(value.clone());
        }
        let before = self.state.base.clone();
        // The set of all values that occur is what most such functions are: it is tried, with all its subsets.
        let candidates = self.domain(env, ty, span, 2)?;
        for candidate in candidates {
            self.state.base.insert(key.clone(), candidate.clone());
            let mut inner = self.inner(env, &function.locals);
            for (param, value) in function.params.iter().zip(&args) {
                inner.set(param.local, Some(value.clone()));
            }
            inner.set(function.result, Some(candidate.clone()));
            let outer = self.inexact;
            let holds = self.deeper(span, |m| m.all(&mut inner, &function.ensures));
            self.inexact = outer;
            if holds? {
                return Ok(candidate);
            }
            self.state.base.clone_from(&before);
        }
        unknown(span, format!("`{}`, which has no definition,", function.name))
    }

    fn all(&mut self, env: &mut Env<'p>, clauses: &'p [Clause]) -> Result<bool> {
        for clause in clauses {
            if !self.bool(env, &clause.expr)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
