//! Expressions that look into predicates (`unfolding`) or prove something on the way (`asserting`).

use std::rc::Rc;
use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, PredicateAccess};

use crate::diagnostics::{Blame, predicate_reason};
use crate::executor::Executor;
use crate::heap::{Demand, Instance};
use crate::prover::{Outcome, Run};
use crate::state::{ResourceId, State};

impl Executor<'_> {
    pub(super) fn eval_unfolding(
        &mut self,
        state: &mut State,
        access: &PredicateAccess,
        body: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let outcomes =
            self.explore_unfolding(state, access, blame, |this, s| this.eval(s, body, blame))?;
        self.join(state, &outcomes)
    }

    /// Proves the assertion of an `asserting`, and knows it.
    pub fn check_asserted(
        &mut self,
        state: &mut State,
        assertion: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<()> {
        let outcomes = self.explore(state, |this, s| {
            if s.mode.reading {
                this.frame_all(s, std::slice::from_ref(assertion), blame)?;
                return Ok(());
            }
            // An expression takes nothing from around a wand.
            s.reserves = Rc::default();
            let mut heap = s.heap.clone();
            this.consume(s, &mut heap, assertion, blame)?;
            Ok(())
        })?;
        self.learn(state, &outcomes)
    }

    /// Runs `f` where a predicate is unfolded, on all its paths.
    pub fn explore_unfolding<R: Clone + 'static>(
        &mut self,
        state: &mut State,
        access: &PredicateAccess,
        blame: &Blame,
        mut f: impl FnMut(&mut Self, &mut State) -> Run<R>,
    ) -> Run<Rc<Vec<Outcome<R>>>> {
        self.explore(state, |this, s| {
            let args = this.eval_all(s, &access.args, blame)?;
            // A scaled amount is what it is; only one given here may be made smaller.
            let before = std::mem::take(&mut s.wildcards);
            let amount = this.eval_amount(s, access.amount.as_ref(), blame)?;
            this.check_positive(s, amount, access, blame)?;
            let mut amount = match s.mode.scale {
                Some(scale) => this.terms.mul(amount, scale),
                None => amount,
            };
            let resource = ResourceId::Predicate(access.predicate);
            let mut heap = s.heap.clone();
            let snap = if s.mode.reading {
                amount = this.some_of(s, amount)?;
                this.lookup(s, &heap, resource.at(&args))?
            } else {
                this.take(s, &mut heap, resource.at(&args), amount)?
            };
            let Some(snap) = snap else {
                let wildcard = s.mode.reading || this.is_wildcard(s, amount);
                this.note_shortage(
                    &heap,
                    Demand { location: resource.at(&args), amount, wildcard },
                );
                let reason = predicate_reason(access, s.owner);
                return this.fail(s, blame, &reason);
            };
            s.wildcards = before;
            s.heap = heap;
            s.perm_heap = None;
            this.unfolded.push((access.predicate, snap, args.clone().into()));
            this.note_predicate(s, access.predicate, snap, &args)?;
            s.unfolding.push_front_mut(access.predicate);
            let instance = Instance { predicate: access.predicate, args: args.into(), snap };
            this.produce_body(s, instance, &access.args, amount, blame)?;
            s.unfolding.drop_first_mut();
            f(this, s)
        })
    }
}
