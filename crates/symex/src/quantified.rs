//! Iterated separating conjunctions: permissions to many locations at once.
//!
//! `forall x :: c(x) ==> acc(e(x).f, p(x))` is one chunk `r.f ↦ [v(r), q(r)]` for all `r`: `v` is a value
//! map, and `q(r)` is the term `image(r) && c(inv(r)) ? p(inv(r)) : 0`, where `inv` is the inverse of
//! `e`, which must be injective where `c` holds. `image(r)` says that `r` is some `e(x)` at all; without
//! it, a condition that always holds would make `e` surjective.
//!
//! Permissions are taken pointwise: from each chunk the minimum of what is there and what is still
//! missing, and in the end nothing may be missing at any location. Single chunks count as chunks of
//! one location, so that both kinds can be mixed without loss.

mod chunk;
mod family;
mod fill;
mod inverse;
mod remove;
mod summary;
mod write;

use std::rc::Rc;
use std::sync::Arc;

use smt::{Quantifier, Term};
use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{BinOp, Expr, ExprKind, LocalId, Resource, Type};

use crate::diagnostics::{Blame, Reason};
use crate::eval::learn::READ_WEIGHT;
use crate::eval::resource_reason;
use crate::executor::Executor;
use crate::prover::Run;
use crate::state::{Heap, Pattern, QuantifiedChunk, ResourceId, State};
use crate::wands::{Missing, is_wand};

use family::{Family, normal};

