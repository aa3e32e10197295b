//! Taking permission to one location.

use std::rc::Rc;

use smt::Term;

use super::{Demand, Target};
use crate::config::ExhaleMode;
use crate::prover::{Prover, Run};
use crate::state::{Heap, Location, ResourceId, State};
use crate::stats::Purpose;

impl Prover<'_> {
    /// Takes an amount of permission away from a heap and returns the value that was there; `None`
    /// if there is not enough.
    pub fn take(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        location: Location<'_>,
        amount: Term,
    ) -> Run<Option<Term>> {
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        if amount == zero {
            return Ok(Some(self.unit()));
        }
        if resource.is_wand() {
            let taken = self.take_wand(state, heap, location, amount)?;
            return Ok(taken.map(|(snap, _)| snap));
        }
        let wildcard = self.is_wildcard(state, amount);
        let demand = Demand { location, amount, wildcard };
        let quantified = heap.quantified_of(resource).next().is_some();
        if quantified {
            self.relate_shares(state, &heap.clone(), location)?;
        }
        if state.mode.exhale != ExhaleMode::MoreComplete {
            let exact = heap.of(resource).any(|(_, c)| *c.args == *args);
            // A quantified chunk that looks right is a better guess than single ones that do not.
            if quantified
                && !exact
                && let Some(snap) = self.take_shared(state, heap, demand)?
            {
                return Ok(Some(snap));
            }
            if let Some(snap) = self.take_single(state, heap, demand)? {
                return Ok(Some(snap));
            }
        }
        if self.is_greedy(state, heap, resource) || !heap.has(resource) {
            return Ok(None);
        }
        self.take_from_all(state, heap, demand)
    }

    /// Takes everything from one chunk.
    pub fn take_single(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        demand: Demand<'_>,
    ) -> Run<Option<Term>> {
        let Demand { location, amount, .. } = demand;
        let Some(index) = self.find(state, heap, location)? else { return Ok(None) };
        let chunk = heap.chunks()[index].clone();
        if !self.suffices(state, chunk.perm, demand, false)? {
            return Ok(None);
        }
        let rest = self.terms.sub(chunk.perm, amount);
        if rest == self.amount(0, 1) {
            heap.remove(index);
        } else {
            heap.get_mut(index).perm = rest;
        }
        Ok(Some(chunk.snap))
    }

    /// Takes everything from one quantified chunk.
    pub fn take_shared(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        demand: Demand<'_>,
    ) -> Run<Option<Term>> {
        let Demand { location, amount, .. } = demand;
        let Location { resource, args } = location;
        let chunks: Vec<_> = heap.quantified_of(resource).collect();
        for (index, chunk) in chunks {
            if !self.resembles(&chunk, args) {
                continue;
            }
            let held = self.perm_at(&chunk, args);
            if self.suffices(state, held, demand, true)? {
                let perm = self.without(&chunk, args, amount);
                let left = heap.quantified_mut(index);
                left.perm = perm;
                let zero = self.amount(0, 1);
                let positive = self.terms.lt(zero, amount);
                if self.terms.as_bool(positive) == Some(true) && !resource.is_wand() {
                    Rc::make_mut(&mut left.holes).push(args.into());
                    // What was proved decides where it goes when it comes back.
                    let some = self.terms.lt(zero, held);
                    self.assume(state, some)?;
                }
                return Ok(Some(self.snap_at(&chunk, args)));
            }
        }
        Ok(None)
    }

    fn take_from_all(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        demand: Demand<'_>,
    ) -> Run<Option<Term>> {
        let Demand { location, amount, .. } = demand;
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        let before = heap.clone();
        let held = self.held(&before, location);
        if !self.suffices(state, held, demand, false)? {
            return Ok(None);
        }
        let snap = self.summary_snap(state, &before, location);
        if matches!(resource, ResourceId::Field(_)) && amount == self.amount(1, 1) {
            self.empty(heap, location);
        } else {
            self.remove_available(state, heap, Target::One(resource, args), amount)?;
        }
        // A chunk that is certainly empty only gets in the way.
        let mut empty = Vec::new();
        for (index, chunk) in heap.clone().of(resource) {
            let gone = self.terms.eq(chunk.perm, zero);
            if self.prove_quickly(state, Purpose::Permission, gone)? {
                empty.push(index);
            }
        }
        for index in empty.into_iter().rev() {
            heap.remove(index);
        }
        Ok(Some(snap))
    }

    /// Takes away all there is at a location.
    fn empty(&mut self, heap: &mut Heap, location: Location<'_>) {
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        let singles: Vec<usize> = heap.of(resource).map(|(i, _)| i).collect();
        for index in singles {
            let chunk = heap.chunks()[index].clone();
            let same = self.alias(&chunk.args, args);
            heap.get_mut(index).perm = self.terms.ite(same, zero, chunk.perm);
        }
        let quantified: Vec<usize> = heap.quantified_of(resource).map(|(i, _)| i).collect();
        let formals = self.formals(resource);
        let here = self.alias(&formals, args);
        for index in quantified {
            let perm = heap.quantified()[index].perm;
            heap.quantified_mut(index).perm = self.terms.ite(here, zero, perm);
        }
    }

    /// Proves that what is held is enough; then a wildcard is less than that.
    fn suffices(
        &mut self,
        state: &mut State,
        held: Term,
        demand: Demand<'_>,
        quickly: bool,
    ) -> Run<bool> {
        let enough = self.enough(held, demand.amount, demand.wildcard);
        let proved = if quickly {
            self.prove_quickly(state, Purpose::Permission, enough)?
        } else {
            self.prove(state, Purpose::Permission, enough)?
        };
        if proved && demand.wildcard {
            self.constrain(state, held, demand.amount)?;
        }
        Ok(proved)
    }
}
