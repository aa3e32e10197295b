//! The one global name space.

use std::collections::{BTreeMap, HashMap, HashSet};

use report::{Diagnostic, Span};

use crate::ast::{self, Decl, DeclKind, ExprKind, Ident, Name, Program, Type as Written, TypeKind};
use crate::core::{self, LocalId, Type};

/// What is known before any body is looked at.
pub(super) struct Globals {
    /// Headers; bodies are filled in later.
    pub core: core::Program,
    /// Structs, datatypes, opaque types and aliases.
    pub types: HashMap<Name, Type>,
    /// Types of parameters and results of what can be called, with their names.
    pub signatures: HashMap<Name, Signature>,
}

/// What a caller has to know.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub params: Vec<(ast::Ghost, Type)>,
    pub returns: Vec<(ast::Ghost, Type)>,
}

/// What the name of a declaration is, and all that must agree if it is declared again.
fn named(decl: &DeclKind) -> Option<&Ident> {
    match decl {
        DeclKind::Include(_) | DeclKind::Options(_) | DeclKind::Axiom(_) => None,
        DeclKind::Var(var) => Some(&var.name),
        DeclKind::Type { name, .. }
        | DeclKind::Datatype { name, .. }
        | DeclKind::Struct { name, .. }
        | DeclKind::Const { name, .. }
        | DeclKind::Define { name, .. }
        | DeclKind::Predicate { name, .. }
        | DeclKind::Function { name, .. }
        | DeclKind::Procedure { name, .. } => Some(name),
    }
}

/// The declaration without its body, if it has one.
fn header(decl: &DeclKind) -> (DeclKind, bool) {
    let mut decl = decl.clone();
    let had = match &mut decl {
        DeclKind::Predicate { body, .. } | DeclKind::Function { body, .. } => body.take().is_some(),
        DeclKind::Procedure { body, .. } => body.take().is_some(),
        _ => true,
    };
    (decl, had)
}

impl Globals {
    pub(super) fn collect(program: &Program) -> (Globals, Vec<Diagnostic>) {
        let globals = Globals {
            core: core::Program::default(),
            types: HashMap::new(),
            signatures: HashMap::new(),
        };
        let mut collector = Collector {
            globals,
            diagnostics: Vec::new(),
            seen: HashMap::new(),
            aliases: HashMap::new(),
        };
        for decl in &program.decls {
            collector.name(decl);
        }
        collector.types(program);
        for decl in &program.decls {
            collector.declare(decl);
        }
        collector.spatial(program);
        (collector.globals, collector.diagnostics)
    }

    /// Names that stand for values or can be called.
    pub(super) fn names(&self) -> Vec<Name> {
        let core = &self.core;
        let mut names: Vec<Name> = self.signatures.keys().cloned().collect();
        names.extend(core.fields.keys().chain(core.globals.keys()).cloned());
        names.extend(core.ctors.keys().chain(core.dtors.keys()).cloned());
        names
    }
}

struct Collector<'p> {
    globals: Globals,
    diagnostics: Vec<Diagnostic>,
    seen: HashMap<Name, Vec<&'p Decl>>,
    aliases: HashMap<Name, &'p Written>,
}

