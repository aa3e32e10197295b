//! Methods: the paths through their bodies, loops by their invariants.

use std::sync::Arc;

use report::{Diagnostic, Pos};
use viper::core::{Expr, LocalId, Method, MethodId};

use crate::cfg::{Cfg, Edge, LoopId, NodeId, NodeKind, Way};
use crate::config::JoinMode;
use crate::diagnostics::{Blame, ErrorKind};
use crate::executor::Executor;
use crate::prover::{Log, Run, Stop};
use crate::state::{Heap, Owner, State};

/// Where a path is.
#[derive(Clone, Copy)]
enum Point {
    /// Before the precondition is assumed.
    Start,
    Node(NodeId),
}

/// A method and its body, if it has one.
struct Task<'a, 'p> {
    method: &'p Method,
    cfg: Option<&'a Cfg<'p>>,
    /// Where paths are joined again, by node.
    joins: Vec<Option<Way>>,
}

/// A step whose other sides are still to be explored.
struct Frame {
    state: State,
    at: Point,
    log: Log,
    /// How long the trail was before it.
    trail: usize,
}

impl<'p> Executor<'p> {
    /// Verifies a method on all its paths.
    pub fn verify_method(&mut self, id: MethodId) -> Run<()> {
        let method = self.program.method(id);
        let cfg = match &method.body {
            None => None,
            Some(body) => match Cfg::new(body) {
                Ok(cfg) => Some(cfg),
                Err(problem) => {
                    let state = State::new(Owner::Method(id), 0, self.mode);
                    let what = format!("This control flow ({})", problem.message);
                    return self.unsupported(&state, problem.pos, &what);
                }
            },
        };
        for pos in cfg.iter().flat_map(|cfg| &cfg.idle_invariants) {
            self.diagnostics.warn(idle_invariant(*pos));
        }
        let mut state = State::new(Owner::Method(id), method.locals.len(), self.mode);
        for i in 0..method.locals.len() {
            self.havoc(&mut state, LocalId(i as u32));
        }
        let joins = match &cfg {
            Some(cfg) if self.mode.join >= JoinMode::All => cfg.joins(),
            _ => Vec::new(),
        };
        self.walk(&Task { method, cfg: cfg.as_ref(), joins }, state)
    }

    /// Runs steps depth first until all paths are done.
    fn walk(&mut self, task: &Task<'_, 'p>, state: State) -> Run<()> {
        let start = Frame { state, at: Point::Start, log: Log::default(), trail: 0 };
        let mut frames = vec![start];
        while let Some(frame) = frames.last_mut() {
            self.begin_step(std::mem::take(&mut frame.log), frame.trail);
            let mut state = frame.state.clone();
            let result = self.step(task, &mut state, frame.at);
            frame.log = self.end_step();
            match result {
                Ok(Some(next)) => {
                    let trail = self.trail().len();
                    let next = Frame { state, at: Point::Node(next), log: Log::default(), trail };
                    if frame.log.is_open() {
                        frames.push(next);
                    } else {
                        *frame = next;
                    }
                    continue;
                }
                Ok(None) | Err(Stop::Infeasible | Stop::Failed | Stop::Ended) => {
                    self.count_paths(1);
                }
                Err(Stop::Abort) => return Err(Stop::Abort),
            }
            if self.enough_errors() {
                return Ok(());
            }
            // Back to the last decision with another side.
            while let Some(frame) = frames.last_mut() {
                let mut log = std::mem::take(&mut frame.log);
                if self.turn(&mut log) {
                    frame.log = log;
                    break;
                }
                frames.pop();
            }
        }
        Ok(())
    }

    /// One step; says where to go on.
    fn step(&mut self, task: &Task<'_, 'p>, state: &mut State, at: Point) -> Run<Option<NodeId>> {
        let Point::Node(node) = at else {
            self.start(task.method, state)?;
            return Ok(task.cfg.map(|cfg| cfg.entry));
        };
        let Some(cfg) = task.cfg else { return Ok(None) };
        match self.run_node(task, cfg, state, node)? {
            Some(way) => self.arrive(cfg, state, way),
            None => Ok(None),
        }
    }

    /// Does what is to be done at a node, and leaves it.
    fn run_node(
        &mut self,
        task: &Task<'_, 'p>,
        cfg: &Cfg<'p>,
        state: &mut State,
        node: NodeId,
    ) -> Run<Option<Way>> {
        state.scope = cfg.node(node).scope.clone();
        let edge = match &cfg.node(node).kind {
            NodeKind::Stmt { stmt, next } => {
                self.because_of(stmt.pos, |this| this.exec(state, stmt))?;
                next
            }
            NodeKind::Label { label, next } => {
                let heap = state.heap.clone();
                state.labels.insert_mut(*label, heap);
                next
            }
            NodeKind::Branch { .. } => {
                return match task.joins.get(node.index()) {
                    Some(Some(join)) => self.run_to(task, cfg, state, node, *join),
                    _ => self.run_branch(cfg, state, node).map(Some),
                };
            }
            NodeKind::LoopHead { id, next } => {
                self.enter_loop(cfg, state, *id)?;
                next
            }
            NodeKind::Exit => {
                let name = task.method.name.as_str();
                let mut heap = state.heap.clone();
                self.consume_all(state, &mut heap, &task.method.posts, &|post| {
                    Blame::new(ErrorKind::PostconditionViolated, post.pos)
                        .with_info(&post.info)
                        .about(name)
                })?;
                return Ok(None);
            }
        };
        self.leave_loops(state, edge).map(Some)
    }

