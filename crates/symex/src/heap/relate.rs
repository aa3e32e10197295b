//! What follows from holding several chunks of a resource.

use smt::Term;

use super::shares::Share;
use crate::prover::{Prover, Run};
use crate::state::{Chunk, Heap, Location, ResourceId, State};

/// How it is known what follows from holding shares of a location: it holds of every consistent heap.
#[derive(Clone, Copy)]
struct Known {
    /// The location depends on the variables of a quantifier. What holds of it was said of all locations
    /// when the chunks were put together; nobody outside needs to be told again, for each instance.
    implied: bool,
    /// Where these chunks were held first: there it holds already, whatever the conditions since.
    level: Option<usize>,
}

impl Prover<'_> {
    /// What follows from holding shares of one location in several chunks, some of them quantified:
    /// they agree on the value, and of a field there is no more than everything.
    pub fn relate_shares(
        &mut self,
        state: &mut State,
        heap: &Heap,
        location: Location<'_>,
    ) -> Run<()> {
        let Location { resource, args } = location;
        // Two wands that look the same may have different footprints, and different gains.
        if resource.is_wand() {
            return Ok(());
        }
        let zero = self.amount(0, 1);
        let shares = self.shares(heap, location);
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

    /// What follows from holding a chunk together with those of its resource for other arguments.
    pub(super) fn relate_to_others(
        &mut self,
        state: &mut State,
        location: Location<'_>,
        share: Share,
    ) -> Run<()> {
        let Location { resource, args } = location;
        let is_field = matches!(resource, ResourceId::Field(_));
        let chunks = state.heap.of(resource).map(|(_, c)| c);
        let others: Vec<Chunk> = chunks.filter(|c| *c.args != *args).cloned().collect();
        for other in &others {
            self.relate(state, other, args, share)?;
        }
        if is_field { self.bound_sum(state, &others, args, share.perm) } else { Ok(()) }
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
            let same = self.alias(&other.args, args);
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
        share: Share,
    ) -> Run<()> {
        let Share { perm, snap } = share;
        let (zero, one) = (self.amount(0, 1), self.amount(1, 1));
        let same = self.alias(&other.args, args);
        let mut facts = Vec::new();
        if matches!(other.resource, ResourceId::Field(_)) {
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

    /// Does a location depend on the variables of a quantifier?
    pub(super) fn mentions_quantified(&self, state: &State, args: &[Term]) -> bool {
        let vars = state.quantified_parameters();
        args.iter().any(|a| self.mentions(*a, vars))
    }
}
