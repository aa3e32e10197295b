//! What verifies does not fail: every procedure of the examples and tests that the verifier accepts runs on many
//! small heaps that satisfy its precondition, and every loop from states that satisfy its invariant. Calls and loops
//! are executed, and in half of the runs do anything that their contracts allow.
//!
//! Which members verify is what `//:: ExpectedOutput(id)` in the files say; the tests of `vc` see to it that this is
//! true. Programs of another folder are verified first, and run, with `LANCEHEAD_SPL=folder`; with `LANCEHEAD_RUNS=1`
//! there is a line for each procedure.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use rac::{Config, End, Run};
use report::{SourceMap, Span};
use spl::core::{Procedure, Stmt, StmtKind};

/// Runs of each procedure and of each loop.
const RUNS: u64 = 120;

/// No procedure is run for longer.
const TIME: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let arguments = Arguments::from_args();
    let mut files = testing::files(root.join("tests/spl/verify"), &["spl"]);
    files.extend(testing::files(root.join("examples/spl"), &["spl"]));
    let own = files.len();
    if let Some(folder) = std::env::var_os("LANCEHEAD_SPL") {
        files.extend(testing::files(folder, &["spl"]));
    }
    let trials = files.into_iter().enumerate().map(|(number, path)| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || run_file(&path, number >= own))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Lines with expected errors.
fn expected(text: &str) -> BTreeSet<u32> {
    let (mut found, mut pending) = (BTreeSet::new(), false);
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.starts_with("//::") {
            pending = true;
        } else if !line.starts_with("//") {
            if pending {
                found.insert(number);
            }
            pending = false;
        }
    }
    found
}

/// How runs ended.
#[derive(Default)]
struct Tally {
    returned: u64,
    other: u64,
    why: BTreeSet<String>,
}

fn run_file(path: &Path, verify: bool) -> Result<(), Failed> {
    let mut sources = SourceMap::new();
    let loaded = spl::loader::load(&spl::loader::DiskFiles, &mut sources, path);
    let checked = spl::check(&loaded.program);
    let Some(program) = checked.program else { return Ok(()) };
    let wrong = expected(&std::fs::read_to_string(path)?);
    let line = |span: Span, at: u32| sources.get(span.file).map_or(0, |f| f.line_col(at).line);
    let mut failed: BTreeSet<String> = BTreeSet::new();
    if verify {
        let verdict = vc::verify(&program, &vc::Config::new(testing::z3()));
        let bad = verdict.members.into_iter().filter(|m| m.status != report::Status::Verified);
        failed.extend(bad.map(|m| m.name));
    }
    let main_file = program.procedures.values().map(|p| p.span.file).min();
    for procedure in program.procedures.values() {
        let Some(body) = &procedure.body else { continue };
        if Some(procedure.span.file) != main_file {
            continue;
        }
        let lines = line(procedure.span, procedure.span.start)..=line(body.span, body.span.end);
        if wrong.iter().any(|wrong| lines.contains(wrong)) || failed.contains(&*procedure.name) {
            continue;
        }
        let mut tally = Tally::default();
        runs(&mut tally, procedure, &sources, |config| rac::run(&program, procedure, config))?;
        let mut loops: Vec<&Stmt> = Vec::new();
        body.walk(&mut |s| {
            if matches!(s.kind, StmtKind::While(..)) {
                loops.push(s);
            }
        });
        for turn in loops {
            runs(&mut tally, procedure, &sources, |config| {
                rac::run_turn(&program, procedure, turn, config)
            })?;
        }
        if std::env::var_os("LANCEHEAD_RUNS").is_some() {
            let Tally { returned, other, why } = tally;
            let why: Vec<String> = why.into_iter().take(3).collect();
            eprintln!(
                "{}: {}: {returned} returned, {other} did not: {}",
                path.display(),
                procedure.name,
                why.join("; ")
            );
        }
    }
    Ok(())
}

fn runs<'p>(
    tally: &mut Tally,
    procedure: &Procedure,
    sources: &SourceMap,
    run: impl Fn(&Config) -> Run<'p>,
) -> Result<(), Failed> {
    let start = Instant::now();
    for seed in 0..RUNS {
        if start.elapsed() > TIME {
            break;
        }
        let size = 1 + (seed % 4) as u32;
        let config = Config { seed, size, modular: seed % 2 == 1, ..Config::default() };
        let ran = run(&config);
        match &ran.end {
            End::Returned => tally.returned += 1,
            End::Fault(fault) if fault.certain => {
                let at = sources.get(fault.span.file).map(|f| f.line_col(fault.span.start));
                let before = ran.before.as_ref().map(|s| report::picture::text(&s.picture()));
                let after = ran.after.as_ref().map(|s| report::picture::text(&s.picture()));
                return Err(format!(
                    "`{}` fails with seed {seed}, modular {}: {} at {at:?} ({:?}), in calls {:?}\n{}\n{}",
                    procedure.name,
                    config.modular,
                    fault.message,
                    fault.part.and_then(|part| sources.text(part)),
                    ran.calls,
                    before.unwrap_or_default(),
                    after.unwrap_or_default()
                )
                .into());
            }
            End::Fault(fault) => {
                tally.other += 1;
                tally.why.insert(format!("doubtful: {}", fault.message));
            }
            End::Unknown(_, what) => {
                tally.other += 1;
                tally.why.insert(what.clone());
            }
            End::Limit(what) => {
                tally.other += 1;
                tally.why.insert(what.clone());
            }
            End::Blocked => {
                tally.other += 1;
                tally.why.insert("blocked".to_owned());
            }
            End::NoStart => {
                tally.other += 1;
                tally.why.insert("no start".to_owned());
            }
        }
    }
    Ok(())
}
