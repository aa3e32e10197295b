//! `lancehead sl`: separation logic, decided.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use entail::Decider;
use report::{Diagnostic, FileReport, SourceMap, human, json};
use serde_json::{Value as Json, json};
use sl::ask;
use sl::core::{Assertion, Scope};
use sl::procedure::{Check, NoProof, Stats};
use sl::proof::Derivation;
use sl::smtlib::Status;
use sl::{
    Answer as Answered, Budget, Defs, Entailment, Formula, Inference, Limit, Model, Procedure,
    Proof, Signature, Value, Verdict,
};

use crate::args::{self, Color, Format, Semantics, SlQuestion};
use crate::output::{Output, complain, to_stderr};
use crate::z3::{self, Surroundings};
use crate::{crash, source};

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Sl, color: Color, z3: Option<&Path>, out: &mut Output) -> u8 {
    let z3 = z3.map(Path::to_path_buf);
    let decider = Decider::new(move || find_z3(z3.as_deref()));
    let mut command = Command { args, color, decider };
    match &args.question {
        Some(_) if !args.files.is_empty() => {
            complain("either files or a question, not both; see `lancehead sl --help`");
            2
        }
        Some(question) => command.text(question, out),
        None => {
            let several = args.files.len() > 1;
            args.files.iter().map(|path| command.file(path, several, out)).max().unwrap_or(0)
        }
    }
}

fn find_z3(wanted: Option<&Path>) -> Result<PathBuf, String> {
    let z3 = z3::find(&Surroundings::of_this_process(wanted))
        .map_err(|missing| format!("{missing}; {}", missing.remedy()))?;
    Ok(z3.path)
}

struct Command<'a> {
    args: &'a args::Sl,
    color: Color,
    decider: Decider,
}

/// What the answers to a question are called.
#[derive(Clone, Copy)]
struct Words {
    sat: &'static str,
    unsat: &'static str,
}

const MODELS: Words = Words { sat: "sat", unsat: "unsat" };
/// An entailment is valid if there is no counterexample.
const ENTAILMENT: Words = Words { sat: "invalid", unsat: "valid" };

/// An answer, and how it is shown.
struct Answer<'a> {
    signature: &'a Signature,
    verdict: Verdict,
    /// The proof, or why there is none.
    proof: Option<Result<Arc<Vec<Derivation>>, NoProof>>,
    words: Words,
    effort: Effort,
}

/// What an answer took.
struct Effort {
    time: Duration,
    stats: Stats,
}

impl Effort {
    /// For people.
    fn line(&self) -> String {
        let time = milliseconds(self.time);
        let Stats { procedure, searches, queries, rounds, instances, nodes, waiting, .. } =
            self.stats;
        let procedure = procedure.unwrap_or("nobody");
        if searches == 0 {
            return format!("{procedure}, {time:.1} ms");
        }
        format!(
            "{procedure}, {time:.1} ms, {:.1} of them waiting for the solver: {searches} searches, \
             {queries} queries, {rounds} rounds of {instances} instances of axioms, at most \
             {nodes} nodes",
            milliseconds(waiting)
        )
    }

    fn to_json(&self) -> Json {
        let Stats { procedure, searches, queries, rounds, instances, nodes, waiting, .. } =
            self.stats;
        json!({
            "procedure": procedure,
            "time_ms": milliseconds(self.time),
            "solver_ms": milliseconds(waiting),
            "searches": searches,
            "queries": queries,
            "rounds": rounds,
            "instances": instances,
            "nodes": nodes,
        })
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e4).round() / 10.0
}

