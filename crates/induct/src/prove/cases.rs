//! Case distinctions: what is not known holds, or it does not.

use std::collections::BTreeSet;

use super::Prover;
use crate::sequent::{Heap, Sequent, ordered};
use crate::system::{Call, Var};
use arith::Constraint;
use sl::proof::{Rule, Tree};

/// So many wishes are heard.
const MAX_WISHES: usize = 2;

impl Prover<'_> {
    /// Two cases, if there are two.
    pub(super) fn split_on(
        &mut self,
        s: &Sequent,
        a: Var,
        b: Var,
        consumed: u32,
        depth: u32,
    ) -> Option<Tree> {
        if self.are_different(&s.left, a, b) || self.are_equal(&s.left, a, b) {
            return None;
        }
        let mut same = s.clone();
        same.left.equal.push((a, b));
        let mut other = s.clone();
        other.left.different.insert(ordered(a, b));
        let premises =
            vec![self.prove(same, consumed, depth - 1)?, self.prove(other, consumed, depth - 1)?];
        Some(Tree::new(s.clone(), Rule::SplitEqual(a, b), premises))
    }

    /// Cases of the first of these constraints that may hold or not.
    pub(super) fn split_linear(
        &mut self,
        s: &Sequent,
        constraints: Vec<Constraint>,
        consumed: u32,
        depth: u32,
    ) -> Option<Tree> {
        let facts = self.facts(&s.left);
        let undecided = constraints.into_iter().find_map(|c| {
            let cases = c.negation()?;
            let with = |case: &Constraint| {
                let mut all = facts.clone();
                all.push(case.clone());
                !arith::contradictory(&all)
            };
            let cases: Vec<Constraint> = cases.into_iter().filter(with).collect();
            (!cases.is_empty() && with(&c)).then_some((c, cases))
        });
        let (constraint, mut cases) = undecided?;
        cases.push(constraint);
        let mut premises = Vec::with_capacity(cases.len());
        for case in &cases {
            let mut next = s.clone();
            next.left.linear.push(case.clone());
            premises.push(self.prove(next, consumed, depth - 1)?);
        }
        Some(Tree::new(s.clone(), Rule::SplitLinear(cases), premises))
    }

    /// Cases of what would have made a branch from here succeed, all that was wished for since then.
    pub(super) fn split_on_wishes(
        &mut self,
        s: &Sequent,
        since: usize,
        consumed: u32,
        depth: u32,
    ) -> Option<Tree> {
        let vars = s.left.vars();
        let known = |c: &Constraint| c.sum.factors.iter().all(|(v, _)| vars.contains(v));
        let wishes = self.wishes.get(since..).unwrap_or_default();
        let wishes: BTreeSet<Constraint> = wishes.iter().filter(|c| known(c)).cloned().collect();
        if depth == 0 {
            return None;
        }
        let mut wishes = wishes.into_iter().take(MAX_WISHES);
        wishes.find_map(|wish| self.split_linear(s, vec![wish], consumed, depth))
    }

    /// Two cases: locations that a case on the right compares are equal, or they are not.
    pub(super) fn split(&mut self, s: &Sequent, consumed: u32, depth: u32) -> Option<Tree> {
        if depth == 0 {
            return None;
        }
        let mut pairs: BTreeSet<(Var, Var)> = BTreeSet::new();
        let mut constraints: Vec<Constraint> = Vec::new();
        let mut look = |heap: &Heap, exist: &BTreeSet<Var>| {
            let known = |v: &Var| !exist.contains(v);
            pairs.extend(
                heap.equal
                    .iter()
                    .chain(&heap.different)
                    .filter(|(a, b)| known(a) && known(b) && a != b)
                    .map(|(a, b)| ordered(*a, *b)),
            );
            constraints.extend(arith::weaken(&heap.linear, exist));
        };
        look(&s.right, &s.exist);
        // What can be unfolded where there is a cell comes first.
        let is_there = |call: &Call| {
            let roots = self.roots(call);
            s.left.cells.iter().any(|cell| roots.contains(&cell.addr))
        };
        let (mut calls, others): (Vec<Call>, Vec<Call>) =
            s.right.calls.iter().cloned().partition(is_there);
        calls.extend(others);
        for call in calls {
            for case in 0..self.system.predicates[call.pred].cases.len() {
                let (heap, vars) = self.instance(&call, case);
                let mut exist = s.exist.clone();
                exist.extend(vars);
                look(&heap, &exist);
            }
        }
        if let Some(tree) = self.split_linear(s, constraints, consumed, depth) {
            return Some(tree);
        }
        let undecided = |(a, b): &(Var, Var)| {
            !self.are_different(&s.left, *a, *b) && !self.are_equal(&s.left, *a, *b)
        };
        let (a, b) = pairs.into_iter().find(undecided)?;
        self.split_on(s, a, b, consumed, depth)
    }
}
