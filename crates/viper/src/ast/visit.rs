//! Traversal of the surface syntax tree.

use crate::ast::{
    Block, Else, Expr, ExprKind, Ident, If, Measure, MemberKind, Name, Param, Spec, SpecKind, Stmt,
    StmtKind, Type, TypeKind,
};

/// A node that [`walk_block`] visits.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// A statement.
    Stmt(&'a Stmt),
    /// A type.
    Type(&'a Type),
}

macro_rules! children {
    ($kind:expr, $f:ident, $iter:ident) => {
        match $kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Result
            | ExprKind::None
            | ExprKind::Write
            | ExprKind::Wildcard
            | ExprKind::Epsilon
            | ExprKind::Name(_)
            | ExprKind::New(_) => {}
            ExprKind::Unary(_, a)
            | ExprKind::Field(a, _)
            | ExprKind::Perm(a)
            | ExprKind::Old(_, a)
            | ExprKind::Size(a)
            | ExprKind::MapDomain(a)
            | ExprKind::MapRange(a)
            | ExprKind::Annotated(_, a) => $f(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Unfolding(a, b)
            | ExprKind::Applying(a, b)
            | ExprKind::Asserting(a, b)
            | ExprKind::InhaleExhale(a, b)
            | ExprKind::Range(a, b)
            | ExprKind::Index(a, b)
            | ExprKind::Let { value: a, body: b, .. } => {
                $f(a);
                $f(b);
            }
            ExprKind::Cond(a, b, c) | ExprKind::Update(a, b, c) => {
                $f(a);
                $f(b);
                $f(c);
            }
            ExprKind::Chain(first, rest) => {
                $f(first);
                for (_, e) in rest.$iter() {
                    $f(e);
                }
            }
            ExprKind::Call { args, .. } | ExprKind::PredicateInstance { args, .. } => {
                args.$iter().for_each($f);
            }
            ExprKind::Collection { elems, .. } => elems.$iter().for_each($f),
            ExprKind::Acc { loc, amount } => {
                $f(loc);
                if let Some(amount) = amount {
                    $f(amount);
                }
            }
            ExprKind::Quant { triggers, body, .. } => {
                for trigger in triggers.$iter() {
                    for e in trigger.exprs.$iter() {
                        $f(e);
                    }
                }
                $f(body);
            }
            ExprKind::ForPerm { resource, body, .. } => {
                $f(resource);
                $f(body);
            }
            ExprKind::Map { entries, .. } => {
                for (key, value) in entries.$iter() {
                    $f(key);
                    $f(value);
                }
            }
            ExprKind::Slice(base, from, to) => {
                $f(base);
                if let Some(from) = from {
                    $f(from);
                }
                if let Some(to) = to {
                    $f(to);
                }
            }
        }
    };
}

/// Calls `f` on the direct subexpressions, in source order.
pub fn for_each_child<'a>(e: &'a Expr, f: &mut impl FnMut(&'a Expr)) {
    children!(&*e.kind, f, iter);
}

/// Calls `f` on the direct subexpressions, in source order.
pub fn for_each_child_mut(e: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    children!(&mut *e.kind, f, iter_mut);
}

/// Calls `f` on the name in the node itself that is not part of a list.
pub(crate) fn for_each_ident_mut(e: &mut Expr, f: &mut impl FnMut(&mut Ident)) {
    if let ExprKind::Field(_, ident)
    | ExprKind::Call { callee: ident, .. }
    | ExprKind::PredicateInstance { predicate: ident, .. }
    | ExprKind::Let { var: ident, .. } = &mut *e.kind
    {
        f(ident);
    }
}

/// Calls `f` on an expression and all its subexpressions, outer ones first.
pub fn walk_expr<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    f(e);
    for_each_child(e, &mut |child| walk_expr(child, f));
}

