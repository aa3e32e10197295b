//! Expressions about the heap: fields, permissions, predicates, earlier states.

use std::sync::Arc;

use report::{Diagnostic, Pos};

use super::call::Callee;
use super::globals::Global;
use super::resolve::Typed;
use super::types::Kind;
use super::{Checker, PermRule};
use crate::ast::{self, Ident, OldLabel};
use crate::core::{DomainFunctionId, Expr, ExprKind, OldState, PredicateAccess, Resource, Type};

impl<'a> Checker<'a> {
    /// `e.f`: a field, or a destructor or discriminator of an ADT
    pub(super) fn member_access(
        &mut self,
        receiver: &'a ast::Expr,
        field: &'a Ident,
        pos: Pos,
    ) -> Typed {
        let typed = self.infer(receiver);
        match self.globals.find_fields(&field.name).as_slice() {
            [] => self.adt_member(typed, receiver.at.0, field, pos),
            [id] => {
                let id = *id;
                if !self.require_value(&typed, receiver.at.0, &Type::Ref) {
                    return self.wrong(pos);
                }
                let ty = self.globals.core.field(id).ty.clone();
                self.typed(ExprKind::Field(typed.expr, id), ty, pos)
            }
            _ => {
                self.error(field.at.0, format!("the field `{}` is ambiguous", field.name));
                self.wrong(pos)
            }
        }
    }

    pub(super) fn adt_member(
        &mut self,
        receiver: Typed,
        receiver_pos: Pos,
        field: &Ident,
        pos: Pos,
    ) -> Typed {
        if receiver.kind == Kind::Error {
            return self.wrong(pos);
        }
        let candidates = self.globals.members.get(&field.name).cloned().unwrap_or_default();
        if candidates.is_empty() {
            let diagnostic = self.undeclared_field(field);
            self.report(diagnostic);
            return self.wrong(pos);
        }
        let Some(ty) = self.value_type(&receiver, receiver_pos) else { return self.wrong(pos) };
        let ty = self.infer.shallow(&ty);
        let function = match &ty {
            Type::Domain(d, _) => {
                let of_type =
                    |f: &&DomainFunctionId| self.globals.core.domain_function(**f).domain == *d;
                let mut fitting = candidates.iter().filter(of_type);
                let first = fitting.next().copied();
                if fitting.next().is_some() {
                    self.error(pos, format!("`{}` is ambiguous", field.name));
                    return self.wrong(pos);
                }
                first
            }
            // A type that is not known yet: there must be no choice.
            Type::Param(_) if candidates.len() == 1 => candidates.first().copied(),
            _ => None,
        };
        let Some(function) = function else {
            let found = self.show(&ty);
            self.error(pos, format!("`{}` is not defined on `{found}`", field.name));
            return self.wrong(pos);
        };
        let declaration = self.globals.core.domain_function(function);
        let domain = declaration.domain;
        let (formal, result) = (
            declaration.params.first().map_or(Type::Int, |(_, ty)| ty.clone()),
            declaration.ty.clone(),
        );
        let types = self.type_args(domain, pos);
        if !self.infer.unify(&ty, &formal.substitute(&types)) {
            self.mismatch(receiver_pos, &Kind::Value(ty), &Kind::Value(formal));
            return self.wrong(pos);
        }
        let result = self.infer.resolve(&result.substitute(&types));
        let kind = ExprKind::DomainCall(function, vec![receiver.expr], self.known(&types));
        self.typed(kind, result, pos)
    }

    pub(super) fn undeclared_field(&self, field: &Ident) -> Diagnostic {
        let diagnostic = Diagnostic::error(
            "typechecker.error",
            field.at.0,
            format!("there is no field named `{}`", field.name),
        );
        let fields = self
            .globals
            .names()
            .filter(|(_, g)| matches!(g, Global::Field(_)))
            .map(|(name, _)| name)
            .chain(self.globals.members.keys().map(|n| n.as_str()));
        match crate::wording::closest(&field.name, fields) {
            Some(close) => diagnostic.with_help(format!("did you mean `{close}`?")),
            None => diagnostic,
        }
    }

    pub(super) fn acc(
        &mut self,
        loc: &'a ast::Expr,
        amount: Option<&'a ast::Expr>,
        pos: Pos,
    ) -> Typed {
        let resource = self.location(loc);
        let amount = match amount {
            None => Some(None),
            Some(e) => {
                let typed = self.infer(e);
                let fine = self.require_value(&typed, e.at.0, &Type::Perm);
                fine.then_some(Some(typed.expr))
            }
        };
        let (Some(resource), Some(amount)) = (resource, amount) else { return self.wrong(pos) };
        let kind = match resource {
            Resource::Predicate(..) => Kind::Predicate,
            _ => Kind::Assertion,
        };
        Typed { expr: Expr::new(ExprKind::Acc(resource, amount), Type::Bool, pos), kind }
    }

