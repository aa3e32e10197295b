//! Symbolic heaps as values: what engines compute with.
//!
//! A [`SymHeap`] is `exists e. pure * spatial`, or that `* true`. Its variables are numbers: the `nil`s
//! and the variables that a [`Scope`](super::Scope) declares are free, and mean the same in every
//! symbolic heap of that scope. Existential variables have numbers of their own, which count from zero
//! in every symbolic heap: nobody has to rename them apart, and two symbolic heaps that differ in nothing
//! but names are equal.
//!
//! Whole symbolic heaps are put together by [`star`](SymHeap::star), [`exists`](SymHeap::exists),
//! [`substitute`](SymHeap::substitute), [`unfold`](SymHeap::unfold). Atoms that mention existential
//! variables of a symbolic heap are added to it in place ([`add_cell`](SymHeap::add_cell) and others);
//! by themselves they mean nothing, and who asks about them is told so.

use std::collections::BTreeSet;

use arith::{Constraint, Sum};

use super::{Call, Cell, Heap, PredId, Scope, SortId, Var};
use crate::procedure::Reason;

/// Numbers of existential variables have this bit.
const EXISTENTIAL: Var = 1 << 31;

/// Is it the existential variable of some symbolic heap?
#[must_use]
pub fn is_existential(var: Var) -> bool {
    var & EXISTENTIAL != 0
}

/// The place of an existential variable among those of its symbolic heap; `None` if it is free.
#[must_use]
pub fn index(var: Var) -> Option<usize> {
    is_existential(var).then_some((var & !EXISTENTIAL) as usize)
}

/// The existential variable at this place.
pub(crate) fn existential(index: usize) -> Var {
    // A symbolic heap with more of them does not fit into memory.
    EXISTENTIAL | index as Var
}

/// A symbolic heap.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SymHeap {
    exist: Vec<SortId>,
    equal: Vec<(Var, Var)>,
    different: Vec<(Var, Var)>,
    linear: Vec<Constraint>,
    cells: Vec<Cell>,
    calls: Vec<Call>,
    open: bool,
}

/// Symbolic heaps, and how they are put together.
impl SymHeap {
    /// The empty heap.
    #[must_use]
    pub fn emp() -> SymHeap {
        SymHeap::default()
    }

    /// Any heap: `true`.
    #[must_use]
    pub fn any() -> SymHeap {
        SymHeap { open: true, ..SymHeap::default() }
    }

    /// A heap of one location, which holds these values, one for every field.
    pub fn points_to(addr: Var, fields: impl Into<Vec<Var>>) -> SymHeap {
        SymHeap { cells: vec![Cell { addr, fields: fields.into() }], ..SymHeap::default() }
    }

    /// An instance of a predicate.
    pub fn pred(pred: PredId, args: impl Into<Vec<Var>>) -> SymHeap {
        SymHeap { calls: vec![Call { pred, args: args.into() }], ..SymHeap::default() }
    }

    /// The empty heap, where two variables (locations, or integers) are equal.
    #[must_use]
    pub fn equal(a: Var, b: Var) -> SymHeap {
        SymHeap { equal: vec![(a, b)], ..SymHeap::default() }
    }

    /// The empty heap, where two variables (locations, or integers) are different.
    #[must_use]
    pub fn different(a: Var, b: Var) -> SymHeap {
        SymHeap { different: vec![(a, b)], ..SymHeap::default() }
    }

    /// The empty heap, where this holds of integers.
    #[must_use]
    pub fn arithmetic(constraint: Constraint) -> SymHeap {
        SymHeap { linear: vec![constraint], ..SymHeap::default() }
    }

