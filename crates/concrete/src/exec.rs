//! Statements, loops and calls.

use std::rc::Rc;
use std::sync::Arc;

use num_traits::{One, Signed, Zero};
use viper::core::{
    Block, Expr, LocalId, MethodId, PredicateAccess, Resource, Stmt, StmtKind, Type,
};

use crate::assertion::{Part, is_asymmetric, is_impure};
use crate::eval::snapshot;
use crate::flow::{Code, Step, flatten};
use crate::machine::Machine;
use crate::resources::Resources;
use crate::state::{Run, Scope, State, Stop, fault, outside};
use crate::value::{Amount, Value, amount};

/// A loop that takes more turns than this does not end.
const TURNS: usize = 600;
/// Bodies of methods are run so deep; beyond that, contracts have to do.
const CALLS: usize = 40;
/// Calls that are nested deeper than this do not end.
const NESTED: usize = 300;

/// A loop that is being executed.
struct Entered {
    head: usize,
    /// The frame around it.
    frame: Rc<Resources>,
    /// What the invariant does not mention.
    rest: Resources,
    /// Since values were last chosen by the invariant.
    turns: usize,
}

impl Machine<'_> {
    /// Runs a proof script.
    pub fn script(&mut self, scope: &mut Scope, state: &mut State, block: &Block) -> Run<()> {
        let code = flatten(block)?;
        if !code.loops.is_empty() {
            return outside("loop in a proof script");
        }
        self.run_code(&code, scope, state)
    }

    pub fn run_code(&mut self, code: &Code, scope: &mut Scope, state: &mut State) -> Run<()> {
        let mut entered: Vec<Entered> = Vec::new();
        let mut at = 0;
        loop {
            self.step()?;
            while let Some(inner) = entered.last() {
                if code.loops.get(&inner.head).is_some_and(|l| l.body[at]) {
                    break;
                }
                if let Some(left) = entered.pop() {
                    state.held.add(&left.rest);
                    state.frame = left.frame;
                }
            }
            let Some(step) = code.steps.get(at) else { return Ok(()) };
            match step {
                Step::Do(stmt) => self.exec(scope, state, stmt)?,
                Step::Unless(condition, to) => {
                    if !self.eval_bool(scope, state.view(), condition)? {
                        at = *to;
                        continue;
                    }
                }
                Step::Jump(to) => {
                    at = *to;
                    continue;
                }
                Step::Label(label) => {
                    scope.labels.insert(*label, snapshot(state));
                }
                Step::Head { invariants, terminates } => {
                    if code.loops.contains_key(&at) {
                        self.head(code, at, invariants, *terminates, scope, state, &mut entered)?;
                    }
                }
            }
            at += 1;
        }
    }

    /// The head of a loop: only what the invariant mentions gets in. The turn is a real one, or an
    /// arbitrary one for which the invariant holds.
    #[allow(clippy::too_many_arguments)]
    fn head(
        &mut self,
        code: &Code,
        at: usize,
        invariants: &[Arc<Expr>],
        terminates: bool,
        scope: &mut Scope,
        state: &mut State,
        entered: &mut Vec<Entered>,
    ) -> Run<()> {
        let start = state.clone();
        let mut inside = Resources::default();
        for invariant in invariants {
            self.exhale(scope, &start, state, invariant, &mut inside)?;
        }
        inside.pass();
        let rest = std::mem::replace(&mut state.held, inside);
        match entered.last_mut().filter(|inner| inner.head == at) {
            // Beyond the invariant, what a turn leaves is lost.
            Some(inner) => {
                inner.turns += 1;
                if inner.turns > TURNS {
                    let bounded = terminates || (self.terminates && self.real);
                    return Err(if bounded { Stop::Endless } else { Stop::Outside("long loop") });
                }
            }
            None => {
                let frame = Rc::clone(&state.frame);
                let mut framed = (*frame).clone();
                framed.add(&rest);
                state.frame = Rc::new(framed);
                entered.push(Entered { head: at, frame, rest, turns: 0 });
            }
        }
        state.forget();
        // Where more is inhaled than exhaled, real turns do not have what the body may rely on.
        let asymmetric = invariants.iter().any(|i| is_asymmetric(i));
        if asymmetric || (!self.only_real && self.random.one_in(3)) {
            let real = (state.clone(), scope.locals.clone());
            state.held = Resources::default();
            state.forget();
            for var in code.loops.get(&at).map(|l| &l.written).into_iter().flatten() {
                scope.locals[var.index()] = self.unknown(&scope.types[var.index()].ty.clone());
            }
            match self.inhale_all(scope, state, invariants) {
                Ok(()) => {
                    self.real = false;
                    if let Some(inner) = entered.last_mut() {
                        inner.turns = 0;
                    }
                }
                Err(Stop::Assumed) if !asymmetric => (*state, scope.locals) = real,
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    fn exec(&mut self, scope: &mut Scope, state: &mut State, stmt: &Stmt) -> Run<()> {
        match &stmt.kind {
            StmtKind::Var(x) => self.havoc(scope, *x),
            StmtKind::Assign(x, e) => {
                let value = self.eval_lazy(scope, state.view(), e)?;
                scope.locals[x.index()] = value;
            }
            StmtKind::FieldAssign(receiver, field, e) => {
                let location = (self.eval_ref(scope, state.view(), receiver)?, *field);
                let value = self.eval_lazy(scope, state.view(), e)?;
                let held = state.held.field(location);
                if held < Amount::one() {
                    let missing = Part::Exactly(Amount::one() - held);
                    self.pull_field(state, location, &missing, stmt.pos)?;
                }
                if state.held.field(location) < Amount::one() {
                    return fault(stmt.pos, "no permission to write");
                }
                state.heap.insert(location, value);
            }
            StmtKind::New(x, fields) => {
                // What was chosen before cannot be the new object.
                for i in 0..self.unknowns.len() {
                    self.force(&Value::Unknown(i as u32))?;
                }
                self.objects += 1;
                let r = self.objects;
                for field in fields {
                    let value = self.unknown(&self.program.field(*field).ty);
                    state.heap.insert((r, *field), value);
                    state.held.add_field((r, *field), &Amount::one());
                }
                scope.locals[x.index()] = Value::Ref(r);
            }
            StmtKind::Call { method, args, targets } => {
                self.call(scope, state, *method, args, targets)?;
            }
            StmtKind::Inhale(e) => self.inhale_all(scope, state, std::slice::from_ref(e))?,
            StmtKind::Assume(e) => {
                if is_asymmetric(e) {
                    return outside("assumption with [A, B]");
                }
                if is_impure(e) {
                    // That so much is held; nothing is added.
                    return match self.check(scope, state, e) {
                        Err(Stop::Fault(_)) => Err(Stop::Assumed),
                        other => other,
                    };
                }
                self.inhale_all(scope, state, std::slice::from_ref(e))?;
            }
            StmtKind::Exhale(e) => {
                let start = state.clone();
                self.exhale(scope, &start, state, e, &mut Resources::default())?;
                state.forget();
            }
            StmtKind::Assert(e) => {
                if state.reserve.is_some() && is_impure(e) {
                    // What an assertion in a proof script takes from around is part of the footprint.
                    let start = state.clone();
                    let mut taken = Resources::default();
                    self.exhale(scope, &start, state, e, &mut taken)?;
                    state.held.add(&taken);
                } else {
                    match self.check(scope, state, e) {
                        // It has no effect, so the run can go on without an answer.
                        Err(Stop::Outside(_)) => {}
                        other => other?,
                    }
                }
            }
            StmtKind::Refute(e) => self.observe(scope, state, e)?,
            StmtKind::Unreachable => {}
            StmtKind::Fold(access) => self.fold(scope, state, access)?,
            StmtKind::Unfold(access) => self.unfold(scope, state, access)?,
            StmtKind::Package(wand, script) => self.package(scope, state, wand, script)?,
            StmtKind::Apply(wand) => self.apply(scope, state, wand)?,
            StmtKind::Quasihavoc(condition, resource) => {
                if let Some(condition) = condition
                    && !self.eval_bool(scope, state.view(), condition)?
                {
                    return Ok(());
                }
                self.quasihavoc(scope, state, resource, stmt)?;
            }
            StmtKind::QuasihavocAll(..) => return outside("quasihavocall"),
            StmtKind::If(..)
            | StmtKind::While { .. }
            | StmtKind::Label(..)
            | StmtKind::Goto(_)
            | StmtKind::Block(_) => return outside("statement in a statement"),
        }
        Ok(())
    }

    fn havoc(&mut self, scope: &mut Scope, x: LocalId) {
        let ty: Type = scope.types[x.index()].ty.clone();
        scope.locals[x.index()] = self.unknown(&ty);
    }

    /// Writes down whether what should not be provable holds.
    fn observe(&mut self, scope: &mut Scope, state: &State, e: &Expr) -> Run<()> {
        if !self.observing {
            return Ok(());
        }
        let locals = scope.locals.clone();
        let outcome = self.check(scope, state, e);
        scope.locals = locals;
        match outcome {
            Ok(()) => {}
            Err(Stop::Fault(_)) => {
                self.refuted.insert(e.pos);
            }
            Err(Stop::Assumed | Stop::Outside(_)) => {}
            Err(Stop::Endless) => return Err(Stop::Endless),
        }
        Ok(())
    }

    fn fold(&mut self, scope: &mut Scope, state: &mut State, access: &PredicateAccess) -> Run<()> {
        let (instance, part) = self.accessed(scope, state.view(), access)?;
        let amount = match part {
            Part::Exactly(p) if p.is_negative() => return fault(access.pos, "negative permission"),
            Part::Exactly(p) if p.is_zero() => return outside("fold of nothing"),
            Part::Exactly(p) => p,
            // Less than all that was folded so before, of which something must be left.
            Part::Wildcard => {
                self.least *= amount(1, 1024);
                self.least.clone()
            }
        };
        let predicate = self.program.predicate(instance.0);
        let Some(body) = &predicate.body else { return outside("fold of an abstract predicate") };
        let mut locals = instance.1.clone();
        locals.resize(predicate.locals.len(), Value::Bool(false));
        let mut inside = Scope::new(&predicate.locals, locals);
        inside.in_predicate = true;
        let mut folded = Resources::default();
        let start = state.clone();
        let scale = Part::Exactly(amount.clone());
        self.exhale_part(&mut inside, &start, state, body, &scale, &mut folded)?;
        state.held.add_predicate(instance, &amount, &Rc::new(folded));
        Ok(())
    }

    fn unfold(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        access: &PredicateAccess,
    ) -> Run<()> {
        let (instance, part) = self.accessed(scope, state.view(), access)?;
        let held = state.held.predicate(&instance);
        let missing = match &part {
            Part::Exactly(p) if p.is_negative() => return fault(access.pos, "negative permission"),
            Part::Exactly(p) if p.is_zero() => return outside("unfold of nothing"),
            Part::Exactly(p) if held < *p => Some(Part::Exactly(p - held)),
            Part::Wildcard if held.is_zero() => Some(Part::Wildcard),
            _ => None,
        };
        if let Some(missing) = missing {
            self.pull_predicate(state, &instance, &missing, access.pos)?;
        }
        let held = state.held.predicate(&instance);
        let amount = match part {
            Part::Exactly(p) => p,
            Part::Wildcard => &held * amount(1, 3),
        };
        if held < amount || held.is_zero() {
            return fault(access.pos, "insufficient permission to unfold");
        }
        match state.held.remove_predicate(&instance, &amount) {
            Some(folded) => state.held.add(&folded),
            None => return outside("part of a wand"),
        }
        Ok(())
    }

    fn quasihavoc(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        resource: &Resource,
        stmt: &Stmt,
    ) -> Run<()> {
        if state.reserve.is_some() {
            return outside("quasihavoc in a proof script");
        }
        match resource {
            Resource::Field(receiver, field, _) => {
                let location = (self.eval_ref(scope, state.view(), receiver)?, *field);
                let held = state.held.field(location);
                if held.is_positive() && held == state.total(location) {
                    let value = self.unknown(&self.program.field(*field).ty);
                    state.heap.insert(location, value);
                }
                Ok(())
            }
            Resource::Predicate(predicate, args, _) => {
                let instance = (*predicate, self.eval_all(scope, state.view(), args)?);
                let held = state.held.predicate(&instance);
                if !held.is_positive() {
                    return Ok(());
                }
                if state.held.remove_predicate(&instance, &held).is_none() {
                    return outside("part of a wand");
                }
                state.forget();
                let part = Part::Exactly(held);
                self.inhale_predicate(state, instance, part, &Amount::one(), stmt.pos)
            }
            Resource::Wand(_) => outside("quasihavoc of a wand"),
        }
    }

    /// A call: the body is run, or the contract says all that is known.
    fn call(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        id: MethodId,
        args: &[Arc<Expr>],
        targets: &[LocalId],
    ) -> Run<()> {
        let program = self.program;
        let method = program.method(id);
        self.work(50 + 2 * self.calls as u64)?;
        let mut locals: Vec<Value> = Vec::new();
        for arg in args {
            locals.push(self.eval(scope, state.view(), arg)?);
        }
        for local in method.locals.iter().skip(locals.len()) {
            locals.push(self.unknown(&local.ty));
        }
        let start = state.clone();
        let mut callee = Scope::new(&method.locals, locals);
        let mut given = Resources::default();
        for pre in &method.pres {
            self.exhale(&mut callee, &start, state, pre, &mut given)?;
        }
        given.pass();
        let measured = self.only_real && self.terminates && self.real;
        if measured && self.calls > NESTED {
            return Err(Stop::Endless);
        }
        let by_body = (self.calls < CALLS || measured)
            && state.reserve.is_none()
            && state.past.is_none()
            && !method.pres.iter().chain(&method.posts).any(|e| is_asymmetric(e))
            && (self.only_real || !self.random.one_in(3));
        match &method.body {
            Some(body) if by_body => {
                let frame = Rc::clone(&state.frame);
                let mut framed = (*frame).clone();
                framed.add(&state.held);
                let mut inside = State {
                    heap: std::mem::take(&mut state.heap),
                    held: given,
                    frame: Rc::new(framed),
                    ..State::default()
                };
                callee.pre = Some(snapshot(&inside));
                let code = flatten(body)?;
                self.calls += 1;
                let mut returned = Resources::default();
                let outcome = self.body(id, &code, &mut callee, &mut inside, &mut returned);
                self.calls -= 1;
                outcome?;
                state.heap = inside.heap;
                returned.pass();
                state.held.add(&returned);
            }
            _ => {
                self.real = false;
                callee.pre = Some(Rc::new(start));
                state.forget();
                self.inhale_all(&mut callee, state, &method.posts)?;
            }
        }
        state.forget();
        for (i, target) in targets.iter().enumerate() {
            scope.locals[target.index()] = callee.locals[method.params as usize + i].clone();
        }
        Ok(())
    }

    /// Runs the body of a method whose precondition was inhaled; exhales its postcondition.
    pub fn body(
        &mut self,
        id: MethodId,
        code: &Code,
        scope: &mut Scope,
        state: &mut State,
        returned: &mut Resources,
    ) -> Run<()> {
        let outcome = self.run_code(code, scope, state).and_then(|()| {
            let start = state.clone();
            let posts = &self.program.method(id).posts;
            posts.iter().try_for_each(|post| self.exhale(scope, &start, state, post, returned))
        });
        outcome.map_err(|stop| match stop {
            Stop::Fault(mut fault) => {
                fault.method = fault.method.or(Some(id));
                Stop::Fault(fault)
            }
            other => other,
        })
    }
}
