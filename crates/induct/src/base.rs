//! Base pairs: what an instance of a predicate says of its arguments when the heap is forgotten.
//!
//! After "A Decision Procedure for Satisfiability in Separation Logic with Inductive Predicates"
//! (Brotherston, Fuhs, Navarro Pérez, Gorogiannis, CSL-LICS 2014). A base says which arguments are
//! allocated, equal and different. There are finitely many, so the least set of bases that the
//! definitions give is computed from below; a clause has a model if and only if it is consistent with
//! some choice of a base for each of its calls. Integers are forgotten, so with arithmetic only the
//! "only if" is left.

use std::collections::{BTreeMap, HashMap};

use crate::sequent::Heap;
use crate::system::{Clause, PredId, System, Var};

/// Sets of bases larger than this are not searched for bases that say less.
const MAX_SUBSUMPTION: usize = 400;

/// A consistent choice of what is equal, different and allocated among numbered variables.
#[derive(Clone, Debug)]
pub struct Closure {
    parent: Vec<Var>,
    allocated: Vec<bool>,
    different: Vec<(Var, Var)>,
    nils: usize,
}

impl Closure {
    /// Nothing is known of so many variables; the first are `nil`s.
    #[must_use]
    pub fn new(vars: usize, nils: usize) -> Closure {
        Closure {
            parent: (0..vars as Var).collect(),
            allocated: vec![false; vars],
            different: Vec::new(),
            nils,
        }
    }

    /// Adds variables, and says which.
    pub fn grow(&mut self, vars: usize) -> std::ops::Range<Var> {
        let start = self.parent.len() as Var;
        let end = start + vars as Var;
        self.parent.extend(start..end);
        self.allocated.resize(end as usize, false);
        start..end
    }

    /// The least variable that is equal.
    #[must_use]
    pub fn root(&self, mut var: Var) -> Var {
        while self.parent[var as usize] != var {
            var = self.parent[var as usize];
        }
        var
    }

    /// Is the variable allocated?
    #[must_use]
    pub fn is_allocated(&self, var: Var) -> bool {
        self.allocated[self.root(var) as usize]
    }

    /// Makes two variables equal, unless that is a contradiction.
    #[must_use]
    pub fn equate(&mut self, a: Var, b: Var) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            return true;
        }
        if self.allocated[a as usize] && self.allocated[b as usize] {
            return false;
        }
        self.parent[b as usize] = a;
        self.allocated[a as usize] |= self.allocated[b as usize];
        !(self.allocated[a as usize] && (a as usize) < self.nils)
            && self.different.iter().all(|(x, y)| self.root(*x) != self.root(*y))
    }

    /// Makes two variables different, unless that is a contradiction.
    #[must_use]
    pub fn separate(&mut self, a: Var, b: Var) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.different.push((a, b));
        a != b
    }

    /// Allocates a variable, unless that is a contradiction.
    #[must_use]
    pub fn allocate(&mut self, var: Var) -> bool {
        let root = self.root(var);
        if self.allocated[root as usize] || (root as usize) < self.nils {
            return false;
        }
        self.allocated[root as usize] = true;
        true
    }

    /// Adds what a base says of these arguments, unless that is a contradiction.
    #[must_use]
    pub fn join(&mut self, base: &Base, args: &[Var]) -> bool {
        let var = |place: u8| match (place as usize).checked_sub(self.nils) {
            None => Var::from(place),
            Some(index) => args[index],
        };
        let pairs: Vec<(Var, Var)> = base.equal.iter().map(|(a, b)| (var(*a), var(*b))).collect();
        let different: Vec<(Var, Var)> =
            base.different.iter().map(|(a, b)| (var(*a), var(*b))).collect();
        let allocated: Vec<Var> = base.allocated.iter().map(|a| var(*a)).collect();
        pairs.into_iter().all(|(a, b)| self.equate(a, b))
            && allocated.into_iter().all(|a| self.allocate(a))
            && different.into_iter().all(|(a, b)| self.separate(a, b))
    }

    /// What the cells and pure atoms of a clause say, unless that is a contradiction.
    #[must_use]
    pub fn of(clause: &Clause, nils: usize) -> Option<Closure> {
        let mut closure = Closure::new(clause.sorts.len(), nils);
        let consistent = clause.equal.iter().all(|(a, b)| closure.equate(*a, *b))
            && clause.cells.iter().all(|cell| closure.allocate(cell.addr))
            && clause.different.iter().all(|(a, b)| closure.separate(*a, *b));
        consistent.then_some(closure)
    }

    /// Are two variables different in every model?
    #[must_use]
    pub fn are_different(&self, a: Var, b: Var) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        let nil = |v: Var| (v as usize) < self.nils;
        let allocated = |v: Var| self.allocated[v as usize];
        allocated(a) && (allocated(b) || nil(b))
            || allocated(b) && nil(a)
            || self.different.iter().any(|(x, y)| {
                let (x, y) = (self.root(*x), self.root(*y));
                (x, y) == (a, b) || (x, y) == (b, a)
            })
    }

    /// What is said of the first so many variables.
    fn project(&self, free: usize) -> Base {
        let mut base = Base::default();
        // The least variable of a class is free if any is, since those come first.
        for var in 0..free as Var {
            let root = self.root(var);
            if root != var {
                base.equal.push((root as u8, var as u8));
            } else if self.allocated[var as usize] {
                base.allocated.push(var as u8);
            }
        }
        let said = |v: Var| self.allocated[v as usize] || (v as usize) < self.nils;
        for (a, b) in &self.different {
            let (a, b) = (self.root(*a), self.root(*b));
            let (a, b) = (a.min(b), a.max(b));
            // What is allocated is different from nil and from each other.
            let known = said(a) && said(b);
            if (b as usize) < free && !known && !base.different.contains(&(a as u8, b as u8)) {
                base.different.push((a as u8, b as u8));
            }
        }
        base.different.sort_unstable();
        base
    }
}

