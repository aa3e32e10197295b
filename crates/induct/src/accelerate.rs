//! What lists and trees of any size say of their integers: the sum of what their steps say.
//!
//! A derivation has steps, which call the same predicate again, and ends, which do not. What a step
//! says of the difference between its parameters and the sums of the arguments of its calls is linear;
//! `t` steps together say it `t` times of the sum of their differences. The parameters of an instance
//! are those of its ends and the differences of its steps, all added up, and there is one end more than
//! steps have calls besides the first. Numbers of steps are integers, so periods come out of this, and
//! relations between several parameters, without any guess.

use std::collections::{BTreeMap, BTreeSet};

use crate::invariant;
use crate::system::{Call, Clause, PredId, System, Var};
use arith::{Constraint, Relation, Sum};

/// Variables with these numbers are none of a clause.
const LOCALS: Var = 1 << 28;
/// What takes more constraints is left out.
const MAX_CONSTRAINTS: usize = 80;

/// What holds of all instances of a predicate, for some values of more variables.
#[derive(Clone, Debug)]
pub struct Closed {
    constraints: Vec<Constraint>,
}

/// Gives out variables.
struct Fresh(Var);

impl Fresh {
    fn next(&mut self) -> Var {
        self.0 += 1;
        self.0
    }
}

impl Closed {
    /// For these arguments, with variables that nobody else has.
    fn of_call(&self, args: &[Var], nils: usize, fresh: &mut Fresh) -> Vec<Constraint> {
        rename(&self.constraints, fresh, &|v| args.get((v as usize).checked_sub(nils)?).copied())
    }
}

/// Renames variables; those without a name get a fresh one.
fn rename(
    constraints: &[Constraint],
    fresh: &mut Fresh,
    name: &impl Fn(Var) -> Option<Var>,
) -> Vec<Constraint> {
    let factors = constraints.iter().flat_map(|c| &c.sum.factors);
    let local: BTreeSet<Var> = factors.map(|(v, _)| *v).filter(|v| name(*v).is_none()).collect();
    let local: BTreeMap<Var, Var> = local.into_iter().map(|v| (v, fresh.next())).collect();
    let to = |v: Var| name(v).or_else(|| local.get(&v).copied()).unwrap_or(v);
    constraints.iter().map(|c| c.renamed(&to)).collect()
}

/// What the calls of a clause say, as far as it is known.
#[must_use]
pub fn of_calls(clause: &Clause, closed: &[Option<Closed>], nils: usize) -> Vec<Constraint> {
    let mut fresh = Fresh(LOCALS);
    clause.calls.iter().flat_map(|call| of_call(call, closed, nils, &mut fresh)).collect()
}

fn of_call(
    call: &Call,
    closed: &[Option<Closed>],
    nils: usize,
    fresh: &mut Fresh,
) -> Vec<Constraint> {
    closed[call.pred].as_ref().map_or_else(Vec::new, |c| c.of_call(&call.args, nils, fresh))
}

/// What is known of each predicate, given some invariants.
#[must_use]
pub fn closed(system: &System, invariants: &[Vec<Constraint>]) -> Vec<Option<Closed>> {
    let reaches = system.reaches();
    let mut order: Vec<PredId> = (0..system.predicates.len()).collect();
    // What others mention comes first.
    order.sort_by_key(|pred| {
        let reached = reaches[*pred].iter().filter(|reached| **reached).count();
        (reached, !reaches[*pred][*pred])
    });
    let mut all = vec![None; system.predicates.len()];
    for pred in order {
        let fresh = Fresh(LOCALS);
        let mut sum = Summation { system, invariants, reaches: &reaches, pred, known: &all, fresh };
        let found = sum.constraints().filter(|found| found.len() <= MAX_CONSTRAINTS);
        all[pred] = found.map(|constraints| Closed { constraints });
    }
    all
}

/// One predicate.
struct Summation<'a> {
    system: &'a System,
    invariants: &'a [Vec<Constraint>],
    reaches: &'a [Vec<bool>],
    pred: PredId,
    known: &'a [Option<Closed>],
    fresh: Fresh,
}

