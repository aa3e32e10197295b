//! One run.

use report::Span;
use spl::core::{Name, Procedure, Program, Stmt, StmtKind};

use crate::exec::{Activation, Flow, has_side_effects};
use crate::machine::{Drawn, Fault, Machine, Result, Stop};
use crate::picture::Snapshot;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Runs with the same seed are the same.
    pub seed: u64,
    /// At most so many objects of a struct in the beginning.
    pub size: u32,
    /// Calls and loops do anything that their contracts allow, as for the verifier.
    pub modular: bool,
    /// At most so many steps.
    pub steps: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config { seed: 0, size: 4, modular: false, steps: 400_000 }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It returned, and its postcondition holds.
    Returned,
    /// No state was found in which its precondition holds.
    NoStart,
    /// An assumption does not hold: this is no run of the program.
    Blocked,
    /// What must not happen.
    Fault(Fault),
    /// Something has no value on a finite heap: where, and what.
    Unknown(Span, String),
    /// It took too long.
    Limit(String),
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run<'p> {
    /// How it ended.
    pub end: End,
    /// The state in which it started.
    pub before: Option<Snapshot<'p>>,
    /// The same, with the values of places that it looked at later.
    pub start: Option<Snapshot<'p>>,
    /// Does that rest on trying some of infinitely many values?
    pub doubtful_start: bool,
    /// Was something allocated where a dangling pointer may lead? In other interpreters objects are nowhere else.
    pub reused: bool,
    /// What statements left open.
    pub drawn: Vec<Drawn>,
    /// The state in which it ended.
    pub after: Option<Snapshot<'p>>,
    /// The calls in which it ended, without the first procedure.
    pub calls: Vec<Name>,
    /// Statements of the procedure itself that were executed, at most a thousand, and its end.
    pub visited: Vec<Span>,
}

/// Runs a procedure from some state in which its precondition holds.
#[must_use]
pub fn run<'p>(program: &'p Program, procedure: &'p Procedure, config: &Config) -> Run<'p> {
    with(program, config, |machine| {
        let Some(mut activation) = machine.begin(procedure)? else { return Ok(None) };
        let before = machine.snapshot(&activation.env.locals, activation.env.declared);
        machine.fuel = config.steps;
        let result = machine.run_procedure(&mut activation);
        Ok(Some((before, activation, result)))
    })
}

/// Runs the body of a loop once, from some state in which its invariant and its condition hold.
#[must_use]
pub fn run_turn<'p>(
    program: &'p Program,
    procedure: &'p Procedure,
    turn: &'p Stmt,
    config: &Config,
) -> Run<'p> {
    with(program, config, |machine| {
        let StmtKind::While(cond, invariants, body) = &turn.kind else { return Ok(None) };
        if has_side_effects(cond) {
            return Err(Stop::Unknown(
                cond.span,
                "a turn of a loop with this condition".to_owned(),
            ));
        }
        let Some(mut activation) = machine.begin_turn(procedure, invariants, cond)? else {
            return Ok(None);
        };
        let before = machine.snapshot(&activation.env.locals, activation.env.declared);
        machine.fuel = config.steps;
        let result = match machine.exec(&mut activation, body) {
            Ok(Flow::Next) => machine.check_invariants(&activation, invariants, turn.span),
            Ok(Flow::Return) => Ok(()),
            Err(stop) => Err(stop),
        };
        Ok(Some((before, activation, result)))
    })
}

type Started<'p> = Option<(Snapshot<'p>, Activation<'p>, Result<()>)>;

fn with<'p>(
    program: &'p Program,
    config: &Config,
    work: impl FnOnce(&mut Machine<'p>) -> Result<Started<'p>>,
) -> Run<'p> {
    let mut machine = Machine::new(program, config.seed, config.size);
    machine.modular = config.modular;
    machine.fuel = config.steps;
    let (end, before, after) = match work(&mut machine) {
        Ok(None) => (End::NoStart, None, None),
        // Nothing ran yet.
        Err(Stop::Fails | Stop::Blocked | Stop::Limit(_) | Stop::Fault(_)) => {
            (End::NoStart, None, None)
        }
        Err(Stop::Unknown(span, what)) => (End::Unknown(span, what), None, None),
        Ok(Some((before, activation, result))) => {
            let end = match result {
                Ok(()) => End::Returned,
                Err(Stop::Fails | Stop::Blocked) => End::Blocked,
                Err(Stop::Fault(fault)) => End::Fault(*fault),
                Err(Stop::Unknown(span, what)) => End::Unknown(span, what),
                Err(Stop::Limit(what)) => End::Limit(what),
            };
            let after = match machine.stopped_in.take() {
                Some((declared, locals)) => machine.snapshot(&locals, declared),
                None => machine.snapshot(&activation.env.locals, activation.env.declared),
            };
            (end, Some(before), Some(after))
        }
    };
    let start = before.as_ref().map(|before: &Snapshot<'_>| before.knowing(&machine));
    Run {
        end,
        before,
        start,
        doubtful_start: machine.doubtful_start,
        reused: machine.reused,
        drawn: machine.drawn,
        after,
        calls: machine.calls,
        visited: machine.visited,
    }
}
