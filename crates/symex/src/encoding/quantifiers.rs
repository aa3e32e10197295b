//! Quantified formulas: constants that stood for arbitrary values become variables.

use std::collections::HashMap;

use smt::{Quant, Quantifier, Term};

use super::Encoding;
use super::origin::FormulaKind;
use crate::config::Ablation;

/// What is said about a quantified formula beside its body.
#[derive(Clone, Copy)]
pub(crate) struct Formula {
    pub quantifier: Quantifier,
    pub kind: FormulaKind,
    /// How much later than others it is instantiated.
    pub weight: Option<u32>,
}

impl Formula {
    pub fn for_all(kind: FormulaKind) -> Formula {
        Formula { quantifier: Quantifier::Forall, kind, weight: None }
    }

    pub fn with_weight(self, weight: Option<u32>) -> Formula {
        Formula { weight, ..self }
    }
}

impl Encoding<'_> {
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

    /// Says a formula over constants of all values.
    pub fn for_all(
        &mut self,
        kind: FormulaKind,
        constants: &[Term],
        triggers: &[Vec<Term>],
        body: Term,
    ) -> Term {
        self.close(Formula::for_all(kind), constants, triggers, body)
    }

    /// Quantifies over constants. What kinds there are is said in [`origin`](super::origin).
    pub fn close(
        &mut self,
        formula: Formula,
        constants: &[Term],
        triggers: &[Vec<Term>],
        body: Term,
    ) -> Term {
        let Formula { quantifier, kind, weight } = formula;
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
        let leave_to_solver = self.config.ablates(Ablation::Triggers) && kind.is_of_permissions();
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
            return self.close(formula, &rest, &triggers, body);
        }
        if sets.is_empty() && !leave_to_solver {
            (body, sets) = self.generalise(quantifier, level, &mut vars, body);
        }
        if kind != FormulaKind::Function {
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
