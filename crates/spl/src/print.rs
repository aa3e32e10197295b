//! Programs as text that parses back to the same tree.

use std::fmt::Write as _;

use crate::ast::{
    Annotation, BinOp, CHAIN, Contract, ContractKind, Ctor, DeclKind, Expr, ExprKind, Ghost,
    Invariant, Mods, PREFIX, ProcKind, Program, Quantifier, Range, Stmt, StmtKind, Type, TypeKind,
    UnOp, Var,
};

/// The level of a whole expression: quantifiers, conditionals, annotations.
const WHOLE: u8 = 0;
/// The level of what needs no parentheses before a `.` or `[`.
const POSTFIX: u8 = PREFIX + 1;

/// A program.
#[must_use]
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for (index, decl) in program.decls.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        declaration(&decl.kind, &mut out);
    }
    out
}

/// An expression.
#[must_use]
pub fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    expression(expr, WHOLE, &mut out);
    out
}

/// A type.
#[must_use]
pub fn ty(ty: &Type) -> String {
    let mut out = String::new();
    type_(ty, &mut out);
    out
}

fn declaration(decl: &DeclKind, out: &mut String) {
    match decl {
        DeclKind::Include(path) => writeln!(out, "include \"{path}\";"),
        DeclKind::Options(text) => writeln!(out, "options \"{text}\";"),
        DeclKind::Axiom(e) => writeln!(out, "axiom {};", expr(e)),
        DeclKind::Type { name, alias: None } => writeln!(out, "type {};", name.name),
        DeclKind::Type { name, alias: Some(to) } => {
            writeln!(out, "type {} = {};", name.name, ty(to))
        }
        DeclKind::Datatype { name, ctors } => {
            let ctor = |c: &Ctor| {
                if c.args.is_empty() {
                    c.name.name.to_string()
                } else {
                    format!("{}({})", c.name.name, params(&c.args))
                }
            };
            let ctors: Vec<String> = ctors.iter().map(ctor).collect();
            writeln!(out, "datatype {} = {};", name.name, ctors.join(" | "))
        }
        DeclKind::Struct { name, fields } => {
            let _ = writeln!(out, "struct {} {{", name.name);
            for field in fields {
                let ghost = if field.ghost == Ghost::No { "" } else { "ghost " };
                let _ = writeln!(out, "  {ghost}var {}: {};", field.name.name, ty(&field.ty));
            }
            writeln!(out, "}}")
        }
        DeclKind::Var(var) => {
            let ghost = if var.ghost == Ghost::No { "" } else { "ghost " };
            writeln!(out, "{ghost}var {}: {};", var.name.name, ty(&var.ty))
        }
        DeclKind::Const { name, ty: t } => writeln!(out, "const {}: {};", name.name, ty(t)),
        DeclKind::Define { name, params, body } => {
            let params: Vec<&str> = params.iter().map(|p| &*p.name).collect();
            writeln!(out, "define {}({}) {{\n  {}\n}}", name.name, params.join(", "), expr(body))
        }
        DeclKind::Predicate { pure, name, params: ps, contracts, body } => {
            let pure = if *pure { "pure " } else { "" };
            let _ = write!(out, "{pure}predicate {}({})", name.name, params(ps));
            clauses(contracts, out);
            expr_body(body.as_ref(), out);
            Ok(())
        }
        DeclKind::Function { pure, name, params: ps, returns, contracts, body } => {
            let pure = if *pure { "pure " } else { "" };
            let (ps, returns) = (params(ps), params(returns));
            let _ = write!(out, "{pure}function {}({ps}) returns ({returns})", name.name);
            clauses(contracts, out);
            expr_body(body.as_ref(), out);
            Ok(())
        }
        DeclKind::Procedure { kind, name, params: ps, returns, contracts, body } => {
            let kind = match kind {
                ProcKind::Procedure => "procedure",
                ProcKind::Lemma => "lemma",
                ProcKind::AutoLemma => "auto lemma",
            };
            let _ = write!(out, "{kind} {}({})", name.name, params(ps));
            if !returns.is_empty() {
                let _ = write!(out, " returns ({})", params(returns));
            }
            clauses(contracts, out);
            out.push('\n');
            if let Some(body) = body {
                statement(body, 0, out);
            }
            Ok(())
        }
    }
    .unwrap_or_default();
}

