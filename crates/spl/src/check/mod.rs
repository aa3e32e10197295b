//! Names and types: from the surface syntax to the typed core.
//!
//! There is one global name space. Declarations are collected first (`globals`), then bodies are
//! checked one by one: types are inferred with holes that unification fills (`infer`), in
//! expressions (`expr`, `calls`) and statements (`stmt`).

mod calls;
mod expr;
mod globals;
mod infer;
mod stmt;

use std::collections::HashMap;

use report::{Diagnostic, Span};

use crate::ast::{self, Ident, Name, Program};
use crate::core::{self, Local, LocalId, Type};
use globals::Globals;

/// What came of a program.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Absent if and only if there are errors.
    pub program: Option<core::Program>,
    /// `typechecker.error`
    pub diagnostics: Vec<Diagnostic>,
}

/// Expands macros, resolves names, infers types.
#[must_use]
pub fn check(program: &Program) -> Checked {
    let (program, mut diagnostics) = crate::macros::expand(program);
    if diagnostics.iter().any(Diagnostic::is_error) {
        // What is not expanded would not be known by its name, either.
        return Checked { program: None, diagnostics };
    }
    let (globals, found) = Globals::collect(&program);
    diagnostics.extend(found);
    let mut checker = Checker { globals, diagnostics, size: 0 };
    checker.bodies(&program);
    let Checker { globals, mut diagnostics, .. } = checker;
    let core = globals.core;
    diagnostics.extend(crate::options::options(&core).1);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    Checked { program: (!failed).then_some(core), diagnostics }
}

/// The candidate closest to a misspelt word, if one is close enough.
pub(crate) fn closest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let short = |text: &str| text.chars().take(64).collect::<String>().to_lowercase();
    candidates
        .into_iter()
        .filter(|c| *c != word)
        .map(|c| (strsim::damerau_levenshtein(&short(word), &short(c)), c))
        // Two letters have nothing in common with all other letters.
        .filter(|(distance, c)| *distance <= limit && (*distance == 0 || c.chars().count() > 1))
        // Ties go to the first in the alphabet: the answer must not depend on hashing.
        .min()
        .map(|(_, c)| c)
}

/// `` `f` takes 1 argument, but 2 are given``
fn arity(what: &str, expected: usize, given: usize) -> String {
    let plural = if expected == 1 { "" } else { "s" };
    let verb = if given == 1 { "is" } else { "are" };
    format!("{what} takes {expected} argument{plural}, but {given} {verb} given")
}

/// The diagnostic is already recorded.
#[derive(Debug)]
struct Failed;

type Result<T> = std::result::Result<T, Failed>;

struct Checker {
    globals: Globals,
    diagnostics: Vec<Diagnostic>,
    /// Nodes that were made by copying, which input could make exponentially many.
    size: usize,
}

/// What may stand in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A specification: no side effects.
    Spec,
    /// A hint in a specification: `known` has a meaning.
    Hint,
    /// Code: calls and `new` have their effects.
    Code,
}

/// A member that is being checked.
struct Scope {
    locals: Vec<Local>,
    /// Innermost last.
    names: Vec<HashMap<Name, LocalId>>,
    holes: Vec<infer::Hole>,
    place: Place,
    /// Names of results, while they are not visible.
    hidden: Vec<Name>,
}

impl Scope {
    fn new() -> Scope {
        Scope {
            locals: Vec::new(),
            names: vec![HashMap::new()],
            holes: Vec::new(),
            place: Place::Spec,
            hidden: Vec::new(),
        }
    }

    fn find(&self, name: &str) -> Option<LocalId> {
        self.names.iter().rev().find_map(|frame| frame.get(name)).copied()
    }

    fn ty(&self, local: LocalId) -> Type {
        self.locals.get(local.0 as usize).map_or(Type::Int, |l| l.ty.clone())
    }

    /// A new local in the innermost scope, which hides those of the same name further out.
    fn declare(&mut self, name: &Name, ty: Type) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: name.clone(), ty, ghost: false });
        if let Some(frame) = self.names.last_mut() {
            frame.insert(name.clone(), id);
        }
        id
    }

    fn declared_here(&self, name: &str) -> bool {
        self.names.last().is_some_and(|frame| frame.contains_key(name))
    }

    /// The locals, with no hole left in their types.
    fn finish(&mut self) -> Vec<Local> {
        let mut locals = std::mem::take(&mut self.locals);
        for local in &mut locals {
            local.ty = self.resolve(&local.ty);
        }
        locals
    }
}

