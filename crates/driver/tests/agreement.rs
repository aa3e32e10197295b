//! Several opinions on random list programs: what `infer` and `prove` prove no run violates, and what they refute was run.
//! Programs with data are run with all small inputs.
//!
//! `LANCEHEAD_PROGRAMS=2000` takes so many programs, from seed `LANCEHEAD_SEED=0`.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "agreement/data.rs"]
mod data;
#[path = "agreement/generate.rs"]
mod generate;

use std::time::{Duration, Instant};

use c::NoFiles;
use driver::prove::Portfolio;
use heap::run::{Config, End, Inputs, Property, Run};
use infer::Options;
use infer::analysis::{Asked, NoAnalysis};
use infer::verdict::{Evidence, Verdict};
use report::SourceMap;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn proofs_and_runs_agree() {
    let (first, count) = (number("LANCEHEAD_SEED", 0), number("LANCEHEAD_PROGRAMS", 60));
    let (mut safe, mut proved, mut refuted, mut unknown) = (0, 0, 0, 0);
    for seed in first..first + count {
        let text = generate::program(seed);
        let mut sources = SourceMap::new();
        let file = sources.add("random.c", text.clone());
        let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
        let Some(program) = loaded.program else {
            panic!("{:?}\n{text}", loaded.diagnostics);
        };
        let entry = program.entry.unwrap();
        let options = |seconds| Options {
            properties: vec![Property::MemSafety, Property::MemTrack, Property::Reach],
            timeout: Some(Duration::from_secs(seconds)),
            config: Config::default(),
            progress: std::sync::Arc::default(),
            check: false,
        };
        let shapes = driver::infer::Shapes;
        let report =
            infer::infer(&program, entry, None, &options(4), &shapes, &std::sync::Arc::default());
        // Runs alone, of which there are more.
        let runs = infer::infer(
            &program,
            entry,
            None,
            &options(8),
            &NoAnalysis,
            &std::sync::Arc::default(),
        );
        for ((property, verdict), (_, by_runs)) in report.properties.iter().zip(&runs.properties) {
            match (verdict, by_runs) {
                (Verdict::Safe(_), Verdict::Unsafe(violation)) => panic!(
                    "seed {seed}: {property:?} is said to be safe, but with {:?} there is {:?} in\n{text}",
                    violation.inputs, violation.fault
                ),
                (Verdict::Safe(evidence), _) => {
                    safe += 1;
                    proved += u32::from(*evidence == Evidence::Invariants);
                }
                (Verdict::Unsafe(violation), _) => {
                    refuted += 1;
                    let inputs = violation.inputs.iter().map(|drawn| drawn.value);
                    let again = Run::new(&program, &violation.config, Inputs::given(inputs));
                    let End::Fault(fault) = &again.end else {
                        panic!("seed {seed}: the run ends with {:?} in\n{text}", again.end);
                    };
                    assert_eq!(fault.kind.property(), Some(*property), "seed {seed} in\n{text}");
                    assert_eq!(fault.kind, violation.fault.kind, "seed {seed} in\n{text}");
                }
                (Verdict::Unknown(_), _) => unknown += 1,
            }
        }
    }
    println!(
        "{count} programs: {safe} safe ({proved} by invariants), {refuted} unsafe, {unknown} unknown"
    );
    // The programs are worth something only if there are some of each kind.
    assert!(count < 60 || refuted > 10, "{refuted} violations");
}

/// Inputs are these.
const VALUES: [i128; 4] = [0, 1, 2, -1];
/// The first so many of them; all others are zero.
const DEPTH: usize = 6;
/// Steps of a run. What is longer is no small run.
const STEPS: u64 = 3_000;

/// What goes wrong with small inputs: a violation of each property, if there is one, and how many runs there are.
fn on_all_small_inputs(program: &heap::Program) -> (Vec<(Property, Run)>, u64) {
    let config = Config { max_steps: STEPS, ..Config::default() };
    let (mut found, mut runs): (Vec<(Property, Run)>, u64) = (Vec::new(), 0);
    let mut waiting: Vec<Vec<i128>> = vec![Vec::new()];
    while let Some(prefix) = waiting.pop() {
        runs += 1;
        let run = Run::new(program, &config, Inputs::given(prefix.iter().copied()));
        let drawn: Vec<i128> = run.inputs.drawn().iter().map(|d| d.value).collect();
        // Zeros behind the prefix were one choice; these are the others, each once.
        for at in prefix.len()..drawn.len().min(DEPTH) {
            let others = VALUES.iter().filter(|value| **value != 0);
            waiting.extend(others.map(|value| [&drawn[..at], &[*value]].concat()));
        }
        let mut violated = Vec::new();
        if let End::Fault(fault) = &run.end {
            violated.extend(fault.kind.property());
            if !run.lost.is_empty() {
                violated.push(Property::MemTrack);
            }
        }
        for property in violated {
            if !found.iter().any(|(known, _)| *known == property) {
                found.push((property, run.clone()));
            }
        }
    }
    (found, runs)
}

