//! Replays proofs.
//!
//! This is what has to be believed. It shares no code with the search: it has its own union-find, its own
//! linear forms, and looks at every step by itself. A step is accepted if its conclusion follows from the
//! equalities so far by its rule.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::Prover;
use crate::closure::Rule;
use crate::linear::Fact;
use crate::proof::{End, Proof, ProofStep, Refutation, TermId};
use crate::rational::Rational;
use crate::syntax::{Head, Role, Sort, Syntax, Template, TemplateNode};

const TRUE: TermId = 0;
const FALSE: TermId = 1;

impl Proof {
    /// Does it show that what is asserted is contradictory?
    #[must_use]
    pub fn check(&self, prover: &Prover) -> bool {
        let Some(checker) = Checker::new(&prover.syntax, &prover.asserted, self) else {
            return false;
        };
        let mut classes = Classes((0..self.terms.len() as TermId).collect());
        checker.refutation(&self.root, &mut classes).is_some()
    }
}

/// A union-find.
#[derive(Clone)]
struct Classes(Vec<TermId>);

impl Classes {
    fn find(&self, mut term: TermId) -> TermId {
        while self.0[term as usize] != term {
            term = self.0[term as usize];
        }
        term
    }

    fn same(&self, a: TermId, b: TermId) -> bool {
        self.find(a) == self.find(b)
    }

    fn truth(&self, term: TermId) -> Option<bool> {
        let root = self.find(term);
        if root == self.find(TRUE) {
            Some(true)
        } else {
            (root == self.find(FALSE)).then_some(false)
        }
    }

    fn union(&mut self, a: TermId, b: TermId) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a as usize] = b;
    }
}

/// A sum of terms with factors, and a number.
type Sum = (BTreeMap<TermId, Rational>, Rational);

struct Checker<'a> {
    syntax: &'a Syntax,
    asserted: &'a [Template],
    terms: &'a [(Head, Box<[TermId]>)],
    sorts: Vec<Sort>,
}

/// `Some` if it is right.
type Right = Option<()>;

fn only_if(condition: bool) -> Right {
    condition.then_some(())
}

fn truth(value: bool) -> TermId {
    if value { TRUE } else { FALSE }
}

