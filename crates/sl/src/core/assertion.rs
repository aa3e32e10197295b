//! What procedures are asked about: disjunctions of symbolic heaps, and formulas that are none.

use std::sync::Arc;

use super::symheap::is_existential;
use super::{Clause, PredId, Scope, Selection, SortId, SymHeap, Var, lower, raise};
use crate::{Formula, Name, Reason, SymbolicHeap};

/// A disjunction of symbolic heaps, or a Boolean combination of formulas that is none. Cheap to clone.
///
/// One that is made of symbolic heaps has no text; a formula is made of it when somebody (the
/// evaluator, a solver, a reader) needs one.
#[derive(Clone, PartialEq, Debug)]
pub struct Assertion {
    /// The disjuncts, or why there are none.
    heaps: Result<Arc<[SymHeap]>, Reason>,
    /// What it was lowered from, and the variables that are free there.
    written: Option<(Formula, Arc<[Var]>)>,
}

impl From<SymHeap> for Assertion {
    fn from(heap: SymHeap) -> Assertion {
        Assertion { heaps: Ok(Arc::new([heap])), written: None }
    }
}

impl From<&SymHeap> for Assertion {
    fn from(heap: &SymHeap) -> Assertion {
        heap.clone().into()
    }
}

impl From<Vec<SymHeap>> for Assertion {
    fn from(heaps: Vec<SymHeap>) -> Assertion {
        Assertion { heaps: Ok(heaps.into()), written: None }
    }
}

impl Assertion {
    /// The disjuncts.
    ///
    /// # Errors
    /// If it is no disjunction of symbolic heaps.
    pub fn heaps(&self) -> Result<&[SymHeap], Reason> {
        match &self.heaps {
            Ok(heaps) => Ok(heaps),
            Err(reason) => Err(reason.clone()),
        }
    }

    /// The only disjunct; `None` if there is none, which is `false`.
    ///
    /// # Errors
    /// If there are several, or it is no disjunction of symbolic heaps.
    pub fn heap(&self) -> Result<Option<&SymHeap>, Reason> {
        match self.heaps()? {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            _ => Err(Reason::Disjunction),
        }
    }

    /// The formula.
    ///
    /// # Errors
    /// If a symbolic heap is not well-sorted, or mentions what the scope does not know.
    pub fn formula(&self, scope: &Scope) -> Result<Formula, Reason> {
        if let Some((formula, _)) = &self.written {
            return Ok(formula.clone());
        }
        let semantics = scope.defs().semantics();
        let heaps = self.heaps()?.iter().map(|heap| raise::heap(scope, heap));
        let formulas = heaps.map(|heap| heap.map(|heap| heap.to_formula(semantics)));
        formulas.collect::<Result<_, _>>().map(Formula::or)
    }

    /// The disjuncts with names, in the same order.
    ///
    /// # Errors
    /// If there are none, or they are not well-sorted.
    pub fn written(&self, scope: &Scope) -> Result<Vec<SymbolicHeap>, Reason> {
        match &self.written {
            Some((formula, _)) => SymbolicHeap::disjuncts(formula, scope.defs().semantics())
                .ok_or(Reason::NoSymbolicHeap),
            None => self.heaps()?.iter().map(|heap| raise::heap(scope, heap)).collect(),
        }
    }

