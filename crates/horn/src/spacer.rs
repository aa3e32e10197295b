//! Z3's Spacer in a process, for systems with and without recursion.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::{Outcome, Solver, System, model};

/// Relations that are inlined are defined by quantified formulas afterwards, and those that are cut off wrongly, so
/// neither is done.
const OPTIONS: &str = "(set-option :fp.xform.inline_linear false)\n\
                       (set-option :fp.xform.inline_eager false)\n\
                       (set-option :fp.xform.slice false)\n\
                       (set-option :fp.xform.coi false)\n";

/// Asks Z3. A process for each question: Horn clauses do not share its scopes.
#[derive(Clone, Debug)]
pub struct Spacer {
    /// The program.
    pub solver: PathBuf,
    /// What a question may take.
    pub timeout: Duration,
}

impl Solver for Spacer {
    fn solve(&mut self, system: &System, deadline: Option<Instant>) -> Outcome {
        if !system.is_well_formed() {
            return Outcome::Unknown("the clauses are malformed".to_owned());
        }
        let limit = Instant::now() + self.timeout;
        let limit = deadline.map_or(limit, |deadline| deadline.min(limit));
        let text = format!("{OPTIONS}{}(check-sat)\n(get-model)\n", system.smtlib());
        let reply = match smt::ask_once(&self.solver, text, limit) {
            Ok(reply) => reply,
            Err(problem) => return Outcome::Unknown(problem.to_string()),
        };
        let (answer, rest) = reply.split_once('\n').unwrap_or((&reply, ""));
        match answer.trim() {
            "sat" => match model::read(rest, system) {
                Some(solution) => Outcome::Solved(solution),
                None => Outcome::Unknown("the solver's solution is not linear".to_owned()),
            },
            "unsat" => Outcome::Unsolvable,
            _ => Outcome::Unknown("the solver does not know".to_owned()),
        }
    }
}
