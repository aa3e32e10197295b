//! The check of invariants refuses what is wrong: claims about programs that runs violate, and damaged invariants.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heap::run::{Config, End, FaultKind, Inputs, Property, Run};
use heap::{ProcId, Program};
use infer::check::{Claim, Report, check};
use infer::contract;
use shape::{Certificate, Outcome, Start, State, Term};

/// So many damages of one program are tried.
const MAX_DAMAGES: usize = 5;

const ALL: [Property; 3] = [Property::MemSafety, Property::MemTrack, Property::Reach];

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if driver::c_program::is_c(&path) {
            found.push(path);
        }
    }
}

/// A program with its entry and its start states.
fn load(path: &Path) -> Option<(Program, ProcId, Option<Start>)> {
    let text = std::fs::read_to_string(path).ok()?;
    let named = text.lines().find_map(|line| line.trim().strip_prefix("//:: entry "));
    let (loaded, _) = driver::c_program::load(path, c::Options::default());
    let program = loaded.program?;
    let entry = match named {
        Some(name) => program.find(name.trim()),
        None => program.entry,
    }?;
    let contract = contract::read(&program, entry).ok()?;
    Some((program, entry, contract.map(|contract| contract.start)))
}

fn all_programs(folder: &str) -> Vec<(String, Program, ProcId, Option<Start>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    programs(&root, &mut found);
    found.sort();
    let load = |path: &PathBuf| {
        let (program, entry, start) = load(path)?;
        Some((path.display().to_string(), program, entry, start))
    };
    found.iter().filter_map(load).collect()
}

fn analyse(program: &Program, entry: ProcId, start: Option<&Start>) -> Outcome {
    let deadline = Some(Instant::now() + Duration::from_secs(2));
    let options = shape::Options { deadline, ..shape::Options::default() };
    shape::analyse_from(program, entry, start, &options)
}

fn checked(
    (program, entry, start): (&Program, ProcId, Option<&Start>),
    certificate: &Certificate,
    preds: &[shape::Pred],
    properties: &[Property],
) -> Report {
    let deadline = Instant::now() + Duration::from_secs(4);
    let malloc_may_fail = false;
    check(&Claim {
        program,
        entry,
        start,
        certificate,
        preds,
        properties,
        malloc_may_fail,
        machine_integers: false,
        deadline,
    })
}

/// The properties that some run violates.
fn violated(program: &Program, entry: ProcId) -> Vec<Property> {
    let program = Program { entry: Some(entry), ..program.clone() };
    let mut found = Vec::new();
    for seed in 0..60 {
        let config = Config { max_steps: 20_000, ..Config::default() };
        let inputs = if seed == 0 { Inputs::given([1, 1, 1]) } else { Inputs::seeded(seed) };
        if let End::Fault(fault) = Run::new(&program, &config, inputs).end
            && let Some(property) = FaultKind::property(fault.kind)
            && !found.contains(&property)
        {
            found.push(property);
        }
    }
    found
}

#[test]
fn what_runs_violate_does_not_pass() {
    let mut refused = 0;
    let own = all_programs("../../tests/infer");
    let errors = all_programs("../shape/tests/refuted");
    for (name, program, entry, start) in own.iter().chain(&errors) {
        if start.is_some() {
            continue;
        }
        for property in violated(program, *entry) {
            let outcome = analyse(program, *entry, None);
            if outcome.complete.is_err() {
                continue;
            }
            let whole = (program, *entry, None);
            let report = checked(whole, &outcome.certificate, outcome.preds.all(), &[property]);
            assert!(!report.is_complete(), "{name}: {property:?} passes the check");
            refused += 1;
        }
    }
    println!("{refused} claims refused");
    assert!(refused > 10, "{refused}");
}

#[test]
fn damaged_invariants_do_not_pass() {
    let mut refused = 0;
    for (name, program, entry, start) in all_programs("../../tests/infer") {
        let outcome = analyse(&program, entry, start.as_ref());
        if !ALL.iter().all(|property| outcome.proves(*property)) {
            continue;
        }
        let whole = (&program, entry, start.as_ref());
        let damages = damages(&outcome.certificate);
        // Of programs with many states a part.
        let step = damages.len().div_ceil(MAX_DAMAGES).max(1);
        for (what, damaged) in damages.into_iter().step_by(step) {
            let report = checked(whole, &damaged, outcome.preds.all(), &ALL);
            assert!(!report.is_complete(), "{name}: {what} passes the check");
            refused += 1;
        }
    }
    println!("{refused} damages refused");
    assert!(refused > 40, "{refused}");
}

