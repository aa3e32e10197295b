//! Definitions from the other end: a segment is unfolded where it starts, and this says how it is
//! unfolded where it ends.
//!
//! Take a predicate whose parameters are a start and an end, with cases for a single step and cases for
//! a step and a segment from there on. Then a longer segment is also a segment and a last step. That is
//! only a guess: whoever uses it proves it first.

use std::collections::BTreeMap;

use crate::sequent::Heap;
use crate::system::{Call, Clause, PredId, System, Var};

/// Which parameters of a predicate every instance hands on to the next one: the end of a segment. `None`
/// if that says nothing.
#[must_use]
pub fn handed_on(system: &System, pred: PredId) -> Option<Vec<bool>> {
    let predicate = &system.predicates[pred];
    let mut same = vec![true; predicate.params.len()];
    let mut found = false;
    for case in &predicate.cases {
        let mut calls = case.calls.iter().filter(|call| call.pred == pred);
        let Some(call) = calls.next() else { continue };
        if calls.next().is_some() {
            return None;
        }
        found = true;
        for (i, arg) in call.args.iter().enumerate() {
            same[i] &= *arg as usize == system.nils() + i;
        }
    }
    let location = |i: usize| !system.is_int(predicate.params[i]);
    let both =
        [true, false].map(|handed| (0..same.len()).any(|i| location(i) && same[i] == handed));
    (found && both == [true, true]).then_some(same)
}

/// The cases of a predicate from its other end: single steps, and segments with a last step.
#[must_use]
pub fn from_the_end(system: &System, pred: PredId) -> Option<Vec<Clause>> {
    let predicate = &system.predicates[pred];
    if predicate.params.iter().any(|sort| system.is_int(*sort)) {
        return None;
    }
    let end = handed_on(system, pred)?;
    let is_step = |case: &&Clause| case.calls.iter().all(|call| call.pred != pred);
    let (steps, longer): (Vec<&Clause>, Vec<&Clause>) = predicate.cases.iter().partition(is_step);
    let next = longer
        .iter()
        .find_map(|case| steps.iter().find_map(|step| interface(system, pred, &end, step, case)))?;
    let mut cases: Vec<Clause> = steps.iter().map(|step| (*step).clone()).collect();
    cases.extend(steps.iter().map(|step| with_last(system, pred, &end, &next, step)));
    Some(cases)
}

/// Where the next segment starts, by the end of a step: for each parameter that is not handed on, which
/// one of those that are.
fn interface(
    system: &System,
    pred: PredId,
    end: &[bool],
    step: &Clause,
    longer: &Clause,
) -> Option<Vec<usize>> {
    let nils = system.nils();
    // What the variables of the step are in the longer case: a start is a start.
    let mut is: BTreeMap<Var, Var> = (0..nils as Var).map(|v| (v, v)).collect();
    let starts = (0..end.len()).filter(|i| !end[*i]).map(|i| (nils + i) as Var);
    is.extend(starts.map(|v| (v, v)));
    for (a, b) in &step.equal {
        match (is.get(a).copied(), is.get(b).copied()) {
            (Some(v), None) => is.insert(*b, v),
            (None, Some(v)) => is.insert(*a, v),
            _ => None,
        };
    }
    let mut same = |a: &[Var], b: &[Var]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| *is.entry(*a).or_insert(*b) == *b)
    };
    let rest: Vec<_> = longer.calls.iter().filter(|call| call.pred != pred).collect();
    let matches = step.cells.len() == longer.cells.len()
        && step.calls.len() == rest.len()
        && step
            .cells
            .iter()
            .zip(&longer.cells)
            .all(|(a, b)| same(&[a.addr], &[b.addr]) && same(&a.fields, &b.fields))
        && step.calls.iter().zip(&rest).all(|(a, b)| a.pred == b.pred && same(&a.args, &b.args));
    if !matches {
        return None;
    }
    let call = longer.calls.iter().find(|call| call.pred == pred)?;
    let ends =
        |v: Var| (0..end.len()).find(|i| end[*i] && is.get(&((nils + i) as Var)) == Some(&v));
    (0..end.len()).map(|i| if end[i] { Some(i) } else { ends(call.args[i]) }).collect()
}

/// A segment, and a step from where it ends.
fn with_last(system: &System, pred: PredId, end: &[bool], next: &[usize], step: &Clause) -> Clause {
    let nils = system.nils();
    let mut sorts = step.sorts[..step.free].to_vec();
    // The end of the segment has variables of its own.
    let mut inner: Vec<Var> = Vec::with_capacity(end.len());
    for (i, sort) in system.predicates[pred].params.iter().enumerate() {
        if end[i] {
            sorts.push(*sort);
            inner.push((sorts.len() - 1) as Var);
        } else {
            inner.push((nils + i) as Var);
        }
    }
    let mut scope: Vec<Var> = (0..nils as Var).collect();
    scope.extend((0..end.len()).map(|i| if end[i] { (nils + i) as Var } else { inner[next[i]] }));
    for sort in &step.sorts[step.free..] {
        sorts.push(*sort);
        scope.push((sorts.len() - 1) as Var);
    }
    let heap = Heap::instance(step, &scope);
    let mut calls = vec![Call { pred, args: inner }];
    calls.extend(heap.calls);
    Clause {
        sorts,
        free: step.free,
        equal: heap.equal,
        different: heap.different.into_iter().collect(),
        linear: heap.linear,
        cells: heap.cells,
        calls,
        open: false,
    }
}
