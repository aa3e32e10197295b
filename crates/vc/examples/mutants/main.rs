//! Seeds errors into programs and says which of them still verify, for a person to judge.
//!
//! ```text
//! mutants [--share N] [--judged FILE] FILE…
//! ```
//! Of every N seeds of a kind one is tried. What is in the file of judged seeds, a line each as it is printed here
//! and then ` -- ` with the reason why it is right, is not reported again; the status is 1 if something is.

#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod seeds;
mod survey;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut files = Vec::new();
    let (mut share, mut judged) = (1, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--share" => share = args.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            "--judged" => judged = args.next().map(PathBuf::from),
            _ => files.push(PathBuf::from(arg)),
        }
    }
    let solver = testing::z3();
    let judged =
        judged.map(|path| std::fs::read_to_string(path).unwrap_or_default()).unwrap_or_default();
    let mut total = survey::Counts::default();
    for file in &files {
        let survey = survey::survey(file, &solver, share, &judged);
        for survivor in &survey.survivors {
            println!("{survivor}");
        }
        eprintln!("{}: {}", file.display(), survey.counts);
        total.add(survey.counts);
    }
    println!("{total}");
    if total.survivors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
