//! Execution of methods: statements, loops, calls.

mod allocation;
mod assume;
mod havoc;
mod method;
mod predicates;

use std::sync::Arc;

use viper::core::{Expr, ExprKind, FieldId, LocalId, MethodId, Stmt, StmtKind};

use crate::diagnostics::variable;
use crate::diagnostics::{Blame, ErrorKind, Reason, ReasonKind};
use crate::executor::Executor;
use crate::heap::Demand;
use crate::prover::Run;
use crate::state::{Owner, ResourceId, State};

impl<'p> Executor<'p> {
    // --- Statements

    pub(super) fn exec(&mut self, state: &mut State, stmt: &'p Stmt) -> Run<()> {
        let blame = |kind: ErrorKind| Blame::new(kind, stmt.pos).with_info(&stmt.info);
        // What is wrong with these is wrong with their assertion.
        let blame_on = |kind: ErrorKind, e: &Arc<Expr>| Blame { pos: e.pos, ..blame(kind) };
        match &stmt.kind {
            StmtKind::Var(local) => {
                self.havoc(state, *local);
                Ok(())
            }
            StmtKind::Assign(local, e) => {
                let value = self.eval(state, e, &blame(ErrorKind::AssignmentFailed))?;
                let hint = state.owner.locals(self.program)[local.index()].name.as_str();
                let value = self.name(state, hint, value)?;
                self.mention(state, value)?;
                state.store.set(*local, value);
                Ok(())
            }
            StmtKind::FieldAssign(receiver, field, e) => {
                let blame = blame(ErrorKind::AssignmentFailed);
                self.assign_field(state, receiver, *field, e, &blame)
            }
            StmtKind::New(local, fields) => self.new_object(state, *local, fields),
            StmtKind::Call { method, args, targets } => {
                self.call(state, stmt, *method, args, targets)
            }
            StmtKind::Inhale(a) => {
                let snap = self.fresh_snap(state);
                let full = self.amount(1, 1);
                self.produce(state, a, snap, full, &blame_on(ErrorKind::InhaleFailed, a))
            }
            StmtKind::Assume(a) => {
                self.assume_here(state, a, &blame_on(ErrorKind::InhaleFailed, a))
            }
            StmtKind::Exhale(a) => {
                let mut heap = state.heap.clone();
                self.consume(state, &mut heap, a, &blame_on(ErrorKind::ExhaleFailed, a))?;
                state.heap = heap;
                Ok(())
            }
            StmtKind::Assert(a) => self.assert(state, a, &blame_on(ErrorKind::AssertFailed, a)),
            StmtKind::Fold(access) => self.fold(state, access, &blame(ErrorKind::FoldFailed)),
            StmtKind::Unfold(access) => self.unfold(state, access, &blame(ErrorKind::UnfoldFailed)),
            StmtKind::Quasihavoc(condition, resource) => {
                let blame = blame(ErrorKind::QuasihavocFailed);
                self.quasihavoc(state, condition.as_ref(), resource, &blame)
            }
            StmtKind::QuasihavocAll(vars, condition, resource) => {
                let blame = blame(ErrorKind::QuasihavocallFailed);
                self.quasihavocall(state, vars, condition.as_ref(), resource, &blame)
            }
            StmtKind::Package(wand, script) => {
                self.package(state, wand, script, &blame(ErrorKind::PackageFailed))
            }
            StmtKind::Apply(wand) => self.apply(state, wand, &blame(ErrorKind::ApplyFailed)),
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
        if !self.write(state, resource.at(args), value)? {
            let heap = state.heap.clone();
            self.note_shortage(
                &heap,
                Demand { location: resource.at(args), amount: full, wildcard: false },
            );
            let kind = ExprKind::Field(Arc::clone(receiver), field);
            let location = Expr::new(kind, decl.ty.clone(), blame.pos);
            let reason = Reason::new(ReasonKind::InsufficientPermission, &location, state.owner);
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
        let failed = Blame::new(ErrorKind::CallFailed, stmt.pos).with_info(&stmt.info);
        let mut actuals = args.to_vec();
        for (target, result) in targets.iter().zip(decl.locals.iter().skip(args.len())) {
            actuals.push(variable(*target, &result.ty));
        }
        let args = self.eval_all(state, args, &failed)?;
        for arg in &args {
            self.mention(state, *arg)?;
        }
        let mut callee = state.enter(self.program, Owner::Method(method), &args, actuals);
        callee.labels = rpds::HashTrieMap::new();
        let mut heap = state.heap.clone();
        let taken = self.consume_all(&mut callee, &mut heap, &decl.pres, &|_| {
            Blame::new(ErrorKind::CallPrecondition, stmt.pos)
                .with_info(&stmt.info)
                .about(decl.name.as_str())
        });
        // What was transferred counts, even if it turned out to be impossible.
        state.reserves = callee.reserves.clone();
        taken?;
        // In a script, what was transferred for the precondition was there before the call.
        callee.old = Some(std::mem::replace(&mut callee.heap, heap));
        let mut results = Vec::new();
        for i in 0..decl.returns {
            results.push(self.havoc(&mut callee, LocalId(decl.params + i)));
        }
        let snap = self.fresh_snap(&mut callee);
        self.produce_all(&mut callee, &decl.posts, snap, &|_| failed.clone())?;
        state.heap = callee.heap.clone();
        state.branches = callee.branches.clone();
        state.leave(callee);
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
}
