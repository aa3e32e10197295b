//! Statements.

use std::sync::Arc;

use report::Pos;

use super::call::Callee;
use super::globals::Global;
use super::scope::Role;
use super::types::Kind;
use super::{Checker, PermRule};
use crate::ast::{self, Ident, Name};
use crate::core::{
    self, Block, Decreases, Expr, ExprKind, FieldId, Info, LocalId, Measure, MethodId, Stmt,
    StmtKind, Type,
};
use crate::wording::arity;

/// The left-hand side of an assignment.
enum Target {
    Local(LocalId, Type),
    Field(Arc<Expr>, FieldId, Type),
    /// Wrong, and reported.
    Error,
}

impl<'a> Checker<'a> {
    pub(super) fn block(&mut self, block: &'a ast::Block) -> Block {
        self.scopes.enter();
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in &block.stmts {
            self.stmt(stmt, &mut stmts);
        }
        self.scopes.leave();
        Block { stmts, pos: block.at.0 }
    }

    /// Notes all labels of a method: they may be used before they are declared.
    pub(super) fn collect_labels(&mut self, block: &'a ast::Block) {
        let mut labels: Vec<(&Ident, Pos)> = Vec::new();
        crate::ast::visit::walk_stmts(block, &mut |stmt| {
            if let ast::StmtKind::Label { name, .. } = &stmt.kind {
                labels.push((name, stmt.at.0));
            }
        });
        for (label, pos) in labels {
            if self.labels.contains(&label.name) {
                self.consistency_error(pos, format!("there are two labels `{}`", label.name));
            } else {
                self.labels.push(label.name.clone());
            }
        }
    }

    fn stmt(&mut self, stmt: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let pos = stmt.at.0;
        let kind = match &stmt.kind {
            ast::StmtKind::Assign { targets, value } => {
                let targets = targets.iter().map(|t| (self.target(t), t.at.0)).collect();
                self.assign(targets, value, pos, out);
                return;
            }
            ast::StmtKind::Call(call) => {
                match &*call.kind {
                    ast::ExprKind::Call { callee, args, .. } => {
                        self.method_call(Vec::new(), callee, args, call.at.0, pos, out);
                    }
                    // Not a keyword: it may be the name of anything else.
                    ast::ExprKind::Name(name) if name.as_str() == "unreachable" => {
                        out.push(Stmt::new(StmtKind::Unreachable, pos));
                    }
                    _ => self.not_a_statement(call, pos),
                }
                return;
            }
            ast::StmtKind::Var { vars, init } => {
                let mut targets = Vec::with_capacity(vars.len());
                for var in vars {
                    let ty = self.ty(&var.ty);
                    let id = self.declare(&var.name, ty.clone(), Role::Assignable);
                    out.push(Stmt::new(StmtKind::Var(id), pos));
                    targets.push((Target::Local(id, ty), var.name.at.0));
                }
                if let Some(init) = init {
                    self.assign(targets, init, pos, out);
                }
                return;
            }
            ast::StmtKind::Inhale(e) => StmtKind::Inhale(self.check_assertion(e)),
            ast::StmtKind::Exhale(e) => StmtKind::Exhale(self.check_assertion(e)),
            ast::StmtKind::Assert(e) => StmtKind::Assert(self.check_assertion(e)),
            ast::StmtKind::Assume(e) => StmtKind::Assume(self.check_assertion(e)),
            // Only values are refuted, as in Viper.
            ast::StmtKind::Refute(e) => StmtKind::Refute(self.check_value(e, &Type::Bool)),
            ast::StmtKind::Fold(e) => match self.check_predicate_access(e, "folded") {
                Some(access) => StmtKind::Fold(access),
                None => return,
            },
            ast::StmtKind::Unfold(e) => match self.check_predicate_access(e, "unfolded") {
                Some(access) => StmtKind::Unfold(access),
                None => return,
            },
            ast::StmtKind::Package { wand, script } => {
                let wand = self.check_wand(wand);
                let script = script.as_ref().map_or_else(Block::default, |b| self.block(b));
                match wand {
                    Some(wand) => StmtKind::Package(wand, script),
                    None => return,
                }
            }
            ast::StmtKind::Apply(wand) => match self.check_wand(wand) {
                Some(wand) => StmtKind::Apply(wand),
                None => return,
            },
            ast::StmtKind::If(i) => self.if_stmt(i),
            ast::StmtKind::While { cond, specs, body } => {
                let cond = self.check_value(cond, &Type::Bool);
                let (invariants, decreases) = self.loop_specs(specs, PermRule::OnlyInInhaleExhale);
                let body = self.block(body);
                StmtKind::While { cond, invariants, decreases, body }
            }
            ast::StmtKind::Goto(label) => match self.label(&label.name) {
                Some(id) => StmtKind::Goto(id),
                None => {
                    self.consistency_error(pos, format!("there is no label `{}`", label.name));
                    return;
                }
            },
            ast::StmtKind::Label { name, invariants } => {
                self.may_clash_with_global(name);
                if self.label_clashes(name) {
                    return;
                }
                let (invariants, _) = self.loop_specs(invariants, PermRule::Anywhere);
                match self.label(&name.name) {
                    Some(id) => StmtKind::Label(id, invariants),
                    None => return,
                }
            }
            ast::StmtKind::Quasihavoc { cond, resource } => {
                let cond = cond.as_ref().map(|e| self.check_value(e, &Type::Bool));
                match self.havoc_resource(resource, pos) {
                    Some(resource) => StmtKind::Quasihavoc(cond, resource),
                    None => return,
                }
            }
            ast::StmtKind::QuasihavocAll { vars, cond, resource } => {
                self.scopes.enter();
                let ids: Vec<LocalId> = vars
                    .iter()
                    .map(|var| {
                        let ty = self.ty(&var.ty);
                        self.declare(&var.name, ty, Role::Bound)
                    })
                    .collect();
                let cond = cond.as_ref().map(|e| self.check_value(e, &Type::Bool));
                let resource = self.havoc_resource(resource, pos);
                self.scopes.leave();
                match resource {
                    Some(resource) => StmtKind::QuasihavocAll(ids, cond, resource),
                    None => return,
                }
            }
            ast::StmtKind::Block(b) => StmtKind::Block(self.block(b)),
            // Macro expansion removed them.
            ast::StmtKind::Define(_) => return,
            ast::StmtKind::Annotated(annotation, inner) => {
                let first = out.len();
                self.stmt(inner, out);
                for stmt in out.iter_mut().skip(first) {
                    let mut info = stmt.info.as_deref().cloned().unwrap_or_default();
                    info.annotations.insert(0, annotation.clone());
                    stmt.info = Some(Arc::new(Info { ..info }));
                }
                return;
            }
        };
        out.push(Stmt::new(kind, pos));
    }

