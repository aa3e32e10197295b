//! A path of the check: a symbolic heap over variables of a scope, and the values of a procedure's variables there.

use arith::{Constraint, Sum};
use sl::core::{Pure, Scope, SymHeap, Var};

use super::Stuck;
use crate::logic::Logic;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// So many bytes behind a location.
    Loc(Var, i128),
    /// The same where the distance is not one number.
    Within(Var, Sum),
    /// A number.
    Int(Sum),
    /// Nothing is known.
    Any,
}

impl Value {
    /// A location, and how far behind it.
    pub(super) fn place(&self) -> Option<(Var, Sum)> {
        match self {
            Value::Loc(at, k) => Some((*at, Sum::number(*k))),
            Value::Within(at, k) => Some((*at, k.clone())),
            Value::Int(_) | Value::Any => None,
        }
    }
}

/// What holds on a path. The heap has no existential variables.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) scope: Scope,
    pub(super) heap: SymHeap,
    pub(super) vars: Vec<Value>,
    pub(super) objects: Vec<Option<Value>>,
    pub(super) allocas: Vec<Value>,
    /// What the logical variables of the procedure are.
    pub(super) anchors: Vec<Value>,
    /// Values that a command under way works with.
    pub(super) held: Vec<Value>,
}

/// An object on a path: where its cell is.
pub(super) type Cell = usize;

