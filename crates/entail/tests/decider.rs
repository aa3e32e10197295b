//! One decider for many questions.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use entail::Decider;
use report::FileId;
use sl::ask;
use sl::text::Document;
use sl::{Answer, Budget, Defs, Entailment, Inference, Limit, Semantics};

fn z3() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::var_os("LANCEHEAD_Z3").map_or(root.join(".z3/z3"), PathBuf::from)
}

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
        assert!(matches!(frame, Some(Inference::Found(_))), "{frame:?}");
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
