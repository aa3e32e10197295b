//! Facts about the numbers in segments, when two heaps are joined.

use std::collections::HashMap;

use arith::Sum;

use super::{Join, Side, Told, widen};
use crate::facts::{Facts, Values, at_least};
use crate::heap::{Heap, Place, is_rigid};
use crate::pure::Pure;
use crate::term::{Sym, Term};

/// So many numbers are looked at for sums that are the same on both sides.
const MAX_NUMBERS: usize = 10;

/// A bound that both sides know: of which segment and place, whether it is an upper one, and what it is there.
struct Bound {
    seg: usize,
    at: i128,
    upper: bool,
    left: Term,
    right: Term,
}

impl Join<'_> {
    /// Facts about the segments of the result. Bounds that are mentioned more often come first: others may then be
    /// said by them.
    pub(super) fn all_facts(&mut self) {
        let told = std::mem::take(&mut self.told);
        let mut bounds: Vec<Bound> = Vec::new();
        for (seg, told) in &told {
            if let Told::Both(a, b) = told {
                let facts = self.both_facts(a, b, *seg, &mut bounds);
                self.set(*seg, facts);
            }
        }
        let mut count: HashMap<(Side, Sym), usize> = HashMap::new();
        for bound in &bounds {
            for (side, term) in [(Side::Left, bound.left), (Side::Right, bound.right)] {
                if let Some(base) = term.base {
                    *count.entry((side, base)).or_default() += 1;
                }
            }
        }
        let often = |side: Side, term: Term| {
            term.base.and_then(|base| count.get(&(side, base))).copied().unwrap_or(0)
        };
        bounds.sort_by_key(|b| {
            let least = often(Side::Left, b.left).min(often(Side::Right, b.right));
            std::cmp::Reverse(least)
        });
        for Bound { seg, at, upper, left, right } in bounds {
            let bound = self.both_bounds(left, right, upper);
            let values = self.out.segs.get_mut(seg).and_then(|seg| seg.facts.values.get_mut(&at));
            if let Some(values) = values {
                *(if upper { &mut values.high } else { &mut values.low }) = bound;
            }
        }
        for (seg, told) in &told {
            if let Told::One(side, own) = told {
                let facts = self.facts_or_empty(*side, own);
                self.set(*seg, facts);
            }
        }
    }

    fn set(&mut self, seg: usize, facts: Facts) {
        if let Some(seg) = self.out.segs.get_mut(seg) {
            seg.facts = facts;
        }
    }

    /// A number that stands for two, neither of which is an address.
    fn number(&mut self, l: Term, r: Term) -> Option<Term> {
        let plain = |heap: &Heap, t: Term| {
            heap.place(t) == Place::Nowhere && t.base.is_none_or(|base| !is_rigid(base))
        };
        if plain(self.left, l) && plain(self.right, r) {
            return self.pair(l, r);
        }
        self.left_general = true;
        self.right_general = true;
        None
    }

    /// Facts about a segment that is there on both sides, but for bounds.
    fn both_facts(&mut self, a: &Facts, b: &Facts, seg: usize, bounds: &mut Vec<Bound>) -> Facts {
        let mut facts = Facts { length: self.both_known(a.length, b.length), ..Facts::default() };
        self.left_general |= a.values.keys().any(|at| !b.values.contains_key(at));
        self.right_general |= b.values.keys().any(|at| !a.values.contains_key(at));
        for (at, x) in &a.values {
            let Some(y) = b.values.get(at) else { continue };
            let step = match (x.step, y.step) {
                (None, step) | (step, None) => step,
                (Some(x), Some(y)) => {
                    let both = x.hull(y);
                    Some(self.mode.widen.map_or(both, |stops| widen(x, both, stops)))
                }
            };
            self.left_general |= step != x.step;
            self.right_general |= step != y.step;
            for (upper, l, r) in [(false, x.low, y.low), (true, x.high, y.high)] {
                self.left_general |= l.is_some() && r.is_none();
                self.right_general |= r.is_some() && l.is_none();
                if let (Some(left), Some(right)) = (l, r) {
                    bounds.push(Bound { seg, at: *at, upper, left, right });
                }
            }
            let (first, last) =
                (self.both_known(x.first, y.first), self.both_known(x.last, y.last));
            facts.values.insert(*at, Values { first, last, low: None, high: None, step });
        }
        facts
    }

    fn both_known(&mut self, l: Option<Term>, r: Option<Term>) -> Option<Term> {
        self.left_general |= l.is_some() && r.is_none();
        self.right_general |= r.is_some() && l.is_none();
        self.number(l?, r?)
    }

    /// A bound of both sides: that of one side if it is one on the other, too.
    fn both_bounds(&mut self, l: Term, r: Term, upper: bool) -> Option<Term> {
        let holds = |pure: &Pure, bound: Term, known: Term| {
            if upper { at_least(pure, bound, known, 0) } else { at_least(pure, known, bound, 0) }
        };
        if let Some(other) = self.known_partner(Side::Left, l)
            && holds(&self.right.pure, other, r)
        {
            self.right_general |= other != r;
            return self.number(l, other);
        }
        // Bounds that only grow would never stop.
        if let Some(other) = self.known_partner(Side::Right, r)
            && holds(&self.left.pure, other, l)
            && (self.mode.widen.is_none() || other.base.is_some() && other.base != l.base)
        {
            self.left_general |= other != l;
            return self.number(other, r);
        }
        self.number(l, r)
    }

    /// Facts about a segment that is nothing on the other side. There they are vacuous, so each symbol stands for
    /// whatever makes the most of what is known true.
    fn facts_or_empty(&mut self, side: Side, own: &Facts) -> Facts {
        let mut facts = own.clone();
        facts.length = own.length.and_then(|length| match side {
            Side::Left => self.number(length, Term::NULL),
            Side::Right => self.number(Term::NULL, length),
        });
        for slot in facts.values.values_mut().flat_map(Values::slots_mut) {
            *slot = slot.and_then(|own| {
                let other = self.witness(side, own);
                match side {
                    Side::Left => self.number(own, other),
                    Side::Right => self.number(other, own),
                }
            });
        }
        facts
    }

    /// What a number of the one side may be on the other, where it may be anything.
    fn witness(&mut self, side: Side, own: Term) -> Term {
        if let Some(other) = self.known_partner(side, own) {
            return other;
        }
        let linear = &self.heap(side).pure.linear;
        for sum in linear {
            // own + k >= other, or own + k <= other: then they may be equal.
            let [(x, f), (y, g)] = sum.factors[..] else { continue };
            if f + g != 0 || f.abs() != 1 {
                continue;
            }
            let (of, from, k) = if own.base == Some(Sym(x)) {
                (f, y, sum.constant)
            } else if own.base == Some(Sym(y)) {
                (g, x, sum.constant)
            } else {
                continue;
            };
            let near = Term::sym(Sym(from)).plus(if of > 0 { -k } else { k });
            if let Some(other) = self.known_partner(side, near) {
                return other.plus(own.k);
            }
        }
        let any = Term::sym(self.out.fresh());
        match side {
            Side::Left => self.hint(own, any),
            Side::Right => self.hint(any, own),
        }
        any
    }

    /// Sums of two numbers that are the same number on both sides, or stand for the same pair: what one counts down
    /// another counts up.
    pub(super) fn sums(&mut self, pairs: &[(Sym, Term, Term)]) {
        let plain = |t: Term| t.base.is_none_or(|base| !is_rigid(base));
        let numbers: Vec<(Term, Term, Term)> = pairs
            .iter()
            .filter(|(_, l, r)| {
                plain(*l)
                    && plain(*r)
                    && self.left.place(*l) == Place::Nowhere
                    && self.right.place(*r) == Place::Nowhere
            })
            .map(|(sym, l, r)| (Term::sym(*sym), *l, *r))
            .take(MAX_NUMBERS)
            .collect();
        // With a number on one side a comparison is one of bounds there; from now on it is one of symbols.
        for (i, a) in numbers.iter().enumerate() {
            for b in numbers.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, b)| b) {
                let constant = |x: Term, y: Term| x.base.is_none() != y.base.is_none();
                let is_new = constant(a.1, b.1) || self.mode.widen.is_none() && constant(a.2, b.2);
                let holds = |k: i128| {
                    at_least(&self.left.pure, a.1, b.1, k)
                        && at_least(&self.right.pure, a.2, b.2, k)
                };
                if let Some(k) = [1, 0].into_iter().find(|k| is_new && holds(*k)) {
                    self.out.pure.assume_at_least(a.0, b.0, Some(k));
                }
            }
        }
        let none = (Term::NULL, Term::NULL, Term::NULL);
        for (i, a) in numbers.iter().enumerate() {
            for b in numbers.iter().skip(i + 1) {
                for c in std::iter::once(&none).chain(&numbers) {
                    let less = |x: Term, y: Term, z: Term| {
                        x.sum().plus(&y.sum(), 1).and_then(|sum| sum.plus(&z.sum(), -1))
                    };
                    let (Some(l), Some(r)) = (less(a.1, b.1, c.1), less(a.2, b.2, c.2)) else {
                        continue;
                    };
                    if c.0 == a.0 || c.0 == b.0 || !l.factors.is_empty() || l != r {
                        continue;
                    }
                    let Some(sum) = less(a.0, b.0, c.0) else { continue };
                    let Some(zero) = sum.plus(&Sum::number(l.constant), -1) else { continue };
                    for fact in [Some(zero.clone()), zero.negative()].into_iter().flatten() {
                        if !self.out.pure.linear.contains(&fact) {
                            self.out.pure.linear.push(fact);
                        }
                    }
                }
            }
        }
    }
}
