//! Calls: the callee's entry beside a frame before, one of its exits beside the frame after. And what global objects hold
//! at the start.

use arith::Sum;
use heap::{Callee, Expr, LocId, ProcId, VarId};
use shape::{CallStates, State, Sym, Term};
use sl::core::{SymHeap, Var};

use super::path::{Path, Value};
use super::states::When;
use super::{Checker, Place, Stuck};
use crate::logic::{Column, Root};

impl Checker<'_> {
    /// The paths after a call.
    pub(super) fn call(
        &mut self,
        caller: usize,
        at: LocId,
        mut path: Path,
        to: Option<VarId>,
        callee: &Callee,
        args: &[Expr],
    ) -> Result<Vec<Path>, Stuck> {
        let callee = match callee {
            Callee::Proc(id) => *id,
            Callee::Pointer(e) => {
                let value = self.eval(&mut path, e);
                let known = |(_, var): &(&ProcId, &Var)| value == Value::Loc(**var, 0);
                let found = self.procs.iter().find(known);
                *found.ok_or_else(|| Stuck::new("a pointer that is called may lead nowhere"))?.0
            }
        };
        if self.program.proc(callee).body.is_none() {
            if let Some(to) = to {
                self.havoc(&mut path, to.index());
            }
            return Ok(vec![path]);
        }
        let certificate = self.certificate;
        let made = certificate.calls.iter().enumerate().filter(|(_, call)| {
            call.caller == caller
                && call.site.proc == self.proc
                && call.site.at == at
                && certificate.summaries.get(call.callee).is_some_and(|s| s.proc == callee)
        });
        let made: Vec<(usize, &CallStates)> = made.collect();
        let values: Vec<Value> = args.iter().map(|arg| self.eval(&mut path, arg)).collect();
        let mut left = self.heap_at_end(&mut path);
        let decl = self.program.proc(callee);
        for (i, (value, var)) in values.iter().zip(&decl.vars).enumerate() {
            let is_loc = var.ty.is_pointer();
            let name = self.variable(&mut path.scope, When::After, "p", i, is_loc);
            let zero = matches!(value, Value::Int(sum) if *sum == Sum::number(0));
            match value {
                _ if is_loc && zero => left.add_equal(name, self.logic.loc as Var),
                value => self.name(&path, &mut left, name, is_loc, value),
            }
        }
        let mut right = Vec::new();
        for (number, call) in made {
            let Some(summary) = certificate.summaries.get(call.callee) else { continue };
            let Some(before) = beside(&call.frame, &call.anchors, &summary.entry) else { continue };
            let mut roots = self.roots(&mut path.scope, When::After, &before.state);
            let params = decl.vars.iter().take(decl.params as usize);
            for (i, var) in params.enumerate() {
                if !matches!(var.ty, heap::Scalar::Float(_)) {
                    let is_loc = var.ty.is_pointer();
                    let name = self.variable(&mut path.scope, When::After, "p", i, is_loc);
                    roots.push(Root { var: name, is_loc, value: before.callee.get(i) });
                }
            }
            right.push((number, self.assertion(0, &before.state, &roots)));
        }
        let scope = path.scope.clone();
        let heaps: Vec<SymHeap> = right.iter().map(|(_, heap)| heap.clone()).collect();
        let mut why = "no state of the analysis gets there".to_owned();
        let mut found = self.guess(&scope, &left, &heaps);
        if found.is_none() {
            for i in self.likely(&left, &heaps) {
                let Some(heap) = heaps.get(i) else { continue };
                match self.prove(&scope, &left, std::slice::from_ref(heap)) {
                    Ok(()) => found = Some(i),
                    Err(reason) => why = reason,
                }
                if found.is_some() {
                    break;
                }
            }
        }
        let Some((number, _)) = found.and_then(|i| right.get(i)) else {
            let of_call = |(number, _): &(usize, SymHeap)| {
                let callee = certificate.calls.get(*number).map(|call| call.callee);
                callee.into_iter().map(Place::Entry).chain([Place::Frame(*number)])
            };
            let claims = right.iter().flat_map(of_call).collect();
            let what = format!("what a call needs is not shown: {why}");
            return Err(Stuck { what, claims });
        };
        // What comes behind a call depends on nothing but the frame and the callee's exits.
        let call = certificate.calls.get(*number).filter(|_| self.made.insert(*number));
        Ok(call.map_or_else(Vec::new, |call| self.after(call, to)))
    }

    fn after(&self, call: &CallStates, to: Option<VarId>) -> Vec<Path> {
        let Some(summary) = self.certificate.summaries.get(call.callee) else {
            return Vec::new();
        };
        let mut paths = Vec::new();
        for exit in &summary.exits {
            let Some(mut after) = beside(&call.frame, &call.anchors, exit) else { continue };
            if let Some(to) = to {
                after.state.vars.set(to.index(), after.callee.get(0));
            }
            paths.extend(self.load(0, &after.state));
        }
        paths
    }

    /// What global objects hold at the start of the program.
    pub(super) fn initialise(&self, path: &mut Path) {
        for (i, global) in self.program.globals.iter().enumerate().filter(|(_, g)| !g.constant) {
            for (offset, ty, value) in &global.init {
                let (offset, width) = (i128::from(*offset), ty.bytes(self.program.model));
                let own = Column::new(offset, width, *ty);
                let is_loc = ty.is_pointer();
                let value = self.eval(path, value);
                for (place, column) in self.logic.columns.iter().enumerate() {
                    let end = column.offset + i128::from(column.width);
                    if end <= offset || offset + i128::from(width) <= column.offset {
                        continue;
                    }
                    let null = self.logic.loc as Var;
                    let new = match &value {
                        _ if Some(*column) != own => None,
                        Value::Loc(at, k) if is_loc => self.location(path, *at, *k),
                        Value::Int(sum) if is_loc && *sum == Sum::number(0) => Some(null),
                        Value::Int(sum) if !is_loc => Some(path.int_var(&self.logic, sum)),
                        _ => None,
                    };
                    let new = match new {
                        Some(new) => new,
                        None if column.is_loc => path.fresh_loc(&self.logic),
                        None => path.fresh_int(&self.logic),
                    };
                    if let Some((cell, _)) = path.heap.cell_at(self.globals[i]) {
                        path.heap.set_field(cell, 1 + place, new);
                    }
                }
            }
        }
    }
}

