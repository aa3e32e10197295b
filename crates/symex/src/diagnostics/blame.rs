//! Who is to blame when a proof fails: Viper's error and reason identifiers, and their sentences.

use std::sync::Arc;

use report::{Diagnostic, Pos};
use viper::core::{Expr, Info, MappedReason, ReportAs};

use crate::state::Owner;

/// What could not be done, by Viper's identifier without its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    AssertFailed,
    AssignmentFailed,
    CallFailed,
    CallPrecondition,
    ApplicationPrecondition,
    PostconditionViolated,
    ExhaleFailed,
    InhaleFailed,
    IfFailed,
    WhileFailed,
    FoldFailed,
    UnfoldFailed,
    PackageFailed,
    ApplyFailed,
    InvariantNotEstablished,
    InvariantNotPreserved,
    ContractNotWellformed,
    FunctionNotWellformed,
    PredicateNotWellformed,
    QuasihavocFailed,
    QuasihavocallFailed,
    Internal,
}

impl ErrorKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::AssertFailed => "assert.failed",
            ErrorKind::AssignmentFailed => "assignment.failed",
            ErrorKind::CallFailed => "call.failed",
            ErrorKind::CallPrecondition => "call.precondition",
            ErrorKind::ApplicationPrecondition => "application.precondition",
            ErrorKind::PostconditionViolated => "postcondition.violated",
            ErrorKind::ExhaleFailed => "exhale.failed",
            ErrorKind::InhaleFailed => "inhale.failed",
            ErrorKind::IfFailed => "if.failed",
            ErrorKind::WhileFailed => "while.failed",
            ErrorKind::FoldFailed => "fold.failed",
            ErrorKind::UnfoldFailed => "unfold.failed",
            ErrorKind::PackageFailed => "package.failed",
            ErrorKind::ApplyFailed => "apply.failed",
            ErrorKind::InvariantNotEstablished => "invariant.not.established",
            ErrorKind::InvariantNotPreserved => "invariant.not.preserved",
            ErrorKind::ContractNotWellformed => "not.wellformed",
            ErrorKind::FunctionNotWellformed => "function.not.wellformed",
            ErrorKind::PredicateNotWellformed => "predicate.not.wellformed",
            ErrorKind::QuasihavocFailed => "quasihavoc.failed",
            ErrorKind::QuasihavocallFailed => "quasihavocall.failed",
            ErrorKind::Internal => "internal",
        }
    }
}

/// Why not, by Viper's identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReasonKind {
    AssertionFalse,
    InsufficientPermission,
    NegativePermission,
    PermissionNotPositive,
    DivisionByZero,
    SeqIndexNegative,
    SeqIndexLength,
    MapKeyContains,
    NotInjective,
    QuasihavocallNotInjective,
    LabelledStateNotReached,
    WandNotFound,
    Unsupported,
}

impl ReasonKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ReasonKind::AssertionFalse => "assertion.false",
            ReasonKind::InsufficientPermission => "insufficient.permission",
            ReasonKind::NegativePermission => "negative.permission",
            ReasonKind::PermissionNotPositive => "permission.not.positive",
            ReasonKind::DivisionByZero => "division.by.zero",
            ReasonKind::SeqIndexNegative => "seq.index.negative",
            ReasonKind::SeqIndexLength => "seq.index.length",
            ReasonKind::MapKeyContains => "map.key.contains",
            ReasonKind::NotInjective => "qp.not.injective",
            ReasonKind::QuasihavocallNotInjective => "quasihavocall.not.injective",
            ReasonKind::LabelledStateNotReached => "labelled.state.not.reached",
            ReasonKind::WandNotFound => "wand.not.found",
            ReasonKind::Unsupported => "feature.unsupported",
        }
    }
}

/// Viper's identifier of an error and its reason: `assert.failed:assertion.false`.
fn identifier(error: ErrorKind, reason: ReasonKind) -> String {
    format!("{}:{}", error.as_str(), reason.as_str())
}

/// The error that a failed proof would be.
#[derive(Clone, Debug)]
pub(crate) struct Blame {
    pub kind: ErrorKind,
    /// The offending node.
    pub pos: Pos,
    /// How a plugin wants it reported.
    pub info: Option<Arc<Info>>,
    /// What the message names: a member, a statement.
    pub subject: String,
}

impl Blame {
    pub fn new(kind: ErrorKind, pos: Pos) -> Blame {
        Blame { kind, pos, info: None, subject: String::new() }
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
    pub kind: ReasonKind,
    pub pos: Pos,
    /// The expression that the message shows, of this member.
    pub expr: Option<(Arc<Expr>, Owner)>,
    /// The sentence if there is no expression to show.
    pub text: String,
}

impl Reason {
    pub fn new(kind: ReasonKind, expr: &Arc<Expr>, owner: Owner) -> Reason {
        Reason { kind, pos: expr.pos, expr: Some((Arc::clone(expr), owner)), text: String::new() }
    }

