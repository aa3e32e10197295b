//! Another value at one location of a quantified chunk: the map `v` of the chunk is replaced by `v'` with
//!
//! > `forall r :: v'(r) == (r == x ? e : v(r))`
//!
//! *Why that is sound.* A map is a set of locations, its domain, with a value for each of them; at others
//! it has some fixed value, the same for all maps. Two maps with the same domain and the same values there
//! are equal. `v'` is the map with the domain of `v` and the value `e` at `x`, if `x` is in the domain of
//! `v`. It is: all locations of which a chunk has permission are in its domain, if that is known at all;
//! otherwise `x` can be added. Where it is not certain that a chunk has permission to `x`, its map changes
//! only if it has.

use smt::Term;

use crate::encoding::{Formula, FormulaKind};
use crate::prover::{Prover, Run};
use crate::state::{Location, QuantifiedChunk, State};

impl Prover<'_> {
    /// Whichever chunks have the location have a new value there.
    pub(super) fn update_all(
        &mut self,
        state: &mut State,
        location: Location<'_>,
        value: Term,
    ) -> Run<()> {
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
    pub(super) fn update(
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
