//! Verifying programs with the program itself, a process for each.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

/// What one program may take, in seconds.
const TIMEOUT: &str = "60";

/// What is reported for a program: the status, and errors by identifier and line.
pub type Verdict = (String, Vec<(String, u64)>);

/// What came of one way to verify a program.
#[derive(Clone)]
pub struct Run {
    pub verdict: Verdict,
    pub ms: f64,
}

/// The run in the middle, by time. None if `lancehead` does not know an option.
pub fn median(path: &Path, options: &[&str], runs: usize) -> Option<Run> {
    let mut all = Vec::new();
    for _ in 0..runs {
        all.push(run(path, options)?);
    }
    all.sort_by(|a, b| a.ms.total_cmp(&b.ms));
    all.get(runs / 2).cloned()
}

fn run(path: &Path, options: &[&str]) -> Option<Run> {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_lancehead"))
        .args(["verify", "--format", "json", "--timeout", TIMEOUT])
        .args(options)
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let object: Value = serde_json::from_slice(&output.stdout).ok()?;
    let errors = object["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut errors: Vec<(String, u64)> = errors
        .iter()
        .map(|e| (e["id"].as_str().unwrap_or_default().to_owned(), e["line"].as_u64().unwrap_or(0)))
        .collect();
    errors.sort();
    Some(Run { verdict: (object["status"].as_str()?.to_owned(), errors), ms })
}
