//! Forward execution [PWZ13, Fig. 8] against weakest preconditions [PWZ13, Fig. 7]: on every procedure that both reach
//! they have the same opinion of its partial correctness.
//!
//! `LANCEHEAD_SPL_SUITE` names a folder of more programs.

#![allow(missing_docs, clippy::panic)]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use report::SourceMap;
use vc::Partial;

/// What came of the programs.
#[derive(Debug, Default)]
struct Score {
    procedures: usize,
    triples: usize,
    failing: usize,
    out_of_reach: Vec<String>,
    differences: Vec<String>,
}

/// Most failures are planted, and are not tried for long. Where the two differ it may be for that.
const SOON: u64 = 200_000;

fn compare(path: &Path) -> Score {
    let usual = vc::Config { ..vc::Config::new(testing::z3()) };
    let soon = compare_with(path, &vc::Config { second_try: SOON, ..usual.clone() });
    if soon.differences.is_empty() { soon } else { compare_with(path, &usual) }
}

fn compare_with(path: &Path, config: &vc::Config) -> Score {
    let mut score = Score::default();
    let mut sources = SourceMap::new();
    let loaded = spl::loader::load(&spl::loader::DiskFiles, &mut sources, path);
    let Some(program) = spl::check(&loaded.program).program else { return score };
    let forward = vc::verify(&program, config);
    let found = vc::partial_correctness(&program, config);
    let found = found.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for (name, triples, partial) in found {
        let place = format!("{}: {name}", path.display());
        let Some(member) = forward.members.iter().find(|m| m.name == name) else {
            score.differences.push(format!("{place}: only one of them has it"));
            continue;
        };
        // Weakest preconditions say nothing about whether code ends.
        let errors = member.diagnostics.iter().filter(|d| d.is_error());
        let ids: BTreeSet<&str> = errors.map(|d| &*d.id).collect();
        let fails = ids.iter().any(|id| *id != "termination.failed");
        match partial {
            Partial::OutOfReach(why) => score.out_of_reach.push(format!("{place}: {why}")),
            Partial::Holds if fails => {
                score.differences.push(format!("{place}: only execution fails, with {ids:?}"));
            }
            Partial::MightFail if !fails => {
                score.differences.push(format!("{place}: only the weakest precondition fails"));
            }
            _ => {
                score.procedures += 1;
                score.triples += triples;
                score.failing += usize::from(fails);
            }
        }
    }
    score
}

impl Score {
    fn add(&mut self, other: Score) {
        self.procedures += other.procedures;
        self.triples += other.triples;
        self.failing += other.failing;
        self.out_of_reach.extend(other.out_of_reach);
        self.differences.extend(other.differences);
    }
}

#[test]
fn both_ways_agree() {
    let root = testing::root();
    let mut files = testing::files(root.join("tests/spl/verify"), &["spl"]);
    files.extend(testing::files(root.join("examples/spl"), &["spl"]));
    if let Some(suite) = std::env::var_os("LANCEHEAD_SPL_SUITE") {
        files.extend(testing::files(suite, &["spl"]));
    }
    let (next, score) = (AtomicUsize::new(0), Mutex::new(Score::default()));
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let work = || {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = compare(path);
                    score.lock().unwrap_or_else(|e| panic!("{e}")).add(one);
                }
            };
            let thread = std::thread::Builder::new().stack_size(256 << 20);
            if let Err(e) = thread.spawn_scoped(scope, work) {
                panic!("{e}");
            }
        }
    });
    let score = score.into_inner().unwrap_or_else(|e| panic!("{e}"));
    println!("{score:#?}");
    assert!(score.differences.is_empty(), "{:#?}", score.differences);
    assert!(score.out_of_reach.len() * 20 < score.procedures, "{:#?}", score.out_of_reach);
    // So that it does not come to compare nothing.
    assert!(score.procedures > 100 && score.failing > 30, "{score:#?}");
}
