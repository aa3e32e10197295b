//! Quantifiers: evaluation for arbitrary values, closing, triggers.

use std::collections::HashMap;
use std::sync::Arc;

use smt::{Quant, Quantifier, Term};
use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{Expr, ExprKind};

use crate::blame::Blame;
use crate::config::Ablation;
use crate::executor::Executor;
use crate::origin::is_of_permissions;
use crate::path::{Run, Stop};
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
        if !self.is_pure(body) {
            return self.unsupported(state, e.pos, "A quantified permission");
        }
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
        Ok(self.close(quantifier, &constants, &sets, value, weight, "user"))
    }

    /// The terms of a trigger, or `None` if they make no sense here.
    pub fn eval_trigger(
        &mut self,
        state: &State,
        trigger: &[Arc<Expr>],
        blame: &Blame,
    ) -> Run<Option<Vec<Term>>> {
        let mut lenient = state.clone();
        lenient.mode.lenient = true;
        let mut terms = Vec::new();
        for e in trigger {
            let e = match &e.kind {
                ExprKind::Old(_, inner) if matches!(inner.kind, ExprKind::Local(_)) => inner,
                ExprKind::Acc(..) => return Ok(None),
                ExprKind::Wand(wand) => {
                    let Some(term) = self.wand_trigger(&mut lenient, wand, blame)? else {
                        return Ok(None);
                    };
                    terms.push(term);
                    continue;
                }
                _ => e,
            };
            if let ExprKind::Field(receiver, field) = &e.kind {
                match self.eval(&mut lenient, receiver, blame) {
                    Ok(receiver) => {
                        terms.push(self.symbols.read(&mut self.terms, *field, receiver))
                    }
                    Err(Stop::Abort) => return Err(Stop::Abort),
                    Err(_) => return Ok(None),
                }
                continue;
            }
            match self.eval(&mut lenient, e, blame) {
                Ok(term) => terms.push(term),
                Err(Stop::Abort) => return Err(Stop::Abort),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(terms))
    }

    /// Does a term mention one of these?
    pub fn mentions(&self, term: Term, wanted: &[Term]) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if wanted.contains(&term) {
                return true;
            }
            if seen.insert(term) {
                pending.extend(self.terms.children(term));
            }
        }
        false
    }

    /// Do terms together mention all of these?
    pub fn mentions_all(&self, terms: &[Term], wanted: &[Term]) -> bool {
        wanted.iter().all(|constant| terms.iter().any(|t| self.mentions(*t, &[*constant])))
    }

    /// The triggers that a formula over constants would get if they were quantified.
    pub fn triggers_for(
        &mut self,
        constants: &[Term],
        triggers: &[Vec<Term>],
        body: Term,
    ) -> Vec<Vec<Term>> {
        if !triggers.is_empty() {
            return triggers.to_vec();
        }
        let level = self.quantifier_depth(body);
        let (mut there, mut back, mut vars) = (HashMap::new(), HashMap::new(), Vec::new());
        for (i, constant) in constants.iter().enumerate() {
            let sort = self.terms.sort(*constant);
            let hint = self.hint(*constant);
            let (var, term) = self.bound_at(level, i, sort, &hint);
            there.insert(*constant, term);
            back.insert(term, *constant);
            vars.push(var);
        }
        let body = self.terms.substitute(body, &there);
        let sets = self.infer_triggers(body, &vars);
        let mut return_to = |t: &Term| self.terms.substitute(*t, &back);
        sets.iter().map(|set| set.iter().map(&mut return_to).collect()).collect()
    }

    /// Quantifies over constants. What kinds there are is said in [`crate::origin`].
    pub fn close(
        &mut self,
        quantifier: Quantifier,
        constants: &[Term],
        triggers: &[Vec<Term>],
        body: Term,
        weight: Option<u32>,
        kind: &'static str,
    ) -> Term {
        let (constants, triggers, original) =
            self.merge_quantifiers(quantifier, constants, triggers, body);
        let level = self.quantifier_depth(original);
        let mut map = HashMap::new();
        let mut vars = Vec::new();
        for (i, constant) in constants.iter().enumerate() {
            let sort = self.terms.sort(*constant);
            let hint = self.hint(*constant);
            let (var, term) = self.bound_at(level, i, sort, &hint);
            vars.push(var);
            map.insert(*constant, term);
        }
        let mut body = self.terms.substitute(original, &map);
        let mut sets: Vec<Vec<Term>> = triggers
            .iter()
            .map(|set| set.iter().map(|t| self.terms.substitute(*t, &map)).collect())
            .collect();
        sets.retain(|set| self.is_trigger(set, &vars));
        let leave_to_solver = self.config.ablates(Ablation::Triggers) && is_of_permissions(kind);
        if leave_to_solver {
            sets.clear();
        } else if sets.is_empty() {
            sets = self.infer_triggers(body, &vars);
        }
        if sets.is_empty()
            && !leave_to_solver
            && quantifier == Quantifier::Forall
            && let Some((var, value)) = self.determined(&constants, original)
        {
            // `forall x, y :: y == e ==> …` is about `e`.
            let map = HashMap::from([(var, value)]);
            let rest: Vec<Term> = constants.iter().copied().filter(|c| *c != var).collect();
            let mut replace = |t: &Term| self.terms.substitute(*t, &map);
            let triggers: Vec<Vec<Term>> =
                triggers.iter().map(|set| set.iter().map(&mut replace).collect()).collect();
            let body = self.terms.substitute(original, &map);
            return self.close(quantifier, &rest, &triggers, body, weight, kind);
        }
        if sets.is_empty() && !leave_to_solver {
            (body, sets) = self.generalise(quantifier, level, &mut vars, body);
        }
        if kind != "function" {
            for set in &mut sets {
                for term in set {
                    *term = self.limit(*term);
                }
            }
        }
        let watched: Vec<Term> = sets.iter().flatten().filter_map(|t| self.watched(*t)).collect();
        let name = self.formula_name(kind);
        let formula =
            self.terms.quant(Quant { quantifier, vars, triggers: sets, body, name, weight });
        let all: Vec<Term> = watched.into_iter().chain([formula]).collect();
        self.terms.and(all)
    }
}
