//! Frames and anti-frames of definitions of any kind, and of what needs new names.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use entail::Decider;
use report::FileId;
use sl::ask;
use sl::enumerate::{self, Bounds};
use sl::{Answer, Budget, Defs, Formula, Inference, Kind, Semantics};
use testing::Random;

fn decider() -> Decider {
    Decider::new(|| Ok(testing::z3()))
}

const TREE: &str = "pred tree(x) := x = nil || \
    exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r); ";
const NESTED: &str = "pred nls(x) := x = nil || \
    exists u, v. x |-> {next: u, down: v} * inner(v) * nls(u); \
    pred inner(x) := x = nil || exists v. x |-> {next: nil, down: v} * inner(v); ";
const HEADED: &str = "pred hls(x, h) := x = nil || \
    exists u. x |-> {next: u, head: h} * hls(u, h); ";

/// What is asked for.
#[derive(Clone, Copy, PartialEq)]
enum Ask {
    Frame,
    Abduce,
}

fn infer(decider: &mut Decider, ask: Ask, h: &str, g: &str) -> String {
    let document = sl::text::parse(&[(FileId(0), h), (FileId(1), g)]).unwrap();
    let [left, right] = document.formulas.as_slice() else { panic!("{h} and {g}") };
    let defs = Defs::new(document.signature.clone(), Semantics::Precise);
    let mut budget = Budget::default();
    let answer = match ask {
        Ask::Frame => ask::frame(decider, &defs, left, right, &mut budget),
        Ask::Abduce => ask::abduce(decider, &defs, left, right, &mut budget),
    };
    match answer {
        Answer::Decided(Inference::Found(formula, _)) => formula.to_string(),
        Answer::Decided(Inference::Nothing(_)) => "none".into(),
        unknown => format!("unknown: {}", unknown.why_not().unwrap_or_default()),
    }
}

