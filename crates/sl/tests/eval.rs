//! The evaluator: the semantics on small heaps that can be checked by hand.
#![allow(clippy::unwrap_used, clippy::panic)]

use report::FileId;
use sl::enumerate::{Bounds, find_counterexample, find_satisfying};
use sl::{Evaluator, Loc, Model, Object, Semantics, Sort, Truth, Value};

/// A model of the default heap: `x=1 1->2 2->0`.
fn model(text: &str) -> Model {
    let mut model = Model::default();
    let loc = |t: &str| Value::Loc(Loc(t.parse().unwrap()));
    for part in text.split_whitespace() {
        if let Some((name, value)) = part.split_once('=') {
            model.stack.insert(name.into(), loc(value));
        } else {
            let (from, to) = part.split_once("->").unwrap();
            let content = Value::Record(to.split(',').map(loc).collect());
            let sort = Sort::Loc("Loc".into());
            model.heap.insert(Loc(from.parse().unwrap()), Object { sort, content });
        }
    }
    model
}

fn holds_as(semantics: Semantics, formula: &str, state: &str) -> Truth {
    let document =
        sl::text::parse(&[(FileId(0), formula)]).unwrap_or_else(|e| panic!("{}", e.message));
    Evaluator::new(&document.signature, semantics).holds(&model(state), &document.formulas[0])
}

fn holds(formula: &str, state: &str) -> bool {
    match holds_as(Semantics::Precise, formula, state) {
        Truth::Unknown => panic!("{formula} in {state}"),
        truth => truth == Truth::True,
    }
}

#[test]
fn atoms() {
    assert!(holds("emp", "x=1"));
    assert!(!holds("emp", "x=1 1->2"));
    assert!(holds("x |-> y", "x=1 y=2 1->2"));
    assert!(!holds("x |-> y", "x=1 y=2 1->1"));
    assert!(!holds("x |-> y", "x=1 y=2 1->2 2->0"));
    assert!(holds("true", "x=1 1->2"));
    assert!(!holds("false", "x=1"));
    assert!(!holds("x |-> x", "x=0"));
}

#[test]
fn pure_atoms_are_precise_or_not() {
    assert!(holds("x = y", "x=1 y=1"));
    assert!(!holds("x = y", "x=1 y=1 1->1"));
    assert!(holds("x != nil * x |-> y", "x=1 y=2 1->2"));
    assert!(!holds("x != nil && x |-> y", "x=1 y=2 1->2"));
    let standard = |f, s| holds_as(Semantics::Standard, f, s) == Truth::True;
    assert!(standard("x = y", "x=1 y=1 1->1"));
    assert!(standard("x != nil && x |-> y", "x=1 y=2 1->2"));
    assert!(standard("x != nil * x |-> y", "x=1 y=2 1->2 2->2"));
    assert!(standard("(x = y || x |-> y) && true", "x=1 y=2 1->2"));
}

#[test]
fn list_segments() {
    assert!(holds("ls(x, y)", "x=1 y=1"));
    assert!(holds("ls(x, y)", "x=1 y=3 1->2 2->3"));
    assert!(holds("ls(x, nil)", "x=1 1->2 2->0"));
    assert!(!holds("ls(x, y)", "x=1 y=2 1->2 2->1"));
    assert!(!holds("ls(x, x)", "x=1 1->1"));
    assert!(holds("ls(x, y) * ls(y, x)", "x=1 y=2 1->2 2->1"));
    assert!(!holds("ls(x, y)", "x=1 y=3 1->2"));
    assert!(holds("ls(x, y) * true", "x=1 y=2 1->2 5->6"));
}

#[test]
fn quantifiers() {
    assert!(holds("exists y. x |-> y * y |-> nil", "x=1 1->2 2->0"));
    assert!(holds("exists y. x |-> y * ls(y, nil)", "x=1 1->2 2->3 3->0"));
    assert!(holds("exists y, z. y != z * y != x * z != x", "x=1"));
    assert!(!holds("exists y. y != y", "x=1"));
    assert!(holds("exists y. ls(x, y) * y |-> x", "x=1 1->2 2->3 3->1"));
    assert!(holds("forall y. y != x || y = x", "x=1"));
    assert!(!holds("forall y. !(x |-> y)", "x=1 1->5"));
    assert!(holds("forall y. !(x |-> y)", "x=1 2->5"));
}

#[test]
fn connectives_on_the_same_heap() {
    assert!(holds("(x |-> y * true) && (y |-> x * true)", "x=1 y=2 1->2 2->1"));
    assert!(!holds("(x |-> y * true) && !(y |-> x * true)", "x=1 y=2 1->2 2->1"));
    assert!(holds("!(x |-> y) * x |-> y", "x=1 y=2 1->2"));
    assert!(!holds("!emp * x |-> y", "x=1 y=2 1->2"));
    assert!(holds("!emp * x |-> y", "x=1 y=2 1->2 2->2"));
}

