//! Calls of heap-dependent functions: their preconditions are checked and framed, and the snapshot
//! of what they may read is an argument.

use std::rc::Rc;
use std::sync::Arc;

use rpds::List;
use smt::Term;
use viper::core::{BinOp, Expr, ExprKind, FunctionId, LocalId};

use crate::diagnostics::Caller;
use crate::diagnostics::{Blame, Reason};
use crate::eval::{conjuncts, resource_reason};
use crate::executor::{Executor, annotated};
use crate::nesting::Within;
use crate::prover::{Run, Stop};
use crate::state::{Owner, State, Store};

impl Executor<'_> {
    /// The value of a function; its precondition must hold here.
    pub(super) fn eval_call(
        &mut self,
        state: &mut State,
        function: FunctionId,
        args: &[Term],
        e: &Arc<Expr>,
    ) -> Run<Term> {
        let decl = self.program.function(function);
        let blame = Blame::new("application.precondition", e.pos)
            .with_info(&e.info)
            .about(decl.name.as_str());
        let actuals = match &e.kind {
            ExprKind::Call(_, args) => args.clone(),
            _ => Vec::new(),
        };
        let mut callee = self.enter(state, Owner::Function(function), args, actuals);
        callee.mode.inhaling = false;
        callee.mode.reading = true;
        let snap = self.frame_all(&mut callee, &decl.pres, &blame)?;
        self.leave(state, callee);
        let symbols = self.function(function);
        let mut full = vec![snap];
        full.extend(args);
        if !decl.pres.is_empty() || !decl.posts.is_empty() {
            let pre = self.terms.app(symbols.pre, &full);
            self.assume(state, pre)?;
        }
        let opaque = annotated(&decl.info, "opaque") && !annotated(&e.info, "reveal");
        let limited = opaque || self.recursive.contains(&function);
        Ok(self.terms.app(if limited { symbols.limited } else { symbols.full }, &full))
    }

    /// The state in which a contract or body of another member is evaluated, for arguments that are the
    /// values of `actuals`.
    pub fn enter(
        &mut self,
        state: &State,
        owner: Owner,
        args: &[Term],
        actuals: Vec<Arc<Expr>>,
    ) -> State {
        let mut inner = state.clone();
        inner.caller = Some(Rc::new(Caller {
            owner: state.owner,
            store: state.store.clone(),
            scope: state.scope.clone(),
            old: state.old.clone(),
            labels: state.labels.clone(),
            args: actuals,
            up: state.caller.clone(),
        }));
        inner.owner = owner;
        inner.store = Store::new(owner.locals(self.program).len());
        for (i, arg) in args.iter().enumerate() {
            inner.store.set(LocalId(i as u32), *arg);
        }
        inner.scope = List::new();
        inner.result = None;
        inner.mode.scale = None;
        inner.within = Within::Nothing;
        inner.mode.reading = false;
        inner.mode.want_snap = false;
        inner
    }

    /// Takes over what was learnt in the state of another member.
    pub fn leave(&mut self, state: &mut State, inner: State) {
        state.fresh = inner.fresh;
        state.known = inner.known;
        state.nesting = inner.nesting;
        state.wildcards = inner.wildcards;
        state.reserves = inner.reserves;
    }

    /// Checks that assertions hold and returns the snapshot of what they mention, without taking
    /// anything away: how functions depend on the heap. Amounts do not matter as long as there is
    /// some permission.
    pub fn frame_all(
        &mut self,
        state: &mut State,
        assertions: &[Arc<Expr>],
        blame: &Blame,
    ) -> Run<Term> {
        let parts: Vec<&Arc<Expr>> = assertions.iter().flat_map(conjuncts).collect();
        let mut snaps = Vec::new();
        for part in parts {
            if self.syntax.is_pure(part) {
                let value = self.eval(state, part, blame)?;
                let reason = Reason::new("assertion.false", part, state.owner);
                self.check(state, value, blame, reason)?;
                // Later parts may rely on it.
                self.assume_proved(state, value)?;
            } else {
                snaps.push(self.frame(state, part, blame)?);
            }
        }
        Ok(self.pair_up(snaps))
    }

    /// One snapshot for many.
    pub fn pair_up(&mut self, mut snaps: Vec<Term>) -> Term {
        let Some(mut snap) = snaps.pop() else { return self.unit() };
        while let Some(before) = snaps.pop() {
            snap = self.snap_pair(before, snap);
        }
        snap
    }

    /// The snapshot of one assertion with permissions.
    fn frame(&mut self, state: &mut State, e: &Arc<Expr>, blame: &Blame) -> Run<Term> {
        match &e.kind {
            ExprKind::Acc(resource, amount) => {
                let (id, args) = self.eval_resource(state, resource, blame)?;
                let amount = match amount {
                    // Some permission is all that counts, so it need not be said how much.
                    Some(amount) if !matches!(amount.kind, ExprKind::WildcardPerm) => {
                        self.eval(state, amount, blame)?
                    }
                    _ => self.amount(1, 1),
                };
                let zero = self.amount(0, 1);
                let not_negative = self.terms.le(zero, amount);
                let reason = Reason::new("negative.permission", e, state.owner);
                self.check(state, not_negative, blame, reason)?;
                let positive = self.terms.lt(zero, amount);
                let heap = state.heap.clone();
                if amount == zero {
                    return Ok(self.unit());
                }
                if !self.entailed(state, positive) {
                    let held = self.held(&heap, id, &args);
                    let some = self.terms.lt(zero, held);
                    let goal = self.terms.implies(positive, some);
                    let reason = resource_reason(e, resource, state.owner);
                    self.check(state, goal, blame, reason)?;
                    let unit = self.unit();
                    let snap = self.summary_snap(state, &heap, id, &args);
                    return Ok(self.terms.ite(positive, snap, unit));
                }
                match self.lookup(state, &heap, id, &args)? {
                    Some(snap) => Ok(snap),
                    None => {
                        self.note_unreadable(&heap, id, &args);
                        let reason = resource_reason(e, resource, state.owner);
                        self.fail(state, blame, &reason)
                    }
                }
            }
            ExprKind::Binary(BinOp::And, ..) => {
                let parts = [Arc::clone(e)];
                self.frame_all(state, &parts, blame)
            }
            ExprKind::Binary(BinOp::Implies, c, a) => {
                let c = self.eval(state, c, blame)?;
                let snap = self.frame_under(state, c, a, blame)?;
                let unit = self.unit();
                Ok(match snap {
                    Some(snap) => self.terms.ite(c, snap, unit),
                    None => unit,
                })
            }
            ExprKind::Cond(c, a, b) => {
                let c = self.eval(state, c, blame)?;
                let not = self.terms.not(c);
                let then = self.frame_under(state, c, a, blame)?;
                let otherwise = self.frame_under(state, not, b, blame)?;
                match (then, otherwise) {
                    (Some(a), Some(b)) => Ok(self.terms.ite(c, a, b)),
                    (Some(snap), None) | (None, Some(snap)) => Ok(snap),
                    (None, None) => Err(Stop::Infeasible),
                }
            }
            ExprKind::Let(local, value, body) => {
                let value = self.eval(state, value, blame)?;
                state.store.set(*local, value);
                self.frame_all(state, std::slice::from_ref(body), blame)
            }
            ExprKind::InhaleExhale(a, b) => {
                let part = if state.mode.inhaling { a } else { b };
                self.frame_all(state, std::slice::from_ref(part), blame)
            }
            ExprKind::Quant { .. } => {
                self.because_of(e.pos, |this| this.frame_quantified(state, e, blame))
            }
            _ => self.unsupported(state, e.pos, "This assertion"),
        }
    }

    fn frame_under(
        &mut self,
        state: &mut State,
        condition: Term,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Option<Term>> {
        match self.terms.as_bool(condition) {
            Some(false) => return Ok(None),
            Some(true) => {
                return self.frame_all(state, std::slice::from_ref(e), blame).map(Some);
            }
            None => {}
        }
        let result = self.explore(state, |this, s| {
            this.guard(s, condition)?;
            this.frame_all(s, std::slice::from_ref(e), blame)
        });
        match result {
            Ok(outcomes) => self.join(state, &outcomes).map(Some),
            Err(Stop::Infeasible) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}
