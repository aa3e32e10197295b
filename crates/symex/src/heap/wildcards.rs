//! Amounts of which only matters that there is something.

use smt::{Sort, Term};

use super::quantified::QuantifiedAccess;
use crate::encoding::FormulaKind;
use crate::prover::{Prover, Run};
use crate::state::{Heap, State};

impl Prover<'_> {
    /// Is it a `wildcard` that may be made as small as needed?
    pub fn is_wildcard(&self, state: &State, amount: Term) -> bool {
        !state.wildcards.is_empty() && {
            let wildcards: Vec<Term> = state.wildcards.iter().copied().collect();
            self.mentions(amount, &wildcards)
        }
    }

    /// Is `amount` there, if `held` is all there is?
    pub fn enough(&mut self, held: Term, amount: Term, wildcard: bool) -> Term {
        if !wildcard {
            return self.terms.le(amount, held);
        }
        let zero = self.amount(0, 1);
        let none = self.terms.eq(amount, zero);
        let some = self.terms.lt(zero, held);
        self.terms.or([none, some])
    }

    /// Wildcards are less than what is there, at every location of a quantified permission that is wanted.
    /// Is there something everywhere?
    pub fn constrain_everywhere(
        &mut self,
        state: &mut State,
        heap: &Heap,
        access: &QuantifiedAccess,
        (needed, wanted): (Term, Term),
    ) -> Run<bool> {
        let resource = access.resource;
        let formals = self.formals(resource);
        let held = self.held(heap, resource.at(&formals));
        let zero = self.amount(0, 1);
        let some = self.terms.lt(zero, held);
        let goal = self.terms.implies(wanted, some);
        if !self.prove_everywhere(state, resource, goal, false)? {
            return Ok(false);
        }
        let (needed, held) =
            (self.at(resource, needed, &access.args), self.at(resource, held, &access.args));
        let smaller = self.terms.lt(needed, held);
        let active = self.active(access);
        let body = self.terms.implies(active, smaller);
        let triggers = self.access_triggers(access);
        let fact = self.for_all(FormulaKind::Wildcard, &access.vars, &triggers, body);
        self.assume(state, fact)?;
        Ok(true)
    }

    /// A wildcard leaves something.
    pub fn constrain(&mut self, state: &mut State, held: Term, amount: Term) -> Run<()> {
        let zero = self.amount(0, 1);
        let smaller = self.terms.lt(amount, held);
        let positive = self.terms.lt(zero, amount);
        if self.entailed(state, positive) {
            return self.assume(state, smaller);
        }
        let none = self.terms.eq(amount, zero);
        let constraint = self.terms.or([none, smaller]);
        self.assume(state, constraint)
    }

    /// Some positive amount.
    pub fn wildcard(&mut self, state: &mut State) -> Run<Term> {
        let amount = self.fresh(state, "wildcard", Sort::Real);
        let zero = self.amount(0, 1);
        let positive = self.terms.lt(zero, amount);
        self.assume(state, positive)?;
        state.wildcards.insert_mut(amount);
        Ok(amount)
    }

    /// Some positive amount if `perm` is positive, whatever it is.
    pub fn some_of(&mut self, state: &mut State, perm: Term) -> Run<Term> {
        let zero = self.amount(0, 1);
        let asked = self.terms.lt(zero, perm);
        self.some_where(state, asked)
    }

    /// Some positive amount where a condition holds.
    pub fn some_where(&mut self, state: &mut State, asked: Term) -> Run<Term> {
        let zero = self.amount(0, 1);
        let some = self.fresh(state, "some", Sort::Real);
        let positive = self.terms.lt(zero, some);
        self.assume(state, positive)?;
        Ok(self.terms.ite(asked, some, zero))
    }

    /// What permissions in the body of a predicate are multiplied with.
    pub fn scaled_by(&mut self, factor: Term) -> Option<Term> {
        let one = self.amount(1, 1);
        (factor != one).then_some(factor)
    }
}
