//! Questions and the answers that are expected, as they are written in files.

use report::FileId;
use sl::procedure::Check;
use sl::smtlib::Status;
use sl::{Defs, Formula, Semantics};

/// A question with its answer.
pub struct Question {
    pub text: String,
    /// The only procedure that is asked.
    pub by: Option<String>,
    pub defs: Defs,
    pub what: What,
    pub expected: Expected,
    /// Is there a proof if a procedure that has proofs says that it holds?
    pub has_proof: bool,
}

pub enum What {
    Check(Check),
    Frame(Formula, Formula),
    AntiFrame(Formula, Formula),
}

#[derive(Clone)]
pub enum Expected {
    /// `valid`, `no frame`, …
    Answer(String),
    /// `not valid`, …
    Not(String),
    /// A model with so many cells.
    Cells(usize),
    /// A frame or an anti-frame, as text and as a formula.
    Formula(String, Formula),
    /// The beginning of the answer, and words of the reason.
    Unknown(&'static str, String),
}

/// An answer as it is written.
#[derive(Clone)]
struct Written {
    answer: String,
    has_proof: bool,
}

const WORDS: [&str; 9] = [
    "valid",
    "invalid",
    "not valid",
    "sat",
    "not sat",
    "unsat",
    "not unsat",
    "no frame",
    "no anti-frame",
];

/// What comes before a formula, or before words of the reason.
const BEGINNINGS: [&str; 4] = ["frame ", "anti-frame ", "out of fragment: ", "gave up: "];

fn cells(answer: &str) -> Option<usize> {
    answer.strip_prefix("sat with ")?.strip_suffix(" cells")?.parse().ok()
}

impl Written {
    fn new(text: &str) -> Option<Written> {
        let (answer, has_proof) = match text.strip_suffix(" without proof") {
            Some(answer) => (answer, false),
            None => (text, true),
        };
        let is_answer = WORDS.contains(&answer)
            || BEGINNINGS.iter().any(|beginning| answer.starts_with(beginning))
            || cells(answer).is_some();
        is_answer.then(|| Written { answer: answer.to_owned(), has_proof })
    }

    /// The formula that is expected, if it is one.
    fn formula(&self) -> Option<&str> {
        BEGINNINGS[..2].iter().find_map(|beginning| self.answer.strip_prefix(beginning))
    }

    fn expected(&self, formula: Option<Formula>) -> Expected {
        let answer = self.answer.as_str();
        if let Some(formula) = formula {
            return Expected::Formula(answer.to_owned(), formula);
        }
        for beginning in &BEGINNINGS[2..] {
            if let Some(words) = answer.strip_prefix(beginning) {
                return Expected::Unknown(beginning, words.to_owned());
            }
        }
        match (cells(answer), answer.strip_prefix("not ")) {
            (Some(count), _) => Expected::Cells(count),
            (None, Some(other)) => Expected::Not(other.to_owned()),
            (None, None) => Expected::Answer(answer.to_owned()),
        }
    }
}

/// The questions of a script.
pub fn script(text: &str) -> Result<Vec<Question>, String> {
    let comments = text.lines().take_while(|line| line.starts_with(';'));
    let by = comments.filter_map(|line| line.strip_prefix("; by ")).next().map(str::to_owned);
    let mut answers: Vec<Option<Written>> = Vec::new();
    let mut next = None;
    for line in text.lines() {
        if let Some(answer) = line.strip_prefix("; expect ") {
            let written = Written::new(answer);
            next = Some(written.ok_or_else(|| format!("`{answer}` is no answer"))?);
        }
        answers.extend((0..line.matches("(check-sat)").count()).map(|_| next.take()));
    }
    let script = sl::smtlib::parse(FileId(0), text).map_err(|problem| problem.message)?;
    if script.checks.len() != answers.len() {
        return Err("`(check-sat)` in a place where nobody looks for it".into());
    }
    let question = |(check, answer): (&sl::smtlib::Check, Option<Written>)| {
        let status = match check.status {
            Some(Status::Sat) => "sat",
            Some(Status::Unsat) => "unsat",
            _ => "not unsat",
        };
        let answer =
            answer.unwrap_or_else(|| Written { answer: status.to_owned(), has_proof: true });
        Question {
            text: check.assertions.iter().map(|a| format!("{a}\n")).collect(),
            by: by.clone(),
            defs: Defs::new(check.signature.clone(), Semantics::Standard),
            what: What::Check(Check::of(&check.assertions, Semantics::Standard)),
            has_proof: answer.has_proof,
            expected: answer.expected(None),
        }
    };
    Ok(script.checks.iter().zip(answers).map(question).collect())
}

/// The questions of a text.
pub fn document(text: &str) -> Result<Vec<Question>, String> {
    let mut declarations = String::new();
    let mut questions: Vec<(Written, String)> = Vec::new();
    let mut before = "";
    for line in text.lines() {
        let answer = line.strip_prefix("// ").filter(|_| before.is_empty()).and_then(Written::new);
        match (answer, questions.last_mut()) {
            (Some(answer), _) => questions.push((answer, String::new())),
            (None, None) => declarations += &format!("{line}\n"),
            (None, Some((_, question))) => *question += &format!("{line}\n"),
        }
        before = line.trim();
    }
    let option = |name: &str| declarations.lines().find_map(|line| line.strip_prefix(name));
    let by = option("// by ").map(str::to_owned);
    let semantics = match (option("// standard"), option("// in both semantics")) {
        (_, Some("")) => vec![Semantics::Standard, Semantics::Precise],
        (Some(""), _) => vec![Semantics::Standard],
        _ => vec![Semantics::Precise],
    };
    let mut all = Vec::new();
    for (written, text) in questions {
        let text = text.trim().to_owned();
        let (left, right) = match text.split_once("|= ") {
            Some((left, right)) => (left, Some(right)),
            None => (text.as_str(), None),
        };
        let left = format!("{declarations}{left}");
        let mut files = vec![(FileId(0), left.as_str())];
        files.extend(right.map(|right| (FileId(1), right)));
        files.extend(written.formula().map(|formula| (FileId(2), formula)));
        let document = sl::text::parse(&files).map_err(|e| format!("{text}\n    {}", e.message))?;
        let mut formulas = document.formulas.clone();
        let expected = written.formula().and_then(|_| formulas.pop());
        for semantics in &semantics {
            let (is_frame, answer) = (expected.is_some(), written.answer.as_str());
            let what = match formulas.as_slice() {
                [h, g] if answer.contains("anti-frame") => What::AntiFrame(h.clone(), g.clone()),
                [h, g] if is_frame || answer == "no frame" => What::Frame(h.clone(), g.clone()),
                [h, g] => What::Check(Check::Entails(h.clone(), g.clone())),
                [formula] => What::Check(Check::Satisfiable(formula.clone())),
                _ => return Err(format!("{text}\n    this is no question")),
            };
            all.push(Question {
                text: text.clone(),
                by: by.clone(),
                defs: Defs::new(document.signature.clone(), *semantics),
                what,
                has_proof: written.has_proof,
                expected: written.expected(expected.clone()),
            });
        }
    }
    Ok(all)
}
