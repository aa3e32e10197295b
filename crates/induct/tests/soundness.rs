//! Formulas that nobody can write, and models that nobody should find. Questions that were once answered wrongly
//! are in `tests/sl/induct`.
#![allow(clippy::unwrap_used, clippy::panic)]

use induct::Induct;
use report::FileId;
use sl::ask::once::check_sat;
use sl::{Evaluator, Formula, Loc, Model, Object, Semantics, Sort, Truth, Value};

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

/// For those who check models: a location of one sort is none of another.
#[test]
fn locations_of_different_sorts() {
    let text = "(declare-sort A 0) (declare-sort B 0) (declare-sort C 0)
        (declare-datatypes ((NodeA 0) (NodeB 0)) (((a (ofA C))) ((b (ofB C)))))
        (declare-heap (A NodeA) (B NodeB)) (declare-const z C)
        (assert (exists ((u A)) (not (not (pto u (a z)))))) (check-sat)";
    let script = sl::smtlib::parse(FileId(0), text).unwrap();
    let check = &script.checks[0];
    let mut model = Model::default();
    model.stack.insert("z".into(), Value::Loc(Loc(2)));
    let content = Value::Record(vec![Value::Loc(Loc(2))]);
    model.heap.insert(Loc(1), Object { sort: Sort::Loc("B".into()), content });
    let evaluator = Evaluator::new(&check.signature, Semantics::Standard);
    assert_eq!(evaluator.holds(&model, &check.assertions[0]), Truth::False);
}
