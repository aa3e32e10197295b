//! Heap programs as the paper's programs [ABCK15, Sec. 3.2]: one graph, calls inlined, commands on records with data
//! and heap fields.
//!
//! A condition becomes one edge for each conjunction of its disjunctive normal form, so paths are convex. What the
//! paper's language does not have (values that are no linear terms, pointers into objects) becomes any value; what
//! cannot be said that way is an edge that fails with a reason, so that it matters only where it is reached.

mod commands;
mod summaries;
mod values;

use std::collections::{BTreeSet, HashMap};

use arith::{Constraint, Sum};
use heap::{
    Callee, Command as C, Expr, GlobalId, IntType, LocId, Out, ProcId, Program, RecordId, Scalar,
    Target, Type, VarId,
};
use report::Pos;

use crate::defs::{Defs, Kind, KindId};
use crate::exec::{Command, HExpr};
pub use summaries::{Param, Pointer, Summary};

/// Locations of the inlined program.
const MOST_NODES: usize = 6000;
/// Activations that are inlined.
const MOST_CONTEXTS: usize = 200;

/// The program as one graph.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// Records and predicates.
    pub defs: Defs,
    /// Names of heap variables.
    pub heap: Vec<String>,
    /// Names of data variables.
    pub data: Vec<String>,
    /// Its locations.
    pub nodes: Vec<Node>,
    /// What is done before the first one, which is 0.
    pub prelude: Vec<Command>,
    /// Heap variables that are the addresses of global objects.
    pub globals: Vec<usize>,
    /// Which variables of the program data variables are: those of an activation.
    pub data_of: HashMap<usize, (Activation, VarId)>,
    /// The same of heap variables.
    pub heap_of: HashMap<usize, (Activation, VarId)>,
    /// Heap and data variables that stand for what a parameter of an activation was at its start.
    pub old_of: HashMap<Old, (Activation, VarId)>,
    /// The activations: their procedures, and by whom they were called, with the location to which they return.
    pub activations: Vec<(ProcId, Option<(Activation, LocId)>)>,
    /// Procedures that may call themselves, by the number of their contract, as far as they are called.
    pub summaries: Vec<Option<Summary>>,
}

impl Cfg {
    /// Where the program starts, and where procedures with contracts do.
    #[must_use]
    pub fn roots(&self) -> Vec<usize> {
        let entries = self.summaries.iter().flatten().map(|summary| summary.entry);
        [0].into_iter().chain(entries).collect()
    }

    /// The procedure with a contract that returns at a location.
    #[must_use]
    pub fn returns_from(&self, node: usize) -> Option<&Summary> {
        let node = self.nodes.get(node).filter(|node| node.returns)?;
        self.summaries.get(node.summary?)?.as_ref()
    }
}

/// A variable for an earlier value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Old {
    /// The heap variable of this number.
    Heap(usize),
    /// The data variable of this number.
    Data(usize),
}

/// The number of an activation of a procedure that was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation(usize);

impl Activation {
    /// As an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// A location.
#[derive(Clone, Debug)]
pub struct Node {
    /// The activation in which it is.
    pub activation: Activation,
    /// Where it is in the heap program.
    pub proc: ProcId,
    /// Where it is in the procedure.
    pub loc: LocId,
    /// Where it is in the source.
    pub pos: Pos,
    /// The ways on.
    pub edges: Vec<Edge>,
    /// Does the program return here, or the procedure whose graph this is?
    pub returns: bool,
    /// The procedure with a contract whose graph this is.
    pub summary: Option<usize>,
}

/// A way on.
#[derive(Clone, Debug)]
pub struct Edge {
    /// What is done.
    pub commands: Vec<Command>,
    /// Where it leads.
    pub to: To,
}

/// Where an edge leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// A location.
    Node(usize),
    /// The program has failed, or cannot be followed, for this reason.
    Fail(String),
}

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Heap(usize),
    Data(usize),
    /// A floating-point number: any value.
    Opaque,
}

/// An object with a name.
#[derive(Clone, Copy, Debug)]
enum Named {
    /// A record, or one value: the heap variable that leads to it.
    Record(usize, KindId),
    /// So many bytes whose contents are not followed.
    Bytes(u64),
}

struct Context {
    proc: ProcId,
    slots: Vec<Slot>,
    objects: Vec<Named>,
    /// The caller, where it goes on, and where the result goes.
    caller: Option<(usize, LocId, Option<VarId>)>,
    /// The procedure with a contract in whose graph it is.
    summary: Option<usize>,
}

