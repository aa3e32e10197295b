//! Octagons: conjunctions of `±x ± y ≤ c` (Miné 2006), with integers tightened.
//!
//! Each variable `x` is two nodes, `x` and `-x`; an entry bounds a difference of two nodes. The closure makes bounds
//! that follow from others explicit, so projection is leaving out entries.

use arith::{Constraint, Relation as Sign, Sum, Var};

/// No bound.
const NONE: i128 = i128::MAX;
/// Bounds beyond this are no bounds: sums of a few of them never overflow.
const LARGEST: i128 = 1 << 100;

/// A conjunction of octagonal constraints over the variables `0..size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Octagon {
    size: usize,
    /// `node_j - node_i ≤ entries[i][j]`.
    entries: Vec<i128>,
}

/// A term with a sign: `+x` or `-x`.
pub(crate) type Signed = (usize, bool);

fn node((var, positive): Signed) -> usize {
    2 * var + usize::from(!positive)
}

impl Octagon {
    /// Everything.
    pub fn anything(size: usize) -> Octagon {
        Octagon { size, entries: vec![NONE; 4 * size * size] }
    }

    fn at(&self, i: usize, j: usize) -> i128 {
        if i == j { 0 } else { self.entries[i * 2 * self.size + j] }
    }

    fn tighten(&mut self, i: usize, j: usize, bound: i128) -> bool {
        let bound = if bound > LARGEST { NONE } else { bound.max(-LARGEST) };
        let width = 2 * self.size;
        let better = i != j && bound < self.entries[i * width + j];
        if better {
            self.entries[i * width + j] = bound;
            self.entries[(j ^ 1) * width + (i ^ 1)] = bound;
        }
        better
    }

    /// Learns `a + b ≤ bound`, or `a ≤ bound`.
    pub fn at_most(&mut self, a: Signed, b: Option<Signed>, bound: i128) -> bool {
        match b {
            Some(b) => self.tighten(node((b.0, !b.1)), node(a), bound),
            None => self.tighten(node((a.0, !a.1)), node(a), bound.saturating_mul(2)),
        }
    }

    /// The largest value of `a + b`, or of `a`.
    pub fn most(&self, a: Signed, b: Option<Signed>) -> Option<i128> {
        let bound = match b {
            Some(b) => self.at(node((b.0, !b.1)), node(a)),
            None => self.at(node((a.0, !a.1)), node(a)),
        };
        let bound = Some(bound).filter(|bound| *bound != NONE)?;
        Some(if b.is_none() { bound.div_euclid(2) } else { bound })
    }

    /// Makes what follows explicit; `false` if nothing satisfies it.
    pub fn close(&mut self) -> bool {
        let width = 2 * self.size;
        for i in 0..width {
            self.entries[i * width + i] = 0;
        }
        for k in 0..width {
            let through: Vec<i128> = self.entries[k * width..(k + 1) * width].to_vec();
            for row in self.entries.chunks_exact_mut(width) {
                let first = row[k];
                if first == NONE {
                    continue;
                }
                for (entry, second) in row.iter_mut().zip(&through) {
                    if *second != NONE {
                        *entry = (*entry).min((first + second).max(-LARGEST));
                    }
                }
            }
        }
        for i in 0..width {
            if self.entries[i * width + i] < 0 {
                return false;
            }
            self.entries[i * width + i] = NONE;
        }
        // Twice an integer is even; two bounds of single variables bound their sum.
        for i in 0..width {
            let entry = &mut self.entries[i * width + (i ^ 1)];
            if *entry != NONE {
                *entry = entry.div_euclid(2) * 2;
            }
        }
        for i in 0..width {
            let (first, back) = (self.at(i, i ^ 1), self.at(i ^ 1, i));
            if first != NONE && back != NONE && first + back < 0 {
                return false;
            }
            for j in 0..width {
                let second = self.at(j ^ 1, j);
                if i != j && first != NONE && second != NONE {
                    let half = first / 2 + second / 2;
                    if half < self.entries[i * width + j] {
                        self.entries[i * width + j] = half;
                    }
                }
            }
        }
        true
    }

