//! Names and types: from the surface syntax to the typed core.
//!
//! `globals` collects declarations and resolves their signatures, `expr` and `stmt` check bodies and
//! build the core as they go, `types` infers what is not written, `scope` knows the variables.
//!
//! Errors come in three stages, as in Viper: `typechecker.error` for names and types; if there are
//! none, `typechecker.error` for rules that need types (triggers, `forperm`); if there are none,
//! `consistency.error` (see [`crate::consistency`]).

mod adt;
mod binders;
mod call;
mod collections;
mod expr;
mod globals;
mod heap;
mod operators;
mod resolve;
mod scope;
mod stmt;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;

use report::{Diagnostic, Pos};

use self::globals::Globals;
use self::scope::{Clash, Scopes};
use self::types::{Inference, Kind};
use crate::ast;
use crate::ast::{Ident, Name};
use crate::core::{self, Info, LabelId, Type};

/// What checking found.
#[derive(Clone, Debug)]
pub struct Checked {
    /// `None` if there are errors.
    pub program: Option<core::Program>,
    /// Errors and warnings in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Expands macros, resolves names, infers types and checks consistency.
#[must_use]
pub fn check(program: &ast::Program) -> Checked {
    let (expanded, mut diagnostics) = crate::macros::expand(program);
    let mut core = None;
    if !has_errors(&diagnostics) {
        match types(&expanded) {
            Ok((program, found)) => {
                diagnostics.extend(found);
                diagnostics.extend(crate::consistency::check(&program));
                // Rules about measures are worth checking only where everything else is right.
                if !has_errors(&diagnostics) {
                    diagnostics.extend(crate::plugins::termination::check(&program));
                }
                core = Some(program);
            }
            Err(found) => diagnostics.extend(found),
        }
    }
    diagnostics.sort_by_key(|d| d.pos.span().map(|s| (s.file, s.start, s.end)));
    diagnostics.dedup();
    if has_errors(&diagnostics) {
        core = None;
    }
    Checked { program: core, diagnostics }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// The core program with warnings and those consistency errors that show here already, or the
/// errors that keep it from being one.
fn types(program: &ast::Program) -> Result<(core::Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut checker = Checker::new(program);
    checker.members(program);
    let Checker { globals, stages: [mut types, mut late, mut consistency, warnings], .. } = checker;
    for errors in [&mut types, &mut late] {
        if !errors.is_empty() {
            let mut errors = std::mem::take(errors);
            errors.extend(warnings);
            return Err(errors);
        }
    }
    consistency.extend(warnings);
    Ok((globals.core, consistency))
}

/// When a rule about `perm` and `forperm` applies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PermRule {
    Anywhere,
    /// Contracts and invariants.
    OnlyInInhaleExhale,
    /// Nowhere; names the place.
    Banned(&'static str),
}

struct Checker<'a> {
    globals: Globals,
    /// Errors by stage: types, rules that need types, consistency; and warnings.
    stages: [Vec<Diagnostic>; 4],
    infer: Inference,
    // --- The member under way
    scopes: Scopes,
    /// Declarations in it with the name of something global.
    named_like_global: BTreeMap<Name, Ident>,
    /// Labels of the method, by position in its list.
    labels: Vec<Name>,
    /// The domain of the axiom.
    domain: Option<core::DomainId>,
    /// Type parameters of the domain.
    type_params: &'a [Ident],
    /// The result type of the function.
    result: Option<Type>,
    /// `result` may be used.
    result_allowed: bool,
    perm_rule: PermRule,
    /// Function preconditions and predicate bodies have no wands.
    wands_banned: bool,
    in_axiom: bool,
    /// The next call is the operand of `fold` or `unfold`: only predicates count.
    predicate_expected: bool,
    /// In a termination measure predicates are values.
    in_measure: bool,
}

const TYPES: usize = 0;
const LATE: usize = 1;
const CONSISTENCY: usize = 2;
const WARNINGS: usize = 3;

impl<'a> Checker<'a> {
    fn new(program: &'a ast::Program) -> Checker<'a> {
        let mut stages = [const { Vec::new() }; 4];
        let globals = Globals::collect(program, &mut stages[TYPES]);
        Checker {
            globals,
            stages,
            infer: Inference::default(),
            scopes: Scopes::default(),
            named_like_global: BTreeMap::new(),
            labels: Vec::new(),
            domain: None,
            type_params: &[],
            result: None,
            result_allowed: false,
            perm_rule: PermRule::Anywhere,
            wands_banned: false,
            in_axiom: false,
            predicate_expected: false,
            in_measure: false,
        }
    }

    // --- Messages

    fn error(&mut self, pos: impl Into<Pos>, message: impl Into<String>) {
        self.report(Diagnostic::error("typechecker.error", pos, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if let Some(stage) = self.stages.get_mut(TYPES) {
            stage.push(diagnostic);
        }
    }

    /// An error that matters only if all types are right.
    fn late_error(&mut self, pos: impl Into<Pos>, message: impl Into<String>) {
        if let Some(stage) = self.stages.get_mut(LATE) {
            stage.push(Diagnostic::error("typechecker.error", pos, message));
        }
    }

    fn consistency_error(&mut self, pos: impl Into<Pos>, message: impl Into<String>) {
        if let Some(stage) = self.stages.get_mut(CONSISTENCY) {
            stage.push(Diagnostic::error("consistency.error", pos, message));
        }
    }

    fn warn(&mut self, pos: impl Into<Pos>, message: impl Into<String>) {
        if let Some(stage) = self.stages.get_mut(WARNINGS) {
            stage.push(Diagnostic::warning("typechecker.warning", pos, message));
        }
    }

    fn clash(&mut self, clash: Clash) {
        self.report(
            Diagnostic::error(
                "typechecker.error",
                clash.at,
                format!("the name `{}` is already used", clash.name),
            )
            .with_label(clash.other, "here"),
        );
    }

    /// How to name a type in a message.
    fn show(&self, ty: &Type) -> String {
        self.globals.show(&self.infer.resolve(ty), self.type_params)
    }

    fn show_kind(&self, kind: &Kind) -> String {
        match kind {
            Kind::Value(ty) => format!("`{}`", self.show(ty)),
            Kind::Assertion => "an assertion with permissions".to_string(),
            Kind::Predicate => "a predicate".to_string(),
            Kind::Wand => "a wand".to_string(),
            Kind::Error => "something wrong".to_string(),
        }
    }

    // --- Members

    /// Starts a new member.
    fn begin(&mut self) {
        self.scopes = Scopes::default();
        self.scopes.enter();
        self.labels.clear();
        self.domain = None;
        self.type_params = &[];
        self.result = None;
        self.result_allowed = false;
        self.perm_rule = PermRule::Anywhere;
        self.wands_banned = false;
        self.in_axiom = false;
        self.predicate_expected = false;
        self.in_measure = false;
    }

    fn declare_param(&mut self, param: &ast::Param, ty: Type, role: scope::Role) -> core::LocalId {
        self.declare(&param.name, ty, role)
    }

    /// Declares a variable, reporting clashes with other variables and with global names.
    fn declare(&mut self, ident: &Ident, ty: Type, role: scope::Role) -> core::LocalId {
        let (id, clash) = self.scopes.declare(ident, ty, role);
        match clash {
            Some(clash) => self.clash(clash),
            None => self.may_clash_with_global(ident),
        }
        id
    }

    /// Of several variables and labels of a member that have the name of something global, the last
    /// one is reported.
    fn may_clash_with_global(&mut self, ident: &Ident) {
        if self.globals.position(&ident.name).is_some() {
            self.named_like_global.insert(ident.name.clone(), ident.clone());
        }
    }

    fn check_global_clash(&mut self, ident: &Ident) {
        let Some(other) = self.globals.position(&ident.name) else { return };
        let later = |a: Pos, b: Pos| match (a.span(), b.span()) {
            (Some(a), Some(b)) if a.file == b.file => a.start >= b.start,
            _ => true,
        };
        let (at, other) =
            if later(ident.at.0, other) { (ident.at.0, other) } else { (other, ident.at.0) };
        self.clash(Clash { name: ident.name.clone(), at, other });
    }

    fn members(&mut self, program: &'a ast::Program) {
        let mut next = globals::Next::default();
        for member in &program.members {
            match &member.kind {
                ast::MemberKind::Import(_)
                | ast::MemberKind::Define(_)
                | ast::MemberKind::Fields(_) => {}
                ast::MemberKind::Domain(domain) => {
                    let id = next.domain();
                    domain.type_params.iter().flatten().for_each(|p| self.check_global_clash(p));
                    self.domain_axioms(domain, id);
                }
                ast::MemberKind::Adt(adt) => {
                    let id = next.domain();
                    adt.type_params.iter().flatten().for_each(|p| self.check_global_clash(p));
                    let destructors = adt.constructors.iter().flat_map(|c| &c.params);
                    destructors.for_each(|p| self.check_global_clash(&p.name));
                    self.adt(adt, id, member.at.0);
                }
                ast::MemberKind::Function(function) => {
                    let id = next.function();
                    self.function(function, id);
                }
                ast::MemberKind::Predicate(predicate) => {
                    let id = next.predicate();
                    self.predicate(predicate, id);
                }
                ast::MemberKind::Method(method) => {
                    let id = next.method();
                    self.method(method, id);
                }
            }
            for ident in std::mem::take(&mut self.named_like_global).into_values() {
                self.check_global_clash(&ident);
            }
        }
    }

    fn domain_axioms(&mut self, domain: &'a ast::Domain, id: core::DomainId) {
        let mut axioms = Vec::new();
        for item in &domain.items {
            match &item.kind {
                ast::DomainItemKind::Function(function) => {
                    self.domain_function_params(function);
                    if function.unique && !function.params.is_empty() {
                        self.consistency_error(
                            item.at.0,
                            "only constants, that is, functions without arguments, can be unique",
                        );
                    }
                }
                ast::DomainItemKind::Axiom { name, body } => {
                    self.begin();
                    self.domain = Some(id);
                    self.type_params = domain.type_params.as_deref().unwrap_or_default();
                    self.in_axiom = true;
                    let body = self.check_value(body, &Type::Bool);
                    let locals = std::mem::take(&mut self.scopes.locals);
                    axioms.push(core::Axiom {
                        name: name.as_ref().map(|n| n.name.clone()),
                        locals,
                        body,
                        pos: item.at.0,
                        info: info(&item.annotations),
                    });
                }
            }
        }
        if let Some(domain) = self.globals.core.domains.get_mut(id.index()) {
            domain.axioms = axioms;
        }
    }

    fn domain_function_params(&mut self, function: &ast::DomainFunction) {
        let named: Vec<&Ident> = function.params.iter().filter_map(|p| p.name.as_ref()).collect();
        for (i, ident) in named.iter().enumerate() {
            if named.iter().skip(i + 1).any(|other| other.name == ident.name) {
                self.error(ident.at.0, format!("two arguments are named `{}`", ident.name));
            }
        }
    }

    /// Declares the arguments of a member; their types are known from its signature.
    fn params(&mut self, params: &[ast::Param], types: &[Type], role: scope::Role) {
        for (param, ty) in params.iter().zip(types) {
            self.declare_param(param, ty.clone(), role);
        }
    }

    fn function(&mut self, function: &'a ast::Function, id: core::FunctionId) {
        self.begin();
        let Some(signature) = self.globals.functions.get(id.index()) else { return };
        let (types, result) = (signature.params.clone(), signature.result.clone());
        self.params(&function.params, &types, scope::Role::Param);
        self.result = Some(result.clone());
        let (mut pres, mut posts, mut decreases) = (Vec::new(), Vec::new(), Vec::new());
        for spec in &function.contract {
            match &spec.kind {
                ast::SpecKind::Requires(e) => {
                    self.perm_rule = PermRule::OnlyInInhaleExhale;
                    self.wands_banned = true;
                    pres.push(self.check_assertion(e));
                    self.wands_banned = false;
                }
                ast::SpecKind::Ensures(e) => {
                    self.perm_rule = PermRule::Banned("function postconditions");
                    self.result_allowed = true;
                    posts.push(self.check_value(e, &Type::Bool));
                    self.result_allowed = false;
                }
                ast::SpecKind::Decreases(d) => {
                    self.perm_rule = PermRule::OnlyInInhaleExhale;
                    decreases.push(self.decreases(d));
                }
                ast::SpecKind::Invariant(_) => {}
            }
        }
        self.perm_rule = PermRule::Anywhere;
        // Viper's type checker lets `result` pass here; it is a matter of consistency.
        self.result_allowed = true;
        let body = function.body.as_ref().map(|e| self.check_value(e, &result));
        let locals = std::mem::take(&mut self.scopes.locals);
        if let Some(core) = self.globals.core.functions.get_mut(id.index()) {
            core.locals = locals;
            core.pres = pres;
            core.posts = posts;
            core.decreases = decreases;
            core.body = body;
        }
    }

    fn predicate(&mut self, predicate: &'a ast::Predicate, id: core::PredicateId) {
        self.begin();
        let Some(signature) = self.globals.predicates.get(id.index()) else { return };
        let types = signature.params.clone();
        self.params(&predicate.params, &types, scope::Role::Param);
        self.wands_banned = true;
        let body = predicate.body.as_ref().map(|e| self.check_assertion(e));
        let locals = std::mem::take(&mut self.scopes.locals);
        if let Some(core) = self.globals.core.predicates.get_mut(id.index()) {
            core.locals = locals;
            core.body = body;
        }
    }

    fn method(&mut self, method: &'a ast::Method, id: core::MethodId) {
        self.begin();
        let Some(signature) = self.globals.methods.get(id.index()) else { return };
        let (params, returns) = (signature.params.clone(), signature.returns.clone());
        self.params(&method.params, &params, scope::Role::Param);
        self.params(&method.returns, &returns, scope::Role::Assignable);
        if let Some(body) = &method.body {
            self.collect_labels(body);
        }
        let (mut pres, mut posts, mut decreases) = (Vec::new(), Vec::new(), Vec::new());
        self.perm_rule = PermRule::OnlyInInhaleExhale;
        for spec in &method.contract {
            match &spec.kind {
                ast::SpecKind::Requires(e) => pres.push(self.check_assertion(e)),
                ast::SpecKind::Ensures(e) => posts.push(self.check_assertion(e)),
                ast::SpecKind::Decreases(d) => decreases.push(self.decreases(d)),
                ast::SpecKind::Invariant(_) => {}
            }
        }
        self.perm_rule = PermRule::Anywhere;
        let body = method.body.as_ref().map(|b| self.block(b));
        let locals = std::mem::take(&mut self.scopes.locals);
        let labels = std::mem::take(&mut self.labels);
        if let Some(core) = self.globals.core.methods.get_mut(id.index()) {
            core.locals = locals;
            core.pres = pres;
            core.posts = posts;
            core.decreases = decreases;
            core.labels = labels;
            core.body = body;
        }
    }

    fn label(&self, name: &Name) -> Option<LabelId> {
        self.labels.iter().position(|l| l == name).map(|i| LabelId(i as u32))
    }
}

/// The annotations of a declaration.
fn info(annotations: &[ast::Annotation]) -> Option<Arc<Info>> {
    if annotations.is_empty() {
        None
    } else {
        Some(Arc::new(Info { annotations: annotations.to_vec(), report: None }))
    }
}
