//! Sessions with a real Z3, and with programs that only pretend to be one.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smt::{
    Answer, Config, Limits, Meaning, Quant, Quantifier, Session, SolverError, Sort, Term, Terms,
};
use testing::z3;

fn config(solver: impl Into<PathBuf>) -> Config {
    config_of(solver, 10)
}

fn config_of(solver: impl Into<PathBuf>, seconds: u64) -> Config {
    Config {
        solver: solver.into(),
        options: vec![("smt.mbqi".to_string(), "false".to_string())],
        limits: Limits { rlimit: None, timeout: Duration::from_secs(seconds) },
        deadline: None,
        cancel: None,
        profile: false,
        native: false,
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
    let mut session = Session::new(config_of(z3(), 2));
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

/// An empty folder.
fn scratch(name: &str) -> PathBuf {
    testing::scratch(env!("CARGO_TARGET_TMPDIR"), &format!("session-{name}")).unwrap()
}

/// A program that ignores its arguments and does this instead.
///
/// Another process writes it: a file that is open for writing here cannot be run while some thread
/// starts a solver, which for a moment has all our files open.
fn impostor(name: &str, script: &str) -> PathBuf {
    let path = scratch(&format!("impostor-{name}")).join("solver");
    let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
    let mut shell = std::process::Command::new("sh");
    assert!(shell.args(["-c", write]).arg(&path).arg(script).status().unwrap().success());
    path
}

#[test]
fn solvers_that_misbehave() {
    let check = |name: &str, script: &str| {
        let path = impostor(name, script);
        let mut session = Session::new(config_of(&path, 3));
        // More than a pipe holds.
        let mut t = Terms::new();
        let all: Vec<_> = (0..10_000).map(|i| t.constant(&format!("p{i}"), Sort::Bool)).collect();
        let all = t.or(all);
        session.assert(&t, all);
        let answer = session.check();
        std::fs::remove_file(path).unwrap();
        answer
    };
    // What never was of use cannot be started; no question is to blame.
    assert!(matches!(check("dies", "exit 7"), Err(SolverError::Start(_))));
    std::thread::scope(|scope| {
        // The last one answers nothing in particular.
        for (name, script) in [
            ("hangs", "exec sleep 60"),
            ("raves", "exec yes unsat"),
            ("hurries", "echo unsat; cat > /dev/null"),
        ] {
            scope.spawn(move || assert!(matches!(check(name, script), Err(SolverError::Start(_)))));
        }
    });
    let complains = answers("sat", "(error \"what?\")");
    assert!(matches!(check("complains", &complains), Err(SolverError::Rejected(_))));
    let complains = answers("(error \"which option?\")", "unsat");
    assert!(matches!(check("complains-early", &complains), Err(SolverError::Start(_))));
    let interrupted = answers("sat", "unknown\n(:reason-unknown \"interrupted from keyboard\")");
    assert!(matches!(check("interrupted", &interrupted), Err(SolverError::Lost(_))));
    let adds = answers("sat", "unsat\nsat");
    assert!(matches!(check("adds", &adds), Err(SolverError::Rejected(_))));
    assert_eq!(check("answers", &answers("sat", "unsat")), Ok(Answer::Unsat));
}

/// Repeats marks as it should, and has one answer for the first and another for all other questions.
fn answers(first: &str, then: &str) -> String {
    answers_with(first, then, ":", ":")
}

/// As [`answers`], and does this when it is first asked for a value, and that afterwards.
fn answers_with(first: &str, then: &str, first_value: &str, then_value: &str) -> String {
    format!(
        r#"answer='{first}'
value() {{ {first_value}; value() {{ {then_value}; }}; }}
while read -r line; do
    case $line in
    "(check-sat)") echo "$answer"; answer='{then}' ;;
    "(get-value "*) value ;;
    "(echo "*) line=${{line#*\"}}; echo "${{line%\"*}}" ;;
    esac
done"#
    )
}

#[test]
fn text_of_the_caller() {
    let mut t = Terms::new();
    let mut session = Session::new(config(z3()));
    let x = t.constant("x", Sort::Int);
    for _ in 0..2 {
        session.push();
        session.declare_text(
            "(define-fun twice ((i Int)) Int (* 2 i))\n(declare-const two Int)\n(assert (= two 2))",
        );
        let twice = t.fun_named("twice", &[Sort::Int], Sort::Int, Meaning::Builtin);
        let two = t.fun_named("two", &[], Sort::Int, Meaning::Builtin);
        let (two, twice) = (t.app(two, &[]), t.app(twice, &[x]));
        let product = t.mul(two, x);
        let same = t.eq(product, twice);
        assert_eq!(session.prove(&mut t, same), Ok(Answer::Unsat));
        session.pop();
    }
}

/// That `n + 1` pigeons sit in `n` holes, each alone: hard to refute.
fn pigeons(t: &mut Terms, n: usize) -> Term {
    let name = |p: usize, h: usize| format!("p{p}_{h}");
    let mut all = Vec::new();
    for p in 0..=n {
        let holes: Vec<_> = (0..n).map(|h| t.constant(&name(p, h), Sort::Bool)).collect();
        all.push(t.or(holes.iter().copied()));
        for q in 0..p {
            for (h, hole) in holes.iter().enumerate() {
                let other = t.constant(&name(q, h), Sort::Bool);
                let both = t.and([*hole, other]);
                all.push(t.not(both));
            }
        }
    }
    t.and(all)
}

fn work(rlimit: u64) -> Limits {
    Limits { rlimit: Some(rlimit), timeout: Duration::from_secs(60) }
}

#[test]
fn limits_on_work_are_for_each_question() {
    let mut t = Terms::new();
    let mut session = Session::new(config_of(z3(), 60));
    let pigeons = pigeons(&mut t, 6);
    session.push();
    session.assert(&t, pigeons);
    for _ in 0..3 {
        // What was used up by one question is there again for the next.
        assert!(matches!(session.check_within(work(5_000)), Ok(Answer::Unknown(_))));
    }
    assert_eq!(session.check_within(work(100_000_000)), Ok(Answer::Unsat));
    assert_eq!(session.check(), Ok(Answer::Unsat));
    assert_eq!((session.stats().starts, session.stats().unknown), (1, 3));
}

#[test]
fn values_of_terms() {
    let mut t = Terms::new();
    let mut session = Session::new(config(z3()));
    let sort = t.signature.add_sort("Odd sort", Meaning::Uninterpreted);
    let (x, y) = (t.constant("x y", Sort::Int), t.constant("y", Sort::Int));
    let (a, unknown) = (t.constant("a", sort), t.fun_named("?", &[], sort, Meaning::Builtin));
    let unknown = t.app(unknown, &[]);
    let (three, five) = (t.int(-3), t.int(5));
    let (sum, equal) = (t.add(x, y), t.eq(x, three));
    let wanted = [x, sum, unknown, a, equal];
    let y_is_five = t.eq(y, five);
    session.assert(&t, y_is_five);
    let other = t.not(equal);
    let limits = work(1_000_000);
    let (answer, values) = session.prove_with_values(&mut t, other, limits, &wanted).unwrap();
    assert_eq!(answer, Answer::Sat);
    let values: Vec<_> = values.iter().map(Option::as_deref).collect();
    assert_eq!(values[..3], [Some("(- 3)"), Some("2"), None]);
    assert!(values[3].is_some_and(|v| v.contains("Odd sort")), "{values:?}");
    assert_eq!(values[4], Some("true"));
    // What is proved has no model.
    session.assert(&t, other);
    let (answer, values) = session.prove_with_values(&mut t, other, limits, &wanted).unwrap();
    assert_eq!((answer, values), (Answer::Unsat, vec![None; 5]));
    assert_eq!(session.stats().starts, 1);
}

#[test]
fn values_of_what_may_be_a_model() {
    let mut t = Terms::new();
    let mut session = Session::new(config(z3()));
    session.declare_text(
        "(declare-fun f (Int) Int)\n(assert (forall ((i Int)) (! (> (f i) i) :pattern ((f i)))))",
    );
    let f = t.fun_named("f", &[Sort::Int], Sort::Int, Meaning::Builtin);
    let (zero, hundred) = (t.int(0), t.int(100));
    let f_zero = t.app(f, &[zero]);
    let small = t.lt(f_zero, hundred);
    let (answer, values) =
        session.prove_with_values(&mut t, small, work(1_000_000), &[f_zero]).unwrap();
    assert!(matches!(answer, Answer::Unknown(_)));
    let value: u64 = values[0].as_deref().unwrap().parse().unwrap();
    assert!(value >= 100);
}

#[test]
fn solvers_that_have_no_values() {
    let values = |name: &str, first: &str, then: &str| {
        let path = impostor(name, &answers_with("sat", "sat", first, then));
        let mut t = Terms::new();
        let mut session = Session::new(config_of(&path, 1));
        let (p, q) = (t.constant("p", Sort::Bool), t.constant("q", Sort::Bool));
        let limits = Limits { rlimit: None, timeout: Duration::from_secs(1) };
        let answer = session.prove_with_values(&mut t, p, limits, &[p, q]);
        std::fs::remove_file(path).unwrap();
        answer.unwrap()
    };
    let none = (Answer::Sat, vec![None, None]);
    assert_eq!(values("no-values-dead", "exit 1", ":"), none);
    assert_eq!(values("no-values-slow", "sleep 5", ":"), none);
    assert_eq!(values("no-values-cut", "echo '((p true'", ":"), none);
    assert_eq!(values("no-values-less", "echo '((p true))'", ":"), none);
    let one = (Answer::Sat, vec![None, Some("false".to_string())]);
    assert_eq!(values("one-value", "echo '(error \"no)\")'", "echo '((q'; echo ' false))'"), one);
}

#[test]
fn a_reset_is_a_new_session() {
    let mut t = Terms::new();
    let hard = pigeons(&mut t, 7);
    let x = t.constant("x", Sort::Int);
    let zero = t.int(0);
    let positive = t.lt(zero, x);
    // The smallest limit with which a solver that knows nothing else gets it done.
    let fresh = |rlimit: u64| {
        let mut session = Session::new(config_of(z3(), 60));
        session.push();
        session.assert(&t, hard);
        session.check_within(work(rlimit)).unwrap() == Answer::Unsat
    };
    let (mut low, mut high) = (0, 4_000_000);
    assert!(fresh(high));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fresh(middle) { high = middle } else { low = middle }
    }
    let mut session = Session::new(config_of(z3(), 60));
    for rlimit in [low, high, high, low, high] {
        session.assert(&t, positive);
        assert_eq!(session.prove(&mut t, positive), Ok(Answer::Unsat));
        session.push();
        session.reset();
        assert_ne!(session.prove(&mut t, positive), Ok(Answer::Unsat));
        session.reset();
        session.push();
        session.assert(&t, hard);
        let answer = session.check_within(work(rlimit)).unwrap();
        assert_eq!(answer == Answer::Unsat, rlimit == high);
    }
    assert_eq!(session.stats().starts, 1);
}

