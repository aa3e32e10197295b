//! The printer.

use std::fmt::Write as _;

use crate::expr::{Arith, BinOp, Comparison, Expr, UnOp};
use crate::program::{
    Callee, Check, Command, Formula, Language, Meaning, Out, Proc, Program, Region, VarId,
};
use crate::types::{DataModel, Scalar, Target, Type};

/// The whole program.
#[must_use]
pub fn print(program: &Program) -> String {
    let mut text = String::new();
    if program.model == DataModel::Ilp32 {
        text.push_str("model ilp32\n");
    }
    for record in &program.records {
        let fields: Vec<String> = record
            .fields
            .iter()
            .map(|f| format!("{}: {} at {}", quoted(&f.name), type_(program, &f.ty), f.offset))
            .collect();
        let _ =
            writeln!(text, "record {} {} {{ {} }}", record.name, record.size, fields.join("; "));
    }
    for global in &program.globals {
        let kind = match (global.constant, global.zeroed) {
            (true, _) => "constant",
            (false, true) => "global",
            (false, false) => "external",
        };
        let _ = write!(text, "{kind} {}: {}", global.name, type_(program, &global.ty));
        if !global.init.is_empty() {
            let values: Vec<String> = global
                .init
                .iter()
                .map(|(offset, ty, value)| {
                    format!(
                        "{offset}: {} = {}",
                        scalar(program, *ty),
                        in_proc(program, None, value)
                    )
                })
                .collect();
            let _ = write!(text, " {{ {} }}", values.join("; "));
        }
        text.push('\n');
    }
    for definition in &program.definitions {
        let _ = writeln!(text, "define {}", formula(definition));
    }
    for proc in &program.procs {
        procedure(program, proc, &mut text);
    }
    if let Some(entry) = program.entry {
        let _ = writeln!(text, "entry {}", program.proc(entry).name);
    }
    text
}

fn procedure(program: &Program, proc: &Proc, text: &mut String) {
    let var = |id: usize| {
        let var = &proc.vars[id];
        let temporary = if var.temporary { "temp " } else { "" };
        format!("{temporary}{}: {}", var.name, scalar(program, var.ty))
    };
    let params: Vec<String> = (0..proc.params as usize).map(var).collect();
    let _ = write!(text, "proc {}({})", proc.name, params.join(", "));
    if let Some(result) = proc.result {
        let _ = write!(text, " -> {}", proc.vars[result.index()].name);
    }
    for (word, formulas) in [("requires", &proc.requires), ("ensures", &proc.ensures)] {
        for clause in formulas {
            let _ = write!(text, "\n  {word} {}", formula(clause));
        }
    }
    text.push_str(" {\n");
    for id in proc.params as usize..proc.vars.len() {
        let _ = writeln!(text, "  var {};", var(id));
    }
    for object in &proc.objects {
        let _ = writeln!(text, "  object {}: {};", object.name, type_(program, &object.ty));
    }
    match &proc.body {
        None => text.push_str("  external\n"),
        Some(body) => {
            for (i, location) in body.locations.iter().enumerate() {
                let _ = write!(text, "  {i}: ");
                for invariant in &location.invariants {
                    let _ = write!(text, "invariant {} ", formula(invariant));
                }
                let _ = match &location.out {
                    Out::Do(done, to) => {
                        writeln!(text, "{} goto {}", command(program, proc, done), to.0)
                    }
                    Out::Branch(cond, then, otherwise) => writeln!(
                        text,
                        "if {} then {} else {}",
                        expr(program, proc, cond),
                        then.0,
                        otherwise.0
                    ),
                    Out::Choose(all) => {
                        let all: Vec<String> = all.iter().map(|to| to.0.to_string()).collect();
                        writeln!(text, "choose {{{}}}", all.join(", "))
                    }
                    Out::Return => writeln!(text, "return"),
                };
            }
        }
    }
    text.push_str("}\n");
}