    /// Runs the script of a package.
    pub fn run_script(&mut self, state: &mut State, cfg: &Cfg<'p>) -> Run<()> {
        let Owner::Method(id) = state.owner else { return Ok(()) };
        let task = Task { method: self.program.method(id), cfg: Some(cfg), joins: Vec::new() };
        let mut node = cfg.entry;
        while !matches!(cfg.node(node).kind, NodeKind::Exit) {
            match self.step(&task, state, Point::Node(node))? {
                Some(next) => node = next,
                None => return Err(Stop::Ended),
            }
        }
        Ok(())
    }

    /// Assumes the precondition and checks that the postcondition makes sense.
    fn start(&mut self, method: &'p Method, state: &mut State) -> Run<()> {
        let snap = self.fresh_snap(state);
        let not_wellformed = |e: &Arc<Expr>| Blame::new(ErrorKind::ContractNotWellformed, e.pos);
        self.produce_all(state, &method.pres, snap, &not_wellformed)?;
        state.old = Some(state.heap.clone());
        if method.posts.is_empty() {
            return Ok(());
        }
        self.check_wellformed(state, |this, s| {
            s.heap = Heap::default();
            let snap = this.fresh_snap(s);
            this.produce_all(s, &method.posts, snap, &not_wellformed)
        })
    }

    /// Takes one of two ways.
    fn run_branch(&mut self, cfg: &Cfg<'p>, state: &mut State, node: NodeId) -> Run<Way> {
        let NodeKind::Branch { cond, loop_guard, then, otherwise, .. } = &cfg.node(node).kind
        else {
            return Err(Stop::Infeasible);
        };
        let id = if *loop_guard { ErrorKind::WhileFailed } else { ErrorKind::IfFailed };
        let taken = self.branch_on(state, cond, &Blame::new(id, cond.pos))?;
        self.leave_loops(state, if taken { then } else { otherwise })
    }

    /// Runs an `if` on all its paths, which become one again at its end.
    fn run_to(
        &mut self,
        task: &Task<'_, 'p>,
        cfg: &Cfg<'p>,
        state: &mut State,
        branch: NodeId,
        join: Way,
    ) -> Run<Option<Way>> {
        self.explore_and_merge(state, |this, s| {
            let mut way = this.run_branch(cfg, s, branch)?;
            while way != join {
                if this.enough_errors() {
                    return Err(Stop::Failed);
                }
                let Some(node) = this.arrive(cfg, s, way)? else { return Ok(None) };
                match this.run_node(task, cfg, s, node)? {
                    Some(next) => way = next,
                    None => return Ok(None),
                }
            }
            Ok(Some(()))
        })?;
        Ok(Some(join))
    }

    /// Goes along an edge: what loops did not touch comes back.
    fn leave_loops(&mut self, state: &mut State, edge: &Edge) -> Run<Way> {
        for _ in 0..edge.leaves {
            let Some(frame) = state.frames.first().cloned() else { break };
            state.frames.drop_first_mut();
            self.put_all(state, &frame)?;
        }
        Ok(Way { to: edge.to, back: edge.back })
    }

    /// The end of an edge: if it closes a loop, the invariant must hold again.
    fn arrive(&mut self, cfg: &Cfg<'p>, state: &mut State, way: Way) -> Run<Option<NodeId>> {
        if way.back
            && let NodeKind::LoopHead { id, .. } = cfg.node(way.to).kind
        {
            state.scope = cfg.node(way.to).scope.clone();
            let mut heap = state.heap.clone();
            self.consume_all(state, &mut heap, cfg.loop_(id).invariants, &|e| {
                Blame::new(ErrorKind::InvariantNotPreserved, e.pos).with_info(&e.info)
            })?;
            return Ok(None);
        }
        Ok(Some(way.to))
    }

    /// The invariant holds before the loop; from here on it is an arbitrary iteration.
    fn enter_loop(&mut self, cfg: &Cfg<'p>, state: &mut State, id: LoopId) -> Run<()> {
        let it = cfg.loop_(id);
        let not_wellformed = |e: &Arc<Expr>| Blame::new(ErrorKind::ContractNotWellformed, e.pos);
        let total = it.invariants.iter().all(|e| self.syntax.is_pure(e) && self.syntax.is_total(e));
        if !total {
            self.check_wellformed(state, |this, s| {
                this.forget(s, &it.written);
                let snap = this.fresh_snap(s);
                this.produce_all(s, it.invariants, snap, &not_wellformed)
            })?;
        }
        let mut heap = state.heap.clone();
        self.consume_all(state, &mut heap, it.invariants, &|e| {
            Blame::new(ErrorKind::InvariantNotEstablished, e.pos).with_info(&e.info)
        })?;
        state.frames.push_front_mut(heap);
        self.forget(state, &it.written);
        let snap = self.fresh_snap(state);
        self.produce_all(state, it.invariants, snap, &not_wellformed)
    }

    /// Forgets what a loop may change.
    fn forget(&mut self, state: &mut State, written: &[LocalId]) {
        state.heap = Heap::default();
        for local in written {
            self.havoc(state, *local);
        }
    }
}

/// As in Silicon, only the invariants of loop heads are checked.
fn idle_invariant(pos: Pos) -> Diagnostic {
    let message = "This label is not the head of a loop. Its invariants are not checked.";
    Diagnostic::warning("verifier.warning:idle.invariant", pos, message.to_string())
}
