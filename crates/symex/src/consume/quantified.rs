//! Consuming quantified permissions. [MSS16, Fig. 2]

use std::sync::Arc;

use smt::Term;
use viper::core::Expr;

use crate::diagnostics::{Blame, family_reason, not_injective};
use crate::encoding::FormulaKind;
use crate::executor::Executor;
use crate::heap::quantified::Family;
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
            return self.consume_family(state, heap, part, factor, blame);
        }
        let parts: Vec<(&Arc<Expr>, Blame)> = parts.iter().map(|p| (p, blame.clone())).collect();
        self.consume_parts(state, heap, &parts, factor)
    }

    fn consume_family(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        let Some(family) = self.eval_family(state, e, blame)? else {
            return Ok(self.unit());
        };
        let reason = not_injective(e, state);
        self.check_injective(state, &family, blame, reason)?;
        let inverse = self.invert(state, &family)?;
        let needed = self.family_perm(&family, &inverse, factor);
        let resource = family.resource;
        let scaled = self.is_wildcard(state, factor);
        let wildcard = family.wildcard || scaled;
        let wanted = self.family_wanted(&family, &inverse, factor, scaled);
        let pulled = if wildcard { Missing::Something(wanted) } else { Missing::Amount(needed) };
        self.pull_everywhere(state, heap, resource, pulled)?;
        let before = heap.clone();
        if wildcard {
            self.constrain_everywhere(state, &before, &family, (needed, wanted), e, blame)?;
        }
        let missing = self.take_everywhere(state, heap, &family, needed)?;
        let zero = self.amount(0, 1);
        let nothing = self.terms.eq(missing, zero);
        if !self.prove_everywhere(state, resource, nothing, false)? {
            self.note_shortage_somewhere(&before, resource, needed, wildcard);
            let reason = family_reason(e, state);
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
        family: &Family,
        (needed, wanted): (Term, Term),
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<()> {
        let resource = family.resource;
        let formals = self.formals(resource);
        let held = self.held(heap, resource, &formals);
        let zero = self.amount(0, 1);
        let some = self.terms.lt(zero, held);
        let goal = self.terms.implies(wanted, some);
        if !self.prove_everywhere(state, resource, goal, false)? {
            self.note_shortage_somewhere(heap, resource, needed, true);
            let reason = family_reason(e, state);
            return self.fail(state, blame, &reason);
        }
        let (needed, held) =
            (self.at(resource, needed, &family.args), self.at(resource, held, &family.args));
        let smaller = self.terms.lt(needed, held);
        let active = self.active(family);
        let body = self.terms.implies(active, smaller);
        let triggers = self.family_triggers(family);
        let vars = family.vars.clone();
        let fact = self.for_all(FormulaKind::Wildcard, &vars, &triggers, body);
        self.assume(state, fact)
    }
}
