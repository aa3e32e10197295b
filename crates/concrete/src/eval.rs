//! Expressions.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_traits::{Signed, ToPrimitive, Zero};
use report::Pos;
use viper::ast::Quantifier;
use viper::core::{
    BinOp, DomainFunctionId, Expr, ExprKind, Measure, OldState, PredicateAccess, Resource, Type,
};

use crate::assertion::{Part, is_impure};
use crate::machine::Machine;
use crate::resources::{Instance, Resources};
use crate::state::{Run, Scope, State, Stop, fault, outside};
use crate::value::{Amount, Value, amount};

/// Calls of functions may be nested so deep.
const DEPTH: usize = 300;

/// Where expressions are evaluated: an exhale reads in the state where it began, and asks for
/// permissions in the one that it has come to.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub state: &'a State,
    pub now: &'a Resources,
}

impl State {
    pub fn view(&self) -> View<'_> {
        View { state: self, now: &self.held }
    }
}

impl Machine<'_> {
    pub fn eval_bool(&mut self, scope: &mut Scope, view: View<'_>, e: &Expr) -> Run<bool> {
        match self.eval(scope, view, e)? {
            Value::Bool(b) => Ok(b),
            _ => outside("ill-typed"),
        }
    }

    pub fn eval_int(&mut self, scope: &mut Scope, view: View<'_>, e: &Expr) -> Run<i64> {
        match self.eval(scope, view, e)? {
            Value::Int(n) => Ok(n),
            _ => outside("ill-typed"),
        }
    }

    pub fn eval_ref(&mut self, scope: &mut Scope, view: View<'_>, e: &Expr) -> Run<u32> {
        match self.eval(scope, view, e)? {
            Value::Ref(r) => Ok(r),
            _ => outside("ill-typed"),
        }
    }

    pub fn eval_all(
        &mut self,
        scope: &mut Scope,
        view: View<'_>,
        es: &[std::sync::Arc<Expr>],
    ) -> Run<Vec<Value>> {
        es.iter().map(|e| self.eval(scope, view, e)).collect()
    }

    /// The value of an expression.
    pub fn eval(&mut self, scope: &mut Scope, view: View<'_>, e: &Expr) -> Run<Value> {
        let value = self.eval_lazy(scope, view, e)?;
        self.force(&value)
    }

    /// The value of an expression, which may be undecided still.
    pub fn eval_lazy(&mut self, scope: &mut Scope, view: View<'_>, e: &Expr) -> Run<Value> {
        self.step()?;
        Ok(match &e.kind {
            ExprKind::Int(n) => match n.to_i64() {
                Some(n) => Value::Int(n),
                None => return outside("large integer"),
            },
            ExprKind::Bool(b) => Value::Bool(*b),
            ExprKind::Null => Value::Ref(0),
            ExprKind::NoPerm => Value::Perm(amount(0, 1)),
            ExprKind::FullPerm => Value::Perm(amount(1, 1)),
            ExprKind::WildcardPerm => return outside("wildcard as a value"),
            ExprKind::Local(id) => {
                let value = scope.locals[id.index()].clone();
                self.resolve(&value)
            }
            ExprKind::Result => match &scope.result {
                Some(value) => self.resolve(value),
                None => return outside("result"),
            },
            ExprKind::Neg(a) => match self.eval(scope, view, a)? {
                Value::Int(n) => Value::Int(n.checked_neg().ok_or(Stop::Outside("large"))?),
                Value::Perm(p) => Value::Perm(-p),
                _ => return outside("ill-typed"),
            },
            ExprKind::Not(a) => Value::Bool(!self.eval_bool(scope, view, a)?),
            ExprKind::Binary(op, a, b) => self.binary(scope, view, *op, a, b, e.pos)?,
            ExprKind::Cond(c, a, b) => {
                let side = if self.eval_bool(scope, view, c)? { a } else { b };
                return self.eval_lazy(scope, view, side);
            }
            ExprKind::Field(receiver, field) => {
                let r = self.eval_ref(scope, view, receiver)?;
                match view.state.read((r, *field)) {
                    Some(value) => self.resolve(&value.clone()),
                    None => return fault(e.pos, "no permission to read"),
                }
            }
            ExprKind::Call(function, args) => {
                let args = self.eval_all(scope, view, args)?;
                self.call_function(view, *function, args, e.pos)?
            }
            ExprKind::DomainCall(function, args, types) => {
                let args = self.eval_all(scope, view, args)?;
                self.domain_function(*function, args, types)?
            }
            ExprKind::Acc(..) | ExprKind::Wand(_) | ExprKind::InhaleExhale(..) => {
                return outside("assertion in an expression");
            }
            ExprKind::Perm(resource) => Value::Perm(self.perm(scope, view, resource)?),
            ExprKind::Old(which, body) => {
                let state = match which {
                    OldState::Pre => scope.pre.clone(),
                    OldState::Lhs => scope.lhs.clone(),
                    OldState::Label(label) => scope.labels.get(label).cloned(),
                };
                match state {
                    Some(state) => return self.eval_lazy(scope, state.view(), body),
                    None => return outside("label that was not passed"),
                }
            }
            ExprKind::Let(var, value, body) => {
                let value = self.eval_lazy(scope, view, value)?;
                let before = std::mem::replace(&mut scope.locals[var.index()], value);
                let result = self.eval_lazy(scope, view, body);
                scope.locals[var.index()] = before;
                return result;
            }
            ExprKind::Quant { quantifier, vars, body, .. } => {
                let (instances, complete) = self.instances(scope, view, vars, body, *quantifier)?;
                let forall = *quantifier == Quantifier::Forall;
                let before = scope.locals.clone();
                for instance in instances {
                    for (var, value) in vars.iter().zip(instance) {
                        scope.locals[var.index()] = value;
                    }
                    let holds = self.eval_bool(scope, view, body);
                    scope.locals.clone_from(&before);
                    if holds? != forall {
                        return Ok(Value::Bool(!forall));
                    }
                }
                if !complete {
                    return outside("quantifier without bounds");
                }
                Value::Bool(forall)
            }
            ExprKind::ForPerm(vars, resource, body) => {
                let before = scope.locals.clone();
                for instance in self.held_instances(scope, view, vars, resource)? {
                    for (var, value) in vars.iter().zip(instance) {
                        scope.locals[var.index()] = value;
                    }
                    let holds = self.eval_bool(scope, view, body);
                    scope.locals.clone_from(&before);
                    if !holds? {
                        return Ok(Value::Bool(false));
                    }
                }
                Value::Bool(true)
            }
            ExprKind::Unfolding(access, body) => {
                let state = self.unfolded(scope, view, access)?;
                return self.eval_lazy(scope, state.view(), body);
            }
            ExprKind::Applying(wand, body) => {
                let mut state = view.state.clone();
                self.apply(scope, &mut state, wand)?;
                return self.eval_lazy(scope, state.view(), body);
            }
            ExprKind::Asserting(assertion, body) => {
                self.check(scope, view.state, assertion)?;
                return self.eval_lazy(scope, view, body);
            }
            ExprKind::Seq(es) => Value::Seq(self.eval_all(scope, view, es)?),
            ExprKind::Set(es) => {
                Value::Set(self.eval_all(scope, view, es)?.into_iter().collect::<BTreeSet<_>>())
            }
            ExprKind::Multiset(es) => {
                let mut counts = BTreeMap::new();
                for value in self.eval_all(scope, view, es)? {
                    *counts.entry(value).or_insert(0) += 1;
                }
                Value::Multiset(counts)
            }
            ExprKind::Map(entries) => {
                let mut map = BTreeMap::new();
                for (k, v) in entries {
                    map.insert(self.eval(scope, view, k)?, self.eval(scope, view, v)?);
                }
                Value::Map(map)
            }
            ExprKind::Collection(op, args) => {
                let args = self.eval_all(scope, view, args)?;
                crate::collections::apply(*op, &args, e.pos)?
            }
            ExprKind::PredicateInstance(..) => return outside("predicate instance"),
        })
    }

    fn binary(
        &mut self,
        scope: &mut Scope,
        view: View<'_>,
        op: BinOp,
        a: &Expr,
        b: &Expr,
        pos: Pos,
    ) -> Run<Value> {
        // Both sides of these are evaluated only where that is needed.
        match op {
            BinOp::And if !self.eval_bool(scope, view, a)? => return Ok(Value::Bool(false)),
            BinOp::Or if self.eval_bool(scope, view, a)? => return Ok(Value::Bool(true)),
            BinOp::Implies if !self.eval_bool(scope, view, a)? => return Ok(Value::Bool(true)),
            BinOp::And | BinOp::Or | BinOp::Implies => return self.eval_lazy(scope, view, b),
            _ => {}
        }
        let (a, b) = (self.eval(scope, view, a)?, self.eval(scope, view, b)?);
        let large = Stop::Outside("large integer");
        Ok(match (op, a, b) {
            (BinOp::Eq, a, b) => Value::Bool(a == b),
            (BinOp::Ne, a, b) => Value::Bool(a != b),
            (BinOp::Lt, a, b) => Value::Bool(a < b),
            (BinOp::Le, a, b) => Value::Bool(a <= b),
            (BinOp::Gt, a, b) => Value::Bool(a > b),
            (BinOp::Ge, a, b) => Value::Bool(a >= b),
            (BinOp::Add, Value::Int(a), Value::Int(b)) => {
                Value::Int(a.checked_add(b).ok_or(large)?)
            }
            (BinOp::Sub, Value::Int(a), Value::Int(b)) => {
                Value::Int(a.checked_sub(b).ok_or(large)?)
            }
            (BinOp::Mul, Value::Int(a), Value::Int(b)) => {
                Value::Int(a.checked_mul(b).ok_or(large)?)
            }
            (BinOp::Div | BinOp::Mod | BinOp::Fraction, _, Value::Int(0)) => {
                return fault(pos, "division by zero");
            }
            (BinOp::Div, Value::Int(a), Value::Int(b)) => Value::Int(a.div_euclid(b)),
            (BinOp::Mod, Value::Int(a), Value::Int(b)) => Value::Int(a.rem_euclid(b)),
            (BinOp::Fraction, Value::Int(a), Value::Int(b)) => Value::Perm(amount(a, b)),
            (BinOp::Add, Value::Perm(a), Value::Perm(b)) => Value::Perm(a + b),
            (BinOp::Sub, Value::Perm(a), Value::Perm(b)) => Value::Perm(a - b),
            (BinOp::Mul, Value::Perm(a), Value::Perm(b)) => Value::Perm(a * b),
            (BinOp::IntPermMul, Value::Int(a), Value::Perm(b))
            | (BinOp::IntPermMul, Value::Perm(b), Value::Int(a)) => Value::Perm(amount(a, 1) * b),
            (BinOp::PermDiv, Value::Perm(a), Value::Int(b)) => {
                if b == 0 {
                    return fault(pos, "division by zero");
                }
                Value::Perm(a / amount(b, 1))
            }
            (BinOp::PermPermDiv, Value::Perm(a), Value::Perm(b)) => {
                if b.is_zero() {
                    return fault(pos, "division by zero");
                }
                Value::Perm(a / b)
            }
            _ => return outside("ill-typed"),
        })
    }

    fn perm(&mut self, scope: &mut Scope, view: View<'_>, resource: &Resource) -> Run<Amount> {
        if self.angelic || view.state.reserve.is_some() || view.state.past.is_some() {
            return outside("perm after a choice of footprint");
        }
        Ok(match resource {
            Resource::Field(receiver, field, _) => {
                let r = self.eval_ref(scope, view, receiver)?;
                view.now.field((r, *field))
            }
            Resource::Predicate(predicate, args, _) => {
                let instance = (*predicate, self.eval_all(scope, view, args)?);
                view.now.predicate(&instance)
            }
            Resource::Wand(_) => return outside("perm of a wand"),
        })
    }

    /// Values of the variables for which something of the resource is held.
    fn held_instances(
        &mut self,
        scope: &mut Scope,
        view: View<'_>,
        vars: &[viper::core::LocalId],
        resource: &Resource,
    ) -> Run<Vec<Vec<Value>>> {
        if self.angelic || view.state.reserve.is_some() || view.state.past.is_some() {
            return outside("forperm after a choice of footprint");
        }
        let candidates: Vec<Vec<Value>> = match resource {
            Resource::Field(receiver, field, _) => match (&receiver.kind, vars) {
                (ExprKind::Local(id), [var]) if id == var => {
                    let held = view.now.fields.keys().filter(|(_, f)| f == field);
                    held.map(|(r, _)| vec![Value::Ref(*r)]).collect()
                }
                _ => return outside("forperm of another shape"),
            },
            Resource::Predicate(predicate, args, _) => {
                let mut found = Vec::new();
                for (id, values) in view.now.predicates.keys().filter(|(id, _)| id == predicate) {
                    let _ = id;
                    let mut chosen = vec![None; vars.len()];
                    let mut fits = true;
                    for (arg, value) in args.iter().zip(values) {
                        let var = match &arg.kind {
                            ExprKind::Local(id) => vars.iter().position(|v| v == id),
                            _ => None,
                        };
                        match var {
                            Some(i) => {
                                fits &= chosen[i].as_ref().is_none_or(|v| v == value);
                                chosen[i] = Some(value.clone());
                            }
                            None if vars.iter().any(|v| mentions(arg, *v)) => {
                                return outside("forperm of another shape");
                            }
                            None => fits &= self.eval(scope, view, arg)? == *value,
                        }
                    }
                    let chosen: Option<Vec<Value>> = chosen.into_iter().collect();
                    match chosen {
                        Some(values) if fits => found.push(values),
                        Some(_) => {}
                        None => return outside("forperm of another shape"),
                    }
                }
                found
            }
            Resource::Wand(_) => return outside("forperm of wands"),
        };
        Ok(candidates)
    }

    /// The instance of a predicate and how much of it is meant.
    pub fn accessed(
        &mut self,
        scope: &mut Scope,
        view: View<'_>,
        access: &PredicateAccess,
    ) -> Run<(Instance, Part)> {
        let args = self.eval_all(scope, view, &access.args)?;
        let part = self.part(scope, view, access.amount.as_deref())?;
        Ok(((access.predicate, args), part))
    }

    /// The state in which a predicate instance is unfolded for a while.
    fn unfolded(&mut self, scope: &mut Scope, view: View<'_>, a: &PredicateAccess) -> Run<State> {
        let (instance, part) = self.accessed(scope, view, a)?;
        let mut state = view.state.clone();
        let held = state.held.predicate(&instance);
        if !held.is_positive() {
            // In proof scripts, what is around may be read.
            let around = state.reserve.as_ref().map(|r| &r.outer).or(state.past.as_deref());
            let Some(around) = around else { return fault(a.pos, "no permission to unfold") };
            let mut unfolded = self.unfolded(scope, around.view(), a)?;
            // Reading both at once is beyond us where they disagree.
            for (location, value) in &state.heap {
                unfolded.heap.insert(*location, value.clone());
            }
            let own = state.held.clone();
            unfolded.held.add(&own);
            return Ok(unfolded);
        }
        let wanted = match part {
            Part::Exactly(p) if p.is_negative() => return fault(a.pos, "negative permission"),
            Part::Exactly(p) if p <= held => p,
            Part::Exactly(p) if !(scope.any_amount || scope.in_predicate) || p.is_zero() => {
                return fault(a.pos, "not enough permission to unfold");
            }
            _ => held * amount(1, 2),
        };
        if self.program.predicate(instance.0).body.is_none() {
            return outside("unfolding of an abstract predicate");
        }
        match state.held.remove_predicate(&instance, &wanted) {
            Some(folded) => state.held.add(&folded),
            None => return outside("part of a wand"),
        }
        Ok(state)
    }

    fn call_function(
        &mut self,
        view: View<'_>,
        id: viper::core::FunctionId,
        args: Vec<Value>,
        pos: Pos,
    ) -> Run<Value> {
        let program = self.program;
        let function = program.function(id);
        if self.depth > DEPTH {
            let bounded = |d: &viper::core::Decreases| {
                matches!(d.measure, Measure::Tuple(_)) && d.condition.is_none()
            };
            return Err(if function.decreases.iter().any(bounded) {
                Stop::Endless
            } else {
                Stop::Outside("recursion")
            });
        }
        let mut locals = args.clone();
        locals.resize(function.locals.len(), Value::Bool(false));
        let mut scope = Scope::new(&function.locals, locals);
        scope.any_amount = true;
        self.depth += 1;
        let mut taken = Resources::default();
        for pre in &function.pres {
            let mut state = view.state.clone();
            let held = self.exhale(&mut scope, view.state, &mut state, pre, &mut taken);
            if let Err(stop) = held {
                self.depth -= 1;
                return match stop {
                    Stop::Fault(f) => fault(pos, format!("precondition: {}", f.message)),
                    other => Err(other),
                };
            }
        }
        let value = match &function.body {
            Some(body) => {
                let value = self.eval(&mut scope, view, body);
                if let Ok(value) = &value {
                    scope.result = Some(value.clone());
                    for post in &function.posts {
                        if !self.eval_bool(&mut scope, view, post)? {
                            return fault(post.pos, "postcondition of a function");
                        }
                    }
                }
                value
            }
            None => self.abstract_function(id, &mut scope, view, args, &taken),
        };
        self.depth -= 1;
        value
    }

    /// The result of a function without a body depends on its arguments and on the values of what
    /// its precondition gives access to; beyond that it is arbitrary.
    fn abstract_function(
        &mut self,
        id: viper::core::FunctionId,
        scope: &mut Scope,
        view: View<'_>,
        args: Vec<Value>,
        footprint: &Resources,
    ) -> Run<Value> {
        let mut locations = BTreeSet::new();
        footprint.for_each_location(&mut |location| {
            locations.insert(location);
        });
        let mut values = Vec::new();
        for location in locations {
            let value = view.state.heap.get(&location).cloned();
            if let Some(value) = value {
                values.push((location, self.force(&value)?));
            }
        }
        let key = (id, args, values);
        if let Some(known) = self.results.get(&key) {
            return Ok(known.clone());
        }
        let function = self.program.function(id);
        let result = self.unknown(&function.ty);
        scope.result = Some(result.clone());
        for post in &function.posts {
            self.assume(scope, view, post)?;
        }
        let result = self.force(&result)?;
        self.results.insert(key, result.clone());
        Ok(result)
    }

    fn domain_function(
        &mut self,
        id: DomainFunctionId,
        args: Vec<Value>,
        types: &[Type],
    ) -> Run<Value> {
        let function = self.program.domain_function(id);
        let Some(adt) = &self.program.domain(function.domain).adt else {
            if self.has_axioms || function.interpretation.is_some() || function.unique {
                return outside("domain with axioms");
            }
            let key = (id, args);
            if let Some(known) = self.domain_results.get(&key) {
                return Ok(known.clone());
            }
            let value = self.unknown(&function.ty.substitute(types));
            let value = self.force(&value)?;
            self.domain_results.insert(key, value.clone());
            return Ok(value);
        };
        for constructor in &adt.constructors {
            if constructor.function == id {
                return Ok(Value::Data(id, args));
            }
            let Some(Value::Data(made_by, values)) = args.first() else { continue };
            if constructor.discriminator == id {
                return Ok(Value::Bool(*made_by == constructor.function));
            }
            if let Some(i) = constructor.destructors.iter().position(|d| *d == id) {
                match values.get(i) {
                    Some(value) if *made_by == constructor.function => return Ok(value.clone()),
                    _ => return outside("destructor of another constructor"),
                }
            }
        }
        outside("function of a data type")
    }

    /// Does the assertion hold? Nothing is given up.
    pub fn check(&mut self, scope: &mut Scope, state: &State, assertion: &Expr) -> Run<()> {
        if !is_impure(assertion) && state.reserve.is_none() {
            return if self.eval_bool(scope, state.view(), assertion)? {
                Ok(())
            } else {
                fault(assertion.pos, "assertion is false")
            };
        }
        let mut after = state.clone();
        self.exhale(scope, state, &mut after, assertion, &mut Resources::default())
    }
}

/// Does the expression mention the variable?
pub(crate) fn mentions(e: &Expr, var: viper::core::LocalId) -> bool {
    let mut found = matches!(e.kind, ExprKind::Local(id) if id == var);
    e.for_each_child(|child| found = found || mentions(child, var));
    found
}

/// States are shared between scopes.
pub(crate) fn snapshot(state: &State) -> Rc<State> {
    Rc::new(state.clone())
}