fn clauses(contracts: &[Contract], out: &mut String) {
    for contract in contracts {
        let kind = match contract.kind {
            ContractKind::Requires => "requires",
            ContractKind::Ensures => "ensures",
        };
        let _ = write!(out, "\n  {}{kind} {};", mods(contract.mods), expr(&contract.expr));
    }
}

fn expr_body(body: Option<&Expr>, out: &mut String) {
    match body {
        Some(body) => {
            let _ = writeln!(out, "\n{{\n  {}\n}}", expr(body));
        }
        None => out.push('\n'),
    }
}

fn mods(mods: Mods) -> &'static str {
    match (mods.pure, mods.free) {
        (true, true) => "pure free ",
        (true, false) => "pure ",
        (false, true) => "free ",
        (false, false) => "",
    }
}

fn params(params: &[Var]) -> String {
    let param = |var: &Var| {
        let ghost = match var.ghost {
            Ghost::No => "",
            Ghost::Ghost => "ghost ",
            Ghost::Implicit => "implicit ghost ",
        };
        format!("{ghost}{}: {}", var.name.name, ty(&var.ty))
    };
    params.iter().map(param).collect::<Vec<_>>().join(", ")
}

fn type_(ty: &Type, out: &mut String) {
    let mut of = |name: &str, args: &[&Type]| {
        out.push_str(name);
        out.push('<');
        for (index, arg) in args.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            type_(arg, out);
        }
        out.push('>');
    };
    match &ty.kind {
        TypeKind::Int => out.push_str("Int"),
        TypeKind::Bool => out.push_str("Bool"),
        TypeKind::Byte => out.push_str("Byte"),
        TypeKind::Named(name) => out.push_str(&name.name),
        TypeKind::Set(of_) => of("Set", &[of_]),
        TypeKind::Map(k, v) => of("Map", &[k, v]),
        TypeKind::Array(of_) => of("Array", &[of_]),
        TypeKind::Cell(of_) => of("ArrayCell", &[of_]),
    }
}

fn indent(depth: usize, out: &mut String) {
    // A tree may be thousands of levels high.
    out.push_str(&"  ".repeat(depth.min(40)));
}

fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn statement(stmt: &Stmt, depth: usize, out: &mut String) {
    indent(depth, out);
    let _ = match &stmt.kind {
        StmtKind::Block(stmts) => {
            out.push_str("{\n");
            stmts.iter().for_each(|s| statement(s, depth + 1, out));
            indent(depth, out);
            writeln!(out, "}}")
        }
        StmtKind::Var { ghost, vars, values } => {
            out.push_str(if *ghost { "ghost var " } else { "var " });
            for (index, (name, t)) in vars.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(&name.name);
                if let Some(t) = t {
                    let _ = write!(out, ": {}", ty(t));
                }
            }
            if let Some(values) = values {
                let _ = write!(out, " := {}", list(values));
            }
            writeln!(out, ";")
        }
        StmtKind::Assign(targets, values) => {
            writeln!(out, "{} := {};", list(targets), list(values))
        }
        StmtKind::AssignString(target, text) => writeln!(out, "{} := \"{text}\";", expr(target)),
        StmtKind::Call(call) => writeln!(out, "{};", expr(call)),
        StmtKind::Free(e) => writeln!(out, "free {};", expr(e)),
        StmtKind::Havoc(vars) if vars.is_empty() => writeln!(out, "havoc;"),
        StmtKind::Havoc(vars) => writeln!(out, "havoc {};", list(vars)),
        StmtKind::Return(values) if values.is_empty() => writeln!(out, "return;"),
        StmtKind::Return(values) => writeln!(out, "return {};", list(values)),
        StmtKind::Assume(m, e) => writeln!(out, "{}assume {};", mods(*m), expr(e)),
        StmtKind::Assert { mods: m, label, expr: e, proof } => {
            let label = label.as_ref().map(|l| format!("\"{l}\" ")).unwrap_or_default();
            let _ = write!(out, "{}assert {label}{}", mods(*m), expr(e));
            match proof {
                Some(proof) => {
                    out.push_str(" with\n");
                    statement(proof, depth, out);
                    Ok(())
                }
                None => writeln!(out, ";"),
            }
        }
        StmtKind::Split(e) => writeln!(out, "split {};", guarded(e)),
        StmtKind::If(cond, then, otherwise) => {
            let _ = writeln!(out, "if ({})", expr(cond));
            // An `else` belongs to the nearest `if`.
            if otherwise.is_some() && ends_open(then) {
                in_block(then, depth, out);
            } else {
                statement(then, depth + usize::from(!is_block(then)), out);
            }
            if let Some(otherwise) = otherwise {
                indent(depth, out);
                out.push_str("else\n");
                statement(otherwise, depth + usize::from(!is_block(otherwise)), out);
            }
            Ok(())
        }
        StmtKind::Choose(branches) => {
            for (index, branch) in branches.iter().enumerate() {
                if index > 0 {
                    indent(depth, out);
                }
                out.push_str(if index > 0 { "or\n" } else { "choose\n" });
                statement(branch, depth + usize::from(!is_block(branch)), out);
            }
            Ok(())
        }
        StmtKind::While { cond, invariants, body } => {
            let _ = writeln!(out, "while ({})", expr(cond));
            for Invariant { mods: m, expr: e, .. } in invariants {
                indent(depth + 1, out);
                let _ = writeln!(out, "{}invariant {};", mods(*m), expr(e));
            }
            statement(body, depth + usize::from(!is_block(body)), out);
            Ok(())
        }
    };
}

