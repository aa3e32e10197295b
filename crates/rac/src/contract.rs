//! Contracts: at calls, at the end, and as all that is known of code.

use std::sync::Arc;

use report::Span;
use spl::core::{Clause, Expr, Ghost, Name, Type};

use crate::effects::Effects;
use crate::eval::unknown;
use crate::exec::{ATTEMPTS, Activation, Blame, Flow, Rule};
use crate::machine::{Env, Found, Machine, Result, Stop};
use crate::value::{Footprint, Place, Slot, Value};

/// The clauses that must be proved, and whether they say something about footprints.
fn checked(clauses: &[Clause], before: bool) -> (Vec<&Clause>, bool) {
    let spatial: Vec<&Clause> = clauses.iter().filter(|c| !c.mods.pure).collect();
    let free = !before && !spatial.is_empty() && spatial.iter().all(|c| c.mods.free);
    let says = !free && (before || !spatial.is_empty());
    let mut all = if free { Vec::new() } else { spatial };
    all.extend(clauses.iter().filter(|c| c.mods.pure && !c.mods.free));
    (all, says)
}

impl<'p> Machine<'p> {
    /// Runs a procedure whose parameters are set and whose precondition holds on what is owned; its results.
    pub fn run_procedure(&mut self, activation: &mut Activation<'p>) -> Result<()> {
        let procedure = activation.procedure;
        let Some(body) = &procedure.body else { return Ok(()) };
        for result in &procedure.returns {
            let value = self.any(&activation.env.ty(result.local), procedure.span)?;
            activation.env.set(result.local, Some(value));
        }
        activation.initial.clone_from(&activation.env.locals);
        if self.exec(activation, body)? == Flow::Next {
            let end = Span { start: body.span.end.saturating_sub(1), ..body.span };
            self.visit(end);
            self.check_post(activation, end)?;
        }
        Ok(())
    }

    pub fn check_post(&mut self, activation: &mut Activation<'p>, span: Span) -> Result<()> {
        let procedure = activation.procedure;
        let mut env = activation.env.clone();
        for param in &procedure.params {
            let value = activation.initial.get(param.local.0 as usize).cloned().flatten();
            env.set(param.local, value);
        }
        for result in procedure.returns.iter().filter(|r| r.ghost == Ghost::Implicit) {
            env.set(result.local, None);
        }
        self.check_forests(&activation.env, span, "at this return point")?;
        let (clauses, exact) = checked(&procedure.ensures, false);
        let message =
            format!("a postcondition of `{}` does not hold at this return point", procedure.name);
        let blame = Blame::new("postcondition.violated", span, message);
        let rule = if exact { Rule::Exactly } else { Rule::Any };
        self.check_clauses(&mut env, &clauses, rule, &blame)?;
        for result in &procedure.returns {
            activation.env.set(result.local, env.get(result.local).cloned());
        }
        Ok(())
    }

    pub fn call(
        &mut self,
        env: &Env<'p>,
        name: &Name,
        args: Vec<Value>,
        span: Span,
    ) -> Result<Vec<Value>> {
        let Some(callee) = self.program.procedures.get(name) else {
            return unknown(span, "this call");
        };
        let mut inner = Env::new(&callee.locals, Arc::new(self.state.heap.clone()));
        let explicit = callee.params.iter().filter(|p| p.ghost != Ghost::Implicit);
        for (param, value) in explicit.zip(args) {
            inner.set(param.local, Some(value));
        }
        let message = format!("a precondition of this call of `{name}` does not hold");
        let blame = Blame::new("call.precondition", span, message);
        let (clauses, _) = checked(&callee.requires, true);
        let all: Vec<&'p Expr> = clauses.iter().map(|c| &c.expr).collect();
        let part = match self.find(&mut inner, all, Rule::Part)? {
            Found::Yes(part) => part,
            Found::No { certain } => return self.fault(env, blame, certain),
        };
        for param in &callee.params {
            if inner.get(param.local).is_none() {
                let value = self.any(&inner.ty(param.local), span)?;
                inner.set(param.local, Some(value));
            }
        }
        // What need not be proved may be used by the callee.
        let free = callee.requires.iter().filter(|c| c.mods.pure && c.mods.free);
        let free: Vec<&'p Expr> = free.map(|c| &c.expr).collect();
        self.assume(&mut inner, free, Rule::Any)?;
        let rest: Footprint = self.state.owned.difference(&part).cloned().collect();
        self.state.owned = part;
        let mut activation = Activation { procedure: callee, env: inner, initial: Vec::new() };
        if callee.body.is_some() && !self.modular {
            self.calls.push(name.clone());
            self.deeper(span, |m| m.run_procedure(&mut activation))?;
            self.calls.pop();
        } else {
            self.by_contract(&mut activation, span)?;
        }
        self.state.owned.extend(rest);
        let results = callee.returns.iter().filter(|r| r.ghost != Ghost::Implicit);
        Ok(results.filter_map(|r| activation.env.get(r.local).cloned()).collect())
    }

