//! What a wand takes for quantified permissions: at many locations at once.

use smt::Term;

use crate::prover::{Prover, Run};
use crate::state::{Chunk, Heap, QuantifiedChunk, ResourceId, Slot, State};
use crate::stats::Purpose;

/// What is asked for, or still missing, over the formals of a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Missing {
    /// So much.
    Amount(Term),
    /// Something, where this holds: wildcards.
    Something(Term),
}

impl Prover<'_> {
    /// Adds what is missing of a quantified permission in `heap`, both to it and to the heap of the
    /// state.
    pub fn transfer_quantified(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        resource: ResourceId,
        needed: Missing,
    ) -> Run<()> {
        if state.reserves.is_empty() {
            return Ok(());
        }
        let zero = self.amount(0, 1);
        let formals = self.formals(resource);
        let held = self.held(heap, resource.at(&formals));
        let mut missing = match needed {
            Missing::Something(wanted) => {
                let none = self.terms.le(held, zero);
                Missing::Something(self.terms.and([wanted, none]))
            }
            Missing::Amount(needed) => {
                let rest = self.terms.sub(needed, held);
                let enough = self.terms.le(needed, held);
                if self.prove_everywhere(state, resource, enough, true)? {
                    return Ok(());
                }
                Missing::Amount(if held == zero { rest } else { self.maximum(rest, zero) })
            }
        };
        for level in 0..state.reserves.len() {
            let nothing = match missing {
                Missing::Amount(amount) => self.terms.eq(amount, zero),
                Missing::Something(wanted) => self.terms.not(wanted),
            };
            if self.prove_everywhere(state, resource, nothing, true)? {
                break;
            }
            missing = self.transfer_quantified_from(state, heap, level, resource, missing)?;
        }
        Ok(())
    }

    /// Pulls from one reserve; returns what is still missing.
    fn transfer_quantified_from(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        level: usize,
        resource: ResourceId,
        mut missing: Missing,
    ) -> Run<Missing> {
        let zero = self.amount(0, 1);
        let formals = self.formals(resource);
        let reserve = state.reserves[level].clone();
        let singles: Vec<(usize, Chunk)> =
            reserve.heap.of(resource).map(|(i, c)| (i, c.clone())).collect();
        for (index, chunk) in singles {
            let slot = Slot::Single(index);
            let left = self.left(&reserve, slot);
            let here = match missing {
                Missing::Amount(amount) => Missing::Amount(self.at(resource, amount, &chunk.args)),
                Missing::Something(wanted) => {
                    Missing::Something(self.at(resource, wanted, &chunk.args))
                }
            };
            let taken = self.part(state, level, left, here)?;
            if taken == zero {
                continue;
            }
            self.note_taken(state, level, slot, taken);
            let same = self.alias(&formals, &chunk.args);
            missing = self.still_missing(missing, same, left, taken);
            self.receive(state, heap, Chunk { perm: taken, ..chunk })?;
        }
        let quantified: Vec<(usize, QuantifiedChunk)> =
            reserve.heap.quantified_of(resource).collect();
        for (index, chunk) in quantified {
            let slot = Slot::Quantified(index);
            let left = self.left(&reserve, slot);
            let taken = self.part_everywhere(state, level, resource, left, missing)?;
            self.note_taken(state, level, slot, taken);
            let anywhere = self.terms.bool(true);
            missing = self.still_missing(missing, anywhere, left, taken);
            let moved = QuantifiedChunk { perm: taken, ..chunk };
            heap.push_quantified(moved.clone());
            self.put_quantified(state, moved)?;
            if matches!(missing, Missing::Amount(amount) if amount == zero) {
                break;
            }
        }
        Ok(missing)
    }

    /// How much to take of one location where `left` is left.
    fn part(&mut self, state: &mut State, level: usize, left: Term, wanted: Missing) -> Run<Term> {
        let wanted = match wanted {
            Missing::Amount(amount) => return self.share(state, left, amount),
            Missing::Something(wanted) => wanted,
        };
        let zero = self.amount(0, 1);
        let there = self.terms.lt(zero, left);
        let useful = self.terms.and([wanted, there]);
        let useless = self.terms.not(useful);
        if self.prove_quickly(state, Purpose::Permission, useless)? {
            return Ok(zero);
        }
        let share = self.choose_share(state, level, left, &[])?.unwrap_or(left);
        Ok(self.terms.ite(useful, share, zero))
    }

    /// The same for every location; amounts are over the formals.
    fn part_everywhere(
        &mut self,
        state: &mut State,
        level: usize,
        resource: ResourceId,
        left: Term,
        missing: Missing,
    ) -> Run<Term> {
        match missing {
            Missing::Amount(amount) => {
                let enough = self.terms.le(amount, left);
                let certain = self.prove_everywhere(state, resource, enough, true)?;
                Ok(if certain { amount } else { self.minimum(left, amount) })
            }
            Missing::Something(wanted) => {
                let zero = self.amount(0, 1);
                let there = self.terms.lt(zero, left);
                let useful = self.terms.and([wanted, there]);
                let formals = self.formals(resource);
                let share = self.choose_share(state, level, left, &formals)?.unwrap_or(left);
                Ok(self.terms.ite(useful, share, zero))
            }
        }
    }

    /// What is missing after `taken` was taken of `left`, at the locations `here`.
    fn still_missing(&mut self, missing: Missing, here: Term, left: Term, taken: Term) -> Missing {
        let zero = self.amount(0, 1);
        match missing {
            Missing::Amount(amount) => {
                let less = self.terms.ite(here, taken, zero);
                Missing::Amount(self.terms.sub(amount, less))
            }
            Missing::Something(wanted) => {
                let there = self.terms.lt(zero, left);
                let found = self.terms.and([here, there]);
                let elsewhere = self.terms.not(found);
                Missing::Something(self.terms.and([wanted, elsewhere]))
            }
        }
    }
}
