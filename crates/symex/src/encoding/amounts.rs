//! Amounts of permission by cases: `c ? p : 0`.
//!
//! What is held of an arbitrary location is nearly always such a conditional. Taking one from another
//! by cases leaves a conditional again, `c && !d ? p : 0`, and whether that is positive is a question
//! about `c` and `d` without any arithmetic.

use smt::{Node, Op, Sort, Term};

use super::Encoding;

/// With more cases than this, arithmetic is the shorter way to say it.
const MAX_CASES: usize = 16;

impl Encoding<'_> {
    /// The smaller of two amounts.
    pub fn minimum(&mut self, a: Term, b: Term) -> Term {
        let zero = self.amount(0, 1);
        let smaller = |this: &mut Self, a: Term, b: Term| {
            if a == zero || b == zero {
                return zero;
            }
            let less = this.terms.le(a, b);
            this.terms.ite(less, a, b)
        };
        self.by_cases(a, b, &smaller)
    }

    /// What is left of an amount when no more than all of it is taken away.
    pub fn remainder(&mut self, held: Term, taken: Term) -> Term {
        let zero = self.amount(0, 1);
        let rest = |this: &mut Self, held: Term, taken: Term| {
            let rest = this.terms.sub(held, taken);
            // It is never taken where there is less: such cases do not exist.
            let below = this.terms.as_number(rest).zip(this.terms.as_number(zero));
            let impossible = below.is_some_and(|(rest, zero)| rest < zero);
            if held == zero || impossible { zero } else { rest }
        };
        self.by_cases(held, taken, &rest)
    }

    /// Two amounts together.
    pub fn total(&mut self, a: Term, b: Term) -> Term {
        self.by_cases(a, b, &|this: &mut Self, a: Term, b: Term| this.terms.add(a, b))
    }

    /// Is it everything or nothing?
    pub fn is_full_or_none(&mut self, amount: Term) -> bool {
        let (zero, one) = (self.amount(0, 1), self.amount(1, 1));
        match self.cases(amount) {
            Some((_, a, b)) => (a, b) == (one, zero) || (a, b) == (zero, one),
            None => amount == one || amount == zero,
        }
    }

    fn cases(&self, amount: Term) -> Option<(Term, Term, Term)> {
        match self.terms.node(amount) {
            Node::Op(Op::Ite, args) if self.terms.sort(amount) == Sort::Real => {
                Some((args[0], args[1], args[2]))
            }
            _ => None,
        }
    }

    /// An operation on each combination of the cases of two amounts.
    fn by_cases(
        &mut self,
        a: Term,
        b: Term,
        operation: &dyn Fn(&mut Self, Term, Term) -> Term,
    ) -> Term {
        if self.count_cases(a).saturating_mul(self.count_cases(b)) > MAX_CASES {
            return operation(self, a, b);
        }
        if let Some((c, x, y)) = self.cases(a) {
            let (here, there) = (self.where_holds(b, c, true), self.where_holds(b, c, false));
            let (x, y) = (self.by_cases(x, here, operation), self.by_cases(y, there, operation));
            return self.terms.ite(c, x, y);
        }
        if let Some((c, x, y)) = self.cases(b) {
            let (x, y) = (self.by_cases(a, x, operation), self.by_cases(a, y, operation));
            return self.terms.ite(c, x, y);
        }
        operation(self, a, b)
    }

    fn count_cases(&self, amount: Term) -> usize {
        match self.cases(amount) {
            Some((_, a, b)) => self.count_cases(a).saturating_add(self.count_cases(b)),
            None => 1,
        }
    }

    /// An amount where a condition holds, or does not.
    fn where_holds(&self, amount: Term, condition: Term, holds: bool) -> Term {
        match self.cases(amount) {
            Some((c, a, b)) if c == condition => {
                self.where_holds(if holds { a } else { b }, condition, holds)
            }
            _ => amount,
        }
    }
}
