//! How fast `lancehead verify` is: one process per file, one after the other, as a user waits for it.
//! `make bench` runs it. What it measures is said in the environment:
//!
//! ```text
//! TREE=DIR         the .vpr files under this folder; otherwise examples/ and tests/
//! LIST=FILE        only these: paths relative to TREE, one on a line
//! SILICON_TSV=FILE compare with another tool: lines of file, verdict and milliseconds, with tabs
//! ```
//!
//! Relative paths start at the root of the checkout. At the end come generated programs of growing
//! size: the time for a method must not depend on how many others there are, nor that for a path; with
//! the number of quantified permissions, or of writes to what one of them gives access to, the time of
//! a method may grow quadratically.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "common/growth.rs"]
mod growth;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use growth::exponent;
use serde_json::Value;

/// What one file may take, in seconds.
const TIMEOUT: &str = "60";

/// What became of a file.
struct Run {
    /// Relative to the tree.
    file: String,
    status: String,
    time: Duration,
    queries: u64,
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let runs: Vec<Run> = files(&root).iter().map(|(name, path)| run(name, path)).collect();
    if runs.is_empty() {
        println!("there is nothing to verify");
        return;
    }
    summary(&runs);
    slowest(&runs);
    if let Some(table) = variable("SILICON_TSV") {
        compare(&runs, &root.join(table));
    }
    growth("methods", &[50, 100, 200, 400], methods, |n| n);
    growth("independent branches", &[4, 6, 8, 10], branches, |n| 1 << n);
    growth("quantified permissions to one field", &[1, 2, 4, 8, 16, 32], chunks, |n| n);
    growth("writes to slots of an array", &[1, 2, 4, 8, 16, 32, 64], writes, |n| n);
}

/// One method with `n` sets of objects, whose fields it may access. It reads and writes them and gives
/// them back in another order than it got them.
fn chunks(n: usize) -> String {
    let join = |line: &dyn Fn(usize) -> String, order: &[usize]| -> String {
        order.iter().map(|i| line(*i)).collect()
    };
    let order: Vec<usize> = (0..n).collect();
    // All of them, as an odd number of steps goes through a power of two.
    let shuffled: Vec<usize> = (0..n).map(|i| (i * 5 + n / 2) % n).collect();
    let backwards: Vec<usize> = (0..n).rev().collect();
    let parameters: Vec<String> =
        order.iter().map(|i| format!("s{i}: Set[Ref], x{i}: Ref")).collect();
    format!(
        "field f: Int\nmethod m({})\n{}{{\n{}{}{}}}\n",
        parameters.join(", "),
        join(
            &|i| format!(
                "    requires (forall r: Ref :: r in s{i} ==> acc(r.f)) && x{i} in s{i}\n"
            ),
            &order
        ),
        join(&|i| format!("    x{i}.f := {i}\n"), &shuffled),
        join(&|i| format!("    assert x{i}.f == {i}\n"), &backwards),
        join(&|i| format!("    exhale forall r: Ref :: r in s{i} ==> acc(r.f)\n"), &shuffled),
    )
}

/// One method that writes to `n` slots of an array.
fn writes(n: usize) -> String {
    let statements: String =
        (0..n).map(|i| format!("    loc(a, {}).val := {i}\n", i * 7 % 64)).collect();
    format!(
        "field val: Int
domain Array {{
    function loc(a: Array, i: Int): Ref
    function len(a: Array): Int
    function first(r: Ref): Array
    function second(r: Ref): Int
    axiom {{ forall a: Array, i: Int :: {{ loc(a, i) }}
        first(loc(a, i)) == a && second(loc(a, i)) == i }}
}}
method m(a: Array)
    requires len(a) == 64
    requires forall i: Int :: 0 <= i && i < len(a) ==> acc(loc(a, i).val)
    ensures forall i: Int :: 0 <= i && i < len(a) ==> acc(loc(a, i).val)
    ensures loc(a, 0).val == 0
{{
{statements}}}
"
    )
}

/// `n` methods that have nothing to do with each other, but for a function that all use.
fn methods(n: usize) -> String {
    let mut text = String::from(
        "field f: Int\nfunction get(x: Ref): Int requires acc(x.f) ensures result == x.f { x.f }\n",
    );
    for i in 0..n {
        text.push_str(&format!(
            "method m{i}(x: Ref, y: Ref)
    requires acc(x.f) && acc(y.f, 1/2) && get(y) > {i}
    ensures acc(x.f) && acc(y.f, 1/2) && get(x) > old(get(x)) + {i}
{{
    if (x.f > 0) {{ x.f := x.f + y.f }} else {{ x.f := x.f + get(y) + 1 }}
}}
"
        ));
    }
    text
}

