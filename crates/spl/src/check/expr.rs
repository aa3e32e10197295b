//! Expressions.

use report::{Diagnostic, Span};

use super::{Checker, Place, Result, Scope};
use crate::ast::{self, Annotation, BinOp, ExprKind as E, Ident, Range};
use crate::core::{Expr, ExprKind, Quantifier, Type, UnOp};

/// So many nodes may be made by copying operands of chained comparisons.
const MAX_COPIES: usize = 1_000_000;

pub(super) fn node(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind: Box::new(kind), ty, span }
}

impl Checker {
    pub(super) fn exprs(&mut self, scope: &mut Scope, all: &[ast::Expr]) -> Result<Vec<Expr>> {
        all.iter().map(|e| self.expr(scope, e)).collect()
    }

    pub(super) fn typed(
        &mut self,
        scope: &mut Scope,
        e: &ast::Expr,
        wanted: &Type,
    ) -> Result<Expr> {
        let e = self.expr(scope, e)?;
        self.expect(scope, e, wanted)
    }

    pub(super) fn expr(&mut self, scope: &mut Scope, e: &ast::Expr) -> Result<Expr> {
        let span = e.at.0;
        Ok(match &*e.kind {
            E::Bool(value) => node(ExprKind::Bool(*value), Type::Bool, span),
            E::Int(value) => node(ExprKind::Int(*value), Type::Int, span),
            E::Byte(value) => node(ExprKind::Byte(*value), Type::Byte, span),
            E::Null => node(ExprKind::Null, scope.hole(true), span),
            E::Emp => node(ExprKind::Emp, Type::Perm, span),
            E::Name(name) => self.name(scope, name)?,
            E::Call(name, args) => self.call(scope, name, args, span)?,
            E::Dot(object, field) => self.dot(scope, object, field, span)?,
            E::Index(base, index) => self.index(scope, base, index, span)?,
            E::Cell(cell) => {
                let of = scope.hole(false);
                let cell = self.typed(scope, cell, &Type::Cell(of.clone().into()))?;
                node(ExprKind::CellRead(cell), of, span)
            }
            E::Update(map, key, value) => {
                let (k, v) = (scope.hole(false), scope.hole(false));
                let ty = Type::Map(k.clone().into(), v.clone().into());
                let map = self.typed(scope, map, &ty)?;
                let key = self.typed(scope, key, &k)?;
                let value = self.typed(scope, value, &v)?;
                node(ExprKind::Update(map, key, value), ty, span)
            }
            E::Set(of, elements) => {
                let of = match of {
                    Some(ty) => self.ty(ty)?,
                    None => scope.hole(false),
                };
                let elements: Result<Vec<Expr>> =
                    elements.iter().map(|e| self.typed(scope, e, &of)).collect();
                node(ExprKind::Set(elements?), Type::Set(of.into()), span)
            }
            E::Comprehension(name, ty, body) => {
                let ty = self.ty(ty)?;
                scope.names.push(Default::default());
                let local = scope.declare(&name.name, ty.clone());
                let body = self.expr(scope, body);
                scope.names.pop();
                let body = body?;
                let value = scope.resolve(&body.ty);
                let ty = match value {
                    Type::Bool => Type::Set(ty.into()),
                    Type::Perm => return self.mismatch(scope, body.span, &Type::Bool, &Type::Perm),
                    value => Type::Map(ty.into(), value.into()),
                };
                node(ExprKind::Comprehension(local, body), ty, span)
            }
            E::New(ty) => {
                self.effect(scope, span)?;
                let ty = self.ty(ty)?;
                if !matches!(ty, Type::Struct(_)) {
                    return self.error(span, format!("`{ty}` is no struct"));
                }
                node(ExprKind::New(ty.clone()), ty, span)
            }
            E::NewArray(of, length) => {
                self.effect(scope, span)?;
                let of = self.ty(of)?;
                let length = self.typed(scope, length, &Type::Int)?;
                let ty = Type::Array(of.clone().into());
                node(ExprKind::NewArray(of, length), ty, span)
            }
            E::Unary(op, operand) => self.unary(scope, *op, operand, span)?,
            E::Binary(op, left, right) => {
                let left = self.expr(scope, left)?;
                let right = self.expr(scope, right)?;
                self.binary(scope, *op, left, right, span)?
            }
            E::Chain(first, rest) => self.chain(scope, first, rest)?,
            E::Cond(cond, then, otherwise) => {
                let cond = self.typed(scope, cond, &Type::Bool)?;
                let then = self.expr(scope, then)?;
                let mut ty = scope.resolve(&then.ty);
                let otherwise = if matches!(ty, Type::Bool | Type::Perm) {
                    // A formula is a spatial assertion, too.
                    let otherwise = self.expr(scope, otherwise)?;
                    if scope.resolve(&otherwise.ty) == Type::Perm {
                        ty = Type::Perm;
                    }
                    self.expect(scope, otherwise, &ty)?
                } else {
                    self.typed(scope, otherwise, &ty)?
                };
                node(ExprKind::Cond(cond, then, otherwise), ty, span)
            }
            E::Quant(quantifier, binders, body) => {
                self.quantified(scope, *quantifier, binders, body, span)?
            }
            E::Annotated(inner, annotation) => {
                self.annotation(scope, annotation)?;
                self.expr(scope, inner)?
            }
        })
    }

