//! `lancehead check`: is it a well-formed program?

use std::io;
use std::path::Path;
use std::time::Instant;

use driver::c_program;
use driver::viper_program::front_end;
use report::{FileReport, SourceMap, Status, human, json};

use crate::args::{self, Color, Format, Language, Plugin};
use crate::inputs::{self, Input};
use crate::output::Output;
use crate::{crash, spl_program};

impl Language {
    /// As the front end wants it.
    #[must_use]
    pub fn plugins(&self) -> viper::plugins::Options {
        let on = |plugin| !self.disable_plugin.contains(&plugin);
        viper::plugins::Options {
            termination: on(Plugin::Termination),
            predicate_instances: on(Plugin::PredicateInstances),
            refute: on(Plugin::Refute),
            adt: on(Plugin::Adt),
            smoke: self.smoke,
        }
    }
}

fn check_input(input: &Input, language: &Language) -> (FileReport, SourceMap) {
    let start = Instant::now();
    let front_end = front_end(input, &language.plugins());
    let status = if front_end.program.is_some() { Status::Valid } else { Status::Invalid };
    let name = input.path.display().to_string();
    let mut report = FileReport::new(name, status, front_end.diagnostics);
    report.time = start.elapsed();
    (report, front_end.sources)
}

/// Checks one C program.
fn check_c_file(path: &Path, options: c::Options) -> (FileReport, SourceMap) {
    let start = Instant::now();
    let (loaded, sources) = c_program::load(path, options);
    let status = if loaded.program.is_some() { Status::Valid } else { Status::Invalid };
    let mut report = FileReport::new(path.display().to_string(), status, loaded.diagnostics);
    report.time = start.elapsed();
    (report, sources)
}

/// Checks one SPL program.
#[must_use]
pub fn check_spl_file(path: &Path) -> (FileReport, SourceMap) {
    let start = Instant::now();
    let front = spl_program::front_end(path);
    let status = if front.program.is_some() { Status::Valid } else { Status::Invalid };
    let mut report = FileReport::new(path.display().to_string(), status, front.diagnostics);
    report.time = start.elapsed();
    (report, front.sources)
}

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Check, color: Color, out: &mut Output) -> u8 {
    let start = Instant::now();
    let options =
        human::Options { color: color.wanted(&io::stdout()), ..human::Options::default() };
    let mut reports = Vec::new();
    for input in &inputs::expand(&args.files, inputs::PROGRAMS, &|| false) {
        crash::working_on(&input.path, args.format == Format::Json);
        let (report, sources) = if c_program::is_c(&input.path) && input.problem.is_none() {
            check_c_file(&input.path, args.c.options())
        } else if spl_program::is_spl(&input.path) && input.problem.is_none() {
            check_spl_file(&input.path)
        } else {
            check_input(input, &args.language)
        };
        match args.format {
            Format::Human => out.write(human::render(&report, &sources, options).as_bytes()),
            Format::Json => {
                out.write(json::render(&report, &sources).as_bytes());
                out.write(b"\n");
            }
        }
        out.flush();
        reports.push(report);
    }
    if args.format == Format::Human {
        out.write(format!("{}\n", human::summary(&reports, start.elapsed())).as_bytes());
    }
    report::exit_code(&reports)
}
