//! `let`, quantifiers and `forperm`.

use std::sync::Arc;

use report::Pos;

use super::expr::around;
use super::resolve::Typed;
use super::scope::Role;
use super::types::Kind;
use super::{Checker, PermRule};
use crate::ast::{self, Ident, Quantifier};
use crate::core::{DomainFunctionId, Expr, ExprKind, LocalId, Resource, Type};

impl<'a> Checker<'a> {
    pub(super) fn let_in(
        &mut self,
        var: &'a Ident,
        value: &'a ast::Expr,
        body: &'a ast::Expr,
        pos: Pos,
    ) -> Typed {
        let bound = self.infer(value);
        let ty = match &bound.kind {
            Kind::Value(ty) => Some(ty.clone()),
            Kind::Error => None,
            Kind::Assertion | Kind::Predicate | Kind::Wand => {
                self.consistency_error(value.at.0, "`let` binds values, this has permissions");
                Some(Type::Bool)
            }
        };
        self.scopes.enter();
        let known = ty.is_some();
        let ty = ty.unwrap_or_else(|| self.infer.fresh(pos));
        let id = self.declare(var, ty, Role::Bound);
        let body = self.infer(body);
        self.scopes.leave();
        if known {
            around(body, pos, |b| ExprKind::Let(id, bound.expr, b))
        } else {
            self.wrong(pos)
        }
    }

    pub(super) fn bind(&mut self, vars: &'a [ast::Param]) -> Vec<LocalId> {
        vars.iter()
            .map(|var| {
                let ty = self.ty(&var.ty);
                self.declare(&var.name, ty, Role::Bound)
            })
            .collect()
    }

    pub(super) fn quantifier(
        &mut self,
        quantifier: Quantifier,
        vars: &'a [ast::Param],
        triggers: &'a [ast::Trigger],
        body: &'a ast::Expr,
        pos: Pos,
    ) -> Typed {
        self.scopes.enter();
        let ids = self.bind(vars);
        let typed = self.infer(body);
        let pure = match quantifier {
            Quantifier::Forall => self.require_assertion(&typed, body.at.0),
            Quantifier::Exists => {
                self.require_value(&typed, body.at.0, &Type::Bool).then_some(true)
            }
        };
        let mut fine = true;
        let mut all = Vec::with_capacity(triggers.len());
        for trigger in triggers {
            let mut terms = Vec::with_capacity(trigger.exprs.len());
            for e in &trigger.exprs {
                let term = self.infer(e);
                fine &= term.kind != Kind::Error;
                if term.kind != Kind::Error && !self.is_valid_trigger(e, &term.expr) {
                    self.late_error(
                        trigger.at.0,
                        "this is not a valid trigger: triggers are applications of functions or \
                         collection operators, field accesses or predicates, without arithmetic, \
                         comparisons or logical operators",
                    );
                }
                terms.push(term.expr);
            }
            all.push(terms);
        }
        self.scopes.leave();
        self.check_triggers(vars, &ids, triggers, &all);
        match pure {
            Some(pure) if fine => {
                let kind =
                    ExprKind::Quant { quantifier, vars: ids, triggers: all, body: typed.expr };
                self.assertion(kind, pure, pos)
            }
            _ => self.wrong(pos),
        }
    }

    /// May this term be a trigger? The surface tells `P(x)` from `acc(P(x))`.
    pub(super) fn is_valid_trigger(&self, surface: &ast::Expr, e: &Arc<Expr>) -> bool {
        let possible = match (&*surface.kind, &e.kind) {
            (ast::ExprKind::Old(_, inner), ExprKind::Old(_, e)) => {
                return self.is_valid_trigger(inner, e);
            }
            (ast::ExprKind::Acc { .. }, _) => false,
            (_, ExprKind::Wand(_)) => return true,
            (_, ExprKind::DomainCall(function, ..)) => !self.is_discriminator(*function),
            (_, ExprKind::Acc(Resource::Predicate(..), None)) => true,
            (_, kind) => matches!(
                kind,
                ExprKind::Field(..)
                    | ExprKind::Call(..)
                    | ExprKind::Seq(_)
                    | ExprKind::Set(_)
                    | ExprKind::Multiset(_)
                    | ExprKind::Map(_)
                    | ExprKind::Collection(..)
            ),
        };
        possible && !e.any(|e| matches!(e.kind, ExprKind::Binary(..) | ExprKind::Cond(..)))
    }

