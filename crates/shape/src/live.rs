//! Which variables are still read, and what the loops of procedures are.

use std::collections::BTreeSet;

use flow::{Graph, Loops, Order};
use heap::{
    Action, BinOp, Body, Callee, Command, Comparison, Expr, LocId, Out, Proc, ProcId, Program, UnOp,
};

/// What is known about a procedure before it is analysed.
#[derive(Debug, Default)]
pub struct ProcInfo {
    /// By location: the variables that are read before they are set.
    live: Vec<Live>,
    /// The place of a location in reverse post-order.
    pub order: Vec<u32>,
    /// Is it the head of a loop?
    pub head: Vec<bool>,
    /// Do several ways lead to it?
    pub meets: Vec<bool>,
    /// May it call itself?
    pub recursive: bool,
}

impl ProcInfo {
    /// Is a variable read from a location on before it is set?
    #[must_use]
    pub fn is_live(&self, at: LocId, var: usize) -> bool {
        self.live.get(at.index()).is_none_or(|vars| vars.contains(var as u32))
    }
}

impl ProcInfo {
    /// A variable is read by somebody else in the end.
    pub(crate) fn keep(&mut self, var: usize) {
        self.live.iter_mut().for_each(|vars| vars.insert(var as u32));
    }
}

/// For all procedures.
#[must_use]
pub fn analyse(program: &Program) -> Vec<ProcInfo> {
    let recursive = recursive(program);
    let info = |(proc, recursive): (&Proc, bool)| match &proc.body {
        Some(body) => ProcInfo { recursive, ..of_body(proc, body) },
        None => ProcInfo::default(),
    };
    program.procs.iter().zip(recursive).map(info).collect()
}

fn of_body(proc: &Proc, body: &Body) -> ProcInfo {
    let order = Order::new(body);
    let loops = Loops::of(&order);
    let count = body.locations.len();
    let mut places = vec![u32::MAX; count];
    for (place, node) in order.nodes.iter().enumerate() {
        places[*node] = place as u32;
    }
    let mut entering = vec![0u32; count];
    for node in 0..count {
        if order.reaches(node) {
            body.successors(node, &mut |to| entering[to] += 1);
        }
    }
    let head = (0..count).map(|node| loops.headed_by(node).is_some()).collect();
    let mut meets: Vec<bool> = entering.iter().map(|n| *n > 1).collect();
    // Ways of a callee to end meet behind the call.
    for location in &body.locations {
        if let Out::Do(Command::Call { .. }, next) = &location.out {
            meets[next.index()] = true;
        }
    }
    ProcInfo {
        live: liveness(proc, body, &order.nodes),
        order: places,
        head,
        meets,
        recursive: false,
    }
}

/// A set of variables, in ascending order. Procedures have as many variables as commands, but few of them are live
/// at one location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Live(Vec<u32>);

impl Live {
    fn contains(&self, var: u32) -> bool {
        self.0.binary_search(&var).is_ok()
    }

    fn insert(&mut self, var: u32) {
        if let Err(at) = self.0.binary_search(&var) {
            self.0.insert(at, var);
        }
    }

    fn remove(&mut self, var: u32) {
        if let Ok(at) = self.0.binary_search(&var) {
            self.0.remove(at);
        }
    }

    fn extend(&mut self, other: &Live) {
        if other.0.iter().any(|var| !self.contains(*var)) {
            self.0.extend(&other.0);
            self.0.sort_unstable();
            self.0.dedup();
        }
    }
}

fn liveness(proc: &Proc, body: &Body, order: &[usize]) -> Vec<Live> {
    let mut live = vec![Live::default(); body.locations.len()];
    let read = |e: &Expr, set: &mut Live| {
        e.for_each(&mut |part| {
            if let Expr::Var(var) = part {
                set.insert(var.0);
            }
        });
    };
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().rev() {
            let mut set = Live::default();
            let at = LocId(*node as u32);
            if matches!(body.locations[*node].out, Out::Return)
                && let Some(result) = proc.result
            {
                set.insert(result.0);
            }
            for (action, to) in body.edges(at) {
                let mut after = live[to.index()].clone();
                match action {
                    Action::Do(command) => {
                        if let Some(target) = command.target() {
                            after.remove(target.0);
                        }
                        command.for_each_expr(&mut |e| read(e, &mut after));
                    }
                    Action::When(cond, _) => read(cond, &mut after),
                    Action::Skip => {}
                }
                set.extend(&after);
            }
            if set != live[*node] {
                live[*node] = set;
                changed = true;
            }
        }
    }
    live
}

