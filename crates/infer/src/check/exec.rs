//! Commands on a path. What may go wrong, or is not understood, leaves the path stuck.

use arith::{Constraint, Sum};
use heap::run::Property;
use heap::{Check, Command, Expr, Region, Scalar};
use sl::core::Var;

use super::path::{Path, Value};
use super::{Checker, Stuck};
use crate::logic::Column;

/// `c ? a : b`.
fn choice(e: &Expr) -> Option<(&Expr, &Expr, &Expr)> {
    match e {
        Expr::If(condition, a, b) => Some((condition, a, b)),
        _ => None,
    }
}

type Paths = Result<Vec<Path>, Stuck>;

impl Checker<'_> {
    /// The paths after a command; calls of procedures with a body are not commands here.
    pub(super) fn command(&mut self, mut path: Path, command: &Command) -> Paths {
        let model = self.program.model;
        match command {
            Command::Skip => Ok(vec![path]),
            Command::Assign(to, e) => {
                // A truth value is known on each of two paths.
                let condition = match e {
                    Expr::Convert(_, inner) if inner.is_condition() => Some(&**inner),
                    e if e.is_condition() => Some(e),
                    _ => None,
                };
                if let Some(e) = condition {
                    let mut all = Vec::new();
                    for truth in [true, false] {
                        for mut path in self.assume(path.clone(), e, truth) {
                            let value = Value::Int(Sum::number(i128::from(truth)));
                            self.set(&mut path, to.index(), value);
                            all.push(path);
                        }
                    }
                    return Ok(all);
                }
                if let Some((condition, a, b)) = choice(e) {
                    let mut all = Vec::new();
                    for (truth, chosen) in [(true, a), (false, b)] {
                        for mut path in self.assume(path.clone(), condition, truth) {
                            let value = self.eval(&mut path, chosen);
                            self.set(&mut path, to.index(), value);
                            all.push(path);
                        }
                    }
                    return Ok(all);
                }
                let value = self.eval(&mut path, e);
                self.set(&mut path, to.index(), value);
                Ok(vec![path])
            }
            Command::Load { to, at, ty } => {
                let width = ty.bytes(model);
                if let Some(path) = self.constant(&mut path, at, width) {
                    let mut path = path?;
                    self.havoc(&mut path, to.index());
                    return Ok(vec![path]);
                }
                let mut all = Vec::new();
                for (mut path, at, offset) in self.places(path, at, width)? {
                    let value = self.read(&path, at, &offset, *ty, width);
                    self.set(&mut path, to.index(), value);
                    all.push(path);
                }
                Ok(all)
            }
            Command::Store { at, value, ty } => {
                let width = ty.bytes(model);
                let value = self.eval(&mut path, value);
                path.held.push(value);
                let mut all = Vec::new();
                for (mut path, at, offset) in self.places(path, at, width)? {
                    let value = path.held.pop().unwrap_or(Value::Any);
                    self.write(&mut path, at, &offset, *ty, width, value)?;
                    all.push(path);
                }
                Ok(all)
            }
            Command::Alloc { to, size, zeroed, region, .. } => {
                let size = match self.eval(&mut path, size) {
                    Value::Int(sum) => sum,
                    _ => Sum::var(path.fresh_int(&self.logic)),
                };
                let positive = Constraint::at_most(&Sum::number(0), &size);
                positive.into_iter().for_each(|c| path.heap.add_linear(c));
                let mut all = Vec::new();
                if self.malloc_may_fail && *region == Region::Heap {
                    let mut failed = path.clone();
                    failed.vars[to.index()] = Value::Loc(self.logic.loc as Var, 0);
                    all.push(failed);
                }
                let addr = path.fresh_loc(&self.logic);
                let kind = i128::from(*region == Region::Stack);
                path.add_object(&self.logic, addr, &size, kind, *zeroed);
                path.vars[to.index()] = Value::Loc(addr, 0);
                if *region == Region::Stack {
                    path.allocas.push(Value::Loc(addr, 0));
                }
                all.push(path);
                Ok(all)
            }
            Command::Free(e) => self.free(path, e),
            Command::Enter(id) => {
                let object = &self.program.proc(self.proc).objects[id.index()];
                let size = Sum::number(i128::from(self.program.size_of(&object.ty)));
                self.leave(&mut path, id.index())?;
                let addr = path.fresh_loc(&self.logic);
                path.add_object(&self.logic, addr, &size, 1, false);
                path.objects[id.index()] = Some(Value::Loc(addr, 0));
                Ok(vec![path])
            }
            Command::Leave(id) => {
                self.leave(&mut path, id.index())?;
                Ok(vec![path])
            }
            Command::Forget(var) => {
                path.vars[var.index()] = Value::Any;
                Ok(vec![path])
            }
            Command::Havoc(var) => {
                self.havoc(&mut path, var.index());
                Ok(vec![path])
            }
            Command::Assume(e) => Ok(self.assume(path, e, true)),
            Command::Assert(e, check) => {
                let matters = match check {
                    Check::Assertion | Check::Unreachable => {
                        self.properties.contains(&Property::Reach)
                    }
                    Check::Index | Check::Freed | Check::Length => true,
                    Check::Divisor => false,
                };
                if matters {
                    for failing in self.assume(path.clone(), e, false) {
                        if !self.is_impossible(&failing) {
                            return Err(Stuck::new("an assertion may fail"));
                        }
                    }
                }
                Ok(self.assume(path, e, true))
            }
            Command::AssumeFormula(_) => Ok(vec![path]),
            Command::AssertFormula(_) if self.properties.contains(&Property::Reach) => {
                Err(Stuck::new("an assertion is no condition"))
            }
            Command::AssertFormula(_) => Ok(vec![path]),
            Command::Unsupported(_) => Err(Stuck::new("something is not supported")),
            Command::Print { to, into: None, args } if self.is_plain_format(args) => {
                if let Some(to) = to {
                    self.havoc(&mut path, to.index());
                }
                Ok(vec![path])
            }
            Command::Fill { at, byte, size } => self.fill(path, at, byte, size),
            Command::Copy { to, from, size, .. } => self.copy(path, to, from, size),
            Command::Exit(_) | Command::Abort => Ok(Vec::new()),
            Command::Print { .. } => Err(Stuck::new("what is printed is not checked")),
            Command::Realloc { .. } => Err(Stuck::new("`realloc` is not checked")),
            Command::Call { .. } => Err(Stuck::new("a call is no command")),
        }
    }

    fn set(&self, path: &mut Path, var: usize, value: Value) {
        let ty = self.program.proc(self.proc).vars[var].ty;
        let null = Value::Loc(self.logic.loc as Var, 0);
        path.vars[var] = match (ty, value) {
            (Scalar::Ptr(_), Value::Int(sum)) if sum == Sum::number(0) => null,
            (Scalar::Ptr(_), Value::Int(_)) | (Scalar::Float(_), _) => Value::Any,
            (Scalar::Int(_), value) if value == null => Value::Int(Sum::number(0)),
            (Scalar::Int(_), Value::Loc(..) | Value::Within(..)) => Value::Any,
            (_, value) => value,
        };
    }

    pub(super) fn havoc(&self, path: &mut Path, var: usize) {
        path.vars[var] = match self.program.proc(self.proc).vars[var].ty {
            Scalar::Int(ty) => {
                let sum = Sum::var(path.fresh_int(&self.logic));
                if let Some((low, high)) = ty.bounds() {
                    let low = Constraint::at_most(&Sum::number(low), &sum);
                    let high = Constraint::at_most(&sum, &Sum::number(high));
                    low.into_iter().chain(high).for_each(|c| path.heap.add_linear(c));
                }
                Value::Int(sum)
            }
            Scalar::Ptr(_) | Scalar::Float(_) => Value::Any,
        };
    }

    /// Something is read from a constant of the program.
    fn constant(&self, path: &mut Path, at: &Expr, width: u64) -> Option<Result<Path, Stuck>> {
        let (at, start) = match self.eval(path, at) {
            Value::Loc(at, k) => (at, Sum::number(k)),
            Value::Within(at, k) => (at, k),
            Value::Int(_) | Value::Any => return None,
        };
        let number = self.globals.iter().position(|var| *var == at)?;
        let global = self.program.globals.get(number).filter(|g| g.constant)?;
        let last = i128::from(self.program.size_of(&global.ty)) - i128::from(width);
        let inside = path.proves(Constraint::at_most(&Sum::number(0), &start))
            && path.proves(Constraint::at_most(&start, &Sum::number(last)));
        Some(match inside {
            true => Ok(path.clone()),
            false => Err(Stuck::new("a constant is read outside of its bounds")),
        })
    }

    /// The objects that a pointer leads to, with the offset there.
    fn places(&self, path: Path, at: &Expr, width: u64) -> Result<Vec<(Path, Var, Sum)>, Stuck> {
        self.places_of(path, at, &Sum::number(i128::from(width)))
    }

    fn places_of(
        &self,
        mut path: Path,
        at: &Expr,
        width: &Sum,
    ) -> Result<Vec<(Path, Var, Sum)>, Stuck> {
        let (at, k) = match self.eval(&mut path, at) {
            Value::Loc(at, k) => (at, Sum::number(k)),
            Value::Within(at, k) => (at, k),
            Value::Int(_) | Value::Any => {
                return Err(Stuck::new("of a pointer nothing is known"));
            }
        };
        let mut all = Vec::new();
        for (path, at) in path.with_cell(&self.logic, at, 6)? {
            let (object, offset) = path.object(&self.logic, at)?;
            let offset = Sum::number(offset).plus(&k, 1).map(|sum| path.simplified(&sum));
            let Some(offset) = offset.filter(|offset| path.is_inside(object, offset, width)) else {
                return Err(Stuck::new("an access may be outside of its object"));
            };
            let addr = path.heap.cells().get(object).map_or(at, |cell| cell.addr);
            all.push((path, addr, offset));
        }
        Ok(all)
    }

    fn read(&self, path: &Path, at: Var, offset: &Sum, ty: Scalar, width: u64) -> Value {
        let ([], start) = (&offset.factors[..], offset.constant) else { return Value::Any };
        let Some(column) = Column::new(start, width, ty) else { return Value::Any };
        let place = self.column(column);
        let cell = path.heap.cell_at(at).map(|(_, cell)| cell);
        let field = place.and_then(|place| cell?.fields.get(1 + place).copied());
        match field {
            Some(var) if column.is_loc => Value::Loc(var, 0),
            Some(var) => Value::Int(path.simplified(&Sum::var(var))),
            None => Value::Any,
        }
    }

    /// The place of a column among those of the logic. One that is missing is asked for.
    fn column(&self, column: Column) -> Option<usize> {
        let place = self.logic.columns.iter().position(|c| *c == column);
        if place.is_none() {
            self.missing.borrow_mut().columns.insert(column);
        }
        place
    }

    fn write(
        &self,
        path: &mut Path,
        at: Var,
        offset: &Sum,
        ty: Scalar,
        width: u64,
        value: Value,
    ) -> Result<(), Stuck> {
        let constant = offset.factors.is_empty().then_some(offset.constant);
        let own = constant.and_then(|offset| Column::new(offset, width, ty));
        if let Some(column) = own {
            self.column(column);
        }
        let is_loc = ty.is_pointer();
        let null = self.logic.loc as Var;
        let width = Sum::number(i128::from(width));
        for (place, column) in self.logic.columns.iter().enumerate() {
            let end = column.offset + i128::from(column.width);
            if path.is_beside((column.offset, end), offset, &width) {
                continue;
            }
            let new = match &value {
                _ if Some(*column) != own => None,
                Value::Loc(var, k) if is_loc => self.location(path, *var, *k),
                Value::Int(sum) if is_loc && *sum == Sum::number(0) => Some(null),
                Value::Int(sum) if !is_loc => Some(path.int_var(&self.logic, sum)),
                Value::Loc(var, 0) if !is_loc && *var == null => {
                    Some(path.int_var(&self.logic, &Sum::number(0)))
                }
                _ => None,
            };
            let new = match new {
                Some(new) => new,
                None if column.is_loc => path.fresh_loc(&self.logic),
                None => path.fresh_int(&self.logic),
            };
            let cell = path.heap.cell_at(at).map(|(cell, _)| cell);
            cell.and_then(|cell| path.heap.set_field(cell, 1 + place, new))
                .ok_or_else(|| Stuck::new("an object is gone"))?;
        }
        Ok(())
    }

    fn free(&self, mut path: Path, e: &Expr) -> Paths {
        let null = self.logic.loc as Var;
        let (at, k) = match self.eval(&mut path, e) {
            Value::Int(sum) if sum == Sum::number(0) => return Ok(vec![path]),
            Value::Loc(at, 0) if at == null => return Ok(vec![path]),
            Value::Loc(at, k) => (at, k),
            _ => return Err(Stuck::new("of a pointer that is freed nothing is known")),
        };
        let mut all = Vec::new();
        if k == 0 && path.heap.cell_at(at).is_none() {
            let mut none = path.clone();
            if none.equate(&self.logic, at, null) {
                all.push(none);
            }
            path.heap.add_different(at, null);
            if !path.settle(&self.logic) {
                return Ok(all);
            }
        }
        for (mut path, at) in path.with_cell(&self.logic, at, 6)? {
            let (object, offset) = path.object(&self.logic, at)?;
            if offset.checked_add(k) != Some(0) || !path.is_on_heap(object) {
                return Err(Stuck::new(
                    "what is freed may not be the start of an object on the heap",
                ));
            }
            path.remove_object(&self.logic, object);
            all.push(path);
        }
        Ok(all)
    }

    /// A local object is gone.
    pub(super) fn leave(&self, path: &mut Path, object: usize) -> Result<(), Stuck> {
        if let Some(Value::Loc(at, 0)) = path.objects.get_mut(object).and_then(Option::take) {
            let (cell, _) = path
                .heap
                .cell_at(at)
                .ok_or_else(|| Stuck::new("a local object is part of a list"))?;
            path.remove_object(&self.logic, cell);
        }
        Ok(())
    }

    /// A format that reads no memory.
    fn is_plain_format(&self, args: &[Expr]) -> bool {
        let Some(Expr::Global(id)) = args.first() else { return false };
        let Some(global) = self.program.globals.get(id.index()).filter(|g| g.constant) else {
            return false;
        };
        let mut text = Vec::new();
        for (_, ty, e) in &global.init {
            match e {
                Expr::Int(n) if ty.bytes(self.program.model) == 1 => text.push(*n as u8),
                _ => return false,
            }
        }
        let mut conversions = text.split(|byte| *byte == b'%').skip(1);
        conversions.all(|rest| {
            let flags = |byte: &&u8| b"-+ #.0123456789hljztL".contains(byte);
            let kind = rest.iter().find(|byte| !flags(byte));
            kind.is_none_or(|kind| b"diuoxXcpfFeEgGaA%".contains(kind))
        })
    }

    /// So many bytes get one value.
    fn fill(&self, mut path: Path, at: &Expr, byte: &Expr, size: &Expr) -> Paths {
        let zero = self.eval(&mut path, byte) == Value::Int(Sum::number(0));
        let Value::Int(size) = self.eval(&mut path, size) else {
            return Err(Stuck::new("of the number of bytes nothing is known"));
        };
        let size = path.simplified(&size);
        if size == Sum::number(0) {
            return Ok(vec![path]);
        }
        if !path.proves(Constraint::at_most(&Sum::number(0), &size)) {
            return Err(Stuck::new("the number of bytes may be negative"));
        }
        let mut all = Vec::new();
        for (mut path, at, offset) in self.places_of(path, at, &size)? {
            let fixed = match (&offset.factors[..], &size.factors[..]) {
                ([], []) => Some((offset.constant, offset.constant.saturating_add(size.constant))),
                _ => None,
            };
            for (place, column) in self.logic.columns.iter().enumerate() {
                let last = column.offset + i128::from(column.width);
                if path.is_beside((column.offset, last), &offset, &size) {
                    continue;
                }
                let inside =
                    fixed.is_some_and(|(start, end)| start <= column.offset && last <= end);
                let value = match (zero && inside, column.is_loc) {
                    (true, true) => self.logic.loc as Var,
                    (true, false) => path.int_var(&self.logic, &Sum::number(0)),
                    (false, true) => path.fresh_loc(&self.logic),
                    (false, false) => path.fresh_int(&self.logic),
                };
                let cell = path.heap.cell_at(at).map(|(cell, _)| cell);
                cell.and_then(|cell| path.heap.set_field(cell, 1 + place, value))
                    .ok_or_else(|| Stuck::new("an object is gone"))?;
            }
            all.push(path);
        }
        Ok(all)
    }

    /// So many bytes are copied.
    fn copy(&self, mut path: Path, to: &Expr, from: &Expr, size: &Expr) -> Paths {
        let Value::Int(size) = self.eval(&mut path, size) else {
            return Err(Stuck::new("of the number of bytes nothing is known"));
        };
        let size = path.simplified(&size);
        if size == Sum::number(0) {
            return Ok(vec![path]);
        }
        if !path.proves(Constraint::at_most(&Sum::number(0), &size)) {
            return Err(Stuck::new("the number of bytes may be negative"));
        }
        let mut all = Vec::new();
        for (mut path, source, offset) in self.places_of(path, from, &size)? {
            path.held.push(Value::Loc(source, 0));
            for (mut path, target, start) in self.places_of(path, to, &size)? {
                let Some(Value::Loc(source, _)) = path.held.pop() else { continue };
                if source == target {
                    return Err(Stuck::new("bytes may be copied to where they are read"));
                }
                let old = path.heap.cell_at(source).map(|(_, cell)| cell.fields.clone());
                let old = old.ok_or_else(|| Stuck::new("an object is gone"))?;
                // Where all three are numbers it is known which place is copied where.
                let known = [&start, &offset, &size].iter().all(|sum| sum.factors.is_empty());
                let end = start.constant.saturating_add(size.constant);
                for (place, column) in self.logic.columns.iter().enumerate() {
                    let last = column.offset + i128::from(column.width);
                    if path.is_beside((column.offset, last), &start, &size) {
                        continue;
                    }
                    let inside = known && column.offset >= start.constant && last <= end;
                    let from = column.offset.saturating_sub(start.constant);
                    let there = from.checked_add(offset.constant).filter(|_| inside);
                    let there = there.map(|offset| Column { offset, ..*column });
                    let value = there.and_then(|there| self.column(there));
                    let value = match value.and_then(|same| old.get(1 + same).copied()) {
                        Some(var) => var,
                        None if column.is_loc => path.fresh_loc(&self.logic),
                        None => path.fresh_int(&self.logic),
                    };
                    let cell = path.heap.cell_at(target).map(|(cell, _)| cell);
                    cell.and_then(|cell| path.heap.set_field(cell, 1 + place, value))
                        .ok_or_else(|| Stuck::new("an object is gone"))?;
                }
                all.push(path);
            }
        }
        Ok(all)
    }
}
