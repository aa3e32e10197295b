//! What is said of all instances of predicates, by induction on their definitions; and what follows
//! for a side of a sequent.

use arith::{Constraint, Sum};
use sl::core::{Call, Clause, Heap, Sequent, SortId, System, Var};
use sl::proof::{Base, Facts};

use crate::closure::{Closure, for_choices};
use crate::linear;

/// Definitions and facts that hold of them.
pub(crate) struct Knowledge<'a> {
    pub(crate) system: &'a System,
    pub(crate) sorts: &'a [SortId],
    bases: Option<&'a [Vec<Base>]>,
    invariants: &'a [Vec<Constraint>],
    counts: &'a [Option<Sum>],
    /// Which predicates have no empty instance.
    nonempty: Vec<bool>,
}

impl<'a> Knowledge<'a> {
    /// The facts, if they are right; otherwise what is wrong.
    pub(crate) fn new(
        system: &'a System,
        sorts: &'a [SortId],
        facts: &'a Facts,
    ) -> Result<Knowledge<'a>, &'static str> {
        let count = system.predicates.len();
        if facts.invariants.len() != count || facts.counts.len() != count {
            return Err("facts are not about all predicates");
        }
        let bases = facts.bases.as_deref();
        if bases.is_some_and(|bases| bases.len() != count) {
            return Err("bases are not those of all predicates");
        }
        let nonempty = nonempty(system);
        let (invariants, counts) = (facts.invariants.as_slice(), facts.counts.as_slice());
        let known = Knowledge { system, sorts, bases, invariants, counts, nonempty };
        for pred in 0..count {
            known.check(pred)?;
        }
        Ok(known)
    }

    /// Definitions, and facts that nobody has checked.
    pub(crate) fn unchecked(
        system: &'a System,
        sorts: &'a [SortId],
        facts: &'a Facts,
    ) -> Knowledge<'a> {
        let (invariants, counts) = (facts.invariants.as_slice(), facts.counts.as_slice());
        Knowledge { system, sorts, bases: None, invariants, counts, nonempty: Vec::new() }
    }

    pub(crate) fn nils(&self) -> usize {
        self.system.nils()
    }

    /// By induction: where the facts hold of the instances in a case, they hold of the case.
    fn check(&self, pred: usize) -> Result<(), &'static str> {
        let Some(predicate) = self.system.predicates.get(pred) else { return Ok(()) };
        let free = self.nils() + predicate.params.len();
        let is_param = |v: Var| (v as usize) < free;
        let said = self.invariants.get(pred).map(Vec::as_slice).unwrap_or_default();
        let count = self.counts.get(pred).and_then(Option::as_ref);
        let sums = said.iter().map(|c| &c.sum).chain(count);
        if !sums.flat_map(|sum| &sum.factors).all(|(v, _)| is_param(*v)) {
            return Err("a fact is not about parameters");
        }
        for case in &predicate.cases {
            let heap = heap_of(case);
            let facts = self.linear(&heap);
            if !linear::contradictory(&facts) {
                if !said.iter().all(|c| linear::implies(&facts, c)) {
                    return Err("an invariant does not hold of a case");
                }
                if let Some(count) = count {
                    let goal = self.cells(&heap).and_then(|cells| Constraint::equal(count, &cells));
                    if !goal.is_some_and(|goal| linear::implies(&facts, &goal)) {
                        return Err("a number of cells is not that of a case");
                    }
                }
            }
            let Some(bases) = self.bases else { continue };
            let of_pred = bases.get(pred).map(Vec::as_slice).unwrap_or_default();
            let calls: Vec<&Call> = case.calls.iter().collect();
            let closure = Closure::of(&heap, self.nils());
            let covered = for_choices(closure, &calls, bases, &mut |closure| {
                of_pred.iter().any(|base| says(closure, base, is_param))
            });
            if !covered {
                return Err("a case has none of the bases");
            }
        }
        Ok(())
    }

    /// Does every instance hold a cell?
    pub(crate) fn is_nonempty(&self, pred: usize) -> bool {
        self.nonempty.get(pred).copied().unwrap_or(false)
    }

    /// Arguments that every such instance allocates.
    pub(crate) fn roots(&self, call: &Call) -> Vec<Var> {
        let Some(bases) = self.bases.and_then(|bases| bases.get(call.pred)) else {
            return Vec::new();
        };
        let always = |v: Var| {
            bases.iter().all(|base| {
                let mut closure = Closure::new(self.nils());
                base.equal.iter().for_each(|(a, b)| closure.equate(*a, *b));
                base.allocated.iter().any(|a| closure.are_equal(*a, v))
            })
        };
        let params = call.args.iter().enumerate();
        params.filter(|(i, _)| always((self.nils() + i) as Var)).map(|(_, arg)| *arg).collect()
    }

    /// What holds of integers where this heap is.
    pub(crate) fn linear(&self, heap: &Heap) -> Vec<Constraint> {
        let mut facts = heap.linear.clone();
        for call in &heap.calls {
            let said = self.invariants.get(call.pred).map(Vec::as_slice).unwrap_or_default();
            facts.extend(said.iter().map(|c| c.renamed(&|v| self.argument(call, v))));
        }
        facts
    }

    fn argument(&self, call: &Call, v: Var) -> Var {
        match (v as usize).checked_sub(self.nils()) {
            None => v,
            Some(i) => call.args.get(i).copied().unwrap_or(v),
        }
    }

    /// The number of cells of a heap, if it is known.
    pub(crate) fn cells(&self, heap: &Heap) -> Option<Sum> {
        if heap.open {
            return None;
        }
        let start = Sum::number(heap.cells.len() as i128);
        heap.calls.iter().try_fold(start, |total, call| {
            let sum = self.counts.get(call.pred)?.as_ref()?;
            total.plus(&sum.renamed(&|v| self.argument(call, v)), 1)
        })
    }

    /// Two heaps that are the same have the same number of cells.
    pub(crate) fn same_cells(&self, a: &Heap, b: &Heap) -> Option<Constraint> {
        Constraint::equal(&self.cells(a)?, &self.cells(b)?)
    }

    /// Has a heap no model in which this holds, too?
    pub(crate) fn contradicts(&self, heap: &Heap, more: impl FnOnce(&mut Closure)) -> bool {
        let mut closure = Closure::of(heap, self.nils());
        more(&mut closure);
        if closure.is_inconsistent() || linear::contradictory(&self.linear(heap)) {
            return true;
        }
        let Some(bases) = self.bases else { return false };
        let calls: Vec<&Call> = heap.calls.iter().collect();
        for_choices(closure, &calls, bases, &mut |_| false)
    }

    pub(crate) fn are_equal(&self, heap: &Heap, a: Var, b: Var) -> bool {
        if a == b {
            return true;
        }
        if self.is_int(a) {
            return Constraint::equal(&Sum::var(a), &Sum::var(b))
                .is_some_and(|goal| linear::implies(&self.linear(heap), &goal));
        }
        Closure::of(heap, self.nils()).are_equal(a, b)
            || self.contradicts(heap, |closure| closure.separate(a, b))
    }

    pub(crate) fn are_different(&self, heap: &Heap, a: Var, b: Var) -> bool {
        self.contradicts(heap, |closure| closure.equate(a, b))
    }

    pub(crate) fn sort(&self, var: Var) -> Option<SortId> {
        self.sorts.get(var as usize).copied()
    }

    pub(crate) fn same_sort(&self, a: Var, b: Var) -> bool {
        self.sort(a).is_some() && self.sort(a) == self.sort(b)
    }

    pub(crate) fn is_int(&self, var: Var) -> bool {
        self.sort(var).is_some_and(|sort| self.system.is_int(sort))
    }

    /// Is everything in it of the sort that it has to be?
    pub(crate) fn is_well_sorted(&self, s: &Sequent) -> bool {
        let is_loc = |v: &Var| self.sort(*v).is_some_and(|sort| !self.system.is_int(sort));
        [&s.left, &s.right].into_iter().all(|heap| {
            let pairs = || heap.equal.iter().chain(&heap.different);
            heap.vars().iter().all(|v| self.sort(*v).is_some())
                && pairs().all(|(a, b)| is_loc(a) && self.same_sort(*a, *b))
                && heap.linear.iter().flat_map(|c| &c.sum.factors).all(|(v, _)| self.is_int(*v))
                && heap.cells.iter().all(|cell| is_loc(&cell.addr))
                && heap.gone.iter().all(is_loc)
                && heap.calls.iter().all(|call| {
                    let predicate = self.system.predicates.get(call.pred);
                    predicate.is_some_and(|predicate| {
                        predicate.params.len() == call.args.len()
                            && predicate
                                .params
                                .iter()
                                .zip(&call.args)
                                .all(|(sort, arg)| self.sort(*arg) == Some(*sort))
                    })
                })
        })
    }

    /// A case of an instance, with these variables for its own. `None` if there is no such case, or
    /// the variables are none for it.
    pub(crate) fn instance(&self, call: &Call, case: usize, vars: &[Var]) -> Option<Heap> {
        let clause = self.system.predicates.get(call.pred)?.cases.get(case)?;
        let own = clause.sorts.get(clause.free..)?;
        let fits = own.len() == vars.len()
            && own.iter().zip(vars).all(|(sort, var)| self.sort(*var) == Some(*sort))
            && clause.free == self.nils() + call.args.len();
        let mut scope: Vec<Var> = (0..self.nils() as Var).collect();
        scope.extend(&call.args);
        scope.extend(vars);
        fits.then(|| Heap::instance(clause, &scope))
    }
}

