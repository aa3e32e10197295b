//! The pure part of a symbolic heap: bounds of symbols, linear inequalities, disequalities.
//!
//! Equalities are not kept: one side is replaced by the other.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Constraint, Relation, Sum};

use crate::heap::is_rigid;
use crate::term::{Sym, Term};

/// More linear facts than this are not kept; they are the newest.
const MAX_LINEAR: usize = 24;

/// Numbers between two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Interval {
    /// The least, if there is one.
    pub low: Option<i128>,
    /// The greatest, if there is one.
    pub high: Option<i128>,
}

impl Interval {
    /// All numbers.
    pub const ANY: Interval = Interval { low: None, high: None };

    /// Numbers from one to another.
    #[must_use]
    pub fn new(low: i128, high: i128) -> Interval {
        Interval { low: Some(low), high: Some(high) }
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(self) -> bool {
        matches!((self.low, self.high), (Some(a), Some(b)) if a > b)
    }

    /// All of both.
    #[must_use]
    pub fn hull(self, other: Interval) -> Interval {
        let end =
            |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| Some(pick(a?, b?));
        Interval {
            low: end(self.low, other.low, i128::min),
            high: end(self.high, other.high, i128::max),
        }
    }

    /// What is in both.
    #[must_use]
    pub fn meet(self, other: Interval) -> Interval {
        let end = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        Interval {
            low: end(self.low, other.low, i128::max),
            high: end(self.high, other.high, i128::min),
        }
    }

    /// Is the other within it?
    #[must_use]
    pub fn includes(self, other: Interval) -> bool {
        self.hull(other) == self
    }

    fn plus(self, k: i128) -> Interval {
        Interval {
            low: self.low.and_then(|n| n.checked_add(k)),
            high: self.high.and_then(|n| n.checked_add(k)),
        }
    }

    fn times(self, k: i128) -> Interval {
        let (a, b) =
            (self.low.and_then(|n| n.checked_mul(k)), self.high.and_then(|n| n.checked_mul(k)));
        if k >= 0 { Interval { low: a, high: b } } else { Interval { low: b, high: a } }
    }

    fn add(self, other: Interval) -> Interval {
        let end = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Interval { low: end(self.low, other.low), high: end(self.high, other.high) }
    }
}

/// What is known about symbols apart from the heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Pure {
    /// Bounds.
    pub bounds: BTreeMap<Sym, Interval>,
    /// Sums that are not negative, of two symbols or more.
    pub linear: Vec<Sum>,
    /// `a - b` is not this number; `b` may be missing.
    pub different: BTreeSet<(Sym, Option<Sym>, i128)>,
}

impl Pure {
    /// Bounds of a symbol.
    #[must_use]
    pub fn bounds(&self, sym: Sym) -> Interval {
        self.bounds.get(&sym).copied().unwrap_or_default()
    }

    /// Bounds of a term.
    #[must_use]
    pub fn range(&self, term: Term) -> Interval {
        match term.base {
            None => Interval::new(term.k, term.k),
            Some(sym) => self.bounds(sym).plus(term.k),
        }
    }

    /// Bounds of a sum, by those of its symbols.
    #[must_use]
    pub fn range_of_sum(&self, sum: &Sum) -> Interval {
        sum.factors
            .iter()
            .fold(Interval::new(sum.constant, sum.constant), |range, (var, factor)| {
                range.add(self.bounds(Sym(*var)).times(*factor))
            })
    }

    /// Narrows the bounds of a symbol. `false` if nothing is left.
    pub fn bound(&mut self, sym: Sym, range: Interval) -> bool {
        let new = self.bounds(sym).meet(range);
        if new != Interval::ANY {
            self.bounds.insert(sym, new);
        }
        !new.is_empty()
    }

    /// A key for `a != b`, or `None` if it is trivially so or not.
    #[must_use]
    pub fn difference(a: Term, b: Term) -> Option<(Sym, Option<Sym>, i128)> {
        match (a.base, b.base) {
            (None, None) => None,
            (Some(x), None) => Some((x, None, b.k.checked_sub(a.k)?)),
            (None, Some(y)) => Some((y, None, a.k.checked_sub(b.k)?)),
            (Some(x), Some(y)) if x == y => None,
            (Some(x), Some(y)) if x < y => Some((x, Some(y), b.k.checked_sub(a.k)?)),
            (Some(x), Some(y)) => Some((y, Some(x), a.k.checked_sub(b.k)?)),
        }
    }

    /// Are two terms certainly different, by what is known here?
    #[must_use]
    pub fn disequal(&self, a: Term, b: Term) -> bool {
        if a.base == b.base {
            return a.k != b.k;
        }
        if Self::difference(a, b).is_some_and(|key| self.different.contains(&key)) {
            return true;
        }
        if self.range(a).meet(self.range(b)).is_empty() {
            return true;
        }
        if self.linear.is_empty() {
            return false;
        }
        let Some(mut less) = a.sum().plus(&b.sum(), -1) else { return false };
        // a >= b + 1 or b >= a + 1
        let Some(mut more) = less.negative() else { return false };
        less.constant = less.constant.saturating_sub(1);
        more.constant = more.constant.saturating_sub(1);
        self.refutes_equal(&a, &b) || self.entails(&less) || self.entails(&more)
    }

