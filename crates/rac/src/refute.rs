//! Looking for a run into a given fault: a counterexample to a failed proof.

use std::time::{Duration, Instant};

use report::picture::Picture;
use report::{Heaps, Span};
use spl::core::{Name, Procedure, Program, Stmt, StmtKind};

use crate::run::{Config, End, Run, run, run_turn};

/// A run that came to the fault.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The heaps before and after.
    pub heaps: Heaps,
    /// The part of the assertion that does not hold.
    pub part: Option<Span>,
}

/// Tries small heaps that satisfy the precondition of a procedure, or the invariant of a loop, until the run from one
/// of them comes to a fault of this kind at this place, beyond doubt.
#[must_use]
pub fn refute(
    program: &Program,
    procedure: &Name,
    id: &str,
    span: Span,
    time: Duration,
) -> Option<Counterexample> {
    let procedure = program.procedures.get(procedure)?;
    let start = Instant::now();
    let turn = enclosing_loop(procedure, id, span);
    let mut wasted = 0;
    for seed in 0..4000 {
        if start.elapsed() > time || wasted > 60 {
            return None;
        }
        // The smallest heaps first.
        let size = 1 + (seed / 40).min(4) as u32;
        let config = Config { seed, size, modular: seed % 2 == 1, steps: 60_000 };
        let ran = match turn {
            Some(turn) => run_turn(program, procedure, turn, &config),
            None => run(program, procedure, &config),
        };
        match &ran.end {
            End::Fault(fault)
                if fault.id == id
                    && fault.span == span
                    && fault.certain
                    && ran.calls.is_empty() =>
            {
                return Some(evidence(&ran, fault.part, turn.is_some()));
            }
            // Where nothing can be evaluated, there is nothing to find.
            End::Unknown(..) | End::Limit(_) => wasted += 1,
            _ => {}
        }
    }
    None
}

fn evidence(ran: &Run<'_>, part: Option<Span>, turn: bool) -> Counterexample {
    let first = if turn { "at the start of an iteration" } else { "before" };
    let mut states: Vec<(String, Picture)> = Vec::new();
    if let Some(before) = &ran.before {
        states.push((first.to_owned(), before.picture()));
    }
    if let Some(after) = &ran.after {
        states.push(("where it fails".to_owned(), after.picture()));
    }
    Counterexample { heaps: Heaps { states, confirmed: true }, part }
}

/// The loop from whose invariant a place with this error is verified.
#[must_use]
pub fn enclosing_loop<'p>(procedure: &'p Procedure, id: &str, span: Span) -> Option<&'p Stmt> {
    let mut found = None;
    procedure.body.as_ref()?.walk(&mut |stmt| {
        let StmtKind::While(_, _, body) = &stmt.kind else { return };
        let inside = body.span.file == span.file
            && body.span.start <= span.start
            && span.end <= body.span.end;
        let itself = id == "invariant.not.preserved" && stmt.span == span;
        if inside || itself {
            found = Some(stmt);
        }
    });
    found
}
