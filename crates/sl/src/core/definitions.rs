//! All definitions of a signature with numbers, lowered once.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::lower;
use super::rename::Numbering;
use super::system::Predicate;
use super::{Form, Ident, PredId, SortId, SymHeap, System, Var};
use crate::{Definition, Name, Reason, Semantics, Signature, Sort, SymbolicHeap};

/// More selections than this are not kept.
const MAX_KEPT: usize = 64;

/// The definitions of a signature. Some may not be disjunctions of symbolic heaps: they have a number,
/// and no questions about them are lowered.
#[derive(Debug)]
pub struct Definitions {
    system: System,
    /// Why a predicate has no cases.
    faults: Vec<Option<Reason>>,
    /// The definitions with all connectives, or why there is none.
    forms: Vec<Result<Definition<Ident, PredId>, Reason>>,
    /// Variables of the stack that definitions mention: the first ones of every scope.
    stack: Vec<crate::Var>,
    selections: Mutex<HashMap<Vec<PredId>, Arc<Selection>>>,
}

/// The definitions that a question is about, directly or not. What a search does depends on no others.
#[derive(Debug)]
pub struct Selection {
    /// The definitions, with numbers of their own.
    pub system: Arc<System>,
    /// Their numbers among all definitions.
    pub origin: Vec<PredId>,
}

impl Selection {
    /// The number here of a predicate.
    #[must_use]
    pub fn number(&self, pred: PredId) -> Option<PredId> {
        self.origin.iter().position(|origin| *origin == pred)
    }
}

impl Definitions {
    /// The definitions of a signature: first those of these names, in this order, then all others.
    #[must_use]
    pub fn new(signature: &Signature, semantics: Semantics, first: &[Name]) -> Definitions {
        let mut system = System::of_sorts(signature);
        let others = signature.predicates.keys().filter(|name| !first.contains(name));
        let names: Vec<Name> = first
            .iter()
            .filter(|name| signature.predicates.contains_key(name))
            .chain(others)
            .cloned()
            .collect();
        system.ids = names.iter().cloned().enumerate().map(|(id, name)| (name, id)).collect();
        // Cases mention predicates by number and with sorts: these come first.
        let mut faults = vec![None; names.len()];
        for (name, fault) in names.iter().zip(&mut faults) {
            let written = signature.predicates.get(name).map(|d| d.params.clone());
            let written = written.unwrap_or_default();
            let params: Result<Vec<SortId>, Reason> =
                written.iter().map(|p| system.sort(&p.sort)).collect();
            let params = params.unwrap_or_else(|reason| {
                *fault = Some(reason);
                Vec::new()
            });
            let (cases, heaps) = (Vec::new(), Vec::new());
            let predicate = Predicate { name: name.clone(), written, params, cases, heaps };
            system.predicates.push(predicate);
        }
        let stack = stack_vars(signature);
        let defined = names.iter().filter_map(|name| signature.predicates.get(name));
        let forms: Vec<_> = defined.map(|written| numbered(&system, &stack, written)).collect();
        for (id, (form, fault)) in forms.iter().zip(&mut faults).enumerate() {
            let written = system.predicates.get(id).map(|predicate| &predicate.name);
            let written = written.and_then(|name| signature.predicates.get(name));
            let (Some(written), None) = (written, &fault) else { continue };
            let cases = form.clone().and_then(|form| cases(&system, semantics, &form));
            match (cases, SymbolicHeap::disjuncts(&written.body, semantics)) {
                (Ok(cases), Some(heaps)) => {
                    if let Some(predicate) = system.predicates.get_mut(id) {
                        (predicate.cases, predicate.heaps) = (cases, heaps);
                    }
                }
                (Err(reason), _) => *fault = Some(reason),
                (Ok(_), None) => *fault = Some(Reason::NoSymbolicHeapInDefinition),
            }
        }
        Definitions { system, faults, forms, stack, selections: Mutex::default() }
    }

    /// The sorts.
    #[must_use]
    pub fn sorts(&self) -> &[Sort] {
        &self.system.sorts
    }

    /// The number of a sort.
    #[must_use]
    pub fn sort_id(&self, sort: &Sort) -> Option<SortId> {
        self.system.sort(sort).ok()
    }

    /// The number of a predicate.
    #[must_use]
    pub fn pred(&self, name: &Name) -> Option<PredId> {
        self.system.ids.get(name).copied()
    }

    /// The name of a predicate.
    #[must_use]
    pub fn name(&self, pred: PredId) -> Option<&Name> {
        self.system.predicates.get(pred).map(|predicate| &predicate.name)
    }

    /// A definition.
    ///
    /// # Errors
    /// If there is none, or it is no disjunction of symbolic heaps.
    pub fn predicate(&self, pred: PredId) -> Result<&Predicate, Reason> {
        match (self.system.predicates.get(pred), self.faults.get(pred)) {
            (Some(predicate), Some(None)) => Ok(predicate),
            (_, Some(Some(reason))) => Err(reason.clone()),
            _ => Err(Reason::NoSuchInstance),
        }
    }

    /// A definition with all its connectives.
    ///
    /// # Errors
    /// If there is none, or it mentions what has no number.
    pub fn form(&self, pred: PredId) -> Result<&Definition<Ident, PredId>, Reason> {
        match self.forms.get(pred) {
            Some(Ok(definition)) => Ok(definition),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err(Reason::NoSuchInstance),
        }
    }

    /// Variables of the stack that definitions mention.
    pub(super) fn stack(&self) -> &[crate::Var] {
        &self.stack
    }