#[test]
fn wands() {
    assert!(holds("x |-> y -* (x |-> y * y |-> x)", "x=1 y=2 2->1"));
    assert!(holds("x |-> y -* false", "x=1 y=2 1->1"));
    assert!(!holds("x |-> y -* emp", "x=1 y=2"));
    assert_eq!(holds_as(Semantics::Precise, "ls(x, y) -* emp", "x=1 y=2"), Truth::Unknown);
}

#[test]
fn wands_that_any_heap_may_be_added_to() {
    // There is always another location.
    assert!(!holds("!emp -* false", "x=1"));
    assert!(!holds("true -* !(!emp * !emp * !emp)", "x=1"));
    assert!(holds("!emp -* !emp", "x=1"));
    assert!(holds("(!emp * !emp) -* (!emp * !emp * !emp)", "x=1 1->1"));
    assert!(!holds("!emp -* (!emp * !emp * !emp)", "x=1 1->1"));
    // Something can be at `x`, if it is free, and something else than `y`.
    assert!(holds("!(x |-> y * true) -* true", "x=1 y=2"));
    assert!(!holds("true -* !(x |-> y * true)", "x=1 y=2"));
    assert!(holds("true -* !(x |-> y * true)", "x=1 y=2 1->1"));
    assert!(!holds("!(x |-> y * true) -* !(x |-> x * true)", "x=1 y=2"));
    let somewhere = "(true -* !(x |-> x * true)) || (true -* !(x |-> y * true))";
    assert!(!holds(somewhere, "x=1 y=2"));
    let neither = "((x |-> x * true) || (x |-> y * true))";
    assert!(!holds(&format!("!{neither} -* (!emp -* false)"), "x=1 y=2"));
    assert!(holds("x |-> y -* (!emp -* (!emp * !emp))", "x=1 y=2"));
    assert!(!holds("!(!(x |-> y -* false) && !emp)", "x=1 y=2 2->2"));
    assert!(holds("x |-> y -* (true -* (x |-> y * true))", "x=1 y=2"));
}

#[test]
fn data_is_found_out() {
    let text = "record N { next: L, data: Int };";
    let text = format!(
        "sort L; {text} heap L -> N;
        pred len(x: L, n) := (x = nil && n = 0) ||
            (exists y, d, k. n = k + 1 * x |-> {{next: y, data: d}} * len(y, k));
        exists n. len(x, n) * n = 2"
    );
    let document = sl::text::parse(&[(FileId(0), &text)]).unwrap();
    let mut model = Model::default();
    model.stack.insert("x".into(), Value::Loc(Loc(1)));
    for (from, to) in [(1, 2), (2, 0)] {
        let content = Value::Record(vec![Value::Loc(Loc(to)), Value::Int(7.into())]);
        model.heap.insert(Loc(from), Object { sort: Sort::Loc("L".into()), content });
    }
    let evaluator = Evaluator::new(&document.signature, Semantics::Precise);
    assert_eq!(evaluator.holds(&model, &document.formulas[0]), Truth::True);
    model.heap.remove(&Loc(2));
    assert_eq!(evaluator.holds(&model, &document.formulas[0]), Truth::False);
}

#[test]
fn small_models_are_enumerated() {
    let bounds = Bounds { locations: 3, data: 0 };
    let read = |text: &str| sl::text::parse(&[(FileId(0), text)]).unwrap();
    let sat = |text: &str| {
        let document = read(text);
        find_satisfying(&document.signature, Semantics::Precise, &document.formulas[0], bounds)
            .is_some()
    };
    assert!(sat("x != nil * ls(x, y) * ls(y, x) * x != y"));
    assert!(!sat("x |-> y * x |-> z"));
    assert!(!sat("ls(x, y) * ls(x, z) * x != y * x != z"));
    let valid = |left: &str, right: &str| {
        let document = sl::text::parse(&[(FileId(0), left), (FileId(1), right)]).unwrap();
        let [left, right] = document.formulas.as_slice() else { panic!() };
        find_counterexample(&document.signature, Semantics::Precise, left, right, bounds).is_none()
    };
    assert!(valid("x != z * x |-> y * ls(y, z)", "ls(x, z)"));
    assert!(!valid("x |-> y * ls(y, z)", "ls(x, z)"));
    assert!(valid("ls(x, y) * ls(y, nil)", "ls(x, nil)"));
    assert!(!valid("ls(x, y) * ls(y, z)", "ls(x, z)"));
}
