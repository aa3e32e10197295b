//! Who knows what holds on the path that is explored, and asks the solver what follows from it.
//!
//! A [`Prover`] owns the session with the solver, the log of the step that is run and the trail of its
//! assumptions. It speaks the language of an [`Encoding`], whose methods are its own ([`Deref`]); it knows
//! neither heaps nor what an assertion means.

mod aside;
mod confirm;
mod explored;
mod learn;
mod names;
mod path;
mod questions;

use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use smt::{Limits, Session, SolverError, Sort, Term};
use viper::core::{LocalId, Type};

use crate::encoding::Encoding;
use crate::state::State;
use crate::stats::Stats;
use crate::verdict::Trouble;

pub(crate) use confirm::Confirmation;
pub(crate) use explored::{Learnt, Outcome};
pub(crate) use learn::READ_WEIGHT;
pub(crate) use path::{Entry, Log, Run, Stop};

/// The scope for the symbols and axioms of a unit. The one around it stays empty, so that the solver
/// can be cleared for the next unit.
const BASE: usize = 1;

/// Work that one question may take; one unit is about a microsecond.
const THOROUGH_WORK: u64 = 25_000_000;
const QUICK_WORK: u64 = 250_000;

/// How hard to try.
struct QueryLimits {
    /// For proofs that decide about errors.
    thorough: Limits,
    /// For questions whose answer only saves work.
    quick: Limits,
}

pub(crate) struct Prover<'p> {
    encoding: Encoding<'p>,
    session: Session,
    limits: QueryLimits,
    /// The verification ends here.
    deadline: Option<Instant>,
    /// The log of the current step.
    log: Log,
    /// The assumptions of the current path, in order.
    trail: Vec<Entry>,
    /// One more than the largest number of a fresh symbol so far.
    high: u32,
    stats: Stats,
    /// Did the solver give up on the last question that it did not answer?
    undecided: bool,
    /// Did it give up on any?
    gave_up: bool,
    /// Why there is no verdict.
    trouble: Option<Trouble>,
    /// Is something only tried?
    aside: bool,
    /// Whether a failure has to be seen by a solver that knows everything and has answered nothing.
    confirmation: Confirmation,
    /// The last goal that decides about an error and was not proved.
    failed: Option<Term>,
}

impl<'p> Prover<'p> {
    /// A prover with a session that has a scope for symbols and axioms, and one for the rest.
    pub fn new(encoding: Encoding<'p>, session: Session, deadline: Option<Instant>) -> Prover<'p> {
        let timeout = encoding.config.assert_timeout.unwrap_or(Duration::from_secs(60));
        let quick = timeout.min(Duration::from_secs(5));
        Prover {
            encoding,
            session,
            limits: QueryLimits {
                thorough: Limits { rlimit: Some(THOROUGH_WORK), timeout },
                quick: Limits { rlimit: Some(QUICK_WORK), timeout: quick },
            },
            deadline,
            log: Log::default(),
            trail: Vec::new(),
            high: 0,
            stats: Stats::default(),
            undecided: false,
            gave_up: false,
            trouble: None,
            aside: false,
            confirmation: Confirmation::NotNeeded,
            failed: None,
        }
    }

    // --- Symbols

    /// A symbol that is used nowhere else, a function of the parameters of the state.
    pub fn fresh(&mut self, state: &mut State, hint: &str, sort: Sort) -> Term {
        let number = state.fresh;
        state.fresh += 1;
        self.high = self.high.max(state.fresh);
        self.numbered(hint, number, &state.parameters, sort)
    }

    /// A symbol of the sort of a type.
    pub fn fresh_of(&mut self, state: &mut State, hint: &str, ty: &Type) -> Term {
        let sort = self.sort(ty);
        self.fresh(state, hint, sort)
    }

    pub fn fresh_snap(&mut self, state: &mut State) -> Term {
        let snap = self.snap_sort();
        self.fresh(state, "s", snap)
    }

    /// Gives a variable an arbitrary value.
    pub fn havoc(&mut self, state: &mut State, local: LocalId) -> Term {
        let decl = &state.owner.locals(self.program)[local.index()];
        let value = self.fresh_of(state, decl.name.as_str(), &decl.ty);
        state.store.set(local, value);
        value
    }

    /// The first number that no fresh symbol has.
    pub fn next_fresh(&self) -> u32 {
        self.high
    }

    /// Tells the solver about all symbols that were registered.
    pub fn flush_symbols(&mut self) -> Run<()> {
        let text = self.take_text();
        if !text.is_empty() {
            self.session.declare_at(BASE, &text);
        }
        self.check_cancelled()
    }

    // --- Giving up

    /// Stops if nobody wants to know any more, or if the time is over.
    pub fn check_cancelled(&mut self) -> Run<()> {
        if self.config.cancel.is_cancelled() {
            return self.abort(&SolverError::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return self.abort(&SolverError::OutOfTime);
        }
        Ok(())
    }

    fn abort<T>(&mut self, error: &SolverError) -> Run<T> {
        if self.trouble.is_none() {
            self.trouble = Some(Trouble::from(error));
        }
        Err(Stop::Abort)
    }

    /// Why there is no verdict, after [`Stop::Abort`].
    pub fn take_trouble(&mut self) -> Trouble {
        let unknown = || Trouble::Internal("no reason is known".to_string());
        self.trouble.take().unwrap_or_else(unknown)
    }

    /// Did the solver give up on a proof?
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    // --- Paths

    /// The assumptions of the current path, in order.
    pub fn trail(&self) -> &[Entry] {
        &self.trail
    }

    /// Begins a step, or runs it again: with its log, where the trail was so long.
    pub fn begin_step(&mut self, log: Log, trail: usize) {
        self.log = log;
        self.trail.truncate(trail);
    }

    /// Ends a step. Returns what it has learnt from outside.
    pub fn end_step(&mut self) -> Log {
        std::mem::take(&mut self.log)
    }

    /// Counts paths that are done.
    pub fn count_paths(&mut self, paths: usize) {
        self.stats.paths += paths as u64;
    }

    // --- The end of a unit

    /// What was counted, without what the session counts.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    pub fn into_session(self) -> Session {
        self.session
    }
}

impl<'p> Deref for Prover<'p> {
    type Target = Encoding<'p>;

    fn deref(&self) -> &Encoding<'p> {
        &self.encoding
    }
}

impl<'p> DerefMut for Prover<'p> {
    fn deref_mut(&mut self) -> &mut Encoding<'p> {
        &mut self.encoding
    }
}
