//! Every `.vpr` file under `tests/` is a test: what is reported for it must be what its comments
//! say (see `files/expect.rs`), and it must survive being printed and formatted.
//!
//! `LANCEHEAD_TESTS=DIR cargo test --test files` runs any other tree instead, and
//! `LANCEHEAD_ROUND_TRIPS=DIR` prints and formats its files without verifying them. The usual
//! options apply after `--`: a part of a path to select tests, `--test-threads`, `--list`.

#[path = "files/expect.rs"]
mod expect;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use driver::select::Selection;
use driver::verify::verify_file;
use driver::z3::{self, Surroundings};
use expect::{Expectations, Output};
use libtest_mimic::{Arguments, Failed, Trial};
use symex::{Config, Quiet};

/// What one file may take. A busy machine is no reason to fail.
const TIMEOUT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let round_trips = std::env::var_os("LANCEHEAD_ROUND_TRIPS");
    let only_round_trips = round_trips.is_some();
    let root = round_trips
        .or_else(|| std::env::var_os("LANCEHEAD_TESTS"))
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests"), PathBuf::from);
    let root = root.canonicalize().unwrap_or(root);
    let files = testing::files(&root, &["vpr"]);
    if files.is_empty() {
        eprintln!("there is no .vpr file under {}", root.display());
        return ExitCode::FAILURE;
    }
    let solver = match z3::find(&Surroundings::of_this_process(None)) {
        Ok(z3) => z3.path,
        Err(missing) => {
            eprintln!("{missing}");
            return ExitCode::FAILURE;
        }
    };
    // The tests run in parallel, so each does one thing at a time.
    let config = Arc::new(Config { timeout: Some(TIMEOUT), ..Config::new(solver) });
    let trials = files.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let ignored = std::fs::read(&path)
            .is_ok_and(|bytes| Expectations::parse(&String::from_utf8_lossy(&bytes)).ignore);
        let config = Arc::clone(&config);
        let test = move || {
            round_trip(&path)?;
            if only_round_trips { Ok(()) } else { verify(&path, &config) }
        };
        Trial::test(name, test).with_ignored_flag(ignored)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Printing must keep the program, formatting must keep it too and have nothing to do the second
/// time. Files that do not parse are not asked.
fn round_trip(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read(path)?;
    viper::with_deep_stack(|| round_trip_text(&String::from_utf8_lossy(&text)))
}

fn round_trip_text(text: &str) -> Result<(), Failed> {
    let file = report::FileId(0);
    let parsed = viper::parser::parse(file, text);
    if parsed.diagnostics.iter().any(report::Diagnostic::is_error) {
        return Ok(());
    }
    let printed = viper::print::program(&parsed.program);
    if viper::parser::parse(file, &printed).program != parsed.program {
        return Err(format!("printed, it is another program:\n{printed}").into());
    }
    let Ok(formatted) = viper::fmt::format(text) else {
        return Err("it parses but cannot be formatted".into());
    };
    if viper::parser::parse(file, &formatted).program != parsed.program {
        return Err(format!("formatted, it is another program:\n{formatted}").into());
    }
    match viper::fmt::format(&formatted) {
        Ok(twice) if twice == formatted => Ok(()),
        _ => Err(format!("formatting this once more changes it:\n{formatted}").into()),
    }
}

/// What is reported must be what is expected.
fn verify(path: &Path, config: &Config) -> Result<(), Failed> {
    let text = std::fs::read(path)?;
    let expectations = Expectations::parse(&String::from_utf8_lossy(&text));
    let (report, sources) = viper::with_deep_stack(|| {
        verify_file(
            path,
            &viper::plugins::Options::default(),
            &Selection::default(),
            config,
            &Quiet,
        )
    });
    let outputs: Vec<Output> = report
        .errors()
        .map(|d| {
            let span = d.pos.span();
            let file = span.and_then(|span| sources.get(span.file));
            let line = span.zip(file).map_or(0, |(span, file)| file.line_col(span.start).line);
            Output { line, id: d.id.to_string() }
        })
        .collect();
    let mismatch = expectations.compare(&outputs);
    if mismatch == expect::Mismatch::default() {
        return Ok(());
    }
    let mut message = String::new();
    for output in &mismatch.missing {
        message.push_str(&format!("missing     {output}\n"));
    }
    for output in &mismatch.unexpected {
        message.push_str(&format!("unexpected  {output}\n"));
    }
    message.push('\n');
    message.push_str(&report::human::render(&report, &sources, report::human::Options::default()));
    Err(message.into())
}
