//! `f(args)`: built-ins, constructors, procedures, predicates, functions.

use report::Span;

use super::expr::{cell_of, node};
use super::{Checker, Place, Result, Scope, arity};
use crate::ast::{self, Ghost, Ident};
use crate::core::{Expr, ExprKind, Type};

const BUILT_IN: &[&str] = &["acc", "old", "known", "Btwn", "Reach", "Frame", "Disjoint"];

impl Checker {
    fn count(&mut self, name: &Ident, expected: usize, given: usize) -> Result<()> {
        if expected == given {
            return Ok(());
        }
        let message = arity(&format!("`{}`", name.name), expected, given);
        self.error(name.at.0, message)
    }

    pub(super) fn call(
        &mut self,
        scope: &mut Scope,
        name: &Ident,
        args: &[ast::Expr],
        span: Span,
    ) -> Result<Expr> {
        if BUILT_IN.contains(&&*name.name) {
            return self.built_in(scope, name, args, span);
        }
        let core = &self.globals.core;
        if let Some(ctor) = core.ctors.get(&name.name) {
            let datatype = Type::Datatype(ctor.datatype.clone());
            let types: Vec<Type> = ctor.args.iter().map(|(_, ty)| ty.clone()).collect();
            self.count(name, types.len(), args.len())?;
            let args = self.arguments(scope, args, &types)?;
            return Ok(node(ExprKind::Construct(name.name.clone(), args), datatype, span));
        }
        if core.dtors.contains_key(&name.name) {
            self.count(name, 1, args.len())?;
            let Some(arg) = args.first() else { return Err(super::Failed) };
            let arg = self.expr(scope, arg)?;
            return self.destruct(scope, name, arg, span);
        }
        let Some(signature) = self.globals.signatures.get(&name.name).cloned() else {
            let mut known = self.globals.names();
            known.extend(BUILT_IN.iter().map(|n| ast::Name::from(*n)));
            return self.unknown("procedure, predicate or function", name, known);
        };
        let passed = |vars: &[(Ghost, Type)]| -> Vec<Type> {
            vars.iter().filter(|(g, _)| *g != Ghost::Implicit).map(|(_, t)| t.clone()).collect()
        };
        let params = passed(&signature.params);
        if params.len() != args.len() && signature.params.len() == args.len() {
            let message = arity(&format!("`{}`", name.name), params.len(), args.len());
            let help = "implicit ghost parameters are not passed: their values are found";
            return self.error_with(name.at.0, message, help);
        }
        self.count(name, params.len(), args.len())?;
        let args = self.arguments(scope, args, &params)?;
        let returns = passed(&signature.returns);
        let core = &self.globals.core;
        if core.procedures.contains_key(&name.name) {
            self.effect(scope, span)?;
            // What has several results, or none, has no type: whoever uses it as a value says so.
            let ty = match returns.as_slice() {
                [ty] => ty.clone(),
                _ => Type::Perm,
            };
            return Ok(node(ExprKind::Call(name.name.clone(), args), ty, span));
        }
        if let Some(predicate) = core.predicates.get(&name.name) {
            let ty = if predicate.spatial { Type::Perm } else { Type::Bool };
            return Ok(node(ExprKind::Predicate(name.name.clone(), args), ty, span));
        }
        match returns.into_iter().next() {
            Some(ty) => Ok(node(ExprKind::Function(name.name.clone(), args), ty, span)),
            None => Err(super::Failed),
        }
    }

    fn arguments(
        &mut self,
        scope: &mut Scope,
        args: &[ast::Expr],
        types: &[Type],
    ) -> Result<Vec<Expr>> {
        args.iter().zip(types).map(|(arg, ty)| self.typed(scope, arg, ty)).collect()
    }

    pub(super) fn destruct(
        &mut self,
        scope: &mut Scope,
        name: &Ident,
        arg: Expr,
        span: Span,
    ) -> Result<Expr> {
        let core = &self.globals.core;
        let found = core.dtors.get(&name.name).and_then(|(ctor, index)| {
            let ctor = core.ctors.get(ctor)?;
            Some((ctor.datatype.clone(), ctor.args.get(*index)?.1.clone()))
        });
        let Some((datatype, ty)) = found else { return Err(super::Failed) };
        let arg = self.expect(scope, arg, &Type::Datatype(datatype))?;
        Ok(node(ExprKind::Destruct(name.name.clone(), arg), ty, span))
    }

