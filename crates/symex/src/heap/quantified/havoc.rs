//! Forgetting values.

use smt::Term;

use crate::encoding::FormulaKind;
use crate::prover::{Prover, Run};
use crate::state::{QuantifiedChunk, ResourceId, State};

impl Prover<'_> {
    /// Forgets the values of a resource where a condition over its formals holds.
    pub fn havoc_where(
        &mut self,
        state: &mut State,
        resource: ResourceId,
        region: Term,
    ) -> Run<()> {
        // One map of new values, so that chunks of one location agree on them.
        let map = self.value_map(resource);
        let fresh = self.fresh(state, "values", map.sort);
        let singles: Vec<usize> = state.heap.of(resource).map(|(i, _)| i).collect();
        for index in singles {
            let chunk = state.heap.chunks()[index].clone();
            let here = self.at(resource, region, &chunk.args);
            let new = if resource.is_wand() {
                self.fresh_snap(state)
            } else {
                let new = self.value_at(resource, fresh, &chunk.args);
                self.wrap(new)
            };
            let snap = self.terms.ite(here, new, chunk.snap);
            let chunk = state.heap.get_mut(index);
            (chunk.snap, chunk.rest) = (snap, None);
        }
        let quantified: Vec<(usize, QuantifiedChunk)> =
            state.heap.quantified_of(resource).collect();
        let formals = self.formals(resource);
        let zero = self.amount(0, 1);
        for (index, chunk) in quantified {
            let values = self.fresh(state, "values", map.sort);
            let own = self.value_at(resource, values, &formals);
            let new = self.value_at(resource, fresh, &formals);
            let old = self.value_at(resource, chunk.values, &formals);
            // Only what is held: the domain of the map is the same, and outside of it all maps are.
            let held = self.terms.lt(zero, chunk.perm);
            let forgotten = self.terms.and([region, held]);
            let right = self.terms.ite(forgotten, new, old);
            let body = self.terms.eq(own, right);
            let triggers = [vec![own], vec![old], vec![new]];
            let fact = self.for_all(FormulaKind::Havoc, &formals, &triggers, body);
            self.assume(state, fact)?;
            state.heap.quantified_mut(index).values = values;
        }
        Ok(())
    }
}
