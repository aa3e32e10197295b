//! Shares of the goals of a unit, for several workers.
//!
//! Goals are numbered in the order in which the tree is walked. Each worker walks the tree, asks the goals of its share
//! and takes the others for granted: they are somebody else's, and what is wrong with them is said there. Shares
//! depend on the unit alone, so verdicts do not depend on the number of workers.

use std::ops::Range;

use crate::unit::{Item, Step};

/// So many goals are worth a walk along the tree.
const SHARE: usize = 16;

/// The numbers of the goals below each step.
pub(crate) struct Numbering {
    ranges: Vec<Range<usize>>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
    goals: usize,
}

impl Numbering {
    pub fn new(steps: &[Step]) -> Numbering {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
        let mut roots = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            match step.parent.and_then(|parent| children.get_mut(parent)) {
                Some(list) => list.push(index),
                None => roots.push(index),
            }
        }
        let ranges = vec![0..0; steps.len()];
        let mut numbering = Numbering { ranges, children, roots, goals: 0 };
        // Steps to enter, and steps to leave.
        let mut pending: Vec<(usize, bool)> =
            numbering.roots.iter().rev().map(|root| (*root, true)).collect();
        while let Some((node, enter)) = pending.pop() {
            let goals = numbering.goals;
            let Some(range) = numbering.ranges.get_mut(node) else { continue };
            if !enter {
                range.end = goals;
                continue;
            }
            range.start = goals;
            let items = steps.get(node).map(|step| step.items.as_slice()).unwrap_or_default();
            numbering.goals += items.iter().filter(|item| is_goal(item)).count();
            pending.push((node, false));
            let below = numbering.children.get(node).into_iter().flatten().rev();
            pending.extend(below.map(|child| (*child, true)));
        }
        numbering
    }

    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    pub fn children(&self, node: usize) -> &[usize] {
        self.children.get(node).map(Vec::as_slice).unwrap_or_default()
    }

    /// The number of the first goal of a step.
    pub fn first(&self, node: usize) -> usize {
        self.ranges.get(node).map_or(0, |range| range.start)
    }

    /// Has a step, or one below it, a goal of a share?
    pub fn concerns(&self, node: usize, share: &Range<usize>) -> bool {
        self.ranges.get(node).is_some_and(|r| r.start < share.end && share.start < r.end)
    }

    /// The goals in shares of about the same size.
    pub fn shares(&self) -> Vec<Range<usize>> {
        let count = (self.goals / SHARE).max(1);
        (0..count).map(|n| n * self.goals / count..(n + 1) * self.goals / count).collect()
    }
}

/// Is it something to ask the solver?
pub(crate) fn is_goal(item: &Item) -> bool {
    matches!(item, Item::Check(_) | Item::Probe(..))
}
