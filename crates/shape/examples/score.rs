//! Scores the analysis alone on C programs with known verdicts: `score TSV [FILTER]`, with a time limit for each.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use heap::run::{FaultKind, Property};
use report::SourceMap;

mod disk;

use disk::Disk;

fn main() {
    let mut args = std::env::args().skip(1);
    let tsv = args.next().unwrap_or_default();
    let filter = args.next().unwrap_or_default();
    let verbose = args.next().is_some();
    let seconds: u64 = std::env::var("SECONDS_EACH").ok().and_then(|s| s.parse().ok()).unwrap_or(5);
    let text = std::fs::read_to_string(&tsv).unwrap_or_default();
    let root = Path::new(&tsv).parent().unwrap_or(Path::new(".")).to_path_buf();
    let mut files: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cols: Vec<&str> = line.split('\t').collect();
        if let [path, property, verdict, ..] = cols[..]
            && path.contains(&filter)
        {
            files.entry(path.into()).or_default().push((property.into(), verdict.into()));
        }
    }
    let mut counts: BTreeMap<(String, String, &str), usize> = BTreeMap::new();
    for (file, questions) in files {
        let path = root.join(&file);
        let Ok(source) = std::fs::read(&path) else { continue };
        let mut sources = SourceMap::new();
        let id =
            sources.add(path.display().to_string(), String::from_utf8_lossy(&source).into_owned());
        let loaded = c::load(&Disk, &mut sources, id, c::Options::default());
        let Some(program) = loaded.program else {
            println!("{file}: not read");
            continue;
        };
        let Some(entry) = program.entry else {
            library(&program, seconds);
            continue;
        };
        let start = Instant::now();
        let options = shape::Options {
            deadline: Some(start + Duration::from_secs(seconds)),
            ..shape::Options::default()
        };
        let all = [Property::MemSafety, Property::MemTrack, Property::Reach];
        let asked: Vec<Property> = all
            .into_iter()
            .zip(["memsafety", "memtrack", "reach"])
            .filter(|(_, name)| questions.iter().any(|(p, v)| p == name && v == "safe"))
            .map(|(p, _)| p)
            .collect();
        let precision = match std::env::var("PRECISION").as_deref() {
            Ok("usual") => Some(shape::Precision::USUAL),
            Ok("coarse") => Some(shape::Precision::COARSE),
            Ok("fine") => Some(shape::Precision::FINE),
            Ok("data") => Some(shape::Precision::DATA),
            Ok("parts") => Some(shape::Precision::PARTS),
            Ok("finest") => Some(shape::Precision::FINEST),
            _ => None,
        };
        let outcomes = match precision {
            Some(precision) => {
                let options = shape::Options { precision, ..options.clone() };
                vec![shape::analyse(&program, entry, &options)]
            }
            None => shape::analyse_all(&program, entry, &options, &asked),
        };
        let time = start.elapsed().as_millis();
        let Some(outcome) = outcomes.first() else { continue };
        for (property, verdict) in questions {
            let own = match property.as_str() {
                "memsafety" => Property::MemSafety,
                "memtrack" => Property::MemTrack,
                "reach" => Property::Reach,
                _ => continue,
            };
            let safe = outcomes.iter().any(|o| o.proves(own));
            let answer = if safe { "safe" } else { "unknown" };
            if safe && verdict == "unsafe" {
                println!("WRONG SAFE {file} {property}");
            }
            if !safe && verdict == "safe" {
                let why: Vec<String> = outcome
                    .faults
                    .iter()
                    .filter(|f| f.kind.property().is_some() && f.kind != FaultKind::DivisionByZero)
                    .take(3)
                    .map(|f| {
                        let line = f
                            .pos
                            .span()
                            .and_then(|s| {
                                sources.get(s.file).map(|file| file.line_col(s.start).line)
                            })
                            .unwrap_or(0);
                        format!("{}:{line} {}", f.kind.as_str(), f.what)
                    })
                    .collect();
                println!("MISSED {file} {property} {time}ms {:?} {why:?}", outcome.complete);
            }
            *counts.entry((property, verdict, answer)).or_default() += 1;
        }
        if verbose {
            println!("--- {file} {time}ms {} steps {:?}", outcome.steps, outcome.complete);
            for fault in &outcome.faults {
                println!("  {:?} at {}: {}", fault.site, fault.what, show(&fault.state));
            }
            for invariant in &outcome.invariants {
                let name = &program.proc(invariant.site.proc).name;
                println!(
                    "  {} states at {} of {name}",
                    invariant.states.len(),
                    invariant.site.at.0
                );
                invariant.states.iter().for_each(|state| println!("    {}", show(state)));
            }
        }
    }
    for ((property, verdict, answer), count) in counts {
        println!("{property} {verdict}: {answer} {count}");
    }
}

/// Functions without `main`: each with the precondition that is found.
fn library(program: &heap::Program, seconds: u64) {
    for (i, proc) in program.procs.iter().enumerate().filter(|(_, proc)| proc.body.is_some()) {
        let deadline = Some(Instant::now() + Duration::from_secs(seconds));
        let options = shape::Options { deadline, ..shape::Options::default() };
        match shape::abduce(program, heap::ProcId(i as u32), &options) {
            None => println!("{}: no precondition", proc.name),
            Some((start, outcome)) => {
                let leaks = !outcome.proves(Property::MemTrack);
                println!("{}: {} exits, may leak: {leaks}", proc.name, outcome.exits.len());
                start.states.iter().for_each(|state| println!("  requires {}", show(state)));
                outcome.exits.iter().for_each(|state| println!("  ensures {}", show(state)));
            }
        }
    }
}

/// A state in one line.
fn show(state: &shape::State) -> String {
    let terms =
        |all: &[shape::Term]| all.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(" ");
    let mut parts = vec![format!(
        "vars [{}] anchors [{}]",
        terms(&state.vars.values().collect::<Vec<_>>()),
        terms(&state.anchors)
    )];
    for (at, obj) in state.heap.objs.iter().filter(|(_, obj)| !obj.constant) {
        let cells: Vec<String> =
            obj.cells.iter().map(|(o, c)| format!("{o}: {}", c.value)).collect();
        parts.push(format!("v{} -> {{{}}}", at.0, cells.join(", ")));
    }
    for seg in &state.heap.segs {
        let some = |t: Option<shape::Term>| t.map_or("_".to_string(), |t| t.to_string());
        let facts = seg.facts.values.iter().map(|(o, v)| {
            let step = v.step.map(|s| (s.low, s.high));
            format!(
                "{o}: {}..{} in {}..{} by {step:?}",
                some(v.first),
                some(v.last),
                some(v.low),
                some(v.high)
            )
        });
        let facts: Vec<String> = facts.collect();
        let one = if seg.nonempty { "+" } else { "*" };
        parts.push(format!(
            "p{}{one}({} to {} before {} last {}; {}) #{} {{{}}}",
            seg.pred.0,
            seg.root,
            seg.to,
            seg.before,
            seg.last,
            terms(&seg.shared),
            some(seg.facts.length),
            facts.join(", ")
        ));
    }
    for (sym, range) in &state.heap.pure.bounds {
        parts.push(format!("v{} in {:?}..{:?}", sym.0, range.low, range.high));
    }
    for sum in &state.heap.pure.linear {
        parts.push(format!("{sum:?} >= 0"));
    }
    parts.push(format!("{:?}", state.heap.pure.different));
    parts.join(" * ")
}