    /// The variables of the scope that it mentions, in the order of their numbers. A formula also
    /// mentions those that its symbolic heaps have no use for.
    #[must_use]
    pub fn free_vars(&self, scope: &Scope) -> Vec<Var> {
        let mut all: Vec<Var> = Vec::new();
        match (&self.written, &self.heaps) {
            (Some((_, free)), _) => return free.to_vec(),
            (None, Ok(heaps)) => heaps.iter().for_each(|heap| {
                heap.for_each_var(&mut |var| {
                    if !is_existential(var) && !scope.is_nil(var) {
                        all.push(var);
                    }
                });
            }),
            (None, Err(_)) => {}
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The predicates that it mentions, in the order of appearance.
    fn mention(&self, preds: &mut Vec<PredId>) {
        let calls = self.heaps.iter().flat_map(|heaps| heaps.iter()).flat_map(SymHeap::calls);
        for call in calls {
            if !preds.contains(&call.pred) {
                preds.push(call.pred);
            }
        }
    }
}

impl Scope {
    /// Lowers a formula; its free variables are declared. What is no disjunction of symbolic heaps
    /// stays a formula.
    pub fn lower(&mut self, formula: &Formula) -> Assertion {
        let mut fault = None;
        let mut free = Vec::new();
        for var in formula.free_vars() {
            match self.sort_id(&var.sort) {
                Some(sort) => {
                    let declared = self.declare(var.name.clone(), sort);
                    // There may be one of another sort.
                    if self.lookup(&var.name) != Some(declared) {
                        fault = Some(Reason::IllSorted);
                    }
                    free.push(declared);
                }
                None => fault = Some(Reason::OtherValues),
            }
        }
        free.sort_unstable();
        let heaps = fault.map_or_else(|| self.disjuncts(formula), Err);
        Assertion { heaps, written: Some((formula.clone(), free.into())) }
    }

    fn disjuncts(&self, formula: &Formula) -> Result<Arc<[SymHeap]>, Reason> {
        let heaps = SymbolicHeap::disjuncts(formula, self.defs().semantics());
        let heaps = heaps.ok_or(Reason::NoSymbolicHeap)?;
        let free = |name: &Name| self.lookup(name);
        heaps.iter().map(|heap| lower::heap(self.core().system(), &free, heap)).collect()
    }
}

/// An entailment, or the question for a model if there is no right side, with all variables in one row:
/// first the `nil`s, then those that are free on either side, then the existential ones of each clause.
#[derive(Clone, Debug)]
pub struct Clauses {
    /// The definitions that matter.
    pub selection: Arc<Selection>,
    /// The variables that are free, in the order of their numbers in the scope.
    pub free: Vec<Var>,
    /// The disjuncts of the left side.
    pub left: Vec<Clause>,
    /// The disjuncts of the right side.
    pub right: Vec<Clause>,
}

impl Clauses {
    /// The clauses of two assertions.
    ///
    /// # Errors
    /// If one is no disjunction of symbolic heaps, or is not well-sorted; if a definition is none.
    pub fn new(
        scope: &Scope,
        left: &Assertion,
        right: Option<&Assertion>,
    ) -> Result<Clauses, Reason> {
        let lefts = left.heaps()?;
        let rights = right.map_or(Ok([].as_slice()), Assertion::heaps).map_err(|reason| {
            if reason == Reason::NoSymbolicHeap { Reason::NoSymbolicHeapOnTheRight } else { reason }
        })?;
        let mut preds = Vec::new();
        left.mention(&mut preds);
        let mut free = left.free_vars(scope);
        if let Some(right) = right {
            right.mention(&mut preds);
            free.extend(right.free_vars(scope));
            free.sort_unstable();
            free.dedup();
        }
        let selection = scope.core().select(&preds)?;
        let sorts: Vec<SortId> = free
            .iter()
            .map(|var| scope.sort(*var).ok_or(Reason::OpenVariable))
            .collect::<Result<_, _>>()?;
        let system = scope.core().system();
        let number = |pred| selection.number(pred);
        let clauses = |heaps: &[SymHeap]| -> Result<Vec<Clause>, Reason> {
            heaps.iter().map(|heap| lower::clause(system, heap, &free, &sorts, &number)).collect()
        };
        Ok(Clauses {
            left: clauses(lefts)?,
            right: clauses(rights)?,
            selection: selection.clone(),
            free: free.clone(),
        })
    }

    /// The free variables with their names.
    #[must_use]
    pub fn vars(&self, scope: &Scope) -> Vec<crate::Var> {
        self.free.iter().filter_map(|var| scope.var(*var).cloned()).collect()
    }
}
