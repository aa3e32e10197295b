//! Constructors that simplify.
//!
//! Every rule here is an equivalence, local and cheap: it looks at a term and its direct arguments.
//! Together they decide most of what symbolic execution asks, such as whether two literals differ.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Euclid, One, Signed, Zero};

use crate::hash::FastSet;
use crate::sort::Sort;
use crate::term::{Node, Op, Term, Terms};

impl Terms {
    /// Applies an operator, through the constructor that simplifies it.
    pub fn op(&mut self, op: Op, args: &[Term]) -> Term {
        match (op, args) {
            (Op::Not, [a]) => self.not(*a),
            (Op::And, args) => self.and(args.iter().copied()),
            (Op::Or, args) => self.or(args.iter().copied()),
            (Op::Implies, [a, b]) => self.implies(*a, *b),
            (Op::Eq, [a, b]) => self.eq(*a, *b),
            (Op::Ite, [c, a, b]) => self.ite(*c, *a, *b),
            (Op::Add, [a, b]) => self.add(*a, *b),
            (Op::Sub, [a, b]) => self.sub(*a, *b),
            (Op::Mul, [a, b]) => self.mul(*a, *b),
            (Op::Div, [a, b]) => self.div(*a, *b),
            (Op::Mod, [a, b]) => self.modulo(*a, *b),
            (Op::RealDiv, [a, b]) => self.real_div(*a, *b),
            (Op::Lt, [a, b]) => self.lt(*a, *b),
            (Op::Le, [a, b]) => self.le(*a, *b),
            (Op::ToReal, [a]) => self.to_real(*a),
            (op, args) => {
                debug_assert!(false, "{op:?} applied to {} arguments", args.len());
                self.raw(op, args, Sort::Bool)
            }
        }
    }

    fn raw(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        self.intern_op(op, args, sort)
    }

