//! Recursive clauses by abstract interpretation: the least octagons that the clauses allow, with widening and
//! narrowing, and of these as few constraints as the goals need.
//!
//! Equations between a counter and a field, or between the ends of a range, are octagons; Spacer often does not
//! find them, and takes a process. The constraints that a goal needs are read off Farkas coefficients, and so are
//! those that their consecution needs: `v ≥ i` of a list is left, and nothing about variables that do not matter.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use arith::{Constraint, Relation as Sign, Sum, Var};

use crate::formula::Formula;
use crate::octagon::{Octagon, Signed};
use crate::simplex::{Program, Q};
use crate::{Clause, Outcome, Query, RelId, Solution, Solver, System};

/// Variables of a clause that are followed.
const MOST_VARS: usize = 48;
/// Rounds before bounds are widened.
const PATIENCE: usize = 3;
/// Rounds in all.
const MOST_ROUNDS: usize = 60;
/// Rounds that make bounds tighter again.
const NARROWING: usize = 3;
/// Constraints that goals may need.
const MOST_NEEDED: usize = 400;

/// Octagons for systems with and without recursion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Octagons;

impl Solver for Octagons {
    fn solve(&mut self, system: &System, deadline: Option<Instant>) -> Outcome {
        let (Some(split), true) = (system.without_disequations(), system.is_well_formed()) else {
            return Outcome::Unknown("there are too many disequations".to_owned());
        };
        let late = || deadline.is_some_and(|deadline| Instant::now() > deadline);
        let Some(values) = fixpoint(&split, &late) else {
            return Outcome::Unknown("no octagons were found".to_owned());
        };
        match needed(&split, &values, &late) {
            Some(formulas) => Outcome::Solved(Solution { formulas }),
            None => Outcome::Unknown("octagons are not strong enough".to_owned()),
        }
    }
}

/// What each relation may hold; `None` for nothing.
type Values = Vec<Option<Octagon>>;

fn fixpoint(system: &System, late: &dyn Fn() -> bool) -> Option<Values> {
    let thresholds = thresholds(system);
    let mut values: Values = vec![None; system.relations.len()];
    let mut grown: Vec<usize> = vec![0; system.relations.len()];
    // A clause is looked at again once a relation of its body has changed.
    let mut versions: Vec<u32> = vec![0; system.relations.len()];
    let mut seen: Vec<Option<Vec<u32>>> = vec![None; system.clauses.len()];
    for round in 0.. {
        if round > MOST_ROUNDS || late() {
            return None;
        }
        let mut changed = false;
        for (clause, seen) in system.clauses.iter().zip(&mut seen) {
            let Some(head) = &clause.head else { continue };
            let now: Vec<u32> = clause.body.iter().map(|q| versions[q.rel.index()]).collect();
            if seen.as_ref() == Some(&now) {
                continue;
            }
            *seen = Some(now);
            let Some(new) = image(clause, &values)? else { continue };
            let place = head.rel.index();
            let next = match &values[place] {
                None => new,
                Some(old) => {
                    let both = old.join(&new);
                    if both == *old {
                        continue;
                    }
                    grown[place] += 1;
                    match grown[place] > PATIENCE {
                        true => old.widen(&both, &thresholds),
                        false => both,
                    }
                }
            };
            values[place] = Some(next);
            versions[place] += 1;
            changed = true;
        }
        if !changed {
            break;
        }
    }
    for _ in 0..NARROWING {
        let mut next: Values = vec![None; values.len()];
        for clause in &system.clauses {
            let Some(head) = &clause.head else { continue };
            let Some(new) = image(clause, &values)? else { continue };
            let slot = &mut next[head.rel.index()];
            *slot = Some(slot.as_ref().map_or(new.clone(), |old| old.join(&new)));
        }
        // What one more step allows is all there is; a bound that it loses is kept.
        let both = values.iter().zip(&next).map(|(old, new)| match (old, new) {
            (Some(old), Some(new)) => Some(old.meet(new)),
            _ => None,
        });
        let both: Values = both.collect();
        if both == values {
            break;
        }
        values = both;
    }
    Some(values)
}

