//! Statements.

use std::collections::HashSet;

use report::Span;

use super::expr::node;
use super::infer::has_hole;
use super::{Checker, Failed, Place, Result, Scope};
use crate::ast::{self, Ghost, StmtKind as S};
use crate::core::{Expr, ExprKind, LocalId, Param, Proof, Stmt, StmtKind, Target, Type};

/// What a procedure returns, and whether a `return` may stand here.
struct Context<'r> {
    returns: &'r [Param],
    in_loop: bool,
}

impl Checker {
    /// The body of a procedure: its outermost block is in the scope of the parameters.
    pub(super) fn body(
        &mut self,
        scope: &mut Scope,
        returns: &[Param],
        body: &ast::Stmt,
    ) -> Option<Stmt> {
        let context = Context { returns, in_loop: false };
        scope.place = Place::Code;
        let S::Block(stmts) = &body.kind else { return None };
        let stmts = self.stmts(scope, &context, stmts);
        scope.place = Place::Spec;
        Some(Stmt { kind: StmtKind::Block(stmts), span: body.at.0 })
    }

    /// Each of them, so that one error does not hide the next.
    fn stmts(
        &mut self,
        scope: &mut Scope,
        context: &Context<'_>,
        stmts: &[ast::Stmt],
    ) -> Vec<Stmt> {
        stmts.iter().filter_map(|s| self.stmt(scope, context, s).ok()).collect()
    }

    /// A statement in a scope of its own.
    fn inner(&mut self, scope: &mut Scope, context: &Context<'_>, s: &ast::Stmt) -> Result<Stmt> {
        scope.names.push(Default::default());
        let result = self.stmt(scope, context, s);
        scope.names.pop();
        result
    }

    fn spec(&mut self, scope: &mut Scope, e: &ast::Expr, wanted: &Type) -> Result<Expr> {
        let place = std::mem::replace(&mut scope.place, Place::Spec);
        let result = self.closed(scope, e, wanted);
        scope.place = place;
        result
    }

    fn stmt(&mut self, scope: &mut Scope, context: &Context<'_>, s: &ast::Stmt) -> Result<Stmt> {
        let span = s.at.0;
        let claim = |mods: ast::Mods| if mods.pure { Type::Bool } else { Type::Perm };
        let kind = match &s.kind {
            S::Block(stmts) => {
                scope.names.push(Default::default());
                let stmts = self.stmts(scope, context, stmts);
                scope.names.pop();
                StmtKind::Block(stmts)
            }
            S::Var { ghost, vars, values } => {
                let first = scope.locals.len();
                let kind = self.local(scope, vars, values.as_deref(), span)?;
                // Those that are declared here, and bound variables of their values.
                for local in scope.locals.iter_mut().skip(first) {
                    local.ghost = *ghost;
                }
                kind
            }
            S::Assign(targets, values) => self.assign(scope, targets, values, span)?,
            S::AssignString(target, text) => self.string(scope, target, text, span)?,
            S::Call(call) => self.call_statement(scope, call)?,
            S::Free(e) => {
                let e = self.expr(scope, e)?;
                let mut e = e;
                self.close(scope, &mut e)?;
                if !e.ty.is_reference() {
                    let message = format!("`free` takes a location; `{}` is none", e.ty);
                    return self.error(e.span, message);
                }
                if matches!(e.ty, Type::Cell(_)) {
                    return self.error(e.span, "a cell is freed with its array");
                }
                StmtKind::Free(e)
            }
            S::Havoc(vars) => {
                let mut targets = Vec::new();
                for var in vars {
                    targets.push(self.target(scope, var)?.0);
                }
                for (target, var) in targets.iter().zip(vars) {
                    if !matches!(target, Target::Local(_) | Target::Global(_)) {
                        return self.error(var.at.0, "`havoc` takes variables");
                    }
                }
                StmtKind::Havoc(targets)
            }
            S::Return(values) => self.returned(scope, context, values, span)?,
            S::Assume(mods, e) => StmtKind::Assume(*mods, self.spec(scope, e, &claim(*mods))?),
            S::Assert { mods, expr, proof, .. } => {
                let expr_ = self.spec(scope, expr, &claim(*mods))?;
                let proof = match proof {
                    Some(body) => Some(self.proof(scope, context, expr, &expr_, body)?),
                    None => None,
                };
                if proof.is_some() && expr_.ty == Type::Perm {
                    let message = "only a Boolean assertion has a proof";
                    return self.error(expr_.span, message);
                }
                StmtKind::Assert(*mods, expr_, proof)
            }
            S::Split(_) => {
                let message = "`split` is not supported: it has no meaning in the language";
                return self.error(span, message);
            }
            S::If(cond, then, otherwise) => {
                let cond = self.closed(scope, cond, &Type::Bool);
                let then = self.inner(scope, context, then);
                let otherwise = match otherwise {
                    Some(s) => Some(Box::new(self.inner(scope, context, s)?)),
                    None => None,
                };
                StmtKind::If(cond?, Box::new(then?), otherwise)
            }
            S::Choose(branches) => {
                let branches: Result<Vec<Stmt>> =
                    branches.iter().map(|s| self.inner(scope, context, s)).collect();
                StmtKind::Choose(branches?)
            }
            S::While { cond, invariants, body } => {
                let cond = self.closed(scope, cond, &Type::Bool);
                let place = std::mem::replace(&mut scope.place, Place::Spec);
                let mut clauses = Vec::new();
                for invariant in invariants {
                    let span = invariant.at.0;
                    clauses.extend(self.clause(scope, invariant.mods, &invariant.expr, span));
                }
                scope.place = place;
                let context = Context { in_loop: true, ..*context };
                let body = self.inner(scope, &context, body)?;
                StmtKind::While(cond?, clauses, Box::new(body))
            }
        };
        Ok(Stmt { kind, span })
    }