impl<'p> Collector<'p> {
    fn error(&mut self, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::error("typechecker.error", span, message));
    }

    fn again(&mut self, name: &Ident, first: Option<Span>) {
        let message = format!("`{}` is already declared", name.name);
        let mut error = Diagnostic::error("typechecker.error", name.at, message)
            .with_help("types, fields, variables, predicates and procedures share one name space");
        if let Some(first) = first {
            error = error.with_label(first, "it is declared here");
        }
        self.diagnostics.push(error);
    }

    /// May this name be declared (again)?
    fn name(&mut self, decl: &'p Decl) {
        let Some(name) = named(&decl.kind) else { return };
        let before = self.seen.entry(name.name.clone()).or_default().clone();
        let first = before.first().and_then(|d| named(&d.kind)).map(|n| n.at.0);
        for other in &before {
            let allowed = match (&other.kind, &decl.kind) {
                (DeclKind::Var(a), DeclKind::Var(b)) => a == b,
                (DeclKind::Type { alias: None, .. }, DeclKind::Struct { .. })
                | (DeclKind::Struct { .. }, DeclKind::Type { alias: None, .. })
                | (DeclKind::Type { alias: None, .. }, DeclKind::Datatype { .. })
                | (DeclKind::Datatype { .. }, DeclKind::Type { alias: None, .. })
                | (DeclKind::Type { .. }, DeclKind::Type { alias: None, .. })
                | (DeclKind::Type { alias: None, .. }, DeclKind::Type { .. }) => true,
                (a, b) => {
                    let ((a, one), (b, two)) = (header(a), header(b));
                    let callable = matches!(
                        a,
                        DeclKind::Predicate { .. }
                            | DeclKind::Function { .. }
                            | DeclKind::Procedure { .. }
                    );
                    if callable
                        && a != b
                        && std::mem::discriminant(&a) == std::mem::discriminant(&b)
                    {
                        let message = format!("`{}` is declared in another way before", name.name);
                        let mut error = Diagnostic::error("typechecker.error", name.at, message);
                        error.help = Some(
                            "parameters, modifiers and contracts of repeated headers are the same"
                                .into(),
                        );
                        if let Some(first) = first {
                            error = error.with_label(first, "it is declared here");
                        }
                        self.diagnostics.push(error);
                        return;
                    }
                    callable && a == b && !(one && two)
                }
            };
            if !allowed {
                self.again(name, first);
                return;
            }
        }
        if let Some(list) = self.seen.get_mut(&name.name) {
            list.push(decl);
        }
    }

    fn types(&mut self, program: &'p Program) {
        for decl in &program.decls {
            let (name, ty) = match &decl.kind {
                DeclKind::Type { name, alias: None } => (name, Type::Opaque(name.name.clone())),
                DeclKind::Type { name, alias: Some(to) } => {
                    self.aliases.insert(name.name.clone(), to);
                    continue;
                }
                DeclKind::Struct { name, .. } => (name, Type::Struct(name.name.clone())),
                DeclKind::Datatype { name, .. } => (name, Type::Datatype(name.name.clone())),
                _ => continue,
            };
            match (self.globals.types.get(&name.name), &ty) {
                (Some(_), Type::Opaque(_)) => {}
                _ => {
                    self.globals.types.insert(name.name.clone(), ty);
                }
            }
        }
        let mut names: Vec<Name> = self.aliases.keys().cloned().collect();
        names.sort();
        for name in names {
            let Some(to) = self.aliases.get(&name).copied() else { continue };
            let mut open = HashSet::from([name.clone()]);
            if let Some(ty) = self.alias(to, &mut open) {
                self.globals.types.insert(name, ty);
            }
        }
    }

    /// An alias is transparent.
    fn alias(&mut self, ty: &Written, open: &mut HashSet<Name>) -> Option<Type> {
        Some(match &ty.kind {
            TypeKind::Int => Type::Int,
            TypeKind::Bool => Type::Bool,
            TypeKind::Byte => Type::Byte,
            TypeKind::Set(of) => Type::Set(self.alias(of, open)?.into()),
            TypeKind::Array(of) => Type::Array(self.alias(of, open)?.into()),
            TypeKind::Cell(of) => Type::Cell(self.alias(of, open)?.into()),
            TypeKind::Map(k, v) => {
                Type::Map(self.alias(k, open)?.into(), self.alias(v, open)?.into())
            }
            TypeKind::Named(name) => match self.aliases.get(&name.name).copied() {
                Some(_) if !open.insert(name.name.clone()) => {
                    self.error(name.at.0, format!("the type `{}` is defined by itself", name.name));
                    return None;
                }
                Some(to) => {
                    let ty = self.alias(to, open);
                    open.remove(&name.name);
                    ty?
                }
                None => match self.globals.types.get(&name.name) {
                    Some(ty) => ty.clone(),
                    None => {
                        self.error(name.at.0, format!("there is no type `{}`", name.name));
                        return None;
                    }
                },
            },
        })
    }

    fn ty(&mut self, ty: &Written) -> Type {
        // Aliases are resolved by now: a name stands for its type.
        match &ty.kind {
            TypeKind::Int => Type::Int,
            TypeKind::Bool => Type::Bool,
            TypeKind::Byte => Type::Byte,
            TypeKind::Set(of) => Type::Set(self.ty(of).into()),
            TypeKind::Array(of) => Type::Array(self.ty(of).into()),
            TypeKind::Cell(of) => Type::Cell(self.ty(of).into()),
            TypeKind::Map(k, v) => Type::Map(self.ty(k).into(), self.ty(v).into()),
            TypeKind::Named(name) => match self.globals.types.get(&name.name) {
                Some(ty) => ty.clone(),
                // Whoever checks the declaration says so.
                None => Type::Opaque(name.name.clone()),
            },
        }
    }

    fn known(&mut self, ty: &Written) {
        match &ty.kind {
            TypeKind::Int | TypeKind::Bool | TypeKind::Byte => {}
            TypeKind::Set(of) | TypeKind::Array(of) | TypeKind::Cell(of) => self.known(of),
            TypeKind::Map(k, v) => {
                self.known(k);
                self.known(v);
            }
            TypeKind::Named(name) if !self.globals.types.contains_key(&name.name) => {
                let message = format!("there is no type `{}`", name.name);
                let mut error = Diagnostic::error("typechecker.error", name.at, message);
                let types = self.globals.types.keys().map(|n| &**n);
                if let Some(close) = super::closest(&name.name, types.chain(["Int", "Bool"])) {
                    error = error.with_help(format!("did you mean `{close}`?"));
                }
                self.diagnostics.push(error);
            }
            TypeKind::Named(_) => {}
        }
    }

    /// A field or constructor argument, which is a global name as well.
    fn member(&mut self, name: &Ident) -> bool {
        let taken = self.seen.contains_key(&name.name)
            || self.globals.core.fields.contains_key(&name.name)
            || self.globals.core.ctors.contains_key(&name.name)
            || self.globals.core.dtors.contains_key(&name.name);
        if taken {
            self.again(name, None);
        }
        !taken
    }

    fn declare(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Options(text) => {
                self.globals.core.options.push((text.to_string(), decl.at.0));
            }
            DeclKind::Struct { name, fields } => {
                if self.globals.core.structs.contains_key(&name.name) {
                    return;
                }
                let mut names: Vec<Name> = Vec::new();
                for field in fields {
                    self.known(&field.ty);
                    // The reference tool silently keeps the last of two fields of one name.
                    if self.member(&field.name) {
                        let ty = self.ty(&field.ty);
                        let ghost = field.ghost != ast::Ghost::No;
                        let field_name = field.name.name.clone();
                        let owner = name.name.clone();
                        self.globals
                            .core
                            .fields
                            .insert(field_name.clone(), core::Field { owner, ty, ghost });
                        names.push(field_name);
                    }
                }
                self.globals.core.structs.insert(name.name.clone(), names);
            }
            DeclKind::Datatype { name, ctors } => {
                let mut names = Vec::new();
                for ctor in ctors {
                    if !self.member(&ctor.name) {
                        continue;
                    }
                    let mut args = Vec::new();
                    for arg in &ctor.args {
                        self.known(&arg.ty);
                        if self.member(&arg.name) {
                            let place = (ctor.name.name.clone(), args.len());
                            self.globals.core.dtors.insert(arg.name.name.clone(), place);
                        }
                        args.push((arg.name.name.clone(), self.ty(&arg.ty)));
                    }
                    let ctor_decl = core::Ctor { datatype: name.name.clone(), args };
                    self.globals.core.ctors.insert(ctor.name.name.clone(), ctor_decl);
                    names.push(ctor.name.name.clone());
                }
                self.globals.core.datatypes.insert(name.name.clone(), names);
            }
            DeclKind::Var(var) => {
                self.known(&var.ty);
                let ty = self.ty(&var.ty);
                if var.ghost != ast::Ghost::No {
                    self.globals.core.ghost_globals.insert(var.name.name.clone());
                }
                self.globals.core.globals.insert(var.name.name.clone(), ty);
            }
            DeclKind::Const { name, ty } => {
                self.known(ty);
                let ty = self.ty(ty);
                let local = core::Local { name: "res".into(), ty: ty.clone(), ghost: false };
                let function = core::Function {
                    name: name.name.clone(),
                    pure: true,
                    locals: vec![local],
                    params: Vec::new(),
                    result: LocalId(0),
                    requires: Vec::new(),
                    ensures: Vec::new(),
                    body: None,
                    span: name.at.0,
                };
                self.globals.core.functions.insert(name.name.clone(), function);
                let returns = vec![(ast::Ghost::No, ty)];
                let signature = Signature { params: Vec::new(), returns };
                self.globals.signatures.insert(name.name.clone(), signature);
            }
            DeclKind::Predicate { pure, name, params, .. } => {
                self.signature(name, params, &[]);
                let predicate = core::Predicate {
                    name: name.name.clone(),
                    pure: *pure,
                    locals: Vec::new(),
                    params: Vec::new(),
                    spatial: !*pure,
                    body: None,
                    span: name.at.0,
                };
                self.globals.core.predicates.insert(name.name.clone(), predicate);
            }
            DeclKind::Function { pure, name, params, returns, .. } => {
                self.signature(name, params, returns);
                let function = core::Function {
                    name: name.name.clone(),
                    pure: *pure,
                    locals: Vec::new(),
                    params: Vec::new(),
                    result: LocalId(0),
                    requires: Vec::new(),
                    ensures: Vec::new(),
                    body: None,
                    span: name.at.0,
                };
                self.globals.core.functions.insert(name.name.clone(), function);
            }
            DeclKind::Procedure { kind, name, params, returns, .. } => {
                self.signature(name, params, returns);
                let procedure = core::Procedure {
                    name: name.name.clone(),
                    kind: *kind,
                    locals: Vec::new(),
                    params: Vec::new(),
                    returns: Vec::new(),
                    requires: Vec::new(),
                    ensures: Vec::new(),
                    body: None,
                    span: name.at.0,
                };
                self.globals.core.procedures.insert(name.name.clone(), procedure);
            }
            DeclKind::Include(_)
            | DeclKind::Axiom(_)
            | DeclKind::Type { .. }
            | DeclKind::Define { .. } => {}
        }
    }

    fn signature(&mut self, name: &Ident, params: &[ast::Var], returns: &[ast::Var]) {
        let mut types = |vars: &[ast::Var]| -> Vec<(ast::Ghost, Type)> {
            vars.iter().map(|v| (v.ghost, self.ty(&v.ty))).collect()
        };
        let (params, returns) = (types(params), types(returns));
        self.globals.signatures.insert(name.name.clone(), Signature { params, returns });
    }

    /// A predicate is spatial if its body is: if there is a spatial operator in it, or another spatial
    /// predicate, or itself; without a body it is, unless it is `pure`.
    fn spatial(&mut self, program: &Program) {
        let mut bodies: BTreeMap<Name, (bool, Option<&ast::Expr>)> = BTreeMap::new();
        for decl in &program.decls {
            if let DeclKind::Predicate { pure, name, body, .. } = &decl.kind {
                let entry = bodies.entry(name.name.clone()).or_insert((*pure, None));
                entry.1 = body.as_ref().or(entry.1);
            }
        }
        let mut known: HashMap<Name, bool> = HashMap::new();
        for name in bodies.keys() {
            let spatial = is_spatial(name, &bodies, &mut known, &mut HashSet::new());
            if let Some(predicate) = self.globals.core.predicates.get_mut(name) {
                predicate.spatial = spatial;
            }
        }
    }
}

