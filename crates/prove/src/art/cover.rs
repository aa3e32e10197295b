//! Covering and forced covering (McMillan 2006).

use std::time::Instant;

use super::{Art, shape_of};
use crate::exec::{Command, execute};
use crate::interpolate::path;
use crate::refine::{Goal, Path};
use crate::rsep::Formula;

impl Art<'_> {
    /// Covers a node by another one, if that is possible.
    pub(super) fn cover(&mut self, node: usize) -> bool {
        let Some((parent, edge)) = self.nodes[node].parent else { return false };
        let loc = self.nodes[node].loc;
        // Only nodes that are not expanded are covered, and only by such that are, so there is no cycle.
        for other in (0..self.nodes.len()).filter(|other| *other != node) {
            let candidate = &self.nodes[other];
            if candidate.loc != loc || !candidate.expanded || candidate.excluded {
                continue;
            }
            let mut forced = Vec::new();
            let commands = self.edges(parent)[edge].commands.clone();
            let covered = self.nodes[other].label.iter().all(|wanted| {
                if self.nodes[node].label.iter().any(|own| self.follows(own, wanted)) {
                    return true;
                }
                let nothing = self.anything();
                let mut from = self.nodes[parent].label.iter().chain([&nothing]);
                let derived = from.any(|from| self.leads_to(from, &commands, wanted));
                if derived {
                    forced.push(wanted.clone());
                }
                derived
            });
            if covered || self.cover_along(node, other) {
                for formula in forced {
                    self.strengthen(node, formula);
                }
                self.nodes[node].cover = Some(other);
                return true;
            }
        }
        false
    }

    /// Forced covering by an ancestor with other cut points in between: each formula of its label is proved to hold
    /// again, with interpolants for what is between.
    pub(super) fn cover_along(&mut self, node: usize, ancestor: usize) -> bool {
        let way = self.ancestors(node);
        let Some(start) = way.iter().position(|other| *other == ancestor) else { return false };
        let way = way.get(start..).unwrap_or_default().to_vec();
        if way.len() < 3 {
            return false;
        }
        let segments = self.edges_between(&way);
        let mut found: Vec<(usize, Formula)> = Vec::new();
        for wanted in self.nodes[ancestor].label.clone() {
            if self.nodes[node].label.iter().any(|own| self.follows(own, &wanted)) {
                continue;
            }
            let begin = Instant::now();
            let (heaps, commands, marks) = self.strongest_from(ancestor, &segments);
            if heaps.len() != commands.len() + 1 {
                return false;
            }
            let goal = wanted.without_data();
            let end = heaps.last().and_then(|end| self.entails(end, &goal));
            if end.is_none() {
                return false;
            }
            let interpolants = path(&heaps, &commands, &goal, self.defs());
            self.stats.spatial += begin.elapsed();
            let shapes: Vec<Formula> =
                marks.iter().filter_map(|mark| interpolants.get(*mark).cloned()).collect();
            let begin = Instant::now();
            let points = self.points(&way[1..way.len() - 1], &shapes);
            let mut refined = None;
            for from in self.nodes[ancestor].label.clone() {
                let path = Path {
                    start: &from,
                    points: &points,
                    segments: &segments,
                    goal: Goal::Formula(&wanted),
                };
                refined = self.solve(&path, false);
                if refined.is_some() {
                    break;
                }
            }
            self.stats.theory += begin.elapsed();
            let Some(refined) = refined else { return false };
            found.extend(way[1..].iter().copied().zip(refined.into_iter().chain([wanted])));
        }
        for (node, formula) in found {
            self.strengthen(node, formula);
        }
        true
    }

    pub(super) fn strongest_from(
        &self,
        node: usize,
        segments: &[Vec<Command>],
    ) -> (Vec<Formula>, Vec<Command>, Vec<usize>) {
        let mut heaps: Vec<Formula> = self.nodes[node].heap.iter().cloned().collect();
        let (mut commands, mut marks) = (Vec::new(), Vec::new());
        for segment in segments {
            for command in segment {
                commands.push(command.clone());
                let state = heaps.last().and_then(|before| {
                    execute(&shape_of(command), before, self.defs()).states.into_iter().next()
                });
                match state {
                    Some(state) => heaps.push(state),
                    None => return (heaps, commands, marks),
                }
            }
            marks.push(commands.len());
        }
        marks.pop();
        (heaps, commands, marks)
    }
}
