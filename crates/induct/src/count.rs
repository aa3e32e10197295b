//! How many cells an instance of a predicate holds, where its integer arguments say so.
//!
//! Both sides of an entailment describe the same heap, so they agree on the number of its cells. That
//! determines integers that would have to be guessed, and refutes choices before they are made.

use crate::sequent::Heap;
use crate::system::{Clause, Predicate, System, Var};
use arith::{Constraint, Sum};

/// For each predicate a sum of its parameters, numbered as in its cases, that is the number of cells of
/// every instance, if there is one.
///
/// Sums are guessed, and those that some case contradicts are given up until the rest holds of all
/// cases; by induction on derivations it then holds of all instances.
#[must_use]
pub fn counts(system: &System) -> Vec<Option<Sum>> {
    let mut all: Vec<Vec<Sum>> = system.predicates.iter().map(|p| candidates(system, p)).collect();
    loop {
        let mut changed = false;
        for (pred, predicate) in system.predicates.iter().enumerate() {
            let mut kept = all[pred].clone();
            for case in predicate.cases.iter().filter(|_| !all[pred].is_empty()) {
                let (total, facts) = total(case, &all, system.nils());
                kept.retain(|sum| {
                    Constraint::equal(sum, &total).is_some_and(|goal| arith::implies(&facts, &goal))
                });
            }
            changed |= kept.len() < all[pred].len();
            all[pred] = kept;
        }
        if !changed {
            return all.into_iter().map(|sums| sums.into_iter().next()).collect();
        }
    }
}

/// A parameter, or the difference of two, and perhaps one more or less.
fn candidates(system: &System, predicate: &Predicate) -> Vec<Sum> {
    let ints: Vec<Var> = predicate
        .params
        .iter()
        .enumerate()
        .filter(|(_, sort)| system.is_int(**sort))
        .map(|(i, _)| (system.nils() + i) as Var)
        .collect();
    let mut all: Vec<Sum> = ints.iter().map(|a| Sum::var(*a)).collect();
    for a in &ints {
        let others = ints.iter().filter(|b| *b != a);
        all.extend(others.filter_map(|b| Sum::var(*a).plus(&Sum::var(*b), -1)));
    }
    let shifted = |sum: &Sum| [0, 1, -1].map(|n| Sum { constant: n, ..sum.clone() });
    all.iter().flat_map(shifted).collect()
}

/// The number of cells of a case, and what is known of the variables in it: one for every call.
fn total(case: &Clause, counts: &[Vec<Sum>], nils: usize) -> (Sum, Vec<Constraint>) {
    let mut facts = case.linear.clone();
    let mut total = Sum::number(case.cells.len() as i128);
    for (i, call) in case.calls.iter().enumerate() {
        let cells = Var::MAX - i as Var;
        total.factors.insert(0, (cells, 1));
        for sum in &counts[call.pred] {
            let sum = sum.renamed(&|v| call.args[v as usize - nils]);
            facts.extend(Constraint::equal(&Sum::var(cells), &sum));
        }
    }
    (total, facts)
}

/// The number of cells of a heap, if all its instances have one.
#[must_use]
pub fn cells(heap: &Heap, counts: &[Option<Sum>], nils: usize) -> Option<Sum> {
    if heap.open {
        return None;
    }
    let start = Sum::number(heap.cells.len() as i128);
    heap.calls.iter().try_fold(start, |total, call| {
        let sum = counts[call.pred].as_ref()?;
        total.plus(&sum.renamed(&|v| call.args[v as usize - nils]), 1)
    })
}
