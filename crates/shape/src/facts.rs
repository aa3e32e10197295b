//! Facts about the numbers in a segment's nodes, and about how many nodes there are: the `c(p)` of
//! [MNCL06, Sec. 3.5], for all cells of a list at once.
//!
//! For each place of a node that holds a number: what the first and the last node hold, bounds of what any node
//! holds, and by how much neighbours differ (so a sorted list has no negative step, a countdown has the step -1).
//! The terms are symbols of the heap around the segment, so facts relate nodes to variables.
//!
//! Facts about a segment that is empty are vacuous, but for its length. So the symbols of `first` and `last` may be
//! any number there, and nothing may be learned about them but from a node.

use std::collections::BTreeMap;

use arith::Sum;
use heap::Scalar;

use crate::heap::{Consistent, Contradiction, Heap, Obj, Place, State, is_rigid};
use crate::preds::{Preds, Tracks};
use crate::pure::{Interval, Pure};
use crate::term::{Sym, Term};

/// Facts about a segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Facts {
    /// How many nodes there are.
    pub length: Option<Term>,
    /// What nodes hold, by place.
    pub values: BTreeMap<i128, Values>,
}

/// Facts about the numbers at one place of all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Values {
    /// What the first node holds, if there is one.
    pub first: Option<Term>,
    /// What the last node holds, if there is one.
    pub last: Option<Term>,
    /// No node holds less.
    pub low: Option<Term>,
    /// No node holds more.
    pub high: Option<Term>,
    /// A node's number less that of the node before it; `None` if no node is behind another.
    pub step: Option<Interval>,
}

impl Values {
    fn of(value: Term) -> Values {
        let it = Some(value);
        Values { first: it, last: it, low: it, high: it, step: None }
    }

    fn terms(&self) -> impl Iterator<Item = Term> {
        [self.first, self.last, self.low, self.high].into_iter().flatten()
    }

    pub(crate) fn slots_mut(&mut self) -> [&mut Option<Term>; 4] {
        [&mut self.first, &mut self.last, &mut self.low, &mut self.high]
    }

    fn says_nothing(&self) -> bool {
        self.terms().next().is_none() && self.step.is_none_or(|step| step == Interval::ANY)
    }
}

/// Is one segment behind the other, or are both parts of a tree?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    InLine,
    None,
}

impl Facts {
    /// About one node: numbers, none of which is an address.
    pub(crate) fn of_node(preds: &Preds, heap: &Heap, node: &Obj, order: Order) -> Facts {
        if !preds.tracks.facts() {
            return Facts::default();
        }
        let numbers = node.cells.iter().filter(|(_, cell)| is_number(heap, cell.ty, cell.value));
        let values = numbers.map(|(offset, cell)| (*offset, Values::of(cell.value)));
        let counts = matches!(preds.tracks, Tracks::Facts { lengths: true, .. });
        let length = (counts && order == Order::InLine).then_some(Term::int(1));
        Facts { length, values: values.collect() }
    }

    /// All terms.
    pub fn terms(&self) -> impl Iterator<Item = Term> {
        self.length.into_iter().chain(self.values.values().flat_map(Values::terms))
    }

    pub(crate) fn terms_mut(&mut self) -> impl Iterator<Item = &mut Term> {
        let values = self.values.values_mut().flat_map(Values::slots_mut);
        std::iter::once(&mut self.length).chain(values).flatten()
    }

    /// Gives up what mentions other terms than those to keep.
    pub fn retain(&mut self, keep: impl Fn(Term) -> bool) {
        self.length = self.length.filter(|t| keep(*t));
        for values in self.values.values_mut() {
            for slot in values.slots_mut() {
                *slot = slot.filter(|t| keep(*t));
            }
        }
        self.values.retain(|_, values| !values.says_nothing());
    }

    /// With one node less, at the start or at the end, which holds these numbers. `state` learns what the facts
    /// say about the node.
    pub(crate) fn without(
        &self,
        state: &mut State,
        node: Sym,
        at_end: bool,
        order: Order,
    ) -> Facts {
        let mut rest = self.clone();
        rest.length = self.length.map(|length| length.plus(-1));
        for (offset, values) in &mut rest.values {
            if order == Order::None {
                values.first = None;
                values.last = None;
                continue;
            }
            let held = state.heap.objs.get(&node).and_then(|obj| obj.cells.get(offset));
            let known = if at_end { values.last } else { values.first };
            let held = known.or(held.map(|cell| cell.value));
            let next = match (held, values.step) {
                (Some(held), Some(step)) => state.next_to(held, step, at_end),
                _ => None,
            };
            *(if at_end { &mut values.last } else { &mut values.first }) = next;
        }
        rest
    }
}

