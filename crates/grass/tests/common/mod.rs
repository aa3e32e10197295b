//! What tests share.
#![allow(dead_code, reason = "every test file is a program, and not all need everything")]

use std::path::PathBuf;
use std::time::Duration;

use grass::Solver;
use report::FileId;
use sl::ask::once::entails;
use sl::{Semantics, Verdict};

/// A solver of its own.
pub fn solver() -> Solver {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = std::env::var_os("LANCEHEAD_Z3").map_or(root.join(".z3/z3"), PathBuf::from);
    Solver::new(grass::config(found, Duration::from_secs(60)))
}

/// Whether each entailment is valid; counterexamples are confirmed.
pub fn check(semantics: Semantics, definitions: &str, cases: &[(&str, &str, bool)]) {
    let mut solver = solver();
    for (h, g, valid) in cases {
        let left = format!("{definitions}{h}");
        let document = sl::text::parse(&[(FileId(0), &left), (FileId(1), g)]).unwrap();
        let [left, right] = document.formulas.as_slice() else { panic!() };
        match Verdict::from(entails(&mut solver, &document.signature, semantics, left, right)) {
            Verdict::Unsat => assert!(valid, "{h} |= {g}"),
            Verdict::Sat(model) => assert!(!valid, "{h} |= {g}: {model:?}"),
            Verdict::Unknown(reason) => panic!("{h} |= {g}: {reason}"),
        }
    }
}
