//! How programs are run, and how runs end.

use report::Pos;

use super::fault::{Fault, FaultKind};
use super::inputs::Inputs;
use super::machine::Machine;
use super::memory::Memory;
use super::value::{Pointer, Value};
use crate::program::{LocId, ProcId, Program, VarId};

/// How programs are run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Integers of the target: those without sign wrap, the others must not overflow.
    pub machine_integers: bool,
    /// Allocation may fail: an input says when.
    pub malloc_may_fail: bool,
    /// After so many commands a run ends.
    pub max_steps: u64,
    /// So many procedures may be active.
    pub max_depth: usize,
    /// So many bytes may be allocated in all.
    pub max_bytes: u64,
    /// Is memory looked for that is lost?
    pub leaks: bool,
    /// Is what is not initialised zero, instead of any value? Compilers can be told the same.
    pub zero_uninitialised: bool,
    /// Are formulas in commands taken for true? Otherwise a run ends there.
    pub trust_formulas: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            machine_integers: false,
            malloc_may_fail: false,
            max_steps: 10_000_000,
            max_depth: 100_000,
            max_bytes: 1 << 30,
            leaks: true,
            zero_uninitialised: false,
            trust_formulas: false,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The first procedure returned, with this exit status.
    Returned(i128),
    /// The program ended itself with an exit status.
    Exited(i128),
    /// The program aborted.
    Aborted,
    /// What is assumed does not hold: this is no run of the program.
    Blocked,
    /// Something is wrong with the program.
    Fault(Fault),
    /// A limit was reached: what, as a clause.
    Limit(&'static str),
}

/// A run, and everything that is known of it.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// How many commands were executed.
    pub steps: u64,
    /// What it printed.
    pub output: String,
    /// The inputs, with what was drawn.
    pub inputs: Inputs,
    /// Objects on the heap that nothing leads to.
    pub lost: Vec<u32>,
    /// After how many commands the first of them was lost, if that was found out.
    pub lost_after: Option<u64>,
    /// The command that it stands before.
    pub pos: Pos,
    /// Memory at its end.
    pub memory: Memory,
    /// The variables of the active procedures at its end, outermost procedure first.
    pub frames: Vec<(ProcId, Vec<Value>, Vec<Option<u32>>)>,
    /// Does it depend on nothing but the program and the inputs? Not on where objects are, for instance.
    pub determined: bool,
}

/// Who watches a run.
pub trait Observer {
    /// A command is about to be executed.
    fn step(&mut self, proc: ProcId, at: LocId, registers: &[Value], memory: &Memory);

    /// The command calls a procedure that has a body.
    fn enter(&mut self, _callee: ProcId) {}

    /// The innermost procedure returns.
    fn leave(&mut self) {}

    /// So many bytes are copied.
    fn copied(&mut self, _to: Pointer, _from: Pointer, _bytes: u64) {}

    /// Nothing in the program determines this value.
    fn left_open(&mut self, _what: Open, _value: Value, _memory: &Memory) {}
}

/// Something that the program leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// An input, or the result of a procedure without a body: the command says which.
    Input,
    /// Does this allocation fail?
    Allocation,
    /// A variable of the innermost procedure that was not initialised.
    Variable(VarId),
    /// So many bytes of an object that were not initialised.
    Memory {
        /// The object.
        object: u32,
        /// Where in it.
        offset: i64,
        /// How many.
        bytes: u8,
    },
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    #[inline]
    fn step(&mut self, _: ProcId, _: LocId, _: &[Value], _: &Memory) {}
}

impl Run {
    /// Is it the only run of the program? Then there was no input, and nothing else was left open.
    #[must_use]
    pub fn is_sole(&self) -> bool {
        self.determined && self.inputs.drawn().is_empty()
    }

    /// Runs a program from its entry.
    #[must_use]
    pub fn new(program: &Program, config: &Config, inputs: Inputs) -> Run {
        let mut run = Machine::new(program, config, inputs.clone(), NoObserver).run().0;
        if let (End::Fault(fault), Some(object)) = (&mut run.end, run.lost.first())
            && fault.kind == FaultKind::Leak
        {
            let (steps, pos) = Run::loss(program, config, &inputs, run.steps, *object);
            fault.pos = pos;
            run.lost_after = Some(steps);
        }
        run
    }

    /// After how many commands an object was lost, and where the last of them is. What is lost stays lost, so
    /// it is found by bisection.
    fn loss(
        program: &Program,
        config: &Config,
        inputs: &Inputs,
        steps: u64,
        object: u32,
    ) -> (u64, Pos) {
        let prefix = |max_steps: u64| {
            let config = Config { max_steps, ..config.clone() };
            Machine::new(program, &config, inputs.clone(), NoObserver).run().0
        };
        let (mut reachable, mut lost) = (0, steps);
        while lost - reachable > 1 {
            let middle = reachable + (lost - reachable) / 2;
            if prefix(middle).lost.contains(&object) {
                lost = middle;
            } else {
                reachable = middle;
            }
        }
        // The return itself is nowhere in the source: then it is what came before.
        let places = (0..=reachable).rev().map(|steps| prefix(steps).pos);
        (lost, places.into_iter().find(|pos| *pos != Pos::None).unwrap_or_default())
    }
}
