//! What holds of the left side of a sequent.

use super::Prover;
use crate::base::{Base, Bases, Closure, compact};
use crate::count;
use crate::invariant;
use crate::sequent::{Heap, Sequent};
use crate::system::{Call, Var};
use arith::Constraint;
use sl::proof;

/// Steps for one question about bases.
const BASE_WORK: u64 = 3_000;

impl Prover<'_> {
    /// What proofs say of all instances of predicates.
    pub(crate) fn known(&self) -> proof::Facts {
        let var = |v: &u8| Var::from(*v);
        let pairs = |all: &[(u8, u8)]| all.iter().map(|(a, b)| (var(a), var(b))).collect();
        let base = |base: &Base| proof::Base {
            equal: pairs(&base.equal),
            different: pairs(&base.different),
            allocated: base.allocated.iter().map(var).collect(),
        };
        let of = |bases: &Bases| bases.needed().map(|(_, known)| base(known)).collect();
        proof::Facts {
            bases: self.table.complete.then(|| self.table.bases.iter().map(of).collect()),
            invariants: self.invariants.to_vec(),
            counts: self.counts.to_vec(),
        }
    }

    /// Everything that is known of integers.
    pub(crate) fn facts(&self, left: &Heap) -> Vec<Constraint> {
        let mut facts = left.linear.clone();
        for call in &left.calls {
            let of_call = &self.invariants[call.pred];
            facts.extend(invariant::of_call(of_call, &call.args, self.nils()));
        }
        facts
    }

    /// What holds of the integers of both sides if they describe the same heap, given what is known of
    /// the left: the invariants of the right side, and that both have the same number of cells.
    pub(crate) fn agreement(&self, s: &Sequent) -> Vec<Constraint> {
        let mut all: Vec<Constraint> = Vec::new();
        // `false` says too much: it is not the same heap then.
        let is_false = |call: &&Call| self.system().predicates[call.pred].cases.is_empty();
        for call in s.right.calls.iter().filter(|call| !is_false(call)) {
            all.extend(invariant::of_call(&self.invariants[call.pred], &call.args, self.nils()));
        }
        all.extend(self.same_cells(s));
        all
    }

    /// Both sides have the same number of cells.
    pub(crate) fn same_cells(&self, s: &Sequent) -> Option<Constraint> {
        let left = count::cells(&s.left, self.counts, self.nils())?;
        let right = count::cells(&s.right, self.counts, self.nils())?;
        Constraint::equal(&left, &right)
    }

    /// What is said of the integers of the left side if the right side holds, as far as it is known to
    /// hold.
    pub(crate) fn needed(&self, s: &Sequent) -> Vec<Constraint> {
        let mut needed = self.agreement(s);
        needed.extend(s.right.linear.iter().cloned());
        let facts = self.facts(&s.left);
        let mut needed = arith::weaken(&needed, &s.exist);
        needed.retain(|c| arith::implies(&facts, c));
        needed
    }

    pub(super) fn is_contradiction(&self, left: &Heap) -> bool {
        let facts = self.facts(left);
        arith::contradictory(&facts) || self.has_no_base(left, |_| true)
    }

    /// Has it no model in which more holds?
    pub(super) fn has_no_base(&self, left: &Heap, more: impl FnOnce(&mut Closure) -> bool) -> bool {
        if !self.table.complete {
            return false;
        }
        let (clause, _, closure) = compact(left, self.nils());
        let Some(mut closure) = closure else { return true };
        if !more(&mut closure) {
            return true;
        }
        let mut work = BASE_WORK;
        let choice = self.table.consistent_with(&clause, &closure, &mut work);
        self.spent.set(self.spent.get() + BASE_WORK - work);
        choice == Some(None)
    }

    pub(super) fn are_different(&self, left: &Heap, a: Var, b: Var) -> bool {
        self.never(left, a, b, Closure::equate)
    }

    pub(super) fn are_equal(&self, left: &Heap, a: Var, b: Var) -> bool {
        a == b || self.never(left, a, b, Closure::separate)
    }

    pub(super) fn never(
        &self,
        left: &Heap,
        a: Var,
        b: Var,
        what: impl FnOnce(&mut Closure, Var, Var) -> bool,
    ) -> bool {
        // A variable that the left side does not mention may be anything.
        let mut with = left.clone();
        with.equal.push((a, a));
        with.equal.push((b, b));
        let (_, numbers, _) = compact(&with, self.nils());
        match (numbers.get(&a), numbers.get(&b)) {
            (Some(a), Some(b)) => self.has_no_base(&with, |closure| what(closure, *a, *b)),
            _ => false,
        }
    }

    /// Does what is left on the right side, all of it pure, follow?
    pub(super) fn pure_holds(&self, s: &Sequent) -> bool {
        let free = |v: Var| !s.exist.contains(&v);
        // There is always a location that is different from all others.
        s.right.equal.iter().all(|(a, b)| self.are_equal(&s.left, *a, *b))
            && s.right.different.iter().all(|(a, b)| {
                a != b && (!free(*a) || !free(*b) || self.are_different(&s.left, *a, *b))
            })
            && self.linear_holds(s)
    }

    pub(super) fn linear_holds(&self, s: &Sequent) -> bool {
        if s.right.linear.is_empty() {
            return true;
        }
        let facts = self.facts(&s.left);
        match arith::project(&s.right.linear, &s.exist) {
            Some(goals) => goals.iter().all(|goal| arith::implies(&facts, goal)),
            None => false,
        }
    }
}