    /// Anything that a contract allows.
    fn by_contract(&mut self, activation: &mut Activation<'p>, span: Span) -> Result<()> {
        let procedure = activation.procedure;
        let mut effects = Effects::of_procedure(self.program, &procedure.name);
        if effects.all {
            effects.globals.extend(self.program.globals.keys().cloned());
        }
        let before = self.state.owned.clone();
        let outer = self.forget(&before, &effects);
        let env = &mut activation.env;
        let all: Vec<&'p Expr> = procedure.ensures.iter().map(|c| &c.expr).collect();
        let says = procedure.ensures.iter().any(|c| !c.mods.pure);
        let part = self.some_state(env, all, &before, &effects, says);
        self.lazy = outer;
        self.settle(&before, &part?);
        for result in &procedure.returns {
            if env.get(result.local).is_none() {
                let value = self.any(&env.ty(result.local), span)?;
                env.set(result.local, Some(value));
            }
        }
        Ok(())
    }

    /// Values of what code may write are open again, and found by the next search.
    pub fn forget(&mut self, owned: &Footprint, effects: &Effects) -> Option<u32> {
        let base = self.state.next_base;
        self.state.next_base += 1;
        let mut places = Vec::new();
        let fields: Vec<(&Name, Type)> = self
            .program
            .fields
            .iter()
            .filter(|(name, _)| effects.all || effects.fields.contains(*name))
            .map(|(name, field)| (name, Type::Struct(field.owner.clone())))
            .collect();
        for (name, ty) in fields {
            for at in 1..=self.count(&ty) {
                let location = (ty.clone(), Value::Location(at));
                if owned.contains(&location) || !self.state.allocated.contains(&location) {
                    places.push(Place::Field(name.clone(), at));
                }
            }
        }
        let types: Vec<Type> = self.state.count.keys().cloned().collect();
        for ty in types {
            let Type::Array(of) = &ty else { continue };
            if !effects.all && !effects.elements.contains(&**of) {
                continue;
            }
            for array in 1..=self.count(&ty) {
                let length = self.length(of, array);
                for index in 0..length {
                    let cell = (Type::Cell(of.clone()), Value::Cell(array, index));
                    let whole = (ty.clone(), Value::Location(array));
                    let location = if self.simple_arrays { whole } else { cell };
                    if owned.contains(&location) || !self.state.allocated.contains(&location) {
                        places.push(Place::Element((**of).clone(), array, index));
                    }
                }
            }
        }
        places.extend(effects.globals.iter().cloned().map(Place::Global));
        for place in places {
            self.state.heap.written.insert(place, Slot::Base(base));
        }
        self.lazy.replace(base)
    }

    /// A state in which assertions hold, on what code with these effects may own.
    pub fn some_state(
        &mut self,
        env: &mut Env<'p>,
        all: Vec<&'p Expr>,
        before: &Footprint,
        effects: &Effects,
        says: bool,
    ) -> Result<Footprint> {
        let start = env.clone();
        let allocated = self.state.allocated.clone();
        let found = self.search(ATTEMPTS, |m| {
            env.clone_from(&start);
            let part = m.star(env, all.clone())?;
            if !says {
                return Ok(before.clone());
            }
            let resizes = |ty: &Type| effects.all || effects.resizes.contains(ty);
            let fits = part
                .iter()
                .all(|l| before.contains(l) || (resizes(&l.0) && !allocated.contains(l)))
                && before.iter().all(|l| resizes(&l.0) || part.contains(l));
            if fits { Ok(part) } else { Err(Stop::Fails) }
        })?;
        match found {
            Found::Yes(part) => {
                self.doubt |= self.inexact;
                Ok(part)
            }
            Found::No { .. } => Err(Stop::Blocked),
        }
    }

    pub fn settle(&mut self, before: &Footprint, after: &Footprint) {
        self.state.allocated.retain(|l| !before.contains(l));
        self.state.allocated.extend(after.iter().cloned());
        self.state.owned.clone_from(after);
    }
}