    /// Hints are checked, and have no logical content.
    fn annotation(&mut self, scope: &mut Scope, annotation: &Annotation) -> Result<()> {
        let place = std::mem::replace(&mut scope.place, Place::Hint);
        let mut term = |checker: &mut Checker, e: &ast::Expr| checker.expr(scope, e).map(|_| ());
        let result = match annotation {
            Annotation::Matching(terms, yields) => {
                terms.iter().try_for_each(|(e, _)| term(self, e)).and_then(|()| term(self, yields))
            }
            Annotation::Pattern(e) => term(self, e),
            Annotation::Comment(_) => Ok(()),
            Annotation::Noinst(name) => self.name(scope, name).map(|_| ()),
        };
        scope.place = place;
        result
    }

    pub(super) fn effect(&mut self, scope: &Scope, span: Span) -> Result<()> {
        if scope.place == Place::Code {
            return Ok(());
        }
        self.error(span, "operations with side effects are not allowed in specifications")
    }

    fn name(&mut self, scope: &mut Scope, name: &Ident) -> Result<Expr> {
        let span = name.at.0;
        if let Some(local) = scope.find(&name.name) {
            return Ok(node(ExprKind::Local(local), scope.ty(local), span));
        }
        let core = &self.globals.core;
        if scope.hidden.contains(&name.name) && !core.globals.contains_key(&name.name) {
            let message = format!("the result `{}` has no value yet", name.name);
            return self.error_with(span, message, "preconditions are about parameters");
        }
        if let Some(field) = core.fields.get(&name.name) {
            let ty = Type::Map(Type::Struct(field.owner.clone()).into(), field.ty.clone().into());
            return Ok(node(ExprKind::Field(name.name.clone()), ty, span));
        }
        if let Some(ty) = core.globals.get(&name.name) {
            return Ok(node(ExprKind::Global(name.name.clone()), ty.clone(), span));
        }
        let callable = core.ctors.contains_key(&name.name)
            || core.predicates.contains_key(&name.name)
            || core.functions.contains_key(&name.name);
        if callable {
            return self.call(scope, name, &[], span);
        }
        let mut known = self.globals.names();
        known.extend(scope.names.iter().flat_map(|frame| frame.keys().cloned()));
        self.unknown("variable", name, known)
    }

