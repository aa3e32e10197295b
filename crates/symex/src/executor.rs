//! The executor of one unit: its terms, its solver, its errors.

use std::collections::HashSet;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use report::{Diagnostic, Pos};
use smt::{Limits, Session, SolverError, Sort, Term};
use viper::core::{Expr, Info, Local, Program, ReportAs, Type};

use crate::advice::Candidate;
use crate::blame::{Blame, Reason, diagnostic};
use crate::config::{Config, ExhaleMode, JoinMode};
use crate::encoding::{Encoding, Foreign, Theories};
use crate::path::{Entry, Log, Run, Stop};
use crate::state::{Mode, Owner, State};
use crate::syntax::Syntax;
use crate::unproved::Unproved;
use crate::verdict::{Failure, Stats, Trouble};
use crate::wands::Wands;

/// How hard to try.
pub(crate) struct QueryLimits {
    /// For proofs that decide about errors.
    pub thorough: Limits,
    /// For questions whose answer only saves work.
    pub quick: Limits,
}

pub(crate) struct Executor<'p> {
    pub encoding: Encoding<'p>,
    pub session: Session,
    pub limits: QueryLimits,
    /// The verification ends here.
    pub deadline: Option<Instant>,
    pub exhale_mode: ExhaleMode,
    pub join_mode: JoinMode,
    /// The log of the current step.
    pub log: Log,
    /// The assumptions of the current path, in order.
    pub trail: Vec<Entry>,
    /// One more than the largest number of a fresh symbol so far.
    pub high: u32,
    pub stats: Stats,
    pub failures: Vec<Failure>,
    /// What is no error and yet hardly meant.
    pub warnings: Vec<Diagnostic>,
    /// How often an error was found, the same ones counted again.
    pub reports: u64,
    /// Proofs that were meant to fail and did.
    pub refuted: HashSet<Pos>,
    /// What could not be proved.
    pub unproved: Option<Unproved>,
    /// Did the solver give up on the last question that it did not answer?
    pub undecided: bool,
    /// Did it give up on any?
    pub gave_up: bool,
    /// Why there is no verdict.
    pub trouble: Option<Trouble>,
    /// Functions of the recursive group being verified: calls to them are limited.
    pub recursive: HashSet<viper::core::FunctionId>,
    /// Instances that were unfolded while a function was evaluated.
    pub unfolded: Vec<(viper::core::PredicateId, Term, std::rc::Rc<[Term]>)>,
    pub wands: Wands,
    /// Is something only tried? Then nothing is reported.
    pub advising: bool,
    /// How long it took to find out what to advise.
    pub advice_time: Duration,
    /// Preconditions that may help.
    pub candidates: Vec<Candidate>,
}

/// The scope for the symbols and axioms of a unit. The one around it stays empty, so that the solver
/// can be cleared for the next unit.
pub(crate) const BASE: usize = 1;

/// Work that one question may take; one unit is about a microsecond.
const THOROUGH_WORK: u64 = 25_000_000;
const QUICK_WORK: u64 = 250_000;

