//! Runs the methods of given programs, verifies them, and prints where the two contradict each other:
//! `cargo run -p lancehead-concrete --example corpus -- FILE…`

#[path = "../tests/harness/mod.rs"]
mod harness;

use std::collections::BTreeMap;
use std::path::Path;

fn main() {
    let mut ends: BTreeMap<String, u64> = BTreeMap::new();
    let (mut methods, mut accepted, mut finished, mut findings) = (0, 0, 0, 0);
    let (mut rejected, mut faulted) = (0, 0);
    let runs = std::env::var("RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let subject = match harness::load(Path::new(&path), &text) {
            Ok(subject) => subject,
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        let seen = harness::explore(&subject.program, runs, 1);
        let verdict = harness::verify(&subject);
        methods += subject.program.methods.iter().filter(|m| m.body.is_some()).count();
        accepted += verdict.accepted.len();
        finished += seen.finished.len();
        for (i, method) in subject.program.methods.iter().enumerate() {
            if method.body.is_some() && !verdict.accepted.contains(method.name.as_str()) {
                rejected += 1;
                if std::env::var_os("VERBOSE").is_some() {
                    println!("{path}: {} is rejected", method.name);
                }
                faulted += usize::from(seen.faults.iter().any(|(id, ..)| id.index() == i));
            }
        }
        for (end, n) in &seen.ends {
            *ends.entry(end.clone()).or_insert(0) += n;
        }
        for finding in harness::contradictions(&subject, &verdict, &seen) {
            findings += 1;
            println!(
                "{path}:{}: {}: {} (seed {:?})",
                finding.line, finding.method, finding.what, finding.seed
            );
        }
    }
    println!("{methods} methods, {accepted} accepted, {finished} finished, {findings} findings");
    println!("{rejected} rejected, {faulted} of these fault");
    for (end, n) in ends {
        println!("{n:8} {end}");
    }
}
