//! `define m(a) { e }`: arguments replace names. As in the reference tool nothing is renamed, so a
//! name in an argument may be captured by a quantifier of the macro.

use std::collections::HashMap;

use report::Diagnostic;

use crate::ast::{
    Annotation, Decl, DeclKind, Expr, ExprKind, Ident, Name, Program, Range, Stmt, StmtKind,
};

/// So many nodes may come out of macros.
const MAX_SIZE: usize = 100_000;

/// Macros in macros, at most so deep.
const MAX_DEPTH: usize = 100;

struct Macro<'p> {
    params: &'p [Ident],
    body: &'p Expr,
}

/// The program without macros.
#[must_use]
pub fn expand(program: &Program) -> (Program, Vec<Diagnostic>) {
    let mut macros = HashMap::new();
    for decl in &program.decls {
        if let DeclKind::Define { name, params, body } = &decl.kind {
            macros.insert(name.name.clone(), Macro { params, body });
        }
    }
    let mut expander = Expander { macros, active: Vec::new(), size: 0, diagnostics: Vec::new() };
    let mut decls = Vec::new();
    for decl in &program.decls {
        decls.push(expander.decl(decl));
    }
    (Program { decls }, expander.diagnostics)
}

struct Expander<'p> {
    macros: HashMap<Name, Macro<'p>>,
    active: Vec<Name>,
    size: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Expander<'_> {
    fn decl(&mut self, decl: &Decl) -> Decl {
        let mut decl = decl.clone();
        if self.macros.is_empty() {
            return decl;
        }
        match &mut decl.kind {
            DeclKind::Axiom(e) => *e = self.expr(e),
            DeclKind::Predicate { contracts, body, .. }
            | DeclKind::Function { contracts, body, .. } => {
                for contract in contracts {
                    contract.expr = self.expr(&contract.expr);
                }
                if let Some(body) = body {
                    *body = self.expr(body);
                }
            }
            DeclKind::Procedure { contracts, body, .. } => {
                for contract in contracts {
                    contract.expr = self.expr(&contract.expr);
                }
                if let Some(body) = body {
                    self.stmt(body);
                }
            }
            _ => {}
        }
        decl
    }

    fn all(&mut self, exprs: &mut [Expr]) {
        for e in exprs {
            *e = self.expr(e);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Block(stmts) | StmtKind::Choose(stmts) => {
                stmts.iter_mut().for_each(|s| self.stmt(s));
            }
            StmtKind::Var { values, .. } => {
                if let Some(values) = values {
                    self.all(values);
                }
            }
            StmtKind::Assign(targets, values) => {
                self.all(targets);
                self.all(values);
            }
            StmtKind::AssignString(e, _)
            | StmtKind::Call(e)
            | StmtKind::Free(e)
            | StmtKind::Assume(_, e)
            | StmtKind::Split(e) => *e = self.expr(e),
            StmtKind::Havoc(es) | StmtKind::Return(es) => self.all(es),
            StmtKind::Assert { expr, proof, .. } => {
                *expr = self.expr(expr);
                if let Some(proof) = proof {
                    self.stmt(proof);
                }
            }
            StmtKind::If(cond, then, otherwise) => {
                *cond = self.expr(cond);
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            StmtKind::While { cond, invariants, body } => {
                *cond = self.expr(cond);
                for invariant in invariants {
                    invariant.expr = self.expr(&invariant.expr);
                }
                self.stmt(body);
            }
        }
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        if let ExprKind::Call(name, args) = &*e.kind
            && self.macros.contains_key(&name.name)
        {
            let args: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
            return self.apply(name, &args).unwrap_or_else(|| e.clone());
        }
        map_children(e, &mut |child| self.expr(child))
    }

    fn apply(&mut self, name: &Ident, args: &[Expr]) -> Option<Expr> {
        let Macro { params, body } = self.macros.get(&name.name)?;
        let (params, body) = (*params, *body);
        let problem = if params.len() != args.len() {
            Some(format!(
                "macro `{}` takes {} argument{}, but {} given",
                name.name,
                params.len(),
                if params.len() == 1 { "" } else { "s" },
                match args.len() {
                    1 => "1 is".to_owned(),
                    n => format!("{n} are"),
                }
            ))
        } else if self.active.contains(&name.name) || self.active.len() > MAX_DEPTH {
            Some(format!("macro `{}` is defined by itself", name.name))
        } else if self.size > MAX_SIZE {
            Some(format!("macros expand to more than {MAX_SIZE} expressions"))
        } else {
            None
        };
        if let Some(problem) = problem {
            // Once is enough where it happens over and over.
            if !self.diagnostics.iter().any(|d| d.message == problem) {
                self.diagnostics.push(Diagnostic::error("typechecker.error", name.at, problem));
            }
            return None;
        }
        let map: HashMap<Name, &Expr> =
            params.iter().map(|p| p.name.clone()).zip(args.iter()).collect();
        let replaced = self.substitute(body, &map);
        self.active.push(name.name.clone());
        let mut result = self.expr(&replaced);
        self.active.pop();
        // Whatever is wrong with it is wrong where it is used.
        result.at = name.at;
        Some(result)
    }

    fn substitute(&mut self, e: &Expr, map: &HashMap<Name, &Expr>) -> Expr {
        self.size += 1;
        if self.size > MAX_SIZE {
            return e.clone();
        }
        match &*e.kind {
            ExprKind::Name(name) => match map.get(&name.name) {
                Some(arg) => {
                    self.size += size(arg);
                    (*arg).clone()
                }
                None => e.clone(),
            },
            // A field is a name, too.
            ExprKind::Dot(object, field) if map.contains_key(&field.name) => {
                let object = self.substitute(object, map);
                match map.get(&field.name) {
                    Some(Expr { kind, .. }) if matches!(**kind, ExprKind::Name(_)) => {
                        let ExprKind::Name(to) = &**kind else { return e.clone() };
                        Expr { kind: Box::new(ExprKind::Dot(object, to.clone())), at: e.at }
                    }
                    Some(arg) => {
                        Expr { kind: Box::new(ExprKind::Index((*arg).clone(), object)), at: e.at }
                    }
                    None => e.clone(),
                }
            }
            _ => map_children(e, &mut |child| self.substitute(child, map)),
        }
    }
}

