//! Lemmas: which instances of one predicate are instances of another.

use std::collections::BTreeSet;

use super::Prover;
use crate::sequent::{Heap, Sequent};
use crate::system::{Call, PredId, SortId, Var};

/// The effort for a lemma.
const LEMMA_DEPTH: u32 = 6;
const LEMMA_STEPS: u64 = 1_500;
/// So many atoms are on the left side of a small sequent.
const MAX_ATOMS: usize = 2;
/// So many lemmas are looked for.
pub(super) const MAX_ATTEMPTS: u32 = 30;

impl Prover<'_> {
    /// The sequent with instances of predicates that are wanted in place of those that are not.
    pub(super) fn convert(&mut self, s: &Sequent) -> Option<Sequent> {
        let wanted: BTreeSet<PredId> = s
            .right
            .calls
            .iter()
            .map(|call| call.pred)
            .filter(|pred| self.shapes[*pred].recursive)
            .collect();
        let mut next = s.clone();
        let mut changed = false;
        for i in 0..next.left.calls.len() {
            let from = next.left.calls[i].pred;
            if wanted.contains(&from) {
                continue;
            }
            if let Some(to) = wanted.iter().copied().find(|to| self.is_instance(from, *to)) {
                next.left.calls[i].pred = to;
                changed = true;
            }
        }
        changed.then_some(next)
    }

    /// Sequents that entail this one, with one predicate in place of others: what an instance of it
    /// entails on the right, and what entails it on the left.
    pub fn uniform(&mut self, s: &Sequent) -> Vec<Sequent> {
        let wanted: BTreeSet<PredId> = s.right.calls.iter().map(|call| call.pred).collect();
        let mut all = Vec::new();
        for pred in 0..self.system.predicates.len() {
            if !self.shapes[pred].recursive {
                continue;
            }
            let mut next = s.clone();
            for call in &mut next.left.calls {
                self.steps = LEMMA_STEPS;
                if call.pred != pred && self.is_instance(call.pred, pred) {
                    call.pred = pred;
                }
            }
            for call in &mut next.right.calls {
                self.steps = LEMMA_STEPS;
                if call.pred != pred && self.is_instance(pred, call.pred) {
                    call.pred = pred;
                }
            }
            if next.right.calls != s.right.calls && !all.contains(&next) {
                all.push(next);
            }
        }
        // First what is there already.
        all.sort_by_key(|next| !next.right.calls.iter().all(|call| wanted.contains(&call.pred)));
        all
    }

    /// Is every instance of a predicate one of another, with the same arguments? This is proved on its
    /// own, once.
    pub(super) fn is_instance(&mut self, from: PredId, to: PredId) -> bool {
        if self.system.predicates[from].params != self.system.predicates[to].params {
            return false;
        }
        if let Some(known) = self.conversions.get(&(from, to)) {
            return *known;
        }
        // Until it is proved it is not used.
        self.conversions.insert((from, to), false);
        let params = &self.system.predicates[from].params;
        let args: Vec<Var> = params.iter().map(|sort| self.fresh(*sort)).collect();
        let side = |pred| {
            let call = Call { pred, args: args.clone() };
            Heap { calls: vec![call], ..Heap::default() }
        };
        let sequent = Sequent { left: side(from), right: side(to), exist: BTreeSet::new() };
        let proved = self.aside(&sequent);
        self.conversions.insert((from, to), proved);
        proved
    }

    /// Is there a proof of this on its own? It is looked for once.
    pub(super) fn is_lemma(&mut self, sequent: &Sequent) -> bool {
        let mut sorts: Vec<(Var, SortId)> = sequent
            .numbering(self.nils())
            .into_iter()
            .map(|(var, number)| (number, self.sorts[var as usize]))
            .collect();
        sorts.sort_unstable();
        let key = (sequent.canonical(self.nils()), sorts);
        if let Some(known) = self.lemmas.get(&key) {
            return *known;
        }
        let Some(rest) = self.attempts.checked_sub(1) else { return false };
        self.attempts = rest;
        // Until it is proved it is not used.
        self.lemmas.insert(key.clone(), false);
        let proved = self.aside(sequent);
        self.lemmas.insert(key, proved);
        proved
    }

    /// Does a small sequent hold for reasons of its own, whatever was met on the way?
    pub(super) fn stands_alone(&mut self, s: &Sequent) -> bool {
        let atoms = s.left.calls.len() + s.left.cells.len();
        let is_small = s.right.calls.len() == 1 && s.right.cells.is_empty() && atoms <= MAX_ATOMS;
        if !is_small || self.aside || self.path.is_empty() {
            return false;
        }
        let s = self.forget(s);
        let s = self.without_large(&s).unwrap_or(s);
        self.is_lemma(&s)
    }

    /// A proof on its own, with less effort.
    pub(super) fn aside(&mut self, sequent: &Sequent) -> bool {
        let path = std::mem::take(&mut self.path);
        let wishes = std::mem::take(&mut self.wishes);
        let outer = std::mem::replace(&mut self.aside, true);
        let steps = self.steps;
        let (proved, left) = self.proves(sequent, LEMMA_DEPTH, steps.min(LEMMA_STEPS));
        let used = steps.min(LEMMA_STEPS) - left;
        self.path = path;
        self.wishes = wishes;
        self.aside = outer;
        self.steps = steps - used;
        proved
    }
}
