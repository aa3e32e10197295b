//! Entailments between segments with sizes and bounds: what is known without unfolding them.
#![allow(clippy::unwrap_used, clippy::panic)]

use arith::Sum;
use induct::Induct;
use induct::count::counts;
use induct::system::System;
use report::FileId;
use sl::ask::once::check_sat;
use sl::{Evaluator, Semantics, Truth, Verdict};

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

/// Trees with parents, downwards and as a path upwards with trees on its sides.
const PARENTS: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (lft Ref) (rgt Ref) (up Ref)))))
    (declare-heap (Ref Node))
    (define-fun-rec below ((x Ref) (p Ref)) Bool
      (or (pto x (node (as nil Ref) (as nil Ref) p))
          (exists ((l Ref) (r Ref)) (sep (pto x (node l r p)) (below l x) (below r x)))))
    (define-fun-rec path ((x Ref) (d Ref) (t Ref) (p Ref)) Bool
      (or (exists ((r Ref)) (and (= x t) (sep (pto x (node d r p)) (below r x))))
          (exists ((l Ref)) (and (= x t) (sep (pto x (node l d p)) (below l x))))
          (exists ((u Ref) (r Ref)) (sep (pto x (node d r u)) (below r x) (path u x t p)))
          (exists ((u Ref) (l Ref)) (sep (pto x (node l d u)) (below l x) (path u x t p)))))
";

const VARIABLES: &str = "
    (declare-const x Ref) (declare-const y Ref) (declare-const z Ref) (declare-const w Ref)
    (declare-const v Ref)
    (declare-const k Int) (declare-const m Int) (declare-const n Int) (declare-const o Int)
    (declare-const i Int) (declare-const j Int) (declare-const p Int) (declare-const q Int)
";

fn verdict(definitions: &str, left: &str, right: &str) -> Verdict {
    let text =
        format!("{definitions} {VARIABLES} (assert {left}) (assert (not {right})) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let verdict = check_sat(&mut Induct, &check.signature, Semantics::Standard, &check.assertions);
    if let Verdict::Sat(model) = &verdict {
        let evaluator = Evaluator::new(&check.signature, Semantics::Standard);
        for assertion in &check.assertions {
            assert_ne!(evaluator.holds(model, assertion), Truth::False, "{left} |= {right}");
        }
    }
    verdict
}

fn hold(definitions: &str, entailments: &[(&str, &str)]) {
    for (left, right) in entailments {
        assert_eq!(verdict(definitions, left, right), Verdict::Unsat, "{left} |= {right}");
    }
}

fn are_refuted(definitions: &str, entailments: &[(&str, &str)]) {
    for (left, right) in entailments {
        let verdict = verdict(definitions, left, right);
        assert!(matches!(verdict, Verdict::Sat(_)), "{left} |= {right}: {verdict:?}");
    }
}

fn do_not_hold(definitions: &str, entailments: &[(&str, &str)]) {
    for (left, right) in entailments {
        assert_ne!(verdict(definitions, left, right), Verdict::Unsat, "{left} |= {right}");
    }
}

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

#[test]
fn splits_with_sizes_to_find() {
    hold(
        LINKS,
        &[
            (
                "(and (= n 100) (ending x y n))",
                "(exists ((u Ref) (v Ref) (t Ref) (i Int) (j Int))
               (and (= (+ i j) 100) (sep (there x y u v i) (back v u t (as nil Ref) j))))",
            ),
            (
                "(and (= n 100) (<= k 20) (<= 1 k) (ending x y n))",
                "(exists ((u Ref) (v Ref) (t Ref) (j Int))
               (and (<= 80 j) (sep (there x y u v k) (there v u t (as nil Ref) j))))",
            ),
            (
                "(and (= n 1000) (= k 800) (= m 10) (chain x y n))",
                "(exists ((u Ref) (v Ref) (i Int)) (sep (chain x u i) (chain u v m) (chain v y k)))",
            ),
            (
                "(and (<= 100 n) (there x y z w n))",
                "(exists ((u Ref) (v Ref) (i Int))
               (and (<= 99 i) (sep (there x y u z i) (pto z (node w u)))))",
            ),
        ],
    );
    do_not_hold(
        LINKS,
        &[
            (
                "(and (= n 100) (ending x y n))",
                "(exists ((u Ref) (v Ref) (t Ref) (i Int) (j Int))
               (and (= (+ i j) 101) (sep (there x y u v i) (back v u t (as nil Ref) j))))",
            ),
            (
                "(and (= n 100) (<= k 20) (<= 0 k) (ending x y n))",
                "(exists ((u Ref) (v Ref) (t Ref) (j Int))
               (and (<= 80 j) (sep (there x y u v k) (there v u t (as nil Ref) j))))",
            ),
            (
                "(and (= n 100) (<= k 20) (<= 1 k) (ending x y n))",
                "(exists ((u Ref) (v Ref) (t Ref) (j Int))
               (and (<= 81 j) (sep (there x y u v k) (there v u t (as nil Ref) j))))",
            ),
        ],
    );
}

