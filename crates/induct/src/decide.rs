//! Questions: what has a model, and what entails what.

use sl::{Formula, Semantics, Signature, SymbolicHeap, Verdict};

use crate::base::Table;
use crate::derivation::{self, Derivation, Written};
use crate::system::{Clause, System};
use crate::unfold::{End, Unfolder};

/// Steps for computing bases.
const BASE_WORK: u64 = 2_000_000;
/// Steps for choosing bases for a formula.
const CHOICE_WORK: u64 = 500_000;
/// The largest derivation that is made a model of.
const MAX_NODES: usize = 3_000_000;
/// Steps for unfolding, and how many instances there may be.
const UNFOLD_WORK: u64 = 20_000;
const UNFOLD_SIZE: usize = 60;

/// Is there a model of all of these formulas? Every model was checked along its derivation.
#[must_use]
pub fn decide(signature: &Signature, semantics: Semantics, formulas: &[Formula]) -> Verdict {
    let (positive, negative) = sl::decide::sorted_out(formulas, semantics);
    let question = match Question::new(signature, semantics, &positive, &negative) {
        Ok(question) => question,
        Err(reason) => return Verdict::Unknown(reason),
    };
    if negative.is_empty() {
        return question.satisfiable();
    }
    Verdict::Unknown("entailments of inductive definitions are not decided".into())
}

/// What is asked, with numbers.
struct Question<'a> {
    signature: &'a Signature,
    system: System,
    free: Vec<sl::Var>,
    /// The disjuncts of what is to hold.
    left: Vec<(SymbolicHeap, Clause)>,
}

impl<'a> Question<'a> {
    fn new(
        signature: &'a Signature,
        semantics: Semantics,
        positive: &[Formula],
        negative: &[Formula],
    ) -> Result<Question<'a>, String> {
        let mut all = positive.to_vec();
        all.extend(negative.iter().cloned());
        let system = System::new(signature, semantics, &all).map_err(|reason| reason.0)?;
        let free: Vec<sl::Var> = Formula::and(all).free_vars().into_iter().collect();
        let left = Formula::and(positive.to_vec());
        let Some(heaps) = SymbolicHeap::disjuncts(&left, semantics) else {
            return Err("the formula is no disjunction of symbolic heaps".into());
        };
        let mut left = Vec::with_capacity(heaps.len());
        for heap in heaps {
            let clause = system.clause(&heap, &free).map_err(|reason| reason.0)?;
            left.push((heap, clause));
        }
        Ok(Question { signature, system, free, left })
    }

    fn satisfiable(&self) -> Verdict {
        let table = Table::new(&self.system, BASE_WORK);
        let mut unknown = None;
        for (heap, clause) in &self.left {
            match self.disjunct(&table, heap, clause) {
                Verdict::Unsat => {}
                Verdict::Sat(model) => return Verdict::Sat(model),
                Verdict::Unknown(reason) => unknown = Some(reason),
            }
        }
        unknown.map_or(Verdict::Unsat, Verdict::Unknown)
    }

    fn disjunct(&self, table: &Table, heap: &SymbolicHeap, clause: &Clause) -> Verdict {
        let choice = table.consistent(clause, CHOICE_WORK);
        if choice == Some(None) && table.complete {
            return Verdict::Unsat;
        }
        let written = Written { heap, clause, free: &self.free };
        let arithmetic = self.system.has_arithmetic() || !clause.linear.is_empty();
        if let Some(Some(choice)) = choice.filter(|_| !arithmetic) {
            let derivation = Derivation::of_bases(table, clause, &choice, &self.system, MAX_NODES);
            let Some(derivation) = derivation else {
                return Verdict::Unknown("the model is too large".into());
            };
            return match derivation::model(&self.system, self.signature, written, &derivation) {
                Some(model) => Verdict::Sat(model),
                None => Verdict::Unknown("the model could not be confirmed".into()),
            };
        }
        let mut found = None;
        let mut accept = |d: &Derivation| {
            found = derivation::model(&self.system, self.signature, written, d);
            found.is_some()
        };
        let end = Unfolder::new(&self.system, UNFOLD_WORK).each(clause, UNFOLD_SIZE, &mut accept);
        match (found, end) {
            (Some(model), _) => Verdict::Sat(model),
            // Every derivation contradicts itself.
            (None, End::Exhausted) if !arithmetic => Verdict::Unsat,
            _ => Verdict::Unknown("there was no model among the small ones".into()),
        }
    }
}