impl Path {
    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.vars
            .iter_mut()
            .chain(self.objects.iter_mut().flatten())
            .chain(&mut self.allocas)
            .chain(&mut self.anchors)
            .chain(&mut self.held)
    }

    fn substitute(&mut self, from: Var, to: Var) {
        self.heap = self.heap.substitute(|v| if v == from { to } else { v });
        for value in self.values_mut() {
            if let Value::Loc(var, _) | Value::Within(var, _) = value
                && *var == from
            {
                *var = to;
            }
        }
    }

    /// Adds that two locations are equal, and draws conclusions. `false` if that is a contradiction.
    pub(super) fn equate(&mut self, logic: &Logic, a: Var, b: Var) -> bool {
        self.heap.add_equal(a, b);
        self.settle(logic)
    }

    /// Replaces what is equal, and takes away instances that are empty. `false` if there is no such heap.
    pub(super) fn settle(&mut self, logic: &Logic) -> bool {
        let null = logic.loc as Var;
        loop {
            if let Some((a, b)) = self.heap.equations().first().copied() {
                let mut first = true;
                self.heap.retain_pure(|atom| {
                    let gone = matches!(atom, Pure::Equal(..)) && std::mem::take(&mut first);
                    !gone
                });
                if a == b {
                    continue;
                }
                // Null stays, and so do the names of global objects, which come first in the scope.
                let (from, to) = if a < b { (b, a) } else { (a, b) };
                self.substitute(from, to);
                continue;
            }
            if self.heap.disequations().iter().any(|(a, b)| a == b) {
                return false;
            }
            let mut seen: Vec<Var> = self.heap.cells().iter().map(|cell| cell.addr).collect();
            seen.extend(self.heap.calls().iter().filter_map(|call| {
                logic.is_nonempty(call.pred).then(|| call.args.first().copied()).flatten()
            }));
            seen.push(null);
            seen.sort_unstable();
            if seen.windows(2).any(|pair| pair[0] == pair[1]) {
                return false;
            }
            // Where something else is an instance that may be empty is.
            let empty = self.heap.calls().iter().position(|call| {
                !logic.is_nonempty(call.pred)
                    && call.args.first().is_some_and(|root| seen.binary_search(root).is_ok())
            });
            let Some(call) = empty else { break };
            let Ok(heap) = self.heap.unfold(&self.scope, call, 0) else { return true };
            self.heap = heap;
        }
        !arith::contradictory(self.heap.constraints())
    }

    /// Does this certainly hold of numbers?
    pub(super) fn proves(&self, constraint: Option<Constraint>) -> bool {
        constraint.is_some_and(|c| c.is_trivial() || arith::implies(self.heap.constraints(), &c))
    }

    /// A new location.
    pub(super) fn fresh_loc(&mut self, logic: &Logic) -> Var {
        self.scope.fresh("l", logic.loc)
    }

    /// A new number.
    pub(super) fn fresh_int(&mut self, logic: &Logic) -> Var {
        self.scope.fresh("n", logic.int)
    }

    /// A variable that is this sum.
    pub(super) fn int_var(&mut self, logic: &Logic, sum: &Sum) -> Var {
        if let ([(var, 1)], 0) = (&sum.factors[..], sum.constant) {
            return *var;
        }
        let var = self.fresh_int(logic);
        if let Some(equal) = Constraint::equal(&Sum::var(var), sum) {
            self.heap.add_linear(equal);
        }
        var
    }

    /// The same sum with numbers in place of the variables that certainly are such.
    pub(super) fn simplified(&self, sum: &Sum) -> Sum {
        let mut simple = Sum::number(sum.constant);
        for (var, factor) in &sum.factors {
            let part = match self.constant(*var) {
                Some(number) => Sum::number(number),
                None => Sum::var(*var),
            };
            match simple.plus(&part, *factor) {
                Some(more) => simple = more,
                None => return sum.clone(),
            }
        }
        simple
    }

    /// So many bytes behind a location.
    pub(super) fn behind(&self, at: Var, distance: &Sum) -> Value {
        let distance = self.simplified(distance);
        match &distance.factors[..] {
            [] => Value::Loc(at, distance.constant),
            _ => Value::Within(at, distance),
        }
    }

    /// The number that a variable certainly is.
    fn constant(&self, var: Var) -> Option<i128> {
        self.heap.constraints().iter().find_map(|c| {
            let [(v, factor)] = c.sum.factors[..] else { return None };
            let equal = v == var && c.relation == arith::Relation::Zero;
            (equal && c.sum.constant % factor == 0).then(|| -(c.sum.constant / factor))
        })
    }

    /// The states in which there is a cell at a location: instances are unfolded where it is their first node, or their
    /// last.
    pub(super) fn with_cell(
        mut self,
        logic: &Logic,
        at: Var,
        depth: usize,
    ) -> Result<Vec<(Path, Var)>, Stuck> {
        if self.heap.cell_at(at).is_some() || self.beside(logic, at).is_some() {
            return Ok(vec![(self, at)]);
        }
        if depth == 0 {
            return Err(Stuck::new("a pointer leads to lists that may all be empty"));
        }
        let calls = self.heap.calls();
        let first = calls.iter().position(|call| call.args.first() == Some(&at));
        let Some(call) = first else {
            return self.with_last_cell(logic, at, depth);
        };
        self.held.push(Value::Loc(at, 0));
        let heaps = self.heap.unfoldings(&self.scope, call).map_err(Stuck::reason)?;
        Path::each(self, logic, heaps, depth)
    }

    fn each(
        self,
        logic: &Logic,
        heaps: Vec<SymHeap>,
        depth: usize,
    ) -> Result<Vec<(Path, Var)>, Stuck> {
        let mut all = Vec::new();
        for heap in heaps {
            let mut path = self.clone();
            path.heap = heap.skolemised(&mut path.scope);
            if !path.settle(logic) {
                path.held.pop();
                continue;
            }
            let Some(Value::Loc(at, _)) = path.held.pop() else { continue };
            all.extend(path.with_cell(logic, at, depth - 1)?);
        }
        Ok(all)
    }

    fn with_last_cell(
        mut self,
        logic: &Logic,
        at: Var,
        depth: usize,
    ) -> Result<Vec<(Path, Var)>, Stuck> {
        let last = |call: &sl::core::Call| logic.last_argument(call) == Some(at);
        let Some(call) = self.heap.calls().iter().position(last) else {
            return Err(Stuck::new("a pointer may lead nowhere"));
        };
        self.held.push(Value::Loc(at, 0));
        let heaps = logic.unfolded_at_end(&self.heap, call);
        let heaps = heaps.ok_or_else(|| Stuck::new("a list is not unfolded at its end"))?;
        Path::each(self, logic, heaps, depth)
    }

    /// The object that a location is in front of, or behind, and how far.
    fn beside(&self, logic: &Logic, at: Var) -> Option<(Cell, i128)> {
        self.heap.cells().iter().enumerate().find_map(|(i, cell)| {
            // The middle of an object has no middle.
            let own = cell.fields.last() == Some(&cell.addr);
            let ways = cell.fields.iter().skip(1 + logic.columns.len()).zip(&logic.middles);
            let mut ways = ways.filter(|(way, _)| own && **way == at);
            ways.next().map(|(_, middle)| (i, *middle))
        })
    }

    /// The object that a cell belongs to, and where in it the cell's location is.
    pub(super) fn object(&self, logic: &Logic, at: Var) -> Result<(Cell, i128), Stuck> {
        let Some((place, cell)) = self.heap.cell_at(at) else {
            let beside = self.beside(logic, at);
            return beside.ok_or_else(|| Stuck::new("a pointer may lead nowhere"));
        };
        if logic.middles.is_empty() {
            return Ok((place, 0));
        }
        match cell.fields.first().and_then(|tag| self.constant(*tag)) {
            Some(tag) if tag < 0 => {
                let back = cell.fields.last().copied().unwrap_or(at);
                let Some((object, _)) = self.heap.cell_at(back) else {
                    return Err(Stuck::new("a pointer leads into an object that is not known"));
                };
                Ok((object, -tag))
            }
            Some(_) => Ok((place, 0)),
            // An object of any size is one.
            None => match cell.fields.last() {
                Some(back) if *back == at => Ok((place, 0)),
                _ => Err(Stuck::new("a pointer may lead into the middle of an object")),
            },
        }
    }

    /// The location so many bytes behind another, if it has a name.
    pub(super) fn resolve(&self, logic: &Logic, at: Var, k: i128) -> Option<Var> {
        if k == 0 {
            return Some(at);
        }
        let (object, offset) = self.object(logic, at).ok()?;
        let cell = self.heap.cells().get(object)?;
        let total = offset.checked_add(k)?;
        if total == 0 {
            return Some(cell.addr);
        }
        let place = logic.middles.iter().position(|middle| *middle == total)?;
        cell.fields
            .get(1 + logic.columns.len() + place)
            .copied()
            .filter(|var| *var != logic.loc as Var)
    }

    /// Are so many bytes from an offset on within an object?
    pub(super) fn is_inside(&self, object: Cell, offset: &Sum, width: &Sum) -> bool {
        let tag = self.heap.cells().get(object).and_then(|cell| cell.fields.first().copied());
        let start = || self.proves(Constraint::at_most(&Sum::number(0), offset));
        let (Some(tag), true) = (tag, start()) else { return false };
        // The tag is three times the size, and whose it is.
        let end = offset.plus(width, 1).and_then(|end| Sum::default().plus(&end, 3));
        end.is_some_and(|end| self.proves(Constraint::at_most(&end, &Sum::var(tag))))
    }

    /// Is a place certainly in front of bytes that start at an offset, or behind them?
    pub(super) fn is_beside(&self, (start, end): (i128, i128), offset: &Sum, width: &Sum) -> bool {
        if let ([], []) = (&offset.factors[..], &width.factors[..]) {
            return end <= offset.constant
                || offset.constant.saturating_add(width.constant) <= start;
        }
        let behind = offset.plus(width, 1);
        self.proves(Constraint::at_most(&Sum::number(end), offset))
            || behind.is_some_and(|b| self.proves(Constraint::at_most(&b, &Sum::number(start))))
    }

    /// Is an object certainly on the heap?
    pub(super) fn is_on_heap(&self, object: Cell) -> bool {
        let Some(tag) = self.heap.cells().get(object).and_then(|cell| cell.fields.first().copied())
        else {
            return false;
        };
        // An equation by which the tag is divisible by three.
        self.heap.constraints().iter().any(|c| {
            let own = c.sum.factor(tag);
            c.relation == arith::Relation::Zero
                && own.unsigned_abs() == 1
                && c.sum.constant % 3 == 0
                && c.sum.factors.iter().all(|(var, factor)| *var == tag || factor % 3 == 0)
        })
    }

    /// Takes away an object, with the places in its middle.
    pub(super) fn remove_object(&mut self, logic: &Logic, object: Cell) {
        let Some(cell) = self.heap.remove_cell(object) else { return };
        let ways = cell.fields.iter().skip(1 + logic.columns.len()).take(logic.middles.len());
        for way in ways.filter(|way| **way != logic.loc as Var) {
            // Behind the object there may be another one.
            let middle =
                self.heap.cell_at(*way).filter(|(_, c)| c.fields.last() == Some(&cell.addr));
            if let Some(place) = middle.map(|(place, _)| place) {
                self.heap.remove_cell(place);
            }
        }
        self.heap.add_different(cell.addr, logic.loc as Var);
    }

    /// A new object, of which all is zero or nothing is known.
    pub(super) fn add_object(
        &mut self,
        logic: &Logic,
        addr: Var,
        size: &Sum,
        kind: i128,
        zeroed: bool,
    ) {
        let null = logic.loc as Var;
        let tag = Sum::number(kind).plus(size, 3);
        let tag = match tag {
            Some(tag) => self.int_var_always(logic, &tag),
            None => self.fresh_int(logic),
        };
        let mut fields = vec![tag];
        let fits = |end: i128| size.factors.is_empty() && end <= size.constant;
        for column in &logic.columns {
            let zero = zeroed && fits(column.offset + i128::from(column.width));
            fields.push(match (column.is_loc, zero) {
                (true, true) => null,
                (true, false) => self.fresh_loc(logic),
                (false, true) => self.int_var_always(logic, &Sum::number(0)),
                (false, false) => self.fresh_int(logic),
            });
        }
        let mut ways = Vec::new();
        for middle in &logic.middles {
            let there = self.fresh_loc(logic);
            if size.factors.is_empty() && (1..size.constant).contains(middle) {
                ways.push((there, *middle));
            }
            fields.push(there);
        }
        if !logic.middles.is_empty() {
            fields.push(addr);
        }
        self.heap.add_cell(addr, fields);
        for (there, middle) in ways {
            let mut fields = vec![self.int_var_always(logic, &Sum::number(-middle))];
            for column in &logic.columns {
                fields.push(match column.is_loc {
                    true => null,
                    false => self.int_var_always(logic, &Sum::number(0)),
                });
            }
            fields.extend(logic.middles.iter().map(|_| null));
            fields.push(addr);
            self.heap.add_cell(there, fields);
        }
    }

    fn int_var_always(&mut self, logic: &Logic, sum: &Sum) -> Var {
        let var = self.fresh_int(logic);
        if let Some(equal) = Constraint::equal(&Sum::var(var), sum) {
            self.heap.add_linear(equal);
        }
        var
    }
}