/// Is it a number that is no address?
pub(crate) fn is_number(heap: &Heap, ty: Scalar, value: Term) -> bool {
    matches!(ty, Scalar::Int(_))
        && value != Term::DEAD
        && value.base.is_none_or(|base| !is_rigid(base) && heap.place(value) == Place::Nowhere)
}

impl State {
    /// What the neighbour of a node holds, which differs by so much.
    fn next_to(&mut self, held: Term, step: Interval, before: bool) -> Option<Term> {
        if step == Interval::ANY {
            return None;
        }
        if let (Some(low), Some(high)) = (step.low, step.high)
            && low == high
        {
            return Some(held.plus(if before { -low } else { low }));
        }
        let other = self.any(Interval::ANY);
        let (from, to) = if before { (other, held) } else { (held, other) };
        // Whatever the node holds there is such a number, so nothing is learned if there is no neighbour.
        self.heap.pure.assume_at_least(to, from, step.low);
        self.heap.pure.assume_at_most(to, from, step.high);
        Some(other)
    }

    /// Learns what facts about a segment say about one of its nodes, which is the first one, the last one, or both.
    pub(crate) fn learn(
        &mut self,
        preds: &Preds,
        node: Sym,
        facts: &Facts,
        (first, last): (bool, bool),
    ) -> Consistent {
        let mut facts = facts.clone();
        for offset in facts.values.keys().copied().collect::<Vec<i128>>() {
            let held = self.heap.objs.get(&node).and_then(|obj| obj.cells.get(&offset)).copied();
            let (Some(cell), Some(values)) = (held, facts.values.get(&offset).copied()) else {
                continue;
            };
            if !is_number(&self.heap, cell.ty, cell.value) {
                continue;
            }
            let ends = [(first, values.first), (last, values.last)];
            for (_, known) in ends.into_iter().filter(|(is, _)| *is) {
                let now = self.heap.objs.get(&node).and_then(|obj| obj.cells.get(&offset));
                let (Some(known), Some(now)) = (known, now.copied()) else { continue };
                if let Some((gone, by)) = self.heap.unify(preds, now.value, known)? {
                    self.replaced(gone, by);
                    facts.terms_mut().for_each(|term| *term = term.replace(gone, by));
                }
            }
            let now = self.heap.objs.get(&node).and_then(|obj| obj.cells.get(&offset)).copied();
            let (Some(cell), Some(values)) = (now, facts.values.get(&offset)) else { continue };
            let pure = &mut self.heap.pure;
            let fine = values.low.is_none_or(|low| pure.assume_at_least(cell.value, low, Some(0)))
                && values.high.is_none_or(|high| pure.assume_at_most(cell.value, high, Some(0)));
            if !fine {
                return Err(Contradiction);
            }
        }
        if let Some(length) = facts.length
            && !self.heap.pure.assume_at_least(length, Term::NULL, Some(1))
        {
            return Err(Contradiction);
        }
        Ok(())
    }

    /// Facts about two segments together, one behind the other or not in line; each with whether it certainly has a
    /// node.
    pub(crate) fn together(
        &mut self,
        (left, left_has): (&Facts, bool),
        (right, right_has): (&Facts, bool),
        order: Order,
    ) -> Facts {
        let length = left.length.zip(right.length).and_then(|(a, b)| {
            let sum = a.sum().plus(&b.sum(), 1)?;
            Some(self.term(&sum))
        });
        let mut values = BTreeMap::new();
        let candidates = self.numbers();
        let pure = &self.heap.pure;
        for (offset, a) in &left.values {
            let Some(b) = right.values.get(offset) else { continue };
            let both = |own: Option<Term>, has: bool, other: Option<Term>| {
                own.filter(|_| has || own == other && order == Order::InLine)
            };
            let in_line = order == Order::InLine;
            let gap = match (a.last, b.first) {
                (Some(from), Some(to)) if in_line => difference(pure, to, from),
                _ => Interval::ANY,
            };
            let steps = [a.step, b.step, Some(gap)].into_iter().flatten();
            let new = Values {
                first: both(a.first, left_has, b.first).filter(|_| in_line),
                last: both(b.last, right_has, a.last).filter(|_| in_line),
                low: least(pure, a.low, b.low, &candidates),
                high: greatest(pure, a.high, b.high, &candidates),
                step: steps.reduce(Interval::hull),
            };
            if !new.says_nothing() {
                values.insert(*offset, new);
            }
        }
        Facts { length, values }
    }

