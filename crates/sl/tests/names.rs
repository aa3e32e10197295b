//! Bound variables that are called like free ones are others: also for the evaluator.
#![allow(clippy::unwrap_used, clippy::panic)]

use report::FileId;
use sl::{Evaluator, Loc, Model, Object, Semantics, Truth, Value};

fn parse(text: &str) -> sl::text::Document {
    sl::text::parse(&[(FileId(0), text)]).unwrap()
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
