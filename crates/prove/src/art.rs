//! From proofs of paths to proofs of programs [ABCK15, App. A, Fig. 9 and 10]: the abstract reachability tree of
//! IMPACT (McMillan 2006).
//!
//! Nodes are at the entry and at loop heads; an edge is a path without a loop between them. The label of a node is
//! a conjunction of formulas, each of which was proved along the path to it: that is `Conj`, done lazily, since RSep
//! is not closed under conjunction. A node is *covered* by an expanded one at the same location whose label follows
//! from its own; before that, the label of the other is tried as a label of its own (*forced* covering). When every
//! node is covered or expanded, and every edge is safe by a formula of its node, the labels are an inductive
//! invariant, which [`Art::certify`] checks once more as a whole.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use horn::{Farkas, Solver, Spacer, Strongest};

use crate::defs::Defs;
use crate::entail::entails;
use crate::exec::{Command, Executed, execute, execute_all};
use crate::interpolate::{blocking, path};
use crate::paths::{End, Segment, mentioned, segments};
use crate::program::Cfg;
use crate::refine::{Goal, Path, Point, Solved, refine};
use crate::rsep::Formula;

/// Nodes of a tree.
const MOST_NODES: usize = 400;
/// Formulas of other nodes that are tried.
const MOST_IMPORTS: usize = 24;
/// What one question to Spacer may take.
const SPACER_TIME: Duration = Duration::from_secs(3);

/// Limits and helpers.
#[derive(Clone, Debug)]
pub struct Options {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
    /// Z3, if there is one.
    pub solver: Option<PathBuf>,
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No failure can be reached.
    Safe,
    /// This failure is not excluded.
    Open {
        /// A clause.
        reason: String,
        /// The location from which the last edge starts.
        node: usize,
    },
    /// It was not finished.
    Stopped {
        /// A clause.
        reason: String,
        /// For lack of time?
        timeout: bool,
    },
}

/// Numbers as in [ABCK15, Table 1].
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Paths that were proved.
    pub paths: u64,
    /// Nodes of the tree.
    pub nodes: u64,
    /// Nodes that others cover.
    pub covered: u64,
    /// Time for spatial interpolation.
    pub spatial: Duration,
    /// Time for theory interpolation.
    pub theory: Duration,
}

struct Node {
    loc: usize,
    /// The node before it and the number of the edge between.
    parent: Option<(usize, usize)>,
    /// The symbolic heap of the path to it, without data; `None` if that path cannot be passed whatever the data are.
    heap: Option<Formula>,
    label: Vec<Formula>,
    cover: Option<usize>,
    expanded: bool,
    /// Its edge cannot be passed.
    excluded: bool,
}

/// What must be shown of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duty {
    /// No command fails.
    Safe,
    /// It cannot be passed, whatever the data are.
    Blocked,
    /// Data exclude it.
    Unreachable,
}

enum Trouble {
    Open { reason: String, node: usize },
    Stopped { reason: String, timeout: bool },
}

/// The tree.
pub struct Art<'a> {
    cfg: &'a Cfg,
    options: &'a Options,
    segments: HashMap<usize, Vec<Segment>>,
    live: Vec<Vec<usize>>,
    nodes: Vec<Node>,
    queue: VecDeque<usize>,
    /// Nodes that are not reached along their path, but by others perhaps: looked at when there are no others.
    later: VecDeque<usize>,
    solved: Solved,
    /// What it took.
    pub stats: Stats,
}

