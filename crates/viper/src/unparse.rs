//! From the typed core back to surface syntax, so that a core program can be printed.
//!
//! The result is a valid program again. Names that are the same in the core but would clash in the
//! source (two variables in one scope, two destructors of different ADTs) are told apart with a
//! number ([`names`]). ADTs come out as the domains that stand for them, or as they were written
//! ([`source_program`]).

use crate::ast;
use crate::core;

mod expr;
mod names;
mod stmt;
#[cfg(test)]
mod tests;

use names::{Globals, Scope};

/// The surface syntax of a core program.
#[must_use]
pub fn program(program: &core::Program) -> ast::Program {
    members(&Globals::new(program))
}

/// The surface syntax of a core program on which no plugins ran: ADTs are ADTs again, as long as they
/// derive nothing.
#[must_use]
pub fn source_program(program: &core::Program) -> ast::Program {
    members(&Globals::of_source(program))
}

fn members(globals: &Globals<'_>) -> ast::Program {
    let program = globals.program;
    let mut members = Vec::new();
    for (i, domain) in program.domains.iter().enumerate() {
        let id = core::DomainId(i as u32);
        let kind = match &domain.adt {
            Some(adt) if globals.has_adts() && adt.contains.is_none() => {
                ast::MemberKind::Adt(unparse_adt(globals, id, domain, adt))
            }
            _ => ast::MemberKind::Domain(unparse_domain(globals, id, domain)),
        };
        members.push(member(kind, domain.pos, domain.info.as_deref()));
    }
    for (i, field) in program.fields.iter().enumerate() {
        let name = globals.field(core::FieldId(i as u32));
        let scope = Scope::new(globals, &[], &[]);
        let param = ast::Param { name, ty: scope.ty(&field.ty), at: field.pos.into() };
        let kind = ast::MemberKind::Fields(vec![param]);
        members.push(member(kind, field.pos, field.info.as_deref()));
    }
    for (i, function) in program.functions.iter().enumerate() {
        let name = globals.function(core::FunctionId(i as u32));
        let kind = ast::MemberKind::Function(unparse_function(globals, name, function));
        members.push(member(kind, function.pos, function.info.as_deref()));
    }
    for (i, predicate) in program.predicates.iter().enumerate() {
        let name = globals.predicate(core::PredicateId(i as u32));
        let kind = ast::MemberKind::Predicate(unparse_predicate(globals, name, predicate));
        members.push(member(kind, predicate.pos, predicate.info.as_deref()));
    }
    for (i, method) in program.methods.iter().enumerate() {
        let name = globals.method(core::MethodId(i as u32));
        let kind = ast::MemberKind::Method(unparse_method(globals, name, method));
        members.push(member(kind, method.pos, method.info.as_deref()));
    }
    ast::Program { members }
}

fn member(kind: ast::MemberKind, pos: report::Pos, info: Option<&core::Info>) -> ast::Member {
    ast::Member { annotations: annotations(info), kind, at: pos.into() }
}

fn annotations(info: Option<&core::Info>) -> Vec<ast::Annotation> {
    info.map(|info| info.annotations.clone()).unwrap_or_default()
}

fn unparse_domain(globals: &Globals<'_>, id: core::DomainId, domain: &core::Domain) -> ast::Domain {
    let mut items = Vec::new();
    for id in &domain.functions {
        let function = globals.program.domain_function(*id);
        let scope = Scope::of_domain(globals, domain, &[]);
        let params = function.params.iter().map(|(name, ty)| ast::DomainParam {
            name: name.clone().filter(|name| !globals.is_taken(name)).map(ast::Ident::new),
            ty: scope.ty(ty),
            at: ast::At::default(),
        });
        let kind = ast::DomainItemKind::Function(ast::DomainFunction {
            unique: function.unique,
            name: globals.domain_function(*id),
            params: params.collect(),
            ty: scope.ty(&function.ty),
            interpretation: function.interpretation.clone(),
        });
        let annotations = annotations(function.info.as_deref());
        items.push(ast::DomainItem { annotations, kind, at: function.pos.into() });
    }
    for (i, axiom) in domain.axioms.iter().enumerate() {
        let mut scope = Scope::of_domain(globals, domain, &axiom.locals);
        let name = axiom.name.as_ref().map(|_| globals.axiom(id, i));
        let kind = ast::DomainItemKind::Axiom { name, body: scope.expr(&axiom.body) };
        let annotations = annotations(axiom.info.as_deref());
        items.push(ast::DomainItem { annotations, kind, at: axiom.pos.into() });
    }
    let params = &domain.type_params;
    let interpretations = domain.interpretations.as_ref().map(|all| {
        let one = |(backend, value): &(ast::Name, ast::Name)| ast::Interpretation {
            backend: ast::Ident::new(backend.clone()),
            value: value.clone(),
        };
        all.iter().map(one).collect()
    });
    ast::Domain {
        name: globals.domain(id),
        type_params: (!params.is_empty())
            .then(|| params.iter().cloned().map(ast::Ident::new).collect()),
        interpretations,
        items,
    }
}

