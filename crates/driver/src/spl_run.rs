//! Running SPL programs, by `rac`.

use std::path::Path;
use std::time::{Duration, Instant};

use rac::{Config, End, Run};
use report::{Diagnostic, Heaps, Pos, SourceMap, Span};
use spl::core::{Procedure, Program};

use crate::select::matches;
use crate::spl_program::front_end;

/// How often, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Runs of each procedure.
    pub runs: u64,
    /// The first of them has this seed, the next one the next.
    pub seed: u64,
    /// At most so many steps of a run.
    pub steps: u64,
    /// No procedure is run for longer than this.
    pub time: Duration,
}

/// How the runs of a procedure ended.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Its name.
    pub name: String,
    /// They returned, and the postcondition holds.
    pub returned: u64,
    /// An assumption did not hold on the way.
    pub blocked: u64,
    /// No heap was found in which the precondition holds.
    pub no_start: u64,
    /// They took too long.
    pub limited: u64,
    /// Something has no value on a finite heap, or may have another one on a larger heap.
    pub unknown: u64,
    /// It ran into a fault.
    pub failed: bool,
}

impl Tally {
    /// Did it never come to an end?
    #[must_use]
    pub fn never_ended(&self) -> bool {
        self.returned == 0 && !self.failed
    }
}

/// What came of a file.
#[derive(Debug)]
pub struct Done {
    /// Absent if it is no program.
    pub procedures: Option<Vec<Tally>>,
    /// Errors of the program, faults of its runs, warnings where there were none.
    pub diagnostics: Vec<Diagnostic>,
    /// The file and what it includes.
    pub sources: SourceMap,
}

/// Runs the procedures of a file that some pattern matches, or all if there is none, on small heaps that satisfy
/// their preconditions, each until its first fault.
#[must_use]
pub fn run(path: &Path, patterns: &[String], limits: Limits) -> Done {
    let front = front_end(path);
    let mut diagnostics = front.diagnostics;
    let Some(program) = &front.program else {
        return Done { procedures: None, diagnostics, sources: front.sources };
    };
    let wanted = |p: &&Procedure| {
        let named = patterns.iter().any(|pattern| matches(pattern, &p.name));
        p.body.is_some() && (patterns.is_empty() || named)
    };
    let mut procedures: Vec<&Procedure> = program.procedures.values().filter(wanted).collect();
    procedures.sort_by_key(|p| (p.span.file, p.span.start));
    if let (true, Some(pattern)) = (procedures.is_empty(), patterns.first()) {
        let names = program.procedures.values().filter(|p| p.body.is_some()).map(|p| &*p.name);
        let problem = format!("there is no procedure named '{pattern}'");
        let problem = Diagnostic::error("usage.error", Pos::None, problem);
        diagnostics.push(match viper::closest(pattern, names) {
            Some(close) => problem.with_help(format!("did you mean `{close}`?")),
            None => problem,
        });
        return Done { procedures: None, diagnostics, sources: front.sources };
    }
    let mut tallies = Vec::new();
    for procedure in procedures {
        let (tally, found) = run_procedure(program, procedure, limits);
        tallies.push(tally);
        diagnostics.extend(found);
    }
    Done { procedures: Some(tallies), diagnostics, sources: front.sources }
}

fn run_procedure(
    program: &Program,
    procedure: &Procedure,
    limits: Limits,
) -> (Tally, Option<Diagnostic>) {
    let start = Instant::now();
    let mut tally = Tally { name: procedure.name.to_string(), ..Tally::default() };
    let mut unknown: Option<(Span, String)> = None;
    for number in 0..limits.runs {
        if start.elapsed() > limits.time {
            break;
        }
        let seed = limits.seed.wrapping_add(number);
        let config = Config {
            seed,
            // The same seed is the same run, whichever it is of several.
            size: 1 + (seed % 5) as u32,
            modular: false,
            steps: limits.steps,
        };
        let ran = rac::run(program, procedure, &config);
        match &ran.end {
            End::Returned => tally.returned += 1,
            End::Blocked => tally.blocked += 1,
            End::NoStart => tally.no_start += 1,
            End::Limit(_) => tally.limited += 1,
            End::Unknown(span, what) => {
                tally.unknown += 1;
                unknown.get_or_insert_with(|| (*span, what.clone()));
            }
            End::Fault(fault) if fault.certain => {
                tally.failed = true;
                let found = diagnostic(procedure, &ran, fault, config.seed);
                return (tally, Some(found));
            }
            End::Fault(_) => tally.unknown += 1,
        }
    }
    let found = tally.never_ended().then(|| {
        let mut warning = match unknown {
            Some((span, what)) => {
                let message = format!("{what} cannot be evaluated on a finite heap");
                Diagnostic::warning("run.unknown", span, message)
            }
            None if tally.no_start > 0 => {
                let message = format!(
                    "no heap was found in which the precondition of `{}` holds",
                    procedure.name
                );
                Diagnostic::warning("run.no-start", procedure.span, message)
            }
            None => {
                let message = format!("no run of `{}` came to its end", procedure.name);
                Diagnostic::warning("run.no-end", procedure.span, message)
            }
        };
        warning.member = Some(procedure.name.to_string());
        warning
    });
    (tally, found)
}

fn diagnostic(procedure: &Procedure, ran: &Run<'_>, fault: &rac::Fault, seed: u64) -> Diagnostic {
    let mut message = fault.message.clone();
    if let Some(inner) = ran.calls.last() {
        message += &format!(" (in a call of `{inner}` by `{}`)", procedure.name);
    }
    let mut error = Diagnostic::error(fault.id, fault.span, message);
    if let Some(part) = fault.part.filter(|part| *part != fault.span) {
        error = error.with_label(part, "this does not hold");
    }
    error.member = Some(procedure.name.to_string());
    let states = [("before", &ran.before), ("where it fails", &ran.after)];
    let states = states
        .into_iter()
        .filter_map(|(name, state)| Some((name.to_owned(), state.as_ref()?.picture())))
        .collect();
    error.heaps = Some(Box::new(Heaps { states, confirmed: true }));
    error.with_help(format!("`--member {} --seed {seed}` runs it again", procedure.name))
}
