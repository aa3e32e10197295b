//! The machine: frames, commands, and how a run ends.

use report::Pos;

use super::eval::{Eval, Trouble};
use super::fault::{Fault, FaultKind, Frame as FaultFrame};
use super::inputs::Inputs;
use super::leaks::Lost;
use super::memory::{Life, MAX_OBJECT, Memory, Owner};
use super::outcome::{Config, End, Observer, Open, Run};
use super::print::draw_byte;
use super::value::{Pointer, Value};
use crate::expr::Expr;
use crate::program::{Callee, Check, Command, LocId, Out, ProcId, Program, Region, VarId};
use crate::types::{IntType, Scalar};

/// A caller that waits.
struct Waiting {
    proc: ProcId,
    at: LocId,
    base: usize,
    objects_base: usize,
    /// Where the result goes, and where to go on.
    to: Option<VarId>,
    next: LocId,
    /// Where its own stack objects start.
    allocas: usize,
}

/// A program that runs.
pub struct Machine<'p, O> {
    pub(super) program: &'p Program,
    pub(super) config: &'p Config,
    pub(super) inputs: Inputs,
    pub(super) memory: Memory,
    /// Variables of all active procedures; those of the innermost start at `base`.
    pub(super) registers: Vec<Value>,
    pub(super) base: usize,
    /// Local objects of all active procedures.
    pub(super) objects: Vec<Option<u32>>,
    pub(super) objects_base: usize,
    /// Objects that live until a procedure ends.
    allocas: Vec<u32>,
    allocas_base: usize,
    pub(super) proc: ProcId,
    at: LocId,
    waiting: Vec<Waiting>,
    steps: u64,
    allocated: u64,
    pub(super) output: String,
    /// Did it depend on something that neither the program nor an input determines?
    pub(super) unspecified: bool,
    pub(super) observer: O,
}

/// Why a command did not come to its end.
pub(super) enum Stop {
    End(End),
    Fault(FaultKind, Option<u32>, String),
}

pub(super) type Step<T> = Result<T, Stop>;

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Stop {
        match trouble {
            Trouble::Fault(kind) => Stop::Fault(kind, None, String::new()),
            Trouble::TooLarge => Stop::End(End::Limit("a number has more than 127 bits")),
        }
    }
}

impl<'p, O: Observer> Machine<'p, O> {
    /// A machine that is about to start.
    #[must_use]
    pub fn new(program: &'p Program, config: &'p Config, inputs: Inputs, observer: O) -> Self {
        Machine {
            program,
            config,
            inputs,
            memory: Memory::default(),
            registers: Vec::new(),
            base: 0,
            objects: Vec::new(),
            objects_base: 0,
            allocas: Vec::new(),
            allocas_base: 0,
            proc: ProcId(0),
            at: LocId(0),
            waiting: Vec::new(),
            steps: 0,
            allocated: 0,
            output: String::new(),
            unspecified: false,
            observer,
        }
    }

    /// Runs until the end.
    #[must_use]
    pub fn run(mut self) -> (Run, O) {
        let end = match self.start() {
            Ok(()) => self.go(),
            Err(end) => end,
        };
        let lost = if self.config.leaks { self.lost(&end) } else { Lost::default() };
        let determined = !(self.unspecified || self.memory.bytes_seen || lost.by_number);
        let lost = lost.objects;
        let pos = self.pos();
        let end = match (end, lost.first()) {
            (end @ End::Fault(_), _) | (end, None) => end,
            (_, Some(object)) => {
                End::Fault(self.fault(FaultKind::Leak, Some(*object), String::new()))
            }
        };
        let mut frames = Vec::new();
        let active = self.waiting.iter().map(|w| (w.proc, w.base, w.objects_base));
        for (proc, base, objects) in active.chain([(self.proc, self.base, self.objects_base)]) {
            let Some(decl) = self.program.procs.get(proc.index()) else { continue };
            let vars = self.registers.iter().skip(base).take(decl.vars.len()).copied().collect();
            let objects = self.objects.iter().skip(objects).take(decl.objects.len());
            frames.push((proc, vars, objects.copied().collect()));
        }
        let Machine { inputs, memory, steps, output, observer, .. } = self;
        let lost_after = None;
        let run =
            Run { end, steps, output, inputs, lost, lost_after, pos, memory, frames, determined };
        (run, observer)
    }