    fn refutes_equal(&self, a: &Term, b: &Term) -> bool {
        let Some(zero) = Constraint::equal(&a.sum(), &b.sum()) else { return false };
        let mut all = self.relevant(&zero.sum);
        all.push(zero);
        arith::contradictory(&all)
    }

    /// Is a sum certainly not negative?
    #[must_use]
    pub fn entails(&self, sum: &Sum) -> bool {
        let range = self.range_of_sum(sum);
        if range.low.is_some_and(|low| low >= 0) {
            return true;
        }
        if range.high.is_some_and(|high| high < 0) || self.linear.is_empty() {
            return false;
        }
        let goal = Constraint { sum: sum.clone(), relation: Relation::NotNegative };
        arith::implies(&self.relevant(sum), &goal)
    }

    /// Two terms that are equal because neither is less.
    pub(crate) fn equal_terms(&self) -> Option<(Term, Term)> {
        self.linear.iter().enumerate().find_map(|(i, sum)| {
            let [(x, 1), (y, -1)] = sum.factors[..] else { return None };
            let opposite = sum.negative()?;
            let found =
                self.linear.iter().enumerate().any(|(j, other)| i != j && *other == opposite);
            let plain = !is_rigid(Sym(x)) && !is_rigid(Sym(y));
            (found && plain).then(|| {
                (Term::sym(Sym(x)), Term { base: Some(Sym(y)), k: sum.constant.saturating_neg() })
            })
        })
    }

    /// Facts about what is connected with the symbols of a sum.
    fn relevant(&self, sum: &Sum) -> Vec<Constraint> {
        let mut seen: BTreeSet<u32> = sum.factors.iter().map(|(var, _)| *var).collect();
        let mut used = vec![false; self.linear.len()];
        let mut facts = Vec::new();
        loop {
            let mut grown = false;
            for (i, fact) in self.linear.iter().enumerate() {
                if !used[i] && fact.factors.iter().any(|(var, _)| seen.contains(var)) {
                    used[i] = true;
                    grown = true;
                    seen.extend(fact.factors.iter().map(|(var, _)| *var));
                    facts.push(Constraint { sum: fact.clone(), relation: Relation::NotNegative });
                }
            }
            if !grown {
                break;
            }
        }
        for var in &seen {
            let range = self.bounds(Sym(*var));
            if let Some(low) = range.low {
                let mut sum = Sum::var(*var);
                sum.constant = low.saturating_neg();
                facts.push(Constraint { sum, relation: Relation::NotNegative });
            }
            if let Some(high) = range.high {
                let sum = Sum { factors: vec![(*var, -1)], constant: high };
                facts.push(Constraint { sum, relation: Relation::NotNegative });
            }
        }
        for (a, b, k) in &self.different {
            if seen.contains(&a.0) && b.is_none_or(|b| seen.contains(&b.0)) && facts.len() < 40 {
                let mut factors = vec![(a.0, 1)];
                factors.extend(b.map(|b| (b.0, -1)));
                factors.sort_unstable();
                let sum = Sum { factors, constant: k.saturating_neg() };
                facts.push(Constraint { sum, relation: Relation::NotZero });
            }
        }
        facts
    }

    /// Adds that a sum is not negative. `false` if that is a contradiction.
    pub fn assume(&mut self, sum: &Sum) -> bool {
        match sum.factors[..] {
            [] => sum.constant >= 0,
            [(var, factor)] => {
                let (sym, k) = (Sym(var), sum.constant);
                // factor * x + k >= 0. A bound that is no number of ours is none.
                let range = if factor > 0 {
                    Interval { low: k.checked_neg().map(|k| divided_up(k, factor)), high: None }
                } else {
                    let high = factor.checked_neg().and_then(|n| k.checked_div_euclid(n));
                    Interval { low: None, high }
                };
                self.bound(sym, range)
            }
            _ => {
                let range = self.range_of_sum(sum);
                if range.low.is_some_and(|low| low >= 0) || self.linear.contains(sum) {
                    return true;
                }
                if range.high.is_some_and(|high| high < 0) {
                    return false;
                }
                let Some(mut below) = sum.negative() else { return true };
                below.constant = below.constant.saturating_sub(1);
                if self.entails(&below) {
                    return false;
                }
                if self.linear.len() >= MAX_LINEAR {
                    self.linear.remove(0);
                }
                self.linear.push(sum.clone());
                // Bounds that follow for each symbol.
                for (var, factor) in &sum.factors {
                    let mut rest = sum.clone();
                    rest.factors.retain(|(v, _)| v != var);
                    let Some(high) = self.range_of_sum(&rest).high else { continue };
                    // factor * x >= -high
                    let own = Sum { factors: vec![(*var, *factor)], constant: high };
                    if !self.assume(&own) {
                        return false;
                    }
                }
                true
            }
        }
    }