fn is_block(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Block(_))
}

/// Would an `else` after it, or an `or`, belong to something in it?
fn ends_open(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If(_, _, None) => true,
        StmtKind::If(_, _, Some(last)) => ends_open(last),
        StmtKind::While { body, .. } => ends_open(body),
        StmtKind::Choose(branches) => branches.last().is_some_and(ends_open),
        _ => false,
    }
}

/// The same statement, which is not read as part of another one. Only trees that nobody parsed need it.
fn in_block(stmt: &Stmt, depth: usize, out: &mut String) {
    indent(depth, out);
    out.push_str("{\n");
    statement(stmt, depth + 1, out);
    indent(depth, out);
    out.push_str("}\n");
}

/// After `split`, where a parenthesis would start a call.
fn guarded(e: &Expr) -> String {
    let text = expr(e);
    if text.starts_with('(') { format!("true && {text}") } else { text }
}

fn expression(e: &Expr, level: u8, out: &mut String) {
    let own = level_of(e);
    if own < level {
        out.push('(');
    }
    let _ = match &*e.kind {
        ExprKind::Bool(value) => write!(out, "{value}"),
        ExprKind::Int(value) => write!(out, "{value}"),
        ExprKind::Byte(value) => write!(out, "'{}'", char::from(*value)),
        ExprKind::Null => write!(out, "null"),
        ExprKind::Emp => write!(out, "emp"),
        ExprKind::Name(name) => write!(out, "{}", name.name),
        ExprKind::Call(name, args) => write!(out, "{}({})", name.name, list(args)),
        ExprKind::Dot(e, name) => {
            expression(e, POSTFIX, out);
            write!(out, ".{}", name.name)
        }
        ExprKind::Index(e, index) => {
            expression(e, POSTFIX, out);
            write!(out, "[{}]", expr(index))
        }
        ExprKind::Cell(e) => {
            expression(e, POSTFIX, out);
            write!(out, "[]")
        }
        ExprKind::Update(e, index, value) => {
            expression(e, POSTFIX, out);
            write!(out, "[{} := {}]", expr(index), expr(value))
        }
        ExprKind::Set(None, elements) => write!(out, "{{{}}}", list(elements)),
        ExprKind::Set(Some(t), elements) => write!(out, "Set<{}>({})", ty(t), list(elements)),
        ExprKind::Comprehension(name, t, body) => {
            write!(out, "{{{}: {} :: {}}}", name.name, ty(t), expr(body))
        }
        ExprKind::New(t) => write!(out, "new {}", ty(t)),
        ExprKind::NewArray(t, length) => write!(out, "new Array<{}>({})", ty(t), expr(length)),
        ExprKind::Unary(UnOp::Int2Byte, e) => write!(out, "int2byte({})", expr(e)),
        ExprKind::Unary(UnOp::Byte2Int, e) => write!(out, "byte2int({})", expr(e)),
        ExprKind::Unary(op, operand) => {
            out.push_str(match op {
                UnOp::Plus => "+",
                UnOp::Minus => "-",
                UnOp::BitNot => "~",
                _ => "!",
            });
            let mut inner = String::new();
            expression(operand, PREFIX, &mut inner);
            // `--x` and `!in…` would be other tokens.
            let glued = inner.starts_with(['-', '+']) || inner.starts_with("in");
            write!(out, "{}{inner}", if glued { " " } else { "" })
        }
        ExprKind::Binary(op, left, right) => {
            let own = op.level();
            let right_grouping = *op == BinOp::Implies;
            // A comparison beside a comparison would be a chain.
            let left_level = if right_grouping || own == CHAIN { own + 1 } else { own };
            let right_level = if right_grouping { own } else { own + 1 };
            expression(left, left_level, out);
            let _ = write!(out, " {} ", op.text());
            expression(right, right_level, out);
            Ok(())
        }
        ExprKind::Chain(first, rest) => {
            expression(first, CHAIN + 1, out);
            for (op, operand) in rest {
                let _ = write!(out, " {} ", op.text());
                expression(operand, CHAIN + 1, out);
            }
            Ok(())
        }
        ExprKind::Cond(cond, then, otherwise) => {
            let left = if matches!(*cond.kind, ExprKind::Cond(..)) { WHOLE } else { 1 };
            expression(cond, left, out);
            out.push_str(" ? ");
            expression(then, 1, out);
            out.push_str(" : ");
            expression(otherwise, 1, out);
            Ok(())
        }
        ExprKind::Quant(quantifier, binders, body) => {
            out.push_str(match quantifier {
                Quantifier::Forall => "forall ",
                Quantifier::Exists => "exists ",
            });
            for (index, binder) in binders.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(&binder.name.name);
                match &binder.range {
                    Range::Type(t) => {
                        let _ = write!(out, ": {}", ty(t));
                    }
                    Range::Set(set) => {
                        out.push_str(" in ");
                        expression(set, CHAIN, out);
                    }
                }
            }
            out.push_str(" :: ");
            expression(body, WHOLE, out);
            Ok(())
        }
        ExprKind::Annotated(e, annotation) => {
            let inner = match &*e.kind {
                ExprKind::Cond(..) | ExprKind::Annotated(..) => WHOLE,
                _ => 1,
            };
            expression(e, inner, out);
            out.push_str(" @(");
            annotate(annotation, out);
            write!(out, ")")
        }
    };
    if own < level {
        out.push(')');
    }
}