    /// A field access or a predicate.
    pub(super) fn location(&mut self, e: &'a ast::Expr) -> Option<Resource> {
        let pos = e.at.0;
        let typed = match &*e.kind {
            ast::ExprKind::Field(..) | ast::ExprKind::Call { .. } => {
                // Here a predicate is a location even if it is in a measure.
                let in_measure = std::mem::replace(&mut self.in_measure, false);
                let typed = self.infer(e);
                self.in_measure = in_measure;
                typed
            }
            _ => {
                self.error(pos, "expected a field access `e.f` or a predicate `P(…)`");
                return None;
            }
        };
        match (&typed.kind, &typed.expr.kind) {
            (Kind::Error, _) => None,
            (_, ExprKind::Field(receiver, field)) => {
                Some(Resource::Field(receiver.clone(), *field, pos))
            }
            (Kind::Predicate, ExprKind::Acc(resource, None)) => Some(resource.clone()),
            _ => {
                self.error(pos, "this is neither a field nor a predicate");
                None
            }
        }
    }

    /// A field access, predicate or wand.
    pub(super) fn resource(&mut self, e: &'a ast::Expr) -> Option<Resource> {
        if let ast::ExprKind::Binary(ast::BinOp::Wand, ..) = &*e.kind {
            return match &self.infer(e).expr.kind {
                ExprKind::Wand(wand) => Some(Resource::Wand(wand.clone())),
                _ => None,
            };
        }
        self.location(e)
    }

    /// `P(…)` or `acc(P(…), p)` of a predicate with a body
    pub(super) fn predicate_access(
        &mut self,
        e: &'a ast::Expr,
        verb: &str,
    ) -> Option<PredicateAccess> {
        let (call, amount) = match &*e.kind {
            ast::ExprKind::Acc { loc, amount } => (loc, amount.as_ref()),
            _ => (e, None),
        };
        let ast::ExprKind::Call { callee, .. } = &*call.kind else {
            self.error(e.at.0, "expected a predicate `P(…)`");
            return None;
        };
        let predicate = self.globals.find(&callee.name).find_map(|g| match g {
            Global::Predicate(p) => Some(p),
            _ => None,
        });
        let Some(predicate) = predicate else {
            let diagnostic = self.undeclared_callee(callee, Callee::Predicate);
            self.report(diagnostic);
            return None;
        };
        if self.globals.predicates.get(predicate.index()).is_some_and(|p| p.is_abstract) {
            self.error(
                callee.at.0,
                format!("the abstract predicate `{}` cannot be {verb}", callee.name),
            );
        }
        let resource = self.location(call);
        let amount = match amount {
            None => Some(None),
            Some(amount) => {
                let typed = self.infer(amount);
                let fine = self.require_value(&typed, amount.at.0, &Type::Perm);
                fine.then_some(Some(typed.expr))
            }
        };
        let (Some(Resource::Predicate(predicate, args, loc_pos)), Some(amount)) =
            (resource, amount)
        else {
            return None;
        };
        Some(PredicateAccess { predicate, args, amount, pos: e.at.0, loc_pos })
    }

    pub(super) fn check_perm_rule(&mut self, what: &str, pos: Pos) {
        match self.perm_rule {
            PermRule::Anywhere => {}
            PermRule::OnlyInInhaleExhale => self.error(
                pos,
                format!(
                    "contracts and invariants may use `{what}` only inside an inhale-exhale \
                     assertion `[A, B]`"
                ),
            ),
            PermRule::Banned(place) => {
                self.error(pos, format!("{place} must not contain `{what}`"));
            }
        }
    }

    pub(super) fn old(
        &mut self,
        label: Option<&'a OldLabel>,
        inner: &'a ast::Expr,
        pos: Pos,
    ) -> Typed {
        let typed = self.infer(inner);
        let Some(ty) = self.value_type(&typed, inner.at.0) else { return self.wrong(pos) };
        let state = match label {
            None => OldState::Pre,
            Some(OldLabel::Lhs) => OldState::Lhs,
            Some(OldLabel::Label(label)) => match self.label(&label.name) {
                Some(id) => OldState::Label(id),
                None => {
                    self.consistency_error(pos, format!("there is no label `{}`", label.name));
                    OldState::Pre
                }
            },
        };
        self.typed(ExprKind::Old(state, typed.expr), ty, pos)
    }
}

/// A predicate access as an expression, so that inference can fill it in.
pub(super) fn access_expr(access: &PredicateAccess) -> Arc<Expr> {
    let resource = Resource::Predicate(access.predicate, access.args.clone(), access.loc_pos);
    Expr::new(ExprKind::Acc(resource, access.amount.clone()), Type::Bool, access.pos)
}

pub(super) fn access_of(whole: &Arc<Expr>, access: PredicateAccess) -> Option<PredicateAccess> {
    match &whole.kind {
        ExprKind::Acc(Resource::Predicate(_, args, _), amount) => {
            Some(PredicateAccess { args: args.clone(), amount: amount.clone(), ..access })
        }
        _ => None,
    }
}
