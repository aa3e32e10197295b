//! Linear arithmetic by the general simplex method (Dutertre and de Moura, 2006).
//!
//! Every linear form that is compared with a number has a variable, defined by a row; facts are bounds of
//! variables. Going back only takes bounds back, and variables that were new. A conflict comes with the
//! facts behind it and their factors in a sum that is a contradiction (Farkas' lemma), which is all that a
//! checker needs. Numbers that become too large end it: nothing is concluded from then on.

use std::cmp::Ordering;

use crate::closure::{Closure, Node};
use crate::hash::FastMap;
use crate::linear::{Fact, Forms, Linear, Relation};
use crate::rational::Rational;
use crate::syntax::Sort;

type Var = usize;

/// A number and a multiple of an infinitesimal: `x < 1` is `x <= 1 - δ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delta {
    pub real: Rational,
    pub small: Rational,
}

impl Delta {
    const ZERO: Delta = Delta { real: Rational::ZERO, small: Rational::ZERO };

    fn plus(self, other: Delta, times: Rational) -> Option<Delta> {
        Some(Delta {
            real: self.real.plus(other.real.times(times)?)?,
            small: self.small.plus(other.small.times(times)?)?,
        })
    }

    fn over(self, divisor: Rational) -> Option<Delta> {
        Some(Delta { real: self.real.over(divisor)?, small: self.small.over(divisor)? })
    }

    fn compare(self, other: Delta) -> Option<Ordering> {
        Some(self.real.compare(other.real)?.then(self.small.compare(other.small)?))
    }
}

#[derive(Clone, Copy, Debug)]
struct Bound {
    limit: Delta,
    fact: Fact,
    /// Does the fact say so of the variable, or of its negative?
    sign: Rational,
}

struct VarData {
    lower: Option<Bound>,
    upper: Option<Bound>,
    value: Delta,
    /// Its row, if it is basic.
    row: Option<usize>,
    /// The term, or the form, that it stands for.
    node: Option<Node>,
    form: Option<Box<[(Node, Rational)]>>,
}

struct Row {
    basic: Var,
    /// Factors that are not zero of variables that are not basic, in order.
    factors: Vec<(Var, Rational)>,
}

enum Undo {
    Var,
    Lower(Var, Option<Bound>),
    Upper(Var, Option<Bound>),
}

/// Facts that contradict each other, with their factors.
pub(crate) type Certificate = Vec<(Fact, Rational)>;

/// What a question ends with.
pub(crate) enum Outcome {
    /// The facts have a model, over the rationals.
    Consistent,
    Conflict(Certificate),
    /// Too much work, or too large numbers.
    GaveUp,
}

#[derive(Default)]
pub(crate) struct Simplex {
    vars: Vec<VarData>,
    rows: Vec<Row>,
    by_node: FastMap<Node, Var>,
    by_form: FastMap<Box<[(Node, Rational)]>, Var>,
    trail: Vec<Undo>,
    /// Numbers were too large: the values cannot be relied on.
    pub broken: bool,
    /// Variables with equal bounds, since somebody looked.
    pub fixed: Vec<usize>,
    /// Are there bounds that were not looked at?
    unchecked: bool,
    /// Terms that have become variables.
    pub new_leaves: Vec<Node>,
    /// Variables that became basic no longer to let go of another.
    released: Vec<Var>,
}

impl Simplex {
    // --- Facts

    /// Adds a fact.
    pub fn assert(&mut self, closure: &Closure, forms: &mut Forms, fact: Fact) -> Outcome {
        if self.broken {
            return Outcome::GaveUp;
        }
        let Some((form, relation)) = forms.constraint(closure, fact) else {
            return Outcome::GaveUp;
        };
        if form.factors.is_empty() {
            let sign = form.constant.signum();
            let holds = match relation {
                Relation::AtMost => sign <= 0,
                Relation::Below => sign < 0,
                Relation::Equal => sign == 0,
            };
            // The factor of an equation makes its number positive.
            let factor = match relation {
                Relation::Equal if sign < 0 => Rational::MINUS_ONE,
                _ => Rational::ONE,
            };
            return if holds {
                Outcome::Consistent
            } else {
                Outcome::Conflict(vec![(fact, factor)])
            };
        }
        match self.bound_by(&form, relation, fact) {
            Some(outcome) => outcome,
            None => {
                self.broken = true;
                Outcome::GaveUp
            }
        }
    }

