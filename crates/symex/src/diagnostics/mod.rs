//! What is said when proofs fail: in Viper's words, and in those of the member that is verified.

mod blame;
mod reasons;
mod unproved;
mod wording;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use report::{Diagnostic, Pos};
use viper::core::{Expr, Local, MethodId};

use crate::verdict::Failure;

pub(crate) use blame::{Blame, ErrorKind, Reason, ReasonKind, diagnostic};
pub(crate) use reasons::{
    not_injective, predicate_reason, quantified_reason, resource_reason, wand_reason,
};
pub(crate) use unproved::{Shortage, Unproved};
pub(crate) use wording::{
    Caller, free_locals, in_words_of_member, path_wording, root, shorten, variable, wording,
};

/// A precondition that may help.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub method: MethodId,
    /// The error that it may help against.
    pub id: String,
    pub pos: Pos,
    pub assertion: Arc<Expr>,
    /// The variables of the method, and those that the assertion binds.
    pub locals: Vec<Local>,
    pub text: String,
}

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A proof failed, for a reason.
    Unproved(ErrorKind, ReasonKind),
    /// A proof succeeded that was meant to fail.
    Unrefuted,
}

/// What was found wrong with a unit.
#[derive(Default)]
pub(crate) struct Diagnostics {
    failures: Vec<(Fault, Failure)>,
    /// What is no error and yet hardly meant.
    warnings: Vec<Diagnostic>,
    /// So many errors are enough; none means all.
    enough: usize,
    /// How often an error was found, the same ones counted again.
    reports: u64,
    /// Proofs that were meant to fail and did.
    refuted: HashSet<Pos>,
    /// What could not be proved.
    unproved: Option<Unproved>,
    /// Preconditions that may help.
    candidates: Vec<Candidate>,
    /// How long it took to find out what to advise.
    advice_time: Duration,
}

impl Diagnostics {
    /// Until so many errors were found; 0 means all.
    pub fn new(enough: usize) -> Diagnostics {
        Diagnostics { enough, ..Diagnostics::default() }
    }

    /// Were as many errors found as anybody wants to see?
    pub fn are_enough(&self) -> bool {
        self.enough > 0 && self.failures.len() >= self.enough
    }

    /// Is there an error of this kind at this place already?
    pub fn has(&self, diagnostic: &Diagnostic) -> bool {
        let same =
            |f: &Failure| f.diagnostic.id == diagnostic.id && f.diagnostic.pos == diagnostic.pos;
        self.failures.iter().any(|(_, failure)| same(failure))
    }

    pub fn add(&mut self, fault: Fault, failure: Failure) {
        self.failures.push((fault, failure));
    }

    /// Counts an error, whether it is a new one or not.
    pub fn count(&mut self) {
        self.reports += 1;
    }

    /// How many errors were found so far, the same ones counted again.
    pub fn counted(&self) -> u64 {
        self.reports
    }

    pub fn warn(&mut self, warning: Diagnostic) {
        self.warnings.push(warning);
    }

    /// A proof failed that was meant to.
    pub fn refute(&mut self, pos: Pos) {
        self.refuted.insert(pos);
    }

    pub fn is_refuted(&self, pos: Pos) -> bool {
        self.refuted.contains(&pos)
    }

    /// Remembers what could not be proved, until it is reported.
    pub fn set_unproved(&mut self, unproved: Unproved) {
        self.unproved = Some(unproved);
    }

    pub fn take_unproved(&mut self) -> Option<Unproved> {
        self.unproved.take()
    }

    pub fn take_failures(&mut self) -> Vec<(Fault, Failure)> {
        std::mem::take(&mut self.failures)
    }

    pub fn take_warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }

    // --- Advice

    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    pub fn add_candidate(&mut self, candidate: Candidate) {
        self.candidates.push(candidate);
    }

    pub fn take_candidates(&mut self) -> Vec<Candidate> {
        std::mem::take(&mut self.candidates)
    }

    pub fn advice_time(&self) -> Duration {
        self.advice_time
    }

    pub fn spend_on_advice(&mut self, time: Duration) {
        self.advice_time += time;
    }
}
