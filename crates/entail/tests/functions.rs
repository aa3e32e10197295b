//! Functions of which nothing is known, on locations: results agree where arguments do ([PWZ13, Th. 6]).
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use entail::Decider;
use report::FileId;
use sl::Semantics;
use sl::ask::once::check_sat;

const HEAD: &str = "(declare-sort Loc 0) (declare-heap (Loc Loc)) (declare-fun f (Loc) Loc) \
    (declare-fun g (Loc) Int) (declare-fun p (Loc Loc) Bool) \
    (declare-const x Loc) (declare-const y Loc) (declare-const z Loc) \
    (define-fun-rec ls ((a Loc) (b Loc)) Bool (or (and (= a b) (_ emp Loc Loc)) \
        (exists ((u Loc)) (and (distinct a b) (sep (pto a u) (ls u b))))))\n";

#[test]
fn functions_of_locations() {
    let mut decider = Decider::new(|| Ok(testing::z3()));
    for (assertions, expected) in [
        ("(assert (sep (pto x (f x)) (pto y (f y)))) (assert (distinct (f x) (f y)))", "sat"),
        ("(assert (sep (pto x (f x)) (pto y (f y)))) (assert (= (f x) (f y)))", "sat"),
        ("(assert (pto x (f x))) (assert (= x y)) (assert (not (pto y (f y))))", "unsat"),
        ("(assert (ls x y)) (assert (= x (f x))) (assert (distinct (f (f x)) x))", "unsat"),
        (
            "(assert (ls x y)) (assert (= x (f (f x)))) (assert (distinct (f (f (f x))) (f x)))",
            "unsat",
        ),
        ("(assert (ls x y)) (assert (= x y)) (assert (distinct (g x) (g y)))", "unsat"),
        ("(assert (ls x y)) (assert (distinct (g x) (g y))) (assert (_ emp Loc Loc))", "unsat"),
        ("(assert (ls x (f y))) (assert (< (g x) (g (f y))))", "sat"),
        (
            "(assert (sep (ls x y) (ls y (f y)))) (assert (= (f y) nil)) (assert (not (ls x nil)))",
            "unsat",
        ),
        ("(assert (p x y)) (assert (not (p y x))) (assert (ls x y)) (assert (= x y))", "unsat"),
        ("(assert (wand (pto x y) (sep (pto x y) (pto (f x) z)))) (assert (p x y))", "sat"),
        // A question knows only the functions that it asks about.
        (
            "(push) (assert (distinct (f x) (f y))) (pop) (assert (= x y)) (assert (ls (f x) (f y)))",
            "sat",
        ),
    ] {
        let text = format!("{HEAD}{assertions}(check-sat)");
        let script =
            sl::smtlib::parse(FileId(0), &text).unwrap_or_else(|e| panic!("{text}: {}", e.message));
        let check = script.checks.last().unwrap();
        let answer =
            check_sat(&mut decider, &check.signature, Semantics::Standard, &check.assertions);
        assert_eq!(answer.as_str(), expected, "{assertions}: {answer:?}");
    }
    let bound = format!("{HEAD}(assert (exists ((u Loc)) (pto x (f u))))(check-sat)");
    let problem = sl::smtlib::parse(FileId(0), &bound).unwrap_err();
    assert_eq!(problem.message, "`f` is applied to a bound variable");
}
