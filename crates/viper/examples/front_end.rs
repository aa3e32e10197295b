//! A front end builds a Viper program in memory, checks it, and maps errors back to its own source.
//!
//! The source language of this one has a single statement, `inc PLACE`, and its positions are the
//! numbers of its lines. Run it with `cargo run -p lancehead-viper --example front_end`.

use report::Pos;
use viper::ast::{
    At, BinOp, Block, Expr, ExprKind, Ident, Member, MemberKind, Method, Name, Param, Program,
    Spec, SpecKind, Stmt, StmtKind, Type, TypeKind,
};

/// A program of the source language: the places that it increments.
const SOURCE: &[&str] = &["x.count", "y.count", "x.cuont"];

fn main() {
    let program = translate(SOURCE);
    println!("{}", viper::print::program(&program));

    let checked = viper::check(&program);
    for diagnostic in &checked.diagnostics {
        // The positions that come back are those that went in.
        let Pos::Foreign(line) = diagnostic.pos else { continue };
        let statement = SOURCE.get(line as usize - 1).copied().unwrap_or_default();
        println!("line {line}: inc {statement}");
        println!("  {}", diagnostic.message);
        if let Some(help) = &diagnostic.help {
            println!("  {help}");
        }
    }
    assert!(checked.program.is_none(), "the third line has a mistake");

    // Without it, there is a typed program for a verifier.
    let checked = viper::check(&translate(&SOURCE[..2]));
    let core = checked.program.map(|p| viper::plugins::desugar(p, &Default::default()).0);
    println!("{} method(s) to verify", core.map_or(0, |p| p.methods.len()));
}

/// The method `run(x, y)` with one assignment for each line.
fn translate(source: &[&str]) -> Program {
    let at = At::default();
    let params: Vec<Param> =
        ["x", "y"].into_iter().map(|name| param(name, TypeKind::Ref)).collect();
    let requires = params
        .iter()
        .map(|p| {
            Expr::new(ExprKind::Acc { loc: field(&p.name.name, "count", at), amount: None }, at)
        })
        .map(|e| Spec { kind: SpecKind::Requires(e), at })
        .collect();
    let stmts = source.iter().zip(1..).map(|(place, line)| increment(place, line)).collect();
    let method = Method {
        name: Ident::new("run"),
        params,
        returns: Vec::new(),
        contract: requires,
        body: Some(Block { stmts, at }),
    };
    let fields = MemberKind::Fields(vec![param("count", TypeKind::Int)]);
    let members = [fields, MemberKind::Method(method)]
        .into_iter()
        .map(|kind| Member { annotations: Vec::new(), kind, at })
        .collect();
    Program { members }
}

/// `place := place + 1`, with the line as its position.
fn increment(place: &str, line: u64) -> Stmt {
    let at = At::foreign(line);
    let (variable, name) = place.split_once('.').unwrap_or((place, "count"));
    let place = || field(&Name::from(variable), name, at);
    let one = Expr::new(ExprKind::Int(1.into()), at);
    let value = Expr::new(ExprKind::Binary(BinOp::Add, place(), one), at);
    Stmt { kind: StmtKind::Assign { targets: vec![place()], value }, at }
}

fn param(name: &str, kind: TypeKind) -> Param {
    let at = At::default();
    Param { name: Ident::new(name), ty: Type { kind, at }, at }
}

fn field(variable: &Name, name: &str, at: At) -> Expr {
    let receiver = Expr::new(ExprKind::Name(variable.clone()), at);
    Expr::new(ExprKind::Field(receiver, Ident { name: name.into(), at }), at)
}