#[test]
fn what_is_said_outlives_a_refresh() {
    let mut t = Terms::new();
    let mut session = Session::new(config(z3()));
    let (x, y) = (t.constant("x", Sort::Int), t.constant("y", Sort::Int));
    let (less, equal) = (t.lt(x, y), t.eq(x, y));
    let different = t.not(equal);
    session.refresh();
    session.assert(&t, less);
    session.push();
    assert_eq!(session.prove(&mut t, different), Ok(Answer::Unsat));
    session.push();
    session.assert(&t, equal);
    session.refresh();
    assert_eq!(session.check(), Ok(Answer::Unsat));
    session.pop();
    assert_eq!(session.check(), Ok(Answer::Sat));
    session.refresh();
    session.pop();
    assert_eq!(session.prove(&mut t, different), Ok(Answer::Unsat));
    assert_eq!(session.stats().starts, 1);
}

#[test]
fn started_ahead() {
    let mut t = Terms::new();
    let mut session = Session::new(config(z3()));
    assert_eq!(session.start(), Ok(()));
    assert_eq!(session.start(), Ok(()));
    let x = t.constant("x", Sort::Int);
    let next = t.fresh("x", Sort::Int);
    let less = t.lt(x, next);
    assert_eq!(session.prove(&mut t, less), Ok(Answer::Sat));
    assert_eq!((session.stats().starts, session.stats().restarts), (1, 0));
    let mut session = Session::new(config("there/is/no/such/solver"));
    assert!(matches!(session.start(), Err(SolverError::Start(_))));
}

