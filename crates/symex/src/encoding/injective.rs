//! Assumptions that all elements are different.
//!
//! `forall i, j :: c(i) && c(j) && i != j ==> e(i) != e(j)` says that `e` is injective where `c` holds,
//! that is, that it has an inverse there: `forall i :: c(i) ==> inv(e(i)) == i`. The first is
//! instantiated for every pair of elements, the second for every element. So the solver is told the
//! second when the first is assumed.

use std::collections::{HashMap, HashSet};

use smt::{Bound, Node, Op, Quant, Quantifier, Sort, Term};

use super::Encoding;

/// What a formula says about two variables.
#[derive(Default)]
struct Parts {
    /// Of the first, of the second, and of neither.
    first: Vec<Term>,
    second: Vec<Term>,
    neither: Vec<Term>,
    /// They are different.
    distinct: bool,
    /// The first is smaller.
    ordered: bool,
    /// Two things are the same.
    same: Option<(Term, Term)>,
}

impl Encoding<'_> {
    /// What the solver is told where a formula is assumed.
    pub fn told(&mut self, parameters: &[Term], formula: Term) -> Term {
        match self.terms.node(formula) {
            Node::Op(Op::Implies, args) => {
                let (premise, conclusion) = (args[0], args[1]);
                let told = self.told(parameters, conclusion);
                if told == conclusion { formula } else { self.terms.implies(premise, told) }
            }
            Node::Quant(quant) if quant.vars.len() == 2 => {
                let quant = (**quant).clone();
                self.with_inverse(parameters, formula, &quant).unwrap_or(formula)
            }
            _ => formula,
        }
    }

    fn with_inverse(&mut self, parameters: &[Term], formula: Term, quant: &Quant) -> Option<Term> {
        let [first, second] = *quant.vars.as_slice() else { return None };
        if quant.quantifier != Quantifier::Forall
            || quant.weight.is_some()
            || !self.terms.free(formula).is_empty()
            || self.terms.bound(first).1 != self.terms.bound(second).1
        {
            return None;
        }
        let (x, y) = (self.terms.bound_term(first), self.terms.bound_term(second));
        let (premises, conclusion) = self.flatten(quant.body);
        let mut parts = Parts::default();
        for premise in premises {
            self.classify(premise, (first, x), (second, y), &mut parts)?;
        }
        let (a, b) = match self.terms.node(conclusion) {
            Node::Op(Op::Not, args) if parts.same.is_none() => self.equation(args[0])?,
            Node::Op(Op::Eq, args)
                if (args[0], args[1]) == (x, y) || (args[1], args[0]) == (x, y) =>
            {
                parts.distinct = true;
                parts.same?
            }
            _ => return None,
        };
        let (a, b) = if self.terms.free(a).contains(&first) { (a, b) } else { (b, a) };
        let only = |t: Term, v: Bound, w: Bound| {
            self.terms.free(t).contains(&v) && !self.terms.free(t).contains(&w)
        };
        // The solver sees equal numbers too late for an inverse to be of use.
        let named = matches!(self.terms.sort(a), Sort::Named(_));
        let usable = named && self.is_trigger(&[a], &[first]) && self.is_pattern(a, &[first]);
        if !only(a, first, second) || !only(b, second, first) || !usable {
            return None;
        }
        let swap = HashMap::from([(y, x)]);
        let second_at_x: Vec<Term> =
            parts.second.iter().map(|t| self.terms.substitute(*t, &swap)).collect();
        if self.terms.substitute(b, &swap) != a || !self.one_region(&parts, &second_at_x, (x, y)) {
            return None;
        }
        let all = parts.neither.iter().chain(&parts.first).chain(&second_at_x).copied();
        let inside: Vec<Term> = all.collect();
        let inside = self.terms.and(inside);
        let inverse = self.named_inverse(parameters, formula, a, x);
        let back = self.terms.eq(inverse, x);
        let body = self.terms.implies(inside, back);
        let (vars, triggers) = (vec![first], vec![vec![a]]);
        Some(self.terms.quant(Quant { vars, triggers, body, ..quant.clone() }))
    }

    /// The premises of a formula, and its conclusion.
    fn flatten(&self, body: Term) -> (Vec<Term>, Term) {
        let (mut premises, mut conclusion) = (Vec::new(), body);
        while let Node::Op(Op::Implies, args) = self.terms.node(conclusion) {
            match self.terms.node(args[0]) {
                Node::Op(Op::And, parts) => premises.extend(parts.iter().copied()),
                _ => premises.push(args[0]),
            }
            conclusion = args[1];
        }
        (premises, conclusion)
    }

    fn equation(&self, term: Term) -> Option<(Term, Term)> {
        match self.terms.node(term) {
            Node::Op(Op::Eq, args) => Some((args[0], args[1])),
            _ => None,
        }
    }

    fn classify(
        &self,
        premise: Term,
        (first, x): (Bound, Term),
        (second, y): (Bound, Term),
        parts: &mut Parts,
    ) -> Option<()> {
        let free = self.terms.free(premise);
        match (free.contains(&first), free.contains(&second)) {
            (true, false) => parts.first.push(premise),
            (false, true) => parts.second.push(premise),
            (false, false) => parts.neither.push(premise),
            (true, true) => match self.terms.node(premise) {
                Node::Op(Op::Not, args) if self.is_pair(args[0], x, y) => parts.distinct = true,
                Node::Op(Op::Lt, args) if (args[0], args[1]) == (x, y) => parts.ordered = true,
                Node::Op(Op::Eq, args) if parts.same.is_none() => {
                    parts.same = Some((args[0], args[1]));
                }
                _ => return None,
            },
        }
        Some(())
    }

    fn is_pair(&self, equation: Term, x: Term, y: Term) -> bool {
        self.equation(equation).is_some_and(|pair| pair == (x, y) || pair == (y, x))
    }

    /// Do the conditions on both variables describe one region, of which the formula is about every
    /// pair? Either they are the same, or one is bounded from below, the other, which is larger, from
    /// above.
    fn one_region(&self, parts: &Parts, second_at_x: &[Term], (x, y): (Term, Term)) -> bool {
        let set = |terms: &[Term]| terms.iter().copied().collect::<HashSet<Term>>();
        if set(&parts.first) == set(second_at_x) {
            return parts.distinct || (parts.ordered && self.terms.sort(x) == Sort::Int);
        }
        let bound = |term: Term, position: usize, var: Term| match self.terms.node(term) {
            Node::Op(Op::Le | Op::Lt, args) => {
                args[position] == var && !self.mentions(args[1 - position], &[var])
            }
            _ => false,
        };
        parts.ordered
            && self.terms.sort(x) == Sort::Int
            && parts.first.iter().all(|t| bound(*t, 1, x))
            && parts.second.iter().all(|t| bound(*t, 0, y))
    }

    /// The inverse of what a formula says is injective, at a location: named by the formula.
    fn named_inverse(&mut self, parameters: &[Term], formula: Term, at: Term, x: Term) -> Term {
        let mut args: Vec<Term> = parameters.to_vec();
        args.retain(|p| self.mentions(formula, &[*p]));
        args.push(at);
        let key = (self.prefix.clone(), vec![formula]);
        let count = self.summaries.len();
        let known = self.summaries.get(&key).copied();
        let fun = known.unwrap_or_else(|| {
            let name = format!("{}back@of{count}", self.prefix);
            let sort = self.terms.sort(x);
            let fun = self.fresh_function(&name, "back", &args, sort);
            self.summaries.insert(key, fun);
            fun
        });
        self.terms.app(fun, &args)
    }
}
