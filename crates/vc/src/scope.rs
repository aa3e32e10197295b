//! What the goals of a procedure can be about.
//!
//! A file has definitions that a procedure has nothing to do with. Of those nothing is told: neither what a change of the
//! heap leaves of them, nor paths by fields that only they follow. This loses no proof, since no goal mentions them.

use std::collections::BTreeSet;

use spl::core::{
    Clause, Expr, ExprKind, LocalId, Name, ProcKind, Procedure, Program, StmtKind, Type,
};

use crate::definitions::{Definitions, Domain, used, whole_fields};
use crate::ending;
use crate::translate::HeapVar;

#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Predicates and functions.
    pub names: BTreeSet<Name>,
    /// Fields by which paths matter.
    pub paths: BTreeSet<Name>,
    /// Two links of which something is said for all locations, `x.next.prev`: the second may lead back.
    pub back: BTreeSet<(Name, Name)>,
}

impl Scope {
    /// The scope of a procedure: its text, contracts of what it calls, axioms and lemmas, and all that these rest on. Proofs
    /// that must end may also use lengths of paths that nothing mentions.
    pub fn new(
        program: &Program,
        definitions: &Definitions,
        procedure: &Procedure,
        mut ends: bool,
    ) -> Scope {
        let mut scope = Scope::default();
        let calls: BTreeSet<Name> = procedure.body.iter().flat_map(ending::calls).collect();
        let others = program.procedures.values();
        let others = others.filter(|p| calls.contains(&p.name) || p.kind == ProcKind::AutoLemma);
        for one in others.chain([procedure]) {
            scope.add_all(&one.requires);
            scope.add_all(&one.ensures);
        }
        program.axioms.iter().for_each(|axiom| scope.add(&axiom.expr));
        if let Some(body) = &procedure.body {
            body.walk(&mut |stmt| {
                stmt.each_expr(&mut |e| scope.add(e));
                ends |= matches!(stmt.kind, StmtKind::Assert(_, _, Some(_)));
            });
        }
        // The postcondition of a function is verified as that of a procedure without a body.
        if program.functions.contains_key(&procedure.name) {
            scope.names.insert(procedure.name.clone());
        }
        let mut pending: Vec<Name> = scope.names.iter().cloned().collect();
        while let Some(name) = pending.pop() {
            let before = scope.names.clone();
            scope.add_definition(program, definitions, &name);
            pending.extend(scope.names.difference(&before).cloned());
        }
        let ghosts = program.fields.iter().filter(|(_, field)| field.ghost);
        scope.paths.extend(ghosts.map(|(name, _)| name.clone()));
        if ends {
            scope.paths.extend(definitions.paths.iter().cloned());
        }
        scope
    }

    fn add(&mut self, e: &Expr) {
        self.names.extend(used(e));
        whole_fields(e, &mut self.paths);
        e.walk(&mut |e| {
            if let ExprKind::Quant(_, vars, body) = &*e.kind {
                body.walk(&mut |e| self.back.extend(two_links(e, vars)));
            }
        });
    }

    fn add_all(&mut self, clauses: &[Clause]) {
        clauses.iter().for_each(|clause| self.add(&clause.expr));
    }

    /// What a definition says, and where it is one.
    fn add_definition(&mut self, program: &Program, definitions: &Definitions, name: &Name) {
        if let Some(predicate) = program.predicates.get(name) {
            predicate.body.iter().for_each(|body| self.add(body));
        }
        if let Some(function) = program.functions.get(name) {
            self.add_all(&function.requires);
            self.add_all(&function.ensures);
            function.body.iter().for_each(|body| self.add(body));
        }
        let known = definitions.domains.get(name);
        let regions = definitions.regions.get(name);
        for domain in known.into_iter().chain(regions).flatten() {
            match domain {
                Domain::Holds { predicate, .. } => {
                    self.names.insert(predicate.clone());
                }
                Domain::Path { field, .. } => {
                    self.paths.insert(field.clone());
                }
                Domain::Everywhere | Domain::Truth | Domain::Required => {}
            }
        }
        // Before it is known where a function is defined, any path may say so.
        let is_function = !definitions.footprints.contains_key(name);
        if known.is_none() && is_function && definitions.recursive.contains(name) {
            let reads = definitions.reads.get(name).into_iter().flatten();
            self.paths.extend(reads.filter_map(|var| match var {
                HeapVar::Field(field) => Some(field.clone()),
                _ => None,
            }));
        }
    }
}

/// The fields of `x.f.g`, if they are links of one type and `x` is one of the variables.
fn two_links(e: &Expr, vars: &[LocalId]) -> Option<(Name, Name)> {
    let link = |e: &Expr| -> Option<(Name, Expr)> {
        let ExprKind::Read(map, at) = &*e.kind else { return None };
        let ExprKind::Field(name) = &*map.kind else { return None };
        (at.ty == e.ty && matches!(e.ty, Type::Struct(_))).then(|| (name.clone(), at.clone()))
    };
    let (second, at) = link(e)?;
    let (first, at) = link(&at)?;
    matches!(&*at.kind, ExprKind::Local(local) if vars.contains(local)).then_some((first, second))
}
