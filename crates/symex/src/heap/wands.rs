//! Taking wands from a heap.

use std::rc::Rc;

use smt::Term;

use crate::heap::Demand;
use crate::prover::{Prover, Run};
use crate::state::{Chunk, Heap, Location, QuantifiedChunk, State};
use crate::stats::Purpose;
use crate::transfer::Rest;

impl Prover<'_> {
    /// Takes a wand: from one chunk, for two that look the same may differ in what they are good
    /// for. With it comes the rest of its footprint, if that is known.
    pub fn take_wand(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        location: Location<'_>,
        amount: Term,
    ) -> Run<Option<(Term, Option<Rc<Rest>>)>> {
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        let wildcard = self.is_wildcard(state, amount);
        let mut chunks: Vec<(usize, Chunk)> =
            heap.of(resource).map(|(i, c)| (i, c.clone())).collect();
        // The one whose snapshot functions and `applying` would see.
        chunks.sort_by_key(|(_, chunk)| *chunk.args != *args);
        for (index, chunk) in &chunks {
            let same = self.alias(&chunk.args, args);
            let enough = self.enough(chunk.perm, amount, wildcard);
            let right = self.terms.and([same, enough]);
            if !self.prove_quickly(state, Purpose::Permission, right)? {
                continue;
            }
            if wildcard {
                self.constrain(state, chunk.perm, amount)?;
            }
            let left = self.terms.sub(chunk.perm, amount);
            if left == zero {
                heap.remove(*index);
                return Ok(Some((chunk.snap, chunk.rest.clone())));
            }
            let kept = heap.get_mut(*index);
            (kept.perm, kept.rest) = (left, None);
            return Ok(Some((chunk.snap, None)));
        }
        let demand = Demand { location, amount, wildcard };
        if let Some(snap) = self.take_shared(state, heap, demand)? {
            return Ok(Some((snap, None)));
        }
        if wildcard || self.is_greedy(state, heap, resource) {
            return Ok(None);
        }
        self.take_some_wand(state, heap, location, amount)
    }

    /// Takes a wand from whichever chunk has it.
    fn take_some_wand(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        location: Location<'_>,
        amount: Term,
    ) -> Run<Option<(Term, Option<Rc<Rest>>)>> {
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        let mut choices: Vec<(Term, Term)> = Vec::new();
        let mut found = self.terms.bool(false);
        let singles: Vec<(usize, Chunk)> = heap.of(resource).map(|(i, c)| (i, c.clone())).collect();
        for (index, chunk) in singles {
            let same = self.alias(&chunk.args, args);
            let enough = self.terms.le(amount, chunk.perm);
            let first = self.terms.not(found);
            let chosen = self.terms.and([same, enough, first]);
            let less = self.terms.ite(chosen, amount, zero);
            let kept = heap.get_mut(index);
            (kept.perm, kept.rest) = (self.terms.sub(chunk.perm, less), None);
            choices.push((chosen, chunk.snap));
            found = self.terms.or([found, chosen]);
        }
        let quantified: Vec<(usize, QuantifiedChunk)> = heap.quantified_of(resource).collect();
        for (index, chunk) in quantified {
            let held = self.perm_at(&chunk, args);
            let enough = self.terms.le(amount, held);
            let first = self.terms.not(found);
            let chosen = self.terms.and([enough, first]);
            let less = self.terms.ite(chosen, amount, zero);
            heap.quantified_mut(index).perm = self.without(&chunk, args, less);
            choices.push((chosen, self.snap_at(&chunk, args)));
            found = self.terms.or([found, chosen]);
        }
        if !self.prove(state, Purpose::Permission, found)? {
            return Ok(None);
        }
        let Some((_, mut snap)) = choices.pop() else { return Ok(None) };
        for (chosen, other) in choices.into_iter().rev() {
            snap = self.terms.ite(chosen, other, snap);
        }
        Ok(Some((snap, None)))
    }
}
