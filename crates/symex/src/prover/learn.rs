//! What is learnt about arbitrary values, said of all values.

use std::collections::HashMap;

use smt::{Node, Op, Term};

use crate::encoding::{Formula, FormulaKind};
use crate::prover::{Learnt, Outcome, Prover, Run};
use crate::state::State;

/// How much later than others facts about reads are used; chains of them end after a few.
pub const READ_WEIGHT: u32 = 20;

/// A fact about some constants, and where it is to be used.
#[derive(Clone)]
struct Fact {
    constants: Vec<Term>,
    formula: Term,
    triggers: Vec<Vec<Term>>,
}

impl Prover<'_> {
    /// Assumes what was learnt about arbitrary values for all values. `triggers` are those of the
    /// formula in whose evaluation it was learnt.
    pub fn learn_for_all<R>(
        &mut self,
        state: &mut State,
        outcomes: &[Outcome<R>],
        constants: &[Term],
        triggers: &[Vec<Term>],
    ) -> Run<()> {
        for learnt in outcomes.iter().flat_map(|outcome| &outcome.facts) {
            let formula = self.guarded(learnt);
            if !self.mentions(formula, constants) {
                self.assume_at(state, formula, learnt.level)?;
            } else if learnt.level.is_some() {
                let fact = self.for_all(FormulaKind::Auxiliary, constants, &[], formula);
                self.assume_at(state, fact, learnt.level)?;
            } else {
                self.learn_one(state, learnt, constants, triggers)?;
            }
        }
        Ok(())
    }

    fn learn_one(
        &mut self,
        state: &mut State,
        learnt: &Learnt,
        constants: &[Term],
        triggers: &[Vec<Term>],
    ) -> Run<()> {
        let (_, conclusion) = self.under_conditions(learnt.fact);
        let all = Fact {
            constants: constants.to_vec(),
            formula: self.guarded(learnt),
            triggers: triggers.to_vec(),
        };
        let (fewer, lost) = self.about_fewer(&all);
        let as_before = lost.is_empty();
        if !as_before {
            self.learn_fact(state, Fact { triggers: lost, ..all }, conclusion, false)?;
        }
        self.learn_fact(state, fewer, conclusion, as_before)
    }

    /// Assumes a fact for all values of its constants. Without `anyway` that is only done if it is known
    /// where to use it.
    fn learn_fact(
        &mut self,
        state: &mut State,
        mut fact: Fact,
        conclusion: Term,
        anyway: bool,
    ) -> Run<()> {
        // Where a fact is known by itself, and where the formula it comes from is. Nobody needs to know
        // that something is read because it was.
        let is_read = self.value_read(conclusion).is_some();
        if is_read {
            fact.triggers.retain(|set| !set.iter().any(|t| self.is_read(*t)));
        }
        if let Some(value) = self.known_with(conclusion) {
            fact.triggers.insert(0, vec![value]);
        }
        if is_read || !anyway {
            fact.triggers.retain(|set| self.mentions_all(set, &fact.constants));
            if fact.triggers.is_empty() {
                return Ok(());
            }
        }
        // What is read because of what was read must come to an end.
        let weight = is_read.then_some(READ_WEIGHT);
        let Fact { constants, formula, triggers } = fact;
        let fact = self.close(
            Formula::for_all(FormulaKind::Auxiliary).with_weight(weight),
            &constants,
            &triggers,
            formula,
        );
        self.assume(state, fact)
    }

    /// The same without constants about which it says nothing but what it asks of others, too: for all
    /// `x` and `y`, if `p(x)` and `p(y)` then `q(x)`, is for all `x`, if `p(x)` then `q(x)`. With it come
    /// the triggers that are about more than what is left: `{r(x, y)}` is not `{r(x, x)}`.
    fn about_fewer(&mut self, fact: &Fact) -> (Fact, Vec<Vec<Term>>) {
        let mut constants = fact.constants.clone();
        let (mut conditions, conclusion) = self.under_conditions(fact.formula);
        let mut replaced = HashMap::new();
        for needless in fact.constants.clone() {
            if self.mentions(conclusion, &[needless]) {
                continue;
            }
            let (about, others): (Vec<Term>, Vec<Term>) =
                conditions.iter().partition(|c| self.mentions(**c, &[needless]));
            let sort = self.terms.sort(needless);
            let same_of = constants.iter().copied().find(|other| {
                let map = HashMap::from([(needless, *other)]);
                *other != needless
                    && self.terms.sort(*other) == sort
                    && about.iter().all(|c| others.contains(&self.terms.substitute(*c, &map)))
            });
            if let Some(other) = same_of {
                replaced.values_mut().filter(|by| **by == needless).for_each(|by| *by = other);
                replaced.insert(needless, other);
                constants.retain(|c| *c != needless);
                conditions = others;
            }
        }
        if replaced.is_empty() {
            return (fact.clone(), Vec::new());
        }
        let gone: Vec<Term> = replaced.keys().copied().collect();
        let (mut triggers, mut lost) = (Vec::new(), Vec::new());
        for set in &fact.triggers {
            let (about, others): (Vec<Term>, Vec<Term>) =
                set.iter().partition(|t| self.mentions(**t, &gone));
            if about.iter().all(|t| others.contains(&self.terms.substitute(*t, &replaced))) {
                triggers.push(others);
            } else {
                lost.push(set.clone());
            }
        }
        let conditions = self.terms.and(conditions);
        let formula = self.terms.implies(conditions, conclusion);
        (Fact { constants, formula, triggers }, lost)
    }

    /// The conditions of a fact, and what it says under them.
    fn under_conditions(&self, mut fact: Term) -> (Vec<Term>, Term) {
        let mut conditions = Vec::new();
        while let Node::Op(Op::Implies, args) = self.terms.node(fact) {
            let [condition, then] = args[..] else { break };
            match self.terms.node(condition) {
                Node::Op(Op::And, parts) => conditions.extend(parts.iter().copied()),
                _ => conditions.push(condition),
            }
            fact = then;
        }
        (conditions, fact)
    }

    /// What mentions a fact that says nothing by itself: that something was read is known wherever
    /// its value is mentioned, that a function may be called wherever it is.
    fn known_with(&mut self, fact: Term) -> Option<Term> {
        if let Some(value) = self.value_read(fact) {
            return Some(value);
        }
        let Node::App(fun, args) = self.terms.node(fact) else { return None };
        let (limited, args) = (self.limited_of_pre(*fun)?, args.clone());
        Some(self.terms.app(limited, &args))
    }
}
