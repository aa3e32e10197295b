//! Holds what the analysis claims about C programs against runs: `duel FILE…`, or `duel --generate COUNT SEED`
//! for random programs over lists, trees and arrays. A claim that a run refutes is printed with its program.

#[path = "duel/generate.rs"]
mod generate;

use std::time::{Duration, Instant};

use heap::Program;
use heap::run::{Config, End, Inputs, Machine, NoObserver, Property};
use report::SourceMap;

const ALL: [Property; 3] = [Property::MemSafety, Property::MemTrack, Property::Reach];

/// A program is one file.
struct Alone;

impl c::Files for Alone {
    fn resolve(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn read(&self, path: &str) -> Result<String, String> {
        Err(format!("{path} is not there"))
    }

    fn compiler_preprocessed(&self, path: &str) -> Result<String, String> {
        let run = std::process::Command::new("cc").args(["-E", path]).output();
        run.map(|run| String::from_utf8_lossy(&run.stdout).into_owned()).map_err(|e| e.to_string())
    }
}

fn load(name: &str, text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let id = sources.add(name.to_string(), text.to_string());
    let loaded = c::load(&Alone, &mut sources, id, c::Options::default());
    loaded.program.ok_or_else(|| format!("{:?}", loaded.diagnostics))
}

/// The properties that are claimed, each precision on its own: one of them is enough for a claim.
fn claims(program: &Program, each: Duration) -> Vec<Property> {
    let Some(entry) = program.entry else { return Vec::new() };
    let precisions = [
        shape::Precision::USUAL,
        shape::Precision::FINE,
        shape::Precision::COARSE,
        shape::Precision::FINEST,
    ];
    let mut claimed = Vec::new();
    for precision in precisions {
        let options = shape::Options {
            precision,
            deadline: Some(Instant::now() + each),
            ..shape::Options::default()
        };
        let outcome = shape::analyse(program, entry, &options);
        if std::env::var("WHY").is_ok() {
            println!("  {precision:?} {:?}", outcome.complete);
            for fault in &outcome.faults {
                println!("    {:?} {}", fault.kind, fault.what);
            }
        }
        claimed.extend(ALL.into_iter().filter(|p| outcome.proves(*p)));
    }
    claimed.sort_unstable();
    claimed.dedup();
    claimed
}

/// A run that violates one of these properties.
fn refuted(program: &Program, claimed: &[Property], runs: u64) -> Option<String> {
    let config = Config { max_steps: 20_000, ..Config::default() };
    (0..runs).find_map(|seed| {
        let inputs = match seed {
            0 => Inputs::default(),
            seed => {
                Inputs::seeded(seed).preferring([0, 1, 2, -1].into(), [0, 8, 12][seed as usize % 3])
            }
        };
        let (run, _) = Machine::new(program, &config, inputs, NoObserver).run();
        let End::Fault(fault) = &run.end else { return None };
        let violated = fault.kind.property().filter(|p| claimed.contains(p))?;
        Some(format!("{violated:?} {:?} {:?}", fault.kind, fault.pos.span().map(|s| s.start)))
    })
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, count, seed, rest @ ..] = &args[..]
        && flag == "--generate"
    {
        let (count, seed) = (count.parse().unwrap_or(100u64), seed.parse().unwrap_or(1u64));
        let folder = rest.first().cloned().unwrap_or_else(|| ".".into());
        let (mut read, mut made, mut wrong) = (0, 0, 0);
        for number in 0..count {
            let text = generate::program(seed.wrapping_mul(1_000_003).wrapping_add(number));
            let name = format!("{folder}/duel-{seed}-{number}.c");
            let program = match load(&name, &text) {
                Ok(program) => program,
                Err(why) => {
                    println!("{why}\n{text}");
                    continue;
                }
            };
            read += 1;
            let claimed = claims(&program, Duration::from_millis(300));
            made += claimed.len();
            if claimed.is_empty() {
                continue;
            }
            if let Some(why) = refuted(&program, &claimed, 60) {
                wrong += 1;
                println!("WRONG {name}: {why}");
                let _ = std::fs::write(&name, &text);
            }
        }
        println!("{read} programs, {made} claims, {wrong} wrong");
        return;
    }
    for name in &args {
        let text = std::fs::read_to_string(name).unwrap_or_default();
        match load(name, &text) {
            Err(why) => println!("{name}: not read: {why}"),
            Ok(program) => {
                let start = Instant::now();
                let claimed = claims(&program, Duration::from_secs(5));
                let time = start.elapsed().as_millis();
                let verdict = refuted(&program, &claimed, 300);
                let against = refuted(&program, &ALL, 300);
                let word = if verdict.is_some() { "WRONG" } else { "     " };
                println!("{word} {name} {time}ms claims {claimed:?}; runs: {against:?}");
            }
        }
    }
}
