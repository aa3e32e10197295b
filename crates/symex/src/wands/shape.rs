//! Wands as resources: their shape is known, their arguments are evaluated where they are mentioned.

use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, ExprKind, Wand};

use crate::diagnostics::Blame;
use crate::encoding::Argument;
use crate::executor::Executor;
use crate::prover::{Run, Stop};
use crate::state::{ResourceId, State};

impl Executor<'_> {
    /// A wand as a resource.
    pub fn eval_wand(
        &mut self,
        state: &mut State,
        wand: &Wand,
        blame: &Blame,
    ) -> Run<(ResourceId, Vec<Term>)> {
        self.refuse_introspection(state, wand)?;
        let (id, args) = self.shape(wand);
        self.wand_belongs(wand, state.owner);
        let mut values = Vec::new();
        for arg in args.iter() {
            values.push(self.eval_argument(state, arg, blame)?);
        }
        Ok((ResourceId::Wand(id), values))
    }

    /// An argument of a wand.
    pub fn eval_argument(&mut self, state: &mut State, arg: &Argument, blame: &Blame) -> Run<Term> {
        match arg {
            Argument::Value(e) => self.eval_hole(state, e, blame),
            Argument::State { old, reads } => self.eval_state(state, old, reads, blame),
        }
    }

    /// The value of an argument. It may be under a condition in the wand without which it makes no
    /// sense; that is checked when the wand is packaged or applied.
    fn eval_hole(&mut self, state: &mut State, e: &Arc<Expr>, blame: &Blame) -> Run<Term> {
        let heap = |e: &Expr| matches!(e.kind, ExprKind::Old(..) | ExprKind::Call(..));
        if self.syntax.is_total(e) || e.any(heap) {
            return self.eval(state, e, blame);
        }
        match self.in_mode(state, |m| m.in_trigger = true, |this, s| this.eval(s, e, blame)) {
            // Nothing was said about it yet.
            Err(Stop::Failed) => self.eval(state, e, blame),
            value => value,
        }
    }
}
