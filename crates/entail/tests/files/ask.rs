//! Questions asked, and answers compared with those that are expected.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

use entail::Decider;
use induct::Induct;
use lists::Lists;
use sl::ask;
use sl::core::{Assertion, Scope};
use sl::enumerate::{Bounds, find_counterexample};
use sl::procedure::{Check, NoProof};
use sl::{
    Answer, Budget, Entailment, Evaluator, Formula, Inference, Kind, Model, Procedure, Proof,
    Satisfiability, Truth,
};

use crate::read::{Expected, Question, What};

/// Models that are larger were checked along their derivations; the evaluator would take too long.
const LARGE: usize = 60;
/// Small heaps are tried if there are no more variables.
const FEW: usize = 3;

/// The procedures that a file asks. They are kept from question to question.
#[derive(Default)]
pub struct Procedures(HashMap<String, Box<dyn Procedure>>);

impl Procedures {
    fn get(&mut self, name: &str) -> Result<&mut dyn Procedure, String> {
        match self.0.entry(name.to_owned()) {
            Entry::Occupied(known) => Ok(&mut **known.into_mut()),
            Entry::Vacant(place) => Ok(&mut **place.insert(procedure(name)?)),
        }
    }
}

fn procedure(name: &str) -> Result<Box<dyn Procedure>, String> {
    let patience = Duration::from_secs(60);
    Ok(match name {
        "all" => Box::new(Decider::new(|| Ok(testing::z3()))),
        "lists" => Box::new(Lists),
        "induct" => Box::new(Induct),
        "grass" => Box::new(grass::Solver::new(grass::config(testing::z3(), patience))),
        "boolean" => Box::new(boolean::Solver::new(boolean::config(testing::z3(), patience))),
        _ => return Err(format!("there is no procedure `{name}`")),
    })
}

/// An answer.
struct Found {
    /// In one line: `valid`, `frame F`, `gave up: why`.
    text: String,
    /// The frame or anti-frame.
    formula: Option<Formula>,
    cells: Option<usize>,
}

impl Found {
    fn is_unknown(&self) -> bool {
        self.text.starts_with("gave up: ") || self.text.starts_with("out of fragment: ")
    }
}

impl Question {
    /// What is wrong with the answers, if something is.
    pub fn wrong(&self, procedures: &mut Procedures) -> Result<(), String> {
        let found = self.answer(procedures.get(self.by.as_deref().unwrap_or("all"))?)?;
        let text = &found.text;
        let is_right = match &self.expected {
            Expected::Answer(answer) => answer == text,
            Expected::Not(answer) => answer != text,
            Expected::Cells(count) => text == "sat" && found.cells == Some(*count),
            Expected::Formula(answer, formula) => {
                answer == text
                    || match &found.formula {
                        Some(found) => {
                            let all = procedures.get("all")?;
                            self.entails(all, found, formula) && self.entails(all, formula, found)
                        }
                        None => false,
                    }
            }
            Expected::Unknown(kind, words) => text.starts_with(kind) && text.contains(words),
        };
        if !is_right {
            let expected = match &self.expected {
                Expected::Answer(answer) | Expected::Formula(answer, _) => answer.clone(),
                Expected::Not(answer) => format!("something else than {answer}"),
                Expected::Cells(count) => format!("sat with {count} cells"),
                Expected::Unknown(kind, words) => format!("{kind}{words}"),
            };
            let cells = found.cells.map(|count| format!(" with {count} cells")).unwrap_or_default();
            return Err(format!("{text}{cells}, not {expected}"));
        }
        if self.by.is_none() && matches!(self.what, What::Check(_)) {
            for name in ["lists", "induct"] {
                let other = self.answer(procedures.get(name)?)?;
                if other.text != *text && !other.is_unknown() {
                    return Err(format!("{name} says {}, not {text}", other.text));
                }
            }
        }
        Ok(())
    }

    fn entails(&self, procedure: &mut dyn Procedure, left: &Formula, right: &Formula) -> bool {
        ask::entails(procedure, &self.defs, left, right, &mut Budget::default()).is_valid()
    }

    fn answer(&self, procedure: &mut dyn Procedure) -> Result<Found, String> {
        match &self.what {
            What::Check(Check::Satisfiable(formula)) => self.satisfiable(procedure, formula),
            What::Check(Check::Entails(h, g)) => self.entailed(procedure, h, g),
            What::Frame(h, g) => self.frame(procedure, h, g),
            What::AntiFrame(h, g) => self.anti_frame(procedure, h, g),
        }
    }

    fn satisfiable(
        &self,
        procedure: &mut dyn Procedure,
        formula: &Formula,
    ) -> Result<Found, String> {
        let mut scope = Scope::new(&self.defs);
        let (assertion, never) = (scope.lower(formula), Assertion::never());
        let answer = procedure.satisfiable(&scope, &assertion, &mut Budget::default());
        match &answer {
            Answer::Decided(Satisfiability::Sat(model)) => {
                self.confirm(formula, model, Truth::True)?;
            }
            Answer::Decided(Satisfiability::Unsat(found)) => {
                self.accept(found, |p| proof::check_entailment(&scope, &assertion, &never, p))?;
                self.try_small_heaps(formula, &Kind::False.into())?;
            }
            _ => {}
        }
        Ok(self.found(&answer, answer.as_str(), answer.model()))
    }