    /// `pure assert e with { … }`; of `forall x :: b` the proof may be about `x`.
    fn proof(
        &mut self,
        scope: &mut Scope,
        context: &Context<'_>,
        written: &ast::Expr,
        claim: &Expr,
        body: &ast::Stmt,
    ) -> Result<Proof> {
        let context = Context { in_loop: true, ..*context };
        scope.names.push(Default::default());
        let (mut vars, mut goal) = (Vec::new(), claim.clone());
        if let (
            ast::ExprKind::Quant(ast::Quantifier::Forall, binders, _),
            ExprKind::Quant(_, bound, inside),
        ) = (&*written.kind, &*claim.kind)
        {
            for (binder, local) in binders.iter().zip(bound) {
                if let Some(frame) = scope.names.last_mut() {
                    frame.insert(binder.name.name.clone(), *local);
                }
            }
            vars = bound.clone();
            goal = inside.clone();
        }
        let body = self.inner(scope, &context, body);
        scope.names.pop();
        Ok(Proof { vars, goal, body: Box::new(body?) })
    }

    fn local(
        &mut self,
        scope: &mut Scope,
        vars: &[(ast::Ident, Option<ast::Type>)],
        values: Option<&[ast::Expr]>,
        span: Span,
    ) -> Result<StmtKind> {
        // Values are about what was declared before.
        let mut types = Vec::new();
        for (_, ty) in vars {
            types.push(match ty {
                Some(ty) => self.ty(ty),
                None => Ok(scope.hole(false)),
            });
        }
        let given = values.map(|values| self.values(scope, values, vars.len(), span));
        let mut targets = Vec::new();
        for ((name, _), ty) in vars.iter().zip(&types) {
            if scope.declared_here(&name.name) {
                return self.already(name);
            }
            // A type that is not known is an error of its own; the variable is declared all the same.
            let ty = ty.as_ref().map_or(Type::Int, Clone::clone);
            targets.push((scope.declare(&name.name, ty.clone()), ty));
        }
        if types.iter().any(std::result::Result::is_err) {
            return Err(Failed);
        }
        let Some(given) = given else {
            return Ok(StmtKind::Havoc(
                targets.into_iter().map(|(t, _)| Target::Local(t)).collect(),
            ));
        };
        let types: Vec<Type> = targets.iter().map(|(_, ty)| ty.clone()).collect();
        let kind = self.assigned(
            scope,
            targets.iter().map(|(t, _)| Target::Local(*t)).collect(),
            &types,
            given?,
            span,
        )?;
        for ((name, _), (local, _)) in vars.iter().zip(&targets) {
            let ty = scope.resolve(&scope.ty(*local));
            if has_hole(&ty) {
                let message = format!("the type of `{}` is not determined", name.name);
                return self.error_with(name.at.0, message, "write `var x: T := …;`");
            }
            if ty == Type::Perm {
                return self.error(name.at.0, "a variable cannot hold a spatial assertion");
            }
            if let Some(declared) = scope.locals.get_mut(local.0 as usize) {
                declared.ty = ty;
            }
        }
        Ok(kind)
    }

    /// Right sides: as many as there are targets, or one call with as many results.
    fn values(
        &mut self,
        scope: &mut Scope,
        values: &[ast::Expr],
        targets: usize,
        span: Span,
    ) -> Result<Vec<Expr>> {
        let values = self.exprs(scope, values)?;
        if let [value] = values.as_slice()
            && let ExprKind::Call(name, _) = &*value.kind
        {
            let results = self.results(name).len();
            if results != targets {
                let plural = if results == 1 { "" } else { "s" };
                let message = format!("`{name}` has {results} result{plural}, not {targets}");
                return self.error(value.span, message);
            }
            return Ok(values);
        }
        if values.len() != targets {
            let plural = |n: usize| if n == 1 { "" } else { "s" };
            let (verb, given) = (if targets == 1 { "is" } else { "are" }, values.len());
            let message = format!(
                "there {verb} {targets} variable{} on the left and {given} value{} on the right",
                plural(targets),
                plural(given)
            );
            return self.error(span, message);
        }
        Ok(values)
    }

