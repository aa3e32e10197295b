//! Proofs that functions terminate.
//!
//! For a function `f` with a measure there are up to three methods: one that follows the evaluation
//! of the body, one for the postconditions, one for the preconditions. Nothing is computed in them;
//! they assert at every call that it terminates.

use std::sync::Arc;

use super::amounts;
use super::call_graph::{Components, Parts, recursive_functions};
use super::expressions::Evaluation;
use super::measures::{Blame, Call, Checks, Specification};
use super::nested;
use crate::core::rename::Renaming;
use crate::core::{
    Block, Expr, ExprKind, Function, FunctionId, Local, LocalId, Method, Program, Stmt, StmtKind,
};
use crate::plugins::build::{Names, fresh, local};

/// The proofs of all functions.
pub(super) fn proofs(program: &Program, names: &mut Names, checks: &mut Checks) -> Vec<Method> {
    let parts = Parts { contract: true, decreases: false, body: true };
    let recursive = recursive_functions(program, parts);
    let mut methods = Vec::new();
    for (i, function) in program.functions.iter().enumerate() {
        if Specification::new(&function.decreases).tuple.is_some() {
            let id = FunctionId(i as u32);
            let mut proofs = Proofs { program, recursive: &recursive, id, function, names, checks };
            methods.extend(proofs.of_body());
            methods.extend(proofs.of_posts());
            methods.extend(proofs.of_pres());
        }
    }
    methods
}

struct Proofs<'a> {
    program: &'a Program,
    recursive: &'a Components,
    id: FunctionId,
    function: &'a Function,
    names: &'a mut Names,
    checks: &'a mut Checks,
}

impl Proofs<'_> {
    fn evaluation(&mut self) -> Evaluation<'_> {
        Evaluation::new(
            Caller {
                program: self.program,
                recursive: self.recursive,
                id: self.id,
                specification: Specification::new(&self.function.decreases),
                checks: self.checks,
            },
            self.function.locals.clone(),
        )
    }

    fn of_body(&mut self) -> Option<Method> {
        let body = self.function.body.as_ref()?;
        let mut evaluation = self.evaluation();
        let stmts = evaluation.expr(body, false);
        let proof = evaluation.finish(stmts)?;
        self.method("termination_proof", proof, true)
    }

    fn of_posts(&mut self) -> Option<Method> {
        let (ty, pos) = (self.function.ty.clone(), self.function.pos);
        let posts = conjunction(&self.function.posts)?;
        let mut evaluation = self.evaluation();
        let result = fresh(&mut evaluation.locals, "result_value", ty.clone(), pos);
        let posts = posts.rewrite(&mut |e| match e.kind {
            ExprKind::Result => Some(local(result, ty.clone(), e.pos)),
            _ => None,
        });
        let mut stmts = evaluation.expr(&posts, false);
        if !stmts.is_empty() {
            stmts.insert(0, Stmt::new(StmtKind::Var(result), pos));
        }
        let proof = evaluation.finish(stmts)?;
        self.method("posts_termination_proof", proof, true)
    }

    fn of_pres(&mut self) -> Option<Method> {
        let pres = conjunction(&self.function.pres)?;
        let mut evaluation = self.evaluation();
        let stmts = evaluation.expr(&pres, true);
        let proof = evaluation.finish(stmts)?;
        self.method("pres_termination_proof", proof, false)
    }

    fn method(
        &mut self,
        name: &str,
        (mut locals, stmts): (Vec<Local>, Vec<Stmt>),
        assume_pres: bool,
    ) -> Option<Method> {
        let function = self.function;
        if !has_checks(&stmts) {
            return None;
        }
        let mut body = Block { stmts, pos: function.pos };
        let specification = Specification::new(&function.decreases);
        if assume_pres && specification.has_predicate_instances(self.program) {
            body = nested::add(self.program, body, &mut locals, self.checks);
        }
        let pres = if assume_pres { function.pres.clone() } else { Vec::new() };
        Some(Method {
            name: self.names.unique(&format!("{}_{name}", function.name)),
            locals,
            params: function.params,
            returns: 0,
            pres: pres.iter().map(amounts::erase).collect(),
            posts: Vec::new(),
            decreases: Vec::new(),
            labels: Vec::new(),
            body: Some(amounts::erase_in_block(body)),
            proof_of: Some(self.id),
            pos: function.pos,
            info: function.info.clone(),
        })
    }
}

fn conjunction(exprs: &[Arc<Expr>]) -> Option<Arc<Expr>> {
    let pos = exprs.first()?.pos;
    Some(Expr::conjunction(exprs.iter().cloned(), pos))
}

/// Is anything proven at all?
fn has_checks(stmts: &[Stmt]) -> bool {
    let mut found = false;
    for stmt in stmts {
        found = found || matches!(stmt.kind, StmtKind::Assert(_));
        stmt.for_each_block(|block| found = found || has_checks(&block.stmts));
    }
    found
}

/// The function whose termination is proven.
pub(super) struct Caller<'a> {
    pub(super) program: &'a Program,
    recursive: &'a Components,
    id: FunctionId,
    specification: Specification<'a>,
    checks: &'a mut Checks,
}

impl Caller<'_> {
    /// The checks of a call.
    pub(super) fn call(
        &mut self,
        callee: FunctionId,
        call: &Expr,
        args: &[Arc<Expr>],
        locals: &mut Vec<Local>,
    ) -> Vec<Stmt> {
        let function = self.program.function(callee);
        let mut renaming = Renaming::new(&function.locals, locals);
        renaming.replace_params(args.iter().cloned());
        let call = Call {
            program: self.program,
            caller: self.specification,
            callee: Specification::new(&function.decreases),
            recursive: self.recursive.together(self.id.index(), callee.index()),
            blame: Blame { what: "Function", pos: call.pos },
        };
        self.checks.call(&call, &mut renaming)
    }
}

/// A copy of bound variables as variables of their own.
pub(super) fn instantiate(vars: &[LocalId], locals: &mut Vec<Local>) -> Vec<(LocalId, LocalId)> {
    let copy = |var: &LocalId| {
        let id = LocalId(locals.len() as u32);
        locals.push(locals.get(var.index())?.clone());
        Some((*var, id))
    };
    vars.iter().filter_map(copy).collect()
}
