//! What instances of a predicate always say of their integer arguments.
//!
//! Simple relations are guessed, and those that some case does not preserve are given up, until the
//! rest is preserved by all; by induction on derivations it then holds of every instance. Apart from
//! inequalities there are remainders: what is left when a parameter is divided by a small number.

use std::collections::BTreeSet;

use crate::system::{Clause, Predicate, System, Var};
use arith::{Constraint, Relation, Sum};

/// No more of what the smallest derivations say is guessed.
const MAX_GUESSES: usize = 24;

/// For each predicate what holds of its parameters, numbered as in its cases.
#[must_use]
pub fn invariants(system: &System) -> Vec<Vec<Constraint>> {
    preserved(system, system.predicates.iter().map(|p| candidates(system, p)).collect())
}

/// The same, with more guesses: what the smallest derivations say, as equations and as bounds.
#[must_use]
pub fn strong_invariants(system: &System) -> Vec<Vec<Constraint>> {
    let smallest = of_smallest(system);
    let guesses = system.predicates.iter().zip(smallest).map(|(predicate, smallest)| {
        let mut all = candidates(system, predicate);
        for Constraint { sum, relation } in smallest.into_iter().take(MAX_GUESSES) {
            let mut push = |sum: Sum, relation| {
                let constraint = Constraint { sum, relation };
                if !all.contains(&constraint) {
                    all.push(constraint);
                }
            };
            if relation == Relation::Zero {
                sum.negative().into_iter().for_each(|sum| push(sum, Relation::NotNegative));
                push(sum.clone(), Relation::NotNegative);
            }
            push(sum, relation);
        }
        all
    });
    preserved(system, guesses.collect())
}

/// For each predicate what its cases say of parameters, with the smallest derivations of their calls.
fn of_smallest(system: &System) -> Vec<Vec<Constraint>> {
    let mut smallest: Vec<Option<Vec<Constraint>>> = vec![None; system.predicates.len()];
    let mut all = vec![Vec::new(); system.predicates.len()];
    let mut seen = BTreeSet::new();
    loop {
        let mut found = Vec::new();
        for (pred, predicate) in system.predicates.iter().enumerate() {
            for (number, case) in predicate.cases.iter().enumerate() {
                let known = case.calls.iter().map(|call| {
                    let said = smallest[call.pred].as_ref()?;
                    Some(of_call(said, &call.args, system.nils()).collect::<Vec<_>>())
                });
                let Some(said) = known.collect::<Option<Vec<_>>>() else { continue };
                if !seen.insert((pred, number)) {
                    continue;
                }
                let mut facts = case.linear.clone();
                facts.extend(said.into_iter().flatten());
                let gone = (case.free as Var..case.sorts.len() as Var).collect();
                found.push((pred, arith::weaken(&facts, &gone)));
            }
        }
        if found.is_empty() {
            return all;
        }
        for (pred, said) in found {
            all[pred].extend(said.iter().cloned());
            smallest[pred].get_or_insert(said);
        }
    }
}

/// Of these guesses what all cases preserve.
fn preserved(system: &System, mut all: Vec<Vec<Constraint>>) -> Vec<Vec<Constraint>> {
    if all.iter().all(Vec::is_empty) {
        return all;
    }
    loop {
        let mut changed = false;
        for (pred, predicate) in system.predicates.iter().enumerate() {
            let mut kept = all[pred].clone();
            for case in &predicate.cases {
                let facts = facts(case, &all, system.nils());
                if arith::contradictory(&facts) {
                    continue;
                }
                kept.retain(|candidate| arith::implies(&facts, candidate));
            }
            changed |= kept.len() < all[pred].len();
            all[pred] = kept;
        }
        if !changed {
            return all;
        }
    }
}

/// What a clause says of integers, with the invariants of its calls.
#[must_use]
pub fn facts(clause: &Clause, invariants: &[Vec<Constraint>], nils: usize) -> Vec<Constraint> {
    let mut facts = clause.linear.clone();
    for call in &clause.calls {
        facts.extend(of_call(&invariants[call.pred], &call.args, nils));
    }
    facts
}