#[test]
fn no_small_input_contradicts_a_proof() {
    let (first, count) = (number("LANCEHEAD_SEED", 0), number("LANCEHEAD_PROGRAMS", 60));
    let time = Duration::from_millis(number("LANCEHEAD_MILLIS", 400));
    let (mut safe, mut refuted, mut unknown, mut missed, mut all) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let text = data::program(seed);
        let mut sources = SourceMap::new();
        let file = sources.add("random.c", text.clone());
        let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
        let Some(program) = loaded.program else {
            panic!("{:?}\n{text}", loaded.diagnostics);
        };
        let options = Options {
            properties: vec![Property::MemSafety, Property::MemTrack, Property::Reach],
            timeout: Some(time),
            config: Config::default(),
            progress: std::sync::Arc::default(),
            check: false,
        };
        let solver = Some(testing::z3());
        let (portfolio, never) = (Portfolio { solver }, std::sync::Arc::default());
        let entry = program.entry.unwrap();
        let report = infer::infer(&program, entry, None, &options, &portfolio, &never);
        let (violations, runs) = on_all_small_inputs(&program);
        all += runs;
        for (property, verdict) in &report.properties {
            let violation = violations.iter().find(|(violated, _)| violated == property);
            match (verdict, violation) {
                (Verdict::Safe(_), Some((_, run))) => panic!(
                    "seed {seed}: {property:?} is said to be safe, but with {:?} it ends with {:?} in\n{text}",
                    run.inputs.drawn(),
                    run.end
                ),
                (Verdict::Safe(_), None) => safe += 1,
                (Verdict::Unsafe(violation), _) => {
                    refuted += 1;
                    let inputs = violation.inputs.iter().map(|drawn| drawn.value);
                    let again = Run::new(&program, &violation.config, Inputs::given(inputs));
                    let End::Fault(fault) = &again.end else {
                        panic!("seed {seed}: the run ends with {:?} in\n{text}", again.end);
                    };
                    assert_eq!(fault.kind, violation.fault.kind, "seed {seed} in\n{text}");
                }
                (Verdict::Unknown(_), violation) => {
                    unknown += 1;
                    missed += u32::from(violation.is_some());
                }
            }
        }
    }
    println!(
        "{count} programs, {all} runs with small inputs: {safe} safe, {refuted} unsafe, {unknown} unknown, \
         of which {missed} have a violation with small inputs; no contradiction"
    );
    assert!(count < 60 || (safe > 40 && refuted > 10), "{safe} safe, {refuted} unsafe");
}

/// Interpolants alone: what they prove no small input contradicts, and inputs of a path that they call feasible are inputs.
#[test]
fn no_small_input_contradicts_interpolants_alone() {
    let (first, count) = (number("LANCEHEAD_SEED", 0), number("LANCEHEAD_PROGRAMS", 60));
    let time = Duration::from_millis(number("LANCEHEAD_MILLIS", 400));
    let (mut safe, mut kept, mut open, mut stopped) = (0, 0, 0, 0);
    for seed in first..first + count {
        let text = data::program(seed);
        let mut sources = SourceMap::new();
        let file = sources.add("random.c", text.clone());
        let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
        let Some(program) = loaded.program else {
            panic!("{:?}\n{text}", loaded.diagnostics);
        };
        let (config, cancelled) = (Config::default(), std::sync::Arc::default());
        let progress = std::sync::Arc::default();
        let asked = Asked {
            entry: program.entry.unwrap(),
            contract: None,
            library: false,
            properties: &[Property::MemSafety, Property::MemTrack, Property::Reach],
            config: &config,
            deadline: Instant::now() + time,
            cancelled: &cancelled,
            progress: &progress,
            check: false,
        };
        let outcome = driver::prove::interpolants(&program, &asked, Some(Some(testing::z3())));
        if outcome.complete.is_err() {
            open += u32::from(!outcome.inputs.is_empty());
            stopped += u32::from(outcome.inputs.is_empty());
            continue;
        }
        safe += 1;
        let violated = |property: &&(Property, Run)| outcome.proves(property.0);
        let (violations, _) = on_all_small_inputs(&program);
        if let Some((property, run)) = violations.iter().find(violated) {
            panic!(
                "seed {seed}: {property:?} is said to be safe, but with {:?} it ends with {:?} in\n{text}",
                run.inputs.drawn(),
                run.end
            );
        }
        kept += u32::from(outcome.proves(Property::MemTrack));
    }
    println!(
        "{count} programs: {safe} safe ({kept} lose nothing), {open} feasible, {stopped} stopped; no contradiction"
    );
    assert!(count < 60 || safe > 3, "{safe} safe");
}
