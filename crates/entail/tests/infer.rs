//! Generated frames and anti-frames; those with exact results are in `tests/sl/frames`.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use entail::Decider;
use report::FileId;
use sl::ask;
use sl::enumerate::{self, Bounds};
use sl::{Budget, Defs, Formula, Inference, Kind, Semantics};
use testing::Random;

fn decider() -> Decider {
    Decider::new(|| Ok(testing::z3()))
}

const TREE: &str = "pred tree(x) := x = nil || \
    exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r); ";

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
