//! Permissions as values: `perm` and `forperm`.

use std::rc::Rc;
use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, ExprKind, LocalId, PredicateAccess, Resource};

use crate::diagnostics::{Blame, Reason, ReasonKind};
use crate::encoding::{Argument, FormulaKind};
use crate::executor::Executor;
use crate::prover::{Run, Stop};
use crate::state::{ResourceId, State};

/// `forperm vars [resource(args)] :: body`
struct ForPerm<'a> {
    vars: &'a [LocalId],
    args: &'a [Argument],
    body: &'a Arc<Expr>,
}

impl Executor<'_> {
    /// Which resource, and its evaluated arguments.
    pub fn eval_resource(
        &mut self,
        state: &mut State,
        resource: &Resource,
        blame: &Blame,
    ) -> Run<(ResourceId, Vec<Term>)> {
        Ok(match resource {
            Resource::Field(receiver, field, _) => {
                let receiver = self.eval(state, receiver, blame)?;
                (ResourceId::Field(*field), vec![receiver])
            }
            Resource::Predicate(predicate, args, _) => {
                let args = self.eval_all(state, args, blame)?;
                (ResourceId::Predicate(*predicate), args)
            }
            Resource::Wand(wand) => return self.eval_wand(state, wand, blame),
        })
    }

    pub(super) fn eval_perm(
        &mut self,
        state: &mut State,
        resource: &Resource,
        blame: &Blame,
    ) -> Run<Term> {
        let (id, args) = self.eval_resource(state, resource, blame)?;
        if state.heap.quantified_of(id).next().is_some() && !state.mode.in_trigger {
            let heap = state.heap.clone();
            self.relate_shares(state, &heap, id.at(&args))?;
        }
        let heap = state.perm_heap.clone().unwrap_or_else(|| state.heap.clone());
        Ok(self.held(&heap, id.at(&args)))
    }

    pub(super) fn eval_forperm(
        &mut self,
        state: &mut State,
        vars: &[LocalId],
        resource: &Resource,
        body: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let value = |e: &Arc<Expr>| Argument::Value(Arc::clone(e));
        let (id, args): (ResourceId, Arc<[Argument]>) = match resource {
            Resource::Field(receiver, field, _) => {
                (ResourceId::Field(*field), Arc::new([value(receiver)]))
            }
            Resource::Predicate(predicate, args, _) => {
                (ResourceId::Predicate(*predicate), args.iter().map(value).collect())
            }
            Resource::Wand(wand) => {
                self.refuse_introspection(state, wand)?;
                let (id, args) = self.shape(wand);
                (ResourceId::Wand(id), args)
            }
        };
        let forperm = ForPerm { vars, args: &args, body };
        // While an assertion is consumed, what was taken so far is gone: for the body, too.
        let heap = state.perm_heap.clone().unwrap_or_else(|| state.heap.clone());
        let chunks: Vec<_> = heap.of(id).map(|(_, c)| (Rc::clone(&c.args), c.perm)).collect();
        let mut conjuncts = Vec::new();
        for (chunk_args, perm) in chunks {
            let result = self.explore(state, |this, s| {
                let zero = this.amount(0, 1);
                let positive = this.terms.lt(zero, perm);
                this.guard(s, positive)?;
                s.heap = heap.clone();
                this.eval_for_location(s, &forperm, &chunk_args, blame)
            });
            match result {
                Ok(outcomes) => {
                    self.learn(state, &outcomes)?;
                    for outcome in outcomes.iter() {
                        conjuncts.push(self.terms.implies(outcome.guard, outcome.value));
                    }
                }
                Err(Stop::Infeasible) => {}
                Err(stop) => return Err(stop),
            }
        }
        let quantified: Vec<_> = heap.quantified_of(id).map(|(_, c)| c).collect();
        for chunk in quantified {
            let formals = self.formals(id);
            let constants: Vec<Term> = formals
                .iter()
                .map(|f| {
                    let sort = self.terms.sort(*f);
                    self.fresh(state, "any", sort)
                })
                .collect();
            let result = self.explore(state, |this, s| {
                s.parameters = s.parameters.iter().chain(&constants).copied().collect();
                let perm = this.perm_at(&chunk, &constants);
                let zero = this.amount(0, 1);
                let positive = this.terms.lt(zero, perm);
                this.guard(s, positive)?;
                s.heap = heap.clone();
                this.eval_for_location(s, &forperm, &constants, blame)
            });
            match result {
                Ok(outcomes) => {
                    self.learn_for_all(state, &outcomes, &constants, &[])?;
                    let parts: Vec<Term> =
                        outcomes.iter().map(|o| self.terms.implies(o.guard, o.value)).collect();
                    let all = self.terms.and(parts);
                    let closed = self.for_all(FormulaKind::ForPerm, &constants, &[], all);
                    conjuncts.push(closed);
                }
                Err(Stop::Infeasible) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(self.terms.and(conjuncts))
    }

    /// The body of a `forperm` at a location.
    fn eval_for_location(
        &mut self,
        state: &mut State,
        forperm: &ForPerm<'_>,
        location: &[Term],
        blame: &Blame,
    ) -> Run<Term> {
        let ForPerm { vars, args, body } = forperm;
        let mut bound: Vec<LocalId> = Vec::new();
        for (arg, value) in args.iter().zip(location) {
            let Argument::Value(arg) = arg else { continue };
            match arg.kind {
                ExprKind::Local(v) if vars.contains(&v) && !bound.contains(&v) => {
                    bound.push(v);
                    state.store.set(v, *value);
                }
                _ => {}
            }
        }
        for (arg, value) in args.iter().zip(location) {
            let arg = match arg {
                Argument::Value(e) => self.eval(state, e, blame)?,
                Argument::State { .. } => self.eval_argument(state, arg, blame)?,
            };
            let same = self.equal_terms(arg, *value);
            self.guard(state, same)?;
        }
        self.eval(state, body, blame)
    }

    /// A permission amount; none given means all of it.
    pub fn eval_amount(
        &mut self,
        state: &mut State,
        amount: Option<&Arc<Expr>>,
        blame: &Blame,
    ) -> Run<Term> {
        match amount {
            // A `wildcard` may be made as small as needed, but not what is computed from it.
            Some(amount) if matches!(amount.kind, ExprKind::WildcardPerm) => self.wildcard(state),
            Some(amount) => self.eval(state, amount, blame),
            None => Ok(self.amount(1, 1)),
        }
    }

    /// An amount that must be positive.
    pub fn check_positive(
        &mut self,
        state: &mut State,
        amount: Term,
        access: &PredicateAccess,
        blame: &Blame,
    ) -> Run<()> {
        let zero = self.amount(0, 1);
        let positive = self.terms.lt(zero, amount);
        let reason = match &access.amount {
            Some(e) => Reason::new(ReasonKind::PermissionNotPositive, e, state.owner),
            None => Reason::text(
                ReasonKind::PermissionNotPositive,
                access.pos,
                "The amount is not positive.",
            ),
        };
        self.check(state, positive, blame, reason)
    }

    /// An amount that must not be negative.
    pub fn check_not_negative(
        &mut self,
        state: &mut State,
        amount: Term,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<()> {
        let zero = self.amount(0, 1);
        let not_negative = self.terms.le(zero, amount);
        let reason = Reason::new(ReasonKind::NegativePermission, e, state.owner);
        self.check(state, not_negative, blame, reason)
    }
}
