//! Looks for programs that the verifier accepts although they fail:
//! `SECONDS=60 SEED=1 OUT=DIR cargo run --release -p lancehead-concrete --example fuzz_viper -- FILE…`
//!
//! Programs are random (`concrete::generate`), or changes of those that were accepted before, or of the
//! files that are given. `VERIFIER='lancehead verify --format json'` asks another build of it instead.

#[path = "../tests/harness/mod.rs"]
mod harness;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use harness::fuzz::Fuzzer;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn main() -> ExitCode {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = number("SEED", clock.map_or(1, |t| t.as_secs()));
    let limit = Duration::from_secs(number("SECONDS", 60));
    let out = std::env::var_os("OUT").map_or_else(std::env::temp_dir, PathBuf::from);
    println!("seed {seed}, {} s, findings go to {}", limit.as_secs(), out.display());
    let mut fuzzer = Fuzzer::new(seed);
    for path in std::env::args().skip(1) {
        fuzzer.seed_with(&PathBuf::from(path));
    }
    println!("{} programs to start with", fuzzer.pool());
    let start = Instant::now();
    let mut shown = Instant::now();
    let mut found = 0;
    while start.elapsed() < limit {
        if let Some((text, finding)) = fuzzer.round() {
            found += 1;
            let path = out.join(format!("finding-{seed}-{found}.vpr"));
            let head = format!("// {}: line {}: {}\n", finding.method, finding.line, finding.what);
            if let Err(error) = std::fs::write(&path, format!("{head}{text}")) {
                eprintln!("{}: {error}", path.display());
            }
            println!("FINDING {}\n{head}{text}", path.display());
        }
        if shown.elapsed() > Duration::from_secs(60) {
            shown = Instant::now();
            println!("{:6} s  {}", start.elapsed().as_secs(), fuzzer.figures());
        }
    }
    println!("{:6} s  {}", start.elapsed().as_secs(), fuzzer.figures());
    if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