/// Which procedures may call themselves, directly or not.
fn recursive(program: &Program) -> Vec<bool> {
    let count = program.procs.len();
    let mut calls: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut by_pointer = vec![false; count];
    let mut taken: Vec<usize> = Vec::new();
    for global in &program.globals {
        for (_, _, e) in &global.init {
            e.for_each(&mut |part| {
                if let Expr::Proc(ProcId(id)) = part {
                    taken.push(*id as usize);
                }
            });
        }
    }
    for (i, proc) in program.procs.iter().enumerate() {
        for location in proc.body.iter().flat_map(|body| &body.locations) {
            let Out::Do(command, _) = &location.out else { continue };
            if let Command::Call { callee, .. } = command {
                match callee {
                    Callee::Proc(id) => calls[i].push(id.index()),
                    Callee::Pointer(_) => by_pointer[i] = true,
                }
            }
            command.for_each_expr(&mut |e| {
                e.for_each(&mut |part| {
                    if let Expr::Proc(ProcId(id)) = part {
                        taken.push(*id as usize);
                    }
                });
            });
        }
    }
    for (i, own) in calls.iter_mut().enumerate() {
        if by_pointer[i] {
            own.extend(&taken);
        }
    }
    (0..count)
        .map(|start| {
            let mut seen = vec![false; count];
            let mut pending = calls[start].clone();
            while let Some(node) = pending.pop() {
                if node == start {
                    return true;
                }
                if node < count && !seen[node] {
                    seen[node] = true;
                    pending.extend(&calls[node]);
                }
            }
            false
        })
        .collect()
}

/// The value of an expression without variables.
fn constant(e: &Expr) -> Option<i128> {
    match e {
        Expr::Int(n) => Some(*n),
        Expr::Unary(UnOp::Neg(_), a) => constant(a)?.checked_neg(),
        Expr::Convert(ty, a) => Some(ty.wrap(constant(a)?)),
        _ => None,
    }
}

/// Numbers that are stored in memory as they are, or that values are compared with for equality, in ascending order.
pub fn told_numbers(program: &Program) -> Vec<i128> {
    let mut all: BTreeSet<i128> = compared_numbers(program, false).into_iter().collect();
    for location in program.procs.iter().filter_map(|p| p.body.as_ref()).flat_map(|b| &b.locations)
    {
        if let Out::Do(Command::Store { value, .. }, _) = &location.out {
            all.extend(constant(value));
        }
    }
    all.into_iter().collect()
}

/// Numbers that values are compared with for equality, in ascending order: all, or those that decide whether a loop
/// goes on.
pub fn compared_numbers(program: &Program, deciding: bool) -> Vec<i128> {
    let mut all: BTreeSet<i128> = BTreeSet::new();
    let mut add = |e: &Expr| {
        e.for_each(&mut |part| {
            if let Expr::Binary(BinOp::Compare(Comparison::Eq | Comparison::Ne), a, b) = part {
                all.extend([a, b].into_iter().filter_map(|side| constant(side)));
            }
        });
    };
    for proc in &program.procs {
        let Some(body) = &proc.body else { continue };
        let order = Order::new(body);
        let loops = Loops::of(&order);
        for (node, location) in body.locations.iter().enumerate() {
            match &location.out {
                Out::Do(command, _) if !deciding => command.for_each_expr(&mut add),
                Out::Branch(cond, yes, no) => {
                    let leaves = |to: LocId| loops.innermost(node) != loops.innermost(to.index());
                    if !deciding || leaves(*yes) || leaves(*no) {
                        add(cond);
                    }
                }
                _ => {}
            }
        }
    }
    // Loops that go on while an input is not zero say nothing about nodes.
    all.into_iter().filter(|n| !deciding || *n != 0).collect()
}