#[test]
fn the_other_direction() {
    hold(
        LINKS,
        &[
            (
                "(and (= n 9) (= k 5) (= m 4) (ending x y n))",
                "(exists ((u Ref) (v Ref) (t Ref))
               (sep (there x y u v k) (back v u t (as nil Ref) m)))",
            ),
            (
                "(and (<= 3 n) (<= 1 k) (< k n) (ending x y n))",
                "(exists ((u Ref) (v Ref) (t Ref) (j Int))
               (sep (back x y u v k) (back v u t (as nil Ref) j)))",
            ),
            ("(back x y z w n)", "(middle x y z w)"),
        ],
    );
    do_not_hold(LINKS, &[("(back x y z w n)", "(middle x z y w)")]);
}

#[test]
fn the_last_of_many() {
    hold(
        LINKS,
        &[
            (
                "(and (<= 1000 n) (chain x y n))",
                "(exists ((a Ref) (b Ref) (c Ref) (d Ref) (e Ref) (k Int))
               (and (= k (- n 5))
                 (sep (pto c (node d (as nil Ref))) (pto a (node b (as nil Ref)))
                   (pto b (node c (as nil Ref))) (pto d (node e (as nil Ref)))
                   (pto e (node y (as nil Ref))) (chain x a k))))",
            ),
            (
                "(and (= n 1000) (= k 995) (there x y z w n))",
                "(exists ((a Ref) (b Ref) (c Ref) (d Ref) (e Ref))
               (sep (pto b (node c a)) (pto c (node d b)) (pto d (node e c))
                 (pto e (node z d)) (pto z (node w e)) (there x y a b k)))",
            ),
        ],
    );
    do_not_hold(
        LINKS,
        &[(
            "(and (= n 1000) (= k 998) (chain x y n))",
            "(exists ((u Ref)) (sep (pto u (node y (as nil Ref))) (chain x u k)))",
        )],
    );
}

#[test]
fn segments_side_by_side() {
    hold(
        LINKS,
        &[
            (
                "(sep (chain x y n) (chain y z m) (chain z w k) (chain w v i))",
                "(exists ((j Int)) (chain x v j))",
            ),
            (
                "(sep (tree x n) (limb y z m) (limb z w k))",
                "(exists ((a Ref) (b Ref) (c Ref) (d Ref) (i Int) (j Int))
               (sep (limb a b i) (limb c d j)))",
            ),
        ],
    );
    do_not_hold(
        LINKS,
        &[("(sep (chain x y n) (chain z w m))", "(exists ((j Int)) (chain x w j))")],
    );
}

#[test]
fn from_the_other_end() {
    hold(
        PARENTS,
        &[
            ("(sep (pto x (node (as nil Ref) (as nil Ref) y)) (path y x z w))", "(below z w)"),
            ("(exists ((u Ref)) (sep (below x u) (path u x z w)))", "(below z w)"),
        ],
    );
    do_not_hold(
        PARENTS,
        &[
            ("(sep (pto x (node (as nil Ref) (as nil Ref) y)) (path y x z w))", "(below x w)"),
            ("(sep (pto x (node (as nil Ref) y (as nil Ref))) (path y x z w))", "(below z w)"),
            ("(path x y z w)", "(below z w)"),
        ],
    );
}

#[test]
fn cases_of_integers() {
    hold(
        LINKS,
        &[(
            "(and (<= 10 n) (tree x n))",
            "(exists ((u Ref) (i Int) (j Int))
               (and (<= 1 i) (<= 2 j) (sep (limb x u i) (tree u j))))",
        )],
    );
    do_not_hold(
        LINKS,
        &[(
            "(and (<= 10 n) (tree x n))",
            "(exists ((u Ref) (i Int) (j Int))
           (and (<= 1 i) (<= 6 j) (sep (limb x u i) (tree u j))))",
        )],
    );
}

#[test]
fn bounds() {
    hold(
        BOUNDS,
        &[
            (
                "(and (= i 1) (= j 100) (= m 200) (= n 300) (sep (rising x y i j) (rising y z m n)))",
                "(exists ((a Ref) (t Ref) (p Int) (q Int) (r Int))
               (and (<= q r) (sep (pto t (node z r)) (rising a t p q))))",
            ),
            (
                "(and (= i 1) (= j 100) (= m 200) (= n 300) (sep (rising x y i j) (rising y z m n)))",
                "(exists ((t Ref) (q Int))
               (and (<= q n) (sep (pto t (node z n)) (rising x t i q))))",
            ),
            (
                "(and (distinct k m) (= i (+ j 2)) (= n (+ i 1)) (< m o)
               (sep (climb x k p y m n) (pto y (node z m)) (climb z o i w q j)))",
                "(and (< k q) (< (+ j 3) p) (climb x k p w q j))",
            ),
        ],
    );
    do_not_hold(
        BOUNDS,
        &[
            (
                "(and (= i 1) (= j 300) (= m 200) (= n 400) (sep (rising x y i j) (rising y z m n)))",
                "(rising x z i n)",
            ),
            (
                "(rising x z i n)",
                "(exists ((t Ref) (q Int))
               (and (<= q n) (sep (pto t (node z n)) (rising x t i q))))",
            ),
        ],
    );
}

#[test]
fn other_integers() {
    are_refuted(
        BOUNDS,
        &[
            ("(and (<= i n) (sep (rising x y i j) (rising y z m n)))", "(rising x z i n)"),
            ("(and (<= k m) (rising x y m n))", "(and (<= 0 k) (rising x y m n))"),
        ],
    );
    are_refuted(
        LINKS,
        &[(
            "(and (<= m n) (chain x y n))",
            "(exists ((u Ref) (i Int)) (sep (chain x u m) (chain u y i)))",
        )],
    );
}
