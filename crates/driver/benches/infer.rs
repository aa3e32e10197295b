//! How the time of `infer` grows with a program, and what the programs of [MNCL06] take: `make bench-infer`.
//!
//! Two kinds of programs of size n up to 200: n operations on a list in sequence, each a loop, and a procedure that
//! is called n times. The time should grow linearly with n.

#![allow(clippy::expect_used)]

use std::time::{Duration, Instant};

use c::NoFiles;
use heap::run::{Config, Property};
use infer::verdict::{Report, Verdict};
use report::SourceMap;

const SIZES: [usize; 8] = [1, 2, 5, 10, 20, 50, 100, 200];
const TIMEOUT: Duration = Duration::from_secs(60);

const HEAD: &str = "#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { int data; struct node *next; };
static struct node *reverse(struct node *list) {
    struct node *done = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}
int main(void) {
    struct node *list = NULL, *p, *q;
    while (__VERIFIER_nondet_int()) {
        p = malloc(sizeof *p);
        p->data = 0;
        p->next = list;
        list = p;
    }
";

/// Operations on a list, each of which leaves a list.
const OPERATIONS: [&str; 4] = [
    // Reversed.
    "    p = NULL;
    while (list) { q = list->next; list->next = p; p = list; list = q; }
    list = p;
",
    // One more at the end.
    "    p = malloc(sizeof *p);
    p->data = 1;
    p->next = NULL;
    if (!list) list = p;
    else { q = list; while (q->next) q = q->next; q->next = p; }
",
    // The first one is gone.
    "    if (list) { p = list->next; free(list); list = p; }
",
    // Searched.
    "    p = list;
    while (p && p->data != 7) p = p->next;
    if (p) p->data = 8;
",
];

const TAIL: &str = "    while (list) { p = list->next; free(list); list = p; }
    return 0;
}
";

fn sequence(n: usize) -> String {
    let operations: String = OPERATIONS.iter().copied().cycle().take(n).collect();
    format!("{HEAD}{operations}{TAIL}")
}

fn calls(n: usize) -> String {
    format!("{HEAD}{}{TAIL}", "    list = reverse(list);\n".repeat(n))
}

/// The programs of [MNCL06]: each within 50 ms, the best of three tries.
fn paper() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/infer/paper");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    for path in files {
        let (loaded, _) = driver::c_program::load(&path, c::Options::default());
        let program = loaded.program.expect("a program");
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let entry = program.find(stem).or(program.entry).expect("an entry");
        let contract = infer::contract::read(&program, entry).expect("a contract");
        let start = contract.as_ref().map(|contract| &contract.start);
        let all = [Property::MemSafety, Property::MemTrack, Property::Reach];
        let options = shape::Options::default();
        let once = || {
            let begin = Instant::now();
            let outcomes = shape::analyse_all_from(&program, entry, start, &options, &all);
            assert!(!outcomes.is_empty());
            begin.elapsed()
        };
        let best = (0..3).map(|_| once()).min().unwrap_or_default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("paper      {name:20} {:>8.2} ms", best.as_secs_f64() * 1e3);
        assert!(best < Duration::from_millis(50), "{name} takes {best:?}");
    }
}

fn main() {
    paper();
    println!(
        "{:10} {:>4} {:>12} {:>12} {:>10}  verdicts",
        "kind", "n", "analysis ms", "all ms", "locations"
    );
    for (kind, program) in [("sequence", sequence as fn(usize) -> String), ("calls", calls)] {
        let mut curve = Vec::new();
        for n in SIZES {
            let (report, locations, all) = measure(program(n));
            let ms = report.stats.analysis.as_secs_f64() * 1e3;
            curve.push((n as f64, ms));
            println!(
                "{kind:10} {n:>4} {ms:>12.1} {:>12.1} {locations:>10}  {}",
                all.as_secs_f64() * 1e3,
                verdicts(&report)
            );
        }
        println!("{kind:10} grows with the power {:.2} of n", exponent(&curve));
    }
}

fn measure(text: String) -> (Report, usize, Duration) {
    let mut sources = SourceMap::new();
    let file = sources.add("bench.c", text);
    let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
    let program = loaded.program.expect("a program");
    let entry = program.entry.expect("main");
    let bodies = program.procs.iter().filter_map(|proc| proc.body.as_ref());
    let locations = bodies.map(|body| body.locations.len()).sum();
    let options = infer::Options {
        properties: vec![Property::MemSafety, Property::MemTrack],
        timeout: Some(TIMEOUT),
        config: Config::default(),
        progress: std::sync::Arc::default(),
        check: false,
    };
    let start = Instant::now();
    let analysis = driver::infer::Shapes;
    let report =
        infer::infer(&program, entry, None, &options, &analysis, &std::sync::Arc::default());
    (report, locations, start.elapsed())
}

fn verdicts(report: &Report) -> String {
    let word = |verdict: &Verdict| match verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    };
    report.properties.iter().map(|(_, v)| word(v)).collect::<Vec<_>>().join(", ")
}

/// The power of the size with which the time grows: the slope through the upper half of the points, in logarithms.
fn exponent(curve: &[(f64, f64)]) -> f64 {
    let points: Vec<(f64, f64)> =
        curve.iter().skip(curve.len() / 2).map(|(n, ms)| (n.ln(), ms.max(0.001).ln())).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let (up, along) = points.iter().fold((0.0, 0.0), |(up, along), p| {
        (up + (p.0 - x) * (p.1 - y), along + (p.0 - x) * (p.0 - x))
    });
    up / along
}
