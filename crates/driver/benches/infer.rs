//! How the time of `infer` grows with a program, and what the programs of [MNCL06] take: `make bench-infer`.
//!
//! Two kinds of programs of size n up to 200: n operations on a list in sequence, each a loop, and a procedure that
//! is called n times. The time has to grow about linearly with n.

#![allow(clippy::expect_used)]

use std::time::{Duration, Instant};

use c::NoFiles;
use heap::run::{Config, Property};
use infer::verdict::{Report, Verdict};
use report::SourceMap;

const SIZES: [usize; 8] = [1, 2, 5, 10, 20, 50, 100, 200];
const TIMEOUT: Duration = Duration::from_secs(60);
/// What a program of [MNCL06] may take.
const PAPER: Duration = Duration::from_millis(50);
/// Things are measured so long.
const WHILE: Duration = Duration::from_millis(200);
/// The power of n with which the time may grow: about linearly. It was 1.7 when states had all variables of a program.
const LINEAR: f64 = 1.1;

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

/// The programs of [MNCL06]: each within 50 ms.
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
        let taken = average(|| {
            let outcomes = shape::analyse_all_from(&program, entry, start, &options, &all);
            assert!(!outcomes.is_empty());
        });
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("paper      {name:20} {:>8.2} ms", taken.as_secs_f64() * 1e3);
        assert!(taken < PAPER, "{name} takes {taken:?}");
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
            let ms = analysis(program(n)).as_secs_f64() * 1e3;
            curve.push((n as f64, ms));
            println!(
                "{kind:10} {n:>4} {ms:>12.1} {:>12.1} {locations:>10}  {}",
                all.as_secs_f64() * 1e3,
                verdicts(&report)
            );
        }
        let power = exponent(&curve);
        println!("{kind:10} grows with the power {power:.2} of n");
        assert!(power <= LINEAR, "the time of `{kind}` does not grow linearly");
    }
}

fn load(text: String) -> heap::Program {
    let mut sources = SourceMap::new();
    let file = sources.add("bench.c", text);
    c::load(&NoFiles, &mut sources, file, c::Options::default()).program.expect("a program")
}

/// The time that the analysis of shapes takes.
fn analysis(text: String) -> Duration {
    let program = load(text);
    let entry = program.entry.expect("main");
    let properties = [Property::MemSafety, Property::MemTrack];
    average(|| {
        let outcomes = shape::analyse_all(&program, entry, &shape::Options::default(), &properties);
        assert!(!outcomes.is_empty());
    })
}

/// What something takes, on the average. The clock is a coarse one, so it is done for a while.
fn average(run: impl Fn()) -> Duration {
    let begin = clock();
    let mut times = 0;
    loop {
        run();
        times += 1;
        let so_far = clock().saturating_sub(begin);
        if so_far >= WHILE {
            return so_far / times;
        }
    }
}

/// How long this thread was running, where the system says so: others may have been running, too.
fn clock() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn measure(text: String) -> (Report, usize, Duration) {
    let program = load(text);
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
