//! Writing a location that is held together with many others.
//!
//! A write takes the permission away and gives it back. Where it comes from a quantified chunk, the
//! location could be a chunk of its own from then on; but whether the next one that is written is the
//! same location is not known, so each write would depend on all those before it. Here permissions stay
//! where they are, and only values change: the map `v` of a chunk is replaced by `v'` with
//!
//! > `forall r :: v'(r) == (r == x ? e : v(r))`
//!
//! So a write costs the same however many there were, and permissions are found as if there were none.
//!
//! *Why that is sound.* A map is a set of locations, its domain, with a value for each of them; at others
//! it has some fixed value, the same for all maps. Two maps with the same domain and the same values there
//! are equal. `v'` is the map with the domain of `v` and the value `e` at `x`, if `x` is in the domain of
//! `v`. It is: all locations of which a chunk has permission are in its domain, if that is known at all;
//! otherwise `x` can be added. Where it is not certain that a chunk has permission to `x`, its map changes
//! only if it has.

use smt::Term;

use crate::config::ExhaleMode;
use crate::encoding::{Formula, FormulaKind};
use crate::heap::Demand;
use crate::prover::{Prover, Run};
use crate::state::{Location, QuantifiedChunk, State};
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

    /// Whichever chunks have the location have a new value there.
    fn update_all(&mut self, state: &mut State, location: Location<'_>, value: Term) -> Run<()> {
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        let snap = self.wrap(value);
        let singles: Vec<usize> = state.heap.of(resource).map(|(i, _)| i).collect();
        for index in singles {
            let chunk = state.heap.chunks()[index].clone();
            let same = self.alias(&chunk.args, args);
            let new = self.terms.ite(same, snap, chunk.snap);
            state.heap.get_mut(index).snap = self.name(state, "s", new)?;
        }
        let quantified: Vec<_> = state.heap.quantified_of(resource).collect();
        for (index, chunk) in quantified {
            let held = self.perm_at(&chunk, args);
            let some = self.terms.lt(zero, held);
            if self.terms.as_bool(some) != Some(false) {
                self.update(state, index, &chunk, args, (value, some))?;
            }
        }
        Ok(())
    }

    /// A chunk has a new value at a location, if a condition holds.
    pub(crate) fn update(
        &mut self,
        state: &mut State,
        index: usize,
        chunk: &QuantifiedChunk,
        args: &[Term],
        (value, condition): (Term, Term),
    ) -> Run<()> {
        let resource = chunk.resource;
        let map = self.value_map(resource);
        let formals = self.formals(resource);
        let values = self.fresh(state, "values", map.sort);
        let new = self.value_at(resource, values, &formals);
        let old = self.value_at(resource, chunk.values, &formals);
        let here = self.alias(&formals, args);
        let changed = self.terms.and([here, condition]);
        let right = self.terms.ite(changed, value, old);
        let body = self.terms.eq(new, right);
        // Only from the new map to the old one, so that a location that is read costs as much as there
        // were writes before and nothing for those after it. There are only so many maps, and it mentions
        // no new locations: chains of these come to an end, and may be long.
        let triggers = [vec![new]];
        let fact = self.close(
            Formula::for_all(FormulaKind::Write).with_weight(Some(0)),
            &formals,
            &triggers,
            body,
        );
        self.assume(state, fact)?;
        state.heap.quantified_mut(index).values = values;
        Ok(())
    }
}
