//! What spatial interpolants mean, tested by running: in every state that a run passes, one of the labels of its location
//! holds, by the semantics of RSep (`prove::holds`). For the programs of `tests/prove` and `examples/prove`, and for random
//! ones; `LANCEHEAD_PROGRAMS=500` takes more of these, from seed `LANCEHEAD_SEED`.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "agreement/data.rs"]
mod data;
#[allow(dead_code)]
#[path = "agreement/generate.rs"]
mod generate;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use c::NoFiles;
use heap::run::{Config, Inputs, Life, Machine, Memory, Observer, Owner, Value};
use heap::{LocId, Out, ProcId, Program, VarId};
use horn::Solution;
use prove::art::{Art, Options, Verdict};
use prove::defs::{Defs, KindId};
use prove::holds::{Holds, Place, Record, State, holds};
use prove::program::{Cfg, Old, Setting};
use prove::rsep::Formula;
use report::SourceMap;

/// States of a location that are looked at in a run.
const PER_RUN: u32 = 40;

/// An activation: its registers where it is, and where it started.
struct Frame {
    proc: ProcId,
    at: LocId,
    start: Vec<Value>,
    now: Vec<Value>,
}

struct Watch<'a> {
    program: &'a Program,
    cfg: &'a Cfg,
    defs: &'a Defs,
    solution: &'a Solution,
    labels: &'a BTreeMap<usize, Vec<&'a [Formula]>>,
    frames: Vec<Frame>,
    entered: Option<ProcId>,
    looked_at: BTreeMap<usize, u32>,
    states: u64,
    not_evaluated: u64,
    violated: Vec<(usize, Vec<Value>)>,
}

/// What a run is in, as far as one location of the graph knows of it.
struct Snapshot<'a> {
    cfg: &'a Cfg,
    defs: &'a Defs,
    /// The frame of each activation that is known.
    frames: BTreeMap<usize, &'a Frame>,
    memory: &'a Memory,
}

fn place(value: Value, unique: u32) -> Option<Place> {
    Some(match value {
        Value::Int(0) => Place::Null,
        Value::Ptr(p) if p.offset == 0 => Place::At(p.object),
        // What is uninitialised is anything.
        Value::Undef => return None,
        _ => Place::Nowhere(unique),
    })
}

impl Snapshot<'_> {
    fn register(&self, of: Option<&(prove::program::Activation, VarId)>) -> Option<Value> {
        let (activation, var) = of?;
        self.frames.get(&activation.index())?.now.get(var.index()).copied()
    }

    fn first(&self, old: Old) -> Option<Value> {
        let (activation, var) = self.cfg.old_of.get(&old)?;
        self.frames.get(&activation.index())?.start.get(var.index()).copied()
    }
}

impl State for Snapshot<'_> {
    fn heap_var(&self, var: usize) -> Option<Place> {
        let value =
            self.register(self.cfg.heap_of.get(&var)).or_else(|| self.first(Old::Heap(var)));
        value.and_then(|value| place(value, var as u32))
    }

    fn data_var(&self, var: usize) -> Option<i128> {
        let value =
            self.register(self.cfg.data_of.get(&var)).or_else(|| self.first(Old::Data(var)));
        match value {
            Some(Value::Int(n)) => Some(n),
            _ => None,
        }
    }

    fn record(&self, at: u32, kind: KindId) -> Option<Record> {
        let object = self.memory.object(at)?;
        let kind = self.defs.kind(kind);
        let on_heap = matches!(object.owner, Owner::Heap);
        if object.life != Life::Live || on_heap != kind.on_heap {
            return None;
        }
        let values: BTreeMap<u64, Value> =
            object.values().map(|(offset, _, value)| (offset, value)).collect();
        let read = |offset: &u64| match values.get(offset) {
            Some(value) => Some(*value),
            None if object.is_zeroed() => Some(Value::Int(0)),
            None => None,
        };
        let number = |value: Option<Value>| match value {
            Some(Value::Int(n)) => Some(n),
            _ => None,
        };
        let data = kind.data.iter().map(|(_, offset)| number(read(offset))).collect();
        let pointer =
            |offset: &u64| read(offset).and_then(|v| place(v, 1 << 20 | at << 6 | *offset as u32));
        let ptrs = kind.ptrs.iter().map(|(_, offset, _)| pointer(offset)).collect();
        Some(Record { data, ptrs })
    }

    fn places(&self) -> Vec<u32> {
        let live = self.memory.objects().iter().enumerate().filter(|(_, o)| o.life == Life::Live);
        live.map(|(number, _)| number as u32).collect()
    }
}

impl Watch<'_> {
    /// The frames of the activations that a location of the graph is in, if the run is in such.
    fn frames_of(&self, node: usize) -> Option<BTreeMap<usize, &Frame>> {
        let mut found = BTreeMap::new();
        let mut at = Some(self.cfg.nodes.get(node)?.activation);
        let mut frames = self.frames.iter().rev();
        let mut returns_to = None;
        while let Some(activation) = at {
            let (proc, caller) = self.cfg.activations.get(activation.index())?;
            let frame = frames.next().filter(|frame| frame.proc == *proc)?;
            if let Some(to) = returns_to {
                let body = self.program.proc(*proc).body.as_ref()?;
                let Out::Do(_, next) = &body.locations.get(frame.at.index())?.out else {
                    return None;
                };
                if *next != to {
                    return None;
                }
            }
            found.insert(activation.index(), frame);
            at = caller.map(|(caller, _)| caller);
            returns_to = caller.map(|(_, to)| to);
        }
        // The graph of the program starts with its entry.
        let is_whole = self.cfg.nodes.get(node)?.summary.is_some() || frames.next().is_none();
        is_whole.then_some(found)
    }
}

