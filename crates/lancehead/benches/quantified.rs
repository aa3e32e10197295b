//! What quantified permissions cost, as the paper on iterated separating conjunctions measures it
//! [MSS16, Fig. 8 and 9]: the programs in `examples/quantified`, four mistakes in each of them,
//! and the tests in `tests/verify/quantified`; then the same without reusing inverse functions and
//! summaries (`--ablate memoisation`), and without our triggers (`--ablate triggers`). Where
//! something is left out, it also says how often another verdict comes out.
//!
//! Then what does not depend on luck: the examples with other seeds of the solver's random numbers and
//! other numbers of workers, `SEEDS=N` times; and programs that write an array through more and more
//! indices of which nothing is known, where the time may grow quadratically.
//!
//! `make bench` runs it. A time is the median of three runs, or of `RUNS=N`, each a process.
#![allow(clippy::unwrap_used, missing_docs)]

// What is to be reported for each mistake is for the test.
#[allow(dead_code)]
#[path = "../tests/seeded/errors.rs"]
mod errors;

#[path = "common/growth.rs"]
mod growth;

#[path = "../tests/indices/programs.rs"]
mod indices;

#[path = "common/process.rs"]
mod process;

use std::path::{Path, PathBuf};

use errors::EXAMPLES;
use growth::exponent;
use indices::KINDS;
use process::{Run, median};

/// What can be left out.
const ABLATIONS: [&str; 2] = ["memoisation", "triggers"];

/// A program, verified as usual and without each of `ABLATIONS`. There is no run where this
/// `lancehead` cannot leave something out.
struct Measurement {
    lines: usize,
    usual: Run,
    ablated: [Option<Run>; 2],
}

