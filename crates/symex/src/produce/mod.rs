//! Producing assertions: permissions are added to the heap, facts are assumed.

mod quantified;

use std::rc::Rc;
use std::sync::Arc;

use smt::Term;
use viper::core::{BinOp, Expr, ExprKind};

use crate::diagnostics::Blame;
use crate::executor::Executor;
use crate::heap::{Instance, Within};
use crate::prover::Run;
use crate::state::{Owner, ResourceId, State};
use crate::syntax::conjuncts;

/// `c ? a : b`, or `c ==> a`.
pub(crate) type Conditional<'e> = (&'e Arc<Expr>, &'e Arc<Expr>, Option<&'e Arc<Expr>>);

impl Executor<'_> {
    /// Produces assertions with the values of a snapshot.
    pub fn produce_all(
        &mut self,
        state: &mut State,
        assertions: &[Arc<Expr>],
        snap: Term,
        blame: &dyn Fn(&Arc<Expr>) -> Blame,
    ) -> Run<()> {
        let full = self.amount(1, 1);
        let mut parts = Vec::new();
        for assertion in assertions {
            let blame = blame(assertion);
            parts.extend(conjuncts(assertion).into_iter().map(|part| (part, blame.clone())));
        }
        self.produce_parts(state, &parts, snap, full)
    }

    /// Produces one assertion, its permissions multiplied.
    pub fn produce(
        &mut self,
        state: &mut State,
        assertion: &Arc<Expr>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let parts: Vec<(&Arc<Expr>, Blame)> =
            conjuncts(assertion).into_iter().map(|part| (part, blame.clone())).collect();
        self.produce_parts(state, &parts, snap, factor)
    }

    pub fn produce_parts(
        &mut self,
        state: &mut State,
        parts: &[(&Arc<Expr>, Blame)],
        mut snap: Term,
        factor: Term,
    ) -> Run<()> {
        self.in_mode(
            state,
            |m| m.inhaling = true,
            |this, state| {
                let mut left = parts.iter().filter(|(part, _)| !this.syntax.is_pure(part)).count();
                for (part, blame) in parts {
                    if this.syntax.is_pure(part) {
                        // inhale(h, π, e): (h, π ∪ {e})  [MSS16, Fig. 11]
                        let value = this.eval(state, part, blame)?;
                        this.assume(state, value)?;
                        continue;
                    }
                    left -= 1;
                    let own = if left == 0 {
                        snap
                    } else {
                        let (first, second) = this.split(state, snap)?;
                        snap = second;
                        first
                    };
                    this.produce_impure(state, part, own, factor, blame)?;
                }
                Ok(())
            },
        )
    }

    /// The two parts of a snapshot that is known to have two.
    fn split(&mut self, state: &mut State, snap: Term) -> Run<(Term, Term)> {
        let first = self.snap_first(snap);
        let second = self.snap_second(snap);
        if !self.is_snap_pair(snap) {
            let shape = self.raw_snap_pair(first, second);
            let fact = self.terms.eq(snap, shape);
            self.assume(state, fact)?;
        }
        Ok((first, second))
    }

    fn produce_impure(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        match &e.kind {
            ExprKind::Acc(resource, amount) => {
                let (id, args) = self.eval_resource(state, resource, blame)?;
                let wildcards = state.wildcards.clone();
                let value = self.eval_amount(state, amount.as_ref(), blame)?;
                // What is added once is not made smaller later.
                state.wildcards = wildcards;
                self.check_not_negative(state, value, amount.as_ref().unwrap_or(e), blame)?;
                let mut perm = self.terms.mul(value, factor);
                if state.mode.reading {
                    perm = self.some_of(state, perm)?;
                }
                self.put(state, id.at(&args), snap, perm)?;
                match id {
                    ResourceId::Predicate(id) => self.note_inside(state, (id, &args), snap, perm),
                    _ => Ok(()),
                }
            }
            ExprKind::Binary(BinOp::Implies, c, a) => {
                self.produce_either(state, (c, a, None), snap, factor, blame)
            }
            ExprKind::Cond(c, a, b) => {
                self.produce_either(state, (c, a, Some(b)), snap, factor, blame)
            }
            ExprKind::Let(local, value, body) => {
                let value = self.eval(state, value, blame)?;
                state.store.set(*local, value);
                self.produce(state, body, snap, factor, blame)
            }
            ExprKind::InhaleExhale(a, b) => {
                let agree = self.syntax.sides_agree(a, b, state.owner);
                let snap = if agree { snap } else { self.fresh_snap(state) };
                self.in_mode(
                    state,
                    |m| m.one_sided = true,
                    |this, state| this.produce(state, a, snap, factor, blame),
                )
            }
            ExprKind::Binary(BinOp::And, ..) => self.produce(state, e, snap, factor, blame),
            ExprKind::Quant { .. } => self
                .because_of(e.pos, |this| this.produce_quantified(state, e, snap, factor, blame)),
            ExprKind::Wand(wand) => {
                let (id, args) = self.eval_wand(state, wand, blame)?;
                self.put(state, id.at(&args), snap, factor)
            }
            _ => self.unsupported(state, e.pos, "This assertion"),
        }
    }

    /// Produces one of two assertions; `c ==> a` has only one.
    fn produce_either(
        &mut self,
        state: &mut State,
        (c, a, b): Conditional<'_>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let produce_side = |this: &mut Self, s: &mut State| {
            let side = if this.branch_on(s, c, blame)? { Some(a) } else { b };
            side.map_or(Ok(()), |side| this.produce(s, side, snap, factor, blame))
        };
        if !self.joins_assertions(state) {
            return produce_side(self, state);
        }
        self.explore_and_merge(state, |this, s| produce_side(this, s).map(Some)).map(|_| ())
    }

    /// Produces the body of an instance; `exprs` are the expressions that its arguments are.
    pub fn produce_body(
        &mut self,
        state: &mut State,
        instance: Instance,
        exprs: &[Arc<Expr>],
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let (predicate, snap) = (instance.predicate, instance.snap);
        let Some(body) = &self.program.predicate(predicate).body else { return Ok(()) };
        let mut inner =
            state.enter(self.program, Owner::Predicate(predicate), &instance.args, exprs.to_vec());
        inner.mode.scale = self.scaled_by(factor);
        inner.within = Within::Unfolded(Rc::new(instance));
        inner.mode.reading = false;
        self.produce(&mut inner, body, snap, factor, blame)?;
        state.heap = inner.heap.clone();
        state.branches = inner.branches.clone();
        state.leave(inner);
        Ok(())
    }
}
