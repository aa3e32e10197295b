//! The standard library, embedded in the binary, and what of it is imported without being asked.

use std::collections::HashSet;

use report::FileId;

use crate::ast::{ExprKind, Measure, Member, MemberKind, Name, Program, Spec, SpecKind, StmtKind};
use crate::core;
use crate::visit::Node;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// The files, by the name under which they are imported.
        const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../stdlib/", $name)))),*];
    };
}

files! {
    "adt/contains.vpr",
    "adt/derives.vpr",
    "decreases/all.vpr",
    "decreases/bool.vpr",
    "decreases/declaration.vpr",
    "decreases/int.vpr",
    "decreases/multiset.vpr",
    "decreases/perm.vpr",
    "decreases/predicate_instance.vpr",
    "decreases/predicate_instance_nested.vpr",
    "decreases/rational.vpr",
    "decreases/ref.vpr",
    "decreases/seq.vpr",
    "decreases/set.vpr",
    "predicateinstance/pi.vpr",
}

/// The text of a file.
pub(crate) fn get(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// The names under which files can be imported.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The domains of standard files and of what they import, without those the program has already.
pub(crate) fn missing_domains(files: &[&str], program: &Program) -> Vec<Member> {
    let mut present: HashSet<Name> =
        program.members.iter().filter_map(domain_name).cloned().collect();
    let mut seen = HashSet::new();
    let mut pending: Vec<String> = files.iter().map(|f| (*f).to_string()).collect();
    let mut members = Vec::new();
    while let Some(file) = pending.pop() {
        let Some(text) = get(&file).filter(|_| seen.insert(file.clone())) else { continue };
        // No source map has this file: positions in the library are of no use to anybody.
        let parsed = crate::parser::parse(FileId(u32::MAX), text);
        for member in parsed.program.members {
            if let MemberKind::Import(import) = &member.kind {
                let folder = if import.standard { "" } else { file.rsplit_once('/').map_or("", |(f, _)| f) };
                pending.push(if folder.is_empty() {
                    import.path.to_string()
                } else {
                    format!("{folder}/{}", import.path)
                });
            } else if domain_name(&member).is_some_and(|name| present.insert(name.clone())) {
                members.push(member);
            }
        }
    }
    members
}

fn domain_name(member: &Member) -> Option<&Name> {
    match &member.kind {
        MemberKind::Domain(domain) => Some(&domain.name.name),
        _ => None,
    }
}

/// Do measures use predicates, whose instances need a domain?
pub(crate) fn measures_use_predicates(program: &Program) -> bool {
    let predicates: HashSet<&Name> = program
        .members
        .iter()
        .filter_map(|m| match &m.kind {
            MemberKind::Predicate(p) => Some(&p.name.name),
            _ => None,
        })
        .collect();
    if predicates.is_empty() {
        return false;
    }
    let in_specs = |specs: &[Spec]| {
        specs.iter().any(|spec| match &spec.kind {
            SpecKind::Decreases(d) => match &d.measure {
                Measure::Tuple(exprs) => exprs.iter().any(|e| {
                    let e = if let ExprKind::Acc { loc, .. } = &*e.kind { loc } else { e };
                    match &*e.kind {
                        ExprKind::Call { callee, .. } => predicates.contains(&callee.name),
                        ExprKind::PredicateInstance { .. } => true,
                        _ => false,
                    }
                }),
                Measure::Wildcard | Measure::Star => false,
            },
            _ => false,
        })
    };
    program.members.iter().any(|m| match &m.kind {
        MemberKind::Function(f) => in_specs(&f.contract),
        MemberKind::Method(m) => {
            let mut found = in_specs(&m.contract);
            if let Some(body) = &m.body {
                crate::visit::walk_block(body, &mut |node| {
                    if let Node::Stmt(stmt) = node
                        && let StmtKind::While { specs, .. } = &stmt.kind
                    {
                        found = found || in_specs(specs);
                    }
                });
            }
            found
        }
        _ => false,
    })
}

/// The standard files with the orders that the measures of a program need and that it does not
/// have. A domain with the name of an order keeps that order from being imported.
pub(crate) fn missing_orders(program: &core::Program) -> Vec<&'static str> {
    let mut files = Vec::new();
    let has = |name: &str| program.find_domain(name).is_some();
    let mut need = |ty: &core::Type| {
        let (file, missing) = match ty {
            core::Type::Int => ("decreases/int.vpr", !has("IntWellFoundedOrder")),
            core::Type::Ref => ("decreases/ref.vpr", !has("RefWellFoundedOrder")),
            core::Type::Bool => ("decreases/bool.vpr", !has("BoolWellFoundedOrder")),
            core::Type::Perm => (
                "decreases/perm.vpr",
                !has("PermWellFoundedOrder") && !has("RationalWellFoundedOrder"),
            ),
            core::Type::Multiset(_) => {
                ("decreases/multiset.vpr", !has("MultiSetWellFoundedOrder"))
            }
            core::Type::Seq(_) => ("decreases/seq.vpr", !has("SeqWellFoundedOrder")),
            core::Type::Set(_) => ("decreases/set.vpr", !has("SetWellFoundedOrder")),
            core::Type::Map(_) | core::Type::Domain(..) | core::Type::Param(_) => {
                ("decreases/declaration.vpr", !has("WellFoundedOrder"))
            }
        };
        if missing && !files.contains(&file) {
            files.push(file);
        }
    };
    let mut measure = |decreases: &core::Decreases| {
        if let core::Measure::Tuple(exprs) = &decreases.measure {
            exprs.iter().for_each(|e| need(&e.ty));
        }
    };
    for function in &program.functions {
        function.decreases.iter().for_each(&mut measure);
    }
    for method in &program.methods {
        method.decreases.iter().for_each(&mut measure);
        if let Some(body) = &method.body {
            body.walk_stmts(&mut |stmt| {
                if let core::StmtKind::While { decreases, .. } = &stmt.kind {
                    decreases.iter().for_each(&mut measure);
                }
                true
            });
        }
    }
    files
}
