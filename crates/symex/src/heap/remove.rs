//! Taking permissions away, wherever they are held. [MSS16, Fig. 3] remove
//!
//! From each chunk the minimum of what is there and what is still needed is taken, and in the end nothing
//! may be needed any more. It does not matter for the outcome from which chunks it is taken, or in which
//! order; it matters for the work. So the chunks that look like what is wanted come first, one that is
//! wanted as a whole is taken without any question, and one that has nothing of it is left as it is.

use smt::Term;

use super::quantified::QuantifiedAccess;
use crate::prover::{Prover, Run};
use crate::state::{Chunk, Heap, QuantifiedChunk, ResourceId, Slot, State};
use crate::stats::Purpose;

/// Where permissions are taken away.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a> {
    /// At one location.
    One(ResourceId, &'a [Term]),
    /// At all locations of a quantified permission: amounts are over the formals of its resource.
    Many(&'a QuantifiedAccess),
}

impl Target<'_> {
    fn resource(&self) -> ResourceId {
        match self {
            Target::One(resource, _) => *resource,
            Target::Many(access) => access.resource,
        }
    }
}

/// What is left of a chunk from which something was taken.
enum Left {
    Nothing,
    Everything,
    Part(Term),
}

impl Prover<'_> {
    /// Takes an amount at every location of a quantified permission. Is all of it there?
    pub fn remove_permissions(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        access: &QuantifiedAccess,
        amount: Term,
    ) -> Run<bool> {
        let needed = self.remove_available(state, heap, Target::Many(access), amount)?;
        let zero = self.amount(0, 1);
        // check ∀ r · q_needed(r) = 0
        let nothing = self.terms.eq(needed, zero);
        self.prove_everywhere(state, access.resource, nothing, false)
    }

    /// Takes an amount as far as it is there. Returns what is still needed, without the final check.
    pub fn remove_available(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        target: Target<'_>,
        amount: Term,
    ) -> Run<Term> {
        let zero = self.amount(0, 1);
        let resource = target.resource();
        let whole = heap.quantified_of(resource).find(|(_, c)| c.perm == amount).map(|(i, _)| i);
        if let (Target::Many(_), Some(index)) = (target, whole) {
            heap.remove_quantified(index);
            return Ok(zero);
        }
        let mut needed = amount;
        let mut empty = Vec::new();
        // foreach (r.f ↦ [v_i(r), q_i(r)]) ∈ h_f do
        for slot in self.by_likeness(heap, target) {
            if needed == zero {
                break;
            }
            let (left, still) = match (slot, target) {
                (Slot::Single(i), Target::One(_, args)) => {
                    let chunk = heap.chunks()[i].clone();
                    self.take_here_from_single(&chunk, args, needed)
                }
                (Slot::Single(i), Target::Many(_)) => {
                    let chunk = heap.chunks()[i].clone();
                    self.take_from_single(state, &chunk, needed)?
                }
                (Slot::Quantified(i), Target::One(_, args)) => {
                    let chunk = heap.quantified()[i].clone();
                    self.take_here_from_quantified(&chunk, args, needed)
                }
                (Slot::Quantified(i), Target::Many(_)) => {
                    let chunk = heap.quantified()[i].clone();
                    self.take_from_quantified(state, &chunk, needed)?
                }
            };
            needed = still;
            match left {
                Left::Nothing => empty.push(slot),
                Left::Everything => {}
                Left::Part(perm) => heap.set_perm(slot, perm),
            }
        }
        heap.remove_all(empty);
        Ok(needed)
    }

    /// The chunks of a resource: single ones, then quantified ones, those first whose locations look like
    /// the ones that are wanted.
    fn by_likeness(&self, heap: &Heap, target: Target<'_>) -> Vec<Slot> {
        let resource = target.resource();
        let mut quantified: Vec<_> = heap.quantified_of(resource).collect();
        if let Target::Many(access) = target {
            quantified.sort_by_key(|(_, chunk)| !self.resembles(chunk, &access.args));
        }
        let singles = heap.of(resource).map(|(i, _)| Slot::Single(i));
        singles.chain(quantified.into_iter().map(|(i, _)| Slot::Quantified(i))).collect()
    }

    // One location: q_current = min(q_i, q_needed), by cases

    fn take_here_from_single(
        &mut self,
        chunk: &Chunk,
        args: &[Term],
        needed: Term,
    ) -> (Left, Term) {
        let zero = self.amount(0, 1);
        let alias = self.alias(&chunk.args, args);
        let here = self.terms.ite(alias, chunk.perm, zero);
        let taken = self.minimum(here, needed);
        (Left::Part(self.remainder(chunk.perm, taken)), self.remainder(needed, taken))
    }

    fn take_here_from_quantified(
        &mut self,
        chunk: &QuantifiedChunk,
        args: &[Term],
        needed: Term,
    ) -> (Left, Term) {
        let here = self.perm_at(chunk, args);
        let taken = self.minimum(here, needed);
        (Left::Part(self.without(chunk, args, taken)), self.remainder(needed, taken))
    }

    // Many locations: q_current = λ r · min(q_i(r), q_needed(r)), as simple as it can be proved to be

    fn take_from_single(
        &mut self,
        state: &State,
        chunk: &Chunk,
        needed: Term,
    ) -> Run<(Left, Term)> {
        let zero = self.amount(0, 1);
        let formals = self.formals(chunk.resource);
        let here = self.at(chunk.resource, needed, &chunk.args);
        let all = self.terms.le(chunk.perm, here);
        let none = self.terms.le(here, zero);
        let (left, taken) = if self.prove_quickly(state, Purpose::Permission, all)? {
            (Left::Nothing, chunk.perm)
        } else if self.prove_quickly(state, Purpose::Permission, none)? {
            return Ok((Left::Everything, needed));
        } else {
            let taken = self.minimum(here, chunk.perm);
            (Left::Part(self.remainder(chunk.perm, taken)), taken)
        };
        let alias = self.alias(&formals, &chunk.args);
        let less = self.terms.ite(alias, taken, zero);
        Ok((left, self.remainder(needed, less)))
    }

    fn take_from_quantified(
        &mut self,
        state: &mut State,
        chunk: &QuantifiedChunk,
        needed: Term,
    ) -> Run<(Left, Term)> {
        let zero = self.amount(0, 1);
        let resource = chunk.resource;
        let shared = self.minimum(needed, chunk.perm);
        if shared == zero {
            return Ok((Left::Everything, needed));
        }
        let enough = self.terms.le(needed, chunk.perm);
        let enough = self.prove_everywhere(state, resource, enough, true)?;
        let taken = if enough { needed } else { shared };
        if !enough {
            let none = self.terms.eq(shared, zero);
            if self.prove_everywhere(state, resource, none, true)? {
                return Ok((Left::Everything, needed));
            }
        }
        let still = if enough { zero } else { self.remainder(needed, taken) };
        let rest = self.remainder(chunk.perm, taken);
        let gone = self.terms.eq(rest, zero);
        if self.prove_everywhere(state, resource, gone, true)? {
            return Ok((Left::Nothing, still));
        }
        Ok((Left::Part(rest), still))
    }
}
