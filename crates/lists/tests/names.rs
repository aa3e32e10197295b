//! Bound variables that are called like free ones are others.
#![allow(clippy::unwrap_used, clippy::panic)]

use lists::Lists;
use report::FileId;
use sl::ask::once::check_sat;
use sl::{Evaluator, Loc, Model, Object, Semantics, Truth, Value};

fn parse(text: &str) -> sl::text::Document {
    sl::text::parse(&[(FileId(0), text)]).unwrap()
}

#[test]
fn a_free_variable_is_not_captured_by_what_comes_before_it() {
    for (text, expected) in [
        ("(exists u. x |-> u * u |-> y) * u = nil", "sat"),
        ("(exists u. x |-> u) * u |-> nil && !(x |-> u * u |-> nil)", "sat"),
        ("x |-> y * u |-> nil && !((exists u. x |-> u) * u |-> nil)", "unsat"),
    ] {
        let document = parse(text);
        let verdict =
            check_sat(&mut Lists, &document.signature, Semantics::Precise, &document.formulas);
        // What is no list problem may be unknown, but not wrong.
        assert!([expected, "unknown"].contains(&verdict.as_str()), "{text}: {verdict:?}");
        if let Some(model) = verdict.model() {
            assert!(model.stack.contains_key(&"u".into()), "{text}: {model:?}");
        }
    }
}

#[test]
fn models_are_checked_with_the_right_variable() {
    let document = parse("(exists u. x |-> u) * u |-> nil");
    let signature = &document.signature;
    let evaluator = Evaluator::new(signature, Semantics::Precise);
    let sort = signature.heap[0].loc.clone();
    let model = |u: u32| {
        let mut model = Model::default();
        model.stack.insert("u".into(), Value::Loc(Loc(u)));
        model.stack.insert("x".into(), Value::Loc(Loc(2)));
        for (at, held) in [(2, 3), (3, 0)] {
            let content = Value::Record(vec![Value::Loc(Loc(held))]);
            model.heap.insert(Loc(at), Object { sort: sort.clone(), content });
        }
        model
    };
    assert_eq!(evaluator.holds(&model(1), &document.formulas[0]), Truth::False);
    assert_eq!(evaluator.holds(&model(3), &document.formulas[0]), Truth::True);
}
