//! What a wand takes from the heaps around it. [Wid22, Listings 5.5 and 5.13] transfer
//!
//! While a wand is packaged, the heap of the state is that of the left-hand side. What is missing
//! there is [transferred](Prover::transfer) from the reserves, the heaps around the wand: it becomes part of
//! the footprint. Reserves never lose chunks, so that a place in one means the same on all paths of
//! the package; how much was taken is written down beside it.

mod quantified;

use std::collections::BTreeMap;
use std::rc::Rc;

use smt::{Sort, Term};

use crate::encoding::FormulaKind;
use crate::prover::{Prover, Run};
use crate::state::{Chunk, Heap, Location, QuantifiedChunk, ResourceId, Slot, State};
use crate::stats::Purpose;

pub(crate) use quantified::Missing;

/// A heap that a wand may take from.
#[derive(Clone, Debug)]
pub(crate) struct Reserve {
    pub heap: Heap,
    /// How many parameters there are where it is the heap of the state.
    parameters: usize,
    /// What was taken, in order.
    pub transfers: Vec<Transfer>,
    /// What is known, where it is the heap of the state, about amounts that were chosen.
    pub choices: Vec<Term>,
}

/// Something that was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub slot: Slot,
    pub amount: Term,
    /// How long the trail was before it.
    pub at: usize,
}

/// What a footprint has beyond what is needed for a certain left-hand side.
#[derive(Debug)]
pub(crate) struct Rest {
    /// Stands for the snapshot of the left-hand side in the amounts.
    root: Term,
    single: Vec<Chunk>,
    quantified: Vec<QuantifiedChunk>,
}

/// How much is taken of the places of each reserve.
pub(crate) type Footprint = Vec<BTreeMap<Slot, Term>>;

impl Reserve {
    /// The heap of a state.
    pub fn of(state: &State) -> Reserve {
        let (heap, parameters) = (state.heap.clone(), state.parameters.len());
        Reserve { heap, parameters, transfers: Vec::new(), choices: Vec::new() }
    }

    /// The same, seen from inside of one more package: this is what is left of it.
    pub fn further_in(&self, remaining: Heap) -> Reserve {
        Reserve { heap: remaining, transfers: Vec::new(), choices: Vec::new(), ..*self }
    }

    pub fn resource(&self, slot: Slot) -> ResourceId {
        self.heap.resource_in(slot)
    }

    /// What was there before anything was taken.
    pub fn original(&self, slot: Slot) -> Term {
        self.heap.perm_in(slot)
    }
}

/// What is asked for.
struct Wanted<'a> {
    resource: ResourceId,
    args: &'a [Term],
    /// May the amount be made smaller?
    wildcard: bool,
    /// From where the location is certain, or from where it may be?
    certain: bool,
}

/// Whether two locations are the same.
enum Meet {
    Always,
    Never,
    If(Term),
}