impl Checker {
    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Result<T> {
        self.diagnostics.push(Diagnostic::error("typechecker.error", span, message));
        Err(Failed)
    }

    fn error_with<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T> {
        let error = Diagnostic::error("typechecker.error", span, message).with_help(help);
        self.diagnostics.push(error);
        Err(Failed)
    }

    /// Says that there is no such name, and which one may have been meant.
    fn unknown<T>(&mut self, what: &str, name: &Ident, known: Vec<Name>) -> Result<T> {
        let message = format!("there is no {what} `{}`", name.name);
        let foreign = match &*name.name {
            "nil" | "NULL" | "nullptr" | "None" => Some("write `null`"),
            "result" | "ret" => Some("a result has the name that `returns (…)` gives it"),
            "True" | "TRUE" => Some("write `true`"),
            "False" | "FALSE" => Some("write `false`"),
            "int" | "integer" => Some("write `Int`"),
            "bool" | "boolean" => Some("write `Bool`"),
            _ => None,
        };
        let close = closest(&name.name, known.iter().map(|n| &**n)).map(str::to_owned);
        if let (Some(help), None) = (foreign, &close) {
            return self.error_with(name.at.0, message, help);
        }
        match close {
            Some(close) => self.error_with(name.at.0, message, format!("did you mean `{close}`?")),
            None => self.error(name.at.0, message),
        }
    }

    fn already<T>(&mut self, name: &Ident) -> Result<T> {
        let message = format!("`{}` is already declared in this scope", name.name);
        self.error(name.at.0, message)
    }

    /// Parameters or results, in the innermost scope.
    fn params(&mut self, scope: &mut Scope, vars: &[ast::Var]) -> Vec<core::Param> {
        let mut params = Vec::new();
        for var in vars {
            let ty = self.ty(&var.ty).unwrap_or(Type::Int);
            if scope.declared_here(&var.name.name) {
                let _: Result<()> = self.already(&var.name);
            }
            let local = scope.declare(&var.name.name, ty);
            params.push(core::Param { local, ghost: var.ghost });
        }
        params
    }

    fn bodies(&mut self, program: &Program) {
        for decl in &program.decls {
            match &decl.kind {
                ast::DeclKind::Axiom(e) => {
                    let mut scope = Scope::new();
                    if let Ok(expr) = self.closed(&mut scope, e, &Type::Bool) {
                        let locals = scope.finish();
                        self.globals.core.axioms.push(core::Axiom { locals, expr });
                    }
                }
                ast::DeclKind::Predicate { name, params, contracts, body, .. } => {
                    self.predicate(name, params, contracts, body.as_ref());
                }
                ast::DeclKind::Function { name, params, returns, contracts, body, .. } => {
                    self.function(name, params, returns, contracts, body.as_ref());
                }
                ast::DeclKind::Procedure { name, params, returns, contracts, body, .. } => {
                    self.procedure(name, params, returns, contracts, body.as_ref());
                }
                _ => {}
            }
        }
    }

    /// A clause of a contract or an invariant.
    fn clause(
        &mut self,
        scope: &mut Scope,
        mods: ast::Mods,
        expr: &ast::Expr,
        span: Span,
    ) -> Result<core::Clause> {
        let wanted = if mods.pure { Type::Bool } else { Type::Perm };
        let expr = self.closed(scope, expr, &wanted)?;
        Ok(core::Clause { mods, expr, span })
    }

    fn predicate(
        &mut self,
        name: &Ident,
        params: &[ast::Var],
        contracts: &[ast::Contract],
        body: Option<&ast::Expr>,
    ) {
        let mut scope = Scope::new();
        let params = self.params(&mut scope, params);
        for contract in contracts {
            if contract.kind == ast::ContractKind::Ensures {
                let _: Result<()> = self.error(contract.at.0, "a predicate has no postcondition");
            }
            // It says what is read, and is well-typed; it has no other meaning.
            let _ = self.clause(&mut scope, contract.mods, &contract.expr, contract.at.0);
        }
        let Some(header) = self.globals.core.predicates.get(&name.name) else { return };
        let wanted = if header.spatial { Type::Perm } else { Type::Bool };
        let had_body = header.body.is_some();
        let body = body.and_then(|body| self.closed(&mut scope, body, &wanted).ok());
        let locals = scope.finish();
        if had_body && body.is_none() {
            return;
        }
        if let Some(header) = self.globals.core.predicates.get_mut(&name.name) {
            header.locals = locals;
            header.params = params;
            header.body = body;
        }
    }

