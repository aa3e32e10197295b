//! Questions that were once answered wrongly, or nearly.
#![allow(clippy::unwrap_used, clippy::panic)]

use induct::Induct;
use report::FileId;
use sl::ask::once::check_sat;
use sl::{
    Answer, Evaluator, Formula, Kind, Loc, Model, Object, Satisfiability, Semantics, Sort, Truth,
    Value,
};

fn ask(text: &str) -> (Answer<Satisfiability>, bool) {
    let script = sl::smtlib::parse(FileId(0), text).unwrap();
    let check = &script.checks[0];
    let verdict = check_sat(&mut Induct, &check.signature, Semantics::Standard, &check.assertions);
    let proof = match check.assertions.as_slice() {
        [left, right] => match right.kind() {
            Kind::Not(right) => induct::proves(&check.signature, Semantics::Standard, left, right),
            _ => panic!("{text}"),
        },
        _ => false,
    };
    (verdict, proof)
}

const TWO_SORTS: &str = "
    (declare-sort A 0) (declare-sort B 0) (declare-sort C 0)
    (declare-datatypes ((NodeA 0) (NodeB 0)) (((a (ofA C))) ((b (ofB C)))))
    (declare-heap (A NodeA) (B NodeB))
    (define-fun-rec some ((z C)) Bool (exists ((u A)) (pto u (a z))))
    (declare-const x A) (declare-const y B) (declare-const z C)
";

/// Locations of different sorts that hold the same are not the same.
#[test]
fn cells_of_different_sorts() {
    let right =
        ["(exists ((u A)) (pto u (a z)))", "(exists ((u A) (v C)) (pto u (a v)))", "(some z)"];
    for right in right {
        let wrong =
            format!("{TWO_SORTS} (assert (pto y (b z))) (assert (not {right})) (check-sat)");
        let (verdict, proof) = ask(&wrong);
        assert!(verdict.model().is_some() && !proof, "{right}: {verdict:?}");
        let fine = format!("{TWO_SORTS} (assert (pto x (a z))) (assert (not {right})) (check-sat)");
        let (verdict, proof) = ask(&fine);
        assert!(verdict.is_unsat() && proof, "{right}: {verdict:?}");
    }
}

/// Three large factors of the same variable: their sum has no place in 128 bits.
#[test]
fn factors_that_become_too_large() {
    let big = "(* 9223372036854775807 9223372036854775807)";
    let text = format!(
        "(declare-sort Ref 0) (declare-heap (Ref Ref))
         (define-fun-rec p ((a Int) (b Int) (c Int) (d Int)) Bool
           (and (= (+ (* {big} a) (* {big} b) (* {big} c)) (* {big} d)) (_ emp Ref Ref)))
         (declare-const n Int) (declare-const m Int)
         (assert (and (= n 1) (p n n n m))) (check-sat)"
    );
    let (verdict, _) = ask(&text);
    assert!(!verdict.is_unsat());
}

/// A variable that is bound here and free there is not the same, whoever made the formula.
#[test]
fn bound_variables_with_the_name_of_a_free_one() {
    let text = "(declare-sort Ref 0) (declare-heap (Ref Ref)) (declare-const x Ref)
                (assert (pto x x)) (check-sat)";
    let script = sl::smtlib::parse(FileId(0), text).unwrap();
    let check = &script.checks[0];
    let cell = check.assertions[0].clone();
    let vars: Vec<sl::Var> = cell.free_vars().into_iter().collect();
    let other = Formula::exists(vars, cell.clone());
    for parts in [vec![cell.clone(), other.clone()], vec![other, cell]] {
        let both = Formula::sep(parts);
        let verdict = check_sat(&mut Induct, &check.signature, Semantics::Standard, &[both]);
        assert!(verdict.model().is_some(), "{verdict:?}");
    }
}

/// The same for those who check models: a location of one sort is none of another.
#[test]
fn locations_of_different_sorts() {
    let hidden = "(exists ((u A)) (not (not (pto u (a z)))))";
    let text = format!("{TWO_SORTS} (assert {hidden}) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let mut model = Model::default();
    model.stack.insert("z".into(), Value::Loc(Loc(2)));
    let content = Value::Record(vec![Value::Loc(Loc(2))]);
    model.heap.insert(Loc(1), Object { sort: Sort::Loc("B".into()), content });
    let evaluator = Evaluator::new(&check.signature, Semantics::Standard);
    assert_eq!(evaluator.holds(&model, &check.assertions[0]), Truth::False);
}

/// The least derivation has more instances than there are numbers for.
#[test]
fn derivations_that_cannot_be_counted() {
    let (mut heads, mut bodies) = (String::new(), String::new());
    for i in 0..70 {
        heads += &format!(" (p{i} ((n Int)) Bool)");
        bodies += &match i {
            0 => " (and (<= 0 n) (_ emp Ref Ref))".into(),
            _ => format!(" (and (<= 0 n) (sep (p{0} n) (p{0} n) (p{0} n)))", i - 1),
        };
    }
    let text = format!(
        "(declare-sort Ref 0) (declare-heap (Ref Ref)) (define-funs-rec ({heads}) ({bodies}))
         (declare-const n Int) (assert (p69 n)) (check-sat)"
    );
    assert!(!ask(&text).0.is_unsat());
}

/// More parameters than bits, all of them equal.
#[test]
fn circuits_with_more_parameters_than_bits() {
    let params: String = (0..66).map(|i| format!("(v{i} Ref)")).collect();
    let same: String = (1..66).map(|i| format!("(= v{i} v0) ")).collect();
    let text = format!(
        "(declare-sort Ref 0) (declare-heap (Ref Ref)) (declare-const x Ref)
         (define-fun-rec wide ({params}) Bool
           (and {same} (distinct v0 (as nil Ref)) (_ emp Ref Ref)))
         (assert (wide {})) (check-sat)",
        "x ".repeat(66)
    );
    let (verdict, _) = ask(&text);
    assert!(verdict.model().is_some(), "{verdict:?}");
}

/// Bounds of two lists and of bounds of those: there are very many of them.
#[test]
fn bounds_that_take_no_space() {
    let text = "(declare-sort Ref 0) (declare-heap (Ref Ref))
        (define-fun-rec p ((x Ref) (y Ref) (n Int)) Bool
          (or (and (= x y) (distinct n n) (_ emp Ref Ref))
              (and (= x y) (= n (- 1)) (pto x x))
              (exists ((u Ref) (k Int)) (and (= n (+ k 1)) (sep (pto x u) (p u y k))))
              (exists ((u Ref) (v Ref) (k Int) (m Int))
                (and (= n (+ k m 3)) (sep (pto x u) (p u y k) (p v y m))))))
        (declare-const x Ref) (declare-const n Int)
        (assert (p x (as nil Ref) n)) (check-sat)";
    assert!(ask(text).0.is_unsat());
}
