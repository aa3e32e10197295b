//! One footprint for all paths of a package. [Wid22, Listings 5.11 and 5.12] joinFootprints
//!
//! The paths of a package are the leaves of a tree of decisions. The footprint of a node is that of
//! its two sides, joined: by its condition if that is fixed, so that the same side is taken whenever
//! the wand is applied, and otherwise by the larger amount at every place. `doc/wands.md` has the
//! proof.

use std::collections::BTreeMap;

use smt::Term;

use super::package::{End, Package};
use crate::config::Ablation;
use crate::executor::Executor;
use crate::prover::{Entry, Run};
use crate::state::{Heap, ResourceId, Slot, State};
use crate::stats::Purpose;
use crate::transfer::{Footprint, Reserve, Rest};

impl Executor<'_> {
    /// The footprint of a whole package, and what it may have too much.
    pub(super) fn join_footprints(
        &mut self,
        state: &mut State,
        package: &Package<'_, '_>,
        ends: &[&End],
    ) -> Run<(Footprint, Option<Rest>)> {
        let mut exact = true;
        let mut joined = self.join_below(state, package, ends, 0, &mut exact)?;
        for (reserve, places) in package.reserves.iter().zip(&mut joined) {
            for (slot, amount) in places.iter_mut() {
                *amount = self.clamp(state, reserve, *slot, *amount)?;
            }
        }
        let rest = match package.root {
            Some(root) if !exact => {
                let needed = self.needed(ends, 0);
                Some(self.rest(root, &package.reserves, &joined, &needed))
            }
            _ => None,
        };
        Ok((joined, rest))
    }

    /// What is needed for a certain left-hand side.
    fn needed(&mut self, ends: &[&End], depth: usize) -> Footprint {
        let Some(first) = ends.first() else { return Footprint::new() };
        let Some(fork) = first.forks.get(depth) else {
            let mut footprint = Footprint::new();
            for reserve in &first.reserves {
                let mut places = BTreeMap::new();
                for transfer in &reserve.transfers {
                    self.add_to(&mut places, transfer.slot, transfer.amount);
                }
                footprint.push(places);
            }
            return footprint;
        };
        let (yes, no): (Vec<&End>, Vec<&End>) =
            ends.iter().copied().partition(|end| end.forks.get(depth).is_some_and(|f| f.taken));
        let (a, b) = (self.needed(&yes, depth + 1), self.needed(&no, depth + 1));
        if yes.is_empty() || no.is_empty() {
            return if yes.is_empty() { b } else { a };
        }
        self.combine(&a, &b, Some(fork.condition))
    }

    /// An amount that is a bound may be more than there is; one of a path that is impossible may be
    /// anything.
    fn clamp(
        &mut self,
        state: &mut State,
        reserve: &Reserve,
        slot: Slot,
        amount: Term,
    ) -> Run<Term> {
        let (zero, there) = (self.amount(0, 1), reserve.original(slot));
        let (positive, fits) = (self.terms.le(zero, amount), self.terms.le(amount, there));
        let proper = self.terms.and([positive, fits]);
        let certain = match slot {
            Slot::Single(_) => self.prove_quickly(state, Purpose::Permission, proper)?,
            Slot::Quantified(_) => {
                self.prove_everywhere(state, reserve.resource(slot), proper, true)?
            }
        };
        if certain {
            return Ok(amount);
        }
        let at_least = self.maximum(amount, zero);
        Ok(self.minimum(at_least, there))
    }

    /// The footprint of the paths that agree on their first `depth` decisions.
    fn join_below(
        &mut self,
        state: &mut State,
        package: &Package<'_, '_>,
        ends: &[&End],
        depth: usize,
        exact: &mut bool,
    ) -> Run<Footprint> {
        let Some(first) = ends.first() else { return Ok(Vec::new()) };
        let Some(fork) = first.forks.get(depth) else {
            return self.leaf(state, package, first, exact);
        };
        let (yes, no): (Vec<&End>, Vec<&End>) =
            ends.iter().copied().partition(|end| end.forks.get(depth).is_some_and(|f| f.taken));
        let a = self.join_below(state, package, &yes, depth + 1, exact)?;
        let b = self.join_below(state, package, &no, depth + 1, exact)?;
        if a == b || yes.is_empty() || no.is_empty() {
            return Ok(if yes.is_empty() { b } else { a });
        }
        let condition = match package.root {
            None => Some(fork.condition),
            Some(_) if self.config.ablates(Ablation::Footprints) => Some(fork.condition),
            Some(root) => {
                let mut facts = first.facts(fork.before);
                facts.extend(self.agreements(package, ends, &a, &b));
                let mut fixed = self.fix(state, root, &facts)?;
                self.settle(state, root, fork.condition, &facts, &mut fixed)?
            }
        };
        *exact &= condition.is_some();
        Ok(self.combine(&a, &b, condition))
    }

    /// Joins amounts place by place.
    fn combine(&mut self, a: &Footprint, b: &Footprint, condition: Option<Term>) -> Footprint {
        let zero = self.amount(0, 1);
        let mut joined = Footprint::new();
        for (a, b) in a.iter().zip(b) {
            let mut places = BTreeMap::new();
            for slot in a.keys().chain(b.keys()) {
                let (x, y) = (*a.get(slot).unwrap_or(&zero), *b.get(slot).unwrap_or(&zero));
                let amount = match condition {
                    Some(condition) => self.terms.ite(condition, x, y),
                    None => self.maximum(x, y),
                };
                places.insert(*slot, amount);
            }
            joined.push(places);
        }
        joined
    }

    /// The footprint of one path: amounts that depend on the left-hand side are replaced by bounds.
    /// What was learnt after something was taken may be due to it, and says nothing about how much
    /// it is.
    fn leaf(
        &mut self,
        state: &mut State,
        package: &Package<'_, '_>,
        end: &End,
        exact: &mut bool,
    ) -> Run<Footprint> {
        let mut footprint = Footprint::new();
        for (level, reserve) in end.reserves.iter().enumerate() {
            let mut places = BTreeMap::new();
            for transfer in &reserve.transfers {
                let mut amount = transfer.amount;
                if let Some(root) = package.root
                    && !self.config.ablates(Ablation::Footprints)
                    && self.mentions(amount, &[root])
                {
                    let facts = end.facts(transfer.at - end.start);
                    let fixed = self.fix(state, root, &facts)?;
                    amount = match self.settled(root, amount, &fixed) {
                        Some(amount) => amount,
                        None => {
                            *exact = false;
                            // Where nothing else is known, it is all there is.
                            let bound = self.bound(root, amount, &fixed, true);
                            bound.unwrap_or_else(|| package.reserves[level].original(transfer.slot))
                        }
                    };
                }
                self.add_to(&mut places, transfer.slot, amount);
            }
            footprint.push(places);
        }
        Ok(footprint)
    }

    fn add_to(&mut self, places: &mut BTreeMap<Slot, Term>, slot: Slot, amount: Term) {
        let sum = match places.get(&slot) {
            Some(before) => self.terms.add(*before, amount),
            None => amount,
        };
        places.insert(slot, sum);
    }

    /// What both sides of a decision take is taken for certain, as far as it is there at all: where the
    /// left-hand side has a share of the same location, the values agree.
    fn agreements(
        &mut self,
        package: &Package<'_, '_>,
        ends: &[&End],
        a: &Footprint,
        b: &Footprint,
    ) -> Vec<Term> {
        let Some(first) = ends.first() else { return Vec::new() };
        let zero = self.amount(0, 1);
        let mut facts = Vec::new();
        for (level, reserve) in package.reserves.iter().enumerate() {
            let common: Vec<(Slot, Term, Term)> = a[level]
                .iter()
                .filter_map(|(slot, x)| Some((*slot, *x, *b[level].get(slot)?)))
                .collect();
            for (slot, x, y) in common {
                let resource = reserve.resource(slot);
                if matches!(resource, ResourceId::Wand(_)) {
                    continue;
                }
                for location in self.locations(&first.lhs, &reserve.heap, resource, slot) {
                    // Amounts of paths that are impossible may be more than there is.
                    let amounts = [x, y, reserve.original(slot)].map(|amount| {
                        let here = match slot {
                            Slot::Single(_) => amount,
                            Slot::Quantified(_) => self.at(resource, amount, &location),
                        };
                        self.terms.lt(zero, here)
                    });
                    let taken = self.terms.and(amounts);
                    let outer = self.value_in(&reserve.heap, slot, &location);
                    for (held, inner) in self.shares_of(&first.lhs, ends, resource, &location) {
                        let positive = self.terms.lt(zero, held);
                        let premise = self.terms.and([taken, positive]);
                        let agree = self.terms.eq(inner, outer);
                        facts.push(self.terms.implies(premise, agree));
                    }
                }
            }
        }
        facts
    }

    /// The locations at which a place of a reserve may meet a left-hand side.
    fn locations(
        &self,
        lhs: &Heap,
        reserve: &Heap,
        resource: ResourceId,
        slot: Slot,
    ) -> Vec<Vec<Term>> {
        match slot {
            Slot::Single(i) => vec![reserve.chunks()[i].args.to_vec()],
            Slot::Quantified(_) => lhs.of(resource).map(|(_, c)| c.args.to_vec()).collect(),
        }
    }

    fn value_in(&mut self, heap: &Heap, slot: Slot, location: &[Term]) -> Term {
        match slot {
            Slot::Single(i) => heap.chunks()[i].snap,
            Slot::Quantified(i) => self.snap_at(&heap.quantified()[i].clone(), location),
        }
    }

    /// What all left-hand sides have of a location, chunk by chunk: amount and value.
    fn shares_of(
        &mut self,
        lhs: &Heap,
        ends: &[&End],
        resource: ResourceId,
        location: &[Term],
    ) -> Vec<(Term, Term)> {
        let zero = self.amount(0, 1);
        let mut shares = Vec::new();
        let singles: Vec<_> = lhs.of(resource).map(|(_, c)| c.clone()).collect();
        for chunk in singles {
            let everywhere = ends.iter().all(|end| {
                end.lhs.of(resource).any(|(_, c)| c.args == chunk.args && c.snap == chunk.snap)
            });
            if everywhere {
                let same = self.alias(&chunk.args, location);
                shares.push((self.terms.ite(same, chunk.perm, zero), chunk.snap));
            }
        }
        let quantified: Vec<_> = lhs.quantified_of(resource).map(|(_, c)| c).collect();
        for chunk in quantified {
            let everywhere = ends
                .iter()
                .all(|end| end.lhs.quantified_of(resource).any(|(_, c)| c.values == chunk.values));
            if everywhere {
                shares.push((self.perm_at(&chunk, location), self.snap_at(&chunk, location)));
            }
        }
        shares
    }
}

impl End {
    /// What is known after so many entries of the path.
    pub(super) fn facts(&self, before: usize) -> Vec<Term> {
        let facts = self.entries[..before].iter().filter_map(|entry| match entry {
            Entry::Fact(fact)
            | Entry::Proved(fact)
            | Entry::Lasting(fact, _)
            | Entry::Guard(fact)
            | Entry::Side(fact) => Some(*fact),
            Entry::Fork(..) => None,
        });
        facts.collect()
    }
}
