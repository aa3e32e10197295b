//! Adding chunks.

use smt::Term;

use super::shares::Share;
use crate::prover::{Prover, Run};
use crate::state::{Chunk, Heap, Location, ResourceId, State};

impl Prover<'_> {
    /// Adds a chunk to the heap of a state, and what follows from having it.
    pub fn put(
        &mut self,
        state: &mut State,
        location: Location<'_>,
        snap: Term,
        perm: Term,
    ) -> Run<()> {
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        if perm == zero {
            return Ok(());
        }
        if resource.is_wand() {
            state.heap.push(Chunk { resource, args: args.into(), snap, perm, rest: None });
            return Ok(());
        }
        let one = self.amount(1, 1);
        let is_field = matches!(resource, ResourceId::Field(_));
        let positive = self.terms.lt(zero, perm);
        if is_field {
            let bounded = self.terms.le(perm, one);
            self.assume(state, bounded)?;
            let not_null = self.is_not_null(args[0]);
            let fact = if self.entailed(state, positive) {
                not_null
            } else {
                self.terms.implies(positive, not_null)
            };
            self.assume(state, fact)?;
        }
        let twin = state.heap.of(resource).find(|(_, c)| *c.args == *args);
        if twin.is_none() && self.fill(state, location, snap, perm)? {
            return Ok(());
        }
        let twin = state.heap.of(resource).find(|(_, c)| *c.args == *args);
        if let Some((index, chunk)) = twin.map(|(i, c)| (i, c.clone())) {
            let sum = self.terms.add(chunk.perm, perm);
            if is_field {
                let bounded = self.terms.le(sum, one);
                self.assume(state, bounded)?;
            }
            let before = self.terms.lt(zero, chunk.perm);
            let both = self.terms.and([positive, before]);
            let agree = self.terms.eq(chunk.snap, snap);
            let fact = self.terms.implies(both, agree);
            self.assume(state, fact)?;
            // Where the old chunk may be empty, the new value is the one that counts.
            let value = if self.entailed(state, before) {
                chunk.snap
            } else {
                self.terms.ite(before, chunk.snap, snap)
            };
            let merged = state.heap.get_mut(index);
            merged.perm = sum;
            merged.snap = value;
            self.relate_to_others(state, location, Share { snap: value, perm: sum })?;
        } else {
            self.relate_to_others(state, location, Share { snap, perm })?;
            state.heap.push(Chunk { resource, args: args.into(), snap, perm, rest: None });
        }
        if state.heap.quantified_of(resource).next().is_some() {
            let heap = state.heap.clone();
            self.relate_shares(state, &heap, location)?;
        }
        Ok(())
    }

    /// Adds all chunks of a heap to that of a state.
    pub fn put_all(&mut self, state: &mut State, heap: &Heap) -> Run<()> {
        for chunk in heap.chunks() {
            if chunk.resource.is_wand() {
                state.heap.push(chunk.clone());
            } else {
                self.put(state, chunk.resource.at(&chunk.args), chunk.snap, chunk.perm)?;
            }
        }
        for chunk in heap.quantified() {
            self.put_quantified(state, chunk.clone())?;
        }
        Ok(())
    }
}
