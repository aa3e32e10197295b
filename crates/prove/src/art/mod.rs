//! From proofs of paths to proofs of programs [ABCK15, App. A, Fig. 9 and 10]: the abstract reachability tree of
//! IMPACT (McMillan 2006).
//!
//! Nodes are at the entry and at loop heads; an edge is a path without a loop between them. The label of a node is
//! a conjunction of formulas, each of which was proved along the path to it: that is `Conj`, done lazily, since RSep
//! is not closed under conjunction. A node is *covered* by an expanded one at the same location whose label follows
//! from its own; before that, the label of the other is tried as a label of its own (*forced* covering). When every
//! node is covered or expanded, and every edge is safe by a formula of its node, the labels are an inductive
//! invariant, which [`Art::certify`] checks once more as a whole.

mod certify;
mod conj;
mod contracts;
mod cover;
mod facts;
mod memory;
mod path;
mod trees;
mod whole;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::defs::Defs;
use crate::entail::{Proof, entails};
use crate::exec::{Command, Executed, execute_all};
use crate::paths::{End, Segment, live, live_heap, mentioned, segments};
use crate::program::Cfg;
use crate::refine::Solved;
use crate::rsep::Formula;
use contracts::Root;
pub use facts::Fact;

/// Nodes of a tree.
const MOST_NODES: usize = 400;
/// Nodes of a tree of shapes alone.
const MOST_SHAPES: usize = 160;
/// The same for a quick look.
const MOST_QUICK: usize = 100;
/// Paths of shapes that a quick look proves, and as many with data.
const MOST_QUICK_PATHS: u64 = 16;
/// Part of the time that a tree of shapes may take.
const SHAPES_SHARE: u32 = 2;
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
    /// Is it to give up soon?
    pub quick: bool,
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
        /// Inputs with which a path leads there, as far as its data show.
        inputs: Option<Vec<i128>>,
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
    /// Entailments that the tree asked for: between labels, and behind edges.
    pub entailments: u64,
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
    Open { reason: String, node: usize, inputs: Option<Vec<i128>> },
    Stopped { reason: String, timeout: bool },
}

