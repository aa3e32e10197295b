//! Wands and states: the heaps that are arguments of wands.

use std::collections::BTreeSet;
use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, ExprKind, OldState, Wand};

use crate::diagnostics::{Blame, ErrorKind, Reason, ReasonKind};
use crate::encoding::{Reads, introspection};
use crate::executor::Executor;
use crate::prover::Run;
use crate::state::{Heap, ResourceId, State};

impl Executor<'_> {
    /// The heap of another state, as an argument of a wand that reads it.
    pub(super) fn eval_state(
        &mut self,
        state: &mut State,
        old: &Arc<Expr>,
        reads: &Reads,
        blame: &Blame,
    ) -> Run<Term> {
        let heap = match &old.kind {
            ExprKind::Old(OldState::Pre, _) => state.old.clone(),
            ExprKind::Old(OldState::Label(label), _) => state.labels.get(label).cloned(),
            _ => None,
        };
        let Some(heap) = heap else {
            let reason = Reason::new(ReasonKind::LabelledStateNotReached, old, state.owner);
            return self.fail(state, blame, &reason);
        };
        let resources = match reads {
            Reads::Only(resources) => resources.clone(),
            Reads::Everything => everything(&heap),
        };
        let mut key = Vec::new();
        for resource in resources {
            let numbers = [
                resource.number(),
                heap.of(resource).count() as i64,
                heap.quantified_of(resource).count() as i64,
            ];
            key.extend(numbers.map(|n| self.terms.int(n)));
            key.extend(heap.contents(resource));
        }
        let snap = self.snap_sort();
        Ok(self.symbol_of(&state.parameters, "heap", snap, key))
    }

    /// A wand about how much is held cannot be verified.
    pub fn refuse_introspection(&mut self, state: &State, wand: &Wand) -> Run<()> {
        let Some((pos, what)) = introspection(self.program, wand) else { return Ok(()) };
        let message = format!(
            "{what} in a wand means something else wherever the wand is mentioned; only in a state \
             that stays what it is, as in `old[l](perm(x.f))`, can it be verified."
        );
        let blame = Blame::new(ErrorKind::Internal, pos);
        let reason = Reason::text(ReasonKind::Unsupported, pos, message);
        self.fail(state, &blame, &reason)
    }
}

/// The resources of a heap.
fn everything(heap: &Heap) -> BTreeSet<ResourceId> {
    let single = heap.chunks().iter().map(|c| c.resource);
    single.chain(heap.quantified().iter().map(|c| c.resource)).collect()
}
