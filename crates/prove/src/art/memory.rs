//! Is memory lost? Formulas are meant with `* true`, so what they do not mention may be anywhere. A formula is *exact*
//! at a node if its heaplets are all of the heap there.
//!
//! Exact formulas are found as a greatest fixed point: a formula of a label stays exact as long as, on every way to
//! its node, an exact one leads to it with no heaplet left over. That is an induction on the length of runs, which start with
//! an empty heap. Nothing is lost if at every node variables lead to all heaplets of an exact formula, and global
//! objects do where the program returns.
//!
//! A procedure with a contract starts with its precondition alone, and must return with its postcondition alone. What it
//! was given it must not lose either, although its callers may still know where it is: then it is theirs
//! again when it returns, but it may never do so. For the same reason nothing may be lost where it is called.

use std::collections::{BTreeSet, HashMap};

use super::Art;
use crate::abduce::only_leaf;
use crate::exec::{Command, Executed, execute_all};
use crate::paths::{End, Segment};
use crate::rsep::{Atom, Formula, HTerm};

/// Instances of a formula that are unfolded by trying.
const MOST_SHARPENED: usize = 3;

impl Art<'_> {
    /// Do the labels, which are an inductive invariant, show that no memory is lost?
    #[must_use]
    pub fn keeps_memory(&self) -> bool {
        let own: Vec<Vec<Formula>> =
            (0..self.nodes.len()).map(|node| self.candidates(node)).collect();
        let mut exact: Vec<Vec<&Formula>> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let others = node.cover.and_then(|other| own.get(other)).into_iter().flatten();
            exact.push(own[index].iter().chain(others).collect());
        }
        let mut children: HashMap<(usize, usize), usize> = HashMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if let Some(edge) = node.parent {
                children.insert(edge, index);
            }
        }
        loop {
            let mut changed = false;
            for index in 0..self.nodes.len() {
                let node = &self.nodes[index];
                if let Some(other) = node.cover {
                    let kept = self.kept(&exact[index], &[], &exact[other]);
                    changed |= kept.len() < exact[other].len();
                    exact[other] = kept;
                    continue;
                }
                for (edge, segment) in self.edges(index).iter().enumerate() {
                    let Some(&child) = children.get(&(index, edge)) else { continue };
                    let kept = self.kept(&exact[index], &segment.commands, &exact[child]);
                    changed |= kept.len() < exact[child].len();
                    exact[child] = kept;
                }
            }
            if !changed {
                break;
            }
        }
        (0..self.nodes.len()).all(|index| {
            let node = &self.nodes[index];
            if node.excluded || node.cover.is_some() {
                return true;
            }
            let live = self.live_heap.get(node.loc).map_or(&[][..], Vec::as_slice);
            let all_found =
                |formula: &&&Formula| self.is_reachable(formula, &self.held(formula, live));
            exact[index].iter().find(all_found).is_some()
                && self.edges(index).iter().all(|segment| {
                    let keeps = |from: &&Formula| self.keeps_before_calls(from, &segment.commands);
                    if !exact[index].iter().any(keeps) {
                        return false;
                    }
                    if segment.to != End::Exit {
                        return true;
                    }
                    if let Some(goal) = self.must_return(segment) {
                        return !self.kept(&exact[index], &segment.commands, &[&goal]).is_empty();
                    }
                    exact[index].iter().any(|from| {
                        let executed = execute_all(&segment.commands, from, self.defs());
                        self.passes(&executed)
                            && executed.states.iter().all(|state| {
                                self.is_kept(state, segment) || self.solved.refutes(state)
                            })
                    })
                })
        })
    }

    /// Formulas that may be exact at a node. Labels may be weaker than that, so their conjunction and the symbolic
    /// heap of the path are tried as well, and labels with the one record of an instance in place of it.
    fn candidates(&self, node: usize) -> Vec<Formula> {
        // Where a graph starts nothing else leads to, so nothing would show that a guess is wrong.
        if self.nodes[node].parent.is_none() {
            return self.nodes[node].label.clone();
        }
        let conjunction = self.conjunction(node);
        let node = &self.nodes[node];
        let mut all: Vec<Formula> = node.label.iter().cloned().chain(conjunction).collect();
        if let Some(heap) = &node.heap {
            let sharper: Vec<Formula> =
                all.iter().flat_map(|formula| self.sharpened(formula, heap)).collect();
            all.extend(sharper);
            all.push(heap.without_data());
        }
        let mut seen: Vec<Formula> = Vec::new();
        all.retain(|formula| {
            let new = !seen.contains(formula);
            if new {
                seen.push(formula.clone());
            }
            new
        });
        all
    }

    /// A formula with instances unfolded that stand for one record of the symbolic heap: each choice of them.
    fn sharpened(&self, formula: &Formula, heap: &Formula) -> Vec<Formula> {
        let Some(leaf) = only_leaf(heap, &formula.without_data(), self.defs()) else {
            return Vec::new();
        };
        let single = |index: &usize| {
            matches!(formula.atoms.get(*index), Some(Atom::Pred(_)))
                && leaf.uses.get(*index).is_some_and(|uses| uses.len() == 1)
        };
        let single: Vec<usize> =
            (0..formula.atoms.len()).filter(single).take(MOST_SHARPENED).collect();
        let choices = 1..1u32 << single.len();
        let sharper = |bits: u32| {
            let mut result = formula.clone();
            // From behind: unfolding removes a heaplet and adds others at the end.
            for (bit, index) in single.iter().enumerate().rev() {
                if bits >> bit & 1 == 1 {
                    let cell = result.unfold_inductive(*index, self.defs())?;
                    while let Some(Atom::Pred(rest)) = result.atoms.get(cell + 1).cloned() {
                        result.atoms.remove(cell + 1);
                        result.unify(*rest.args.first()?, Formula::end_of(&rest, self.defs()));
                    }
                }
            }
            Some(result)
        };
        choices.filter_map(sharper).collect()
    }

    /// At the end of the program, is every heaplet still reached: from global objects where it returns, or from any
    /// variable where it exits?
    pub(super) fn is_kept(&self, state: &Formula, segment: &Segment) -> bool {
        let returns = self.cfg.nodes.get(segment.last).is_none_or(|node| node.returns);
        let globals = self.cfg.globals.iter().filter_map(|global| state.vars.get(*global));
        let roots: Vec<HTerm> =
            if returns { globals.copied().collect() } else { self.held(state, &[]) };
        self.is_reachable(state, &roots)
    }

    /// What variables of the program hold at a location. Temporaries count if they are read again, and those that
    /// stand for earlier values do not.
    fn held(&self, state: &Formula, live: &[usize]) -> Vec<HTerm> {
        let summaries = self.cfg.summaries.iter().flatten();
        let old: BTreeSet<usize> =
            summaries.flat_map(|summary| summary.heap.iter().map(|param| param.old)).collect();
        let is_named = |var: &usize| self.cfg.heap.get(*var).is_some_and(|n| !n.contains('$'));
        let counts = |var: &usize| !old.contains(var) && (is_named(var) || live.contains(var));
        let held = state.vars.iter().enumerate().filter(|(var, _)| counts(var));
        held.map(|(_, value)| *value).collect()
    }

    /// Do variables lead to everything wherever a procedure is called by its contract?
    fn keeps_before_calls(&self, from: &Formula, commands: &[Command]) -> bool {
        commands.iter().enumerate().all(|(place, command)| {
            let Command::Call(call) = command else { return true };
            let before = commands.get(..place).unwrap_or_default();
            let executed = execute_all(before, from, self.defs());
            self.passes(&executed)
                && executed.states.iter().all(|state| {
                    self.is_reachable(state, &self.held(state, &call.heap))
                        || self.solved.refutes(state)
                })
        })
    }

    /// Is every way followed to its end? A formula that does not have the record of an access shows that nothing fails no
    /// more than that nothing is left over: others of its label may, but what becomes of its heaplets is not known then.
    fn passes(&self, executed: &Executed) -> bool {
        self.solved.satisfies(&executed.clauses)
            && executed.faults.iter().all(|state| self.solved.refutes(state))
    }

    /// The formulas to which one of the others leads without leaving a heaplet over.
    fn kept<'f>(
        &self,
        from: &[&'f Formula],
        commands: &[Command],
        to: &[&'f Formula],
    ) -> Vec<&'f Formula> {
        let leads = |wanted: &&&Formula| {
            from.iter().any(|from| {
                let executed = execute_all(commands, from, self.defs());
                self.passes(&executed)
                    && executed.states.iter().all(|state| {
                        let proof = self.entails(state, wanted);
                        proof.is_some_and(|proof| {
                            proof.leaves.iter().all(|leaf| leaf.left_over == 0)
                                && self.solved.satisfies(&proof.clauses)
                        }) || self.solved.refutes(state)
                    })
            })
        };
        to.iter().filter(leads).copied().collect()
    }

    /// Do these places lead to all heaplets?
    fn is_reachable(&self, formula: &Formula, roots: &[HTerm]) -> bool {
        let mut reached: BTreeSet<HTerm> = roots.iter().copied().collect();
        let mut open: Vec<&Atom> = formula.atoms.iter().collect();
        loop {
            let before = open.len();
            open.retain(|atom| match atom {
                Atom::Cell(cell) if reached.contains(&cell.at) => {
                    reached.extend(&cell.ptrs);
                    false
                }
                // What a list ends at is reached through it, unless it is empty: then its root is that place.
                Atom::Pred(instance) => match instance.args.first() {
                    Some(root) if reached.contains(root) => {
                        reached.insert(Formula::end_of(instance, self.defs()));
                        false
                    }
                    _ => true,
                },
                Atom::Context(context) if reached.contains(&context.root) => {
                    reached.insert(context.hole);
                    false
                }
                Atom::Cell(_) | Atom::Context(_) => true,
            });
            if open.len() == before {
                break;
            }
        }
        let on_heap = |atom: &&Atom| match atom {
            Atom::Cell(cell) => self.defs().kind(cell.kind).on_heap,
            Atom::Pred(_) | Atom::Context(_) => true,
        };
        !open.iter().any(on_heap)
    }
}
