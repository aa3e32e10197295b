//! Which `decreases` clauses, and which recursion without them, are allowed at all.

use std::sync::Arc;

use report::{Diagnostic, Pos};

use super::ORDER_DOMAIN;
use super::call_graph::{Components, Parts, calls_of_function, recursive_functions};
use crate::core::{
    Decreases, Domain, Expr, ExprKind, Function, Measure, OldState, Program, StmtKind, Type,
};
use crate::plugins::predicate_instance;

const ERROR: &str = "consistency.error";

/// Errors and warnings about termination measures that need no proof.
#[must_use]
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for function in &program.functions {
        check_clauses(&function.decreases, &mut diagnostics);
    }
    for method in &program.methods {
        check_clauses(&method.decreases, &mut diagnostics);
        check_labels(&method.decreases, &mut diagnostics);
        if let Some(body) = &method.body {
            body.walk_stmts(&mut |stmt| {
                if let StmtKind::While { decreases, .. } = &stmt.kind {
                    check_clauses(decreases, &mut diagnostics);
                }
                true
            });
        }
    }
    check_measures_do_not_recurse(program, &mut diagnostics);
    check_postconditions(program, &mut diagnostics);
    check_names_of_orders(program, &mut diagnostics);
    diagnostics
}

fn check_clauses(clauses: &[Decreases], diagnostics: &mut Vec<Diagnostic>) {
    for (i, first) in clauses.iter().enumerate() {
        let (mut before, mut after) = (clauses.iter().take(i), clauses.iter().skip(i + 1));
        if before.any(|other| same_kind(first, other)) {
            continue;
        }
        if let Some(second) = after.find(|other| same_kind(first, other)) {
            let name = match first.measure {
                Measure::Tuple(_) => "tuple",
                Measure::Wildcard => "wildcard",
                Measure::Star => "star",
            };
            let message = format!("There is more than one `decreases` {name} here.");
            let error = Diagnostic::error(ERROR, first.pos, message);
            diagnostics.push(error.with_label(second.pos, "the second one"));
        }
    }
    for clause in clauses {
        if let Measure::Tuple(elems) = &clause.measure {
            for elem in elems {
                if elem.is_pure() {
                    check_measure(elem, diagnostics);
                } else {
                    impure(elem, diagnostics);
                }
            }
        }
        for condition in clause.condition.iter().filter(|condition| !condition.is_pure()) {
            impure(condition, diagnostics);
        }
        clause.for_each_expr(|e| check_amounts(e, diagnostics));
    }
}

fn same_kind(a: &Decreases, b: &Decreases) -> bool {
    std::mem::discriminant(&a.measure) == std::mem::discriminant(&b.measure)
}

fn impure(e: &Expr, diagnostics: &mut Vec<Diagnostic>) {
    let message = "Termination measures and their conditions must be pure.";
    diagnostics.push(Diagnostic::error(ERROR, e.pos, message));
}

/// The labels of a callee are not those of its caller.
fn check_labels(clauses: &[Decreases], diagnostics: &mut Vec<Diagnostic>) {
    let mut check = |e: &Arc<Expr>| {
        e.walk(&mut |e| {
            if let ExprKind::Old(OldState::Label(_), _) = e.kind {
                let message = "Termination measures of methods must not refer to labels.";
                diagnostics.push(Diagnostic::error(ERROR, e.pos, message));
            }
            true
        });
    };
    clauses.iter().for_each(|clause| clause.for_each_expr(&mut check));
}

/// Who calls, or begins an iteration, has other permissions than what is called or the next
/// iteration; so what `perm` tells here and there cannot be compared.
fn check_amounts(e: &Arc<Expr>, diagnostics: &mut Vec<Diagnostic>) {
    e.walk(&mut |e| {
        let held = matches!(e.kind, ExprKind::Perm(_) | ExprKind::ForPerm(..));
        if held {
            let message = "Termination measures must not depend on how much permission is held.";
            diagnostics.push(Diagnostic::error(ERROR, e.pos, message));
        }
        !held
    });
}

/// A measure must have one value; a condition in it may be anything.
fn check_measure(e: &Arc<Expr>, diagnostics: &mut Vec<Diagnostic>) {
    match &e.kind {
        ExprKind::InhaleExhale(..) => {
            let message = "An inhale-exhale assertion cannot be a termination measure.";
            diagnostics.push(Diagnostic::error(ERROR, e.pos, message));
        }
        ExprKind::Cond(_, a, b) => {
            check_measure(a, diagnostics);
            check_measure(b, diagnostics);
        }
        ExprKind::Applying(_, body) | ExprKind::Unfolding(_, body) => {
            check_measure(body, diagnostics);
        }
        ExprKind::Perm(_) => {}
        _ => e.for_each_child(|child| check_measure(child, diagnostics)),
    }
}

