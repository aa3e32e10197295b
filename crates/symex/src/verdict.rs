//! What comes out of a verification.

use std::fmt;
use std::time::Duration;

use report::{Diagnostic, Pos, Status};
use smt::SolverError;

use crate::stats::Stats;

/// The outcome for a program.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The members that were verified, in source order. Members that plugins made are not listed;
    /// their errors are in the members they were made for.
    pub members: Vec<Member>,
    /// What the solver was asked, over all members.
    pub stats: Stats,
    /// How often quantified formulas were instantiated, over all members, those with most instances
    /// first. Empty unless [`Config::profile`](crate::Config::profile) is set.
    pub quantified: Vec<Quantified>,
    /// What is worth knowing although it is no error.
    pub warnings: Vec<Diagnostic>,
}

impl Verdict {
    /// The worst status of all members.
    #[must_use]
    pub fn status(&self) -> Status {
        self.members.iter().map(|m| m.status).max().unwrap_or(Status::Verified)
    }
}

/// How often a quantified formula was instantiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantified {
    /// What it is: `user`, `axiom`, `function`, `inverse`, …; `set.union.in` and the like for rules that
    /// are built in.
    pub kind: String,
    /// Where in the program it comes from.
    pub pos: Pos,
    /// So often.
    pub instances: u64,
    /// The longest chain of instances that led to each other.
    pub generation: u64,
}

/// The kinds of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemberKind {
    /// A domain: its axioms must be well-formed.
    Domain,
    /// A function.
    Function,
    /// A predicate.
    Predicate,
    /// A method.
    Method,
}

impl MemberKind {
    /// In lower case, as in the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            MemberKind::Domain => "domain",
            MemberKind::Function => "function",
            MemberKind::Predicate => "predicate",
            MemberKind::Method => "method",
        }
    }
}

/// The outcome for a member.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: MemberKind,
    /// Where it is declared.
    pub pos: Pos,
    /// `Verified`, `Failed`, `Timeout` (out of time or cancelled) or `InternalError`.
    pub status: Status,
    /// How long it took.
    pub time: Duration,
    /// What could not be proved, in source order, without duplicates.
    pub failures: Vec<Failure>,
    /// Why there is no verdict, for the last two.
    pub trouble: Option<Trouble>,
    /// What the solver was asked.
    pub stats: Stats,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The solver cannot be started, for this reason: nothing can be verified.
    NoSolver(String),
    /// [`Config::timeout`](crate::Config::timeout) is over.
    OutOfTime,
    /// Somebody used [`Config::cancel`](crate::Config::cancel).
    Cancelled,
    /// The solver died over it again and again, or we made a mistake.
    Internal(String),
}

impl Trouble {
    /// What it makes of a member.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Trouble::OutOfTime | Trouble::Cancelled => Status::Timeout,
            Trouble::NoSolver(_) | Trouble::Internal(_) => Status::InternalError,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::NoSolver(why) => write!(f, "the solver cannot be started: {why}"),
            Trouble::OutOfTime => f.write_str("the time is over"),
            Trouble::Cancelled => f.write_str("the verification was interrupted"),
            Trouble::Internal(why) => f.write_str(why),
        }
    }
}

impl From<&SolverError> for Trouble {
    fn from(error: &SolverError) -> Trouble {
        match error {
            SolverError::Start(why) => Trouble::NoSolver(why.clone()),
            SolverError::Cancelled => Trouble::Cancelled,
            SolverError::OutOfTime => Trouble::OutOfTime,
            SolverError::Lost(_) | SolverError::Rejected(_) => Trouble::Internal(error.to_string()),
        }
    }
}

/// A proof that failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// As Viper would report it. Its `member` and `branch` are set.
    pub diagnostic: Diagnostic,
    /// Values that make it fail, if they were asked for and the solver has some.
    pub counterexample: Option<Counterexample>,
}

/// Values for which a proof fails. They were evaluated: the assertion is false for them, or permission
/// is missing, and what is known on the path holds. Of what is said of all values of a type, only
/// those that are shown were tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counterexample {
    /// Variables in scope with their values.
    pub variables: Vec<(String, String)>,
    /// Locations that are held.
    pub heap: Vec<Held>,
    /// What was different in earlier states, named as in `old(x.f)` and `old[label](x.f)`.
    pub states: Vec<(String, Vec<Held>)>,
    /// Were there such values? If not, nothing else is known.
    pub confirmed: bool,
}

/// A location of which something is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// For instance `object1.next`.
    pub location: String,
    /// How much, for instance `1/2`.
    pub permission: String,
    /// Its value, if it has one.
    pub value: Option<String>,
}

/// Is told how a verification goes, from any thread.
pub trait Observer: Sync {
    /// So many members will be verified.
    fn started(&self, members: usize) {
        let _ = members;
    }

    /// A member is done, with all its errors.
    fn finished(&self, member: &Member) {
        let _ = member;
    }
}

/// Does not listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {}
