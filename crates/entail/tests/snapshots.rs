//! What the forms between a formula and its answer look like. `INSTA_UPDATE=always` writes them anew.
#![allow(clippy::unwrap_used, clippy::panic)]

use grass::translate::Translator;
use induct::Induct;
use insta::assert_snapshot;
use report::FileId;
use sl::core::Scope;
use sl::{Answer, Budget, Defs, Entailment, Formula, Procedure, Semantics, ask};

const DLL: &str = "pred dll(f, p, l, n) := f = n * p = l || \
     exists u. f |-> {next: u, prev: p} * dll(u, f, l, n); ";

fn parse(texts: &[&str]) -> (Defs, Vec<Formula>) {
    let files: Vec<(FileId, &str)> =
        texts.iter().enumerate().map(|(i, text)| (FileId(i as u32), *text)).collect();
    let document = sl::text::parse(&files).unwrap();
    (Defs::new(document.signature.clone(), Semantics::Precise), document.formulas)
}

#[test]
fn core() {
    let lengths = "pred list(x, n) := x = nil * n = 0 || \
         exists u, m. x |-> {next: u, data: 7} * list(u, m) * n = m + 1; ";
    let left =
        format!("{lengths}(exists n. list(x, n) * n > 3) || x |-> {{next: y, data: k}} * true");
    let (defs, formulas) = parse(&[&left]);
    let mut scope = Scope::new(&defs);
    let assertion = scope.lower(&formulas[0]);
    let pred = scope.pred(&"list".into()).unwrap();
    let mut text = scope.show_definition(pred).unwrap();
    for heap in assertion.heaps().unwrap() {
        text += &format!("\n\n{}", scope.show(heap));
    }
    assert_snapshot!(text);
}

#[test]
fn sequents() {
    let left = format!("{DLL}dll(a, p, b, m) * dll(m, b, l, n)");
    let (defs, formulas) = parse(&[&left, "dll(a, p, l, n)"]);
    let (scope, h, g) = ask::lowered(&defs, &formulas[0], &formulas[1]);
    let answer = Induct.entails(&scope, &h, &g, &mut Budget::default());
    let Answer::Decided(Entailment::Valid(proof)) = answer else { panic!("{answer:?}") };
    assert_snapshot!(proof::text::print(&proof.derivations().unwrap()));
}

#[test]
fn graphs_and_sets() {
    let (defs, formulas) = parse(&["x != z * x |-> y * ls(y, z)", "!(ls(x, z)) || x = nil"]);
    let mut scope = Scope::new(&defs);
    let mut translator = Translator::new(&defs);
    let (footprint, mut facts) = translator.footprint("X");
    for formula in &formulas {
        let form = scope.lower(formula).form(&scope).unwrap();
        facts.push(translator.translate(&form, &footprint, true).unwrap());
    }
    facts.extend(translator.definitions.iter().cloned());
    let lines: Vec<String> =
        facts.iter().map(|fact| grass::print::print(&translator.theory, fact)).collect();
    assert_snapshot!(lines.join("\n"));
}
