//! Clauses without what does not matter: equations are substituted, variables that are mentioned once are gone, equal
//! clauses are one. A solution of the simpler system is one of the other.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use arith::{Constraint, Relation as Sign, Sum, Var};

use crate::{Clause, Query, System};

impl System {
    /// The same system with simpler clauses.
    #[must_use]
    pub fn simplified(&self) -> System {
        let mut seen = HashSet::new();
        let mut clauses = Vec::new();
        for clause in &self.clauses {
            let Some(clause) = simplified(clause.clone()) else { continue };
            if seen.insert(format!("{clause:?}")) {
                clauses.push(clause);
            }
        }
        System { relations: self.relations.clone(), clauses }
    }
}

/// A simpler clause; `None` if it always holds.
fn simplified(mut clause: Clause) -> Option<Clause> {
    // x = A is substituted; where numbers become too large, it stays.
    let mut index = 0;
    while let Some(fact) = clause.facts.get(index) {
        let unit = fact.sum.factors.iter().find(|(_, factor)| matches!(factor, 1 | -1));
        let next = match (fact.relation, unit) {
            (Sign::Zero, Some((var, factor))) => value(fact, *var, *factor)
                .and_then(|value| substitute(&clause, index, *var, &value)),
            _ => None,
        };
        match next {
            Some(next) => {
                clause = next;
                index = 0;
            }
            None => index += 1,
        }
    }
    if clause.facts.iter().any(|fact| fact.sum.factors.is_empty() && !fact.is_trivial()) {
        return None;
    }
    clause.facts.retain(|fact| !fact.is_trivial());
    if arith::contradictory(&clause.facts) {
        return None;
    }
    // Variables of which only bounds are known, and which no query mentions: the facts are not contradictory.
    let mut counts: BTreeMap<Var, usize> = BTreeMap::new();
    let mut open: BTreeSet<Var> = BTreeSet::new();
    for fact in &clause.facts {
        for (var, _) in &fact.sum.factors {
            *counts.entry(*var).or_default() += usize::from(fact.sum.factors.len() > 1);
        }
    }
    let queries = clause.head.iter().chain(&clause.body);
    for (var, _) in queries.flat_map(|query| &query.args).flat_map(|arg| &arg.factors) {
        open.insert(*var);
    }
    let is_local = |var: &Var| !open.contains(var) && counts.get(var).is_none_or(|n| *n == 0);
    clause.facts.retain(|fact| match fact.sum.factors.as_slice() {
        [(var, _)] => !is_local(var),
        _ => true,
    });
    let mut facts: Vec<Constraint> = Vec::new();
    for fact in clause.facts {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    clause.facts = facts;
    Some(renumbered(&clause))
}

/// What `var` is, by an equation in which its factor is 1 or -1.
fn value(fact: &Constraint, var: Var, factor: i128) -> Option<Sum> {
    let rest = fact.sum.plus(&Sum::var(var), -factor)?;
    if factor == 1 { rest.negative() } else { Some(rest) }
}

fn substitute(clause: &Clause, skip: usize, var: Var, value: &Sum) -> Option<Clause> {
    let sum = |sum: &Sum| match sum.factor(var) {
        0 => Some(sum.clone()),
        factor => sum.plus(&Sum::var(var), -factor)?.plus(value, factor),
    };
    let query = |query: &Query| {
        let args = query.args.iter().map(sum).collect::<Option<Vec<_>>>()?;
        Some(Query { rel: query.rel, args })
    };
    let head = match &clause.head {
        Some(head) => Some(query(head)?),
        None => None,
    };
    let body = clause.body.iter().map(query).collect::<Option<Vec<_>>>()?;
    let others = clause.facts.iter().enumerate().filter(|(index, _)| *index != skip);
    let facts = others
        .map(|(_, fact)| Some(Constraint { sum: sum(&fact.sum)?, relation: fact.relation }))
        .collect::<Option<Vec<_>>>()?;
    Some(Clause { head, body, facts })
}

/// Variables in the order in which they are first mentioned, so that equal clauses look the same.
fn renumbered(clause: &Clause) -> Clause {
    let mut places: BTreeMap<Var, Var> = BTreeMap::new();
    let mut visit = |sum: &Sum| {
        for (var, _) in &sum.factors {
            let next = places.len() as Var;
            places.entry(*var).or_insert(next);
        }
    };
    let queries = clause.head.iter().chain(&clause.body);
    queries.flat_map(|query| &query.args).for_each(&mut visit);
    clause.facts.iter().for_each(|fact| visit(&fact.sum));
    let rename = |var: Var| places.get(&var).copied().unwrap_or(var);
    let query = |query: &Query| Query {
        rel: query.rel,
        args: query.args.iter().map(|arg| arg.renamed(&rename)).collect(),
    };
    Clause {
        head: clause.head.as_ref().map(query),
        body: clause.body.iter().map(query).collect(),
        facts: clause.facts.iter().map(|fact| fact.renamed(&rename)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Constraint, Query, Sum, System};

    #[test]
    fn what_is_mentioned_once_is_gone() {
        let mut system = System::default();
        let rel = system.relation("R".into(), 1, None, true);
        let query = |sum: Sum| Query { rel, args: vec![sum] };
        let mut facts = Vec::new();
        facts.extend(Constraint::at_most(&Sum::var(7), &Sum::number(3)));
        facts.extend(Constraint::equal(&Sum::var(9), &Sum::var(4)));
        facts.extend(Constraint::less(&Sum::number(0), &Sum::var(9)));
        system.clause(Some(query(Sum::var(9))), vec![query(Sum::var(4))], facts.clone());
        // Another one that says the same.
        facts.remove(0);
        system.clause(Some(query(Sum::var(9))), vec![query(Sum::var(4))], facts);
        let text = system.simplified().to_string();
        assert_eq!(text, "R(x0) <- R(x0) && x0 >= 1\n");
    }
}
