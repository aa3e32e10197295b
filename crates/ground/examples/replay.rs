//! Replays what `lancehead verify --dump-smt FOLDER` wrote: answers each question, and compares with what
//! the solver said. `cargo run --release --example replay -- FOLDER/*.smt2`; with `--check` every proof is
//! checked, with `--slow N` questions that took more than so many microseconds are listed, with `--times N`
//! each question may take so many times the work.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ground::{Answer, Limits, Prover};

/// The commands and comments of a script.
fn forms(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut start) = (0, 0usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b';' => {
                let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
                if depth == 0 {
                    found.push(&text[at..end]);
                }
                at = end;
            }
            quote @ (b'|' | b'"') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += 1;
                }
            }
            b'(' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    found.push(&text[start..=at]);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[derive(Default)]
struct Tally {
    count: u64,
    native: Duration,
    solver: f64,
}

/// So many times the usual work.
fn limits(times: usize) -> Limits {
    let usual = Limits::default();
    Limits {
        instances: usual.instances * times,
        matching: usual.matching * times,
        cases: usual.cases * times,
        pivots: usual.pivots * times,
        ..usual
    }
}

fn main() {
    let mut tallies: BTreeMap<(String, &'static str), Tally> = BTreeMap::new();
    let mut reading = Duration::ZERO;
    let mut rejected = 0;
    let (mut check, mut slow, mut show) = (false, u128::MAX, String::new());
    let mut times = 1;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--check" => {
                check = true;
                continue;
            }
            "--slow" => {
                slow = args.next().and_then(|n| n.parse().ok()).unwrap_or(u128::MAX);
                continue;
            }
            "--times" => {
                times = args.next().and_then(|n| n.parse().ok()).unwrap_or(1);
                continue;
            }
            "--show" => {
                show = args.next().unwrap_or_default();
                continue;
            }
            _ => {}
        }
        let Ok(text) = std::fs::read_to_string(&arg) else { continue };
        let mut prover = Prover::new();
        let mut asked: Option<(&'static str, Duration, usize)> = None;
        let mut questions = 0;
        for form in forms(&text) {
            let start = Instant::now();
            match form {
                "(push 1)" => prover.push(),
                "(pop 1)" => prover.pop(),
                "(reset)" => prover = Prover::new(),
                "(check-sat)" => {
                    questions += 1;
                    let answer = if check {
                        prover.prove(limits(times))
                    } else {
                        prover.check(limits(times))
                    };
                    let time = start.elapsed();
                    let name = match answer {
                        Answer::Unsat(Some(proof)) if check => {
                            if !proof.check(&prover) {
                                println!("{arg}: question {questions}: the proof is wrong");
                                rejected += 1;
                            }
                            "unsat"
                        }
                        Answer::Unsat(_) => "unsat",
                        Answer::Sat => "sat",
                        Answer::Saturated => "saturated",
                        Answer::Unknown => "unknown",
                    };
                    asked = Some((name, time, questions));
                    continue;
                }
                comment if comment.starts_with(';') => {
                    let words: Vec<&str> = comment[1..].trim().split([' ', ',']).collect();
                    if let (Some(name @ ("sat" | "unsat" | "unknown")), Some((native, time, n))) =
                        (words.first().copied(), asked.take())
                    {
                        let number = comment.rsplit(' ').nth(1).and_then(|n| n.parse::<f64>().ok());
                        let tally = tallies.entry((name.to_string(), native)).or_default();
                        tally.count += 1;
                        tally.native += time;
                        tally.solver += number.unwrap_or(0.0);
                        if show == format!("{name}/{native}") || time.as_micros() > slow {
                            println!("{arg}: question {n}: {name}, {native}, {time:?} {comment}");
                        }
                    }
                    continue;
                }
                _ => prover.read(form),
            }
            reading += start.elapsed();
        }
    }
    println!("reading and pushing: {reading:?}; rejected proofs: {rejected}");
    for ((solver, native), tally) in tallies {
        println!(
            "solver {solver:8} {:9.1} ms   native {native:10} {:9.1} ms   {:6} questions",
            tally.solver,
            tally.native.as_secs_f64() * 1000.0,
            tally.count
        );
    }
}
