//! Contracts for procedures that may call themselves: guessed by types, proved like labels.
//!
//! A guess says which arguments lead to lists or trees, which of them still do afterwards, and what the result leads
//! to; guesses that say more come first. A guess stays if the procedure has a tree of shapes with it; data are found
//! together with those of the program ([`super::whole`]), so a contract is as strong as its callers need it.

use std::collections::BTreeSet;
use std::sync::Arc;

use arith::Sum;

use super::{Art, Trouble};
use crate::contract::Contract;
use crate::defs::{Defs, End, KindId, PredId};
use crate::program::Summary;
use crate::rsep::{Atom, Formula, HTerm, Instance};

/// Guesses for the procedures of one cycle of calls.
const MOST_GUESSES: usize = 64;
/// Guesses of those that are kept.
const MOST_KEPT: usize = 3;

/// What the graph that starts at a node is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// The program.
    Program,
    /// The procedure with this contract.
    Procedure(usize),
}

/// What becomes of arguments that lead to data structures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Gone,
}

/// One way to guess.
#[derive(Clone, Copy)]
struct Guess<'a> {
    /// Which of the predicates of a kind.
    family: usize,
    /// Which arguments lead to one.
    given: &'a [usize],
    /// Are these not null?
    not_null: bool,
    fate: Fate,
    /// Does the result lead to one, and is it not null?
    result: Option<bool>,
}

