//! One system of Horn clauses for a whole tree.
//!
//! A tree of shapes alone, in which every node is covered or expanded, is a proof of memory safety but for what data
//! exclude. Its nodes get second-order variables like the points of a path [ABCK15, Sec. 5]; edges and covers ask
//! for clauses, which are recursive now, and so does every failure. A solution is an inductive invariant at once,
//! where paths would be refined one by one. What shapes hide (Fig. 11) has no solution: then paths are refined.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use horn::{Clause, Farkas, Octagons, Outcome, Solution, Solver, Spacer, Strongest, System};

use super::{Art, Root, SPACER_TIME};
use crate::contract::Contract;
use crate::defs::Defs;
use crate::exec::{Command, execute_all};
use crate::paths::End;
use crate::refine::{Point, Solved, contradiction, with_refinements};
use crate::rsep::Formula;

/// Clauses of a system.
const MOST_CLAUSES: usize = 2000;

/// Labels of nodes and contracts, with their data.
type Refined = (BTreeMap<usize, Vec<Formula>>, Vec<Contract>, Solved);

/// What a step asks of data, and how much of it only because shapes do not fit.
struct Step {
    clauses: Vec<Clause>,
    misfits: usize,
}

impl Art<'_> {
    /// Refines the labels of a finished tree of shapes; `false` if no refinement is found, which changes nothing.
    pub(super) fn refine_whole(&mut self) -> bool {
        let begin = Instant::now();
        // What is no longer read matters seldom; without it there are fewer variables.
        // First with memory that must not be lost.
        let found = self
            .whole(&self.live, true, true, false)
            .or_else(|| self.whole(&self.live, true, false, false))
            .or_else(|| self.whole(&self.live, false, false, false))
            .or_else(|| match self.options.quick {
                true => None,
                false => self.whole(&self.mentioned, true, false, true),
            });
        self.stats.theory += begin.elapsed();
        let Some((labels, contracts, solved)) = found else { return false };
        let before: Vec<Vec<Formula>> = self.nodes.iter().map(|node| node.label.clone()).collect();
        let shapes = Arc::clone(&self.defs);
        self.set_contracts(contracts);
        for (node, label) in labels {
            self.nodes[node].label = label;
        }
        self.solved = solved;
        if self.certify() {
            return true;
        }
        for (node, label) in self.nodes.iter_mut().zip(before) {
            node.label = label;
        }
        self.defs = shapes;
        self.solved = Solved::default();
        false
    }

    fn whole(
        &self,
        vars: &[Vec<usize>],
        within: bool,
        memory: bool,
        hard: bool,
    ) -> Option<Refined> {
        let mut system = System::default();
        let contracts = self.contract_hats(&mut system);
        let defs = Defs { contracts, ..self.cfg.defs.clone() };
        let mut hats: BTreeMap<usize, Vec<Formula>> = BTreeMap::new();
        let mut children: HashMap<(usize, usize), usize> = HashMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if let Some(edge) = node.parent {
                children.insert(edge, index);
            }
            if node.excluded || self.is_passed_on(index) {
                continue;
            }
            let own = match (node.parent, self.root_of(node.loc)) {
                (None, Root::Program) => node.label.clone(),
                (None, Root::Procedure(number)) => {
                    vec![self.at_start(number, defs.contracts.get(number)?)?]
                }
                (Some(_), _) => self.hats(index, vars, within, &mut system),
            };
            hats.insert(index, own);
        }
        // What goes straight to the node that covers it has the label of that one.
        for (index, node) in self.nodes.iter().enumerate() {
            if let Some(other) = node.cover
                && !hats.contains_key(&index)
            {
                let label = hats.get(&other)?.clone();
                hats.insert(index, label);
            }
        }
        let mut clauses: Vec<Clause> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let Some(own) = hats.get(&index) else { continue };
            if let Some(other) = node.cover {
                for wanted in hats.get(&other)?.iter().filter(|wanted| !own.contains(wanted)) {
                    clauses.extend(self.step(own, &[], Some(wanted), &defs)?.clauses);
                }
                continue;
            }
            for (edge, segment) in self.edges(index).iter().enumerate() {
                if clauses.len() > MOST_CLAUSES {
                    return None;
                }
                match children.get(&(index, edge)).filter(|child| !self.nodes[**child].excluded) {
                    Some(child) => {
                        for wanted in hats.get(child)? {
                            let step = self.step(own, &segment.commands, Some(wanted), &defs)?;
                            clauses.extend(step.clauses);
                        }
                    }
                    None if self.cfg.returns_from(segment.last).is_some() => {
                        let Root::Procedure(number) = self.root_of(node.loc) else { return None };
                        let goal = self.at_return(number, defs.contracts.get(number)?)?;
                        let step = self.step(own, &segment.commands, Some(&goal), &defs)?;
                        clauses.extend(step.clauses);
                    }
                    None if segment.to == End::Exit => {
                        let wrong = |from: &Formula| {
                            let executed = execute_all(&segment.commands, from, &defs);
                            let mut wrong = executed.faults;
                            if memory {
                                let loses = |state: &Formula| !self.is_kept(state, segment);
                                wrong.extend(executed.states.into_iter().filter(loses));
                            }
                            (wrong, executed.clauses)
                        };
                        let (wrong, asked) =
                            own.iter().map(wrong).min_by_key(|(wrong, _)| wrong.len())?;
                        clauses.extend(wrong.iter().map(contradiction).chain(asked));
                    }
                    None => clauses
                        .extend(self.step(own, &segment.all_commands(), None, &defs)?.clauses),
                }
            }
        }
        system.clauses = clauses;
        let solution = self.solution(&system.simplified(), hard)?;
        Some((hats, defs.contracts, Solved::of(system.relations, solution.formulas)))
    }

    fn solution(&self, system: &System, hard: bool) -> Option<Solution> {
        let mut spacer =
            self.options.solver.clone().map(|solver| Spacer { solver, timeout: SPACER_TIME });
        let (mut farkas, mut octagons, mut strongest) = (Farkas, Octagons, Strongest);
        let mut solvers: Vec<&mut dyn Solver> = vec![&mut farkas, &mut octagons];
        if hard {
            solvers.extend(spacer.iter_mut().map(|spacer| spacer as &mut dyn Solver));
            solvers.push(&mut strongest);
        }
        match horn::solve(system, &mut solvers, self.options.deadline) {
            Outcome::Solved(solution) => Some(solution),
            _ => None,
        }
    }

    /// Is the label of the covering node shown by the edge itself?
    fn is_passed_on(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        let (Some(other), Some((parent, edge))) = (node.cover, node.parent) else { return false };
        let from = self.label_or_true(parent);
        self.label_or_true(other).iter().all(|wanted| {
            self.step(&from, &self.edges(parent)[edge].commands, Some(wanted), self.defs())
                .is_some_and(|step| step.misfits == 0)
        })
    }

    fn label_or_true(&self, node: usize) -> Vec<Formula> {
        match self.nodes[node].label.as_slice() {
            [] => vec![self.anything()],
            label => label.to_vec(),
        }
    }

    /// Contracts with second-order variables: of arguments before a call, and of arguments and the result behind it.
    fn contract_hats(&self, system: &mut System) -> Vec<Contract> {
        let mut group = self.cfg.nodes.len() as u32;
        let mut hat = |shape: &Formula, system: &mut System| {
            group += 1;
            let live = (0..shape.data.len()).collect();
            let point = Point { shape: shape.clone(), live, group, within: Vec::new() };
            with_refinements(&point, self.defs(), system)
        };
        let contract = |contract: &Contract| Contract {
            pre: hat(&contract.pre, system),
            post: hat(&contract.post, system),
            globals: contract.globals.clone(),
        };
        self.defs.contracts.iter().map(contract).collect()
    }

    fn hats(
        &self,
        node: usize,
        vars: &[Vec<usize>],
        within: bool,
        system: &mut System,
    ) -> Vec<Formula> {
        let loc = self.nodes[node].loc;
        let live = vars.get(loc).cloned().unwrap_or_default();
        // Temporaries are never put into a tree by a later turn.
        let is_named = |var: &&usize| self.cfg.data.get(**var).is_some_and(|n| !n.contains('$'));
        let within: Vec<usize> = match within {
            true => live.iter().filter(is_named).copied().collect(),
            false => Vec::new(),
        };
        let hat = |shape: Formula| {
            let point =
                Point { shape, live: live.clone(), group: loc as u32, within: within.clone() };
            with_refinements(&point, self.defs(), system)
        };
        self.label_or_true(node).into_iter().map(hat).collect()
    }

    /// What `{from} commands {wanted}` asks of data, from the formula whose shape fits best; without a goal, that the
    /// end is not reached.
    fn step(
        &self,
        from: &[Formula],
        commands: &[Command],
        wanted: Option<&Formula>,
        defs: &Defs,
    ) -> Option<Step> {
        // A formula that lacks the record of an access knows nothing of its data: one that gets to the end is better.
        let commands = match commands {
            [passed @ .., Command::Fail] if wanted.is_none() => passed,
            all => all,
        };
        let step = |from: &Formula| {
            let executed = execute_all(commands, from, defs);
            let mut step = Step { clauses: executed.clauses, misfits: 0 };
            for fault in &executed.faults {
                step.misfits += 2;
                step.clauses.push(contradiction(fault));
            }
            for state in &executed.states {
                match wanted.and_then(|wanted| self.entails(state, wanted)) {
                    Some(proof) => step.clauses.extend(proof.clauses),
                    None => {
                        step.misfits += 1;
                        step.clauses.push(contradiction(state));
                    }
                }
            }
            step
        };
        from.iter().map(step).min_by_key(|step| step.misfits)
    }
}