    fn start(&mut self) -> Result<(), End> {
        let Some(entry) = self.program.entry else {
            return Err(End::Limit("there is no procedure to start with"));
        };
        for (i, global) in self.program.globals.iter().enumerate() {
            let size = self.program.size_of(&global.ty);
            if size > MAX_OBJECT {
                return Err(End::Limit("a global object is too large"));
            }
            self.memory.allocate(size, Owner::Global(i as u32), global.zeroed, global.pos);
        }
        for (i, global) in self.program.globals.iter().enumerate() {
            for (offset, ty, value) in &global.init {
                let Ok(value) = self.eval(value) else { continue };
                let at = Pointer { object: i as u32, offset: *offset as i64 };
                self.memory.write(at, ty.bytes(self.program.model) as u8, value);
            }
            if let Some(object) = self.memory.object_mut(i as u32) {
                object.constant = global.constant;
            }
        }
        let decl = self.program.proc(entry);
        self.proc = entry;
        self.registers.resize(decl.vars.len(), Value::Undef);
        self.objects.resize(decl.objects.len(), None);
        Ok(())
    }

    fn go(&mut self) -> End {
        loop {
            if self.steps >= self.config.max_steps {
                return End::Limit("too many steps");
            }
            self.steps += 1;
            let result = self.step();
            match result {
                Ok(Some(end)) | Err(Stop::End(end)) => return end,
                Ok(None) => {}
                Err(Stop::Fault(kind, object, details)) => {
                    return End::Fault(self.fault(kind, object, details));
                }
            }
        }
    }

    fn step(&mut self) -> Step<Option<End>> {
        let program = self.program;
        let Some(body) = &program.procs[self.proc.index()].body else {
            return Ok(Some(End::Limit("a procedure without a body was entered")));
        };
        self.observer.step(self.proc, self.at, &self.registers[self.base..], &self.memory);
        match &body.locations[self.at.index()].out {
            Out::Do(command, next) => {
                self.exec(command, *next)?;
                Ok(None)
            }
            Out::Branch(cond, then, otherwise) => {
                self.at = if self.eval(cond)?.is_true() { *then } else { *otherwise };
                Ok(None)
            }
            Out::Choose(ways) if ways.is_empty() => Ok(Some(End::Blocked)),
            Out::Choose(ways) => {
                let way = self.inputs.choose(ways.len());
                self.at = ways[way];
                Ok(None)
            }
            Out::Return => self.leave_procedure(),
        }
    }

    /// The innermost procedure ends.
    fn leave_procedure(&mut self) -> Step<Option<End>> {
        let decl = self.program.proc(self.proc);
        let result = decl.result.map(|var| self.registers[self.base + var.index()]);
        for object in self.objects.drain(self.objects_base..).flatten() {
            self.memory.end(object, Life::Gone);
        }
        for object in self.allocas.drain(self.allocas_base..) {
            self.memory.end(object, Life::Gone);
        }
        self.registers.truncate(self.base);
        let Some(caller) = self.waiting.pop() else {
            let status = match result {
                None | Some(Value::Undef) => 0,
                Some(value) => self.memory.number(value),
            };
            return Ok(Some(End::Returned(status)));
        };
        (self.proc, self.base, self.objects_base) = (caller.proc, caller.base, caller.objects_base);
        (self.at, self.allocas_base) = (caller.next, caller.allocas);
        self.observer.leave();
        if let Some(to) = caller.to {
            self.set(to, result.unwrap_or(Value::Undef));
        }
        Ok(None)
    }

    #[inline]
    pub(super) fn set(&mut self, var: VarId, value: Value) {
        self.registers[self.base + var.index()] = value;
    }

