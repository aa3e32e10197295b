//! Which values are the same whenever a wand can be applied.
//!
//! A wand is packaged for an arbitrary left-hand side: all that is known of it is its snapshot, the
//! *root*, and every value that depends on it mentions the root. A value is *fixed* if it is the same
//! for all left-hand sides that the wand can be applied to, that is, if it equals a term without the
//! root. Such terms come from equations: the left-hand side says `x.f == e`, or the footprint has a
//! share of `x.f`, too, so that both must agree.
//!
//! [`Fixed`] is the dependent fixed graph [Wid22, Sections 4.4 and 4.5], solved: an equation fixes
//! one side as soon as everything that the other side mentions is fixed. What equations do not show,
//! the solver may ([`Executor::settle`]).

use std::collections::HashMap;

use smt::{Node, Op, Term};

use crate::executor::Executor;
use crate::prover::{Prover, Run, Stop};
use crate::state::State;
use crate::stats::Purpose;

/// Values that depend on the root, and what they are equal to.
#[derive(Clone, Default)]
pub(super) struct Fixed {
    solved: HashMap<Term, Term>,
}

/// How often the equations are gone through; chains are short.
const ROUNDS: usize = 12;

/// How many guesses the solver is asked about for one condition.
const GUESSES: usize = 8;

