//! Writing a location that is held together with many others.
//!
//! A write takes the permission away and gives it back. Where it comes from a quantified chunk, the
//! location could be a chunk of its own from then on; but whether the next one that is written is the
//! same location is not known, so each write would depend on all those before it. Here permissions stay
//! where they are, and only values change ([`update`](super::update)). So a write costs the same however many
//! there were, and permissions are found as if there were none.

use smt::Term;

use crate::config::ExhaleMode;
use crate::heap::Demand;
use crate::prover::{Prover, Run};
use crate::state::{Location, State};
use crate::stats::Purpose;

impl Prover<'_> {
    /// Writes a value to a location of a field; `false` if there is not all permission to it.
    pub fn write(&mut self, state: &mut State, location: Location<'_>, value: Term) -> Run<bool> {
        let Location { resource, args } = location;
        let amount = self.amount(1, 1);
        let quantified: Vec<_> = state.heap.quantified_of(resource).collect();
        let exact = state.heap.of(resource).any(|(_, c)| *c.args == *args);
        if quantified.is_empty() || exact {
            return self.take_and_put(state, location, value);
        }
        let heap = state.heap.clone();
        if state.mode.exhale != ExhaleMode::MoreComplete {
            for (index, chunk) in &quantified {
                if !self.resembles(chunk, args) {
                    continue;
                }
                let held = self.perm_at(chunk, args);
                let all = self.terms.le(amount, held);
                if self.prove_quickly(state, Purpose::Permission, all)? {
                    let always = self.terms.bool(true);
                    self.update(state, *index, chunk, args, (value, always))?;
                    return Ok(true);
                }
            }
            if heap.of(resource).next().is_some() {
                self.relate_shares(state, &heap, location)?;
            }
            let demand = Demand { location, amount, wildcard: false };
            let mut rest = heap.clone();
            if self.take_single(state, &mut rest, demand)?.is_some() {
                state.heap = rest;
                let snap = self.wrap(value);
                self.put(state, location, snap, amount)?;
                return Ok(true);
            }
        }
        let held = self.held(&heap, location);
        let all = self.terms.le(amount, held);
        if !self.prove(state, Purpose::Permission, all)? {
            return Ok(false);
        }
        self.update_all(state, location, value)?;
        Ok(true)
    }

    fn take_and_put(
        &mut self,
        state: &mut State,
        location: Location<'_>,
        value: Term,
    ) -> Run<bool> {
        let full = self.amount(1, 1);
        let mut heap = state.heap.clone();
        if self.take(state, &mut heap, location, full)?.is_none() {
            return Ok(false);
        }
        state.heap = heap;
        let snap = self.wrap(value);
        self.put(state, location, snap, full)?;
        Ok(true)
    }
}
