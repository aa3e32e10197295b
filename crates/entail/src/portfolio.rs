//! All procedures, the cheapest first.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use induct::Induct;
use lists::Lists;
use sl::addresses;
use sl::core::{Assertion, PredId, Scope};
use sl::procedure::{NoProof, SolverFault, Unknown};
use sl::{Answer, Budget, Entailment, Inference, Limit, Procedure, Proof, Reason, Satisfiability};

/// How long a solver may think about one of its questions if nobody says how long an answer may take.
/// There are limits on work that are reached first.
const PATIENCE: Duration = Duration::from_secs(600);

/// Says where the solver is, or why there is none.
pub type FindSolver = Arc<dyn Fn() -> Result<PathBuf, String> + Send + Sync>;

/// The procedures, with their solvers.
pub struct Portfolio {
    find_solver: FindSolver,
    lists: Lists,
    induct: Induct,
    grass: Option<grass::Solver>,
    boolean: Option<boolean::Solver>,
}

/// The procedures, in the order in which they are asked.
const MEMBERS: [Member; 4] = [Member::Lists, Member::Induct, Member::Grass, Member::Boolean];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    Lists,
    Induct,
    Grass,
    Boolean,
}

impl Portfolio {
    /// Solvers are started by the first question that needs them.
    #[must_use]
    pub fn new(find_solver: FindSolver) -> Portfolio {
        Portfolio { find_solver, lists: Lists, induct: Induct, grass: None, boolean: None }
    }

    fn solver(&self) -> Result<PathBuf, Limit> {
        (self.find_solver)().map_err(|why| Limit::Solver(SolverFault::Missing(why)))
    }

    /// The solver on reachability.
    pub(crate) fn grass(&mut self) -> Result<&mut grass::Solver, Limit> {
        if self.grass.is_none() {
            let config = grass::config(self.solver()?, PATIENCE);
            return Ok(self.grass.insert(grass::Solver::new(config)));
        }
        self.grass.as_mut().ok_or_else(no_solver)
    }

    fn boolean(&mut self) -> Result<&mut boolean::Solver, Limit> {
        if self.boolean.is_none() {
            let config = boolean::config(self.solver()?, PATIENCE);
            return Ok(self.boolean.insert(boolean::Solver::new(config)));
        }
        self.boolean.as_mut().ok_or_else(no_solver)
    }

    fn member(&mut self, member: Member) -> Result<&mut dyn Procedure, Limit> {
        match member {
            Member::Lists => Ok(&mut self.lists),
            Member::Induct => Ok(&mut self.induct),
            Member::Grass => self.grass().map(|solver| solver as &mut dyn Procedure),
            Member::Boolean => self.boolean().map(|solver| solver as &mut dyn Procedure),
        }
    }

    /// One after the other, until one of them knows.
    fn by_all<T>(
        &mut self,
        scope: &Scope,
        assertions: &[&Assertion],
        budget: &mut Budget,
        mut ask: impl FnMut(&mut dyn Procedure, &mut Budget) -> Answer<T>,
    ) -> Answer<T> {
        let mut reasons = Reasons::default();
        for member in MEMBERS {
            let answer = match self.member(member) {
                Ok(procedure) => {
                    budget.stats.procedure = Some(procedure.name());
                    ask(procedure, budget)
                }
                Err(limit) => Answer::GaveUp(limit),
            };
            match answer.result() {
                Ok(answer) => return Answer::Decided(answer),
                Err(unknown) => reasons.add(member, unknown),
            }
            // What the others would say, too.
            if let Some(limit) = budget.meter().limit() {
                return Answer::GaveUp(limit);
            }
        }
        reasons.answer(uses_induction(scope, assertions))
    }
}

impl Portfolio {
    /// The same inference with the proof of its own entailment, which this makes of what was found.
    fn with_proof(
        &mut self,
        scope: &Scope,
        inference: Inference,
        budget: &mut Budget,
        entailment: impl FnOnce(&Assertion) -> Result<(Assertion, Assertion), Reason>,
    ) -> Inference {
        let Inference::Found(found, _) = inference else { return inference };
        let answer = entailment(&found)
            .map(|(left, right)| self.entails(scope, &left, &right, budget).decided());
        let proof = match answer {
            Ok(Some(Entailment::Valid(proof))) => proof,
            _ => Proof::None(NoProof::NotRecorded),
        };
        Inference::Found(found, proof)
    }
}

