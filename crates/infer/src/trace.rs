//! What a run does, step by step, as a user reads it: one step for each place in the source that it comes to,
//! with the variables that change there. Pictures of the heap between steps are made by running so far once more.

use std::collections::VecDeque;

use heap::run::{Config, Drawn, Inputs, Machine, Memory, NoObserver, Observer, Value};
use heap::{Command, LocId, Out, ProcId, Program};
use report::Pos;
use report::picture::Picture;

/// So many steps at the start and at the end are kept.
const FIRST: usize = 40;
const LAST: usize = 160;
/// So many steps that change the heap are drawn, the last ones.
const DRAWN: usize = 12;
/// As long as running so far again takes no more commands than this, in all.
const COMMANDS: u64 = 5_000_000;

/// The steps of a run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The first and the last ones.
    pub steps: Vec<Step>,
    /// How many are left out, and behind which of the steps.
    pub omitted: Option<(usize, u64)>,
}

/// A step: commands with the same place in the source.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its number, from 1.
    pub number: u64,
    /// The procedure.
    pub proc: ProcId,
    /// Where.
    pub pos: Pos,
    /// Variables of the procedure that it changed, and their values now.
    pub changes: Vec<(String, String)>,
    /// How many commands were executed before it.
    pub commands: u64,
    /// Does it write to memory, allocate or free?
    pub writes: bool,
    /// Memory behind it, if it writes and is one of the last that do.
    pub heap: Option<Picture>,
}

/// The steps of a run with these inputs.
pub(crate) fn of(program: &Program, config: &Config, inputs: &[Drawn]) -> Trace {
    let entry = program.entry.map(|id| (id, Vec::new()));
    let recorder = Recorder {
        program,
        first: Vec::new(),
        last: VecDeque::new(),
        count: 0,
        commands: 0,
        frames: entry.into_iter().collect(),
    };
    let given = || Inputs::given(inputs.iter().map(|d| d.value));
    let (_, recorder) = Machine::new(program, config, given(), recorder).run();
    let Recorder { first, last, count, .. } = recorder;
    let kept = first.len() + last.len();
    let omitted = count - kept as u64;
    let omitted = (omitted > 0).then_some((first.len(), omitted));
    let mut steps: Vec<Step> = first.into_iter().chain(last).collect();
    let mut left = COMMANDS;
    let ends: Vec<u64> = steps.iter().skip(1).map(|step| step.commands).collect();
    let writing = steps.iter_mut().zip(ends).rev().filter(|(step, _)| step.writes);
    for (step, end) in writing.take(DRAWN) {
        let Some(rest) = left.checked_sub(end) else { break };
        left = rest;
        let config = Config { max_steps: end, leaks: false, ..config.clone() };
        let so_far = Machine::new(program, &config, given(), NoObserver).run().0;
        step.heap = Some(so_far.picture(program));
    }
    Trace { steps, omitted }
}

struct Recorder<'p> {
    program: &'p Program,
    first: Vec<Step>,
    last: VecDeque<Step>,
    count: u64,
    commands: u64,
    /// The active procedures, with their variables when they were last seen.
    frames: Vec<(ProcId, Vec<Value>)>,
}

impl Recorder<'_> {
    fn current(&mut self) -> Option<&mut Step> {
        self.last.back_mut().or(self.first.last_mut())
    }

    fn push(&mut self, step: Step) {
        self.count += 1;
        if self.first.len() < FIRST {
            self.first.push(step);
            return;
        }
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back(step);
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, proc: ProcId, at: LocId, registers: &[Value], _: &Memory) {
        let Some(decl) = self.program.procs.get(proc.index()) else { return };
        let Some(location) = decl.body.as_ref().and_then(|b| b.locations.get(at.index())) else {
            return;
        };
        let vars: Vec<Value> = registers.iter().take(decl.vars.len()).copied().collect();
        let mut changes = Vec::new();
        if let Some((_, known)) = self.frames.last_mut() {
            for (i, var) in decl.vars.iter().enumerate().filter(|(_, var)| !var.temporary) {
                let old = known.get(i).copied().unwrap_or(Value::Undef);
                if let Some(new) = vars.get(i)
                    && old != *new
                    && *new != Value::Undef
                {
                    changes.push((var.name.clone(), shown(self.program, *new)));
                }
            }
            *known = vars;
        }
        self.commands += 1;
        if let Some(step) = self.current() {
            for (name, value) in changes {
                match step.changes.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, old)) => *old = value,
                    None => step.changes.push((name, value)),
                }
            }
        }
        let pos = location.pos;
        let goes_on = |step: &mut Step| step.proc == proc && step.pos == pos;
        if pos != Pos::None && !self.current().is_some_and(goes_on) {
            let number = self.count + 1;
            let (changes, commands) = (Vec::new(), self.commands - 1);
            let (writes, heap) = (false, None);
            self.push(Step { number, proc, pos, changes, commands, writes, heap });
        }
        if let (Out::Do(command, _), Some(step)) = (&location.out, self.current()) {
            step.writes |= matches!(
                command,
                Command::Store { .. }
                    | Command::Alloc { .. }
                    | Command::Realloc { .. }
                    | Command::Free(_)
                    | Command::Copy { .. }
                    | Command::Fill { .. }
            );
        }
    }

    fn enter(&mut self, callee: ProcId) {
        self.frames.push((callee, Vec::new()));
    }

    fn leave(&mut self) {
        self.frames.pop();
    }
}

/// A value as users read it.
fn shown(program: &Program, value: Value) -> String {
    match value {
        Value::Int(n) => n.to_string(),
        Value::Ptr(p) if p.offset == 0 => format!("#{}", p.object),
        Value::Ptr(p) => format!("#{} + {}", p.object, p.offset),
        Value::Float(x) => x.to_string(),
        Value::Proc(id) => {
            program.procs.get(id.index()).map_or("?", |p| p.name.as_str()).to_owned()
        }
        Value::Garbage => "uninitialised".into(),
        Value::Undef => "?".into(),
    }
}
