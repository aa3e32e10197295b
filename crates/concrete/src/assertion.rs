//! Assertions: inhaled, exhaled, assumed.

use std::rc::Rc;

use num_traits::{One, Signed, Zero};
use report::Pos;
use viper::ast::Quantifier;
use viper::core::{BinOp, Expr, ExprKind, Resource, Type};

use crate::eval::View;
use crate::machine::Machine;
use crate::resources::{Instance, Location, Resources};
use crate::state::{Run, Scope, State, Stop, fault, outside};
use crate::value::{Amount, Value, amount};

/// Predicates may be nested so deep in a state that is made up.
const DEEPEST: usize = 8;
/// So often values are chosen again if an assumption does not hold.
const ATTEMPTS: usize = 25;

/// How much of a resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Exactly(Amount),
    /// Some positive amount.
    Wildcard,
}

/// Does it speak of permissions?
pub(crate) fn is_impure(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Acc(..) | ExprKind::Wand(_) | ExprKind::InhaleExhale(..) => true,
        ExprKind::Binary(BinOp::And | BinOp::Implies, a, b) => is_impure(a) || is_impure(b),
        ExprKind::Cond(_, a, b) => is_impure(a) || is_impure(b),
        ExprKind::Let(_, _, body)
        | ExprKind::Quant { body, .. }
        | ExprKind::Unfolding(_, body)
        | ExprKind::Asserting(_, body)
        | ExprKind::Applying(_, body) => is_impure(body),
        _ => false,
    }
}

/// Is what is inhaled something else than what is exhaled?
pub(crate) fn is_asymmetric(e: &Expr) -> bool {
    let mut found = matches!(e.kind, ExprKind::InhaleExhale(..));
    e.for_each_child(|child| found = found || is_asymmetric(child));
    found
}