    fn bound_by(&mut self, form: &Linear, relation: Relation, fact: Fact) -> Option<Outcome> {
        let negative = form.factors.first()?.1.signum() < 0;
        let sign = if negative { Rational::MINUS_ONE } else { Rational::ONE };
        let var = self.var_of(form, sign)?;
        // The form is `sign * var + constant`.
        let limit = form.constant.times(sign)?.negative();
        let small = match relation {
            Relation::Below => sign.negative(),
            _ => Rational::ZERO,
        };
        let bound = Bound { limit: Delta { real: limit, small }, fact, sign };
        if relation == Relation::Equal || !negative {
            match self.set_upper(var, bound)? {
                Outcome::Consistent => {}
                other => return Some(other),
            }
        }
        if relation == Relation::Equal || negative {
            return self.set_lower(var, bound);
        }
        Some(Outcome::Consistent)
    }

    /// The variable of a form without its number, up to a sign.
    fn var_of(&mut self, form: &Linear, sign: Rational) -> Option<Var> {
        if let [(node, factor)] = &*form.factors
            && factor.abs() == Rational::ONE
        {
            return Some(self.leaf(*node));
        }
        let mut key = Vec::with_capacity(form.factors.len());
        for (node, factor) in &form.factors {
            key.push((*node, factor.times(sign)?));
        }
        let key: Box<[(Node, Rational)]> = key.into();
        if let Some(var) = self.by_form.get(&key) {
            return Some(*var);
        }
        // In terms of variables that are not basic.
        let mut factors = Vec::new();
        let mut value = Delta::ZERO;
        for (node, factor) in &*key {
            let var = self.leaf(*node);
            value = value.plus(self.vars[var].value, *factor)?;
            let own;
            let expansion: &[(Var, Rational)] = match self.vars[var].row {
                Some(row) => &self.rows[row].factors,
                None => {
                    own = [(var, Rational::ONE)];
                    &own
                }
            };
            factors = add(&factors, expansion, *factor)?;
        }
        let var = self.vars.len();
        self.by_form.insert(key.clone(), var);
        let row = Some(self.rows.len());
        self.rows.push(Row { basic: var, factors });
        self.vars.push(VarData {
            lower: None,
            upper: None,
            value,
            row,
            node: None,
            form: Some(key),
        });
        self.trail.push(Undo::Var);
        Some(var)
    }

    /// Makes a term a variable, if it is none yet.
    pub fn register(&mut self, node: Node) {
        self.leaf(node);
    }

    fn leaf(&mut self, node: Node) -> Var {
        if let Some(var) = self.by_node.get(&node) {
            return *var;
        }
        let var = self.vars.len();
        self.by_node.insert(node, var);
        self.new_leaves.push(node);
        let (value, node) = (Delta::ZERO, Some(node));
        self.vars.push(VarData { lower: None, upper: None, value, row: None, node, form: None });
        self.trail.push(Undo::Var);
        var
    }

    fn set_upper(&mut self, var: Var, bound: Bound) -> Option<Outcome> {
        let data = &self.vars[var];
        if let Some(upper) = &data.upper
            && upper.limit.compare(bound.limit)? != Ordering::Greater
        {
            return Some(Outcome::Consistent);
        }
        let mut is_fixed = false;
        if let Some(lower) = &data.lower {
            match bound.limit.compare(lower.limit)? {
                Ordering::Less => {
                    return Some(Outcome::Conflict(certificate(&[
                        (bound, true, Rational::ONE),
                        (*lower, false, Rational::ONE),
                    ])?));
                }
                order => is_fixed = order == Ordering::Equal,
            }
        }
        let above = data.value.compare(bound.limit)? == Ordering::Greater;
        self.trail.push(Undo::Upper(var, data.upper));
        self.vars[var].upper = Some(bound);
        self.changed(var, above, is_fixed, bound.limit)
    }

