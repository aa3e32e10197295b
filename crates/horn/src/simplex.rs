//! Exact linear programs: `minimise cost · x` for `A x = b` and `x ≥ 0`, by the simplex method with Bland's rule.

use std::collections::BTreeMap;

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, Signed, Zero};

pub(crate) type Q = Ratio<i128>;

/// Pivots that a program may take.
const MOST_PIVOTS: usize = 1600;

/// A linear program under construction.
#[derive(Default)]
pub(crate) struct Program {
    rows: Vec<(BTreeMap<usize, Q>, Q)>,
    costs: Vec<i128>,
}

impl Program {
    /// A new variable, which is not negative.
    pub fn column(&mut self, cost: i128) -> usize {
        self.costs.push(cost);
        self.costs.len() - 1
    }

    /// A new equation.
    pub fn row(&mut self, row: BTreeMap<usize, Q>, value: Q) {
        self.rows.push((row, value));
    }

    /// An optimal vertex. `None` if there is none, numbers become too large, or it takes too long.
    pub fn optimum(self) -> Option<Vec<Q>> {
        let width = self.costs.len();
        let mut tableau = Tableau { rows: Vec::new(), basis: Vec::new() };
        for (mut row, mut value) in self.rows {
            row.retain(|_, factor| !factor.is_zero());
            if row.is_empty() {
                if value.is_zero() {
                    continue;
                }
                return None;
            }
            if value.is_negative() {
                value = -value;
                row.values_mut().for_each(|factor| *factor = -*factor);
            }
            let artificial = width + tableau.rows.len();
            row.insert(artificial, Q::from(1));
            tableau.basis.push(artificial);
            tableau.rows.push((row, value));
        }
        let all = width + tableau.rows.len();
        let phase_one: Vec<i128> = (0..all).map(|column| i128::from(column >= width)).collect();
        let mut pivots = MOST_PIVOTS;
        if !tableau.minimise(&phase_one, all, &mut pivots)?.is_zero() {
            return None;
        }
        tableau.drive_out(width)?;
        let mut costs = self.costs;
        costs.resize(all, 0);
        tableau.minimise(&costs, width, &mut pivots)?;
        let mut values = vec![Q::zero(); width];
        for (column, (_, value)) in tableau.basis.iter().zip(&tableau.rows) {
            if let Some(place) = values.get_mut(*column) {
                *place = *value;
            }
        }
        Some(values)
    }
}

struct Tableau {
    rows: Vec<(BTreeMap<usize, Q>, Q)>,
    /// The basic variable of each row.
    basis: Vec<usize>,
}

impl Tableau {
    /// Pivots until no column below `width` makes the costs smaller; the costs.
    fn minimise(&mut self, costs: &[i128], width: usize, pivots: &mut usize) -> Option<Q> {
        // Reduced costs: those of the columns minus what the basis says of them.
        let mut reduced: BTreeMap<usize, Q> =
            (0..costs.len()).filter(|&c| costs[c] != 0).map(|c| (c, Q::from(costs[c]))).collect();
        let mut total = Q::zero();
        for (basic, (row, value)) in self.basis.iter().zip(&self.rows) {
            let cost = Q::from(costs[*basic]);
            if !cost.is_zero() {
                subtract(&mut reduced, row, cost)?;
                total = total.checked_add(&cost.checked_mul(value)?)?;
            }
        }
        loop {
            // The column that helps most, for a while; then Bland's rule, with which it ends: the first column that
            // helps, and of the tightest rows the one whose variable is first.
            let mut helping = reduced.iter().filter(|(c, cost)| **c < width && cost.is_negative());
            let entering = match *pivots > MOST_PIVOTS / 2 {
                true => helping.min_by_key(|(_, cost)| **cost),
                false => helping.next(),
            };
            let Some((&column, _)) = entering else { return Some(total) };
            let mut best: Option<(Q, usize, usize)> = None;
            for (index, (row, value)) in self.rows.iter().enumerate() {
                let Some(factor) = row.get(&column).filter(|f| f.is_positive()) else { continue };
                let candidate = (value.checked_div(factor)?, self.basis[index], index);
                if best.is_none_or(|best| (candidate.0, candidate.1) < (best.0, best.1)) {
                    best = Some(candidate);
                }
            }
            // Without a bound there is no optimum; costs are never negative, so it does not happen.
            let (_, _, index) = best?;
            *pivots = pivots.checked_sub(1)?;
            self.pivot(index, column)?;
            let (row, value) = &self.rows[index];
            let cost = reduced.get(&column).copied().unwrap_or_else(Q::zero);
            total = total.checked_add(&cost.checked_mul(value)?)?;
            subtract(&mut reduced, row, cost)?;
        }
    }

    /// Makes a column basic in a row.
    fn pivot(&mut self, index: usize, column: usize) -> Option<()> {
        let (mut row, mut value) = std::mem::take(self.rows.get_mut(index)?);
        let factor = *row.get(&column)?;
        for entry in row.values_mut() {
            *entry = entry.checked_div(&factor)?;
        }
        value = value.checked_div(&factor)?;
        for (other, (entries, rest)) in self.rows.iter_mut().enumerate() {
            if other == index {
                continue;
            }
            let Some(times) = entries.get(&column).copied() else { continue };
            subtract(entries, &row, times)?;
            *rest = rest.checked_add(&-times.checked_mul(&value)?)?;
        }
        self.rows[index] = (row, value);
        self.basis[index] = column;
        Some(())
    }

    /// Takes artificial variables, which are zero, out of the basis, or their rows away.
    fn drive_out(&mut self, width: usize) -> Option<()> {
        let mut index = 0;
        while index < self.rows.len() {
            if self.basis[index] >= width {
                let column = self.rows[index].0.keys().copied().find(|column| *column < width);
                match column {
                    Some(column) => self.pivot(index, column)?,
                    None => {
                        self.rows.remove(index);
                        self.basis.remove(index);
                        continue;
                    }
                }
            }
            index += 1;
        }
        Some(())
    }
}

/// `row - times * other`.
fn subtract(row: &mut BTreeMap<usize, Q>, other: &BTreeMap<usize, Q>, times: Q) -> Option<()> {
    for (column, factor) in other {
        let change = -factor.checked_mul(&times)?;
        let entry = row.entry(*column).or_insert_with(Q::zero);
        *entry = entry.checked_add(&change)?;
        if entry.is_zero() {
            row.remove(column);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{Program, Q};

    #[test]
    fn an_optimum_is_found() {
        // minimise x + 2y for x + y - s = 3, x + t = 2.
        let mut program = Program::default();
        let (x, y, s, t) =
            (program.column(1), program.column(2), program.column(0), program.column(0));
        let row = |entries: &[(usize, i128)]| {
            entries
                .iter()
                .map(|(c, f)| (*c, Q::from(*f)))
                .collect::<std::collections::BTreeMap<_, _>>()
        };
        program.row(row(&[(x, 1), (y, 1), (s, -1)]), Q::from(3));
        program.row(row(&[(x, 1), (t, 1)]), Q::from(2));
        let optimum = program.optimum().unwrap_or_default();
        assert_eq!(optimum.get(..2), Some(&[Q::from(2), Q::from(1)][..]));
    }

    #[test]
    fn contradictions_have_no_optimum() {
        let mut program = Program::default();
        let x = program.column(1);
        program.row([(x, Q::from(1))].into(), Q::from(-1));
        assert!(program.optimum().is_none());
    }
}
