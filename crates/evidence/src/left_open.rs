//! What a run is given that its program does not determine: inputs, results of functions that have no body, whether
//! allocations fail, and what is in memory that nobody initialised. With all of it, any other machine can go the same way.

use std::collections::BTreeMap;

use heap::run::{
    Config, Drawn, Inputs, Machine, Memory, Observer, Open, Owner, Pointer, Run, Value,
};
use heap::{Callee, Command, LocId, Out, ProcId, Program};
use report::Pos;

/// Bytes of something that was not initialised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Where they start.
    pub offset: i64,
    /// How many.
    pub bytes: u8,
    /// What they hold.
    pub value: Value,
}

/// A declaration of a local variable without an initialiser.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Its name in the source.
    pub name: String,
    /// What it holds, by how often the declaration was passed before.
    pub holds: BTreeMap<u64, Vec<Fill>>,
}

/// Everything that the program leaves open.
#[derive(Clone, Debug, Default)]
pub struct LeftOpen {
    /// Inputs, in the order in which they are asked for.
    pub inputs: Vec<Value>,
    /// Results of each function without a body.
    pub results: BTreeMap<String, Vec<Value>>,
    /// What is in blocks on the heap, by the number of the allocation.
    pub blocks: BTreeMap<u64, Vec<Fill>>,
    /// The allocations that fail.
    pub failures: Vec<u64>,
    /// Declarations of variables, by where they start in their file.
    pub variables: BTreeMap<(u32, u32), Declared>,
    /// How many arguments `main` has, if it looks.
    pub arguments: Option<i128>,
    /// What is in each of these.
    pub argument: Vec<Fill>,
    /// Parameters of the procedure that the run starts at.
    pub parameters: BTreeMap<usize, Value>,
    /// What cannot be given to another machine: a clause for each.
    pub lost: Vec<&'static str>,
    /// What determines the way of the run, in its order.
    pub events: Vec<Event>,
}

/// Something that determines the way of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The procedure.
    pub proc: ProcId,
    /// Where: a call, a condition, a variable that is declared.
    pub pos: Pos,
    /// What happens there.
    pub what: What,
}

/// What happens at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A function with a body is called.
    Enter,
    /// A function without a body returns a value.
    Returns(Value),
    /// A condition holds, or does not.
    Branch(bool),
    /// A variable is declared that has this value, without an initialiser; `None` if that does not matter.
    Declared(String, Option<Value>),
}

/// What was copied more often than this is not followed further.
const COPIES: usize = 64;
/// So many events are kept.
const EVENTS: usize = 20_000;

/// Runs a program with these inputs, and says what it leaves open on the way.
#[must_use]
pub fn of(program: &Program, config: &Config, inputs: &[Drawn]) -> (Run, LeftOpen) {
    let watch = Watch {
        program,
        at: None,
        frames: vec![Frame { variables: BTreeMap::new(), objects: BTreeMap::new() }],
        passed: BTreeMap::new(),
        entered: None,
        objects: BTreeMap::new(),
        allocations: 0,
        blocks: BTreeMap::new(),
        copies: BTreeMap::new(),
        branch: None,
        found: LeftOpen::default(),
    };
    let inputs = Inputs::given(inputs.iter().map(|drawn| drawn.value));
    let (run, watch) = Machine::new(program, config, inputs, watch).run();
    (run, watch.found)
}

/// A declaration that was passed: where it is, and how often before.
type Passed = ((u32, u32), u64);

struct Frame {
    /// By number: where each variable was declared last, and the event of that.
    variables: BTreeMap<u32, (Passed, usize)>,
    /// The local object that belongs to a declaration.
    objects: BTreeMap<(u32, u32), u32>,
}

