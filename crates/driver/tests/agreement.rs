//! Several opinions on random list programs: what `infer` proves no run violates, and what it refutes was run.
//!
//! `LANCEHEAD_PROGRAMS=2000` takes so many programs, from seed `LANCEHEAD_SEED=0`.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "agreement/generate.rs"]
mod generate;

use std::time::Duration;

use c::NoFiles;
use heap::run::{Config, End, Inputs, Property, Run};
use infer::Options;
use infer::analysis::NoAnalysis;
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
    assert!(count < 60 || refuted > 20, "{refuted} violations");
}