impl Observer for Watch<'_> {
    fn enter(&mut self, callee: ProcId) {
        self.entered = Some(callee);
    }

    fn leave(&mut self) {
        self.frames.pop();
    }

    fn step(&mut self, proc: ProcId, at: LocId, registers: &[Value], memory: &Memory) {
        let now = registers.to_vec();
        if self.entered.take().is_some() || self.frames.is_empty() {
            self.frames.push(Frame { proc, at, start: now.clone(), now });
        } else if let Some(frame) = self.frames.last_mut() {
            frame.now = now;
            frame.at = at;
        }
        for (node, labels) in self.labels {
            let here = self.cfg.nodes.get(*node).is_some_and(|n| n.proc == proc && n.loc == at);
            if !here || self.looked_at.get(node).is_some_and(|count| *count >= PER_RUN) {
                continue;
            }
            let Some(frames) = self.frames_of(*node) else { continue };
            let state = Snapshot { cfg: self.cfg, defs: self.defs, frames, memory };
            let all = |label: &&[Formula]| {
                let mut result = Holds::Yes;
                for formula in *label {
                    match holds(formula, self.defs, self.solution, &state) {
                        Holds::Yes => {}
                        Holds::No => return Holds::No,
                        Holds::NotEvaluated => result = Holds::NotEvaluated,
                    }
                }
                result
            };
            let results: Vec<Holds> = labels.iter().map(all).collect();
            *self.looked_at.entry(*node).or_default() += 1;
            self.states += 1;
            if results.contains(&Holds::Yes) {
                continue;
            }
            if results.contains(&Holds::NotEvaluated) {
                self.not_evaluated += 1;
            } else {
                self.violated.push((*node, registers.to_vec()));
            }
        }
    }
}

/// States that were looked at, and how many could not be evaluated; nothing if there is no proof.
fn test(name: &str, program: &Program, time: Duration, setting: Setting) -> Option<(u64, u64)> {
    let cfg = prove::program::translate(program, program.entry?, setting).ok()?;
    let options = Options {
        deadline: Some(Instant::now() + time),
        cancelled: std::sync::Arc::default(),
        quick: false,
        solver: Some(testing::z3()),
    };
    let mut art = Art::new(&cfg, &options);
    if !matches!(art.run(), Verdict::Safe) {
        return None;
    }
    let (solution, defs) = art.meaning();
    let labels: BTreeMap<usize, Vec<&[Formula]>> = art.labels().into_iter().collect();
    let config = Config {
        max_steps: 2_000,
        machine_integers: setting.machine_integers,
        leaks: false,
        ..Config::default()
    };
    let (mut states, mut not_evaluated) = (0, 0);
    for seed in 0..10 {
        let inputs = match seed {
            0 => Inputs::given([1, 1, 1]),
            1 => Inputs::given([5; 40]),
            2 => Inputs::given([]),
            seed => Inputs::seeded(seed),
        };
        let watch = Watch {
            program,
            cfg: &cfg,
            defs,
            solution: &solution,
            labels: &labels,
            frames: Vec::new(),
            entered: None,
            looked_at: BTreeMap::new(),
            states: 0,
            not_evaluated: 0,
            violated: Vec::new(),
        };
        let (_, watch) = Machine::new(program, &config, inputs, watch).run();
        states += watch.states;
        not_evaluated += watch.not_evaluated;
        if let Some((node, registers)) = watch.violated.first() {
            let node = &cfg.nodes[*node];
            let proc = program.proc(node.proc);
            let values: Vec<String> = proc
                .vars
                .iter()
                .zip(registers)
                .map(|(v, r)| format!("{} = {r:?}", v.name))
                .collect();
            let shown = art.invariants();
            panic!(
                "{name}: no label holds at {} of {} with {}\n{shown:#?}",
                node.loc.0,
                proc.name,
                values.join(", ")
            );
        }
    }
    Some((states, not_evaluated))
}

fn load(name: &str, text: String) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
    loaded.program.unwrap_or_else(|| panic!("{name}: {:?}", loaded.diagnostics))
}

#[test]
fn labels_hold_in_every_state_of_our_programs() {
    let (mut proved, mut states, mut not_evaluated) = (0, 0, 0);
    for folder in ["tests/prove", "examples/prove"] {
        for path in testing::files(testing::root().join(folder), &["c"]) {
            let text = std::fs::read_to_string(&path).unwrap();
            let machine_integers = text.contains("with machine integers");
            let name = path.display().to_string();
            let program = load(&name, text);
            let setting = Setting { machine_integers, ..Setting::default() };
            if let Some((all, open)) = test(&name, &program, Duration::from_secs(2), setting) {
                proved += 1;
                states += all;
                not_evaluated += open;
            }
        }
    }
    println!("{proved} programs, {states} states, {not_evaluated} not evaluated");
    assert!(proved > 30 && states > 2_000, "{proved} proved, {states} states");
    assert!(not_evaluated * 5 < states, "{not_evaluated} of {states} states are not evaluated");
}

#[test]
fn labels_hold_in_every_state_of_random_programs() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("LANCEHEAD_SEED", 0), number("LANCEHEAD_PROGRAMS", 40));
    let (mut proved, mut states, mut not_evaluated) = (0, 0, 0);
    for seed in first..first + count {
        let text = data::program(seed);
        let program = load("random.c", text.clone());
        let name = format!("seed {seed}:\n{text}");
        if let Some((all, open)) =
            test(&name, &program, Duration::from_millis(400), Setting::default())
        {
            proved += 1;
            states += all;
            not_evaluated += open;
        }
    }
    println!("{proved} of {count} programs, {states} states, {not_evaluated} not evaluated");
    assert!(count < 40 || proved > 2, "{proved} proved");
}
