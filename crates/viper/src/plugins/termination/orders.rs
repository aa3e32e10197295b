//! Orders from the standard library, where a measure needs one that the program does not have.

use std::io;
use std::path::Path;
use std::sync::Arc;

use report::SourceMap;

use super::ORDER_DOMAIN;
use crate::check;
use crate::core::{Decreases, DomainFunctionId, Expr, ExprKind, Measure, Program, StmtKind, Type};
use crate::loader::{Files, load_text};
use crate::plugins::build::library_function;
use crate::plugins::{merge, predicate_instance};

/// `decreasing` of the order domain; a function of this name in another domain means something else.
pub(in crate::plugins) fn decreasing(program: &Program) -> Option<DomainFunctionId> {
    let params = [Type::Param(0), Type::Param(0)];
    library_function(program, (ORDER_DOMAIN, 1), "decreasing", &params)
}

/// `bounded` of the order domain.
pub(in crate::plugins) fn bounded(program: &Program) -> Option<DomainFunctionId> {
    library_function(program, (ORDER_DOMAIN, 1), "bounded", &[Type::Param(0)])
}

/// `nestedPredicates`, in whichever domain.
pub(super) fn nested_predicates(program: &Program) -> Option<DomainFunctionId> {
    let instance = Type::Domain(program.find_domain(predicate_instance::DOMAIN)?, [].into());
    let params = [instance.clone(), instance];
    let named = program.find_domain_function("nestedPredicates")?;
    let domain = program.domain(program.domain_function(named).domain);
    library_function(program, (&domain.name, 0), "nestedPredicates", &params)
}

/// Adds what is missing.
pub(in crate::plugins) fn add(program: &mut Program) {
    let imports = missing(program);
    if imports.is_empty() {
        return;
    }
    if let Some(library) = library(&imports) {
        merge::add_domains(program, &library);
    }
}

/// The files of the standard library with the orders that the measures of the program need, except
/// those that it declares itself.
fn missing(program: &Program) -> Vec<&'static str> {
    let mut imports = Vec::new();
    for_each_measure(program, &mut |elem| {
        let (file, domains): (_, &[&str]) = match (&elem.kind, &elem.ty) {
            (ExprKind::PredicateInstance(..), _) => {
                ("decreases/predicate_instance.vpr", &["PredicateInstancesWellFoundedOrder"])
            }
            (_, Type::Int) => ("decreases/int.vpr", &["IntWellFoundedOrder"]),
            (_, Type::Bool) => ("decreases/bool.vpr", &["BoolWellFoundedOrder"]),
            (_, Type::Ref) => ("decreases/ref.vpr", &["RefWellFoundedOrder"]),
            (_, Type::Perm) => {
                ("decreases/perm.vpr", &["PermWellFoundedOrder", "RationalWellFoundedOrder"])
            }
            (_, Type::Seq(_)) => ("decreases/seq.vpr", &["SeqWellFoundedOrder"]),
            (_, Type::Set(_)) => ("decreases/set.vpr", &["SetWellFoundedOrder"]),
            (_, Type::Multiset(_)) => ("decreases/multiset.vpr", &["MultiSetWellFoundedOrder"]),
            (_, Type::Map(_) | Type::Domain(..) | Type::Param(_)) => {
                ("decreases/declaration.vpr", &[ORDER_DOMAIN])
            }
        };
        let declared = domains.iter().any(|name| program.find_domain(name).is_some());
        if !declared && !imports.contains(&file) {
            imports.push(file);
        }
    });
    imports
}

fn for_each_measure(program: &Program, f: &mut dyn FnMut(&Arc<Expr>)) {
    let mut clauses = |clauses: &[Decreases]| {
        for clause in clauses {
            if let Measure::Tuple(elems) = &clause.measure {
                elems.iter().for_each(&mut *f);
            }
        }
    };
    program.functions.iter().for_each(|function| clauses(&function.decreases));
    for method in &program.methods {
        clauses(&method.decreases);
        if let Some(body) = &method.body {
            body.walk_stmts(&mut |stmt| {
                if let StmtKind::While { decreases, .. } = &stmt.kind {
                    clauses(decreases);
                }
                true
            });
        }
    }
}

/// The program that consists of these files of the standard library.
fn library(files: &[&str]) -> Option<Program> {
    let imports: String = files.iter().map(|file| format!("import <{file}>\n")).collect();
    let mut sources = SourceMap::new();
    let root = sources.add("imports", imports);
    let loaded = load_text(&NoFiles, &mut sources, root, Path::new("imports"));
    check(&loaded.program).program
}

/// The standard library imports nothing else.
struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}
