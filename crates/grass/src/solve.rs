//! Questions to a solver, and models as its answers.

use std::path::PathBuf;
use std::time::Duration;

use sl::{Evaluator, Formula, Semantics, Signature, Truth, Verdict};
use smt::{Answer, Config, Limits, Session};

use crate::logic::{self, Reduced, reduce};
use crate::readback::ReadBack;
use crate::theory::Theory;
use crate::translate::{Extent, Footprint, Translator};

/// How often more nodes are added when a model is none.
const ROUNDS: usize = 2;

const UNCONFIRMED: &str = "the model that was found could not be confirmed";

/// How to talk to a solver that is this program.
#[must_use]
pub fn config(solver: PathBuf, timeout: Duration) -> Config {
    let options = [("auto_config", "false"), ("smt.mbqi", "true"), ("smt.random_seed", "0")];
    Config {
        solver,
        options: options.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        limits: Limits { rlimit: None, timeout },
        deadline: None,
        cancel: None,
        profile: false,
    }
}

/// Decides questions, one after the other, with one solver.
pub struct Solver {
    pub(crate) session: Session,
}

/// Something that a solver found to hold.
pub(crate) enum Found {
    /// A model of the reduced formula; the session can be asked for values.
    Model(Reduced),
    /// There is none.
    Nothing,
    /// Nobody knows.
    Unknown(String),
}

impl Solver {
    /// A solver that is started by the first question.
    #[must_use]
    pub fn new(config: Config) -> Solver {
        Solver { session: Session::new(config) }
    }

    /// What was asked so far.
    #[must_use]
    pub fn stats(&self) -> smt::Stats {
        self.session.stats()
    }

    /// Writes what the solver is told to a file, until the next question that starts anew.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn dump_to(&mut self, path: &std::path::Path) -> std::io::Result<()> {
        self.session.dump_to(path)
    }

    /// Is there a model of all of these formulas? A model is confirmed by the evaluator.
    pub fn decide(
        &mut self,
        signature: &Signature,
        semantics: Semantics,
        formulas: &[Formula],
    ) -> Verdict {
        let mut translator = Translator::new(signature, semantics);
        let (footprint, mut facts) = translator.footprint("X");
        for formula in formulas {
            match translator.translate(formula, &footprint, Extent::Exact, true) {
                Ok(fact) => facts.push(fact),
                Err(reason) => return Verdict::Unknown(reason.0),
            }
        }
        facts.append(&mut translator.definitions);
        for var in formulas.iter().flat_map(Formula::free_vars) {
            // What has no term was noticed by the translation.
            let _ = translator.var(&var);
        }
        let mut verdict = Verdict::Unknown(String::new());
        for rounds in 0..=ROUNDS {
            let found = self.find_within(&mut translator.theory, &facts, rounds);
            let Found::Model(reduced) = found else {
                self.session.clear();
                return match found {
                    Found::Unknown(reason) => Verdict::Unknown(reason),
                    _ => Verdict::Unsat,
                };
            };
            verdict = self.confirmed(&mut translator, &footprint, &reduced, formulas);
            self.session.clear();
            if verdict != Verdict::Unknown(UNCONFIRMED.into()) {
                break;
            }
        }
        verdict
    }

    /// Is there a model?
    pub fn satisfiable(
        &mut self,
        signature: &Signature,
        semantics: Semantics,
        formula: &Formula,
    ) -> Verdict {
        self.decide(signature, semantics, std::slice::from_ref(formula))
    }

    /// Is every model of the first formula one of the second? It is if the answer is
    /// [`Verdict::Unsat`]; a model is a counterexample.
    pub fn entails(
        &mut self,
        signature: &Signature,
        semantics: Semantics,
        left: &Formula,
        right: &Formula,
    ) -> Verdict {
        let negated = Formula::negation(right.clone());
        self.decide(signature, semantics, &[left.clone(), negated])
    }

    /// Is there a model of these formulas of graphs and sets?
    ///
    /// # Errors
    /// If the solver does not know, or there is none.
    pub fn graph_satisfiable(
        &mut self,
        theory: &mut Theory,
        formulas: &[logic::Formula],
    ) -> Result<bool, String> {
        let found = self.find(theory, formulas);
        self.session.clear();
        match found {
            Found::Model(_) => Ok(true),
            Found::Nothing => Ok(false),
            Found::Unknown(reason) => Err(reason),
        }
    }

    /// As above; the scope with the formulas stays open.
    pub(crate) fn find(&mut self, theory: &mut Theory, formulas: &[logic::Formula]) -> Found {
        self.find_within(theory, formulas, 0)
    }

    fn find_within(
        &mut self,
        theory: &mut Theory,
        formulas: &[logic::Formula],
        rounds: usize,
    ) -> Found {
        let reduced = reduce(theory, formulas, rounds);
        self.session.push();
        for formula in &reduced.formulas {
            self.session.assert(&theory.terms, *formula);
        }
        for term in theory.mentioned(&reduced) {
            self.session.mention(&theory.terms, term);
        }
        match self.session.check() {
            Ok(Answer::Sat) => Found::Model(reduced),
            Ok(Answer::Unsat) => Found::Nothing,
            Ok(Answer::Unknown(why)) => Found::Unknown(format!("the solver gave up: {why}")),
            Err(error) => Found::Unknown(error.to_string()),
        }
    }

    /// The model, if the evaluator agrees.
    fn confirmed(
        &mut self,
        translator: &mut Translator<'_>,
        footprint: &Footprint,
        reduced: &Reduced,
        formulas: &[Formula],
    ) -> Verdict {
        let mut free = std::collections::BTreeSet::new();
        formulas.iter().for_each(|f| free.extend(f.free_vars()));
        let mut read = ReadBack::new(&mut self.session, translator, footprint, reduced);
        let Some(model) = read.model(&free) else {
            return Verdict::Unknown("the solver's model could not be read".into());
        };
        let evaluator = Evaluator::new(translator.signature, translator.semantics);
        match evaluator.holds(&model, &Formula::and(formulas.to_vec())) {
            Truth::True => Verdict::Sat(model),
            _ => Verdict::Unknown(UNCONFIRMED.into()),
        }
    }
}
