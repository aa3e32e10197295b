//! Attacks the analysis with runs: programs of a list of files are changed at random places; where the analysis
//! then claims that a property holds, no run may violate it. `attack TSV CHANGES SEED [FILTER]`

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use heap::run::{Config, End, Inputs, Machine, NoObserver, Property};
use heap::{Command, Expr, Out, Program};
use report::SourceMap;
use testing::Random;

mod disk;

use disk::Disk;

/// Changes a number in an expression.
fn nudge(e: &mut Expr, random: &mut Random) -> bool {
    match e {
        Expr::Int(n) => {
            *n += [1, -1, 8, -8][random.below(4)];
            true
        }
        Expr::Null => false,
        Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::ToFloat(_, a) => nudge(a, random),
        Expr::Offset(a, b) | Expr::Distance(a, b) | Expr::Binary(_, a, b) => {
            let (first, second) = if random.below(2) == 0 { (a, b) } else { (b, a) };
            nudge(first, random) || nudge(second, random)
        }
        _ => false,
    }
}

fn change(program: &mut Program, random: &mut Random) -> Option<String> {
    let bodies: Vec<usize> =
        (0..program.procs.len()).filter(|i| program.procs[*i].body.is_some()).collect();
    let proc = *bodies.get(random.below(bodies.len()))?;
    let vars = program.procs[proc].vars.clone();
    let body = program.procs[proc].body.as_mut()?;
    let count = body.locations.len();
    let at = random.below(count);
    let what = random.below(6);
    let said = format!("{} at {at}: {what}", program.procs[proc].name);
    let body = program.procs[proc].body.as_mut()?;
    match &mut body.locations[at].out {
        Out::Branch(_, a, b) if what < 2 => std::mem::swap(a, b),
        Out::Branch(cond, ..) => return nudge(cond, random).then_some(said),
        Out::Do(command, _) => match (what, &mut *command) {
            (0 | 1, Command::Skip) => return None,
            (0 | 1, _) => *command = Command::Skip,
            (2, Command::Assign(_, e)) => *e = Expr::Int(0),
            (3, Command::Assign(_, e) | Command::Store { value: e, .. }) => {
                let other = random.below(vars.len());
                *e = Expr::Var(heap::VarId(other as u32));
            }
            (4, Command::Store { at, .. } | Command::Load { at, .. }) => {
                return nudge(at, random).then_some(said);
            }
            (_, Command::Store { value, .. }) => *value = Expr::Null,
            (_, Command::Assign(_, e)) => return nudge(e, random).then_some(said),
            _ => return None,
        },
        _ => return None,
    }
    Some(said)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&args[0]).unwrap_or_default();
    let root = Path::new(&args[0]).parent().unwrap_or(Path::new("."));
    let changes: usize = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(5);
    let seed: u64 = args.get(2).and_then(|n| n.parse().ok()).unwrap_or(1);
    let filter = args.get(3).cloned().unwrap_or_default();
    let files: BTreeSet<&str> = text
        .lines()
        .skip(1)
        .filter_map(|l| l.split('\t').next())
        .filter(|f| f.contains(&filter))
        .collect();
    let (mut tried, mut claims, mut runs, mut bad) = (0, 0, 0u64, 0);
    for (number, file) in files.iter().enumerate() {
        let path = root.join(file);
        let Ok(source) = std::fs::read(&path) else { continue };
        let mut sources = SourceMap::new();
        let id =
            sources.add(path.display().to_string(), String::from_utf8_lossy(&source).into_owned());
        let Some(original) = c::load(&Disk, &mut sources, id, c::Options::default()).program else {
            continue;
        };
        let Some(entry) = original.entry else { continue };
        let mut random = Random::numbered(seed.wrapping_mul(1000).wrapping_add(number as u64));
        let mut done = 0;
        let mut attempts = 0;
        while done < changes && attempts < changes * 20 {
            attempts += 1;
            let mut program = original.clone();
            let mut said = Vec::new();
            for _ in 0..=random.below(2) {
                said.extend(change(&mut program, &mut random));
            }
            if said.is_empty() {
                continue;
            }
            done += 1;
            tried += 1;
            let options = shape::Options {
                deadline: Some(Instant::now() + Duration::from_millis(500)),
                ..shape::Options::default()
            };
            let all = [Property::MemSafety, Property::MemTrack, Property::Reach];
            let outcomes = shape::analyse_all(&program, entry, &options, &all);
            let claimed: Vec<Property> =
                all.into_iter().filter(|p| outcomes.iter().any(|o| o.proves(*p))).collect();
            if claimed.is_empty() {
                continue;
            }
            claims += claimed.len();
            let config = Config { max_steps: 20_000, ..Config::default() };
            for seed in 0..40 {
                runs += 1;
                let inputs = Inputs::seeded(seed)
                    .preferring([0, 1, 2, -1].into(), [0, 8, 12][seed as usize % 3]);
                let (run, _) = Machine::new(&program, &config, inputs, NoObserver).run();
                if let End::Fault(fault) = &run.end
                    && fault.kind.property().is_some_and(|p| claimed.contains(&p))
                {
                    bad += 1;
                    println!(
                        "WRONG {file} {said:?}: {:?} {:?} seed {seed}",
                        fault.kind,
                        fault.pos.span().map(|s| s.start)
                    );
                    break;
                }
            }
        }
    }
    println!("{tried} programs, {claims} claims, {runs} runs, {bad} wrong");
}
