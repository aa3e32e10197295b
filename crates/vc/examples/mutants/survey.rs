//! What becomes of seeded errors.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use report::{Diagnostic, SourceMap, Status};
use spl::core::Program;

use crate::seeds::{Seed, seeds};

/// How many seeds came to which end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Rejected by the verifier.
    pub rejected: usize,
    /// No programs any more.
    pub invalid: usize,
    /// Neither verified nor rejected.
    pub undecided: usize,
    /// Verified, and judged to be right.
    pub judged: usize,
    /// Verified.
    pub survivors: usize,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        self.rejected += other.rejected;
        self.invalid += other.invalid;
        self.undecided += other.undecided;
        self.judged += other.judged;
        self.survivors += other.survivors;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { rejected, invalid, undecided, judged, survivors } = self;
        write!(
            f,
            "{rejected} rejected, {invalid} no programs, {undecided} not decided, {judged} right as judged, \
             {survivors} to be judged"
        )
    }
}

/// What became of the seeds of a file.
#[derive(Debug, Default)]
pub struct Survey {
    pub counts: Counts,
    /// What still verifies.
    pub survivors: Vec<String>,
}

/// Tries seeds of a program: of each kind and member every `share`-th, at least one.
pub fn survey(path: &Path, solver: &Path, share: usize, judged: &str) -> Survey {
    let mut survey = Survey::default();
    let Ok(text) = std::fs::read_to_string(path) else { return survey };
    let mut sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), text.clone());
    let loaded = spl::loader::load_text(&spl::loader::DiskFiles, &mut sources, file, path);
    let Some(program) = spl::check(&loaded.program).program else { return survey };
    let mut numbers: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    for seed in seeds(&program, file, &text) {
        let number = numbers.entry((seed.kind, seed.member.clone())).or_default();
        let chosen = number.is_multiple_of(share.max(1));
        *number += 1;
        if chosen {
            attempt(path, solver, &text, &seed, judged, &mut survey);
        }
    }
    survey
}

fn attempt(path: &Path, solver: &Path, text: &str, seed: &Seed, judged: &str, survey: &mut Survey) {
    let counts = &mut survey.counts;
    let Some(program) = seed.apply(text).and_then(|text| changed(path, text)) else {
        counts.invalid += 1;
        return;
    };
    let config = vc::Config {
        members: vec![seed.member.clone()],
        timeout: Some(Duration::from_secs(20)),
        second_try: 500_000,
        ..vc::Config::new(solver.to_path_buf())
    };
    match vc::verify(&program, &config).status() {
        Status::Verified => {
            let name = path.file_name().unwrap_or_default().display();
            let line = format!("{name}:{}", seed.describe(text));
            if judged.lines().any(|known| known.split(" -- ").next() == Some(&line)) {
                counts.judged += 1;
            } else {
                counts.survivors += 1;
                survey.survivors.push(line);
            }
        }
        Status::Failed => counts.rejected += 1,
        _ => counts.undecided += 1,
    }
}

/// The program with another text for one of its files.
fn changed(path: &Path, text: String) -> Option<Program> {
    let mut sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), text);
    let loaded = spl::loader::load_text(&spl::loader::DiskFiles, &mut sources, file, path);
    if loaded.diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    spl::check(&loaded.program).program
}
