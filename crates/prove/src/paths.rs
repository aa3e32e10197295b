//! Paths between cut points, and data variables that matter there.

use std::collections::{BTreeSet, HashMap};

use crate::exec::{Command, HExpr};
use crate::program::{Cfg, To};

/// Edges that leave a location.
const MOST_EDGES: usize = 600;
/// Data variables of an annotation, if some of them are not read any more.
const MOST_MENTIONED: usize = 10;

/// A path without loops from one cut point to the next.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub commands: Vec<Command>,
    pub to: End,
    /// The location before its last edge.
    pub last: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Node(usize),
    /// The program ends.
    Exit,
    Fail(String),
}

impl Segment {
    /// Its commands, and the failure at its end.
    pub fn all_commands(&self) -> Vec<Command> {
        let mut commands = self.commands.clone();
        if matches!(self.to, End::Fail(_)) {
            commands.push(Command::Fail);
        }
        commands
    }
}

/// Locations that close a cycle, and the entry.
fn cut_points(cfg: &Cfg) -> Vec<bool> {
    let mut cut = vec![false; cfg.nodes.len()];
    // 0: not seen, 1: on the way, 2: done.
    let mut state = vec![0u8; cfg.nodes.len()];
    let mut stack = Vec::new();
    for root in cfg.roots() {
        if let (Some(cut), Some(state)) = (cut.get_mut(root), state.get_mut(root)) {
            *cut = true;
            *state = 1;
            stack.push((root, 0usize));
        }
    }
    while let Some((node, edge)) = stack.pop() {
        let Some(next) = cfg.nodes.get(node).and_then(|node| node.edges.get(edge)) else {
            if let Some(state) = state.get_mut(node) {
                *state = 2;
            }
            continue;
        };
        stack.push((node, edge + 1));
        if let To::Node(to) = next.to {
            match state.get(to) {
                Some(0) => {
                    state[to] = 1;
                    stack.push((to, 0));
                }
                Some(1) => cut[to] = true,
                _ => {}
            }
        }
    }
    cut
}

/// The paths without loops from each cut point.
pub(crate) fn segments(cfg: &Cfg) -> Result<HashMap<usize, Vec<Segment>>, String> {
    let cut = cut_points(cfg);
    let mut all = HashMap::new();
    for start in (0..cfg.nodes.len()).filter(|node| cut[*node]) {
        let mut found: Vec<Segment> = Vec::new();
        let mut pending: Vec<(usize, Vec<Command>)> = vec![(start, Vec::new())];
        while let Some((at, commands)) = pending.pop() {
            if found.len() + pending.len() > MOST_EDGES {
                return Err("there are too many paths between loops".to_owned());
            }
            let Some(node) = cfg.nodes.get(at) else { continue };
            if node.edges.is_empty() {
                found.push(Segment { commands, to: End::Exit, last: at });
                continue;
            }
            for edge in &node.edges {
                let mut commands = commands.clone();
                commands.extend(edge.commands.iter().cloned());
                match &edge.to {
                    To::Fail(reason) => {
                        let to = End::Fail(reason.clone());
                        found.push(Segment { commands, to, last: at });
                    }
                    To::Node(to) if cut[*to] => {
                        found.push(Segment { commands, to: End::Node(*to), last: at });
                    }
                    To::Node(to) => pending.push((*to, commands)),
                }
            }
        }
        all.insert(start, found);
    }
    Ok(all)
}

/// Data variables that annotations may mention, by location: those whose value may still be read, and those with a
/// name, unless they are many. What is no longer read may still relate what two lists hold.
pub(crate) fn mentioned(cfg: &Cfg) -> Vec<Vec<usize>> {
    let is_named = |var: &usize| cfg.data.get(*var).is_some_and(|name| !name.contains('$'));
    let named: Vec<usize> = (0..cfg.data.len()).filter(is_named).collect();
    let mut all = live(cfg);
    for live in all.iter_mut() {
        let more: Vec<usize> = named.iter().filter(|var| !live.contains(var)).copied().collect();
        if live.len() + more.len() <= MOST_MENTIONED {
            live.extend(more);
            live.sort_unstable();
        }
    }
    all
}

