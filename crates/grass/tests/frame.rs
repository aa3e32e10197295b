//! Frames and anti-frames, with exact results.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::PathBuf;
use std::time::Duration;

use grass::{Inference, Solver};
use report::FileId;
use sl::enumerate::{self, Bounds};
use sl::{Formula, Semantics};

fn solver() -> Solver {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = std::env::var_os("LANCEHEAD_Z3").map_or(root.join(".z3/z3"), PathBuf::from);
    Solver::new(grass::config(found, Duration::from_secs(60)))
}

/// Asks all questions, and complains about all answers that are not the expected ones.
fn check(abduce: bool, cases: &[(&str, &str, &str)]) {
    let mut solver = solver();
    let mut wrong = String::new();
    for (h, g, expected) in cases {
        let document = sl::text::parse(&[(FileId(0), h), (FileId(1), g)]).unwrap();
        let [left, right] = document.formulas.as_slice() else { panic!() };
        let signature = &document.signature;
        let answer = if abduce {
            solver.abduce(signature, Semantics::Precise, left, right)
        } else {
            solver.frame(signature, Semantics::Precise, left, right)
        };
        let text = match answer {
            Inference::Found(frame) => frame.to_string(),
            Inference::Nothing(_) => "nothing".to_owned(),
            Inference::Unknown(reason) => format!("unknown: {reason}"),
        };
        if text != *expected {
            wrong += &format!("        ({h:?}, {g:?}, {text:?}),\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn example_8() {
    check(
        false,
        &[("x != z * x |-> y * ls(y, z)", "x |-> y", "x != y * x != z * x != nil * ls(y, z)")],
    );
}

#[test]
fn frames() {
    check(
        false,
        &[
            ("x != z * ls(x, z) * x != w", "x |-> y", "nothing"),
            ("emp", "emp", "emp"),
            ("x |-> y", "x |-> y", "x != nil"),
            ("x |-> y * y |-> z", "x |-> y", "x != y * x != nil * y |-> z"),
            ("x |-> y * y |-> z", "y |-> z", "x != y * y != nil * x |-> y"),
            ("x |-> y", "y |-> x", "nothing"),
            ("ls(x, y) * ls(y, nil)", "ls(x, y)", "ls(y, nil)"),
            ("ls(x, y) * ls(y, nil)", "ls(x, nil)", "emp"),
            ("ls(x, nil) * ls(y, nil)", "ls(x, nil)", "ls(y, nil)"),
            ("x |-> y * ls(y, nil)", "ls(x, nil)", "x != y * x != nil"),
            ("ls(x, nil)", "x |-> y", "nothing"),
            ("x |-> y || x |-> z", "emp", "x |-> y || x |-> z"),
            ("x |-> y", "emp", "x |-> y"),
            ("x |-> nil * y |-> nil", "y |-> nil", "x != y * y != nil * x |-> nil"),
            ("x = y * x |-> z", "y |-> z", "x = y * x != nil"),
            ("x = y * x |-> z * ls(z, nil)", "y |-> z", "x = y * x != z * x != nil * ls(z, nil)"),
            (
                "x |-> y * y |-> z * z |-> nil",
                "ls(x, z)",
                "x != y * x != z * x != nil * y != z * y != nil * z |-> nil",
            ),
            (
                "x |-> y * y |-> z * z |-> nil",
                "ls(y, nil)",
                "x != y * x != z * y != z * y != nil * z != nil * x |-> y",
            ),
            ("ls(x, y) * y |-> z", "ls(x, y)", "x != nil * y |-> z"),
            ("ls(x, y) * y |-> z", "y |-> z", "y != nil * ls(x, y)"),
            ("ls(x, y)", "ls(x, y)", "emp"),
            ("x != y * ls(x, y)", "emp", "x != y * ls(x, y)"),
            ("ls(x, y)", "ls(y, x)", "nothing"),
            ("x |-> y * ls(z, nil)", "ls(z, nil)", "x != z * x |-> y"),
            (
                "x |-> y * (ls(y, nil) || y |-> z)",
                "x |-> y",
                "x != y * x != nil * ls(y, nil) || x != y * x != nil * y |-> z",
            ),
            (
                "(x |-> y || ls(x, y)) * z |-> nil",
                "z |-> nil",
                "x != z * z != nil * ls(x, y) || x != z * z != nil * x |-> y || x = y * z != nil",
            ),
            ("x |-> y && x |-> z", "x |-> y", "y = z * x != nil"),
            ("x |-> x", "x |-> x", "x != nil"),
            ("x != x", "y |-> z", "false"),
            ("x |-> y * x |-> z", "y |-> z", "false"),
            (
                "x |-> {next: y, data: 3} * y |-> {next: nil, data: n}",
                "x |-> {next: y, data: 3}",
                "x != y * x != nil * y |-> {next: nil, data: n}",
            ),
            ("exists u. x |-> u * ls(u, nil)", "ls(x, nil)", "x != nil"),
            ("ls(x, y) * ls(y, z) * ls(z, nil)", "ls(x, y) * ls(z, nil)", "ls(y, z)"),
        ],
    );
}

#[test]
fn anti_frames() {
    check(
        true,
        &[
            ("emp", "x |-> y", "x |-> y"),
            ("x |-> y", "x |-> y * y |-> z", "y |-> z"),
            ("x |-> y", "ls(x, nil)", "ls(y, nil)"),
            ("ls(x, y)", "ls(x, nil)", "ls(y, nil)"),
            ("x |-> y", "x |-> z", "y = z"),
            ("x |-> y", "y |-> x", "x = y"),
            ("x |-> y", "emp", "nothing"),
            ("emp", "ls(x, nil)", "ls(x, nil)"),
            ("x |-> y * ls(z, nil)", "ls(x, nil)", "ls(y, z)"),
            ("ls(x, y)", "ls(x, z)", "unknown: no anti-frame of this form is right"),
            ("x != z * x |-> y", "ls(x, z)", "ls(y, z)"),
            ("x |-> nil", "x |-> nil * y |-> x", "y |-> x"),
            ("ls(x, y)", "ls(x, y) * ls(z, nil)", "ls(z, nil)"),
        ],
    );
}

/// A number from 0 to `n - 1`, the same in every run.
fn below(state: &mut u64, n: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize % n
}

/// Generated frames are right in all small heaps, too.
#[test]
fn generated_frames() {
    let mut state = 0x5eed_0008;
    let mut solver = solver();
    let mut found = 0;
    let kinds = ["A |-> B", "ls(A, B)"];
    let names = ["x", "y", "z", "nil"];
    for _ in 0..20 {
        let atoms: Vec<String> = (0..3)
            .map(|_| {
                let (a, b) = (names[below(&mut state, 3)], names[below(&mut state, 4)]);
                kinds[below(&mut state, 2)].replace('A', a).replace('B', b)
            })
            .collect();
        let (h, g) = (atoms.join(" * ") + " * ls(x, x)", atoms[0].clone());
        let document = sl::text::parse(&[(FileId(0), &h), (FileId(1), &g)]).unwrap();
        let [left, right] = document.formulas.as_slice() else { panic!() };
        let signature = &document.signature;
        let Inference::Found(frame) = solver.frame(signature, Semantics::Precise, left, right)
        else {
            panic!("no frame of {h} for {g}")
        };
        let whole = Formula::sep(vec![right.clone(), frame.clone()]);
        let bounds = Bounds { locations: 3, data: 0 };
        let semantics = Semantics::Precise;
        let wrong = enumerate::find_counterexample(signature, semantics, left, &whole, bounds);
        assert_eq!(wrong, None, "{h} |= {g} * {frame}");
        found += usize::from(frame.kind() != &sl::Kind::False);
    }
    assert!(found > 10, "{found}");
}
