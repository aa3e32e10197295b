//! What is answered to questions of separation logic: is there a model, does one formula entail another,
//! what is the frame?

pub mod human;
pub mod json;

use std::time::Duration;

/// The answers to what a file, or the command line, asks.
#[derive(Clone, Debug, PartialEq)]
pub struct LogicReport {
    /// The path as the user gave it.
    pub file: String,
    /// What kind of question it is.
    pub question: Question,
    /// How long all of it took.
    pub time: Duration,
    /// In the order of the questions.
    pub answers: Vec<AnswerReport>,
    /// What the author of the file says the last answer is, if it is another one.
    pub expected: Option<Expected>,
}

/// Kinds of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Satisfiability and entailment, any number of times.
    Checks,
    /// One frame or anti-frame.
    Formula,
}

/// An opinion on satisfiability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerReport {
    /// The answer proper.
    pub verdict: Verdict,
    /// The model, or the counterexample.
    pub model: Option<ModelReport>,
    /// If proofs were asked for, to be shown or to be checked, and there is something to prove: the proof,
    /// or why there is none.
    pub proof: Option<Result<ProofReport, String>>,
    /// What it took.
    pub effort: Effort,
}

/// Answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a model.
    Sat,
    /// There is no model.
    Unsat,
    /// The entailment holds.
    Valid,
    /// There is a counterexample to the entailment.
    Invalid,
    /// The formula that was looked for.
    Found(String),
    /// There is no such formula.
    Nothing,
    /// Nobody knows, and this is why.
    Unknown(String),
}

/// A stack and a heap; values are texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelReport {
    /// Variables and their values.
    pub stack: Vec<(String, String)>,
    /// What is allocated.
    pub heap: Vec<CellReport>,
    /// All of it in the notation of the logic, in lines.
    pub text: String,
}

/// An allocated location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellReport {
    /// Its name.
    pub location: String,
    /// What it holds.
    pub content: Content,
}

/// What a location holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A record: the values of its named fields.
    Fields(Vec<(String, String)>),
    /// A value without fields.
    Value(String),
}

/// A proof: its sequents, with the rules that they follow by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofReport {
    /// A sequent a line.
    pub text: String,
    /// Drawn as a tree, if that was asked for.
    pub svg: Option<String>,
}

/// What an answer took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How long it took.
    pub time: Duration,
    /// Who answered.
    pub procedure: Option<&'static str>,
    /// Formulas for which a solver looked for a model.
    pub searches: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Rounds of instantiating axioms.
    pub rounds: u64,
    /// Instances of axioms.
    pub instances: u64,
    /// Nodes of the largest formula.
    pub nodes: usize,
    /// The time spent waiting for the solver.
    pub waiting: Duration,
}

impl LogicReport {
    /// Is every question decided?
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.answers.iter().all(AnswerReport::is_decided)
    }

    /// The exit status: that of the last answer, since questions before it may be about a part.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self.answers.last() {
            Some(answer) if !answer.is_decided() => 3,
            _ => 0,
        }
    }
}

impl AnswerReport {
    /// Is there an answer?
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.reason().is_none()
    }

    /// Why there is no answer.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Unknown(reason) => Some(reason),
            _ => None,
        }
    }
}

impl Verdict {
    /// The word for it; a formula stands for itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Verdict::Sat => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Valid => "valid",
            Verdict::Invalid => "invalid",
            Verdict::Found(formula) => formula,
            Verdict::Nothing => "none",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// With one decimal.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e4).round() / 10.0
}

#[cfg(test)]
mod tests;
