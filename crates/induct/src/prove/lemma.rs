//! Lemmas: which instances of one predicate are instances of another.

use std::collections::BTreeSet;

use super::Prover;
use crate::sequent::{Heap, Sequent};
use crate::system::{Call, PredId, Var};

/// The effort for a lemma.
const LEMMA_DEPTH: u32 = 5;
const LEMMA_STEPS: u64 = 1_500;

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

    /// A proof on its own, with less effort.
    pub(super) fn aside(&mut self, sequent: &Sequent) -> bool {
        let path = std::mem::take(&mut self.path);
        let steps = self.steps;
        let proved = self.proves(sequent, LEMMA_DEPTH, steps.min(LEMMA_STEPS));
        let used = steps.min(LEMMA_STEPS) - self.steps;
        self.path = path;
        self.steps = steps - used;
        proved
    }
}