    fn dot(
        &mut self,
        scope: &mut Scope,
        object: &ast::Expr,
        field: &Ident,
        span: Span,
    ) -> Result<Expr> {
        let object = self.expr(scope, object)?;
        let ty = scope.resolve(&object.ty);
        let core = &self.globals.core;
        let is_field = core.fields.contains_key(&field.name);
        match (&ty, &*field.name) {
            (Type::Array(_), "length" | "cells" | "map") => {
                return self.array_part(scope, object, &field.name, span);
            }
            (Type::Hole(_), "length" | "cells" | "map") if !is_field => {
                return self.array_part(scope, object, &field.name, span);
            }
            (Type::Cell(_), "array" | "index") => {
                return self.cell_part(scope, object, &field.name, span);
            }
            (Type::Hole(_), "array" | "index") if !is_field => {
                return self.cell_part(scope, object, &field.name, span);
            }
            _ => {}
        }
        // A variable of map type, or else a field, or else a destructor.
        let local = scope.find(&field.name).filter(|l| matches!(scope.ty(*l), Type::Map(..)));
        let map = if let Some(local) = local {
            node(ExprKind::Local(local), scope.ty(local), field.at.0)
        } else if is_field {
            let field = field.clone();
            let core = &self.globals.core;
            let Some(decl) = core.fields.get(&field.name) else { return Err(super::Failed) };
            let ty = Type::Map(Type::Struct(decl.owner.clone()).into(), decl.ty.clone().into());
            node(ExprKind::Field(field.name), ty, field.at.0)
        } else if core.dtors.contains_key(&field.name) {
            return self.destruct(scope, field, object, span);
        } else if let Some(ty @ Type::Map(..)) = core.globals.get(&field.name) {
            node(ExprKind::Global(field.name.clone()), ty.clone(), field.at.0)
        } else {
            let mut known: Vec<ast::Name> = core.fields.keys().cloned().collect();
            known.extend(core.dtors.keys().cloned());
            known.extend(["length", "cells", "array", "index"].map(Into::into));
            return self.unknown("field", field, known);
        };
        let Type::Map(key, value) = map.ty.clone() else { return Err(super::Failed) };
        let object = self.expect(scope, object, &key)?;
        Ok(node(ExprKind::Read(map, object), (*value).clone(), span))
    }

    fn array_part(&mut self, scope: &mut Scope, a: Expr, part: &str, span: Span) -> Result<Expr> {
        let of = scope.hole(false);
        let a = self.expect(scope, a, &Type::Array(of.clone().into()))?;
        Ok(match part {
            "length" => node(ExprKind::Length(a), Type::Int, span),
            "cells" => {
                let ty = Type::Map(Type::Int.into(), Type::Cell(of.into()).into());
                node(ExprKind::Cells(a), ty, span)
            }
            _ => node(ExprKind::Contents(a), Type::Map(Type::Int.into(), of.into()), span),
        })
    }

    fn cell_part(&mut self, scope: &mut Scope, c: Expr, part: &str, span: Span) -> Result<Expr> {
        let of = scope.hole(false);
        let c = self.expect(scope, c, &Type::Cell(of.clone().into()))?;
        Ok(match part {
            "array" => node(ExprKind::CellArray(c), Type::Array(of.into()), span),
            _ => node(ExprKind::CellIndex(c), Type::Int, span),
        })
    }

    fn index(
        &mut self,
        scope: &mut Scope,
        base: &ast::Expr,
        index: &ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let base = self.expr(scope, base)?;
        if let Type::Map(key, value) = scope.resolve(&base.ty) {
            let index = self.typed(scope, index, &key)?;
            return Ok(node(ExprKind::Read(base, index), (*value).clone(), span));
        }
        let of = scope.hole(false);
        let base = self.expect(scope, base, &Type::Array(of.clone().into()))?;
        let index = self.typed(scope, index, &Type::Int)?;
        Ok(node(ExprKind::ArrayRead(base, index), of, span))
    }

