//! Execution of methods: statements, loops, calls.

use std::rc::Rc;
use std::sync::Arc;

use report::{Diagnostic, Pos};
use smt::Term;
use viper::core::{
    BinOp, Expr, ExprKind, FieldId, LocalId, Method, MethodId, PredicateAccess, Resource, Stmt,
    StmtKind,
};

use crate::cfg::{Cfg, Edge, LoopId, NodeId, NodeKind, Way};
use crate::config::JoinMode;
use crate::diagnostics::variable;
use crate::diagnostics::{Blame, Reason};
use crate::executor::Executor;
use crate::heap::Demand;
use crate::nesting::{Instance, Within};
use crate::prover::{Log, Run, Stop};
use crate::state::{Heap, Owner, ResourceId, State};

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
                    Blame::new("postcondition.violated", post.pos).with_info(&post.info).about(name)
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
        let not_wellformed = |e: &Arc<Expr>| Blame::new("not.wellformed", e.pos);
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
        let id = if *loop_guard { "while.failed" } else { "if.failed" };
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
                Blame::new("invariant.not.preserved", e.pos).with_info(&e.info)
            })?;
            return Ok(None);
        }
        Ok(Some(way.to))
    }

    /// The invariant holds before the loop; from here on it is an arbitrary iteration.
    fn enter_loop(&mut self, cfg: &Cfg<'p>, state: &mut State, id: LoopId) -> Run<()> {
        let it = cfg.loop_(id);
        let not_wellformed = |e: &Arc<Expr>| Blame::new("not.wellformed", e.pos);
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
            Blame::new("invariant.not.established", e.pos).with_info(&e.info)
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

    // --- Statements

    fn exec(&mut self, state: &mut State, stmt: &'p Stmt) -> Run<()> {
        let blame = |id: &'static str| Blame::new(id, stmt.pos).with_info(&stmt.info);
        // What is wrong with these is wrong with their assertion.
        let blame_on = |id: &'static str, e: &Arc<Expr>| Blame { pos: e.pos, ..blame(id) };
        match &stmt.kind {
            StmtKind::Var(local) => {
                self.havoc(state, *local);
                Ok(())
            }
            StmtKind::Assign(local, e) => {
                let value = self.eval(state, e, &blame("assignment.failed"))?;
                let hint = state.owner.locals(self.program)[local.index()].name.as_str();
                let value = self.name(state, hint, value)?;
                self.mention(state, value)?;
                state.store.set(*local, value);
                Ok(())
            }
            StmtKind::FieldAssign(receiver, field, e) => {
                let blame = blame("assignment.failed");
                self.assign_field(state, stmt.pos, receiver, *field, e, &blame)
            }
            StmtKind::New(local, fields) => self.new_object(state, *local, fields),
            StmtKind::Call { method, args, targets } => {
                self.call(state, stmt, *method, args, targets)
            }
            StmtKind::Inhale(a) => {
                let snap = self.fresh_snap(state);
                let full = self.amount(1, 1);
                self.produce(state, a, snap, full, &blame_on("inhale.failed", a))
            }
            StmtKind::Assume(a) => self.assume_here(state, a, &blame_on("inhale.failed", a)),
            StmtKind::Exhale(a) => {
                let mut heap = state.heap.clone();
                self.consume(state, &mut heap, a, &blame_on("exhale.failed", a))?;
                state.heap = heap;
                Ok(())
            }
            StmtKind::Assert(a) => self.assert(state, a, &blame_on("assert.failed", a)),
            StmtKind::Fold(access) => self.fold(state, access, &blame("fold.failed")),
            StmtKind::Unfold(access) => self.unfold(state, access, &blame("unfold.failed")),
            StmtKind::Quasihavoc(condition, resource) => {
                let blame = blame("quasihavoc.failed");
                self.quasihavoc(state, condition.as_ref(), resource, &blame)
            }
            StmtKind::QuasihavocAll(vars, condition, resource) => {
                let blame = blame("quasihavocall.failed");
                self.quasihavocall(state, vars, condition.as_ref(), resource, &blame)
            }
            StmtKind::Package(wand, script) => {
                self.package(state, wand, script, &blame("package.failed"))
            }
            StmtKind::Apply(wand) => self.apply(state, wand, &blame("apply.failed")),
            StmtKind::Refute(_)
            | StmtKind::Unreachable
            | StmtKind::If(..)
            | StmtKind::While { .. }
            | StmtKind::Label(..)
            | StmtKind::Goto(_)
            | StmtKind::Block(_) => self.unsupported(state, stmt.pos, "This statement"),
        }
    }

    fn assign_field(
        &mut self,
        state: &mut State,
        pos: Pos,
        receiver: &Arc<Expr>,
        field: FieldId,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<()> {
        let decl = self.program.field(field);
        let target = self.eval(state, receiver, blame)?;
        let value = self.eval(state, e, blame)?;
        let value = self.name(state, decl.name.as_str(), value)?;
        self.mention(state, value)?;
        let resource = ResourceId::Field(field);
        let full = self.amount(1, 1);
        let args = &[target];
        if !self.write(state, resource, args, value)? {
            let heap = state.heap.clone();
            self.note_shortage(&heap, Demand { resource, args, amount: full, wildcard: false });
            let kind = ExprKind::Field(Arc::clone(receiver), field);
            let location = Expr::new(kind, decl.ty.clone(), pos);
            let reason = Reason::new("insufficient.permission", &location, state.owner);
            return self.fail(state, blame, &reason);
        }
        Ok(())
    }

    fn call(
        &mut self,
        state: &mut State,
        stmt: &'p Stmt,
        method: MethodId,
        args: &[Arc<Expr>],
        targets: &[LocalId],
    ) -> Run<()> {
        let decl = self.program.method(method);
        let failed = Blame::new("call.failed", stmt.pos).with_info(&stmt.info);
        let mut actuals = args.to_vec();
        for (target, result) in targets.iter().zip(decl.locals.iter().skip(args.len())) {
            actuals.push(variable(*target, &result.ty));
        }
        let args = self.eval_all(state, args, &failed)?;
        for arg in &args {
            self.mention(state, *arg)?;
        }
        let mut callee = self.enter(state, Owner::Method(method), &args, actuals);
        callee.labels = rpds::HashTrieMap::new();
        let mut heap = state.heap.clone();
        let taken = self.consume_all(&mut callee, &mut heap, &decl.pres, &|_| {
            Blame::new("call.precondition", stmt.pos)
                .with_info(&stmt.info)
                .about(decl.name.as_str())
        });
        // What was pulled counts, even if it turned out to be impossible.
        state.reserves = callee.reserves.clone();
        taken?;
        // In a script, what was pulled for the precondition was there before the call.
        callee.old = Some(std::mem::replace(&mut callee.heap, heap));
        let mut results = Vec::new();
        for i in 0..decl.returns {
            results.push(self.havoc(&mut callee, LocalId(decl.params + i)));
        }
        let snap = self.fresh_snap(&mut callee);
        self.produce_all(&mut callee, &decl.posts, snap, &|_| failed.clone())?;
        state.heap = callee.heap.clone();
        state.branches = callee.branches.clone();
        self.leave(state, callee);
        for (target, result) in targets.iter().zip(results) {
            state.store.set(*target, result);
        }
        Ok(())
    }

    fn assert(&mut self, state: &mut State, a: &Arc<Expr>, blame: &Blame) -> Run<()> {
        // Within a package, what is asserted may come from the footprint, and stays.
        if self.syntax.is_pure(a) || !state.reserves.is_empty() {
            let mut heap = state.heap.clone();
            return self.consume(state, &mut heap, a, blame).map(|_| ());
        }
        let outcomes = self.explore(state, |this, s| {
            let mut heap = s.heap.clone();
            this.consume(s, &mut heap, a, blame).map(|_| ())
        })?;
        self.learn(state, &outcomes)
    }

    // --- Predicates

    /// Says that an instance was folded or unfolded: definitions of functions depend on it.
    pub fn note_predicate(
        &mut self,
        state: &mut State,
        predicate: viper::core::PredicateId,
        snap: Term,
        args: &[Term],
    ) -> Run<()> {
        let trigger = self.predicate_trigger(predicate);
        let mut full = vec![snap];
        full.extend(args);
        let note = self.terms.app(trigger, &full);
        self.assume(state, note)
    }

    fn fold(&mut self, state: &mut State, access: &'p PredicateAccess, blame: &Blame) -> Run<()> {
        let decl = self.program.predicate(access.predicate);
        let blame = &blame.clone().about(decl.name.as_str());
        let args = self.eval_all(state, &access.args, blame)?;
        let wildcards = state.wildcards.clone();
        let amount = self.eval_amount(state, access.amount.as_ref(), blame)?;
        self.check_positive(state, amount, access, blame)?;
        let owner = Owner::Predicate(access.predicate);
        let mut inner = self.enter(state, owner, &args, access.args.clone());
        inner.mode.scale = self.scaled_by(state, amount);
        inner.within = Within::Folded(Rc::default());
        inner.mode.want_snap = true;
        let mut heap = state.heap.clone();
        let snap = match &decl.body {
            Some(body) => {
                let taken = self.consume_scaled(&mut inner, &mut heap, body, amount, blame);
                // What was pulled counts, even if it turned out to be impossible.
                state.reserves = inner.reserves.clone();
                taken?
            }
            None => self.fresh_snap(&mut inner),
        };
        state.branches = inner.branches.clone();
        let within = std::mem::take(&mut inner.within);
        self.leave(state, inner);
        state.wildcards = wildcards;
        state.heap = heap;
        if let Within::Folded(taken) = within {
            let (predicate, args) = (access.predicate, args.as_slice().into());
            let outer = Rc::new(Instance { predicate, args, snap });
            for (inner, amount) in taken.iter() {
                self.nest(state, &outer, inner.clone(), *amount)?;
            }
        }
        self.note_predicate(state, access.predicate, snap, &args)?;
        self.put(state, ResourceId::Predicate(access.predicate), &args, snap, amount)
    }

    fn unfold(&mut self, state: &mut State, access: &'p PredicateAccess, blame: &Blame) -> Run<()> {
        let decl = self.program.predicate(access.predicate);
        let blame = &blame.clone().about(decl.name.as_str());
        let args = self.eval_all(state, &access.args, blame)?;
        let wildcards = state.wildcards.clone();
        let amount = self.eval_amount(state, access.amount.as_ref(), blame)?;
        self.check_positive(state, amount, access, blame)?;
        let resource = ResourceId::Predicate(access.predicate);
        let mut heap = state.heap.clone();
        self.pull(state, &mut heap, resource, &args, amount)?;
        let Some(snap) = self.take(state, &mut heap, resource, &args, amount)? else {
            let wildcard = self.is_wildcard(state, amount);
            self.note_shortage(&heap, Demand { resource, args: &args, amount, wildcard });
            let reason = self.predicate_reason(access, state.owner);
            return self.fail(state, blame, &reason);
        };
        state.wildcards = wildcards;
        state.heap = heap;
        self.note_predicate(state, access.predicate, snap, &args)?;
        let instance = (access.predicate, access.args.as_slice());
        self.produce_body(state, instance, &args, snap, amount, blame)
    }

    /// Assumes an assertion. Permissions are not added but known to be there, together: what was
    /// assumed is left out of `heap` for what follows.
    pub fn assume_all(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        condition: Term,
        blame: &Blame,
    ) -> Run<()> {
        if self.syntax.is_pure(e) {
            let outcomes = self.in_mode(
                state,
                |m| m.inhaling = true,
                |this, state| {
                    this.explore(state, |this, s| {
                        this.guard(s, condition)?;
                        this.eval(s, e, blame)
                    })
                },
            );
            let value = match outcomes {
                Ok(outcomes) => self.join(state, &outcomes)?,
                Err(Stop::Infeasible) => self.terms.bool(false),
                Err(stop) => return Err(stop),
            };
            let fact = self.terms.implies(condition, value);
            return self.assume(state, fact);
        }
        match &e.kind {
            ExprKind::Acc(resource, amount) => {
                let location = self.eval_resource(state, resource, blame)?;
                let amount = self.eval_amount(state, amount.as_ref(), blame)?;
                self.assume_held(state, heap, &location, amount, condition)
            }
            ExprKind::Wand(wand) => {
                let location = self.eval_wand(state, wand, blame)?;
                let full = self.amount(1, 1);
                self.assume_held(state, heap, &location, full, condition)
            }
            ExprKind::Binary(BinOp::And, a, b) => {
                self.assume_all(state, heap, a, condition, blame)?;
                self.assume_all(state, heap, b, condition, blame)
            }
            ExprKind::Binary(BinOp::Implies, c, a) => {
                let c = self.eval(state, c, blame)?;
                let both = self.terms.and([condition, c]);
                self.assume_all(state, heap, a, both, blame)
            }
            ExprKind::Cond(c, a, b) => {
                let c = self.eval(state, c, blame)?;
                let not = self.terms.not(c);
                let (then, otherwise) =
                    (self.terms.and([condition, c]), self.terms.and([condition, not]));
                self.assume_all(state, heap, a, then, blame)?;
                self.assume_all(state, heap, b, otherwise, blame)
            }
            ExprKind::InhaleExhale(a, _) => self.assume_all(state, heap, a, condition, blame),
            ExprKind::Let(local, value, body) => {
                let value = self.eval(state, value, blame)?;
                state.store.set(*local, value);
                self.assume_all(state, heap, body, condition, blame)
            }
            ExprKind::Quant { .. } => self
                .because_of(e.pos, |this| this.assume_quantified(state, heap, e, condition, blame)),
            ExprKind::Unfolding(access, body) => self.assume_if(state, condition, |this, s| {
                let outcomes = this.explore_unfolding(s, access, blame, |this, s| {
                    this.assume_here(s, body, blame)
                })?;
                this.learn(s, &outcomes)
            }),
            ExprKind::Applying(wand, body) => self.assume_if(state, condition, |this, s| {
                let outcomes = this
                    .explore_applying(s, wand, blame, |this, s| this.assume_here(s, body, blame))?;
                this.learn(s, &outcomes)
            }),
            ExprKind::Asserting(assertion, body) => self.assume_if(state, condition, |this, s| {
                this.check_asserted(s, assertion, blame)?;
                this.assume_here(s, body, blame)
            }),
            _ => self.unsupported(state, e.pos, "This assumption"),
        }
    }

    /// Assumes an assertion about all that is held.
    fn assume_here(&mut self, state: &mut State, e: &Arc<Expr>, blame: &Blame) -> Run<()> {
        let mut heap = state.heap.clone();
        let always = self.terms.bool(true);
        self.assume_all(state, &mut heap, e, always, blame)
    }

    /// Assumes what `f` assumes, if a condition holds.
    fn assume_if(
        &mut self,
        state: &mut State,
        condition: Term,
        mut f: impl FnMut(&mut Self, &mut State) -> Run<()>,
    ) -> Run<()> {
        let outcomes = self.explore(state, |this, s| {
            this.guard(s, condition)?;
            f(this, s)
        });
        match outcomes {
            Ok(outcomes) => self.learn(state, &outcomes),
            Err(Stop::Infeasible) => {
                let never = self.terms.not(condition);
                self.assume(state, never)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Assumes that an amount is held if a condition holds, and leaves it out for what follows.
    fn assume_held(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        (resource, args): &(ResourceId, Vec<Term>),
        amount: Term,
        condition: Term,
    ) -> Run<()> {
        let zero = self.amount(0, 1);
        let amount = self.terms.ite(condition, amount, zero);
        // What a script assumes may be there, as what it asserts: in the footprint.
        self.pull(state, heap, *resource, args, amount)?;
        let held = self.held(heap, *resource, args);
        let enough = self.terms.le(amount, held);
        self.assume(state, enough)?;
        self.subtract(heap, *resource, args, amount);
        Ok(())
    }

    fn quasihavoc(
        &mut self,
        state: &mut State,
        condition: Option<&Arc<Expr>>,
        resource: &Resource,
        blame: &Blame,
    ) -> Run<()> {
        let condition = match condition {
            Some(condition) => self.eval(state, condition, blame)?,
            None => self.terms.bool(true),
        };
        let (id, args) = self.eval_resource(state, resource, blame)?;
        let formals = self.formals(id);
        let same = self.same(&formals, &args);
        let region = self.terms.and([same, condition]);
        self.havoc_where(state, id, region)
    }
}

/// As in Silicon, only the invariants of loop heads are checked.
fn idle_invariant(pos: Pos) -> Diagnostic {
    let message = "This label is not the head of a loop. Its invariants are not checked.";
    Diagnostic::warning("verifier.warning:idle.invariant", pos, message.to_string())
}
