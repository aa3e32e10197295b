//! What a path claims at its end, as entailments.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use sl::Budget;
use sl::core::{Scope, SymHeap, Var};

use super::Checker;
use super::path::Path;
use super::similar::{APART, distance};
use crate::logic::{Checked, entails};

/// How long one entailment may take.
const TIME: Duration = Duration::from_millis(2_000);
/// How long a guess may take which of several assertions is entailed.
const GUESS: Duration = Duration::from_millis(150);

impl Checker<'_> {
    fn budget(&self, time: Duration) -> Budget {
        let mut budget = Budget::default();
        budget.clock.deadline = Some(self.deadline.min(Instant::now() + time));
        budget
    }

    /// Is there no such heap?
    pub(super) fn is_impossible(&self, path: &Path) -> bool {
        let proved =
            entails(&path.scope, vec![path.heap.clone()], Vec::new(), &mut self.budget(TIME));
        proved == Checked::Proved
    }

    /// Does a heap entail one of these assertions?
    ///
    /// Where memory may be lost both sides end with `* true`. From `A |- B` follows `A * C * true |- B * true`, and without
    /// `true` proofs by induction are found more often; so what the assertions cannot name is left out as `C` first.
    pub(super) fn prove(
        &mut self,
        scope: &Scope,
        left: &SymHeap,
        right: &[SymHeap],
    ) -> Result<(), String> {
        self.prove_in(TIME, scope, left, right)
    }

    fn prove_in(
        &mut self,
        time: Duration,
        scope: &Scope,
        left: &SymHeap,
        right: &[SymHeap],
    ) -> Result<(), String> {
        if left.is_open() && right.iter().all(SymHeap::is_open) {
            let closed = |heap: &SymHeap| {
                let mut heap = heap.clone();
                heap.set_open(false);
                heap
            };
            let named = closed(&self.without_garbage(left, right));
            let right: Vec<SymHeap> = right.iter().map(closed).collect();
            if self.prove_one(time, scope, &named, &right).is_ok() {
                return Ok(());
            }
        }
        self.prove_one(time, scope, left, right)
    }

    /// A heap without the atoms that nothing leads to which assertions mention.
    fn without_garbage(&self, heap: &SymHeap, assertions: &[SymHeap]) -> SymHeap {
        let mut reached: BTreeSet<Var> = BTreeSet::new();
        for assertion in assertions {
            assertion.for_each_var(&mut |var| {
                if !sl::core::symheap::is_existential(var) {
                    reached.insert(var);
                }
            });
        }
        let mut count = 0;
        while count != reached.len() {
            count = reached.len();
            for (a, b) in heap.equations() {
                if reached.contains(a) || reached.contains(b) {
                    reached.extend([*a, *b]);
                }
            }
            for cell in heap.cells() {
                if reached.contains(&cell.addr) {
                    reached.extend(&cell.fields);
                }
            }
            for call in heap.calls() {
                let ends =
                    call.args.first().copied().into_iter().chain(self.logic.last_argument(call));
                if ends.into_iter().any(|end| reached.contains(&end)) {
                    reached.extend(&call.args);
                }
            }
        }
        let mut named = heap.clone();
        for i in (0..heap.cells().len()).rev() {
            if heap.cells().get(i).is_some_and(|cell| !reached.contains(&cell.addr)) {
                named.remove_cell(i);
            }
        }
        for i in (0..heap.calls().len()).rev() {
            let kept = heap.calls().get(i).is_some_and(|call| {
                let last = self.logic.last_argument(call);
                call.args.first().copied().into_iter().chain(last).any(|end| reached.contains(&end))
            });
            if !kept {
                named.remove_call(i);
            }
        }
        named
    }

    /// Which of these assertions a heap entails, as far as that is seen at once; those that look like it are tried.
    pub(super) fn guess(
        &mut self,
        scope: &Scope,
        left: &SymHeap,
        right: &[SymHeap],
    ) -> Option<usize> {
        for i in self.likely(left, right).into_iter().take(4) {
            let heap = right.get(i)?;
            if self.prove_in(GUESS, scope, left, std::slice::from_ref(heap)).is_ok() {
                return Some(i);
            }
        }
        None
    }

    /// Those of some assertions that a heap may entail, most alike first.
    pub(super) fn likely(&self, left: &SymHeap, right: &[SymHeap]) -> Vec<usize> {
        let far = |heap: &SymHeap| distance(&self.logic, left, heap);
        let mut order: Vec<(usize, usize)> =
            right.iter().enumerate().map(|(i, heap)| (far(heap), i)).collect();
        order.retain(|(distance, _)| *distance < APART);
        order.sort_unstable();
        order.into_iter().map(|(_, i)| i).collect()
    }

    /// The same as they are. First those that look like the heap are tried one by one.
    fn prove_one(
        &mut self,
        time: Duration,
        scope: &Scope,
        left: &SymHeap,
        right: &[SymHeap],
    ) -> Result<(), String> {
        if Instant::now() >= self.deadline {
            return Err("there was no time for it".into());
        }
        let likely: Vec<SymHeap> =
            self.likely(left, right).into_iter().filter_map(|i| right.get(i).cloned()).collect();
        // A disjunct less is no loss where it cannot hold.
        let right = if likely.is_empty() { right } else { &likely };
        if right.len() > 1 {
            for heap in right.iter().take(4) {
                let right = vec![heap.clone()];
                let mut budget = self.budget(GUESS);
                if entails(scope, vec![left.clone()], right, &mut budget) == Checked::Proved {
                    self.report.proved += 1;
                    return Ok(());
                }
            }
        }
        let answer = entails(scope, vec![left.clone()], right.to_vec(), &mut self.budget(time));
        match answer {
            Checked::Proved => {
                self.report.proved += 1;
                Ok(())
            }
            Checked::Refuted => Err("it does not follow".into()),
            Checked::Open(why) => Err(why),
        }
    }
}
