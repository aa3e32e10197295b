//! Sequents: symbolic heaps that entail others, over variables that all have numbers of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::system::{Call, Cell, Clause, Var};
use arith::{Constraint, Relation};

/// A symbolic heap whose variables are known to whoever holds it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Heap {
    /// Points-to atoms.
    pub cells: Vec<Cell>,
    /// Instances of predicates.
    pub calls: Vec<Call>,
    /// Equal locations.
    pub equal: Vec<(Var, Var)>,
    /// Different locations, the lesser one first.
    pub different: BTreeSet<(Var, Var)>,
    /// What is said of integers.
    pub linear: Vec<Constraint>,
    /// Locations that are allocated, but not here: what was taken away from both sides. They are
    /// different from each other.
    pub gone: Vec<Var>,
    /// May there be more?
    pub open: bool,
}

/// `left` entails `right` for some values of its existential variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sequent {
    /// What holds. All its variables are universal.
    pub left: Heap,
    /// What is to be shown.
    pub right: Heap,
    /// The existential variables of the right side.
    pub exist: BTreeSet<Var>,
}

/// A pair with the lesser one first.
#[must_use]
pub fn ordered(a: Var, b: Var) -> (Var, Var) {
    (a.min(b), a.max(b))
}

impl Heap {
    /// A clause with these variables in place of its own.
    #[must_use]
    pub fn instance(clause: &Clause, scope: &[Var]) -> Heap {
        let var = |v: Var| scope[v as usize];
        Heap {
            cells: clause.cells.clone(),
            calls: clause.calls.clone(),
            equal: clause.equal.clone(),
            different: clause.different.iter().copied().collect(),
            linear: clause.linear.clone(),
            gone: Vec::new(),
            open: clause.open,
        }
        .renamed(&var)
    }

    /// The same with other variables.
    #[must_use]
    pub fn renamed(&self, var: &impl Fn(Var) -> Var) -> Heap {
        let all = |vars: &[Var]| vars.iter().map(|v| var(*v)).collect::<Vec<Var>>();
        Heap {
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
            equal: self.equal.iter().map(|(a, b)| (var(*a), var(*b))).collect(),
            different: self.different.iter().map(|(a, b)| ordered(var(*a), var(*b))).collect(),
            linear: self.linear.iter().map(|c| c.renamed(var)).collect(),
            gone: all(&self.gone),
            open: self.open,
        }
    }

    /// Both, side by side.
    pub fn add(&mut self, other: Heap) {
        self.cells.extend(other.cells);
        self.calls.extend(other.calls);
        self.equal.extend(other.equal);
        self.different.extend(other.different);
        self.gone.extend(other.gone);
        for constraint in other.linear {
            if !self.linear.contains(&constraint) {
                self.linear.push(constraint);
            }
        }
        self.open |= other.open;
    }

    /// The variables of its atoms that take a part of the heap.
    #[must_use]
    pub fn spatial_vars(&self) -> BTreeSet<Var> {
        let mut all = BTreeSet::new();
        for cell in &self.cells {
            all.insert(cell.addr);
            all.extend(&cell.fields);
        }
        all.extend(self.calls.iter().flat_map(|call| &call.args));
        all
    }

    /// All its variables.
    #[must_use]
    pub fn vars(&self) -> BTreeSet<Var> {
        let mut all = self.spatial_vars();
        all.extend(&self.gone);
        all.extend(self.equal.iter().chain(&self.different).flat_map(|(a, b)| [a, b]));
        all.extend(self.linear.iter().flat_map(|c| c.sum.factors.iter().map(|(v, _)| v)));
        all
    }

    /// No points-to atoms and no instances.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.calls.is_empty()
    }
}

impl Sequent {
    /// One variable in place of another, everywhere.
    pub fn replace(&mut self, var: Var, by: Var) {
        let rename = |v: Var| if v == var { by } else { v };
        self.left = self.left.renamed(&rename);
        self.right = self.right.renamed(&rename);
        self.exist.remove(&var);
    }

    /// One variable in place of an existential one.
    pub fn bind(&mut self, var: Var, by: Var) {
        self.right = self.right.renamed(&|v| if v == var { by } else { v });
        self.exist.remove(&var);
    }

    /// Numbers for all variables that do not depend on their names; nearly never.
    #[must_use]
    pub fn numbering(&self, nils: usize) -> BTreeMap<Var, Var> {
        let mut numbers: BTreeMap<Var, Var> = (0..nils as Var).map(|v| (v, v)).collect();
        let mut number = |v: Var| {
            let next = numbers.len() as Var;
            *numbers.entry(v).or_insert(next)
        };
        for heap in [&self.left, &self.right] {
            let mut cells: Vec<&Cell> = heap.cells.iter().collect();
            cells.sort();
            let mut calls: Vec<&Call> = heap.calls.iter().collect();
            calls.sort();
            for cell in cells {
                number(cell.addr);
                cell.fields.iter().for_each(|f| {
                    number(*f);
                });
            }
            calls.iter().flat_map(|c| &c.args).for_each(|a| {
                number(*a);
            });
        }
        self.left.vars().into_iter().chain(self.right.vars()).for_each(|v| {
            number(v);
        });
        numbers
    }

    /// The same for every sequent that differs in names only; nearly always.
    #[must_use]
    pub fn canonical(&self, nils: usize) -> Sequent {
        let numbers = self.numbering(nils);
        let rename = |v: Var| numbers.get(&v).copied().unwrap_or(v);
        let mut result = Sequent {
            left: self.left.renamed(&rename),
            right: self.right.renamed(&rename),
            exist: self.exist.iter().filter_map(|v| numbers.get(v).copied()).collect(),
        };
        for heap in [&mut result.left, &mut result.right] {
            heap.cells.sort();
            heap.calls.sort();
            heap.linear.sort();
            heap.equal.sort_unstable();
            heap.gone.sort_unstable();
        }
        result
    }
}

/// The two variables that a constraint makes equal, if that is what it does.
#[must_use]
pub fn equated(constraint: &Constraint) -> Option<(Var, Var)> {
    match (constraint.relation, constraint.sum.constant, constraint.sum.factors.as_slice()) {
        (Relation::Zero, 0, [(a, 1), (b, -1)] | [(a, -1), (b, 1)]) => Some((*a, *b)),
        _ => None,
    }
}

/// The variable that a constraint says the value of, and that value.
#[must_use]
pub fn valued(constraint: &Constraint) -> Option<(Var, i128)> {
    match (constraint.relation, constraint.sum.factors.as_slice()) {
        (Relation::Zero, [(v, 1)]) => Some((*v, -constraint.sum.constant)),
        (Relation::Zero, [(v, -1)]) => Some((*v, constraint.sum.constant)),
        _ => None,
    }
}
