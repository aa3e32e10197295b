//! Doubly linked lists: what the way back of those that must be there has to be ([PWZ13, Sec. 6]).
//!
//! The paper says of all `z` in the list that `prev(next(z))` is `z`. As it stands, an instance would
//! mention new nodes, and so need further instances. Two consequences of it mention none:
//!
//! - *step*: if `prev(w)` is read, and `w` is in the list but not its first node, then `prev(w)` is the
//!   node before it;
//! - *agree*: of two lists that share a node, those before it in one are those before it in the other, as
//!   far as the other has any. For whoever goes back from there goes the same way.
//!
//! They are enough. Where `prev` of a node of a list is not read, let it be the node before. Another list
//! with that node has the same one before it: by *agree* it has ours, and nothing lies between that and
//! the node. So all instances of the paper's axiom hold, with the nodes that there were.

use smt::{Sort, Term};

use crate::paths::Paths;
use crate::theory::{Field, Theory};

/// Between the first node and the end, `prev` leads back to where `next` comes from, if it holds.
#[derive(Clone, Copy)]
pub(crate) struct WayBack {
    pub(crate) holds: Term,
    pub(crate) prev: Field,
    pub(crate) next: Field,
    pub(crate) first: Term,
    pub(crate) end: Term,
}

/// Terms for the nodes of a model, and their places.
pub(crate) struct Places<'a> {
    /// One for each place.
    pub(crate) terms: &'a [Term],
    pub(crate) place: &'a dyn Fn(Term) -> Option<usize>,
}

/// A way back of the model.
struct Held {
    way: WayBack,
    first: usize,
    end: usize,
}

impl Held {
    fn contains(&self, paths: &Paths, node: usize) -> bool {
        node != self.end && paths.has(self.way.next, [self.first, node, self.end])
    }
}

/// The instances that the lists which hold in a model contradict.
pub(crate) fn violated(
    theory: &mut Theory,
    paths: &Paths,
    places: &Places<'_>,
    reads: &[(Field, Term, Term)],
) -> Vec<Term> {
    let held: Vec<Held> = paths
        .ways_back
        .iter()
        .filter_map(|way| {
            let (first, end) = ((places.place)(way.first)?, (places.place)(way.end)?);
            Some(Held { way: *way, first, end })
        })
        .collect();
    let mut missing = Vec::new();
    for list in &held {
        let sort = theory.terms.sort(list.way.first);
        let nodes: Vec<usize> = (0..places.terms.len())
            .filter(|p| theory.terms.sort(places.terms[*p]) == sort)
            .collect();
        for (_, node, value) in reads.iter().filter(|(field, ..)| *field == list.way.prev) {
            let (Some(w), Some(before)) = ((places.place)(*node), (places.place)(*value)) else {
                continue;
            };
            if let Some(u) = list.step_fails(paths, &nodes, w, before) {
                missing.push(list.way.step(theory, *node, *value, places.terms[u]));
            }
        }
        for other in held.iter().filter(|other| other.way.prev == list.way.prev) {
            for (w, v) in list.disagreements(other, paths, &nodes) {
                let (w, v) = (places.terms[w], places.terms[v]);
                missing.push(list.way.agree(&other.way, theory, w, v));
            }
        }
    }
    missing
}

impl Held {
    /// The way back from `w` is `before`, which is not the node before it: a node in between, or any.
    fn step_fails(&self, paths: &Paths, nodes: &[usize], w: usize, before: usize) -> Option<usize> {
        let next = self.way.next;
        if w == self.first || !self.contains(paths, w) {
            return None;
        }
        if before == w || !self.contains(paths, before) || !paths.has(next, [before, w, self.end]) {
            return Some(w);
        }
        let between = |u: &usize| *u != before && *u != w && paths.has(next, [before, *u, w]);
        nodes.iter().copied().find(between)
    }

    /// Nodes `w` of both lists, and `v` before it in this one but not in the other.
    fn disagreements(&self, other: &Held, paths: &Paths, nodes: &[usize]) -> Vec<(usize, usize)> {
        let (ours, theirs) = (self.way.next, other.way.next);
        let mut all = Vec::new();
        let shared = |w: &usize| self.contains(paths, *w) && other.contains(paths, *w);
        for w in nodes.iter().copied().filter(shared) {
            let wrong = |v: &usize| {
                paths.has(ours, [self.first, *v, w])
                    && !paths.has(theirs, [other.first, *v, w])
                    && !paths.has(ours, [*v, other.first, w])
            };
            all.extend(nodes.iter().copied().find(wrong).map(|v| (w, v)));
        }
        all
    }
}

impl WayBack {
    /// A new one, with a name for whether it holds.
    pub(crate) fn new(
        theory: &mut Theory,
        (prev, next): (Field, Field),
        first: Term,
        end: Term,
    ) -> WayBack {
        let holds = theory.terms.fresh("doubly", Sort::Bool);
        WayBack { holds, prev, next, first, end }
    }

    fn contains(&self, theory: &mut Theory, node: Term) -> Term {
        let on_path = theory.between(self.next, self.first, node, self.end);
        let last = theory.terms.eq(node, self.end);
        let inner = theory.terms.not(last);
        theory.terms.and([on_path, inner])
    }

    /// The first axiom, for `w` whose way back is `from`, and with `u` not between them.
    fn step(&self, theory: &mut Theory, w: Term, from: Term, u: Term) -> Term {
        let inside = self.contains(theory, w);
        let start = theory.terms.eq(w, self.first);
        let later = theory.terms.not(start);
        let premise = theory.terms.and([self.holds, inside, later]);
        let known = self.contains(theory, from);
        let before = theory.between(self.next, from, w, self.end);
        let same = theory.terms.eq(from, w);
        let other = theory.terms.not(same);
        let on_the_way = theory.between(self.next, from, u, w);
        let at_an_end = [theory.terms.eq(u, from), theory.terms.eq(u, w)];
        let at_an_end = theory.terms.or(at_an_end);
        let adjacent = theory.terms.implies(on_the_way, at_an_end);
        let conclusion = theory.terms.and([known, before, other, adjacent]);
        theory.terms.implies(premise, conclusion)
    }

    /// The second axiom.
    fn agree(&self, other: &WayBack, theory: &mut Theory, w: Term, v: Term) -> Term {
        let shared = [self.contains(theory, w), other.contains(theory, w)];
        let before = theory.between(self.next, self.first, v, w);
        let premise = theory.terms.and([self.holds, other.holds, shared[0], shared[1], before]);
        let also = theory.between(other.next, other.first, v, w);
        let begins = theory.between(self.next, v, other.first, w);
        let conclusion = theory.terms.or([also, begins]);
        theory.terms.implies(premise, conclusion)
    }
}