impl Machine<'_> {
    pub fn part(&mut self, scope: &mut Scope, view: View<'_>, e: Option<&Expr>) -> Run<Part> {
        let Some(e) = e else { return Ok(Part::Exactly(Amount::one())) };
        match &e.kind {
            ExprKind::WildcardPerm => Ok(Part::Wildcard),
            ExprKind::Cond(c, a, b) => {
                let side = if self.eval_bool(scope, view, c)? { a } else { b };
                self.part(scope, view, Some(side))
            }
            _ => match self.eval(scope, view, e)? {
                Value::Perm(p) => Ok(Part::Exactly(p)),
                _ => outside("ill-typed"),
            },
        }
    }

    /// Inhales all of them, choosing again where what was chosen does not fit.
    pub fn inhale_all(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        assertions: &[std::sync::Arc<Expr>],
    ) -> Run<()> {
        if assertions.is_empty() {
            return Ok(());
        }
        let nested = std::mem::replace(&mut self.choosing, true);
        let attempts = if nested { 1 } else { ATTEMPTS };
        let before = (state.clone(), scope.locals.clone());
        let decided = (self.unknowns.len(), self.decided.len());
        let known = (self.results.clone(), self.domain_results.clone());
        let mut outcome = Ok(());
        self.work(20)?;
        for attempt in 0..attempts {
            if attempt > 0 {
                state.clone_from(&before.0);
                scope.locals.clone_from(&before.1);
                self.undecide(decided);
                self.results.clone_from(&known.0);
                self.domain_results.clone_from(&known.1);
            }
            let random = self.random.clone();
            outcome =
                assertions.iter().try_for_each(|a| self.inhale(scope, state, a, &Amount::one()));
            // Without a choice there is nothing to choose again.
            if !matches!(outcome, Err(Stop::Assumed)) || self.random == random {
                break;
            }
        }
        self.choosing = nested;
        outcome
    }

    /// Adds permissions and assumes facts. `scale`: of predicate instances, so much is inhaled.
    pub fn inhale(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        e: &Expr,
        scale: &Amount,
    ) -> Run<()> {
        if !is_impure(e) {
            return self.assume(scope, state.view(), e);
        }
        match &e.kind {
            ExprKind::Binary(BinOp::And, a, b) => {
                self.inhale(scope, state, a, scale)?;
                self.inhale(scope, state, b, scale)
            }
            ExprKind::Binary(BinOp::Implies, c, a) => {
                if self.eval_bool(scope, state.view(), c)? {
                    self.inhale(scope, state, a, scale)?;
                }
                Ok(())
            }
            ExprKind::Cond(c, a, b) => {
                let side = if self.eval_bool(scope, state.view(), c)? { a } else { b };
                self.inhale(scope, state, side, scale)
            }
            ExprKind::Let(var, value, body) => {
                let value = self.eval_lazy(scope, state.view(), value)?;
                scope.locals[var.index()] = value;
                self.inhale(scope, state, body, scale)
            }
            ExprKind::InhaleExhale(a, _) => self.inhale(scope, state, a, scale),
            ExprKind::Quant { quantifier, vars, body, .. } => {
                let (instances, complete) =
                    self.instances(scope, state.view(), vars, body, *quantifier)?;
                if !complete || *quantifier != Quantifier::Forall {
                    return outside("quantifier without bounds");
                }
                for instance in instances {
                    for (var, value) in vars.iter().zip(instance) {
                        scope.locals[var.index()] = value;
                    }
                    self.inhale(scope, state, body, scale)?;
                }
                Ok(())
            }
            ExprKind::Acc(Resource::Field(receiver, field, _), part) => {
                let r = self.eval_ref(scope, state.view(), receiver)?;
                let part = self.part(scope, state.view(), part.as_deref())?;
                let ty = self.program.field(*field).ty.clone();
                self.inhale_field(state, (r, *field), &ty, part, scale, e.pos)
            }
            ExprKind::Acc(Resource::Predicate(predicate, args, _), part) => {
                let args = self.eval_all(scope, state.view(), args)?;
                let part = self.part(scope, state.view(), part.as_deref())?;
                self.inhale_predicate(state, (*predicate, args), part, scale, e.pos)
            }
            ExprKind::Wand(wand) => {
                if !scale.is_one() {
                    return outside("part of a wand");
                }
                self.conjure(scope, state, wand)
            }
            _ => outside("assertion of another shape"),
        }
    }

    fn inhale_field(
        &mut self,
        state: &mut State,
        location: Location,
        ty: &Type,
        part: Part,
        scale: &Amount,
        pos: Pos,
    ) -> Run<()> {
        let total = state.total(location);
        let free = Amount::one() - &total;
        let wildcard = part == Part::Wildcard;
        let amount = match part {
            Part::Exactly(p) if p.is_negative() => return fault(pos, "negative permission"),
            Part::Exactly(p) => p * scale,
            Part::Wildcard => &free * self.some_fraction(),
        };
        if amount.is_zero() && !wildcard {
            return Ok(());
        }
        if location.0 == 0 || amount > free || !amount.is_positive() {
            return Err(Stop::Assumed);
        }
        state.heap.entry(location).or_insert_with(|| self.unknown(ty));
        state.held.add_field(location, &amount);
        Ok(())
    }

    pub fn inhale_predicate(
        &mut self,
        state: &mut State,
        instance: Instance,
        part: Part,
        scale: &Amount,
        pos: Pos,
    ) -> Run<()> {
        let amount = match part {
            Part::Exactly(p) if p.is_negative() => return fault(pos, "negative permission"),
            Part::Exactly(p) => p * scale,
            Part::Wildcard => self.some_fraction(),
        };
        if amount.is_zero() {
            return Ok(());
        }
        let predicate = self.program.predicate(instance.0);
        let mut folded = Resources::default();
        if let Some(body) = &predicate.body {
            if self.nesting > DEEPEST {
                return Err(Stop::Assumed);
            }
            let mut locals = instance.1.clone();
            locals.resize(predicate.locals.len(), Value::Bool(false));
            let mut scope = Scope::new(&predicate.locals, locals);
            scope.in_predicate = true;
            // The body is about nothing but what is folded.
            let mut frame = (*state.frame).clone();
            frame.add(&state.held);
            let heap = std::mem::take(&mut state.heap);
            let frame = Rc::new(frame);
            let mut inside = State { heap, frame, ..State::default() };
            self.nesting += 1;
            let outcome = self.inhale(&mut scope, &mut inside, body, &amount);
            self.nesting -= 1;
            state.heap = inside.heap;
            folded = inside.held;
            outcome?;
        }
        state.held.add_predicate(instance, &amount, &Rc::new(folded));
        Ok(())
    }

    fn some_fraction(&mut self) -> Amount {
        const FRACTIONS: [(i64, i64); 4] = [(1, 2), (1, 3), (1, 10), (9, 10)];
        let (n, d) = self.random.pick(&FRACTIONS).copied().unwrap_or((1, 2));
        amount(n, d)
    }

    /// Assumes a fact, deciding on values that make it true where that is easy.
    pub fn assume(&mut self, scope: &mut Scope, view: View<'_>, e: &Expr) -> Run<()> {
        match &e.kind {
            ExprKind::Binary(BinOp::And, a, b) => {
                self.assume(scope, view, a)?;
                return self.assume(scope, view, b);
            }
            ExprKind::Binary(BinOp::Implies, c, b) => {
                return if self.eval_bool(scope, view, c)? {
                    self.assume(scope, view, b)
                } else {
                    Ok(())
                };
            }
            // The right-hand side need not make sense where the left-hand side holds.
            ExprKind::Binary(BinOp::Or, a, b) => {
                return if self.eval_bool(scope, view, a)? {
                    Ok(())
                } else {
                    self.assume(scope, view, b)
                };
            }
            ExprKind::Cond(c, a, b) => {
                let side = if self.eval_bool(scope, view, c)? { a } else { b };
                return self.assume(scope, view, side);
            }
            ExprKind::Quant { quantifier: Quantifier::Forall, vars, body, .. } => {
                let (instances, complete) =
                    self.instances(scope, view, vars, body, Quantifier::Forall)?;
                let before = scope.locals.clone();
                for instance in instances {
                    for (var, value) in vars.iter().zip(instance) {
                        scope.locals[var.index()] = value;
                    }
                    let outcome = self.assume(scope, view, body);
                    scope.locals.clone_from(&before);
                    outcome?;
                }
                return if complete { Ok(()) } else { outside("quantifier without bounds") };
            }
            ExprKind::Unfolding(..) => {}
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.eval_lazy(scope, view, a), self.eval_lazy(scope, view, b));
                let (a, b) = (a?, b?);
                self.satisfy(*op, &a, &b)?;
            }
            ExprKind::Local(_) | ExprKind::Field(..) => {
                if let Value::Unknown(i) = self.eval_lazy(scope, view, e)? {
                    self.bind(i, Value::Bool(true));
                }
            }
            ExprKind::Not(inner)
                if matches!(inner.kind, ExprKind::Local(_) | ExprKind::Field(..)) =>
            {
                if let Value::Unknown(i) = self.eval_lazy(scope, view, inner)? {
                    self.bind(i, Value::Bool(false));
                }
            }
            _ => {}
        }
        if self.eval_bool(scope, view, e)? { Ok(()) } else { Err(Stop::Assumed) }
    }

    /// Decides on an undecided side of a comparison such that it holds.
    fn satisfy(&mut self, op: BinOp, a: &Value, b: &Value) -> Run<()> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        if !matches!((&a, &b), (Value::Unknown(_), _) | (_, Value::Unknown(_))) {
            return Ok(());
        }
        let some = self.random.below(3) as i64;
        match (op, &a, &b) {
            (BinOp::Eq, Value::Unknown(i), Value::Unknown(j)) if i == j => {}
            (BinOp::Eq, Value::Unknown(i), other) => {
                let other = self.force(other)?;
                self.bind(*i, other);
            }
            (BinOp::Eq, other, Value::Unknown(i)) => self.bind(*i, other.clone()),
            (BinOp::Lt, Value::Unknown(i), Value::Int(n)) => {
                self.bind(*i, Value::Int(n.saturating_sub(1 + some)));
            }
            (BinOp::Le, Value::Unknown(i), Value::Int(n)) => {
                self.bind(*i, Value::Int(n.saturating_sub(some)));
            }
            (BinOp::Gt, Value::Unknown(i), Value::Int(n)) => {
                self.bind(*i, Value::Int(n.saturating_add(1 + some)));
            }
            (BinOp::Ge, Value::Unknown(i), Value::Int(n)) => {
                self.bind(*i, Value::Int(n.saturating_add(some)));
            }
            (BinOp::Lt, Value::Int(n), Value::Unknown(i)) => {
                self.bind(*i, Value::Int(n.saturating_add(1 + some)));
            }
            (BinOp::Le, Value::Int(n), Value::Unknown(i)) => {
                self.bind(*i, Value::Int(n.saturating_add(some)));
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives up permissions and proves facts. Values are read in `start`; `taken` gets what is
    /// given up.
    pub fn exhale(
        &mut self,
        scope: &mut Scope,
        start: &State,
        state: &mut State,
        e: &Expr,
        taken: &mut Resources,
    ) -> Run<()> {
        self.exhale_part(scope, start, state, e, &Part::Exactly(Amount::one()), taken)
    }

    /// As [`exhale`](Self::exhale), of a predicate body, so much of it.
    pub fn exhale_part(
        &mut self,
        scope: &mut Scope,
        start: &State,
        state: &mut State,
        e: &Expr,
        scale: &Part,
        taken: &mut Resources,
    ) -> Run<()> {
        // What was made up on the way can be read, although it was not there at the start.
        let mut with_made_up = None;
        if let Some(reserve) = state.reserve.as_ref().filter(|r| r.generous) {
            self.work(10)?;
            let mut all = start.clone();
            all.held.add(&reserve.taken);
            for (location, value) in &reserve.outer.heap {
                all.heap.entry(*location).or_insert_with(|| value.clone());
            }
            with_made_up = Some(all);
        }
        let start = with_made_up.as_ref().unwrap_or(start);
        if !is_impure(e) {
            let view = View { state: start, now: &state.held };
            if state.reserve.as_ref().is_some_and(|r| r.generous) {
                self.assume(scope, view, e)?;
            }
            return if self.eval_bool(scope, view, e)? {
                Ok(())
            } else {
                fault(e.pos, "assertion is false")
            };
        }
        match &e.kind {
            ExprKind::Binary(BinOp::And, a, b) => {
                self.exhale_part(scope, start, state, a, scale, taken)?;
                self.exhale_part(scope, start, state, b, scale, taken)
            }
            ExprKind::Binary(BinOp::Implies, c, a) => {
                if self.eval_bool(scope, View { state: start, now: &state.held }, c)? {
                    self.exhale_part(scope, start, state, a, scale, taken)?;
                }
                Ok(())
            }
            ExprKind::Cond(c, a, b) => {
                let now = View { state: start, now: &state.held };
                let side = if self.eval_bool(scope, now, c)? { a } else { b };
                self.exhale_part(scope, start, state, side, scale, taken)
            }
            ExprKind::Let(var, value, body) => {
                let now = View { state: start, now: &state.held };
                let value = self.eval_lazy(scope, now, value)?;
                scope.locals[var.index()] = value;
                self.exhale_part(scope, start, state, body, scale, taken)
            }
            ExprKind::InhaleExhale(_, b) => self.exhale_part(scope, start, state, b, scale, taken),
            ExprKind::Quant { quantifier, vars, body, .. } => {
                let now = View { state: start, now: &state.held };
                let (instances, complete) = self.instances(scope, now, vars, body, *quantifier)?;
                if !complete || *quantifier != Quantifier::Forall {
                    return outside("quantifier without bounds");
                }
                for instance in instances {
                    for (var, value) in vars.iter().zip(instance) {
                        scope.locals[var.index()] = value;
                    }
                    self.exhale_part(scope, start, state, body, scale, taken)?;
                }
                Ok(())
            }
            ExprKind::Acc(Resource::Field(receiver, field, _), part) => {
                let now = View { state: start, now: &state.held };
                let location = (self.eval_ref(scope, now, receiver)?, *field);
                let part = self.part(scope, now, part.as_deref())?;
                if state.held.field(location).is_zero() {
                    self.pull_field(state, location, &wanted(&part, scale, scope), e.pos)?;
                }
                let held = state.held.field(location);
                let Some(amount) = self.amount_of(&part, scale, &held, scope, e.pos)? else {
                    return Ok(());
                };
                if held < amount {
                    let missing = Part::Exactly(&amount - &held);
                    self.pull_field(state, location, &missing, e.pos)?;
                }
                if state.held.field(location) < amount {
                    return fault(e.pos, "insufficient permission");
                }
                state.held.remove_field(location, &amount);
                taken.add_field(location, &amount);
                Ok(())
            }
            ExprKind::Acc(Resource::Predicate(predicate, args, _), part) => {
                let now = View { state: start, now: &state.held };
                let instance = (*predicate, self.eval_all(scope, now, args)?);
                let part = self.part(scope, now, part.as_deref())?;
                if state.held.predicate(&instance).is_zero() {
                    self.pull_predicate(state, &instance, &wanted(&part, scale, scope), e.pos)?;
                }
                let held = state.held.predicate(&instance);
                let Some(amount) = self.amount_of(&part, scale, &held, scope, e.pos)? else {
                    return Ok(());
                };
                if held < amount {
                    let missing = Part::Exactly(&amount - &held);
                    self.pull_predicate(state, &instance, &missing, e.pos)?;
                }
                if state.held.predicate(&instance) < amount {
                    return fault(e.pos, "insufficient permission");
                }
                match state.held.remove_predicate(&instance, &amount) {
                    Some(folded) => taken.add_predicate(instance, &amount, &folded),
                    None => return outside("part of a wand"),
                }
                Ok(())
            }
            ExprKind::Wand(wand) => {
                if *scale != Part::Exactly(Amount::one()) {
                    return outside("part of a wand");
                }
                let key = self.wand_key(scope, View { state: start, now: &state.held }, wand)?;
                let held = self.take_wand(state, &key, wand.pos)?;
                taken.wands.push(held);
                Ok(())
            }
            _ => outside("assertion of another shape"),
        }
    }

    /// The amount that is given up, if it is anything.
    fn amount_of(
        &mut self,
        part: &Part,
        scale: &Part,
        held: &Amount,
        scope: &Scope,
        pos: Pos,
    ) -> Run<Option<Amount>> {
        match (part, scale) {
            (Part::Exactly(p), _) if p.is_negative() => fault(pos, "negative permission"),
            (Part::Exactly(p), _) if p.is_zero() => Ok(None),
            (Part::Exactly(p), Part::Exactly(s)) if !scope.any_amount => {
                let amount = p * s;
                Ok(if amount.is_zero() { None } else { Some(amount) })
            }
            _ if !held.is_positive() => fault(pos, "insufficient permission"),
            _ => Ok(Some(held * self.some_fraction())),
        }
    }
}

/// What is to be pulled where nothing is held.
fn wanted(part: &Part, scale: &Part, scope: &Scope) -> Part {
    match (part, scale) {
        (Part::Exactly(p), Part::Exactly(s)) if !scope.any_amount => Part::Exactly(p * s),
        (Part::Exactly(p), _) if !p.is_positive() => Part::Exactly(Amount::zero()),
        _ => Part::Wildcard,
    }
}
