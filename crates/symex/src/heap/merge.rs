//! Merging states: after an `if`, or after an assertion with a condition, its paths become one again.
//!
//! Values depend on which path it was. So do permissions: a chunk that only some paths have is there
//! to the amount of nothing for the others. What was learnt holds if that path was taken.

use std::rc::Rc;

use rpds::HashTrieMap;
use smt::Term;
use viper::core::LabelId;

use crate::prover::{Prover, Run, Stop};
use crate::state::{Chunk, Heap, QuantifiedChunk, State, Store};

impl Prover<'_> {
    /// The state of the path that was taken, of those that are selected by these guards.
    pub fn merge_states(&mut self, state: &mut State, ends: &[(Term, &State)]) -> Run<()> {
        let stores: Vec<_> = ends.iter().map(|(guard, end)| (*guard, &end.store)).collect();
        self.merge_stores(state, &stores)?;
        let labels: Vec<_> = ends.iter().map(|(guard, end)| (*guard, &end.labels)).collect();
        self.merge_labels(state, &labels)?;
        let heaps: Vec<_> = ends.iter().map(|(guard, end)| (*guard, &end.heap)).collect();
        state.heap = self.merge_heaps(state, &heaps)?;
        if let [(_, only)] = ends {
            state.branches = only.branches.clone();
        }
        Ok(())
    }

    /// The value of the path that was taken; large ones get a name.
    pub fn select(&mut self, state: &mut State, hint: &str, choices: &[(Term, Term)]) -> Run<Term> {
        let value = self.choose(choices)?;
        self.name(state, hint, value)
    }

    fn choose(&mut self, choices: &[(Term, Term)]) -> Run<Term> {
        let Some(((_, last), others)) = choices.split_last() else { return Err(Stop::Infeasible) };
        let others = others.iter().rev();
        Ok(others.fold(*last, |value, (guard, other)| self.terms.ite(*guard, *other, value)))
    }

    fn merge_stores(&mut self, state: &mut State, stores: &[(Term, &Store)]) -> Run<()> {
        let Some((_, first)) = stores.first() else { return Ok(()) };
        for (local, _) in first.values() {
            let value = |(guard, store): &(Term, &Store)| Some((*guard, store.get(local)?));
            // A variable that only some paths know is not in scope any more.
            let Some(choices) = stores.iter().map(value).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let locals = state.owner.locals(self.program);
            let hint = locals.get(local.index()).map_or("joined", |local| local.name.as_str());
            let value = self.select(state, hint, &choices)?;
            state.store.set(local, value);
        }
        Ok(())
    }

    /// Labels that were passed on all paths.
    fn merge_labels(
        &mut self,
        state: &mut State,
        all: &[(Term, &HashTrieMap<LabelId, Heap>)],
    ) -> Run<()> {
        let Some((_, first)) = all.first() else { return Ok(()) };
        let mut labels: Vec<LabelId> = first.keys().copied().collect();
        labels.sort_unstable();
        let mut merged = HashTrieMap::new();
        for label in labels {
            let heap = |(guard, labels): &(Term, &'_ HashTrieMap<LabelId, Heap>)| {
                Some((*guard, labels.get(&label)?.clone()))
            };
            if let Some(heaps) = all.iter().map(heap).collect::<Option<Vec<_>>>() {
                let heaps: Vec<(Term, &Heap)> = heaps.iter().map(|(g, h)| (*g, h)).collect();
                merged.insert_mut(label, self.merge_heaps(state, &heaps)?);
            }
        }
        state.labels = merged;
        Ok(())
    }

    /// The heap of the path that was taken.
    pub fn merge_heaps(&mut self, state: &mut State, heaps: &[(Term, &Heap)]) -> Run<Heap> {
        let Some(((_, first), others)) = heaps.split_first() else { return Ok(Heap::default()) };
        if others.iter().all(|(_, heap)| heap.is(first)) {
            return Ok((*first).clone());
        }
        let mut merged = Heap::default();
        let chunks: Vec<_> = heaps.iter().map(|(g, h)| (*g, h.chunks())).collect();
        for group in groups(&chunks, |a, b| a.resource == b.resource && a.args == b.args) {
            let perm = self.merge_perms(&group, |c| c.perm)?;
            let snaps: Vec<_> =
                group.iter().filter_map(|(guard, c)| Some((*guard, (*c)?.snap))).collect();
            let snap = self.select(state, "s", &snaps)?;
            if let Some(chunk) = group.iter().find_map(|(_, c)| *c) {
                // What is left of a footprint is only known of the wand that it belongs to. Both chunks are
                // there, so what they share is the same value; if it is not shared, it is given up.
                let rest = chunk.rest.clone().filter(|rest| {
                    let same = |c: &Chunk| c.rest.as_ref().is_some_and(|r| Rc::ptr_eq(r, rest));
                    group.iter().all(|(_, c)| c.is_some_and(|c| c.snap == chunk.snap && same(c)))
                });
                merged.push(Chunk { snap, perm, rest, ..chunk.clone() });
            }
        }
        let chunks: Vec<_> = heaps.iter().map(|(g, h)| (*g, h.quantified())).collect();
        for group in groups(&chunks, is_same_origin) {
            let perm = self.merge_perms(&group, |c: &QuantifiedChunk| c.perm)?;
            let values: Vec<_> =
                group.iter().filter_map(|(guard, c)| Some((*guard, (*c)?.values))).collect();
            let values = self.choose(&values)?;
            if let Some(chunk) = group.iter().find_map(|(_, c)| *c) {
                let values = if values == chunk.values {
                    values
                } else {
                    let sort = self.terms.sort(values);
                    let name = self.fresh(state, "values", sort);
                    let fact = self.terms.eq(name, values);
                    self.assume(state, fact)?;
                    name
                };
                let same = group.iter().all(|(_, c)| c.is_none_or(|c| c.domain == chunk.domain));
                let domain = chunk.domain.filter(|_| same);
                merged.push_quantified(QuantifiedChunk { perm, values, domain, ..chunk.clone() });
            }
        }
        Ok(merged)
    }

    /// The amount of a chunk; a path that does not have it has nothing of it.
    fn merge_perms<C>(
        &mut self,
        group: &[(Term, Option<&C>)],
        perm: impl Fn(&C) -> Term,
    ) -> Run<Term> {
        let zero = self.amount(0, 1);
        let choices: Vec<_> = group.iter().map(|(g, c)| (*g, c.map_or(zero, &perm))).collect();
        self.choose(&choices)
    }
}

