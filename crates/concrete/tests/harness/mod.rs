//! What the verifier says of a program beside what the interpreter sees.

#![allow(dead_code)] // shared by tests and examples, which do not use all of it

pub mod fuzz;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use concrete::Outcome;
use report::{Pos, SourceMap, Status};
use symex::{Config, MemberKind, Quiet};
use viper::core::{MethodId, Program};
use viper::loader::{DiskFiles, load_text};

/// A program that the front end accepts.
pub struct Subject {
    /// As it was written.
    pub text: String,
    /// Its lines.
    pub sources: SourceMap,
    /// Before plugins.
    pub program: Program,
}

/// What the front end makes of a text.
pub fn load(path: &Path, text: &str) -> Result<Subject, String> {
    let mut sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), text.to_string());
    let loaded = load_text(&DiskFiles, &mut sources, file, path);
    if let Some(error) = loaded.diagnostics.iter().find(|d| d.is_error()) {
        return Err(format!("{}: {} {:?}", error.id, error.message, error.pos));
    }
    let checked = viper::check(&loaded.program);
    match checked.program {
        Some(program) => Ok(Subject { text: text.to_string(), sources, program }),
        None => {
            let error = checked.diagnostics.iter().find(|d| d.is_error());
            Err(error.map_or_else(String::new, |e| format!("{}: {} {:?}", e.id, e.message, e.pos)))
        }
    }
}

impl Subject {
    /// The line of a position, from 1.
    pub fn line(&self, pos: Pos) -> usize {
        let Some(span) = pos.span() else { return 0 };
        let start = (span.start as usize).min(self.text.len());
        self.text.as_bytes()[..start].iter().filter(|b| **b == b'\n').count() + 1
    }
}

/// What the verifier says.
#[derive(Default)]
pub struct Verdict {
    /// Methods without an error other than that a `refute` failed.
    pub accepted: HashSet<String>,
    /// The `refute` statements whose assertion was proved, in accepted methods.
    pub proved: Vec<(String, Pos)>,
    /// Everything besides methods with bodies is accepted.
    pub surroundings: bool,
}

/// Where Z3 is.
pub fn solver() -> PathBuf {
    testing::z3()
}

/// Verifies a program, with the command in `VERIFIER` if there is one: any that prints what
/// `lancehead verify --format json` prints, such as an earlier build.
pub fn verify(subject: &Subject) -> Verdict {
    if let Some(command) = std::env::var_os("VERIFIER") {
        return verify_by(&command.to_string_lossy(), subject).unwrap_or_default();
    }
    let config = Config { timeout: Some(Duration::from_secs(5)), ..Config::new(solver()) };
    verify_with(subject, &config)
}

/// What another verifier says. A method is accepted if no error at all is in it.
fn verify_by(command: &str, subject: &Subject) -> Option<Verdict> {
    let file = std::env::temp_dir().join(format!("subject-{}.vpr", std::process::id()));
    std::fs::write(&file, &subject.text).ok()?;
    let mut words = command.split_whitespace();
    let output = Command::new(words.next()?).args(words).arg(&file).output().ok()?;
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let mut verdict = Verdict { surroundings: true, ..Verdict::default() };
    for member in said.get("members")?.as_array()? {
        let name = member.get("name")?.as_str()?;
        let method = subject.program.methods.iter().find(|m| m.name.as_str() == name);
        let kind = member.get("kind")?.as_str()?;
        match (member.get("status")?.as_str()?, method.filter(|_| kind == "method")) {
            ("verified", Some(_)) => drop(verdict.accepted.insert(name.to_string())),
            ("verified", None) => {}
            (_, Some(method)) if method.body.is_some() => {}
            _ => verdict.surroundings = false,
        }
    }
    Some(verdict)
}