impl Command<'_> {
    /// Every `check-sat` of a file.
    fn file(&mut self, path: &Path, several: bool, out: &mut Output) -> u8 {
        let start = Instant::now();
        crash::working_on(path, self.args.format == Format::Json);
        let name = path.display().to_string();
        let mut sources = SourceMap::new();
        let script = source::read_one_of(path, "*.smt2", &mut sources).and_then(|file| {
            let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
            sl::smtlib::parse(file, &text)
        });
        let script = match script {
            Ok(script) => script,
            Err(problem) => return self.invalid(&name, *problem, &sources, start, out),
        };
        if script.checks.is_empty() {
            complain(&format!("{name}: there is no `(check-sat)`, so nothing to decide"));
        }
        let semantics = self.semantics(sl::Semantics::Standard);
        let answers: Vec<Answer<'_>> = script
            .checks
            .iter()
            .map(|check| {
                let question = Check::of(&check.assertions, semantics);
                self.answer(&check.signature, semantics, &question, MODELS)
            })
            .collect();
        // The last answer is that of the file; questions before it may be about a part.
        if let Some(answer) = answers.last() {
            self.compare(script.status, answer, &name);
        }
        self.report(if several { &name } else { "" }, &name, &answers, start, out)
    }

    /// Says so if the author of a file is of another opinion.
    fn compare(&self, status: Option<Status>, answer: &Answer<'_>, name: &str) {
        let (expected, advice) = match (status, &answer.verdict) {
            (Some(Status::Unsat), Verdict::Sat(_)) if self.args.model => {
                ("unsat", "the model that is shown was checked")
            }
            (Some(Status::Unsat), Verdict::Sat(_)) => {
                ("unsat", "--model shows the model, which was checked")
            }
            (Some(Status::Sat), Verdict::Unsat) => {
                ("sat", "perhaps it is meant in the other semantics: see --semantics")
            }
            _ => return,
        };
        let word = answer.word();
        complain(&format!(
            "warning: {name}: the answer is {word}, but its `:status` is {expected}; {advice}"
        ));
    }

    /// A question in the text notation.
    fn text(&mut self, question: &SlQuestion, out: &mut Output) -> u8 {
        let start = Instant::now();
        let mut sources = SourceMap::new();
        let texts: Vec<&str> = match question {
            SlQuestion::Sat { formula } => vec![formula],
            SlQuestion::Entails { left, right }
            | SlQuestion::Frame { left, right }
            | SlQuestion::Abduce { left, right } => vec![left, right],
        };
        let files: Vec<_> = ["H", "G"]
            .iter()
            .zip(&texts)
            .map(|(name, text)| (sources.add(*name, *text), *text))
            .collect();
        let document = match sl::text::parse_one_each(&files) {
            Ok(document) => document,
            Err(problem) => return self.invalid("H", *problem, &sources, start, out),
        };
        if !matches!(question, SlQuestion::Sat { .. } | SlQuestion::Entails { .. }) {
            return self.infer(question, &document, start, out);
        }
        let (question, words) = match document.formulas.as_slice() {
            [left, right] => (Check::Entails(left.clone(), right.clone()), ENTAILMENT),
            other => (Check::Satisfiable(Formula::and(other.to_vec())), MODELS),
        };
        let semantics = self.semantics(sl::Semantics::Precise);
        let answer = self.answer(&document.signature, semantics, &question, words);
        self.report("", "H", &[answer], start, out)
    }

    /// A frame or an anti-frame.
    fn infer(
        &mut self,
        question: &SlQuestion,
        document: &sl::text::Document,
        start: Instant,
        out: &mut Output,
    ) -> u8 {
        let semantics = self.semantics(sl::Semantics::Precise);
        let signature = &document.signature;
        let defs = Defs::new(document.signature.clone(), semantics);
        let mut budget = self.budget();
        let answer = match (question, document.formulas.as_slice()) {
            (SlQuestion::Frame { .. }, [h, g]) => {
                ask::frame(&mut self.decider, &defs, h, g, &mut budget)
            }
            (_, [h, g]) => ask::abduce(&mut self.decider, &defs, h, g, &mut budget),
            _ => Answered::GaveUp(Limit::NoFrame),
        };
        let effort = Effort { time: start.elapsed(), stats: budget.stats };
        let reason = answer.why_not();
        let inference = answer.decided();
        let (word, model) = match &inference {
            Some(Inference::Found(formula)) => (sl::text::print_formula(formula, signature), None),
            Some(Inference::Nothing(model)) => ("none".to_owned(), model.as_ref()),
            None => ("unknown".to_owned(), None),
        };
        match self.args.format {
            Format::Human => {
                out.write(format!("{word}\n").as_bytes());
                if let Some(reason) = &reason {
                    complain(&format!("not decided: {reason}"));
                }
                if let Some(model) = model.filter(|_| self.args.model) {
                    out.write(model.to_text(signature).as_bytes());
                }
                self.say(&effort, "");
            }
            Format::Json => {
                let mut object = json!({
                    "file": "H",
                    "status": if reason.is_none() { "solved" } else { "unknown" },
                    "time_ms": u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                    "formula": if matches!(inference, Some(Inference::Found(_))) { Some(word) } else { None },
                    "reason": reason,
                    "model": model.map(|model| model_to_json(model, signature)),
                    "errors": [],
                });
                if self.args.stats {
                    object["stats"] = effort.to_json();
                }
                out.write(format!("{object}\n").as_bytes());
            }
        }
        out.flush();
        if reason.is_none() { 0 } else { 3 }
    }

    /// What an answer took, if somebody wants to know.
    fn say(&self, effort: &Effort, prefix: &str) {
        if self.args.stats {
            to_stderr(&format!("{prefix}stats: {}\n", effort.line()));
        }
    }

    fn answer<'q>(
        &mut self,
        signature: &'q Arc<Signature>,
        semantics: sl::Semantics,
        question: &Check,
        words: Words,
    ) -> Answer<'q> {
        let start = Instant::now();
        let defs = Defs::new(signature.clone(), semantics);
        let mut budget = self.budget();
        let mut proof = None;
        let verdict = match question {
            Check::Satisfiable(formula) => {
                ask::satisfiable(&mut self.decider, &defs, formula, &mut budget).into()
            }
            Check::Entails(left, right) => {
                let (scope, left, right) = ask::lowered(&defs, left, right);
                let answer = self.decider.entails(&scope, &left, &right, &mut budget);
                let fault = match &answer {
                    Answered::Decided(Entailment::Valid(found)) => {
                        if self.args.proof || self.args.proof_svg.is_some() {
                            proof = Some(found.derivations());
                        }
                        self.fault(&scope, &left, &right, found)
                    }
                    _ => None,
                };
                match fault {
                    Some(fault) => Verdict::Unknown(format!("the proof is not accepted: {fault}")),
                    None => answer.into(),
                }
            }
        };
        let effort = Effort { time: start.elapsed(), stats: budget.stats };
        Answer { signature, verdict, proof, words, effort }
    }

    /// What is wrong with a proof, if somebody wants to know, and there is one.
    fn fault(
        &self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        found: &Proof,
    ) -> Option<proof::Fault> {
        if !self.args.check_proofs || matches!(found, Proof::None(_)) {
            return None;
        }
        proof::check_entailment(scope, left, right, found).err()
    }

    /// The proof, for people.
    fn show_proof(&self, answer: &Answer<'_>, prefix: &str, out: &mut Output) {
        match &answer.proof {
            Some(Ok(derivations)) => {
                if self.args.proof {
                    out.write(proof::text::print(derivations).as_bytes());
                }
                if let Some(path) = &self.args.proof_svg
                    && let Err(e) = std::fs::write(path, proof::svg::draw(derivations))
                {
                    complain(&format!("{} cannot be written: {e}", path.display()));
                }
            }
            Some(Err(why)) => complain(&format!("{prefix}no proof to show: {why}")),
            None => {}
        }
    }

    /// What one question may take.
    fn budget(&self) -> Budget {
        let timeout = self.args.timeout.filter(|timeout| !timeout.is_zero());
        Budget::until(timeout.and_then(|timeout| Instant::now().checked_add(timeout)))
    }

    fn semantics(&self, default: sl::Semantics) -> sl::Semantics {
        match self.args.semantics {
            None => default,
            Some(Semantics::Standard) => sl::Semantics::Standard,
            Some(Semantics::Precise) => sl::Semantics::Precise,
        }
    }

    fn invalid(
        &self,
        name: &str,
        problem: Diagnostic,
        sources: &SourceMap,
        start: Instant,
        out: &mut Output,
    ) -> u8 {
        match self.args.format {
            Format::Human => {
                let color = self.color.wanted(&io::stderr());
                let options = human::Options { color, ..human::Options::default() };
                to_stderr(&human::render_diagnostic(&problem, name, sources, options));
            }
            Format::Json => {
                let mut report = FileReport::new(name, report::Status::Invalid, vec![problem]);
                report.time = start.elapsed();
                out.write(json::render(&report, sources).as_bytes());
                out.write(b"\n");
            }
        }
        2
    }

    /// Writes the answers, and draws the last model.
    fn report(
        &self,
        prefix: &str,
        name: &str,
        answers: &[Answer<'_>],
        start: Instant,
        out: &mut Output,
    ) -> u8 {
        match self.args.format {
            Format::Human => self.lines(prefix, answers, out),
            Format::Json => {
                let object = json!({
                    "file": name,
                    "status": if answers.iter().all(Answer::is_decided) { "solved" } else { "unknown" },
                    "time_ms": u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                    "checks": answers.iter().map(|a| a.to_json(self.args.stats)).collect::<Vec<_>>(),
                    "errors": [],
                });
                out.write(format!("{object}\n").as_bytes());
            }
        }
        out.flush();
        let drawn = self.draw(answers);
        let decided = answers.last().is_none_or(Answer::is_decided);
        drawn.max(if decided { 0 } else { 3 })
    }

    fn lines(&self, prefix: &str, answers: &[Answer<'_>], out: &mut Output) {
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}: ") };
        for answer in answers {
            out.write(format!("{prefix}{}\n", answer.word()).as_bytes());
            match &answer.verdict {
                Verdict::Unknown(reason) => complain(&format!("{prefix}not decided: {reason}")),
                Verdict::Sat(model) if self.args.model => {
                    out.write(model.to_text(answer.signature).as_bytes());
                }
                Verdict::Sat(_) | Verdict::Unsat => {}
            }
            self.show_proof(answer, &prefix, out);
            self.say(&answer.effort, &prefix);
        }
    }

    fn draw(&self, answers: &[Answer<'_>]) -> u8 {
        let paths = [&self.args.svg, &self.args.dot];
        if paths.iter().all(|path| path.is_none()) {
            return 0;
        }
        let Some((model, signature)) = answers.iter().rev().find_map(Answer::model) else {
            complain("there is no model to draw");
            return 0;
        };
        let texts = [sl::draw::svg(model, signature), sl::draw::dot(model, signature)];
        let mut status = 0;
        for (path, text) in paths.into_iter().zip(texts) {
            let Some(path) = path else { continue };
            if let Err(e) = std::fs::write(path, text) {
                complain(&format!("{} cannot be written: {e}", path.display()));
                status = 2;
            }
        }
        status
    }
}

impl Answer<'_> {
    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Sat(_) => self.words.sat,
            Verdict::Unsat => self.words.unsat,
            Verdict::Unknown(_) => "unknown",
        }
    }

    fn is_decided(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown(_))
    }

    fn model(&self) -> Option<(&Model, &Signature)> {
        match &self.verdict {
            Verdict::Sat(model) => Some((model, self.signature)),
            Verdict::Unsat | Verdict::Unknown(_) => None,
        }
    }

    fn to_json(&self, stats: bool) -> Json {
        let reason = match &self.verdict {
            Verdict::Unknown(reason) => Some(reason),
            Verdict::Sat(_) | Verdict::Unsat => None,
        };
        let model = self.model().map(|(model, signature)| model_to_json(model, signature));
        let mut object = json!({ "verdict": self.word(), "reason": reason, "model": model });
        match &self.proof {
            Some(Ok(derivations)) => object["proof"] = proof::text::print(derivations).into(),
            Some(Err(_)) => object["proof"] = Json::Null,
            None => {}
        }
        if stats {
            object["stats"] = self.effort.to_json();
        }
        object
    }
}

/// `{"stack": {"x": "#1"}, "heap": [{"location": "#1", "fields": {"next": "nil"}}]}`; a location
/// without named fields has `"content"` instead.
fn model_to_json(model: &Model, signature: &Signature) -> Json {
    let stack: serde_json::Map<String, Json> =
        model.stack.iter().map(|(name, v)| (name.to_string(), model.show(v).into())).collect();
    let heap: Vec<Json> = model
        .heap
        .iter()
        .map(|(loc, object)| {
            let location = model.show(&Value::Loc(*loc));
            let names = signature.fields(&object.sort);
            match &object.content {
                Value::Record(values) => {
                    let fields: serde_json::Map<String, Json> = names
                        .iter()
                        .zip(values)
                        .filter_map(|((name, _), v)| {
                            Some((name.as_ref()?.to_string(), model.show(v).into()))
                        })
                        .collect();
                    json!({ "location": location, "fields": fields })
                }
                content => json!({ "location": location, "content": model.show(content) }),
            }
        })
        .collect();
    json!({ "stack": stack, "heap": heap })
}
