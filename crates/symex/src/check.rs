//! Proof obligations: what must hold, and what is said if it does not.

use report::Pos;
use smt::Term;
use viper::core::ReportAs;

use crate::config::ExhaleMode;
use crate::diagnostics::{
    Blame, ErrorKind, Fault, Reason, ReasonKind, Shortage, Unproved, diagnostic, path_wording,
    wording,
};
use crate::executor::Executor;
use crate::heap::Demand;
use crate::prover::{Run, Stop};
use crate::state::{Heap, Location, ResourceId, State};
use crate::stats::Purpose;
use crate::verdict::Failure;

impl Executor<'_> {
    /// Ends the path with an error, unless the path is infeasible.
    pub fn fail<T>(&mut self, state: &State, blame: &Blame, reason: &Reason) -> Run<T> {
        self.report(state, blame, reason)?;
        Err(Stop::Failed)
    }

    /// Reports an error, each (id, position) once. Where nothing is to be reported the path ends: it
    /// is infeasible, or the proof was meant to fail.
    fn report(&mut self, state: &State, blame: &Blame, reason: &Reason) -> Run<()> {
        let unproved = self.diagnostics.take_unproved();
        if state.mode.in_trigger || self.is_aside() {
            return Err(Stop::Failed);
        }
        // Greedy and while a wand is packaged, an answer that is given quickly may decide.
        let decided = state.mode.exhale != ExhaleMode::Greedy && state.reserves.is_empty();
        self.confirm_failure(decided)?;
        let undecided = self.take_undecided();
        // Where the assumptions contradict each other, the proof that failed would hardly have.
        if self.is_infeasible(state)? {
            return Err(Stop::Infeasible);
        }
        if let Some(ReportAs::MustFail { pos, .. }) =
            blame.info.as_ref().and_then(|i| i.report.as_ref())
        {
            self.diagnostics.refute(*pos);
            return Err(Stop::Ended);
        }
        let text = reason
            .expr
            .as_ref()
            .map(|(expr, owner)| wording(self.program, state, expr, *owner))
            .unwrap_or_default();
        let mut diagnostic = diagnostic(blame, reason, &text);
        if undecided {
            diagnostic.message.push_str(" (The solver gave up before it knew.)");
        }
        if !self.diagnostics.has(&diagnostic) {
            (diagnostic.branch, diagnostic.branch_omitted) =
                path_wording(self.program, &state.branches);
            if let (Some(advise), Some(unproved)) = (self.advisor, &unproved) {
                advise(self, state, unproved, reason, &mut diagnostic);
            }
            let counterexample = if self.config.counterexamples {
                self.counterexample(state, unproved, reason)
            } else {
                None
            };
            let fault = Fault::Unproved(blame.kind, reason.kind);
            self.diagnostics.add(fault, Failure { diagnostic, counterexample });
        }
        self.diagnostics.count();
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
        let purpose = match reason.kind {
            ReasonKind::NotInjective | ReasonKind::QuasihavocallNotInjective => {
                Purpose::Injectivity
            }
            ReasonKind::InsufficientPermission | ReasonKind::WandNotFound => Purpose::Permission,
            ReasonKind::AssertionFalse => Purpose::Assertion,
            _ => Purpose::WellFormedness,
        };
        if state.mode.in_trigger || self.prove(state, purpose, goal)? {
            return Ok(());
        }
        self.diagnostics.set_unproved(Unproved { goal, shortage: None });
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
        let before = self.diagnostics.counted();
        self.check(state, goal, blame, reason)?;
        if self.diagnostics.counted() > before { Err(Stop::Failed) } else { Ok(()) }
    }

    /// Were as many errors found as anybody wants to see?
    pub fn enough_errors(&self) -> bool {
        self.diagnostics.are_enough()
    }

    /// An error at something that cannot be verified.
    pub fn unsupported<T>(&mut self, state: &State, pos: Pos, what: &str) -> Run<T> {
        let blame = Blame::new(ErrorKind::Internal, pos);
        let reason =
            Reason::text(ReasonKind::Unsupported, pos, format!("{what} cannot be verified yet."));
        self.fail(state, &blame, &reason)
    }

    /// Remembers that a permission could not be found in a heap.
    pub fn note_shortage(&mut self, heap: &Heap, demand: Demand<'_>) {
        let Demand { location, amount, wildcard } = demand;
        let Location { resource, args } = location;
        let held = self.held(heap, location);
        let goal = self.enough(held, amount, wildcard);
        let (args, some, heap) = (args.to_vec(), wildcard, heap.clone());
        let shortage = Some(Shortage { resource, args, amount, some, heap });
        self.diagnostics.set_unproved(Unproved { goal, shortage });
    }

    /// Remembers that not any permission to a location could be found.
    pub fn note_unreadable(&mut self, heap: &Heap, location: Location<'_>) {
        let amount = self.amount(1, 1);
        self.note_shortage(heap, Demand { location, amount, wildcard: true });
    }

    /// Remembers that there is a location of a resource at which not enough was found: so much is
    /// needed, a term over the formals.
    pub fn note_shortage_somewhere(
        &mut self,
        heap: &Heap,
        resource: ResourceId,
        needed: Term,
        some: bool,
    ) {
        let formals = self.formals(resource);
        let demand = Demand { location: resource.at(&formals), amount: needed, wildcard: some };
        self.note_shortage(heap, demand);
    }
}