    fn built_in(
        &mut self,
        scope: &mut Scope,
        name: &Ident,
        args: &[ast::Expr],
        span: Span,
    ) -> Result<Expr> {
        match (&*name.name, args) {
            ("acc", [what]) => {
                let what = self.expr(scope, what)?;
                match scope.resolve(&what.ty) {
                    Type::Set(of) => {
                        let of = scope.resolve(&of);
                        if !of.is_reference() && !matches!(of, Type::Hole(_)) {
                            let message = format!("`acc` is about locations; `{of}` is none");
                            return self.error(what.span, message);
                        }
                        Ok(node(ExprKind::AccSet(what), Type::Perm, span))
                    }
                    ty if ty.is_reference() => Ok(node(ExprKind::Acc(what), Type::Perm, span)),
                    Type::Hole(_) => {
                        self.error(what.span, "the type of this expression is not determined")
                    }
                    ty => {
                        let message = format!("`acc` is about locations; `{ty}` is none");
                        self.error(what.span, message)
                    }
                }
            }
            ("acc", [array, index]) => {
                let of = scope.hole(false);
                let array = self.typed(scope, array, &Type::Array(of.into()))?;
                let index = self.typed(scope, index, &Type::Int)?;
                let mut array = array;
                array.ty = scope.resolve(&array.ty);
                let cell = cell_of(&array, &index, span);
                Ok(node(ExprKind::Acc(cell), Type::Perm, span))
            }
            ("acc", _) => {
                let message = arity("`acc`", 1, args.len());
                self.error_with(name.at.0, message, "a location, a set, or an array and an index")
            }
            ("old", [e]) => {
                let e = self.expr(scope, e)?;
                let ty = e.ty.clone();
                if scope.resolve(&ty) == Type::Perm {
                    return self.error(span, "`old` is about values, not about spatial assertions");
                }
                Ok(node(ExprKind::Old(e), ty, span))
            }
            ("known", [e]) => {
                if scope.place != Place::Hint {
                    return self.error(span, "`known` has a meaning in patterns only");
                }
                let _ = self.expr(scope, e)?;
                Ok(node(ExprKind::Bool(true), Type::Bool, span))
            }
            ("Btwn" | "Reach", _) => {
                let reach = &*name.name == "Reach";
                self.count(name, if reach { 3 } else { 4 }, args.len())?;
                let nodes = scope.hole(true);
                let field = Type::Map(nodes.clone().into(), nodes.clone().into());
                let mut types = vec![nodes; args.len()];
                if let Some(first) = types.first_mut() {
                    *first = field;
                }
                let mut args = self.arguments(scope, args, &types)?.into_iter();
                let (Some(f), Some(x), Some(y)) = (args.next(), args.next(), args.next()) else {
                    return Err(super::Failed);
                };
                let z = args.next().unwrap_or_else(|| y.clone());
                Ok(node(ExprKind::Btwn(f, x, y, z), Type::Bool, span))
            }
            ("Disjoint", [a, b]) => {
                let ty = Type::Set(scope.hole(false).into());
                let a = self.typed(scope, a, &ty)?;
                let b = self.typed(scope, b, &ty)?;
                Ok(node(ExprKind::Disjoint(a, b), Type::Bool, span))
            }
            ("Frame", [x, a, f, g]) => {
                let nodes = scope.hole(true);
                let set = Type::Set(nodes.clone().into());
                let field = Type::Map(nodes.into(), scope.hole(false).into());
                let x = self.typed(scope, x, &set)?;
                let a = self.typed(scope, a, &set)?;
                let f = self.typed(scope, f, &field)?;
                let g = self.typed(scope, g, &field)?;
                Ok(node(ExprKind::Frame(x, a, f, g), Type::Bool, span))
            }
            (other, _) => {
                let expected = match other {
                    "Disjoint" => 2,
                    "Frame" => 4,
                    _ => 1,
                };
                self.count(name, expected, args.len())?;
                Err(super::Failed)
            }
        }
    }
}
