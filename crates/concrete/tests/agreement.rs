//! What the verifier accepts does not fail in the interpreter; and the interpreter finds what is wrong.
#![allow(clippy::unwrap_used, clippy::panic)]

mod harness;

use std::path::Path;
use std::time::{Duration, Instant};

use harness::fuzz::Fuzzer;
use harness::{Subject, Verdict, contradictions, explore, load, verify};

fn subject(text: &str) -> Subject {
    load(Path::new("test.vpr"), text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The first fault in so many runs.
fn fault(text: &str) -> Option<String> {
    let seen = explore(&subject(text).program, 200, 1);
    seen.faults.into_iter().next().map(|(_, what, ..)| what)
}

/// Programs that must be rejected, and what goes wrong in them.
const WRONG: &[(&str, &str)] = &[
    ("method m(x: Int) requires x > 3 { assert x > 4 }", "assertion is false"),
    ("field f: Int method m(x: Ref) requires acc(x.f, 1/2) { x.f := 1 }", "no permission to write"),
    ("field f: Int method m(x: Ref) { var y: Int := x.f }", "no permission to read"),
    // Two variables may be the same object.
    (
        "field f: Int method m(x: Ref, y: Ref) requires acc(x.f, 1/2) && acc(y.f, 1/2)
         { assert x != y }",
        "assertion is false",
    ),
    // A value is forgotten with its permission.
    (
        "field f: Int method m(x: Ref) requires acc(x.f) ensures acc(x.f) && x.f == old(x.f)
         { exhale acc(x.f) inhale acc(x.f) }",
        "assertion is false",
    ),
    // Calls may do whatever the contract allows.
    (
        "field f: Int method c(x: Ref) requires acc(x.f) ensures acc(x.f)
         method m(x: Ref) requires acc(x.f) { x.f := 1 c(x) assert x.f == 1 }",
        "assertion is false",
    ),
    // So may turns of a loop.
    (
        "method m() { var i: Int := 0 while (i < 3) invariant i <= 5 { i := i + 1 } assert i == 3 }",
        "assertion is false",
    ),
    // Only what the invariant mentions gets into a loop, and out of it.
    (
        "field f: Int method m(x: Ref) requires acc(x.f)
         { var i: Int := 0 while (i < 3) { x.f := i i := i + 1 } }",
        "no permission to write",
    ),
    (
        "field f: Int method m(x: Ref) requires acc(x.f)
         { var i: Int := 0 label l invariant i > 0 ==> acc(x.f) i := i + 1
           if (i < 3) { goto l } x.f := 1 }",
        "insufficient permission",
    ),
    // The state at a label is that of the last time it was passed.
    (
        "method m() returns (i: Int) { i := 0 var k: Int := 0
           while (i < 2) invariant i <= 2 { i := i + 1 label l k := i }
           assert false }",
        "assertion is false",
    ),
    // What is folded cannot be read, and is not there twice.
    (
        "field f: Int predicate P(x: Ref) { acc(x.f) }
         method m(x: Ref) requires P(x) { var y: Int := x.f }",
        "no permission to read",
    ),
    (
        "field f: Int predicate P(x: Ref) { acc(x.f) && x.f > 0 }
         method m(x: Ref) requires acc(x.f) { fold P(x) }",
        "assertion is false",
    ),
    (
        "field next: Ref predicate list(x: Ref) { x != null ==> acc(x.next) && list(x.next) }
         method m(x: Ref) requires list(x) ensures list(x)
         { unfold list(x) if (x != null) { x.next := null } }",
        "insufficient permission",
    ),
    // Quantified permissions.
    (
        "field f: Int method m(s: Set[Ref], x: Ref)
         requires forall r: Ref :: r in s ==> acc(r.f) { x.f := 1 }",
        "no permission to write",
    ),
    (
        "field f: Int method m(s: Seq[Ref])
         requires forall i: Int :: 0 <= i && i < |s| ==> acc(s[i].f, 1/2)
         ensures forall i: Int :: 0 <= i && i < |s| ==> acc(s[i].f, 1/2)
         { if (|s| > 0) { exhale acc(s[0].f, 1/4) } }",
        "insufficient permission",
    ),
    // Wands of quantified permissions.
    (
        "field f: Int field g: Int method m(s: Set[Ref], x: Ref)
         requires forall r: Ref :: r in s ==> (acc(r.f) --* acc(r.f) && acc(r.g))
         { if (x in s) { inhale acc(x.f) apply acc(x.f) --* acc(x.f) && acc(x.g) assert x.g > 0 } }",
        "assertion is false",
    ),
    // Footprints: what the script needs for other left-hand sides is gone, too.
    (
        "field f: Int field b: Bool
         method m(x: Ref, y: Ref) requires acc(y.f) && acc(x.b, 1/2) && x.b
         { package acc(x.b, 1/4) --* acc(x.b, 1/4) && (x.b ? true : acc(y.f)) y.f := 1
           exhale acc(x.b, 1/2) }",
        "no permission to write",
    ),
    (
        "field f: Int method m(x: Ref, y: Ref) requires acc(y.f)
         { package acc(x.f) --* acc(x.f) && acc(y.f) y.f := 1 }",
        "no permission to write",
    ),
    (
        "field f: Int method m(x: Ref, y: Ref) requires acc(x.f) && (acc(x.f) --* acc(x.f) && acc(y.f))
         { apply acc(x.f) --* acc(x.f) && acc(y.f) assert y.f > 0 }",
        "assertion is false",
    ),
    (
        "field f: Int method m(x: Ref) requires acc(x.f)
         { package true --* acc(x.f) { refute x.f > 0 } assert false }",
        "assertion is false",
    ),
    // A wand means what it meant where it was made.
    (
        "field f: Int method keep(s: Set[Ref]) requires forall r: Ref :: r in s ==> acc(r.f, 1/2)
         ensures true --* (forall r: Ref :: r in s ==> acc(r.f, 1/2)) && (forall r: Ref :: r in s ==> r.f == old(r.f))
         method m(s: Set[Ref]) requires forall r: Ref :: r in s ==> acc(r.f)
         { inhale forall r: Ref :: r in s ==> r.f == 0
           exhale forall r: Ref :: r in s ==> acc(r.f)
           inhale forall r: Ref :: r in s ==> acc(r.f)
           keep(s)
           apply true --* (forall r: Ref :: r in s ==> acc(r.f, 1/2)) && (forall r: Ref :: r in s ==> r.f == old(r.f))
           assert forall r: Ref :: r in s ==> r.f == old(r.f) }",
        "assertion is false",
    ),
    (
        "field f: Int method m(x: Ref, y: Ref) requires acc(x.f) && acc(y.f)
         { package acc(x.f) --* (acc(y.f, 1/2) --* acc(x.f) && acc(y.f))
             { package acc(y.f, 1/2) --* acc(x.f) && acc(y.f) }
           y.f := 1 }",
        "no permission to write",
    ),
    // Functions.
    (
        "field f: Int function g(x: Ref): Int requires acc(x.f)
         method m(x: Ref) requires acc(x.f) ensures acc(x.f) && g(x) == old(g(x)) { x.f := x.f + 1 }",
        "assertion is false",
    ),
    ("function g(x: Int): Int ensures result > x { x } method m() { var y: Int := g(1) }", "postcondition"),
    // Termination.
    ("method m(i: Int) decreases i ensures false { label l goto l }", "endless"),
    (
        "adt Stream { More(rest: Stream) }
         method m(i: Int) decreases 0 { var j: Int := i while (true) decreases 0 { j := i } }",
        "endless",
    ),
    (
        "method m(i: Int) returns (k: Int) decreases 0 ensures k > 3 { k := m(i + 1) }",
        "endless",
    ),
    // Data types and collections.
    (
        "adt List { Nil() Cons(head: Int, tail: List) }
         method m(l: List) requires l.isCons { assert l.tail.isCons }",
        "assertion is false",
    ),
    ("method m(s: Seq[Int]) requires |s| > 1 { assert s[0] in s[1..] }", "assertion is false"),
    ("method m(s: Seq[Int]) { assert s[0] == s[0] }", "index out of bounds"),
    (
        "method m(s: Multiset[Int], t: Multiset[Int]) { assert |s union t| == |s| }",
        "assertion is false",
    ),
    ("method m(k: Map[Int, Int]) { assert 3 in k ==> k[3] == 3 }", "assertion is false"),
];

#[test]
fn what_is_generated_is_a_program() {
    let mut random = concrete::Random::new(5);
    for _ in 0..40 {
        let text = concrete::generate::generate(&mut random, 8);
        let program = load(Path::new("generated.vpr"), &text);
        let again = program.map(|subject| harness::fuzz::print(&subject.program));
        let again = again.and_then(|text| load(Path::new("again.vpr"), &text));
        assert!(again.is_ok(), "{:?}\n{text}", again.err());
    }
}

#[test]
fn wrong_programs_fault() {
    for (text, expected) in WRONG {
        let found = fault(text);
        let as_expected = found.as_ref().is_some_and(|f| f.contains(expected));
        assert!(as_expected, "{found:?} instead of {expected}:\n{text}");
    }
}

#[test]
fn what_is_refuted_is_seen() {
    let text = "method m(x: Int) requires x > 0 { refute x > 1 refute x > 0 }";
    let subject = subject(text);
    let seen = explore(&subject.program, 50, 1);
    assert_eq!(seen.refuted.len(), 1);
    let verdict = verify(&subject);
    assert_eq!(verdict.proved.len(), 1, "the other one holds");
    assert!(contradictions(&subject, &verdict, &seen).is_empty());
}

/// A verifier that accepts everything would be found out.
#[test]
fn wrong_verdicts_are_found() {
    for (text, _) in WRONG {
        let subject = subject(text);
        let seen = explore(&subject.program, 200, 1);
        let accepted = subject.program.methods.iter().map(|m| m.name.to_string()).collect();
        let unsound = Verdict { accepted, surroundings: true, ..Verdict::default() };
        assert!(!contradictions(&subject, &unsound, &seen).is_empty(), "{text}");
    }
}

fn seconds(default: u64) -> Duration {
    let set = std::env::var("LANCEHEAD_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    Duration::from_secs(set.unwrap_or(default))
}

/// Accepted programs, changed a little: whatever is still accepted does not fail.
#[test]
fn accepted_programs_do_not_fail() {
    let seed = std::env::var("LANCEHEAD_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(7);
    let mut fuzzer = Fuzzer::new(seed);
    for path in testing::files(testing::root().join("tests/verify"), &["vpr"]).iter().step_by(4) {
        fuzzer.seed_with(path);
    }
    assert!(fuzzer.pool() > 20);
    let (start, limit) = (Instant::now(), seconds(8));
    while start.elapsed() < limit {
        if let Some((text, finding)) = fuzzer.round() {
            panic!(
                "seed {seed}: {} line {}: {}\n{text}",
                finding.method, finding.line, finding.what
            );
        }
    }
    println!("{}", fuzzer.figures());
}