impl Procedure for Portfolio {
    fn name(&self) -> &'static str {
        "all"
    }

    fn satisfiable(
        &mut self,
        scope: &Scope,
        assertion: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Satisfiability> {
        // A model is a counterexample to `false`.
        let Some(translated) = addresses::entailment(scope, assertion, &Assertion::never()) else {
            return self.by_all(scope, &[assertion], budget, |procedure, budget| {
                procedure.satisfiable(scope, assertion, budget)
            });
        };
        let (translated, scope, assertion, _) = match translated {
            Ok(translated) => translated,
            Err(reason) => return Answer::OutOfFragment(reason),
        };
        let answer = self.by_all(&scope, &[&assertion], budget, |procedure, budget| {
            procedure.satisfiable(&scope, &assertion, budget)
        });
        answer.and_then(|answer| match answer {
            Satisfiability::Sat(model) => {
                translated.model(model).map_or(Answer::GaveUp(Limit::ComputedAddresses), |model| {
                    Answer::Decided(Satisfiability::Sat(model))
                })
            }
            unsat => Answer::Decided(unsat),
        })
    }

    fn entails(
        &mut self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Entailment> {
        let Some(translated) = addresses::entailment(scope, left, right) else {
            return self.by_all(scope, &[left, right], budget, |procedure, budget| {
                procedure.entails(scope, left, right, budget)
            });
        };
        let (translated, scope, left, right) = match translated {
            Ok(translated) => translated,
            Err(reason) => return Answer::OutOfFragment(reason),
        };
        let answer = self.by_all(&scope, &[&left, &right], budget, |procedure, budget| {
            procedure.entails(&scope, &left, &right, budget)
        });
        answer.and_then(|answer| match answer {
            Entailment::Invalid(model) => {
                translated.model(model).map_or(Answer::GaveUp(Limit::ComputedAddresses), |model| {
                    Answer::Decided(Entailment::Invalid(model))
                })
            }
            valid => Answer::Decided(valid),
        })
    }

    fn frame(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        if !addresses::are_integers(scope.defs().signature()) {
            return self.frame_of_locations(scope, h, g, budget);
        }
        let found =
            of_integers(scope, h, g, |scope, h, g| self.frame_of_locations(scope, h, g, budget));
        found.map(|found| {
            self.with_proof(scope, found, budget, |frame| Ok((h.clone(), g.star(scope, frame)?)))
        })
    }

    fn abduce(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        if !addresses::are_integers(scope.defs().signature()) {
            return self.abduce_locations(scope, h, g, budget);
        }
        let found =
            of_integers(scope, h, g, |scope, h, g| self.abduce_locations(scope, h, g, budget));
        found.map(|found| {
            self.with_proof(scope, found, budget, |missing| {
                Ok((h.star(scope, missing)?, g.clone()))
            })
        })
    }
}

/// An answer about locations that are integers, by one about others. Its proof is about those others.
fn of_integers(
    scope: &Scope,
    h: &Assertion,
    g: &Assertion,
    ask: impl FnOnce(&Scope, &Assertion, &Assertion) -> Answer<Inference>,
) -> Answer<Inference> {
    let (translated, other, h, g) = match addresses::entailment(scope, h, g) {
        None => return ask(scope, h, g),
        Some(Ok(translated)) => translated,
        Some(Err(reason)) => return Answer::OutOfFragment(reason),
    };
    ask(&other, &h, &g).and_then(|inference| match inference {
        Inference::Found(found, proof) => match found
            .formula(&other)
            .map(|f| translated.formula(&f))
        {
            Ok(Some(formula)) => Answer::Decided(Inference::Found(formula, proof).lowered(scope)),
            Ok(None) => Answer::GaveUp(Limit::ComputedAddresses),
            Err(reason) => Answer::OutOfFragment(reason),
        },
        Inference::Nothing(model) => {
            Answer::Decided(Inference::Nothing(model.and_then(|model| translated.model(model))))
        }
    })
}

fn no_solver() -> Limit {
    Limit::Solver(SolverFault::Missing("there is no solver".into()))
}

/// Why nobody knows.
#[derive(Default)]
struct Reasons(Vec<(Member, Unknown)>);

impl Reasons {
    fn add(&mut self, member: Member, unknown: Unknown) {
        self.0.push((member, unknown));
    }

    /// The reasons of the procedures that came closest. What `lists` can do, others can do, too; with
    /// inductive definitions `boolean` has nothing to say, and without them it can do most.
    fn answer<T>(self, induction: bool) -> Answer<T> {
        let is_close = |member: Member| match member {
            Member::Lists => false,
            Member::Induct | Member::Grass => induction,
            Member::Boolean => !induction,
        };
        let mut all: Vec<Unknown> = Vec::new();
        for (_, unknown) in self.0.into_iter().filter(|(member, _)| is_close(*member)) {
            if !all.contains(&unknown) {
                all.push(unknown);
            }
        }
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Err(only).into(),
            (last, _) => {
                all.extend(last);
                Answer::GaveUp(Limit::All(all))
            }
        }
    }
}

/// Does an assertion mention a predicate whose definition comes to itself?
fn uses_induction(scope: &Scope, assertions: &[&Assertion]) -> bool {
    let forms = assertions.iter().filter_map(|assertion| assertion.form(scope).ok());
    let mentioned: BTreeSet<PredId> = forms.flat_map(|form| form.predicates()).collect();
    let core = scope.core();
    core.reached(mentioned).into_iter().any(|pred| core.is_inductive(pred))
}