impl Executor<'_> {
    // --- Produce

    /// Produces a quantified assertion.
    pub fn produce_quantified(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let parts = self.split_quantifier(e, true);
        let one_sided =
            state.mode.one_sided || e.any(|e| matches!(e.kind, ExprKind::InhaleExhale(..)));
        let agree = !one_sided || self.all_sides_agree(e, state.owner);
        let snap = if agree { snap } else { self.fresh_snap(state) };
        self.in_mode(
            state,
            |m| m.one_sided = one_sided,
            |this, state| {
                if let [part] = parts.as_slice()
                    && normal(part).is_some()
                {
                    return this.produce_family(state, part, snap, factor, blame);
                }
                let parts: Vec<(&Arc<Expr>, Blame)> =
                    parts.iter().map(|p| (p, blame.clone())).collect();
                this.produce_parts(state, &parts, snap, factor)
            },
        )
    }

    fn produce_family(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let Some(mut family) = self.eval_family(state, e, blame)? else { return Ok(()) };
        let exact = self.has_exact_domain(state, &family, e, factor);
        // Otherwise it is assumed: whatever has an inverse is injective.
        if !self.config.assume_injectivity_on_inhale {
            let reason = not_injective(e, state);
            self.check_injective(state, &family, blame, reason)?;
        }
        if state.mode.reading {
            family.amount = self.some_where(state, family.asked)?;
        }
        let active = self.active(&family);
        let map = self.value_map(family.resource);
        let values = self.unwrap(snap, map.sort);
        if let ResourceId::Field(field) = family.resource {
            let mut not_null = self.is_not_null(family.args[0]);
            let direct = family.vars.contains(&family.args[0]);
            if direct {
                not_null = self.not_null(family.args[0]);
            }
            let (one, amount) = (self.amount(1, 1), self.terms.mul(family.amount, factor));
            let bounded = self.terms.le(amount, one);
            let facts = self.terms.and([not_null, bounded]);
            let body = self.terms.implies(active, facts);
            let vars = family.vars.clone();
            let mut triggers = self.family_triggers(&family);
            if direct && triggers.is_empty() {
                triggers = self.triggers_for(&vars, &[], active);
                triggers.retain(|set| !set.is_empty());
            }
            if direct && triggers.is_empty() {
                triggers = vec![vec![self.value_at(family.resource, values, &family.args)]];
            }
            let fact = self.close(Quantifier::Forall, &vars, &triggers, body, None, "receiver");
            self.assume(state, fact)?;
            // Whoever waits for a location to be read is told of this one, unless it is for reads that
            // the permissions are there.
            if self.syntax.triggers_read(field) && family.triggers.is_empty() {
                let read = self.read(field, family.args[0]);
                let body = self.terms.implies(active, read);
                let weight = Some(READ_WEIGHT);
                let fact =
                    self.close(Quantifier::Forall, &vars, &triggers, body, weight, "receiver");
                self.assume(state, fact)?;
            }
        }
        if is_wand(family.resource) && self.syntax.has_wand_triggers() && family.triggers.is_empty()
        {
            // Whoever waits for such a wand is told of it where its condition is known.
            let wand = self.value_at(family.resource, values, &family.args);
            let held = self.wand_held(wand);
            let body = self.terms.implies(active, held);
            let mut triggers = self.family_triggers(&family);
            if triggers.is_empty() {
                triggers = self.triggers_for(&family.vars, &[], active);
            }
            let weight = Some(READ_WEIGHT);
            let fact =
                self.close(Quantifier::Forall, &family.vars, &triggers, body, weight, "receiver");
            self.assume(state, fact)?;
        }
        let inverse = self.invert(state, &family)?;
        let perm = self.family_perm(&family, &inverse, factor);
        let domain = if exact { Some(self.family_here(&family, &inverse)) } else { None };
        let pattern = Rc::new(Pattern { vars: family.vars, args: family.args });
        let resource = family.resource;
        let holes = Rc::default();
        let chunk = QuantifiedChunk { resource, perm, values, domain, pattern, holes };
        self.put_quantified(state, chunk)
    }

    /// When a family is produced, are its locations the domain of its value map? Snapshots are made
    /// so when such a family is consumed; but it must be the same one.
    fn has_exact_domain(
        &mut self,
        state: &State,
        family: &Family,
        e: &Arc<Expr>,
        factor: Term,
    ) -> bool {
        let mut same = !state.mode.one_sided && !is_wand(family.resource);
        // How much is held elsewhere is not part of a snapshot.
        e.walk(&mut |e| {
            same &= !matches!(e.kind, ExprKind::Perm(_) | ExprKind::ForPerm(..));
            same
        });
        let zero = self.amount(0, 1);
        let scaled = self.terms.lt(zero, factor);
        same && self.entailed(state, family.asked) && self.entailed(state, scaled)
    }

    // --- Consume

    /// Consumes a quantified assertion.
    pub fn consume_quantified(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        let parts = self.split_quantifier(e, false);
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
        let fact = self.close(Quantifier::Forall, &vars, &triggers, body, None, "wildcard");
        self.assume(state, fact)
    }

    // --- Frame and assume

    /// Checks a quantified assertion and returns its snapshot, without taking anything.
    pub fn frame_quantified(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let parts = self.split_quantifier(e, false);
        if !matches!(parts.as_slice(), [part] if normal(part).is_some()) {
            return self.frame_all(state, &parts, blame);
        }
        let e = &parts[0];
        let Some(family) = self.eval_family(state, e, blame)? else {
            return Ok(self.unit());
        };
        let reason = not_injective(e, state);
        self.check_injective(state, &family, blame, reason)?;
        let inverse = self.invert(state, &family)?;
        let one = self.amount(1, 1);
        let wanted = self.family_wanted(&family, &inverse, one, false);
        let formals = self.formals(family.resource);
        let heap = state.heap.clone();
        let some = self.held_at_all(&heap, family.resource, &formals);
        let goal = self.terms.implies(wanted, some);
        if !state.mode.lenient && !self.prove_everywhere(state, family.resource, goal, false)? {
            let needed = self.family_perm(&family, &inverse, one);
            self.note_shortage_somewhere(&heap, family.resource, needed, true);
            let reason = family_reason(e, state);
            return self.fail(state, blame, &reason);
        }
        let values = self.summarise(state, &heap, family.resource, wanted)?;
        Ok(self.wrap(values))
    }

    /// Assumes that permissions are there.
    pub fn assume_quantified(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        condition: Term,
        blame: &Blame,
    ) -> Run<()> {
        for part in self.split_quantifier(e, true).iter() {
            if normal(part).is_none() && self.syntax.is_pure(part) {
                self.assume_all(state, heap, part, condition, blame)?;
                continue;
            }
            let Some(mut family) = self.eval_family(state, part, blame)? else { continue };
            family.condition = self.terms.and([condition, family.condition]);
            self.pull_assumed(state, heap, &family)?;
            let held = self.held(heap, family.resource, &family.args);
            let enough = self.terms.le(family.amount, held);
            let body = self.terms.implies(family.condition, enough);
            let triggers = self.family_triggers(&family);
            let vars = family.vars.clone();
            let fact = self.close(Quantifier::Forall, &vars, &triggers, body, None, "assume");
            self.assume(state, fact)?;
            // Without an inverse nothing is set aside: less is assumed of what follows.
            if let Some(goal) = self.injective(state, &family)
                && !self.prove(state, goal)?
            {
                continue;
            }
            let inverse = self.invert(state, &family)?;
            let one = self.amount(1, 1);
            let needed = self.family_perm(&family, &inverse, one);
            self.take_everywhere(state, heap, &family, needed)?;
        }
        Ok(())
    }

    /// What a script assumes may be there, as what it asserts: in the footprint of its wand.
    fn pull_assumed(&mut self, state: &mut State, heap: &mut Heap, family: &Family) -> Run<()> {
        if state.reserves.is_empty() {
            return Ok(());
        }
        if let Some(goal) = self.injective(state, family)
            && !self.prove(state, goal)?
        {
            return Ok(());
        }
        let inverse = self.invert(state, family)?;
        let one = self.amount(1, 1);
        let needed = if family.wildcard {
            Missing::Something(self.family_wanted(family, &inverse, one, false))
        } else {
            Missing::Amount(self.family_perm(family, &inverse, one))
        };
        self.pull_everywhere(state, heap, family.resource, needed)
    }

    // --- Havoc

    /// Forgets the values of a resource where a condition over its formals holds.
    pub fn havoc_where(
        &mut self,
        state: &mut State,
        resource: ResourceId,
        region: Term,
    ) -> Run<()> {
        // One map of new values, so that chunks of one location agree on them.
        let map = self.value_map(resource);
        let fresh = self.fresh(state, "values", map.sort);
        let singles: Vec<usize> = state.heap.of(resource).map(|(i, _)| i).collect();
        for index in singles {
            let chunk = state.heap.chunks()[index].clone();
            let here = self.at(resource, region, &chunk.args);
            let new = if is_wand(resource) {
                self.fresh_snap(state)
            } else {
                let new = self.value_at(resource, fresh, &chunk.args);
                self.wrap(new)
            };
            let snap = self.terms.ite(here, new, chunk.snap);
            let chunk = state.heap.get_mut(index);
            (chunk.snap, chunk.rest) = (snap, None);
        }
        let quantified: Vec<(usize, QuantifiedChunk)> =
            state.heap.quantified_of(resource).collect();
        let formals = self.formals(resource);
        let zero = self.amount(0, 1);
        for (index, chunk) in quantified {
            let values = self.fresh(state, "values", map.sort);
            let own = self.value_at(resource, values, &formals);
            let new = self.value_at(resource, fresh, &formals);
            let old = self.value_at(resource, chunk.values, &formals);
            // Only what is held: the domain of the map is the same, and outside of it all maps are.
            let held = self.terms.lt(zero, chunk.perm);
            let forgotten = self.terms.and([region, held]);
            let right = self.terms.ite(forgotten, new, old);
            let body = self.terms.eq(own, right);
            let triggers = [vec![own], vec![old], vec![new]];
            let fact = self.close(Quantifier::Forall, &formals, &triggers, body, None, "havoc");
            self.assume(state, fact)?;
            state.heap.quantified_mut(index).values = values;
        }
        Ok(())
    }

    /// `quasihavocall vars :: condition ==> resource`
    pub fn quasihavocall(
        &mut self,
        state: &mut State,
        vars: &[LocalId],
        condition: Option<&Arc<Expr>>,
        resource: &Resource,
        blame: &Blame,
    ) -> Run<()> {
        // As if all of it was given away and came back.
        let pos = resource.pos();
        let acc = Expr::new(ExprKind::Acc(resource.clone(), None), Type::Bool, pos);
        let body = match condition {
            Some(c) => Expr::binary_bool(BinOp::Implies, Arc::clone(c), acc, pos),
            None => acc,
        };
        let kind = ExprKind::Quant {
            quantifier: SourceQuantifier::Forall,
            vars: vars.to_vec(),
            triggers: Vec::new(),
            body,
        };
        let e = Expr::new(kind, Type::Bool, pos);
        let blame = &Blame { pos, ..blame.clone() };
        let Some(family) = self.eval_family(state, &e, blame)? else { return Ok(()) };
        let reason = Reason { id: "quasihavocall.not.injective", ..not_injective(&e, state) };
        self.check_injective(state, &family, blame, reason)?;
        let inverse = self.invert(state, &family)?;
        let condition = self.terms.substitute(family.condition, &inverse.vars);
        let region = self.terms.and([inverse.image, condition]);
        self.havoc_where(state, family.resource, region)
    }
}

fn not_injective(e: &Arc<Expr>, state: &State) -> Reason {
    let mut reason = Reason::new("qp.not.injective", e, state.owner);
    if let Some(normal) = normal(e) {
        reason.pos = normal.resource.pos();
    }
    reason
}

fn family_reason(e: &Arc<Expr>, state: &State) -> Reason {
    match normal(e) {
        Some(normal) => resource_reason(e, &normal.resource, state.owner),
        None => Reason::new("insufficient.permission", e, state.owner),
    }
}