#[derive(Clone, Debug)]
enum Val {
    /// A place so many bytes behind what a heap expression leads to; the kind of record that it is meant to be.
    Heap(HExpr, i128, Option<KindId>),
    /// A place in an object whose contents are not followed.
    Bytes(u64, Sum),
    Data(Sum),
    Any,
}

type Alternatives = Vec<(Vec<Command>, Val)>;
type Cases = Vec<Vec<Command>>;

/// What a program is translated for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setting {
    /// May an allocation yield null?
    pub malloc_may_fail: bool,
    /// Were other procedures called before, so that global objects may hold anything?
    pub library: bool,
    /// Are integers those of the target? Then results that their type does not hold wrap, those with a sign, too: what
    /// C leaves undefined there is one of the things that may happen.
    pub machine_integers: bool,
}

struct Translation<'p> {
    program: &'p Program,
    setting: Setting,
    cfg: Cfg,
    contexts: Vec<Context>,
    nodes: HashMap<(usize, LocId), usize>,
    pending: Vec<(usize, LocId)>,
    globals: HashMap<GlobalId, Named>,
    kinds: HashMap<(RecordId, bool), KindId>,
    /// Objects of one value: an integer of this type, or a pointer.
    scalars: HashMap<Option<IntType>, KindId>,
    /// Types of the data fields of kinds, by their offsets.
    types: HashMap<(KindId, u64), IntType>,
    /// Procedures that may call themselves, and what they may call.
    recursive: Vec<(ProcId, BTreeSet<ProcId>)>,
    /// What data variables can hold, if integers are those of the target.
    ranges: HashMap<u32, (i128, i128)>,
}

/// The program from a procedure on.
///
/// # Errors
/// Why it cannot be followed at all.
pub fn translate(program: &Program, entry: ProcId, setting: Setting) -> Result<Cfg, String> {
    let mut this = Translation {
        program,
        setting,
        cfg: Cfg::default(),
        contexts: Vec::new(),
        nodes: HashMap::new(),
        pending: Vec::new(),
        globals: HashMap::new(),
        kinds: HashMap::new(),
        scalars: HashMap::new(),
        types: HashMap::new(),
        recursive: summaries::recursive(program),
        ranges: HashMap::new(),
    };
    let context = this.context(entry, None)?;
    this.node(context, LocId(0))?;
    while let Some((context, loc)) = this.pending.pop() {
        this.location(context, loc)?;
    }
    this.prelude()?;
    Ok(this.cfg)
}

fn at_least(a: &Sum, b: &Sum) -> Option<Constraint> {
    Constraint::at_most(b, a)
}

