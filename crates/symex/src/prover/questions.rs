//! What follows from the path conditions: visibly, or by the solver.

use std::time::Instant;

use smt::{Answer, Limits, Native, Node, Op, SolverError, Term};

use super::path::{Event, Run, Stop};
use super::{BASE, Prover};
use crate::state::State;
use crate::stats::Purpose;
use crate::verdict::Trouble;

/// What a question without a proof means, if the native prover has tried everything it can.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Openness {
    /// The answer decides about an error: the solver is asked.
    Decisive,
    /// The answer saves work, and *no* is always allowed: a side of a branch is explored, a chunk is not
    /// simplified. If a proof fails after such an answer, the unit is verified again by the solver alone.
    Harmless,
}

impl Prover<'_> {
    /// Does it follow from single assumptions, visibly?
    pub fn entailed(&mut self, state: &State, formula: Term) -> bool {
        if state.path_condition.contains(&formula) {
            return true;
        }
        match self.terms.node(formula).clone() {
            Node::Bool(value) => value,
            Node::Op(Op::And, args) => args.iter().all(|a| self.entailed(state, *a)),
            Node::Op(Op::Or, args) => args.iter().any(|a| self.entailed(state, *a)),
            Node::Op(Op::Implies, args) => {
                let not = self.terms.not(args[0]);
                self.entailed(state, not) || self.entailed(state, args[1])
            }
            Node::Op(Op::Ite, args) => {
                let not = self.terms.not(args[0]);
                (state.path_condition.contains(&args[0]) && self.entailed(state, args[1]))
                    || (state.path_condition.contains(&not) && self.entailed(state, args[2]))
            }
            Node::Op(Op::Le, args) => {
                // Strict implies weak.
                let strict = self.terms.lt(args[0], args[1]);
                state.path_condition.contains(&strict)
            }
            Node::Op(Op::Lt, args) => {
                // Products of positive amounts are positive.
                let zero = self.amount(0, 1);
                let Node::Op(Op::Mul, factors) = self.terms.node(args[1]).clone() else {
                    return false;
                };
                args[0] == zero
                    && factors.iter().all(|factor| {
                        let positive = self.terms.lt(zero, *factor);
                        self.entailed(state, positive)
                    })
            }
            _ => false,
        }
    }

    /// Does a formula follow from the path conditions? The answer is worth some work.
    pub fn prove(&mut self, state: &State, purpose: Purpose, goal: Term) -> Run<bool> {
        let limits = self.limits.thorough;
        self.ask(state, purpose, goal, limits, Openness::Decisive)
    }

    /// The same if it is cheap to find out, where *no* only costs work.
    pub fn prove_quickly(&mut self, state: &State, purpose: Purpose, goal: Term) -> Run<bool> {
        let limits = self.limits.quick;
        self.ask(state, purpose, goal, limits, Openness::Harmless)
    }

    /// Do the path conditions contradict each other, so that an error on the path is none?
    pub fn is_infeasible(&mut self, state: &State) -> Run<bool> {
        let limits = self.limits.quick;
        let falsum = self.terms.bool(false);
        self.ask(state, Purpose::Branch, falsum, limits, Openness::Decisive)
    }

    fn ask(
        &mut self,
        state: &State,
        purpose: Purpose,
        goal: Term,
        limits: Limits,
        openness: Openness,
    ) -> Run<bool> {
        if self.entailed(state, goal) {
            self.stats.trivial += 1;
            return Ok(true);
        }
        if self.log.replaying() {
            return match self.log.replay() {
                Some(Event::Answer(answer)) => Ok(answer),
                _ => self.lost_track(),
            };
        }
        let answer = self.question(purpose, goal, limits, openness)?;
        self.log.record(Event::Answer(answer));
        Ok(answer)
    }

    pub(super) fn question(
        &mut self,
        purpose: Purpose,
        goal: Term,
        limits: Limits,
        openness: Openness,
    ) -> Run<bool> {
        self.flush_symbols()?;
        if let Some(answer) = self.ask_natively(purpose, goal, openness) {
            return Ok(answer);
        }
        let answer = if limits == self.limits.thorough && !self.aside {
            self.prove_thoroughly(purpose, goal, limits)
        } else {
            self.ask_solver(purpose, goal, limits)
        };
        if openness == Openness::Decisive && !self.aside && limits == self.limits.thorough {
            self.failed = (answer != Ok(Answer::Unsat)).then_some(goal);
        }
        match answer {
            Ok(Answer::Unsat) => Ok(true),
            Ok(Answer::Sat) => {
                self.undecided = false;
                Ok(false)
            }
            Ok(answer @ Answer::Unknown(_)) => {
                // Questions that only save work are given up on all the time.
                self.gave_up |= answer.gave_up() && limits == self.limits.thorough;
                self.undecided = answer.gave_up();
                Ok(false)
            }
            Err(error) => self.abort(&error),
        }
    }

    /// Asks a solver that has answered other questions before, and one that has not if that gives up:
    /// what it learnt from them may lead it astray.
    fn prove_thoroughly(
        &mut self,
        purpose: Purpose,
        goal: Term,
        limits: Limits,
    ) -> Result<Answer, SolverError> {
        let start = Instant::now();
        let first = Limits { rlimit: limits.rlimit.map(|work| work / 5 * 4), ..limits };
        let answer = self.ask_solver(purpose, goal, first)?;
        let timeout = limits.timeout.saturating_sub(start.elapsed());
        if !answer.gave_up() || timeout.is_zero() {
            return Ok(answer);
        }
        if self.session.withholds() {
            self.session.refresh_with_all(BASE);
        } else {
            self.session.refresh();
        }
        self.ask_solver(Purpose::Retry, goal, Limits { timeout, ..limits })
    }

    /// Asks the native prover. What it proves is proved, and a model is a model.
    fn ask_natively(&mut self, purpose: Purpose, goal: Term, openness: Openness) -> Option<bool> {
        let start = Instant::now();
        let answer = self.session.prove_natively(&mut self.encoding.terms, goal)?;
        let tally = &mut self.stats.by_purpose[purpose];
        tally.time += start.elapsed();
        let counted = match answer {
            Native::Proved => &mut tally.proved,
            Native::Refuted => &mut tally.refuted,
            Native::Saturated if openness == Openness::Harmless => &mut tally.unknown,
            Native::Saturated | Native::Unknown => return None,
        };
        *counted += 1;
        tally.native += 1;
        self.stats.doubts += u64::from(answer == Native::Saturated);
        self.confirm(goal, answer);
        if answer != Native::Proved {
            self.undecided = false;
        }
        Some(answer == Native::Proved)
    }

    /// Where assertions are on, the solver confirms a sample of what is answered natively.
    fn confirm(&mut self, goal: Term, native: Native) {
        const SAMPLE: u64 = 8;
        let answered = self.stats.by_purpose.native();
        if !cfg!(debug_assertions) || !answered.is_multiple_of(SAMPLE) {
            return;
        }
        let limits = self.limits.quick;
        let answer = self.session.prove_within(&mut self.encoding.terms, goal, limits);
        match native {
            Native::Proved => assert_ne!(answer, Ok(Answer::Sat), "it is proved natively"),
            Native::Refuted => assert_ne!(answer, Ok(Answer::Unsat), "it is refuted natively"),
            Native::Saturated | Native::Unknown => {}
        }
    }

    /// Asks the solver once, and counts that.
    pub(super) fn ask_solver(
        &mut self,
        purpose: Purpose,
        goal: Term,
        limits: Limits,
    ) -> Result<Answer, SolverError> {
        let start = Instant::now();
        let answer = self.session.prove_within(&mut self.encoding.terms, goal, limits)?;
        let tally = &mut self.stats.by_purpose[purpose];
        match answer {
            Answer::Unsat => tally.proved += 1,
            Answer::Sat => tally.refuted += 1,
            Answer::Unknown(_) => {
                tally.unknown += 1;
                self.stats.doubts += 1;
            }
        }
        tally.time += start.elapsed();
        Ok(answer)
    }

    /// A replayed step did something else than the first time: a mistake of ours.
    pub(super) fn lost_track<T>(&mut self) -> Run<T> {
        debug_assert!(false, "a step that is run again must do the same");
        self.trouble
            .get_or_insert_with(|| Trouble::Internal("a step did not repeat itself".to_string()));
        Err(Stop::Abort)
    }
}
