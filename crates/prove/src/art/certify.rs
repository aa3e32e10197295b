//! The proof as a whole, checked once more.

use std::collections::HashMap;

use super::{Art, Duty};
use crate::paths::End;
use crate::rsep::Formula;

impl Art<'_> {
    /// Are the labels an inductive invariant that excludes all failures?
    #[must_use]
    pub fn certify(&self) -> bool {
        let mut children: HashMap<(usize, usize), usize> = HashMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if let Some(edge) = node.parent {
                children.insert(edge, index);
            }
        }
        (0..self.nodes.len()).all(|index| {
            let node = &self.nodes[index];
            if let Some(other) = node.cover {
                let other = &self.nodes[other];
                let follows =
                    |wanted: &Formula| node.label.iter().any(|own| self.follows(own, wanted));
                return other.loc == node.loc
                    && other.expanded
                    && other.cover.is_none()
                    && !other.excluded
                    && other.label.iter().all(follows);
            }
            node.excluded
                || node.expanded
                    && self.edges(index).iter().enumerate().all(|(edge, segment)| {
                        let child = children.get(&(index, edge));
                        let duty = match child {
                            Some(child) if self.nodes[*child].excluded => Duty::Unreachable,
                            Some(_) => Duty::Safe,
                            None if segment.to == End::Exit => Duty::Safe,
                            None => Duty::Unreachable,
                        };
                        let nothing = self.anything();
                        self.is_shown(index, segment, duty)
                            && child.is_none_or(|child| {
                                self.nodes[*child].label.iter().all(|wanted| {
                                    let mut from = node.label.iter().chain([&nothing]);
                                    from.any(|from| self.leads_to(from, &segment.commands, wanted))
                                })
                            })
                    })
        })
    }
}
