//! Questions of separation logic, from files and from texts, answered.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use entail::Decider;
use report::logic::{
    AnswerReport, CellReport, Content, Effort, Expected, LogicReport, ModelReport, ProofReport,
    Question as Kind, Verdict,
};
use report::{Diagnostic, FileReport, SourceMap, Status};
pub use sl::Semantics;
use sl::core::{Assertion, Scope};
use sl::procedure::{Check, Stats};
use sl::smtlib;
use sl::text::Document;
use sl::{
    Answer, Budget, Defs, Formula, Inference, Limit, Model, Procedure, Proof, Satisfiability,
    Signature, Value,
};

use crate::source;
use crate::z3::{self, Surroundings};

/// How questions are answered.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What pure atoms say of the heap; if it is not said, nothing in files, and that it is empty in the
    /// text notation.
    pub semantics: Option<Semantics>,
    /// How long an answer may take.
    pub timeout: Option<Duration>,
    /// Are proofs wanted?
    pub proofs: bool,
    /// Are they to be drawn, too?
    pub proof_drawings: bool,
    /// Is every proof to be checked independently of the search?
    pub check_proofs: bool,
    /// Is the last model to be drawn?
    pub drawing: bool,
}

/// A question in the text notation.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// Is there a model?
    Sat(&'a str),
    /// Does the second hold wherever the first does?
    Entails(&'a str, &'a str),
    /// F with H |= G * F.
    Frame(&'a str, &'a str),
    /// F with H * F |= G.
    Abduce(&'a str, &'a str),
}

/// Answers.
#[derive(Clone, Debug)]
pub struct Done {
    /// What there is to say.
    pub report: LogicReport,
    /// The last model, if a drawing is wanted and there is a model.
    pub drawing: Option<Drawing>,
}

/// A model, drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// As SVG.
    pub svg: String,
    /// For Graphviz.
    pub dot: String,
}

impl Drawing {
    fn new(model: &Model, signature: &Signature) -> Drawing {
        Drawing { svg: sl::draw::svg(model, signature), dot: sl::draw::dot(model, signature) }
    }
}

/// Something that is no question.
#[derive(Clone, Debug)]
pub struct Invalid {
    /// What is wrong with it.
    pub report: FileReport,
    /// Where.
    pub sources: SourceMap,
}

/// Answers questions, with procedures that are set up once.
pub struct Asker {
    settings: Settings,
    decider: Decider,
}

impl Asker {
    /// Z3 is looked for when it is needed, and may be named.
    #[must_use]
    pub fn new(settings: Settings, z3: Option<PathBuf>) -> Asker {
        Asker { settings, decider: Decider::new(move || find_z3(z3.as_deref())) }
    }

