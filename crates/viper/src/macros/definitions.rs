//! What can be said about macros before any is expanded: whether there is something to expand,
//! which names a definition uses, and whether definitions use themselves.

use std::collections::HashSet;

use report::Diagnostic;

use crate::ast::{
    Block, Define, DefineBody, Expr, ExprKind, MemberKind, Name, OldLabel, Program, StmtKind, Type,
    TypeKind,
};

/// Does the program define macros, or call something on the left-hand side of `:=`, which only
/// macros may be?
pub(super) fn needs_expansion(program: &Program) -> bool {
    program.members.iter().any(|m| match &m.kind {
        MemberKind::Define(_) => true,
        MemberKind::Method(method) => {
            method.body.as_ref().is_some_and(|b| has_local_macro(b) || assigns_to_call(b))
        }
        _ => false,
    })
}

fn assigns_to_call(block: &Block) -> bool {
    let mut found = false;
    crate::ast::visit::walk_stmts(block, &mut |stmt| {
        if let StmtKind::Assign { targets, .. } = &stmt.kind {
            found |= targets.iter().any(|t| matches!(*t.kind, ExprKind::Call { .. }));
        }
    });
    found
}

fn has_local_macro(block: &Block) -> bool {
    let mut found = false;
    crate::ast::visit::walk_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Define(_))
    });
    found
}

/// The names that a macro must not have.
pub(super) fn global_names(program: &Program) -> HashSet<Name> {
    let mut names = HashSet::new();
    for member in &program.members {
        match &member.kind {
            MemberKind::Domain(d) => names.insert(d.name.name.clone()),
            MemberKind::Function(f) => names.insert(f.name.name.clone()),
            MemberKind::Predicate(p) => names.insert(p.name.name.clone()),
            MemberKind::Method(m) => names.insert(m.name.name.clone()),
            MemberKind::Adt(a) => names.insert(a.name.name.clone()),
            _ => false,
        };
    }
    names
}

pub(super) fn warn_unused_params(define: &Define, diagnostics: &mut Vec<Diagnostic>) {
    let Some(params) = &define.params else { return };
    let mut used = HashSet::new();
    each_name(define, &mut |name| {
        used.insert(name.clone());
    });
    if let DefineBody::Block(body) = &define.body {
        // A parameter can be the name of a label.
        crate::ast::visit::walk_stmts(body, &mut |stmt| {
            if let StmtKind::Label { name, .. } = &stmt.kind {
                used.insert(name.name.clone());
            }
        });
    }
    let unused: Vec<_> = params
        .iter()
        .filter(|p| !used.contains(&p.name))
        .map(|p| format!("`{}`", p.name))
        .collect();
    if !unused.is_empty() {
        diagnostics.push(Diagnostic::warning(
            "parser.warning",
            define.at.0,
            format!("the macro `{}` does not use {}", define.name.name, unused.join(", ")),
        ));
    }
}

/// A macro that, in the end, uses itself, among `name` and those that it uses.
pub(super) fn recursive_macro<'a>(
    name: &Name,
    find: &impl Fn(&Name) -> Option<&'a Define>,
) -> Option<&'a Define> {
    fn visit<'a>(
        define: &'a Define,
        find: &impl Fn(&Name) -> Option<&'a Define>,
        path: &mut Vec<Name>,
        done: &mut HashSet<Name>,
    ) -> Option<&'a Define> {
        if path.contains(&define.name.name) {
            return Some(define);
        }
        if !done.insert(define.name.name.clone()) {
            return None;
        }
        path.push(define.name.name.clone());
        let mut used = Vec::new();
        each_name(define, &mut |name| used.extend(find(name)));
        let found = used.into_iter().find_map(|d| visit(d, find, path, done));
        path.pop();
        found
    }
    visit(find(name)?, find, &mut Vec::new(), &mut HashSet::new())
}

/// Every name in the body, whatever it means.
fn each_name(define: &Define, f: &mut impl FnMut(&Name)) {
    match &define.body {
        DefineBody::Expr(e) => each_name_in_expr(e, f),
        DefineBody::Type(ty) => each_name_in_type(ty, f),
        DefineBody::Block(b) => each_name_in_block(b, f),
    }
}

fn each_name_in_type(ty: &Type, f: &mut impl FnMut(&Name)) {
    match &ty.kind {
        TypeKind::Int | TypeKind::Bool | TypeKind::Perm | TypeKind::Ref => {}
        TypeKind::Seq(t) | TypeKind::Set(t) | TypeKind::Multiset(t) => each_name_in_type(t, f),
        TypeKind::Map(k, v) => {
            each_name_in_type(k, f);
            each_name_in_type(v, f);
        }
        TypeKind::Named { name, args } => {
            f(&name.name);
            args.iter().flatten().for_each(|t| each_name_in_type(t, f));
        }
        TypeKind::Macro { name, args } => {
            f(&name.name);
            args.iter().for_each(|e| each_name_in_expr(e, f));
        }
    }
}

fn each_name_in_expr(e: &Expr, f: &mut impl FnMut(&Name)) {
    crate::ast::visit::walk_expr(e, &mut |e| own_names(e, f));
}

fn own_names(e: &Expr, f: &mut impl FnMut(&Name)) {
    match &*e.kind {
        ExprKind::Name(n) => f(n),
        ExprKind::Call { callee, .. } => f(&callee.name),
        ExprKind::Field(_, field) => f(&field.name),
        ExprKind::PredicateInstance { predicate, .. } => f(&predicate.name),
        ExprKind::Old(Some(OldLabel::Label(l)), _) => f(&l.name),
        ExprKind::New(Some(fields)) => fields.iter().for_each(|i| f(&i.name)),
        _ => {}
    }
}

fn each_name_in_block(b: &Block, f: &mut impl FnMut(&Name)) {
    crate::ast::visit::walk_block(b, &mut |node| match node {
        crate::ast::visit::Node::Expr(e) => own_names(e, f),
        crate::ast::visit::Node::Stmt(s) => {
            if let StmtKind::Goto(name) = &s.kind {
                f(&name.name);
            }
        }
        crate::ast::visit::Node::Type(t) => {
            if let TypeKind::Named { name, .. } = &t.kind {
                f(&name.name);
            }
        }
    });
}
