//! Expressions and assertions.

use std::sync::Arc;

use report::{Diagnostic, Pos};

use super::globals::Global;
use super::heap::{access_expr, access_of};
use super::resolve::{Typed, arithmetic};
use super::types::{Inference, Kind, Mismatch, Signature};
use super::{Checker, PermRule, operators};
use crate::ast::{self, UnOp};
use crate::core::{
    BinOp, CollectionOp, Expr, ExprKind, LocalId, Node, PredicateAccess, Resource, Type, Wand,
};

impl<'a> Checker<'a> {
    // --- Whole expressions

    pub(super) fn next_local(&self) -> LocalId {
        LocalId(self.scopes.locals.len() as u32)
    }

    /// A value of the expected type.
    pub(super) fn check_value(&mut self, e: &'a ast::Expr, expected: &Type) -> Arc<Expr> {
        let first = self.next_local();
        let typed = self.infer(e);
        self.require_value(&typed, e.at.0, expected);
        self.finish(typed.expr, first)
    }

    /// A value of any type.
    pub(super) fn check_any_value(&mut self, e: &'a ast::Expr) -> Arc<Expr> {
        let first = self.next_local();
        let typed = self.infer(e);
        self.value_type(&typed, e.at.0);
        self.finish(typed.expr, first)
    }

    /// An assertion.
    pub(super) fn check_assertion(&mut self, e: &'a ast::Expr) -> Arc<Expr> {
        let first = self.next_local();
        let typed = self.infer(e);
        self.require_assertion(&typed, e.at.0);
        self.finish(typed.expr, first)
    }

    pub(super) fn check_wand(&mut self, e: &'a ast::Expr) -> Option<Wand> {
        let first = self.next_local();
        let typed = self.infer(e);
        match (&typed.kind, &typed.expr.kind) {
            (Kind::Error, _) => None,
            (Kind::Wand, ExprKind::Wand(_)) => match &self.finish(typed.expr, first).kind {
                ExprKind::Wand(wand) => Some(wand.clone()),
                _ => None,
            },
            (kind, _) => {
                let found = self.show_kind(kind);
                self.error(e.at.0, format!("expected a wand `A --* B`, found {found}"));
                None
            }
        }
    }

    pub(super) fn check_predicate_access(
        &mut self,
        e: &'a ast::Expr,
        verb: &str,
    ) -> Option<PredicateAccess> {
        let first = self.next_local();
        self.predicate_expected = true;
        let access = self.predicate_access(e, verb);
        self.predicate_expected = false;
        let access = access?;
        let whole = self.finish(access_expr(&access), first);
        access_of(&whole, access)
    }

    pub(super) fn check_resource(&mut self, e: &'a ast::Expr) -> Option<Resource> {
        let first = self.next_local();
        let resource = self.resource(e)?;
        let pos = resource.pos();
        let whole = self.finish(Expr::new(ExprKind::Perm(resource), Type::Perm, pos), first);
        match &whole.kind {
            ExprKind::Perm(resource) => Some(resource.clone()),
            _ => None,
        }
    }

    // --- What is required

    pub(super) fn mismatch(&mut self, pos: Pos, found: &Kind, expected: &Kind) {
        if *found == Kind::Error || *expected == Kind::Error {
            return;
        }
        let message = match (found, expected) {
            (Kind::Value(_), Kind::Value(_)) => {
                format!("expected {}, found {}", self.show_kind(expected), self.show_kind(found))
            }
            (_, Kind::Value(_)) => format!(
                "{} cannot be used as a value, expected {}",
                self.show_kind(found),
                self.show_kind(expected)
            ),
            _ => format!("expected {}, found {}", self.show_kind(expected), self.show_kind(found)),
        };
        self.error(pos, message);
    }

    pub(super) fn require_value(&mut self, typed: &Typed, pos: Pos, expected: &Type) -> bool {
        match &typed.kind {
            Kind::Error => false,
            Kind::Value(ty) if self.infer.unify(ty, expected) => true,
            kind => {
                self.mismatch(pos, &kind.clone(), &Kind::Value(expected.clone()));
                false
            }
        }
    }

