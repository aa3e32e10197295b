//! Procedures that may call themselves. Each is a graph of its own, from its first location to its returns, and calls of it
//! are by contract ([`crate::contract`]).

use std::collections::BTreeSet;

use heap::{Callee, Command as C, Expr, GlobalId, Out, ProcId, Program, Scalar, Target, VarId};

use super::{Activation, Named, Old, Slot, Translation, assign};
use crate::contract::Call;
use crate::defs::KindId;
use crate::exec::Command;

/// A procedure with a contract.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Which one.
    pub proc: ProcId,
    /// Its first location.
    pub entry: usize,
    /// Its heap parameters, with what they were when it was called.
    pub heap: Vec<Param>,
    /// Its data parameters: the variable, and the one for what it was.
    pub data: Vec<(usize, usize)>,
    /// Its result, if it is a pointer.
    pub heap_result: Option<Pointer>,
    /// Its result, if it is a number.
    pub data_result: Option<usize>,
    /// Global objects that it may use: the variables that lead to them, and what they are.
    pub globals: Vec<(usize, KindId)>,
    /// Which of them it may call, itself included.
    pub calls: BTreeSet<usize>,
}

/// A heap parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The variable, which the procedure may assign to.
    pub now: Pointer,
    /// A variable for its value at the start.
    pub old: usize,
}

/// A variable that holds a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// The variable.
    pub var: usize,
    /// What it is meant to lead to.
    pub kind: Option<KindId>,
}

/// The procedures that a procedure may come to by calls, itself only if it may call itself.
fn reached(program: &Program, from: ProcId) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(proc) = pending.pop() {
        let body = program.procs.get(proc.index()).and_then(|proc| proc.body.as_ref());
        for location in body.into_iter().flat_map(|body| &body.locations) {
            if let Out::Do(C::Call { callee: Callee::Proc(callee), .. }, _) = &location.out
                && found.insert(*callee)
            {
                pending.push(*callee);
            }
        }
    }
    found
}

/// The procedures with bodies that may call themselves, each with all that it may call.
pub(super) fn recursive(program: &Program) -> Vec<(ProcId, BTreeSet<ProcId>)> {
    let all = (0..program.procs.len() as u32).map(ProcId);
    let all = all.filter(|proc| program.proc(*proc).body.is_some());
    all.map(|proc| (proc, reached(program, proc)))
        .filter(|(proc, reached)| reached.contains(proc))
        .collect()
}

/// The global objects that procedures mention, and those that initial values of these lead to.
fn mentioned(program: &Program, procs: &BTreeSet<ProcId>) -> BTreeSet<GlobalId> {
    let mut found: BTreeSet<GlobalId> = BTreeSet::new();
    let mut visit = |expr: &Expr| {
        expr.for_each(&mut |part| {
            if let Expr::Global(id) = part {
                found.insert(*id);
            }
        });
    };
    for proc in procs {
        let body = program.procs.get(proc.index()).and_then(|proc| proc.body.as_ref());
        for location in body.into_iter().flat_map(|body| &body.locations) {
            match &location.out {
                Out::Do(command, _) => command.for_each_expr(&mut visit),
                Out::Branch(condition, ..) => visit(condition),
                Out::Choose(_) | Out::Return => {}
            }
        }
    }
    found
}