    /// Does the definition of a predicate come to itself?
    #[must_use]
    pub fn is_inductive(&self, pred: PredId) -> bool {
        self.form(pred).is_ok_and(|form| self.reached(form.body.predicates()).contains(&pred))
    }

    /// The predicates that some come to, through definitions.
    #[must_use]
    pub fn reached(&self, mentioned: BTreeSet<PredId>) -> BTreeSet<PredId> {
        let mut pending: Vec<PredId> = mentioned.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(next) = pending.pop() {
            if seen.insert(next)
                && let Ok(form) = self.form(next)
            {
                pending.extend(form.body.predicates());
            }
        }
        seen
    }

    /// The formula with bodies in place of instances of predicates, except of inductive ones and those
    /// that are kept. `None` if that makes it much larger.
    #[must_use]
    pub fn unfolded(&self, form: &Form, keep: impl Fn(PredId) -> bool) -> Option<Form> {
        let known = |pred: &PredId| {
            let definition = self.form(*pred).ok()?;
            let simple = definition.is_closed() && !keep(*pred) && !self.is_inductive(*pred);
            simple.then_some(definition)
        };
        form.unfold_all(&known)
    }

    /// Sorts, names and definitions. Those that [`predicate`](Definitions::predicate) refuses have no
    /// cases.
    pub(super) fn system(&self) -> &System {
        &self.system
    }

    /// The definitions that these predicates come to, numbered in the order in which they are met.
    ///
    /// # Errors
    /// If one of them is no disjunction of symbolic heaps.
    pub fn select(&self, mentioned: &[PredId]) -> Result<Arc<Selection>, Reason> {
        let kept = |all: &Definitions| {
            let kept = all.selections.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get(mentioned).cloned()
        };
        if let Some(selection) = kept(self) {
            return Ok(selection);
        }
        let mut origin: Vec<PredId> = Vec::new();
        let meet = |pred: PredId, origin: &mut Vec<PredId>| {
            if !origin.contains(&pred) {
                origin.push(pred);
            }
        };
        mentioned.iter().for_each(|pred| meet(*pred, &mut origin));
        let mut next = 0;
        while let Some(pred) = origin.get(next).copied() {
            next += 1;
            for call in self.predicate(pred)?.cases.iter().flat_map(|case| &case.calls) {
                meet(call.pred, &mut origin);
            }
        }
        let mut system = System {
            sorts: self.system.sorts.clone(),
            fields: self.system.fields.clone(),
            ..System::default()
        };
        for (id, pred) in origin.iter().enumerate() {
            let mut predicate = self.predicate(*pred)?.clone();
            for call in predicate.cases.iter_mut().flat_map(|case| &mut case.calls) {
                let number = origin.iter().position(|origin| *origin == call.pred);
                call.pred = number.ok_or(Reason::NoSuchInstance)?;
            }
            system.ids.insert(predicate.name.clone(), id);
            system.predicates.push(predicate);
        }
        let selection = Arc::new(Selection { system: Arc::new(system), origin });
        let mut kept = self.selections.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT {
            kept.insert(mentioned.to_vec(), selection.clone());
        }
        Ok(selection)
    }
}

/// Variables that definitions mention and do not declare, in the order of their names.
fn stack_vars(signature: &Signature) -> Vec<crate::Var> {
    let mut all = BTreeSet::new();
    for definition in signature.predicates.values().filter(|definition| !definition.is_closed()) {
        let free = definition.body.free_vars().into_iter();
        all.extend(free.filter(|var| !definition.params.contains(var)));
    }
    all.into_iter().collect()
}

/// The definition with numbers: the `nil`s come first, then the variables of the stack, then the
/// parameters.
fn numbered(
    system: &System,
    stack: &[crate::Var],
    written: &Definition,
) -> Result<Definition<Ident, PredId>, Reason> {
    let number = |place: usize, var: &crate::Var| {
        let crate::Var { name, sort } = var.clone();
        Ident { number: (system.nils() + place) as Var, name, sort }
    };
    let params = written.params.iter().enumerate();
    let params: Vec<Ident> = params.map(|(i, var)| number(stack.len() + i, var)).collect();
    let free = |var: &crate::Var| {
        let param = params.iter().find(|param| param.name == var.name).cloned();
        param.or_else(|| Some(number(stack.iter().position(|known| known == var)?, var)))
    };
    let pred = |name: &Name| system.ids.get(name).copied();
    let body = Numbering::new(&pred, &free).formula(&written.body)?;
    let name = pred(&written.name).ok_or_else(|| Reason::Undefined(written.name.clone()))?;
    Ok(Definition { name, params, body, pos: written.pos })
}

/// The cases of a definition.
fn cases(
    system: &System,
    semantics: Semantics,
    definition: &Definition<Ident, PredId>,
) -> Result<Vec<super::Clause>, Reason> {
    let heaps = SymbolicHeap::disjuncts(&definition.body, semantics);
    let heaps = heaps.ok_or(Reason::NoSymbolicHeapInDefinition)?;
    if heaps.iter().any(|heap| heap.open) {
        return Err(Reason::OpenDefinition);
    }
    let free: Vec<Var> = definition.params.iter().map(|param| param.number).collect();
    let sorts = definition.params.iter().map(|param| system.sort(&param.sort));
    let sorts: Vec<SortId> = sorts.collect::<Result<_, _>>()?;
    let mut cases = Vec::with_capacity(heaps.len());
    for heap in &heaps {
        let heap: SymHeap = lower::heap(system, &|var| free.contains(&var), heap)?;
        cases.push(lower::clause(system, &heap, &free, &sorts, &Some)?);
    }
    Ok(cases)
}
