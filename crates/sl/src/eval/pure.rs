//! Terms, equations and constraints of a search.

use std::collections::BTreeSet;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::state::{Constraint, Goal, Scope, Slot, State};
use crate::formula::{Formula, Kind};
use crate::model::{Loc, Value};
use crate::term::{Term, TermKind};

/// What became of a constraint.
pub(super) enum Outcome {
    /// It holds from now on.
    Holds,
    /// It cannot hold.
    Fails,
    /// It holds now that a variable has a value.
    Learnt,
    /// Too little is known.
    Later,
}

/// A sum of variables with their factors, and a number.
struct Linear {
    constant: BigInt,
    unknown: Vec<(Slot, BigInt)>,
}

impl State {
    /// The value of a term, if all its variables have one.
    pub(super) fn term(&self, term: &Term, scope: &Scope) -> Option<Value> {
        match term.kind() {
            TermKind::Var(var) => self.value(scope.find(&var.name)?).cloned(),
            TermKind::Nil(_) => Some(Value::Loc(Loc::NIL)),
            TermKind::Int(value) => Some(Value::Int(value.clone())),
            TermKind::Bool(value) => Some(Value::Bool(*value)),
            TermKind::Record(_, parts) => {
                parts.iter().map(|p| self.term(p, scope)).collect::<Option<_>>().map(Value::Record)
            }
            TermKind::Field(_, index, part) => match self.term(part, scope)? {
                Value::Record(values) => values.get(*index).cloned(),
                _ => None,
            },
            TermKind::Add(_) | TermKind::Neg(_) | TermKind::Mul(_) => {
                let sum = self.linear(term, scope)?;
                sum.unknown.is_empty().then_some(Value::Int(sum.constant))
            }
        }
    }

    /// The term as a sum; `None` if it is none.
    fn linear(&self, term: &Term, scope: &Scope) -> Option<Linear> {
        let number = |constant: BigInt| Linear { constant, unknown: Vec::new() };
        match term.kind() {
            TermKind::Int(value) => Some(number(value.clone())),
            TermKind::Var(var) => {
                let slot = self.root(scope.find(&var.name)?);
                match self.value(slot) {
                    Some(Value::Int(value)) => Some(number(value.clone())),
                    Some(_) => None,
                    None => Some(Linear {
                        constant: BigInt::zero(),
                        unknown: vec![(slot, BigInt::one())],
                    }),
                }
            }
            TermKind::Add(parts) => {
                let mut sum = number(BigInt::zero());
                for part in parts {
                    sum.add(self.linear(part, scope)?, &BigInt::one());
                }
                Some(sum)
            }
            TermKind::Neg(part) => {
                let mut sum = number(BigInt::zero());
                sum.add(self.linear(part, scope)?, &-BigInt::one());
                Some(sum)
            }
            TermKind::Mul(parts) => {
                let mut product = number(BigInt::one());
                for part in parts {
                    let factor = self.linear(part, scope)?;
                    product = product.multiply(factor)?;
                }
                Some(product)
            }
            TermKind::Field(..) => match self.term(term, scope)? {
                Value::Int(value) => Some(number(value)),
                _ => None,
            },
            TermKind::Nil(_) | TermKind::Bool(_) | TermKind::Record(..) => None,
        }
    }

    /// Makes a term have a value; what is not known yet becomes known.
    pub(super) fn unify(&mut self, term: &Term, scope: &Rc<Scope>, value: &Value) -> bool {
        match (term.kind(), value) {
            (TermKind::Var(var), _) => match scope.find(&var.name) {
                None => false,
                Some(slot) => match self.value(slot) {
                    Some(known) => known == value,
                    None => {
                        self.bind(slot, value.clone());
                        true
                    }
                },
            },
            (TermKind::Record(_, parts), Value::Record(values)) => {
                parts.len() == values.len()
                    && parts.iter().zip(values).all(|(part, v)| self.unify(part, scope, v))
            }
            _ => match self.term(term, scope) {
                Some(known) => known == *value,
                None => {
                    let slot = self.new_slot(super::state::Binding::Value(value.clone()));
                    self.constraints.push(Constraint::Equals(slot, term.clone(), scope.clone()));
                    true
                }
            },
        }
    }

    /// Tries to settle a constraint.
    pub(super) fn settle(&mut self, constraint: &Constraint) -> Outcome {
        match constraint {
            Constraint::Equals(slot, term, scope) => {
                if let Some(value) = self.value(*slot).cloned() {
                    return match self.term(term, scope) {
                        Some(known) => holds_if(known == value),
                        None => self.solve(term, scope, &value),
                    };
                }
                match (self.term(term, scope), term.as_var().and_then(|v| scope.find(&v.name))) {
                    (Some(value), _) => {
                        self.bind(*slot, value);
                        Outcome::Learnt
                    }
                    (None, Some(other)) => {
                        self.link(*slot, other);
                        Outcome::Learnt
                    }
                    (None, None) => Outcome::Later,
                }
            }
            Constraint::Pure(goal) => match self.pure(&goal.formula, &goal.scope) {
                Some(value) => holds_if(value),
                None => self.learn(goal),
            },
        }
    }

