//! Access to memory: what is at a place, and what is written there.

use arith::Sum;
use heap::run::FaultKind;
use heap::{Expr, Scalar};

use crate::engine::{Engine, Site};
use crate::eval::values_of;
use crate::heap::{Cell, Place, State};
use crate::join::overlaps;
use crate::pure::Interval;
use crate::term::{Sym, Term};
use crate::unfold::unfold;

/// A place in an array of no more elements is found by telling them apart.
const MAX_PLACES: i128 = 40;
/// Segments are unfolded so many times for one access.
const MAX_UNFOLDINGS: usize = 64;

/// A place in an object.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub state: State,
    pub obj: Sym,
    pub offset: Sum,
}

impl Engine<'_> {
    /// The objects that a pointer leads into, one state for each. What leads nowhere is a fault.
    pub(crate) fn targets(
        &mut self,
        site: Site,
        state: State,
        at: &Expr,
        doing: &str,
    ) -> Vec<Target> {
        let mut found = Vec::new();
        let mut pending = vec![state];
        let mut rounds = 0;
        while let Some(mut state) = pending.pop() {
            rounds += 1;
            if rounds > MAX_UNFOLDINGS {
                self.gave_up(site, "a pointer has too many targets");
                break;
            }
            let scope = self.scope(site);
            let sum = state.eval(&self.preds, &scope, at);
            let leads = |var: u32| state.heap.place(Term::sym(Sym(var)));
            let base = sum
                .factors
                .iter()
                .filter(|(_, factor)| *factor == 1)
                .map(|(var, _)| (Sym(*var), leads(*var)))
                .min_by_key(|(_, place)| match place {
                    Place::Obj(_) => 0,
                    Place::First(_) | Place::Last(_) => 1,
                    Place::Nowhere => 2,
                });
            match base {
                Some((sym, Place::Obj(obj))) => {
                    let Some(offset) = sum.plus(&Sum::var(sym.0), -1) else { continue };
                    found.push(Target { state, obj, offset });
                }
                Some((_, Place::First(i))) => pending.extend(self.open(&state, i, false)),
                Some((_, Place::Last(i))) => pending.extend(self.open(&state, i, true)),
                Some((_, Place::Nowhere)) | None => self.leads_nowhere(site, state, &sum, doing),
            }
        }
        found
    }

    /// A segment is empty, or has a first or last node.
    fn open(&mut self, state: &State, index: usize, at_end: bool) -> Vec<State> {
        let mut states = Vec::new();
        let mut rest = state.clone();
        if !state.heap.segs[index].nonempty {
            let mut empty = state.clone();
            if empty.empty(&self.preds, index).is_ok() {
                states.push(empty);
            }
            rest.heap.segs[index].nonempty = true;
        }
        states.extend(unfold(&rest, &self.preds, index, at_end));
        states
    }

    fn leads_nowhere(&mut self, site: Site, state: State, at: &Sum, doing: &str) {
        let null = at.factors.is_empty() && at.constant.abs() < 4096;
        if null {
            self.fault(
                site,
                FaultKind::Null,
                false,
                &state,
                format!("the null pointer is {doing}"),
            );
            return;
        }
        // It may be null, or freed, or anything.
        let what = format!("a pointer that may lead nowhere is {doing}");
        let missing = at.factors.iter().find(|(_, factor)| *factor == 1).map(|(var, _)| Sym(*var));
        self.fault_at(site, FaultKind::Wild, true, &state, what, missing);
    }

    /// The places at which so many bytes may be accessed. Others are faults.
    pub(crate) fn places(
        &mut self,
        site: Site,
        state: State,
        at: &Expr,
        bytes: &Sum,
        write: bool,
    ) -> Vec<Target> {
        let doing = if write { "written to" } else { "read" };
        let mut inside = Vec::new();
        for mut target in self.targets(site, state, at, doing) {
            let Some(obj) = target.state.heap.objs.get(&target.obj) else { continue };
            if write && obj.constant {
                self.fault(
                    site,
                    FaultKind::Constant,
                    false,
                    &target.state,
                    "a constant is written to".into(),
                );
                continue;
            }
            let size = obj.size.sum();
            let end = target.offset.plus(bytes, 1).and_then(|end| size.plus(&end, -1));
            let Some(room) = end else {
                self.gave_up(site, "an offset is too large");
                continue;
            };
            let pure = &mut target.state.heap.pure;
            if !pure.entails(&target.offset) || !pure.entails(&room) {
                let kept = target.state.clone();
                let what = format!("a place outside of its object may be {doing}");
                self.fault(site, FaultKind::OutOfBounds, false, &kept, what);
                let pure = &mut target.state.heap.pure;
                if !pure.assume(&target.offset) || !pure.assume(&room) {
                    continue;
                }
                if target.state.normalise(&self.preds).is_err() {
                    continue;
                }
                // The offset may have become another sum.
                let again = self.targets(site, target.state, at, doing);
                inside.extend(again);
                continue;
            }
            inside.push(target);
        }
        inside
    }

    /// Places at constant offsets, as far as there are few; otherwise the offset is `None`.
    pub(crate) fn at_constants(
        &mut self,
        site: Site,
        target: Target,
        at: &Expr,
    ) -> Vec<(State, Sym, Option<i128>)> {
        if target.offset.factors.is_empty() {
            return vec![(target.state, target.obj, Some(target.offset.constant))];
        }
        let range = target.state.heap.pure.range_of_sum(&target.offset);
        let step =
            target.offset.factors.iter().fold(0, |gcd, (_, factor)| divisor(gcd, factor.abs()));
        let few = range.low.zip(range.high).filter(|(low, high)| {
            step > 0 && high.checked_sub(*low).is_some_and(|span| span / step < MAX_PLACES)
        });
        let Some((low, high)) = few else { return vec![(target.state, target.obj, None)] };
        let mut all = Vec::new();
        let first = low + (target.offset.constant - low).rem_euclid(step);
        let mut offset = first;
        while offset <= high {
            let mut state = target.state.clone();
            let mut sum = target.offset.clone();
            sum.constant -= offset;
            let consistent = match sum.factors[..] {
                [(var, factor)] if sum.constant % factor == 0 => state
                    .unify(&self.preds, Term::sym(Sym(var)), Term::int(-sum.constant / factor))
                    .is_ok(),
                [_] => false,
                _ => match sum.negative() {
                    Some(less) => {
                        state.heap.pure.assume(&sum)
                            && state.heap.pure.assume(&less)
                            && state.normalise(&self.preds).is_ok()
                    }
                    None => true,
                },
            };
            if consistent {
                // Symbols may have been replaced; the object is found again.
                let scope = self.scope(site);
                let value = state.eval(&self.preds, &scope, at);
                let base = value
                    .factors
                    .iter()
                    .map(|(var, _)| Sym(*var))
                    .find(|sym| state.heap.objs.contains_key(sym));
                if let Some(obj) = base {
                    all.push((state, obj, Some(offset)));
                }
            }
            offset += step;
        }
        all
    }
}

fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl State {
    /// What is at a place.
    pub(crate) fn read(&mut self, obj: Sym, offset: i128, ty: Scalar, width: u64) -> Term {
        let Some(object) = self.heap.objs.get(&obj) else { return self.any(values_of(ty)) };
        if let Some(cell) = object.cells.get(&offset)
            && cell.width == width
        {
            let cell = *cell;
            return self.as_type(cell, ty);
        }
        if overlaps(object, offset, width) {
            return self.any(values_of(ty));
        }
        let value = if object.zeroed { Term::NULL } else { self.any(values_of(ty)) };
        if let Some(object) = self.heap.obj_mut(obj) {
            object.cells.insert(offset, Cell { width, ty, value });
        }
        value
    }

    fn as_type(&mut self, cell: Cell, ty: Scalar) -> Term {
        match (cell.ty, ty) {
            (Scalar::Float(_), Scalar::Float(_)) | (Scalar::Ptr(_), Scalar::Ptr(_)) => cell.value,
            (Scalar::Float(_), _) | (_, Scalar::Float(_)) => {
                // Zero is zero in all of them.
                if cell.value == Term::NULL { Term::NULL } else { self.any(values_of(ty)) }
            }
            (a, b) if a == b => cell.value,
            (_, Scalar::Int(int)) => {
                let range = self.heap.pure.range(cell.value);
                let fits = values_of(ty).includes(range);
                if fits || cell.ty.is_pointer() && int.bits == 64 && cell.value.base.is_some() {
                    cell.value
                } else {
                    self.any(values_of(ty))
                }
            }
            (_, Scalar::Ptr(_)) => cell.value,
        }
    }

    /// Writes to a place.
    pub(crate) fn write(&mut self, obj: Sym, offset: i128, ty: Scalar, width: u64, value: Term) {
        self.clear(obj, offset, i128::from(width));
        if let Some(object) = self.heap.obj_mut(obj) {
            object.cells.insert(offset, Cell { width, ty, value });
        }
    }

    /// Forgets what is at some bytes; of values that are there in part the rest is anything.
    pub(crate) fn clear(&mut self, obj: Sym, offset: i128, width: i128) {
        let end = offset + width;
        let Some(object) = self.heap.objs.get(&obj) else { return };
        let hit: Vec<(i128, Cell)> = object
            .cells
            .range(..end)
            .rev()
            .take_while(|(at, cell)| **at + i128::from(cell.width) > offset)
            .map(|(at, cell)| (*at, *cell))
            .collect();
        let zeroed = object.zeroed;
        for (at, cell) in hit {
            let stop = at + i128::from(cell.width);
            let mut rests = Vec::new();
            if at < offset {
                rests.push((at, offset - at));
            }
            if stop > end {
                rests.push((end, stop - end));
            }
            let fresh: Vec<Term> = rests.iter().map(|_| self.any(Interval::ANY)).collect();
            let Some(object) = self.heap.obj_mut(obj) else { return };
            object.cells.remove(&at);
            if zeroed {
                for ((at, width), value) in rests.into_iter().zip(fresh) {
                    let ty = Scalar::Int(heap::IntType::unsigned(8));
                    object.cells.insert(at, Cell { width: width as u64, ty, value });
                }
            }
        }
    }

    /// Anything may be anywhere in an object from now on.
    pub(crate) fn clobber(&mut self, obj: Sym) {
        if let Some(object) = self.heap.obj_mut(obj) {
            object.cells.clear();
            object.zeroed = false;
        }
    }
}
