//! Every invariant holds in every state that a run passes: for the programs of `tests/infer`, for random list programs, and
//! for those of another tree (`LANCEHEAD_PROGRAMS_IN=DIR`, of which `LANCEHEAD_SHARE=n` takes every n-th; `LANCEHEAD_RUNS=n` runs each n times).
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "agreement/generate.rs"]
mod generate;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use c::NoFiles;
use heap::Program;
use heap::run::{Config, Inputs};
use infer::tested::{self, Tested};
use report::SourceMap;
use shape::Precision;

/// So many runs of each program; `LANCEHEAD_RUNS` says otherwise.
const RUNS: u64 = 12;

fn test(program: &Program) -> Option<Tested> {
    let entry = program.entry?;
    let deadline = Some(Instant::now() + Duration::from_secs(2));
    let mut all: Option<Tested> = None;
    for precision in [Precision::USUAL, Precision::DATA, Precision::PARTS] {
        let options = shape::Options { precision, deadline, ..shape::Options::default() };
        let outcome = shape::analyse(program, entry, &options);
        let Some(tested) = run(program, &outcome) else { continue };
        let all = all.get_or_insert_default();
        all.states += tested.states;
        all.not_evaluated += tested.not_evaluated;
        all.violated.extend(tested.violated);
    }
    all
}

fn run(program: &Program, outcome: &shape::Outcome) -> Option<Tested> {
    let config = Config { max_steps: 4_000, leaks: false, ..Config::default() };
    let runs = std::env::var("LANCEHEAD_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(RUNS);
    let inputs = (0..runs).map(|seed| match seed {
        0 => Inputs::given([1, 1, 1]),
        1 => Inputs::given([5; 40]),
        seed => Inputs::seeded(seed),
    });
    let until = Instant::now() + Duration::from_secs(1 + runs / 20);
    tested::test(program, outcome, &config, inputs, until)
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if driver::c_program::is_c(&path) && path.extension().is_some_and(|e| e != "h") {
            found.push(path);
        }
    }
}

/// Tests them all, and says which invariants do not hold.
fn check(programs: impl IntoIterator<Item = (String, Program)>) -> Tested {
    let mut all = Tested::default();
    let mut wrong = Vec::new();
    for (name, program) in programs {
        let Some(tested) = test(&program) else { continue };
        all.states += tested.states;
        all.not_evaluated += tested.not_evaluated;
        if let Some((proc, at, registers)) = tested.violated.first() {
            let proc = &program.procs[proc.index()];
            let values: Vec<String> = proc
                .vars
                .iter()
                .zip(registers)
                .map(|(var, value)| format!("{} = {value:?}", var.name))
                .collect();
            let count = tested.violated.len();
            wrong.push(format!(
                "{name}: {count} states, first in {} at {}: {}",
                proc.name,
                at.0,
                values.join(", ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
    all
}

fn load(path: &Path) -> Option<(String, Program)> {
    let (loaded, _) = driver::c_program::load(path, c::Options::default());
    Some((path.display().to_string(), loaded.program?))
}

#[test]
fn of_our_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/infer");
    let mut found = Vec::new();
    programs(&root, &mut found);
    let tested = check(found.iter().filter_map(|path| load(path)));
    println!("{} states, {} not evaluated", tested.states, tested.not_evaluated);
    assert!(tested.states > 200, "{tested:?}");
    assert_eq!(tested.not_evaluated, 0, "{tested:?}");
}

#[test]
fn of_random_programs() {
    let count = std::env::var("LANCEHEAD_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let tested = check((0..count).map(|seed| {
        let mut sources = SourceMap::new();
        let file = sources.add("random.c", generate::program(seed));
        let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
        (format!("seed {seed}"), loaded.program.unwrap())
    }));
    println!("{} states, {} not evaluated", tested.states, tested.not_evaluated);
    assert!(count < 60 || tested.states > 1_000, "{tested:?}");
    assert!(tested.not_evaluated * 100 <= tested.states, "{tested:?}");
}

#[test]
fn of_another_tree() {
    let Ok(root) = std::env::var("LANCEHEAD_PROGRAMS_IN") else { return };
    // Programs nest deeper than the stack of a test allows.
    let thread = std::thread::Builder::new().stack_size(512 << 20);
    thread.spawn(move || of_tree(&root)).unwrap().join().unwrap();
}

fn of_tree(root: &str) {
    let share = std::env::var("LANCEHEAD_SHARE").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut found = Vec::new();
    programs(Path::new(root), &mut found);
    found.sort();
    let tested = check(found.iter().step_by(share).filter_map(|path| load(path)));
    println!("{} states, {} not evaluated", tested.states, tested.not_evaluated);
}