fn annotate(annotation: &Annotation, out: &mut String) {
    let _ = match annotation {
        Annotation::Matching(terms, yields) => {
            out.push_str("matching ");
            for (index, (term, without)) in terms.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                expression(term, 1, out);
                if let Some(without) = without {
                    let _ = write!(out, " without {}", without.name);
                }
            }
            out.push_str(" yields ");
            expression(yields, 1, out);
            Ok(())
        }
        Annotation::Pattern(term) => {
            out.push_str("pattern ");
            expression(term, 1, out);
            Ok(())
        }
        Annotation::Comment(text) => write!(out, "comment \"{text}\""),
        Annotation::Noinst(name) => write!(out, "noinst {}", name.name),
    };
}

fn level_of(e: &Expr) -> u8 {
    match &*e.kind {
        ExprKind::Quant(..) | ExprKind::Annotated(..) | ExprKind::Cond(..) => WHOLE,
        ExprKind::Binary(op, ..) => op.level(),
        ExprKind::Chain(..) => CHAIN,
        ExprKind::Unary(UnOp::Int2Byte | UnOp::Byte2Int, _) => POSTFIX,
        ExprKind::Unary(..) => PREFIX,
        ExprKind::Int(value) if *value < 0 => PREFIX,
        _ => POSTFIX,
    }
}
