//! Consuming quantified permissions. [MSS16, Fig. 2] exhale

use std::sync::Arc;

use smt::Term;
use viper::core::Expr;

use crate::diagnostics::{Blame, not_injective, quantified_reason};
use crate::encoding::FormulaKind;
use crate::executor::Executor;
use crate::heap::quantified::QuantifiedAccess;
use crate::prover::Run;
use crate::state::{Heap, State};
use crate::syntax::normal;
use crate::transfer::Missing;

impl Executor<'_> {
    /// Consumes a quantified assertion.
    pub fn consume_quantified(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        let parts = self.syntax.split_quantifier(e, false);
        if let [part] = parts.as_slice()
            && normal(part).is_some()
        {
            return self.consume_quantified_access(state, heap, part, factor, blame);
        }
        let parts: Vec<(&Arc<Expr>, Blame)> = parts.iter().map(|p| (p, blame.clone())).collect();
        self.consume_parts(state, heap, &parts, factor)
    }

    fn consume_quantified_access(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        let Some(access) = self.eval_quantified_access(state, e, blame)? else {
            return Ok(self.unit());
        };
        // check c(y1) && c(y2) && e(y1) == e(y2) ==> y1 == y2
        let reason = not_injective(e, state);
        self.check_injective(state, &access, blame, reason)?;
        // INV-1 and INV-2, then remove(h, π, f, λ r · c(inv(r)) ? p(inv(r)) : 0)
        let inverse = self.invert(state, &access)?;
        let needed = self.permission_of(&access, &inverse, factor);
        let resource = access.resource;
        let scaled = self.is_wildcard(state, factor);
        let wildcard = access.wildcard || scaled;
        let wanted = self.is_wanted_by(&access, &inverse, factor, scaled);
        let transferred =
            if wildcard { Missing::Something(wanted) } else { Missing::Amount(needed) };
        self.transfer_quantified(state, heap, resource, transferred)?;
        let before = heap.clone();
        if wildcard {
            self.constrain_everywhere(state, &before, &access, (needed, wanted), e, blame)?;
        }
        if !self.remove_permissions(state, heap, &access, needed)? {
            self.note_shortage_somewhere(&before, resource, needed, wildcard);
            let reason = quantified_reason(e, state);
            return self.fail(state, blame, &reason);
        }
        if !state.mode.want_snap {
            return Ok(self.unit());
        }
        let values = self.summarise(state, &before, resource, wanted)?;
        Ok(self.wrap(values))
    }

    /// Wildcards must be less than what is there, everywhere.
    fn constrain_everywhere(
        &mut self,
        state: &mut State,
        heap: &Heap,
        access: &QuantifiedAccess,
        (needed, wanted): (Term, Term),
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<()> {
        let resource = access.resource;
        let formals = self.formals(resource);
        let held = self.held(heap, resource, &formals);
        let zero = self.amount(0, 1);
        let some = self.terms.lt(zero, held);
        let goal = self.terms.implies(wanted, some);
        if !self.prove_everywhere(state, resource, goal, false)? {
            self.note_shortage_somewhere(heap, resource, needed, true);
            let reason = quantified_reason(e, state);
            return self.fail(state, blame, &reason);
        }
        let (needed, held) =
            (self.at(resource, needed, &access.args), self.at(resource, held, &access.args));
        let smaller = self.terms.lt(needed, held);
        let active = self.active(access);
        let body = self.terms.implies(active, smaller);
        let triggers = self.access_triggers(access);
        let vars = access.vars.clone();
        let fact = self.for_all(FormulaKind::Wildcard, &vars, &triggers, body);
        self.assume(state, fact)
    }
}
