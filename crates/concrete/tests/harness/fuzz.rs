//! The loop: change or make a program, run it, verify it, compare.

use std::path::Path;
use std::time::{Duration, Instant};

use concrete::{Random, mutate};
use viper::ast;
use viper::core::Program;

use super::{Finding, Subject, contradictions, explore, load, verify};

/// Accepted programs that are kept.
const POOL: usize = 600;
/// Runs of each method.
const RUNS: u64 = 25;
/// Larger programs are not worth their time.
const LONGEST: usize = 6000;
/// The time that a finding is made smaller.
const SHRINKING: Duration = Duration::from_secs(60);

/// What was done.
#[derive(Default)]
struct Figures {
    tried: u64,
    generated: u64,
    ill_formed: u64,
    silent: u64,
    verified: u64,
    methods: u64,
    accepted: u64,
    accepted_and_run: u64,
    rejected: u64,
    rejected_and_faulted: u64,
    probes_proved: u64,
    probes_refuted: u64,
    runs: u64,
    finished: u64,
    findings: u64,
    running: Duration,
    verifying: Duration,
}

/// Looks for contradictions.
pub struct Fuzzer {
    random: Random,
    pool: Vec<String>,
    figures: Figures,
}

/// The program as text.
pub fn print(program: &Program) -> String {
    viper::print::program(&viper::unparse::source_program(program))
}

/// Does a data type derive something? That cannot be printed as it was written.
fn has_derived(program: &Program) -> bool {
    program.domains.iter().any(|d| d.adt.as_ref().is_some_and(|adt| adt.contains.is_some()))
}

impl Fuzzer {
    pub fn new(seed: u64) -> Fuzzer {
        Fuzzer { random: Random::new(seed), pool: Vec::new(), figures: Figures::default() }
    }

    /// How many programs there are to be changed.
    pub fn pool(&self) -> usize {
        self.pool.len()
    }

    /// Takes the methods of a file one by one, each with what it needs.
    pub fn seed_with(&mut self, path: &Path) {
        let Ok(text) = std::fs::read_to_string(path) else { return };
        let Ok(subject) = load(path, &text) else { return };
        if has_derived(&subject.program) || text.contains("import") {
            return;
        }
        for method in subject.program.methods.iter().filter(|m| m.body.is_some()) {
            if let Some(slice) = slice(&subject.program, method.name.as_str())
                && slice.len() < LONGEST
            {
                self.pool.push(slice);
            }
        }
    }

    /// One program. Returns what contradicts the verdict, made smaller.
    pub fn round(&mut self) -> Option<(String, Finding)> {
        self.figures.tried += 1;
        let text = if self.pool.is_empty() || self.random.one_in(3) {
            self.figures.generated += 1;
            let length = 4 + self.random.below(12);
            let whole = concrete::generate::generate(&mut self.random, length);
            let subject = load(Path::new("generated.vpr"), &whole);
            subject.ok().and_then(|s| slice(&s.program, "m")).unwrap_or(whole)
        } else {
            let base = self.random.pick(&self.pool).cloned()?;
            let base = load(Path::new("base.vpr"), &base).ok()?;
            print(&mutate::mutate(&base.program, &mut self.random))
        };
        let Ok(plain) = load(Path::new("changed.vpr"), &text) else {
            self.figures.ill_formed += 1;
            return None;
        };
        let probed = mutate::probe(&plain.program, &mut self.random);
        // A probe may be ill-formed where the program is not.
        let subject = load(Path::new("probed.vpr"), &print(&probed)).unwrap_or(plain);
        let finding = self.compare(&subject, &text)?;
        self.figures.findings += 1;
        let small = self.shrink(subject);
        Some((small.text, finding))
    }

