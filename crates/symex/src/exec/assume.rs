//! Assuming assertions: permissions are not added but known to be there.

use std::sync::Arc;

use smt::Term;
use viper::core::{BinOp, Expr, ExprKind};

use crate::diagnostics::Blame;
use crate::encoding::FormulaKind;
use crate::executor::Executor;
use crate::heap::Target;
use crate::heap::quantified::QuantifiedAccess;
use crate::prover::{Run, Stop};
use crate::state::{Heap, ResourceId, State};
use crate::stats::Purpose;
use crate::syntax::normal;
use crate::transfer::Missing;

impl Executor<'_> {
    /// Assumes an assertion. Permissions are not added but known to be there, together: what was
    /// assumed is left out of `heap` for what follows.
    pub fn assume_all(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        condition: Term,
        blame: &Blame,
    ) -> Run<()> {
        if self.syntax.is_pure(e) {
            let outcomes = self.in_mode(
                state,
                |m| m.inhaling = true,
                |this, state| {
                    this.explore(state, |this, s| {
                        this.guard(s, condition)?;
                        this.eval(s, e, blame)
                    })
                },
            );
            let value = match outcomes {
                Ok(outcomes) => self.join(state, &outcomes)?,
                Err(Stop::Infeasible) => self.terms.bool(false),
                Err(stop) => return Err(stop),
            };
            let fact = self.terms.implies(condition, value);
            return self.assume(state, fact);
        }
        match &e.kind {
            ExprKind::Acc(resource, amount) => {
                let location = self.eval_resource(state, resource, blame)?;
                let amount = self.eval_amount(state, amount.as_ref(), blame)?;
                self.assume_held(state, heap, &location, amount, condition)
            }
            ExprKind::Wand(wand) => {
                let location = self.eval_wand(state, wand, blame)?;
                let full = self.amount(1, 1);
                self.assume_held(state, heap, &location, full, condition)
            }
            ExprKind::Binary(BinOp::And, a, b) => {
                self.assume_all(state, heap, a, condition, blame)?;
                self.assume_all(state, heap, b, condition, blame)
            }
            ExprKind::Binary(BinOp::Implies, c, a) => {
                let c = self.eval(state, c, blame)?;
                let both = self.terms.and([condition, c]);
                self.assume_all(state, heap, a, both, blame)
            }
            ExprKind::Cond(c, a, b) => {
                let c = self.eval(state, c, blame)?;
                let not = self.terms.not(c);
                let (then, otherwise) =
                    (self.terms.and([condition, c]), self.terms.and([condition, not]));
                self.assume_all(state, heap, a, then, blame)?;
                self.assume_all(state, heap, b, otherwise, blame)
            }
            ExprKind::InhaleExhale(a, _) => self.assume_all(state, heap, a, condition, blame),
            ExprKind::Let(local, value, body) => {
                let value = self.eval(state, value, blame)?;
                state.store.set(*local, value);
                self.assume_all(state, heap, body, condition, blame)
            }
            ExprKind::Quant { .. } => self
                .because_of(e.pos, |this| this.assume_quantified(state, heap, e, condition, blame)),
            ExprKind::Unfolding(access, body) => self.assume_if(state, condition, |this, s| {
                let outcomes = this.explore_unfolding(s, access, blame, |this, s| {
                    this.assume_here(s, body, blame)
                })?;
                this.learn(s, &outcomes)
            }),
            ExprKind::Applying(wand, body) => self.assume_if(state, condition, |this, s| {
                let outcomes = this
                    .explore_applying(s, wand, blame, |this, s| this.assume_here(s, body, blame))?;
                this.learn(s, &outcomes)
            }),
            ExprKind::Asserting(assertion, body) => self.assume_if(state, condition, |this, s| {
                this.check_asserted(s, assertion, blame)?;
                this.assume_here(s, body, blame)
            }),
            _ => self.unsupported(state, e.pos, "This assumption"),
        }
    }

    /// Assumes an assertion about all that is held.
    pub(super) fn assume_here(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<()> {
        let mut heap = state.heap.clone();
        let always = self.terms.bool(true);
        self.assume_all(state, &mut heap, e, always, blame)
    }

    /// Assumes what `f` assumes, if a condition holds.
    fn assume_if(
        &mut self,
        state: &mut State,
        condition: Term,
        mut f: impl FnMut(&mut Self, &mut State) -> Run<()>,
    ) -> Run<()> {
        let outcomes = self.explore(state, |this, s| {
            this.guard(s, condition)?;
            f(this, s)
        });
        match outcomes {
            Ok(outcomes) => self.learn(state, &outcomes),
            Err(Stop::Infeasible) => {
                let never = self.terms.not(condition);
                self.assume(state, never)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Assumes that an amount is held if a condition holds, and leaves it out for what follows.
    fn assume_held(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        (resource, args): &(ResourceId, Vec<Term>),
        amount: Term,
        condition: Term,
    ) -> Run<()> {
        let zero = self.amount(0, 1);
        let amount = self.terms.ite(condition, amount, zero);
        // What a script assumes may be there, as what it asserts: in the footprint.
        self.transfer(state, heap, resource.at(args), amount)?;
        let held = self.held(heap, resource.at(args));
        let enough = self.terms.le(amount, held);
        self.assume(state, enough)?;
        let target = Target::One(*resource, args);
        self.remove_available(state, heap, target, amount)?;
        Ok(())
    }

    /// Assumes that permissions are there.
    pub fn assume_quantified(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        condition: Term,
        blame: &Blame,
    ) -> Run<()> {
        for part in self.syntax.split_quantifier(e, true).iter() {
            if normal(part).is_none() && self.syntax.is_pure(part) {
                self.assume_all(state, heap, part, condition, blame)?;
                continue;
            }
            let Some(mut access) = self.eval_quantified_access(state, part, blame)? else {
                continue;
            };
            access.condition = self.terms.and([condition, access.condition]);
            self.transfer_assumed(state, heap, &access)?;
            let held = self.held(heap, access.resource.at(&access.args));
            let enough = self.terms.le(access.amount, held);
            let body = self.terms.implies(access.condition, enough);
            let triggers = self.access_triggers(&access);
            let vars = access.vars.clone();
            let fact = self.for_all(FormulaKind::Assume, &vars, &triggers, body);
            self.assume(state, fact)?;
            // Without an inverse nothing is set aside: less is assumed of what follows.
            if let Some(goal) = self.injective(state, &access)
                && !self.prove(state, Purpose::Injectivity, goal)?
            {
                continue;
            }
            let inverse = self.invert(state, &access)?;
            let one = self.amount(1, 1);
            let needed = self.permission_of(&access, &inverse, one);
            self.remove_available(state, heap, Target::Many(&access), needed)?;
        }
        Ok(())
    }

    /// What a script assumes may be there, as what it asserts: in the footprint of its wand.
    fn transfer_assumed(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        access: &QuantifiedAccess,
    ) -> Run<()> {
        if state.reserves.is_empty() {
            return Ok(());
        }
        if let Some(goal) = self.injective(state, access)
            && !self.prove(state, Purpose::Injectivity, goal)?
        {
            return Ok(());
        }
        let inverse = self.invert(state, access)?;
        let one = self.amount(1, 1);
        let needed = if access.wildcard {
            Missing::Something(self.is_wanted_by(access, &inverse, one, false))
        } else {
            Missing::Amount(self.permission_of(access, &inverse, one))
        };
        self.transfer_quantified(state, heap, access.resource, needed)
    }
}