    fn function(
        &mut self,
        name: &Ident,
        params: &[ast::Var],
        returns: &[ast::Var],
        contracts: &[ast::Contract],
        body: Option<&ast::Expr>,
    ) {
        let mut scope = Scope::new();
        let params = self.params(&mut scope, params);
        let [result] = returns else {
            let _: Result<()> = self.error(name.at.0, "a function has exactly one result");
            return;
        };
        let (mut requires, mut ensures) = (Vec::new(), Vec::new());
        scope.hidden = vec![result.name.name.clone()];
        for contract in contracts.iter().filter(|c| c.kind == ast::ContractKind::Requires) {
            requires.extend(self.clause(&mut scope, contract.mods, &contract.expr, contract.at.0));
        }
        let result_type = self.ty(&result.ty).unwrap_or(Type::Int);
        let body = body.and_then(|body| self.closed(&mut scope, body, &result_type).ok());
        scope.hidden.clear();
        let Some(result) = self.params(&mut scope, returns).first().map(|p| p.local) else {
            return;
        };
        for contract in contracts.iter().filter(|c| c.kind == ast::ContractKind::Ensures) {
            let mods = ast::Mods { pure: true, ..contract.mods };
            ensures.extend(self.clause(&mut scope, mods, &contract.expr, contract.at.0));
        }
        let locals = scope.finish();
        if let Some(header) = self.globals.core.functions.get_mut(&name.name) {
            if header.body.is_some() && body.is_none() {
                return;
            }
            header.locals = locals;
            header.params = params;
            header.result = result;
            header.requires = requires;
            header.ensures = ensures;
            header.body = body;
        }
    }

    fn procedure(
        &mut self,
        name: &Ident,
        params: &[ast::Var],
        returns: &[ast::Var],
        contracts: &[ast::Contract],
        body: Option<&ast::Stmt>,
    ) {
        let mut scope = Scope::new();
        let params = self.params(&mut scope, params);
        scope.hidden = returns.iter().map(|r| r.name.name.clone()).collect();
        let (mut requires, mut ensures) = (Vec::new(), Vec::new());
        for contract in contracts.iter().filter(|c| c.kind == ast::ContractKind::Requires) {
            requires.extend(self.clause(&mut scope, contract.mods, &contract.expr, contract.at.0));
        }
        scope.hidden.clear();
        let returns = self.params(&mut scope, returns);
        for contract in contracts.iter().filter(|c| c.kind == ast::ContractKind::Ensures) {
            ensures.extend(self.clause(&mut scope, contract.mods, &contract.expr, contract.at.0));
        }
        let kind = self.globals.core.procedures.get(&name.name).map(|p| p.kind);
        if kind == Some(ast::ProcKind::AutoLemma) {
            self.auto_lemma(name, &returns, requires.iter().chain(&ensures));
        }
        let body = body.and_then(|body| self.body(&mut scope, &returns, body));
        let locals = scope.finish();
        if let Some(header) = self.globals.core.procedures.get_mut(&name.name) {
            if header.body.is_some() && body.is_none() {
                return;
            }
            header.locals = locals;
            header.params = params;
            header.returns = returns;
            header.requires = requires;
            header.ensures = ensures;
            header.body = body;
            header.span = name.at.0;
        }
    }

    fn auto_lemma<'c>(
        &mut self,
        name: &Ident,
        returns: &[core::Param],
        clauses: impl Iterator<Item = &'c core::Clause>,
    ) {
        if !returns.is_empty() {
            let message = "an automatic lemma has no results: it becomes an axiom";
            let _: Result<()> = self.error(name.at.0, message);
        }
        for clause in clauses.filter(|c| c.expr.ty == Type::Perm) {
            let message = "the contract of an automatic lemma is Boolean: it becomes an axiom";
            let _: Result<()> = self.error(clause.span, message);
        }
    }
}