/// A heap as a clause, with numbers from zero; which number each variable has; and what is known
/// without the calls, unless that is a contradiction.
#[must_use]
pub fn compact(heap: &Heap, nils: usize) -> (Clause, BTreeMap<Var, Var>, Option<Closure>) {
    let mut numbers: BTreeMap<Var, Var> = (0..nils as Var).map(|v| (v, v)).collect();
    for var in heap.vars() {
        let next = numbers.len() as Var;
        numbers.entry(var).or_insert(next);
    }
    let renamed = heap.renamed(&|v| numbers.get(&v).copied().unwrap_or(v));
    let clause = Clause {
        sorts: vec![0; numbers.len()],
        free: numbers.len(),
        equal: renamed.equal,
        different: renamed.different.into_iter().collect(),
        linear: renamed.linear,
        cells: renamed.cells,
        calls: renamed.calls,
        open: heap.open,
    };
    let closure = Closure::of(&clause, nils).and_then(|mut closure| {
        renamed.gone.iter().all(|v| closure.allocate(*v)).then_some(closure)
    });
    (clause, numbers, closure)
}

/// What an instance of a predicate says of its arguments. Numbers are those of the variables of a
/// clause: the `nil`s, then the parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Base {
    /// Every variable that is equal to a lesser one, with the least.
    pub equal: Vec<(u8, u8)>,
    /// The least variables of those that are allocated.
    pub allocated: Vec<u8>,
    /// The least variables of those that are different, where that is not known from the others.
    pub different: Vec<(u8, u8)>,
}

impl Base {
    /// Does it say no more than the other, and allocate no more?
    fn is_weaker_than(&self, other: &Base) -> bool {
        self.equal == other.equal
            && self.allocated.iter().all(|a| other.allocated.contains(a))
            && self.different.iter().all(|d| {
                let known = |v: u8| other.allocated.contains(&v);
                other.different.contains(d) || known(d.0) && known(d.1)
            })
    }
}

/// Where a base comes from: a case and bases for its calls.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The number of the case.
    pub case: usize,
    /// A base for each call.
    pub calls: Vec<usize>,
}