    /// Discriminators compare tags, and comparisons are no triggers.
    pub(super) fn is_discriminator(&self, function: DomainFunctionId) -> bool {
        let domain = self.globals.core.domain_function(function).domain;
        let adt = &self.globals.core.domain(domain).adt;
        adt.as_ref().is_some_and(|a| a.constructors.iter().any(|c| c.discriminator == function))
    }

    /// Every trigger must mention every variable, every term of a trigger some variable.
    pub(super) fn check_triggers(
        &mut self,
        vars: &'a [ast::Param],
        ids: &[LocalId],
        triggers: &'a [ast::Trigger],
        terms: &[Vec<Arc<Expr>>],
    ) {
        for (trigger, terms) in triggers.iter().zip(terms) {
            let mentions = |e: &Arc<Expr>, id: LocalId| {
                e.any(|e| matches!(e.kind, ExprKind::Local(l) if l == id))
            };
            for (var, id) in vars.iter().zip(ids) {
                if !terms.iter().any(|t| mentions(t, *id)) {
                    self.consistency_error(
                        var.name.at.0,
                        format!("the variable `{}` is not mentioned in a trigger", var.name.name),
                    );
                }
            }
            for (e, term) in trigger.exprs.iter().zip(terms) {
                if !ids.iter().any(|id| mentions(term, *id)) {
                    self.consistency_error(e.at.0, "this trigger mentions no quantified variable");
                }
            }
        }
    }

    pub(super) fn forperm(
        &mut self,
        vars: &'a [ast::Param],
        resource: &'a ast::Expr,
        body: &'a ast::Expr,
        pos: Pos,
    ) -> Typed {
        self.check_perm_rule("forperm", pos);
        self.scopes.enter();
        let ids = self.bind(vars);
        let rule = std::mem::replace(&mut self.perm_rule, PermRule::Banned("bodies of `forperm`"));
        let typed = self.infer(body);
        let fine = self.require_value(&typed, body.at.0, &Type::Bool);
        self.perm_rule = rule;
        let resource = self.resource(resource);
        self.scopes.leave();
        let Some(resource) = resource.filter(|_| fine) else { return self.wrong(pos) };
        self.check_forperm_resource(&ids, &resource, pos);
        self.typed(ExprKind::ForPerm(ids, resource, typed.expr), Type::Bool, pos)
    }

    /// The resource of a `forperm` must use every variable, and only as a whole argument.
    pub(super) fn check_forperm_resource(
        &mut self,
        ids: &[LocalId],
        resource: &Resource,
        pos: Pos,
    ) {
        let Some(args) = resource_args(resource) else { return };
        let uses =
            |e: &Arc<Expr>, id: LocalId| e.any(|e| matches!(e.kind, ExprKind::Local(l) if l == id));
        if ids.iter().any(|id| !args.iter().any(|a| uses(a, *id))) {
            self.late_error(pos, "every variable of a `forperm` must be used in its resource");
        }
        for arg in &args {
            let whole = matches!(arg.kind, ExprKind::Local(_));
            if !whole && ids.iter().any(|id| uses(arg, *id)) {
                self.late_error(
                    arg.pos,
                    "variables of a `forperm` can only be whole arguments of its resource",
                );
            }
        }
    }
}

/// The arguments of a resource; of a wand there is no fixed list.
fn resource_args(resource: &Resource) -> Option<Vec<Arc<Expr>>> {
    match resource {
        Resource::Field(receiver, _, _) => Some(vec![receiver.clone()]),
        Resource::Predicate(_, args, _) => Some(args.clone()),
        Resource::Wand(_) => None,
    }
}
