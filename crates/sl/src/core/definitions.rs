//! All definitions of a signature with numbers, lowered once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::lower;
use super::system::Predicate;
use super::{PredId, SortId, SymHeap, System, Var};
use crate::{Name, Reason, Semantics, Signature, Sort, SymbolicHeap};

/// More selections than this are not kept.
const MAX_KEPT: usize = 64;

/// The definitions of a signature. Some may not be disjunctions of symbolic heaps: they have a number,
/// and no questions about them are lowered.
#[derive(Debug)]
pub struct Definitions {
    system: System,
    /// Why a predicate has no cases.
    faults: Vec<Option<Reason>>,
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
        for (id, (name, fault)) in names.iter().zip(&mut faults).enumerate() {
            let body = signature.predicates.get(name).map(|definition| &definition.body);
            if let (Some(body), None) = (body, &fault) {
                match cases(&system, id, SymbolicHeap::disjuncts(body, semantics)) {
                    Ok((cases, heaps)) => {
                        if let Some(predicate) = system.predicates.get_mut(id) {
                            (predicate.cases, predicate.heaps) = (cases, heaps);
                        }
                    }
                    Err(reason) => *fault = Some(reason),
                }
            }
        }
        Definitions { system, faults, selections: Mutex::default() }
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

/// The cases of a definition, with numbers and as they were written.
fn cases(
    system: &System,
    pred: PredId,
    heaps: Option<Vec<SymbolicHeap>>,
) -> Result<(Vec<super::Clause>, Vec<SymbolicHeap>), Reason> {
    let heaps = heaps.ok_or(Reason::NoSymbolicHeapInDefinition)?;
    if heaps.iter().any(|heap| heap.open) {
        return Err(Reason::OpenDefinition);
    }
    let Some(Predicate { written, params, .. }) = system.predicates.get(pred) else {
        return Err(Reason::NoSuchInstance);
    };
    let nils = system.nils();
    let free: Vec<Var> = (nils..nils + params.len()).map(|v| v as Var).collect();
    let param = |name: &Name| {
        let place = written.iter().position(|p| p.name == *name)?;
        free.get(place).copied()
    };
    let mut cases = Vec::with_capacity(heaps.len());
    for heap in &heaps {
        let heap: SymHeap = lower::heap(system, &param, heap)?;
        cases.push(lower::clause(system, &heap, &free, params, &Some)?);
    }
    Ok((cases, heaps))
}