    /// The type of a value; permissions are not values.
    pub(super) fn value_type(&mut self, typed: &Typed, pos: Pos) -> Option<Type> {
        match &typed.kind {
            Kind::Value(ty) => Some(ty.clone()),
            Kind::Error => None,
            Kind::Assertion | Kind::Predicate | Kind::Wand => {
                let found = self.show_kind(&typed.kind);
                self.error(pos, format!("expected a value, found {found}"));
                None
            }
        }
    }

    /// The types of operands, all of which must be values.
    ///
    /// As in Viper there is one complaint: about the first operand that is no value or that fits no
    /// signature, and none if something inside an operand is wrong already.
    pub(super) fn operand_types(
        &mut self,
        operands: &[(&Typed, Pos)],
        signatures: &[Signature],
    ) -> Option<Vec<Type>> {
        if operands.iter().any(|(typed, _)| typed.kind == Kind::Error) {
            return None;
        }
        let mut types = Vec::with_capacity(operands.len());
        for (typed, pos) in operands {
            if let Kind::Value(ty) = &typed.kind {
                types.push(ty.clone());
                continue;
            }
            if let Err(Mismatch { arg, found, expected }) =
                self.infer.narrow(signatures.to_vec(), &types)
            {
                let at = operands.get(arg).map_or(*pos, |(_, at)| *at);
                self.mismatch(at, &Kind::Value(found), &Kind::Value(expected));
            } else {
                self.value_type(typed, *pos);
            }
            return None;
        }
        Some(types)
    }

    /// Is it an assertion, and if so, a pure one?
    pub(super) fn require_assertion(&mut self, typed: &Typed, pos: Pos) -> Option<bool> {
        match &typed.kind {
            Kind::Value(ty) if self.infer.unify(ty, &Type::Bool) => Some(true),
            Kind::Value(_) => {
                self.mismatch(pos, &typed.kind.clone(), &Kind::Value(Type::Bool));
                None
            }
            Kind::Assertion | Kind::Predicate | Kind::Wand => Some(false),
            Kind::Error => None,
        }
    }

    pub(super) fn wrong(&self, pos: Pos) -> Typed {
        Typed { expr: Expr::bool(false, pos), kind: Kind::Error }
    }

    pub(super) fn typed(&self, kind: ExprKind, ty: Type, pos: Pos) -> Typed {
        Typed { expr: Expr::new(kind, ty.clone(), pos), kind: Kind::Value(ty) }
    }

    pub(super) fn assertion(&self, kind: ExprKind, pure: bool, pos: Pos) -> Typed {
        let expr = Expr::new(kind, Type::Bool, pos);
        Typed { expr, kind: if pure { Kind::Value(Type::Bool) } else { Kind::Assertion } }
    }

    // --- Inference