    fn exec(&mut self, command: &'p Command, next: LocId) -> Step<()> {
        match command {
            Command::Skip => {}
            Command::Assign(var, e) => {
                let value = self.eval(e)?;
                self.set(*var, value);
            }
            Command::Load { to, at, ty } => {
                let at = self.eval(at)?;
                let bytes = ty.bytes(self.program.model);
                let at = self.check(at, bytes, false)?;
                let (memory, inputs) = (&mut self.memory, &mut self.inputs);
                let zero = self.config.zero_uninitialised;
                let mut draw = || draw_byte(inputs, zero);
                let value = match memory.read(at, bytes as u8, &mut draw) {
                    Some(value) => self.loaded(value, *ty),
                    None => {
                        let value = self.uninitialised(*ty);
                        let Pointer { object, offset } = at;
                        let what = Open::Memory { object, offset, bytes: bytes as u8 };
                        self.observer.left_open(what, value, &self.memory);
                        self.memory.write(at, bytes as u8, value);
                        value
                    }
                };
                self.set(*to, value);
            }
            Command::Store { at, value, ty } => {
                let at = self.eval(at)?;
                let value = self.eval(value)?;
                let bytes = ty.bytes(self.program.model);
                let at = self.check(at, bytes, true)?;
                self.memory.write(at, bytes as u8, value);
            }
            Command::Alloc { to, size, zeroed, region, record } => {
                let size = self.size(size)?;
                let value = if *region == Region::Heap && self.allocation_fails() {
                    Value::NULL
                } else {
                    let owner = match region {
                        Region::Heap => Owner::Heap,
                        Region::Stack => Owner::Alloca(self.proc),
                    };
                    let object = self.allocate(size, owner, *zeroed)?;
                    if let Some(made) = self.memory.object_mut(object) {
                        made.record = *record;
                    }
                    if *region == Region::Stack {
                        self.allocas.push(object);
                    }
                    Value::Ptr(Pointer { object, offset: 0 })
                };
                self.set(*to, value);
            }
            Command::Realloc { to, from, size } => {
                let from = self.eval(from)?;
                let size = self.size(size)?;
                let old = match from {
                    Value::NULL => None,
                    from => Some(self.freeable(from)?),
                };
                let value = if self.allocation_fails() {
                    Value::NULL
                } else {
                    let object = self.allocate(size, Owner::Heap, false)?;
                    let to = Pointer { object, offset: 0 };
                    if let Some(old) = old {
                        let kept = self.memory.object(old).map_or(0, |o| o.size).min(size);
                        let from = Pointer { object: old, offset: 0 };
                        self.observer.copied(to, from, kept);
                        self.memory.copy(to, from, kept);
                        self.memory.end(old, Life::Freed);
                    }
                    Value::Ptr(to)
                };
                self.set(*to, value);
            }
            Command::Free(e) => match self.eval(e)? {
                Value::NULL => {}
                pointer => {
                    let object = self.freeable(pointer)?;
                    self.memory.end(object, Life::Freed);
                }
            },
            Command::Copy { to, from, size, may_overlap } => {
                let (to, from) = (self.eval(to)?, self.eval(from)?);
                let size = self.size(size)?;
                if size > 0 {
                    let from = self.check(from, size, false)?;
                    let to = self.check(to, size, true)?;
                    let apart = to.object != from.object
                        || to.offset.abs_diff(from.offset) >= size
                        || to.offset == from.offset;
                    if !apart && !may_overlap {
                        let details = "the two ranges of a copy overlap".into();
                        return Err(Stop::Fault(FaultKind::OutOfBounds, Some(to.object), details));
                    }
                    self.observer.copied(to, from, size);
                    self.memory.copy(to, from, size);
                }
            }
            Command::Fill { at, byte, size } => {
                let (at, byte) = (self.eval(at)?, self.eval(byte)?);
                let size = self.size(size)?;
                if size > 0 {
                    let at = self.check(at, size, true)?;
                    let byte = self.bits(byte).rem_euclid(256) as u8;
                    self.memory.fill(at, byte, size);
                }
            }
            Command::Enter(id) => {
                let object = &self.program.proc(self.proc).objects[id.index()];
                let size = self.program.size_of(&object.ty);
                let place = self.objects_base + id.index();
                // A jump may come here again without leaving the block: the object is the same.
                match self.objects[place] {
                    Some(old) => self.memory.forget(old),
                    None => {
                        let new = self.allocate(size, Owner::Local(self.proc, id.0), false)?;
                        self.objects[place] = Some(new);
                    }
                }
            }
            Command::Leave(id) => {
                if let Some(old) = self.objects[self.objects_base + id.index()].take() {
                    self.memory.end(old, Life::Gone);
                }
            }
            Command::Forget(var) => self.set(*var, Value::Undef),
            Command::Assume(e) => {
                if !self.eval(e)?.is_true() {
                    return Err(Stop::End(End::Blocked));
                }
            }
            Command::Assert(e, check) => {
                if !self.eval(e)?.is_true() {
                    let kind = match check {
                        Check::Assertion => FaultKind::Assertion,
                        Check::Divisor => FaultKind::DivisionByZero,
                        Check::Unreachable => FaultKind::ErrorReached,
                        Check::Index => FaultKind::OutOfBounds,
                        Check::Freed => FaultKind::InvalidFree,
                        Check::Length => FaultKind::NegativeLength,
                    };
                    return Err(Stop::Fault(kind, None, String::new()));
                }
            }
            // Whether it holds nobody knows here.
            Command::AssumeFormula(_) if !self.config.trust_formulas => {
                return Err(Stop::End(End::Limit("an assumption is no condition")));
            }
            Command::AssertFormula(_) if !self.config.trust_formulas => {
                return Err(Stop::End(End::Limit("an assertion is no condition")));
            }
            Command::AssumeFormula(_) | Command::AssertFormula(_) => {}
            Command::Unsupported(_) => {
                return Err(Stop::End(End::Limit("something is not supported")));
            }
            Command::Havoc(var) => {
                let value = self.any(*var);
                self.set(*var, value);
            }
            Command::Call { to, callee, args } => return self.call(*to, callee, args, next),
            Command::Print { to, into, args } => self.print(*to, into.as_ref(), args)?,
            Command::Exit(e) => {
                let status = self.eval(e)?;
                let status = self.memory.number(status);
                return Err(Stop::End(End::Exited(status)));
            }
            Command::Abort => return Err(Stop::End(End::Aborted)),
        }
        self.at = next;
        Ok(())
    }