    fn set_lower(&mut self, var: Var, bound: Bound) -> Option<Outcome> {
        let data = &self.vars[var];
        if let Some(lower) = &data.lower
            && lower.limit.compare(bound.limit)? != Ordering::Less
        {
            return Some(Outcome::Consistent);
        }
        let mut is_fixed = false;
        if let Some(upper) = &data.upper {
            match bound.limit.compare(upper.limit)? {
                Ordering::Greater => {
                    return Some(Outcome::Conflict(certificate(&[
                        (bound, false, Rational::ONE),
                        (*upper, true, Rational::ONE),
                    ])?));
                }
                order => is_fixed = order == Ordering::Equal,
            }
        }
        let below = data.value.compare(bound.limit)? == Ordering::Less;
        self.trail.push(Undo::Lower(var, data.lower));
        self.vars[var].lower = Some(bound);
        self.changed(var, below, is_fixed, bound.limit)
    }

    /// A bound has changed; does the value violate it?
    fn changed(
        &mut self,
        var: Var,
        violated: bool,
        is_fixed: bool,
        limit: Delta,
    ) -> Option<Outcome> {
        self.unchecked = true;
        if is_fixed {
            self.fixed.push(var);
        }
        if violated && self.vars[var].row.is_none() {
            self.update(var, limit)?;
        }
        Some(Outcome::Consistent)
    }

    /// Gives a variable that is not basic another value.
    fn update(&mut self, var: Var, value: Delta) -> Option<()> {
        let change = value.plus(self.vars[var].value, Rational::MINUS_ONE)?;
        self.vars[var].value = value;
        for row in &self.rows {
            if let Some(factor) = factor_of(&row.factors, var) {
                let basic = &mut self.vars[row.basic];
                basic.value = basic.value.plus(change, factor)?;
            }
        }
        Some(())
    }

    // --- Consistency

    /// Do the facts have a model? At most so many pivots are tried.
    pub fn check(&mut self, pivots: &mut usize) -> Outcome {
        if self.broken {
            return Outcome::GaveUp;
        }
        if !self.unchecked {
            return Outcome::Consistent;
        }
        match self.run(pivots) {
            Some(outcome) => outcome,
            None => {
                self.broken = true;
                Outcome::GaveUp
            }
        }
    }

    fn run(&mut self, pivots: &mut usize) -> Option<Outcome> {
        loop {
            // Bland's rule: the first variable, so that it ends.
            let mut violated: Option<(Var, bool)> = None;
            for row in &self.rows {
                let data = &self.vars[row.basic];
                if violated.is_some_and(|(var, _)| var < row.basic) {
                    continue;
                }
                if let Some(lower) = &data.lower
                    && data.value.compare(lower.limit)? == Ordering::Less
                {
                    violated = Some((row.basic, true));
                } else if let Some(upper) = &data.upper
                    && data.value.compare(upper.limit)? == Ordering::Greater
                {
                    violated = Some((row.basic, false));
                }
            }
            let Some((basic, too_low)) = violated else {
                self.unchecked = false;
                return Some(Outcome::Consistent);
            };
            let Some(left) = pivots.checked_sub(1) else { return Some(Outcome::GaveUp) };
            *pivots = left;
            let row = self.vars[basic].row?;
            let mut entering = None;
            for (var, factor) in &self.rows[row].factors {
                let increase = (factor.signum() > 0) == too_low;
                let data = &self.vars[*var];
                let room = match (increase, &data.lower, &data.upper) {
                    (true, _, Some(upper)) => data.value.compare(upper.limit)? == Ordering::Less,
                    (false, Some(lower), _) => {
                        data.value.compare(lower.limit)? == Ordering::Greater
                    }
                    _ => true,
                };
                if room {
                    entering = Some((*var, *factor));
                    break;
                }
            }
            let Some((entering, factor)) = entering else {
                return Some(Outcome::Conflict(self.conflict(basic, too_low)?));
            };
            let data = &self.vars[basic];
            let bound = if too_low { data.lower } else { data.upper };
            let limit = bound?.limit;
            let change = limit.plus(data.value, Rational::MINUS_ONE)?.over(factor)?;
            let value = self.vars[entering].value.plus(change, Rational::ONE)?;
            self.update(entering, value)?;
            self.vars[basic].value = limit;
            self.pivot(row, entering)?;
        }
    }

    /// A basic variable cannot get to its bound since all others are at theirs.
    fn conflict(&self, basic: Var, too_low: bool) -> Option<Certificate> {
        let data = &self.vars[basic];
        let mut bounds = Vec::new();
        bounds.push((if too_low { data.lower } else { data.upper }?, !too_low, Rational::ONE));
        let row = data.row?;
        for (var, factor) in &self.rows[row].factors {
            let upper = (factor.signum() > 0) == too_low;
            let data = &self.vars[*var];
            bounds.push((if upper { data.upper } else { data.lower }?, upper, factor.abs()));
        }
        certificate(&bounds)
    }

