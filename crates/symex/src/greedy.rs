//! Where permissions are looked for in one chunk only, as Silicon does it by default.

use crate::config::ExhaleMode;
use crate::executor::Executor;
use crate::state::{Heap, ResourceId};

impl Executor<'_> {
    /// Is one chunk looked for that certainly matches, and nothing else? As in Silicon, that is never
    /// so for resources to which there are quantified permissions: these are always summed up.
    pub fn is_greedy(&self, heap: &Heap, resource: ResourceId) -> bool {
        self.exhale_mode == ExhaleMode::Greedy
            && heap.quantified_of(resource).next().is_none()
            && !self.syntax.is_quantified(resource)
    }
}