    pub fn text(kind: ReasonKind, pos: Pos, text: impl Into<String>) -> Reason {
        Reason { kind, pos, expr: None, text: text.into() }
    }
}

/// What a failed proof of this kind means, in Viper's words where tools look for them.
fn headline(kind: ErrorKind, subject: &str) -> String {
    match kind {
        ErrorKind::AssertFailed => "Assert might fail.".to_string(),
        ErrorKind::AssignmentFailed => "Assignment might fail.".to_string(),
        ErrorKind::CallFailed => "Method call might fail.".to_string(),
        ErrorKind::CallPrecondition => {
            format!("The precondition of method {subject} might not hold.")
        }
        ErrorKind::ApplicationPrecondition => {
            format!("Precondition of function {subject} might not hold.")
        }
        ErrorKind::PostconditionViolated => format!("Postcondition of {subject} might not hold."),
        ErrorKind::ExhaleFailed => "Exhale might fail.".to_string(),
        ErrorKind::InhaleFailed => "Inhale might fail.".to_string(),
        ErrorKind::IfFailed => "Conditional statement might fail.".to_string(),
        ErrorKind::WhileFailed => "While statement might fail.".to_string(),
        ErrorKind::FoldFailed => format!("Folding {subject} might fail."),
        ErrorKind::UnfoldFailed => format!("Unfolding {subject} might fail."),
        ErrorKind::PackageFailed => "Packaging wand might fail.".to_string(),
        ErrorKind::ApplyFailed => "Applying wand might fail.".to_string(),
        ErrorKind::InvariantNotEstablished => "Loop invariant might not hold on entry.".to_string(),
        ErrorKind::InvariantNotPreserved => "Loop invariant might not be preserved.".to_string(),
        ErrorKind::ContractNotWellformed => "Contract might not be well-formed.".to_string(),
        ErrorKind::FunctionNotWellformed => format!("Function {subject} might not be well-formed."),
        ErrorKind::PredicateNotWellformed => {
            format!("Predicate {subject} might not be well-formed.")
        }
        ErrorKind::QuasihavocFailed => "Quasihavoc might fail.".to_string(),
        ErrorKind::QuasihavocallFailed => "Quasihavocall might fail.".to_string(),
        ErrorKind::Internal => "An internal error occurred.".to_string(),
    }
}

/// The sentence for a reason about this text.
fn sentence(kind: ReasonKind, text: &str) -> String {
    match kind {
        ReasonKind::AssertionFalse => format!("Assertion {text} might not hold."),
        ReasonKind::InsufficientPermission => {
            format!("There might be insufficient permission to access {text}.")
        }
        ReasonKind::NegativePermission => format!("Fraction {text} might be negative."),
        ReasonKind::PermissionNotPositive => format!("Fraction {text} might not be positive."),
        ReasonKind::DivisionByZero => format!("Divisor {text} might be zero."),
        ReasonKind::SeqIndexNegative => format!("Index {text} might be negative."),
        ReasonKind::SeqIndexLength => {
            format!("Index {text} might exceed the length of the sequence.")
        }
        ReasonKind::MapKeyContains => format!("Key {text} might not be in the map."),
        ReasonKind::NotInjective => {
            format!("Quantified resource {text} might not be injective.")
        }
        ReasonKind::LabelledStateNotReached => {
            format!("Did not reach labelled state {text} required to evaluate it.")
        }
        ReasonKind::WandNotFound => format!("Magic wand instance {text} not found."),
        ReasonKind::QuasihavocallNotInjective | ReasonKind::Unsupported => text.to_string(),
    }
}

/// The diagnostic of a failed proof. `text` is the reason's expression as the user would write it.
pub(crate) fn diagnostic(blame: &Blame, reason: &Reason, text: &str) -> Diagnostic {
    let why = match reason.expr {
        Some(_) => sentence(reason.kind, text),
        None => reason.text.clone(),
    };
    let usual = |pos: Pos| {
        let message = format!("{} {why}", headline(blame.kind, &blame.subject));
        Diagnostic::error(identifier(blame.kind, reason.kind), pos, message)
    };
    let diagnostic = match blame.info.as_ref().and_then(|info| info.report.as_ref()) {
        Some(ReportAs::Error { id, reason: mapped, pos, message }) => {
            // The message says all there is to say about the failure that it is for.
            let (reason, why) = match (reason.kind, mapped) {
                (ReasonKind::AssertionFalse, _)
                | (ReasonKind::InsufficientPermission, MappedReason::InsufficientPermission) => {
                    (mapped.as_str(), String::new())
                }
                _ => (reason.kind.as_str(), why),
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
