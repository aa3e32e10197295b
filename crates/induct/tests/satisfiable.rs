//! Satisfiability with definitions of many kinds.
#![allow(clippy::unwrap_used, clippy::panic)]

use induct::Induct;
use report::FileId;
use sl::ask::once::check_sat;
use sl::{Answer, Evaluator, Satisfiability, Semantics, Truth};

const DEFINITIONS: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (left Ref) (right Ref)))))
    (declare-heap (Ref Node))
    (define-fun-rec tree ((x Ref)) Bool
      (or (and (= x (as nil Ref)) (_ emp Ref Node))
          (exists ((l Ref) (r Ref)) (sep (pto x (node l r)) (tree l) (tree r)))))
    (define-fun-rec plus ((x Ref) (y Ref)) Bool
      (or (pto x (node y (as nil Ref)))
          (exists ((u Ref)) (sep (pto x (node u (as nil Ref))) (plus u y)))))
    (define-fun-rec dll ((x Ref) (p Ref) (l Ref) (n Ref)) Bool
      (or (and (= x n) (= l p) (_ emp Ref Node))
          (exists ((u Ref)) (sep (pto x (node u p)) (dll u x l n)))))
    (define-fun-rec endless ((x Ref)) Bool
      (exists ((u Ref)) (sep (pto x (node u u)) (endless u))))
    (define-funs-rec ((even ((x Ref) (y Ref)) Bool) (odd ((x Ref) (y Ref)) Bool))
      ((or (and (= x y) (_ emp Ref Node))
           (exists ((u Ref)) (sep (pto x (node u u)) (odd u y))))
       (exists ((u Ref)) (sep (pto x (node u u)) (even u y)))))
    (define-fun-rec nested ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((u Ref) (v Ref))
            (sep (pto x (node u v)) (plus v (as nil Ref)) (nested u y)))))
    (declare-const x Ref) (declare-const y Ref) (declare-const z Ref)
";

fn verdict(formula: &str) -> Answer<Satisfiability> {
    let text = format!("{DEFINITIONS} (assert {formula}) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let verdict = check_sat(&mut Induct, &check.signature, Semantics::Standard, &check.assertions);
    if let Some(model) = verdict.model() {
        let evaluator = Evaluator::new(&check.signature, Semantics::Standard);
        assert_eq!(evaluator.holds(model, &check.assertions[0]), Truth::True, "{formula}");
    }
    verdict
}

#[test]
fn models_are_found_and_contradictions_too() {
    for (formula, expected) in [
        ("(tree x)", "sat"),
        ("(and (distinct x (as nil Ref)) (tree x))", "sat"),
        ("(sep (tree x) (tree x))", "sat"),
        ("(and (distinct x (as nil Ref)) (sep (tree x) (tree x)))", "unsat"),
        ("(and (= x y) (sep (pto x (node y z)) (tree y)))", "unsat"),
        ("(plus x x)", "sat"),
        ("(sep (plus x y) (plus x z))", "unsat"),
        ("(sep (plus x y) (plus y x))", "sat"),
        ("(and (= x (as nil Ref)) (plus x y))", "unsat"),
        ("(and (distinct x y) (distinct z x) (dll x z y y))", "sat"),
        ("(and (distinct x (as nil Ref)) (dll x x y (as nil Ref)))", "sat"),
        ("(and (= x y) (distinct z x) (dll x x z y))", "sat"),
        ("(endless x)", "unsat"),
        ("(and (= x y) (odd x y))", "sat"),
        ("(sep (odd x y) (odd x z))", "unsat"),
        ("(and (distinct x y) (sep (even x y) (even x z)))", "sat"),
        ("(and (distinct x y) (distinct x z) (sep (even x y) (even x z)))", "unsat"),
        ("(and (distinct x y) (sep (nested x y) (plus y z)))", "sat"),
        ("(and (distinct x y) (sep (nested x y) (plus x z)))", "unsat"),
    ] {
        assert_eq!(verdict(formula).as_str(), expected, "{formula}");
    }
}
