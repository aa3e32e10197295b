//! Where permissions are looked for in one chunk only, as Silicon does it by default.

use std::collections::HashSet;

use viper::core::{ExprKind, Resource};

use crate::config::ExhaleMode;
use crate::executor::Executor;
use crate::state::{Heap, ResourceId};

impl Executor<'_> {
    /// Is one chunk looked for that certainly matches, and nothing else? As in Silicon, that is never
    /// so for resources to which there are quantified permissions: these are always summed up.
    pub fn is_greedy(&self, heap: &Heap, resource: ResourceId) -> bool {
        self.exhale_mode == ExhaleMode::Greedy
            && heap.quantified_of(resource).next().is_none()
            && !self.quantified_resources().contains(&resource)
    }

    /// The fields and predicates to which the program has quantified permissions.
    fn quantified_resources(&self) -> &HashSet<ResourceId> {
        self.quantified_resources.get_or_init(|| {
            let mut found = HashSet::new();
            self.program.walk_exprs(&mut |e| {
                if matches!(e.kind, ExprKind::Quant { .. }) {
                    e.walk(&mut |inner| {
                        if let ExprKind::Acc(resource, _) = &inner.kind {
                            found.extend(match resource {
                                Resource::Field(_, field, _) => Some(ResourceId::Field(*field)),
                                Resource::Predicate(predicate, ..) => {
                                    Some(ResourceId::Predicate(*predicate))
                                }
                                Resource::Wand(_) => None,
                            });
                        }
                        true
                    });
                }
                true
            });
            found
        })
    }
}
