//! Looking for chunks, taking and adding them.
//!
//! First one chunk is looked for that is certainly the right one. Where that fails, all chunks that
//! may be are taken together: their permissions are summed up by location, so that it does not
//! matter in which of them a permission is.

use std::rc::Rc;

use smt::Term;

use crate::config::ExhaleMode;
use crate::prover::{Prover, Run};
use crate::state::{Chunk, Heap, ResourceId, State};
use crate::wands::is_wand;

/// What a chunk says about one location.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub perm: Term,
    pub snap: Term,
}

/// How it is known what follows from holding shares of a location: it holds of every consistent heap.
#[derive(Clone, Copy)]
struct Known {
    /// The location depends on the variables of a quantifier. What holds of it was said of all locations
    /// when the chunks were put together; nobody outside needs to be told again, for each instance.
    implied: bool,
    /// Where these chunks were held first: there it holds already, whatever the conditions since.
    level: Option<usize>,
}

/// Permission that is to be taken away.
#[derive(Clone, Copy)]
pub(crate) struct Demand<'a> {
    pub resource: ResourceId,
    pub args: &'a [Term],
    pub amount: Term,
    /// May the amount be made as small as needed?
    pub wildcard: bool,
}

impl Prover<'_> {
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
        if state.mode.lenient {
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

    /// What every chunk of a resource says about a location.
    fn shares(&mut self, heap: &Heap, resource: ResourceId, args: &[Term]) -> Vec<Share> {
        let chunks: Vec<Chunk> = heap.of(resource).map(|(_, c)| c.clone()).collect();
        let zero = self.amount(0, 1);
        let mut shares = Vec::new();
        for chunk in chunks {
            let same = self.same(&chunk.args, args);
            let perm = self.terms.ite(same, chunk.perm, zero);
            shares.push(Share { perm, snap: chunk.snap });
        }
        for (_, chunk) in heap.quantified_of(resource) {
            let perm = self.perm_at(&chunk, args);
            let snap = self.snap_at(&chunk, args);
            shares.push(Share { perm, snap });
        }
        shares
    }

    /// How much of a location is held, over all chunks.
    pub fn held(&mut self, heap: &Heap, resource: ResourceId, args: &[Term]) -> Term {
        let shares = self.shares(heap, resource, args);
        let zero = self.amount(0, 1);
        shares.iter().fold(zero, |sum, share| self.terms.add(sum, share.perm))
    }

    /// Is any of a location held, in whichever chunk?
    pub fn held_at_all(&mut self, heap: &Heap, resource: ResourceId, args: &[Term]) -> Term {
        let zero = self.amount(0, 1);
        let shares = self.shares(heap, resource, args);
        let positive: Vec<Term> = shares.iter().map(|s| self.terms.lt(zero, s.perm)).collect();
        self.terms.or(positive)
    }

    /// The value at a location, wherever it is held.
    pub fn summary_snap(
        &mut self,
        state: &mut State,
        heap: &Heap,
        resource: ResourceId,
        args: &[Term],
    ) -> Term {
        let mut shares = self.shares(heap, resource, args);
        let Some(last) = shares.pop() else { return self.fresh_snap(state) };
        let zero = self.amount(0, 1);
        let mut snap = last.snap;
        for share in shares.into_iter().rev() {
            let here = self.terms.lt(zero, share.perm);
            snap = self.terms.ite(here, share.snap, snap);
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
        if !state.is_quantified() {
            return self.find_value(state, heap, resource, args);
        }
        // A trigger must mention the value that the formula mentions.
        let key = (args.to_vec(), heap.contents(resource));
        if state.mode.lenient
            && let Some(snap) = self.quantified_read(&key)
        {
            return Ok(Some(snap));
        }
        let found = self.find_value(state, heap, resource, args)?;
        if let Some(snap) = found
            && !state.mode.lenient
        {
            self.note_quantified_read(key, snap);
        }
        Ok(found)
    }

    fn find_value(
        &mut self,
        state: &mut State,
        heap: &Heap,
        resource: ResourceId,
        args: &[Term],
    ) -> Run<Option<Term>> {
        let zero = self.amount(0, 1);
        let quantified: Vec<_> = heap.quantified_of(resource).map(|(_, c)| c).collect();
        if !quantified.is_empty() && !state.mode.lenient {
            self.relate_shares(state, heap, resource, args)?;
        }
        let exact = heap.of(resource).find(|(_, c)| *c.args == *args).map(|(i, _)| i);
        let found = match exact {
            Some(index) => Some(index),
            None if quantified.is_empty() => self.find(state, heap, resource, args)?,
            None => None,
        };
        if let Some(index) = found {
            let chunk = &heap.chunks()[index];
            let positive = self.terms.lt(zero, chunk.perm);
            if state.mode.lenient || self.prove(state, positive)? {
                return Ok(Some(chunk.snap));
            }
        }
        for chunk in &quantified {
            if !state.mode.lenient && !self.resembles(chunk, args) {
                continue;
            }
            let perm = self.perm_at(chunk, args);
            let positive = self.terms.lt(zero, perm);
            if state.mode.lenient || self.prove_quickly(state, positive)? {
                return Ok(Some(self.snap_at(chunk, args)));
            }
        }
        if !heap.has(resource) || self.is_greedy(state, heap, resource) {
            return Ok(None);
        }
        let positive = self.held_at_all(heap, resource, args);
        if !self.prove(state, positive)? {
            return Ok(None);
        }
        if self.mentions_quantified(state, args) {
            return self.summary_at(state, heap, resource, args).map(Some);
        }
        Ok(Some(self.summary_snap(state, heap, resource, args)))
    }

    /// Does a location depend on the variables of a quantifier?
    fn mentions_quantified(&self, state: &State, args: &[Term]) -> bool {
        let vars = state.quantified_parameters();
        args.iter().any(|a| self.mentions(*a, vars))
    }

    /// What follows from holding shares of one location in several chunks, some of them quantified:
    /// they agree on the value, and of a field there is no more than everything.
    pub fn relate_shares(
        &mut self,
        state: &mut State,
        heap: &Heap,
        resource: ResourceId,
        args: &[Term],
    ) -> Run<()> {
        // Two wands that look the same may have different footprints, and different gains.
        if is_wand(resource) {
            return Ok(());
        }
        let zero = self.amount(0, 1);
        let shares = self.shares(heap, resource, args);
        let shares: Vec<(Share, Term)> =
            shares.into_iter().map(|s| (s, self.terms.lt(zero, s.perm))).collect();
        // What a wand depends on is looked for among equations, not among what follows from them.
        let packaging = !state.reserves.is_empty();
        let implied = !packaging && self.mentions_quantified(state, args);
        let level = if implied { None } else { state.level_of(heap, resource) };
        let known = Known { implied, level };
        if matches!(resource, ResourceId::Field(_)) {
            self.bound_shares(state, &shares, known)?;
        }
        // Quantified chunks agree everywhere since they are held together: see `put_quantified`.
        let related = if packaging { shares.len() } else { heap.of(resource).count() };
        for (i, (share, here)) in shares.iter().enumerate() {
            for (other, there) in &shares[..i.min(related)] {
                let both = self.terms.and([*there, *here]);
                // No two chunks can have all of a field.
                if self.excludes(state, both) {
                    continue;
                }
                let agree = self.terms.eq(other.snap, share.snap);
                let fact = self.terms.implies(both, agree);
                self.assume_known(state, fact, known)?;
            }
        }
        Ok(())
    }

    fn assume_known(&mut self, state: &mut State, fact: Term, known: Known) -> Run<()> {
        if known.implied {
            self.assume_proved(state, fact)
        } else {
            self.assume_at(state, fact, known.level)
        }
    }

    /// Is it known that this does not hold?
    fn excludes(&mut self, state: &State, formula: Term) -> bool {
        let not = self.terms.not(formula);
        self.entailed(state, not)
    }

    /// Of a field there is no more than everything at a location.
    fn bound_shares(
        &mut self,
        state: &mut State,
        shares: &[(Share, Term)],
        known: Known,
    ) -> Run<()> {
        let (zero, one) = (self.amount(0, 1), self.amount(1, 1));
        let mut sum = zero;
        let mut partial = 0;
        for (i, (share, here)) in shares.iter().enumerate() {
            let full = self.is_full_or_none(share.perm);
            if !full && *here != self.terms.bool(false) {
                partial += 1;
                sum = self.total(sum, share.perm);
            }
            // Whoever has everything excludes all others.
            for (other, there) in &shares[..i] {
                if full || self.is_full_or_none(other.perm) {
                    let both = self.terms.and([*there, *here]);
                    let not = self.terms.not(both);
                    self.assume_known(state, not, known)?;
                }
            }
        }
        if partial > 0 {
            let bounded = self.terms.le(sum, one);
            self.assume_known(state, bounded, known)?;
        }
        Ok(())
    }

    /// Is it a `wildcard` that may be made as small as needed?
    pub fn is_wildcard(&self, state: &State, amount: Term) -> bool {
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
            return Ok(Some(self.unit()));
        }
        if is_wand(resource) {
            let taken = self.take_wand(state, heap, resource, args, amount)?;
            return Ok(taken.map(|(snap, _)| snap));
        }
        let wildcard = self.is_wildcard(state, amount);
        let demand = Demand { resource, args, amount, wildcard };
        let quantified = heap.quantified_of(resource).next().is_some();
        if quantified {
            self.relate_shares(state, &heap.clone(), resource, args)?;
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

    /// Is `amount` there, if `held` is all there is?
    pub fn enough(&mut self, held: Term, amount: Term, wildcard: bool) -> Term {
        if !wildcard {
            return self.terms.le(amount, held);
        }
        let zero = self.amount(0, 1);
        let none = self.terms.eq(amount, zero);
        let some = self.terms.lt(zero, held);
        self.terms.or([none, some])
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
        let proved =
            if quickly { self.prove_quickly(state, enough)? } else { self.prove(state, enough)? };
        if proved && demand.wildcard {
            self.constrain(state, held, demand.amount)?;
        }
        Ok(proved)
    }

    /// A wildcard leaves something.
    pub fn constrain(&mut self, state: &mut State, held: Term, amount: Term) -> Run<()> {
        let zero = self.amount(0, 1);
        let smaller = self.terms.lt(amount, held);
        let positive = self.terms.lt(zero, amount);
        if self.entailed(state, positive) {
            return self.assume(state, smaller);
        }
        let none = self.terms.eq(amount, zero);
        let constraint = self.terms.or([none, smaller]);
        self.assume(state, constraint)
    }

    /// Takes everything from one chunk.
    pub fn take_single(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        demand: Demand<'_>,
    ) -> Run<Option<Term>> {
        let Demand { resource, args, amount, .. } = demand;
        let Some(index) = self.find(state, heap, resource, args)? else { return Ok(None) };
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
        let Demand { resource, args, amount, .. } = demand;
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
                if self.terms.as_bool(positive) == Some(true) && !is_wand(resource) {
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
        let Demand { resource, args, amount, .. } = demand;
        let zero = self.amount(0, 1);
        let before = heap.clone();
        let held = self.held(&before, resource, args);
        if !self.suffices(state, held, demand, false)? {
            return Ok(None);
        }
        let snap = self.summary_snap(state, &before, resource, args);
        if matches!(resource, ResourceId::Field(_)) && amount == self.amount(1, 1) {
            self.empty(heap, resource, args);
        } else {
            self.subtract(heap, resource, args, amount);
        }
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

    /// Takes away all there is at a location.
    fn empty(&mut self, heap: &mut Heap, resource: ResourceId, args: &[Term]) {
        let zero = self.amount(0, 1);
        let singles: Vec<usize> = heap.of(resource).map(|(i, _)| i).collect();
        for index in singles {
            let chunk = heap.chunks()[index].clone();
            let same = self.same(&chunk.args, args);
            heap.get_mut(index).perm = self.terms.ite(same, zero, chunk.perm);
        }
        let quantified: Vec<usize> = heap.quantified_of(resource).map(|(i, _)| i).collect();
        let formals = self.formals(resource);
        let here = self.same(&formals, args);
        for index in quantified {
            let perm = heap.quantified()[index].perm;
            heap.quantified_mut(index).perm = self.terms.ite(here, zero, perm);
        }
    }

    /// Takes an amount from the chunks of a location, from one after the other, as far as it goes.
    pub fn subtract(&mut self, heap: &mut Heap, resource: ResourceId, args: &[Term], amount: Term) {
        let zero = self.amount(0, 1);
        let mut missing = amount;
        let indices: Vec<usize> = heap.of(resource).map(|(i, _)| i).collect();
        for index in indices {
            if missing == zero {
                return;
            }
            let chunk = heap.chunks()[index].clone();
            let same = self.same(&chunk.args, args);
            let here = self.terms.ite(same, chunk.perm, zero);
            let taken = self.minimum(here, missing);
            heap.get_mut(index).perm = self.remainder(chunk.perm, taken);
            missing = self.remainder(missing, taken);
        }
        let indices: Vec<usize> = heap.quantified_of(resource).map(|(i, _)| i).collect();
        for index in indices {
            let chunk = heap.quantified()[index].clone();
            let here = self.perm_at(&chunk, args);
            let taken = self.minimum(here, missing);
            heap.quantified_mut(index).perm = self.without(&chunk, args, taken);
            missing = self.remainder(missing, taken);
        }
    }

    /// Adds all chunks of a heap to that of a state.
    pub fn put_all(&mut self, state: &mut State, heap: &Heap) -> Run<()> {
        for chunk in heap.chunks() {
            if is_wand(chunk.resource) {
                state.heap.push(chunk.clone());
            } else {
                self.put(state, chunk.resource, &chunk.args, chunk.snap, chunk.perm)?;
            }
        }
        for chunk in heap.quantified() {
            self.put_quantified(state, chunk.clone())?;
        }
        Ok(())
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
        if is_wand(resource) {
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
        if twin.is_none() && self.fill(state, resource, args, snap, perm)? {
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
            self.relate_to_others(state, resource, args, value, sum)?;
        } else {
            self.relate_to_others(state, resource, args, snap, perm)?;
            state.heap.push(Chunk { resource, args: args.into(), snap, perm, rest: None });
        }
        if state.heap.quantified_of(resource).next().is_some() {
            let heap = state.heap.clone();
            self.relate_shares(state, &heap, resource, args)?;
        }
        Ok(())
    }

    /// What follows from holding a chunk together with those of its resource for other arguments.
    fn relate_to_others(
        &mut self,
        state: &mut State,
        resource: ResourceId,
        args: &[Term],
        snap: Term,
        perm: Term,
    ) -> Run<()> {
        let is_field = matches!(resource, ResourceId::Field(_));
        let chunks = state.heap.of(resource).map(|(_, c)| c);
        let others: Vec<Chunk> = chunks.filter(|c| *c.args != *args).cloned().collect();
        for other in &others {
            self.relate(state, other, args, snap, perm, is_field)?;
        }
        if is_field { self.bound_sum(state, &others, args, perm) } else { Ok(()) }
    }

    /// Several chunks may all be at one location, although no two of them exceed a permission.
    fn bound_sum(
        &mut self,
        state: &mut State,
        others: &[Chunk],
        args: &[Term],
        perm: Term,
    ) -> Run<()> {
        let (zero, one) = (self.amount(0, 1), self.amount(1, 1));
        let mut parts = Vec::new();
        for other in others {
            let pair = self.terms.add(other.perm, perm);
            let fits = self.terms.le(pair, one);
            let same = self.same(&other.args, args);
            if self.terms.as_bool(fits) != Some(false) && self.terms.as_bool(same) != Some(false) {
                parts.push(self.terms.ite(same, other.perm, zero));
            }
        }
        if parts.len() < 2 {
            return Ok(());
        }
        let sum = parts.into_iter().fold(perm, |sum, part| self.terms.add(sum, part));
        let bounded = self.terms.le(sum, one);
        self.assume(state, bounded)
    }

    /// What follows from holding two chunks of one resource.
    pub fn relate(
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