    /// Every `check-sat` of a file in SL-COMP's dialect of SMT-LIB.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn file(&mut self, path: &Path) -> Result<Done, Box<Invalid>> {
        let start = Instant::now();
        let name = path.display().to_string();
        let mut sources = SourceMap::new();
        let script = source::read_one_of(path, "*.smt2", &mut sources).and_then(|file| {
            let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
            smtlib::parse(file, &text)
        });
        let script = match script {
            Ok(script) => script,
            Err(problem) => return Err(invalid(&name, *problem, sources, start)),
        };
        let semantics = self.settings.semantics.unwrap_or(Semantics::Standard);
        let checks = script.checks.iter().map(|check| {
            let question = Check::of(&check.assertions, semantics);
            // A script asks for models, whatever its question is taken for.
            self.check(&check.signature, semantics, &question, &MODELS)
        });
        let answers: Vec<Checked<'_>> = checks.collect();
        let last = answers.last().map(|answer| answer.answer.as_str());
        let expected = match (script.status, last) {
            (Some(smtlib::Status::Unsat), Some("sat")) => Some(Expected::Unsat),
            (Some(smtlib::Status::Sat), Some("unsat")) => Some(Expected::Sat),
            _ => None,
        };
        Ok(self.checked(name, answers, expected, start))
    }

    /// A question in the text notation.
    ///
    /// # Errors
    /// If a formula cannot be read.
    pub fn text(&mut self, question: Question<'_>) -> Result<Done, Box<Invalid>> {
        let start = Instant::now();
        let mut sources = SourceMap::new();
        let files: Vec<_> = ["H", "G"]
            .into_iter()
            .zip(question.texts())
            .map(|(name, text)| (sources.add(name, text), text))
            .collect();
        let document = match sl::text::parse_one_each(&files) {
            Ok(document) => document,
            Err(problem) => return Err(invalid("H", *problem, sources, start)),
        };
        if matches!(question, Question::Frame(..) | Question::Abduce(..)) {
            return Ok(self.infer(question, &document, start));
        }
        let (question, words) = match document.formulas.as_slice() {
            [left, right] => (Check::Entails(left.clone(), right.clone()), &ENTAILMENT),
            other => (Check::Satisfiable(Formula::and(other.to_vec())), &MODELS),
        };
        let semantics = self.settings.semantics.unwrap_or(Semantics::Precise);
        let answer = self.check(&document.signature, semantics, &question, words);
        Ok(self.checked("H".to_owned(), vec![answer], None, start))
    }

    fn checked(
        &self,
        file: String,
        answers: Vec<Checked<'_>>,
        expected: Option<Expected>,
        start: Instant,
    ) -> Done {
        let model = answers.iter().rev().find_map(Checked::model).filter(|_| self.settings.drawing);
        let drawing = model.map(|(model, signature)| Drawing::new(model, signature));
        let answers = answers.into_iter().map(Checked::into_report).collect();
        let time = start.elapsed();
        let report = LogicReport { file, question: Kind::Checks, time, answers, expected };
        Done { report, drawing }
    }

    /// A frame or an anti-frame.
    fn infer(&mut self, question: Question<'_>, document: &Document, start: Instant) -> Done {
        let semantics = self.settings.semantics.unwrap_or(Semantics::Precise);
        let signature = &document.signature;
        let defs = Defs::new(signature.clone(), semantics);
        let mut budget = self.budget();
        let (answer, proof) = match document.formulas.as_slice() {
            [h, g] => self.inferred(question, &defs, (h, g), &mut budget),
            _ => (Answer::GaveUp(Limit::NoFrame), None),
        };
        let effort = effort(start.elapsed(), budget.stats);
        let reason = answer.why_not().unwrap_or_default();
        let (verdict, model) = match answer.decided() {
            Some(Inference::Found(formula, _)) => {
                (Verdict::Found(sl::text::print_formula(&formula, signature)), None)
            }
            Some(Inference::Nothing(model)) => (Verdict::Nothing, model),
            None => (Verdict::Unknown(reason), None),
        };
        let drawn = model.as_ref().filter(|_| self.settings.drawing);
        let drawing = drawn.map(|model| Drawing::new(model, signature));
        let model = model.map(|model| model_report(&model, signature));
        let answers = vec![AnswerReport { verdict, model, proof, effort }];
        let report = LogicReport {
            file: "H".to_owned(),
            question: Kind::Formula,
            time: start.elapsed(),
            answers,
            expected: None,
        };
        Done { report, drawing }
    }

    fn inferred(
        &mut self,
        question: Question<'_>,
        defs: &Defs,
        (h, g): (&Formula, &Formula),
        budget: &mut Budget,
    ) -> (Answer<Inference<Formula>>, Option<Result<ProofReport, String>>) {
        let (scope, h, g) = sl::ask::lowered(defs, h, g);
        let is_frame = matches!(question, Question::Frame(..));
        let answer = if is_frame {
            self.decider.frame(&scope, &h, &g, budget)
        } else {
            self.decider.abduce(&scope, &h, &g, budget)
        };
        let Answer::Decided(Inference::Found(found, proof)) = &answer else {
            return (answer.and_then(|answer| sl::ask::raised(&scope, answer)), None);
        };
        let looked_at = self.look_at(proof, |proof| {
            if is_frame {
                proof::check_frame(&scope, &h, &g, found, proof)
            } else {
                proof::check_anti_frame(&scope, &h, &g, found, proof)
            }
        });
        match looked_at {
            Ok(report) => (answer.and_then(|answer| sl::ask::raised(&scope, answer)), report),
            Err(fault) => (Answer::GaveUp(Limit::RejectedProof(fault.to_string())), None),
        }
    }

    fn check<'q>(
        &mut self,
        signature: &'q Arc<Signature>,
        semantics: Semantics,
        question: &Check,
        words: &'static Words,
    ) -> Checked<'q> {
        let start = Instant::now();
        let defs = Defs::new(signature.clone(), semantics);
        let mut budget = self.budget();
        let (scope, left, right) = match question {
            Check::Satisfiable(formula) => {
                let mut scope = Scope::new(&defs);
                let assertion = scope.lower(formula);
                (scope, assertion, None)
            }
            Check::Entails(left, right) => {
                let (scope, left, right) = sl::ask::lowered(&defs, left, right);
                (scope, left, Some(right))
            }
        };
        let mut answer = match &right {
            None => self.decider.satisfiable(&scope, &left, &mut budget),
            Some(right) => self.decider.entails(&scope, &left, right, &mut budget).counterexample(),
        };
        let (mut proof, never) = (None, Assertion::never());
        if let Answer::Decided(Satisfiability::Unsat(found)) = &answer {
            // What has no model entails `false`.
            let right = right.as_ref().unwrap_or(&never);
            let check = |proof: &Proof| proof::check_entailment(&scope, &left, right, proof);
            match self.look_at(found, check) {
                Ok(report) => proof = report,
                Err(fault) => answer = Answer::GaveUp(Limit::RejectedProof(fault.to_string())),
            }
        }
        let effort = effort(start.elapsed(), budget.stats);
        Checked { signature, answer, proof, words, effort }
    }

    /// A proof as it is reported, or why there is none, if it is to be shown or checked. If it is to be
    /// checked, this is done once, on the same proof that is shown.
    fn look_at(
        &self,
        found: &Proof,
        check: impl FnOnce(&Proof) -> Result<(), proof::Fault>,
    ) -> Result<Option<Result<ProofReport, String>>, proof::Fault> {
        if !self.settings.proofs && !self.settings.check_proofs {
            return Ok(None);
        }
        let derivations = match found.derivations() {
            Ok(derivations) => derivations,
            Err(why) => return Ok(Some(Err(why.to_string()))),
        };
        if self.settings.check_proofs {
            check(&Proof::Derivations(derivations.clone()))?;
        }
        Ok(self.settings.proofs.then(|| {
            let svg = self.settings.proof_drawings.then(|| proof::svg::draw(&derivations));
            Ok(ProofReport { text: proof::text::print(&derivations), svg })
        }))
    }

    /// What one question may take.
    fn budget(&self) -> Budget {
        let timeout = self.settings.timeout;
        Budget::until(timeout.and_then(|timeout| Instant::now().checked_add(timeout)))
    }
}

