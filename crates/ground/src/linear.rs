//! Linear forms of arithmetic terms, and what facts say of them.

use crate::closure::{Closure, Node};
use crate::hash::FastMap;
use crate::rational::{Rational, gcd};
use crate::syntax::{Head, Sort};

/// A sum of terms that are no sums, with factors, and a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linear {
    /// Factors that are not zero, by term.
    pub factors: Vec<(Node, Rational)>,
    pub constant: Rational,
}

impl Linear {
    fn number(value: Rational) -> Linear {
        Linear { factors: Vec::new(), constant: value }
    }

    fn leaf(node: Node) -> Linear {
        Linear { factors: vec![(node, Rational::ONE)], constant: Rational::ZERO }
    }

    /// `self + times * other`; none if the numbers become too large.
    pub fn plus(&self, other: &Linear, times: Rational) -> Option<Linear> {
        let mut factors = Vec::with_capacity(self.factors.len() + other.factors.len());
        let (mut a, mut b) = (self.factors.iter().peekable(), other.factors.iter().peekable());
        loop {
            let (node, factor) = match (a.peek(), b.peek()) {
                (Some((x, own)), Some((y, more))) if x == y => {
                    let sum = own.plus(more.times(times)?)?;
                    let node = *x;
                    a.next();
                    b.next();
                    (node, sum)
                }
                (Some((x, own)), other) if other.is_none_or(|(y, _)| x < y) => {
                    let term = (*x, *own);
                    a.next();
                    term
                }
                (_, Some((y, more))) => {
                    let term = (*y, more.times(times)?);
                    b.next();
                    term
                }
                _ => break,
            };
            if !factor.is_zero() {
                factors.push((node, factor));
            }
        }
        let constant = self.constant.plus(other.constant.times(times)?)?;
        Some(Linear { factors, constant })
    }
}

/// How a form compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is at most zero.
    AtMost,
    /// It is less.
    Below,
    /// It is zero.
    Equal,
}

/// A fact of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact<N = Node> {
    /// A comparison holds, or does not.
    Atom(N, bool),
    /// Two terms are equal.
    Equal(N, N),
    /// One is less than the other: what is refuted to show that it is not.
    Less(N, N),
    /// What is divided is the divisor times the quotient plus the remainder.
    Euclid { quotient: N, remainder: N },
    /// A remainder is not negative.
    NotNegative(N),
    /// A remainder is less than the size of its divisor.
    BelowDivisor(N),
    /// A product with a factor that equals a number.
    Product { product: N, factor: N, number: N },
}

impl<N: Copy> Fact<N> {
    /// The same about other names of terms.
    pub fn map<M>(self, mut to: impl FnMut(N) -> M) -> Fact<M> {
        match self {
            Fact::Atom(atom, holds) => Fact::Atom(to(atom), holds),
            Fact::Equal(a, b) => Fact::Equal(to(a), to(b)),
            Fact::Less(a, b) => Fact::Less(to(a), to(b)),
            Fact::Euclid { quotient, remainder } => {
                Fact::Euclid { quotient: to(quotient), remainder: to(remainder) }
            }
            Fact::NotNegative(node) => Fact::NotNegative(to(node)),
            Fact::BelowDivisor(node) => Fact::BelowDivisor(to(node)),
            Fact::Product { product, factor, number } => {
                Fact::Product { product: to(product), factor: to(factor), number: to(number) }
            }
        }
    }
}

/// Forms, as far as somebody has asked for them.
#[derive(Default)]
pub(crate) struct Forms {
    known: FastMap<Node, Linear>,
}

impl Forms {
    /// Forgets nodes that are gone.
    pub fn truncate(&mut self, nodes: usize) {
        self.known.retain(|node, _| (node.0 as usize) < nodes);
    }

    /// The linear form of a term. A sum whose numbers are too large is a term like any other.
    pub fn form(&mut self, closure: &Closure, node: Node) -> Linear {
        if let Some(form) = self.known.get(&node) {
            return form.clone();
        }
        let form = self.sum(closure, node).unwrap_or_else(|| Linear::leaf(node));
        self.known.insert(node, form.clone());
        form
    }

    fn sum(&mut self, closure: &Closure, node: Node) -> Option<Linear> {
        let (head, args) = closure.term(node);
        match (head, args) {
            (Head::Number(value, _), _) => Some(Linear::number(value)),
            (Head::Add, [a, b]) => {
                self.form(closure, *a).plus(&self.form(closure, *b), Rational::ONE)
            }
            (Head::Sub, [a, b]) => {
                self.form(closure, *a).plus(&self.form(closure, *b), Rational::MINUS_ONE)
            }
            (Head::Mul, [a, b]) => {
                let (a, b) = (self.form(closure, *a), self.form(closure, *b));
                if a.factors.is_empty() {
                    Linear::number(Rational::ZERO).plus(&b, a.constant)
                } else if b.factors.is_empty() {
                    Linear::number(Rational::ZERO).plus(&a, b.constant)
                } else {
                    None
                }
            }
            (Head::RealDiv, [a, b]) => {
                let divisor = self.form(closure, *b);
                if !divisor.factors.is_empty() {
                    return None;
                }
                let factor = Rational::ONE.over(divisor.constant)?;
                Linear::number(Rational::ZERO).plus(&self.form(closure, *a), factor)
            }
            (Head::ToReal, [a]) => Some(self.form(closure, *a)),
            _ => None,
        }
    }

