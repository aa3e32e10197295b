//! Consuming assertions: permissions are taken from the heap, facts are proved.
//!
//! Expressions are evaluated in the state before anything was taken away; what is taken is taken
//! from a heap beside it.

mod quantified;

use std::sync::Arc;

use smt::Term;
use viper::core::{BinOp, Expr, ExprKind};

use crate::diagnostics::resource_reason;
use crate::diagnostics::wand_reason;
use crate::diagnostics::{Blame, Reason, ReasonKind};
use crate::executor::Executor;
use crate::heap::Demand;
use crate::produce::Conditional;
use crate::prover::Run;
use crate::state::{Heap, ResourceId, State};
use crate::syntax::conjuncts;

impl Executor<'_> {
    /// Consumes an assertion from `heap` and returns its snapshot.
    pub fn consume(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        assertion: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let full = self.amount(1, 1);
        self.consume_scaled(state, heap, assertion, full, blame)
    }

    /// Consumes several assertions and returns their snapshot.
    pub fn consume_all(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        assertions: &[Arc<Expr>],
        blame: &dyn Fn(&Arc<Expr>) -> Blame,
    ) -> Run<Term> {
        let full = self.amount(1, 1);
        let mut parts = Vec::new();
        for assertion in assertions {
            let blame = blame(assertion);
            parts.extend(conjuncts(assertion).into_iter().map(|part| (part, blame.clone())));
        }
        self.consume_parts(state, heap, &parts, full)
    }

    /// Consumes an assertion with all its permissions multiplied.
    pub fn consume_scaled(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        assertion: &Arc<Expr>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        let parts: Vec<(&Arc<Expr>, Blame)> =
            conjuncts(assertion).into_iter().map(|part| (part, blame.clone())).collect();
        self.consume_parts(state, heap, &parts, factor)
    }

    pub fn consume_parts(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        parts: &[(&Arc<Expr>, Blame)],
        factor: Term,
    ) -> Run<Term> {
        let snaps = self.in_mode(
            state,
            |m| m.inhaling = false,
            |this, state| {
                let mut snaps = Vec::new();
                for (part, blame) in parts {
                    state.perm_heap = Some(heap.clone());
                    if this.syntax.is_pure(part) {
                        // exhale(h, π, e): check π ⊨ e  [MSS16, Fig. 11]
                        let value = this.eval(state, part, blame)?;
                        let reason = Reason::new(ReasonKind::AssertionFalse, part, state.owner);
                        this.check(state, value, blame, reason)?;
                        // Proved: later parts need not prove it again.
                        this.assume(state, value)?;
                    } else {
                        snaps.push(this.consume_impure(state, heap, part, factor, blame)?);
                    }
                }
                Ok(snaps)
            },
        )?;
        state.perm_heap = None;
        Ok(self.pair_up(snaps))
    }

    fn consume_impure(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        match &e.kind {
            ExprKind::Acc(resource, amount) => {
                let (id, args) = self.eval_resource(state, resource, blame)?;
                let wildcards = state.wildcards.clone();
                let value = self.eval_amount(state, amount.as_ref(), blame)?;
                self.check_not_negative(state, value, amount.as_ref().unwrap_or(e), blame)?;
                let perm = self.terms.mul(value, factor);
                self.transfer(state, heap, id.at(&args), perm)?;
                match self.take(state, heap, id.at(&args), perm)? {
                    Some(snap) => {
                        state.wildcards = wildcards;
                        if let ResourceId::Predicate(id) = id {
                            self.note_inside(state, (id, &args), snap, perm)?;
                        }
                        Ok(snap)
                    }
                    None => {
                        let wildcard = self.is_wildcard(state, perm);
                        let demand = Demand { location: id.at(&args), amount: perm, wildcard };
                        self.note_shortage(heap, demand);
                        let reason = resource_reason(e, resource, state.owner);
                        self.fail(state, blame, &reason)
                    }
                }
            }
            ExprKind::Binary(BinOp::Implies, c, a) => {
                self.consume_either(state, heap, (c, a, None), factor, blame)
            }
            ExprKind::Cond(c, a, b) => {
                self.consume_either(state, heap, (c, a, Some(b)), factor, blame)
            }
            ExprKind::Let(local, value, body) => {
                let value = self.eval(state, value, blame)?;
                state.store.set(*local, value);
                self.consume_scaled(state, heap, body, factor, blame)
            }
            ExprKind::InhaleExhale(_, b) => self.consume_scaled(state, heap, b, factor, blame),
            ExprKind::Quant { .. } => self
                .because_of(e.pos, |this| this.consume_quantified(state, heap, e, factor, blame)),
            ExprKind::Wand(wand) => {
                let (id, args) = self.eval_wand(state, wand, blame)?;
                self.transfer(state, heap, id.at(&args), factor)?;
                match self.take(state, heap, id.at(&args), factor)? {
                    Some(snap) => Ok(snap),
                    None => {
                        let wildcard = self.is_wildcard(state, factor);
                        let demand = Demand { location: id.at(&args), amount: factor, wildcard };
                        self.note_shortage(heap, demand);
                        let reason = wand_reason(wand, state);
                        self.fail(state, blame, &reason)
                    }
                }
            }
            _ => self.unsupported(state, e.pos, "This assertion"),
        }
    }

    /// Consumes one of two assertions; `c ==> a` has only one.
    fn consume_either(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        (c, a, b): Conditional<'_>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        let consume_side = |this: &mut Self, s: &mut State, heap: &mut Heap| match (
            this.branch_on(s, c, blame)?,
            b,
        ) {
            (true, _) => this.consume_scaled(s, heap, a, factor, blame),
            (false, Some(b)) => this.consume_scaled(s, heap, b, factor, blame),
            (false, None) => Ok(this.unit()),
        };
        if !self.joins_assertions(state) {
            return consume_side(self, state, heap);
        }
        let arrivals = self.explore_and_merge(state, |this, s| {
            let mut rest = heap.clone();
            let snap = consume_side(this, s, &mut rest)?;
            Ok(Some((rest, snap)))
        })?;
        let heaps: Vec<_> = arrivals.iter().map(|a| (a.guard, &a.value.0)).collect();
        *heap = self.merge_heaps(state, &heaps)?;
        let snaps: Vec<_> = arrivals.iter().map(|a| (a.guard, a.value.1)).collect();
        self.select(state, "s", &snaps)
    }
}
