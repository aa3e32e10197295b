//! Sessions with a real Z3, and with programs that only pretend to be one.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use smt::{Answer, Config, Session, SolverError, Sort, Terms};

/// The Z3 of `scripts/get-z3`, which `make test` fetches first, or `$LANCEHEAD_Z3`.
fn z3() -> PathBuf {
    let fetched = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.z3/z3");
    std::env::var_os("LANCEHEAD_Z3").map_or_else(fetched, PathBuf::from)
}

fn config(solver: impl Into<PathBuf>) -> Config {
    Config {
        solver: solver.into(),
        options: vec![("smt.mbqi".to_string(), "false".to_string())],
        rlimit: None,
        timeout: Duration::from_secs(10),
    }
}

#[test]
fn scopes_come_and_go() {
    let mut t = Terms::new();
    let mut session = Session::new(config(z3()));
    let (x, y) = (t.constant("x", Sort::Int), t.constant("y", Sort::Int));
    let (less, equal) = (t.lt(x, y), t.eq(x, y));
    let different = t.not(equal);
    session.assert(&t, less);
    assert_eq!(session.prove(&mut t, different), Ok(Answer::Unsat));
    session.push();
    session.assert(&t, equal);
    assert_eq!(session.check(), Ok(Answer::Unsat));
    session.pop();
    assert_eq!(session.check(), Ok(Answer::Sat));
    // What was declared in a scope that is closed is declared again.
    for _ in 0..2 {
        session.push();
        let f = t.declare("f", vec![Sort::Int], Sort::Bool);
        let fx = t.app(f, &[x]);
        session.assert(&t, fx);
        assert_eq!(session.check(), Ok(Answer::Sat));
        session.pop();
    }
    assert_eq!(session.stats().starts, 1);
}

#[test]
fn what_is_obvious_starts_no_solver() {
    let mut t = Terms::new();
    let mut session = Session::new(config("there/is/no/such/solver"));
    let x = t.constant("x", Sort::Int);
    let one = t.int(1);
    let next = t.add(x, one);
    let less = t.lt(x, next);
    assert_eq!(session.prove(&mut t, less), Ok(Answer::Unsat));
    assert_eq!((session.stats().trivial, session.stats().starts), (1, 0));
    assert!(matches!(session.check(), Err(SolverError::Start(_))));
}

#[test]
fn hard_questions_end() {
    let mut t = Terms::new();
    let mut session = Session::new(Config { timeout: Duration::from_secs(2), ..config(z3()) });
    // Does x^3 + y^3 + z^3 == 42 have a solution? It has; nobody finds it in this time.
    let cubes: Vec<_> = ["x", "y", "z"]
        .into_iter()
        .map(|name| {
            let x = t.constant(name, Sort::Int);
            let square = t.mul(x, x);
            t.mul(square, x)
        })
        .collect();
    let sum = t.add(cubes[0], cubes[1]);
    let sum = t.add(sum, cubes[2]);
    let n = t.int(42);
    let equation = t.eq(sum, n);
    session.push();
    session.assert(&t, equation);
    let start = Instant::now();
    assert!(matches!(session.check(), Ok(Answer::Unknown(_))));
    assert!(start.elapsed() < Duration::from_secs(20));
    session.pop();
    // The session goes on, with a new solver.
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert_eq!(session.stats().starts, 2);
}

/// A program that ignores its arguments and does this instead.
fn impostor(name: &str, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = std::env::temp_dir().join(format!("lancehead-{name}-{}", std::process::id()));
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn solvers_that_misbehave() {
    let check = |name: &str, script: &str| {
        let path = impostor(name, script);
        let mut session = Session::new(Config { timeout: Duration::from_secs(3), ..config(&path) });
        // More than a pipe holds.
        let mut t = Terms::new();
        let all: Vec<_> = (0..10_000).map(|i| t.constant(&format!("p{i}"), Sort::Bool)).collect();
        let all = t.or(all);
        session.assert(&t, all);
        let answer = session.check();
        std::fs::remove_file(path).unwrap();
        answer
    };
    assert!(matches!(check("dies", "exit 7"), Err(SolverError::Lost(_))));
    assert!(matches!(check("hangs", "exec sleep 60"), Ok(Answer::Unknown(_))));
    assert!(matches!(
        check("babbles", "echo satisfied; cat > /dev/null"),
        Err(SolverError::Rejected(_))
    ));
    assert_eq!(check("answers", "read a; echo unsat; cat > /dev/null"), Ok(Answer::Unsat));
}
