//! Every file under `tests/sl` is a test: questions, with the answers in comments.
//!
//! A file `.sl` has declarations, then questions, with an empty line before each and the answer above it:
//!
//! ```text
//! pred tree(x) := x = nil || exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r);
//!
//! // valid
//! x |-> {left: l, right: r} * tree(l) * tree(r)
//! |= tree(x)
//! ```
//!
//! Answers are `valid`, `invalid`, `not valid` (nobody need know why), `sat`, `unsat`, `frame F`,
//! `no frame`, `anti-frame F`, `no anti-frame`. Before the first question, `// by NAME` asks only this
//! procedure, and `// standard` means that pure atoms say nothing of the heap. A file `.smt2` has the
//! answers as `:status`; `unknown` stands for all but `unsat`. Its first line may be `; by NAME`.
//!
//! Where everybody is asked, those that need no solver are asked by themselves, too: what they decide must
//! be the same. What is valid, what has no model, frames and anti-frames have a proof unless a solver says so;
//! proofs are checked.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use entail::Decider;
use induct::Induct;
use libtest_mimic::{Arguments, Failed, Trial};
use lists::Lists;
use report::FileId;
use sl::ask;
use sl::core::{Assertion, Scope};
use sl::procedure::{Check, NoProof};
use sl::smtlib::Status;
use sl::{
    Answer, Budget, Defs, Entailment, Evaluator, Formula, Inference, Procedure, Proof,
    Satisfiability, Semantics, Truth,
};