fn main() {
    let runs: usize = std::env::var("RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(3).max(1);
    println!("quantified permissions; times are medians of {runs}, ! is another verdict");
    println!(
        "{:22} {:>5} {:>9} {:>13} {:>13}   ms with a seeded error",
        "program", "lines", "ms", "w/o memo", "w/o triggers"
    );
    let mut examples = Vec::new();
    let mut seeded = Vec::new();
    for example in &EXAMPLES {
        let whole = measure(&example.path(), runs);
        let broken: Vec<Measurement> = example
            .mistakes
            .iter()
            .enumerate()
            .map(|(n, mistake)| {
                let dir = format!("quantified/{}-{n}", example.name);
                let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(dir);
                measure(&mistake.write(example, &dir).unwrap(), runs)
            })
            .collect();
        print_program(example.name, &whole, &broken);
        examples.push(whole);
        seeded.extend(broken);
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verify/quantified");
    let tests: Vec<Measurement> = programs(&tests).iter().map(|path| measure(path, runs)).collect();
    println!(
        "{:22} {:>5} {:>9} {:>9} {:>9} {:>25} {:>25}",
        "set", "files", "lines", "mean ms", "max ms", "w/o memo", "w/o triggers"
    );
    print_set("examples", &examples);
    print_set("seeded errors", &seeded);
    print_set("tests", &tests);
    let count =
        |set: &[Measurement], status| set.iter().filter(|m| m.usual.verdict.0 == status).count();
    println!(
        "{} of {} examples verify, {} of {} seeded errors are found",
        count(&examples, "verified"),
        examples.len(),
        count(&seeded, "failed"),
        seeded.len()
    );
    print_seeds();
    print_growth(runs);
}

/// The examples with other random numbers: how long they take at least, in the middle and at most.
fn print_seeds() {
    let seeds = std::env::var("SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    println!("{:22} {:>9} {:>9} {:>9}   ms with {seeds} seeds", "program", "min", "median", "max");
    for example in &EXAMPLES {
        let mut runs: Vec<Run> = (1..=seeds).map(|seed| with_seed(&example.path(), seed)).collect();
        runs.sort_by(|a, b| a.ms.total_cmp(&b.ms));
        let others = runs.iter().filter(|run| run.verdict != runs[0].verdict).count();
        println!(
            "{:22} {:9.1} {:9.1} {:9.1}{}",
            example.name,
            runs[0].ms,
            runs[runs.len() / 2].ms,
            runs[runs.len() - 1].ms,
            mark(others > 0)
        );
    }
}

fn with_seed(path: &Path, seed: usize) -> Run {
    let options: Vec<String> = ["smt.random_seed", "sat.random_seed", "nlsat.seed"]
        .iter()
        .flat_map(|key| ["--z3-option".to_owned(), format!("{key}={seed}")])
        .chain(["--jobs".to_owned(), (1 + seed % 2).to_string()])
        .collect();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    median(path, &options, 1).unwrap()
}

/// How the time grows with the number of indices through which an array is written.
fn print_growth(runs: usize) {
    const SIZES: [usize; 5] = [8, 16, 32, 64, 128];
    let sizes: String = SIZES.iter().map(|n| format!("{n:>9}")).collect();
    println!("{:22} {sizes}   ms with so many unrelated indices; power", "program");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("indices.vpr");
    for (name, program) in KINDS {
        let mut curve = Vec::new();
        let mut row = String::new();
        for n in SIZES {
            std::fs::write(&path, program(n)).unwrap();
            let run = median(&path, &["--jobs", "1"], runs).unwrap();
            row += &format!("{:9.1}{}", run.ms, mark(run.verdict.0 != "verified"));
            curve.push((n as f64, run.ms));
        }
        println!("{name:22} {row}   {:.2}", exponent(&curve));
    }
}

/// A row of Fig. 8.
fn print_program(name: &str, whole: &Measurement, broken: &[Measurement]) {
    let ablated = whole.ablated.each_ref().map(|run| match run {
        Some(run) => {
            format!(
                "{}{}",
                percent(run.ms, whole.usual.ms),
                mark(run.verdict != whole.usual.verdict)
            )
        }
        None => "-".to_owned(),
    });
    let broken: Vec<String> = broken.iter().map(|m| format!("{:8.1}", m.usual.ms)).collect();
    let status = &whole.usual.verdict.0;
    println!(
        "{name:22} {:5} {:9.1} {:>13} {:>13}   {}{}",
        whole.lines,
        whole.usual.ms,
        ablated[0],
        ablated[1],
        broken.join(" "),
        if status == "verified" { String::new() } else { format!("  ({status})") }
    );
}

/// A row of Fig. 9.
fn print_set(name: &str, set: &[Measurement]) {
    let usual: Vec<f64> = set.iter().map(|m| m.usual.ms).collect();
    let lines: Vec<f64> = set.iter().map(|m| m.lines as f64).collect();
    let ablated = [0, 1].map(|n| {
        let runs: Option<Vec<&Run>> = set.iter().map(|m| m.ablated[n].as_ref()).collect();
        let Some(runs) = runs else {
            return "-".to_owned();
        };
        let times: Vec<f64> = runs.iter().map(|run| run.ms).collect();
        let others = runs.iter().zip(set).filter(|(run, m)| run.verdict != m.usual.verdict).count();
        format!("{}, max {:.0}, {others} !", percent(mean(&times), mean(&usual)), max(&times))
    });
    println!(
        "{name:22} {:5} {:9.0} {:9.1} {:9.1} {:>25} {:>25}",
        set.len(),
        mean(&lines),
        mean(&usual),
        max(&usual),
        ablated[0],
        ablated[1]
    );
}

fn mark(different: bool) -> &'static str {
    if different { " !" } else { "" }
}

fn percent(time: f64, of: f64) -> String {
    format!("{:+.1} %", (time / of - 1.0) * 100.0)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn max(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// The programs in a folder.
fn programs(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "vpr"))
        .collect();
    paths.sort();
    paths
}

fn measure(path: &Path, runs: usize) -> Measurement {
    let text = std::fs::read_to_string(path).unwrap();
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    Measurement {
        lines: text.lines().filter(is_code).count(),
        usual: median(path, &[], runs).unwrap(),
        ablated: ABLATIONS.map(|ablation| median(path, &["--ablate", ablation], runs)),
    }
}
