//! Exact rationals whose operations fail instead of overflowing.

use std::cmp::Ordering;
use std::fmt;

/// A rational number in lowest terms; the denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    numer: i128,
    denom: i128,
}

pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Only `i128::MIN` has a divisor that is no `i128`; a failed operation is all that follows.
    i128::try_from(a).unwrap_or(1)
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational { numer: 0, denom: 1 };
    /// One.
    pub const ONE: Rational = Rational { numer: 1, denom: 1 };
    /// Minus one.
    pub const MINUS_ONE: Rational = Rational { numer: -1, denom: 1 };

    /// `numer / denom`; none if that has no value, or one that is too large.
    #[must_use]
    pub fn new(numer: i128, denom: i128) -> Option<Rational> {
        if denom == 0 || numer == i128::MIN || denom == i128::MIN {
            return None;
        }
        let divisor = gcd(numer, denom) * denom.signum();
        Some(Rational { numer: numer / divisor, denom: denom / divisor })
    }

    /// An integer; none for the one that has no negative.
    #[must_use]
    pub fn integer(value: i128) -> Option<Rational> {
        (value != i128::MIN).then_some(Rational { numer: value, denom: 1 })
    }

    /// The numerator.
    #[must_use]
    pub fn numer(self) -> i128 {
        self.numer
    }

    /// The denominator.
    #[must_use]
    pub fn denom(self) -> i128 {
        self.denom
    }

    /// Is it an integer?
    #[must_use]
    pub fn is_integer(self) -> bool {
        self.denom == 1
    }

    /// Is it zero?
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.numer == 0
    }

    /// -1, 0 or 1.
    #[must_use]
    pub fn signum(self) -> i128 {
        self.numer.signum()
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Rational) -> Option<Rational> {
        if self.denom == 1 && other.denom == 1 {
            return Rational::integer(self.numer.checked_add(other.numer)?);
        }
        let left = self.numer.checked_mul(other.denom)?;
        let right = other.numer.checked_mul(self.denom)?;
        Rational::new(left.checked_add(right)?, self.denom.checked_mul(other.denom)?)
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, other: Rational) -> Option<Rational> {
        self.plus(other.negative())
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Rational) -> Option<Rational> {
        if self.denom == 1 && other.denom == 1 {
            return Rational::integer(self.numer.checked_mul(other.numer)?);
        }
        let numer = self.numer.checked_mul(other.numer)?;
        Rational::new(numer, self.denom.checked_mul(other.denom)?)
    }

    /// The quotient; none for a divisor of zero.
    #[must_use]
    pub fn over(self, other: Rational) -> Option<Rational> {
        let numer = self.numer.checked_mul(other.denom)?;
        Rational::new(numer, self.denom.checked_mul(other.numer)?)
    }

    /// The negative.
    #[must_use]
    pub fn negative(self) -> Rational {
        Rational { numer: -self.numer, denom: self.denom }
    }

    /// Without its sign.
    #[must_use]
    pub fn abs(self) -> Rational {
        Rational { numer: self.numer.abs(), denom: self.denom }
    }

    /// The largest integer that is not larger.
    #[must_use]
    pub fn floor(self) -> Rational {
        Rational { numer: self.numer.div_euclid(self.denom), denom: 1 }
    }

    /// The smallest integer that is not smaller.
    #[must_use]
    pub fn ceil(self) -> Rational {
        self.negative().floor().negative()
    }

    /// Compares; none if the cross products are too large.
    #[must_use]
    pub fn compare(self, other: Rational) -> Option<Ordering> {
        if self.denom == other.denom {
            return Some(self.numer.cmp(&other.numer));
        }
        let left = self.numer.checked_mul(other.denom)?;
        Some(left.cmp(&other.numer.checked_mul(self.denom)?))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denom == 1 {
            write!(f, "{}", self.numer)
        } else {
            write!(f, "{}/{}", self.numer, self.denom)
        }
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    fn r(numer: i128, denom: i128) -> Rational {
        Rational::new(numer, denom).expect("a denominator that is not zero")
    }

    #[test]
    fn fractions_are_reduced() {
        assert_eq!(r(2, -4), r(-1, 2));
        assert_eq!(r(1, 2).plus(r(1, 3)), Some(r(5, 6)));
        assert_eq!(r(1, 2).minus(r(1, 2)), Some(Rational::ZERO));
        assert_eq!(r(2, 3).over(r(-4, 9)), Some(r(-3, 2)));
        assert_eq!(r(1, 3).over(Rational::ZERO), None);
        assert_eq!((r(-1, 2).floor(), r(-1, 2).ceil()), (r(-1, 1), r(0, 1)));
        assert_eq!(r(1, 3).compare(r(1, 2)), Some(Ordering::Less));
    }

    #[test]
    fn what_is_too_large_has_no_value() {
        let large = r(i128::MAX, 1);
        assert_eq!(large.plus(Rational::ONE), None);
        assert_eq!(large.times(r(2, 1)), None);
        assert_eq!(r(1, i128::MAX).plus(r(1, i128::MAX - 1)), None);
        assert_eq!(Rational::new(i128::MIN, 1), None);
        assert_eq!(Rational::integer(i128::MIN), None);
        assert_eq!(r(i128::MAX, 2).compare(r(1, 3)), None);
    }
}
