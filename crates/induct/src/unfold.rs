//! All derivations of a clause, the small ones first.

use crate::base::Closure;
use crate::derivation::{Derivation, Node};
use crate::invariant;
use crate::prepared::Prepared;
use crate::system::{Clause, PredId, System, Var};
use arith::Constraint;
use sl::procedure::Meter;

/// Enumerates derivations.
pub(crate) struct Unfolder<'a> {
    system: &'a System,
    meter: &'a Meter,
    least: &'a [Option<usize>],
    /// What instances say of integers.
    invariants: &'a [Vec<Constraint>],
    work: u64,
}

#[derive(Clone)]
struct State {
    closure: Closure,
    linear: Vec<Constraint>,
    open: Vec<(usize, PredId, Vec<Var>)>,
    derivation: Derivation,
}

/// Why an enumeration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// A derivation was accepted.
    Accepted,
    /// There are no more, of any size.
    Exhausted,
    /// There may be larger ones.
    Limit,
}

/// The least number of instances that an instance of each predicate takes; none if it has no derivation
/// at all.
#[must_use]
pub fn least_sizes(system: &System) -> Vec<Option<usize>> {
    let mut least: Vec<Option<usize>> = vec![None; system.predicates.len()];
    loop {
        let mut changed = false;
        for (pred, predicate) in system.predicates.iter().enumerate() {
            for case in &predicate.cases {
                let parts = total(case.calls.iter().map(|call| least[call.pred]));
                let Some(size) = parts.map(|n| n.saturating_add(1)) else { continue };
                if least[pred].is_none_or(|known| size < known) {
                    least[pred] = Some(size);
                    changed = true;
                }
            }
        }
        if !changed {
            return least;
        }
    }
}

/// The sum of sizes, as far as numbers go; none if one of them has none.
pub fn total(sizes: impl IntoIterator<Item = Option<usize>>) -> Option<usize> {
    sizes.into_iter().try_fold(0_usize, |total, size| Some(total.saturating_add(size?)))
}

impl<'a> Unfolder<'a> {
    /// An enumeration with so many steps at most.
    #[must_use]
    pub(crate) fn new(known: &'a Prepared, meter: &'a Meter, work: u64) -> Unfolder<'a> {
        let (least, invariants) = (known.least_sizes(), known.invariants());
        Unfolder { system: &known.system, meter, least, invariants, work }
    }

    /// Calls `accept` on derivations that are consistent, of at most this many instances, until it
    /// says `true`.
    pub(crate) fn each(
        &mut self,
        clause: &Clause,
        max_size: usize,
        accept: &mut impl FnMut(&Derivation) -> bool,
    ) -> End {
        let Some(closure) = Closure::of(clause, self.system.nils()) else { return End::Exhausted };
        let mut derivation = Derivation::default();
        let mut open = Vec::new();
        for call in &clause.calls {
            let index = derivation.nodes.len();
            derivation.roots.push(index);
            derivation.nodes.push(Node { pred: call.pred, case: 0, calls: Vec::new() });
            open.push((index, call.pred, call.args.clone()));
        }
        open.reverse();
        let state = State { closure, linear: clause.linear.clone(), open, derivation };
        if self.is_contradiction(&state) {
            return End::Exhausted;
        }
        let least = self.least_of(&state);
        let mut cut = false;
        // Small ones first: the limit doubles.
        let mut size = least.unwrap_or(0).max(1);
        if least.is_none() {
            return End::Exhausted;
        }
        let mut at_least = 0;
        while at_least <= max_size {
            let size_now = size.min(max_size);
            cut = false;
            if self.run(state.clone(), size_now, at_least, &mut cut, accept) {
                return End::Accepted;
            }
            if !cut {
                return End::Exhausted;
            }
            if self.work == 0 {
                return End::Limit;
            }
            at_least = size_now + 1;
            size = size_now + (size_now / 4).max(1);
        }
        if cut { End::Limit } else { End::Exhausted }
    }

    fn least_of(&self, state: &State) -> Option<usize> {
        total(state.open.iter().map(|(_, pred, _)| self.least[*pred]))
    }

    /// Derivations of sizes between the limits.
    fn run(
        &mut self,
        mut state: State,
        max_size: usize,
        at_least: usize,
        cut: &mut bool,
        accept: &mut impl FnMut(&Derivation) -> bool,
    ) -> bool {
        let Some(least) = self.least_of(&state) else { return false };
        let closed = state.derivation.nodes.len() - state.open.len();
        if closed.saturating_add(least) > max_size {
            *cut = true;
            return false;
        }
        let work = if self.meter.step(1) { self.work } else { 0 };
        let Some(rest) = work.checked_sub(1) else {
            *cut = true;
            return false;
        };
        self.work = rest;
        let Some((index, pred, args)) = state.open.pop() else {
            return state.derivation.nodes.len() >= at_least && accept(&state.derivation);
        };
        for (number, case) in self.system.predicates[pred].cases.iter().enumerate() {
            if let Some(next) = self.step(&state, index, number, case, &args)
                && self.run(next, max_size, at_least, cut, accept)
            {
                return true;
            }
        }
        false
    }

    fn step(
        &self,
        state: &State,
        index: usize,
        number: usize,
        case: &Clause,
        args: &[Var],
    ) -> Option<State> {
        let mut next = state.clone();
        let mut scope: Vec<Var> = (0..self.system.nils() as Var).collect();
        scope.extend(args);
        scope.extend(next.closure.grow(case.sorts.len() - case.free));
        let var = |v: &Var| scope[*v as usize];
        let consistent = case.equal.iter().all(|(a, b)| next.closure.equate(var(a), var(b)))
            && case.cells.iter().all(|cell| next.closure.allocate(var(&cell.addr)))
            && case.different.iter().all(|(a, b)| next.closure.separate(var(a), var(b)));
        if !consistent {
            return None;
        }
        next.linear.extend(case.linear.iter().map(|c| c.renamed(&|v| var(&v))));
        next.derivation.nodes[index].case = number;
        for call in case.calls.iter().rev() {
            let child = next.derivation.nodes.len();
            next.derivation.nodes.push(Node { pred: call.pred, case: 0, calls: Vec::new() });
            next.derivation.nodes[index].calls.insert(0, child);
            next.open.push((child, call.pred, call.args.iter().map(var).collect()));
        }
        (case.linear.is_empty() || !self.is_contradiction(&next)).then_some(next)
    }

    /// Do integers contradict each other, whatever the derivations of open instances are?
    fn is_contradiction(&self, state: &State) -> bool {
        let mut facts = state.linear.clone();
        for (_, pred, args) in &state.open {
            facts.extend(invariant::of_call(&self.invariants[*pred], args, self.system.nils()));
        }
        arith::contradictory(&facts)
    }
}