impl<'p> Executor<'p> {
    pub fn new(
        program: &'p Program,
        config: &'p Config,
        session: Session,
        foreign: Arc<Foreign>,
        theories: Arc<Theories>,
        deadline: Option<Instant>,
        triggers: Arc<HashSet<viper::core::FieldId>>,
    ) -> Executor<'p> {
        let syntax = Syntax::new(program, triggers);
        let encoding = Encoding::new(program, config, syntax, foreign, theories);
        let timeout = config.assert_timeout.unwrap_or(Duration::from_secs(60));
        Executor {
            encoding,
            session,
            limits: QueryLimits {
                thorough: Limits { rlimit: Some(THOROUGH_WORK), timeout },
                quick: Limits {
                    rlimit: Some(QUICK_WORK),
                    timeout: timeout.min(Duration::from_secs(5)),
                },
            },
            deadline,
            exhale_mode: config.exhale_mode,
            join_mode: JoinMode::Off,
            log: Log::default(),
            trail: Vec::new(),
            high: 0,
            stats: Stats::default(),
            failures: Vec::new(),
            warnings: Vec::new(),
            reports: 0,
            refuted: HashSet::new(),
            unproved: None,
            undecided: false,
            gave_up: false,
            trouble: None,
            recursive: HashSet::new(),
            unfolded: Vec::new(),
            wands: Wands::default(),
            advising: false,
            advice_time: Duration::ZERO,
            candidates: Vec::new(),
        }
    }

    /// Does something in another mode.
    pub fn in_mode<T>(
        &mut self,
        state: &mut State,
        change: impl FnOnce(&mut Mode),
        run: impl FnOnce(&mut Self, &mut State) -> Run<T>,
    ) -> Run<T> {
        let outer = state.mode;
        change(&mut state.mode);
        let result = run(self, state);
        state.mode = outer;
        result
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

    /// Tells the solver about all symbols that were registered.
    pub fn flush_symbols(&mut self) -> Run<()> {
        let text = self.take_text();
        if !text.is_empty() {
            self.session.declare_at(BASE, &text);
        }
        self.check_cancelled()
    }

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

    /// Does something because of a place in the source: the formulas that it makes come from there,
    /// unless they come from somewhere inside of it.
    pub fn because_of<R>(&mut self, pos: Pos, act: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.set_origin(pos);
        let result = act(self);
        self.set_origin(outer);
        result
    }

    // --- Giving up

    pub fn abort<T>(&mut self, error: &SolverError) -> Run<T> {
        if self.trouble.is_none() {
            self.trouble = Some(Trouble::from(error));
        }
        Err(Stop::Abort)
    }

    /// Ends the path with an error, unless the path is infeasible.
    pub fn fail<T>(&mut self, state: &State, blame: &Blame, reason: &Reason) -> Run<T> {
        self.report(state, blame, reason)?;
        Err(Stop::Failed)
    }

    /// Reports an error, each (id, position) once. Where nothing is to be reported the path ends: it
    /// is infeasible, or the proof was meant to fail.
    fn report(&mut self, state: &State, blame: &Blame, reason: &Reason) -> Run<()> {
        let unproved = self.unproved.take();
        if state.mode.lenient || self.advising {
            return Err(Stop::Failed);
        }
        let falsum = self.terms.bool(false);
        let undecided = std::mem::take(&mut self.undecided);
        // Where the assumptions contradict each other, the proof that failed would hardly have.
        if self.prove_quickly(state, falsum)? {
            return Err(Stop::Infeasible);
        }
        if let Some(ReportAs::MustFail { pos, .. }) =
            blame.info.as_ref().and_then(|i| i.report.as_ref())
        {
            self.refuted.insert(*pos);
            return Err(Stop::Ended);
        }
        let text = reason
            .expr
            .as_ref()
            .map(|(expr, owner)| self.wording(state, expr, *owner))
            .unwrap_or_default();
        let mut diagnostic = diagnostic(blame, reason, &text);
        if undecided {
            diagnostic.message.push_str(" (The solver gave up before it knew.)");
        }
        let known =
            |f: &Failure| f.diagnostic.id == diagnostic.id && f.diagnostic.pos == diagnostic.pos;
        if !self.failures.iter().any(known) {
            (diagnostic.branch, diagnostic.branch_omitted) = self.path_wording(&state.branches);
            self.advise(state, unproved.as_ref(), reason, &mut diagnostic);
            let counterexample = if self.config.counterexamples {
                self.counterexample(state, unproved, reason)
            } else {
                None
            };
            self.failures.push(Failure { diagnostic, counterexample });
        }
        self.reports += 1;
        Ok(())
    }

    /// Proves a formula. If that fails there is an error, and the path goes on as if it held: what
    /// comes after it may have mistakes of its own.
    ///
    /// An error was reported then, so nothing that follows can make the member verify. Whatever is
    /// told to other members must not rest on such an assumption: see [`Executor::without_errors`].
    pub fn check(
        &mut self,
        state: &mut State,
        goal: Term,
        blame: &Blame,
        reason: Reason,
    ) -> Run<()> {
        if state.mode.lenient || self.prove(state, goal)? {
            return Ok(());
        }
        self.unproved = Some(Unproved { goal, shortage: None });
        self.report(state, blame, &reason)?;
        if self.enough_errors() {
            return Err(Stop::Failed);
        }
        self.assume(state, goal)
    }

    /// Proves a formula or ends the path with an error: without it, permissions would be missing.
    pub fn check_or_stop(
        &mut self,
        state: &mut State,
        goal: Term,
        blame: &Blame,
        reason: Reason,
    ) -> Run<()> {
        let before = self.reports;
        self.check(state, goal, blame, reason)?;
        if self.reports > before { Err(Stop::Failed) } else { Ok(()) }
    }

    /// Were as many errors found as anybody wants to see?
    pub fn enough_errors(&self) -> bool {
        self.config.max_errors > 0 && self.failures.len() >= self.config.max_errors
    }

    /// An error at something that cannot be verified.
    pub fn unsupported<T>(&mut self, state: &State, pos: Pos, what: &str) -> Run<T> {
        let blame = Blame::new("internal", pos);
        let reason =
            Reason::text("feature.unsupported", pos, format!("{what} cannot be verified yet."));
        self.fail(state, &blame, &reason)
    }

    // --- Looking at the program

    pub fn locals(&self, owner: Owner) -> &'p [Local] {
        match owner {
            Owner::Method(id) => &self.program.method(id).locals,
            Owner::Function(id) => &self.program.function(id).locals,
            Owner::Predicate(id) => &self.program.predicate(id).locals,
        }
    }

    pub fn expr_text(&self, expr: &Arc<Expr>, owner: Owner) -> String {
        let labels = match owner {
            Owner::Method(id) => self.program.method(id).labels.as_slice(),
            Owner::Function(_) | Owner::Predicate(_) => &[],
        };
        viper::unparse::expr_text(self.program, self.locals(owner), labels, expr)
    }
}

impl<'p> Deref for Executor<'p> {
    type Target = Encoding<'p>;

    fn deref(&self) -> &Encoding<'p> {
        &self.encoding
    }
}

impl<'p> DerefMut for Executor<'p> {
    fn deref_mut(&mut self) -> &mut Encoding<'p> {
        &mut self.encoding
    }
}

/// Does a node have an annotation?
pub(crate) fn annotated(info: &Option<Arc<Info>>, key: &str) -> bool {
    info.as_ref().is_some_and(|info| info.annotation(key).is_some())
}
