//! Definitions split by bases: a predicate for every predicate and every base of it.
//!
//! What a base says of locations is then the same in every instance, and what is left of a derivation
//! is arithmetic. A list segment becomes the empty one, that of one cell and the longer ones; that the
//! lengths at both ends are the same is an invariant of the first of them only.

use crate::accelerate::{self, Closed};
use crate::base::Table;
use crate::invariant::{self, Remainder};
use crate::system::{Call, Clause, PredId, System};
use arith::Constraint;

/// There are no more predicates than this.
const MAX_PREDICATES: usize = 80;
/// No more pairs of integers are looked at in the cases of all predicates.
const MAX_GUESSES: usize = 4_000;
/// A formula is split into no more than this.
const MAX_CLAUSES: usize = 4_000;

/// Split definitions.
#[derive(Debug)]
pub struct Refined {
    /// The definitions.
    pub system: System,
    /// For each predicate the one that it is a part of, and which of its cases its own are.
    pub origins: Vec<(PredId, Vec<usize>)>,
    /// What instances say of integers.
    pub invariants: Vec<Vec<Constraint>>,
    /// What is left when arguments are divided.
    pub remainders: Vec<Vec<Remainder>>,
    /// What instances say of integers, by the number of their steps.
    closed: Vec<Option<Closed>>,
    /// By predicate and base.
    parts: Vec<Vec<PredId>>,
    table: Table,
}

impl Refined {
    /// Splits definitions; `None` if there is too much to do.
    #[must_use]
    pub fn new(system: &System, mut work: u64) -> Option<Refined> {
        let table = Table::exact(system, work);
        let count: usize = table.bases.iter().map(|bases| bases.all.len()).sum();
        if !table.complete || count > MAX_PREDICATES {
            return None;
        }
        let mut parts: Vec<Vec<PredId>> = Vec::new();
        let mut origins = Vec::new();
        for (pred, bases) in table.bases.iter().enumerate() {
            parts.push((origins.len()..origins.len() + bases.all.len()).collect());
            origins.extend(bases.all.iter().map(|_| (pred, Vec::new())));
        }
        let mut split: Vec<Vec<Clause>> = vec![Vec::new(); origins.len()];
        for (pred, predicate) in system.predicates.iter().enumerate() {
            for (number, case) in predicate.cases.iter().enumerate() {
                for (base, choice) in table.choices(case, Some(pred), &mut work)? {
                    let part = parts[pred][base?];
                    split[part].push(part_of(case, &parts, &choice));
                    origins[part].1.push(number);
                }
            }
        }
        let guesses = origins.iter().zip(&split).map(|((pred, _), cases)| {
            let params = system.predicates[*pred].params.iter();
            params.filter(|sort| system.is_int(**sort)).count().pow(2) * cases.len()
        });
        if guesses.sum::<usize>() > MAX_GUESSES {
            return None;
        }
        let mut refined = system.clone();
        refined.predicates.clear();
        for ((pred, _), cases) in origins.iter().zip(split) {
            let predicate = &system.predicates[*pred];
            refined.add(&predicate.name, predicate.params.clone(), cases);
        }
        let invariants = invariant::strong_invariants(&refined);
        let remainders = invariant::remainders(&refined, &invariants);
        let closed = accelerate::closed(&refined, &invariants);
        let system = refined;
        Some(Refined { system, origins, invariants, remainders, closed, parts, table })
    }

    /// The clause with all choices of bases for its calls; `None` if there are too many. If all of them
    /// are false the clause has no model.
    #[must_use]
    pub fn clauses(&self, clause: &Clause, work: &mut u64) -> Option<Vec<Clause>> {
        let choices = self.table.choices(clause, None, work)?;
        let part = |(_, choice): (_, Vec<usize>)| part_of(clause, &self.parts, &choice);
        (choices.len() <= MAX_CLAUSES).then(|| choices.into_iter().map(part).collect())
    }

    /// Do the integers of a clause of these predicates contradict each other?
    #[must_use]
    pub fn is_false(&self, clause: &Clause) -> bool {
        arith::contradictory(&self.facts(clause)) || arith::contradictory(&self.all_facts(clause))
    }

    /// What a clause of these predicates says of integers.
    #[must_use]
    pub fn facts(&self, clause: &Clause) -> Vec<Constraint> {
        let mut facts = invariant::facts(clause, &self.invariants, self.system.nils());
        facts.extend(invariant::of_calls(clause, &self.remainders));
        facts
    }

    /// The same, and how it depends on the number of steps.
    #[must_use]
    pub fn all_facts(&self, clause: &Clause) -> Vec<Constraint> {
        let mut facts = self.facts(clause);
        facts.extend(accelerate::of_calls(clause, &self.closed, self.system.nils()));
        facts
    }
}

/// A clause whose calls have these bases.
fn part_of(clause: &Clause, parts: &[Vec<PredId>], choice: &[usize]) -> Clause {
    let calls = clause.calls.iter().zip(choice);
    let calls =
        calls.map(|(call, base)| Call { pred: parts[call.pred][*base], args: call.args.clone() });
    Clause { calls: calls.collect(), ..clause.clone() }
}