    /// `self * other`.
    #[must_use]
    pub fn star(mut self, other: &SymHeap) -> SymHeap {
        let (own, more) = (self.exist.len(), other.exist.len());
        // Whoever took an atom out of its symbolic heap has variables that belong to none. They are
        // not to be captured here.
        if more > 0 && self.dangling().is_some() {
            self =
                self.renamed(&|v| index(v).filter(|i| *i >= own).map_or(v, |i| shifted(i, more)));
        }
        let shift = |v: Var| index(v).map_or(v, |i| shifted(i, own));
        let other = if own == 0 { other.clone() } else { other.renamed(&shift) };
        self.exist.extend(other.exist);
        self.equal.extend(other.equal);
        self.different.extend(other.different);
        self.linear.extend(other.linear);
        self.cells.extend(other.cells);
        self.calls.extend(other.calls);
        self.open |= other.open;
        self
    }

    /// All of these, side by side.
    #[must_use]
    pub fn stars(parts: impl IntoIterator<Item = SymHeap>) -> SymHeap {
        parts.into_iter().fold(SymHeap::emp(), |all, part| all.star(&part))
    }

    /// The same for some values of these variables of the scope. `nil` cannot be one of them.
    #[must_use]
    pub fn exists(mut self, scope: &Scope, vars: &[Var]) -> SymHeap {
        let mut bound: Vec<(Var, Var)> = Vec::with_capacity(vars.len());
        for var in vars {
            if let Some(sort) = scope.sort(*var)
                && !scope.is_nil(*var)
                && bound.iter().all(|(v, _)| v != var)
            {
                bound.push((*var, self.fresh(sort)));
            }
        }
        self.renamed(&|v| bound.iter().find(|(from, _)| *from == v).map_or(v, |(_, to)| *to))
    }

    /// Other variables in place of free ones, all at once.
    #[must_use]
    pub fn substitute(&self, by: impl Fn(Var) -> Var) -> SymHeap {
        self.renamed(&|v| if is_existential(v) { v } else { by(v) })
    }

    /// A case of its definition in place of an instance of a predicate, both given by their places.
    /// The existential variables of the case become new ones.
    ///
    /// # Errors
    /// If there is no such instance or case.
    pub fn unfold(&self, scope: &Scope, call: usize, case: usize) -> Result<SymHeap, Reason> {
        let mut heap = self.clone();
        let Some(call) = heap.remove_call(call) else { return Err(Reason::NoSuchInstance) };
        let cases = scope.cases(call.pred)?;
        let Some(case) = cases.get(case) else { return Err(Reason::NoSuchInstance) };
        let mut vars: Vec<Var> = (0..scope.nils() as Var).chain(call.args).collect();
        if vars.len() != case.free {
            return Err(Reason::IllSorted);
        }
        vars.extend(case.sorts.iter().skip(case.free).map(|sort| heap.fresh(*sort)));
        let Heap { cells, calls, equal, different, linear, .. } = Heap::instance(case, &vars);
        heap.cells.extend(cells);
        heap.calls.extend(calls);
        heap.equal.extend(equal);
        heap.different.extend(different);
        heap.linear.extend(linear);
        Ok(heap)
    }

    /// One symbolic heap for every case of the definition of an instance.
    ///
    /// # Errors
    /// If there is no such instance.
    pub fn unfoldings(&self, scope: &Scope, call: usize) -> Result<Vec<SymHeap>, Reason> {
        let pred = self.calls.get(call).map(|call| call.pred).ok_or(Reason::NoSuchInstance)?;
        (0..scope.cases(pred)?.len()).map(|case| self.unfold(scope, call, case)).collect()
    }

    /// The same with new variables of the scope in place of the existential ones.
    #[must_use]
    pub fn skolemised(&self, scope: &mut Scope) -> SymHeap {
        let fresh: Vec<Var> = self.exist.iter().map(|sort| scope.fresh("v", *sort)).collect();
        let mut heap = self.renamed(&|v| index(v).and_then(|i| fresh.get(i).copied()).unwrap_or(v));
        heap.exist.clear();
        heap
    }

