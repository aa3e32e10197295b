//! Magic wands: `package`, `apply` and `applying`.
//!
//! `A --* B` is a promise: together with `A`, it can be exchanged for `B`. It is kept by a footprint,
//! permissions that are put aside when the wand is packaged. The footprint must do for *every* state in
//! which `A` holds, not only for those that look like the one in which the wand is packaged.

mod fixed;
mod join;
mod package;
mod shape;
mod states;

use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, Wand};

use crate::diagnostics::{Blame, wand_reason};
use crate::executor::Executor;
use crate::heap::Demand;
use crate::prover::{Outcome, Run, Stop};
use crate::state::State;
use crate::stats::Purpose;

impl Executor<'_> {
    /// Applies a wand: its left-hand side is given up, its right-hand side gained.
    pub fn apply(&mut self, state: &mut State, wand: &Wand, blame: &Blame) -> Run<()> {
        let (resource, args) = self.eval_wand(state, wand, blame)?;
        let before = state.heap.clone();
        let mut heap = before.clone();
        let full = self.amount(1, 1);
        self.transfer(state, &mut heap, resource.at(&args), full)?;
        let taken = self.take_wand(state, &mut heap, resource.at(&args), full)?;
        let Some((snap, rest)) = taken else {
            let demand = Demand { location: resource.at(&args), amount: full, wildcard: false };
            self.note_shortage(&heap, demand);
            let reason = wand_reason(wand, state);
            return self.fail(state, blame, &reason);
        };
        let given = self.in_mode(
            state,
            |m| m.want_snap = true,
            |this, state| this.consume(state, &mut heap, &wand.lhs, blame),
        )?;
        let given = if self.syntax.varies(&wand.lhs, state.owner) {
            let amounts = self.fresh_snap(state);
            self.snap_pair(amounts, given)
        } else {
            given
        };
        let outer = state.lhs.replace(state.heap.clone());
        state.heap = heap;
        let applied = self.wand_applied(snap, given);
        self.assume(state, applied)?;
        let gain = self.wand_gain(snap, given);
        self.produce(state, &wand.rhs, gain, full, blame)?;
        state.lhs = outer;
        match rest {
            Some(rest) => self.give_back(state, &rest, given),
            None => Ok(()),
        }
    }

    /// `applying (A --* B) in e`
    pub fn eval_applying(
        &mut self,
        state: &mut State,
        wand: &Wand,
        body: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let twins = self.has_twins(state, wand, blame)?;
        let outcomes =
            self.explore_applying(state, wand, blame, |this, s| this.eval(s, body, blame))?;
        let value = self.join(state, &outcomes)?;
        // Wands that look the same may have different gains: which one is meant is not known.
        Ok(if twins { self.fresh_of(state, "applied", &body.ty) } else { value })
    }

    /// May more than one of the chunks that are held be a certain wand?
    fn has_twins(&mut self, state: &mut State, wand: &Wand, blame: &Blame) -> Run<bool> {
        let (resource, args) = self.eval_wand(state, wand, blame)?;
        let singles: Vec<_> = state.heap.of(resource).map(|(_, c)| c.clone()).collect();
        let quantified: Vec<_> = state.heap.quantified_of(resource).map(|(_, c)| c).collect();
        if singles.len() + quantified.len() < 2 {
            return Ok(false);
        }
        let zero = self.amount(0, 1);
        let mut held = Vec::new();
        for chunk in singles {
            let (same, some) = (self.alias(&chunk.args, &args), self.terms.lt(zero, chunk.perm));
            held.push(self.terms.and([same, some]));
        }
        for chunk in quantified {
            let perm = self.perm_at(&chunk, &args);
            held.push(self.terms.lt(zero, perm));
        }
        for (i, one) in held.iter().enumerate() {
            for other in &held[..i] {
                let both = self.terms.and([*one, *other]);
                let not_both = self.terms.not(both);
                if !self.prove_quickly(state, Purpose::Permission, not_both)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Runs `f` where a wand is applied, on all its paths.
    pub fn explore_applying<R: Clone + 'static>(
        &mut self,
        state: &mut State,
        wand: &Wand,
        blame: &Blame,
        mut f: impl FnMut(&mut Self, &mut State) -> Run<R>,
    ) -> Run<std::rc::Rc<Vec<Outcome<R>>>> {
        self.explore(state, |this, s| {
            s.reserves = std::rc::Rc::default();
            // The body sees what there is after the application.
            s.perm_heap = None;
            this.apply(s, wand, blame)?;
            f(this, s)
        })
    }

    /// What triggers that mention a wand match: instances in the quantified chunk that is there now.
    /// Where wands are held one by one, there is nothing to match.
    pub fn wand_trigger(
        &mut self,
        state: &mut State,
        wand: &Wand,
        blame: &Blame,
    ) -> Run<Option<Term>> {
        let (resource, args) = match self.eval_wand(state, wand, blame) {
            Ok(found) => found,
            Err(Stop::Abort) => return Err(Stop::Abort),
            Err(_) => return Ok(None),
        };
        if state.heap.of(resource).next().is_some() {
            return Ok(None);
        }
        let chunk = state.heap.quantified_of(resource).next();
        Ok(chunk.map(|(_, chunk)| self.value_at(resource, chunk.values, &args)))
    }
}