    /// Uses an equation, or the parts of a conjunction.
    fn learn(&mut self, goal: &Goal) -> Outcome {
        let scope = &goal.scope;
        match goal.formula.kind() {
            Kind::Eq(a, b) => {
                for (side, other) in [(a, b), (b, a)] {
                    if let Some(value) = self.term(side, scope) {
                        return self.solve(other, scope, &value);
                    }
                }
                let slot = |t: &Term| t.as_var().and_then(|v| scope.find(&v.name));
                if let (Some(x), Some(y)) = (slot(a), slot(b)) {
                    self.link(x, y);
                    return Outcome::Learnt;
                }
                Outcome::Later
            }
            Kind::And(parts) => {
                for part in parts {
                    let goal = Goal { formula: part.clone(), scope: scope.clone() };
                    self.constraints.push(Constraint::Pure(goal));
                }
                Outcome::Learnt
            }
            _ => Outcome::Later,
        }
    }

    /// Finds out the only unknown of a term that has a value.
    fn solve(&mut self, term: &Term, scope: &Rc<Scope>, value: &Value) -> Outcome {
        let (TermKind::Add(_) | TermKind::Neg(_) | TermKind::Mul(_), Value::Int(value)) =
            (term.kind(), value)
        else {
            return match term.kind() {
                TermKind::Var(_) | TermKind::Record(..) if self.unify(term, scope, value) => {
                    Outcome::Learnt
                }
                TermKind::Var(_) | TermKind::Record(..) => Outcome::Fails,
                _ => Outcome::Later,
            };
        };
        let Some(sum) = self.linear(term, scope) else { return Outcome::Later };
        let [(slot, factor)] = sum.unknown.as_slice() else { return Outcome::Later };
        let difference = value - &sum.constant;
        if !(&difference % factor).is_zero() {
            return Outcome::Fails;
        }
        self.bind(*slot, Value::Int(difference / factor));
        Outcome::Learnt
    }

    /// The truth of a formula that says nothing of the heap, if enough is known.
    pub(super) fn pure(&self, formula: &Formula, scope: &Rc<Scope>) -> Option<bool> {
        match formula.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            Kind::Eq(a, b) => self.same(a, b, scope),
            Kind::Ne(a, b) => self.same(a, b, scope).map(|same| !same),
            Kind::Le(a, b) => self.compare(a, b, scope, |x, y| x <= y),
            Kind::Lt(a, b) => self.compare(a, b, scope, |x, y| x < y),
            Kind::And(parts) => {
                let all: Vec<_> = parts.iter().map(|p| self.pure(p, scope)).collect();
                if all.contains(&Some(false)) {
                    return Some(false);
                }
                all.iter().all(Option::is_some).then_some(true)
            }
            Kind::Or(parts) => {
                let all: Vec<_> = parts.iter().map(|p| self.pure(p, scope)).collect();
                if all.contains(&Some(true)) {
                    return Some(true);
                }
                all.iter().all(Option::is_some).then_some(false)
            }
            Kind::Not(part) => self.pure(part, scope).map(|value| !value),
            _ => None,
        }
    }

    fn same(&self, a: &Term, b: &Term, scope: &Rc<Scope>) -> Option<bool> {
        if let (Some(x), Some(y)) = (self.term(a, scope), self.term(b, scope)) {
            return Some(x == y);
        }
        let slot = |t: &Term| t.as_var().and_then(|v| scope.find(&v.name)).map(|s| self.root(s));
        if a == b || slot(a).is_some_and(|x| slot(b) == Some(x)) { Some(true) } else { None }
    }

    fn compare(
        &self,
        a: &Term,
        b: &Term,
        scope: &Rc<Scope>,
        relation: impl Fn(&BigInt, &BigInt) -> bool,
    ) -> Option<bool> {
        match (self.term(a, scope)?, self.term(b, scope)?) {
            (Value::Int(x), Value::Int(y)) => Some(relation(&x, &y)),
            _ => None,
        }
    }

    /// The variables without a value that a formula or a constraint mentions.
    pub(super) fn unknowns(&self, formula: &Formula, scope: &Scope, all: &mut BTreeSet<Slot>) {
        for var in formula.free_vars() {
            self.unknown(scope.find(&var.name), all);
        }
    }

    pub(super) fn unknown(&self, slot: Option<Slot>, all: &mut BTreeSet<Slot>) {
        if let Some(slot) = slot
            && self.value(slot).is_none()
        {
            all.insert(self.root(slot));
        }
    }
}

impl Linear {
    fn add(&mut self, other: Linear, factor: &BigInt) {
        self.constant += other.constant * factor;
        for (slot, times) in other.unknown {
            let times = times * factor;
            match self.unknown.iter_mut().find(|(s, _)| *s == slot) {
                Some((_, known)) => *known += times,
                None => self.unknown.push((slot, times)),
            }
        }
        self.unknown.retain(|(_, times)| !times.is_zero());
    }

    fn multiply(self, other: Linear) -> Option<Linear> {
        let (number, mut sum) = match (self.unknown.is_empty(), other.unknown.is_empty()) {
            (true, _) => (self.constant, other),
            (_, true) => (other.constant, self),
            _ => return None,
        };
        sum.constant *= &number;
        for (_, times) in &mut sum.unknown {
            *times *= &number;
        }
        sum.unknown.retain(|(_, times)| !times.is_zero());
        Some(sum)
    }
}

fn holds_if(value: bool) -> Outcome {
    if value { Outcome::Holds } else { Outcome::Fails }
}