impl<'a> Checker<'a> {
    fn new(syntax: &'a Syntax, asserted: &'a [Template], proof: &'a Proof) -> Option<Checker<'a>> {
        let mut sorts: Vec<Sort> = Vec::with_capacity(proof.terms.len());
        for (id, (head, args)) in proof.terms.iter().enumerate() {
            if args.iter().any(|arg| *arg as usize >= id) || !syntax.declares(*head) {
                return None;
            }
            let sort =
                |position: usize| args.get(position).map_or(Sort::BOOL, |arg| sorts[*arg as usize]);
            let (first, second) = (sort(0), sort(1));
            sorts.push(syntax.result(*head, first, second));
        }
        let starts = [Head::True, Head::False].iter().zip(&proof.terms).all(|(h, t)| *h == t.0);
        (starts && proof.terms.len() >= 2).then_some(Checker {
            syntax,
            asserted,
            terms: &proof.terms,
            sorts,
        })
    }

    fn term(&self, id: TermId) -> Option<(Head, &[TermId])> {
        let (head, args) = self.terms.get(id as usize)?;
        Some((*head, args))
    }

    fn sort(&self, id: TermId) -> Option<Sort> {
        self.sorts.get(id as usize).copied()
    }

    // --- Refutations

    fn refutation(&self, refutation: &Refutation, classes: &mut Classes) -> Right {
        for step in &refutation.steps {
            self.step(step, classes)?;
            classes.union(step.left, step.right);
        }
        match &refutation.end {
            End::Conflict(step) => {
                only_if((step.left, step.right) == (TRUE, FALSE))?;
                self.step(step, classes)
            }
            End::Cases { on, when_true, when_false } => {
                only_if(self.sort(*on)? == Sort::BOOL)?;
                for (value, refutation) in [(TRUE, when_true), (FALSE, when_false)] {
                    let mut classes = classes.clone();
                    classes.union(*on, value);
                    self.refutation(refutation, &mut classes)?;
                }
                Some(())
            }
        }
    }

    fn step(&self, step: &ProofStep, classes: &Classes) -> Right {
        let ProofStep { left, right, rule } = step;
        let (left, right) = (*left, *right);
        only_if(self.sort(left)? == self.sort(right)?)?;
        match rule {
            Rule::Assumed => {
                only_if(right == TRUE)?;
                only_if(self.asserted.iter().any(|formula| self.is_instance(*formula, &[], left)))
            }
            // The two sides of a case are looked at where it ends.
            Rule::Case => None,
            Rule::Congruence => {
                let ((f, a), (g, b)) = (self.term(left)?, self.term(right)?);
                only_if(f == g && a.len() == b.len())?;
                let same = |x: &TermId, y: &TermId| classes.same(*x, *y);
                let straight = a.iter().zip(b).all(|(x, y)| same(x, y));
                let crossed =
                    f == Head::Eq && a.iter().zip(b.iter().rev()).all(|(x, y)| same(x, y));
                only_if(straight || crossed)
            }
            Rule::Logic(node) => self.logic(*node, left, right, classes),
            Rule::Data(node, value) => self.data(*node, *value, left, right, classes),
            Rule::Injective(x, y, position) => {
                let ((f, a), (g, b)) = (self.term(*x)?, self.term(*y)?);
                only_if(f == g && self.is_constructor(f) && classes.same(*x, *y))?;
                let position = *position as usize;
                only_if((*a.get(position)?, *b.get(position)?) == (left, right))
            }
            Rule::Different(x, y) => {
                only_if(self.are_different(*x, *y)?)?;
                if (left, right) == (TRUE, FALSE) {
                    return only_if(classes.same(*x, *y));
                }
                let (Head::Eq, [a, b]) = self.term(left)? else { return None };
                only_if(right == FALSE && classes.same(*a, *x) && classes.same(*b, *y))
            }
            Rule::Farkas(sums) => match (&**sums, (left, right)) {
                ([sum], (TRUE, FALSE)) => self.contradiction(sum, None, classes),
                ([sum], (atom, TRUE | FALSE)) => {
                    let opposite = Fact::Atom(atom, right == FALSE);
                    self.contradiction(sum, Some(opposite), classes)
                }
                ([below, above], _) => {
                    only_if(matches!(self.sort(left)?, Sort::INT | Sort::REAL))?;
                    self.contradiction(below, Some(Fact::Less(left, right)), classes)?;
                    self.contradiction(above, Some(Fact::Less(right, left)), classes)
                }
                _ => None,
            },
            Rule::Instance(quant, values) => {
                let (Head::Quant(id), args) = self.term(*quant)? else { return None };
                let quantified = self.syntax.quant(id);
                let universal = quantified.universal;
                only_if(classes.truth(*quant)? == universal && right == truth(universal))?;
                only_if(values.len() == quantified.sorts.len())?;
                for (value, sort) in values.iter().zip(&quantified.sorts) {
                    only_if(self.sort(*value)? == *sort)?;
                }
                let mut environment = quantified.environment(args);
                let own = environment.get_mut(quantified.first as usize..)?;
                own.iter_mut().zip(values).for_each(|(slot, value)| *slot = Some(*value));
                only_if(self.is_instance(quantified.body, &environment, left))
            }
            Rule::Witness(quant) => {
                let (Head::Quant(id), args) = self.term(*quant)? else { return None };
                let quantified = self.syntax.quant(id);
                let exists = !quantified.universal;
                only_if(classes.truth(*quant)? == exists && right == truth(exists))?;
                let mut environment = quantified.environment(args);
                for (var, slot) in
                    environment.get_mut(quantified.first as usize..)?.iter_mut().enumerate()
                {
                    let witness = (Head::Witness(id, var as u32), args.into());
                    let at = self.terms.iter().position(|term| *term == witness);
                    // A witness that the body does not mention need not be there.
                    *slot = at.map(|at| at as TermId);
                }
                only_if(self.is_instance(quantified.body, &environment, left))
            }
        }
    }

    /// Is a term what a template is for these values?
    fn is_instance(&self, template: Template, values: &[Option<TermId>], term: TermId) -> bool {
        let mut done = HashMap::new();
        self.instance_of(template, values, term, &mut done)
    }

    fn instance_of(
        &self,
        template: Template,
        values: &[Option<TermId>],
        term: TermId,
        done: &mut HashMap<(Template, TermId), bool>,
    ) -> bool {
        if let Some(known) = done.get(&(template, term)) {
            return *known;
        }
        let result = match (self.syntax.template(template), self.term(term)) {
            (TemplateNode::Var(position, _), _) => {
                values.get(*position as usize).copied().flatten() == Some(term)
            }
            (TemplateNode::App(head, parts), Some((other, args))) => {
                let mut all = |args: &mut dyn Iterator<Item = &TermId>| {
                    parts.iter().zip(args).all(|(t, a)| self.instance_of(*t, values, *a, done))
                };
                *head == other
                    && parts.len() == args.len()
                    && (all(&mut args.iter()) || (*head == Head::Eq && all(&mut args.iter().rev())))
            }
            _ => false,
        };
        done.insert((template, term), result);
        result
    }

    // --- Logic

    /// What a connective, an equation or a conditional says of itself and its arguments.
    fn logic(&self, node: TermId, left: TermId, right: TermId, classes: &Classes) -> Right {
        let (head, args) = self.term(node)?;
        let known = |term: TermId, value: bool| classes.truth(term) == Some(value);
        let sets = |term: TermId, value: bool| (left, right) == (term, truth(value));
        match (head, args) {
            (Head::Not, [a]) => only_if([true, false].iter().any(|value| {
                (known(*a, *value) && sets(node, !value))
                    || (known(node, *value) && sets(*a, !value))
            })),
            (Head::And, args) => {
                let literals: Vec<(TermId, bool)> = args.iter().map(|arg| (*arg, true)).collect();
                self.conjunction((node, true), &literals, (left, right), classes)
            }
            (Head::Or, args) => {
                let literals: Vec<(TermId, bool)> = args.iter().map(|arg| (*arg, false)).collect();
                self.conjunction((node, false), &literals, (left, right), classes)
            }
            (Head::Implies, [a, b]) => {
                self.conjunction((node, false), &[(*a, true), (*b, false)], (left, right), classes)
            }
            (Head::Eq, [a, b]) => {
                let (a, b) = (*a, *b);
                let holds = (known(node, true) && (left, right) == (a, b))
                    || (classes.same(a, b) && sets(node, true));
                if holds || self.sort(a)? != Sort::BOOL {
                    return only_if(holds);
                }
                only_if([(a, b), (b, a)].iter().any(|(a, b)| {
                    (known(*a, true) && (left, right) == (node, *b))
                        || [true, false].iter().any(|value| {
                            known(*a, *value)
                                && ((known(node, false) && sets(*b, !value))
                                    || (known(*b, !value) && sets(node, false)))
                        })
                }))
            }
            (Head::Ite, [c, a, b]) => {
                let (c, a, b) = (*c, *a, *b);
                let by_condition = (known(c, true) && (left, right) == (node, a))
                    || (known(c, false) && (left, right) == (node, b))
                    || (classes.same(a, b) && (left, right) == (node, a));
                let back = self.sort(node)? == Sort::BOOL
                    && [true, false].iter().any(|value| {
                        known(node, *value)
                            && ((known(a, !value) && sets(c, false))
                                || (known(b, !value) && sets(c, true)))
                    });
                only_if(by_condition || back)
            }
            _ => None,
        }
    }

    /// A literal that holds if and only if all of these do.
    fn conjunction(
        &self,
        (node, value): (TermId, bool),
        literals: &[(TermId, bool)],
        (left, right): (TermId, TermId),
        classes: &Classes,
    ) -> Right {
        let known = |term: TermId, value: bool| classes.truth(term) == Some(value);
        let sets = |term: TermId, value: bool| (left, right) == (term, truth(value));
        let all = || literals.iter().all(|(term, value)| known(*term, *value));
        let one_fails = || literals.iter().any(|(term, value)| known(*term, !value));
        let down = known(node, value) && literals.iter().any(|(term, value)| sets(*term, *value));
        let up = (all() && sets(node, value)) || (one_fails() && sets(node, !value));
        let last = known(node, !value)
            && literals.iter().enumerate().any(|(i, (term, value))| {
                sets(*term, !value)
                    && literals.iter().enumerate().all(|(j, (t, v))| i == j || known(*t, *v))
            });
        only_if(down || up || last)
    }

    // --- Data types and numbers

    fn is_constructor(&self, head: Head) -> bool {
        matches!(head, Head::Symbol(symbol) if self.syntax.role(symbol) == Role::Constructor)
    }

    fn are_different(&self, x: TermId, y: TermId) -> Option<bool> {
        let ((f, _), (g, _)) = (self.term(x)?, self.term(y)?);
        let is_value = |head: Head| {
            matches!(head, Head::True | Head::False | Head::Number(..)) || self.is_constructor(head)
        };
        Some(is_value(f) && is_value(g) && f != g && self.sort(x)? == self.sort(y)?)
    }

    fn data(
        &self,
        node: TermId,
        value: TermId,
        left: TermId,
        right: TermId,
        classes: &Classes,
    ) -> Right {
        let (Head::Symbol(symbol), [of]) = self.term(node)? else { return None };
        let (Head::Symbol(made_by), parts) = self.term(value)? else { return None };
        only_if(left == node && classes.same(*of, value))?;
        only_if(self.is_constructor(Head::Symbol(made_by)))?;
        match self.syntax.role(symbol) {
            Role::Selector(constructor, position) => {
                only_if(constructor == made_by && *parts.get(position as usize)? == right)
            }
            Role::Tester(constructor) => only_if(right == truth(constructor == made_by)),
            _ => None,
        }
    }

    /// Is the sum of these facts a contradiction? One, the opposite of a conclusion, is taken for granted.
    fn contradiction(
        &self,
        facts: &[(Fact<TermId>, Rational)],
        granted: Option<Fact<TermId>>,
        classes: &Classes,
    ) -> Right {
        let mut total: Sum = (BTreeMap::new(), Rational::ZERO);
        let mut strict = false;
        for (fact, factor) in facts {
            let (sum, order) = self.fact(fact, granted, classes)?;
            // Inequalities are taken as they are, equations in any direction.
            only_if(order == Order::Equal || factor.signum() > 0)?;
            strict |= order == Order::Below;
            total = add(total, &sum, *factor)?;
        }
        let number = total.1.signum();
        only_if(total.0.is_empty() && (number > 0 || (strict && number == 0)))
    }

    /// What a fact says: a sum that is zero, at most zero, or less. Sums of integers are rounded.
    fn fact(
        &self,
        fact: &Fact<TermId>,
        granted: Option<Fact<TermId>>,
        classes: &Classes,
    ) -> Option<(Sum, Order)> {
        let (sum, order) = match fact {
            Fact::Atom(atom, holds) => {
                only_if(granted == Some(*fact) || classes.truth(*atom) == Some(*holds))?;
                let (head, [a, b]) = self.term(*atom)? else { return None };
                match (head, holds) {
                    (Head::Le, true) => (self.difference(*a, *b)?, Order::AtMost),
                    (Head::Le, false) => (self.difference(*b, *a)?, Order::Below),
                    (Head::Lt, true) => (self.difference(*a, *b)?, Order::Below),
                    (Head::Lt, false) => (self.difference(*b, *a)?, Order::AtMost),
                    _ => return None,
                }
            }
            Fact::Equal(a, b) => {
                only_if(classes.same(*a, *b))?;
                (self.difference(*a, *b)?, Order::Equal)
            }
            Fact::Less(a, b) => {
                only_if(granted == Some(*fact))?;
                (self.difference(*a, *b)?, Order::Below)
            }
            Fact::Euclid { quotient, remainder } => {
                let (Head::Div, [a, b]) = self.term(*quotient)? else { return None };
                let (Head::Mod, rest) = self.term(*remainder)? else { return None };
                only_if(*rest == [*a, *b])?;
                let sum = add(self.sum(*a)?, &self.sum(*quotient)?, self.divisor(*b)?.negative())?;
                (add(sum, &self.sum(*remainder)?, Rational::MINUS_ONE)?, Order::Equal)
            }
            Fact::NotNegative(remainder) => {
                let (Head::Mod, [_, b]) = self.term(*remainder)? else { return None };
                self.divisor(*b)?;
                let zero = (BTreeMap::new(), Rational::ZERO);
                (add(zero, &self.sum(*remainder)?, Rational::MINUS_ONE)?, Order::AtMost)
            }
            Fact::BelowDivisor(remainder) => {
                let (Head::Mod, [_, b]) = self.term(*remainder)? else { return None };
                let mut sum = self.sum(*remainder)?;
                sum.1 = sum.1.minus(self.divisor(*b)?.abs())?;
                (sum, Order::Below)
            }
            Fact::Product { product, factor, number } => {
                let (Head::Mul, [a, b]) = self.term(*product)? else { return None };
                let (Head::Number(value, _), _) = self.term(*number)? else { return None };
                let other = if factor == a {
                    b
                } else {
                    only_if(factor == b)?;
                    a
                };
                only_if(classes.same(*factor, *number))?;
                let sum = self.sum(*product)?;
                (add(sum, &self.sum(*other)?, value.negative())?, Order::Equal)
            }
        };
        self.rounded(sum, order)
    }

    /// A number other than zero.
    fn divisor(&self, term: TermId) -> Option<Rational> {
        let (Head::Number(value, _), _) = self.term(term)? else { return None };
        (!value.is_zero()).then_some(value)
    }

    fn difference(&self, a: TermId, b: TermId) -> Option<Sum> {
        add(self.sum(a)?, &self.sum(b)?, Rational::MINUS_ONE)
    }

    /// A term as a sum of terms that are none.
    fn sum(&self, term: TermId) -> Option<Sum> {
        let (head, args) = self.term(term)?;
        let zero = || (BTreeMap::new(), Rational::ZERO);
        match (head, args) {
            (Head::Number(value, _), _) => return Some((BTreeMap::new(), value)),
            (Head::Add, [a, b]) => return add(self.sum(*a)?, &self.sum(*b)?, Rational::ONE),
            (Head::Sub, [a, b]) => return self.difference(*a, *b),
            (Head::Mul, [a, b]) => {
                let (a, b) = (self.sum(*a)?, self.sum(*b)?);
                if a.0.is_empty() {
                    return add(zero(), &b, a.1);
                }
                if b.0.is_empty() {
                    return add(zero(), &a, b.1);
                }
            }
            (Head::RealDiv, [a, b]) => {
                let divisor = self.sum(*b)?;
                if divisor.0.is_empty() && !divisor.1.is_zero() {
                    return add(zero(), &self.sum(*a)?, Rational::ONE.over(divisor.1)?);
                }
            }
            (Head::ToReal, [a]) => return self.sum(*a),
            _ => {}
        }
        Some((BTreeMap::from([(term, Rational::ONE)]), Rational::ZERO))
    }

    /// With factors that are integers without a common divisor; if all terms are integers the number
    /// becomes one, in the direction that says more.
    fn rounded(&self, sum: Sum, order: Order) -> Option<(Sum, Order)> {
        let mut scale = Rational::ONE;
        for factor in sum.0.values() {
            let scaled = factor.times(scale)?;
            scale = scale.times(Rational::integer(scaled.denom())?)?;
        }
        let mut divisor = 0;
        for factor in sum.0.values() {
            let (mut a, mut b) = (divisor, factor.times(scale)?.numer().abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            divisor = a;
        }
        scale = scale.over(Rational::integer(divisor.max(1))?)?;
        let (factors, number) = add((BTreeMap::new(), Rational::ZERO), &sum, scale)?;
        let integers = factors.keys().all(|term| self.sorts[*term as usize] == Sort::INT);
        if factors.is_empty() || !integers {
            return Some(((factors, number), order));
        }
        Some(match order {
            Order::AtMost => ((factors, number.ceil()), Order::AtMost),
            Order::Below => ((factors, number.floor().plus(Rational::ONE)?), Order::AtMost),
            Order::Equal if number.is_integer() => ((factors, number), Order::Equal),
            // Integers do not add up to a fraction: that is impossible, as `1 <= 0` is.
            Order::Equal => ((BTreeMap::new(), Rational::ONE), Order::AtMost),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Equal,
    AtMost,
    Below,
}

/// `a + times * b`
fn add(mut a: Sum, b: &Sum, times: Rational) -> Option<Sum> {
    for (term, factor) in &b.0 {
        let entry = a.0.entry(*term).or_insert(Rational::ZERO);
        *entry = entry.plus(factor.times(times)?)?;
    }
    a.0.retain(|_, factor| factor.compare(Rational::ZERO) != Some(Ordering::Equal));
    a.1 = a.1.plus(b.1.times(times)?)?;
    Some(a)
}