/// The tree.
pub struct Art<'a> {
    cfg: &'a Cfg,
    options: &'a Options,
    segments: HashMap<usize, Vec<Segment>>,
    /// Data variables that may still be read, by location, and those that annotations of paths may mention.
    live: Vec<Vec<usize>>,
    mentioned: Vec<Vec<usize>>,
    /// Heap variables that may still be read, by location.
    live_heap: Vec<Vec<usize>>,
    nodes: Vec<Node>,
    queue: VecDeque<usize>,
    /// Nodes that are not reached along their path, but by others perhaps: looked at when there are no others.
    later: VecDeque<usize>,
    solved: Solved,
    /// Are only shapes looked at? What data must exclude is then left to [`Art::refine_whole`].
    shapes_only: bool,
    /// How long.
    shapes_until: Option<Instant>,
    entailments: Cell<u64>,
    /// Records, predicates and contracts.
    defs: Arc<Defs>,
    /// Accesses of a tree of shapes that only data can exclude.
    misfits: u64,
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
            live: live(cfg),
            mentioned: mentioned(cfg),
            live_heap: live_heap(cfg),
            nodes: Vec::new(),
            queue: VecDeque::new(),
            later: VecDeque::new(),
            solved: Solved::default(),
            shapes_only: false,
            shapes_until: None,
            entailments: Cell::new(0),
            defs: Arc::new(cfg.defs.clone()),
            misfits: 0,
            stats: Stats::default(),
        }
    }

    fn defs(&self) -> &Defs {
        &self.defs
    }

    /// Builds the tree until the program is proved, a failure is not excluded, or a limit is reached.
    pub fn run(&mut self) -> Verdict {
        let now = Instant::now();
        let share = if self.options.quick { 1 } else { SHAPES_SHARE };
        self.shapes_until = self
            .options
            .deadline
            .map(|deadline| now + deadline.saturating_duration_since(now) / share);
        let result = self.search();
        let verdict = match result {
            Ok(()) if self.certify() => Verdict::Safe,
            Ok(()) => {
                let reason = "the proof does not pass its check".to_owned();
                Verdict::Stopped { reason, timeout: false }
            }
            Err(Trouble::Open { reason, node, inputs }) => Verdict::Open { reason, node, inputs },
            Err(Trouble::Stopped { reason, timeout }) => Verdict::Stopped { reason, timeout },
        };
        self.stats.entailments = self.entailments.get();
        self.stats.nodes = self.nodes.len() as u64;
        self.stats.covered = self.nodes.iter().filter(|node| node.cover.is_some()).count() as u64;
        verdict
    }

    /// A tree of shapes and its data at once, or else paths one by one.
    fn search(&mut self) -> Result<(), Trouble> {
        self.shapes_only = true;
        let contracts = self.guess_contracts()?;
        let roots = self.all_roots();
        let mut first = None;
        for contracts in contracts {
            self.set_contracts(contracts.clone());
            let shapes = self.build(&roots);
            if shapes.is_ok() && self.refine_whole() {
                return Ok(());
            }
            // The first one with a tree is the one for paths.
            match &first {
                None | Some((_, Err(_))) => first = Some((contracts, shapes)),
                Some((_, Ok(()))) => {}
            }
        }
        let Some((contracts, shapes)) = first else { return Ok(()) };
        self.set_contracts(contracts);
        if self.options.quick && matches!(shapes, Err(Trouble::Stopped { .. })) {
            // Where shapes alone have no end soon, paths with data have none either.
            return shapes;
        }
        self.shapes_only = false;
        self.build(&roots)
    }

    /// What holds where a graph starts.
    fn start(&self, root: Root) -> Option<Formula> {
        match root {
            Root::Program => {
                execute_all(&self.cfg.prelude, &self.anything(), self.defs()).states.pop()
            }
            Root::Procedure(number) => self.at_start(number, self.defs.contracts.get(number)?),
        }
    }

    fn first_location(&self, root: Root) -> usize {
        match root {
            Root::Program => 0,
            Root::Procedure(number) => self.summary(number).map_or(0, |summary| summary.entry),
        }
    }

    /// Which graph a location is in.
    fn root_of(&self, loc: usize) -> Root {
        let summary = self.cfg.nodes.get(loc).and_then(|node| node.summary);
        summary.map_or(Root::Program, Root::Procedure)
    }

    fn build(&mut self, roots: &[Root]) -> Result<(), Trouble> {
        self.nodes.clear();
        self.queue.clear();
        self.later.clear();
        self.segments =
            segments(self.cfg).map_err(|reason| Trouble::Stopped { reason, timeout: false })?;
        for root in roots {
            let start = self.start(*root);
            let Some(start) = start else {
                let reason = "the program has no start".to_owned();
                return Err(Trouble::Stopped { reason, timeout: false });
            };
            let loc = self.first_location(*root);
            self.nodes.push(Node {
                loc,
                parent: None,
                heap: Some(start.clone()),
                label: vec![start],
                cover: None,
                expanded: false,
                excluded: false,
            });
            self.queue.push_back(self.nodes.len() - 1);
        }
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
        let deadline = if self.shapes_only { self.shapes_until } else { self.options.deadline };
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return stopped("time is up", true);
        }
        let roots = self.cfg.summaries.len();
        let most = roots * MOST_QUICK
            + match (self.shapes_only, self.options.quick) {
                (_, true) => MOST_QUICK,
                (true, false) => MOST_SHAPES,
                (false, false) => MOST_NODES,
            };
        let paths = if self.shapes_only { MOST_QUICK_PATHS } else { 2 * MOST_QUICK_PATHS };
        if self.options.quick && self.stats.paths > paths {
            return stopped("no invariant was found along some paths", false);
        }
        if self.nodes.len() > most {
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
            // A tree that a label describes is larger than that of the path: what this one excludes data must.
            if self.shapes_only
                && duty == Duty::Blocked
                && matches!(segment.to, End::Fail(_))
                && self.nodes[node].label.iter().any(|from| {
                    self.is_about_trees(from)
                        && execute_all(&segment.commands, from, self.defs()).faults.is_empty()
                })
            {
                continue;
            }
            if self.shapes_only && duty == Duty::Unreachable {
                self.misfits += u64::from(!matches!(segment.to, End::Fail(_)));
                self.get_there(node, edge, &heap)?;
                continue;
            }
            // What is not passed here may be passed by others whom the label covers: it need not be excluded.
            let fails = matches!(segment.to, End::Fail(_));
            if duty == Duty::Blocked && !fails && self.is_shown(node, &segment, Duty::Safe) {
                duty = Duty::Safe;
            }
            let goal = self.must_return(&segment);
            let is_shown = |this: &Self| match &goal {
                Some(goal) => this.is_reached(node, &segment, goal),
                None => this.is_shown(node, &segment, duty),
            };
            let shown = is_shown(self) || self.import(node) && is_shown(self);
            if !shown {
                self.prove_path(node, edge, duty)?;
                if goal.is_some() && !is_shown(self) {
                    let reason = "a contract does not hold where its procedure returns".to_owned();
                    return Err(Trouble::Stopped { reason, timeout: false });
                }
            }
            if let (End::Node(loc), Duty::Safe) = (&segment.to, duty) {
                let heap = executed.states.into_iter().next();
                let mut label = Vec::new();
                if self.shapes_only
                    && let Some(heap) = &heap
                {
                    let from = &self.nodes[node].label;
                    label.extend(self.tree_label(from, &segment.commands, heap, *loc));
                }
                self.nodes.push(Node {
                    loc: *loc,
                    parent: Some((node, edge)),
                    heap,
                    label,
                    cover: None,
                    expanded: false,
                    excluded: false,
                });
                self.enqueue(self.nodes.len() - 1);
            }
        }
        Ok(())
    }

    /// Labels with which an edge that data exclude is followed as far as the symbolic heap allows.
    fn get_there(&mut self, node: usize, edge: usize, heap: &Formula) -> Result<(), Trouble> {
        let mut passed = Vec::new();
        let mut states = vec![heap.clone()];
        for command in &self.edges(node)[edge].commands {
            let executed = execute_all(&[shape_of(command)], &states[0], self.defs());
            if !executed.faults.is_empty() || executed.states.is_empty() {
                break;
            }
            passed.push(command.clone());
            states = executed.states;
        }
        let nothing = self.anything();
        let mut label = self.nodes[node].label.iter().chain([&nothing]);
        let safe = label.any(|from| execute_all(&passed, from, self.defs()).faults.is_empty());
        drop(label);
        if safe { Ok(()) } else { self.prove_path(node, edge, Duty::Safe) }
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
            heap.is_some_and(|heap| !on_heap(&segment, heap, self.defs()).states.is_empty())
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

    /// What a contract asks at the end of an edge, if its procedure returns there.
    fn must_return(&self, segment: &Segment) -> Option<Formula> {
        if segment.to != End::Exit {
            return None;
        }
        self.cfg.returns_from(segment.last)?;
        let number = self.cfg.nodes.get(segment.last)?.summary?;
        self.at_return(number, self.defs.contracts.get(number)?)
    }

    /// Does a formula of the label show that an edge leads to a formula?
    fn is_reached(&self, node: usize, segment: &Segment, goal: &Formula) -> bool {
        let nothing = self.anything();
        let mut label = self.nodes[node].label.iter().chain([&nothing]);
        label.any(|from| self.leads_to(from, &segment.commands, goal))
    }

    /// Does a formula of the label show it?
    fn is_shown(&self, node: usize, segment: &Segment, duty: Duty) -> bool {
        let nothing = self.anything();
        let label = self.nodes[node].label.iter().chain([&nothing]);
        label.into_iter().any(|formula| {
            let executed = execute_all(&segment.all_commands(), formula, self.defs());
            self.solved.satisfies(&executed.clauses)
                && executed.faults.iter().all(|state| self.solved.refutes(state))
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

    /// Adds a formula to a label. Nodes that were covered by this one may no longer be.
    fn strengthen(&mut self, node: usize, formula: Formula) {
        if self.nodes[node].label.iter().any(|own| self.follows(own, &formula)) {
            return;
        }
        if self.shapes_only && self.nodes[node].parent.is_some() {
            let defs = Arc::clone(&self.defs);
            self.nodes[node].label.retain(|old| entails(&formula, old, &defs).is_none());
        }
        self.nodes[node].label.push(formula);
        for other in 0..self.nodes.len() {
            if self.nodes[other].cover == Some(node) {
                self.nodes[other].cover = None;
                self.enqueue(other);
            }
        }
    }

    fn entails(&self, from: &Formula, to: &Formula) -> Option<Proof> {
        self.entailments.set(self.entailments.get() + 1);
        entails(from, to, self.defs())
    }

    /// Is `from ⊢ to`, with the data as they are solved?
    fn follows(&self, from: &Formula, to: &Formula) -> bool {
        self.entails(from, to).is_some_and(|proof| self.solved.satisfies(&proof.clauses))
    }

    /// `{from} commands {to}`.
    fn leads_to(&self, from: &Formula, commands: &[Command], to: &Formula) -> bool {
        let executed = execute_all(commands, from, self.defs());
        self.solved.satisfies(&executed.clauses)
            && executed.faults.iter().all(|state| self.solved.refutes(state))
            && executed
                .states
                .iter()
                .all(|state| self.follows(state, to) || self.solved.refutes(state))
    }

    /// Labels of locations as formulas: whenever a location of this list is passed, all formulas of one of its labels hold.
    #[must_use]
    pub fn labels(&self) -> Vec<(usize, Vec<&[Formula]>)> {
        let locs: BTreeSet<usize> = self.nodes.iter().map(|node| node.loc).collect();
        let at = |loc: usize| {
            let counts = |node: &&Node| node.loc == loc && node.cover.is_none() && !node.excluded;
            (loc, self.nodes.iter().filter(counts).map(|node| node.label.as_slice()).collect())
        };
        locs.into_iter().map(at).collect()
    }

    /// What the second-order variables of labels are, and what their predicates are.
    #[must_use]
    pub fn meaning(&self) -> (horn::Solution, &Defs) {
        (self.solved.as_solution(), &self.defs)
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
        let inner = self.nodes.iter().filter(|node| node.parent.is_some());
        let locs: BTreeSet<usize> = inner.map(|node| node.loc).collect();
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
        Command::Assume(_) | Command::Data(..) | Command::HavocData(..) | Command::Draw(..) => {
            Command::Skip
        }
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