    /// The same without existential variables that an equation determines, and without those that are
    /// not mentioned: there are values of every sort.
    #[must_use]
    pub fn without_aliases(&self) -> SymHeap {
        let mut heap = self.clone();
        while let Some(place) =
            heap.equal.iter().position(|(a, b)| a == b || is_existential(*a) || is_existential(*b))
        {
            let (a, b) = heap.equal.swap_remove(place);
            let (from, to) = if is_existential(a) { (a, b) } else { (b, a) };
            if from != to {
                heap = heap.renamed(&|v| if v == from { to } else { v });
            }
        }
        let used = heap.vars();
        let kept: Vec<usize> =
            (0..heap.exist.len()).filter(|i| used.contains(&existential(*i))).collect();
        if kept.len() == heap.exist.len() {
            return heap;
        }
        let count = heap.exist.len();
        let place = |i: usize| kept.binary_search(&i).unwrap_or(i.max(count));
        let mut compact = heap.renamed(&|v| index(v).map_or(v, |i| existential(place(i))));
        compact.exist = kept.iter().filter_map(|i| heap.exist.get(*i).copied()).collect();
        compact
    }

    fn renamed(&self, var: &impl Fn(Var) -> Var) -> SymHeap {
        let all = |vars: &[Var]| vars.iter().map(|v| var(*v)).collect::<Vec<Var>>();
        let pairs = |all: &[(Var, Var)]| all.iter().map(|(a, b)| (var(*a), var(*b))).collect();
        SymHeap {
            exist: self.exist.clone(),
            equal: pairs(&self.equal),
            different: pairs(&self.different),
            linear: self.linear.iter().map(|c| c.renamed(var)).collect(),
            cells: self
                .cells
                .iter()
                .map(|cell| Cell { addr: var(cell.addr), fields: all(&cell.fields) })
                .collect(),
            calls: self
                .calls
                .iter()
                .map(|call| Call { pred: call.pred, args: all(&call.args) })
                .collect(),
            open: self.open,
        }
    }
}

/// The existential variable that comes so many places later.
fn shifted(index: usize, by: usize) -> Var {
    existential(index.saturating_add(by).min((EXISTENTIAL - 1) as usize))
}

/// Atoms, one by one. They may mention the existential variables.
impl SymHeap {
    /// A new existential variable.
    pub fn fresh(&mut self, sort: SortId) -> Var {
        self.exist.push(sort);
        existential(self.exist.len() - 1)
    }

    /// One more cell.
    pub fn add_cell(&mut self, addr: Var, fields: impl Into<Vec<Var>>) {
        self.cells.push(Cell { addr, fields: fields.into() });
    }

    /// One more instance of a predicate.
    pub fn add_call(&mut self, pred: PredId, args: impl Into<Vec<Var>>) {
        self.calls.push(Call { pred, args: args.into() });
    }

    /// These are equal.
    pub fn add_equal(&mut self, a: Var, b: Var) {
        self.equal.push((a, b));
    }

    /// These are different.
    pub fn add_different(&mut self, a: Var, b: Var) {
        self.different.push((a, b));
    }

    /// This holds of integers.
    pub fn add_linear(&mut self, constraint: Constraint) {
        self.linear.push(constraint);
    }

    /// A new existential integer that is this sum; `None` if numbers are too large.
    pub fn add_sum(&mut self, int: SortId, sum: &Sum) -> Option<Var> {
        let var = self.fresh(int);
        self.linear.push(Constraint::equal(&Sum::var(var), sum)?);
        Some(var)
    }

    /// There may be more in the heap, or not.
    pub fn set_open(&mut self, open: bool) {
        self.open = open;
    }

    /// Takes away the cell at a place; those that follow move up.
    pub fn remove_cell(&mut self, place: usize) -> Option<Cell> {
        (place < self.cells.len()).then(|| self.cells.remove(place))
    }

    /// Takes away the instance at a place; those that follow move up.
    pub fn remove_call(&mut self, place: usize) -> Option<Call> {
        (place < self.calls.len()).then(|| self.calls.remove(place))
    }