    /// The same about these variables alone, in this order.
    pub fn project(&self, vars: std::ops::Range<usize>) -> Octagon {
        let mut part = Octagon::anything(vars.len());
        let width = 2 * part.size;
        for i in 0..width {
            for j in (0..width).filter(|j| *j != i) {
                part.entries[i * width + j] = self.at(2 * vars.start + i, 2 * vars.start + j);
            }
        }
        part
    }

    /// The least octagon that has both.
    pub fn join(&self, other: &Octagon) -> Octagon {
        let entries = self.entries.iter().zip(&other.entries).map(|(a, b)| *a.max(b)).collect();
        Octagon { size: self.size, entries }
    }

    /// Both.
    pub fn meet(&self, other: &Octagon) -> Octagon {
        let entries = self.entries.iter().zip(&other.entries).map(|(a, b)| *a.min(b)).collect();
        Octagon { size: self.size, entries }
    }

    /// Bounds that grow become the next threshold.
    pub fn widen(&self, next: &Octagon, thresholds: &[i128]) -> Octagon {
        let width = 2 * self.size;
        let mut result = self.clone();
        for (place, (old, new)) in self.entries.iter().zip(&next.entries).enumerate() {
            if new > old {
                let unary = width > 0 && (place / width) ^ 1 == place % width;
                let factor = if unary { 2 } else { 1 };
                let threshold = thresholds.iter().map(|t| t * factor).find(|t| t >= new);
                result.entries[place] = threshold.unwrap_or(NONE);
            }
        }
        result
    }

    /// Its bounds as constraints.
    pub fn constraints(&self) -> Vec<Constraint> {
        let width = 2 * self.size;
        let mut all = Vec::new();
        for i in 0..width {
            for j in (0..width).filter(|j| *j != i) {
                // Each bound is in two entries.
                if (j ^ 1, i ^ 1) < (i, j) {
                    continue;
                }
                let bound = self.entries[i * width + j];
                // What bounds of single variables say needs no constraint of its own.
                let (first, second) = (self.at(i, i ^ 1), self.at(j ^ 1, j));
                let follows = i != j ^ 1
                    && first != NONE
                    && second != NONE
                    && first.div_euclid(2) + second.div_euclid(2) <= bound;
                if bound == NONE || follows {
                    continue;
                }
                // node_j - node_i ≤ bound
                let term = |node: usize, times: i128| {
                    let sign = if node.is_multiple_of(2) { 1 } else { -1 };
                    Sum::default().plus(&Sum::var((node / 2) as Var), sign * times)
                };
                let sum = if i == j ^ 1 {
                    term(j, -1).and_then(|sum| sum.plus(&Sum::number(bound.div_euclid(2)), 1))
                } else {
                    term(i, 1)
                        .and_then(|sum| sum.plus(&term(j, 1)?, -1))
                        .and_then(|sum| sum.plus(&Sum::number(bound), 1))
                };
                all.extend(sum.map(|sum| Constraint { sum, relation: Sign::NotNegative }));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Octagon;

    #[test]
    fn what_follows_is_explicit() {
        // x - y ≤ 1, y ≤ 3, so x ≤ 4; and x ≥ 5 contradicts that.
        let mut octagon = Octagon::anything(2);
        octagon.at_most((0, true), Some((1, false)), 1);
        octagon.at_most((1, true), None, 3);
        assert!(octagon.close());
        assert_eq!(octagon.most((0, true), None), Some(4));
        octagon.at_most((0, false), None, -5);
        assert!(!octagon.close());
    }

    #[test]
    fn integers_are_tightened() {
        // x + y ≤ 1 and x - y ≤ 0 leave 2x ≤ 1, so x ≤ 0.
        let mut octagon = Octagon::anything(2);
        octagon.at_most((0, true), Some((1, true)), 1);
        octagon.at_most((0, true), Some((1, false)), 0);
        assert!(octagon.close());
        assert_eq!(octagon.most((0, true), None), Some(0));
    }
}
