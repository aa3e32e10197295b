//! Systems and solutions as text: for people, and as SMT-LIB.

use std::collections::BTreeSet;
use std::fmt;

use arith::{Constraint, Relation as Sign, Sum, Var};

use crate::formula::show;
use crate::{Clause, Query, Solution, System};

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for clause in &self.clauses {
            writeln!(f, "{}", self.show_clause(clause))?;
        }
        Ok(())
    }
}

impl System {
    /// A clause as in the paper: `R2(i') ← R1(i) ∧ i' = i - 1`.
    #[must_use]
    pub fn show_clause(&self, clause: &Clause) -> String {
        let name = |var: Var| format!("x{var}");
        let mut body: Vec<String> = clause.body.iter().map(|query| self.query(query)).collect();
        body.extend(clause.facts.iter().map(|fact| show(fact, &name)));
        let head = clause.head.as_ref().map_or("false".to_owned(), |head| self.query(head));
        let body = if body.is_empty() { "true".to_owned() } else { body.join(" && ") };
        format!("{head} <- {body}")
    }

    fn query(&self, query: &Query) -> String {
        let name = self.relations.get(query.rel.index()).map_or("?", |relation| &relation.name);
        let args: Vec<String> = query.args.iter().map(term).collect();
        format!("{name}({})", args.join(", "))
    }

    /// A solution, relation by relation.
    #[must_use]
    pub fn show_solution(&self, solution: &Solution) -> String {
        let mut text = String::new();
        for (relation, formula) in self.relations.iter().zip(&solution.formulas) {
            let params: Vec<String> = (0..relation.arity).map(|p| format!("v{p}")).collect();
            let formula = formula.show(&|var| format!("v{var}"));
            text.push_str(&format!("{}({}): {formula}\n", relation.name, params.join(", ")));
        }
        text
    }

    /// A problem of logic `HORN` whose model is a solution.
    pub(crate) fn smtlib(&self) -> String {
        let mut text = String::from("(set-logic HORN)\n");
        for (index, relation) in self.relations.iter().enumerate() {
            let sorts = vec!["Int"; relation.arity as usize].join(" ");
            text.push_str(&format!("(declare-fun R{index} ({sorts}) Bool)\n"));
        }
        for clause in &self.clauses {
            let mut vars = BTreeSet::new();
            let mut visit = |sum: &Sum| vars.extend(sum.factors.iter().map(|(var, _)| *var));
            clause.facts.iter().for_each(|fact| visit(&fact.sum));
            let queries = clause.head.iter().chain(&clause.body);
            queries.flat_map(|query| &query.args).for_each(visit);
            let mut body: Vec<String> = clause.body.iter().map(smt_query).collect();
            body.extend(clause.facts.iter().map(smt_constraint));
            let head = clause.head.as_ref().map_or("false".to_owned(), smt_query);
            let implication = format!("(=> (and true {}) {head})", body.join(" "));
            let vars: Vec<String> = vars.iter().map(|var| format!("(x{var} Int)")).collect();
            text.push_str(&match vars.is_empty() {
                true => format!("(assert {implication})\n"),
                false => format!("(assert (forall ({}) {implication}))\n", vars.join(" ")),
            });
        }
        text
    }
}

fn term(sum: &Sum) -> String {
    let mut terms = Vec::new();
    for (var, factor) in &sum.factors {
        terms.push(if *factor == 1 { format!("x{var}") } else { format!("{factor}*x{var}") });
    }
    if sum.constant != 0 || terms.is_empty() {
        terms.push(sum.constant.to_string());
    }
    terms.join(" + ")
}

fn smt_query(query: &Query) -> String {
    if query.args.is_empty() {
        return format!("R{}", query.rel.0);
    }
    let args: Vec<String> = query.args.iter().map(smt_sum).collect();
    format!("(R{} {})", query.rel.0, args.join(" "))
}

fn smt_constraint(constraint: &Constraint) -> String {
    let sum = smt_sum(&constraint.sum);
    match constraint.relation {
        Sign::Zero => format!("(= {sum} 0)"),
        Sign::NotNegative => format!("(>= {sum} 0)"),
        Sign::NotZero => format!("(not (= {sum} 0))"),
    }
}

fn smt_number(number: i128) -> String {
    if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() }
}

fn smt_sum(sum: &Sum) -> String {
    let mut terms: Vec<String> = Vec::new();
    for (var, factor) in &sum.factors {
        terms.push(match factor {
            1 => format!("x{var}"),
            factor => format!("(* {} x{var})", smt_number(*factor)),
        });
    }
    if sum.constant != 0 || terms.is_empty() {
        terms.push(smt_number(sum.constant));
    }
    match terms.as_slice() {
        [one] => one.clone(),
        many => format!("(+ {})", many.join(" ")),
    }
}