/// A formula between quotes, with what is known of it: `spl pure "x in S" unknown "…"`.
fn formula(formula: &Formula) -> String {
    let written = string(&formula.text);
    let Language::Spl(clause) = &formula.language else { return written };
    let pure = if clause.pure { "pure " } else { "" };
    let free = if clause.free { "free " } else { "" };
    let meaning = match &clause.meaning {
        Meaning::Same(text) => format!("means {}", string(text)),
        Meaning::Weaker(text, why, _) => {
            format!("means {} without {}", string(text), string(why))
        }
        Meaning::None(why, _) => format!("unknown {}", string(why)),
    };
    format!("spl {pure}{free}{written} {meaning}")
}

/// A text between quotes.
fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A command of a procedure.
#[must_use]
pub fn command(program: &Program, proc: &Proc, command: &Command) -> String {
    let e = |e: &Expr| expr(program, proc, e);
    let var = |v: &VarId| name(proc, *v);
    let to = |v: &Option<VarId>| v.map(|v| format!("{} := ", name(proc, v))).unwrap_or_default();
    let list = |args: &[Expr]| args.iter().map(e).collect::<Vec<_>>().join(", ");
    match command {
        Command::Skip => "skip".into(),
        Command::Assign(v, value) => format!("{} := {}", var(v), e(value)),
        Command::Load { to, at, ty } => {
            format!("{} := [{}: {}]", var(to), e(at), scalar(program, *ty))
        }
        Command::Store { at, value, ty } => {
            format!("[{}: {}] := {}", e(at), scalar(program, *ty), e(value))
        }
        Command::Alloc { to, size, zeroed, region, record } => {
            let zeroed = if *zeroed { "zeroed " } else { "" };
            let region = if *region == Region::Stack { "stack " } else { "" };
            let record =
                record.map(|id| format!(" as {}", program.record(id).name)).unwrap_or_default();
            format!("{} := alloc {zeroed}{region}{}{record}", var(to), e(size))
        }
        Command::Realloc { to, from, size } => {
            format!("{} := realloc {}, {}", var(to), e(from), e(size))
        }
        Command::Free(block) => format!("free {}", e(block)),
        Command::Copy { to, from, size, may_overlap } => {
            let name = if *may_overlap { "move" } else { "copy" };
            format!("{name} {}, {}, {}", e(to), e(from), e(size))
        }
        Command::Fill { at, byte, size } => format!("fill {}, {}, {}", e(at), e(byte), e(size)),
        Command::Enter(object) => format!("enter {}", proc.objects[object.index()].name),
        Command::Leave(object) => format!("leave {}", proc.objects[object.index()].name),
        Command::Forget(v) => format!("forget {}", var(v)),
        Command::Assume(cond) => format!("assume {}", e(cond)),
        Command::Assert(cond, check) => {
            let kind = match check {
                Check::Assertion => "",
                Check::Divisor => "divisor ",
                Check::Unreachable => "unreachable ",
                Check::Index => "index ",
                Check::Freed => "freed ",
                Check::Length => "length ",
            };
            format!("assert {kind}{}", e(cond))
        }
        Command::AssumeFormula(claim) => format!("assume formula {}", formula(claim)),
        Command::AssertFormula(claim) => format!("assert formula {}", formula(claim)),
        Command::Unsupported(what) => format!("unsupported {}", string(what)),
        Command::Havoc(v) => format!("havoc {}", var(v)),
        Command::Call { to: result, callee, args } => {
            let callee = match callee {
                Callee::Proc(id) => program.proc(*id).name.clone(),
                Callee::Pointer(p) => format!("*[{}]", e(p)),
            };
            format!("{}call {callee}({})", to(result), list(args))
        }
        Command::Print { to: result, into, args } => {
            let into = match into {
                Some((at, Some(limit))) => format!("into {} limit {}: ", e(at), e(limit)),
                Some((at, None)) => format!("into {}: ", e(at)),
                None => String::new(),
            };
            format!("{}print {into}{}", to(result), list(args))
        }
        Command::Exit(status) => format!("exit {}", e(status)),
        Command::Abort => "abort".into(),
    }
}