    /// Adds that two terms are different.
    pub fn assume_disequal(&mut self, a: Term, b: Term) -> bool {
        let Some(key) = Self::difference(a, b) else { return a.base != b.base || a.k != b.k };
        if let (sym, None, k) = key {
            let mut range = self.bounds(sym);
            // A bound next to the last of our numbers stays where it is.
            if range.low == Some(k) {
                range.low = Some(k.saturating_add(1));
            }
            if range.high == Some(k) {
                range.high = Some(k.saturating_sub(1));
            }
            if range.is_empty() || range == Interval::new(k, k) {
                return false;
            }
            self.bound(sym, range);
            if range.low.is_some_and(|low| low > k) || range.high.is_some_and(|high| high < k) {
                return true;
            }
        }
        self.different.insert(key);
        true
    }

    /// Replaces a symbol. `false` if that is a contradiction.
    pub fn replace(&mut self, sym: Sym, by: Term) -> bool {
        let range = self.bounds.remove(&sym).unwrap_or_default();
        let moved = range.plus(by.k.saturating_neg());
        let mut fine = match by.base {
            None => range.meet(Interval::new(by.k, by.k)) == Interval::new(by.k, by.k),
            Some(base) => moved == Interval::ANY || self.bound(base, moved),
        };
        let affected: Vec<_> = self
            .different
            .iter()
            .filter(|(a, b, _)| *a == sym || *b == Some(sym))
            .copied()
            .collect();
        for key in affected {
            self.different.remove(&key);
            let (a, b, k) = key;
            let left = Term::sym(a).replace(sym, by);
            let right = b.map_or(Term::int(k), |b| Term::sym(b).replace(sym, by).plus(k));
            fine &= self.assume_disequal(left, right);
        }
        if self.linear.iter().any(|sum| sum.factors.iter().any(|(var, _)| *var == sym.0)) {
            let old = std::mem::take(&mut self.linear);
            for sum in old {
                let factor = sum.factor(sym.0);
                if factor == 0 {
                    self.linear.push(sum);
                    continue;
                }
                let mut rest = sum.clone();
                rest.factors.retain(|(var, _)| *var != sym.0);
                let Some(new) = rest.plus(&by.sum(), factor) else { continue };
                fine &= self.assume(&new);
            }
        }
        fine
    }

    /// Forgets symbols for which `keep` is false.
    pub fn retain(&mut self, keep: impl Fn(Sym) -> bool) {
        self.bounds.retain(|sym, _| keep(*sym));
        self.different.retain(|(a, b, _)| keep(*a) && b.is_none_or(&keep));
        self.linear.retain(|sum| sum.factors.iter().all(|(var, _)| keep(Sym(*var))));
    }

    /// Everything with other symbols.
    #[must_use]
    pub fn rename(&self, map: &impl Fn(Sym) -> Term) -> Pure {
        let mut new = Pure::default();
        for (sym, range) in &self.bounds {
            let to = map(*sym);
            if let Some(base) = to.base {
                new.bound(base, range.plus(to.k.saturating_neg()));
            }
        }
        for (a, b, k) in &self.different {
            let right = b.map_or(Term::int(*k), |b| map(b).plus(*k));
            new.assume_disequal(map(*a), right);
        }
        for sum in &self.linear {
            if let Some(sum) = rename_sum(sum, map) {
                match sum.factors.len() {
                    0 => {}
                    1 => {
                        new.assume(&sum);
                    }
                    _ => new.linear.push(sum),
                }
            }
        }
        new
    }

    /// Symbols that are mentioned.
    pub fn for_each_sym(&self, visit: &mut dyn FnMut(Sym)) {
        self.bounds.keys().for_each(|sym| visit(*sym));
        for (a, b, _) in &self.different {
            visit(*a);
            b.iter().for_each(|b| visit(*b));
        }
        for sum in &self.linear {
            sum.factors.iter().for_each(|(var, _)| visit(Sym(*var)));
        }
    }
}

/// The least number that is not less than a fraction; the divisor is positive.
fn divided_up(number: i128, by: i128) -> i128 {
    // With a divisor of one there is nothing left, with a larger one the quotient is far from the ends.
    number.div_euclid(by) + i128::from(number.rem_euclid(by) != 0)
}

/// A sum with terms for its symbols.
#[must_use]
pub fn rename_sum(sum: &Sum, map: &impl Fn(Sym) -> Term) -> Option<Sum> {
    sum.factors.iter().try_fold(Sum::number(sum.constant), |all, (var, factor)| {
        all.plus(&map(Sym(*var)).sum(), *factor)
    })
}