    /// The types of explicit results.
    fn results(&self, name: &str) -> Vec<Type> {
        let signature = self.globals.signatures.get(name);
        let returns = signature.map(|s| s.returns.clone()).unwrap_or_default();
        returns.into_iter().filter(|(g, _)| *g != Ghost::Implicit).map(|(_, t)| t).collect()
    }

    fn assigned(
        &mut self,
        scope: &mut Scope,
        targets: Vec<Target>,
        types: &[Type],
        mut values: Vec<Expr>,
        span: Span,
    ) -> Result<StmtKind> {
        if let [value] = values.as_mut_slice()
            && let ExprKind::Call(name, args) = &mut *value.kind
        {
            for (result, wanted) in self.results(name).iter().zip(types) {
                if !scope.unify(result, wanted) {
                    return self.mismatch(scope, span, wanted, result);
                }
            }
            for arg in args.iter_mut() {
                self.close(scope, arg)?;
            }
            return Ok(StmtKind::Call(targets, name.clone(), std::mem::take(args)));
        }
        let mut checked = Vec::new();
        for (value, wanted) in values.into_iter().zip(types) {
            let mut value = self.expect(scope, value, wanted)?;
            self.close(scope, &mut value)?;
            if value.ty == Type::Perm {
                return self.error(value.span, "a spatial assertion is no value");
            }
            self.single_results(&value)?;
            checked.push(value);
        }
        Ok(StmtKind::Assign(targets, checked))
    }

    /// A call in an expression has one result.
    fn single_results(&mut self, e: &Expr) -> Result<()> {
        let mut wrong = None;
        e.walk(&mut |e| {
            if let ExprKind::Call(name, _) = &*e.kind
                && self.results(name).len() != 1
            {
                wrong = Some((e.span, name.clone()));
            }
        });
        match wrong {
            Some((span, name)) => {
                self.error(span, format!("`{name}` does not have exactly one result"))
            }
            None => Ok(()),
        }
    }

    fn assign(
        &mut self,
        scope: &mut Scope,
        targets: &[ast::Expr],
        values: &[ast::Expr],
        span: Span,
    ) -> Result<StmtKind> {
        if let ([ast::Expr { kind, .. }], [value]) = (targets, values)
            && let ast::ExprKind::Index(map, key) = &**kind
            && let Some(kind) = self.map_update(scope, map, key, value, span)?
        {
            return Ok(kind);
        }
        let mut found = Vec::new();
        for target in targets {
            found.push(self.target(scope, target)?);
        }
        if found.len() > 1 {
            let mut seen: HashSet<String> = HashSet::new();
            for ((target, _), written) in found.iter().zip(targets) {
                let name = match target {
                    Target::Local(local) => format!("{}", local.0),
                    Target::Global(name) => format!("global {name}"),
                    _ => {
                        let message = "only variables may be assigned simultaneously";
                        return self.error(written.at.0, message);
                    }
                };
                if !seen.insert(name) {
                    return self.error(written.at.0, "this variable is assigned twice");
                }
            }
        }
        let given = self.values(scope, values, found.len(), span)?;
        let types: Vec<Type> = found.iter().map(|(_, ty)| ty.clone()).collect();
        self.assigned(scope, found.into_iter().map(|(t, _)| t).collect(), &types, given, span)
    }