    /// Is it `true`, is it `false`, or neither?
    #[must_use]
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        if let Node::Bool(value) = self.node(term) { Some(*value) } else { None }
    }

    /// The value of a number.
    #[must_use]
    pub fn as_number(&self, term: Term) -> Option<BigRational> {
        match self.node(term) {
            Node::Int(i) => Some(BigRational::from_integer(i.clone())),
            Node::Real(r) => Some(r.clone()),
            _ => None,
        }
    }

    fn number(&mut self, value: BigRational, sort: Sort) -> Term {
        if sort == Sort::Int { self.int(value.to_integer()) } else { self.real(value) }
    }

    // --- Formulas

    /// `!a`
    pub fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::Op(Op::Not, args) if args.len() == 1 => args[0],
            _ => self.raw(Op::Not, &[a], Sort::Bool),
        }
    }

    /// Is one the negation of the other?
    fn complementary(&self, a: Term, b: Term) -> bool {
        let negates = |a: Term, b: Term| matches!(self.node(a), Node::Op(Op::Not, args) if args.first() == Some(&b));
        negates(a, b) || negates(b, a)
    }

    /// The terms of which one is the negation of the other, as far as they exist.
    fn negations(&self, a: Term) -> impl Iterator<Item = Term> {
        let inner = match self.node(a) {
            Node::Op(Op::Not, args) => args.first().copied(),
            _ => None,
        };
        inner.into_iter().chain(self.find_op(Op::Not, &[a]))
    }

    /// The conjunction of all.
    pub fn and(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.connect(Op::And, terms, true)
    }

    /// The disjunction of all.
    pub fn or(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.connect(Op::Or, terms, false)
    }

    /// A connective with its neutral element; the other truth value absorbs.
    fn connect(&mut self, op: Op, terms: impl IntoIterator<Item = Term>, neutral: bool) -> Term {
        let mut args: Vec<Term> = Vec::new();
        let mut members = Members::default();
        for term in terms {
            let flat = match self.node(term) {
                Node::Op(inner, inner_args) if *inner == op => &**inner_args,
                _ => std::slice::from_ref(&term),
            };
            for term in flat {
                match self.as_bool(*term) {
                    Some(value) if value == neutral => {}
                    Some(_) => return self.bool(!neutral),
                    None if members.contains(&args, *term) => {}
                    None if self.negations(*term).any(|n| members.contains(&args, n)) => {
                        return self.bool(!neutral);
                    }
                    None => args.push(*term),
                }
            }
        }
        match args.as_slice() {
            [] => self.bool(neutral),
            [one] => *one,
            _ => self.raw(op, &args, Sort::Bool),
        }
    }

    /// `a ==> b`
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => b,
            (Some(false), _) | (_, Some(true)) => self.bool(true),
            (_, Some(false)) => self.not(a),
            _ if a == b => self.bool(true),
            _ if self.complementary(a, b) => b,
            _ => self.raw(Op::Implies, &[a, b], Sort::Bool),
        }
    }

    /// `a == b`
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b), "sorts of an equation");
        if a == b {
            return self.bool(true);
        }
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b)) {
            return self.bool(x == y);
        }
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            (Some(false), _) => return self.not(b),
            (_, Some(false)) => return self.not(a),
            _ if self.complementary(a, b) => return self.bool(false),
            _ => {}
        }
        if let Some(simpler) = self.compare_cases(Op::Eq, a, b) {
            return simpler;
        }
        // Equations have a direction, so that `a == b` and `b == a` are one term.
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.raw(Op::Eq, &[a, b], Sort::Bool)
    }

    /// `c ? a : b`
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b), "sorts of a conditional");
        if a == b {
            return a;
        }
        match (self.as_bool(c), self.as_bool(a), self.as_bool(b)) {
            (Some(true), _, _) => return a,
            (Some(false), _, _) => return b,
            (_, Some(true), Some(false)) => return c,
            (_, Some(false), Some(true)) => return self.not(c),
            (_, Some(true), _) => return self.or([c, b]),
            (_, _, Some(false)) => return self.and([c, a]),
            (_, Some(false), _) => {
                let not = self.not(c);
                return self.and([not, b]);
            }
            (_, _, Some(true)) => return self.implies(c, a),
            _ => {}
        }
        if let Node::Op(Op::Not, args) = self.node(c) {
            let inner = args[0];
            return self.ite(inner, b, a);
        }
        let sort = self.sort(a);
        if sort == Sort::Real
            && let Some(simpler) = self.merge_cases(c, a, b)
        {
            return simpler;
        }
        self.raw(Op::Ite, &[c, a, b], sort)
    }

    /// Nested conditionals with a common value are one: `c ? (d ? x : z) : z` is `c && d ? x : z`.
    fn merge_cases(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let cases = |terms: &Terms, t: Term| match terms.node(t) {
            Node::Op(Op::Ite, args) => Some((args[0], args[1], args[2])),
            _ => None,
        };
        if let Some((d, x, y)) = cases(self, a) {
            if c == d {
                return Some(self.ite(c, x, b));
            }
            if y == b {
                let both = self.and([c, d]);
                return Some(self.ite(both, x, b));
            }
            if x == b {
                let not = self.not(d);
                let first = self.and([c, not]);
                return Some(self.ite(first, y, b));
            }
        }
        if let Some((d, x, y)) = cases(self, b) {
            if c == d {
                return Some(self.ite(c, a, y));
            }
            if x == a {
                let one = self.or([c, d]);
                return Some(self.ite(one, a, y));
            }
            if y == a {
                let not = self.not(c);
                let second = self.and([not, d]);
                return Some(self.ite(second, x, a));
            }
        }
        None
    }

    /// A comparison with a conditional of which one case decides it: `0 < (c ? 1 : 0)` is `c`.
    fn compare_cases(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        if self.sort(a) != Sort::Real {
            return None;
        }
        let cases = |terms: &Terms, t: Term| match terms.node(t) {
            Node::Op(Op::Ite, args) => Some((args[0], args[1], args[2])),
            _ => None,
        };
        let simple = |terms: &Terms, t: Term| match cases(terms, t) {
            Some((_, x, y)) => terms.as_number(x).is_some() && terms.as_number(y).is_some(),
            None => terms.as_number(t).is_some(),
        };
        if let Some((c, x, y)) = cases(self, b)
            && (self.as_number(a).is_some() || (simple(self, a) && simple(self, b)))
        {
            let (then, otherwise) = (self.op(op, &[a, x]), self.op(op, &[a, y]));
            if self.as_bool(then).is_some() || self.as_bool(otherwise).is_some() {
                return Some(self.ite(c, then, otherwise));
            }
            return None;
        }
        if let Some((c, x, y)) = cases(self, a)
            && self.as_number(b).is_some()
        {
            let (then, otherwise) = (self.op(op, &[x, b]), self.op(op, &[y, b]));
            if self.as_bool(then).is_some() || self.as_bool(otherwise).is_some() {
                return Some(self.ite(c, then, otherwise));
            }
        }
        None
    }

    // --- Arithmetic

    fn is_number(&self, term: Term, value: &BigRational) -> bool {
        self.as_number(term).is_some_and(|n| n == *value)
    }

    /// `a + b`
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        let zero = BigRational::zero();
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => return self.number(x + y, sort),
            (Some(x), _) if x == zero => return b,
            (_, Some(y)) if y == zero => return a,
            _ => {}
        }
        // `(x - b) + b`
        if let Node::Op(Op::Sub, args) = self.node(a)
            && args[1] == b
        {
            return args[0];
        }
        self.raw(Op::Add, &[a, b], sort)
    }

    /// `a - b`
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => return self.number(x - y, sort),
            (_, Some(y)) if y.is_zero() => return a,
            _ => {}
        }
        if a == b {
            return self.number(BigRational::zero(), sort);
        }
        // `(x + b) - b`
        if let Node::Op(Op::Add, args) = self.node(a) {
            if args[1] == b {
                return args[0];
            }
            if args[0] == b {
                return args[1];
            }
        }
        self.raw(Op::Sub, &[a, b], sort)
    }

    /// `-a`
    pub fn neg(&mut self, a: Term) -> Term {
        let zero = self.number(BigRational::zero(), self.sort(a));
        self.sub(zero, a)
    }

    /// `a * b`
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        let one = BigRational::one();
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => return self.number(x * y, sort),
            (Some(x), _) if x.is_zero() => return a,
            (_, Some(y)) if y.is_zero() => return b,
            (Some(x), _) if x == one => return b,
            (_, Some(y)) if y == one => return a,
            _ => {}
        }
        self.raw(Op::Mul, &[a, b], sort)
    }

    /// Euclidean division: the remainder is not negative. By zero it is some value.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        if let (Node::Int(x), Node::Int(y)) = (self.node(a), self.node(b))
            && !y.is_zero()
        {
            let quotient = x.div_euclid(y);
            return self.int(quotient);
        }
        if self.is_number(b, &BigRational::one()) {
            return a;
        }
        self.raw(Op::Div, &[a, b], Sort::Int)
    }

    /// The remainder of Euclidean division. By zero it is some value.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        if let (Node::Int(x), Node::Int(y)) = (self.node(a), self.node(b))
            && !y.is_zero()
        {
            let remainder: BigInt = x.rem_euclid(y);
            return self.int(remainder);
        }
        self.raw(Op::Mod, &[a, b], Sort::Int)
    }

    /// Division of reals. By zero it is some value.
    pub fn real_div(&mut self, a: Term, b: Term) -> Term {
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) if !y.is_zero() => return self.real(x / y),
            (_, Some(y)) if y == BigRational::one() => return a,
            _ => {}
        }
        self.raw(Op::RealDiv, &[a, b], Sort::Real)
    }

    /// `a < b`
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b)) {
            return self.bool(x < y);
        }
        if let Some((a, b)) = self.balance(a, b) {
            return self.lt(a, b);
        }
        if let Some(d) = self.difference(a, b) {
            return self.bool(d.is_positive());
        }
        self.compare_cases(Op::Lt, a, b).unwrap_or_else(|| self.raw(Op::Lt, &[a, b], Sort::Bool))
    }

    /// `a <= b`
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b)) {
            return self.bool(x <= y);
        }
        if let Some((a, b)) = self.balance(a, b) {
            return self.le(a, b);
        }
        if let Some(d) = self.difference(a, b) {
            return self.bool(!d.is_negative());
        }
        self.compare_cases(Op::Le, a, b).unwrap_or_else(|| self.raw(Op::Le, &[a, b], Sort::Bool))
    }

    /// `0` against `x - y` is `y` against `x`.
    fn balance(&self, a: Term, b: Term) -> Option<(Term, Term)> {
        let zero = BigRational::zero();
        if let Node::Op(Op::Sub, args) = self.node(b)
            && self.is_number(a, &zero)
        {
            return Some((args[1], args[0]));
        }
        if let Node::Op(Op::Sub, args) = self.node(a)
            && self.is_number(b, &zero)
        {
            return Some((args[0], args[1]));
        }
        None
    }

    /// `b - a` where the terms differ by a number only.
    fn difference(&self, a: Term, b: Term) -> Option<BigRational> {
        let (base_a, offset_a) = self.split(a);
        let (base_b, offset_b) = self.split(b);
        (base_a == base_b).then(|| offset_b - offset_a)
    }

    /// `x + n` as `x` and `n`.
    fn split(&self, term: Term) -> (Term, BigRational) {
        if let Node::Op(op @ (Op::Add | Op::Sub), args) = self.node(term)
            && let Some(n) = self.as_number(args[1])
        {
            return (args[0], if *op == Op::Add { n } else { -n });
        }
        (term, BigRational::zero())
    }

    /// An integer as a real.
    pub fn to_real(&mut self, a: Term) -> Term {
        if let Node::Int(i) = self.node(a) {
            let value = BigRational::from_integer(i.clone());
            return self.real(value);
        }
        self.raw(Op::ToReal, &[a], Sort::Real)
    }
}

