//! States of the analysis on paths: what their names are, as assertions and as where paths start.

use std::collections::BTreeSet;

use arith::{Constraint, Sum};
use heap::{Expr, LocId, Out, ProcId, Program, Scalar};
use report::Pos;
use shape::{State, Term};
use sl::core::{Scope, SymHeap, Var};

use super::path::{Path, Value};
use super::{Checker, MOST, Open, Place};
use crate::logic::{Encoder, Root};

/// Which variables of a scope values are those of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// At the start of a path.
    Before,
    /// At its end.
    After,
}

/// The procedures that something may hold the address of.
pub(super) fn addressed(program: &Program) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    let mut look = |e: &Expr| {
        e.for_each(&mut |e| {
            if let Expr::Proc(id) = e {
                found.insert(*id);
            }
        });
    };
    let bodies = program.procs.iter().filter_map(|proc| proc.body.as_ref());
    for location in bodies.flat_map(|body| &body.locations) {
        match &location.out {
            Out::Do(command, _) => command.for_each_expr(&mut look),
            Out::Branch(e, ..) => look(e),
            Out::Choose(_) | Out::Return => {}
        }
    }
    program.globals.iter().flat_map(|global| &global.init).for_each(|(_, _, e)| look(e));
    found
}

/// Places further away than this are not asked for.
const NEAR: u128 = 1 << 12;

