//! `quasihavoc` and `quasihavocall`: as if something was given away and came back.

use std::sync::Arc;

use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{BinOp, Expr, ExprKind, LocalId, Resource, Type};

use crate::diagnostics::{Blame, Reason, ReasonKind, not_injective};
use crate::executor::Executor;
use crate::prover::Run;
use crate::state::State;

impl Executor<'_> {
    pub(super) fn quasihavoc(
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
        let same = self.alias(&formals, &args);
        let region = self.terms.and([same, condition]);
        self.havoc_where(state, id, region)
    }

    /// `quasihavocall vars :: condition ==> resource`
    pub(super) fn quasihavocall(
        &mut self,
        state: &mut State,
        vars: &[LocalId],
        condition: Option<&Arc<Expr>>,
        resource: &Resource,
        blame: &Blame,
    ) -> Run<()> {
        // As if all of it was given away and came back.
        let pos = resource.pos();
        let acc = Expr::new(ExprKind::Acc(resource.clone(), None), Type::Bool, pos);
        let body = match condition {
            Some(c) => Expr::binary_bool(BinOp::Implies, Arc::clone(c), acc, pos),
            None => acc,
        };
        let kind = ExprKind::Quant {
            quantifier: SourceQuantifier::Forall,
            vars: vars.to_vec(),
            triggers: Vec::new(),
            body,
        };
        let e = Expr::new(kind, Type::Bool, pos);
        let blame = &Blame { pos, ..blame.clone() };
        let Some(access) = self.eval_quantified_access(state, &e, blame)? else { return Ok(()) };
        let reason =
            Reason { kind: ReasonKind::QuasihavocallNotInjective, ..not_injective(&e, state) };
        self.check_injective(state, &access, blame, reason)?;
        let inverse = self.invert(state, &access)?;
        let condition = self.terms.substitute(access.condition, &inverse.vars);
        let region = self.terms.and([inverse.image, condition]);
        self.havoc_where(state, access.resource, region)
    }
}