    /// Numbers that variables hold, and the objects that have a name: bounds may be one of these.
    fn numbers(&self) -> Vec<Term> {
        let mut all: Vec<Term> = Vec::new();
        let mut add = |term: Term| {
            let plain = term.base.is_some_and(|base| !is_rigid(base));
            if plain
                && self.heap.place(term) == Place::Nowhere
                && !all.contains(&term)
                && all.len() < MAX_CANDIDATES
            {
                all.push(term);
            }
        };
        self.vars.values().for_each(&mut add);
        for obj in self.roots().filter_map(|root| self.heap.objs.get(&root.base?)) {
            let cells = obj.cells.values().filter(|cell| matches!(cell.ty, Scalar::Int(_)));
            cells.for_each(|cell| add(cell.value));
        }
        for values in self.heap.segs.iter().flat_map(|seg| seg.facts.values.values()) {
            [values.low, values.high].into_iter().flatten().for_each(&mut add);
        }
        all
    }
}

/// By so much neighbours may differ for it to be worth knowing.
const MAX_STEP: i128 = 1 << 12;
/// Bounds beyond this are those of types.
const LARGE: i128 = (1 << 31) - 1;
/// So many bounds are tried.
const MAX_CANDIDATES: usize = 12;

fn minus(a: Term, b: Term, k: i128) -> Option<Sum> {
    let mut sum = a.sum().plus(&b.sum(), -1)?;
    sum.constant = sum.constant.checked_sub(k)?;
    Some(sum)
}

/// Is `a >= b + k`?
pub(crate) fn at_least(pure: &Pure, a: Term, b: Term, k: i128) -> bool {
    minus(a, b, k).is_some_and(|sum| pure.entails(&sum))
}

/// The numbers that `a - b` may be, as far as that is known.
fn difference(pure: &Pure, a: Term, b: Term) -> Interval {
    let Some(sum) = minus(a, b, 0) else { return Interval::ANY };
    let mut range = pure.range_of_sum(&sum);
    if sum.factors.is_empty() {
        return range;
    }
    for k in [-1, 0, 1] {
        if range.low.is_none_or(|low| low < k) && at_least(pure, a, b, k) {
            range.low = Some(k);
        }
        if range.high.is_none_or(|high| high > -k) && at_least(pure, b, a, k) {
            range.high = Some(-k);
        }
    }
    // Others are those of types.
    let small = |n: &i128| n.abs() <= MAX_STEP;
    Interval { low: range.low.filter(small), high: range.high.filter(small) }
}

/// A bound that is not one of the larger types.
fn worth(bound: Option<i128>) -> Option<Term> {
    bound.filter(|n| n.abs() < LARGE).map(Term::int)
}

fn least(pure: &Pure, a: Option<Term>, b: Option<Term>, others: &[Term]) -> Option<Term> {
    let (a, b) = (a?, b?);
    if at_least(pure, b, a, 0) {
        return Some(a);
    }
    if at_least(pure, a, b, 0) {
        return Some(b);
    }
    let other = [1, 0].into_iter().find_map(|k| {
        let fine = |c: &&Term| at_least(pure, a, **c, k) && at_least(pure, b, **c, k);
        others.iter().find(fine).map(|c| c.plus(k))
    });
    other.or_else(|| worth(pure.range(a).hull(pure.range(b)).low))
}

fn greatest(pure: &Pure, a: Option<Term>, b: Option<Term>, others: &[Term]) -> Option<Term> {
    let (a, b) = (a?, b?);
    if at_least(pure, a, b, 0) {
        return Some(a);
    }
    if at_least(pure, b, a, 0) {
        return Some(b);
    }
    let other = [1, 0].into_iter().find_map(|k| {
        let fine = |c: &&Term| at_least(pure, **c, a, k) && at_least(pure, **c, b, k);
        others.iter().find(fine).map(|c| c.plus(-k))
    });
    other.or_else(|| worth(pure.range(a).hull(pure.range(b)).high))
}

impl Pure {
    /// Adds `a - b >= k`, if there is such a bound. `false` if that is a contradiction.
    pub(crate) fn assume_at_least(&mut self, a: Term, b: Term, k: Option<i128>) -> bool {
        k.and_then(|k| minus(a, b, k)).is_none_or(|sum| self.assume(&sum))
    }

    /// Adds `a - b <= k`, if there is such a bound. `false` if that is a contradiction.
    pub(crate) fn assume_at_most(&mut self, a: Term, b: Term, k: Option<i128>) -> bool {
        k.and_then(|k| minus(b, a, k.checked_neg()?)).is_none_or(|sum| self.assume(&sum))
    }
}
