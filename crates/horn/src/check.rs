//! Is a solution one? Asked clause by clause, by elimination alone.

use std::fmt;

use crate::{Clause, Formula, Query, Solution, System};

/// More cases than this are not looked at for one clause.
const MOST_CASES: usize = 1 << 14;

/// The first clause that a solution is not shown to satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its place in the system.
    pub clause: usize,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "clause {} does not follow from the solution that was found", self.clause)
    }
}

/// Accepts a solution if each clause is a valid implication. What cannot be shown is not accepted.
///
/// # Errors
/// The first clause that is not shown.
pub fn check(system: &System, solution: &Solution) -> Result<(), Wrong> {
    check_clauses(&system.clauses, &solution.formulas)
}

/// The same for clauses whose relations have these formulas, by [`crate::RelId`].
///
/// # Errors
/// The first clause that is not shown.
pub fn check_clauses(clauses: &[Clause], formulas: &[Formula]) -> Result<(), Wrong> {
    let holds = |clause: &Clause| clause_holds(clause, formulas).unwrap_or(false);
    match clauses.iter().position(|clause| !holds(clause)) {
        Some(clause) => Err(Wrong { clause }),
        None => Ok(()),
    }
}

/// Is the body contradictory with the negation of the head? `None` if numbers or cases are too many.
fn clause_holds(clause: &Clause, formulas: &[Formula]) -> Option<bool> {
    let formula = |query: &Query| formulas.get(query.rel.index())?.apply(&query.args);
    let mut body = Formula { disjuncts: vec![clause.facts.clone()] };
    for query in &clause.body {
        body = body.and(&formula(query)?, MOST_CASES)?;
    }
    if let Some(head) = &clause.head {
        let head = formula(head)?;
        // A disjunct of the body that is one of the head needs no elimination.
        let negated = head.negation(MOST_CASES)?;
        body = body.and(&negated, MOST_CASES)?;
    }
    Some(body.disjuncts.iter().all(|all| arith::contradictory(all)))
}