/// Which terms are in a list that grows. Short lists are searched; longer ones have a set beside them.
#[derive(Default)]
struct Members {
    set: FastSet<Term>,
    /// How much of the list is in the set.
    known: usize,
}

impl Members {
    fn contains(&mut self, list: &[Term], term: Term) -> bool {
        const SHORT: usize = 16;
        if list.len() <= SHORT {
            return list.contains(&term);
        }
        self.set.extend(&list[self.known..]);
        self.known = list.len();
        self.set.contains(&term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> (Terms, Term, Term) {
        let mut terms = Terms::new();
        let x = terms.constant("x", Sort::Int);
        let p = terms.constant("p", Sort::Bool);
        (terms, x, p)
    }

    #[test]
    fn equal_terms_are_one() {
        let (mut t, x, _) = terms();
        let one = t.int(1);
        assert_eq!(t.add(x, one), t.add(x, one));
        assert_eq!(t.eq(x, one), t.eq(one, x));
        assert_eq!(t.constant("x", Sort::Int), x);
        assert_ne!(t.fresh("x", Sort::Int), t.fresh("x", Sort::Int));
    }

    #[test]
    fn formulas() {
        let (mut t, _, p) = terms();
        let (yes, no) = (t.bool(true), t.bool(false));
        let not_p = t.not(p);
        assert_eq!(t.not(not_p), p);
        assert_eq!(t.and([p, yes, p]), p);
        assert_eq!(t.and([p, not_p]), no);
        assert_eq!(t.or([not_p, p]), yes);
        assert_eq!(t.implies(p, no), not_p);
        assert_eq!(t.implies(not_p, p), p);
        assert_eq!(t.eq(p, no), not_p);
        assert_eq!(t.ite(not_p, no, yes), p);
    }

    #[test]
    fn arithmetic() {
        let (mut t, x, _) = terms();
        let (zero, one, two) = (t.int(0), t.int(1), t.int(2));
        let minus_seven = t.int(-7);
        let sum = t.add(x, one);
        assert_eq!(t.sub(sum, one), x);
        assert_eq!(t.sub(x, x), zero);
        assert_eq!(t.mul(x, zero), zero);
        assert_eq!(t.lt(x, sum), t.bool(true));
        assert_eq!(t.le(sum, x), t.bool(false));
        // Euclidean, as in SMT-LIB: -7 = 2 * -4 + 1.
        assert_eq!(t.div(minus_seven, two), t.int(-4));
        assert_eq!(t.modulo(minus_seven, two), one);
        // By zero nothing is known.
        let unknown = t.div(one, zero);
        assert_eq!(t.as_number(unknown), None);
        let half = t.real(BigRational::new(1.into(), 2.into()));
        let quarter = t.real(BigRational::new(1.into(), 4.into()));
        assert_eq!(t.mul(half, half), quarter);
    }

    #[test]
    fn amounts_by_cases() {
        let (mut t, _, p) = terms();
        let q = t.constant("q", Sort::Bool);
        let x = t.constant("r", Sort::Real);
        let zero = t.real(BigRational::zero());
        let one = t.real(BigRational::one());
        let (some_p, some_q) = (t.ite(p, one, zero), t.ite(q, one, zero));
        let not_p = t.not(p);
        assert_eq!(t.lt(zero, some_p), p);
        assert_eq!(t.eq(some_p, zero), not_p);
        assert_eq!(t.le(some_p, some_q), t.or([q, not_p]));
        assert_eq!(t.lt(zero, x), t.lt(zero, x));
        let given = t.ite(p, x, zero);
        let positive = t.lt(zero, x);
        assert_eq!(t.lt(zero, given), t.and([p, positive]));
        let nested = t.ite(q, some_p, zero);
        let both = t.and([q, p]);
        assert_eq!(nested, t.ite(both, one, zero));
    }

    #[test]
    fn long_connectives() {
        let mut t = Terms::new();
        let all: Vec<Term> = (0..50).map(|i| t.constant(&format!("p{i}"), Sort::Bool)).collect();
        let once = t.and(all.iter().copied());
        assert_eq!(t.and(all.iter().chain(&all).copied()), once);
        let last = t.not(all[49]);
        assert_eq!(t.and([once, last]), t.bool(false));
        let negations: Vec<Term> = all.iter().map(|p| t.not(*p)).collect();
        assert_eq!(t.or(negations.into_iter().chain([all[3]])), t.bool(true));
    }
}