/// Verifies a program as it is wanted.
pub fn verify_with(subject: &Subject, config: &Config) -> Verdict {
    let (program, diagnostics) =
        viper::plugins::desugar(subject.program.clone(), &viper::plugins::Options::default());
    let mut verdict = Verdict::default();
    if diagnostics.iter().any(report::Diagnostic::is_error) {
        return verdict;
    }
    let found = symex::verify(&program, config, &Quiet);
    verdict.surroundings = true;
    for member in found.members {
        // An error that another member has, too, is reported there.
        let refutes_only = member.status == Status::Failed
            && !member.failures.is_empty()
            && member.failures.iter().all(|f| f.diagnostic.id.starts_with("refute."));
        let accepted = member.status == Status::Verified || refutes_only;
        let method = subject.program.methods.iter().find(|m| m.name.as_str() == member.name);
        let has_body =
            member.kind == MemberKind::Method && method.is_some_and(|m| m.body.is_some());
        if accepted && member.kind == MemberKind::Method {
            let proved = member.failures.iter().map(|f| (member.name.clone(), f.diagnostic.pos));
            verdict.proved.extend(proved);
            verdict.accepted.insert(member.name);
        } else if !accepted {
            // Callers need not be right if a contract makes no sense.
            let contract = method.map(|m| m.pres.iter().chain(&m.posts)).into_iter().flatten();
            let spans: Vec<_> = contract.filter_map(|e| e.pos.span()).collect();
            let ill_formed = member.failures.iter().any(|f| {
                let at = f.diagnostic.pos.span();
                !f.diagnostic.id.starts_with("postcondition.violated")
                    && at.is_some_and(|at| {
                        spans.iter().any(|s| s.start <= at.start && at.end <= s.end)
                    })
            });
            verdict.surroundings &= has_body && !ill_formed && !member.failures.is_empty();
        }
    }
    verdict
}

/// What was seen of a program in many runs.
#[derive(Default)]
pub struct Seen {
    /// By method, with the seed of the run.
    pub faults: Vec<(MethodId, String, Pos, u64)>,
    /// Assertions of `refute` statements that did not hold.
    pub refuted: HashSet<Pos>,
    /// Methods of which a run reached the end.
    pub finished: HashSet<MethodId>,
    /// Ends of runs, by kind.
    pub ends: BTreeMap<String, u64>,
}

/// What is said of a run that goes on although there is a measure.
const ENDLESS: &str = "endless";

/// Runs end after this time; one of them takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs all methods.
pub fn explore(program: &Program, runs: u64, seed: u64) -> Seen {
    let start = Instant::now();
    viper::with_deep_stack(|| {
        let mut seen = Seen::default();
        for (i, method) in program.methods.iter().enumerate() {
            let id = MethodId(i as u32);
            if method.body.is_none() {
                continue;
            }
            let mut faults = 0;
            let mut useless = 0;
            for run in 0..runs {
                let seed = seed.wrapping_add(run);
                let report = concrete::run(program, id, seed);
                seen.refuted.extend(report.refuted);
                let end = match report.outcome {
                    Outcome::Finished => {
                        seen.finished.insert(id);
                        "finished".to_string()
                    }
                    Outcome::NoInitialState => "no initial state".to_string(),
                    Outcome::Assumed => "assumption".to_string(),
                    Outcome::Outside(what) => format!("outside: {what}"),
                    Outcome::Endless => {
                        seen.faults.push((id, ENDLESS.to_string(), method.pos, seed));
                        faults += 1;
                        ENDLESS.to_string()
                    }
                    Outcome::Fault(fault) => {
                        let blamed = fault.method.unwrap_or(id);
                        seen.faults.push((blamed, fault.message, fault.pos, seed));
                        faults += 1;
                        "fault".to_string()
                    }
                };
                useless += u64::from(!matches!(&end[..], "finished" | "assumption" | "fault"));
                *seen.ends.entry(end).or_insert(0) += 1;
                // Nothing new is to be expected, or not soon.
                if start.elapsed() > PATIENCE || faults >= 3 || (run >= 10 && useless == run + 1) {
                    break;
                }
            }
        }
        seen
    })
}

/// A contradiction between the two.
pub struct Finding {
    /// In which method.
    pub method: String,
    /// What happened.
    pub what: String,
    /// Where.
    pub line: usize,
    /// A run that shows it.
    pub seed: Option<u64>,
}

/// What was seen although the verifier excludes it.
pub fn contradictions(subject: &Subject, verdict: &Verdict, seen: &Seen) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !verdict.surroundings {
        return findings;
    }
    // Who is to blame for a run without an end is not known.
    let mut bodies = subject.program.methods.iter().filter(|m| m.body.is_some());
    let all = bodies.all(|m| verdict.accepted.contains(m.name.as_str()));
    for (id, what, pos, seed) in &seen.faults {
        let method = subject.program.method(*id).name.to_string();
        if verdict.accepted.contains(&method) && (all || what != ENDLESS) {
            let line = subject.line(*pos);
            findings.push(Finding { method, what: what.clone(), line, seed: Some(*seed) });
        }
    }
    for (method, pos) in &verdict.proved {
        if seen.refuted.contains(pos) {
            let what = "a `refute` fails although its assertion does not hold".to_string();
            findings.push(Finding {
                method: method.clone(),
                what,
                line: subject.line(*pos),
                seed: None,
            });
        }
    }
    findings
}