impl Art<'_> {
    /// Everything that a proof is about.
    pub(super) fn all_roots(&self) -> Vec<Root> {
        let is_called = |number: &usize| matches!(self.cfg.summaries.get(*number), Some(Some(_)));
        let procedures = (0..self.cfg.summaries.len()).filter(is_called).map(Root::Procedure);
        [Root::Program].into_iter().chain(procedures).collect()
    }

    pub(super) fn summary(&self, number: usize) -> Option<&Summary> {
        self.cfg.summaries.get(number)?.as_ref()
    }

    /// What holds where a procedure starts.
    pub(super) fn at_start(&self, number: usize, contract: &Contract) -> Option<Formula> {
        let summary = self.summary(number)?;
        let mut all = self.anything();
        for param in &summary.heap {
            *all.vars.get_mut(param.now.var)? = *all.vars.get(param.old)?;
        }
        for (now, old) in &summary.data {
            *all.data.get_mut(*now)? = Sum::var(*old as u32);
        }
        let heap: Vec<usize> = old_heap(summary, contract);
        let data: Vec<usize> = summary.data.iter().map(|(_, old)| *old).collect();
        contract.before(&heap, &data, all)
    }

    /// What must hold where it returns.
    pub(super) fn at_return(&self, number: usize, contract: &Contract) -> Option<Formula> {
        let summary = self.summary(number)?;
        let mut heap: Vec<usize> = old_heap(summary, contract);
        heap.extend(summary.heap_result.map(|result| result.var));
        let old = summary.data.iter().map(|(_, old)| *old);
        let data: Vec<usize> = old.chain(summary.data_result).collect();
        contract.behind(&heap, &data, self.anything())
    }

    /// Shapes of contracts with which all procedures have a tree, the most promising first; one without any if there is
    /// nothing to guess.
    pub(super) fn guess_contracts(&mut self) -> Result<Vec<Vec<Contract>>, Trouble> {
        let mut chosen: Vec<Contract> = Vec::new();
        let mut others: Vec<Vec<(usize, Contract)>> = Vec::new();
        for number in 0..self.cfg.summaries.len() {
            chosen.push(match self.summary(number) {
                Some(summary) => contract(summary, self.defs(), &Guess::nothing()),
                None => Contract {
                    pre: Formula::anything(0, 0),
                    post: Formula::anything(0, 0),
                    globals: Vec::new(),
                },
            });
        }
        for cycle in self.cycles() {
            let mut found = self.guess_cycle(&cycle, &chosen)?;
            if found.is_empty() {
                let reason = "no contract was found for a procedure that calls itself".to_owned();
                return Err(Trouble::Stopped { reason, timeout: false });
            }
            let first = found.remove(0);
            for (number, contract) in first {
                if let Some(place) = chosen.get_mut(number) {
                    *place = contract;
                }
            }
            others.extend(found);
        }
        let mut all = vec![chosen.clone()];
        for other in others {
            let mut variant = chosen.clone();
            for (number, contract) in other {
                if let Some(place) = variant.get_mut(number) {
                    *place = contract;
                }
            }
            all.push(variant);
        }
        Ok(all)
    }

    /// Procedures that call each other, those that others call first.
    fn cycles(&self) -> Vec<Vec<usize>> {
        let calls = |number: usize| self.summary(number).map(|summary| &summary.calls);
        let mut open: Vec<usize> =
            (0..self.cfg.summaries.len()).filter(|number| calls(*number).is_some()).collect();
        open.sort_by_key(|number| calls(*number).map_or(0, BTreeSet::len));
        let mut cycles = Vec::new();
        while let Some(&first) = open.first() {
            let own = calls(first).cloned().unwrap_or_default();
            let back = |other: &usize| {
                own.contains(other) && calls(*other).is_some_and(|calls| calls.contains(&first))
            };
            let cycle: Vec<usize> = open.iter().copied().filter(back).collect();
            open.retain(|number| !cycle.contains(number) && *number != first);
            cycles.push(if cycle.is_empty() { vec![first] } else { cycle });
        }
        cycles
    }

    /// Contracts with which the procedures of a cycle have trees of shapes, those with fewer accesses that
    /// only data exclude first.
    fn guess_cycle(
        &mut self,
        cycle: &[usize],
        chosen: &[Contract],
    ) -> Result<Vec<Vec<(usize, Contract)>>, Trouble> {
        let options: Vec<Vec<Contract>> = cycle
            .iter()
            .filter_map(|number| Some(guesses(self.summary(*number)?, self.defs())))
            .collect();
        let roots: Vec<Root> = cycle.iter().copied().map(Root::Procedure).collect();
        let mut found: Vec<(u64, Vec<(usize, Contract)>)> = Vec::new();
        for attempt in combinations(&options) {
            let attempt: Vec<(usize, Contract)> = cycle.iter().copied().zip(attempt).collect();
            let mut contracts = chosen.to_vec();
            for (number, contract) in &attempt {
                if let Some(place) = contracts.get_mut(*number) {
                    *place = contract.clone();
                }
            }
            self.set_contracts(contracts);
            self.misfits = 0;
            match self.build(&roots) {
                Ok(()) => found.push((self.misfits, attempt)),
                Err(Trouble::Stopped { reason, timeout: true }) => {
                    return Err(Trouble::Stopped { reason, timeout: true });
                }
                Err(_) => {}
            }
            if found.iter().filter(|(misfits, _)| *misfits == 0).count() >= MOST_KEPT {
                break;
            }
        }
        found.sort_by_key(|(misfits, _)| *misfits);
        Ok(found.into_iter().take(MOST_KEPT).map(|(_, attempt)| attempt).collect())
    }

    pub(super) fn set_contracts(&mut self, contracts: Vec<Contract>) {
        self.defs = Arc::new(Defs { contracts, ..self.cfg.defs.clone() });
    }
}

fn old_heap(summary: &Summary, contract: &Contract) -> Vec<usize> {
    summary.heap.iter().map(|param| param.old).chain(contract.globals.iter().copied()).collect()
}

/// One option for each, in all ways, those that come first in all lists first.
fn combinations(options: &[Vec<Contract>]) -> Vec<Vec<Contract>> {
    let mut all: Vec<(usize, Vec<Contract>)> = vec![(0, Vec::new())];
    for each in options {
        let mut next = Vec::new();
        for (cost, chosen) in &all {
            for (place, option) in each.iter().enumerate() {
                let mut chosen = chosen.clone();
                chosen.push(option.clone());
                next.push((cost + place, chosen));
            }
        }
        next.sort_by_key(|(cost, _)| *cost);
        next.truncate(MOST_GUESSES);
        all = next;
    }
    all.into_iter().map(|(_, chosen)| chosen).collect()
}

impl Guess<'_> {
    fn nothing() -> Guess<'static> {
        Guess { family: 0, given: &[], not_null: false, fate: Fate::Gone, result: None }
    }
}