    fn call(&mut self, to: Option<VarId>, callee: &Callee, args: &[Expr], next: LocId) -> Step<()> {
        let id = match callee {
            Callee::Proc(id) => *id,
            Callee::Pointer(e) => match self.callee(e)? {
                Value::Proc(id) => id,
                other => {
                    let kind = match other {
                        Value::Int(n) if n.unsigned_abs() < 4096 => FaultKind::Null,
                        Value::Garbage | Value::Undef => FaultKind::Uninitialised,
                        _ => FaultKind::InvalidCall,
                    };
                    return Err(Stop::Fault(kind, None, "it is called".into()));
                }
            },
        };
        let decl = self.program.proc(id);
        let new_base = self.registers.len();
        for arg in args.iter().take(decl.params as usize) {
            let value = self.eval(arg)?;
            self.registers.push(value);
        }
        if decl.body.is_none() {
            self.registers.truncate(new_base);
            // The result is any value.
            if let Some(to) = to {
                let value = self.any(to);
                self.set(to, value);
            }
            self.at = next;
            return Ok(());
        }
        if self.waiting.len() >= self.config.max_depth {
            self.registers.truncate(new_base);
            return Err(Stop::End(End::Limit("too many procedures are active")));
        }
        self.registers.resize(new_base + decl.vars.len(), Value::Undef);
        self.waiting.push(Waiting {
            proc: self.proc,
            at: self.at,
            base: self.base,
            objects_base: self.objects_base,
            to,
            next,
            allocas: self.allocas_base,
        });
        self.objects_base = self.objects.len();
        self.objects.resize(self.objects_base + decl.objects.len(), None);
        self.allocas_base = self.allocas.len();
        (self.proc, self.base, self.at) = (id, new_base, LocId(0));
        self.observer.enter(id);
        Ok(())
    }

