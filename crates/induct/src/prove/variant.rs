//! Other questions that answer this one: the choices that are best made before anything else.

use std::collections::{BTreeSet, HashSet};

use super::trace::{Trace, witness};
use super::{Progress, Prover};
use crate::ends::handed_on;
use crate::sequent::Sequent;
use crate::system::{Call, PredId, Var};

/// More variants than this are not looked at.
const MAX_VARIANTS: usize = 8;
/// Steps for finding out which predicates are instances of others.
const CONVERSION_STEPS: u64 = 4_000;
/// So many locations on the right are guessed at most.
const MAX_GUESSES: usize = 3;

impl Prover<'_> {
    /// Sequents any of which entails this one, and why, as it is and more general, unless they cannot
    /// hold.
    pub(crate) fn questions(&mut self, s: &Sequent) -> Vec<(Sequent, Trace)> {
        let mut all = self.variants(s);
        let mut general = Vec::new();
        for (s, trace) in &all {
            for (next, more) in self.generalisations(s) {
                general.push((next, after(trace, &more)));
            }
        }
        all.extend(general);
        let mut seen = HashSet::new();
        all.retain(|(s, _)| {
            let mut s = s.clone();
            let progress = self.normalise(&mut s, &mut 0, &mut Trace::default());
            !matches!(progress, Progress::Failed) && seen.insert(s.canonical(self.nils()))
        });
        all
    }

    /// Sequents any of which entails this one, which is the first.
    fn variants(&mut self, s: &Sequent) -> Vec<(Sequent, Trace)> {
        let mut all = vec![(s.clone(), Trace::default())];
        all.extend(self.uniform(s));
        self.steps = CONVERSION_STEPS;
        let start = self.convert(s).unwrap_or_else(|| (s.clone(), Trace::default()));
        for (next, trace) in std::iter::once(start).chain(all.clone().into_iter().skip(1)) {
            all.extend(self.joined(&next).map(|(next, more)| (next, after(&trace, &more))));
        }
        for (next, trace) in all.clone() {
            for (guess, more) in self.guesses(&next) {
                let trace = after(&trace, &more);
                all.push(match self.aligned(&guess) {
                    Some((next, more)) => (next, after(&trace, &more)),
                    None => (guess, trace),
                });
            }
            all.extend(self.aligned(&next).map(|(next, more)| (next, after(&trace, &more))));
        }
        all.truncate(MAX_VARIANTS);
        all
    }

    /// A segment on the right that starts or ends where one on the left does has the same integers
    /// there.
    fn aligned(&self, s: &Sequent) -> Option<(Sequent, Trace)> {
        let mut next = s.clone();
        let mut trace = Trace::default();
        for right in &s.right.calls {
            let Some(end) = handed_on(self.system, right.pred) else { continue };
            for left in s.left.calls.iter().filter(|left| left.pred == right.pred) {
                for side in [true, false] {
                    let here = |i: &usize| end[*i] == side;
                    let pairs: Vec<(Var, Var, bool)> = (0..end.len())
                        .filter(here)
                        .map(|i| (left.args[i], right.args[i], self.is_size(left.pred, i)))
                        .collect();
                    let same = pairs.iter().all(|(l, r, _)| self.is_int(*l) || l == r);
                    let ints = pairs.into_iter().filter(|(l, _, size)| self.is_int(*l) && !size);
                    for (l, r, _) in ints.filter(|_| same) {
                        if next.exist.contains(&r) {
                            trace.push(next.clone(), witness(r, l));
                            next.bind(r, l);
                        }
                    }
                }
            }
        }
        (next != *s).then_some((next, trace))
    }

    /// Does the number of cells depend on this parameter?
    fn is_size(&self, pred: PredId, param: usize) -> bool {
        let var = (self.nils() + param) as Var;
        self.counts[pred].as_ref().is_some_and(|sum| sum.factor(var) != 0)
    }

    /// Where instances on the right are whose location is not known: where something on the left is.
    fn guesses(&self, s: &Sequent) -> Vec<(Sequent, Trace)> {
        let roots = |calls: &[Call]| -> BTreeSet<Var> {
            calls.iter().filter_map(|call| self.roots(call).first().copied()).collect()
        };
        let mut places = roots(&s.left.calls);
        places.extend(s.left.cells.iter().map(|cell| cell.addr));
        let taken = roots(&s.right.calls);
        places.retain(|v| !taken.contains(v));
        let unknown: Vec<Var> = taken.into_iter().filter(|v| s.exist.contains(v)).collect();
        if unknown.is_empty() || unknown.len() > MAX_GUESSES {
            return Vec::new();
        }
        let mut all = vec![(s.clone(), places, Trace::default())];
        for var in unknown {
            let sort = self.sorts[var as usize];
            let mut more = Vec::new();
            for (next, places, trace) in &all {
                for place in places.iter().filter(|v| self.sorts[**v as usize] == sort) {
                    let (mut next, mut rest, mut trace) =
                        (next.clone(), places.clone(), trace.clone());
                    trace.push(next.clone(), witness(var, *place));
                    next.bind(var, *place);
                    rest.remove(place);
                    more.push((next, rest, trace));
                }
            }
            all = more;
        }
        all.into_iter().map(|(next, _, trace)| (next, trace)).collect()
    }
}

/// One after the other.
fn after(first: &Trace, second: &Trace) -> Trace {
    let mut trace = first.clone();
    trace.extend(second);
    trace
}