#[test]
fn dumps_repeat_the_run() {
    let folder = scratch("dumps");
    let file = |n: u32| folder.join(format!("{n}.smt2"));
    let mut t = Terms::new();
    let mut session = Session::new(config(z3()));
    let (x, y) = (t.constant("x", Sort::Int), t.constant("y", Sort::Int));
    let (less, equal) = (t.lt(x, y), t.eq(x, y));
    let different = t.not(equal);
    for n in 0..2 {
        session.assert(&t, less);
        assert_eq!(session.prove_within(&mut t, different, work(100_000)), Ok(Answer::Unsat));
        session.push();
        // From here on, and still from the start.
        session.dump_to(&file(n)).unwrap();
        session.assert(&t, equal);
        assert_eq!(session.check_within(work(100_000)), Ok(Answer::Unsat));
        session.pop();
        session.prove_with_values(&mut t, equal, work(100_000), &[x, y]).unwrap();
        session.reset();
        assert_eq!(session.check(), Ok(Answer::Sat));
    }
    for n in 0..2 {
        let text = std::fs::read_to_string(file(n)).unwrap();
        assert!(text.contains("(check-sat)\n; unsat, "), "{text}");
        assert!(text.contains("(set-option :rlimit 100000)"), "{text}");
        let run = std::process::Command::new(z3()).arg(file(n)).output().unwrap();
        let output = String::from_utf8(run.stdout).unwrap();
        assert!(output.starts_with("sat\nunsat\nsat\n((x "), "{output}");
        assert!(!output.contains("error"), "{output}");
        std::fs::remove_file(file(n)).unwrap();
    }
}