/// Numbers that bounds may stop at, in ascending order.
fn thresholds(system: &System) -> Vec<i128> {
    let mut all: BTreeSet<i128> = [-1, 0, 1].into();
    let mut add = |n: i128| {
        for n in [n, -n] {
            all.extend([n - 1, n, n + 1]);
        }
    };
    for clause in &system.clauses {
        clause.facts.iter().for_each(|fact| add(fact.sum.constant));
        let queries = clause.head.iter().chain(&clause.body);
        queries.flat_map(|query| &query.args).for_each(|arg| add(arg.constant));
    }
    all.into_iter().collect()
}

/// `±v + c`, or a number.
enum Simple {
    Number(i128),
    Term(Signed, i128),
}

struct Scope {
    places: BTreeMap<Var, usize>,
    octagon: Octagon,
    /// Constraints `sum ≥ 0` that are no octagons.
    rest: Vec<Sum>,
}

impl Scope {
    fn simple(&self, sum: &Sum) -> Option<Simple> {
        match sum.factors.as_slice() {
            [] => Some(Simple::Number(sum.constant)),
            [(var, factor @ (1 | -1))] => {
                Some(Simple::Term((*self.places.get(var)?, *factor == 1), sum.constant))
            }
            _ => None,
        }
    }

    fn learn(&mut self, constraint: &Constraint) {
        self.at_least_zero(&constraint.sum);
        if constraint.relation == Sign::Zero
            && let Some(negative) = constraint.sum.negative()
        {
            self.at_least_zero(&negative);
        }
    }

    fn at_least_zero(&mut self, sum: &Sum) {
        let signed = |(var, factor): &(Var, i128)| {
            let place = self.places.get(var)?;
            // a·x ≥ … is -a·x ≤ …
            matches!(factor, 1 | -1).then_some((*place, *factor == -1))
        };
        let terms: Option<Vec<Signed>> = sum.factors.iter().map(signed).collect();
        match terms.as_deref() {
            Some([a]) => {
                self.octagon.at_most(*a, None, sum.constant);
            }
            Some([a, b]) => {
                self.octagon.at_most(*a, Some(*b), sum.constant);
            }
            _ => self.rest.push(sum.clone()),
        }
    }

    /// What follows from constraints that are no octagons for one variable, or for two with the same factor.
    fn propagate(&mut self) -> bool {
        let mut changed = false;
        for sum in self.rest.clone() {
            let terms: Vec<(usize, i128)> = sum
                .factors
                .iter()
                .filter_map(|(var, factor)| Some((*self.places.get(var)?, *factor)))
                .collect();
            if terms.len() != sum.factors.len() {
                continue;
            }
            let most = |(place, factor): &(usize, i128)| {
                let bound = self.octagon.most((*place, *factor > 0), None)?;
                bound.checked_mul(factor.abs())
            };
            let tops: Vec<Option<i128>> = terms.iter().map(most).collect();
            let without = |skip: &[usize]| {
                let others = tops.iter().enumerate().filter(|(i, _)| !skip.contains(i));
                others.map(|(_, top)| *top).try_fold(sum.constant, |all, top| all.checked_add(top?))
            };
            let mut learnt: Vec<(Signed, Option<Signed>, i128)> = Vec::new();
            for (i, (place, factor)) in terms.iter().enumerate() {
                let opposite = (*place, *factor < 0);
                if let Some(rest) = without(&[i]) {
                    learnt.push((opposite, None, rest.div_euclid(factor.abs())));
                }
                for (j, (other, second)) in terms.iter().enumerate().skip(i + 1) {
                    if factor.abs() == second.abs()
                        && let Some(rest) = without(&[i, j])
                    {
                        let second = (*other, *second < 0);
                        learnt.push((opposite, Some(second), rest.div_euclid(factor.abs())));
                    }
                }
            }
            for (a, b, bound) in learnt {
                changed |= self.octagon.at_most(a, b, bound);
            }
        }
        changed
    }
}