impl Translation<'_> {
    /// The contract of a procedure that may call itself.
    pub(super) fn summary_of(&self, proc: ProcId) -> Option<usize> {
        self.recursive.iter().position(|(recursive, _)| *recursive == proc)
    }

    /// The graph of a recursive procedure, once it is called.
    fn summary(&mut self, number: usize) -> Result<(), String> {
        if self.cfg.summaries.get(number).is_some_and(Option::is_some) {
            return Ok(());
        }
        let Some((proc, reached)) = self.recursive.get(number).cloned() else { return Ok(()) };
        let context = self.context(proc, None)?;
        self.contexts[context].summary = Some(number);
        let program = self.program;
        let body = program.proc(proc);
        let (mut heap, mut data) = (Vec::new(), Vec::new());
        for index in 0..body.params as usize {
            let name = body.vars.get(index).map_or("?", |var| &var.name);
            match self.contexts[context].slots.get(index).copied() {
                Some(Slot::Heap(var)) => {
                    let now = self.pointer(proc, VarId(index as u32), var);
                    let old = self.heap_var(format!("old({name})"));
                    let of = (Activation(context), VarId(index as u32));
                    self.cfg.old_of.insert(Old::Heap(old), of);
                    heap.push(Param { now, old });
                }
                Some(Slot::Data(var)) => {
                    let old = self.data_var(format!("old({name})"));
                    let of = (Activation(context), VarId(index as u32));
                    self.cfg.old_of.insert(Old::Data(old), of);
                    data.push((var, old));
                }
                _ => {}
            }
        }
        let (mut heap_result, mut data_result) = (None, None);
        if let Some(result) = body.result {
            match self.contexts[context].slots.get(result.index()).copied() {
                Some(Slot::Heap(var)) => heap_result = Some(self.pointer(proc, result, var)),
                Some(Slot::Data(var)) => data_result = Some(var),
                _ => {}
            }
        }
        let mut procs = reached.clone();
        procs.insert(proc);
        let globals = mentioned(program, &procs).into_iter().map(|id| self.global(id));
        let globals = globals
            .filter_map(|named| match named {
                Named::Record(var, kind) => Some((var, kind)),
                Named::Bytes(_) => None,
            })
            .collect();
        let calls = reached.iter().filter_map(|proc| self.summary_of(*proc)).collect();
        let entry = self.node(context, heap::LocId(0))?;
        if self.cfg.summaries.len() <= number {
            self.cfg.summaries.resize(number + 1, None);
        }
        self.cfg.summaries[number] =
            Some(Summary { proc, entry, heap, data, heap_result, data_result, globals, calls });
        Ok(())
    }

    fn pointer(&mut self, proc: ProcId, var: VarId, slot: usize) -> Pointer {
        let ty = self.program.proc(proc).vars.get(var.index()).map(|var| var.ty);
        let kind = match ty {
            Some(Scalar::Ptr(Target::Record(record))) => self.kind(record, true),
            Some(Scalar::Ptr(Target::Ptr)) => Some(self.scalar(None)),
            Some(Scalar::Ptr(Target::Int(ty))) => Some(self.scalar(Some(ty))),
            _ => None,
        };
        Pointer { var: slot, kind }
    }

    /// A call of a recursive procedure: its arguments are put into variables of their own.
    pub(super) fn call_by_contract(
        &mut self,
        context: usize,
        number: usize,
        result: Option<VarId>,
        args: &[Expr],
    ) -> Result<Vec<Vec<Command>>, String> {
        self.summary(number)?;
        let Some((proc, _)) = self.recursive.get(number) else {
            return Err("a procedure is missing".to_owned());
        };
        let proc = self.program.proc(*proc);
        if args.len() != proc.params as usize {
            return Err("a call has another number of arguments".to_owned());
        }
        let (mut heap, mut data) = (Vec::new(), Vec::new());
        let mut cases: Vec<Vec<Command>> = vec![Vec::new()];
        for (param, arg) in proc.vars.iter().zip(args) {
            let slot = match param.ty {
                Scalar::Ptr(_) => {
                    heap.push(self.heap_var(format!("$a{}", self.cfg.heap.len())));
                    Slot::Heap(self.cfg.heap.len() - 1)
                }
                Scalar::Int(_) => {
                    data.push(self.data_var(format!("$a{}", self.cfg.data.len())));
                    Slot::Data(self.cfg.data.len() - 1)
                }
                Scalar::Float(_) => Slot::Opaque,
            };
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
        let target = result.and_then(|to| self.contexts[context].slots.get(to.index()).copied());
        let (to_heap, to_data) = match target {
            Some(Slot::Heap(x)) => (Some(x), None),
            Some(Slot::Data(a)) => (None, Some(a)),
            _ => (None, None),
        };
        let call = Call { contract: number, heap: heap.clone(), data, to_heap, to_data };
        for case in &mut cases {
            case.push(Command::Call(Box::new(call.clone())));
            // They lead nowhere from now on.
            case.extend(heap.iter().map(|x| Command::Havoc(*x)));
        }
        Ok(cases)
    }
}
