//! Questions to a solver, and models as its answers.

use std::path::PathBuf;
use std::time::Duration;

use sl::core::{Form, Scope};
use sl::procedure::{Meter, NoProof, SolverFault, Stats, Unknown};
use sl::{Budget, Evaluator, Limit, Model, Proof, Satisfiability, Truth};
use smt::{Answer, Config, Limits, Session, SolverError};

use crate::logic::{self, Reduced, reduce};
use crate::paths::{self, Mentioned, Outcome, Paths};
use crate::readback::ReadBack;
use crate::theory::Theory;
use crate::translate::{Footprint, Translator};

pub(crate) fn unreadable() -> Unknown {
    Limit::Solver(SolverFault::UnreadableModel).into()
}

/// Why a session has no answer.
fn failed(error: &SolverError) -> Limit {
    match error {
        SolverError::Cancelled => Limit::Cancelled,
        SolverError::OutOfTime => Limit::Time,
        _ => Limit::Solver(SolverFault::Failed(error.to_string())),
    }
}

/// Work that one question to the solver may take. Questions are without quantifiers, so that the
/// solver decides them all; products of variables are out of the fragment, and this stops it.
const RLIMIT: u64 = 2_000_000_000;

/// How to talk to a solver that is this program. The time is for when it hangs.
#[must_use]
pub fn config(solver: PathBuf, timeout: Duration) -> Config {
    // What the solver need not hold true it holds false, so that less follows from it.
    let options =
        [("auto_config", "false"), ("smt.random_seed", "0"), ("smt.phase_selection", "0")];
    Config {
        solver,
        options: options.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        limits: Limits { rlimit: Some(RLIMIT), timeout },
        deadline: None,
        cancel: None,
        profile: false,
        native: false,
    }
}

/// Decides questions, one after the other, with one solver.
pub struct Solver {
    pub(crate) session: Session,
    work: Stats,
    meter: Meter,
    /// What the session had done when the work was taken last.
    before: smt::Stats,
}

/// Something that a solver found to hold.
pub(crate) enum Found {
    /// A model of the reduced formula, and its paths; the session can be asked for other values.
    Model(Reduced, Paths),
    /// There is none.
    Nothing,
    /// Nobody knows.
    Unknown(Unknown),
}

impl Solver {
    /// A solver that is started by the first question.
    #[must_use]
    pub fn new(config: Config) -> Solver {
        Solver {
            session: Session::new(config),
            work: Stats::default(),
            meter: Meter::default(),
            before: smt::Stats::default(),
        }
    }

    /// What was done since this was asked last.
    pub fn take_work(&mut self) -> Stats {
        let stats = self.session.stats();
        let before = std::mem::replace(&mut self.before, stats);
        let queries = stats.queries - before.queries;
        let waiting = stats.waiting.saturating_sub(before.waiting);
        Stats { queries, waiting, ..std::mem::take(&mut self.work) }
    }

    /// Does something within a budget, which counts what it took.
    pub(crate) fn within<T>(
        &mut self,
        budget: &mut Budget,
        question: impl FnOnce(&mut Solver) -> Result<T, Unknown>,
    ) -> sl::Answer<T> {
        self.meter = budget.meter();
        if let Some(limit) = self.meter.limit() {
            return sl::Answer::GaveUp(limit);
        }
        self.session.set_deadline(budget.clock.deadline);
        self.session.set_cancel(budget.clock.cancel.clone());
        let answer = question(self);
        budget.stats.add(self.take_work());
        budget.spend(&self.meter);
        answer.into()
    }