    fn not_a_statement(&mut self, call: &'a ast::Expr, pos: Pos) {
        let diagnostic = report::Diagnostic::error(
            "typechecker.error",
            pos,
            "an expression cannot stand as a statement, only calls of methods without results can",
        );
        let help = match &*call.kind {
            ast::ExprKind::Name(name) => {
                let keywords = crate::lexer::TokenKind::KEYWORDS.iter().copied();
                let close = || crate::wording::closest(name, keywords);
                crate::parser::statement_elsewhere(name)
                    .map(str::to_string)
                    .or_else(|| close().map(|close| format!("did you mean `{close}`?")))
            }
            _ => None,
        };
        self.report(match help {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        });
    }

    fn label_clashes(&mut self, name: &'a Ident) -> bool {
        match self.scopes.declare_label(name) {
            Some(clash) => {
                self.clash(clash);
                true
            }
            None => false,
        }
    }

    fn if_stmt(&mut self, i: &'a ast::If) -> StmtKind {
        let cond = self.check_value(&i.cond, &Type::Bool);
        let then = self.block(&i.then);
        let otherwise = match &i.otherwise {
            None => Block::default(),
            Some(ast::Else::Block(b)) => self.block(b),
            Some(ast::Else::If(i, at)) => {
                self.scopes.enter();
                let kind = self.if_stmt(i);
                self.scopes.leave();
                Block { stmts: vec![Stmt::new(kind, at.0)], pos: at.0 }
            }
        };
        StmtKind::If(cond, then, otherwise)
    }