/// All bases of a predicate.
#[derive(Clone, Debug, Default)]
pub struct Bases {
    /// The bases.
    pub all: Vec<Base>,
    /// Where each comes from.
    pub origins: Vec<Origin>,
    /// Those that are needed: no other says less.
    needed: Vec<bool>,
    known: HashMap<Base, usize>,
    /// Bases before this one were there in the last round, those before the other in this one.
    old: usize,
    seen: usize,
}

impl Bases {
    fn insert(&mut self, base: Base, origin: Origin, exact: bool) {
        if self.known.contains_key(&base) {
            return;
        }
        if !exact && self.all.len() < MAX_SUBSUMPTION {
            let weaker = |(b, needed): (&Base, &bool)| *needed && b.is_weaker_than(&base);
            if self.all.iter().zip(&self.needed).any(weaker) {
                return;
            }
            for (other, needed) in self.all.iter().zip(&mut self.needed) {
                *needed &= !base.is_weaker_than(other);
            }
        }
        self.known.insert(base.clone(), self.all.len());
        self.all.push(base);
        self.origins.push(origin);
        self.needed.push(true);
    }

    /// The bases that are needed, with their numbers.
    pub fn needed(&self) -> impl Iterator<Item = (usize, &Base)> {
        self.all.iter().enumerate().filter(|(i, _)| self.needed[*i])
    }
}

/// The bases of all predicates.
#[derive(Clone, Debug)]
pub struct Table {
    /// By predicate.
    pub bases: Vec<Bases>,
    /// Were all found?
    pub complete: bool,
    /// Are there also those that say more than others?
    exact: bool,
    nils: usize,
}

impl Table {
    /// Computes them, with so many steps at most.
    #[must_use]
    pub fn new(system: &System, max_work: u64) -> Table {
        Table::with(system, max_work, false)
    }

    /// The same, also with bases that say more than others: every instance has one of them, and each
    /// says no more of its arguments than the instance does.
    #[must_use]
    pub fn exact(system: &System, max_work: u64) -> Table {
        Table::with(system, max_work, true)
    }

    fn with(system: &System, max_work: u64, exact: bool) -> Table {
        let mut table = Table {
            bases: vec![Bases::default(); system.predicates.len()],
            complete: true,
            exact,
            nils: system.nils(),
        };
        if system.predicates.iter().any(|p| p.params.len() + system.nils() > 200) {
            table.complete = false;
            return table;
        }
        let mut work = max_work;
        let mut first = true;
        loop {
            let mut changed = false;
            for bases in &mut table.bases {
                (bases.old, bases.seen) = (bases.seen, bases.all.len());
                changed |= bases.old < bases.seen;
            }
            if !first && !changed {
                return table;
            }
            for pred in 0..system.predicates.len() {
                if !table.round(system, pred, first, &mut work) {
                    table.complete = false;
                    return table;
                }
            }
            first = false;
        }
    }

    /// New bases of a predicate, from those of the last round; `false` if there is too much to do.
    fn round(&mut self, system: &System, pred: PredId, first: bool, work: &mut u64) -> bool {
        for (case, clause) in system.predicates[pred].cases.iter().enumerate() {
            let mut found = Vec::new();
            let free = clause.free;
            let Some(closure) = Closure::of(clause, self.nils) else { continue };
            let within = if clause.calls.is_empty() {
                if first {
                    found.push((closure.project(free), Vec::new()));
                }
                true
            } else {
                // One call has a new base, those before it old ones, those after it any.
                (0..clause.calls.len()).all(|new| {
                    let range = |call: usize| {
                        let bases = &self.bases[clause.calls[call].pred];
                        match call.cmp(&new) {
                            std::cmp::Ordering::Less => 0..bases.old,
                            std::cmp::Ordering::Equal => bases.old..bases.seen,
                            std::cmp::Ordering::Greater => 0..bases.seen,
                        }
                    };
                    // The new one first: there are few of those.
                    let mut order: Vec<usize> = (0..clause.calls.len()).collect();
                    order.remove(new);
                    order.insert(0, new);
                    self.choose(clause, &closure, &order, &range, work, &mut |closure, choice| {
                        found.push((closure.project(free), choice.to_vec()));
                        false
                    })
                    .is_some()
                })
            };
            for (base, calls) in found {
                self.bases[pred].insert(base, Origin { case, calls }, self.exact);
            }
            if !within {
                return false;
            }
        }
        true
    }