    /// Writes what the solver is told to a file, until the next question that starts anew.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn dump_to(&mut self, path: &std::path::Path) -> std::io::Result<()> {
        self.session.dump_to(path)
    }

    /// Is there a model of all of these formulas? A model is confirmed by the evaluator.
    ///
    /// # Errors
    /// If a formula is out of the fragment, or the solver does not know.
    pub fn model(&mut self, scope: &Scope, formulas: &[Form]) -> Result<Satisfiability, Unknown> {
        let mut translator = Translator::new(scope.defs());
        let (footprint, mut facts) = translator.footprint("X");
        for formula in formulas {
            let formula = translator.unfolded(formula);
            facts.push(translator.translate(&formula, &footprint, true)?);
        }
        for var in formulas.iter().flat_map(Form::free_vars) {
            // What has no term was noticed by the translation.
            let _ = translator.var(&var);
        }
        loop {
            let mut all = facts.clone();
            all.extend(translator.definitions.iter().cloned());
            let (answer, again) = match self.find(&mut translator.theory, &all) {
                Found::Model(reduced, paths) => {
                    let model = (&reduced, &paths);
                    match self.confirmed(&mut translator, &footprint, model, formulas) {
                        Ok(model) => (Ok(Satisfiability::Sat(model)), false),
                        Err(unknown) => {
                            match translator.choose_disjunct(&mut self.session, model) {
                                Ok(again) => (Err(unknown), again),
                                Err(unknown) => (Err(unknown), false),
                            }
                        }
                    }
                }
                Found::Unknown(unknown) => (Err(unknown), false),
                Found::Nothing => (Ok(Satisfiability::Unsat(Proof::None(NoProof::Solver))), false),
            };
            self.session.clear();
            if !again {
                return answer;
            }
        }
    }

    /// Is there a model of these formulas of graphs and sets?
    ///
    /// # Errors
    /// If the solver does not know, or there is none.
    pub fn graph_satisfiable(
        &mut self,
        theory: &mut Theory,
        formulas: &[logic::Formula],
    ) -> Result<bool, Unknown> {
        let found = self.find(theory, formulas);
        self.session.clear();
        match found {
            Found::Model(..) => Ok(true),
            Found::Nothing => Ok(false),
            Found::Unknown(reason) => Err(reason),
        }
    }

    /// As above; the scope with the formulas stays open.
    pub(crate) fn find(&mut self, theory: &mut Theory, formulas: &[logic::Formula]) -> Found {
        let reduced = reduce(theory, formulas);
        self.work.searches += 1;
        self.work.nodes = self.work.nodes.max(reduced.nodes.len());
        self.session.push();
        for term in theory.mentioned(&reduced) {
            self.session.mention(&theory.terms, term);
        }
        let mut mentioned = Mentioned::default();
        let mut new = reduced.formulas.clone();
        loop {
            mentioned.add(theory, &mut new);
            for formula in &new {
                self.session.assert(&theory.terms, *formula);
            }
            if !self.meter.step(1) {
                return Found::Unknown(self.meter.limit().unwrap_or(Limit::Steps).into());
            }
            match self.session.check() {
                Ok(Answer::Sat) => {}
                Ok(Answer::Unsat) => return Found::Nothing,
                Ok(Answer::Unknown(why)) => {
                    return Found::Unknown(Limit::Solver(SolverFault::GaveUp(why)).into());
                }
                Err(error) => return Found::Unknown(failed(&error).into()),
            }
            let (nodes, reads) = (&reduced.nodes, &reduced.reads);
            match paths::examine(theory, &mut self.session, &mentioned, nodes, reads) {
                Outcome::Real(paths) => return Found::Model(reduced, paths),
                Outcome::Missing(instances) => {
                    self.work.rounds += 1;
                    self.work.instances += instances.len() as u64;
                    new = instances;
                }
                Outcome::Lost => return Found::Unknown(unreadable()),
            }
        }
    }

    /// The model, if the evaluator agrees.
    fn confirmed(
        &mut self,
        translator: &mut Translator<'_>,
        footprint: &Footprint,
        (reduced, paths): (&Reduced, &Paths),
        formulas: &[Form],
    ) -> Result<Model, Unknown> {
        let mut free = std::collections::BTreeSet::new();
        formulas.iter().for_each(|f| free.extend(f.free_vars()));
        let mut read = ReadBack::new(&mut self.session, translator, footprint, reduced, paths);
        let Some(model) = read.model(&free) else {
            return Err(unreadable());
        };
        let evaluator = Evaluator::new(translator.signature, translator.semantics);
        let whole = translator.defs.core().named(&Form::and(formulas.to_vec()), &[])?;
        // Cells that nobody can name are often there for no reason.
        let smaller: Vec<Model> = (0..3).filter_map(|kept| model.trimmed(kept)).collect();
        let mut models = smaller.into_iter().chain([model]);
        models
            .find(|model| evaluator.holds(model, &whole) == Truth::True)
            .ok_or_else(|| Limit::Unconfirmed.into())
    }
}