/// One method with `n` branches one after the other.
fn branches(n: usize) -> String {
    let parameters: Vec<String> = (0..n).map(|i| format!("a{i}: Int")).collect();
    let statements: Vec<String> =
        (0..n).map(|i| format!("    if (a{i} > 0) {{ x.f := x.f + a{i} }}\n")).collect();
    format!(
        "field f: Int\nmethod m(x: Ref, {})\n    requires acc(x.f)\n    \
         ensures acc(x.f) && x.f >= old(x.f)\n{{\n{}}}\n",
        parameters.join(", "),
        statements.concat()
    )
}

/// Verifies a program in several sizes, and says what each of its parts takes and how the time grows.
fn growth(of: &str, sizes: &[usize], program: fn(usize) -> String, parts: fn(usize) -> usize) {
    println!("growth with the number of {of}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("growth.vpr");
    let mut curve = Vec::new();
    let mut finished = true;
    for &n in sizes {
        std::fs::write(&path, program(n)).unwrap();
        let run = run(of, &path);
        curve.push((parts(n) as f64, ms(run.time)));
        finished &= run.status == "verified";
        println!(
            "  {n:6}  {:9.1} ms  {:6} calls  {:7.3} ms each of {} ({})",
            ms(run.time),
            run.queries,
            ms(run.time) / parts(n) as f64,
            parts(n),
            run.status
        );
    }
    let bound = if finished { "" } else { "at least " };
    println!("  the time grows with the power {bound}{:.2} of the number", exponent(&curve));
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The files to verify, each with its name in the tree.
fn files(root: &Path) -> Vec<(String, PathBuf)> {
    let tree = variable("TREE").map(|tree| root.join(tree));
    let base = tree.clone().unwrap_or_else(|| root.to_owned());
    if let Some(list) = variable("LIST") {
        let text = std::fs::read_to_string(root.join(&list)).unwrap();
        let names = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        return names.filter(|n| !n.is_empty()).map(|n| (n.to_owned(), base.join(n))).collect();
    }
    let folders = tree.map_or_else(|| vec![root.join("examples"), root.join("tests")], |t| vec![t]);
    let paths = folders.iter().flat_map(|folder| testing::files(folder, &["vpr"]));
    let name = |path: &Path| path.strip_prefix(&base).unwrap_or(path).display().to_string();
    paths.map(|path| (name(&path), path)).collect()
}

fn run(name: &str, path: &Path) -> Run {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_lancehead"))
        .args(["verify", "--format", "json", "--stats", "--timeout", TIMEOUT])
        .arg(path)
        .output()
        .unwrap();
    let time = start.elapsed();
    let object: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Run {
        file: name.to_owned(),
        status: object["status"].as_str().unwrap_or("crashed").to_owned(),
        time,
        queries: object["stats"]["queries"].as_u64().unwrap_or(0),
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The value below which this share of the sorted values lies.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn summary(runs: &[Run]) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        *counts.entry(&run.status).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(status, n)| format!("{n} {status}")).collect();
    let times = sorted(runs.iter().map(|r| ms(r.time)));
    println!("{} files: {}", runs.len(), counts.join(", "));
    println!("  total         {:9.2} s", times.iter().sum::<f64>() / 1e3);
    println!("  median        {:9.1} ms", quantile(&times, 0.5));
    println!("  90 % within   {:9.1} ms", quantile(&times, 0.9));
    println!("  solver calls  {:9}", runs.iter().map(|r| r.queries).sum::<u64>());
}

fn slowest(runs: &[Run]) {
    println!("slowest");
    let mut slow: Vec<&Run> = runs.iter().collect();
    slow.sort_by_key(|run| std::cmp::Reverse(run.time));
    for run in slow.iter().take(10) {
        println!(
            "  {:9.1} ms  {:6} calls  {} ({})",
            ms(run.time),
            run.queries,
            run.file,
            run.status
        );
    }
}

/// Compares with the times of another tool on the files where both have a verdict.
fn compare(runs: &[Run], table: &Path) {
    let text = std::fs::read_to_string(table).unwrap();
    let mut theirs: HashMap<&str, f64> = HashMap::new();
    for line in text.lines() {
        let mut columns = line.split('\t');
        if let (Some(file), Some(_), Some(time)) = (columns.next(), columns.next(), columns.next())
            && let Ok(time) = time.trim().parse()
        {
            theirs.insert(file, time);
        }
    }
    let finished = |run: &&Run| ["verified", "failed", "invalid"].contains(&run.status.as_str());
    let pairs: Vec<(f64, f64)> = runs
        .iter()
        .filter(finished)
        .filter_map(|run| Some((ms(run.time), *theirs.get(run.file.as_str())?)))
        .collect();
    println!("compared with {} on {} files", table.display(), pairs.len());
    if pairs.is_empty() {
        return;
    }
    let (ours, other) = pairs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let ratios = sorted(pairs.iter().map(|(ours, theirs)| theirs / ours));
    println!(
        "  total         {:9.2} s against {:.2} s: {:.1} times as fast",
        ours / 1e3,
        other / 1e3,
        other / ours
    );
    println!("  median        {:9.1} times as fast", quantile(&ratios, 0.5));
    println!("  worst tenth   {:9.1} times as fast, or less", quantile(&ratios, 0.1));
}