impl Prover<'_> {
    /// Solves the equations among the facts.
    pub(super) fn fix(&mut self, state: &State, root: Term, facts: &[Term]) -> Run<Fixed> {
        let mut fixed = Fixed::default();
        let mut open: Vec<Term> =
            facts.iter().copied().filter(|f| self.mentions(*f, &[root])).collect();
        for _ in 0..ROUNDS {
            let before = fixed.solved.len();
            for fact in std::mem::take(&mut open) {
                let fact = self.terms.substitute(fact, &fixed.solved);
                if !self.fix_from(state, root, fact, &mut fixed)? {
                    open.push(fact);
                }
            }
            if fixed.solved.len() == before {
                break;
            }
        }
        Ok(fixed)
    }

    /// Learns what it can from a fact; is it used up?
    fn fix_from(&mut self, state: &State, root: Term, fact: Term, fixed: &mut Fixed) -> Run<bool> {
        if !self.mentions(fact, &[root]) {
            return Ok(true);
        }
        let (yes, no) = (self.terms.bool(true), self.terms.bool(false));
        match self.terms.node(fact).clone() {
            Node::Op(Op::And, args) => {
                let mut used = true;
                for arg in args.iter() {
                    used &= self.fix_from(state, root, *arg, fixed)?;
                }
                return Ok(used);
            }
            Node::Op(Op::Implies, args) => {
                let certain = !self.mentions(args[0], &[root])
                    && self.mentions(args[1], &[root])
                    && self.prove_quickly(state, Purpose::Permission, args[0])?;
                return Ok(certain && self.fix_from(state, root, args[1], fixed)?);
            }
            Node::Op(Op::Eq, args) => {
                let (a, b) = (args[0], args[1]);
                match (self.mentions(a, &[root]), self.mentions(b, &[root])) {
                    (true, false) => self.solve_for(root, a, b, fixed),
                    (false, true) => self.solve_for(root, b, a, fixed),
                    _ => return Ok(false),
                }
            }
            Node::Op(Op::Not, args) => self.solve_for(root, args[0], no, fixed),
            Node::App(..) => self.solve_for(root, fact, yes, fixed),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Notes that a term with the root equals one without it, and what follows for its parts.
    fn solve_for(&mut self, root: Term, term: Term, value: Term, fixed: &mut Fixed) {
        fixed.solved.entry(term).or_insert(value);
        if let Some((wrapped, inner)) = self.unwrapped(term, value) {
            if self.mentions(wrapped, &[root]) {
                fixed.solved.entry(wrapped).or_insert(inner);
            }
        } else if self.is_snap_pair(term) {
            let parts = [
                (self.snap_first(term), self.snap_first(value)),
                (self.snap_second(term), self.snap_second(value)),
            ];
            for (part, value) in parts {
                if self.mentions(part, &[root]) {
                    self.solve_for(root, part, value, fixed);
                }
            }
        }
    }

    /// The same value without the root, if the equations show one.
    pub(super) fn settled(&mut self, root: Term, term: Term, fixed: &Fixed) -> Option<Term> {
        if !self.mentions(term, &[root]) {
            return Some(term);
        }
        let value = self.terms.substitute(term, &fixed.solved);
        (!self.mentions(value, &[root])).then_some(value)
    }

    /// Values in a term that are not fixed, each with a term that it is compared with.
    fn guesses(
        &mut self,
        root: Term,
        term: Term,
        facts: &[Term],
        fixed: &Fixed,
    ) -> Vec<(Term, Term)> {
        let mut unknown = Vec::new();
        self.unfixed(root, term, &mut unknown);
        let mut found = Vec::new();
        for fact in facts {
            let fact = self.terms.substitute(*fact, &fixed.solved);
            let mut pending = vec![fact];
            while let Some(part) = pending.pop() {
                let Node::Op(op, args) = self.terms.node(part).clone() else { continue };
                match op {
                    Op::And | Op::Not | Op::Or => pending.extend(args.iter()),
                    Op::Le | Op::Lt | Op::Eq => {
                        for (value, guess) in [(args[0], args[1]), (args[1], args[0])] {
                            let new = (value, guess);
                            if unknown.contains(&value)
                                && !self.mentions(guess, &[root])
                                && !found.contains(&new)
                                && found.len() < GUESSES
                            {
                                found.push(new);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The values with the root that a term is computed from.
    fn unfixed(&mut self, root: Term, term: Term, found: &mut Vec<Term>) {
        if !self.mentions(term, &[root]) {
            return;
        }
        match self.terms.node(term).clone() {
            Node::Op(_, args) => {
                for arg in args.iter() {
                    self.unfixed(root, *arg, found);
                }
            }
            Node::App(_, args) => {
                if term != root && !found.contains(&term) {
                    found.push(term);
                }
                // A function of values that are not fixed may be fixed through these.
                for arg in args.iter().filter(|a| **a != root) {
                    self.unfixed(root, *arg, found);
                }
            }
            _ => {}
        }
    }

    /// A bound of an amount for all left-hand sides, without the root: an upper or a lower one.
    /// `None` if there is none that is visible.
    pub(super) fn bound(
        &mut self,
        root: Term,
        term: Term,
        fixed: &Fixed,
        upper: bool,
    ) -> Option<Term> {
        if let Some(value) = self.settled(root, term, fixed) {
            return Some(value);
        }
        let Node::Op(op, args) = self.terms.node(term).clone() else { return None };
        match op {
            Op::Ite => {
                let a = self.bound(root, args[1], fixed, upper)?;
                let b = self.bound(root, args[2], fixed, upper)?;
                Some(match self.settled(root, args[0], fixed) {
                    Some(c) => self.terms.ite(c, a, b),
                    None if upper => self.maximum(a, b),
                    None => self.minimum(a, b),
                })
            }
            Op::Add => {
                let a = self.bound(root, args[0], fixed, upper)?;
                let b = self.bound(root, args[1], fixed, upper)?;
                Some(self.terms.add(a, b))
            }
            Op::Sub => {
                let a = self.bound(root, args[0], fixed, upper)?;
                let b = self.bound(root, args[1], fixed, !upper)?;
                Some(self.terms.sub(a, b))
            }
            Op::Mul => {
                // The sign of the factor decides which bound counts.
                let (number, factor, other) = match self.terms.as_number(args[0]) {
                    Some(number) => (number, args[0], args[1]),
                    None => (self.terms.as_number(args[1])?, args[1], args[0]),
                };
                let negative = number < num_rational::BigRational::default();
                let other = self.bound(root, other, fixed, upper != negative)?;
                Some(self.terms.mul(factor, other))
            }
            _ => None,
        }
    }
}

impl Executor<'_> {
    /// The same, with help of the solver: `x.g <= a && x.g >= a` fixes `x.g`, too.
    pub(super) fn settle(
        &mut self,
        state: &mut State,
        root: Term,
        term: Term,
        facts: &[Term],
        fixed: &mut Fixed,
    ) -> Run<Option<Term>> {
        if let Some(value) = self.settled(root, term, fixed) {
            return Ok(Some(value));
        }
        let rest = self.terms.substitute(term, &fixed.solved);
        let guesses = self.guesses(root, rest, facts, fixed);
        if guesses.is_empty() {
            return Ok(None);
        }
        let outcomes = self.explore(state, |this, s| {
            for fact in facts {
                this.assume(s, *fact)?;
            }
            let mut right = Vec::new();
            for (value, guess) in &guesses {
                let same = this.terms.eq(*value, *guess);
                if this.prove_quickly(s, Purpose::Permission, same)? {
                    right.push((*value, *guess));
                }
            }
            Ok(right)
        });
        let outcomes = match outcomes {
            Ok(outcomes) => outcomes,
            Err(Stop::Infeasible) => return Ok(None),
            Err(stop) => return Err(stop),
        };
        // Nothing in there splits the path.
        for (value, guess) in outcomes.iter().flat_map(|o| &o.value) {
            fixed.solved.entry(*value).or_insert(*guess);
        }
        Ok(self.settled(root, rest, fixed))
    }
}
