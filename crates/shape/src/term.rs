//! Values: symbols with a constant distance from them.

use std::fmt;

use arith::Sum;

/// A symbolic value: a number, the address of an object, or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub u32);

/// `base + k`, or the number `k`. A pointer is an object and a place in it (`v.n` in [MNCL06, Sec. 3.1]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    /// What it is counted from.
    pub base: Option<Sym>,
    /// How far from there.
    pub k: i128,
}

impl Term {
    /// The null pointer and the number zero.
    pub const NULL: Term = Term { base: None, k: 0 };

    /// What a variable holds that is not read again: any value. Nothing else is known about it, and it is
    /// equal to nothing but itself.
    pub const DEAD: Term = Term { base: Some(Sym((1 << 30) + (1 << 29) - 1)), k: 0 };

    /// A number.
    #[must_use]
    pub const fn int(k: i128) -> Term {
        Term { base: None, k }
    }

    /// A symbol.
    #[must_use]
    pub const fn sym(sym: Sym) -> Term {
        Term { base: Some(sym), k: 0 }
    }

    /// So much further on.
    #[must_use]
    pub fn plus(self, k: i128) -> Term {
        Term { base: self.base, k: self.k.saturating_add(k) }
    }

    /// Is it this number?
    #[must_use]
    pub fn is_int(self, k: i128) -> bool {
        self.base.is_none() && self.k == k
    }

    /// As a sum.
    #[must_use]
    pub fn sum(self) -> Sum {
        let mut sum = self.base.map_or_else(Sum::default, |sym| Sum::var(sym.0));
        sum.constant = self.k;
        sum
    }

    /// A sum that is a term.
    #[must_use]
    pub fn of_sum(sum: &Sum) -> Option<Term> {
        match sum.factors[..] {
            [] => Some(Term::int(sum.constant)),
            [(var, 1)] => Some(Term { base: Some(Sym(var)), k: sum.constant }),
            _ => None,
        }
    }

    /// With a term for a symbol.
    #[must_use]
    pub fn replace(self, sym: Sym, by: Term) -> Term {
        if self.base == Some(sym) { by.plus(self.k) } else { self }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.base, self.k) {
            (None, k) => write!(f, "{k}"),
            (Some(sym), 0) => write!(f, "v{}", sym.0),
            (Some(sym), k) if k > 0 => write!(f, "v{}+{k}", sym.0),
            (Some(sym), k) => write!(f, "v{}{k}", sym.0),
        }
    }
}