    /// What is called; an address may have been a number for a while.
    fn callee(&mut self, e: &Expr) -> Eval<Value> {
        Ok(match self.eval(e)? {
            Value::Int(n) => match Memory::proc_at_address(n) {
                Some(id) if id.index() < self.program.procs.len() => Value::Proc(id),
                _ => Value::Int(n),
            },
            other => other,
        })
    }

    /// What a load yields for what was stored: types may differ.
    fn loaded(&mut self, value: Value, ty: Scalar) -> Value {
        match (value, ty) {
            (Value::Int(n), Scalar::Int(ty)) if !ty.holds(n) => {
                // The same bits with or without sign; beyond them it is an unbounded number.
                let bits = ty.bits;
                let range = IntType::signed(bits).least()..=IntType::unsigned(bits).largest();
                let wraps = self.config.machine_integers || range.contains(&n);
                Value::Int(if wraps { ty.wrap(n) } else { n })
            }
            (Value::Float(x), Scalar::Int(ty)) => Value::Int(ty.wrap(match ty.bits {
                32 => (x as f32).to_bits().into(),
                _ => x.to_bits().into(),
            })),
            (Value::Int(n), Scalar::Float(32)) => Value::Float(f32::from_bits(n as u32).into()),
            (Value::Int(n), Scalar::Float(_)) => Value::Float(f64::from_bits(n as u64)),
            (value, _) => value,
        }
    }

    /// Any value of a variable's type. A pointer leads nowhere.
    fn any(&mut self, var: VarId) -> Value {
        let value = match self.program.proc(self.proc).vars[var.index()].ty {
            Scalar::Int(ty) => Value::Int(self.inputs.draw(ty, true)),
            Scalar::Float(_) => Value::Float(self.inputs.draw(IntType::signed(16), true) as f64),
            Scalar::Ptr(_) => {
                self.unspecified = true;
                Value::Garbage
            }
        };
        self.observer.left_open(Open::Input, value, &self.memory);
        value
    }

    /// A value that nothing determines.
    pub(super) fn uninitialised(&mut self, ty: Scalar) -> Value {
        match ty {
            Scalar::Int(_) | Scalar::Ptr(_) if self.config.zero_uninitialised => Value::Int(0),
            Scalar::Int(ty) => Value::Int(self.inputs.draw(ty, false)),
            Scalar::Float(_) => {
                self.unspecified = true;
                Value::Float(0.0)
            }
            Scalar::Ptr(_) => {
                self.unspecified = true;
                Value::Garbage
            }
        }
    }

    fn allocation_fails(&mut self) -> bool {
        let fails = self.config.malloc_may_fail && self.inputs.choose(2) == 1;
        self.observer.left_open(Open::Allocation, Value::Int(fails.into()), &self.memory);
        fails
    }

    fn size(&mut self, e: &Expr) -> Step<u64> {
        match self.eval(e)? {
            Value::Int(n) if (0..=i128::from(MAX_OBJECT)).contains(&n) => Ok(n as u64),
            _ => Err(Stop::End(End::Limit("an object is too large"))),
        }
    }

    fn allocate(&mut self, size: u64, owner: Owner, zeroed: bool) -> Step<u32> {
        self.allocated += size + 16;
        if self.allocated > self.config.max_bytes {
            return Err(Stop::End(End::Limit("too much memory was allocated")));
        }
        let pos = self.pos();
        Ok(self.memory.allocate(size, owner, zeroed, pos))
    }

    /// Checks an access.
    #[inline]
    pub(super) fn check(&mut self, at: Value, bytes: u64, write: bool) -> Step<Pointer> {
        self.unspecified |= matches!(at, Value::Int(n) if self.memory.at_address(n).is_some());
        self.memory.check(at, bytes, write).map_err(|kind| self.bad_access(kind, at, bytes, write))
    }

