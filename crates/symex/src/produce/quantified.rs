//! Producing quantified permissions. [MSS16, Fig. 2] inhale

use std::rc::Rc;
use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, ExprKind};

use crate::diagnostics::{Blame, not_injective};
use crate::encoding::{Formula, FormulaKind};
use crate::executor::Executor;
use crate::heap::quantified::QuantifiedAccess;
use crate::prover::{READ_WEIGHT, Run};
use crate::state::{Pattern, QuantifiedChunk, ResourceId, State};
use crate::syntax::normal;

impl Executor<'_> {
    /// Produces a quantified assertion.
    pub fn produce_quantified(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let parts = self.syntax.split_quantifier(e, true);
        let one_sided =
            state.mode.one_sided || e.any(|e| matches!(e.kind, ExprKind::InhaleExhale(..)));
        let agree = !one_sided || self.syntax.all_sides_agree(e, state.owner);
        let snap = if agree { snap } else { self.fresh_snap(state) };
        self.in_mode(
            state,
            |m| m.one_sided = one_sided,
            |this, state| {
                if let [part] = parts.as_slice()
                    && normal(part).is_some()
                {
                    return this.produce_quantified_access(state, part, snap, factor, blame);
                }
                let parts: Vec<(&Arc<Expr>, Blame)> =
                    parts.iter().map(|p| (p, blame.clone())).collect();
                this.produce_parts(state, &parts, snap, factor)
            },
        )
    }

    fn produce_quantified_access(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let Some(mut access) = self.eval_quantified_access(state, e, blame)? else { return Ok(()) };
        let exact = self.has_exact_domain(state, &access, e, factor);
        // Otherwise it is assumed: whatever has an inverse is injective.
        if !self.config.assume_injectivity_on_inhale {
            let reason = not_injective(e, state);
            self.check_injective(state, &access, blame, reason)?;
        }
        if state.mode.reading {
            access.amount = self.some_where(state, access.asked)?;
        }
        let active = self.active(&access);
        let map = self.value_map(access.resource);
        let values = self.unwrap(snap, map.sort);
        if let ResourceId::Field(field) = access.resource {
            let mut not_null = self.is_not_null(access.args[0]);
            let direct = access.vars.contains(&access.args[0]);
            if direct {
                not_null = self.not_null(access.args[0]);
            }
            let (one, amount) = (self.amount(1, 1), self.terms.mul(access.amount, factor));
            let bounded = self.terms.le(amount, one);
            let facts = self.terms.and([not_null, bounded]);
            let body = self.terms.implies(active, facts);
            let vars = access.vars.clone();
            let mut triggers = self.access_triggers(&access);
            if direct && triggers.is_empty() {
                triggers = self.triggers_for(&vars, &[], active);
                triggers.retain(|set| !set.is_empty());
            }
            if direct && triggers.is_empty() {
                triggers = vec![vec![self.value_at(access.resource, values, &access.args)]];
            }
            let fact = self.for_all(FormulaKind::Receiver, &vars, &triggers, body);
            self.assume(state, fact)?;
            // Whoever waits for a location to be read is told of this one, unless it is for reads that
            // the permissions are there.
            if self.syntax.triggers_read(field) && access.triggers.is_empty() {
                let read = self.read(field, access.args[0]);
                let body = self.terms.implies(active, read);
                let weight = Some(READ_WEIGHT);
                let fact = self.close(
                    Formula::for_all(FormulaKind::Receiver).with_weight(weight),
                    &vars,
                    &triggers,
                    body,
                );
                self.assume(state, fact)?;
            }
        }
        if access.resource.is_wand()
            && self.syntax.has_wand_triggers()
            && access.triggers.is_empty()
        {
            // Whoever waits for such a wand is told of it where its condition is known.
            let wand = self.value_at(access.resource, values, &access.args);
            let held = self.wand_held(wand);
            let body = self.terms.implies(active, held);
            let mut triggers = self.access_triggers(&access);
            if triggers.is_empty() {
                triggers = self.triggers_for(&access.vars, &[], active);
            }
            let weight = Some(READ_WEIGHT);
            let fact = self.close(
                Formula::for_all(FormulaKind::Receiver).with_weight(weight),
                &access.vars,
                &triggers,
                body,
            );
            self.assume(state, fact)?;
        }
        // r.f ↦ [v(r), c(inv(r)) ? p(inv(r)) : 0]
        let inverse = self.invert(state, &access)?;
        let perm = self.permission_of(&access, &inverse, factor);
        let domain = if exact { Some(self.is_location_of(&access, &inverse)) } else { None };
        let pattern = Rc::new(Pattern { vars: access.vars, args: access.args });
        let resource = access.resource;
        let holes = Rc::default();
        let chunk = QuantifiedChunk { resource, perm, values, domain, pattern, holes };
        self.put_quantified(state, chunk)
    }

    /// When a quantified permission is produced, are its locations the domain of its value map?
    /// Snapshots are made so when such a permission is consumed; but it must be the same one.
    fn has_exact_domain(
        &mut self,
        state: &State,
        access: &QuantifiedAccess,
        e: &Arc<Expr>,
        factor: Term,
    ) -> bool {
        let mut same = !state.mode.one_sided && !access.resource.is_wand();
        // How much is held elsewhere is not part of a snapshot.
        e.walk(&mut |e| {
            same &= !matches!(e.kind, ExprKind::Perm(_) | ExprKind::ForPerm(..));
            same
        });
        let zero = self.amount(0, 1);
        let scaled = self.terms.lt(zero, factor);
        same && self.entailed(state, access.asked) && self.entailed(state, scaled)
    }
}
