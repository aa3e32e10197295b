//! The number of cells of instances; entailments between segments with sizes are in `tests/sl/induct`.
#![allow(clippy::unwrap_used, clippy::panic)]

use arith::Sum;
use induct::count::counts;
use induct::system::System;
use report::FileId;
use sl::Semantics;

const LINKS: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (fst Ref) (snd Ref)))))
    (declare-heap (Ref Node))
    (define-fun-rec chain ((x Ref) (y Ref) (n Int)) Bool
      (or (and (= x y) (= n 0) (_ emp Ref Node))
          (exists ((u Ref) (m Int))
            (and (= m (- n 1)) (<= 0 m) (sep (pto x (node u (as nil Ref))) (chain u y m))))))
    (define-fun-rec there ((x Ref) (p Ref) (l Ref) (e Ref) (n Int)) Bool
      (or (and (= x l) (= n 1) (pto x (node e p)))
          (exists ((u Ref) (m Int))
            (and (= m (- n 1)) (<= 1 m) (sep (pto x (node u p)) (there u x l e m))))))
    (define-fun-rec back ((x Ref) (p Ref) (l Ref) (e Ref) (n Int)) Bool
      (or (and (= x l) (= n 1) (pto x (node e p)))
          (exists ((u Ref) (m Int))
            (and (= m (- n 1)) (<= 1 m) (sep (pto l (node e u)) (back x p u l m))))))
    (define-fun-rec ending ((x Ref) (p Ref) (n Int)) Bool
      (or (and (= n 1) (pto x (node (as nil Ref) p)))
          (exists ((u Ref) (m Int))
            (and (= m (- n 1)) (<= 1 m) (sep (pto x (node u p)) (ending u x m))))))
    (define-fun-rec middle ((x Ref) (p Ref) (l Ref) (e Ref)) Bool
      (or (exists ((n Int)) (and (<= n 2) (there x p l e n)))
          (exists ((u Ref) (v Ref) (w Ref) (m Int) (n Int))
            (sep (pto u (node v w)) (there v u l e m) (back x p w u n)))))
    (define-fun-rec tree ((x Ref) (n Int)) Bool
      (or (and (= x (as nil Ref)) (= n 0) (_ emp Ref Node))
          (exists ((l Ref) (r Ref) (i Int) (j Int))
            (and (= n (+ i j 1)) (<= 0 i) (<= 0 j)
              (sep (pto x (node l r)) (tree l i) (tree r j))))))
    (define-fun-rec limb ((x Ref) (y Ref) (n Int)) Bool
      (or (and (= x y) (= n 0) (_ emp Ref Node))
          (exists ((l Ref) (r Ref) (i Int) (j Int))
            (and (= n (+ i j 1)) (sep (pto x (node l r)) (tree l i) (limb r y j))))
          (exists ((l Ref) (r Ref) (i Int) (j Int))
            (and (= n (+ i j 1)) (sep (pto x (node l r)) (limb l y i) (tree r j))))))
";

const BOUNDS: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (next Ref) (data Int)))))
    (declare-heap (Ref Node))
    (define-fun-rec rising ((x Ref) (y Ref) (a Int) (b Int)) Bool
      (or (and (= a b) (pto x (node y a)))
          (exists ((u Ref) (c Int))
            (and (<= a c) (<= c b) (sep (pto x (node u a)) (rising u y c b))))))
    (define-fun-rec climb ((x Ref) (a Int) (m Int) (y Ref) (b Int) (n Int)) Bool
      (or (and (= x y) (= a b) (= m n) (_ emp Ref Node))
          (exists ((u Ref) (c Int) (k Int))
            (and (< a c) (= m (+ k 1)) (sep (pto x (node u a)) (climb u c k y b n))))))
";

const VARIABLES: &str = "
    (declare-const x Ref) (declare-const y Ref) (declare-const z Ref) (declare-const w Ref)
    (declare-const v Ref)
    (declare-const k Int) (declare-const m Int) (declare-const n Int) (declare-const o Int)
    (declare-const i Int) (declare-const j Int) (declare-const p Int) (declare-const q Int)
";

/// What the number of cells of each predicate is: a parameter, or the difference of two.
fn sizes(definitions: &str, formula: &str) -> Vec<(String, Option<Sum>)> {
    let text = format!("{definitions} {VARIABLES} (assert {formula}) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let system = System::new(&check.signature, Semantics::Standard, &check.assertions).unwrap();
    let shifted = |sum: Sum| sum.renamed(&|v| v - system.nils() as u32);
    let counts = counts(&system).into_iter().map(|sum| sum.map(shifted));
    system.predicates.iter().map(|p| p.name.to_string()).zip(counts).collect()
}

#[test]
fn numbers_of_cells() {
    let difference = Sum::var(2).plus(&Sum::var(5), -1);
    assert_eq!(
        sizes(BOUNDS, "(sep (climb x k m y o n) (rising x y m n))"),
        [("climb".into(), difference), ("rising".into(), None)]
    );
    assert_eq!(
        sizes(LINKS, "(sep (limb x y n) (ending x y n))"),
        [
            ("limb".into(), Some(Sum::var(2))),
            ("ending".into(), Some(Sum::var(2))),
            ("tree".into(), Some(Sum::var(1))),
        ]
    );
}
