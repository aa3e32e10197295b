//! Statements as a list of steps with jumps, and the loops in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use viper::core::{Block, Expr, LabelId, LocalId, Stmt, StmtKind};

use crate::state::{Run, outside};

/// A step.
pub(crate) enum Step {
    /// A statement without statements inside, or `package`.
    Do(Stmt),
    /// Goes on at the next step if the condition holds, and there if not.
    Unless(Arc<Expr>, usize),
    Jump(usize),
    /// The head of a loop, if a jump leads back to it.
    Head {
        invariants: Vec<Arc<Expr>>,
        terminates: bool,
    },
    /// The state here can be looked back to.
    Label(LabelId),
}

/// A loop.
pub(crate) struct Loop {
    /// Steps in it.
    pub body: Vec<bool>,
    /// Variables that it changes.
    pub written: Vec<LocalId>,
}

/// A list of steps.
pub(crate) struct Code {
    pub steps: Vec<Step>,
    /// By head.
    pub loops: BTreeMap<usize, Loop>,
}

#[derive(Default)]
struct Building {
    steps: Vec<Step>,
    labels: BTreeMap<LabelId, usize>,
    jumps: Vec<(usize, LabelId)>,
}

/// The steps of a block.
pub(crate) fn flatten(block: &Block) -> Run<Code> {
    let mut building = Building::default();
    building.block(block);
    for (step, label) in std::mem::take(&mut building.jumps) {
        match building.labels.get(&label) {
            Some(target) => building.steps[step] = Step::Jump(*target),
            None => return outside("goto out of a proof script"),
        }
    }
    let steps = building.steps;
    let loops = loops(&steps)?;
    Ok(Code { steps, loops })
}

impl Building {
    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::If(condition, then, otherwise) => {
                let branch = self.push(Step::Jump(0));
                self.block(then);
                let skip = self.push(Step::Jump(0));
                self.steps[branch] = Step::Unless(condition.clone(), self.steps.len());
                self.block(otherwise);
                self.steps[skip] = Step::Jump(self.steps.len());
            }
            StmtKind::While { cond, invariants, decreases, body } => {
                let terminates = decreases.iter().any(|d| {
                    matches!(d.measure, viper::core::Measure::Tuple(_)) && d.condition.is_none()
                });
                let invariants = invariants.clone();
                let head = self.push(Step::Head { invariants, terminates });
                let branch = self.push(Step::Jump(0));
                self.block(body);
                self.push(Step::Jump(head));
                self.steps[branch] = Step::Unless(cond.clone(), self.steps.len());
            }
            StmtKind::Label(label, invariants) => {
                let head = Step::Head { invariants: invariants.clone(), terminates: false };
                let at = self.push(head);
                self.labels.insert(*label, at);
                self.push(Step::Label(*label));
            }
            StmtKind::Goto(label) => {
                let at = self.push(Step::Jump(0));
                self.jumps.push((at, *label));
            }
            _ => {
                self.push(Step::Do(stmt.clone()));
            }
        }
    }

    fn push(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }
}

fn successors(steps: &[Step], at: usize) -> Vec<usize> {
    match steps.get(at) {
        None => Vec::new(),
        Some(Step::Jump(to)) => vec![*to],
        Some(Step::Unless(_, to)) => vec![at + 1, *to],
        Some(_) => vec![at + 1],
    }
}

/// What can be reached from a step without passing another.
fn reachable(steps: &[Step], from: usize, without: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; steps.len() + 1];
    let mut todo = vec![from];
    while let Some(at) = todo.pop() {
        if Some(at) == without || seen[at] {
            continue;
        }
        seen[at] = true;
        todo.extend(successors(steps, at));
    }
    seen
}

/// Natural loops: the head dominates all jumps back to it.
fn loops(steps: &[Step]) -> Run<BTreeMap<usize, Loop>> {
    let live = reachable(steps, 0, None);
    let mut loops: BTreeMap<usize, Loop> = BTreeMap::new();
    for (from, step) in steps.iter().enumerate() {
        for head in successors(steps, from) {
            if head > from || !live[from] || !matches!(step, Step::Jump(_)) {
                continue;
            }
            if !reachable(steps, head, None)[from] {
                continue;
            }
            if reachable(steps, 0, Some(head))[from] && head != 0 {
                return outside("irreducible control flow");
            }
            let mut body = vec![false; steps.len() + 1];
            body[head] = true;
            let mut todo = vec![from];
            while let Some(at) = todo.pop() {
                if body[at] {
                    continue;
                }
                body[at] = true;
                for (before, _) in steps.iter().enumerate() {
                    if live[before] && successors(steps, before).contains(&at) {
                        todo.push(before);
                    }
                }
            }
            let entry = loops.entry(head).or_insert_with(|| Loop {
                body: vec![false; steps.len() + 1],
                written: Vec::new(),
            });
            for (known, new) in entry.body.iter_mut().zip(&body) {
                *known |= new;
            }
        }
    }
    for found in loops.values_mut() {
        for (step, _) in steps.iter().zip(&found.body).filter(|(_, inside)| **inside) {
            if let Step::Do(stmt) = step {
                written(stmt, &mut found.written);
            }
        }
    }
    Ok(loops)
}

fn written(stmt: &Stmt, out: &mut Vec<LocalId>) {
    match &stmt.kind {
        StmtKind::Var(x) | StmtKind::Assign(x, _) | StmtKind::New(x, _) => out.push(*x),
        StmtKind::Call { targets, .. } => out.extend(targets),
        StmtKind::Package(_, script) => {
            script.walk_stmts(&mut |inner| {
                if !matches!(inner.kind, StmtKind::Package(..)) {
                    written(inner, out);
                }
                true
            });
        }
        _ => {}
    }
}