/// Certificates that claim what is not so, if all that is claimed can happen.
fn damages(certificate: &Certificate) -> Vec<(String, Certificate)> {
    let mut all = Vec::new();
    let mut damage = |what: String, change: &dyn Fn(&mut Certificate)| {
        let mut damaged = certificate.clone();
        change(&mut damaged);
        all.push((what, damaged));
    };
    for (i, summary) in certificate.summaries.iter().enumerate() {
        // It never returns.
        if !summary.exits.is_empty() {
            damage(format!("summary {i} without exits"), &|c| c.summaries[i].exits.clear());
        }
        for (j, (at, states)) in summary.heads.iter().enumerate() {
            damage(format!("loop {} without states", at.0), &|c| c.summaries[i].heads[j].1.clear());
            // What holds only at first, or only sometimes.
            if states.len() > 1 {
                damage(format!("loop {} with its first state", at.0), &|c| {
                    c.summaries[i].heads[j].1.truncate(1);
                });
            }
            // An end that is not one, and a node where there may be none.
            let lists = |state: &State| state.heap.segs.iter().any(|seg| seg.root != seg.to);
            if states.iter().all(lists) {
                damage(format!("loop {} with segments the other way round", at.0), &|c| {
                    for seg in c.summaries[i].heads[j].1.iter_mut().flat_map(|s| &mut s.heap.segs) {
                        std::mem::swap(&mut seg.root, &mut seg.to);
                    }
                });
            }
            let empty = |state: &State| state.heap.segs.iter().any(|seg| !seg.nonempty);
            if states.iter().all(empty) {
                damage(format!("loop {} with a node in each segment", at.0), &|c| {
                    for seg in c.summaries[i].heads[j].1.iter_mut().flat_map(|s| &mut s.heap.segs) {
                        seg.nonempty = true;
                    }
                });
            }
            // Some memory is not there.
            if states.iter().all(|state| !state.heap.segs.is_empty()) {
                damage(format!("loop {} without a segment", at.0), &|c| {
                    let states = &mut c.summaries[i].heads[j].1;
                    states.iter_mut().for_each(|state| {
                        state.heap.segs.pop();
                    });
                });
            }
        }
    }
    all
}

/// Invariants that say more of numbers than is so are not said to be shown, even where verdicts do not rest on that.
#[test]
fn wrong_numbers_do_not_pass() {
    let mut refused = 0;
    for (name, program, entry, start) in all_programs("../../tests/infer") {
        let outcome = analyse(&program, entry, start.as_ref());
        if !ALL.iter().all(|property| outcome.proves(*property)) {
            continue;
        }
        let whole = (&program, entry, start.as_ref());
        for (i, summary) in outcome.certificate.summaries.iter().enumerate() {
            for (j, (at, states)) in summary.heads.iter().enumerate() {
                // A variable that may be any of several numbers is one that no program of ours computes.
                let decl = &program.procs[summary.proc.index()];
                let symbol = |state: &State, var: usize| state.vars.get(var).base;
                let varies = |state: &State, var: usize| {
                    let number = matches!(decl.vars[var].ty, heap::Scalar::Int(_));
                    number && symbol(state, var).is_some() && state.vars.get(var) != Term::DEAD
                };
                let of_all = |var: &usize| {
                    states
                        .iter()
                        .all(|state| varies(state, *var) || state.vars.get(*var).base.is_none())
                        && states.iter().any(|state| varies(state, *var))
                };
                let Some(var) = (0..decl.vars.len()).find(of_all) else { continue };
                let mut damaged = outcome.certificate.clone();
                let mut possible = true;
                for state in &mut damaged.summaries[i].heads[j].1 {
                    if let Some(sym) = symbol(state, var) {
                        let other = shape::Interval::new(54_321, 54_321);
                        possible &= state.heap.pure.bound(sym, other);
                    }
                }
                if !possible {
                    continue;
                }
                let report = checked(whole, &damaged, outcome.preds.all(), &ALL);
                let shown =
                    report.is_complete() && !report.shapes_only.contains_key(&(summary.proc, *at));
                assert!(!shown, "{name}: loop {}: a number that varies is shown not to", at.0);
                refused += 1;
            }
        }
    }
    println!("{refused} bounds refused");
    assert!(refused > 0, "{refused}");
}

/// How many claims about the programs of another tree (`LANCEHEAD_PROGRAMS_IN=DIR`, every n-th with `LANCEHEAD_SHARE=n`)
/// the check shows.
#[test]
fn of_another_tree() {
    let Ok(root) = std::env::var("LANCEHEAD_PROGRAMS_IN") else { return };
    let share = std::env::var("LANCEHEAD_SHARE").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    // Programs nest deeper than the stack of a test allows.
    let thread = std::thread::Builder::new().stack_size(512 << 20);
    thread.spawn(move || of_tree(Path::new(&root), share)).unwrap().join().unwrap();
}

fn of_tree(root: &Path, share: usize) {
    let mut found = Vec::new();
    programs(root, &mut found);
    found.sort();
    let (mut claimed, mut shown) = (0, 0);
    let mut why: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for path in found.iter().step_by(share) {
        let Some((program, entry, start)) = load(path) else { continue };
        let deadline = Some(Instant::now() + Duration::from_secs(3));
        let options = shape::Options { deadline, ..shape::Options::default() };
        let outcomes = shape::analyse_all_from(&program, entry, start.as_ref(), &options, &ALL);
        let proved = |o: &&Outcome| ALL.iter().filter(|property| o.proves(**property)).count();
        let Some(best) = outcomes.iter().max_by_key(proved) else { continue };
        let claims: Vec<Property> = ALL.into_iter().filter(|p| best.proves(*p)).collect();
        if claims.is_empty() {
            continue;
        }
        let whole = (&program, entry, start.as_ref());
        let report = checked(whole, &best.certificate, best.preds.all(), &claims);
        claimed += claims.len();
        shown += if report.is_complete() { claims.len() } else { 0 };
        for open in report.open.iter().take(1) {
            *why.entry(open.what.clone()).or_default() += claims.len();
        }
    }
    println!(
        "{shown} of {claimed} claims are shown; of the others, by the first thing that is not:"
    );
    why.iter().for_each(|(what, count)| println!("{count:5} {what}"));
}
