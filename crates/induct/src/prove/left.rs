//! Unfolding on the left side, which makes a sequent a hypothesis.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::normalise::forget_dead;
use super::trace::{Trace, weaken};
use super::{Hypothesis, Prover};
use crate::base::compact;
use crate::ends::handed_on;
use crate::sequent::{Heap, Sequent};
use crate::system::{Call, Var};
use arith::Constraint;
use sl::proof::{Rule, Tree};

/// So many instances on the left are tried to be unfolded.
const MAX_UNFOLDED: usize = 3;
/// So often in a row instances are unfolded only to know more of integers.
const MAX_CLOSER: u32 = 2;
/// Numbers beyond this do not count down to nothing in a proof.
const LARGE: u128 = 8;

impl Prover<'_> {
    /// Unfolds an instance on the left; this sequent is a hypothesis from now on.
    pub(super) fn induct(&mut self, s: &Sequent, consumed: u32, depth: u32) -> Option<Tree> {
        if depth == 0 {
            return None;
        }
        let mut order: Vec<(usize, usize)> =
            (0..s.left.calls.len()).map(|i| (self.interest(s, &s.left.calls[i]), i)).collect();
        order.sort_by_key(|(interest, i)| (std::cmp::Reverse(*interest), *i));
        let conclusion = s;
        let s = self.forget(s);
        let without = self.without_large(&s);
        for (_, index) in order.into_iter().take(MAX_UNFOLDED) {
            for s in without.iter().chain([&s]) {
                let mut hasher = DefaultHasher::new();
                s.canonical(self.nils()).hash(&mut hasher);
                let key = hasher.finish();
                self.companions += 1;
                let label = self.companions;
                self.path.push(Hypothesis { sequent: s.clone(), consumed, key, label });
                let proved = self
                    .unfold_left(s, index, consumed, depth - 1)
                    .or_else(|| self.unfold_from_the_end(s, index, consumed, depth - 1));
                self.path.pop();
                if let Some(mut tree) = proved {
                    tree.label = Some(label);
                    let mut trace = Trace::default();
                    trace.push(conclusion.clone(), weaken());
                    return Some(trace.close(tree));
                }
            }
        }
        None
    }

    /// Unfolds instances on the left before anything else, since more has to be known of integers.
    pub(super) fn look_closer(&mut self, s: &Sequent, consumed: u32, depth: u32) -> Option<Tree> {
        if depth == 0 || !self.may_look_closer() {
            return None;
        }
        self.closer += 1;
        let proved = (0..s.left.calls.len())
            .find_map(|index| self.unfold_left(s, index, consumed, depth - 1));
        self.closer -= 1;
        proved
    }

    pub(super) fn may_look_closer(&self) -> bool {
        self.path.is_empty() && self.closer < MAX_CLOSER
    }

    /// The same from the other end, if that is what the right side is about.
    fn unfold_from_the_end(
        &mut self,
        s: &Sequent,
        index: usize,
        consumed: u32,
        depth: u32,
    ) -> Option<Tree> {
        let call = s.left.calls[index].clone();
        let other = self.ends.get(&call.pred).copied()?;
        let end = handed_on(self.system, call.pred)?;
        let wanted = self.wanted(s);
        let is_wanted = |at: bool| {
            call.args.iter().zip(&end).any(|(v, is_end)| *is_end == at && wanted.contains(v))
        };
        if !is_wanted(true) || is_wanted(false) {
            return None;
        }
        let lemma = self.is_instance(call.pred, other)?;
        let rule = self.conversion(lemma, &call, index);
        let mut next = s.clone();
        next.left.calls[index].pred = other;
        let tree = self.unfold_left(&next, index, consumed, depth)?;
        Some(Tree::new(s.clone(), rule, vec![tree]))
    }

    pub(super) fn unfold_left(
        &mut self,
        s: &Sequent,
        index: usize,
        consumed: u32,
        depth: u32,
    ) -> Option<Tree> {
        let call = s.left.calls[index].clone();
        let (mut premises, mut all_vars) = (Vec::new(), Vec::new());
        for case in 0..self.system.predicates[call.pred].cases.len() {
            let mut next = s.clone();
            next.left.calls.remove(index);
            let (heap, vars) = self.instance(&call, case);
            next.left.add(heap);
            premises.push(self.prove(next, consumed, depth)?);
            all_vars.push(vars);
        }
        let rule = Rule::UnfoldLeft { call: index, vars: all_vars };
        Some(Tree::new(s.clone(), rule, premises))
    }

    /// Arguments that may be allocated by an instance.
    pub(super) fn roots(&self, call: &Call) -> Vec<Var> {
        let roots = &self.shapes[call.pred].roots;
        call.args.iter().zip(roots).filter(|(_, root)| **root).map(|(arg, _)| *arg).collect()
    }

    /// Locations where the right side holds something.
    fn wanted(&self, s: &Sequent) -> BTreeSet<Var> {
        let roots = s.right.calls.iter().flat_map(|call| self.roots(call));
        roots.chain(s.right.cells.iter().map(|cell| cell.addr)).collect()
    }

    /// How likely it is that unfolding this instance helps.
    pub(super) fn interest(&self, s: &Sequent, call: &Call) -> usize {
        let wanted = self.wanted(s);
        let shared = self.roots(call).iter().filter(|v| wanted.contains(v)).count();
        let mentioned = s.right.spatial_vars();
        4 * shared + usize::from(call.args.iter().any(|arg| mentioned.contains(arg)))
    }

    /// The same without large bounds, if there are any: they do not hold of what is smaller. What the
    /// right side needs is kept.
    pub(super) fn without_large(&self, s: &Sequent) -> Option<Sequent> {
        let is_large =
            |c: &Constraint| c.sum.factors.len() == 1 && c.sum.constant.unsigned_abs() > LARGE;
        if !s.left.linear.iter().any(is_large) || s.right.linear.iter().any(is_large) {
            return None;
        }
        let mut without = s.clone();
        without.left.linear.retain(|c| !is_large(c));
        let facts = self.facts(&without.left);
        let mut needed = self.needed(s);
        needed.retain(|c| !is_large(c) && !arith::implies(&facts, c));
        without.left.linear.extend(needed);
        Some(without)
    }

    /// The same without what is not worth asking for when it is a hypothesis.
    pub(super) fn forget(&self, s: &Sequent) -> Sequent {
        let mut s = s.clone();
        let mut alive = s.left.spatial_vars();
        alive.extend(s.right.vars());
        s.left.gone.retain(|v| alive.contains(v));
        let (cells, gone) = (s.left.cells.clone(), s.left.gone.clone());
        let (_, numbers, closure) = compact(&Heap { cells, gone, ..Heap::default() }, self.nils());
        s.left.different.retain(|(a, b)| {
            let known = match (&closure, numbers.get(a), numbers.get(b)) {
                (Some(closure), Some(a), Some(b)) => closure.are_different(*a, *b),
                _ => false,
            };
            let lives = |v: &Var| alive.contains(v) || (*v as usize) < self.nils();
            !known && lives(a) && lives(b)
        });
        forget_dead(&mut s);
        s
    }
}
