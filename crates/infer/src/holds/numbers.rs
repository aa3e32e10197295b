//! Facts about values that no part of memory tells: are there numbers for which they hold?

use arith::{Constraint, Sum};
use heap::run::Value;

use super::search::{Search, Truth, World};
use super::{Pure, Term};

impl Search<'_> {
    /// Is there a value for each variable that is left, such that all facts hold that are left?
    ///
    /// Values that satisfy the constraints are put in, and the facts evaluated with them. That there are none is certain
    /// only if what equations and inequations say of numbers is contradictory, for pointers are numbers in them, too.
    pub(super) fn settle(&mut self, world: &World) -> Truth {
        let constraints: Vec<Constraint> = world
            .facts
            .iter()
            .filter_map(|(fact, base)| self.constraint(world, fact, *base))
            .collect();
        if arith::contradictory(&constraints) {
            return Truth::No;
        }
        let Some(values) = arith::solve(&constraints) else { return Truth::Unknown };
        let mut filled = world.clone();
        for (i, place) in filled.values.iter_mut().enumerate() {
            if place.is_none() {
                *place = Some(Value::Int(values.get(&(i as u32)).copied().unwrap_or(0)));
            }
        }
        let facts = std::mem::take(&mut filled.facts);
        let all = facts.iter().all(|(fact, base)| {
            let truth = self.fact(&mut filled, fact, *base);
            truth == Truth::Yes
        });
        if all { Truth::Yes } else { Truth::Unknown }
    }

    /// What a fact says of numbers.
    fn constraint(&self, world: &World, fact: &Pure, base: u32) -> Option<Constraint> {
        let sum = |term: &Term| self.sum(world, term, base);
        match fact {
            Pure::Eq(a, b) => Constraint::equal(&sum(a)?, &sum(b)?),
            Pure::Le(a, b) => Constraint::at_most(&sum(a)?, &sum(b)?),
            // Different pointers are different numbers only if they lead to something.
            Pure::Ne(..) | Pure::Or(_) => None,
        }
    }

    fn sum(&self, world: &World, term: &Term, base: u32) -> Option<Sum> {
        if let Some(value) = self.eval(world, term, base) {
            return Some(Sum::number(self.state.memory.number(value)));
        }
        match term {
            Term::Exists(var) => Some(Sum::var(base.checked_add(*var)?)),
            Term::Plus(a, b) => self.sum(world, a, base)?.plus(&self.sum(world, b, base)?, 1),
            Term::Times(n, a) => Sum::default().plus(&self.sum(world, a, base)?, *n),
            _ => None,
        }
    }
}
