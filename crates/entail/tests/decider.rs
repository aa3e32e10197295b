//! One decider for many questions.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use entail::Decider;
use report::FileId;
use sl::ask;
use sl::text::Document;
use sl::{Answer, Budget, Defs, Entailment, Inference, Limit, Semantics};
use testing::z3;

fn parse(texts: &[&str]) -> Document {
    let files: Vec<(FileId, &str)> =
        texts.iter().enumerate().map(|(i, text)| (FileId(i as u32), *text)).collect();
    sl::text::parse(&files).unwrap_or_else(|e| panic!("{texts:?}: {}", e.message))
}

/// For each procedure something that the ones before it do not decide, valid and not.
const QUESTIONS: [(&str, &str, &str, &str); 8] = [
    ("lists", "x != z * x |-> y * ls(y, z)", "ls(x, z)", "valid"),
    ("lists", "x |-> y * ls(y, z)", "ls(x, z)", "invalid"),
    (
        "induct",
        ODD,
        "pred even(a, b) := a = b || exists c. a |-> c * odd(c, b); even(x, y)",
        "invalid",
    ),
    ("induct", ODD, "exists u. x |-> u * any(u, y)", "valid"),
    ("grass", "ls(x, y) && !(x = y)", "ls(x, y) && !emp", "valid"),
    ("grass", "ls(x, y) || ls(y, x)", "ls(x, y) && !emp", "invalid"),
    ("boolean", "x |-> y -* x |-> y * z |-> y", "!(x |-> z * true)", "invalid"),
    ("boolean", "x |-> y * (x |-> y -* z |-> y)", "z |-> y", "valid"),
];

const ODD: &str = "pred odd(a, b) := a |-> b || exists c, d. a |-> c * c |-> d * odd(d, b); \
                   pred any(a, b) := a = b || exists c. a |-> c * any(c, b); odd(x, y)";

/// An answer within this time.
fn ask(
    decider: &mut Decider,
    timeout: Option<Duration>,
    left: &str,
    right: &str,
) -> (Answer<Entailment>, Budget) {
    let document = parse(&[left, right]);
    let [h, g] = document.formulas.as_slice() else { panic!("{left} |= {right}") };
    let defs = Defs::new(document.signature.clone(), Semantics::Precise);
    let mut budget = Budget::until(timeout.map(|timeout| Instant::now() + timeout));
    (ask::entails(decider, &defs, h, g, &mut budget), budget)
}

#[test]
fn a_solver_is_kept() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let mut decider = Decider::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(z3())
    });
    for round in 0..10 {
        for (procedure, left, right, expected) in QUESTIONS {
            let (answer, budget) = ask(&mut decider, None, left, right);
            assert_eq!(answer.as_str(), expected, "{left} |= {right}: {answer:?}");
            assert_eq!(budget.stats.procedure, Some(procedure), "{left} |= {right}: {answer:?}");
            let queries = budget.stats.queries;
            assert_eq!(queries > 0, procedure == "grass", "{left}, round {round}");
        }
        let document = parse(&["x |-> y * ls(y, z)", "x |-> y"]);
        let [h, g] = document.formulas.as_slice() else { panic!() };
        let defs = Defs::new(document.signature.clone(), Semantics::Precise);
        let frame = ask::frame(&mut decider, &defs, h, g, &mut Budget::default()).decided();
        assert!(matches!(frame, Some(Inference::Found(..))), "{frame:?}");
    }
    drop(decider);
    assert_eq!(
        asked.load(Ordering::Relaxed),
        2,
        "one for each of the two procedures that need a solver"
    );
}

#[test]
fn without_a_solver() {
    let mut decider = Decider::new(|| Err("there is no Z3".into()));
    for (procedure, left, right, expected) in QUESTIONS {
        let (answer, _) = ask(&mut decider, None, left, right);
        match procedure {
            "lists" | "induct" => assert_eq!(answer.as_str(), expected, "{left} |= {right}"),
            _ => {
                let reason = answer.why_not().unwrap();
                assert!(reason.contains("there is no Z3"), "{left}: {reason}");
            }
        }
    }
}

/// Time is over for one question, and not for the next. What the first procedure decides takes none.
#[test]
fn too_late() {
    let mut decider = Decider::new(|| Ok(z3()));
    for (_, left, right, expected) in QUESTIONS.into_iter().skip(2) {
        let (late, _) = ask(&mut decider, Some(Duration::from_nanos(1)), left, right);
        assert_eq!(late.as_str(), "unknown", "{late:?}");
        let (answer, _) = ask(&mut decider, None, left, right);
        assert_eq!(answer.as_str(), expected, "{left} |= {right}: {answer:?}");
    }
}

/// Nobody waits for an answer to a question that was taken back.
#[test]
fn cancelled() {
    let mut decider = Decider::new(|| Ok(z3()));
    for (_, left, right, _) in QUESTIONS.into_iter().skip(2) {
        let document = parse(&[left, right]);
        let [h, g] = document.formulas.as_slice() else { panic!("{left} |= {right}") };
        let defs = Defs::new(document.signature.clone(), Semantics::Precise);
        let mut budget = Budget::default();
        budget.clock.cancel = Some(Arc::new(AtomicBool::new(true)));
        let answer = ask::entails(&mut decider, &defs, h, g, &mut budget);
        assert_eq!(answer.as_str(), "unknown", "{left} |= {right}: {answer:?}");
    }
}

