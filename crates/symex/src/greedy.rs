//! Where permissions are looked for in one chunk only, as Silicon does it by default.

use crate::config::ExhaleMode;
use crate::prover::Prover;
use crate::state::{Heap, ResourceId, State};

impl Prover<'_> {
    /// Is one chunk looked for that certainly matches, and nothing else? As in Silicon, that is never
    /// so for resources to which there are quantified permissions: these are always summed up.
    pub fn is_greedy(&self, state: &State, heap: &Heap, resource: ResourceId) -> bool {
        state.mode.exhale == ExhaleMode::Greedy
            && heap.quantified_of(resource).next().is_none()
            && !self.syntax.is_quantified(resource)
    }
}
