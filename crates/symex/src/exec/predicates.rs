//! `fold` and `unfold`.

use std::rc::Rc;

use viper::core::PredicateAccess;

use crate::diagnostics::{Blame, predicate_reason};
use crate::executor::Executor;
use crate::heap::{Demand, Instance, Within};
use crate::prover::Run;
use crate::state::{Owner, ResourceId, State};

impl<'p> Executor<'p> {
    pub(super) fn fold(
        &mut self,
        state: &mut State,
        access: &'p PredicateAccess,
        blame: &Blame,
    ) -> Run<()> {
        let decl = self.program.predicate(access.predicate);
        let blame = &blame.clone().about(decl.name.as_str());
        let args = self.eval_all(state, &access.args, blame)?;
        let wildcards = state.wildcards.clone();
        let amount = self.eval_amount(state, access.amount.as_ref(), blame)?;
        self.check_positive(state, amount, access, blame)?;
        let owner = Owner::Predicate(access.predicate);
        let mut inner = state.enter(self.program, owner, &args, access.args.clone());
        inner.mode.scale = self.scaled_by(amount);
        inner.within = Within::Folded(Rc::default());
        inner.mode.want_snap = true;
        let mut heap = state.heap.clone();
        let snap = match &decl.body {
            Some(body) => {
                let taken = self.consume_scaled(&mut inner, &mut heap, body, amount, blame);
                // What was transferred counts, even if it turned out to be impossible.
                state.reserves = inner.reserves.clone();
                taken?
            }
            None => self.fresh_snap(&mut inner),
        };
        state.branches = inner.branches.clone();
        let within = std::mem::take(&mut inner.within);
        state.leave(inner);
        state.wildcards = wildcards;
        state.heap = heap;
        if let Within::Folded(taken) = within {
            let (predicate, args) = (access.predicate, args.as_slice().into());
            let outer = Rc::new(Instance { predicate, args, snap });
            for (inner, amount) in taken.iter() {
                self.nest(state, &outer, inner.clone(), *amount)?;
            }
        }
        self.note_predicate(state, access.predicate, snap, &args)?;
        self.put(state, ResourceId::Predicate(access.predicate).at(&args), snap, amount)
    }

    pub(super) fn unfold(
        &mut self,
        state: &mut State,
        access: &'p PredicateAccess,
        blame: &Blame,
    ) -> Run<()> {
        let decl = self.program.predicate(access.predicate);
        let blame = &blame.clone().about(decl.name.as_str());
        let args = self.eval_all(state, &access.args, blame)?;
        let wildcards = state.wildcards.clone();
        let amount = self.eval_amount(state, access.amount.as_ref(), blame)?;
        self.check_positive(state, amount, access, blame)?;
        let resource = ResourceId::Predicate(access.predicate);
        let mut heap = state.heap.clone();
        self.transfer(state, &mut heap, resource.at(&args), amount)?;
        let Some(snap) = self.take(state, &mut heap, resource.at(&args), amount)? else {
            let wildcard = self.is_wildcard(state, amount);
            self.note_shortage(&heap, Demand { location: resource.at(&args), amount, wildcard });
            let reason = predicate_reason(access, state.owner);
            return self.fail(state, blame, &reason);
        };
        state.wildcards = wildcards;
        state.heap = heap;
        self.note_predicate(state, access.predicate, snap, &args)?;
        let instance = Instance { predicate: access.predicate, args: args.into(), snap };
        self.produce_body(state, instance, &access.args, amount, blame)
    }
}