#[test]
fn waiting_can_be_cancelled() {
    let path = impostor("cancelled", "exec sleep 60");
    let cancel = Arc::new(AtomicBool::new(false));
    let config = Config { cancel: Some(Arc::clone(&cancel)), ..config_of(&path, 60) };
    let mut session = Session::new(config);
    let start = Instant::now();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        cancel.store(true, Ordering::Relaxed);
    });
    assert_eq!(session.check(), Err(SolverError::Cancelled));
    assert_eq!(session.check(), Err(SolverError::Cancelled));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(session.stats().starts, 1);
    other.join().unwrap();
    std::fs::remove_file(path).unwrap();
}

#[test]
fn sessions_have_deadlines() {
    let path = impostor("late", "exec sleep 60");
    let start = Instant::now();
    let deadline = Some(start + Duration::from_millis(300));
    let mut session = Session::new(Config { deadline, ..config_of(&path, 60) });
    assert_eq!(session.check(), Err(SolverError::OutOfTime));
    assert_eq!(session.check(), Err(SolverError::OutOfTime));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(session.stats().starts, 1);
    std::fs::remove_file(path).unwrap();
}

/// As if we were killed: nobody ends the solver, nobody closes its input.
#[test]
fn solvers_that_are_left_alone_end() {
    let ended = scratch("left-alone").join("ended");
    let script = format!("'{}' \"$@\"; echo > '{}'", z3().display(), ended.display());
    let path = impostor("orphan", &script);
    let start = Instant::now();
    let deadline = Some(start + Duration::from_secs(1));
    let mut session = Session::new(Config { deadline, ..config_of(&path, 60) });
    session.start().unwrap();
    std::mem::forget(session);
    while !ended.exists() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::remove_file(ended).unwrap();
    std::fs::remove_file(path).unwrap();
}