impl<'a> Art<'a> {
    /// An empty tree for a program.
    #[must_use]
    pub fn new(cfg: &'a Cfg, options: &'a Options) -> Art<'a> {
        Art {
            cfg,
            options,
            segments: HashMap::new(),
            live: mentioned(cfg),
            nodes: Vec::new(),
            queue: VecDeque::new(),
            later: VecDeque::new(),
            solved: Solved::default(),
            stats: Stats::default(),
        }
    }

    fn defs(&self) -> &'a Defs {
        &self.cfg.defs
    }

    /// Builds the tree until the program is proved, a failure is not excluded, or a limit is reached.
    pub fn run(&mut self) -> Verdict {
        let verdict = match self.build() {
            Ok(()) if self.certify() => Verdict::Safe,
            Ok(()) => {
                let reason = "the proof does not pass its check".to_owned();
                Verdict::Stopped { reason, timeout: false }
            }
            Err(Trouble::Open { reason, node }) => Verdict::Open { reason, node },
            Err(Trouble::Stopped { reason, timeout }) => Verdict::Stopped { reason, timeout },
        };
        self.stats.nodes = self.nodes.len() as u64;
        self.stats.covered = self.nodes.iter().filter(|node| node.cover.is_some()).count() as u64;
        verdict
    }

    fn build(&mut self) -> Result<(), Trouble> {
        self.segments =
            segments(self.cfg).map_err(|reason| Trouble::Stopped { reason, timeout: false })?;
        let start = Formula::anything(self.cfg.heap.len(), self.cfg.data.len());
        let mut executed = execute_all(&self.cfg.prelude, &start, self.defs());
        let Some(start) = executed.states.pop() else {
            let reason = "the program has no start".to_owned();
            return Err(Trouble::Stopped { reason, timeout: false });
        };
        self.nodes.push(Node {
            loc: 0,
            parent: None,
            heap: Some(start.clone()),
            label: vec![start],
            cover: None,
            expanded: false,
            excluded: false,
        });
        self.queue.push_back(0);
        while let Some(node) = self.queue.pop_front().or_else(|| self.later.pop_front()) {
            self.look_at_limits()?;
            if self.nodes[node].cover.is_some() || self.nodes[node].expanded {
                continue;
            }
            if !self.cover(node) {
                self.expand(node)?;
            }
        }
        Ok(())
    }

    fn enqueue(&mut self, node: usize) {
        match self.nodes[node].heap {
            Some(_) => self.queue.push_back(node),
            None => self.later.push_back(node),
        }
    }

    fn look_at_limits(&self) -> Result<(), Trouble> {
        let stopped =
            |reason: &str, timeout| Err(Trouble::Stopped { reason: reason.to_owned(), timeout });
        if self.options.cancelled.load(Ordering::Relaxed) {
            return stopped("it was cancelled", false);
        }
        if self.options.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return stopped("time is up", true);
        }
        if self.nodes.len() > MOST_NODES {
            return stopped("no invariant was found along many paths", false);
        }
        Ok(())
    }

    fn edges(&self, node: usize) -> &[Segment] {
        self.segments.get(&self.nodes[node].loc).map_or(&[], Vec::as_slice)
    }

    fn expand(&mut self, node: usize) -> Result<(), Trouble> {
        let Some(heap) = self.nodes[node].heap.clone() else {
            return self.exclude(node);
        };
        self.nodes[node].expanded = true;
        for edge in 0..self.edges(node).len() {
            self.look_at_limits()?;
            let segment = self.edges(node)[edge].clone();
            let executed = on_heap(&segment, &heap, self.defs());
            let mut duty = duty(&segment, &executed);
            // What is not passed here may be passed by others whom the label covers: it need not be excluded.
            let fails = matches!(segment.to, End::Fail(_));
            if duty == Duty::Blocked && !fails && self.is_shown(node, &segment, Duty::Safe) {
                duty = Duty::Safe;
            }
            let shown = self.is_shown(node, &segment, duty)
                || self.import(node) && self.is_shown(node, &segment, duty);
            if !shown {
                self.prove_path(node, edge, duty)?;
            }
            if let (End::Node(loc), Duty::Safe) = (&segment.to, duty) {
                self.nodes.push(Node {
                    loc: *loc,
                    parent: Some((node, edge)),
                    heap: executed.states.into_iter().next(),
                    label: Vec::new(),
                    cover: None,
                    expanded: false,
                    excluded: false,
                });
                self.enqueue(self.nodes.len() - 1);
            }
        }
        Ok(())
    }

    /// Tries formulas of other nodes at the same location: a proof that is similar to an earlier one generalises
    /// better than one of its own [ABCK15, Sec. 7]. Was something learnt?
    fn import(&mut self, node: usize) -> bool {
        let mut learnt = false;
        for node in self.ancestors(node) {
            learnt |= self.import_at(node);
        }
        learnt
    }

    fn import_at(&mut self, node: usize) -> bool {
        let Some((parent, edge)) = self.nodes[node].parent else { return false };
        let commands = self.edges(parent)[edge].commands.clone();
        let mut known: Vec<Formula> = Vec::new();
        for other in &self.nodes {
            if other.loc == self.nodes[node].loc && !other.excluded {
                for formula in &other.label {
                    if !known.contains(formula) {
                        known.push(formula.clone());
                    }
                }
            }
        }
        let mut learnt = false;
        for formula in known.into_iter().rev().take(MOST_IMPORTS) {
            let own = &self.nodes[node].label;
            if own.iter().any(|own| self.follows(own, &formula)) {
                continue;
            }
            let mut from = self.nodes[parent].label.iter();
            if from.any(|from| self.leads_to(from, &commands, &formula)) {
                self.strengthen(node, formula);
                learnt = true;
            }
        }
        learnt
    }

    /// Shows that a node that is not reached along its path is not reached by its edge at all.
    fn exclude(&mut self, node: usize) -> Result<(), Trouble> {
        let Some((parent, edge)) = self.nodes[node].parent else { return Ok(()) };
        if self.import(parent) && self.cover(node) {
            return Ok(());
        }
        // Others that are covered may pass the edge: what they need behind it is what the label should say.
        let segment = self.edges(parent)[edge].clone();
        let loc = self.nodes[parent].loc;
        let passes = |other: &Node| {
            let heap = other.heap.as_ref().filter(|_| other.loc == loc && other.cover.is_some());
            heap.is_some_and(|heap| !on_heap(&segment, heap, &self.cfg.defs).states.is_empty())
        };
        if let Some(other) = self.nodes.iter().position(passes) {
            self.nodes[other].cover = None;
            self.later.push_back(node);
            return self.expand(other);
        }
        self.nodes[node].expanded = true;
        self.nodes[node].excluded = true;
        if !self.is_shown(parent, &segment, Duty::Blocked) {
            self.prove_path(parent, edge, Duty::Blocked)?;
        }
        Ok(())
    }

    /// Does a formula of the label show it?
    fn is_shown(&self, node: usize, segment: &Segment, duty: Duty) -> bool {
        let nothing = self.anything();
        let label = self.nodes[node].label.iter().chain([&nothing]);
        label.into_iter().any(|formula| {
            let executed = execute_all(&segment.all_commands(), formula, self.defs());
            executed.faults.iter().all(|state| self.solved.refutes(state))
                && (duty == Duty::Safe
                    || executed.states.iter().all(|state| self.solved.refutes(state)))
        })
    }

    fn anything(&self) -> Formula {
        Formula::anything(self.cfg.heap.len(), self.cfg.data.len())
    }

    /// The nodes from the root to a node.
    fn ancestors(&self, node: usize) -> Vec<usize> {
        let mut all = vec![node];
        let mut at = node;
        while let Some((parent, _)) = self.nodes[at].parent {
            all.push(parent);
            at = parent;
        }
        all.reverse();
        all
    }

    /// The edges between these nodes.
    fn edges_between(&self, nodes: &[usize]) -> Vec<Vec<Command>> {
        let edge = |node: &usize| {
            let (parent, edge) = self.nodes[*node].parent?;
            Some(self.edges(parent).get(edge)?.commands.clone())
        };
        nodes.iter().skip(1).filter_map(edge).collect()
    }

    /// ProvePath [Fig. 10]: formulas for the nodes on the way to an edge, with which the edge is as it must be.
    fn prove_path(&mut self, node: usize, edge: usize, duty: Duty) -> Result<(), Trouble> {
        self.stats.paths += 1;
        let last = self.edges(node)[edge].clone();
        let way = self.ancestors(node);
        let mut segments = self.edges_between(&way);
        segments.push(last.all_commands());
        if duty == Duty::Unreachable && self.is_feasible(&segments) {
            let reason = match &last.to {
                End::Fail(reason) => reason.clone(),
                _ => "a pointer may lead nowhere where it is used".to_owned(),
            };
            return Err(Trouble::Open { reason, node: last.last });
        }
        // The strongest proof, command by command.
        let begin = Instant::now();
        let (heaps, commands, marks) = self.strongest(&segments);
        let (Some(end), Some(next)) =
            (heaps.last(), commands.get(heaps.len() - 1).or(commands.last()))
        else {
            return Ok(());
        };
        let goal = match duty {
            Duty::Blocked => blocking(end, next).unwrap_or_else(|| end.without_data()),
            Duty::Safe | Duty::Unreachable => self.anything(),
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

    fn refine(
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

    fn points(&self, nodes: &[usize], shapes: &[Formula]) -> Vec<Point> {
        let point = |(node, shape): (&usize, &Formula)| {
            let loc = self.nodes[*node].loc;
            Point { shape: shape.clone(), live: self.live[loc].clone(), group: loc as u32 }
        };
        nodes.iter().zip(shapes).map(point).collect()
    }

    /// Refines a path; without trying hard, by interpolation alone.
    fn solve(&mut self, path: &Path<'_>, hard: bool) -> Option<Vec<Formula>> {
        let mut spacer =
            self.options.solver.clone().map(|solver| Spacer { solver, timeout: SPACER_TIME });
        let (mut farkas, mut strongest) = (Farkas, Strongest);
        let mut solvers: Vec<&mut dyn Solver> = vec![&mut farkas];
        if hard {
            solvers.extend(spacer.iter_mut().map(|spacer| spacer as &mut dyn Solver));
            solvers.push(&mut strongest);
        }
        refine(path, &self.cfg.defs, &mut self.solved, &mut solvers, self.options.deadline)
    }

    /// The symbolic heaps along a path as far as it can be passed, its commands, and where edges end.
    fn strongest(&self, segments: &[Vec<Command>]) -> (Vec<Formula>, Vec<Command>, Vec<usize>) {
        let mut heaps: Vec<Formula> = self.nodes[0].heap.iter().cloned().collect();
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

    /// May the path be taken to its end? `false` is certain.
    fn is_feasible(&self, segments: &[Vec<Command>]) -> bool {
        let all: Vec<Command> = segments.iter().flatten().cloned().collect();
        let Some(start) = self.nodes[0].label.first() else { return true };
        let executed = execute_all(&all, start, self.defs());
        executed.faults.iter().chain(&executed.states).any(|state| !state.data_contradictory())
    }

    /// Adds a formula to a label. Nodes that were covered by this one may no longer be.
    fn strengthen(&mut self, node: usize, formula: Formula) {
        if self.nodes[node].label.iter().any(|own| self.follows(own, &formula)) {
            return;
        }
        self.nodes[node].label.push(formula);
        for other in 0..self.nodes.len() {
            if self.nodes[other].cover == Some(node) {
                self.nodes[other].cover = None;
                self.enqueue(other);
            }
        }
    }

    /// Is `from ⊢ to`, with the data as they are solved?
    fn follows(&self, from: &Formula, to: &Formula) -> bool {
        entails(from, to, self.defs()).is_some_and(|proof| self.solved.satisfies(proof.clauses))
    }

    /// `{from} commands {to}`.
    fn leads_to(&self, from: &Formula, commands: &[Command], to: &Formula) -> bool {
        let executed = execute_all(commands, from, self.defs());
        executed.faults.iter().all(|state| self.solved.refutes(state))
            && executed
                .states
                .iter()
                .all(|state| self.follows(state, to) || self.solved.refutes(state))
    }

    /// Covers a node by another one, if that is possible.
    fn cover(&mut self, node: usize) -> bool {
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
    fn cover_along(&mut self, node: usize, ancestor: usize) -> bool {
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
            let end = heaps.last().and_then(|end| entails(end, &goal, self.defs()));
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

    fn strongest_from(
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

    /// Labels of locations: one of these formulas, each a conjunction.
    #[must_use]
    pub fn invariants(&self) -> Vec<(usize, Vec<Vec<String>>)> {
        let solution = self.solved.as_solution();
        let printer = crate::print::Printer {
            defs: self.defs(),
            heap: &self.cfg.heap,
            data: &self.cfg.data,
            solution: Some(&solution),
        };
        let locs: BTreeSet<usize> = self.nodes.iter().skip(1).map(|node| node.loc).collect();
        let at = |loc: usize| {
            let nodes = self
                .nodes
                .iter()
                .filter(|node| node.loc == loc && node.cover.is_none() && !node.excluded);
            let mut all: Vec<Vec<String>> = nodes
                .map(|node| node.label.iter().map(|formula| printer.formula(formula)).collect())
                .collect();
            all.dedup();
            (loc, all)
        };
        locs.into_iter().map(at).collect()
    }
}

/// A command without what it says of data.
fn shape_of(command: &Command) -> Command {
    match command {
        Command::Assume(_) | Command::Data(..) | Command::HavocData(..) => Command::Skip,
        other => other.clone(),
    }
}

fn on_heap(segment: &Segment, heap: &Formula, defs: &Defs) -> Executed {
    let commands: Vec<Command> = segment.all_commands().iter().map(shape_of).collect();
    execute_all(&commands, heap, defs)
}

fn duty(segment: &Segment, executed: &Executed) -> Duty {
    if !executed.faults.is_empty() {
        return Duty::Unreachable;
    }
    if executed.states.is_empty() || matches!(segment.to, End::Fail(_)) {
        return Duty::Blocked;
    }
    Duty::Safe
}
