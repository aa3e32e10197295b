//! Sums of variables, and what is said of them.

use crate::Var;

/// Factors and numbers of constraints are no larger, so that a few of them can be added.
const MAX_NUMBER: u128 = 1 << 64;

/// A sum of variables with factors, and a number.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Sum {
    /// Factors that are not zero, by variable.
    pub factors: Vec<(Var, i128)>,
    /// The number.
    pub constant: i128,
}

/// What is said of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// It is zero.
    Zero,
    /// It is not negative.
    NotNegative,
    /// It is not zero.
    NotZero,
}

/// A sum and what is said of it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Constraint {
    /// The sum.
    pub sum: Sum,
    /// What is said of it.
    pub relation: Relation,
}

impl Sum {
    /// A number.
    #[must_use]
    pub fn number(constant: i128) -> Sum {
        Sum { factors: Vec::new(), constant }
    }

    /// A variable.
    #[must_use]
    pub fn var(var: Var) -> Sum {
        Sum { factors: vec![(var, 1)], constant: 0 }
    }

    /// `self + times * other`, if the numbers do not become too large.
    #[must_use]
    pub fn plus(&self, other: &Sum, times: i128) -> Option<Sum> {
        let mut factors = Vec::with_capacity(self.factors.len() + other.factors.len());
        let (mut a, mut b) = (self.factors.iter().peekable(), other.factors.iter().peekable());
        loop {
            let (var, factor) = match (a.peek(), b.peek()) {
                (Some((x, _)), Some((y, _))) if x == y => {
                    let (own, more) = (a.next()?.1, b.next()?.1);
                    (*x, own.checked_add(more.checked_mul(times)?)?)
                }
                (Some((x, own)), other) if other.is_none_or(|(y, _)| x < y) => {
                    let term = (*x, *own);
                    a.next();
                    term
                }
                (_, Some((y, more))) => {
                    let term = (*y, more.checked_mul(times)?);
                    b.next();
                    term
                }
                _ => break,
            };
            if factor != 0 {
                factors.push((var, factor));
            }
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(times)?)?;
        Some(Sum { factors, constant })
    }

    /// The negative.
    #[must_use]
    pub fn negative(&self) -> Option<Sum> {
        Sum::default().plus(self, -1)
    }

    /// The factor of a variable.
    #[must_use]
    pub fn factor(&self, var: Var) -> i128 {
        self.factors.iter().find(|(v, _)| *v == var).map_or(0, |(_, factor)| *factor)
    }

    /// Are its numbers so small that renaming does not make them too large?
    pub(crate) fn is_small(&self) -> bool {
        let mut numbers = self.factors.iter().map(|(_, factor)| *factor).chain([self.constant]);
        numbers.all(|number| number.unsigned_abs() <= MAX_NUMBER)
    }

    /// The same with other names; variables may fall together.
    #[must_use]
    pub fn renamed(&self, rename: &impl Fn(Var) -> Var) -> Sum {
        let mut factors: Vec<(Var, i128)> =
            self.factors.iter().map(|(var, factor)| (rename(*var), *factor)).collect();
        if !factors.is_sorted_by(|a, b| a.0 < b.0) {
            factors.sort_unstable_by_key(|(var, _)| *var);
            factors.dedup_by(|later, first| {
                let same = later.0 == first.0;
                if same {
                    first.1 = first.1.saturating_add(later.1);
                }
                same
            });
            factors.retain(|(_, factor)| *factor != 0);
        }
        Sum { factors, constant: self.constant }
    }

    pub(crate) fn replace(&self, var: Var, by: &Sum) -> Option<Sum> {
        let factor = self.factor(var);
        if factor == 0 {
            return Some(self.clone());
        }
        let mut rest = self.clone();
        rest.factors.retain(|(v, _)| *v != var);
        rest.plus(by, factor)
    }

    /// Its value, given those of its variables.
    pub fn value(&self, values: &impl Fn(Var) -> i128) -> Option<i128> {
        self.factors.iter().try_fold(self.constant, |sum, (var, factor)| {
            sum.checked_add(values(*var).checked_mul(*factor)?)
        })
    }

    pub(crate) fn divisor(&self) -> i128 {
        self.factors.iter().fold(0, |divisor, (_, factor)| gcd(divisor, factor.abs()))
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Constraint {
    /// `a - b` and what is said of it, if the numbers are not too large.
    fn of_difference(a: &Sum, b: &Sum, relation: Relation) -> Option<Constraint> {
        let sum = a.plus(b, -1).filter(Sum::is_small)?;
        Some(Constraint { sum, relation })
    }

    /// `a = b`.
    #[must_use]
    pub fn equal(a: &Sum, b: &Sum) -> Option<Constraint> {
        Constraint::of_difference(a, b, Relation::Zero)
    }

    /// `a <= b`.
    #[must_use]
    pub fn at_most(a: &Sum, b: &Sum) -> Option<Constraint> {
        Constraint::of_difference(b, a, Relation::NotNegative)
    }

    /// `a < b`.
    #[must_use]
    pub fn less(a: &Sum, b: &Sum) -> Option<Constraint> {
        let mut constraint = Constraint::at_most(a, b)?;
        constraint.sum.constant = constraint.sum.constant.checked_sub(1)?;
        Some(constraint)
    }

    /// `a != b`.
    #[must_use]
    pub fn different(a: &Sum, b: &Sum) -> Option<Constraint> {
        Constraint::of_difference(a, b, Relation::NotZero)
    }

    /// What holds if it does not: one of these.
    #[must_use]
    pub fn negation(&self) -> Option<Vec<Constraint>> {
        let below = |sum: &Sum| {
            let mut sum = sum.negative()?;
            sum.constant = sum.constant.checked_sub(1)?;
            Some(Constraint { sum, relation: Relation::NotNegative })
        };
        match self.relation {
            Relation::NotNegative => Some(vec![below(&self.sum)?]),
            Relation::Zero => Some(vec![below(&self.sum)?, below(&self.sum.negative()?)?]),
            Relation::NotZero => {
                Some(vec![Constraint { sum: self.sum.clone(), relation: Relation::Zero }])
            }
        }
    }

    /// The same with other names.
    #[must_use]
    pub fn renamed(&self, rename: &impl Fn(Var) -> Var) -> Constraint {
        Constraint { sum: self.sum.renamed(rename), relation: self.relation }
    }

    /// Whether it holds, given values.
    pub fn holds(&self, values: &impl Fn(Var) -> i128) -> bool {
        self.sum.value(values).is_some_and(|value| match self.relation {
            Relation::Zero => value == 0,
            Relation::NotNegative => value >= 0,
            Relation::NotZero => value != 0,
        })
    }

    /// Does it hold whatever the values are?
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        self.sum.factors.is_empty() && self.holds(&|_| 0)
    }
}
