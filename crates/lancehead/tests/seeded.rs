//! The programs in `examples/quantified` verify, and every mistake that is made in them is found: what
//! is to be reported is reported, on the right line, and nothing else (see `seeded/errors.rs`).

#[path = "seeded/errors.rs"]
mod errors;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use driver::select::Selection;
use driver::verify::verify_file;
use driver::z3::{self, Surroundings};
use errors::{EXAMPLES, Example, Expected, Mistake};
use libtest_mimic::{Arguments, Failed, Trial};
use symex::{Config, Quiet};

/// What one program may take. A busy machine is no reason to fail.
const TIMEOUT: Duration = Duration::from_secs(300);

/// An identifier and a line.
type Error = (String, usize);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let solver = match z3::find(&Surroundings::of_this_process(None)) {
        Ok(z3) => z3.path,
        Err(missing) => {
            eprintln!("{missing}");
            return ExitCode::FAILURE;
        }
    };
    let config = Arc::new(Config { timeout: Some(TIMEOUT), ..Config::new(solver) });
    let mut trials = Vec::new();
    for example in &EXAMPLES {
        let shared = Arc::clone(&config);
        trials.push(Trial::test(example.name, move || unchanged(example, &shared)));
        for (n, mistake) in example.mistakes.iter().enumerate() {
            let shared = Arc::clone(&config);
            let name = format!("{}/{}", example.name, mistake.what.replace(' ', "_"));
            trials.push(Trial::test(name, move || seeded(example, n, mistake, &shared)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The program as it is.
fn unchanged(example: &Example, config: &Config) -> Result<(), Failed> {
    let expected = locate(example.spurious, &example.text()?)?;
    compare(&expected, &reported(&example.path(), config))
}

/// The program with a mistake.
fn seeded(example: &Example, n: usize, mistake: &Mistake, config: &Config) -> Result<(), Failed> {
    let dir =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("seeded").join(format!("{}-{n}", example.name));
    let path = mistake.write(example, &dir)?;
    let text = std::fs::read_to_string(&path)?;
    let expected = locate(mistake.errors, &text)?;
    let spurious = locate(example.spurious, &text)?;
    let mut reported = reported(&path, config);
    reported.retain(|error| !spurious.contains(error));
    compare(&expected, &reported)
}

/// The lines where errors are expected, in order.
fn locate(expected: &[Expected], text: &str) -> Result<Vec<Error>, String> {
    let line = |(id, part): &Expected| {
        let places: Vec<usize> = text.match_indices(part).map(|(at, _)| at).collect();
        match places.as_slice() {
            [at] => Ok(((*id).to_owned(), text[..*at].matches('\n').count() + 1)),
            _ => Err(format!("this is there {} times, not once:\n{part}", places.len())),
        }
    };
    let mut lines = expected.iter().map(line).collect::<Result<Vec<Error>, String>>()?;
    lines.sort();
    Ok(lines)
}

/// What is reported for a file, in order. An error in an imported file has line 0.
fn reported(path: &Path, config: &Config) -> Vec<Error> {
    let (report, sources) = viper::with_deep_stack(|| {
        verify_file(
            path,
            &viper::plugins::Options::default(),
            &Selection::default(),
            config,
            &Quiet,
        )
    });
    let mut errors: Vec<Error> = report
        .errors()
        .map(|d| {
            let span = d.pos.span();
            let file =
                span.and_then(|span| sources.get(span.file)).filter(|f| Path::new(&f.name) == path);
            let line = span.zip(file).map_or(0, |(span, file)| file.line_col(span.start).line);
            (d.id.to_string(), line as usize)
        })
        .collect();
    errors.sort();
    errors
}

fn compare(expected: &[Error], reported: &[Error]) -> Result<(), Failed> {
    if expected == reported {
        return Ok(());
    }
    let list = |errors: &[Error]| {
        errors.iter().map(|(id, line)| format!("    line {line}: {id}\n")).collect::<String>()
    };
    Err(format!("expected\n{}reported\n{}", list(expected), list(reported)).into())
}