/// An expression of a procedure.
#[must_use]
pub fn expr(program: &Program, proc: &Proc, e: &Expr) -> String {
    in_proc(program, Some(proc), e)
}

fn in_proc(program: &Program, proc: Option<&Proc>, e: &Expr) -> String {
    let go = |e: &Expr| in_proc(program, proc, e);
    match e {
        Expr::Int(n) => n.to_string(),
        Expr::Float(x) => format!("{x:?}"),
        Expr::Null => "null".into(),
        Expr::Var(v) => proc.map_or_else(|| format!("?{}", v.0), |proc| name(proc, *v)),
        Expr::Global(id) => format!("&{}", program.globals[id.index()].name),
        Expr::Object(id) => match proc {
            Some(proc) => format!("&local {}", proc.objects[id.index()].name),
            None => format!("&local ?{}", id.0),
        },
        Expr::Proc(id) => format!("&proc {}", program.proc(*id).name),
        Expr::Offset(base, bytes) => format!("({} @ {})", go(base), go(bytes)),
        Expr::Distance(a, b) => format!("({} @- {})", go(a), go(b)),
        Expr::Unary(op, a) => match op {
            UnOp::Neg(ty) => format!("neg.{ty}({})", go(a)),
            UnOp::BitNot(ty) => format!("not.{ty}({})", go(a)),
            UnOp::Not => format!("!({})", go(a)),
            UnOp::FloatNeg => format!("neg.f64({})", go(a)),
        },
        Expr::Binary(op, a, b) => {
            let op = match op {
                BinOp::Arith(op, ty) => format!("{}.{ty}", arith(*op)),
                BinOp::Float(op) => format!("{}.f64", arith(*op)),
                BinOp::Compare(op) => match op {
                    Comparison::Eq => "==".into(),
                    Comparison::Ne => "!=".into(),
                    Comparison::Lt => "<".into(),
                    Comparison::Le => "<=".into(),
                },
                BinOp::And => "&&".into(),
                BinOp::Or => "||".into(),
            };
            format!("({} {op} {})", go(a), go(b))
        }
        Expr::Convert(ty, a) => format!("to.{ty}({})", go(a)),
        Expr::ToFloat(bits, a) => format!("to.f{bits}({})", go(a)),
        Expr::If(c, a, b) => format!("({} ? {} : {})", go(c), go(a), go(b)),
    }
}

pub(super) fn arith(op: Arith) -> &'static str {
    match op {
        Arith::Add => "+",
        Arith::Sub => "-",
        Arith::Mul => "*",
        Arith::Div => "/",
        Arith::Rem => "%",
        Arith::Shl => "<<",
        Arith::Shr => ">>",
        Arith::BitAnd => "&",
        Arith::BitOr => "|",
        Arith::BitXor => "^",
    }
}

fn name(proc: &Proc, var: VarId) -> String {
    proc.vars.get(var.index()).map_or_else(|| format!("?{}", var.0), |v| v.name.clone())
}

/// An unnamed member.
fn quoted(name: &str) -> &str {
    if name.is_empty() { "_" } else { name }
}

fn scalar(program: &Program, ty: Scalar) -> String {
    match ty {
        Scalar::Int(ty) => ty.to_string(),
        Scalar::Float(bits) => format!("f{bits}"),
        Scalar::Ptr(target) => match target {
            Target::Unknown => "ptr void".into(),
            Target::Record(id) => format!("ptr {}", program.record(id).name),
            Target::Int(ty) => format!("ptr {ty}"),
            Target::Ptr => "ptr ptr".into(),
            Target::Proc => "ptr proc".into(),
        },
    }
}

fn type_(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Scalar(ty) => scalar(program, *ty),
        Type::Record(id) => format!("record {}", program.record(*id).name),
        Type::Array(element, count) => format!("[{count} x {}]", type_(program, element)),
    }
}
