//! Answers carry their proofs: those that something has no model, and those of frames. The checker accepts
//! them.
#![allow(clippy::unwrap_used, clippy::panic)]

use induct::Induct;
use lists::Lists;
use report::FileId;
use sl::core::{Assertion, Scope, SymHeap};
use sl::{Answer, Budget, Defs, Inference, Procedure, Satisfiability, Semantics, ask};

const DEFINITIONS: &str = "pred tree(x) := x = nil || \
     exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r); \
     pred size(x, n) := x = nil * n = 0 || \
     exists l, r, i, j. x |-> {left: l, right: r} * size(l, i) * size(r, j) * n = i + j + 1; ";

fn parse(left: &str, right: &str) -> (Defs, Vec<sl::Formula>) {
    let document = sl::text::parse(&[(FileId(0), left), (FileId(1), right)])
        .unwrap_or_else(|e| panic!("{left} and {right}: {}", e.message));
    (Defs::new(document.signature.clone(), Semantics::Precise), document.formulas)
}

#[test]
fn contradictions() {
    let with_trees = |text: &str| format!("{DEFINITIONS}{text}");
    for (procedure, text) in [
        (&mut Lists as &mut dyn Procedure, "x |-> y * ls(x, nil) * x != nil".to_owned()),
        (&mut Lists, "x = nil * ls(y, z) * x |-> z".into()),
        (&mut Induct, with_trees("x |-> {left: y, right: z} * tree(x) * x != nil")),
        (&mut Induct, with_trees("size(x, n) * n < 0")),
    ] {
        let (defs, formulas) = parse(&text, "emp");
        let mut scope = Scope::new(&defs);
        let assertion = scope.lower(&formulas[0]);
        let answer = procedure.satisfiable(&scope, &assertion, &mut Budget::default());
        let Answer::Decided(Satisfiability::Unsat(proof)) = answer else {
            panic!("{text}: {answer:?}");
        };
        assert!(proof.derivations().is_ok(), "{text}");
        let checked = proof::check_entailment(&scope, &assertion, &Assertion::never(), &proof);
        assert_eq!(checked, Ok(()), "{text}");
    }
}

#[test]
fn frames() {
    for (h, g) in [
        ("x |-> y * ls(y, nil)", "x |-> y"),
        ("x |-> y * ls(y, z) * z |-> w", "ls(x, z)"),
        ("x |-> {left: a, right: b} * tree(a) * tree(b)", "x |-> {left: a, right: b}"),
        ("x != nil * tree(x) * tree(y)", "exists l, r. x |-> {left: l, right: r}"),
        ("size(x, n) * size(y, m) * m < n", "size(x, n)"),
    ] {
        let definitions = if h.contains("ls(") { "" } else { DEFINITIONS };
        let (defs, formulas) = parse(&format!("{definitions}{h}"), g);
        let (scope, h, g) = ask::lowered(&defs, &formulas[0], &formulas[1]);
        let answer = Induct.frame(&scope, &h, &g, &mut Budget::default());
        let Answer::Decided(Inference::Found(frame, proof)) = answer else { panic!("{answer:?}") };
        let [part] = g.heaps().unwrap() else { panic!("{}", formulas[1]) };
        let wholes: Vec<SymHeap> =
            frame.heaps().unwrap().iter().map(|frame| part.clone().star(frame)).collect();
        let wholes = Assertion::from(wholes);
        let checked = proof::check_entailment(&scope, &h, &wholes, &proof);
        assert_eq!(checked, Ok(()), "{}", formulas[0]);
    }
}
