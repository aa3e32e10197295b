//! Quantified permissions with their values, for arbitrary variables.

use std::rc::Rc;
use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, ExprKind, Resource};

use crate::diagnostics::{Blame, Reason};
use crate::executor::Executor;
use crate::heap::quantified::QuantifiedAccess;
use crate::prover::{Outcome, Run, Stop};
use crate::state::{ResourceId, State};
use crate::syntax::normal;

/// Condition, arguments, amount and triggers.
type Values = (Term, Vec<Term>, Term, Vec<Vec<Term>>);

impl Executor<'_> {
    pub fn eval_quantified_access(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Option<QuantifiedAccess>> {
        let Some(normal) = normal(e) else {
            return self.unsupported(state, e.pos, "This quantified assertion");
        };
        let constants: Vec<Term> = normal.vars.iter().map(|v| self.havoc(state, *v)).collect();
        let result = self.explore(state, |this, s| {
            s.parameters = s.parameters.iter().chain(&constants).copied().collect();
            let condition = match normal.condition {
                Some(condition) => this.eval(s, condition, blame)?,
                None => this.terms.bool(true),
            };
            this.guard(s, condition)?;
            let (_, args) = this.eval_resource(s, &normal.resource, blame)?;
            let amount = this.eval_amount(s, normal.amount, blame)?;
            this.check_not_negative(s, amount, normal.amount.unwrap_or(e), blame)?;
            let mut sets = Vec::new();
            for trigger in normal.triggers {
                if let Some(set) = this.eval_trigger(s, trigger, blame)? {
                    sets.push(set);
                }
            }
            Ok((condition, args, amount, sets))
        });
        let outcomes: Rc<Vec<Outcome<Values>>> = match result {
            Ok(outcomes) => outcomes,
            Err(Stop::Infeasible) => return Ok(None),
            Err(stop) => return Err(stop),
        };
        self.learn_for_all(state, &outcomes, &constants, &[])?;
        let Some(first) = outcomes.first() else { return Ok(None) };
        let (condition, args, amount, triggers) = first.value.clone();
        // Conditionals cannot be in triggers; locations are.
        let names = self.name_conditionals(state, &args, &constants)?;
        let args: Vec<Term> = args.iter().map(|a| self.terms.substitute(*a, &names)).collect();
        let resource = match &*normal.resource {
            Resource::Field(_, field, _) => ResourceId::Field(*field),
            Resource::Predicate(predicate, ..) => ResourceId::Predicate(*predicate),
            Resource::Wand(wand) => ResourceId::Wand(self.shape(wand).0),
        };
        let is_wildcard = |e: &Expr| matches!(e.kind, ExprKind::WildcardPerm);
        let wildcard = normal.amount.is_some_and(|amount| is_wildcard(amount));
        let zero = self.amount(0, 1);
        let asked = if wildcard { self.terms.bool(true) } else { self.terms.lt(zero, amount) };
        let vars = constants;
        Ok(Some(QuantifiedAccess {
            resource,
            vars,
            condition,
            args,
            amount,
            asked,
            triggers,
            wildcard,
        }))
    }

    /// No location may belong to two instances.
    pub fn check_injective(
        &mut self,
        state: &mut State,
        access: &QuantifiedAccess,
        blame: &Blame,
        reason: Reason,
    ) -> Run<()> {
        match self.injective(state, access) {
            Some(goal) => self.check_or_stop(state, goal, blame, reason),
            None => Ok(()),
        }
    }
}