    /// What a fact says: a form and how it compares with zero. The factors are integers without a
    /// common divisor; where all terms are integers, bounds are rounded to integers. None if numbers
    /// are too large.
    pub fn constraint(&mut self, closure: &Closure, fact: Fact) -> Option<(Linear, Relation)> {
        let (form, relation) = self.raw(closure, fact)?;
        normalise(closure, form, relation)
    }

    fn difference(&mut self, closure: &Closure, a: Node, b: Node) -> Option<Linear> {
        self.form(closure, a).plus(&self.form(closure, b), Rational::MINUS_ONE)
    }

    fn raw(&mut self, closure: &Closure, fact: Fact) -> Option<(Linear, Relation)> {
        match fact {
            Fact::Atom(node, holds) => {
                let (head, args) = closure.term(node);
                let [a, b] = *args else { return None };
                match (head, holds) {
                    (Head::Le, true) => Some((self.difference(closure, a, b)?, Relation::AtMost)),
                    (Head::Le, false) => Some((self.difference(closure, b, a)?, Relation::Below)),
                    (Head::Lt, true) => Some((self.difference(closure, a, b)?, Relation::Below)),
                    (Head::Lt, false) => Some((self.difference(closure, b, a)?, Relation::AtMost)),
                    _ => None,
                }
            }
            Fact::Equal(a, b) => Some((self.difference(closure, a, b)?, Relation::Equal)),
            Fact::Less(a, b) => Some((self.difference(closure, a, b)?, Relation::Below)),
            Fact::Euclid { quotient, remainder } => {
                let [dividend, divisor] = *closure.term(quotient).1 else { return None };
                let divisor = self.form(closure, divisor).constant;
                let form = self.form(closure, dividend);
                let form = form.plus(&self.form(closure, quotient), divisor.negative())?;
                let form = form.plus(&self.form(closure, remainder), Rational::MINUS_ONE)?;
                Some((form, Relation::Equal))
            }
            Fact::NotNegative(node) => {
                let form = Linear::number(Rational::ZERO);
                let form = form.plus(&self.form(closure, node), Rational::MINUS_ONE)?;
                Some((form, Relation::AtMost))
            }
            Fact::BelowDivisor(node) => {
                let [_, divisor] = *closure.term(node).1 else { return None };
                let size = self.form(closure, divisor).constant.abs();
                let size = Linear::number(size);
                Some((self.form(closure, node).plus(&size, Rational::MINUS_ONE)?, Relation::Below))
            }
            Fact::Product { product, factor, number } => {
                let [a, b] = *closure.term(product).1 else { return None };
                let other = if factor == a { b } else { a };
                let times = self.form(closure, number).constant;
                let form = self.form(closure, product);
                Some((form.plus(&self.form(closure, other), times.negative())?, Relation::Equal))
            }
        }
    }
}

fn normalise(closure: &Closure, form: Linear, relation: Relation) -> Option<(Linear, Relation)> {
    let mut multiple = 1i128;
    for (_, factor) in &form.factors {
        multiple = multiple.checked_mul(factor.denom() / gcd(multiple, factor.denom()))?;
    }
    let mut divisor = 0i128;
    for (_, factor) in &form.factors {
        divisor = gcd(divisor, factor.times(Rational::integer(multiple)?)?.numer());
    }
    let scale = Rational::new(multiple, divisor.max(1))?;
    let mut form = Linear::number(Rational::ZERO).plus(&form, scale)?;
    let constant = form.constant;
    let integers = form.factors.iter().all(|(node, _)| closure.sort(*node) == Sort::INT);
    if form.factors.is_empty() || !integers {
        return Some((form, relation));
    }
    match relation {
        Relation::AtMost => {
            form.constant = constant.ceil();
            Some((form, Relation::AtMost))
        }
        Relation::Below => {
            form.constant = constant.floor().plus(Rational::ONE)?;
            Some((form, Relation::AtMost))
        }
        Relation::Equal if constant.is_integer() => Some((form, Relation::Equal)),
        // A sum of integers is no fraction: one is at most zero.
        Relation::Equal => Some((Linear::number(Rational::ONE), Relation::AtMost)),
    }
}