impl Summation<'_> {
    fn constraints(&mut self) -> Option<Vec<Constraint>> {
        let predicate = &self.system.predicates[self.pred];
        let (mut ends, mut steps) = (Vec::new(), Vec::new());
        for case in &predicate.cases {
            let back = |call: &&Call| call.pred == self.pred || self.reaches[call.pred][self.pred];
            let calls: Vec<&Call> = case.calls.iter().filter(back).collect();
            match calls.as_slice() {
                [] => ends.push(case),
                calls if calls.iter().all(|call| call.pred == self.pred) => {
                    steps.push((case, calls.to_vec()));
                }
                _ => return None,
            }
        }
        if let ([end], []) = (ends.as_slice(), steps.as_slice()) {
            return Some(self.facts(end));
        }
        let params: Vec<usize> = (0..predicate.params.len())
            .filter(|param| self.system.is_int(predicate.params[*param]))
            .collect();
        // Every step but those with one call makes the number of ends larger.
        let (mut all, mut open) = (Vec::new(), Sum::number(1));
        let mut sums = vec![Sum::default(); params.len()];
        let mut add = |own: &[Var]| {
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum = sum.plus(&Sum::var(*own), 1)?;
            }
            Some(())
        };
        for (case, calls) in steps {
            let (differences, step) = self.step(case, &calls, &params)?;
            let times = self.times(step, &mut all)?;
            open = open.plus(&times, calls.len() as i128 - 1)?;
            add(&differences)?;
        }
        let nils = self.system.nils();
        let place = |v: Var| params.iter().position(|param| nils + param == v as usize);
        let is_one = ends.len() == 1 && open == Sum::number(1);
        for case in ends {
            let own: Vec<Var> = params.iter().map(|_| self.fresh.next()).collect();
            let facts = self.facts(case);
            let facts = rename(&facts, &mut self.fresh, &|v| Some(own[place(v)?]));
            if is_one {
                all.extend(facts);
                open = Sum::default();
            } else {
                let times = self.times(facts, &mut all)?;
                open = open.plus(&times, -1)?;
            }
            add(&own)?;
        }
        all.push(Constraint { sum: open, relation: Relation::Zero });
        for (param, sum) in params.iter().zip(&sums) {
            all.push(Constraint::equal(&Sum::var((nils + param) as Var), sum)?);
        }
        Some(all)
    }

    /// Says some number of times what is said once; gives the number.
    fn times(&mut self, once: Vec<Constraint>, all: &mut Vec<Constraint>) -> Option<Sum> {
        let times = Sum::var(self.fresh.next());
        all.push(Constraint { sum: times.clone(), relation: Relation::NotNegative });
        for Constraint { mut sum, relation } in once {
            let constant = std::mem::take(&mut sum.constant);
            if relation != Relation::NotZero {
                all.push(Constraint { sum: sum.plus(&times, constant)?, relation });
            }
        }
        Some(times)
    }

    /// What a step says of the differences between parameters and the sums of the arguments of its
    /// calls, and their names.
    fn step(
        &mut self,
        case: &Clause,
        calls: &[&Call],
        params: &[usize],
    ) -> Option<(Vec<Var>, Vec<Constraint>)> {
        let mut facts = self.facts(case);
        let mut differences = Vec::with_capacity(params.len());
        for param in params {
            let difference = self.fresh.next();
            let mut rest = Sum::var((self.system.nils() + param) as Var);
            for call in calls {
                rest = rest.plus(&Sum::var(*call.args.get(*param)?), -1)?;
            }
            facts.push(Constraint::equal(&Sum::var(difference), &rest)?);
            differences.push(difference);
        }
        let vars = facts.iter().flat_map(|c| &c.sum.factors).map(|(v, _)| *v);
        let gone = vars.filter(|v| !differences.contains(v)).collect();
        let step = arith::weaken(&facts, &gone);
        Some((differences, step))
    }

    fn facts(&mut self, case: &Clause) -> Vec<Constraint> {
        let nils = self.system.nils();
        let mut facts = invariant::facts(case, self.invariants, nils);
        for call in &case.calls {
            facts.extend(of_call(call, self.known, nils, &mut self.fresh));
        }
        facts
    }
}