/// What a clause says of its head. `Some(None)` if its body has no model, `None` if it has too many variables.
fn image(clause: &Clause, values: &Values) -> Option<Option<Octagon>> {
    let vars = variables(clause);
    let params = clause.head.as_ref().map_or(0, |head| head.args.len());
    let places: BTreeMap<Var, usize> =
        vars.iter().enumerate().map(|(place, var)| (*var, place)).collect();
    let size = vars.len() + params;
    if size > MOST_VARS {
        return None;
    }
    let octagon = Octagon::anything(size);
    let mut scope = Scope { places, octagon, rest: Vec::new() };
    clause.facts.iter().for_each(|fact| scope.learn(fact));
    for query in &clause.body {
        let Some(value) = values.get(query.rel.index())? else { return Some(None) };
        for constraint in value.constraints() {
            scope.learn(&applied(&constraint, query)?);
        }
    }
    if let Some(head) = &clause.head {
        // Parameters of the head are variables behind the others.
        let first = vars.last().map_or(0, |last| last + 1);
        for (param, arg) in head.args.iter().enumerate() {
            let var = first + param as Var;
            let place = vars.len() + param;
            scope.places.insert(var, place);
            match scope.simple(arg) {
                Some(Simple::Number(n)) => {
                    scope.octagon.at_most((place, true), None, n);
                    scope.octagon.at_most((place, false), None, -n);
                }
                Some(Simple::Term((other, sign), n)) => {
                    scope.octagon.at_most((place, true), Some((other, !sign)), n);
                    scope.octagon.at_most((place, false), Some((other, sign)), -n);
                }
                None => scope.learn(&Constraint::equal(&Sum::var(var), arg)?),
            }
        }
    }
    if !scope.octagon.close() {
        return Some(None);
    }
    for _ in 0..3 {
        if !scope.propagate() {
            break;
        }
        if !scope.octagon.close() {
            return Some(None);
        }
    }
    Some(Some(scope.octagon.project(vars.len()..size)))
}

fn variables(clause: &Clause) -> Vec<Var> {
    let mut vars = BTreeSet::new();
    let mut visit = |sum: &Sum| vars.extend(sum.factors.iter().map(|(var, _)| *var));
    clause.facts.iter().for_each(|fact| visit(&fact.sum));
    let queries = clause.head.iter().chain(&clause.body);
    queries.flat_map(|query| &query.args).for_each(visit);
    vars.into_iter().collect()
}

fn applied(constraint: &Constraint, query: &Query) -> Option<Constraint> {
    let mut sum = Sum::number(constraint.sum.constant);
    for (var, factor) in &constraint.sum.factors {
        sum = sum.plus(query.args.get(*var as usize)?, *factor)?;
    }
    Some(Constraint { sum, relation: constraint.relation })
}

/// The constraints that goals need, and those that these need in turn.
fn needed(system: &System, values: &Values, late: &dyn Fn() -> bool) -> Option<Vec<Formula>> {
    let all: Vec<Vec<Constraint>> =
        values.iter().map(|v| v.as_ref().map(Octagon::constraints).unwrap_or_default()).collect();
    let mut kept: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); all.len()];
    let mut pending: Vec<(RelId, usize)> = Vec::new();
    let mut need = |found: Vec<(RelId, usize)>, pending: &mut Vec<(RelId, usize)>| {
        for (rel, index) in found {
            if kept[rel.index()].insert(index) {
                pending.push((rel, index));
            }
        }
        kept.clone()
    };
    let is_empty = |clause: &Clause| clause.body.iter().any(|q| values[q.rel.index()].is_none());
    let mut so_far = vec![BTreeSet::new(); all.len()];
    for goal in system.clauses.iter().filter(|c| c.head.is_none() && !is_empty(c)) {
        so_far = need(reasons(goal, None, &all, &so_far)?, &mut pending);
    }
    while let Some((rel, index)) = pending.pop() {
        if late() || so_far.iter().map(BTreeSet::len).sum::<usize>() > MOST_NEEDED {
            return None;
        }
        let wanted = all.get(rel.index())?.get(index)?;
        for clause in &system.clauses {
            let Some(head) = clause.head.as_ref().filter(|head| head.rel == rel) else { continue };
            if is_empty(clause) {
                continue;
            }
            let wanted = applied(wanted, head)?;
            // wanted ≥ 0 fails where -wanted - 1 ≥ 0.
            let fails = wanted.sum.negative()?.plus(&Sum::number(1), -1)?;
            so_far = need(reasons(clause, Some(fails), &all, &so_far)?, &mut pending);
        }
    }
    let formula = |(place, kept): (usize, &BTreeSet<usize>)| match values[place] {
        None => Formula::falsity(),
        Some(_) => Formula {
            disjuncts: vec![kept.iter().filter_map(|i| all[place].get(*i).cloned()).collect()],
        },
    };
    Some(so_far.iter().enumerate().map(formula).collect())
}

