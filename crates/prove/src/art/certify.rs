//! The proof as a whole, checked once more.

use std::collections::HashMap;

use super::{Art, Duty, Node, Root};
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
        // Every graph is there, and starts as its contract says.
        let starts = |root: Root| {
            let is_start = |node: &&Node| node.parent.is_none() && self.root_of(node.loc) == root;
            let (Some(node), Some(start)) = (self.nodes.iter().find(is_start), self.start(root))
            else {
                return false;
            };
            node.loc == self.first_location(root)
                && node.label.iter().all(|wanted| self.follows(&start, wanted))
        };
        if !self.all_roots().into_iter().all(starts) {
            return false;
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
                        let returned = self.must_return(segment);
                        returned.is_none_or(|goal| self.is_reached(index, segment, &goal))
                            && self.is_shown(index, segment, duty)
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