fn main() -> ExitCode {
    let root = testing::root().join("tests/sl");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    if files.is_empty() {
        eprintln!("there are no files under {}", root.display());
        return ExitCode::FAILURE;
    }
    let trials = files.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || run(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_test = path.extension().is_some_and(|e| e == "sl" || e == "smt2");
        if path.is_dir() {
            collect(&path, files);
        } else if is_test {
            files.push(path);
        }
    }
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let questions = if path.extension().is_some_and(|e| e == "smt2") {
        script(&text)?
    } else {
        document(&text)?
    };
    if questions.is_empty() {
        return Err("there is no question".into());
    }
    let wrong: Vec<String> =
        questions.iter().filter_map(|question| question.wrong().err()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// A question with its answer.
struct Question {
    text: String,
    by: Option<String>,
    defs: Defs,
    what: What,
    expected: String,
}

enum What {
    Check(Check),
    Frame(Formula, Formula),
    AntiFrame(Formula, Formula),
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

impl Question {
    /// What is wrong with the answers, if something is.
    fn wrong(&self) -> Result<(), String> {
        let answer = self.answer(&mut *procedure(self.by.as_deref().unwrap_or("all"))?)?;
        let is_right = match self.expected.as_str() {
            "not valid" => answer != "valid",
            "not unsat" => answer != "unsat",
            expected => answer == expected,
        };
        if !is_right {
            return Err(format!("{}\n    {answer}, not {}", self.text, self.expected));
        }
        if self.by.is_none() && matches!(self.what, What::Check(_)) {
            for name in ["lists", "induct"] {
                let other = self.answer(&mut *procedure(name)?)?;
                if other != answer && !other.starts_with("unknown") {
                    return Err(format!("{}\n    {name} says {other}, not {answer}", self.text));
                }
            }
        }
        Ok(())
    }

    fn answer(&self, procedure: &mut dyn Procedure) -> Result<String, String> {
        let (defs, mut budget) = (&self.defs, Budget::default());
        match &self.what {
            What::Check(Check::Satisfiable(formula)) => {
                let mut scope = Scope::new(defs);
                let assertion = scope.lower(formula);
                let answer = procedure.satisfiable(&scope, &assertion, &mut budget);
                match &answer {
                    Answer::Decided(Satisfiability::Sat(model)) => {
                        self.confirm(formula, model, Truth::True)?;
                    }
                    Answer::Decided(Satisfiability::Unsat(found)) => {
                        self.accept(found, |found| {
                            proof::check_entailment(&scope, &assertion, &Assertion::never(), found)
                        })?
                    }
                    _ => {}
                }
                Ok(known(&answer, answer.as_str()))
            }
            What::Check(Check::Entails(left, right)) => {
                let (scope, h, g) = ask::lowered(defs, left, right);
                let answer = procedure.entails(&scope, &h, &g, &mut budget);
                match &answer {
                    Answer::Decided(Entailment::Valid(found)) => {
                        self.accept(found, |found| proof::check_entailment(&scope, &h, &g, found))?
                    }
                    Answer::Decided(Entailment::Invalid(model)) => {
                        self.confirm(left, model, Truth::True)?;
                        self.confirm(right, model, Truth::False)?;
                    }
                    _ => {}
                }
                let is_script = ["sat", "unsat", "not unsat"].contains(&self.expected.as_str());
                let word = match answer.as_str() {
                    "valid" if is_script => "unsat",
                    "invalid" if is_script => "sat",
                    word => word,
                };
                Ok(known(&answer, word))
            }
            What::Frame(h, g) => {
                let (scope, h, g) = ask::lowered(defs, h, g);
                let answer = procedure.frame(&scope, &h, &g, &mut budget);
                if let Answer::Decided(Inference::Found(frame, found)) = &answer {
                    self.accept(found, |found| proof::check_frame(&scope, &h, &g, frame, found))?;
                }
                Ok(inferred("frame", &answer.and_then(|found| ask::raised(&scope, found))))
            }
            What::AntiFrame(h, g) => {
                let (scope, h, g) = ask::lowered(defs, h, g);
                let answer = procedure.abduce(&scope, &h, &g, &mut budget);
                if let Answer::Decided(Inference::Found(missing, found)) = &answer {
                    self.accept(found, |found| {
                        proof::check_anti_frame(&scope, &h, &g, missing, found)
                    })?;
                }
                Ok(inferred("anti-frame", &answer.and_then(|found| ask::raised(&scope, found))))
            }
        }
    }

    /// There is a proof unless a solver says so, and it is accepted.
    fn accept(
        &self,
        found: &Proof,
        check: impl FnOnce(&Proof) -> Result<(), proof::Fault>,
    ) -> Result<(), String> {
        match found.derivations() {
            Ok(derivations) => check(&Proof::Derivations(derivations))
                .map_err(|fault| format!("{}\n    the proof: {fault}", self.text)),
            Err(NoProof::Solver) => Ok(()),
            Err(why) => Err(format!(
                "{}
    there is no proof: {why}",
                self.text
            )),
        }
    }

    /// The evaluator must not say the opposite; some formulas are too much for it.
    fn confirm(&self, formula: &Formula, model: &sl::Model, truth: Truth) -> Result<(), String> {
        let evaluator = Evaluator::new(self.defs.signature(), self.defs.semantics());
        let found = evaluator.holds(model, formula);
        if found == truth || found == Truth::Unknown {
            return Ok(());
        }
        let model = model.to_text(self.defs.signature());
        Err(format!("{}\n    {formula} is not {truth:?} for\n{model}", self.text))
    }
}

fn known<T>(answer: &Answer<T>, word: &str) -> String {
    answer.why_not().map_or_else(|| word.to_owned(), |why| format!("unknown: {why}"))
}

fn inferred(what: &str, answer: &Answer<Inference<Formula>>) -> String {
    match answer {
        Answer::Decided(Inference::Found(formula, _)) => format!("{what} {formula}"),
        Answer::Decided(Inference::Nothing(_)) => format!("no {what}"),
        unknown => known(unknown, "unknown"),
    }
}

/// The questions of a script.
fn script(text: &str) -> Result<Vec<Question>, String> {
    let by = text.lines().next().and_then(|line| line.strip_prefix("; by ")).map(str::to_owned);
    let script = sl::smtlib::parse(FileId(0), text).map_err(|problem| problem.message)?;
    let question = |check: &sl::smtlib::Check| Question {
        text: check.assertions.iter().map(|a| format!("{a}\n")).collect(),
        by: by.clone(),
        defs: Defs::new(check.signature.clone(), Semantics::Standard),
        what: What::Check(Check::of(&check.assertions, Semantics::Standard)),
        expected: match check.status {
            Some(Status::Sat) => "sat",
            Some(Status::Unsat) => "unsat",
            _ => "not unsat",
        }
        .to_owned(),
    };
    Ok(script.checks.iter().map(question).collect())
}

const ANSWERS: [&str; 9] = [
    "valid",
    "invalid",
    "not valid",
    "sat",
    "unsat",
    "frame ",
    "no frame",
    "anti-frame ",
    "no anti-frame",
];

/// The questions of a text.
fn document(text: &str) -> Result<Vec<Question>, String> {
    let is_answer = |line: &str| {
        let word = line.strip_prefix("// ")?;
        let fits = |answer: &&str| {
            if answer.ends_with(' ') { word.starts_with(*answer) } else { word == *answer }
        };
        ANSWERS.iter().any(fits).then(|| word.to_owned())
    };
    let mut declarations = String::new();
    let mut questions: Vec<(String, String)> = Vec::new();
    let mut before = "";
    for line in text.lines() {
        match (is_answer(line).filter(|_| before.is_empty()), questions.last_mut()) {
            (Some(answer), _) => questions.push((answer, String::new())),
            (None, None) => declarations += &format!("{line}\n"),
            (None, Some((_, question))) => *question += &format!("{line}\n"),
        }
        before = line.trim();
    }
    let option = |name: &str| declarations.lines().find_map(|line| line.strip_prefix(name));
    let by = option("// by ").map(str::to_owned);
    let semantics = match option("// standard") {
        Some("") => Semantics::Standard,
        _ => Semantics::Precise,
    };
    let mut all = Vec::new();
    for (expected, text) in questions {
        let text = text.trim().to_owned();
        let (left, right) = match text.split_once("|= ") {
            Some((left, right)) => (left, Some(right)),
            None => (text.as_str(), None),
        };
        let left = format!("{declarations}{left}");
        let mut files = vec![(FileId(0), left.as_str())];
        files.extend(right.map(|right| (FileId(1), right)));
        let document = sl::text::parse(&files).map_err(|e| format!("{text}\n    {}", e.message))?;
        let what = match document.formulas.as_slice() {
            [h, g] if expected.contains("anti-frame") => What::AntiFrame(h.clone(), g.clone()),
            [h, g] if expected.contains("frame") => What::Frame(h.clone(), g.clone()),
            [h, g] => What::Check(Check::Entails(h.clone(), g.clone())),
            [formula] => What::Check(Check::Satisfiable(formula.clone())),
            _ => return Err(format!("{text}\n    this is no question")),
        };
        let defs = Defs::new(document.signature.clone(), semantics);
        all.push(Question { text, by: by.clone(), defs, what, expected });
    }
    Ok(all)
}