    /// Choices of bases for all calls of a clause, until one is accepted. `None` if there is too much
    /// to do.
    fn choose(
        &self,
        clause: &Clause,
        closure: &Closure,
        order: &[usize],
        range: &impl Fn(usize) -> std::ops::Range<usize>,
        work: &mut u64,
        accept: &mut impl FnMut(&Closure, &[usize]) -> bool,
    ) -> Option<bool> {
        let mut choice = vec![0; clause.calls.len()];
        self.choose_from(clause, closure, order, range, work, accept, &mut choice)
    }

    #[allow(clippy::too_many_arguments)]
    fn choose_from(
        &self,
        clause: &Clause,
        closure: &Closure,
        order: &[usize],
        range: &impl Fn(usize) -> std::ops::Range<usize>,
        work: &mut u64,
        accept: &mut impl FnMut(&Closure, &[usize]) -> bool,
        choice: &mut Vec<usize>,
    ) -> Option<bool> {
        let Some((call, rest)) = order.split_first() else { return Some(accept(closure, choice)) };
        let bases = &self.bases[clause.calls[*call].pred];
        for index in range(*call) {
            if !bases.needed[index] {
                continue;
            }
            *work = work.checked_sub(1)?;
            let mut larger = closure.clone();
            if larger.join(&bases.all[index], &clause.calls[*call].args) {
                choice[*call] = index;
                if self.choose_from(clause, &larger, rest, range, work, accept, choice)? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// Is this parameter allocated in every instance?
    #[must_use]
    pub fn allocates(&self, pred: PredId, param: usize) -> bool {
        let var = (self.nils + param) as u8;
        self.complete
            && self.bases[pred].needed().all(|(_, base)| {
                let root =
                    base.equal.iter().find(|(_, v)| *v == var).map_or(var, |(root, _)| *root);
                base.allocated.contains(&root)
            })
    }

    /// All choices of bases for the calls of a clause that are consistent, each with the base that it
    /// gives the clause, if that is one of a predicate. `None` if there are too many.
    #[must_use]
    pub fn choices(
        &self,
        clause: &Clause,
        pred: Option<PredId>,
        work: &mut u64,
    ) -> Option<Vec<(Option<usize>, Vec<usize>)>> {
        let Some(closure) = Closure::of(clause, self.nils) else { return Some(Vec::new()) };
        let order: Vec<usize> = (0..clause.calls.len()).collect();
        let range = |call: usize| 0..self.bases[clause.calls[call].pred].all.len();
        let mut all = Vec::new();
        self.choose(clause, &closure, &order, &range, work, &mut |closure, choice| {
            let known = |pred: PredId| self.bases[pred].known.get(&closure.project(clause.free));
            all.push((pred.and_then(known).copied(), choice.to_vec()));
            false
        })?;
        Some(all)
    }

    /// Bases for the calls of a clause that are consistent with it and with each other: `Some(None)`
    /// if there are none, `None` if there is too much to do.
    #[must_use]
    pub fn consistent(&self, clause: &Clause, max_work: u64) -> Option<Option<Vec<usize>>> {
        let Some(closure) = Closure::of(clause, self.nils) else { return Some(None) };
        self.consistent_with(clause, &closure, &mut { max_work })
    }

    /// The same with more that is known, and with the steps that are left.
    #[must_use]
    pub fn consistent_with(
        &self,
        clause: &Clause,
        closure: &Closure,
        work: &mut u64,
    ) -> Option<Option<Vec<usize>>> {
        let order: Vec<usize> = (0..clause.calls.len()).collect();
        let range = |call: usize| 0..self.bases[clause.calls[call].pred].all.len();
        let mut found = None;
        let mut accept = |_: &Closure, choice: &[usize]| {
            found = Some(choice.to_vec());
            true
        };
        self.choose(clause, closure, &order, &range, work, &mut accept)?;
        Some(found)
    }
}