    #[cold]
    fn bad_access(&self, kind: FaultKind, at: Value, bytes: u64, write: bool) -> Stop {
        let what = if write { "written" } else { "read" };
        let mut number = None;
        let mut details = format!("{bytes} bytes are {what}");
        if let Value::Ptr(p) = at {
            number = Some(p.object);
            if let Some(object) = self.memory.object(p.object) {
                details = format!(
                    "{bytes} bytes are {what} at offset {} of an object of {} bytes",
                    p.offset, object.size
                );
            }
        }
        Stop::Fault(kind, number, details)
    }

    /// The object that may be freed by this pointer.
    fn freeable(&mut self, pointer: Value) -> Step<u32> {
        let pointer = match pointer {
            Value::Int(n) => {
                let found = self.memory.at_address(n);
                self.unspecified |= found.is_some();
                found.map_or(pointer, Value::Ptr)
            }
            other => other,
        };
        let (kind, object) = match pointer {
            Value::Ptr(p) => match self.memory.object(p.object) {
                Some(object) => match (object.owner, object.life, p.offset) {
                    (Owner::Heap, Life::Live, 0) => return Ok(p.object),
                    (Owner::Heap, Life::Freed, _) => (FaultKind::DoubleFree, Some(p.object)),
                    _ => (FaultKind::InvalidFree, Some(p.object)),
                },
                None => (FaultKind::InvalidFree, None),
            },
            _ => (FaultKind::InvalidFree, None),
        };
        Err(Stop::Fault(kind, object, String::new()))
    }

    /// Where the machine is.
    fn pos(&self) -> Pos {
        let at = |proc: ProcId, at: LocId| {
            let body = self.program.procs.get(proc.index())?.body.as_ref()?;
            Some(body.locations.get(at.index())?.pos)
        };
        at(self.proc, self.at).unwrap_or_default()
    }

    fn fault(&self, kind: FaultKind, object: Option<u32>, details: String) -> Fault {
        let mut stack = vec![FaultFrame { proc: self.proc, pos: self.pos() }];
        for caller in self.waiting.iter().rev() {
            let body = self.program.procs.get(caller.proc.index()).and_then(|p| p.body.as_ref());
            let pos = body.and_then(|b| b.locations.get(caller.at.index())).map(|l| l.pos);
            stack.push(FaultFrame { proc: caller.proc, pos: pos.unwrap_or_default() });
        }
        Fault { kind, pos: self.pos(), stack, object, details }
    }

    /// Objects on the heap that nothing leads to.
    fn lost(&self, end: &End) -> Lost {
        // When the first procedure has returned, its variables are gone.
        let active = !matches!(end, End::Returned(_));
        let variables = if active { self.variables() } else { Vec::new() };
        let objects = if active { self.objects.as_slice() } else { &[] };
        let roots = objects
            .iter()
            .flatten()
            .copied()
            .chain(self.allocas.iter().filter(|_| active).copied());
        super::leaks::lost(&self.memory, self.program.globals.len(), variables, roots)
    }

    /// The values of the variables of all active procedures. Those that no user knows count while they
    /// are still to be read.
    fn variables(&self) -> Vec<Value> {
        let callers = self.waiting.iter().map(|w| (w.proc, w.base, w.next));
        let mut values = Vec::new();
        for (proc, base, at) in callers.chain([(self.proc, self.base, self.at)]) {
            let Some(decl) = self.program.procs.get(proc.index()) else { continue };
            for (i, var) in decl.vars.iter().enumerate() {
                let value = match self.registers.get(base + i) {
                    Some(value @ (Value::Ptr(_) | Value::Int(_))) => *value,
                    _ => continue,
                };
                let read = || {
                    decl.body.as_ref().is_some_and(|body| body.is_read(at, VarId(i as u32)))
                        || decl.result == Some(VarId(i as u32))
                };
                if !var.temporary || read() {
                    values.push(value);
                }
            }
        }
        values
    }
}
