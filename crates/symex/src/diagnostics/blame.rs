//! Who is to blame when a proof fails: Viper's error and reason identifiers, and their sentences.

use std::sync::Arc;

use report::{Diagnostic, Pos};
use viper::core::{Expr, Info, ReportAs};

use crate::state::Owner;

/// The error that a failed proof would be.
#[derive(Clone, Debug)]
pub(crate) struct Blame {
    /// Without its reason: `assert.failed`.
    pub id: &'static str,
    /// The offending node.
    pub pos: Pos,
    /// How a plugin wants it reported.
    pub info: Option<Arc<Info>>,
    /// What the message names: a member, a statement.
    pub subject: String,
}

impl Blame {
    pub fn new(id: &'static str, pos: Pos) -> Blame {
        Blame { id, pos, info: None, subject: String::new() }
    }

    pub fn with_info(mut self, info: &Option<Arc<Info>>) -> Blame {
        self.info.clone_from(info);
        self
    }

    pub fn about(mut self, subject: impl Into<String>) -> Blame {
        self.subject = subject.into();
        self
    }
}

/// Why a proof failed.
#[derive(Clone, Debug)]
pub(crate) struct Reason {
    pub id: &'static str,
    pub pos: Pos,
    /// The expression that the message shows, of this member.
    pub expr: Option<(Arc<Expr>, Owner)>,
    /// The sentence if there is no expression to show.
    pub text: String,
}

impl Reason {
    pub fn new(id: &'static str, expr: &Arc<Expr>, owner: Owner) -> Reason {
        Reason { id, pos: expr.pos, expr: Some((Arc::clone(expr), owner)), text: String::new() }
    }

    pub fn text(id: &'static str, pos: Pos, text: impl Into<String>) -> Reason {
        Reason { id, pos, expr: None, text: text.into() }
    }
}

/// What a failed proof of this kind means, in Viper's words where tools look for them.
fn headline(id: &str, subject: &str) -> String {
    match id {
        "assert.failed" => "Assert might fail.".to_string(),
        "assignment.failed" => "Assignment might fail.".to_string(),
        "call.failed" => "Method call might fail.".to_string(),
        "call.precondition" => {
            format!("The precondition of method {subject} might not hold.")
        }
        "application.precondition" => {
            format!("Precondition of function {subject} might not hold.")
        }
        "postcondition.violated" => format!("Postcondition of {subject} might not hold."),
        "exhale.failed" => "Exhale might fail.".to_string(),
        "inhale.failed" => "Inhale might fail.".to_string(),
        "assume.failed" => "Assume might fail.".to_string(),
        "if.failed" => "Conditional statement might fail.".to_string(),
        "while.failed" => "While statement might fail.".to_string(),
        "fold.failed" => format!("Folding {subject} might fail."),
        "unfold.failed" => format!("Unfolding {subject} might fail."),
        "package.failed" => "Packaging wand might fail.".to_string(),
        "apply.failed" => "Applying wand might fail.".to_string(),
        "invariant.not.established" => "Loop invariant might not hold on entry.".to_string(),
        "invariant.not.preserved" => "Loop invariant might not be preserved.".to_string(),
        "not.wellformed" => "Contract might not be well-formed.".to_string(),
        "function.not.wellformed" => format!("Function {subject} might not be well-formed."),
        "predicate.not.wellformed" => format!("Predicate {subject} might not be well-formed."),
        "quasihavoc.failed" => "Quasihavoc might fail.".to_string(),
        "quasihavocall.failed" => "Quasihavocall might fail.".to_string(),
        "internal" => "An internal error occurred.".to_string(),
        other => format!("{other}: a proof might fail."),
    }
}

/// The sentence for a reason about this text.
fn sentence(id: &str, text: &str) -> String {
    match id {
        "assertion.false" => format!("Assertion {text} might not hold."),
        "insufficient.permission" => {
            format!("There might be insufficient permission to access {text}.")
        }
        "negative.permission" => format!("Fraction {text} might be negative."),
        "permission.not.positive" => format!("Fraction {text} might not be positive."),
        "division.by.zero" => format!("Divisor {text} might be zero."),
        "seq.index.negative" => format!("Index {text} might be negative."),
        "seq.index.length" => format!("Index {text} might exceed the length of the sequence."),
        "map.key.contains" => format!("Key {text} might not be in the map."),
        "qp.not.injective" => {
            format!("Quantified resource {text} might not be injective.")
        }
        "labelled.state.not.reached" => {
            format!("Did not reach labelled state {text} required to evaluate it.")
        }
        "wand.not.found" => format!("Magic wand instance {text} not found."),
        _ => text.to_string(),
    }
}

/// The diagnostic of a failed proof. `text` is the reason's expression as the user would write it.
pub(crate) fn diagnostic(blame: &Blame, reason: &Reason, text: &str) -> Diagnostic {
    let why = match reason.expr {
        Some(_) => sentence(reason.id, text),
        None => reason.text.clone(),
    };
    let usual = |pos: Pos| {
        let message = format!("{} {why}", headline(blame.id, &blame.subject));
        Diagnostic::error(format!("{}:{}", blame.id, reason.id), pos, message)
    };
    let diagnostic = match blame.info.as_ref().and_then(|info| info.report.as_ref()) {
        Some(ReportAs::Error { id, reason: mapped, pos, message }) => {
            // The message says all there is to say about the failure that it is for.
            let (reason, why) = if reason.id == "assertion.false" || reason.id == mapped.as_str() {
                (mapped.as_str(), String::new())
            } else {
                (reason.id, why)
            };
            let message = format!("{} {why}", message.as_str());
            Diagnostic::error(format!("{}:{reason}", id.as_str()), *pos, message.trim_end())
        }
        Some(ReportAs::Elsewhere { pos }) => usual(*pos),
        Some(ReportAs::MustFail { .. }) | None => usual(blame.pos),
    };
    if reason.pos == diagnostic.pos || reason.pos == Pos::None {
        return diagnostic;
    }
    diagnostic.with_label(reason.pos, "this is what fails")
}
