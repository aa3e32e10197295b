//! Giving permissions back to the chunk that they were taken from.
//!
//! `exhale acc(x.f)  inhale acc(x.f)`, a call, `unfold` and `fold`: what is taken at a location of a
//! quantified chunk mostly comes back. As a chunk of its own it would have to be told apart from every
//! other location that is asked for later, and each of these would then depend on all that came back
//! before. So it goes back into the chunk: `c(r) && r != x ? 1 : 0` is `c(r) ? 1 : 0` again.

use std::rc::Rc;

use smt::{Node, Op, Term};

use crate::encoding::FormulaKind;
use crate::prover::{Prover, Run};
use crate::state::{Location, QuantifiedChunk, ResourceId, State};

/// What was given back to a chunk.
struct Filled {
    /// What it holds now.
    perm: Term,
    /// How much it held of the location before.
    before: Term,
}

impl Prover<'_> {
    /// Gives permission at one location back to the chunk that it was taken from. `false` if there is
    /// none, or if it is not simpler for that.
    ///
    /// The new amount is the old one at all other locations, and larger by `amount` at this one. So
    /// chunk and location together are the new chunk, with the new value at the location. If it had some
    /// permission there still, the values are the same.
    pub(crate) fn fill(
        &mut self,
        state: &mut State,
        location: Location<'_>,
        snap: Term,
        amount: Term,
    ) -> Run<bool> {
        let Location { resource, args } = location;
        let chunks: Vec<_> = state.heap.quantified_of(resource).collect();
        for (index, chunk) in chunks {
            if !chunk.holes.iter().any(|hole| **hole == *args) {
                continue;
            }
            let formals = self.formals(resource);
            let here = self.alias(&formals, args);
            let Some(filled) = self.add_here(state, &chunk, (here, args), chunk.perm, amount)
            else {
                continue;
            };
            let map = self.value_map(resource);
            let sort = self.terms.signature.fun(map.lookup).result;
            let value = self.unwrap(snap, sort);
            let zero = self.amount(0, 1);
            let before = self.at(resource, filled.before, args);
            let some = self.terms.lt(zero, before);
            if before == zero {
                let always = self.terms.bool(true);
                self.update(state, index, &chunk, args, (value, always))?;
            } else if !self.entailed(state, some) {
                continue;
            } else {
                let held = self.value_at(resource, chunk.values, args);
                let agree = self.terms.eq(held, value);
                self.assume(state, agree)?;
            }
            let domain = chunk.domain.filter(|domain| {
                let inside = self.at(resource, *domain, args);
                self.entailed(state, inside)
            });
            let filled_chunk = state.heap.quantified_mut(index);
            (filled_chunk.perm, filled_chunk.domain) = (filled.perm, domain);
            Rc::make_mut(&mut filled_chunk.holes).retain(|hole| **hole != *args);
            if state.heap.of(resource).count() + state.heap.quantified_of(resource).count() > 1 {
                let heap = state.heap.clone();
                self.relate_shares(state, &heap, location)?;
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// An amount over the formals, with more at one location: if the cases that it has are enough to say
    /// so. What holds of the location decides which case it is in.
    fn add_here(
        &mut self,
        state: &State,
        chunk: &QuantifiedChunk,
        (here, args): (Term, &[Term]),
        perm: Term,
        amount: Term,
    ) -> Option<Filled> {
        let Node::Op(Op::Ite, parts) = self.terms.node(perm).clone() else { return None };
        let (condition, then, otherwise) = (parts[0], parts[1], parts[2]);
        if condition == here {
            // here ? p : q, with p + amount == q
            let sum = self.terms.add(then, amount);
            return (sum == otherwise).then_some(Filled { perm: otherwise, before: then });
        }
        let conjuncts: Vec<Term> = match self.terms.node(condition) {
            Node::Op(Op::And, parts) => parts.to_vec(),
            _ => vec![condition],
        };
        let elsewhere = self.terms.not(here);
        let rest: Vec<Term> = conjuncts.iter().copied().filter(|c| *c != elsewhere).collect();
        let rest_all = self.terms.and(rest.iter().copied());
        let there = self.at(chunk.resource, rest_all, args);
        if rest.len() < conjuncts.len() {
            // c && !here ? q : p, with p + amount == q, where c holds here
            let sum = self.terms.add(otherwise, amount);
            if sum != then || !self.entailed(state, there) {
                return None;
            }
            let perm = self.terms.ite(rest_all, then, otherwise);
            return Some(Filled { perm, before: otherwise });
        }
        let not_there = self.terms.not(there);
        if self.entailed(state, there) {
            let filled = self.add_here(state, chunk, (here, args), then, amount)?;
            let perm = self.terms.ite(condition, filled.perm, otherwise);
            Some(Filled { perm, ..filled })
        } else if self.entailed(state, not_there) {
            let filled = self.add_here(state, chunk, (here, args), otherwise, amount)?;
            let perm = self.terms.ite(condition, then, filled.perm);
            Some(Filled { perm, ..filled })
        } else {
            None
        }
    }

    /// Adds to a chunk that is there another one with the same locations. `false` if there is none.
    ///
    /// `c(r) ? p : 0` with values `v` and `c(r) ? q : 0` with values `w` are `c(r) ? p + q : 0` with
    /// values `v`, where `v` and `w` agree on all locations, for both of which there is permission.
    pub(crate) fn merge_quantified(
        &mut self,
        state: &mut State,
        chunk: &QuantifiedChunk,
    ) -> Run<bool> {
        let resource = chunk.resource;
        let (zero, one) = (self.amount(0, 1), self.amount(1, 1));
        let Some((condition, more)) = self.amount_where(chunk.perm) else { return Ok(false) };
        // In a proof script it must be seen what comes from where.
        if resource.is_wand() || !state.reserves.is_empty() {
            return Ok(false);
        }
        let others: Vec<_> = state.heap.quantified_of(resource).collect();
        for (index, other) in others {
            let Some((there, amount)) = self.amount_where(other.perm) else { continue };
            if there != condition {
                continue;
            }
            let sum = self.terms.add(amount, more);
            let (held, given) = (self.terms.lt(zero, amount), self.terms.lt(zero, more));
            let bounded = self.terms.le(sum, one);
            let both = self.terms.and([held, given]);
            let is_field = matches!(resource, ResourceId::Field(_));
            if !self.entailed(state, both) || (is_field && !self.entailed(state, bounded)) {
                continue;
            }
            let formals = self.formals(resource);
            let kept = self.value_at(resource, other.values, &formals);
            let new = self.value_at(resource, chunk.values, &formals);
            let agree = self.terms.eq(kept, new);
            let body = self.terms.implies(condition, agree);
            let fact = self.for_all(FormulaKind::Agree, &formals, &[vec![new]], body);
            self.assume(state, fact)?;
            let perm = self.terms.ite(condition, sum, zero);
            let merged = QuantifiedChunk { perm, ..other };
            state.heap.remove_quantified(index);
            self.relate_quantified(state, merged)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// `c` and `p` of `c ? p : 0`.
    fn amount_where(&mut self, perm: Term) -> Option<(Term, Term)> {
        let zero = self.amount(0, 1);
        match self.terms.node(perm) {
            Node::Op(Op::Ite, parts) if parts[2] == zero => Some((parts[0], parts[1])),
            _ => None,
        }
    }
}
