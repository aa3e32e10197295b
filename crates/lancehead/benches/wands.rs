//! What sound footprints of magic wands cost: the programs in `tests/verify/wands`, and those with
//! wands of the public suite where it is at hand (`TREE=…`), as usual and with the unsound join that
//! other verifiers use (`--ablate footprints`).
//!
//! `make bench` runs it. A time is the median of three runs, or of `RUNS=N`, each a process.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "common/process.rs"]
mod process;

use std::path::{Path, PathBuf};

use process::{Run, median};

fn main() {
    let runs: usize = std::env::var("RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(3).max(1);
    let own = testing::files(testing::root().join("tests/verify/wands"), &["vpr"]);
    let suite = match std::env::var("TREE") {
        Ok(tree) => testing::files(Path::new(&tree).join("wands"), &["vpr"]),
        Err(_) => Vec::new(),
    };
    println!("magic wands; times are medians of {runs}");
    println!(
        "{:8} {:>6} {:>10} {:>12} {:>7} {:>9}  most expensive",
        "set", "files", "sound ms", "unsound ms", "ratio", "verdicts"
    );
    print_set("tests", &own, runs);
    print_set("suite", &suite, runs);
}

/// The whole set in a row; `verdicts` says how many come out differently with the unsound join.
fn print_set(name: &str, paths: &[PathBuf], runs: usize) {
    let pairs: Vec<(&PathBuf, Run, Run)> = paths
        .iter()
        .filter_map(|path| {
            let sound = median(path, &[], runs)?;
            Some((path, sound, median(path, &["--ablate", "footprints"], runs)?))
        })
        .collect();
    let sound: f64 = pairs.iter().map(|(_, sound, _)| sound.ms).sum();
    let unsound: f64 = pairs.iter().map(|(_, _, unsound)| unsound.ms).sum();
    let others = pairs.iter().filter(|(_, a, b)| a.verdict != b.verdict).count();
    let ratio = |(_, sound, unsound): &&(&PathBuf, Run, Run)| sound.ms / unsound.ms;
    let worst = pairs.iter().max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let worst = worst.map_or(String::new(), |pair| {
        let name = pair.0.file_name().unwrap_or_default().to_string_lossy();
        format!("{name} ({:.2})", ratio(&pair))
    });
    let files = pairs.len();
    let total = sound / unsound;
    println!("{name:8} {files:6} {sound:10.0} {unsound:12.0} {total:7.2} {others:9}  {worst}");
}
