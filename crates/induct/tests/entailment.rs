//! Entailments that hold, and those that nearly do.
#![allow(clippy::unwrap_used, clippy::panic)]

use induct::Induct;
use report::FileId;
use sl::ask::once::check_sat;
use sl::{Evaluator, Semantics, Truth, Verdict};

const DEFINITIONS: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (next Ref) (prev Ref) (data Int)))))
    (declare-heap (Ref Node))
    (define-fun-rec ls ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((u Ref) (d Int))
            (and (distinct x y) (sep (pto x (node u (as nil Ref) d)) (ls u y))))))
    (define-fun-rec loose ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((u Ref) (d Int)) (sep (pto x (node u (as nil Ref) d)) (loose u y)))))
    (define-fun-rec back ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((u Ref) (d Int)) (sep (back x u) (pto u (node y (as nil Ref) d))))))
    (define-funs-rec ((even ((x Ref) (y Ref)) Bool) (odd ((x Ref) (y Ref)) Bool))
      ((or (and (= x y) (_ emp Ref Node))
           (exists ((u Ref) (d Int)) (sep (pto x (node u (as nil Ref) d)) (odd u y))))
       (exists ((u Ref) (d Int)) (sep (pto x (node u (as nil Ref) d)) (even u y)))))
    (define-fun-rec dll ((x Ref) (p Ref) (l Ref) (n Ref)) Bool
      (or (exists ((d Int)) (and (= x l) (pto x (node n p d))))
          (exists ((u Ref) (d Int)) (sep (pto x (node u p d)) (dll u x l n)))))
    (define-fun-rec rev ((x Ref) (p Ref) (l Ref) (n Ref)) Bool
      (or (exists ((d Int)) (and (= x l) (pto x (node n p d))))
          (exists ((u Ref) (d Int)) (sep (pto l (node n u d)) (rev x p u l)))))
    (define-fun-rec tree ((x Ref)) Bool
      (or (and (= x (as nil Ref)) (_ emp Ref Node))
          (exists ((l Ref) (r Ref) (d Int)) (sep (pto x (node l r d)) (tree l) (tree r)))))
    (define-fun-rec tseg ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((l Ref) (r Ref) (d Int)) (sep (pto x (node l r d)) (tree l) (tseg r y)))
          (exists ((l Ref) (r Ref) (d Int)) (sep (pto x (node l r d)) (tseg l y) (tree r)))))
    (define-fun-rec skip ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((u Ref) (v Ref) (d Int))
            (and (distinct x y) (sep (pto x (node u v d)) (ls v u) (skip u y))))))
    (define-fun-rec len ((x Ref) (y Ref) (n Int)) Bool
      (or (and (= x y) (= n 0) (_ emp Ref Node))
          (exists ((u Ref) (m Int) (d Int))
            (and (= n (+ m 1)) (<= 0 m) (sep (pto x (node u (as nil Ref) d)) (len u y m))))))
    (define-fun-rec sorted ((x Ref) (y Ref) (a Int) (b Int)) Bool
      (or (and (= a b) (pto x (node y (as nil Ref) a)))
          (exists ((u Ref) (c Int))
            (and (<= a c) (<= c b) (sep (pto x (node u (as nil Ref) a)) (sorted u y c b))))))
    (define-fun-rec one ((x Ref) (y Ref)) Bool (exists ((u Ref)) (sep (loose x u) (loose u y))))
    (declare-const x Ref) (declare-const y Ref) (declare-const z Ref) (declare-const w Ref)
    (declare-const k Int) (declare-const m Int) (declare-const n Int) (declare-const o Int)
";