impl Prover<'_> {
    /// How much is left at a place.
    pub(crate) fn left(&mut self, reserve: &Reserve, slot: Slot) -> Term {
        let own = reserve.transfers.iter().filter(|transfer| transfer.slot == slot);
        own.fold(reserve.original(slot), |left, transfer| self.terms.sub(left, transfer.amount))
    }

    /// The heap of a reserve without what was taken; places stay the same.
    pub(crate) fn remaining(&mut self, reserve: &Reserve) -> Heap {
        let mut heap = reserve.heap.clone();
        for slot in reserve.transfers.iter().map(|transfer| transfer.slot) {
            let left = self.left(reserve, slot);
            heap.set_perm(slot, left);
        }
        heap
    }

    pub(crate) fn note_taken(&self, state: &mut State, level: usize, slot: Slot, amount: Term) {
        let transfer = Transfer { slot, amount, at: self.trail().len() };
        Rc::make_mut(&mut state.reserves)[level].transfers.push(transfer);
    }

    /// Adds the permission that is missing in `heap`, both to it and to the heap of the state.
    pub fn transfer(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        location: Location<'_>,
        amount: Term,
    ) -> Run<()> {
        let Location { resource, args } = location;
        let zero = self.amount(0, 1);
        if state.reserves.is_empty() || amount == zero {
            return Ok(());
        }
        let wildcard = self.is_wildcard(state, amount);
        let held = self.visibly_held(state, heap, location)?;
        let enough = self.enough(held, amount, wildcard);
        if self.prove_quickly(state, Purpose::Permission, enough)? {
            return Ok(());
        }
        let mut missing = if wildcard { amount } else { self.terms.sub(amount, held) };
        let certain = self.terms.le(held, amount);
        if !wildcard && held != zero && !self.prove_quickly(state, Purpose::Permission, certain)? {
            missing = self.maximum(missing, zero);
        }
        for level in 0..state.reserves.len() {
            for certain in [true, false] {
                let wanted = Wanted { resource, args, wildcard, certain };
                missing = self.transfer_from(state, heap, level, &wanted, missing)?;
                if missing == zero {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// How much of a location is held; conditions are only there where they are needed.
    fn visibly_held(&mut self, state: &State, heap: &Heap, location: Location<'_>) -> Run<Term> {
        let Location { resource, args } = location;
        let mut held = self.amount(0, 1);
        let singles: Vec<Chunk> = heap.of(resource).map(|(_, c)| c.clone()).collect();
        for chunk in singles {
            let amount = match self.meet(state, &chunk.args, args)? {
                Meet::Always => chunk.perm,
                Meet::Never => continue,
                Meet::If(same) => {
                    let zero = self.amount(0, 1);
                    self.terms.ite(same, chunk.perm, zero)
                }
            };
            held = self.terms.add(held, amount);
        }
        for (_, chunk) in heap.quantified_of(resource) {
            let amount = self.perm_at(&chunk, args);
            held = self.terms.add(held, amount);
        }
        Ok(held)
    }

    /// Are two locations the same?
    fn meet(&mut self, state: &State, a: &[Term], b: &[Term]) -> Run<Meet> {
        let same = self.alias(a, b);
        let different = self.terms.not(same);
        Ok(if self.prove_quickly(state, Purpose::Permission, same)? {
            Meet::Always
        } else if self.prove_quickly(state, Purpose::Permission, different)? {
            Meet::Never
        } else {
            Meet::If(same)
        })
    }

    /// Pulls from one reserve, either where the location is certain or where it may be; returns what
    /// is still missing.
    fn transfer_from(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        level: usize,
        wanted: &Wanted<'_>,
        mut missing: Term,
    ) -> Run<Term> {
        let zero = self.amount(0, 1);
        let Wanted { resource, args, wildcard, certain } = *wanted;
        let reserve = state.reserves[level].clone();
        if !certain && (wildcard || self.is_greedy(state, &reserve.heap, resource)) {
            return Ok(missing);
        }
        let singles: Vec<(usize, Chunk)> =
            reserve.heap.of(resource).map(|(i, c)| (i, c.clone())).collect();
        for (index, chunk) in singles {
            let slot = Slot::Single(index);
            let condition = match self.meet(state, &chunk.args, args)? {
                Meet::Always if certain => None,
                Meet::If(same) if !certain => Some(same),
                _ => continue,
            };
            let left = self.left(&reserve, slot);
            let mut taken = match wildcard {
                true => self.some_share(state, level, left, missing)?,
                false => self.share(state, left, missing)?,
            };
            if let Some(same) = condition {
                taken = self.terms.ite(same, taken, zero);
            }
            if taken == zero {
                continue;
            }
            self.note_taken(state, level, slot, taken);
            missing = if wildcard { zero } else { self.terms.sub(missing, taken) };
            self.receive(state, heap, Chunk { perm: taken, ..chunk })?;
            if missing == zero {
                return Ok(zero);
            }
        }
        let quantified: Vec<(usize, QuantifiedChunk)> =
            reserve.heap.quantified_of(resource).collect();
        for (index, chunk) in quantified.into_iter().filter(|_| certain) {
            let slot = Slot::Quantified(index);
            let left = self.left(&reserve, slot);
            let left = self.perm_at(&QuantifiedChunk { perm: left, ..chunk.clone() }, args);
            let taken = match wildcard {
                true => self.some_share(state, level, left, missing)?,
                false => self.share(state, left, missing)?,
            };
            if taken == zero {
                continue;
            }
            let formals = self.formals(resource);
            let here = self.alias(&formals, args);
            let everywhere = self.terms.ite(here, taken, zero);
            self.note_taken(state, level, slot, everywhere);
            missing = if wildcard { zero } else { self.terms.sub(missing, taken) };
            let snap = self.snap_at(&chunk, args);
            let moved = Chunk { resource, args: args.into(), snap, perm: taken, rest: None };
            self.receive(state, heap, moved)?;
            if missing == zero {
                return Ok(zero);
            }
        }
        Ok(missing)
    }

    /// How much to take for a wildcard where `left` is left.
    fn some_share(
        &mut self,
        state: &mut State,
        level: usize,
        left: Term,
        wildcard: Term,
    ) -> Run<Term> {
        let zero = self.amount(0, 1);
        let some = self.terms.lt(zero, left);
        if !self.prove_quickly(state, Purpose::Permission, some)? {
            return Ok(zero);
        }
        if let Some(share) = self.choose_share(state, level, left, &[])? {
            return Ok(share);
        }
        self.constrain(state, left, wildcard)?;
        Ok(wildcard)
    }

    /// Chooses an amount that is positive and less than `left`, wherever that is possible. The choice
    /// is made once for all left-hand sides, where the reserve is the heap of the state. That cannot
    /// be done if what is left depends on the left-hand side.
    pub(crate) fn choose_share(
        &mut self,
        state: &mut State,
        level: usize,
        left: Term,
        formals: &[Term],
    ) -> Run<Option<Term>> {
        let outside = state.reserves[level].parameters;
        let inside = state.parameters[outside..].to_vec();
        if self.mentions(left, &inside) {
            return Ok(None);
        }
        let parameters = Rc::clone(&state.parameters);
        state.parameters = parameters[..outside].iter().chain(formals).copied().collect();
        let share = self.fresh(state, "share", Sort::Real);
        state.parameters = parameters;
        let zero = self.amount(0, 1);
        let possible = self.terms.lt(zero, left);
        let bounds = [self.terms.lt(zero, share), self.terms.lt(share, left)];
        let proper = self.terms.and(bounds);
        let mut fact = self.terms.implies(possible, proper);
        if !formals.is_empty() {
            let triggers = [vec![share]];
            fact = self.for_all(FormulaKind::Share, formals, &triggers, fact);
        }
        Rc::make_mut(&mut state.reserves)[level].choices.push(fact);
        self.assume(state, fact)?;
        Ok(Some(share))
    }

    /// How much to take where `left` is left and `missing` is missing.
    pub(crate) fn share(&mut self, state: &mut State, left: Term, missing: Term) -> Run<Term> {
        let zero = self.amount(0, 1);
        let nothing = self.terms.le(left, zero);
        let enough = self.terms.le(missing, left);
        let all = self.terms.le(left, missing);
        Ok(if self.prove_quickly(state, Purpose::Permission, nothing)? {
            zero
        } else if self.prove_quickly(state, Purpose::Permission, enough)? {
            missing
        } else if self.prove_quickly(state, Purpose::Permission, all)? {
            left
        } else {
            self.minimum(left, missing)
        })
    }

    /// Adds a chunk to the heap of a state, and to another one that was split off it.
    pub(crate) fn receive(&mut self, state: &mut State, heap: &mut Heap, chunk: Chunk) -> Run<()> {
        let twin = heap.of(chunk.resource).find(|(_, c)| *c.args == *chunk.args);
        match twin.map(|(i, c)| (i, c.clone())) {
            Some((index, twin)) if !matches!(chunk.resource, ResourceId::Wand(_)) => {
                let zero = self.amount(0, 1);
                let before = self.terms.lt(zero, twin.perm);
                let known = self.entailed(state, before);
                let snap =
                    if known { twin.snap } else { self.terms.ite(before, twin.snap, chunk.snap) };
                let perm = self.terms.add(twin.perm, chunk.perm);
                let merged = heap.get_mut(index);
                (merged.perm, merged.snap) = (perm, snap);
            }
            _ => heap.push(chunk.clone()),
        }
        let Chunk { resource, args, snap, perm, rest } = chunk;
        match rest {
            Some(_) => {
                state.heap.push(Chunk { resource, args, snap, perm, rest });
                Ok(())
            }
            None => self.put(state, resource.at(&args), snap, perm),
        }
    }

    /// What a footprint may have too much, given what is needed.
    pub(crate) fn rest(
        &mut self,
        root: Term,
        reserves: &[Reserve],
        footprint: &Footprint,
        needed: &Footprint,
    ) -> Rest {
        let zero = self.amount(0, 1);
        let mut rest = Rest { root, single: Vec::new(), quantified: Vec::new() };
        for (level, places) in footprint.iter().enumerate() {
            for (slot, amount) in places {
                let used = *needed[level].get(slot).unwrap_or(&zero);
                let perm = self.terms.sub(*amount, used);
                if perm == zero {
                    continue;
                }
                let heap = &reserves[level].heap;
                match *slot {
                    Slot::Single(i) => {
                        rest.single.push(Chunk { perm, ..heap.chunks()[i].clone() });
                    }
                    Slot::Quantified(i) => {
                        let chunk = heap.quantified()[i].clone();
                        rest.quantified.push(QuantifiedChunk { perm, ..chunk });
                    }
                }
            }
        }
        rest
    }

    /// Gives back what a wand does not need for the left-hand side it was applied to.
    pub(crate) fn give_back(&mut self, state: &mut State, rest: &Rest, lhs: Term) -> Run<()> {
        let map = std::collections::HashMap::from([(rest.root, lhs)]);
        for chunk in &rest.single {
            let perm = self.terms.substitute(chunk.perm, &map);
            self.put(state, chunk.resource.at(&chunk.args), chunk.snap, perm)?;
        }
        for chunk in &rest.quantified {
            let perm = self.terms.substitute(chunk.perm, &map);
            self.put_quantified(state, QuantifiedChunk { perm, ..chunk.clone() })?;
        }
        Ok(())
    }

    /// The larger of two amounts.
    pub(crate) fn maximum(&mut self, a: Term, b: Term) -> Term {
        let less = self.terms.le(a, b);
        self.terms.ite(less, b, a)
    }
}