    fn loop_specs(
        &mut self,
        specs: &'a [ast::Spec],
        rule: PermRule,
    ) -> (Vec<Arc<Expr>>, Vec<Decreases>) {
        let (mut invariants, mut decreases) = (Vec::new(), Vec::new());
        for spec in specs {
            match &spec.kind {
                ast::SpecKind::Invariant(e) => {
                    self.perm_rule = rule;
                    invariants.push(self.check_assertion(e));
                    self.perm_rule = PermRule::Anywhere;
                }
                ast::SpecKind::Decreases(d) => {
                    self.perm_rule = PermRule::OnlyInInhaleExhale;
                    decreases.push(self.decreases(d));
                    self.perm_rule = PermRule::Anywhere;
                }
                ast::SpecKind::Requires(_) | ast::SpecKind::Ensures(_) => {}
            }
        }
        (invariants, decreases)
    }

    pub(super) fn decreases(&mut self, d: &'a ast::Decreases) -> Decreases {
        let measure = match &d.measure {
            ast::Measure::Tuple(exprs) => {
                Measure::Tuple(exprs.iter().map(|e| self.measure(e)).collect())
            }
            ast::Measure::Wildcard => Measure::Wildcard,
            ast::Measure::Star => Measure::Star,
        };
        let condition = d.condition.as_ref().map(|e| self.check_value(e, &Type::Bool));
        Decreases { measure, condition, pos: d.at.0 }
    }

    /// A component of a measure: a value, in which predicates stand for their instances.
    fn measure(&mut self, e: &'a ast::Expr) -> Arc<Expr> {
        self.in_measure = true;
        let measure = self.check_any_value(e);
        self.in_measure = false;
        measure
    }

    fn havoc_resource(&mut self, e: &'a ast::Expr, pos: Pos) -> Option<core::Resource> {
        let is_resource = match &*e.kind {
            ast::ExprKind::Field(..) | ast::ExprKind::Binary(ast::BinOp::Wand, ..) => true,
            ast::ExprKind::Call { callee, .. } => {
                self.globals.find(&callee.name).any(|g| matches!(g, Global::Predicate(_)))
            }
            _ => false,
        };
        if !is_resource {
            self.error(
                pos,
                "expected a field access `e.f`, a predicate `P(…)` or a wand `A --* B`",
            );
            return None;
        }
        self.check_resource(e)
    }

    // --- Assignments

    fn target(&mut self, e: &'a ast::Expr) -> Target {
        match &*e.kind {
            ast::ExprKind::Name(name) => self.local_target(name, e.at.0),
            ast::ExprKind::Field(receiver, field) => {
                let receiver = self.check_value(receiver, &Type::Ref);
                match self.globals.find_fields(&field.name).as_slice() {
                    [id] => {
                        let id = *id;
                        Target::Field(receiver, id, self.globals.core.field(id).ty.clone())
                    }
                    [] => {
                        let diagnostic = self.undeclared_field(field);
                        self.report(diagnostic);
                        Target::Error
                    }
                    _ => {
                        self.error(field.at.0, format!("the field `{}` is ambiguous", field.name));
                        Target::Error
                    }
                }
            }
            _ => {
                self.error(e.at.0, "expected a variable or a field access `e.f`");
                Target::Error
            }
        }
    }

    fn local_target(&mut self, name: &'a Name, pos: Pos) -> Target {
        let all = self.scopes.find(name).to_vec();
        if all.is_empty() {
            let diagnostic = self.undeclared_variable(name, pos);
            self.report(diagnostic);
            return Target::Error;
        }
        let assignable: Vec<LocalId> =
            all.into_iter().filter(|id| self.scopes.role(*id) == Role::Assignable).collect();
        match assignable.as_slice() {
            [id] => {
                let ty = self.scopes.locals.get(id.index()).map_or(Type::Int, |l| l.ty.clone());
                Target::Local(*id, ty)
            }
            [] => {
                self.report(
                    report::Diagnostic::error(
                        "typechecker.error",
                        pos,
                        format!("`{name}` cannot be assigned to"),
                    )
                    .with_help("only results and local variables can; copy it into a variable"),
                );
                Target::Error
            }
            _ => {
                self.error(pos, format!("`{name}` is ambiguous: it is declared more than once"));
                Target::Error
            }
        }
    }