/// A Z3 that dies, each time after other numbers of bytes that it read or wrote.
fn mortal(name: &str) -> (PathBuf, PathBuf) {
    let lives = scratch(&format!("lives-{name}")).join("lives");
    std::fs::write(&lives, "7").unwrap();
    let script = format!(
        "n=$(cat '{lives}'); n=$(((n * 1103515245 + 12345) % 2147483648)); echo $n > '{lives}'
dd bs=1 count=$((200 + n / 64 % 3000)) 2> /dev/null | '{z3}' -smt2 -in | {{
    dd bs=1 count=$((20 + n / 1024 % 400)) 2> /dev/null
    kill -9 $$
}}",
        lives = lives.display(),
        z3 = z3().display()
    );
    (impostor(name, &script), lives)
}

#[test]
fn mortal_solvers_do_not_lie() {
    let (path, lives) = mortal("mortal");
    let mut t = Terms::new();
    let mut session = Session::new(config_of(&path, 60));
    let xs: Vec<_> = (0..40).map(|i| t.constant(&format!("x{i}"), Sort::Int)).collect();
    let (mut lost, mut depth) = (0, 0);
    // The scopes say x0 < x1 < ... up to some depth that goes up and down.
    for round in 0_usize..150 {
        if round * 7 % 10 < 6 && depth + 1 < xs.len() {
            session.push();
            let less = t.lt(xs[depth], xs[depth + 1]);
            session.assert(&t, less);
            depth += 1;
        } else if depth > 0 {
            session.pop();
            depth -= 1;
        }
        let goal = t.lt(xs[0], xs[depth.max(1)]);
        let expected = if depth > 0 { Answer::Unsat } else { Answer::Sat };
        let farther = t.lt(xs[0], xs[depth + 1]);
        for (goal, expected) in [(goal, expected), (farther, Answer::Sat)] {
            match session.prove(&mut t, goal) {
                Ok(answer) => assert_eq!(answer, expected, "round {round}, depth {depth}"),
                Err(SolverError::Lost(_)) => lost += 1,
                Err(other) => panic!("{other}"),
            }
        }
    }
    let stats = session.stats();
    assert!(stats.restarts > 20 && lost < 30, "{lost} lost, {stats:?}");
    std::fs::remove_file(path).unwrap();
    std::fs::remove_file(lives).unwrap();
}

#[test]
fn instances_are_counted() {
    let mut t = Terms::new();
    let mut session = Session::new(Config { profile: true, ..config(z3()) });
    let (f, p) =
        (t.declare("f", vec![Sort::Int], Sort::Int), t.declare("p", vec![Sort::Int], Sort::Bool));
    let (x, value) = t.bound_var("x", Sort::Int);
    let fx = t.app(f, &[value]);
    let body = t.app(p, &[fx]);
    let every = t.quant(Quant {
        quantifier: Quantifier::Forall,
        vars: vec![x],
        triggers: vec![vec![fx]],
        body,
        name: "user@3:5".into(),
        weight: None,
    });
    assert_eq!(session.instances(), []);
    session.push();
    session.assert(&t, every);
    for i in 0..3 {
        let i = t.int(i);
        let fi = t.app(f, &[i]);
        let goal = t.app(p, &[fi]);
        assert_eq!(session.prove(&mut t, goal), Ok(Answer::Unsat));
    }
    let counted = session.instances();
    let [(name, instances)] = counted.as_slice() else { panic!("{counted:?}") };
    assert_eq!((name.as_str(), instances.count), ("user@3:5", 3));
    assert_eq!(session.depth(), 1);
    assert_eq!(session.instances(), []);
    assert_eq!(session.check(), Ok(Answer::Sat));
}
