//! The verifier as a library: programs that the front end would not let pass.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use driver::z3::{self, Surroundings};
use report::{Pos, SourceMap};
use symex::{Config, Quiet};
use viper::core::{Expr, ExprKind, Program, Type};
use viper::loader::{DiskFiles, load_text};

fn program(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("test.vpr", text.to_string());
    let loaded = load_text(&DiskFiles, &mut sources, file, Path::new("test.vpr"));
    let checked = viper::check(&loaded.program);
    let (program, _) = viper::plugins::desugar(checked.program.unwrap(), &Default::default());
    program
}

/// Identifiers and positions of all errors.
fn errors(program: &Program) -> Vec<(String, Pos)> {
    let solver = z3::find(&Surroundings::of_this_process(None)).unwrap().path;
    let verdict = symex::verify(program, &Config::new(solver), &Quiet);
    let failures = verdict.members.into_iter().flat_map(|member| member.failures);
    failures.map(|f| (f.diagnostic.id.to_string(), f.diagnostic.pos)).collect()
}

#[test]
fn a_wildcard_is_a_whole_amount_or_an_error() {
    let text = "field f: Int
method single(x: Ref, b: Bool) requires acc(x.f) {
    exhale b ==> acc(x.f, wildcard)
}
method many(xs: Set[Ref], b: Bool) requires forall x: Ref :: x in xs ==> acc(x.f) {
    exhale forall x: Ref :: x in xs ==> acc(x.f, wildcard)
}";
    let mut program = program(text);
    assert_eq!(errors(&program), []);
    // `wildcard` becomes `true ? wildcard : write`.
    let mut wildcards = Vec::new();
    program.map_exprs(&mut |e| {
        e.rewrite(&mut |e| {
            if !matches!(e.kind, ExprKind::WildcardPerm) {
                return None;
            }
            wildcards.push(e.pos);
            let condition = Expr::new(ExprKind::Bool(true), Type::Bool, e.pos);
            let all = Expr::new(ExprKind::FullPerm, Type::Perm, e.pos);
            let kind = ExprKind::Cond(condition, Arc::clone(e), all);
            Some(Expr::new(kind, Type::Perm, e.pos))
        })
    });
    assert_eq!(wildcards.len(), 2);
    let expected = wildcards.into_iter().map(|pos| ("internal:feature.unsupported".into(), pos));
    assert_eq!(errors(&program), expected.collect::<Vec<_>>());
}
