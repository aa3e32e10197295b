//! First candidates for labels where there are trees.
//!
//! Interpolants generalise lists: a segment that a path cuts off is a list. A variable that walks down a tree leaves a
//! tree with a hole behind it, which no assumption of the path asks for. So where variables lead into a tree, the label
//! is that tree, or the tree with a hole and what is below it; it is proved like any other label.

use super::Art;
use crate::defs::PredId;
use crate::exec::Command;
use crate::rsep::{Atom, Context, Formula, HTerm, Instance};

impl Art<'_> {
    /// Is a tree part of a formula?
    pub(super) fn is_about_trees(&self, formula: &Formula) -> bool {
        formula.atoms.iter().any(|atom| match atom {
            Atom::Pred(instance) => self.defs().is_tree(instance.pred),
            Atom::Context(_) => true,
            Atom::Cell(_) => false,
        })
    }

    /// A label about trees that holds behind an edge: that of another node at the location, or it without what it
    /// says of null, or one for the symbolic heap.
    pub(super) fn tree_label(
        &self,
        from: &[Formula],
        commands: &[Command],
        heap: &Formula,
        loc: usize,
    ) -> Option<Formula> {
        let mut candidates: Vec<Formula> = Vec::new();
        for node in self.nodes.iter().filter(|node| node.loc == loc) {
            let about_trees = node.label.iter().filter(|label| self.is_about_trees(label));
            for label in about_trees {
                for fewer in 0..=label.apart.len() {
                    let mut weaker = label.clone();
                    weaker.apart.truncate(label.apart.len() - fewer);
                    if !candidates.contains(&weaker) {
                        candidates.push(weaker);
                    }
                }
            }
        }
        candidates.extend(self.tree_labels(heap, loc));
        candidates
            .into_iter()
            .find(|candidate| from.iter().any(|from| self.leads_to(from, commands, candidate)))
    }

    /// Labels for a node with this symbolic heap, the strongest first.
    fn tree_labels(&self, heap: &Formula, loc: usize) -> Vec<Formula> {
        let mut found = Vec::new();
        for number in 0..self.defs().preds.len() {
            let pred = PredId(number as u32);
            if !self.defs().is_tree(pred) {
                continue;
            }
            let kind = self.defs().pred(pred).kind;
            let leads_there = |var: &usize| {
                let cell = heap.vars.get(*var).and_then(|at| heap.cell_at(*at));
                matches!(cell.and_then(|at| heap.atoms.get(at)), Some(Atom::Cell(c)) if c.kind == kind)
            };
            let live = self.live_heap.get(loc).cloned().unwrap_or_default();
            let vars: Vec<usize> = live.into_iter().filter(leads_there).collect();
            let (walks, stays): (Vec<usize>, Vec<usize>) =
                vars.iter().partition(|var| self.is_assigned(loc, **var));
            let mut label = self.anything();
            let place = |var: usize, label: &Formula| label.vars.get(var).copied();
            let tree = |at: HTerm| Instance { pred, args: vec![at], refs: Vec::new() };
            match (stays.as_slice(), walks.as_slice()) {
                ([root], []) | ([], [root]) => {
                    let Some(root) = place(*root, &label) else { continue };
                    label.atoms.push(Atom::Pred(tree(root)));
                }
                ([root], [at]) => {
                    let (Some(root), Some(hole)) = (place(*root, &label), place(*at, &label))
                    else {
                        continue;
                    };
                    let refs = Vec::new();
                    label.atoms.push(Atom::Context(Context {
                        pred,
                        root,
                        hole,
                        refs,
                        inside: None,
                    }));
                    label.atoms.push(Atom::Pred(tree(hole)));
                }
                _ => continue,
            }
            // Which of them are not null, as far as that holds again.
            for choice in [vars.as_slice(), stays.as_slice(), &[]] {
                let mut label = label.clone();
                let places = choice.iter().filter_map(|var| place(*var, &label));
                label.apart = places.map(|at| (at, HTerm::Null)).collect();
                if !found.contains(&label) {
                    found.push(label);
                }
            }
        }
        found
    }

    /// Is a heap variable assigned on a way from a location back to it?
    fn is_assigned(&self, loc: usize, var: usize) -> bool {
        let segments = self.segments.get(&loc).map_or(&[][..], Vec::as_slice);
        segments.iter().filter(|segment| segment.to == crate::paths::End::Node(loc)).any(
            |segment| {
                segment.commands.iter().any(|command| match command {
                    Command::Assign(x, _)
                    | Command::Havoc(x)
                    | Command::New(x, ..)
                    | Command::Load(x, ..) => *x == var,
                    _ => false,
                })
            },
        )
    }
}
