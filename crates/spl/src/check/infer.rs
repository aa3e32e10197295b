//! Types with holes, and how unification fills them.

use report::Span;

use super::{Checker, Result, Scope};
use crate::ast;
use crate::core::{Expr, Type};

/// A type that is not known yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Hole {
    filled: Option<Type>,
    /// It is the type of `null`.
    reference: bool,
}

impl Scope {
    pub(super) fn hole(&mut self, reference: bool) -> Type {
        self.holes.push(Hole { filled: None, reference });
        Type::Hole(self.holes.len() as u32 - 1)
    }

    /// The type with all that is known of its holes.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        match ty {
            Type::Hole(hole) => match self.holes.get(*hole as usize) {
                Some(Hole { filled: Some(ty), .. }) => self.resolve(ty),
                _ => ty.clone(),
            },
            Type::Array(of) => Type::Array(self.resolve(of).into()),
            Type::Cell(of) => Type::Cell(self.resolve(of).into()),
            Type::Set(of) => Type::Set(self.resolve(of).into()),
            Type::Map(k, v) => Type::Map(self.resolve(k).into(), self.resolve(v).into()),
            _ => ty.clone(),
        }
    }

    fn occurs(&self, hole: u32, ty: &Type) -> bool {
        match self.resolve(ty) {
            Type::Hole(other) => hole == other,
            Type::Array(of) | Type::Cell(of) | Type::Set(of) => self.occurs(hole, &of),
            Type::Map(k, v) => self.occurs(hole, &k) || self.occurs(hole, &v),
            _ => false,
        }
    }

    /// Makes two types equal. Is that possible?
    pub(super) fn unify(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (&a, &b) {
            (Type::Hole(x), Type::Hole(y)) if x == y => true,
            (Type::Hole(x), Type::Hole(y)) => {
                let reference = self.is_null(*x);
                if let Some(other) = self.holes.get_mut(*y as usize) {
                    other.reference |= reference;
                }
                self.fill(*x, b)
            }
            (Type::Hole(x), ty) | (ty, Type::Hole(x)) => {
                if self.is_null(*x) && !ty.is_reference() || *ty == Type::Perm {
                    return false;
                }
                !self.occurs(*x, ty) && self.fill(*x, ty.clone())
            }
            (Type::Array(x), Type::Array(y))
            | (Type::Cell(x), Type::Cell(y))
            | (Type::Set(x), Type::Set(y)) => self.unify(x, y),
            (Type::Map(k, v), Type::Map(l, w)) => self.unify(k, l) && self.unify(v, w),
            _ => a == b,
        }
    }

    fn is_null(&self, hole: u32) -> bool {
        self.holes.get(hole as usize).is_some_and(|h| h.reference)
    }

    fn fill(&mut self, hole: u32, ty: Type) -> bool {
        match self.holes.get_mut(hole as usize) {
            Some(hole) => {
                hole.filled = Some(ty);
                true
            }
            None => false,
        }
    }
}

impl Checker {
    /// A type that was written.
    pub(super) fn ty(&mut self, ty: &ast::Type) -> Result<Type> {
        Ok(match &ty.kind {
            ast::TypeKind::Int => Type::Int,
            ast::TypeKind::Bool => Type::Bool,
            ast::TypeKind::Byte => Type::Byte,
            ast::TypeKind::Set(of) => Type::Set(self.ty(of)?.into()),
            ast::TypeKind::Array(of) => Type::Array(self.ty(of)?.into()),
            ast::TypeKind::Cell(of) => Type::Cell(self.ty(of)?.into()),
            ast::TypeKind::Map(k, v) => Type::Map(self.ty(k)?.into(), self.ty(v)?.into()),
            ast::TypeKind::Named(name) => match self.globals.types.get(&name.name) {
                Some(ty) => ty.clone(),
                None => {
                    let mut known: Vec<_> = self.globals.types.keys().cloned().collect();
                    known.extend(["Int", "Bool", "Byte"].map(Into::into));
                    return self.unknown("type", name, known);
                }
            },
        })
    }

    /// Says that two types differ.
    pub(super) fn mismatch<T>(
        &mut self,
        scope: &Scope,
        span: Span,
        wanted: &Type,
        found: &Type,
    ) -> Result<T> {
        let (wanted, found) = (scope.resolve(wanted), scope.resolve(found));
        let shown = |ty: &Type| match ty {
            Type::Hole(hole) if scope.is_null(*hole) => "the type of `null`".to_owned(),
            ty => format!("`{ty}`"),
        };
        let message = format!("expected {}, found {}", shown(&wanted), shown(&found));
        if wanted == Type::Bool && found == Type::Perm {
            let help = "a spatial assertion is no truth value";
            return self.error_with(span, message, help);
        }
        let is_reference = |ty: &Type| ty.is_reference() || matches!(ty, Type::Hole(_));
        if let Type::Set(of) = &found
            && matches!(**of, Type::Hole(_))
            && !matches!(wanted, Type::Set(_))
            && !is_reference(&wanted)
        {
            let help = "`{ }` is the empty set here: something is missing before it";
            return self.error_with(span, message, help);
        }
        self.error(span, message)
    }

    /// The expression, if it has this type. A truth value is a spatial assertion, too.
    pub(super) fn expect(&mut self, scope: &mut Scope, e: Expr, wanted: &Type) -> Result<Expr> {
        let found = scope.resolve(&e.ty);
        let wanted = scope.resolve(wanted);
        if wanted == Type::Perm && found == Type::Perm {
            return Ok(e);
        }
        let target = if wanted == Type::Perm { &Type::Bool } else { &wanted };
        if scope.unify(&found, target) {
            return Ok(e);
        }
        self.mismatch(scope, e.span, &wanted, &found)
    }

    /// Fills in what was inferred.
    pub(super) fn close(&mut self, scope: &mut Scope, e: &mut Expr) -> Result<()> {
        e.ty = scope.resolve(&e.ty);
        let mut failed = Ok(());
        if has_hole(&e.ty) {
            let message = "the type of this expression is not determined";
            let help = "write it down, for instance `var x: T := null;` or `Set<Int>()`";
            failed = self.error_with(e.span, message, help);
        } else {
            e.each_child_mut(&mut |child| {
                if failed.is_ok() {
                    failed = self.close(scope, child);
                }
            });
        }
        failed
    }

    /// A whole expression of this type.
    pub(super) fn closed(
        &mut self,
        scope: &mut Scope,
        e: &ast::Expr,
        wanted: &Type,
    ) -> Result<Expr> {
        let e = self.expr(scope, e)?;
        let mut e = self.expect(scope, e, wanted)?;
        self.close(scope, &mut e)?;
        Ok(e)
    }
}

pub(super) fn has_hole(ty: &Type) -> bool {
    match ty {
        Type::Hole(_) => true,
        Type::Array(of) | Type::Cell(of) | Type::Set(of) => has_hole(of),
        Type::Map(k, v) => has_hole(k) || has_hole(v),
        _ => false,
    }
}