fn check(ask: Ask, definitions: &str, cases: &[(&str, &str, &str)]) {
    let mut decider = decider();
    let mut wrong = String::new();
    for (h, g, expected) in cases {
        let answer = infer(&mut decider, ask, &format!("{definitions}{h}"), g);
        if answer != *expected {
            wrong += &format!("{h} and {g}: {answer}, not {expected}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn frames_with_new_names() {
    check(
        Ask::Frame,
        "",
        &[
            ("x |-> a * ls(a, nil)", "exists y. x |-> y", "a != x * x != nil * ls(a, nil)"),
            (
                "exists a. x |-> a * ls(a, nil)",
                "exists y. x |-> y",
                "exists u. x != nil * ls(u, nil)",
            ),
            ("ls(x, nil) * x != nil", "exists y. x |-> y", "exists u. x != nil * ls(u, nil)"),
            ("ls(x, nil)", "exists y. x |-> y", "none"),
            ("x |-> a * a |-> b", "exists y, z. y |-> z", "a != x * x != nil * a |-> b"),
            ("x |-> a * y |-> a", "exists u, v. u |-> v * v |-> v", "none"),
            ("ls(x, y) * ls(y, nil)", "exists z. ls(x, z) * ls(z, nil)", "emp"),
        ],
    );
}

#[test]
fn frames_of_trees_and_nested_lists() {
    let node = "x |-> {left: a, right: b}";
    check(
        Ask::Frame,
        TREE,
        &[
            (
                &format!("{node} * tree(a) * tree(b)"),
                node,
                "a != x * b != x * x != nil * tree(a) * tree(b)",
            ),
            (
                &format!("{node} * tree(a) * tree(b) * tree(c)"),
                "tree(x)",
                "a != x * b != x * c != x * x != nil * tree(c)",
            ),
            ("tree(x) * tree(y)", "tree(x)", "tree(y)"),
            (
                "x != nil * tree(x)",
                "exists l, r. x |-> {left: l, right: r}",
                "exists u, u_1. x != nil * tree(u) * tree(u_1)",
            ),
            ("tree(x)", "exists l, r. x |-> {left: l, right: r}", "none"),
            (&format!("{node} * tree(a)"), "tree(x)", "none"),
        ],
    );
    let cell = "x |-> {next: u, down: v} * inner(v) * nls(u)";
    check(
        Ask::Frame,
        NESTED,
        &[
            ("nls(x) * nls(y)", "nls(y)", "nls(x)"),
            (cell, "inner(v)", "v != x * x |-> {next: u, down: v} * nls(u)"),
            (
                &format!("{cell} * inner(w)"),
                "nls(x)",
                "u != x * v != x * w != x * x != nil * inner(w)",
            ),
        ],
    );
    check(
        Ask::Frame,
        HEADED,
        &[
            (
                "x |-> {next: u, head: h} * hls(u, h)",
                "x |-> {next: u, head: h}",
                "u != x * x != nil * hls(u, h)",
            ),
            (
                "x |-> {next: u, head: h} * hls(u, h) * hls(y, k)",
                "hls(x, h)",
                "u != x * x != y * x != nil * hls(y, k)",
            ),
            ("x |-> {next: u, head: h} * hls(u, k) * k != h", "hls(x, h)", "none"),
        ],
    );
}

/// Where no extension is a model of the right side there is no anti-frame.
#[test]
fn anti_frames() {
    let node = "x |-> {left: a, right: b}";
    check(
        Ask::Abduce,
        TREE,
        &[
            ("tree(x)", "tree(x) * tree(y)", "tree(y)"),
            (&format!("{node} * tree(a)"), "tree(x)", "tree(b)"),
            ("x = nil * tree(y)", &format!("{node} * tree(y)"), "none"),
            ("tree(x)", "x = nil * x != nil", "none"),
            (node, "x |-> {left: b, right: a} * a != b", "none"),
            ("x = nil * x |-> {left: a, right: b}", "tree(x)", "none"),
        ],
    );
    check(Ask::Abduce, "", &[("x |-> y * y |-> z", "x |-> z * true", "y = z")]);
}

/// Generated heaps of cells and trees: every frame and anti-frame does what it should in all small heaps,
/// and where there is said to be none, the reason is right.
#[test]
fn generated_frames() {
    let mut state = Random::new(0x5eed_0020);
    let mut decider = decider();
    let bounds = Bounds { locations: 2, data: 0 };
    let (mut found, mut none, mut unknown) = (0, 0, 0);
    for _ in 0..120 {
        let mut atoms = |count: usize| {
            let mut parts = vec!["emp".to_owned()];
            for _ in 0..count {
                let mut var = || ["x", "y", "z", "nil"][state.below(4)];
                let (a, b, c) = (var(), var(), var());
                let kind = state.below(5);
                parts.push(match kind {
                    0 => format!("{a} |-> {{left: {b}, right: {c}}}"),
                    1 => format!("(exists u, v. {a} |-> {{left: u, right: v}})"),
                    2 if a != "nil" => format!("{a} != nil"),
                    _ => format!("tree({a})"),
                });
            }
            parts.join(" * ")
        };
        let (h, g) = (format!("{TREE}{}", atoms(3)), atoms(1));
        let document = sl::text::parse(&[(FileId(0), &h), (FileId(1), &g)]).unwrap();
        let [left, right] = document.formulas.as_slice() else { panic!() };
        let (signature, semantics) = (&document.signature, Semantics::Precise);
        let counterexample = |h: &Formula, g: &Formula| {
            enumerate::find_counterexample(signature, semantics, h, g, bounds)
        };
        let defs = Defs::new(signature.clone(), semantics);
        let mut budget = Budget::default();
        match ask::frame(&mut decider, &defs, left, right, &mut budget).decided() {
            Some(Inference::Found(frame, _)) => {
                let whole = Formula::sep(vec![right.clone(), frame.clone()]);
                assert_eq!(counterexample(left, &whole), None, "{h} |= {g} * {frame}");
                found += 1;
            }
            Some(Inference::Nothing(model)) => {
                let part = Formula::sep(vec![right.clone(), Kind::True.into()]);
                let whole = Formula::and(vec![left.clone(), Formula::negation(part)]);
                let evaluator = sl::Evaluator::new(signature, semantics);
                assert_eq!(evaluator.holds(&model.unwrap(), &whole), sl::Truth::True, "{h}, {g}");
                none += 1;
            }
            None => unknown += 1,
        }
        match ask::abduce(&mut decider, &defs, left, right, &mut budget).decided() {
            Some(Inference::Found(missing, _)) => {
                let whole = Formula::sep(vec![left.clone(), missing.clone()]);
                assert_eq!(counterexample(&whole, right), None, "{h} * {missing} |= {g}");
            }
            Some(Inference::Nothing(_)) => {
                let more = Formula::sep(vec![left.clone(), Kind::True.into()]);
                let no = Formula::negation(right.clone());
                assert_eq!(counterexample(&more, &no), None, "{h} and {g}");
            }
            None => {}
        }
    }
    assert!(found > 30 && none > 20 && unknown == 0, "{found} {none} {unknown}");
}
