//! Lemmas: which instances of one predicate are instances of another.

use std::collections::{BTreeMap, BTreeSet};

use super::Prover;
use super::trace::{Trace, weaken};
use crate::sequent::{Heap, Sequent};
use crate::system::{Call, PredId, SortId, Var};
use sl::proof::{Rule, Tree, Use};

/// The effort for a lemma.
const LEMMA_DEPTH: u32 = 6;
const LEMMA_STEPS: u64 = 1_500;
/// So many atoms are on the left side of a small sequent.
const MAX_ATOMS: usize = 2;
/// So many lemmas are looked for.
pub(super) const MAX_ATTEMPTS: u32 = 30;

impl Prover<'_> {
    /// The sequent with instances of predicates that are wanted in place of those that are not.
    pub(super) fn convert(&mut self, s: &Sequent) -> Option<(Sequent, Trace)> {
        let wanted: BTreeSet<PredId> = s
            .right
            .calls
            .iter()
            .map(|call| call.pred)
            .filter(|pred| self.shapes[*pred].recursive)
            .collect();
        let mut next = s.clone();
        let mut trace = Trace::default();
        let mut changed = false;
        for i in 0..next.left.calls.len() {
            let from = next.left.calls[i].pred;
            if wanted.contains(&from) {
                continue;
            }
            let found = wanted.iter().find_map(|to| Some((*to, self.is_instance(from, *to)?)));
            if let Some((to, lemma)) = found {
                trace.push(next.clone(), self.conversion(lemma, &next.left.calls[i], i));
                next.left.calls[i].pred = to;
                changed = true;
            }
        }
        changed.then_some((next, trace))
    }

    /// The use of a lemma for one instance on the left.
    pub(super) fn conversion(&self, lemma: usize, call: &Call, place: usize) -> Rule {
        let sequent = &self.proved[lemma].sequent;
        let params = sequent.left.calls.first().map(|call| call.args.as_slice());
        let vars = params.unwrap_or_default().iter().copied().zip(call.args.iter().copied());
        let using = Use { vars: vars.collect(), cells: Vec::new(), calls: vec![place] };
        Rule::Lemma { lemma, using }
    }

    /// Sequents that entail this one, with one predicate in place of others: what an instance of it
    /// entails on the right, and what entails it on the left.
    pub(crate) fn uniform(&mut self, s: &Sequent) -> Vec<(Sequent, Trace)> {
        let wanted: BTreeSet<PredId> = s.right.calls.iter().map(|call| call.pred).collect();
        let mut all: Vec<(Sequent, Trace)> = Vec::new();
        for pred in 0..self.system.predicates.len() {
            if !self.shapes[pred].recursive {
                continue;
            }
            let mut next = s.clone();
            let mut trace = Trace::default();
            for i in 0..next.left.calls.len() {
                self.steps = LEMMA_STEPS;
                let call = next.left.calls[i].clone();
                if call.pred != pred
                    && let Some(lemma) = self.is_instance(call.pred, pred)
                {
                    trace.push(next.clone(), self.conversion(lemma, &call, i));
                    next.left.calls[i].pred = pred;
                }
            }
            for i in 0..next.right.calls.len() {
                self.steps = LEMMA_STEPS;
                let from = next.right.calls[i].pred;
                if from != pred
                    && let Some(lemma) = self.is_instance(pred, from)
                {
                    trace.push(next.clone(), Rule::LemmaRight { lemma, call: i });
                    next.right.calls[i].pred = pred;
                }
            }
            if next.right.calls != s.right.calls && !all.iter().any(|(known, _)| *known == next) {
                all.push((next, trace));
            }
        }
        // First what is there already.
        all.sort_by_key(|(next, _)| {
            !next.right.calls.iter().all(|call| wanted.contains(&call.pred))
        });
        all
    }

    /// Is every instance of a predicate one of another, with the same arguments? This is proved on its
    /// own, once.
    pub(super) fn is_instance(&mut self, from: PredId, to: PredId) -> Option<usize> {
        if self.system.predicates[from].params != self.system.predicates[to].params {
            return None;
        }
        if let Some(known) = self.conversions.get(&(from, to)) {
            return *known;
        }
        // Until it is proved it is not used.
        self.conversions.insert((from, to), None);
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
    pub(super) fn is_lemma(&mut self, sequent: &Sequent) -> Option<usize> {
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
        self.attempts = self.attempts.checked_sub(1)?;
        // Until it is proved it is not used.
        self.lemmas.insert(key.clone(), None);
        let proved = self.aside(sequent);
        self.lemmas.insert(key, proved);
        proved
    }

    /// Does a small sequent hold for reasons of its own, whatever was met on the way?
    pub(super) fn stands_alone(&mut self, s: &Sequent) -> Option<Tree> {
        let atoms = s.left.calls.len() + s.left.cells.len();
        let is_small = s.right.calls.len() == 1 && s.right.cells.is_empty() && atoms <= MAX_ATOMS;
        if !is_small || self.aside || self.path.is_empty() {
            return None;
        }
        let less = self.forget(s);
        let less = self.without_large(&less).unwrap_or(less);
        let lemma = self.is_lemma(&less)?;
        let rename = self.renaming(lemma, &less);
        let mut trace = Trace::default();
        trace.push(s.clone(), weaken());
        Some(trace.close(Tree::new(less, Rule::ByLemma { lemma, rename }, Vec::new())))
    }

    /// What the variables of a lemma are in a sequent that differs from it in names only.
    pub(super) fn renaming(&self, lemma: usize, sequent: &Sequent) -> Vec<(Var, Var)> {
        let numbers = sequent.numbering(self.nils());
        let by_number: BTreeMap<Var, Var> = numbers.into_iter().map(|(v, n)| (n, v)).collect();
        let numbers = self.proved[lemma].sequent.numbering(self.nils());
        numbers.into_iter().filter_map(|(v, n)| Some((v, *by_number.get(&n)?))).collect()
    }

    /// The number of a proof on its own, with less effort.
    pub(super) fn aside(&mut self, sequent: &Sequent) -> Option<usize> {
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
        self.proved.push(proved?);
        Some(self.proved.len() - 1)
    }
}
