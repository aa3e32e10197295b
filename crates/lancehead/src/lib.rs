//! The command line of Lancehead: arguments in, reports and an exit status out.
//!
//! Thin on purpose. What is done with files is known to `driver`, how a diagnostic looks to `report`;
//! here is only what a user types and sees: arguments, colours, progress, Ctrl-C, exit statuses.

pub mod args;
pub mod check;
mod crash;
mod diff;
mod fmt;
mod infer;
mod interrupt;
mod output;
mod print;
mod progress;
mod run;
mod run_spl;
pub mod silicon;
mod sl;
pub mod verify;
mod z3;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use driver::{inputs, source, spl_program};

use args::{Args, Command};
use output::Output;

/// Runs the command that the process was started with. Returns its exit status; usage errors, help
/// and version end the process with theirs.
#[must_use]
pub fn run() -> ExitCode {
    let args = Args::parse_from(silicon::join_counterexample(std::env::args_os()));
    crash::report_panics();
    // Programs nest deeper than a main thread's stack is sure to allow.
    viper::with_deep_stack(|| {
        let mut out = Output::stdout();
        let code = match &args.command {
            Command::Verify(verify) => {
                verify::run(verify, args.z3.as_deref(), args.color, &mut out)
            }
            Command::Check(check) => check::run(check, args.color, &mut out),
            Command::Fmt(fmt) => fmt::run(fmt, args.color, &mut out),
            Command::Print(print) => print::run(print, args.color, &mut out),
            Command::Infer(infer) => {
                infer::run(infer, true, args.z3.as_deref(), args.color, &mut out)
            }
            Command::Prove(prove) => {
                infer::run(prove, false, args.z3.as_deref(), args.color, &mut out)
            }
            Command::Run(run) => run::run(run, args.color, &mut out),
            Command::Sl(sl) => sl::run(sl, args.color, args.z3.as_deref(), &mut out),
            Command::SiliconOptions => {
                out.write(silicon::table().as_bytes());
                0
            }
            Command::Z3 => z3::run(args.z3.as_deref(), &mut out),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut Args::command(), "lancehead", &mut script);
                out.write(&script);
                0
            }
        };
        ExitCode::from(out.finish().unwrap_or(code))
    })
}
