//! `#P(x)`: the instance of a predicate as a value.
//!
//! It is the value of a function `PI_P` without a body whose precondition is a wildcard amount of
//! the predicate, so that it is known only while the predicate is held, and stays the same exactly
//! as long as what the predicate holds stays the same.

use std::sync::Arc;

use report::{Diagnostic, Pos};

use super::build::{Names, local};
use crate::ast::Name;
use crate::core::{
    DomainId, Expr, ExprKind, Function, FunctionId, Info, LocalId, MappedReason, Node, PredicateId,
    Program, ReportAs, Resource, Type,
};

/// The domain whose values are predicate instances.
pub(super) const DOMAIN: &str = "PredicateInstance";

/// Replaces all predicate instances and declares the functions they need.
pub(super) fn apply(program: &mut Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut used = false;
    for_each_instance(program, |_| used = true);
    if !used {
        return;
    }
    let Some(domain) = program.find_domain(DOMAIN) else {
        let message = "Predicate instances need the domain `PredicateInstance`.";
        for_each_instance(program, |pos| {
            let help = "Add `import <predicateinstance/pi.vpr>`.";
            diagnostics.push(Diagnostic::error("consistency.error", pos, message).with_help(help));
        });
        return;
    };
    let mut instances = Instances::new(program, domain);
    let mut rewritten = program.clone();
    rewritten.map_exprs(&mut |e| instances.replace(e));
    rewritten.functions.append(&mut instances.functions);
    *program = rewritten;
}

/// Reports all predicate instances as errors.
pub(super) fn refuse(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    for_each_instance(program, |pos| {
        let message = "A predicate instance is used, but predicate instances are switched off.";
        diagnostics.push(Diagnostic::error("consistency.error", pos, message));
    });
}

fn for_each_instance(program: &Program, mut f: impl FnMut(Pos)) {
    program.walk_exprs(&mut |e| {
        if matches!(e.kind, ExprKind::PredicateInstance(..)) {
            f(e.pos);
        }
        true
    });
}

struct Instances<'p> {
    program: &'p Program,
    ty: Type,
    names: Names,
    /// By predicate.
    declared: Vec<Option<FunctionId>>,
    functions: Vec<Function>,
}

impl<'p> Instances<'p> {
    fn new(program: &'p Program, domain: DomainId) -> Instances<'p> {
        Instances {
            program,
            ty: Type::Domain(domain, [].into()),
            names: Names::new(program),
            declared: vec![None; program.predicates.len()],
            functions: Vec::new(),
        }
    }

    fn replace(&mut self, e: &Arc<Expr>) -> Arc<Expr> {
        let e = e.map_children(|child| self.replace(child));
        let ExprKind::PredicateInstance(predicate, args) = &e.kind else { return e };
        let kind = ExprKind::Call(self.function(*predicate, e.pos), args.clone());
        let report = ReportAs::Error {
            id: "predicateinstance.no.access".into(),
            reason: MappedReason::InsufficientPermission,
            pos: e.pos,
            message: "The predicate of this instance might not be held.".into(),
        };
        let info = Info { report: Some(report), ..e.info.as_deref().cloned().unwrap_or_default() };
        Node { kind, ty: self.ty.clone(), pos: e.pos, info: Some(Arc::new(info)) }.into_expr()
    }

    fn function(&mut self, id: PredicateId, pos: Pos) -> FunctionId {
        if let Some(Some(function)) = self.declared.get(id.index()) {
            return *function;
        }
        let function = FunctionId((self.program.functions.len() + self.functions.len()) as u32);
        let predicate = self.program.predicate(id);
        let params = predicate.params;
        let locals: Vec<_> = predicate.locals.iter().take(params as usize).cloned().collect();
        let args = locals
            .iter()
            .enumerate()
            .map(|(i, param)| local(LocalId(i as u32), param.ty.clone(), pos))
            .collect();
        let wildcard = Expr::new(ExprKind::WildcardPerm, Type::Perm, pos);
        let held = ExprKind::Acc(Resource::Predicate(id, args, pos), Some(wildcard));
        let name: Name = self.names.unique(&format!("PI_{}", predicate.name));
        self.functions.push(Function {
            name,
            locals,
            params,
            ty: self.ty.clone(),
            pres: vec![Expr::new(held, Type::Bool, pos)],
            posts: Vec::new(),
            decreases: Vec::new(),
            body: None,
            pos: predicate.pos,
            info: None,
        });
        if let Some(slot) = self.declared.get_mut(id.index()) {
            *slot = Some(function);
        }
        function
    }
}
