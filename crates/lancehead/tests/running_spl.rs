//! `lancehead run x.spl`: procedures with contracts on small heaps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use serde_json::Value;
use support::{Scratch, stderr, stdout};

const LISTS: &str = "\
struct Node { var next: Node; var value: Int; }
predicate list(x: Node) { x == null || x != null &*& acc(x) &*& list(x.next) }
procedure length(x: Node) returns (n: Int)
  requires list(x)
  ensures list(x) &*& n >= 0
{
  if (x == null) { return 0; }
  n := length(x.next);
  n := n + 1;
}
procedure second(x: Node) returns (y: Node)
  requires list(x) &*& x != null
  ensures list(x)
{
  y := x.next;
  y := y.next;
}
procedure lost(x: Node)
  requires list(x)
  ensures emp
{
  if (x != null) { free x; }
}
";

#[test]
fn faults_are_shown_with_their_heaps() {
    let dir = Scratch::new("run_spl");
    dir.file("lists.spl", LISTS);
    let output = dir.run(&["run", "lists.spl"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stderr(&output);
    assert!(text.contains("this heap access is invalid: `null` is not owned"), "{text}");
    assert!(
        text.contains("a postcondition of `lost` does not hold at this return point"),
        "{text}"
    );
    assert!(text.contains("where it fails:"), "{text}");
    assert!(text.contains("3 procedures, 2 faults (10"), "{text}");
    // The help says how to see one again.
    let help = text.split("`--member second --seed ").nth(1).expect("a seed");
    let seed = help.split('`').next().expect("a number");
    let again =
        dir.run(&["run", "lists.spl", "--member", "second", "--seed", seed, "--svg", "s.svg"]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert!(std::fs::read_to_string(dir.0.join("s.svg")).expect("drawn").contains("<svg"));
}

#[test]
fn tools_read_how_runs_ended() {
    let dir = Scratch::new("run_spl_json");
    dir.file("lists.spl", LISTS);
    let output =
        dir.run(&["run", "--format", "json", "--member", "l*", "--runs", "20", "lists.spl"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let object: Value = serde_json::from_str(stdout(&output)).expect("one object");
    assert_eq!(object["status"], "fault");
    let names: Vec<&str> = object["procedures"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|p| p["name"].as_str())
        .collect();
    assert_eq!(names, ["length", "lost"]);
    assert_eq!(object["procedures"][0]["returned"], 20);
    assert_eq!(object["errors"][0]["id"], "postcondition.violated");
    assert_eq!(object["errors"][0]["line"], 23);
}

#[test]
fn what_cannot_be_run_is_said() {
    let dir = Scratch::new("run_spl_unknown");
    dir.file("a.spl", "predicate p(x: Int)\nprocedure q(x: Int) requires p(x) ensures p(x) { }\n");
    let output = dir.run(&["run", "a.spl"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = stderr(&output);
    assert!(text.contains("`p`, which has no definition, cannot be evaluated"), "{text}");
    dir.file("b.spl", "procedure q(x: Int) requires x < 0 && x > 0 { }\n");
    let output = dir.run(&["run", "b.spl"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(stderr(&output).contains("no heap was found in which the precondition of `q` holds"));
    dir.file("c.spl", "procedure q(x: Int) requires y < 0 { }\n");
    assert_eq!(dir.run(&["run", "c.spl"]).status.code(), Some(2));
    for option in ["--trace", "--malloc-may-fail"] {
        let output = dir.run(&["run", option, "c.spl"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("is for C programs"));
    }
    let output = dir.run(&["run", "--member", "p", "b.spl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there is no procedure named 'p'"), "{}", stderr(&output));
}

/// Heaps with arrays, sets of integers, recursive predicates and datatypes, for which solving finds none.
#[test]
fn failed_proofs_are_confirmed_by_runs() {
    let dir = Scratch::new("refute_spl");
    dir.file(
        "wrong.spl",
        "\
struct Node { var next: Node; var value: Int; }
datatype Seq = nil | cons(head: Int, tail: Seq);
predicate list(x: Node, C: Set<Int>) {
  x == null && C == {} ||
    (exists D: Set<Int> :: x != null &*& acc(x) &*& list(x.next, D) &*& C == D ++ {x.value})
}
procedure remove_first(x: Node, implicit ghost C: Set<Int>) returns (y: Node)
  requires list(x, C) &*& x != null
  ensures list(y, C -- {x.value})
{
  y := x.next;
  free x;
}
function length(s: Seq) returns (n: Int) { s == nil ? 0 : 1 + length(s.tail) }
lemma short(s: Seq) ensures length(s) < 3 { }
predicate array(a: Array<Int>) {
  acc(a) &*& acc({ c: ArrayCell<Int> :: c.array == a && 0 <= c.index < a.length })
}
procedure clear(a: Array<Int>)
  requires array(a)
  ensures array(a)
{
  var i := 0;
  while (i <= a.length)
    invariant array(a) &*& 0 <= i
  { a[i] := 0; i := i + 1; }
}
",
    );
    let (code, objects) = support::verify(&dir, &["wrong.spl"]);
    assert_eq!(code, Some(1));
    let errors = objects[0]["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 3, "{errors:?}");
    for error in errors {
        assert_eq!(error["heaps"]["confirmed"], true, "{error:?}");
        assert!(!error["message"].as_str().unwrap_or_default().contains("unknown"), "{error:?}");
    }
}

/// A conjunct that is missing in a precondition, an invariant, or the postcondition of what is called.
#[test]
fn missing_conjuncts_are_proposed() {
    let dir = Scratch::new("help_spl");
    dir.file(
        "missing.spl",
        "\
struct Node { var next: Node; var value: Int; }
predicate lseg(x: Node, y: Node) {
  acc({z: Node :: Btwn(next, x, z, y) && z != y}) &*& Reach(next, x, y)
}
predicate array(a: Array<Int>) {
  acc(a) &*& acc({c: ArrayCell<Int> :: c.array == a && 0 <= c.index < a.length})
}
procedure touch(x: Node) requires acc(x) ensures acc(x) { x.value := x.value; }
procedure keep(x: Node) requires acc(x) &*& x.value == 3 ensures acc(x) &*& x.value == 3
{ touch(x); }
procedure walk(x: Node) requires lseg(x, null) ensures lseg(x, null)
{ var y := x; while (y != null) invariant lseg(x, y) { y := y.next; } }
procedure read(a: Array<Int>, i: Int) returns (v: Int) requires array(a) ensures array(a)
{ v := a[i]; }
",
    );
    let (code, objects) = support::verify(&dir, &["missing.spl"]);
    assert_eq!(code, Some(1));
    let errors = objects[0]["errors"].as_array().expect("errors");
    let help: Vec<&str> = errors.iter().filter_map(|e| e["help"].as_str()).collect();
    let expected = [
        "it verifies if `touch` has `ensures x.value == old(x.value)`, which holds",
        "it verifies with `invariant lseg(y, null)`",
        "it verifies with `requires 0 <= i < a.length`",
    ];
    assert_eq!(help, expected);
}

/// What never holds is worth a warning: the most common slip in this language.
#[test]
fn a_conjunction_that_never_holds() {
    let dir = Scratch::new("warn_spl");
    let text = "struct N { var v: Int; }\nprocedure p(x: N) requires acc(x) && x != null { }\n";
    dir.file("and.spl", text);
    let output = dir.run(&["check", "and.spl"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = [stdout(&output), stderr(&output)].concat();
    assert_eq!(said.matches("this never holds").count(), 1, "{said}");
    assert!(said.contains("separating conjunction is written `&*&`"), "{said}");
}