    fn entailed(
        &self,
        procedure: &mut dyn Procedure,
        left: &Formula,
        right: &Formula,
    ) -> Result<Found, String> {
        let (scope, h, g) = ask::lowered(&self.defs, left, right);
        let answer = procedure.entails(&scope, &h, &g, &mut Budget::default());
        let mut model = None;
        match &answer {
            Answer::Decided(Entailment::Valid(found)) => {
                self.accept(found, |p| proof::check_entailment(&scope, &h, &g, p))?;
                self.try_small_heaps(left, right)?;
            }
            Answer::Decided(Entailment::Invalid(counterexample)) => {
                self.confirm(left, counterexample, Truth::True)?;
                self.confirm(right, counterexample, Truth::False)?;
                model = Some(counterexample);
            }
            _ => {}
        }
        // A script asks for counterexamples.
        let is_script = match &self.expected {
            Expected::Answer(word) | Expected::Not(word) => word.ends_with("sat"),
            Expected::Cells(_) => true,
            Expected::Formula(..) | Expected::Unknown(..) => false,
        };
        let word = match answer.as_str() {
            "valid" if is_script => "unsat",
            "invalid" if is_script => "sat",
            word => word,
        };
        Ok(self.found(&answer, word, model))
    }

    fn frame(
        &self,
        procedure: &mut dyn Procedure,
        left: &Formula,
        right: &Formula,
    ) -> Result<Found, String> {
        let (scope, h, g) = ask::lowered(&self.defs, left, right);
        let answer = procedure.frame(&scope, &h, &g, &mut Budget::default());
        if let Answer::Decided(Inference::Found(frame, found)) = &answer {
            self.accept(found, |p| proof::check_frame(&scope, &h, &g, frame, p))?;
        }
        let answer = answer.and_then(|found| ask::raised(&scope, found));
        match &answer {
            Answer::Decided(Inference::Found(frame, _)) => {
                let whole = Formula::sep(vec![right.clone(), frame.clone()]);
                self.try_small_heaps(left, &whole)?;
            }
            Answer::Decided(Inference::Nothing(Some(model))) => {
                let part = Formula::sep(vec![right.clone(), Kind::True.into()]);
                self.confirm(left, model, Truth::True)?;
                self.confirm(&part, model, Truth::False)?;
            }
            _ => {}
        }
        Ok(self.inferred("frame", answer))
    }

    fn anti_frame(
        &self,
        procedure: &mut dyn Procedure,
        left: &Formula,
        right: &Formula,
    ) -> Result<Found, String> {
        let (scope, h, g) = ask::lowered(&self.defs, left, right);
        let answer = procedure.abduce(&scope, &h, &g, &mut Budget::default());
        if let Answer::Decided(Inference::Found(missing, found)) = &answer {
            self.accept(found, |p| proof::check_anti_frame(&scope, &h, &g, missing, p))?;
        }
        let answer = answer.and_then(|found| ask::raised(&scope, found));
        if let Answer::Decided(Inference::Found(missing, _)) = &answer {
            let whole = Formula::sep(vec![left.clone(), missing.clone()]);
            self.try_small_heaps(&whole, right)?;
        }
        Ok(self.inferred("anti-frame", answer))
    }

    fn found<T>(&self, answer: &Answer<T>, word: &str, model: Option<&Model>) -> Found {
        let text = match answer {
            Answer::Decided(_) => word.to_owned(),
            Answer::OutOfFragment(reason) => format!("out of fragment: {reason}"),
            Answer::GaveUp(limit) => format!("gave up: {limit}"),
        };
        Found { text, formula: None, cells: model.map(|model| model.heap.len()) }
    }

    fn inferred(&self, what: &str, answer: Answer<Inference<Formula>>) -> Found {
        match answer {
            Answer::Decided(Inference::Found(formula, _)) => {
                Found { text: format!("{what} {formula}"), formula: Some(formula), cells: None }
            }
            other => self.found(&other, &format!("no {what}"), None),
        }
    }

    /// There is a proof unless a solver says so or nobody expects one, and it is accepted.
    fn accept(
        &self,
        found: &Proof,
        check: impl FnOnce(&Proof) -> Result<(), proof::Fault>,
    ) -> Result<(), String> {
        match (found.derivations(), self.has_proof) {
            (Ok(derivations), true) => check(&Proof::Derivations(derivations))
                .map_err(|fault| format!("the proof is not accepted: {fault}")),
            (Ok(_), false) => Err("there is a proof".into()),
            (Err(NoProof::Solver), _) | (Err(_), false) => Ok(()),
            (Err(why), true) => Err(format!("there is no proof: {why}")),
        }
    }

    /// The evaluator must not say the opposite; some formulas are too much for it.
    fn confirm(&self, formula: &Formula, model: &Model, truth: Truth) -> Result<(), String> {
        // Where integers are locations, it was confirmed for others.
        if model.heap.len() > LARGE || !model.addresses.is_empty() {
            return Ok(());
        }
        let evaluator = Evaluator::new(self.defs.signature(), self.defs.semantics());
        let found = evaluator.holds(model, formula);
        if found == truth || found == Truth::Unknown {
            return Ok(());
        }
        let model = model.to_text(self.defs.signature());
        Err(format!("{formula} is not {truth:?} for\n{model}"))
    }

    /// What holds has no counterexample among the small heaps.
    fn try_small_heaps(&self, left: &Formula, right: &Formula) -> Result<(), String> {
        let mut vars = left.free_vars();
        vars.extend(right.free_vars());
        if vars.len() > FEW {
            return Ok(());
        }
        let (signature, semantics) = (self.defs.signature(), self.defs.semantics());
        let bounds = Bounds { locations: 2, data: 1 };
        match find_counterexample(signature, semantics, left, right, bounds) {
            None => Ok(()),
            Some(model) => Err(format!("this is a counterexample:\n{}", model.to_text(signature))),
        }
    }
}