/// A state of the callee beside a frame.
struct Beside {
    /// Both, with the caller's variables.
    state: State,
    /// The callee's variables.
    callee: shape::Vars,
}

/// The frame and a state of the callee as one, in which the callee's anchors are the symbols of the frame that they stand
/// for; none if they contradict each other.
fn beside(frame: &State, anchors: &[Sym], callee: &State) -> Option<Beside> {
    let mut state = frame.clone();
    let base = state.heap.fresh;
    let rename = |sym: Sym| if shape::is_rigid(sym) { sym } else { Sym(sym.0 + base) };
    let term = |t: Term| Term { base: t.base.map(rename), k: t.k };
    for (sym, anchor) in anchors.iter().zip(&callee.anchors) {
        let by = term(*anchor);
        state.heap.replace(*sym, by).ok()?;
        state.vars.values_mut().chain(&mut state.anchors).for_each(|t| *t = t.replace(*sym, by));
        if let Some(base) = by.base {
            let stack = state.objects.values_mut().chain(&mut state.allocas);
            stack.filter(|own| **own == *sym).for_each(|own| *own = base);
        }
    }
    for (at, obj) in &callee.heap.objs {
        let mut obj = (**obj).clone();
        obj.size = term(obj.size);
        obj.cells.values_mut().for_each(|cell| cell.value = term(cell.value));
        state.heap.objs.insert(rename(*at), std::sync::Arc::new(obj));
    }
    state.heap.segs.extend(callee.heap.segs.iter().map(|seg| seg.map(&term)));
    let pure = callee.heap.pure.rename(&|sym| Term::sym(rename(sym)));
    for (sym, range) in &pure.bounds {
        state.heap.pure.bound(*sym, *range);
    }
    state.heap.pure.different.extend(pure.different);
    state.heap.pure.linear.extend(pure.linear);
    state.heap.fresh = base + callee.heap.fresh;
    let mut vars = callee.vars.clone();
    vars.values_mut().for_each(|t| *t = term(*t));
    Some(Beside { state, callee: vars })
}