fn unparse_adt(
    globals: &Globals<'_>,
    id: core::DomainId,
    domain: &core::Domain,
    adt: &core::Adt,
) -> ast::Adt {
    let scope = Scope::of_domain(globals, domain, &[]);
    let constructor = |constructor: &core::Constructor| {
        let function = globals.program.domain_function(constructor.function);
        let destructors = constructor
            .destructors
            .iter()
            .map(|id| globals.spelled(*id).unwrap_or_else(|| globals.domain_function(*id)));
        let params = destructors.zip(&function.params);
        let param = |(name, (_, ty)): (ast::Ident, &(_, core::Type))| ast::Param {
            name,
            ty: scope.ty(ty),
            at: ast::At::default(),
        };
        ast::Constructor {
            name: globals.domain_function(constructor.function),
            params: params.map(param).collect(),
            at: function.pos.into(),
        }
    };
    let params = &domain.type_params;
    ast::Adt {
        name: globals.domain(id),
        type_params: (!params.is_empty())
            .then(|| params.iter().cloned().map(ast::Ident::new).collect()),
        constructors: adt.constructors.iter().map(constructor).collect(),
        derives: None,
    }
}

fn unparse_function(
    globals: &Globals<'_>,
    name: ast::Ident,
    function: &core::Function,
) -> ast::Function {
    let mut scope = Scope::new(globals, &function.locals, &[]);
    let params = scope.params(0..function.params);
    let contract = contract(&mut scope, &function.pres, &function.decreases, &function.posts);
    let body = function.body.as_ref().map(|body| scope.expr(body));
    ast::Function { name, params, ty: scope.ty(&function.ty), contract, body }
}

fn unparse_predicate(
    globals: &Globals<'_>,
    name: ast::Ident,
    predicate: &core::Predicate,
) -> ast::Predicate {
    let mut scope = Scope::new(globals, &predicate.locals, &[]);
    let params = scope.params(0..predicate.params);
    let body = predicate.body.as_ref().map(|body| scope.expr(body));
    ast::Predicate { name, params, body }
}

fn unparse_method(globals: &Globals<'_>, name: ast::Ident, method: &core::Method) -> ast::Method {
    let mut scope = Scope::new(globals, &method.locals, &method.labels);
    let params = scope.params(0..method.params);
    let returns = scope.params(method.params..method.params.saturating_add(method.returns));
    let contract = contract(&mut scope, &method.pres, &method.decreases, &method.posts);
    let body = method.body.as_ref().map(|body| scope.block(body));
    ast::Method { name, params, returns, contract, body }
}

fn contract(
    scope: &mut Scope<'_>,
    pres: &[std::sync::Arc<core::Expr>],
    decreases: &[core::Decreases],
    posts: &[std::sync::Arc<core::Expr>],
) -> Vec<ast::Spec> {
    let mut specs = Vec::new();
    for e in pres {
        let kind = ast::SpecKind::Requires(scope.expr(e));
        specs.push(ast::Spec { kind, at: e.pos.into() });
    }
    specs.extend(decreases.iter().map(|clause| scope.decreases(clause)));
    for e in posts {
        let kind = ast::SpecKind::Ensures(scope.expr(e));
        specs.push(ast::Spec { kind, at: e.pos.into() });
    }
    specs
}

/// An expression of a member with these variables and labels, as a user would write it.
#[must_use]
pub fn expr_text(
    program: &core::Program,
    locals: &[core::Local],
    labels: &[ast::Name],
    e: &std::sync::Arc<core::Expr>,
) -> String {
    let globals = Globals::of_source(program);
    crate::print::expr(&Scope::new(&globals, locals, labels).expr(e))
}

/// A resource without a permission to it: `x.f`, `P(x)`.
#[must_use]
pub fn resource_text(
    program: &core::Program,
    locals: &[core::Local],
    labels: &[ast::Name],
    resource: &core::Resource,
) -> String {
    let globals = Globals::of_source(program);
    crate::print::expr(&Scope::new(&globals, locals, labels).resource(resource))
}
