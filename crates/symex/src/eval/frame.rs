//! Preconditions of functions: they are checked, and nothing is taken. What they give access to is the
//! snapshot that frames the function.

use std::sync::Arc;

use smt::Term;
use viper::core::{BinOp, Expr, ExprKind};

use crate::diagnostics::{
    Blame, Reason, ReasonKind, not_injective, quantified_reason, resource_reason,
};
use crate::executor::Executor;
use crate::prover::{Run, Stop};
use crate::state::State;
use crate::syntax::{conjuncts, normal};

impl Executor<'_> {
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
                let reason = Reason::new(ReasonKind::AssertionFalse, part, state.owner);
                self.check(state, value, blame, reason)?;
                // Later parts may rely on it.
                self.assume_proved(state, value)?;
            } else {
                snaps.push(self.frame(state, part, blame)?);
            }
        }
        Ok(self.pair_up(snaps))
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
                let reason = Reason::new(ReasonKind::NegativePermission, e, state.owner);
                self.check(state, not_negative, blame, reason)?;
                let positive = self.terms.lt(zero, amount);
                let heap = state.heap.clone();
                if amount == zero {
                    return Ok(self.unit());
                }
                if !self.entailed(state, positive) {
                    let held = self.held(&heap, id.at(&args));
                    let some = self.terms.lt(zero, held);
                    let goal = self.terms.implies(positive, some);
                    let reason = resource_reason(e, resource, state.owner);
                    self.check(state, goal, blame, reason)?;
                    let unit = self.unit();
                    let snap = self.summary_snap(state, &heap, id.at(&args));
                    return Ok(self.terms.ite(positive, snap, unit));
                }
                match self.lookup(state, &heap, id.at(&args))? {
                    Some(snap) => Ok(snap),
                    None => {
                        self.note_unreadable(&heap, id.at(&args));
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

    /// Checks a quantified assertion and returns its snapshot, without taking anything.
    pub fn frame_quantified(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let parts = self.syntax.split_quantifier(e, false);
        if !matches!(parts.as_slice(), [part] if normal(part).is_some()) {
            return self.frame_all(state, &parts, blame);
        }
        let e = &parts[0];
        let Some(access) = self.eval_quantified_access(state, e, blame)? else {
            return Ok(self.unit());
        };
        let reason = not_injective(e, state);
        self.check_injective(state, &access, blame, reason)?;
        let inverse = self.invert(state, &access)?;
        let one = self.amount(1, 1);
        let wanted = self.is_wanted_by(&access, &inverse, one, false);
        let formals = self.formals(access.resource);
        let heap = state.heap.clone();
        let some = self.held_at_all(&heap, access.resource.at(&formals));
        let goal = self.terms.implies(wanted, some);
        if !state.mode.in_trigger && !self.prove_everywhere(state, access.resource, goal, false)? {
            let needed = self.permission_of(&access, &inverse, one);
            self.note_shortage_somewhere(&heap, access.resource, needed, true);
            let reason = quantified_reason(e, state);
            return self.fail(state, blame, &reason);
        }
        let values = self.summarise(state, &heap, access.resource, wanted)?;
        Ok(self.wrap(values))
    }
}