/// Calls `f` on all statements, expressions and types of a block, outer ones first.
pub fn walk_block<'a>(block: &'a Block, f: &mut impl FnMut(Node<'a>)) {
    for stmt in &block.stmts {
        walk_stmt(stmt, f);
    }
}

fn walk_type<'a>(ty: &'a Type, f: &mut impl FnMut(Node<'a>)) {
    f(Node::Type(ty));
    match &ty.kind {
        TypeKind::Int | TypeKind::Bool | TypeKind::Perm | TypeKind::Ref => {}
        TypeKind::Seq(t) | TypeKind::Set(t) | TypeKind::Multiset(t) => walk_type(t, f),
        TypeKind::Map(k, v) => {
            walk_type(k, f);
            walk_type(v, f);
        }
        TypeKind::Named { args, .. } => {
            for arg in args.iter().flatten() {
                walk_type(arg, f);
            }
        }
        TypeKind::Macro { args, .. } => args.iter().for_each(|e| walk_in_expr(e, f)),
    }
}

fn walk_in_expr<'a>(e: &'a Expr, f: &mut impl FnMut(Node<'a>)) {
    walk_expr(e, &mut |e| f(Node::Expr(e)));
}

fn walk_specs<'a>(specs: &'a [Spec], f: &mut impl FnMut(Node<'a>)) {
    for spec in specs {
        match &spec.kind {
            SpecKind::Requires(e) | SpecKind::Ensures(e) | SpecKind::Invariant(e) => {
                walk_in_expr(e, f);
            }
            SpecKind::Decreases(d) => {
                if let Measure::Tuple(exprs) = &d.measure {
                    exprs.iter().for_each(|e| walk_in_expr(e, f));
                }
                if let Some(condition) = &d.condition {
                    walk_in_expr(condition, f);
                }
            }
        }
    }
}

fn walk_if<'a>(i: &'a If, f: &mut impl FnMut(Node<'a>)) {
    walk_in_expr(&i.cond, f);
    walk_block(&i.then, f);
    match &i.otherwise {
        Some(Else::Block(b)) => walk_block(b, f),
        Some(Else::If(i, _)) => walk_if(i, f),
        None => {}
    }
}

fn walk_stmt<'a>(stmt: &'a Stmt, f: &mut impl FnMut(Node<'a>)) {
    f(Node::Stmt(stmt));
    match &stmt.kind {
        StmtKind::Assign { targets, value } => {
            targets.iter().for_each(|e| walk_in_expr(e, f));
            walk_in_expr(value, f);
        }
        StmtKind::Call(e)
        | StmtKind::Inhale(e)
        | StmtKind::Exhale(e)
        | StmtKind::Assert(e)
        | StmtKind::Assume(e)
        | StmtKind::Refute(e)
        | StmtKind::Fold(e)
        | StmtKind::Unfold(e)
        | StmtKind::Apply(e) => walk_in_expr(e, f),
        StmtKind::Var { vars, init } => {
            vars.iter().for_each(|v| walk_type(&v.ty, f));
            init.iter().for_each(|e| walk_in_expr(e, f));
        }
        StmtKind::Package { wand, script } => {
            walk_in_expr(wand, f);
            script.iter().for_each(|b| walk_block(b, f));
        }
        StmtKind::If(i) => walk_if(i, f),
        StmtKind::While { cond, specs, body } => {
            walk_in_expr(cond, f);
            walk_specs(specs, f);
            walk_block(body, f);
        }
        StmtKind::Goto(_) | StmtKind::Define(_) => {}
        StmtKind::Label { invariants, .. } => walk_specs(invariants, f),
        StmtKind::Quasihavoc { cond, resource } => {
            cond.iter().for_each(|e| walk_in_expr(e, f));
            walk_in_expr(resource, f);
        }
        StmtKind::QuasihavocAll { vars, cond, resource } => {
            vars.iter().for_each(|v| walk_type(&v.ty, f));
            cond.iter().for_each(|e| walk_in_expr(e, f));
            walk_in_expr(resource, f);
        }
        StmtKind::Block(b) => walk_block(b, f),
        StmtKind::Annotated(_, s) => walk_stmt(s, f),
    }
}

