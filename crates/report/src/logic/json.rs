//! The JSON contract: one object per file, on one line.
//!
//! ```json
//! {"file": "a.smt2", "status": "solved", "time_ms": 3, "errors": [],
//!  "checks": [{"verdict": "sat", "reason": null, "model":
//!      {"stack": {"x": "#1"}, "heap": [{"location": "#1", "fields": {"next": "nil"}}]}}]}
//! {"file": "H", "status": "solved", "time_ms": 1, "errors": [],
//!  "formula": "ls(y, nil)", "reason": null, "model": null}
//! ```
//!
//! The second is about a frame or an anti-frame; `"formula"` is null if there is none. `"status"` is
//! `"unknown"` if a question is not decided, and then the answer has a `"reason"`. A location without
//! named fields has `"content"` in place of `"fields"`. `"proof"` (a text, or null if there is none to
//! look at, nor to check) and `"stats"` are there only if they were asked for.

use serde_json::{Map, Value, json};

use super::{
    AnswerReport, Content, Effort, LogicReport, ModelReport, Question, Verdict, milliseconds,
};

/// The object of a file, without a line break.
#[must_use]
pub fn render(report: &LogicReport, stats: bool) -> String {
    let mut object = json!({
        "file": report.file,
        "status": if report.is_solved() { "solved" } else { "unknown" },
        "time_ms": u64::try_from(report.time.as_millis()).unwrap_or(u64::MAX),
        "errors": [],
    });
    match (report.question, report.answers.first()) {
        (Question::Formula, Some(answer)) => {
            object["formula"] = match &answer.verdict {
                Verdict::Found(formula) => formula.as_str().into(),
                _ => Value::Null,
            };
            common(answer, stats, &mut object);
        }
        _ => {
            let check = |answer| {
                let mut object = json!({});
                check(answer, stats, &mut object);
                object
            };
            object["checks"] = report.answers.iter().map(check).collect();
        }
    }
    object.to_string()
}

fn check(answer: &AnswerReport, stats: bool, object: &mut Value) {
    object["verdict"] = answer.verdict.as_str().into();
    common(answer, stats, object);
}

/// What answers of both kinds have.
fn common(answer: &AnswerReport, stats: bool, object: &mut Value) {
    object["reason"] = answer.reason().into();
    object["model"] = answer.model.as_ref().map(model).into();
    match &answer.proof {
        Some(Ok(proof)) => object["proof"] = proof.text.as_str().into(),
        Some(Err(_)) => object["proof"] = Value::Null,
        None => {}
    }
    if stats {
        object["stats"] = effort(&answer.effort);
    }
}

fn model(model: &ModelReport) -> Value {
    let cells = model.heap.iter().map(|cell| {
        let location = &cell.location;
        match &cell.content {
            Content::Fields(fields) => json!({ "location": location, "fields": map(fields) }),
            Content::Value(value) => json!({ "location": location, "content": value }),
        }
    });
    json!({ "stack": map(&model.stack), "heap": cells.collect::<Vec<_>>() })
}

fn map(entries: &[(String, String)]) -> Map<String, Value> {
    entries.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect()
}

fn effort(effort: &Effort) -> Value {
    json!({
        "procedure": effort.procedure,
        "time_ms": milliseconds(effort.time),
        "solver_ms": milliseconds(effort.waiting),
        "searches": effort.searches,
        "queries": effort.queries,
        "rounds": effort.rounds,
        "instances": effort.instances,
        "nodes": effort.nodes,
    })
}