struct Watch<'p> {
    program: &'p Program,
    /// The command that is executed.
    at: Option<(ProcId, LocId)>,
    frames: Vec<Frame>,
    /// How often each declaration was passed.
    passed: BTreeMap<(u32, u32), u64>,
    /// An object is being declared, when there were so many objects.
    entered: Option<(Passed, usize)>,
    /// Local objects, and blocks on the heap.
    objects: BTreeMap<u32, (Passed, String)>,
    allocations: u64,
    blocks: BTreeMap<u32, u64>,
    /// Bytes that were copied, by the object that they were copied to, the last ones last.
    copies: BTreeMap<u32, Vec<(i64, u64, Pointer)>>,
    /// A condition is evaluated: where to go on if it holds.
    branch: Option<(Pos, LocId)>,
    found: LeftOpen,
}

impl<'p> Watch<'p> {
    fn command(&self) -> Option<(&'p Command, Pos)> {
        let (proc, at) = self.at?;
        let body = self.program.procs.get(proc.index())?.body.as_ref()?;
        let location = body.locations.get(at.index())?;
        match &location.out {
            Out::Do(command, _) => Some((command, location.pos)),
            _ => None,
        }
    }

    fn pass(&mut self, pos: Pos) -> Option<Passed> {
        let span = pos.span()?;
        let site = (span.file.0, span.start);
        let count = self.passed.entry(site).or_default();
        *count += 1;
        Some((site, *count - 1))
    }

    fn event(&mut self, pos: Pos, what: What) -> usize {
        if let Some((proc, _)) = self.at
            && pos != Pos::None
            && self.found.events.len() < EVENTS
        {
            self.found.events.push(Event { proc, pos, what });
        }
        self.found.events.len().saturating_sub(1)
    }

    /// Where something that is not initialised came from: what is copied is what was there.
    fn origin(&self, mut at: Pointer) -> Pointer {
        for _ in 0..COPIES {
            let copies = self.copies.get(&at.object).into_iter().flatten().rev();
            let mut covering = copies.filter(|(start, bytes, _)| {
                at.offset >= *start && at.offset < start.saturating_add_unsigned(*bytes)
            });
            let Some((start, _, from)) = covering.next() else { break };
            at = Pointer { object: from.object, offset: from.offset + at.offset - start };
        }
        at
    }

    fn fill(&mut self, (site, count): Passed, name: &str, fill: Fill) {
        let declared = self.found.variables.entry(site).or_default();
        // Names are unique in a procedure: `n.2` is the second `n`.
        declared.name = name.split('.').next().unwrap_or(name).to_owned();
        declared.holds.entry(count).or_default().push(fill);
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, proc: ProcId, at: LocId, _: &[Value], memory: &Memory) {
        if let Some((passed, before)) = self.entered.take()
            && let Some(frame) = self.frames.last_mut()
        {
            // A block that is entered again has the same object.
            let new = before as u32;
            let number = if memory.objects().len() > before {
                frame.objects.insert(passed.0, new);
                Some(new)
            } else {
                frame.objects.get(&passed.0).copied()
            };
            let owner = number.and_then(|n| memory.object(n)).map(|object| object.owner);
            if let (Some(number), Some(Owner::Local(proc, id))) = (number, owner) {
                let decl = self.program.procs.get(proc.index());
                let name = decl.and_then(|p| p.objects.get(id as usize)).map(|o| o.name.clone());
                self.objects.insert(number, (passed, name.unwrap_or_default()));
            }
        }
        if let Some((pos, then)) = self.branch.take() {
            self.event(pos, What::Branch(at == then));
        }
        self.at = Some((proc, at));
        let decl = self.program.procs.get(proc.index());
        let location = decl.and_then(|p| p.body.as_ref()?.locations.get(at.index()));
        if let Some(location) = location
            && let Out::Branch(_, then, _) = &location.out
        {
            self.branch = Some((location.pos, *then));
        }
        match self.command() {
            Some((Command::Forget(var), pos)) => {
                let name = decl.and_then(|p| p.vars.get(var.index())).map(|v| v.name.clone());
                if let Some(passed) = self.pass(pos) {
                    let event = self.event(pos, What::Declared(name.unwrap_or_default(), None));
                    if let Some(frame) = self.frames.last_mut() {
                        frame.variables.insert(var.0, (passed, event));
                    }
                }
            }
            Some((Command::Enter(_), pos)) => {
                self.entered = self.pass(pos).map(|passed| (passed, memory.objects().len()));
            }
            _ => {}
        }
    }