    /// Keeps only the pure atoms of which this holds.
    pub fn retain_pure(&mut self, mut keep: impl FnMut(Pure<'_>) -> bool) {
        self.equal.retain(|(a, b)| keep(Pure::Equal(*a, *b)));
        self.different.retain(|(a, b)| keep(Pure::Different(*a, *b)));
        self.linear.retain(|c| keep(Pure::Linear(c)));
    }

    /// Calls this with every pure atom.
    pub fn for_each_pure(&self, f: &mut impl FnMut(Pure<'_>)) {
        self.equal.iter().for_each(|(a, b)| f(Pure::Equal(*a, *b)));
        self.different.iter().for_each(|(a, b)| f(Pure::Different(*a, *b)));
        self.linear.iter().for_each(|constraint| f(Pure::Linear(constraint)));
    }

    /// One more pure atom.
    pub fn add_pure(&mut self, atom: Pure<'_>) {
        match atom {
            Pure::Equal(a, b) => self.add_equal(a, b),
            Pure::Different(a, b) => self.add_different(a, b),
            Pure::Linear(constraint) => self.add_linear(constraint.clone()),
        }
    }

    /// The same with every pure atom once.
    #[must_use]
    pub fn without_duplicates(mut self) -> SymHeap {
        for pairs in [&mut self.equal, &mut self.different] {
            let mut seen = BTreeSet::new();
            pairs.retain(|(a, b)| seen.insert((*a.min(b), *a.max(b))));
        }
        let mut seen = BTreeSet::new();
        self.linear.retain(|constraint| seen.insert(constraint.clone()));
        self
    }

    /// Another value for a field of a cell; `None` if there is no such field.
    pub fn set_field(&mut self, cell: usize, field: usize, value: Var) -> Option<()> {
        *self.cells.get_mut(cell)?.fields.get_mut(field)? = value;
        Some(())
    }

    /// The sorts of the existential variables.
    #[must_use]
    pub fn existentials(&self) -> &[SortId] {
        &self.exist
    }

    /// The points-to atoms.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The instances of predicates.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The equations.
    #[must_use]
    pub fn equations(&self) -> &[(Var, Var)] {
        &self.equal
    }

    /// The disequations.
    #[must_use]
    pub fn disequations(&self) -> &[(Var, Var)] {
        &self.different
    }

    /// What is said of integers.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        &self.linear
    }

    /// May there be more in the heap than the atoms say?
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The location of a cell, by the name that this variable is; equations are not looked at.
    #[must_use]
    pub fn cell_at(&self, addr: Var) -> Option<(usize, &Cell)> {
        self.cells.iter().enumerate().find(|(_, cell)| cell.addr == addr)
    }

    /// All variables that are mentioned.
    #[must_use]
    pub fn vars(&self) -> BTreeSet<Var> {
        let mut all = BTreeSet::new();
        self.for_each_var(&mut |var| {
            all.insert(var);
        });
        all
    }

    /// Calls this with every variable, as often as it is mentioned.
    pub fn for_each_var(&self, f: &mut impl FnMut(Var)) {
        for (a, b) in self.equal.iter().chain(&self.different) {
            f(*a);
            f(*b);
        }
        for (var, _) in self.linear.iter().flat_map(|c| &c.sum.factors) {
            f(*var);
        }
        for cell in &self.cells {
            f(cell.addr);
            cell.fields.iter().for_each(|v| f(*v));
        }
        self.calls.iter().flat_map(|call| &call.args).for_each(|v| f(*v));
    }

    /// An existential variable that belongs to another symbolic heap, if one is mentioned.
    pub(crate) fn dangling(&self) -> Option<Var> {
        let mut found = None;
        self.for_each_var(&mut |v| {
            if index(v).is_some_and(|i| i >= self.exist.len()) {
                found = Some(v);
            }
        });
        found
    }

    /// The same with atoms only; existential variables keep their numbers.
    #[must_use]
    pub fn atoms(&self) -> Heap {
        Heap {
            cells: self.cells.clone(),
            calls: self.calls.clone(),
            equal: self.equal.clone(),
            different: self.different.iter().copied().collect(),
            linear: self.linear.clone(),
            gone: Vec::new(),
            open: self.open,
        }
    }
}

/// A pure atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pure<'a> {
    /// An equation.
    Equal(Var, Var),
    /// A disequation.
    Different(Var, Var),
    /// A constraint on integers.
    Linear(&'a Constraint),
}
