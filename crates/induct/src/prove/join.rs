//! Instances side by side that are one: a segment and the next.

use std::collections::BTreeSet;

use super::Prover;
use super::normalise::simplify_left;
use super::trace::{Trace, simplify};
use crate::ends::handed_on;
use crate::sequent::{Heap, Sequent};
use crate::system::{Call, Var};
use arith::{Constraint, Sum};
use sl::proof::{Rule, Use};

/// The effort for joining two instances.
const JOIN_STEPS: u64 = 1_500;
/// More instances than this are not joined.
const MAX_CALLS: usize = 40;

impl Prover<'_> {
    /// The sequent with one instance on the left in place of two, as often as that is right.
    pub(super) fn joined(&mut self, s: &Sequent) -> Option<(Sequent, Trace)> {
        let mut next = s.clone();
        let mut trace = Trace::default();
        trace.push(s.clone(), simplify(Vec::new()));
        if !simplify_left(&mut next) || next.left.calls.len() > MAX_CALLS {
            return None;
        }
        let mut changed = false;
        while let Some((joined, rule)) = self.join_two(&next) {
            trace.push(next, rule);
            next = joined;
            changed = true;
        }
        changed.then_some((next, trace))
    }

    fn join_two(&mut self, s: &Sequent) -> Option<(Sequent, Rule)> {
        let calls = &s.left.calls;
        for (i, first) in calls.iter().enumerate() {
            let Some(end) = handed_on(self.system, first.pred) else { continue };
            for (j, second) in calls.iter().enumerate() {
                if i == j || first.pred != second.pred || !self.touch(first, second, &end) {
                    continue;
                }
                if let Some((call, equation, rule)) = self.join(s, [i, j], &end) {
                    let mut next = s.clone();
                    next.left.calls.remove(i.max(j));
                    next.left.calls.remove(i.min(j));
                    next.left.calls.push(call);
                    next.left.linear.extend(equation);
                    return Some((next, rule));
                }
            }
        }
        None
    }

    /// Does one end where the other starts?
    fn touch(&self, first: &Call, second: &Call, end: &[bool]) -> bool {
        let place = |v: &Var| !self.is_int(*v) && *v as usize >= self.nils();
        let of = |call: &Call, at: bool| -> BTreeSet<Var> {
            let args = call.args.iter().zip(end).filter(|(_, is_end)| **is_end == at);
            args.map(|(v, _)| *v).filter(place).collect()
        };
        !of(first, true).is_disjoint(&of(second, false))
    }

    /// The instance that two others are, and what is known of its size. Its integers are those of one
    /// or the other, if that is right.
    fn join(
        &mut self,
        s: &Sequent,
        of: [usize; 2],
        end: &[bool],
    ) -> Option<(Call, Option<Constraint>, Rule)> {
        [false, true].into_iter().find_map(|open| {
            let lemma = self.join_of(s, of, end, open);
            self.steps = JOIN_STEPS;
            let number = self.is_lemma(&lemma)?;
            let call = lemma.right.calls.first()?.clone();
            let vars = self.renaming(number, &lemma);
            let using = Use { vars, cells: Vec::new(), calls: of.to_vec() };
            let rule = Rule::Lemma { lemma: number, using };
            Some((call, self.same_cells(&lemma), rule))
        })
    }

    /// That two instances are one. Integers that are not at its end are any, or only its size.
    fn join_of(&mut self, s: &Sequent, of: [usize; 2], end: &[bool], open: bool) -> Sequent {
        let (first, second) = (&s.left.calls[of[0]], &s.left.calls[of[1]]);
        let size = self.counts[first.pred].as_ref().and_then(|sum| sum.factors.first());
        let size = size.filter(|(_, factor)| factor.abs() == 1).map(|(v, _)| *v as usize);
        let mut exist = BTreeSet::new();
        let mut args = Vec::new();
        for (i, (a, b)) in first.args.iter().zip(&second.args).enumerate() {
            let is_size = size == Some(self.nils() + i);
            if is_size || open && !end[i] && self.is_int(*a) {
                let fresh = self.fresh(self.sorts[*a as usize]);
                exist.insert(fresh);
                args.push(fresh);
            } else {
                args.push(if end[i] { *b } else { *a });
            }
        }
        let right = Heap { calls: vec![Call { pred: first.pred, args }], ..Heap::default() };
        let left = Heap { calls: vec![first.clone(), second.clone()], ..Heap::default() };
        let mut lemma = Sequent { left, right, exist };
        self.add_context(s, of, &mut lemma);
        lemma
    }

    /// What is known of the variables of a lemma about two instances.
    fn add_context(&self, s: &Sequent, of: [usize; 2], lemma: &mut Sequent) {
        let vars = lemma.left.spatial_vars();
        let known = |v: &Var| vars.contains(v) || (*v as usize) < self.nils();
        let different = s.left.different.iter().filter(|(a, b)| known(a) && known(b));
        lemma.left.different = different.copied().collect();
        // What others hold is not here.
        let others = s.left.calls.iter().enumerate().filter(|(i, _)| !of.contains(i));
        let roots = others.filter_map(|(_, call)| {
            self.shapes[call.pred].root.and_then(|root| call.args.get(root))
        });
        let cells = s.left.cells.iter().map(|cell| &cell.addr);
        let gone = s.left.gone.iter().chain(cells).chain(roots);
        lemma.left.gone = gone.filter(|v| vars.contains(v)).copied().collect();
        let ints: Vec<Var> = vars.iter().copied().filter(|v| self.is_int(*v)).collect();
        let facts = self.facts(&s.left);
        for a in &ints {
            for b in ints.iter().filter(|b| *b != a) {
                let order = Constraint::at_most(&Sum::var(*a), &Sum::var(*b));
                lemma.left.linear.extend(order.filter(|c| arith::implies(&facts, c)));
            }
        }
    }
}
