//! ProvePath [ABCK15, Fig. 10]: formulas for the nodes on a path.

use std::sync::Arc;
use std::time::Instant;

use arith::Sum;
use horn::{Farkas, Solver, Spacer, Strongest};

use super::{Art, Duty, Root, SPACER_TIME, Trouble, shape_of};
use crate::exec::{Command, execute};
use crate::interpolate::{blocking, path};
use crate::paths::End;
use crate::refine::{Goal, Path, Point, refine};
use crate::rsep::Formula;

impl Art<'_> {
    /// ProvePath [Fig. 10]: formulas for the nodes on the way to an edge, with which the edge is as it must be.
    pub(super) fn prove_path(
        &mut self,
        node: usize,
        edge: usize,
        duty: Duty,
    ) -> Result<(), Trouble> {
        self.stats.paths += 1;
        let last = self.edges(node)[edge].clone();
        let way = self.ancestors(node);
        let mut segments = self.edges_between(&way);
        segments.push(last.all_commands());
        if duty == Duty::Unreachable
            && let Some(inputs) = self.feasible(way[0], &segments)
        {
            let reason = match &last.to {
                End::Fail(reason) => reason.clone(),
                _ => "a pointer may lead nowhere where it is used".to_owned(),
            };
            // Inputs of a path from the start of a procedure are no inputs of the program.
            let of_program = self.root_of(self.nodes[way[0]].loc) == Root::Program;
            let inputs = inputs.filter(|_| of_program);
            return Err(Trouble::Open { reason, node: last.last, inputs });
        }
        // The strongest proof, command by command.
        let begin = Instant::now();
        let (heaps, commands, marks) = self.strongest(way[0], &segments);
        let (Some(end), Some(next)) =
            (heaps.last(), commands.get(heaps.len() - 1).or(commands.last()))
        else {
            return Ok(());
        };
        let goal = match duty {
            Duty::Blocked => blocking(end, next).unwrap_or_else(|| end.without_data()),
            Duty::Safe => self.must_return(&last).unwrap_or_else(|| self.anything()).without_data(),
            Duty::Unreachable => self.anything(),
        };
        let passed = &commands[..heaps.len() - 1];
        let interpolants = path(&heaps, passed, &goal, self.defs());
        self.stats.spatial += begin.elapsed();
        let at = |all: &[Formula], mark: &usize| all.get(*mark).cloned();
        let shapes: Vec<Formula> =
            marks.iter().filter_map(|mark| at(&interpolants, mark)).collect();
        if duty != Duty::Unreachable {
            for (index, shape) in shapes.into_iter().enumerate() {
                self.strengthen(way[index + 1], shape);
            }
            return Ok(());
        }
        let begin = Instant::now();
        let mut refined = self.refine(&way, &shapes, &segments);
        if refined.is_none() {
            // Theorem 3: the strongest proof can be refined, if any can.
            let exact: Vec<Formula> = marks.iter().filter_map(|mark| at(&heaps, mark)).collect();
            refined = self.refine(&way, &exact, &segments);
        }
        self.stats.theory += begin.elapsed();
        let Some(refined) = refined else {
            let reason = "no formula about the data on a path was found".to_owned();
            return Err(Trouble::Stopped { reason, timeout: false });
        };
        for (index, formula) in refined.into_iter().enumerate() {
            self.strengthen(way[index + 1], formula);
        }
        Ok(())
    }

    pub(super) fn refine(
        &mut self,
        way: &[usize],
        shapes: &[Formula],
        segments: &[Vec<Command>],
    ) -> Option<Vec<Formula>> {
        let points = self.points(&way[1..], shapes);
        let start = self.nodes[way[0]].label.first()?.clone();
        let path = Path { start: &start, points: &points, segments, goal: Goal::Unreachable };
        self.solve(&path, true)
    }

    pub(super) fn points(&self, nodes: &[usize], shapes: &[Formula]) -> Vec<Point> {
        let point = |(node, shape): (&usize, &Formula)| {
            let loc = self.nodes[*node].loc;
            Point {
                shape: shape.clone(),
                live: self.mentioned[loc].clone(),
                group: loc as u32,
                within: Vec::new(),
            }
        };
        nodes.iter().zip(shapes).map(point).collect()
    }

    /// Refines a path; without trying hard, by interpolation alone.
    pub(super) fn solve(&mut self, path: &Path<'_>, hard: bool) -> Option<Vec<Formula>> {
        let mut spacer =
            self.options.solver.clone().map(|solver| Spacer { solver, timeout: SPACER_TIME });
        let (mut farkas, mut strongest) = (Farkas, Strongest);
        let mut solvers: Vec<&mut dyn Solver> = vec![&mut farkas];
        if hard {
            solvers.extend(spacer.iter_mut().map(|spacer| spacer as &mut dyn Solver));
            solvers.push(&mut strongest);
        }
        let defs = Arc::clone(&self.defs);
        refine(path, &defs, &mut self.solved, &mut solvers, self.options.deadline)
    }

    /// The symbolic heaps along a path as far as it can be passed, its commands, and where edges end.
    pub(super) fn strongest(
        &self,
        root: usize,
        segments: &[Vec<Command>],
    ) -> (Vec<Formula>, Vec<Command>, Vec<usize>) {
        let mut heaps: Vec<Formula> = self.nodes[root].heap.iter().cloned().collect();
        let (mut commands, mut marks) = (Vec::new(), Vec::new());
        let mut blocked = false;
        for segment in segments {
            for command in segment {
                commands.push(command.clone());
                let Some(before) = heaps.last().filter(|_| !blocked) else { continue };
                match execute(&shape_of(command), before, self.defs()).states.into_iter().next() {
                    Some(state) => heaps.push(state),
                    None => blocked = true,
                }
            }
            marks.push(commands.len());
        }
        marks.pop();
        (heaps, commands, marks)
    }

    /// May the path be taken to its end? That it may not is certain. If it may, inputs with which it is taken, as far as
    /// they are known: values of what is drawn on it, in that order.
    fn feasible(&self, root: usize, segments: &[Vec<Command>]) -> Option<Option<Vec<i128>>> {
        let start = self.nodes[root].label.first()?;
        let mut state = start.clone();
        let mut drawn: Vec<Sum> = Vec::new();
        for command in segments.iter().flatten() {
            let executed = execute(command, &state, self.defs());
            let possible = |state: &&Formula| !state.data_contradictory();
            if let Some(fault) = executed.faults.iter().find(possible) {
                return Some(values(fault, &drawn));
            }
            // Symbolic heaps of records are not unfolded: there is one state, or none.
            state = executed.states.into_iter().find(|state| !state.data_contradictory())?;
            if let Command::Draw(a, _) = command {
                drawn.push(state.data.get(*a).cloned().unwrap_or_default());
            }
        }
        Some(values(&state, &drawn))
    }
}

/// Values of these terms with which the data of a state are as they must be.
fn values(state: &Formula, terms: &[Sum]) -> Option<Vec<i128>> {
    let model = arith::solve(&state.facts)?;
    // What no fact mentions may have any value.
    let value = |sym: u32| model.get(&sym).copied().unwrap_or(0);
    terms.iter().map(|term| term.value(&value)).collect()
}
