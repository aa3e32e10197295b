//! How alike two symbolic heaps look: which of several assertions is worth trying first, and which cannot be the one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sl::core::symheap::is_existential;
use sl::core::{Call, Cell, SymHeap, Var};

use crate::logic::Logic;

/// From this distance on no model of the one is one of the other.
pub(super) const APART: usize = 1 << 20;

/// How different an assertion looks from a heap that may entail it: both are walked from the variables that they have
/// in common, and places are counted where they differ.
pub(super) fn distance(logic: &Logic, left: &SymHeap, right: &SymHeap) -> usize {
    let (left, right) = (Sketch::new(logic, left), Sketch::new(logic, right));
    let free = right.heap.vars().into_iter().filter(|var| !is_existential(*var));
    let mut pending: VecDeque<(Var, Var)> = free.map(|var| (var, var)).collect();
    let mut seen: BTreeSet<(Var, Var)> = BTreeSet::new();
    let mut partner: BTreeMap<Var, Var> = BTreeMap::new();
    // Each side has as many atoms as the other, unless some are folded.
    let mut total = left.heap.cells().len().abs_diff(right.heap.cells().len())
        + left.heap.calls().len().abs_diff(right.heap.calls().len());
    while let Some((a, b)) = pending.pop_front() {
        let (a, b) = (left.name(a), right.name(b));
        if !seen.insert((a, b)) {
            continue;
        }
        if partner.insert(b, a).is_some_and(|other| other != a) {
            total += 8;
        }
        match (left.numbers.get(&a), right.numbers.get(&b)) {
            (Some(m), Some(n)) if m != n => total += APART,
            (None, Some(_)) => total += 16,
            _ => {}
        }
        match (left.at(a), right.at(b)) {
            (At::Null, At::Cell(_) | At::Some(_)) | (At::Cell(_) | At::Some(_), At::Null) => {
                total += APART;
            }
            (At::Cell(one), At::Cell(two)) => {
                pending.extend(one.fields.iter().copied().zip(two.fields.iter().copied()));
            }
            (At::Some(one) | At::Any(one), At::Some(two) | At::Any(two)) => {
                // Segments may end elsewhere, and what follows may be part of the other one.
                let ends = one.args.iter().zip(&two.args).skip(1);
                let same = ends.filter(|(a, b)| left.name(**a) == right.name(**b)).count();
                let alike = logic.of_same_predicate(one.pred, two.pred);
                total += usize::from(one.pred != two.pred) + if alike { 0 } else { 2 };
                total += two.args.len().saturating_sub(1 + same);
                for (a, b) in one.args.iter().zip(&two.args).filter(|_| alike) {
                    partner.entry(right.name(*b)).or_insert_with(|| left.name(*a));
                }
            }
            // Nodes can be folded; an instance is unfolded only by a proof with cases.
            (At::Null | At::Cell(_), At::Any(_)) | (At::Cell(_), At::Some(_)) => total += 2,
            (At::Some(_) | At::Any(_) | At::Nowhere, At::Cell(_)) => total += 16,
            (At::Nowhere | At::Any(_), At::Null) | (At::Nowhere, At::Some(_)) => total += 16,
            (At::Null, At::Null) | (_, At::Nowhere) => {}
            (At::Nowhere, At::Any(_)) => total += 4,
        }
    }
    total + unlike_numbers(&left, &right, &partner)
}

/// How many constraints do not follow if the variables of both sides are those that were met together.
fn unlike_numbers(left: &Sketch<'_>, right: &Sketch<'_>, partner: &BTreeMap<Var, Var>) -> usize {
    let mut total = 0;
    for constraint in right.heap.constraints() {
        let factors = &constraint.sum.factors;
        let one = matches!(&factors[..], [(var, _)] if right.numbers.contains_key(var));
        if one || !factors.iter().all(|(var, _)| partner.contains_key(var)) {
            continue;
        }
        let wanted = constraint.renamed(&|var| partner.get(&var).copied().unwrap_or(var));
        let known = left.heap.constraints();
        total += if known.contains(&wanted) || arith::implies(known, &wanted) { 0 } else { 32 };
    }
    total
}

/// What is at a location.
enum At<'h> {
    Null,
    Cell(&'h Cell),
    /// An instance that has a node there.
    Some(&'h Call),
    /// One that may have none.
    Any(&'h Call),
    Nowhere,
}

/// A heap in which names are found.
struct Sketch<'h> {
    heap: &'h SymHeap,
    null: Var,
    names: BTreeMap<Var, Var>,
    numbers: BTreeMap<Var, i128>,
    cells: BTreeMap<Var, usize>,
    /// Those that certainly have a node, and where it is.
    some: BTreeMap<Var, usize>,
    any: BTreeMap<Var, usize>,
}

impl<'h> Sketch<'h> {
    fn new(logic: &Logic, heap: &'h SymHeap) -> Sketch<'h> {
        let null = logic.null();
        let mut sketch = Sketch {
            heap,
            null,
            names: BTreeMap::new(),
            numbers: BTreeMap::new(),
            cells: BTreeMap::new(),
            some: BTreeMap::new(),
            any: BTreeMap::new(),
        };
        for (a, b) in heap.equations() {
            let (a, b) = (sketch.name(*a), sketch.name(*b));
            sketch.names.insert(a.max(b), a.min(b));
        }
        for constraint in heap.constraints() {
            if let ([(var, factor)], arith::Relation::Zero) =
                (&constraint.sum.factors[..], constraint.relation)
                && constraint.sum.constant % factor == 0
            {
                sketch.numbers.insert(*var, -(constraint.sum.constant / factor));
            }
        }
        for (i, cell) in heap.cells().iter().enumerate() {
            sketch.cells.insert(sketch.name(cell.addr), i);
        }
        for (i, call) in heap.calls().iter().enumerate() {
            let Some(root) = call.args.first().map(|root| sketch.name(*root)) else { continue };
            if logic.is_nonempty(call.pred) {
                sketch.some.insert(root, i);
            } else {
                sketch.any.insert(root, i);
            }
        }
        sketch
    }

    fn name(&self, mut var: Var) -> Var {
        // Names only ever lead to smaller ones.
        while let Some(next) = self.names.get(&var).filter(|next| **next != var) {
            var = *next;
        }
        var
    }

    fn at(&self, var: Var) -> At<'h> {
        if var == self.null {
            return At::Null;
        }
        if let Some(cell) = self.cells.get(&var).and_then(|i| self.heap.cells().get(*i)) {
            return At::Cell(cell);
        }
        if let Some(call) = self.some.get(&var).and_then(|i| self.heap.calls().get(*i)) {
            return At::Some(call);
        }
        match self.any.get(&var).and_then(|i| self.heap.calls().get(*i)) {
            Some(call) => At::Any(call),
            None => At::Nowhere,
        }
    }
}
