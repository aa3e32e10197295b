//! Which variables are still read, and what the loops of procedures are.

use flow::{Graph, Loops, Order};
use heap::{Action, Body, Callee, Command, Expr, LocId, Out, Proc, ProcId, Program};

/// What is known about a procedure before it is analysed.
#[derive(Debug, Default)]
pub struct ProcInfo {
    /// By location and variable: is it read before it is set?
    live: Vec<Vec<bool>>,
    /// The place of a location in reverse post-order.
    pub order: Vec<u32>,
    /// Is it the head of a loop?
    pub head: Vec<bool>,
    /// Do several edges lead to it?
    pub meets: Vec<bool>,
    /// May it call itself?
    pub recursive: bool,
}

impl ProcInfo {
    /// Is a variable read from a location on before it is set?
    #[must_use]
    pub fn is_live(&self, at: LocId, var: usize) -> bool {
        self.live.get(at.index()).and_then(|vars| vars.get(var)).copied().unwrap_or(true)
    }
}

impl ProcInfo {
    /// A variable is read by somebody else in the end.
    pub(crate) fn keep(&mut self, var: usize) {
        self.live.iter_mut().filter_map(|vars| vars.get_mut(var)).for_each(|live| *live = true);
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
    let meets = entering.iter().map(|n| *n > 1).collect();
    ProcInfo {
        live: liveness(proc, body, &order.nodes),
        order: places,
        head,
        meets,
        recursive: false,
    }
}

fn liveness(proc: &Proc, body: &Body, order: &[usize]) -> Vec<Vec<bool>> {
    let vars = proc.vars.len();
    let mut live = vec![vec![false; vars]; body.locations.len()];
    let read = |e: &Expr, set: &mut Vec<bool>| {
        e.for_each(&mut |part| {
            if let Expr::Var(var) = part
                && let Some(place) = set.get_mut(var.index())
            {
                *place = true;
            }
        });
    };
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().rev() {
            let mut set = vec![false; vars];
            let at = LocId(*node as u32);
            if matches!(body.locations[*node].out, Out::Return)
                && let Some(result) = proc.result
                && let Some(place) = set.get_mut(result.index())
            {
                *place = true;
            }
            for (action, to) in body.edges(at) {
                let mut after = live[to.index()].clone();
                match action {
                    Action::Do(command) => {
                        if let Some(target) = command.target()
                            && let Some(place) = after.get_mut(target.index())
                        {
                            *place = false;
                        }
                        command.for_each_expr(&mut |e| read(e, &mut after));
                    }
                    Action::When(cond, _) => read(cond, &mut after),
                    Action::Skip => {}
                }
                set.iter_mut().zip(after).for_each(|(own, more)| *own |= more);
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