    /// `m[k] := v` for a variable of map type is `m := m[k := v]`.
    fn map_update(
        &mut self,
        scope: &mut Scope,
        map: &ast::Expr,
        key: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Result<Option<StmtKind>> {
        let map = self.expr(scope, map)?;
        let (target, key_type, value_type) = match (&*map.kind, scope.resolve(&map.ty)) {
            (ExprKind::Local(local), Type::Map(k, v)) => (Target::Local(*local), k, v),
            (ExprKind::Global(name), Type::Map(k, v)) => (Target::Global(name.clone()), k, v),
            _ => return Ok(None),
        };
        let mut key = self.typed(scope, key, &key_type)?;
        let mut value = self.typed(scope, value, &value_type)?;
        self.close(scope, &mut key)?;
        self.close(scope, &mut value)?;
        self.single_results(&value)?;
        let ty = Type::Map(key_type, value_type);
        let updated = node(ExprKind::Update(map, key, value), ty, span);
        Ok(Some(StmtKind::Assign(vec![target], vec![updated])))
    }

    /// What is assigned to, and its type.
    fn target(&mut self, scope: &mut Scope, e: &ast::Expr) -> Result<(Target, Type)> {
        let mut e = self.expr(scope, e)?;
        if !matches!(*e.kind, ExprKind::Local(_)) {
            self.close(scope, &mut e)?;
        }
        let ty = e.ty.clone();
        let target = match *e.kind {
            ExprKind::Local(local) => Target::Local(local),
            ExprKind::Global(name) => Target::Global(name),
            ExprKind::Read(map, object) if matches!(*map.kind, ExprKind::Field(_)) => {
                match *map.kind {
                    ExprKind::Field(name) => Target::Field(name, object),
                    _ => return Err(Failed),
                }
            }
            ExprKind::ArrayRead(array, index) => Target::Array(array, index),
            ExprKind::CellRead(cell) => Target::Cell(cell),
            ExprKind::Field(name) => {
                let message =
                    format!("the field `{name}` of all objects cannot be assigned at once");
                return self.error_with(
                    e.span,
                    message,
                    "assign to a field of an object: `x.f := e`",
                );
            }
            _ => return self.error(e.span, "this cannot be assigned to"),
        };
        Ok((target, ty))
    }

    fn call_statement(&mut self, scope: &mut Scope, call: &ast::Expr) -> Result<StmtKind> {
        let mut call = self.expr(scope, call)?;
        let ExprKind::Call(name, args) = &mut *call.kind else {
            return self.error(call.span, "a statement calls a procedure or lemma");
        };
        let (name, mut args) = (name.clone(), std::mem::take(args));
        let results = self.results(&name).len();
        if results > 0 {
            let message = format!("the results of `{name}` are not used");
            return self.error_with(call.span, message, "assign them to variables");
        }
        for arg in &mut args {
            self.close(scope, arg)?;
            self.single_results(arg)?;
        }
        Ok(StmtKind::Call(Vec::new(), name, args))
    }

    fn returned(
        &mut self,
        scope: &mut Scope,
        context: &Context<'_>,
        values: &[ast::Expr],
        span: Span,
    ) -> Result<StmtKind> {
        if context.in_loop {
            return self.error(span, "a procedure cannot return from within a loop or a proof");
        }
        let results: Vec<LocalId> = context
            .returns
            .iter()
            .filter(|r| r.ghost != Ghost::Implicit)
            .map(|r| r.local)
            .collect();
        if values.is_empty() && !results.is_empty() {
            let values = if results.len() == 1 { "value" } else { "values" };
            let message = format!("expected {} {values} to return, found none", results.len());
            return self.error(span, message);
        }
        let call = values.iter().any(|v| matches!(*v.kind, ast::ExprKind::Call(..)));
        if values.len() != results.len() && !call {
            let plural = |n: usize| if n == 1 { "" } else { "s" };
            let (wanted, given) = (results.len(), values.len());
            let message = match wanted {
                0 => "this returns a value, but there are no results".to_owned(),
                _ => format!("expected {wanted} value{} to return, found {given}", plural(wanted)),
            };
            return self.error(span, message);
        }
        let types: Vec<Type> = results.iter().map(|r| scope.ty(*r)).collect();
        if values.is_empty() {
            return Ok(StmtKind::Return(Vec::new()));
        }
        let given = self.values(scope, values, results.len(), span)?;
        let targets = results.iter().map(|r| Target::Local(*r)).collect();
        match self.assigned(scope, targets, &types, given, span)? {
            StmtKind::Assign(_, values) => Ok(StmtKind::Return(values)),
            // All results of a call: they are assigned, and then returned as they are.
            call => {
                let values = results
                    .iter()
                    .zip(types)
                    .map(|(r, ty)| node(ExprKind::Local(*r), ty, span))
                    .collect();
                let call = Stmt { kind: call, span };
                let back = Stmt { kind: StmtKind::Return(values), span };
                Ok(StmtKind::Block(vec![call, back]))
            }
        }
    }

    /// `a := "text";` writes the bytes and a terminating 0, one element at a time.
    fn string(
        &mut self,
        scope: &mut Scope,
        target: &ast::Expr,
        text: &str,
        span: Span,
    ) -> Result<StmtKind> {
        let array = self.closed(scope, target, &Type::Array(Type::Byte.into()))?;
        if !matches!(*array.kind, ExprKind::Local(_) | ExprKind::Global(_)) {
            return self.error(array.span, "a string is assigned to a variable");
        }
        let mut stmts = Vec::new();
        for (index, byte) in text.bytes().chain([0]).enumerate() {
            let index = node(ExprKind::Int(index as i64), Type::Int, span);
            let value = node(ExprKind::Byte(byte), Type::Byte, span);
            let kind = StmtKind::Assign(vec![Target::Array(array.clone(), index)], vec![value]);
            stmts.push(Stmt { kind, span });
        }
        Ok(StmtKind::Block(stmts))
    }
}