    /// Makes a variable of a row the basic one.
    fn pivot(&mut self, row: usize, entering: Var) -> Option<()> {
        let Row { basic, factors } = &self.rows[row];
        let leaving = *basic;
        let factor = factor_of(factors, entering)?;
        // basic = factor * entering + rest, so entering = basic / factor - rest / factor.
        let mut rest: Vec<(Var, Rational)> =
            factors.iter().copied().filter(|(var, _)| *var != entering).collect();
        let inverse = Rational::ONE.over(factor)?;
        for (_, factor) in &mut rest {
            *factor = factor.times(inverse)?.negative();
        }
        let at = rest.partition_point(|(var, _)| *var < leaving);
        rest.insert(at, (leaving, inverse));
        for (index, other) in self.rows.iter_mut().enumerate() {
            if index != row
                && let Some(factor) = factor_of(&other.factors, entering)
            {
                other.factors.retain(|(var, _)| *var != entering);
                other.factors = add(&other.factors, &rest, factor)?;
            }
        }
        self.rows[row] = Row { basic: entering, factors: rest };
        self.vars[entering].row = Some(row);
        self.vars[leaving].row = None;
        Some(())
    }

    // --- What is known

    /// The value of a form in the model, if there is one.
    pub fn value(&self, form: &Linear) -> Option<Delta> {
        let mut value = Delta { real: form.constant, small: Rational::ZERO };
        for (node, factor) in &form.factors {
            let var = self.by_node.get(node)?;
            value = value.plus(self.vars[*var].value, *factor)?;
        }
        Some(value)
    }

    /// Do the bounds of one form contradict a fact about it?
    pub fn contradicted(
        &self,
        closure: &Closure,
        forms: &mut Forms,
        fact: Fact,
    ) -> Option<Certificate> {
        if self.broken {
            return None;
        }
        let (form, relation) = forms.constraint(closure, fact)?;
        let Some((_, first)) = form.factors.first() else {
            let sign = form.constant.signum();
            let fails = sign > 0 || (sign == 0 && relation == Relation::Below);
            return fails.then(|| vec![(fact, Rational::ONE)]);
        };
        let negative = first.signum() < 0;
        let sign = if negative { Rational::MINUS_ONE } else { Rational::ONE };
        let var = match &*form.factors {
            [(node, _)] => *self.by_node.get(node)?,
            factors => {
                let scaled = factors.iter().map(|(node, f)| Some((*node, f.times(sign)?)));
                *self.by_form.get(&scaled.collect::<Option<Box<[_]>>>()?)?
            }
        };
        let limit = form.constant.times(sign)?.negative();
        let small = if relation == Relation::Below { sign.negative() } else { Rational::ZERO };
        let limit = Delta { real: limit, small };
        let bound = Bound { limit, fact, sign };
        let data = &self.vars[var];
        if negative {
            let upper = data.upper.filter(|u| limit.compare(u.limit) == Some(Ordering::Greater))?;
            certificate(&[(bound, false, Rational::ONE), (upper, true, Rational::ONE)])
        } else {
            let lower = data.lower.filter(|l| limit.compare(l.limit) == Some(Ordering::Less))?;
            certificate(&[(bound, true, Rational::ONE), (lower, false, Rational::ONE)])
        }
    }

    /// A variable of integers whose value is none, and that value.
    pub fn fractional(&self, closure: &Closure) -> Option<(Node, Rational)> {
        self.vars.iter().find_map(|var| {
            let node = var.node?;
            let fraction = closure.sort(node) == Sort::INT && !var.value.real.is_integer();
            fraction.then_some((node, var.value.real))
        })
    }

