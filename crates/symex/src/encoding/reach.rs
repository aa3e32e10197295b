//! What a unit may mention, found before it starts: so that everything can be declared at once, and
//! nothing else is.

use std::collections::HashSet;
use std::sync::Arc;

use viper::core::{
    Block, Expr, ExprKind, FieldId, FunctionId, Local, MethodId, PredicateId, Resource, StmtKind,
};

use super::Encoding;

/// What was visited, and what is still to be.
#[derive(Default)]
struct Reach<'p> {
    functions: HashSet<FunctionId>,
    predicates: HashSet<PredicateId>,
    fields: HashSet<FieldId>,
    contracts: HashSet<MethodId>,
    pending: Vec<&'p Arc<Expr>>,
}

impl<'p> Encoding<'p> {
    /// Registers what a method may mention.
    pub fn register_method(&mut self, id: MethodId) {
        let method = self.program.method(id);
        let mut reach = Reach::default();
        reach.contracts.insert(id);
        self.register_locals(&method.locals);
        reach.pending.extend(method.pres.iter().chain(&method.posts));
        if let Some(body) = &method.body {
            self.register_block(&mut reach, body);
        }
        self.register(reach);
    }

    /// Registers what a predicate may mention.
    pub fn register_predicate(&mut self, id: PredicateId) {
        let mut reach = Reach::default();
        self.reach_predicate(&mut reach, id);
        self.register(reach);
    }

    /// Registers what functions may mention.
    pub fn register_functions(&mut self, group: &[FunctionId]) {
        let mut reach = Reach::default();
        for id in group {
            let function = self.program.function(*id);
            self.register_locals(&function.locals);
            reach.pending.extend(function.posts.iter().chain(&function.body));
            self.reach_function(&mut reach, *id);
        }
        self.register(reach);
    }

    fn register_locals(&mut self, locals: &[Local]) {
        for local in locals {
            self.sort(&local.ty);
        }
    }

    fn register_block(&mut self, reach: &mut Reach<'p>, body: &'p Block) {
        body.walk_stmts(&mut |stmt| {
            stmt.for_each_expr(|e| reach.pending.push(e));
            match &stmt.kind {
                StmtKind::FieldAssign(_, field, _) => self.reach_field(reach, *field),
                StmtKind::New(_, fields) => {
                    fields.iter().for_each(|field| self.reach_field(reach, *field));
                }
                StmtKind::Call { method, .. } if reach.contracts.insert(*method) => {
                    let method = self.program.method(*method);
                    let visible = (method.params + method.returns) as usize;
                    self.register_locals(&method.locals[..visible]);
                    reach.pending.extend(method.pres.iter().chain(&method.posts));
                }
                StmtKind::Fold(access) | StmtKind::Unfold(access) => {
                    self.reach_predicate(reach, access.predicate);
                }
                StmtKind::Quasihavoc(_, resource) | StmtKind::QuasihavocAll(_, _, resource) => {
                    self.reach_resource(reach, resource);
                }
                _ => {}
            }
            true
        });
    }

    fn register(&mut self, mut reach: Reach<'p>) {
        while let Some(e) = reach.pending.pop() {
            self.sort(&e.ty);
            match &e.kind {
                ExprKind::Field(_, field) => self.reach_field(&mut reach, *field),
                ExprKind::Call(function, _) => self.reach_function(&mut reach, *function),
                ExprKind::DomainCall(function, _, types) => {
                    self.domain_function(*function, types);
                }
                ExprKind::Acc(resource, _) | ExprKind::Perm(resource) => {
                    self.reach_resource(&mut reach, resource);
                }
                ExprKind::ForPerm(_, resource, _) => self.reach_resource(&mut reach, resource),
                ExprKind::Unfolding(access, _) => {
                    self.reach_predicate(&mut reach, access.predicate);
                }
                _ => {}
            }
            e.for_each_child(|child| reach.pending.push(child));
        }
    }

    fn reach_resource(&mut self, reach: &mut Reach<'p>, resource: &Resource) {
        match resource {
            Resource::Field(_, field, _) => self.reach_field(reach, *field),
            Resource::Predicate(predicate, ..) => self.reach_predicate(reach, *predicate),
            Resource::Wand(_) => {}
        }
    }

    fn reach_field(&mut self, reach: &mut Reach<'p>, field: FieldId) {
        if reach.fields.insert(field) {
            let sort = self.field_sort(field);
            self.require_wrapper(sort);
        }
    }

    fn reach_function(&mut self, reach: &mut Reach<'p>, id: FunctionId) {
        if reach.functions.insert(id) {
            let function = self.program.function(id);
            self.function(id);
            // Preconditions are evaluated where the function is called.
            reach.pending.extend(&function.pres);
        }
    }

    fn reach_predicate(&mut self, reach: &mut Reach<'p>, id: PredicateId) {
        if reach.predicates.insert(id) {
            let predicate = self.program.predicate(id);
            self.register_locals(&predicate.locals);
            self.predicate_trigger(id);
            reach.pending.extend(&predicate.body);
        }
    }
}