/// Are these a chunk and what became of it, or became of it on different paths? This only decides which
/// chunks become one: whatever the answer, each path keeps what it has. So it is enough that a pattern
/// which two chunks share came from one chunk.
fn is_same_origin(a: &QuantifiedChunk, b: &QuantifiedChunk) -> bool {
    let written = a.perm == b.perm && Rc::ptr_eq(&a.pattern, &b.pattern);
    a.resource == b.resource && (a.values == b.values || written)
}

/// Brings together what corresponds to each other, at most one of each heap; in the order of the
/// first heap, then of those after it.
fn groups<'c, C>(
    heaps: &[(Term, &'c [C])],
    same: impl Fn(&C, &C) -> bool,
) -> Vec<Vec<(Term, Option<&'c C>)>> {
    let mut left: Vec<(Term, Vec<&'c C>)> =
        heaps.iter().map(|(guard, chunks)| (*guard, chunks.iter().collect())).collect();
    let mut groups = Vec::new();
    for i in 0..left.len() {
        for chunk in std::mem::take(&mut left[i].1) {
            let mut group = Vec::with_capacity(left.len());
            for (j, (guard, chunks)) in left.iter_mut().enumerate() {
                let found = if i == j {
                    Some(chunk)
                } else {
                    let position = chunks.iter().position(|c| same(chunk, c));
                    position.map(|position| chunks.remove(position))
                };
                group.push((*guard, found));
            }
            groups.push(group);
        }
    }
    groups
}
