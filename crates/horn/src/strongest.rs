//! The strongest solution: what the clauses derive, relation by relation, by elimination.

use std::collections::BTreeSet;
use std::time::Instant;

use arith::{Constraint, Sum, Var};

use crate::formula::Formula;
use crate::{Clause, Outcome, RelId, Solution, Solver, System, check};

/// Disjuncts of a formula.
const MOST_DISJUNCTS: usize = 48;

/// Computes what the clauses derive. If that is not exact, it is weaker; a goal that then does not hold is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strongest;

impl Solver for Strongest {
    fn solve(&mut self, system: &System, deadline: Option<Instant>) -> Outcome {
        let (Some(split), true) = (system.without_disequations(), system.is_well_formed()) else {
            return Outcome::Unknown("there are too many disequations".to_owned());
        };
        let Some(order) = split.bottom_up() else {
            return Outcome::Unknown("the clauses are recursive".to_owned());
        };
        let mut formulas = vec![Formula::falsity(); system.relations.len()];
        for rel in order {
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Outcome::Unknown("time is up".to_owned());
            }
            let Some(formula) = derived(&split, rel, &formulas) else {
                return Outcome::Unknown("the strongest solution is too large".to_owned());
            };
            formulas[rel.index()] = formula;
        }
        let solution = Solution { formulas };
        match check(system, &solution) {
            Ok(()) => Outcome::Solved(solution),
            Err(_) => Outcome::Unknown("the strongest solution is not strong enough".to_owned()),
        }
    }
}

fn derived(system: &System, rel: RelId, formulas: &[Formula]) -> Option<Formula> {
    let mut result = Formula::falsity();
    for clause in &system.clauses {
        let Some(head) = clause.head.as_ref().filter(|head| head.rel == rel) else { continue };
        // Parameters come first; variables of the clause are behind them.
        let shift = head.args.len() as Var;
        let clause = shifted(clause, shift);
        let head = clause.head.as_ref()?;
        let mut facts = clause.facts.clone();
        for (place, arg) in head.args.iter().enumerate() {
            facts.push(Constraint::equal(&Sum::var(place as Var), arg)?);
        }
        let mut body = Formula { disjuncts: vec![facts] };
        for query in &clause.body {
            let formula = formulas.get(query.rel.index())?.apply(&query.args)?;
            body = body.and(&formula, MOST_DISJUNCTS)?;
        }
        for all in body.disjuncts {
            if arith::contradictory(&all) {
                continue;
            }
            let vars = all.iter().flat_map(|c| c.sum.factors.iter().map(|(var, _)| *var));
            let gone: BTreeSet<Var> = vars.filter(|var| *var >= shift).collect();
            let mut kept = match arith::project(&all, &gone) {
                Some(kept) => kept,
                None => arith::weaken(&all, &gone),
            };
            kept.retain(|c| !c.is_trivial());
            let implied =
                |old: &Vec<Constraint>| old.iter().all(|goal| arith::implies(&kept, goal));
            if !result.disjuncts.iter().any(implied) {
                result.disjuncts.retain(|old| !kept.iter().all(|goal| arith::implies(old, goal)));
                result.disjuncts.push(kept);
            }
        }
        if result.disjuncts.len() > MOST_DISJUNCTS {
            return None;
        }
    }
    Some(result)
}

fn shifted(clause: &Clause, by: Var) -> Clause {
    let rename = |var: Var| var + by;
    let query = |query: &crate::Query| crate::Query {
        rel: query.rel,
        args: query.args.iter().map(|arg| arg.renamed(&rename)).collect(),
    };
    Clause {
        head: clause.head.as_ref().map(query),
        body: clause.body.iter().map(query).collect(),
        facts: clause.facts.iter().map(|fact| fact.renamed(&rename)).collect(),
    }
}