impl Checker<'_> {
    /// The address of a procedure.
    pub(super) fn procedure(&self, id: ProcId) -> Option<Var> {
        self.procs.get(&id).copied()
    }

    /// Addresses of procedures are not null, and each is another: of those that a heap mentions.
    fn know_procedures(&self, heap: &mut SymHeap) {
        if self.procs.is_empty() {
            return;
        }
        let mentioned = heap.vars();
        let vars: Vec<Var> =
            self.procs.values().filter(|var| mentioned.contains(var)).copied().collect();
        for (i, var) in vars.iter().enumerate() {
            heap.add_different(*var, self.logic.loc as Var);
            vars.iter().skip(i + 1).for_each(|other| heap.add_different(*var, *other));
        }
    }

    /// The location so many bytes behind another, if it has a name. One in an object, or near it, that has none is asked
    /// for.
    pub(super) fn location(&self, path: &Path, at: Var, k: i128) -> Option<Var> {
        let found = path.resolve(&self.logic, at, k);
        if found.is_none()
            && let Ok((_, offset)) = path.object(&self.logic, at)
            && let Some(total) = offset.checked_add(k).filter(|total| total.unsigned_abs() < NEAR)
        {
            self.missing.borrow_mut().middles.insert(total);
        }
        found
    }

    /// A claim was not shown.
    pub(super) fn fail(&mut self, claims: &[Place], why: &str) {
        for claim in claims {
            self.failed.entry(*claim).or_insert_with(|| why.to_owned());
        }
    }

    pub(super) fn open(&mut self, pos: Pos, what: String) {
        let open = Open { proc: self.proc, pos, what };
        if self.report.open.len() < MOST && !self.report.open.contains(&open) {
            self.report.open.push(open);
        }
    }

    pub(super) fn pos(&self, at: LocId) -> Pos {
        let body = self.program.proc(self.proc).body.as_ref();
        body.and_then(|body| body.locations.get(at.index())).map_or(Pos::None, |l| l.pos)
    }

    /// A variable of the scope for something of the procedure.
    pub(super) fn variable(
        &self,
        scope: &mut Scope,
        when: When,
        kind: &str,
        i: usize,
        is_loc: bool,
    ) -> Var {
        let word = if when == When::Before { "before" } else { "after" };
        let sort = if is_loc { self.logic.loc } else { self.logic.int };
        scope.declare(format!("{word} {kind}{i}"), sort)
    }

    /// Logical variables: they are the same before and after.
    pub(super) fn anchor(&self, scope: &mut Scope, i: usize, is_loc: bool) -> Var {
        let (word, sort) = if is_loc { ("a", self.logic.loc) } else { ("b", self.logic.int) };
        scope.declare(format!("{word}{i}"), sort)
    }

    /// Which logical variables are locations: those that are no numbers when the procedure is entered.
    pub(super) fn anchor_sorts(&self, entry: &State) -> Vec<bool> {
        let vars = &self.program.proc(self.proc).vars;
        let is_number = |value: &Term| {
            let number = |term: &Term, ty: Scalar| term.base == value.base && !ty.is_pointer();
            let own = vars.iter().enumerate().any(|(i, var)| number(&entry.vars.get(i), var.ty));
            let cells = entry.heap.objs.values().flat_map(|obj| obj.cells.values());
            let loc = value.base.is_some_and(|sym| entry.heap.is_place(sym));
            !loc && (own || cells.into_iter().any(|cell| number(&cell.value, cell.ty)))
        };
        entry.anchors.iter().map(|value| value.base.is_none() || !is_number(value)).collect()
    }

    /// What the names of a procedure are in a state.
    pub(super) fn roots(&self, scope: &mut Scope, when: When, state: &State) -> Vec<Root> {
        let mut roots = Vec::new();
        let vars = &self.program.proc(self.proc).vars;
        for (i, value) in state.vars.iter() {
            let Some(var) = vars.get(i) else { continue };
            let is_loc = var.ty.is_pointer();
            if !matches!(var.ty, Scalar::Float(_)) {
                let var = self.variable(scope, when, "x", i, is_loc);
                roots.push(Root { var, is_loc, value });
            }
        }
        for (id, sym) in &state.objects {
            let var = self.variable(scope, when, "o", *id as usize, true);
            roots.push(Root { var, is_loc: true, value: Term::sym(*sym) });
        }
        for (i, sym) in state.allocas.iter().enumerate() {
            let var = self.variable(scope, when, "s", i, true);
            roots.push(Root { var, is_loc: true, value: Term::sym(*sym) });
        }
        roots.extend(self.anchor_roots(scope, state));
        roots
    }

    pub(super) fn anchor_roots(&self, scope: &mut Scope, state: &State) -> Vec<Root> {
        let mut roots = Vec::new();
        for (i, (value, is_loc)) in state.anchors.iter().zip(&self.anchors).enumerate() {
            let var = self.anchor(scope, i, *is_loc);
            roots.push(Root { var, is_loc: *is_loc, value: *value });
        }
        roots
    }

    /// A state as an assertion.
    pub(super) fn assertion(&self, group: usize, state: &State, roots: &[Root]) -> SymHeap {
        let mut encoder = Encoder::new(&self.logic, group);
        for (i, var) in self.globals.iter().enumerate() {
            encoder.know_loc(shape::global(i as u32), *var);
        }
        for (id, var) in &self.procs {
            encoder.know_loc(shape::procedure(*id), *var);
        }
        let mut heap = encoder.state(state, roots, &|_, obj| obj.constant);
        heap.set_open(!self.closed);
        heap
    }

    /// The path that starts in a state; none if there is no such state.
    pub(super) fn load(&self, group: usize, state: &State) -> Option<Path> {
        let mut scope = self.base.clone();
        let roots = self.roots(&mut scope, When::Before, state);
        let mut heap = self.assertion(group, state, &roots).skolemised(&mut scope);
        self.know_procedures(&mut heap);
        let mut vars = Vec::new();
        for (i, var) in self.program.proc(self.proc).vars.iter().enumerate() {
            let is_loc = var.ty.is_pointer();
            let known = state.vars.get(i) != Term::DEAD;
            vars.push(match var.ty {
                Scalar::Float(_) => Value::Any,
                _ if !known => Value::Any,
                _ => {
                    let var = self.variable(&mut scope, When::Before, "x", i, is_loc);
                    match state.vars.get(i) {
                        _ if is_loc => Value::Loc(var, 0),
                        Term { base: None, k } => Value::Int(Sum::number(k)),
                        _ => Value::Int(Sum::var(var)),
                    }
                }
            });
        }
        let mut local = |kind: &str, i: usize| {
            Value::Loc(self.variable(&mut scope, When::Before, kind, i, true), 0)
        };
        let objects = (0..self.program.proc(self.proc).objects.len())
            .map(|i| state.objects.contains_key(&(i as u32)).then(|| local("o", i)))
            .collect();
        let allocas = (0..state.allocas.len()).map(|i| local("s", i)).collect();
        let anchors = self.anchors.iter().enumerate().map(|(i, is_loc)| {
            let var = self.anchor(&mut scope, i, *is_loc);
            if *is_loc { Value::Loc(var, 0) } else { Value::Int(Sum::var(var)) }
        });
        let anchors = anchors.collect();
        let mut path = Path { scope, heap, vars, objects, allocas, anchors, held: Vec::new() };
        path.settle(&self.logic).then_some(path)
    }

    /// The heap of a path with what its names are at its end.
    pub(super) fn heap_at_end(&self, path: &mut Path) -> SymHeap {
        let mut heap = path.heap.clone();
        let vars = path.vars.clone();
        for (i, (var, value)) in self.program.proc(self.proc).vars.iter().zip(&vars).enumerate() {
            if !matches!(var.ty, Scalar::Float(_)) {
                let is_loc = var.ty.is_pointer();
                let name = self.variable(&mut path.scope, When::After, "x", i, is_loc);
                self.name(path, &mut heap, name, is_loc, value);
            }
        }
        for (i, value) in path.objects.clone().iter().enumerate() {
            if let Some(value) = value {
                let name = self.variable(&mut path.scope, When::After, "o", i, true);
                self.name(path, &mut heap, name, true, value);
            }
        }
        for (i, value) in path.allocas.clone().iter().enumerate() {
            let name = self.variable(&mut path.scope, When::After, "s", i, true);
            self.name(path, &mut heap, name, true, value);
        }
        self.name_anchors(path, &mut heap);
        heap
    }

    pub(super) fn name_anchors(&self, path: &mut Path, heap: &mut SymHeap) {
        for (i, value) in path.anchors.clone().iter().enumerate() {
            let is_loc = self.anchors.get(i).copied().unwrap_or(true);
            let name = self.anchor(&mut path.scope, i, is_loc);
            self.name(path, heap, name, is_loc, value);
        }
    }

    /// A variable is a value.
    pub(super) fn name(
        &self,
        path: &Path,
        heap: &mut SymHeap,
        name: Var,
        is_loc: bool,
        value: &Value,
    ) {
        match value {
            Value::Loc(at, k) if is_loc => {
                if let Some(var) = self.location(path, *at, *k).filter(|var| *var != name) {
                    heap.add_equal(name, var);
                }
            }
            Value::Int(sum) if !is_loc => {
                if let Some(equal) = Constraint::equal(&Sum::var(name), sum) {
                    heap.add_linear(equal);
                }
            }
            _ => {}
        }
    }
}