/// The invariants of an instance.
pub fn of_call<'a>(
    invariants: &'a [Constraint],
    args: &'a [Var],
    nils: usize,
) -> impl Iterator<Item = Constraint> + 'a {
    invariants.iter().map(move |c| c.renamed(&|v| args[v as usize - nils]))
}

fn candidates(system: &System, predicate: &Predicate) -> Vec<Constraint> {
    let ints: Vec<Var> = predicate
        .params
        .iter()
        .enumerate()
        .filter(|(_, sort)| system.is_int(**sort))
        .map(|(i, _)| (system.nils() + i) as Var)
        .collect();
    let mut all = Vec::new();
    let mut push = |sum: Option<Sum>, constant: i128| {
        if let Some(mut sum) = sum {
            sum.constant = constant;
            all.push(Constraint { sum, relation: Relation::NotNegative });
        }
    };
    for a in &ints {
        for constant in [0, -1, -2, 1] {
            push(Some(Sum::var(*a)), constant);
            push(Sum::var(*a).negative(), -constant);
        }
        for b in ints.iter().filter(|b| *b != a) {
            for constant in [0, -1] {
                push(Sum::var(*a).plus(&Sum::var(*b), -1), constant);
            }
        }
    }
    all
}

/// What is left when a parameter is divided: `param` is `modulus * q + rest` for some `q`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remainder {
    param: usize,
    modulus: i128,
    rest: i128,
}

impl Remainder {
    /// The equation for an argument, with a variable of its own for the quotient.
    fn equation(self, arg: Var, quotient: Var) -> Option<Constraint> {
        let sum = Sum::var(arg).plus(&Sum::var(quotient), -self.modulus)?;
        Constraint::equal(&sum, &Sum::number(self.rest))
    }
}

/// For each predicate the remainders of its parameters.
#[must_use]
pub fn remainders(system: &System, invariants: &[Vec<Constraint>]) -> Vec<Vec<Remainder>> {
    let mut all: Vec<Vec<Remainder>> = system
        .predicates
        .iter()
        .map(|predicate| {
            let ints = predicate.params.iter().enumerate().filter(|(_, s)| system.is_int(**s));
            ints.flat_map(|(param, _)| {
                [2, 3].into_iter().flat_map(move |modulus| {
                    (0..modulus).map(move |rest| Remainder { param, modulus, rest })
                })
            })
            .collect()
        })
        .collect();
    if all.iter().all(Vec::is_empty) {
        return all;
    }
    loop {
        let mut changed = false;
        for (pred, predicate) in system.predicates.iter().enumerate() {
            let mut kept = all[pred].clone();
            for case in &predicate.cases {
                let mut facts = facts(case, invariants, system.nils());
                facts.extend(of_calls(case, &all));
                kept.retain(|candidate| {
                    let arg = (system.nils() + candidate.param) as Var;
                    // It is no other one.
                    (0..candidate.modulus).filter(|rest| *rest != candidate.rest).all(|rest| {
                        let other = Remainder { rest, ..*candidate };
                        let mut with = facts.clone();
                        with.extend(other.equation(arg, Var::MAX));
                        arith::contradictory(&with)
                    })
                });
            }
            changed |= kept.len() < all[pred].len();
            all[pred] = kept;
        }
        if !changed {
            return all;
        }
    }
}

/// The remainders of the calls of a clause, as equations.
#[must_use]
pub fn of_calls(clause: &Clause, remainders: &[Vec<Remainder>]) -> Vec<Constraint> {
    let mut quotient = Var::MAX;
    let mut all = Vec::new();
    for call in &clause.calls {
        for remainder in &remainders[call.pred] {
            quotient -= 1;
            let arg = call.args.get(remainder.param);
            all.extend(arg.and_then(|arg| remainder.equation(*arg, quotient)));
        }
    }
    all
}