    /// Variables that have got only one value left: the term, or two terms whose difference it is, the
    /// value, and the facts that say so.
    pub fn take_fixed(&mut self) -> Vec<(Node, Option<Node>, Rational, [Fact; 2])> {
        let mut found = Vec::new();
        for var in std::mem::take(&mut self.fixed) {
            let Some(data) = self.vars.get(var) else { continue };
            let (Some(lower), Some(upper)) = (&data.lower, &data.upper) else { continue };
            if lower.limit != upper.limit || !lower.limit.small.is_zero() {
                continue;
            }
            let facts = [lower.fact, upper.fact];
            match (data.node, data.form.as_deref()) {
                (Some(node), _) => found.push((node, None, lower.limit.real, facts)),
                (None, Some([(a, x), (b, y)]))
                    if lower.limit.real.is_zero() && x.negative() == *y =>
                {
                    found.push((*a, Some(*b), Rational::ZERO, facts));
                }
                _ => {}
            }
        }
        found
    }

    // --- Going back

    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    pub fn undo(&mut self, mark: usize) {
        self.fixed.clear();
        self.new_leaves.clear();
        // The values may be on the way from one model to another.
        self.unchecked |= self.trail.len() > mark;
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Undo::Lower(var, bound)) => self.vars[var].lower = bound,
                Some(Undo::Upper(var, bound)) => self.vars[var].upper = bound,
                Some(Undo::Var) => self.remove_last(),
                None => break,
            }
        }
        if self.clamp().is_none() {
            self.broken = true;
        }
    }

    /// Variables that are not basic keep within their bounds, also those that were until now.
    fn clamp(&mut self) -> Option<()> {
        for var in std::mem::take(&mut self.released) {
            let Some(data) = self.vars.get(var).filter(|data| data.row.is_none()) else { continue };
            let (lower, upper, value) = (data.lower, data.upper, data.value);
            if let Some(lower) = lower
                && value.compare(lower.limit)? == Ordering::Less
            {
                self.update(var, lower.limit)?;
            } else if let Some(upper) = upper
                && value.compare(upper.limit)? == Ordering::Greater
            {
                self.update(var, upper.limit)?;
            }
        }
        Some(())
    }

    /// Forgets the last variable. Nothing older can depend on it: made basic, it is in its row only.
    fn remove_last(&mut self) {
        let Some(var) = self.vars.len().checked_sub(1) else { return };
        let row = self.vars[var].row.or_else(|| {
            let row = self.rows.iter().position(|r| factor_of(&r.factors, var).is_some())?;
            self.released.push(self.rows[row].basic);
            if self.pivot(row, var).is_none() {
                self.broken = true;
            }
            Some(row)
        });
        if let Some(row) = row {
            self.rows.swap_remove(row);
            if let Some(moved) = self.rows.get(row) {
                let basic = moved.basic;
                self.vars[basic].row = Some(row);
            }
        }
        if let Some(data) = self.vars.pop() {
            if let Some(node) = data.node {
                self.by_node.remove(&node);
            }
            if let Some(form) = data.form {
                self.by_form.remove(&form);
            }
        }
    }
}

/// Bounds that contradict each other, as facts: is each an upper one, and how often is it taken?
fn certificate(bounds: &[(Bound, bool, Rational)]) -> Option<Certificate> {
    let mut result: Certificate = Vec::with_capacity(bounds.len());
    for (bound, upper, factor) in bounds {
        let factor = match bound.fact {
            // An equation is taken in the direction in which it is used.
            Fact::Equal(..) | Fact::Euclid { .. } | Fact::Product { .. } => {
                let signed = factor.times(bound.sign)?;
                if *upper { signed } else { signed.negative() }
            }
            _ => *factor,
        };
        result.push((bound.fact, factor));
    }
    Some(result)
}

fn factor_of(factors: &[(Var, Rational)], var: Var) -> Option<Rational> {
    let index = factors.binary_search_by_key(&var, |(var, _)| *var).ok()?;
    Some(factors[index].1)
}

/// `a + times * b`
fn add(
    a: &[(Var, Rational)],
    b: &[(Var, Rational)],
    times: Rational,
) -> Option<Vec<(Var, Rational)>> {
    let mut sum = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    loop {
        let (var, factor) = match (a.get(i), b.get(j)) {
            (Some((x, p)), Some((y, q))) if x == y => {
                (i, j) = (i + 1, j + 1);
                (*x, p.plus(q.times(times)?)?)
            }
            (Some((x, p)), other) if other.is_none_or(|(y, _)| x < y) => {
                i += 1;
                (*x, *p)
            }
            (_, Some((y, q))) => {
                j += 1;
                (*y, q.times(times)?)
            }
            _ => return Some(sum),
        };
        if !factor.is_zero() {
            sum.push((var, factor));
        }
    }
}