    fn compare(&mut self, subject: &Subject, plain: &str) -> Option<Finding> {
        let start = Instant::now();
        let seen = explore(&subject.program, RUNS, self.random.next_u64());
        self.figures.running += start.elapsed();
        self.figures.runs += seen.ends.values().sum::<u64>();
        self.figures.finished += seen.ends.get("finished").copied().unwrap_or(0);
        if seen.finished.is_empty() && seen.faults.is_empty() && !self.random.one_in(8) {
            self.figures.silent += 1;
            return None;
        }
        let start = Instant::now();
        let verdict = verify(subject);
        self.figures.verifying += start.elapsed();
        self.figures.verified += 1;
        for (i, method) in subject.program.methods.iter().enumerate() {
            if method.body.is_none() {
                continue;
            }
            self.figures.methods += 1;
            let id = viper::core::MethodId(i as u32);
            if verdict.accepted.contains(method.name.as_str()) {
                self.figures.accepted += 1;
                self.figures.accepted_and_run += u64::from(seen.finished.contains(&id));
            } else {
                self.figures.rejected += 1;
                let faulted = seen.faults.iter().any(|(f, ..)| *f == id);
                self.figures.rejected_and_faulted += u64::from(faulted);
            }
        }
        self.figures.probes_proved += verdict.proved.len() as u64;
        self.figures.probes_refuted += seen.refuted.len() as u64;
        let finding = contradictions(subject, &verdict, &seen).into_iter().next();
        let accepted = verdict.surroundings && !verdict.accepted.is_empty();
        if finding.is_none() && accepted && !seen.finished.is_empty() && plain.len() < LONGEST {
            if self.pool.len() < POOL {
                self.pool.push(plain.to_string());
            } else {
                let place = self.random.below(self.pool.len());
                self.pool[place] = plain.to_string();
            }
        }
        finding
    }

    /// Leaves out what is not needed for a contradiction.
    fn shrink(&mut self, mut subject: Subject) -> Subject {
        let start = Instant::now();
        loop {
            let mut candidates: Vec<String> =
                mutate::smaller(&subject.program).iter().map(print).collect();
            candidates.extend(without_members(&subject.program));
            let before = subject.text.len();
            for text in candidates {
                if start.elapsed() > SHRINKING {
                    return subject;
                }
                if text.len() >= subject.text.len() {
                    continue;
                }
                let Ok(smaller) = load(Path::new("smaller.vpr"), &text) else { continue };
                let seen = explore(&smaller.program, 2 * RUNS, 1);
                if seen.faults.is_empty() && seen.refuted.is_empty() {
                    continue;
                }
                let verdict = verify(&smaller);
                if !contradictions(&smaller, &verdict, &seen).is_empty() {
                    subject = smaller;
                    break;
                }
            }
            if subject.text.len() == before {
                return subject;
            }
        }
    }

    /// What was done so far, in a line.
    pub fn figures(&self) -> String {
        let f = &self.figures;
        format!(
            "{} programs ({} generated), {} ill-formed, {} not runnable, {} verified; methods: {} accepted ({} run to \
             the end), {} rejected ({} of them fault); refutes: {} false in a run, {} proved; {} runs, {} to \
             the end; pool {}; {} findings; {} s running, {} s verifying",
            f.tried,
            f.generated,
            f.ill_formed,
            f.silent,
            f.verified,
            f.accepted,
            f.accepted_and_run,
            f.rejected,
            f.rejected_and_faulted,
            f.probes_refuted,
            f.probes_proved,
            f.runs,
            f.finished,
            self.pool.len(),
            f.findings,
            f.running.as_secs(),
            f.verifying.as_secs()
        )
    }
}

/// Programs without one of their members.
fn without_members(program: &Program) -> Vec<String> {
    let whole = viper::unparse::source_program(program);
    let without = |i: usize| {
        let mut members = whole.members.clone();
        members.remove(i);
        viper::print::program(&ast::Program { members })
    };
    (0..whole.members.len()).map(without).collect()
}

/// One method with all that it needs, as text.
fn slice(program: &Program, method: &str) -> Option<String> {
    let mut tree = viper::unparse::source_program(program);
    let text = |tree: &ast::Program| viper::print::program(tree);
    let mut i = 0;
    while i < tree.members.len() {
        let keep = matches!(&tree.members[i].kind, ast::MemberKind::Method(m) if m.name.name.as_str() == method);
        if !keep {
            let mut smaller = tree.clone();
            smaller.members.remove(i);
            if load(Path::new("slice.vpr"), &text(&smaller)).is_ok() {
                tree = smaller;
                continue;
            }
        }
        i += 1;
    }
    // Members that needed each other are gone by the second round.
    let slice = text(&tree);
    load(Path::new("slice.vpr"), &slice).ok().map(|_| slice)
}
