//! Calls of heap-dependent functions: their preconditions are checked and framed, and the snapshot
//! of what they may read is an argument.

use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, ExprKind, FunctionId};

use crate::diagnostics::{Blame, ErrorKind};
use crate::executor::{Executor, annotated};
use crate::prover::Run;
use crate::state::{Owner, State};

impl Executor<'_> {
    /// The value of a function; its precondition must hold here.
    pub(super) fn eval_call(
        &mut self,
        state: &mut State,
        function: FunctionId,
        args: &[Term],
        e: &Arc<Expr>,
    ) -> Run<Term> {
        let decl = self.program.function(function);
        let blame = Blame::new(ErrorKind::ApplicationPrecondition, e.pos)
            .with_info(&e.info)
            .about(decl.name.as_str());
        let actuals = match &e.kind {
            ExprKind::Call(_, args) => args.clone(),
            _ => Vec::new(),
        };
        let mut callee = state.enter(self.program, Owner::Function(function), args, actuals);
        callee.mode.inhaling = false;
        callee.mode.reading = true;
        let snap = self.frame_all(&mut callee, &decl.pres, &blame)?;
        state.leave(callee);
        let symbols = self.function(function);
        let mut full = vec![snap];
        full.extend(args);
        if !decl.pres.is_empty() || !decl.posts.is_empty() {
            let pre = self.terms.app(symbols.pre, &full);
            self.assume(state, pre)?;
        }
        let opaque = annotated(&decl.info, "opaque") && !annotated(&e.info, "reveal");
        let limited = opaque || self.recursive.contains(&function);
        Ok(self.terms.app(if limited { symbols.limited } else { symbols.full }, &full))
    }
}
