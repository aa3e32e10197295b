//! What procedures are asked about: disjunctions of symbolic heaps, and formulas that are none.

use std::sync::Arc;

use super::rename::{self, Numbering};
use super::symheap::is_existential;
use super::{Clause, Form, Ident, PredId, Scope, Selection, SortId, SymHeap, Var, lower, raise};
use crate::{Formula, Name, Reason, SymbolicHeap};

/// A disjunction of symbolic heaps, or a formula with other connectives. Cheap to clone.
///
/// One that is made of symbolic heaps is a formula ([`Assertion::form`]) when somebody needs one; one that
/// is lowered from a formula is made of symbolic heaps if that is what the formula says.
#[derive(Clone, PartialEq, Debug)]
pub struct Assertion {
    /// The disjuncts, or why there are none.
    heaps: Result<Arc<[SymHeap]>, Reason>,
    /// What it was lowered from.
    lowered: Option<Arc<Lowered>>,
}

/// A formula.
#[derive(PartialEq, Debug)]
struct Lowered {
    /// With numbers, or why it has none.
    form: Result<Form, Reason>,
    /// As it was written, if it was.
    written: Option<Formula>,
    /// The variables that are free in it.
    free: Vec<Var>,
}

impl From<SymHeap> for Assertion {
    fn from(heap: SymHeap) -> Assertion {
        Assertion { heaps: Ok(Arc::new([heap])), lowered: None }
    }
}

impl From<&SymHeap> for Assertion {
    fn from(heap: &SymHeap) -> Assertion {
        heap.clone().into()
    }
}

impl From<Vec<SymHeap>> for Assertion {
    fn from(heaps: Vec<SymHeap>) -> Assertion {
        Assertion { heaps: Ok(heaps.into()), lowered: None }
    }
}

impl Assertion {
    /// `false`: no disjuncts.
    #[must_use]
    pub fn never() -> Assertion {
        Vec::new().into()
    }

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

    /// `self * other`: of disjunctions every pair, those of the second in turn.
    ///
    /// # Errors
    /// If one is not well-sorted, or mentions what the scope does not know.
    pub fn star(&self, scope: &Scope, other: &Assertion) -> Result<Assertion, Reason> {
        if let (Ok(own), Ok(more)) = (&self.heaps, &other.heaps) {
            let pairs = more.iter().flat_map(|second| own.iter().map(|f| f.clone().star(second)));
            return Ok(pairs.collect::<Vec<SymHeap>>().into());
        }
        Ok(scope.assertion(Form::sep(vec![self.form(scope)?, other.form(scope)?])))
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
    /// If it is not well-sorted, or mentions what the scope does not know.
    pub fn form(&self, scope: &Scope) -> Result<Form, Reason> {
        if let Some(lowered) = &self.lowered {
            return lowered.form.clone();
        }
        let semantics = scope.defs().semantics();
        let heaps = self.heaps()?.iter().map(|heap| raise::heap(scope, heap));
        let forms = heaps.map(|heap| heap.map(|heap| heap.to_formula(semantics)));
        forms.collect::<Result<_, _>>().map(Form::or)
    }

    /// The formula with names, for the evaluator and for people.
    ///
    /// # Errors
    /// If it is not well-sorted, or mentions what the scope does not know.
    pub fn formula(&self, scope: &Scope) -> Result<Formula, Reason> {
        match self.lowered.as_ref().and_then(|lowered| lowered.written.clone()) {
            Some(written) => Ok(written),
            None => scope.named(&self.form(scope)?),
        }
    }

    /// The disjuncts with names, in the same order.
    ///
    /// # Errors
    /// If there are none, or they are not well-sorted.
    pub fn written(&self, scope: &Scope) -> Result<Vec<SymbolicHeap>, Reason> {
        match &self.lowered {
            Some(_) => SymbolicHeap::disjuncts(&self.formula(scope)?, scope.defs().semantics())
                .ok_or(Reason::NoSymbolicHeap),
            None => self
                .heaps()?
                .iter()
                .map(|heap| rename::named_heap(scope.core(), &raise::heap(scope, heap)?))
                .collect(),
        }
    }

    /// The variables of the scope that it mentions, in the order of their numbers. A formula also
    /// mentions those that its symbolic heaps have no use for.
    #[must_use]
    pub fn free_vars(&self, scope: &Scope) -> Vec<Var> {
        let mut all: Vec<Var> = Vec::new();
        match (&self.lowered, &self.heaps) {
            (Some(lowered), _) => return lowered.free.clone(),
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
    /// Lowers a formula; its free variables are declared.
    pub fn lower(&mut self, formula: &Formula) -> Assertion {
        let (mut fault, mut other, mut free) = (None, None, Vec::new());
        for var in formula.free_vars() {
            match self.declare_any(&var) {
                Some(declared) if self.sort(declared).is_some() => free.push(declared),
                Some(_) => other = Some(Reason::OtherValues),
                None => fault = Some(Reason::IllSorted),
            }
        }
        free.sort_unstable();
        let form = fault.map_or_else(|| self.numbered(formula), Err);
        let heaps = match (&form, other) {
            (Err(reason), _) => Err(reason.clone()),
            (Ok(_), Some(reason)) => Err(reason),
            (Ok(form), None) => self.disjuncts(form),
        };
        let lowered = Lowered { form, written: Some(formula.clone()), free };
        Assertion { heaps, lowered: Some(Arc::new(lowered)) }
    }

    /// The assertion that a formula with the variables of this scope is.
    #[must_use]
    pub fn assertion(&self, form: Form) -> Assertion {
        let heaps = self.disjuncts(&form);
        let known = |var: Ident| self.sort(var.number).is_some().then_some(var.number);
        let free = form.free_vars().into_iter().filter_map(known).collect();
        let lowered = Lowered { form: Ok(form), written: None, free };
        Assertion { heaps, lowered: Some(Arc::new(lowered)) }
    }

    fn numbered(&self, formula: &Formula) -> Result<Form, Reason> {
        let pred = |name: &Name| self.pred(name);
        let free = |var: &crate::Var| self.ident(self.lookup(&var.name)?);
        Numbering::new(&pred, &free).formula(formula)
    }

    fn disjuncts(&self, form: &Form) -> Result<Arc<[SymHeap]>, Reason> {
        let heaps = SymbolicHeap::disjuncts(form, self.defs().semantics());
        let heaps = heaps.ok_or(Reason::NoSymbolicHeap)?;
        let free = |var: Var| !is_existential(var);
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
