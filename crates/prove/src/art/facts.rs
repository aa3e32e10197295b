//! What labels say of the variables of a program alone.

use arith::{Relation, Sum};
use heap::VarId;

use super::{Art, Node};
use crate::program::Activation;
use crate::rsep::{Formula, HTerm};

/// A fact about variables of one activation; those of a [`Sum`] are numbers of [`VarId`]s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The sum is zero.
    Zero(Sum),
    /// The sum is not negative.
    NonNegative(Sum),
    /// The pointer is not null.
    NotNull(VarId),
}

impl Art<'_> {
    /// What is known at a location: the facts of one of these lists, for each node that is neither covered nor
    /// excluded.
    #[must_use]
    pub fn facts(&self, loc: usize) -> Vec<Vec<Fact>> {
        let Some(place) = self.cfg.nodes.get(loc) else { return Vec::new() };
        let is_there = |node: &&Node| {
            node.parent.is_some() && node.loc == loc && node.cover.is_none() && !node.excluded
        };
        let of = |node: &Node| {
            let mut facts = Vec::new();
            for formula in &node.label {
                self.add_facts(formula, place.activation, &mut facts)?;
            }
            Some(facts)
        };
        self.nodes.iter().filter(is_there).filter_map(of).collect()
    }

    /// Adds what a formula says; `None` if nothing satisfies it.
    fn add_facts(
        &self,
        formula: &Formula,
        activation: Activation,
        facts: &mut Vec<Fact>,
    ) -> Option<()> {
        // A symbol is a variable if the formula gives it this one as its value.
        let variable = |sym: u32| {
            let value = formula.data.get(sym as usize)?;
            let (owner, var) = self.cfg.data_of.get(&(sym as usize))?;
            (*value == Sum::var(sym) && *owner == activation).then_some(*var)
        };
        let mut constraints = formula.facts.clone();
        for query in &formula.queries {
            let solution = self.solved.solution.get(query.rel.index());
            let Some(known) = solution.and_then(|known| known.apply(&query.args)) else { continue };
            match known.disjuncts.as_slice() {
                [] => return None,
                [one] => constraints.extend(one.iter().cloned()),
                _ => {}
            }
        }
        for constraint in constraints {
            let mut sum = Sum::number(constraint.sum.constant);
            let all = constraint.sum.factors.iter().all(|(sym, factor)| {
                let more = variable(*sym).and_then(|var| sum.plus(&Sum::var(var.0), *factor));
                if let Some(more) = &more {
                    sum = more.clone();
                }
                more.is_some()
            });
            let fact = match constraint.relation {
                Relation::Zero => Fact::Zero(sum),
                Relation::NotNegative => Fact::NonNegative(sum),
                Relation::NotZero => continue,
            };
            if all && !constraint.sum.factors.is_empty() && !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        for (index, value) in formula.vars.iter().enumerate() {
            let Some((owner, var)) = self.cfg.heap_of.get(&index) else { continue };
            let fact = Fact::NotNull(*var);
            if *owner == activation
                && formula.are_apart(*value, HTerm::Null, self.defs())
                && !facts.contains(&fact)
            {
                facts.push(fact);
            }
        }
        Some(())
    }
}