    pub(super) fn infer(&mut self, e: &'a ast::Expr) -> Typed {
        let pos = e.at.0;
        match &*e.kind {
            ast::ExprKind::Int(value) => self.typed(ExprKind::Int(value.clone()), Type::Int, pos),
            ast::ExprKind::Bool(value) => self.typed(ExprKind::Bool(*value), Type::Bool, pos),
            ast::ExprKind::Null => self.typed(ExprKind::Null, Type::Ref, pos),
            ast::ExprKind::None => self.typed(ExprKind::NoPerm, Type::Perm, pos),
            ast::ExprKind::Write => self.typed(ExprKind::FullPerm, Type::Perm, pos),
            ast::ExprKind::Wildcard => self.typed(ExprKind::WildcardPerm, Type::Perm, pos),
            ast::ExprKind::Epsilon => {
                self.consistency_error(pos, "`epsilon` permissions are not supported");
                self.typed(ExprKind::WildcardPerm, Type::Perm, pos)
            }
            ast::ExprKind::Result => match self.result.clone() {
                Some(ty) if self.result_allowed => self.typed(ExprKind::Result, ty, pos),
                _ => {
                    self.error(pos, "`result` can only be used in postconditions of functions");
                    self.wrong(pos)
                }
            },
            ast::ExprKind::Name(name) => self.variable(name, pos),
            ast::ExprKind::Unary(UnOp::Not, inner) => {
                let operand = self.infer(inner);
                if !self.require_value(&operand, inner.at.0, &Type::Bool) {
                    return self.wrong(pos);
                }
                self.typed(ExprKind::Not(operand.expr), Type::Bool, pos)
            }
            ast::ExprKind::Unary(UnOp::Neg, inner) => {
                let Some((args, ty)) = self.overloaded(&[inner], |_, _| operators::negation(), pos)
                else {
                    return self.wrong(pos);
                };
                match args.into_iter().next() {
                    Some(operand) => self.typed(ExprKind::Neg(operand), ty, pos),
                    None => self.wrong(pos),
                }
            }
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, pos),
            ast::ExprKind::Chain(first, rest) => self.chain(first, rest, pos),
            ast::ExprKind::Cond(cond, then, otherwise) => {
                self.conditional(cond, then, otherwise, pos)
            }
            ast::ExprKind::Field(receiver, field) => self.member_access(receiver, field, pos),
            ast::ExprKind::Call { callee, args, ty } => {
                let call = self.call(callee, args, ty.as_deref(), pos);
                self.in_measure(call)
            }
            ast::ExprKind::Acc { loc, amount } => {
                let acc = self.acc(loc, amount.as_ref(), pos);
                self.in_measure(acc)
            }
            ast::ExprKind::Perm(resource) => {
                self.check_perm_rule("perm", pos);
                match self.resource(resource) {
                    Some(resource) => self.typed(ExprKind::Perm(resource), Type::Perm, pos),
                    None => self.wrong(pos),
                }
            }
            ast::ExprKind::Old(label, inner) => self.old(label.as_ref(), inner, pos),
            ast::ExprKind::Let { var, value, body } => self.let_in(var, value, body, pos),
            ast::ExprKind::Quant { quantifier, vars, triggers, body } => {
                self.quantifier(*quantifier, vars, triggers, body, pos)
            }
            ast::ExprKind::ForPerm { vars, resource, body } => {
                self.forperm(vars, resource, body, pos)
            }
            ast::ExprKind::Unfolding(acc, body) => {
                let access = self.predicate_access(acc, "unfolded");
                let body = self.infer(body);
                match access {
                    Some(access) => around(body, pos, |b| ExprKind::Unfolding(access, b)),
                    None => self.wrong(pos),
                }
            }
            ast::ExprKind::Applying(wand, body) => {
                let typed = self.infer(wand);
                let body = self.infer(body);
                match (&typed.kind, &typed.expr.kind) {
                    (Kind::Error, _) => self.wrong(pos),
                    (Kind::Wand, ExprKind::Wand(wand)) => {
                        let wand = wand.clone();
                        around(body, pos, |b| ExprKind::Applying(wand, b))
                    }
                    (kind, _) => {
                        let found = self.show_kind(kind);
                        self.error(wand.at.0, format!("expected a wand `A --* B`, found {found}"));
                        self.wrong(pos)
                    }
                }
            }
            ast::ExprKind::Asserting(assertion, body) => {
                let typed = self.infer(assertion);
                let fine = self.require_assertion(&typed, assertion.at.0).is_some();
                let body = self.infer(body);
                if fine {
                    around(body, pos, |b| ExprKind::Asserting(typed.expr, b))
                } else {
                    self.wrong(pos)
                }
            }
            ast::ExprKind::InhaleExhale(inhale, exhale) => {
                let rule = self.perm_rule;
                if rule == PermRule::OnlyInInhaleExhale {
                    self.perm_rule = PermRule::Anywhere;
                }
                let a = self.infer(inhale);
                let b = self.infer(exhale);
                self.perm_rule = rule;
                let (pure_a, pure_b) = (
                    self.require_assertion(&a, inhale.at.0),
                    self.require_assertion(&b, exhale.at.0),
                );
                match (pure_a, pure_b) {
                    (Some(pure_a), Some(pure_b)) => {
                        let kind = ExprKind::InhaleExhale(a.expr, b.expr);
                        self.assertion(kind, pure_a && pure_b, pos)
                    }
                    _ => self.wrong(pos),
                }
            }
            ast::ExprKind::Collection { kind, ty, elems } => {
                self.collection_literal(*kind, ty.as_deref(), elems, pos)
            }
            ast::ExprKind::Map { ty, entries } => self.map_literal(ty.as_deref(), entries, pos),
            ast::ExprKind::Range(from, to) => {
                let signatures = |_: &mut Inference, _: &[Type]| operators::range();
                self.collection_op(CollectionOp::Range, &[from, to], signatures, pos)
            }
            ast::ExprKind::Index(base, index) => {
                let signatures =
                    |infer: &mut Inference, types: &[Type]| operators::index(infer, types, pos);
                self.collection_op(CollectionOp::SeqIndex, &[base, index], signatures, pos)
            }
            ast::ExprKind::Slice(base, from, to) => {
                self.slice(base, from.as_ref(), to.as_ref(), pos)
            }
            ast::ExprKind::Update(base, index, value) => {
                let signatures = |infer: &mut Inference, _: &[Type]| operators::update(infer, pos);
                self.collection_op(CollectionOp::SeqUpdate, &[base, index, value], signatures, pos)
            }
            ast::ExprKind::Size(inner) => {
                let signatures =
                    |infer: &mut Inference, types: &[Type]| operators::size(infer, types, pos);
                self.collection_op(CollectionOp::SeqLength, &[inner], signatures, pos)
            }
            ast::ExprKind::MapDomain(inner) => {
                let signatures =
                    |infer: &mut Inference, _: &[Type]| operators::map_domain(infer, pos);
                self.collection_op(CollectionOp::MapDomain, &[inner], signatures, pos)
            }
            ast::ExprKind::MapRange(inner) => {
                let signatures =
                    |infer: &mut Inference, _: &[Type]| operators::map_range(infer, pos);
                self.collection_op(CollectionOp::MapRange, &[inner], signatures, pos)
            }
            ast::ExprKind::PredicateInstance { predicate, args } => {
                self.predicate_instance(predicate, args, pos)
            }
            ast::ExprKind::New(_) => {
                self.error(pos, "`new` can only be the right-hand side of an assignment");
                self.wrong(pos)
            }
            ast::ExprKind::Annotated(annotation, inner) => {
                let typed = self.infer(inner);
                let mut info = typed.expr.info.as_deref().cloned().unwrap_or_default();
                info.annotations.insert(0, annotation.clone());
                let node = Node { info: Some(Arc::new(info)), ..Node::clone(&typed.expr) };
                Typed { expr: node.into_expr(), kind: typed.kind }
            }
        }
    }

    pub(super) fn variable(&mut self, name: &ast::Name, pos: Pos) -> Typed {
        match self.scopes.find(name) {
            [id] => {
                let id = *id;
                let ty = self.scopes.locals.get(id.index()).map_or(Type::Int, |l| l.ty.clone());
                self.typed(ExprKind::Local(id), ty, pos)
            }
            [] => {
                let diagnostic = self.undeclared_variable(name, pos);
                self.report(diagnostic);
                self.wrong(pos)
            }
            _ => {
                self.error(pos, format!("`{name}` is ambiguous: it is declared more than once"));
                self.wrong(pos)
            }
        }
    }

    pub(super) fn undeclared_variable(&self, name: &ast::Name, pos: Pos) -> Diagnostic {
        let diagnostic = Diagnostic::error(
            "typechecker.error",
            pos,
            format!("there is no variable named `{name}` here"),
        );
        let help = match self.globals.find(name).next() {
            Some(Global::Field(_)) => Some(format!("`{name}` is a field: access it as `e.{name}`")),
            Some(Global::Function(_) | Global::DomainFunction(_)) => {
                Some(format!("`{name}` is a function: call it as `{name}(…)`"))
            }
            Some(Global::Predicate(_)) => Some(format!("`{name}` is a predicate: `{name}(…)`")),
            _ => crate::wording::closest(name, self.scopes.names())
                .or_else(|| constant_elsewhere(name))
                .map(|close| format!("did you mean `{close}`?")),
        };
        match help {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        }
    }

    // --- Operators

    /// Infers arguments, which must be values, and applies an overloaded operator to them.
    pub(super) fn overloaded(
        &mut self,
        args: &[&'a ast::Expr],
        signatures: impl FnOnce(&mut Inference, &[Type]) -> Vec<Signature>,
        pos: Pos,
    ) -> Option<(Vec<Arc<Expr>>, Type)> {
        let typed: Vec<Typed> = args.iter().map(|e| self.infer(e)).collect();
        let values: Option<Vec<Type>> = typed
            .iter()
            .map(|t| if let Kind::Value(ty) = &t.kind { Some(ty.clone()) } else { None })
            .collect();
        let Some(types) = values else {
            let operands: Vec<_> = typed.iter().zip(args).map(|(t, e)| (t, e.at.0)).collect();
            let signatures = signatures(&mut self.infer, &[]);
            self.operand_types(&operands, &signatures);
            return None;
        };
        let signatures = signatures(&mut self.infer, &types);
        match self.infer.apply(signatures, types, pos) {
            Ok(ty) => Some((typed.into_iter().map(|t| t.expr).collect(), ty)),
            Err(Mismatch { arg, found, expected }) => {
                let at = args.get(arg).map_or(pos, |e| e.at.0);
                self.mismatch(at, &Kind::Value(found), &Kind::Value(expected));
                None
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: ast::BinOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        pos: Pos,
    ) -> Typed {
        match op {
            ast::BinOp::And => {
                let (a, b) = (self.infer(left), self.infer(right));
                if a.kind == Kind::Error || b.kind == Kind::Error {
                    return self.wrong(pos);
                }
                let Some(pure_a) = self.require_assertion(&a, left.at.0) else {
                    return self.wrong(pos);
                };
                let Some(pure_b) = self.require_assertion(&b, right.at.0) else {
                    return self.wrong(pos);
                };
                let kind = ExprKind::Binary(BinOp::And, a.expr, b.expr);
                self.assertion(kind, pure_a && pure_b, pos)
            }
            ast::BinOp::Implies => {
                let (a, b) = (self.infer(left), self.infer(right));
                if a.kind == Kind::Error
                    || b.kind == Kind::Error
                    || !self.require_value(&a, left.at.0, &Type::Bool)
                {
                    return self.wrong(pos);
                }
                match self.require_assertion(&b, right.at.0) {
                    Some(pure) => {
                        self.assertion(ExprKind::Binary(BinOp::Implies, a.expr, b.expr), pure, pos)
                    }
                    None => self.wrong(pos),
                }
            }
            ast::BinOp::Wand => self.wand(left, right, pos),
            _ => self.value_operator(op, left, right, pos),
        }
    }

    pub(super) fn wand(&mut self, left: &'a ast::Expr, right: &'a ast::Expr, pos: Pos) -> Typed {
        let banned = std::mem::replace(&mut self.wands_banned, false);
        if banned {
            self.error(pos, "wands are not supported in function preconditions and predicates");
        }
        let (a, b) = (self.infer(left), self.infer(right));
        self.wands_banned = banned;
        let fine_a = self.require_assertion(&a, left.at.0).is_some();
        let fine_b = self.require_assertion(&b, right.at.0).is_some();
        if !(fine_a && fine_b) {
            return self.wrong(pos);
        }
        let wand = Wand { lhs: a.expr, rhs: b.expr, pos };
        Typed { expr: Expr::new(ExprKind::Wand(wand), Type::Bool, pos), kind: Kind::Wand }
    }

    /// Operators whose operands are values.
    pub(super) fn value_operator(
        &mut self,
        op: ast::BinOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        pos: Pos,
    ) -> Typed {
        let (a, b) = (self.infer(left), self.infer(right));
        let (ty_a, ty_b) = match (&a.kind, &b.kind) {
            (Kind::Value(ty_a), Kind::Value(ty_b)) => (ty_a.clone(), ty_b.clone()),
            _ => {
                // Equality is the one operator that complains about both operands.
                let both = matches!(op, ast::BinOp::Eq | ast::BinOp::Ne);
                let operands = [(&a, left.at.0), (&b, right.at.0)];
                if both {
                    for (operand, at) in operands {
                        self.value_type(operand, at);
                    }
                } else {
                    let signatures = operators::binary(op, &mut self.infer, pos);
                    self.operand_types(&operands, &signatures);
                }
                return self.wrong(pos);
            }
        };
        let result = match known_result(op, &ty_a, &ty_b, self.infer.is_trivial()) {
            Some(result) => result,
            None => {
                let signatures = operators::binary(op, &mut self.infer, pos);
                match self.infer.apply(signatures, vec![ty_a, ty_b], pos) {
                    Ok(result) => result,
                    Err(Mismatch { arg, found, expected }) => {
                        let at = if arg == 0 { left.at.0 } else { right.at.0 };
                        self.mismatch(at, &Kind::Value(found), &Kind::Value(expected));
                        return self.wrong(pos);
                    }
                }
            }
        };
        let kind = match op {
            ast::BinOp::Append => {
                ExprKind::Collection(CollectionOp::SeqAppend, vec![a.expr, b.expr])
            }
            ast::BinOp::Union => ExprKind::Collection(CollectionOp::Union, vec![a.expr, b.expr]),
            ast::BinOp::Intersection => {
                ExprKind::Collection(CollectionOp::Intersection, vec![a.expr, b.expr])
            }
            ast::BinOp::Setminus => {
                ExprKind::Collection(CollectionOp::Setminus, vec![a.expr, b.expr])
            }
            ast::BinOp::Subset => ExprKind::Collection(CollectionOp::Subset, vec![a.expr, b.expr]),
            ast::BinOp::In => {
                let op = operators::collection(CollectionOp::SeqContains, &b.expr.ty);
                ExprKind::Collection(op, vec![a.expr, b.expr])
            }
            _ => {
                let op = match op {
                    ast::BinOp::Add => BinOp::Add,
                    ast::BinOp::Sub => BinOp::Sub,
                    ast::BinOp::Mul => BinOp::Mul,
                    ast::BinOp::Div | ast::BinOp::IntDiv => BinOp::Div,
                    ast::BinOp::Mod => BinOp::Mod,
                    ast::BinOp::Lt => BinOp::Lt,
                    ast::BinOp::Le => BinOp::Le,
                    ast::BinOp::Gt => BinOp::Gt,
                    ast::BinOp::Ge => BinOp::Ge,
                    ast::BinOp::Ne => BinOp::Ne,
                    ast::BinOp::Or => BinOp::Or,
                    ast::BinOp::Implies => BinOp::Implies,
                    ast::BinOp::And => BinOp::And,
                    // `<==>` is equality of Booleans.
                    _ => BinOp::Eq,
                };
                let (op, a, b) = arithmetic(op, &a.expr, &b.expr, &result);
                ExprKind::Binary(op, a, b)
            }
        };
        self.typed(kind, result, pos)
    }

    /// `a < b <= c` is `a < b && b <= c`.
    pub(super) fn chain(
        &mut self,
        first: &'a ast::Expr,
        rest: &'a [(ast::BinOp, ast::Expr)],
        pos: Pos,
    ) -> Typed {
        let mut left = first;
        let mut conjunction: Option<Typed> = None;
        let mut wrong = false;
        for (i, (op, right)) in rest.iter().enumerate() {
            let at = if i == 0 { pos.to(right.at.0) } else { left.at.0.to(right.at.0) };
            let comparison = self.value_operator(*op, left, right, at);
            wrong |= !self.require_value(&comparison, at, &Type::Bool);
            conjunction = Some(match conjunction {
                None => comparison,
                Some(before) => {
                    let kind = ExprKind::Binary(BinOp::And, before.expr, comparison.expr);
                    self.typed(kind, Type::Bool, pos.to(right.at.0))
                }
            });
            left = right;
        }
        match conjunction {
            Some(all) if !wrong => all,
            _ => self.wrong(pos),
        }
    }

    pub(super) fn conditional(
        &mut self,
        cond: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        pos: Pos,
    ) -> Typed {
        let c = self.infer(cond);
        let (a, b) = (self.infer(then), self.infer(otherwise));
        if !self.require_value(&c, cond.at.0, &Type::Bool) {
            return self.wrong(pos);
        }
        let make = |a: Typed, b: Typed| ExprKind::Cond(c.expr.clone(), a.expr, b.expr);
        match (&a.kind, &b.kind) {
            (Kind::Error, _) | (_, Kind::Error) => self.wrong(pos),
            (Kind::Value(x), Kind::Value(y)) => {
                if !self.infer.unify(x, y) {
                    let (found, expected) = (b.kind.clone(), a.kind.clone());
                    self.mismatch(otherwise.at.0, &found, &expected);
                    return self.wrong(pos);
                }
                let ty = self.infer.shallow(x);
                self.typed(make(a, b), ty, pos)
            }
            _ => {
                let fine_a = self.require_assertion(&a, then.at.0).is_some();
                let fine_b = self.require_assertion(&b, otherwise.at.0).is_some();
                if fine_a && fine_b {
                    self.assertion(make(a, b), false, pos)
                } else {
                    self.wrong(pos)
                }
            }
        }
    }

    // --- Types in bodies

    pub(super) fn ty(&mut self, ty: &'a ast::Type) -> Type {
        let mut errors = Vec::new();
        let resolved = self.globals.ty(ty, self.type_params, &mut errors);
        errors.into_iter().for_each(|e| self.report(e));
        resolved
    }
}

/// The result of a common operator on types that are already known: spares the search.
fn known_result(op: ast::BinOp, a: &Type, b: &Type, no_variables: bool) -> Option<Type> {
    use Type::{Bool, Int, Perm, Ref};
    match (op, a, b) {
        (ast::BinOp::Eq | ast::BinOp::Ne, a, b) if no_variables && a == b => Some(Bool),
        (ast::BinOp::In, elem, Type::Seq(t) | Type::Set(t)) if no_variables && *elem == **t => {
            Some(Bool)
        }
        (ast::BinOp::Append, Type::Seq(a), Type::Seq(b)) if no_variables && a == b => {
            Some(Type::Seq(a.clone()))
        }
        (
            ast::BinOp::Add
            | ast::BinOp::Sub
            | ast::BinOp::Mul
            | ast::BinOp::IntDiv
            | ast::BinOp::Mod,
            Int,
            Int,
        ) => Some(Int),
        (ast::BinOp::Add | ast::BinOp::Sub | ast::BinOp::Mul | ast::BinOp::Div, Perm, Perm) => {
            Some(Perm)
        }
        (ast::BinOp::Lt | ast::BinOp::Le | ast::BinOp::Gt | ast::BinOp::Ge, Int, Int)
        | (ast::BinOp::Lt | ast::BinOp::Le | ast::BinOp::Gt | ast::BinOp::Ge, Perm, Perm)
        | (ast::BinOp::Or | ast::BinOp::Iff, Bool, Bool)
        | (ast::BinOp::Eq | ast::BinOp::Ne, Int, Int)
        | (ast::BinOp::Eq | ast::BinOp::Ne, Bool, Bool)
        | (ast::BinOp::Eq | ast::BinOp::Ne, Ref, Ref)
        | (ast::BinOp::Eq | ast::BinOp::Ne, Perm, Perm) => Some(Bool),
        _ => None,
    }
}

/// An expression around a body: it is what the body is.
pub(super) fn around(body: Typed, pos: Pos, make: impl FnOnce(Arc<Expr>) -> ExprKind) -> Typed {
    let kind = match body.kind {
        Kind::Predicate | Kind::Wand => Kind::Assertion,
        kind => kind,
    };
    let ty = body.expr.ty.clone();
    if kind == Kind::Error {
        return Typed { expr: body.expr, kind };
    }
    Typed { expr: Expr::new(make(body.expr), ty, pos), kind }
}

/// What a constant of another language is called in Viper.
fn constant_elsewhere(name: &str) -> Option<&'static str> {
    match name {
        "nil" | "NULL" | "nullptr" | "None" | "Null" => Some("null"),
        "True" | "TRUE" => Some("true"),
        "False" | "FALSE" => Some("false"),
        _ => None,
    }
}
