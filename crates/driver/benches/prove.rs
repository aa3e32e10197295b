//! `make bench-prove`: the programs of [ABCK15, Table 1] in `examples/prove`, and two trees, ours beside the paper's. Of each there
//! is a variant with an error, which must be found.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::path::Path;
use std::time::{Duration, Instant};

use driver::infer::{Settings, infer_file};
use driver::prove::Portfolio;
use heap::run::{Config, Property};
use report::safety::{PropertyVerdict, SafetyReport};

/// Of the paper: calls of `ProvePath`, seconds in all, for theory and for spatial interpolants.
type Row = (u32, f64, f64, f64);

/// Programs, and what the paper says of them.
const TABLE: [(&str, Option<Row>); 12] = [
    ("listdata", Some((5, 1.37, 0.45, 0.2))),
    ("twolists", Some((5, 3.12, 2.06, 0.27))),
    ("ptloop", Some((3, 1.03, 0.28, 0.15))),
    ("refCount", Some((14, 1.6, 0.59, 0.14))),
    ("bchunk_a", Some((6, 1.56, 0.51, 0.25))),
    ("bchunk_b", Some((18, 4.78, 1.7, 0.2))),
    ("bchunk_c", Some((69, 31.6, 14.3, 0.26))),
    ("bchunk_d", Some((23, 9.3, 4.42, 0.27))),
    ("bchunk_e", Some((52, 30.1, 12.2, 0.25))),
    ("bchunk_f", Some((57, 22.4, 12.0, 0.25))),
    ("sortedTree", None),
    ("heapTree", None),
];

/// A program that is not proved takes this long.
const TIMEOUT: Duration = Duration::from_secs(10);

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prove");
    println!(
        "{:<12}{:>26}  {:>44}\n{:<12}{:>8}{:>6}{:>6}{:>6}  {:>8}{:>8}{:>8}{:>8}{:>8}{:>12}   with the error",
        "",
        "[ABCK15]",
        "ours",
        "",
        "#paths",
        "s",
        "T",
        "Sp.",
        "#paths",
        "s",
        "T",
        "Sp.",
        "times",
        "verdict"
    );
    for (name, row) in TABLE {
        let paper = row.map_or_else(
            || format!("{:>26}", "-"),
            |(paths, time, theory, spatial)| format!("{paths:>8}{time:>6}{theory:>6}{spatial:>6}"),
        );
        let (report, time) = ask(&folder.join(format!("{name}.c")));
        let proved = report.properties.iter().all(|p| p.verdict == PropertyVerdict::Safe);
        let number = |key: &str| {
            report.stats.iter().find(|(name, _)| *name == key).map_or(0, |(_, value)| *value)
        };
        let seconds = |milliseconds: u64| milliseconds as f64 / 1000.0;
        let (wrong, found_in) = ask(&folder.join(format!("{name}_error.c")));
        let found = wrong.properties.iter().find(|p| p.verdict == PropertyVerdict::Unsafe);
        println!(
            "{name:<12}{paper}  {:>8}{:>8.3}{:>8.3}{:>8.3}{:>8}{:>12}   {}",
            number("paths"),
            time.as_secs_f64(),
            seconds(number("theory_ms")),
            seconds(number("spatial_ms")),
            row.map_or("-".to_owned(), |(_, of_paper, ..)| {
                format!("{:.0}", of_paper / time.as_secs_f64())
            }),
            if proved { "safe" } else { "unknown" },
            found.map_or_else(
                || "NOT FOUND".to_owned(),
                |p| format!("{} unsafe, {:.3} s", p.property, found_in.as_secs_f64())
            )
        );
    }
}

fn ask(path: &Path) -> (SafetyReport, Duration) {
    let options = infer::Options {
        properties: vec![Property::MemSafety, Property::MemTrack, Property::Reach],
        timeout: Some(TIMEOUT),
        config: Config::default(),
        progress: std::sync::Arc::default(),
        check: false,
    };
    let settings = Settings {
        c: c::Options::default(),
        entry: None,
        options,
        stats: true,
        harness: false,
        witness: false,
    };
    let start = Instant::now();
    let portfolio = Portfolio { solver: Some(testing::z3()) };
    let done = infer_file(path, &settings, &portfolio, &std::sync::Arc::default());
    (done.report, start.elapsed())
}
