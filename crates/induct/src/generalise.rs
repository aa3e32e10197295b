//! Statements that say more, and are easier to prove by induction.

use std::collections::BTreeMap;

use crate::prove::Prover;
use crate::sequent::{Heap, Sequent};
use crate::system::Var;

impl Prover<'_> {
    /// Sequents of which this one is an instance: variables in place of `nil`s, one for each argument
    /// where it occurs on both sides, or one for all.
    pub fn generalisations(&mut self, sequent: &Sequent) -> Vec<Sequent> {
        let mut by_place = BTreeMap::new();
        let mut by_sort = BTreeMap::new();
        for (place, nil) in self.nils_in(&sequent.left) {
            if self.nils_in(&sequent.right).contains(&(place, nil)) {
                let fresh = self.fresh(nil as usize);
                by_place.insert((place, nil), fresh);
            }
            by_sort.entry(nil).or_insert(None);
        }
        for (nil, var) in &mut by_sort {
            *var = Some(self.fresh(*nil as usize));
        }
        let mut all = Vec::new();
        if !by_place.is_empty() {
            all.push(replace(sequent, &|place, nil| by_place.get(&(place, nil)).copied()));
        }
        if !by_sort.is_empty() {
            all.push(replace(sequent, &|_, nil| by_sort.get(&nil).copied().flatten()));
        }
        all
    }

    /// The `nil`s among arguments, with their places.
    fn nils_in(&self, heap: &Heap) -> Vec<(usize, Var)> {
        let is_nil = |v: Var| (v as usize) < self.nils();
        heap.calls
            .iter()
            .flat_map(|call| call.args.iter().copied().enumerate())
            .filter(|(_, arg)| is_nil(*arg))
            .collect()
    }
}

/// Other variables in arguments; a field is nobody's argument.
fn replace(sequent: &Sequent, by: &impl Fn(usize, Var) -> Option<Var>) -> Sequent {
    let mut result = sequent.clone();
    for heap in [&mut result.left, &mut result.right] {
        for call in &mut heap.calls {
            for (place, arg) in call.args.iter_mut().enumerate() {
                *arg = by(place, *arg).unwrap_or(*arg);
            }
        }
        for cell in &mut heap.cells {
            for field in &mut cell.fields {
                *field = by(usize::MAX, *field).unwrap_or(*field);
            }
        }
    }
    result
}
