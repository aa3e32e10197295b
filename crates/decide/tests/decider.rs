//! One decider for many questions.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use decide::{Decider, Procedure};
use grass::Inference;
use report::FileId;
use sl::text::Document;
use sl::{Semantics, Verdict};

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
const QUESTIONS: [(Procedure, &str, &str, &str); 8] = [
    (Procedure::Lists, "x != z * x |-> y * ls(y, z)", "ls(x, z)", "unsat"),
    (Procedure::Lists, "x |-> y * ls(y, z)", "ls(x, z)", "sat"),
    (
        Procedure::Induct,
        ODD,
        "pred even(a, b) := a = b || exists c. a |-> c * odd(c, b); even(x, y)",
        "sat",
    ),
    (Procedure::Induct, ODD, "exists u. x |-> u * any(u, y)", "unsat"),
    (Procedure::Grass, "ls(x, y) && !(x = y)", "ls(x, y) && !emp", "unsat"),
    (Procedure::Grass, "ls(x, y) || ls(y, x)", "ls(x, y) && !emp", "sat"),
    (Procedure::Boolean, "x |-> y -* x |-> y * z |-> y", "!(x |-> z * true)", "sat"),
    (Procedure::Boolean, "x |-> y * (x |-> y -* z |-> y)", "z |-> y", "unsat"),
];

const ODD: &str = "pred odd(a, b) := a |-> b || exists c, d. a |-> c * c |-> d * odd(d, b); \
                   pred any(a, b) := a = b || exists c. a |-> c * any(c, b); odd(x, y)";

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
            let document = parse(&[left, right]);
            let [h, g] = document.formulas.as_slice() else { panic!("{left} |= {right}") };
            let answer = decider.entails(&document.signature, Semantics::Precise, h, g);
            assert_eq!(answer.verdict.as_str(), expected, "{left} |= {right}: {answer:?}");
            assert_eq!(answer.procedure, procedure, "{left} |= {right}: {answer:?}");
            let queries = answer.work.queries;
            assert_eq!(queries > 0, procedure == Procedure::Grass, "{left}, round {round}");
        }
        let document = parse(&["x |-> y * ls(y, z)", "x |-> y"]);
        let [h, g] = document.formulas.as_slice() else { panic!() };
        let frame = decider.frame(&document.signature, Semantics::Precise, h, g).inference;
        assert!(matches!(frame, Inference::Found(_)), "{frame:?}");
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
        let document = parse(&[left, right]);
        let [h, g] = document.formulas.as_slice() else { panic!("{left} |= {right}") };
        let answer = decider.entails(&document.signature, Semantics::Precise, h, g);
        match procedure {
            Procedure::Lists | Procedure::Induct => {
                assert_eq!(answer.verdict.as_str(), expected, "{left} |= {right}");
            }
            Procedure::Grass | Procedure::Boolean => {
                let Verdict::Unknown(reason) = answer.verdict else { panic!("{left} |= {right}") };
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
        let document = parse(&[left, right]);
        let [h, g] = document.formulas.as_slice() else { panic!("{left} |= {right}") };
        decider.set_timeout(Some(Duration::from_nanos(1)));
        let late = decider.entails(&document.signature, Semantics::Precise, h, g);
        assert!(matches!(&late.verdict, Verdict::Unknown(_)), "{late:?}");
        decider.set_timeout(None);
        let answer = decider.entails(&document.signature, Semantics::Precise, h, g);
        assert_eq!(answer.verdict.as_str(), expected, "{left} |= {right}: {answer:?}");
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
    decider.set_timeout(Some(Duration::from_millis(300)));
    for (_, left, right, _) in QUESTIONS.into_iter().skip(4) {
        let document = parse(&[left, right]);
        let [h, g] = document.formulas.as_slice() else { panic!("{left} |= {right}") };
        let start = Instant::now();
        let late = decider.entails(&document.signature, Semantics::Precise, h, g);
        assert_eq!(late.verdict, Verdict::Unknown("the time is over".into()), "{left} |= {right}");
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        let document = parse(&["x |-> y", "emp"]);
        let [h, g] = document.formulas.as_slice() else { panic!() };
        let answer = decider.entails(&document.signature, Semantics::Precise, h, g);
        assert!(matches!(answer.verdict, Verdict::Sat(_)), "{answer:?}");
    }
}