/// Data variables whose value may still be read, by location.
pub(crate) fn live(cfg: &Cfg) -> Vec<Vec<usize>> {
    let mut live: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); cfg.nodes.len()];
    loop {
        let mut changed = false;
        for (index, node) in cfg.nodes.iter().enumerate().rev() {
            let mut all = BTreeSet::new();
            if let Some(summary) = cfg.returns_from(index) {
                all.extend(summary.data.iter().map(|(_, old)| *old).chain(summary.data_result));
            }
            for edge in &node.edges {
                let mut set = match edge.to {
                    To::Node(to) => live.get(to).cloned().unwrap_or_default(),
                    To::Fail(_) => BTreeSet::new(),
                };
                for command in edge.commands.iter().rev() {
                    transfer(command, &mut set);
                }
                all.extend(set);
            }
            if all != live[index] {
                live[index] = all;
                changed = true;
            }
        }
        if !changed {
            return live.into_iter().map(|set| set.into_iter().collect()).collect();
        }
    }
}

fn transfer(command: &Command, live: &mut BTreeSet<usize>) {
    let read = |sum: &arith::Sum, live: &mut BTreeSet<usize>| {
        live.extend(sum.factors.iter().map(|(var, _)| *var as usize));
    };
    match command {
        // What is computed and not read does not matter.
        Command::Data(a, sum) if live.remove(a) => read(sum, live),
        Command::HavocData(a, constraints) | Command::Draw(a, constraints) => {
            live.remove(a);
            for constraint in constraints {
                read(&constraint.sum, live);
            }
            live.remove(a);
        }
        Command::LoadData(a, ..) => {
            live.remove(a);
        }
        Command::Assume(constraint) => read(&constraint.sum, live),
        Command::StoreData(.., sum) => read(sum, live),
        Command::Call(call) => {
            if let Some(a) = call.to_data {
                live.remove(&a);
            }
            live.extend(&call.data);
        }
        _ => {}
    }
}

/// Heap variables whose value may still be read, by location.
pub(crate) fn live_heap(cfg: &Cfg) -> Vec<Vec<usize>> {
    let mut live: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); cfg.nodes.len()];
    loop {
        let mut changed = false;
        for (index, node) in cfg.nodes.iter().enumerate().rev() {
            let mut all = BTreeSet::new();
            if let Some(summary) = cfg.returns_from(index) {
                all.extend(summary.heap.iter().map(|param| param.old));
                all.extend(summary.heap_result.map(|result| result.var));
            }
            for edge in &node.edges {
                let mut set = match edge.to {
                    To::Node(to) => live.get(to).cloned().unwrap_or_default(),
                    To::Fail(_) => BTreeSet::new(),
                };
                for command in edge.commands.iter().rev() {
                    transfer_heap(command, &mut set);
                }
                all.extend(set);
            }
            if all != live[index] {
                live[index] = all;
                changed = true;
            }
        }
        if !changed {
            return live.into_iter().map(|set| set.into_iter().collect()).collect();
        }
    }
}

fn transfer_heap(command: &Command, live: &mut BTreeSet<usize>) {
    let mut read = |expr: &HExpr| {
        if let HExpr::Var(x) = expr {
            live.insert(*x);
        }
    };
    match command {
        Command::Assign(x, e) => {
            if live.remove(x)
                && let HExpr::Var(y) = e
            {
                live.insert(*y);
            }
        }
        Command::Havoc(x) | Command::New(x, ..) => {
            live.remove(x);
        }
        Command::Load(y, x, ..) => {
            live.remove(y);
            live.insert(*x);
        }
        Command::Equal(e, f) | Command::Different(e, f) => {
            read(e);
            read(f);
        }
        Command::Free(x)
        | Command::Release(x)
        | Command::LoadData(_, x, ..)
        | Command::StoreData(x, ..) => read(&HExpr::Var(*x)),
        Command::Store(x, .., e) => {
            read(&HExpr::Var(*x));
            read(e);
        }
        Command::Call(call) => {
            if let Some(x) = call.to_heap {
                live.remove(&x);
            }
            live.extend(&call.heap);
        }
        Command::Data(..) | Command::HavocData(..) | Command::Draw(..) | Command::Assume(_) => {}
        Command::Skip | Command::Fail => {}
    }
}