fn is_spatial(
    name: &Name,
    bodies: &BTreeMap<Name, (bool, Option<&ast::Expr>)>,
    known: &mut HashMap<Name, bool>,
    open: &mut HashSet<Name>,
) -> bool {
    if let Some(known) = known.get(name) {
        return *known;
    }
    let Some((pure, body)) = bodies.get(name) else { return false };
    let spatial = match body {
        _ if *pure => false,
        None => true,
        Some(_) if !open.insert(name.clone()) => return true,
        Some(body) => {
            let spatial = says_spatial(body, &mut |p| is_spatial(p, bodies, known, open));
            open.remove(name);
            spatial
        }
    };
    known.insert(name.clone(), spatial);
    spatial
}

/// Is there something spatial in an expression?
fn says_spatial(e: &ast::Expr, predicate: &mut dyn FnMut(&Name) -> bool) -> bool {
    match &*e.kind {
        ExprKind::Emp => true,
        ExprKind::Binary(op, a, b) => {
            matches!(
                op,
                ast::BinOp::SepStar
                    | ast::BinOp::SepPlus
                    | ast::BinOp::SepIncl
                    | ast::BinOp::PointsTo
            ) || says_spatial(a, predicate)
                || says_spatial(b, predicate)
        }
        // Arguments are no assertions.
        ExprKind::Call(name, _) => &*name.name == "acc" || predicate(&name.name),
        ExprKind::Name(name) => predicate(&name.name),
        ExprKind::Quant(_, _, a) | ExprKind::Annotated(a, _) => says_spatial(a, predicate),
        ExprKind::Cond(_, a, b) => says_spatial(a, predicate) || says_spatial(b, predicate),
        _ => false,
    }
}