fn verdict(left: &str, right: &str) -> Verdict {
    let text = format!("{DEFINITIONS} (assert {left}) (assert (not {right})) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let verdict = check_sat(&mut Induct, &check.signature, Semantics::Standard, &check.assertions);
    if let Verdict::Sat(model) = &verdict {
        let evaluator = Evaluator::new(&check.signature, Semantics::Standard);
        for assertion in &check.assertions {
            assert_eq!(evaluator.holds(model, assertion), Truth::True, "{left} |= {right}");
        }
    }
    verdict
}

fn all(expected: &str, entailments: &[(&str, &str)]) {
    for (left, right) in entailments {
        assert_eq!(verdict(left, right).as_str(), expected, "{left} |= {right}");
    }
}

#[test]
fn lists() {
    all(
        "unsat",
        &[
            ("(sep (loose x y) (loose y z))", "(loose x z)"),
            ("(sep (ls x y) (ls y (as nil Ref)))", "(ls x (as nil Ref))"),
            ("(sep (ls x y) (ls y z) (pto z (node w w k)))", "(sep (ls x z) (pto z (node w w k)))"),
            ("(ls x y)", "(loose x y)"),
            ("(loose x y)", "(back x y)"),
            ("(sep (back x y) (loose y z))", "(loose x z)"),
            ("(loose x (as nil Ref))", "(ls x (as nil Ref))"),
            (
                "(and (distinct x y) (loose x y))",
                "(exists ((u Ref) (d Int)) (sep (loose x u) (pto u (node y (as nil Ref) d))))",
            ),
            ("(sep (odd x y) (odd y z))", "(even x z)"),
            ("(even x y)", "(loose x y)"),
            ("(loose x y)", "(one x y)"),
            ("(loose x y)", "(or (even x y) (odd x y))"),
        ],
    );
    all(
        "sat",
        &[
            ("(sep (ls x y) (ls y z))", "(ls x z)"),
            ("(loose x y)", "(ls x y)"),
            ("(sep (odd x y) (even y z))", "(even x z)"),
            ("(loose x y)", "(even x y)"),
            ("(sep (loose x y) (loose x z))", "(loose x y)"),
            (
                "(loose x y)",
                "(exists ((u Ref) (d Int)) (sep (loose x u) (pto u (node y (as nil Ref) d))))",
            ),
            ("(sep (ls x y) (pto z (node w w k)))", "(ls x y)"),
        ],
    );
}

#[test]
fn lists_with_two_directions() {
    all(
        "unsat",
        &[
            ("(dll x y z w)", "(rev x y z w)"),
            ("(rev x (as nil Ref) y (as nil Ref))", "(dll x (as nil Ref) y (as nil Ref))"),
            ("(exists ((u Ref) (v Ref)) (sep (dll x y u v) (dll v u z w)))", "(dll x y z w)"),
            ("(exists ((u Ref) (v Ref)) (sep (rev x y u v) (dll v u z w)))", "(rev x y z w)"),
        ],
    );
    all(
        "sat",
        &[
            ("(dll x y z w)", "(rev x y w z)"),
            ("(exists ((u Ref) (v Ref)) (sep (dll x y u v) (dll v v z w)))", "(dll x y z w)"),
        ],
    );
}

#[test]
fn trees_and_skip_lists() {
    all(
        "unsat",
        &[
            ("(sep (tseg x y) (tree y))", "(tree x)"),
            ("(sep (tseg x y) (tseg y z))", "(tseg x z)"),
            ("(tree x)", "(exists ((u Ref)) (sep (tseg x u) (tree u)))"),
            ("(sep (skip x y) (skip y (as nil Ref)))", "(skip x (as nil Ref))"),
            (
                "(exists ((v Ref)) (sep (skip x y) (pto y (node z v k)) (ls v z) (skip z (as nil Ref))))",
                "(skip x (as nil Ref))",
            ),
        ],
    );
    all(
        "sat",
        &[
            ("(tseg x y)", "(tree x)"),
            ("(sep (tseg x y) (tree z))", "(tree x)"),
            (
                "(exists ((v Ref)) (sep (skip x y) (pto y (node z v k)) (ls v y) (skip z (as nil Ref))))",
                "(skip x (as nil Ref))",
            ),
        ],
    );
}

#[test]
fn lengths_and_order() {
    all(
        "unsat",
        &[
            ("(and (= k (+ m n)) (sep (len x y m) (len y z n)))", "(len x z k)"),
            (
                "(and (= m 700) (= n 300) (= k 1000) (len x y k))",
                "(exists ((u Ref)) (sep (len x u m) (len u y n)))",
            ),
            ("(and (<= n m) (sep (sorted x y k n) (sorted y z m o)))", "(sorted x z k o)"),
            ("(len x y n)", "(loose x y)"),
            ("(and (= n 2) (len x y n))", "(even x y)"),
        ],
    );
    for (left, right) in [
        ("(and (= k (+ m n 1)) (sep (len x y m) (len y z n)))", "(len x z k)"),
        ("(sep (sorted x y k n) (sorted y z m o))", "(sorted x z k o)"),
        (
            "(and (= m 3) (= n 2) (= k 4) (len x y k))",
            "(exists ((u Ref)) (sep (len x u m) (len u y n)))",
        ),
        ("(and (<= 2 n) (len x y n))", "(even x y)"),
    ] {
        // Never a proof; integers may be too hard to evaluate.
        assert_ne!(verdict(left, right), Verdict::Unsat, "{left} |= {right}");
    }
}

/// The counterexample is a cycle in the last part; the others are in no relation to it, and there are too
/// many ways to make them larger to try them all.
#[test]
fn counterexamples_in_one_of_many_parts() {
    let names: Vec<String> = (0..10).map(|i| format!("v{i}")).collect();
    let declared: String = names.iter().map(|v| format!("(declare-const {v} Ref)")).collect();
    let parts = |skip: &str| -> String {
        names.windows(2).map(|pair| format!("({skip} {} {})", pair[0], pair[1])).collect()
    };
    let left = format!("(sep {} (skip v9 (as nil Ref)) (skip x y) (skip y z))", parts("skip"));
    let right = "(sep (skip v0 (as nil Ref)) (skip x z))";
    let text =
        format!("{DEFINITIONS} {declared} (assert {left}) (assert (not {right})) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let verdict = check_sat(&mut Induct, &check.signature, Semantics::Standard, &check.assertions);
    assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
}