/// Calls `f` on all statements of a block, outer ones first.
pub fn walk_stmts<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in &block.stmts {
        walk_stmts_in(stmt, f);
    }
}

fn walk_stmts_in<'a>(stmt: &'a Stmt, f: &mut dyn FnMut(&'a Stmt)) {
    f(stmt);
    match &stmt.kind {
        StmtKind::Block(b)
        | StmtKind::While { body: b, .. }
        | StmtKind::Package { script: Some(b), .. } => walk_stmts(b, f),
        StmtKind::If(i) => {
            let mut next = Some(i);
            while let Some(i) = next {
                walk_stmts(&i.then, f);
                next = match &i.otherwise {
                    Some(Else::If(i, _)) => Some(i),
                    Some(Else::Block(b)) => {
                        walk_stmts(b, f);
                        None
                    }
                    None => None,
                };
            }
        }
        StmtKind::Annotated(_, s) => walk_stmts_in(s, f),
        _ => {}
    }
}

fn declared_in_expr(e: &Expr, f: &mut impl FnMut(&Name)) {
    walk_expr(e, &mut |e| match &*e.kind {
        ExprKind::Let { var, .. } => f(&var.name),
        ExprKind::Quant { vars, .. } | ExprKind::ForPerm { vars, .. } => {
            vars.iter().for_each(|v| f(&v.name.name));
        }
        _ => {}
    });
}

/// Calls `f` on the name of every argument, result, local and bound variable and label of a member.
pub fn each_declared_name(kind: &MemberKind, f: &mut impl FnMut(&Name)) {
    let params = |params: &[Param], f: &mut dyn FnMut(&Name)| {
        params.iter().for_each(|p| f(&p.name.name));
    };
    let specs = |specs: &[Spec], f: &mut dyn FnMut(&Name)| {
        walk_specs(specs, &mut |node| {
            if let Node::Expr(e) = node {
                bound_names(e, f);
            }
        });
    };
    match kind {
        MemberKind::Import(_)
        | MemberKind::Define(_)
        | MemberKind::Fields(_)
        | MemberKind::Adt(_) => {}
        MemberKind::Domain(domain) => {
            for item in &domain.items {
                if let crate::ast::DomainItemKind::Axiom { body, .. } = &item.kind {
                    declared_in_expr(body, f);
                }
            }
        }
        MemberKind::Function(function) => {
            params(&function.params, f);
            specs(&function.contract, f);
            function.body.iter().for_each(|e| declared_in_expr(e, f));
        }
        MemberKind::Predicate(predicate) => {
            params(&predicate.params, f);
            predicate.body.iter().for_each(|e| declared_in_expr(e, f));
        }
        MemberKind::Method(method) => {
            params(&method.params, f);
            params(&method.returns, f);
            specs(&method.contract, f);
            if let Some(body) = &method.body {
                walk_block(body, &mut |node| match node {
                    Node::Expr(e) => bound_names(e, f),
                    Node::Stmt(s) => match &s.kind {
                        StmtKind::Var { vars, .. } | StmtKind::QuasihavocAll { vars, .. } => {
                            vars.iter().for_each(|v| f(&v.name.name));
                        }
                        StmtKind::Label { name, .. } => f(&name.name),
                        _ => {}
                    },
                    Node::Type(_) => {}
                });
            }
        }
    }
}

/// The names that one node binds.
fn bound_names(e: &Expr, f: &mut dyn FnMut(&Name)) {
    match &*e.kind {
        ExprKind::Let { var, .. } => f(&var.name),
        ExprKind::Quant { vars, .. } | ExprKind::ForPerm { vars, .. } => {
            vars.iter().for_each(|v| f(&v.name.name));
        }
        _ => {}
    }
}