    fn unary(
        &mut self,
        scope: &mut Scope,
        op: ast::UnOp,
        operand: &ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let operand = self.expr(scope, operand)?;
        let (op, from, to) = match op {
            ast::UnOp::Not => {
                if scope.resolve(&operand.ty) == Type::Perm {
                    let message = "a spatial assertion cannot be negated";
                    return self.error(span, message);
                }
                (UnOp::Not, Type::Bool, Type::Bool)
            }
            ast::UnOp::Plus | ast::UnOp::Minus | ast::UnOp::BitNot => {
                let ty = self.number(scope, &operand)?;
                match op {
                    ast::UnOp::Plus => return Ok(Expr { span, ..operand }),
                    ast::UnOp::Minus => (UnOp::Neg, ty.clone(), ty),
                    _ => (UnOp::BitNot, ty.clone(), ty),
                }
            }
            ast::UnOp::Int2Byte => (UnOp::Int2Byte, Type::Int, Type::Byte),
            ast::UnOp::Byte2Int => (UnOp::Byte2Int, Type::Byte, Type::Int),
        };
        let operand = self.expect(scope, operand, &from)?;
        Ok(node(ExprKind::Unary(op, operand), to, span))
    }

    /// `Int` or `Byte`; if nothing is known, `Int`.
    fn number(&mut self, scope: &mut Scope, e: &Expr) -> Result<Type> {
        match scope.resolve(&e.ty) {
            Type::Byte => Ok(Type::Byte),
            ty if scope.unify(&ty, &Type::Int) => Ok(Type::Int),
            ty => self.mismatch(scope, e.span, &Type::Int, &ty),
        }
    }

