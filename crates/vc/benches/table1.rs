//! Table 1 of [PWZ13]: questions to the solver and seconds, as the paper has them, as the reference tool was measured, and ours.
//!
//! ```text
//! make bench-spl [TREE=DIR]
//! ```
//! The programs are not part of this project. TREE has them in `sl`, `dl` and `sls`, and beside it
//! `spl-grasshopper.tsv`: file, exit status, seconds.

#![allow(missing_docs, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use report::{SourceMap, Status};

/// What the paper says of a program: number of queries, seconds.
type Paper = (u32, f64);

/// Rows of the table; the columns are `sl`, `dl`, `rec sl` and `sls`.
const TABLE: [(&str, [Option<Paper>; 4]); 12] = [
    ("concat", [Some((4, 0.1)), Some((5, 1.3)), Some((6, 0.6)), Some((5, 0.2))]),
    ("copy", [Some((4, 0.2)), Some((4, 3.9)), Some((6, 0.8)), Some((7, 3.5))]),
    ("filter", [Some((7, 0.6)), Some((5, 1.1)), Some((8, 0.4)), Some((5, 1.1))]),
    ("dispose", [Some((5, 0.1)), Some((5, 0.3)), Some((4, 0.1)), Some((5, 0.1))]),
    ("insert", [Some((6, 0.2)), Some((5, 1.5)), Some((5, 0.2)), Some((6, 0.4))]),
    ("reverse", [Some((4, 0.1)), Some((4, 0.5)), Some((6, 0.2)), Some((4, 0.2))]),
    ("remove", [Some((8, 0.2)), Some((8, 0.8)), Some((7, 0.2)), Some((7, 0.5))]),
    ("traverse", [Some((4, 0.1)), Some((5, 0.3)), Some((3, 0.1)), Some((4, 0.2))]),
    ("insertion_sort", [None, None, None, Some((10, 0.7))]),
    ("double_all", [None, None, None, Some((7, 2.2))]),
    ("pairwise_sum", [None, None, None, Some((10, 20.0))]),
    ("merge_sort", [None, None, None, Some((25, 6.8))]),
];

/// Folders and prefixes of the columns.
const COLUMNS: [(&str, &str); 4] = [("sl", "sl"), ("dl", "dl"), ("sl", "rec"), ("sls", "sls")];

/// The faster of so many runs counts.
const RUNS: usize = 3;

fn main() {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/spl");
    let tree = std::env::var_os("TREE").filter(|t| !t.is_empty()).map_or(usual, PathBuf::from);
    if !tree.is_dir() {
        println!("there are no programs in {}: give TREE=DIR", tree.display());
        return;
    }
    let solver = testing::z3();
    let measured = measured(&tree.with_file_name("spl-grasshopper.tsv"));
    let mut paper: BTreeMap<String, Paper> = BTreeMap::new();
    let mut files: Vec<String> = Vec::new();
    for (name, row) in TABLE {
        for ((folder, prefix), cell) in COLUMNS.iter().zip(row) {
            if let Some(cell) = cell {
                let file = format!("{folder}/{prefix}_{name}.spl");
                paper.insert(file.clone(), cell);
                files.push(file);
            }
        }
    }
    // What the paper does not have comes behind what it has.
    files.extend(measured.keys().filter(|file| !paper.contains_key(*file)).cloned());
    println!("{:<36} {:>14} {:>12} {:>16}", "", "[PWZ13]", "measured", "ours");
    println!("{:<36} {:>5} {:>8} {:>12} {:>5} {:>10}  verdict", "program", "#", "s", "s", "#", "s");
    let mut ratios = Vec::new();
    for file in files.iter().filter(|file| tree.join(file).is_file()) {
        let Some(ours) = run(&tree.join(file), &solver) else {
            println!("{file:<36} is not a program");
            continue;
        };
        let (number, seconds) = match paper.get(file) {
            Some((number, seconds)) => (number.to_string(), format!("{seconds:.1}")),
            None => (String::new(), String::new()),
        };
        let reference = measured.get(file);
        let (queries, time) = (ours.queries, ours.seconds);
        let shown = reference.map(|(status, s)| match status {
            0 => format!("{s:.2}"),
            124 => format!("> {s:.0}"),
            status => format!("{s:.2} ({status})"),
        });
        let shown = shown.unwrap_or_default();
        let verdict = ours.status.as_str();
        println!(
            "{file:<36} {number:>5} {seconds:>8} {shown:>12} {queries:>5} {time:>10.3}  {verdict}"
        );
        if let Some((0, seconds)) = reference {
            ratios.push((seconds / time).ln());
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().sum::<f64>() / ratios.len() as f64).exp();
        let slower = ratios.iter().filter(|ratio| **ratio < 0.0).count();
        println!(
            "of {} programs that the reference tool verifies: {mean:.1} times its speed (geometric mean), slower on {slower}",
            ratios.len()
        );
    }
}

/// What the reference tool was measured to do: exit status, seconds.
fn measured(path: &Path) -> BTreeMap<String, (i32, f64)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| {
        let mut parts = line.split('\t');
        let file = parts.next()?.to_owned();
        Some((file, (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?)))
    };
    text.lines().filter_map(line).collect()
}

struct Ours {
    status: Status,
    queries: u64,
    seconds: f64,
}

/// From the text to the verdict.
fn run(path: &Path, solver: &Path) -> Option<Ours> {
    let mut best: Option<Ours> = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut sources = SourceMap::new();
        let loaded = spl::loader::load(&spl::loader::DiskFiles, &mut sources, path);
        let program = spl::check(&loaded.program).program?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let verdict =
            vc::verify(&program, &vc::Config { jobs, ..vc::Config::new(solver.to_path_buf()) });
        let seconds = start.elapsed().as_secs_f64();
        let queries = verdict.members.iter().map(|member| member.queries).sum();
        if best.as_ref().is_none_or(|best| seconds < best.seconds) {
            best = Some(Ours { status: verdict.status(), queries, seconds });
        }
    }
    best
}