impl<'a> Question<'a> {
    fn texts(self) -> Vec<&'a str> {
        match self {
            Question::Sat(formula) => vec![formula],
            Question::Entails(left, right)
            | Question::Frame(left, right)
            | Question::Abduce(left, right) => vec![left, right],
        }
    }
}

/// What the answers to a question are called.
struct Words {
    sat: Verdict,
    unsat: Verdict,
}

static MODELS: Words = Words { sat: Verdict::Sat, unsat: Verdict::Unsat };
/// An entailment is valid if there is no counterexample.
static ENTAILMENT: Words = Words { sat: Verdict::Invalid, unsat: Verdict::Valid };

/// What a procedure said.
struct Checked<'a> {
    signature: &'a Signature,
    answer: Answer<Satisfiability>,
    proof: Option<Result<ProofReport, String>>,
    words: &'static Words,
    effort: Effort,
}

impl Checked<'_> {
    fn model(&self) -> Option<(&Model, &Signature)> {
        self.answer.model().map(|model| (model, self.signature))
    }

    fn into_report(self) -> AnswerReport {
        let model = self.model().map(|(model, signature)| model_report(model, signature));
        let unknown = self.answer.why_not().unwrap_or_default();
        let verdict = match self.answer.decided() {
            Some(Satisfiability::Sat(_)) => self.words.sat.clone(),
            Some(Satisfiability::Unsat(_)) => self.words.unsat.clone(),
            None => Verdict::Unknown(unknown),
        };
        AnswerReport { verdict, model, proof: self.proof, effort: self.effort }
    }
}

fn effort(time: Duration, stats: Stats) -> Effort {
    let Stats { procedure, searches, queries, rounds, instances, nodes, waiting, .. } = stats;
    Effort { time, procedure, searches, queries, rounds, instances, nodes, waiting }
}

fn model_report(model: &Model, signature: &Signature) -> ModelReport {
    let stack = model.stack.iter().map(|(name, v)| (name.to_string(), model.show(v))).collect();
    let heap = model.heap.iter().map(|(loc, object)| {
        let names = signature.fields(&object.sort);
        let content = match &object.content {
            Value::Record(values) => {
                let fields = names
                    .iter()
                    .zip(values)
                    .filter_map(|((name, _), v)| Some((name.as_ref()?.to_string(), model.show(v))));
                Content::Fields(fields.collect())
            }
            content => Content::Value(model.show(content)),
        };
        CellReport { location: model.show(&Value::Loc(*loc)), content }
    });
    ModelReport { stack, heap: heap.collect(), text: model.to_text(signature) }
}

fn invalid(name: &str, problem: Diagnostic, sources: SourceMap, start: Instant) -> Box<Invalid> {
    let mut report = FileReport::new(name, Status::Invalid, vec![problem]);
    report.time = start.elapsed();
    Box::new(Invalid { report, sources })
}

fn find_z3(wanted: Option<&Path>) -> Result<PathBuf, String> {
    let z3 = z3::find(&Surroundings::of_this_process(wanted))
        .map_err(|missing| format!("{missing}; {}", missing.remedy()))?;
    Ok(z3.path)
}