/// Constraints of relations in the body with which it is contradictory: none but those that are kept, if that is
/// possible.
fn reasons(
    clause: &Clause,
    more: Option<Sum>,
    all: &[Vec<Constraint>],
    kept: &[BTreeSet<usize>],
) -> Option<Vec<(RelId, usize)>> {
    combination(clause, more.as_ref(), all, kept, false)
        .or_else(|| combination(clause, more.as_ref(), all, kept, true))
}

/// By Farkas' lemma, with as few new constraints as possible.
fn combination(
    clause: &Clause,
    more: Option<&Sum>,
    all: &[Vec<Constraint>],
    kept: &[BTreeSet<usize>],
    new: bool,
) -> Option<Vec<(RelId, usize)>> {
    let mut program = Program::default();
    let mut rows: BTreeMap<Option<Var>, BTreeMap<usize, Q>> = BTreeMap::new();
    rows.entry(None).or_default();
    let mut origins: Vec<Option<(RelId, usize)>> = Vec::new();
    let mut add = |sum: &Sum, cost: i128, origin: Option<(RelId, usize)>| {
        let column = program.column(cost);
        origins.push(origin);
        for (var, factor) in &sum.factors {
            rows.entry(Some(*var)).or_default().insert(column, Q::from(*factor));
        }
        rows.entry(None).or_default().insert(column, Q::from(sum.constant));
    };
    for fact in &clause.facts {
        add(&fact.sum, 1, None);
        if fact.relation == Sign::Zero {
            add(&fact.sum.negative()?, 1, None);
        }
    }
    if let Some(more) = more {
        add(more, 0, None);
    }
    for query in &clause.body {
        for (index, constraint) in all.get(query.rel.index())?.iter().enumerate() {
            let constraint = applied(constraint, query)?;
            if constraint.sum.factors.is_empty() && constraint.sum.constant >= 0 {
                continue;
            }
            let old = kept.get(query.rel.index())?.contains(&index);
            if !old && !new {
                continue;
            }
            add(&constraint.sum, if old { 2 } else { 16 }, Some((query.rel, index)));
        }
    }
    for (at, row) in rows {
        program.row(row, Q::from(if at.is_none() { -1 } else { 0 }));
    }
    let values = program.optimum()?;
    let used = values.iter().zip(&origins).filter(|(value, _)| **value != Q::from(0));
    let mut found: Vec<(RelId, usize)> = used.filter_map(|(_, origin)| *origin).collect();
    found.dedup();
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::Octagons;
    use crate::{Constraint, Outcome, Query, Solver, Sum, System, check};

    /// `handles` and `references` go up and down together: that they are equal is all that is needed.
    #[test]
    fn equal_counters_are_found() {
        let mut system = System::default();
        let rel = system.relation("R".into(), 2, None, true);
        let query = |a: Sum, b: Sum| Query { rel, args: vec![a, b] };
        let var = Sum::var;
        let next = |v: u32, n: i128| Sum::var(v).plus(&Sum::number(n), 1).unwrap_or_default();
        let any = || query(var(0), var(1));
        let positive = Constraint::at_most(&Sum::number(1), &var(0));
        let positive = || positive.clone().into_iter().collect::<Vec<_>>();
        system.clause(Some(query(Sum::number(1), Sum::number(1))), vec![], vec![]);
        system.clause(Some(query(next(0, 1), next(1, 1))), vec![any()], positive());
        system.clause(Some(query(next(0, -1), next(1, -1))), vec![any()], positive());
        let mut wrong = positive();
        wrong.extend(Constraint::equal(&var(1), &Sum::number(0)));
        system.clause(None, vec![any()], wrong);
        let shown = match Octagons.solve(&system, None) {
            Outcome::Solved(solution) if check(&system, &solution).is_ok() => {
                system.show_solution(&solution)
            }
            other => format!("{other:?}"),
        };
        assert_eq!(shown, "R(v0, v1): v1 >= v0\n");
    }
}