    fn binary(
        &mut self,
        scope: &mut Scope,
        op: BinOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Result<Expr> {
        let (left, right, ty) = match op {
            BinOp::And | BinOp::Or => {
                let left = self.expect(scope, left, &Type::Perm)?;
                let right = self.expect(scope, right, &Type::Perm)?;
                let spatial = left.ty == Type::Perm || right.ty == Type::Perm;
                (left, right, if spatial { Type::Perm } else { Type::Bool })
            }
            BinOp::SepStar | BinOp::SepPlus | BinOp::SepIncl => {
                let left = self.expect(scope, left, &Type::Perm)?;
                (left, self.expect(scope, right, &Type::Perm)?, Type::Perm)
            }
            BinOp::Implies => {
                let left = self.expect(scope, left, &Type::Bool)?;
                let right = self.expect(scope, right, &Type::Perm)?;
                let ty = if right.ty == Type::Perm { Type::Perm } else { Type::Bool };
                (left, right, ty)
            }
            BinOp::Iff => {
                let left = self.expect(scope, left, &Type::Bool)?;
                (left, self.expect(scope, right, &Type::Bool)?, Type::Bool)
            }
            BinOp::Eq | BinOp::Ne => {
                let ty = left.ty.clone();
                if scope.resolve(&ty) == Type::Perm {
                    return self.error(left.span, "spatial assertions cannot be compared");
                }
                (left, self.expect(scope, right, &ty)?, Type::Bool)
            }
            BinOp::In | BinOp::NotIn => {
                let right = self.expect(scope, right, &Type::Set(left.ty.clone().into()))?;
                (left, right, Type::Bool)
            }
            BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => {
                return self.comparison(scope, op, left, right, span);
            }
            BinOp::PointsTo => {
                let value = left.ty.clone();
                let right = self.expect(scope, right, &value)?;
                return self.points_to(left, right, span);
            }
            BinOp::Union | BinOp::Inter | BinOp::Diff => {
                let ty = Type::Set(scope.hole(false).into());
                let left = self.expect(scope, left, &ty)?;
                (left, self.expect(scope, right, &ty)?, ty)
            }
            BinOp::Shl | BinOp::Shr => {
                let ty = self.number(scope, &left)?;
                (left, self.expect(scope, right, &Type::Int)?, ty)
            }
            BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::Div
            | BinOp::Mod
            | BinOp::BitAnd
            | BinOp::BitOr => {
                if matches!(scope.resolve(&left.ty), Type::Hole(_)) {
                    let _ = scope.unify(&left.ty, &right.ty);
                }
                let sets = matches!(scope.resolve(&left.ty), Type::Set(_));
                let spatial = [&left, &right].map(|e| scope.resolve(&e.ty)).contains(&Type::Perm);
                let (what, help) = match op {
                    BinOp::Add if sets => ("sets", "the union of sets is written `++`"),
                    BinOp::Sub if sets => ("sets", "the difference of sets is written `--`"),
                    BinOp::Mul if sets => ("sets", "the intersection of sets is written `**`"),
                    BinOp::Mul | BinOp::BitAnd if spatial => {
                        ("spatial assertions", "separating conjunction is written `&*&`")
                    }
                    _ => ("", ""),
                };
                if !what.is_empty() {
                    let message = format!("`{}` is for numbers, not for {what}", op.text());
                    return self.error_with(span, message, help);
                }
                let ty = self.number(scope, &left)?;
                (left, self.expect(scope, right, &ty)?, ty)
            }
        };
        if op == BinOp::And && ty == Type::Perm {
            self.warn_of_footprint(&left, &right, span);
        }
        Ok(node(ExprKind::Binary(op, left, right), ty, span))
    }

    /// `A && B` says that both have the same footprint, which is empty for a truth value: `acc(x) && b` is false.
    fn warn_of_footprint(&mut self, left: &Expr, right: &Expr, span: Span) {
        let owns = |e: &Expr| matches!(&*e.kind, ExprKind::Acc(_) | ExprKind::PointsTo(..));
        let pure = |e: &Expr| e.ty == Type::Bool;
        if (owns(left) && pure(right)) || (pure(left) && owns(right)) {
            let message = "this never holds: `&&` says that both sides have the same footprint, \
                           which is empty for a truth value";
            let warning = Diagnostic::warning("typechecker.warning", span, message);
            self.diagnostics.push(warning.with_help("separating conjunction is written `&*&`"));
        }
    }

    fn comparison(
        &mut self,
        scope: &mut Scope,
        op: BinOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Result<Expr> {
        if matches!(scope.resolve(&left.ty), Type::Hole(_)) {
            let _ = scope.unify(&left.ty, &right.ty);
        }
        let ty = match scope.resolve(&left.ty) {
            ty @ Type::Set(_) if matches!(op, BinOp::Le | BinOp::Ge) => ty,
            Type::Set(_) => {
                let message = "sets have no strict order";
                return self.error_with(span, message, "write `S <= T && S != T`");
            }
            _ => self.number(scope, &left)?,
        };
        let right = self.expect(scope, right, &ty)?;
        // One direction is enough.
        let (op, left, right) = match op {
            BinOp::Gt => (BinOp::Lt, right, left),
            BinOp::Ge => (BinOp::Le, right, left),
            op => (op, left, right),
        };
        Ok(node(ExprKind::Binary(op, left, right), Type::Bool, span))
    }

    /// `a <= b < c` compares `b` twice.
    fn chain(
        &mut self,
        scope: &mut Scope,
        first: &ast::Expr,
        rest: &[(BinOp, ast::Expr)],
    ) -> Result<Expr> {
        let mut left = self.expr(scope, first)?;
        let mut all: Option<Expr> = None;
        for (op, right) in rest {
            let right = self.expr(scope, right)?;
            let mut effects = false;
            right.walk(&mut |e| {
                self.size += 1;
                effects |= matches!(
                    &*e.kind,
                    ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..)
                );
            });
            if effects {
                let message = "a chained comparison would evaluate this call twice";
                return self.error_with(right.span, message, "assign it to a variable first");
            }
            if self.size > MAX_COPIES {
                return self.error(right.span, "these chained comparisons are too large");
            }
            let span = left.span.to(right.span);
            let one = self.comparison(scope, *op, left, right.clone(), span)?;
            all = Some(match all {
                None => one,
                Some(before) => {
                    let span = before.span.to(one.span);
                    node(ExprKind::Binary(BinOp::And, before, one), Type::Bool, span)
                }
            });
            left = right;
        }
        all.ok_or(super::Failed)
    }

    fn points_to(&mut self, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        let location = match &*left.kind {
            ExprKind::Read(map, object) if matches!(*map.kind, ExprKind::Field(_)) => {
                object.clone()
            }
            ExprKind::CellRead(cell) => cell.clone(),
            ExprKind::ArrayRead(a, i) => cell_of(a, i, left.span),
            _ => {
                let message =
                    "the left side of `|->` is a field of an object or a cell of an array";
                return self.error(left.span, message);
            }
        };
        Ok(node(ExprKind::PointsTo(location, left, right), Type::Perm, span))
    }

    fn quantified(
        &mut self,
        scope: &mut Scope,
        quantifier: Quantifier,
        binders: &[ast::Binder],
        body: &ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        scope.names.push(Default::default());
        let result = self.quantified_inside(scope, quantifier, binders, body, span);
        scope.names.pop();
        result
    }

    fn quantified_inside(
        &mut self,
        scope: &mut Scope,
        quantifier: Quantifier,
        binders: &[ast::Binder],
        body: &ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let (mut vars, mut guards) = (Vec::new(), Vec::new());
        for binder in binders {
            match &binder.range {
                Range::Type(ty) => {
                    let ty = self.ty(ty)?;
                    vars.push(scope.declare(&binder.name.name, ty));
                }
                Range::Set(set) => {
                    let of = scope.hole(false);
                    let set = self.typed(scope, set, &Type::Set(of.clone().into()))?;
                    let ty = scope.resolve(&of);
                    let local = scope.declare(&binder.name.name, ty.clone());
                    let at = binder.name.at.0;
                    let var = node(ExprKind::Local(local), ty, at);
                    let span = at.to(set.span);
                    guards.push(node(ExprKind::Binary(BinOp::In, var, set), Type::Bool, span));
                    vars.push(local);
                }
            }
        }
        let mut body = self.expr(scope, body)?;
        body = self.expect(scope, body, &Type::Perm)?;
        let spatial = body.ty == Type::Perm;
        if spatial && (quantifier == Quantifier::Forall || !guards.is_empty()) {
            let message = match quantifier {
                Quantifier::Forall => "`forall` over a spatial assertion is not supported",
                Quantifier::Exists => "`exists x in S` over a spatial assertion is not supported",
            };
            let help = match quantifier {
                Quantifier::Forall => "describe the locations by a set: `acc({x: T :: …})`",
                Quantifier::Exists => "write `exists x: T :: x in S &*& …`",
            };
            return self.error_with(span, message, help);
        }
        for guard in guards.into_iter().rev() {
            let op = match quantifier {
                Quantifier::Forall => BinOp::Implies,
                Quantifier::Exists => BinOp::And,
            };
            let span = body.span;
            body = node(ExprKind::Binary(op, guard, body), Type::Bool, span);
        }
        let ty = if spatial { Type::Perm } else { Type::Bool };
        Ok(node(ExprKind::Quant(quantifier, vars, body), ty, span))
    }
}

/// `a.cells[i]`
pub(super) fn cell_of(a: &Expr, i: &Expr, span: Span) -> Expr {
    let of = match &a.ty {
        Type::Array(of) => Type::Cell(of.clone()),
        // Whoever asked for an array has it.
        other => other.clone(),
    };
    let map = Type::Map(Type::Int.into(), of.clone().into());
    let cells = node(ExprKind::Cells(a.clone()), map, a.span);
    node(ExprKind::Read(cells, i.clone()), of, span)
}
