//! `lancehead run x.spl`: procedures on small heaps that satisfy their preconditions.

use std::io;
use std::time::{Duration, Instant};

use driver::spl_run::{self, Done, Limits, Tally};
use report::{Diagnostic, human, picture};
use serde_json::{Value as Json, json};

use crate::args::{self, Color, Format, IntMode};
use crate::output::{Output, complain, to_stderr};
use crate::run::{messages, write_json};

/// Runs of a procedure, unless somebody says how many.
const RUNS: u64 = 100;

/// The command for an SPL program. Returns the exit status.
pub(crate) fn run(args: &args::Run, color: Color, out: &mut Output) -> u8 {
    let start = Instant::now();
    let only_c = [
        (args.inputs.is_some(), "--inputs"),
        (args.trace, "--trace"),
        (args.malloc_may_fail, "--malloc-may-fail"),
        (args.zero_uninitialised, "--zero-uninitialised"),
        (args.int == IntMode::Machine, "--int"),
        (args.c.ilp32, "--ilp32"),
        (args.dot.is_some(), "--dot"),
    ];
    if let Some((_, option)) = only_c.iter().find(|(given, _)| *given) {
        complain(&format!("{option} is for C programs"));
        return 2;
    }
    let limits = Limits {
        // Somebody who gives a seed wants that run.
        runs: args.runs.unwrap_or(if args.seed.is_some() { 1 } else { RUNS }),
        seed: args.seed.unwrap_or(0),
        steps: args.steps,
        time: Duration::from_secs(10),
    };
    let done = spl_run::run(&args.file, &args.members, limits);
    if let Some(path) = &args.svg {
        let heaps = done.diagnostics.iter().find_map(|error| error.heaps.as_ref());
        let drawn = heaps.map(|heaps| picture::svg_of_states(&heaps.states));
        if let Some(Err(e)) = drawn.map(|drawn| std::fs::write(path, drawn)) {
            complain(&format!("{}: cannot be written: {e}", path.display()));
            return 3;
        }
    }
    let name = args.file.display().to_string();
    let (status, code) = status(&done);
    if args.format == Format::Json {
        write_json(out, &object(&done, &name, status, start.elapsed()));
        return code;
    }
    let options =
        human::Options { color: color.wanted(&io::stderr()), ..human::Options::default() };
    for diagnostic in &done.diagnostics {
        to_stderr(&human::render_diagnostic(diagnostic, &name, &done.sources, options));
        to_stderr("\n");
    }
    let Some(procedures) = &done.procedures else { return code };
    let sum = |f: fn(&Tally) -> u64| procedures.iter().map(f).sum::<u64>();
    let failed = procedures.iter().filter(|t| t.failed).count();
    let mut summary = format!("{name}: {}", plural(procedures.len() as u64, "procedure"));
    summary += &match failed {
        0 => ", no fault".to_owned(),
        n => format!(", {}", plural(n as u64, "fault")),
    };
    summary += &format!(" ({} returned", plural(sum(|t| t.returned), "run"));
    for (count, what) in [
        (sum(|t| t.blocked), "blocked by an assumption"),
        (sum(|t| t.no_start), "without a heap to start with"),
        (sum(|t| t.limited), "stopped after too many steps"),
        (sum(|t| t.unknown), "could not be evaluated"),
    ] {
        if count > 0 {
            summary += &format!(", {count} {what}");
        }
    }
    to_stderr(&format!("{summary}; {} ms)\n", start.elapsed().as_millis()));
    code
}

fn plural(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn status(done: &Done) -> (&'static str, u8) {
    match &done.procedures {
        None => ("invalid", 2),
        Some(all) if all.iter().any(|t| t.failed) => ("fault", 1),
        // Nothing is known of what never ran.
        Some(all) if all.iter().any(Tally::never_ended) => ("limit", 3),
        Some(_) => ("ended", 0),
    }
}

fn object(done: &Done, name: &str, status: &str, time: Duration) -> Json {
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
        done.diagnostics.iter().cloned().partition(Diagnostic::is_error);
    let procedures: Vec<Json> = done
        .procedures
        .iter()
        .flatten()
        .map(|t| {
            json!({
                "name": t.name, "returned": t.returned, "blocked": t.blocked, "no_start": t.no_start,
                "limited": t.limited, "unknown": t.unknown, "failed": t.failed,
            })
        })
        .collect();
    let heaps: Vec<Json> = errors
        .iter()
        .filter_map(|error| error.heaps.as_ref())
        .flat_map(|heaps| &heaps.states)
        .map(|(state, drawn)| json!({ "state": state, "heap": picture::text(drawn) }))
        .collect();
    json!({
        "file": name, "status": status, "time_ms": time.as_millis() as u64,
        "procedures": procedures, "errors": messages(&errors, &done.sources),
        "warnings": messages(&warnings, &done.sources), "heaps": heaps,
    })
}
