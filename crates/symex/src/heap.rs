//! Looking for chunks, taking and adding them.
//!
//! First one chunk is looked for that is certainly the right one. Where that fails, all chunks that
//! may be are taken together: their permissions are summed up by location, so that it does not
//! matter in which of them a permission is.

use std::rc::Rc;

use smt::Term;

use crate::config::ExhaleMode;
use crate::executor::Executor;
use crate::path::Run;
use crate::state::{Chunk, Heap, ResourceId, State};

impl Executor<'_> {
    /// The condition that two locations of a resource are the same.
    pub fn same(&mut self, a: &[Term], b: &[Term]) -> Term {
        let parts: Vec<Term> = a.iter().zip(b).map(|(x, y)| self.equal_terms(*x, *y)).collect();
        self.terms.and(parts)
    }

    /// The chunk that is certainly at this location.
    fn find(
        &mut self,
        state: &State,
        heap: &Heap,
        resource: ResourceId,
        args: &[Term],
    ) -> Run<Option<usize>> {
        if let Some((index, _)) = heap.of(resource).find(|(_, c)| *c.args == *args) {
            return Ok(Some(index));
        }
        if state.lenient {
            return Ok(heap.of(resource).next().map(|(index, _)| index));
        }
        let candidates: Vec<(usize, Rc<[Term]>)> =
            heap.of(resource).map(|(i, c)| (i, Rc::clone(&c.args))).collect();
        for (index, chunk_args) in candidates {
            let same = self.same(&chunk_args, args);
            if self.prove_quickly(state, same)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// How much of a location is held, over all chunks.
    pub fn held(&mut self, _: &State, heap: &Heap, resource: ResourceId, args: &[Term]) -> Term {
        let chunks: Vec<(Rc<[Term]>, Term)> =
            heap.of(resource).map(|(_, c)| (Rc::clone(&c.args), c.perm)).collect();
        let zero = self.amount(0, 1);
        let mut sum = zero;
        for (chunk_args, perm) in chunks {
            let same = self.same(&chunk_args, args);
            let part = self.terms.ite(same, perm, zero);
            sum = self.terms.add(sum, part);
        }
        sum
    }

    /// The value at a location, wherever it is held.
    pub fn summary_snap(
        &mut self,
        state: &mut State,
        heap: &Heap,
        resource: ResourceId,
        args: &[Term],
    ) -> Term {
        let chunks: Vec<(Rc<[Term]>, Term, Term)> =
            heap.of(resource).map(|(_, c)| (Rc::clone(&c.args), c.perm, c.snap)).collect();
        let mut chunks = chunks.into_iter().rev();
        let Some((_, _, mut snap)) = chunks.next() else { return self.fresh_snap(state) };
        let zero = self.amount(0, 1);
        for (chunk_args, perm, value) in chunks {
            let same = self.same(&chunk_args, args);
            let positive = self.terms.lt(zero, perm);
            let here = self.terms.and([same, positive]);
            snap = self.terms.ite(here, value, snap);
        }
        snap
    }

    /// The value at a location, if there is permission to read it.
    pub fn lookup(
        &mut self,
        state: &mut State,
        heap: &Heap,
        resource: ResourceId,
        args: &[Term],
    ) -> Run<Option<Term>> {
        let zero = self.amount(0, 1);
        if let Some(index) = self.find(state, heap, resource, args)? {
            let chunk = &heap.chunks()[index];
            let positive = self.terms.lt(zero, chunk.perm);
            if state.lenient || self.prove(state, positive)? {
                return Ok(Some(chunk.snap));
            }
        }
        if heap.of(resource).next().is_none() || self.exhale_mode == ExhaleMode::Greedy {
            return Ok(None);
        }
        let held = self.held(state, heap, resource, args);
        let positive = self.terms.lt(zero, held);
        if !self.prove(state, positive)? {
            return Ok(None);
        }
        Ok(Some(self.summary_snap(state, heap, resource, args)))
    }

    /// Is it a `wildcard` that may be made as small as needed?
    fn is_wildcard(&self, state: &State, amount: Term) -> bool {
        !state.wildcards.is_empty() && {
            let wildcards: Vec<Term> = state.wildcards.iter().copied().collect();
            self.mentions(amount, &wildcards)
        }
    }

    /// Takes an amount of permission away from a heap and returns the value that was there; `None`
    /// if there is not enough.
    pub fn take(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        resource: ResourceId,
        args: &[Term],
        amount: Term,
    ) -> Run<Option<Term>> {
        let zero = self.amount(0, 1);
        if amount == zero {
            return Ok(Some(self.symbols.unit));
        }
        let wildcard = self.is_wildcard(state, amount);
        if self.exhale_mode != ExhaleMode::MoreComplete
            && let Some(index) = self.find(state, heap, resource, args)?
        {
            let chunk = heap.chunks()[index].clone();
            let enough = if wildcard {
                let none = self.terms.eq(amount, zero);
                let some = self.terms.lt(zero, chunk.perm);
                self.terms.or([none, some])
            } else {
                self.terms.le(amount, chunk.perm)
            };
            if self.prove(state, enough)? {
                if wildcard {
                    let smaller = self.terms.lt(amount, chunk.perm);
                    let none = self.terms.eq(amount, zero);
                    let constraint = self.terms.or([none, smaller]);
                    self.assume(state, constraint)?;
                }
                let rest = self.terms.sub(chunk.perm, amount);
                if rest == zero {
                    heap.remove(index);
                } else {
                    heap.get_mut(index).perm = rest;
                }
                return Ok(Some(chunk.snap));
            }
        }
        if self.exhale_mode == ExhaleMode::Greedy {
            return Ok(None);
        }
        self.take_from_all(state, heap, resource, args, amount, wildcard)
    }

    fn take_from_all(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        resource: ResourceId,
        args: &[Term],
        amount: Term,
        wildcard: bool,
    ) -> Run<Option<Term>> {
        let zero = self.amount(0, 1);
        let before = heap.clone();
        let held = self.held(state, &before, resource, args);
        let none = self.terms.eq(amount, zero);
        let enough = if wildcard {
            let some = self.terms.lt(zero, held);
            self.terms.or([none, some])
        } else {
            self.terms.le(amount, held)
        };
        if !self.prove(state, enough)? {
            return Ok(None);
        }
        if wildcard {
            let smaller = self.terms.lt(amount, held);
            let constraint = self.terms.or([none, smaller]);
            self.assume(state, constraint)?;
        }
        let snap = self.summary_snap(state, &before, resource, args);
        self.subtract(heap, resource, args, amount);
        // A chunk that is certainly empty only gets in the way.
        let mut empty = Vec::new();
        for (index, chunk) in heap.clone().of(resource) {
            let gone = self.terms.eq(chunk.perm, zero);
            if self.prove_quickly(state, gone)? {
                empty.push(index);
            }
        }
        for index in empty.into_iter().rev() {
            heap.remove(index);
        }
        Ok(Some(snap))
    }

    /// Takes an amount from the chunks of a location, from one after the other, as far as it goes.
    pub fn subtract(&mut self, heap: &mut Heap, resource: ResourceId, args: &[Term], amount: Term) {
        let zero = self.amount(0, 1);
        let mut missing = amount;
        let indices: Vec<usize> = heap.of(resource).map(|(i, _)| i).collect();
        for index in indices {
            if missing == zero {
                break;
            }
            let chunk = heap.chunks()[index].clone();
            let same = self.same(&chunk.args, args);
            let here = self.terms.ite(same, chunk.perm, zero);
            let less = self.terms.le(here, missing);
            let taken = self.terms.ite(less, here, missing);
            heap.get_mut(index).perm = self.terms.sub(chunk.perm, taken);
            missing = self.terms.sub(missing, taken);
        }
    }

    /// Adds a chunk to the heap of a state, and what follows from having it.
    pub fn put(
        &mut self,
        state: &mut State,
        resource: ResourceId,
        args: &[Term],
        snap: Term,
        perm: Term,
    ) -> Run<()> {
        let zero = self.amount(0, 1);
        if perm == zero {
            return Ok(());
        }
        let one = self.amount(1, 1);
        let is_field = matches!(resource, ResourceId::Field(_));
        let positive = self.terms.lt(zero, perm);
        if is_field {
            let bounded = self.terms.le(perm, one);
            self.assume(state, bounded)?;
            let null = self.terms.eq(args[0], self.symbols.null);
            let not_null = self.terms.not(null);
            let fact = self.terms.implies(positive, not_null);
            self.assume(state, fact)?;
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
            return Ok(());
        }
        let others: Vec<Chunk> = state.heap.of(resource).map(|(_, c)| c.clone()).collect();
        for other in others {
            self.relate(state, &other, args, snap, perm, is_field)?;
        }
        state.heap.push(Chunk { resource, args: args.into(), snap, perm });
        Ok(())
    }

    /// What follows from holding two chunks of one resource.
    fn relate(
        &mut self,
        state: &mut State,
        other: &Chunk,
        args: &[Term],
        snap: Term,
        perm: Term,
        is_field: bool,
    ) -> Run<()> {
        let (zero, one) = (self.amount(0, 1), self.amount(1, 1));
        let same = self.same(&other.args, args);
        let mut facts = Vec::new();
        if is_field {
            let sum = self.terms.add(other.perm, perm);
            facts.push(self.terms.le(sum, one));
        }
        if facts.first().is_none_or(|f| self.terms.as_bool(*f) != Some(false)) {
            let (a, b) = (self.terms.lt(zero, other.perm), self.terms.lt(zero, perm));
            let both = self.terms.and([a, b]);
            let agree = self.terms.eq(other.snap, snap);
            facts.push(self.terms.implies(both, agree));
        }
        let fact = self.terms.and(facts);
        let fact = self.terms.implies(same, fact);
        self.assume(state, fact)
    }
}
