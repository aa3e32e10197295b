//! The evaluator: the semantics on small heaps that can be checked by hand.
#![allow(clippy::unwrap_used, clippy::panic)]

use report::FileId;
use sl::enumerate::{Bounds, find_counterexample, find_satisfying};
use sl::{Evaluator, Loc, Model, Object, Semantics, Sort, Truth, Value};
use testing::Random;

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
    assert!(holds("true && true", "x=1 1->2"));
    assert!(!holds("true && emp", "x=1 1->2"));
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

/// Makes them up.
struct Formulas(Random);

impl Formulas {
    /// A formula that cannot tell two other locations from three.
    fn small(&mut self) -> String {
        let atoms = ["x |-> y", "y |-> x", "x |-> nil", "emp", "true", "x |-> x", "y |-> y"];
        let parts: Vec<String> = (0..2)
            .map(|_| {
                let not = if self.0.below(2) == 0 { "!" } else { "" };
                format!("{not}({})", atoms[self.0.below(atoms.len())])
            })
            .collect();
        let not = if self.0.below(2) == 0 { "!" } else { "" };
        format!("{not}({})", parts.join([" * ", " && ", " || "][self.0.below(3)]))
    }
}

/// All heaps of the locations 1 to 4, of which 3 and 4 have no name; 5 is another value.
fn heaps() -> Vec<Model> {
    let mut all = vec![Model::default()];
    for loc in 1..=4 {
        let contents: &[u32] = if loc <= 2 { &[0, 1, 2, 5] } else { &[5] };
        for index in 0..all.len() {
            for content in contents {
                let mut larger = all[index].clone();
                let content = Value::Record(vec![Value::Loc(Loc(*content))]);
                larger.heap.insert(Loc(loc), Object { sort: Sort::Loc("Loc".into()), content });
                all.push(larger);
            }
        }
    }
    all
}

/// What the evaluator thinks of wands is what it thinks of all heaps that can be added.
#[test]
fn wands_and_all_extensions() {
    let mut random = Formulas(Random::new(0x5eed_0010));
    let states = ["x=1 y=2", "x=1 y=2 1->2", "x=1 y=2 2->5", "x=1 y=1", "x=0 y=2", "x=1 y=2 5->0"];
    let heaps = heaps();
    let mut held = 0;
    for round in 0..150 {
        let (a, b) = (random.small(), random.small());
        let text = format!("({a}) -* ({b})");
        let document = sl::text::parse(&[(FileId(0), &text)]).unwrap();
        let sl::Kind::Wand(given, wanted) = document.formulas[0].kind() else { panic!("{text}") };
        let state = model(states[round % states.len()]);
        let evaluator = Evaluator::new(&document.signature, Semantics::Standard);
        let is_bad = |added: &Model| {
            let mut added = added.clone();
            added.stack.clone_from(&state.stack);
            let mut union = state.clone();
            union.heap.extend(added.heap.clone());
            added.heap.keys().all(|loc| !state.heap.contains_key(loc))
                && evaluator.holds(&added, given) == Truth::True
                && evaluator.holds(&union, wanted) == Truth::False
        };
        let expected = !heaps.iter().any(is_bad);
        assert_eq!(evaluator.holds(&state, &document.formulas[0]), expected.into(), "{text}");
        held += usize::from(expected);
    }
    assert!((20..130).contains(&held), "{held}");
}
