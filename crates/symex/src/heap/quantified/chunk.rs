//! Quantified chunks: what they hold at a location.

use std::rc::Rc;

use smt::Term;

use crate::encoding::FormulaKind;
use crate::prover::{Prover, Run};
use crate::state::{QuantifiedChunk, ResourceId, State};

impl Prover<'_> {
    /// Adds a quantified chunk to the heap of a state.
    pub fn put_quantified(&mut self, state: &mut State, chunk: QuantifiedChunk) -> Run<()> {
        if self.merge_quantified(state, &chunk)? {
            return Ok(());
        }
        self.relate_quantified(state, chunk)
    }

    /// Adds a chunk, and what follows from having it besides the others.
    pub(crate) fn relate_quantified(
        &mut self,
        state: &mut State,
        chunk: QuantifiedChunk,
    ) -> Run<()> {
        if let ResourceId::Field(_) = chunk.resource {
            self.bound_everywhere(state, &chunk)?;
        }
        self.agree_everywhere(state, &chunk)?;
        let resource = chunk.resource;
        state.heap.push_quantified(chunk);
        let singles: Vec<Rc<[Term]>> =
            state.heap.of(resource).map(|(_, c)| Rc::clone(&c.args)).collect();
        let heap = state.heap.clone();
        for args in singles {
            self.relate_shares(state, &heap, resource.at(&args))?;
        }
        Ok(())
    }

    /// Of no location there is more than everything.
    fn bound_everywhere(&mut self, state: &mut State, chunk: &QuantifiedChunk) -> Run<()> {
        let (zero, one) = (self.amount(0, 1), self.amount(1, 1));
        let others: Vec<Term> =
            state.heap.quantified_of(chunk.resource).map(|(_, c)| c.perm).collect();
        let here = self.terms.lt(zero, chunk.perm);
        let full = self.is_full_or_none(chunk.perm);
        let (mut excluded, mut sum) = (Vec::new(), zero);
        for other in others {
            if full || self.is_full_or_none(other) {
                let there = self.terms.lt(zero, other);
                excluded.push(self.terms.and([here, there]));
            } else {
                sum = self.total(sum, other);
            }
        }
        if sum != zero {
            sum = self.total(sum, chunk.perm);
        }
        let bounded = self.terms.le(sum, one);
        let excluded = self.terms.or(excluded);
        let exclusive = self.terms.not(excluded);
        let formals = self.formals(chunk.resource);
        for fact in [exclusive, bounded] {
            if self.terms.as_bool(fact) != Some(true) {
                let fact = self.for_all(FormulaKind::Bound, &formals, &[], fact);
                self.assume(state, fact)?;
            }
        }
        Ok(())
    }

    /// Two chunks that both have a part of a location have the same value there.
    fn agree_everywhere(&mut self, state: &mut State, chunk: &QuantifiedChunk) -> Run<()> {
        let zero = self.amount(0, 1);
        if self.is_full_or_none(chunk.perm) {
            return Ok(());
        }
        let formals = self.formals(chunk.resource);
        let others: Vec<_> = state.heap.quantified_of(chunk.resource).map(|(_, c)| c).collect();
        let here = self.terms.lt(zero, chunk.perm);
        let value = self.value_at(chunk.resource, chunk.values, &formals);
        for other in others {
            if self.is_full_or_none(other.perm) {
                continue;
            }
            let there = self.terms.lt(zero, other.perm);
            let both = self.terms.and([here, there]);
            let theirs = self.value_at(chunk.resource, other.values, &formals);
            let agree = self.terms.eq(value, theirs);
            let body = self.terms.implies(both, agree);
            let triggers = [vec![value], vec![theirs]];
            let fact = self.for_all(FormulaKind::Agree, &formals, &triggers, body);
            self.assume(state, fact)?;
        }
        Ok(())
    }
}