/// The measure of a function must not depend on the function.
fn check_measures_do_not_recurse(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let everything = Parts { contract: true, decreases: true, body: true };
    let measure = Parts { contract: false, decreases: true, body: false };
    for (i, function) in program.functions.iter().enumerate() {
        let mut open = calls_of_function(program, i, measure);
        let mut reached = vec![false; program.functions.len()];
        while let Some(callee) = open.pop() {
            if let Some(seen @ false) = reached.get_mut(callee) {
                *seen = true;
                open.extend(calls_of_function(program, callee, everything));
            }
        }
        if reached.get(i) == Some(&true) {
            let message = format!("Function `{}` recurses through its own measure.", function.name);
            diagnostics.push(Diagnostic::error(ERROR, function.pos, message));
        }
    }
}

/// Without a measure, a postcondition must not speak about functions that call this one: that it
/// means anything would not be proven.
fn check_postconditions(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let bodies = Parts { contract: false, decreases: false, body: true };
    let recursive = recursive_functions(program, bodies);
    for (i, function) in program.functions.iter().enumerate() {
        if function.decreases.is_empty() {
            check_posts_of(program, i, function, &recursive, diagnostics);
        }
    }
}

fn check_posts_of(
    program: &Program,
    index: usize,
    function: &Function,
    recursive: &Components,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut calls: Vec<&Arc<Expr>> = Vec::new();
    for post in &function.posts {
        post.walk(&mut |e| {
            let ExprKind::Call(callee, _) = e.kind else { return true };
            if !recursive.together(index, callee.index()) {
                return true;
            }
            if !calls.contains(&e) {
                calls.push(e);
            }
            false
        });
    }
    for call in calls {
        let ExprKind::Call(callee, args) = &call.kind else { continue };
        let name = &function.name;
        let error = if callee.index() == index {
            let message = format!(
                "The postcondition of `{name}` calls `{name}`, which must be shown to be \
                 well-founded."
            );
            let unchanged = args
                .iter()
                .enumerate()
                .all(|(i, arg)| matches!(arg.kind, ExprKind::Local(id) if id.index() == i));
            let help = if unchanged {
                "Use `result` for the value of the function."
            } else {
                "Add a `decreases` clause."
            };
            Diagnostic::error(ERROR, call.pos, message).with_help(help)
        } else {
            let other = &program.function(*callee).name;
            let message = format!(
                "The postcondition of `{name}` calls `{other}`, which calls `{name}`; this must \
                 be shown to be well-founded."
            );
            Diagnostic::error(ERROR, call.pos, message).with_help("Add a `decreases` clause.")
        };
        diagnostics.push(error);
    }
}

/// What `decreasing` and `bounded` mean for a type belongs into a domain named for it, which takes
/// the place of the one in the standard library.
fn check_names_of_orders(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let Some(order) = program.find_domain(ORDER_DOMAIN) else { return };
    for domain in program.domains.iter().filter(|d| d.name.as_str() != ORDER_DOMAIN) {
        let mut constrained: Vec<Type> = Vec::new();
        for axiom in &domain.axioms {
            axiom.body.walk(&mut |e| {
                if let ExprKind::DomainCall(function, _, types) = &e.kind
                    && program.domain_function(*function).domain == order
                    && let Some(ty) = types.first()
                    && !constrained.contains(ty)
                {
                    constrained.push(ty.clone());
                }
                true
            });
        }
        for ty in constrained {
            if let Some(warning) = misnamed(program, domain, &ty) {
                diagnostics.push(warning);
            }
        }
    }
}

fn misnamed(program: &Program, domain: &Domain, ty: &Type) -> Option<Diagnostic> {
    let names: &[&str] = match ty {
        Type::Int => &["Int"],
        Type::Bool => &["Bool"],
        Type::Ref => &["Ref"],
        Type::Perm => &["Perm", "Rational"],
        Type::Seq(_) => &["Seq"],
        Type::Set(_) => &["Set"],
        Type::Multiset(_) => &["Multiset", "MultiSet"],
        Type::Map(_) => &["Map"],
        Type::Domain(id, _) => {
            let name = program.domain(*id).name.as_str();
            if name == predicate_instance::DOMAIN { &["PredicateInstances"] } else { &[name] }
        }
        Type::Param(_) => return None,
    };
    let prefix = domain.name.strip_suffix(ORDER_DOMAIN);
    if prefix.is_some_and(|prefix| names.contains(&prefix)) {
        return None;
    }
    let name = names.first()?;
    let message = format!(
        "Domain `{}` gives an order for type `{name}`; it should be named `{name}{ORDER_DOMAIN}`.",
        domain.name
    );
    Some(Diagnostic::warning("typechecker.warning", pos_of_name(domain), message))
}

fn pos_of_name(domain: &Domain) -> Pos {
    domain.pos.point()
}
