//! Taking permissions away at many locations at once. [seed 000, Fig. 3] remove
//!
//! It does not matter for the outcome from which chunks they are taken, or in which order: from each,
//! the minimum of what is there and what is still missing. It matters for the work. So the chunks
//! that look like what is wanted come first, one that is wanted as a whole is taken without any
//! question, and one that has nothing of it is left as it is.

use smt::Term;

use crate::prover::{Prover, Run};
use crate::state::{Heap, QuantifiedChunk, State};

use super::Family;

/// What became of a chunk from which something was taken.
enum Left {
    Nothing,
    Everything,
    Part(Term),
}

impl Prover<'_> {
    /// Takes an amount at every location of a family, as far as it is there, and returns what is still
    /// missing.
    pub(crate) fn take_everywhere(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        family: &Family,
        needed: Term,
    ) -> Run<Term> {
        let zero = self.amount(0, 1);
        let twin = heap.quantified_of(family.resource).find(|(_, c)| c.perm == needed);
        if let Some((index, _)) = twin {
            heap.remove_quantified(index);
            return Ok(zero);
        }
        let mut missing = self.take_singles(state, heap, family, needed)?;
        let mut empty = Vec::new();
        for (index, chunk) in self.by_likeness(heap, family) {
            if missing == zero {
                break;
            }
            let (left, still) = self.take_part(state, &chunk, missing)?;
            missing = still;
            match left {
                Left::Nothing => empty.push(index),
                Left::Everything => {}
                Left::Part(perm) => heap.quantified_mut(index).perm = perm,
            }
        }
        empty.sort_unstable();
        for index in empty.into_iter().rev() {
            heap.remove_quantified(index);
        }
        Ok(missing)
    }

    /// Takes what single chunks have of the locations.
    fn take_singles(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        family: &Family,
        needed: Term,
    ) -> Run<Term> {
        let resource = family.resource;
        let zero = self.amount(0, 1);
        let formals = self.formals(resource);
        let mut missing = needed;
        let mut empty = Vec::new();
        let indices: Vec<usize> = heap.of(resource).map(|(i, _)| i).collect();
        for index in indices {
            let chunk = heap.chunks()[index].clone();
            let here = self.at(resource, missing, &chunk.args);
            let all = self.terms.le(chunk.perm, here);
            let none = self.terms.le(here, zero);
            let taken = if self.prove_quickly(state, all)? {
                empty.push(index);
                chunk.perm
            } else if self.prove_quickly(state, none)? {
                continue;
            } else {
                self.minimum(here, chunk.perm)
            };
            heap.get_mut(index).perm = self.remainder(chunk.perm, taken);
            let same = self.same(&formals, &chunk.args);
            let less = self.terms.ite(same, taken, zero);
            missing = self.remainder(missing, less);
        }
        for index in empty.into_iter().rev() {
            heap.remove(index);
        }
        Ok(missing)
    }

    /// The quantified chunks of a family's resource: those first whose locations look like its own.
    fn by_likeness(&self, heap: &Heap, family: &Family) -> Vec<(usize, QuantifiedChunk)> {
        let mut chunks: Vec<_> = heap.quantified_of(family.resource).collect();
        chunks.sort_by_key(|(_, chunk)| !self.resembles(chunk, &family.args));
        chunks
    }

    /// Takes from one chunk: what it has left, and what is missing then.
    fn take_part(
        &mut self,
        state: &mut State,
        chunk: &QuantifiedChunk,
        missing: Term,
    ) -> Run<(Left, Term)> {
        let zero = self.amount(0, 1);
        let resource = chunk.resource;
        let shared = self.minimum(missing, chunk.perm);
        if shared == zero {
            return Ok((Left::Everything, missing));
        }
        let enough = self.terms.le(missing, chunk.perm);
        let enough = self.prove_everywhere(state, resource, enough, true)?;
        let taken = if enough { missing } else { shared };
        if !enough {
            let none = self.terms.eq(shared, zero);
            if self.prove_everywhere(state, resource, none, true)? {
                return Ok((Left::Everything, missing));
            }
        }
        let still = if enough { zero } else { self.remainder(missing, taken) };
        let rest = self.remainder(chunk.perm, taken);
        let gone = self.terms.eq(rest, zero);
        if self.prove_everywhere(state, resource, gone, true)? {
            return Ok((Left::Nothing, still));
        }
        Ok((Left::Part(rest), still))
    }
}
