//! Quantifiers: evaluation for arbitrary values, closing, triggers.

use std::sync::Arc;

use smt::{Quantifier, Term};
use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{Expr, ExprKind};

use crate::diagnostics::Blame;
use crate::encoding::{Formula, FormulaKind};
use crate::executor::Executor;
use crate::prover::{Run, Stop};
use crate::state::State;

impl Executor<'_> {
    pub(super) fn eval_quant(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let ExprKind::Quant { quantifier, vars, triggers, body } = &e.kind else {
            return self.unsupported(state, e.pos, "This expression");
        };
        if !self.syntax.is_pure(body) {
            return self.unsupported(state, e.pos, "A quantified permission");
        }
        // eval(forall x :: e): e for fresh y; what was learnt with y holds for all  [MSS16, Fig. 6]
        let constants: Vec<Term> = vars.iter().map(|v| self.havoc(state, *v)).collect();
        let outcomes = self.explore(state, |this, s| {
            s.parameters = s.parameters.iter().chain(&constants).copied().collect();
            let value = this.eval(s, body, blame)?;
            let mut sets = Vec::new();
            for trigger in triggers {
                if let Some(set) = this.eval_trigger(s, trigger, blame)? {
                    sets.push(set);
                }
            }
            Ok((value, sets))
        })?;
        let Some((last, others)) = outcomes.split_last() else { return Err(Stop::Infeasible) };
        let (mut value, mut sets) = last.value.clone();
        for outcome in others.iter().rev() {
            value = self.terms.ite(outcome.guard, outcome.value.0, value);
        }
        // Conditionals cannot be in triggers.
        let names = self.name_conditionals(state, &[value], &constants)?;
        if !names.is_empty() {
            value = self.terms.substitute(value, &names);
            for term in sets.iter_mut().flatten() {
                *term = self.terms.substitute(*term, &names);
            }
        }
        let weight = e.info.as_ref().and_then(|info| {
            info.annotation("weight")?.values.first()?.as_str().trim().parse().ok()
        });
        let quantifier = match quantifier {
            SourceQuantifier::Forall => Quantifier::Forall,
            SourceQuantifier::Exists => Quantifier::Exists,
        };
        // What was learnt about the body holds for all values of the variables.
        let triggers = self.triggers_for(&constants, &sets, value);
        self.learn_for_all(state, &outcomes, &constants, &triggers)?;
        let formula = Formula { quantifier, kind: FormulaKind::User, weight };
        Ok(self.close(formula, &constants, &sets, value))
    }

    /// The terms of a trigger, or `None` if they make no sense here.
    pub fn eval_trigger(
        &mut self,
        state: &State,
        trigger: &[Arc<Expr>],
        blame: &Blame,
    ) -> Run<Option<Vec<Term>>> {
        let mut in_trigger = state.clone();
        in_trigger.mode.in_trigger = true;
        let mut terms = Vec::new();
        for e in trigger {
            let e = match &e.kind {
                ExprKind::Old(_, inner) if matches!(inner.kind, ExprKind::Local(_)) => inner,
                ExprKind::Acc(..) => return Ok(None),
                ExprKind::Wand(wand) => {
                    let Some(term) = self.wand_trigger(&mut in_trigger, wand, blame)? else {
                        return Ok(None);
                    };
                    terms.push(term);
                    continue;
                }
                _ => e,
            };
            if let ExprKind::Field(receiver, field) = &e.kind {
                match self.eval(&mut in_trigger, receiver, blame) {
                    Ok(receiver) => terms.push(self.read(*field, receiver)),
                    Err(Stop::Abort) => return Err(Stop::Abort),
                    Err(_) => return Ok(None),
                }
                continue;
            }
            match self.eval(&mut in_trigger, e, blame) {
                Ok(term) => terms.push(term),
                Err(Stop::Abort) => return Err(Stop::Abort),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(terms))
    }
}