/// Steps are counted by every procedure, and there are no more than may be.
#[test]
fn steps() {
    let mut decider = Decider::new(|| Ok(z3()));
    for (procedure, left, right, expected) in QUESTIONS {
        let document = parse(&[left, right]);
        let [h, g] = document.formulas.as_slice() else { panic!("{left} |= {right}") };
        let defs = Defs::new(document.signature.clone(), Semantics::Precise);
        let mut within = |steps: Option<u64>| {
            let mut budget = Budget { steps, ..Budget::default() };
            let answer = ask::entails(&mut decider, &defs, h, g, &mut budget);
            (answer, budget.stats.steps)
        };
        let (answer, steps) = within(None);
        assert_eq!(answer.as_str(), expected, "{left} |= {right}: {answer:?}");
        assert!(steps > 0, "{procedure}: {left} |= {right}");
        assert_eq!(within(Some(steps)).0.as_str(), expected, "{left} |= {right}");
        assert_eq!(within(Some(0)).0, Answer::GaveUp(Limit::Steps), "{left} |= {right}");
        if procedure != "lists" {
            let (late, made) = within(Some(steps / 2));
            assert_eq!(late, Answer::GaveUp(Limit::Steps), "{procedure}: {left} |= {right}");
            assert!(made <= steps, "{procedure}: {made} of {steps}");
        }
    }
}

/// Questions that take long, one for each procedure.
fn hard() -> [(&'static str, String, String); 3] {
    // There is a counterexample, which is large.
    let tree = "pred tree(x, n) := x = nil * n = 0 || exists l, r, a, b. \
         x |-> {left: l, right: r} * tree(l, a) * tree(r, b) * n = a + b + 1; ";
    let trees = (0..6).map(|i| format!("tree(x{i}, n{i})")).collect::<Vec<_>>().join(" * ");
    let induct = (format!("{tree}{trees}"), format!("{trees} * n0 != 40"));
    // Ten pigeons in nine holes.
    let hole = |i: usize| (0..9).map(|j| format!("x{i} = y{j}")).collect::<Vec<_>>().join(" || ");
    let mut parts: Vec<String> = (0..10).map(|i| format!("({})", hole(i))).collect();
    parts.extend((0..10).flat_map(|i| (0..i).map(move |j| format!("x{i} != x{j}"))));
    let pigeons = (parts.join(" * "), "false".to_owned());
    let (grass, boolean) = (pigeons.clone(), pigeons);
    [("induct", induct.0, induct.1), ("grass", grass.0, grass.1), ("boolean", boolean.0, boolean.1)]
}

/// A question is taken back while a procedure works on it.
#[test]
fn cancelled_on_the_way() {
    for (procedure, left, right) in hard() {
        let document = parse(&[&left, &right]);
        let [h, g] = document.formulas.as_slice() else { panic!("{left} |= {right}") };
        let defs = Defs::new(document.signature.clone(), Semantics::Precise);
        let cancel = Arc::new(AtomicBool::new(false));
        let mut budget = Budget::default();
        budget.clock.cancel = Some(cancel.clone());
        let start = Instant::now();
        std::thread::scope(|threads| {
            threads.spawn(|| {
                std::thread::sleep(Duration::from_millis(5));
                cancel.store(true, std::sync::atomic::Ordering::Relaxed);
            });
            let answer = match procedure {
                "induct" => ask::entails(&mut induct::Induct, &defs, h, g, &mut budget),
                "grass" => {
                    let mut solver =
                        grass::Solver::new(grass::config(z3(), Duration::from_secs(60)));
                    ask::entails(&mut solver, &defs, h, g, &mut budget)
                }
                _ => {
                    let mut solver =
                        boolean::Solver::new(boolean::config(z3(), Duration::from_secs(60)));
                    ask::entails(&mut solver, &defs, h, g, &mut budget)
                }
            };
            let time = start.elapsed();
            assert_eq!(answer, Answer::GaveUp(Limit::Cancelled), "{procedure} after {time:?}");
            assert!(time < Duration::from_secs(2), "{procedure}: {time:?}");
        });
    }
}

/// Whatever a procedure does, an answer comes in time: here it is waiting for somebody to say where the
/// solver is. The next question has a thread of its own.
#[test]
fn in_time() {
    let mut decider = Decider::new(|| {
        std::thread::sleep(Duration::from_secs(20));
        Err("there is no Z3".into())
    });
    let timeout = Some(Duration::from_millis(300));
    for (_, left, right, _) in QUESTIONS.into_iter().skip(4) {
        let start = Instant::now();
        let (late, _) = ask(&mut decider, timeout, left, right);
        assert_eq!(late, Answer::GaveUp(Limit::Time), "{left} |= {right}");
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        let (answer, _) = ask(&mut decider, timeout, "x |-> y", "emp");
        assert_eq!(answer.as_str(), "invalid", "{answer:?}");
    }
}