impl Translation<'_> {
    fn context(
        &mut self,
        proc: ProcId,
        caller: Option<(usize, LocId, Option<VarId>)>,
    ) -> Result<usize, String> {
        if self.contexts.len() >= MOST_CONTEXTS {
            return Err("there are too many calls to inline".to_owned());
        }
        let program = self.program;
        let body = program.procs.get(proc.index()).ok_or("a procedure is missing")?;
        let prefix = if caller.is_some() { format!("{}.", body.name) } else { String::new() };
        let mut slots = Vec::new();
        for var in &body.vars {
            let name = format!("{prefix}{}", var.name);
            slots.push(match var.ty {
                Scalar::Int(ty) => {
                    let data = self.data_var(name);
                    if self.setting.machine_integers {
                        self.ranges.extend(ty.bounds().map(|range| (data as u32, range)));
                    }
                    Slot::Data(data)
                }
                Scalar::Ptr(_) => Slot::Heap(self.heap_var(name)),
                Scalar::Float(_) => Slot::Opaque,
            });
        }
        let mut objects = Vec::new();
        for object in &body.objects {
            let name = format!("&{prefix}{}", object.name);
            objects.push(self.object(name, &object.ty));
        }
        let activation = Activation(self.contexts.len());
        for (index, slot) in slots.iter().enumerate() {
            let var = (activation, VarId(index as u32));
            match slot {
                Slot::Data(a) => self.cfg.data_of.insert(*a, var),
                Slot::Heap(x) => self.cfg.heap_of.insert(*x, var),
                Slot::Opaque => None,
            };
        }
        let by = caller.map(|(caller, to, _)| (Activation(caller), to));
        self.cfg.activations.push((proc, by));
        let summary = caller.and_then(|(caller, ..)| self.contexts.get(caller)?.summary);
        self.contexts.push(Context { proc, slots, objects, caller, summary });
        Ok(self.contexts.len() - 1)
    }

    fn heap_var(&mut self, name: String) -> usize {
        self.cfg.heap.push(name);
        self.cfg.heap.len() - 1
    }

    fn data_var(&mut self, name: String) -> usize {
        self.cfg.data.push(name);
        self.cfg.data.len() - 1
    }

    fn object(&mut self, name: String, ty: &Type) -> Named {
        match self.object_kind(ty) {
            Some(kind) => Named::Record(self.heap_var(name), kind),
            None => Named::Bytes(self.program.size_of(ty)),
        }
    }

    /// The kind of an object that is not on the heap.
    fn object_kind(&mut self, ty: &Type) -> Option<KindId> {
        match ty {
            Type::Record(id) => self.kind(*id, false),
            Type::Scalar(Scalar::Ptr(_)) => Some(self.scalar(None)),
            Type::Scalar(Scalar::Int(ty)) => Some(self.scalar(Some(*ty))),
            _ => None,
        }
    }

    /// An object of one value: an integer of a type, or a pointer.
    fn scalar(&mut self, integer: Option<IntType>) -> KindId {
        if let Some(kind) = self.scalars.get(&integer) {
            return *kind;
        }
        let id = KindId(self.cfg.defs.kinds.len() as u32);
        let (mut data, mut ptrs) = (Vec::new(), Vec::new());
        match integer {
            Some(ty) => {
                data.push(("value".to_owned(), 0));
                self.types.insert((id, 0), ty);
            }
            None => ptrs.push(("value".to_owned(), 0, None)),
        }
        let name = if integer.is_some() { "integer" } else { "pointer" }.to_owned();
        self.cfg.defs.kinds.push(Kind { name, data, ptrs, on_heap: false });
        self.scalars.insert(integer, id);
        id
    }

    /// Records with fields that overlap have no kind; floating-point numbers and arrays in them are not followed.
    fn kind(&mut self, record: RecordId, on_heap: bool) -> Option<KindId> {
        if let Some(kind) = self.kinds.get(&(record, on_heap)) {
            return Some(*kind);
        }
        let mut fields = Vec::new();
        flatten(self.program, &Type::Record(record), 0, "", &mut fields, 0)?;
        fields.sort_by_key(|field: &(String, u64, u64, Scalar)| field.1);
        if fields.windows(2).any(|pair| pair[0].1 + pair[0].2 > pair[1].1) {
            return None;
        }
        let id = KindId(self.cfg.defs.kinds.len() as u32);
        let name = &self.program.records.get(record.0 as usize)?.name;
        let name = if on_heap { name.clone() } else { format!("{name}_object") };
        let (data, ptrs) = (Vec::new(), Vec::new());
        self.cfg.defs.kinds.push(Kind { name, data, ptrs, on_heap });
        self.kinds.insert((record, on_heap), id);
        for (name, offset, _, ty) in fields {
            match ty {
                Scalar::Int(ty) => {
                    self.types.insert((id, offset), ty);
                    self.cfg.defs.kinds[id.0 as usize].data.push((name, offset));
                }
                Scalar::Ptr(target) => {
                    let target = match target {
                        Target::Record(target) => self.kind(target, true),
                        _ => None,
                    };
                    self.cfg.defs.kinds[id.0 as usize].ptrs.push((name, offset, target));
                }
                Scalar::Float(_) => {}
            }
        }
        if on_heap {
            self.cfg.defs.generate(id);
        }
        Some(id)
    }

    fn node(&mut self, context: usize, loc: LocId) -> Result<usize, String> {
        if let Some(node) = self.nodes.get(&(context, loc)) {
            return Ok(*node);
        }
        if self.cfg.nodes.len() >= MOST_NODES {
            return Err("the program is too large".to_owned());
        }
        let proc = self.contexts[context].proc;
        let body = self.program.proc(proc).body.as_ref().ok_or("a body is missing")?;
        let pos = body.locations.get(loc.index()).map_or(Pos::None, |location| location.pos);
        let id = self.cfg.nodes.len();
        self.cfg.nodes.push(Node {
            activation: Activation(context),
            proc,
            loc,
            pos,
            edges: Vec::new(),
            returns: false,
            summary: self.contexts[context].summary,
        });
        self.nodes.insert((context, loc), id);
        self.pending.push((context, loc));
        Ok(id)
    }

    fn location(&mut self, context: usize, loc: LocId) -> Result<(), String> {
        let program = self.program;
        let Some(body) = &program.proc(self.contexts[context].proc).body else { return Ok(()) };
        let Some(location) = body.locations.get(loc.index()) else { return Ok(()) };
        let from = self.node(context, loc)?;
        let mut edges = Vec::new();
        match &location.out {
            Out::Do(C::Call { to: result, callee: Callee::Proc(callee), args }, to)
                if self.summary_of(*callee).is_some() =>
            {
                let number = self.summary_of(*callee).unwrap_or_default();
                let to = To::Node(self.node(context, *to)?);
                let cases = self.call_by_contract(context, number, *result, args)?;
                edges.extend(cases.into_iter().map(|commands| Edge { commands, to: to.clone() }));
            }
            Out::Do(C::Call { to: result, callee: Callee::Proc(callee), args }, to)
                if program.procs.get(callee.index()).is_some_and(|p| p.body.is_some()) =>
            {
                let (cases, to) = self.call(context, *to, *result, *callee, args)?;
                let to = To::Node(to);
                edges.extend(cases.into_iter().map(|commands| Edge { commands, to: to.clone() }));
            }
            Out::Do(command, to) => {
                let to = self.node(context, *to)?;
                match self.command(context, command) {
                    Ok((passed, failed)) => {
                        for commands in passed.unwrap_or_default() {
                            edges.push(Edge { commands, to: To::Node(to) });
                        }
                        for (commands, reason) in failed {
                            edges.push(Edge { commands, to: To::Fail(reason) });
                        }
                    }
                    Err(reason) => edges.push(Edge { commands: Vec::new(), to: To::Fail(reason) }),
                }
            }
            Out::Branch(cond, then, otherwise) => {
                for (to, wanted) in [(then, true), (otherwise, false)] {
                    let to = self.node(context, *to)?;
                    for commands in self.condition(context, cond, wanted) {
                        edges.push(Edge { commands, to: To::Node(to) });
                    }
                }
            }
            Out::Choose(all) => {
                for to in all {
                    let to = self.node(context, *to)?;
                    edges.push(Edge { commands: Vec::new(), to: To::Node(to) });
                }
            }
            Out::Return => {
                if let Some((caller, to, result)) = self.contexts[context].caller {
                    let to = self.node(caller, to)?;
                    let mut commands = Vec::new();
                    let own = self.program.proc(self.contexts[context].proc).result;
                    if let Some(var) = result {
                        let target = self.contexts[caller].slots.get(var.index()).copied();
                        let value = own.and_then(|v| self.contexts[context].slots.get(v.index()));
                        match (target, value) {
                            (Some(Slot::Heap(x)), Some(Slot::Heap(y))) => {
                                commands.push(Command::Assign(x, HExpr::Var(*y)));
                            }
                            (Some(Slot::Data(a)), Some(Slot::Data(b))) => {
                                commands.push(Command::Data(a, Sum::var(*b as u32)));
                            }
                            (Some(Slot::Heap(x)), _) => commands.push(Command::Havoc(x)),
                            (Some(Slot::Data(a)), _) => {
                                commands.push(Command::HavocData(a, Vec::new()));
                            }
                            _ => {}
                        }
                    }
                    // Variables of the activation lead nowhere from now on.
                    for slot in &self.contexts[context].slots {
                        if let Slot::Heap(x) = slot {
                            commands.push(Command::Havoc(*x));
                        }
                    }
                    edges.push(Edge { commands, to: To::Node(to) });
                } else {
                    self.cfg.nodes[from].returns = true;
                }
            }
        }
        self.cfg.nodes[from].edges = edges;
        Ok(())
    }

    /// A call as assignments of arguments, and the first location of the callee.
    fn call(
        &mut self,
        context: usize,
        to: LocId,
        result: Option<VarId>,
        callee: ProcId,
        args: &[Expr],
    ) -> Result<(Cases, usize), String> {
        let inner = self.context(callee, Some((context, to, result)))?;
        let mut cases: Cases = vec![Vec::new()];
        for (index, arg) in args.iter().enumerate() {
            let Some(slot) = self.contexts[inner].slots.get(index).copied() else { continue };
            let values = self.eval(context, arg);
            let mut next = Vec::new();
            for case in &cases {
                for (commands, value) in &values {
                    let mut case = case.clone();
                    case.extend(commands.iter().cloned());
                    case.push(assign(slot, value));
                    next.push(case);
                }
            }
            cases = next;
        }
        let entry = self.node(inner, LocId(0))?;
        Ok((cases, entry))
    }

    fn prelude(&mut self) -> Result<(), String> {
        let mut commands = Vec::new();
        let mut globals: Vec<(GlobalId, Named)> =
            self.globals.iter().map(|(id, named)| (*id, *named)).collect();
        globals.sort_by_key(|(id, _)| *id);
        let mut known = 0;
        while known < globals.len() {
            let (id, named) = globals[known];
            known += 1;
            let Named::Record(var, kind) = named else { continue };
            let program = self.program;
            let Some(global) = program.globals.get(id.index()) else { continue };
            let as_declared = !self.setting.library || global.constant;
            commands.push(Command::New(var, kind, global.zeroed && as_declared));
            for (_, _, value) in &global.init {
                if let Expr::Global(other) = value
                    && !globals.iter().any(|(id, _)| id == other)
                {
                    let named = self.global(*other);
                    globals.push((*other, named));
                }
            }
        }
        for (id, named) in &globals {
            let Named::Record(var, kind) = named else { continue };
            let program = self.program;
            let Some(global) = program.globals.get(id.index()) else { continue };
            if self.setting.library && !global.constant {
                continue;
            }
            for (offset, _, value) in &global.init {
                let values = self.eval(0, value);
                let Some((_, value)) = values.first() else { continue };
                let offset = i128::from(*offset);
                match self.field(*kind, offset) {
                    Some(Field::Data(field)) => match value {
                        Val::Data(sum) => {
                            commands.push(Command::StoreData(*var, *kind, field, sum.clone()));
                        }
                        _ => return Err("a global is initialised with an address".to_owned()),
                    },
                    Some(Field::Ptr(field)) => match value {
                        Val::Heap(value, 0, _) => {
                            commands.push(Command::Store(*var, *kind, field, *value));
                        }
                        _ => return Err("a global leads into an object".to_owned()),
                    },
                    // Not followed.
                    None => {}
                }
            }
        }
        let address = |(_, named): &(GlobalId, Named)| match named {
            Named::Record(var, _) => Some(*var),
            Named::Bytes(_) => None,
        };
        self.cfg.globals = globals.iter().filter_map(address).collect();
        self.cfg.prelude = commands;
        Ok(())
    }

    fn global(&mut self, id: GlobalId) -> Named {
        if let Some(named) = self.globals.get(&id) {
            return *named;
        }
        let program = self.program;
        let named = match program.globals.get(id.index()) {
            Some(global) => self.object(format!("&{}", global.name), &global.ty),
            None => Named::Bytes(0),
        };
        self.globals.insert(id, named);
        named
    }

    /// Is the data field at an offset of this type? Read with another one, its bits are another number.
    fn has_type(&self, kind: KindId, offset: i128, ty: IntType) -> bool {
        u64::try_from(offset).is_ok_and(|at| self.types.get(&(kind, at)) == Some(&ty))
    }

    fn field(&self, kind: KindId, offset: i128) -> Option<Field> {
        let kind = self.cfg.defs.kind(kind);
        let at = u64::try_from(offset).ok()?;
        let data = kind.data.iter().position(|field| field.1 == at).map(Field::Data);
        data.or_else(|| kind.ptrs.iter().position(|field| field.1 == at).map(Field::Ptr))
    }
}

