//! Consuming quantified permissions. [MSS16, Fig. 2] exhale

use std::sync::Arc;

use smt::Term;
use viper::core::Expr;

use crate::diagnostics::{Blame, not_injective, quantified_reason};
use crate::executor::Executor;
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
        let smaller =
            !wildcard || self.constrain_everywhere(state, &before, &access, (needed, wanted))?;
        if !smaller || !self.remove_permissions(state, heap, &access, needed)? {
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
}
