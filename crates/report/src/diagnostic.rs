//! The one diagnostic model of all engines.

use std::borrow::Cow;

use crate::picture::Picture;
use crate::source::Pos;

/// How bad it is. Warnings never fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Makes the run fail.
    Error,
    /// Worth knowing.
    Warning,
}

/// A message about a place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Viper's identifier: `typechecker.error`, `assert.failed:assertion.false`.
    pub id: Cow<'static, str>,
    /// Error or warning.
    pub severity: Severity,
    /// The offending node.
    pub pos: Pos,
    /// One or two sentences, without the position.
    pub message: String,
    /// Further places that explain it, each with what to say there.
    pub labels: Vec<(Pos, String)>,
    /// What the user can do about it.
    pub help: Option<String>,
    /// The program member in which it occurs.
    pub member: Option<String>,
    /// The last conditions of the branches that lead there, outermost first.
    pub branch: Vec<String>,
    /// How many such conditions there are before these.
    pub branch_omitted: usize,
    /// Values that make it happen, if they were asked for and some are known.
    pub counterexample: Option<Box<Counterexample>>,
    /// Heaps on the way to where it fails.
    pub heaps: Option<Box<Heaps>>,
}

/// Heaps on the way to a failure: what there is in the beginning, and where it fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heaps {
    /// Each with the name of its state.
    pub states: Vec<(String, Picture)>,
    /// Did something other than a solver find that all assumptions hold in them, and what fails does not?
    pub confirmed: bool,
}

/// Values for which a proof fails, evaluated by whoever found them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counterexample {
    /// Variables in scope with their values.
    pub variables: Vec<(String, String)>,
    /// What is held of the heap.
    pub heap: Vec<HeapValue>,
    /// What was different in earlier states, which are called as in `old(x.f)` and `old[label](x.f)`.
    pub states: Vec<(String, Vec<HeapValue>)>,
    /// Were there such values? If not, nothing else is known.
    pub confirmed: bool,
}

/// A location of a [`Counterexample`], for instance `x.next` with `1/2` and `null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapValue {
    /// The location.
    pub location: String,
    /// How much of it is held.
    pub permission: String,
    /// What it holds, if that is known.
    pub value: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(
        id: impl Into<Cow<'static, str>>,
        pos: impl Into<Pos>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            id: id.into(),
            severity: Severity::Error,
            pos: pos.into(),
            message: message.into(),
            labels: Vec::new(),
            help: None,
            member: None,
            branch: Vec::new(),
            branch_omitted: 0,
            counterexample: None,
            heaps: None,
        }
    }

    /// A warning.
    pub fn warning(
        id: impl Into<Cow<'static, str>>,
        pos: impl Into<Pos>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(id, pos, message) }
    }

    /// Adds advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn with_label(mut self, pos: impl Into<Pos>, text: impl Into<String>) -> Diagnostic {
        self.labels.push((pos.into(), text.into()));
        self
    }

    /// The part of the identifier after the colon, if there is one.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.id.split_once(':').map(|(_, reason)| reason)
    }

    /// Is it an error?
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
