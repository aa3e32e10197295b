//! Symbolic execution of commands ([MNCL06, Fig. 3]).

use std::collections::BTreeMap;
use std::sync::Arc;

use arith::Sum;
use heap::run::FaultKind;
use heap::{Callee, Check, Command, Expr, Region, Scalar, VarId};

use crate::engine::{Engine, Site};
use crate::eval::values_of;
use crate::heap::{Cell, Kind, Obj, State, as_global, as_procedure};
use crate::pure::Interval;
use crate::term::{Sym, Term};

/// A state before a call, what is called, and with what.
pub(crate) type Called = (State, heap::ProcId, Vec<Term>);

/// What a command leads to.
pub(crate) enum Next {
    /// States after it.
    States(Vec<State>),
    /// A call: states before it, each with what is called and with what.
    Calls(Vec<Called>, Option<VarId>),
}

impl Engine<'_> {
    /// Executes a command.
    pub(crate) fn execute(&mut self, site: Site, state: State, command: &Command) -> Next {
        let scope = self.scope(site);
        let mut exprs: Vec<&Expr> = Vec::new();
        match command {
            Command::Assign(_, e) | Command::Free(e) | Command::Exit(e) => exprs.push(e),
            Command::Load { at, .. } => exprs.push(at),
            Command::Store { at, value, .. } => exprs.extend([at, value]),
            Command::Alloc { size, .. } => exprs.push(size),
            Command::Call { args, .. } => exprs.extend(args),
            _ => {}
        }
        let states = state.split(&self.preds, &scope, &exprs);
        if let Command::Call { to, callee, args } = command {
            let mut calls = Vec::new();
            let mut after = Vec::new();
            for state in states {
                match self.callee(site, state, *to, callee, args) {
                    Some(Ok(call)) => calls.push(call),
                    Some(Err(done)) => after.push(done),
                    None => {}
                }
            }
            if calls.is_empty() {
                return Next::States(after);
            }
            // Procedures without a body are called through pointers together with others only in theory.
            if !after.is_empty() {
                self.gave_up(site, "a pointer leads to procedures with and without a body");
            }
            return Next::Calls(calls, *to);
        }
        let mut next = Vec::new();
        for state in states {
            next.extend(self.command(site, state, command));
        }
        Next::States(next)
    }

    /// The call that is made in a state, or the state after a procedure without a body.
    fn callee(
        &mut self,
        site: Site,
        mut state: State,
        to: Option<VarId>,
        callee: &Callee,
        args: &[Expr],
    ) -> Option<Result<Called, State>> {
        let scope = self.scope(site);
        let id = match callee {
            Callee::Proc(id) => *id,
            Callee::Pointer(e) => {
                let value = state.eval(&self.preds, &scope, e);
                let id =
                    Term::of_sum(&value).filter(|t| t.k == 0).and_then(|t| as_procedure(t.base?));
                match id {
                    Some(id) => id,
                    None => {
                        let unknown = !value.factors.is_empty();
                        let what = "a pointer that may lead to no procedure is called".into();
                        self.fault(site, FaultKind::InvalidCall, unknown, &state, what);
                        return None;
                    }
                }
            }
        };
        let program = self.program;
        let decl = program.proc(id);
        let mut values = Vec::new();
        for arg in args.iter().take(decl.params as usize) {
            let value = state.eval(&self.preds, &scope, arg);
            values.push(state.term(&value));
        }
        if decl.body.is_none() {
            if let Some(to) = to {
                self.havoc(site, &mut state, to);
            }
            return Some(Err(state));
        }
        Some(Ok((state, id, values)))
    }

    fn havoc(&self, site: Site, state: &mut State, var: VarId) {
        let ty = self.program.proc(site.proc).vars[var.index()].ty;
        let value = state.any(values_of(ty));
        state.vars.set(var.index(), value);
    }

    fn command(&mut self, site: Site, mut state: State, command: &Command) -> Vec<State> {
        let scope = self.scope(site);
        let model = self.program.model;
        match command {
            Command::Skip | Command::Call { .. } => vec![state],
            Command::Assign(var, e) => {
                let value = state.eval(&self.preds, &scope, e);
                let value = state.term(&value);
                state.vars.set(var.index(), value);
                vec![state]
            }
            Command::Load { to, at, ty } => {
                let width = ty.bytes(model);
                let mut next = Vec::new();
                for target in self.places(site, state, at, &Sum::number(i128::from(width)), false) {
                    for (mut state, obj, offset) in self.at_constants(site, target, at) {
                        let value = match offset {
                            Some(offset) => state.read(obj, offset, *ty, width),
                            None => self.read_anywhere(&mut state, obj, *ty),
                        };
                        let value = match ty {
                            Scalar::Float(_) => state.any(Interval::ANY),
                            _ => value,
                        };
                        state.vars.set(to.index(), value);
                        next.push(state);
                    }
                }
                next
            }
            Command::Store { at, value, ty } => {
                let width = ty.bytes(model);
                let mut next = Vec::new();
                for target in self.places(site, state, at, &Sum::number(i128::from(width)), true) {
                    for (mut state, obj, offset) in self.at_constants(site, target, at) {
                        let sum = state.eval(&self.preds, &scope, value);
                        let value = state.term(&sum);
                        match offset {
                            Some(offset) => state.write(obj, offset, *ty, width, value),
                            None => self.write_anywhere(&mut state, obj),
                        }
                        next.push(state);
                    }
                }
                next
            }
            Command::Alloc { to, size, zeroed, region, record } => {
                let size = state.eval(&self.preds, &scope, size);
                let size = state.term(&size);
                let at = state.heap.fresh();
                let kind = match region {
                    Region::Heap => Kind::Heap,
                    Region::Stack => Kind::Stack,
                };
                let obj = Obj {
                    size,
                    kind,
                    cells: BTreeMap::new(),
                    zeroed: *zeroed,
                    constant: false,
                    record: *record,
                };
                // A size that is negative is none.
                if !state.heap.pure.assume(&size.sum()) {
                    return Vec::new();
                }
                let mut next = Vec::new();
                if self.options.malloc_may_fail && kind == Kind::Heap {
                    let mut failed = state.clone();
                    failed.vars.set(to.index(), Term::NULL);
                    next.push(failed);
                }
                state.heap.objs.insert(at, Arc::new(obj));
                if kind == Kind::Stack {
                    state.allocas.push(at);
                }
                state.vars.set(to.index(), Term::sym(at));
                if state.normalise(&self.preds).is_ok() {
                    next.push(state);
                }
                next
            }
            Command::Realloc { to, from, size } => self.realloc(site, state, *to, from, size),
            Command::Free(e) => self.free(site, state, e),
            Command::Copy { to, from, size, may_overlap } => {
                self.copy(site, state, (to, from, size), *may_overlap)
            }
            Command::Fill { at, byte, size } => self.fill(site, state, at, byte, size),
            Command::Enter(id) => {
                let object = &self.program.proc(site.proc).objects[id.index()];
                let size = self.program.size_of(&object.ty);
                let at = match state.objects.get(&id.0) {
                    Some(at) => *at,
                    None => state.heap.fresh(),
                };
                state.objects.insert(id.0, at);
                let record = match &object.ty {
                    heap::Type::Record(id) => Some(*id),
                    _ => None,
                };
                let obj = Obj {
                    size: Term::int(i128::from(size)),
                    kind: Kind::Stack,
                    cells: BTreeMap::new(),
                    zeroed: false,
                    constant: false,
                    record,
                };
                state.heap.objs.insert(at, Arc::new(obj));
                vec![state]
            }
            Command::Leave(id) => {
                if let Some(at) = state.objects.remove(&id.0) {
                    self.gone(&mut state, at);
                }
                vec![state]
            }
            Command::Forget(var) => {
                let ty = self.program.proc(site.proc).vars[var.index()].ty;
                let value = state.any(values_of(ty));
                state.vars.set(var.index(), value);
                vec![state]
            }
            Command::Assume(e) => state.assume(&self.preds, &scope, e, true),
            Command::Assert(e, check) => {
                let failing = state.clone().assume(&self.preds, &scope, e, false);
                if let Some(failing) = failing.into_iter().next() {
                    let (kind, what) = match check {
                        Check::Assertion => (FaultKind::Assertion, "the assertion may fail"),
                        Check::Divisor => (FaultKind::DivisionByZero, "a divisor may be zero"),
                        Check::Unreachable => (FaultKind::ErrorReached, "the error may be reached"),
                        Check::Index => {
                            (FaultKind::OutOfBounds, "an index may be outside of its array")
                        }
                        Check::Freed => (FaultKind::InvalidFree, "what is freed may be null"),
                        Check::Length => {
                            (FaultKind::NegativeLength, "the length of an array may be negative")
                        }
                    };
                    self.fault(site, kind, false, &failing, what.into());
                }
                state.assume(&self.preds, &scope, e, true)
            }
            // Without it there are more paths.
            Command::AssumeFormula(_) => vec![state],
            Command::AssertFormula(claim) => {
                let what = match claim.in_logic() {
                    Err((why, _)) => format!("the assertion is not checked: {why}"),
                    Ok(_) => "the assertion is not checked".into(),
                };
                self.fault(site, FaultKind::Assertion, false, &state, what);
                vec![state]
            }
            Command::Unsupported(what) => {
                self.gave_up(site, what);
                Vec::new()
            }
            Command::Havoc(var) => {
                self.havoc(site, &mut state, *var);
                vec![state]
            }
            Command::Print { to, into, args } => self.print(site, state, *to, into.as_ref(), args),
            Command::Exit(_) | Command::Abort => Vec::new(),
        }
    }

    /// An object is no longer there; what leads to it leads nowhere.
    fn gone(&self, state: &mut State, at: Sym) {
        state.heap.objs.remove(&at);
        state.heap.pure.assume_disequal(Term::sym(at), Term::NULL);
    }

    /// A value at a place that is not known: one of those that are there, or anything.
    fn read_anywhere(&mut self, state: &mut State, obj: Sym, ty: Scalar) -> Term {
        let all_zero = state
            .heap
            .objs
            .get(&obj)
            .is_some_and(|o| o.zeroed && o.cells.values().all(|cell| cell.value == Term::NULL));
        if all_zero { Term::NULL } else { state.any(values_of(ty)) }
    }

    fn write_anywhere(&mut self, state: &mut State, obj: Sym) {
        state.clobber(obj);
    }

    fn free(&mut self, site: Site, state: State, e: &Expr) -> Vec<State> {
        let scope = self.scope(site);
        let mut next = Vec::new();
        let null = Expr::compare(heap::Comparison::Eq, e.clone(), Expr::Null);
        // A pointer of which nothing is known may be null.
        let mut probe = state.clone();
        match probe.decide(&self.preds, &scope, &null) {
            Some(true) => return vec![state],
            Some(false) => {}
            None => next.extend(state.clone().assume(&self.preds, &scope, &null, true)),
        }
        for state in state.assume(&self.preds, &scope, &null, false) {
            for mut target in self.targets(site, state, e, "freed") {
                let Some(obj) = target.state.heap.objs.get(&target.obj) else { continue };
                let start = target.offset.factors.is_empty() && target.offset.constant == 0;
                if obj.kind != Kind::Heap || !start {
                    let unknown = !target.offset.factors.is_empty();
                    let what =
                        "something is freed that is not the start of an object on the heap".into();
                    self.fault(site, FaultKind::InvalidFree, unknown, &target.state, what);
                    continue;
                }
                self.gone(&mut target.state, target.obj);
                next.push(target.state);
            }
        }
        next
    }

    fn realloc(
        &mut self,
        site: Site,
        state: State,
        to: VarId,
        from: &Expr,
        size: &Expr,
    ) -> Vec<State> {
        let scope = self.scope(site);
        let mut next = Vec::new();
        let null = Expr::compare(heap::Comparison::Eq, from.clone(), Expr::Null);
        let fresh = |engine: &Self, state: &mut State| {
            let size = state.eval(&engine.preds, &scope, size);
            let size = state.term(&size);
            state.heap.pure.assume(&size.sum());
            let at = state.heap.fresh();
            let obj = Obj {
                size,
                kind: Kind::Heap,
                cells: BTreeMap::new(),
                zeroed: false,
                constant: false,
                record: None,
            };
            (at, obj)
        };
        for mut state in state.clone().assume(&self.preds, &scope, &null, true) {
            let (at, obj) = fresh(self, &mut state);
            state.heap.objs.insert(at, Arc::new(obj));
            state.vars.set(to.index(), Term::sym(at));
            next.push(state);
        }
        for state in state.assume(&self.preds, &scope, &null, false) {
            if self.options.malloc_may_fail {
                let mut failed = state.clone();
                failed.vars.set(to.index(), Term::NULL);
                next.push(failed);
            }
            for mut target in self.targets(site, state, from, "reallocated") {
                let Some(old) = target.state.heap.objs.get(&target.obj).cloned() else { continue };
                let start = target.offset.factors.is_empty() && target.offset.constant == 0;
                if old.kind != Kind::Heap || !start {
                    let what =
                        "something is reallocated that is not the start of an object on the heap";
                    self.fault(site, FaultKind::InvalidFree, !start, &target.state, what.into());
                    continue;
                }
                let (at, mut obj) = fresh(self, &mut target.state);
                // What fits stays.
                let fits = |end: i128| obj.size.base.is_none() && end <= obj.size.k;
                let kept =
                    old.cells.iter().filter(|(at, cell)| fits(**at + i128::from(cell.width)));
                let kept: BTreeMap<i128, Cell> = kept.map(|(at, cell)| (*at, *cell)).collect();
                obj.cells = kept;
                obj.record = old.record;
                self.gone(&mut target.state, target.obj);
                target.state.heap.objs.insert(at, Arc::new(obj));
                target.state.vars.set(to.index(), Term::sym(at));
                next.push(target.state);
            }
        }
        next
    }

    fn copy(
        &mut self,
        site: Site,
        mut state: State,
        (to, from, size): (&Expr, &Expr, &Expr),
        may_overlap: bool,
    ) -> Vec<State> {
        let scope = self.scope(site);
        let bytes = state.eval(&self.preds, &scope, size);
        if bytes == Sum::number(0) {
            return vec![state];
        }
        let mut next = Vec::new();
        for source in self.places(site, state, from, &bytes, false) {
            for (state, source, offset) in self.at_constants(site, source, from) {
                for target in self.places(site, state, to, &bytes, true) {
                    if target.obj == source && !may_overlap {
                        let offset = offset.map(Sum::number);
                        let apart = offset.is_some_and(|offset| {
                            are_apart(&target.state, &offset, &target.offset, &bytes)
                        });
                        if !apart {
                            let what = "bytes may be copied to where they are read".into();
                            self.fault(site, FaultKind::OutOfBounds, true, &target.state, what);
                            continue;
                        }
                    }
                    for (mut state, target, start) in self.at_constants(site, target, to) {
                        // Unfolding for the target does not move the source.
                        match (offset, start, &bytes.factors[..]) {
                            (Some(offset), Some(start), []) => {
                                self.copy_cells(
                                    &mut state,
                                    source,
                                    offset,
                                    target,
                                    start,
                                    bytes.constant,
                                );
                            }
                            _ => state.clobber(target),
                        }
                        next.push(state);
                    }
                }
            }
        }
        next
    }

    fn copy_cells(
        &mut self,
        state: &mut State,
        source: Sym,
        offset: i128,
        target: Sym,
        start: i128,
        bytes: i128,
    ) {
        let Some(from) = state.heap.objs.get(&source).cloned() else { return };
        // What is there in part is copied as anything.
        let end = offset + bytes;
        let mut inside: Vec<(i128, Cell)> = Vec::new();
        for (at, cell) in from.cells.range(..end) {
            let (low, high) = (offset.max(*at), end.min(*at + i128::from(cell.width)));
            if high - low == i128::from(cell.width) {
                inside.push((*at, *cell));
            } else if low < high {
                let ty = Scalar::Int(heap::IntType::unsigned(8));
                let value = state.any(Interval::ANY);
                inside.push((low, Cell { width: (high - low) as u64, ty, value }));
            }
        }
        state.clear(target, start, bytes);
        let to_zeroed = state.heap.objs.get(&target).is_some_and(|obj| obj.zeroed);
        // Bytes between cells: zero or anything. An object with other bytes of the one kind says so for each.
        if to_zeroed != from.zeroed {
            let mut at = 0;
            let mut gaps = Vec::new();
            for (place, cell) in &inside {
                if *place - offset > at {
                    gaps.push((at, *place - offset - at));
                }
                at = *place - offset + i128::from(cell.width);
            }
            if at < bytes {
                gaps.push((at, bytes - at));
            }
            for (at, width) in gaps {
                if from.zeroed && width <= 512 {
                    // Eight bytes at a time, as they are likely to be read.
                    let mut done = 0;
                    while done < width {
                        let step = if (start + at + done) % 8 == 0 && width - done >= 8 {
                            8
                        } else if (start + at + done) % 4 == 0 && width - done >= 4 {
                            4
                        } else {
                            1
                        };
                        let ty = Scalar::Int(heap::IntType::signed((step * 8) as u8));
                        state.write(target, start + at + done, ty, step as u64, Term::NULL);
                        done += step;
                    }
                } else {
                    let value = state.any(Interval::ANY);
                    let ty = Scalar::Int(heap::IntType::unsigned(8));
                    if let Some(object) = state.heap.obj_mut(target) {
                        object.cells.insert(start + at, Cell { width: width as u64, ty, value });
                    }
                }
            }
        }
        for (place, cell) in inside {
            if let Some(object) = state.heap.obj_mut(target) {
                object.cells.insert(place - offset + start, cell);
            }
        }
    }

    fn fill(
        &mut self,
        site: Site,
        mut state: State,
        at: &Expr,
        byte: &Expr,
        size: &Expr,
    ) -> Vec<State> {
        let scope = self.scope(site);
        let bytes = state.eval(&self.preds, &scope, size);
        if bytes == Sum::number(0) {
            return vec![state];
        }
        let mut next = Vec::new();
        for target in self.places(site, state, at, &bytes, true) {
            for (mut state, obj, offset) in self.at_constants(site, target, at) {
                let byte = state.eval(&self.preds, &scope, byte);
                let size = state.heap.objs.get(&obj).map(|o| o.size);
                match (offset, &bytes.factors[..]) {
                    (Some(0), [])
                        if byte == Sum::number(0) && size == Some(Term::int(bytes.constant)) =>
                    {
                        if let Some(object) = state.heap.obj_mut(obj) {
                            object.cells.clear();
                            object.zeroed = true;
                        }
                    }
                    (Some(offset), []) if byte == Sum::number(0) && bytes.constant <= 512 => {
                        state.clear(obj, offset, bytes.constant);
                        let mut done = 0;
                        while done < bytes.constant {
                            let rest = bytes.constant - done;
                            let aligned = |n: i128| (offset + done) % n == 0 && rest >= n;
                            let step = if aligned(8) {
                                8
                            } else if aligned(4) {
                                4
                            } else {
                                1
                            };
                            let ty = Scalar::Int(heap::IntType::signed((step * 8) as u8));
                            state.write(obj, offset + done, ty, step as u64, Term::NULL);
                            done += step;
                        }
                    }
                    (Some(offset), []) => {
                        state.clear(obj, offset, bytes.constant);
                        let value = state.any(Interval::ANY);
                        if let Some(object) = state.heap.obj_mut(obj) {
                            let ty = Scalar::Int(heap::IntType::unsigned(8));
                            object
                                .cells
                                .insert(offset, Cell { width: bytes.constant as u64, ty, value });
                        }
                    }
                    _ => state.clobber(obj),
                }
                next.push(state);
            }
        }
        next
    }

    fn print(
        &mut self,
        site: Site,
        mut state: State,
        to: Option<VarId>,
        into: Option<&(Expr, Option<Expr>)>,
        args: &[Expr],
    ) -> Vec<State> {
        let scope = self.scope(site);
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let value = state.eval(&self.preds, &scope, arg);
            values.push(Term::of_sum(&value));
        }
        // The format, and strings that are read, must be constants of the program.
        let format = values.first().copied().flatten().and_then(|term| self.text(&state, term));
        let read = format.as_deref().and_then(strings_of);
        let Some(read) = read else {
            let what = "a format that is not understood is printed".into();
            self.fault(site, FaultKind::Wild, true, &state, what);
            return Vec::new();
        };
        for place in read {
            let known = values.get(place + 1).copied().flatten();
            if known.and_then(|term| self.text(&state, term)).is_none() {
                let what = "a string that is no constant is printed".into();
                self.fault(site, FaultKind::Wild, true, &state, what);
                return Vec::new();
            }
        }
        if let Some(to) = to {
            self.havoc(site, &mut state, to);
        }
        let Some((at, limit)) = into else { return vec![state] };
        let mut next = Vec::new();
        let bytes = match limit {
            Some(limit) => state.eval(&self.preds, &scope, limit),
            None => {
                self.fault(
                    site,
                    FaultKind::OutOfBounds,
                    true,
                    &state,
                    "text of any length is written".into(),
                );
                return Vec::new();
            }
        };
        for mut target in self.places(site, state, at, &bytes, true) {
            target.state.clobber(target.obj);
            next.push(target.state);
        }
        next
    }

    /// The text at a place of a constant of the program, without the zero at its end.
    fn text(&self, state: &State, at: Term) -> Option<Vec<u8>> {
        let number = as_global(at.base?)?;
        let global = self.program.globals.get(number as usize)?;
        if !global.constant || !global.zeroed || !state.heap.objs.contains_key(&at.base?) {
            return None;
        }
        let size = self.program.size_of(&global.ty);
        let start = u64::try_from(at.k).ok().filter(|start| *start < size)?;
        let mut bytes: BTreeMap<u64, u8> = BTreeMap::new();
        for (offset, ty, e) in &global.init {
            match e {
                Expr::Int(n) if ty.bytes(self.program.model) == 1 => {
                    bytes.insert(*offset, n.rem_euclid(256) as u8);
                }
                _ => return None,
            }
        }
        let mut text = Vec::new();
        for place in start..size {
            match bytes.get(&place) {
                None | Some(0) => return Some(text),
                Some(byte) => text.push(*byte),
            }
        }
        None
    }
}

/// Which of the values that a format mentions are strings. `None` if it writes through a pointer, or has what is
/// not known here.
fn strings_of(format: &[u8]) -> Option<Vec<usize>> {
    let mut strings = Vec::new();
    let mut values = 0;
    let mut rest = format.iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            continue;
        }
        loop {
            match rest.next()? {
                b'-' | b'+' | b' ' | b'#' | b'.' | b'0'..=b'9' => continue,
                b'h' | b'l' | b'j' | b'z' | b't' | b'L' => continue,
                b'*' => {
                    values += 1;
                    continue;
                }
                b'%' => {}
                b's' => {
                    strings.push(values);
                    values += 1;
                }
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b'p' => values += 1,
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => values += 1,
                _ => return None,
            }
            break;
        }
    }
    Some(strings)
}

/// Do so many bytes from two offsets of one object certainly not overlap?
fn are_apart(state: &State, a: &Sum, b: &Sum, bytes: &Sum) -> bool {
    let behind = |first: &Sum, second: &Sum| {
        let gap = second.plus(first, -1).and_then(|gap| gap.plus(bytes, -1));
        gap.is_some_and(|gap| state.heap.pure.entails(&gap))
    };
    behind(a, b) || behind(b, a)
}