/// A case of a definition as a side of a sequent.
fn heap_of(case: &Clause) -> Heap {
    let scope: Vec<Var> = (0..case.sorts.len() as Var).collect();
    Heap::instance(case, &scope)
}

/// Does all that a base says hold?
fn says(closure: &Closure, base: &Base, is_param: impl Fn(Var) -> bool) -> bool {
    let mut vars = base.equal.iter().chain(&base.different).flat_map(|(a, b)| [a, b]);
    let allocated: Vec<Var> = base.allocated.iter().map(|v| closure.find(*v)).collect();
    let distinct = (1..allocated.len()).all(|i| !allocated[..i].contains(&allocated[i]));
    vars.all(|v| is_param(*v))
        && base.allocated.iter().all(|v| is_param(*v) && closure.is_allocated(*v))
        && distinct
        && base.equal.iter().all(|(a, b)| closure.are_equal(*a, *b))
        && base.different.iter().all(|(a, b)| closure.are_different(*a, *b))
}

/// Predicates each case of which has a cell, or an instance of such a predicate: by induction on
/// derivations, which are finite, every instance holds a cell.
fn nonempty(system: &System) -> Vec<bool> {
    let mut all = vec![true; system.predicates.len()];
    loop {
        let mut changed = false;
        for (pred, predicate) in system.predicates.iter().enumerate() {
            let holds = predicate.cases.iter().all(|case| {
                !case.cells.is_empty()
                    || case.calls.iter().any(|call| all.get(call.pred).copied().unwrap_or(false))
            });
            if let Some(known) = all.get_mut(pred).filter(|known| **known && !holds) {
                *known = false;
                changed = true;
            }
        }
        if !changed {
            return all;
        }
    }
}
