//! Horn clauses over linear integer arithmetic with second-order variables [ABCK15, Sec. 5].
//!
//! A [`System`] has *relations* (second-order variables) and clauses `h ← b₁ ∧ … ∧ bₙ`, whose atoms are queries
//! `R(A₁, …, Aₖ)` and linear constraints; a clause without a head says that its body is contradictory. A
//! [`Solution`] gives each relation a formula over its parameters such that every clause is a valid implication.
//!
//! - [`Farkas`]: interpolation of our own, for systems without recursion. Each relation gets a half-space as
//!   template; Farkas' lemma turns clauses into one linear program, whose optimum has few non-zero coefficients.
//! - [`Octagons`]: abstract interpretation, for systems with recursion, too.
//! - [`Spacer`]: Z3 in a process, for systems with recursion, too.
//! - [`check`]: every solution is checked clause by clause by elimination (crate `arith`), which neither of
//!   them uses. Whoever asks through [`solve`] gets checked solutions only.
//!
//! *Does not know*: heaps, programs, what a relation is for.

mod check;
mod farkas;
mod fixpoint;
mod formula;
mod model;
mod octagon;
mod print;
mod simplex;
mod simplify;
mod spacer;
mod strongest;

use std::time::Instant;

pub use arith::{Constraint, Relation as Sign, Sum, Var};
pub use check::{Wrong, check, check_clauses};
pub use farkas::Farkas;
pub use fixpoint::Octagons;
pub use formula::Formula;
pub use spacer::Spacer;
pub use strongest::Strongest;

/// The place of a relation in [`System::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelId(pub u32);

impl RelId {
    /// As an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A second-order variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Its name, for people.
    pub name: String,
    /// How many parameters it has.
    pub arity: u32,
    /// Relations of one group are about the same place of a program. Solutions that are the same for all of
    /// them are tried first: they are more likely to be inductive.
    pub group: Option<u32>,
    /// Is it about program states, and not about what a data structure holds? Solutions that need less of such
    /// relations are tried first.
    pub state: bool,
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The relation.
    pub rel: RelId,
    /// As many terms as it has parameters.
    pub args: Vec<Sum>,
}

/// `head ← body ∧ facts`; all variables are universal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What follows; nothing does if the body is to be contradictory.
    pub head: Option<Query>,
    /// Queries.
    pub body: Vec<Query>,
    /// Linear constraints.
    pub facts: Vec<Constraint>,
}

/// Relations and clauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// Its relations.
    pub relations: Vec<Relation>,
    /// Its clauses.
    pub clauses: Vec<Clause>,
}

/// A formula for each relation; its parameters are the variables 0, 1, ….
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// By [`RelId`].
    pub formulas: Vec<Formula>,
}

/// What a solver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A solution.
    Solved(Solution),
    /// There is none.
    Unsolvable,
    /// Neither is known, for this reason.
    Unknown(String),
}

/// Finds solutions.
pub trait Solver {
    /// Looks for a solution until a deadline.
    fn solve(&mut self, system: &System, deadline: Option<Instant>) -> Outcome;
}

impl System {
    /// A new relation.
    pub fn relation(
        &mut self,
        name: String,
        arity: usize,
        group: Option<u32>,
        state: bool,
    ) -> RelId {
        let id = RelId(self.relations.len() as u32);
        self.relations.push(Relation { name, arity: arity as u32, group, state });
        id
    }

    /// Adds a clause.
    pub fn clause(&mut self, head: Option<Query>, body: Vec<Query>, facts: Vec<Constraint>) {
        self.clauses.push(Clause { head, body, facts });
    }

    /// Do all queries name a relation, with as many arguments as it has parameters?
    #[must_use]
    pub fn is_well_formed(&self) -> bool {
        let fits = |query: &Query| {
            let relation = self.relations.get(query.rel.index());
            relation.is_some_and(|relation| relation.arity as usize == query.args.len())
        };
        self.clauses.iter().all(|clause| clause.head.iter().chain(&clause.body).all(fits))
    }

    /// The relations, each behind those that its clauses mention; `None` if there is recursion.
    #[must_use]
    pub fn bottom_up(&self) -> Option<Vec<RelId>> {
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); self.relations.len()];
        let mut open: Vec<usize> = vec![0; self.relations.len()];
        for clause in &self.clauses {
            let Some(head) = &clause.head else { continue };
            for query in &clause.body {
                uses.get_mut(query.rel.index())?.push(head.rel.index());
                *open.get_mut(head.rel.index())? += 1;
            }
        }
        let mut order: Vec<usize> = (0..open.len()).filter(|&r| open[r] == 0).collect();
        let mut next = 0;
        while let Some(&relation) = order.get(next) {
            next += 1;
            for &user in &uses[relation] {
                open[user] -= 1;
                if open[user] == 0 {
                    order.push(user);
                }
            }
        }
        let all = order.len() == self.relations.len();
        all.then(|| order.into_iter().map(|r| RelId(r as u32)).collect())
    }

    /// The same with each `a ≠ b` as two clauses: templates and elimination know inequalities only.
    pub(crate) fn without_disequations(&self) -> Option<System> {
        let mut clauses = Vec::new();
        let mut pending = self.clauses.clone();
        while let Some(mut clause) = pending.pop() {
            if clauses.len() + pending.len() > MOST_CLAUSES {
                return None;
            }
            match clause.facts.iter().position(|fact| fact.relation == Sign::NotZero) {
                None => clauses.push(clause),
                Some(index) => {
                    let fact = clause.facts.remove(index);
                    for case in (Constraint { relation: Sign::Zero, ..fact }).negation()? {
                        let mut facts = clause.facts.clone();
                        facts.push(case);
                        pending.push(Clause { facts, ..clause.clone() });
                    }
                }
            }
        }
        clauses.reverse();
        Some(System { relations: self.relations.clone(), clauses })
    }
}

/// More clauses than this are not worth a try.
const MOST_CLAUSES: usize = 4096;

/// Asks solvers one after the other, until one of them has a solution that [`check`] accepts.
pub fn solve(
    system: &System,
    solvers: &mut [&mut dyn Solver],
    deadline: Option<Instant>,
) -> Outcome {
    let mut reasons = Vec::new();
    for solver in solvers {
        match solver.solve(system, deadline) {
            Outcome::Solved(solution) => match check(system, &solution) {
                Ok(()) => return Outcome::Solved(solution),
                Err(wrong) => reasons.push(wrong.to_string()),
            },
            Outcome::Unsolvable => return Outcome::Unsolvable,
            Outcome::Unknown(reason) => reasons.push(reason),
        }
    }
    Outcome::Unknown(reasons.join("; "))
}