#[derive(Clone, Copy)]
enum Field {
    Data(usize),
    Ptr(usize),
}

fn assign(slot: Slot, value: &Val) -> Command {
    match (slot, value) {
        (Slot::Heap(x), Val::Heap(e, 0, _)) => Command::Assign(x, *e),
        (Slot::Heap(x), Val::Data(sum)) if *sum == Sum::number(0) => {
            Command::Assign(x, HExpr::Null)
        }
        (Slot::Heap(x), _) => Command::Havoc(x),
        (Slot::Data(a), Val::Data(sum)) => Command::Data(a, sum.clone()),
        (Slot::Data(a), _) => Command::HavocData(a, Vec::new()),
        (Slot::Opaque, _) => Command::Skip,
    }
}

/// The values in a record with their offsets and sizes; arrays are left out, so they are not followed.
fn flatten(
    program: &Program,
    ty: &Type,
    offset: u64,
    name: &str,
    fields: &mut Vec<(String, u64, u64, Scalar)>,
    depth: u8,
) -> Option<()> {
    if depth > 8 || fields.len() > 64 {
        return None;
    }
    match ty {
        Type::Scalar(scalar) => {
            fields.push((name.to_owned(), offset, scalar.bytes(program.model), *scalar));
        }
        Type::Record(id) => {
            let record = program.records.get(id.0 as usize)?;
            for field in &record.fields {
                let name = if name.is_empty() {
                    field.name.clone()
                } else {
                    format!("{name}.{}", field.name)
                };
                flatten(program, &field.ty, offset + field.offset, &name, fields, depth + 1)?;
            }
        }
        // Accesses to it are no fields, and said to be so.
        Type::Array(..) => {}
    }
    Some(())
}
