//! Reading a location.

use std::rc::Rc;

use smt::Term;

use crate::config::ExhaleMode;
use crate::prover::{Prover, Run};
use crate::state::{Heap, Location, ResourceId, State};
use crate::stats::Purpose;

impl Prover<'_> {
    /// Is one chunk looked for that certainly matches, and nothing else? As in Silicon, that is never
    /// so for resources to which there are quantified permissions: these are always summed up.
    pub fn is_greedy(&self, state: &State, heap: &Heap, resource: ResourceId) -> bool {
        state.mode.exhale == ExhaleMode::Greedy
            && heap.quantified_of(resource).next().is_none()
            && !self.syntax.is_quantified(resource)
    }

    /// The value at a location, if there is permission to read it.
    pub fn lookup(
        &mut self,
        state: &mut State,
        heap: &Heap,
        location: Location<'_>,
    ) -> Run<Option<Term>> {
        let Location { resource, args } = location;
        if !state.is_quantified() {
            return self.find_value(state, heap, location);
        }
        // A trigger must mention the value that the formula mentions.
        let key = (args.to_vec(), heap.contents(resource));
        if state.mode.in_trigger
            && let Some(snap) = self.quantified_read(&key)
        {
            return Ok(Some(snap));
        }
        let found = self.find_value(state, heap, location)?;
        if let Some(snap) = found
            && !state.mode.in_trigger
        {
            self.note_quantified_read(key, snap);
        }
        Ok(found)
    }

    fn find_value(
        &mut self,
        state: &mut State,
        heap: &Heap,
        location: Location<'_>,
    ) -> Run<Option<Term>> {
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        let quantified: Vec<_> = heap.quantified_of(resource).map(|(_, c)| c).collect();
        if !quantified.is_empty() && !state.mode.in_trigger {
            self.relate_shares(state, heap, location)?;
        }
        let exact = heap.of(resource).find(|(_, c)| *c.args == *args).map(|(i, _)| i);
        let found = match exact {
            Some(index) => Some(index),
            None if quantified.is_empty() => self.find(state, heap, location)?,
            None => None,
        };
        if let Some(index) = found {
            let chunk = &heap.chunks()[index];
            let positive = self.terms.lt(zero, chunk.perm);
            if state.mode.in_trigger || self.prove(state, Purpose::Permission, positive)? {
                return Ok(Some(chunk.snap));
            }
        }
        for chunk in &quantified {
            if !state.mode.in_trigger && !self.resembles(chunk, args) {
                continue;
            }
            let perm = self.perm_at(chunk, args);
            let positive = self.terms.lt(zero, perm);
            if state.mode.in_trigger || self.prove_quickly(state, Purpose::Permission, positive)? {
                return Ok(Some(self.snap_at(chunk, args)));
            }
        }
        if !heap.has(resource) || self.is_greedy(state, heap, resource) {
            return Ok(None);
        }
        let positive = self.held_at_all(heap, location);
        if !self.prove(state, Purpose::Permission, positive)? {
            return Ok(None);
        }
        if self.mentions_quantified(state, args) {
            return self.summary_at(state, heap, location).map(Some);
        }
        Ok(Some(self.summary_snap(state, heap, location)))
    }

    /// The chunk that is certainly at this location.
    pub(super) fn find(
        &mut self,
        state: &State,
        heap: &Heap,
        location: Location<'_>,
    ) -> Run<Option<usize>> {
        let Location { resource, args } = location;
        if let Some((index, _)) = heap.of(resource).find(|(_, c)| *c.args == *args) {
            return Ok(Some(index));
        }
        if state.mode.in_trigger {
            return Ok(heap.of(resource).next().map(|(index, _)| index));
        }
        let candidates: Vec<(usize, Rc<[Term]>)> =
            heap.of(resource).map(|(i, c)| (i, Rc::clone(&c.args))).collect();
        for (index, chunk_args) in candidates {
            let same = self.alias(&chunk_args, args);
            if self.prove_quickly(state, Purpose::Permission, same)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}