    fn assign(
        &mut self,
        targets: Vec<(Target, Pos)>,
        value: &'a ast::Expr,
        pos: Pos,
        out: &mut Vec<Stmt>,
    ) {
        if let ast::ExprKind::Call { callee, args, ty: None } = &*value.kind {
            let is_function = self.globals.find(&callee.name).any(|g| {
                matches!(g, Global::Function(_) | Global::Predicate(_) | Global::DomainFunction(_))
            });
            if targets.len() != 1 || !is_function {
                self.method_call(targets, callee, args, value.at.0, pos, out);
                return;
            }
        }
        let one = match <[_; 1]>::try_from(targets) {
            Ok([one]) => one,
            Err(_) => {
                self.error(pos, "only a method call can be assigned to several targets");
                return;
            }
        };
        if let ast::ExprKind::New(fields) = &*value.kind {
            self.new_object(one, fields.as_deref(), pos, out);
            return;
        }
        match one.0 {
            Target::Local(id, ty) => {
                let value = self.check_value(value, &ty);
                out.push(Stmt::new(StmtKind::Assign(id, value), pos));
            }
            Target::Field(receiver, field, ty) => {
                let value = self.check_value(value, &ty);
                out.push(Stmt::new(StmtKind::FieldAssign(receiver, field, value), pos));
            }
            Target::Error => {
                self.check_any_value(value);
            }
        }
    }

    fn new_object(
        &mut self,
        (target, target_pos): (Target, Pos),
        fields: Option<&'a [Ident]>,
        pos: Pos,
        out: &mut Vec<Stmt>,
    ) {
        let fields = match fields {
            None => (0..self.globals.core.fields.len() as u32).map(FieldId).collect(),
            Some(names) => {
                let mut fields = Vec::with_capacity(names.len());
                for name in names {
                    match self.globals.find_fields(&name.name).as_slice() {
                        [id] => fields.push(*id),
                        [] => {
                            let diagnostic = self.undeclared_field(name);
                            self.report(diagnostic);
                        }
                        _ => {
                            self.error(name.at.0, format!("the field `{}` is ambiguous", name.name))
                        }
                    }
                }
                fields
            }
        };
        match target {
            Target::Error => {}
            Target::Local(_, ty) | Target::Field(_, _, ty) if ty != Type::Ref => {
                self.mismatch(target_pos, &Kind::Value(ty), &Kind::Value(Type::Ref));
            }
            Target::Local(id, _) => out.push(Stmt::new(StmtKind::New(id, fields), pos)),
            Target::Field(receiver, field, ty) => {
                let fresh = self.scopes.fresh(Name::from("new$"), ty.clone(), pos);
                out.push(Stmt::new(StmtKind::Var(fresh), pos));
                out.push(Stmt::new(StmtKind::New(fresh, fields), pos));
                let value = Expr::new(ExprKind::Local(fresh), ty, pos);
                out.push(Stmt::new(StmtKind::FieldAssign(receiver, field, value), pos));
            }
        }
    }

    fn method_call(
        &mut self,
        targets: Vec<(Target, Pos)>,
        callee: &'a Ident,
        args: &'a [ast::Expr],
        call_pos: Pos,
        pos: Pos,
        out: &mut Vec<Stmt>,
    ) {
        let methods: Vec<MethodId> = self
            .globals
            .find(&callee.name)
            .filter_map(|g| if let Global::Method(m) = g { Some(m) } else { None })
            .collect();
        // Of several methods of that name, which is an error elsewhere, one may fit.
        let fits = |m: &MethodId| {
            self.globals.methods.get(m.index()).is_some_and(|signature| {
                signature.params.len() == args.len() && signature.returns.len() == targets.len()
            })
        };
        let fitting: Vec<MethodId> = methods.iter().copied().filter(fits).collect();
        let methods = if fitting.is_empty() { methods } else { fitting };
        let method = match methods.as_slice() {
            [method] => *method,
            [] => {
                let expected = match targets.len() {
                    1 => Callee::FunctionOrMethod,
                    _ => Callee::Method,
                };
                let diagnostic = self.undeclared_callee(callee, expected);
                self.report(diagnostic);
                return;
            }
            _ => {
                self.error(callee.at.0, format!("the method `{}` is ambiguous", callee.name));
                return;
            }
        };
        let Some(signature) = self.globals.methods.get(method.index()) else { return };
        let (formals, returns) = (signature.params.clone(), signature.returns.clone());
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        if formals.len() != args.len() {
            let what = format!("the method `{}`", callee.name);
            self.error(call_pos, arity(&what, "argument", formals.len(), args.len()));
            return;
        }
        if returns.len() != targets.len() {
            self.error(
                pos,
                format!(
                    "the method `{}` has {} result{}, but there {} {} target{}",
                    callee.name,
                    returns.len(),
                    plural(returns.len()),
                    if targets.len() == 1 { "is" } else { "are" },
                    targets.len(),
                    plural(targets.len()),
                ),
            );
            return;
        }
        let args: Vec<Arc<Expr>> =
            args.iter().zip(&formals).map(|(e, ty)| self.check_value(e, ty)).collect();
        let mut fine = true;
        for ((target, at), formal) in targets.iter().zip(&returns) {
            match target {
                Target::Error => fine = false,
                Target::Local(_, ty) | Target::Field(_, _, ty) if ty != formal => {
                    self.mismatch(*at, &Kind::Value(ty.clone()), &Kind::Value(formal.clone()));
                    fine = false;
                }
                Target::Local(..) | Target::Field(..) => {}
            }
        }
        if fine {
            self.push_call(method, args, targets, pos, out);
        }
    }