fn size(e: &Expr) -> usize {
    let mut count = 1;
    each_child(e, &mut |child| count += size(child));
    count
}

fn each_child(e: &Expr, f: &mut dyn FnMut(&Expr)) {
    let _ = map_children(e, &mut |child| {
        f(child);
        child.clone()
    });
}

/// The expression with its direct subexpressions replaced.
pub(crate) fn map_children(e: &Expr, f: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
    let mut kind = (*e.kind).clone();
    match &mut kind {
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Byte(_)
        | ExprKind::Null
        | ExprKind::Emp
        | ExprKind::Name(_)
        | ExprKind::New(_) => {}
        ExprKind::Call(_, args) | ExprKind::Set(_, args) => {
            args.iter_mut().for_each(|a| *a = f(a));
        }
        ExprKind::Dot(a, _)
        | ExprKind::Cell(a)
        | ExprKind::Comprehension(_, _, a)
        | ExprKind::NewArray(_, a)
        | ExprKind::Unary(_, a) => *a = f(a),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
            *a = f(a);
            *b = f(b);
        }
        ExprKind::Update(a, b, c) | ExprKind::Cond(a, b, c) => {
            *a = f(a);
            *b = f(b);
            *c = f(c);
        }
        ExprKind::Chain(first, rest) => {
            *first = f(first);
            rest.iter_mut().for_each(|(_, e)| *e = f(e));
        }
        ExprKind::Quant(_, binders, body) => {
            for binder in binders {
                if let Range::Set(set) = &mut binder.range {
                    *set = f(set);
                }
            }
            *body = f(body);
        }
        ExprKind::Annotated(a, annotation) => {
            *a = f(a);
            match annotation {
                Annotation::Matching(terms, yields) => {
                    terms.iter_mut().for_each(|(t, _)| *t = f(t));
                    *yields = f(yields);
                }
                Annotation::Pattern(t) => *t = f(t),
                Annotation::Comment(_) | Annotation::Noinst(_) => {}
            }
        }
    }
    Expr { kind: Box::new(kind), at: e.at }
}
