//! For people: a line for each answer, with what was asked for below it.

use super::{AnswerReport, Effort, Expected, LogicReport, Question, milliseconds};

/// What to show beyond answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    /// Models and counterexamples.
    pub model: bool,
    /// Proofs, as text.
    pub proof: bool,
    /// What answers took.
    pub stats: bool,
}

/// An answer, by where its parts belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The answer, in lines.
    pub text: String,
    /// Why there is no answer, or no proof; a message each.
    pub complaints: Vec<String>,
    /// A line on what it took, if that was asked for.
    pub stats: Option<String>,
}

/// An answer. Each line of several files' answers begins with the name of the file.
#[must_use]
pub fn render(answer: &AnswerReport, file: Option<&str>, show: Show) -> Rendered {
    let prefix = file.map(|name| format!("{name}: ")).unwrap_or_default();
    let mut text = format!("{prefix}{}\n", answer.verdict.as_str());
    let mut complaints = Vec::new();
    complaints.extend(answer.reason().map(|reason| format!("{prefix}not decided: {reason}")));
    if let Some(model) = answer.model.as_ref().filter(|_| show.model) {
        text.push_str(&model.text);
    }
    match &answer.proof {
        Some(Ok(proof)) if show.proof => text.push_str(&proof.text),
        Some(Err(why)) => complaints.push(format!("{prefix}there is no proof: {why}")),
        Some(Ok(_)) | None => {}
    }
    let stats = show.stats.then(|| format!("{prefix}stats: {}\n", effort(&answer.effort)));
    Rendered { text, complaints, stats }
}

/// What is odd about a file: it asks nothing, or its author is of another opinion.
#[must_use]
pub fn warning(report: &LogicReport, show: Show) -> Option<String> {
    let file = &report.file;
    if report.question == Question::Checks && report.answers.is_empty() {
        return Some(format!("{file}: there is no `(check-sat)`, so nothing to decide"));
    }
    let (expected, advice) = match report.expected? {
        Expected::Unsat if show.model => ("unsat", "the model that is shown was checked"),
        Expected::Unsat => ("unsat", "--model shows the model, which was checked"),
        Expected::Sat => ("sat", "perhaps it is meant in the other semantics: see --semantics"),
    };
    let word = report.answers.last()?.verdict.as_str();
    Some(format!(
        "warning: {file}: the answer is {word}, but its `:status` is {expected}; {advice}"
    ))
}

fn effort(effort: &Effort) -> String {
    let Effort { searches, queries, rounds, instances, nodes, .. } = effort;
    let time = milliseconds(effort.time);
    let procedure = effort.procedure.unwrap_or("nobody");
    if *searches == 0 {
        return format!("{procedure}, {time:.1} ms");
    }
    format!(
        "{procedure}, {time:.1} ms, {:.1} of them waiting for the solver: {searches} searches, \
         {queries} queries, {rounds} rounds of {instances} instances of axioms, at most \
         {nodes} nodes",
        milliseconds(effort.waiting)
    )
}