    /// A call whose results go to variables and fields: fields get theirs through fresh variables.
    /// Their receivers are evaluated before the call.
    fn push_call(
        &mut self,
        method: MethodId,
        args: Vec<Arc<Expr>>,
        targets: Vec<(Target, Pos)>,
        pos: Pos,
        out: &mut Vec<Stmt>,
    ) {
        let assigned: Vec<LocalId> = targets
            .iter()
            .filter_map(|(target, _)| match target {
                Target::Local(id, _) => Some(*id),
                _ => None,
            })
            .collect();
        let mut locals: Vec<LocalId> = Vec::with_capacity(targets.len());
        let mut stores: Vec<Stmt> = Vec::new();
        for (target, at) in targets {
            match target {
                Target::Local(id, _) => {
                    if locals.contains(&id) {
                        self.consistency_error(pos, "the targets of a call must be different");
                    }
                    locals.push(id);
                }
                Target::Field(receiver, field, ty) => {
                    // Whatever the receivers are: they might be the same.
                    let repeated = stores
                        .iter()
                        .any(|s| matches!(s.kind, StmtKind::FieldAssign(_, f, _) if f == field));
                    if repeated {
                        self.late_error(pos, "the targets of a call must be different fields");
                    }
                    let (receiver, info) = match &receiver.kind {
                        ExprKind::Local(id) if !assigned.contains(id) => (receiver, None),
                        _ => {
                            let info = self.no_permission(&receiver, field, &ty, at);
                            (self.evaluated_now(receiver, out), Some(info))
                        }
                    };
                    let fresh = self.scopes.fresh(Name::from("result$"), ty.clone(), pos);
                    out.push(Stmt::new(StmtKind::Var(fresh), pos));
                    locals.push(fresh);
                    let value = Expr::new(ExprKind::Local(fresh), ty, pos);
                    let kind = StmtKind::FieldAssign(receiver, field, value);
                    stores.push(Stmt { kind, pos: at, info });
                }
                Target::Error => {}
            }
        }
        out.push(Stmt::new(StmtKind::Call { method, args, targets: locals }, pos));
        out.extend(stores);
    }

    /// The error of an assignment to a field whose receiver is in a variable: it names the
    /// receiver as it was written.
    fn no_permission(
        &self,
        receiver: &Arc<Expr>,
        field: FieldId,
        ty: &Type,
        pos: Pos,
    ) -> Arc<Info> {
        let target = Expr::new(ExprKind::Field(Arc::clone(receiver), field), ty.clone(), pos);
        let (core, locals) = (&self.globals.core, &self.scopes.locals);
        let target = crate::unparse::expr_text(core, locals, &self.labels, &target);
        let message = format!(
            "Assignment might fail. There might be insufficient permission to access {target}."
        );
        let report = core::ReportAs::Error {
            id: "assignment.failed".into(),
            reason: core::MappedReason::InsufficientPermission,
            pos,
            message: message.into(),
        };
        Arc::new(Info { annotations: Vec::new(), report: Some(report) })
    }

    /// Keeps the value of an expression for later.
    fn evaluated_now(&mut self, e: Arc<Expr>, out: &mut Vec<Stmt>) -> Arc<Expr> {
        let (ty, pos) = (e.ty.clone(), e.pos);
        let fresh = self.scopes.fresh(Name::from("receiver$"), ty.clone(), pos);
        out.push(Stmt::new(StmtKind::Var(fresh), pos));
        out.push(Stmt::new(StmtKind::Assign(fresh, e), pos));
        Expr::new(ExprKind::Local(fresh), ty, pos)
    }
}
