//! What nodes carry besides their meaning.

use report::Pos;

use crate::ast::{Annotation, Name};

/// What a node carries besides its meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// `@key("…")`
    pub annotations: Vec<Annotation>,
    /// How an error at this node is reported, where that is not as usual.
    pub report: Option<ReportAs>,
}

impl Info {
    /// The annotation with this key.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&Annotation> {
        self.annotations.iter().find(|a| a.key.as_str() == key)
    }
}

/// The reason that an error gives which a plugin reports in place of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MappedReason {
    /// Permission is missing: the message is for that failure, too.
    InsufficientPermission,
    /// One that only the plugin knows, by its identifier.
    Own(Name),
}

impl MappedReason {
    /// Viper's identifier.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            MappedReason::InsufficientPermission => "insufficient.permission",
            MappedReason::Own(id) => id.as_str(),
        }
    }
}

/// How errors at a node that a plugin made are mapped back to the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportAs {
    /// A failed proof here is this error there; other kinds of failure keep their reason.
    Error {
        /// The identifier in place of, for instance, `assert.failed`.
        id: Name,
        /// The reason in place of `assertion.false`.
        reason: MappedReason,
        /// The offending node.
        pos: Pos,
        /// The message.
        message: Name,
    },
    /// The proof is meant to fail: no error here is reported, and if there is none at all, this
    /// error is.
    MustFail {
        /// The identifier with its reason.
        id: Name,
        /// The offending node.
        pos: Pos,
        /// The message.
        message: Name,
    },
    /// Like the error at another position, with another identifier.
    Elsewhere {
        /// The offending node.
        pos: Pos,
    },
}