/// All guesses for a procedure.
fn guesses(summary: &Summary, defs: &Defs) -> Vec<Contract> {
    let is_linked = |kind: Option<KindId>| kind.is_some_and(|kind| !preds(kind, defs).is_empty());
    let linked: Vec<usize> =
        (0..summary.heap.len()).filter(|param| is_linked(summary.heap[*param].now.kind)).collect();
    let returns = summary.heap_result.is_some_and(|result| is_linked(result.kind));
    let kinds = summary.heap.iter().map(|param| param.now.kind);
    let kinds = kinds.chain(summary.heap_result.map(|result| result.kind)).flatten();
    let families = kinds.map(|kind| preds(kind, defs).len()).max().unwrap_or(0).max(1);
    let mut sets: Vec<Vec<usize>> = vec![linked.clone()];
    if linked.len() > 1 {
        sets.extend(linked.iter().map(|param| vec![*param]));
    }
    if !linked.is_empty() {
        sets.push(Vec::new());
    }
    let results: &[Option<bool>] = if returns { &[Some(true), Some(false), None] } else { &[None] };
    let mut found: Vec<Contract> = Vec::new();
    for given in &sets {
        for family in 0..families {
            for not_null in [false, true] {
                for fate in [Fate::Kept, Fate::Gone] {
                    for result in results {
                        let guess = Guess { family, given, not_null, fate, result: *result };
                        let contract = contract(summary, defs, &guess);
                        if !found.contains(&contract) {
                            found.push(contract);
                        }
                    }
                }
            }
        }
    }
    found
}

/// The predicates that records of a kind form: trees, lists, doubly linked lists.
fn preds(kind: KindId, defs: &Defs) -> Vec<PredId> {
    let of_kind = |(number, pred): (usize, &crate::defs::Pred)| {
        (pred.kind == kind).then_some(PredId(number as u32))
    };
    let mut found: Vec<PredId> = defs.preds.iter().enumerate().filter_map(of_kind).collect();
    found.sort_by_key(|pred| defs.pred(*pred).params);
    found
}

fn contract(summary: &Summary, defs: &Defs, guess: &Guess<'_>) -> Contract {
    let globals: Vec<usize> = summary.globals.iter().map(|(var, _)| *var).collect();
    let arguments = summary.heap.len() + globals.len();
    let mut pre = Formula::anything(arguments, summary.data.len());
    let mut post = Formula::anything(
        arguments + usize::from(summary.heap_result.is_some()),
        summary.data.len() + usize::from(summary.data_result.is_some()),
    );
    let structure = |kind: Option<KindId>, at: HTerm| {
        let all = preds(kind?, defs);
        let pred = *all.get(guess.family % all.len().max(1))?;
        let mut args = vec![HTerm::Null; defs.pred(pred).params];
        *args.first_mut()? = at;
        debug_assert!(matches!(defs.pred(pred).end, End::Null | End::Param(_)));
        Some(Atom::Pred(Instance { pred, args, refs: Vec::new() }))
    };
    for (place, param) in summary.heap.iter().enumerate() {
        let at = pre.vars[place];
        // An object that holds one value: a variable of a caller whose address is passed.
        if let Some(kind) = param.now.kind.filter(|kind| !defs.kind(*kind).on_heap) {
            for formula in [&mut pre, &mut post] {
                let cell = formula.fresh_cell(at, kind, defs);
                formula.atoms.push(Atom::Cell(cell));
            }
        }
        if guess.given.contains(&place)
            && let Some(atom) = structure(param.now.kind, at)
        {
            pre.atoms.push(atom.clone());
            if guess.not_null {
                pre.apart.push((at, HTerm::Null));
            }
            if guess.fate == Fate::Kept {
                post.atoms.push(atom);
            }
        }
    }
    for (place, (_, kind)) in summary.globals.iter().enumerate() {
        let at = pre.vars[summary.heap.len() + place];
        for formula in [&mut pre, &mut post] {
            let cell = formula.fresh_cell(at, *kind, defs);
            formula.atoms.push(Atom::Cell(cell));
        }
    }
    if let (Some(not_null), Some(result)) = (guess.result, summary.heap_result)
        && let Some(at) = post.vars.last().copied()
        && let Some(atom) = structure(result.kind, at)
    {
        post.atoms.push(atom);
        if not_null {
            post.apart.push((at, HTerm::Null));
        }
    }
    Contract { pre, post, globals }
}