    fn enter(&mut self, _: ProcId) {
        if let Some((_, pos)) = self.command() {
            self.event(pos, What::Enter);
        }
        self.frames.push(Frame { variables: BTreeMap::new(), objects: BTreeMap::new() });
    }

    fn leave(&mut self) {
        self.frames.pop();
    }

    fn copied(&mut self, to: Pointer, from: Pointer, bytes: u64) {
        self.copies.entry(to.object).or_default().push((to.offset, bytes, from));
    }

    fn left_open(&mut self, what: Open, value: Value, memory: &Memory) {
        let Some((proc, _)) = self.at else { return };
        let decl = self.program.procs.get(proc.index());
        if what == Open::Input
            && let Some((Command::Call { .. } | Command::Havoc(_), pos)) = self.command()
        {
            self.event(pos, What::Returns(value));
        }
        match what {
            Open::Input => match self.command() {
                Some((Command::Call { callee: Callee::Proc(id), .. }, _)) => {
                    let name = self.program.procs.get(id.index()).map(|p| p.name.clone());
                    self.found.results.entry(name.unwrap_or_default()).or_default().push(value);
                }
                Some((Command::Havoc(var), _)) if decl.is_some_and(|p| var.0 < p.params) => {
                    if let Value::Int(n) = value {
                        self.found.arguments = Some(n);
                    }
                }
                Some((Command::Havoc(_), _)) => self.found.inputs.push(value),
                _ => self.found.lost.push("what a function returns that a pointer leads to"),
            },
            Open::Allocation => {
                // Functions of the library that are C here allocate on their own elsewhere.
                if self.command().is_some_and(|(_, pos)| pos == Pos::None) {
                    return;
                }
                if value.is_true() {
                    self.found.failures.push(self.allocations);
                } else {
                    self.blocks.insert(memory.objects().len() as u32, self.allocations);
                }
                self.allocations += 1;
            }
            Open::Variable(var) => {
                let bytes = decl.and_then(|p| p.vars.get(var.index()));
                let bytes = bytes.map_or(8, |v| v.ty.bytes(self.program.model) as u8);
                let fill = Fill { offset: 0, bytes, value };
                let passed = self.frames.last().and_then(|f| f.variables.get(&var.0)).copied();
                let name = decl.and_then(|p| p.vars.get(var.index())).map(|v| v.name.clone());
                match (passed, name) {
                    (Some((passed, event)), Some(name)) if !name.starts_with('$') => {
                        self.fill(passed, &name, fill);
                        if let Some(Event { what: What::Declared(of, known), .. }) =
                            self.found.events.get_mut(event)
                            && *of == name
                        {
                            *known = Some(value);
                        }
                    }
                    _ if self.frames.len() == 1 && decl.is_some_and(|p| var.0 < p.params) => {
                        self.found.parameters.insert(var.index(), value);
                    }
                    _ => self.found.lost.push("the result of a function that returns none"),
                }
            }
            Open::Memory { object, offset, bytes } => {
                let Pointer { object, offset } = self.origin(Pointer { object, offset });
                let fill = Fill { offset, bytes, value };
                let Some(owner) = memory.object(object).map(|o| o.owner) else { return };
                match owner {
                    Owner::Heap => match self.blocks.get(&object) {
                        Some(number) => {
                            self.found.blocks.entry(*number).or_default().push(fill);
                        }
                        None => self.found.lost.push("memory that a function of the library made"),
                    },
                    Owner::Local(..) => match self.objects.get(&object).cloned() {
                        Some((passed, name)) => self.fill(passed, &name, fill),
                        None => self.found.lost.push("a local object without a declaration"),
                    },
                    Owner::Global(_) => self.found.argument.push(fill),
                    Owner::Alloca(_) => self.found.lost.push("memory that `alloca` made"),
                }
            }
        }
    }
}
