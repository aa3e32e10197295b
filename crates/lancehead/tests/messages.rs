//! What is said when a proof fails: reasons and paths in the words of the member that is verified,
//! and values for which it fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::Path;

use serde_json::Value;
use support::{Scratch, stdout};

fn errors(dir: &Scratch, text: &str, args: &[&str]) -> Vec<Value> {
    verify(dir, text, args)["errors"].as_array().unwrap().clone()
}

fn verify(dir: &Scratch, text: &str, args: &[&str]) -> Value {
    dir.file("a.vpr", text);
    let mut all = vec!["verify", "--format", "json"];
    all.extend(args);
    all.push("a.vpr");
    let output = dir.run(&all);
    serde_json::from_str(stdout(&output)).unwrap()
}

fn messages(dir: &Scratch, text: &str) -> Vec<String> {
    let message = |e: &Value| e["message"].as_str().unwrap().to_string();
    errors(dir, text, &[]).iter().map(message).collect()
}

#[test]
fn reasons_are_about_arguments() {
    let dir = Scratch::new("messages_reasons");
    let text = "\
field f: Int
predicate pos(v: Ref) { acc(v.f) && v.f > 0 }
function div(a: Int, b: Int): Int requires let c == (b) in 1 / c == 1 / c { a }
method callee(x: Int) requires x > 0
method all(s: Seq[Int]) requires forall i: Int :: 0 <= i && i < |s| ==> s[i] > 0
method call(x: Int) requires x == 7 { callee(x - 100) }
method folds(a: Ref) requires acc(a.f) { fold pos(a) }
method applies(b: Int) { var z: Int := div(1, b + 3) }
method captures(i: Int, s: Seq[Int]) requires 0 <= i && i < |s| { all(s[i := i]) }
";
    let expected = [
        "The precondition of method callee might not hold. Assertion x - 100 > 0 might not hold.",
        "Folding pos might fail. Assertion a.f > 0 might not hold.",
        "Precondition of function div might not hold. Divisor b + 3 might be zero.",
        "The precondition of method all might not hold. Assertion forall i_1: Int :: 0 <= i_1 && \
         i_1 < |s[i := i]| ==> s[i := i][i_1] > 0 might not hold.",
    ];
    let found = messages(&dir, text);
    assert!(expected.iter().all(|e| found.iter().any(|f| f == e)), "{found:#?}");
}

#[test]
fn large_arguments_are_not_written_out() {
    let dir = Scratch::new("messages_large");
    let sum = (0..200).map(|i| format!("x + {i}")).collect::<Vec<_>>().join(" + ");
    let text = format!(
        "method callee(x: Int) requires x > 0 && x * x > x\nmethod m(x: Int) {{ callee({sum}) }}"
    );
    let found = messages(&dir, &text);
    let expected =
        "The precondition of method callee might not hold. Assertion … > 0 might not hold.";
    assert_eq!(found.first().map(String::as_str), Some(expected));
}

#[test]
fn conditions_of_a_path_are_about_arguments() {
    let dir = Scratch::new("messages_paths");
    let text = "\
field next: Ref
predicate list(this: Ref) { acc(this.next) && (this.next != null ==> list(this.next)) }
method two(x: Ref, y: Ref) requires list(x) && list(y) {
    unfold list(x)
    unfold list(y)
    assert x.next == null || y.next != null
}
";
    let found = errors(&dir, text, &[]);
    assert_eq!(found[0]["branch"], serde_json::json!(["x.next != null", "!(y.next != null)"]));
    assert_eq!(found[0].get("branch_omitted"), None);
}

#[test]
fn the_last_conditions_of_a_long_path() {
    let dir = Scratch::new("messages_long");
    let mut text = "method m(x: Int) {\n".to_string();
    for i in 0..40 {
        text.push_str(&format!("if (x > {i}) {{ "));
    }
    text.push_str("assert false");
    text.push_str(&" }".repeat(41));
    let found = errors(&dir, &text, &[]);
    let last = serde_json::json!(["x > 35", "x > 36", "x > 37", "x > 38", "x > 39"]);
    assert_eq!((&found[0]["branch"], &found[0]["branch_omitted"]), (&last, &Value::from(35)));
    let output = dir.run(&["verify", "a.vpr"]);
    let note = "= note: on the path where x > 35, x > 36, x > 37, x > 38, x > 39 (and 35 conditions before)\n";
    assert!(stdout(&output).contains(note), "{}", stdout(&output));
}

#[test]
fn variables_are_those_of_the_member() {
    let dir = Scratch::new("messages_variables");
    let text = "\
method callee(x: Int, other: Int) requires x > 0
method caller(x: Int) requires x == 7 { callee(x - 100, 5) }
";
    let found = errors(&dir, text, &["--counterexample"]);
    assert_eq!(found[0]["counterexample"]["variables"], serde_json::json!({"x": "7"}));
}

// --- Counterexamples

/// The values that are shown for the only error of each method.
fn examples(dir: &Scratch, text: &str) -> Vec<Value> {
    let found = errors(dir, text, &["--counterexample"]);
    found.iter().map(|e| e["counterexample"].clone()).collect()
}

#[test]
fn permission_is_short_where_it_is_missing() {
    let dir = Scratch::new("messages_short");
    let text = "\
field f: Int
predicate P(x: Ref)
method folded(x: Ref, y: Ref) requires P(x) ensures P(y) {}
method half(x: Ref, y: Ref) requires acc(x.f, 1/2) && acc(y.f, 1/4) { x.f := 1 }
method sets(s: Set[Ref], t: Set[Ref]) requires forall r: Ref :: r in s ==> acc(r.f) {
    exhale forall r: Ref :: r in t ==> acc(r.f)
}
";
    let found = examples(&dir, text);
    assert!(found.iter().all(|e| e["confirmed"] == true), "{found:#?}");
    assert_ne!(found[0]["variables"]["x"], found[0]["variables"]["y"]);
    assert_eq!(found[0]["heap"][0]["location"], "P(object1)");
    let x = found[1]["variables"]["x"].as_str().unwrap();
    let held = found[1]["heap"].as_array().unwrap();
    let share = held.iter().find(|h| h["location"] == format!("{x}.f")).unwrap();
    assert!(share["permission"] == "1/2" || share["permission"] == "3/4", "{share}");
    assert_ne!(found[2]["variables"]["s"], found[2]["variables"]["t"]);
}

#[test]
fn values_are_what_they_contain() {
    let dir = Scratch::new("messages_values");
    let text = "\
field f: Int
adt List { Nil() Cons(head: Int, tail: List) }
domain Color { function mix(a: Color, b: Color): Color }
method seqs(s: Seq[Int]) requires |s| == 2 && s[0] == 4 && s[1] == 5 { assert false }
method sets(s: Set[Int]) requires s == Set(3) { assert false }
method bags(s: Multiset[Int]) requires s == Multiset(3, 3) { assert false }
method maps(m: Map[Int, Bool]) requires m == Map(3 := true) { assert false }
method lists(l: List) requires l == Cons(1, Nil()) { assert false }
method colors(a: Color, b: Color) { assert a == b }
method before(x: Ref) requires acc(x.f) && x.f == 1 {
    x.f := 2
    label second
    x.f := 3
    var local: Int := x.f
    assert false
}
method many(s: Set[Ref], y: Ref)
    requires y in s && forall r: Ref :: r in s ==> acc(r.f)
{ assert y.f > 0 }
method promises(x: Ref, y: Ref) requires acc(x.f) --* acc(y.f) { assert acc(y.f) }
";
    let found = examples(&dir, text);
    assert!(found.iter().all(|e| e["confirmed"] == true), "{found:#?}");
    let variable = |i: usize, name: &str| found[i]["variables"][name].as_str().unwrap().to_string();
    assert_eq!(variable(0, "s"), "[4, 5]");
    assert_eq!(variable(1, "s"), "{3}");
    assert_eq!(variable(2, "s"), "Multiset(3 (2 times))");
    assert_eq!(variable(3, "m"), "Map(3 := true)");
    assert_eq!(variable(4, "l"), "Cons(1, Nil())");
    assert_eq!((variable(5, "a"), variable(5, "b")), ("Color1".into(), "Color2".into()));
    assert_eq!(variable(6, "local"), "3");
    let was = |value: &str| serde_json::json!([{"location": "object1.f", "permission": "1", "value": value}]);
    assert_eq!(found[6]["heap"], was("3"));
    let states = serde_json::json!([
        {"state": "old", "heap": was("1")},
        {"state": "old[second]", "heap": was("2")},
    ]);
    assert_eq!(found[6]["states"], states);
    assert_eq!(found[7]["heap"][0]["location"], "object1.f");
    assert_eq!(found[8]["heap"][0]["location"], "acc(object1.f) --* acc(object2.f)");
}

#[test]
fn variables_that_somebody_wrote_are_shown_whatever_their_names() {
    let dir = Scratch::new("messages_made_up");
    // `__n` is the user's. What keeps a measure for later, or decides whether a `refute` is looked at, is not.
    let text = "\
method named(__n: Int) { assert __n > 0 }
method refuted(n: Int) { refute n > 0 assert n > 1 }
method loops(n: Int) { var i: Int := n while (i > 0) decreases i { i := i + 1 } }
";
    let variables = |example: &Value| {
        let all = example["variables"].as_object().unwrap();
        all.keys().map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    let found: Vec<String> = examples(&dir, text).iter().map(variables).collect();
    assert_eq!(found, ["__n", "n", "i n"]);
}

#[test]
fn what_holds_is_no_counterexample() {
    let dir = Scratch::new("messages_unconfirmed");
    // True, but not proved: what is shown must not be a lie.
    let text = "\
function fac(n: Int): Int { n <= 0 ? 1 : n * fac(n - 1) }
function sum(n: Int): Int requires n >= 0 { n == 0 ? 0 : n + sum(n - 1) }
method factorial() { assert fac(4) == 24 }
method gauss(n: Int) requires n >= 0 { assert 2 * sum(n) == n * (n + 1) }
method wrong() { var n: Int := fac(4) assert n == 25 }
";
    let found = examples(&dir, text);
    let confirmed: Vec<_> = found.iter().map(|e| e["confirmed"].as_bool().unwrap()).collect();
    assert_eq!(confirmed, [false, false, true]);
    assert_eq!(found[2]["variables"]["n"], "24");
    let output = dir.run(&["verify", "--counterexample", "--member", "gauss", "a.vpr"]);
    assert!(stdout(&output).contains("= note: no counterexample could be confirmed\n"));
}

#[test]
fn facts_about_all_values_hold_for_those_that_are_shown() {
    let dir = Scratch::new("messages_quantified");
    let text = "\
domain Order {
    function less(a: Order, b: Order): Bool
    axiom { forall a: Order, b: Order :: { less(a, b) } less(a, b) ==> !less(b, a) }
}
function positive(n: Int): Int ensures result > 0
method elements(s: Seq[Int]) requires forall i: Int :: 0 <= i && i < |s| ==> s[i] > 7 {
    assert |s| <= 1
}
method ordered(x: Order, y: Order) requires less(x, y) { assert less(y, x) }
method promise(n: Int) { var r: Int := positive(n) assert r > 1 }
";
    let found = examples(&dir, text);
    assert!(found.iter().all(|e| e["confirmed"] == true), "{found:#?}");
    let s = found[0]["variables"]["s"].as_str().unwrap();
    let elements: Vec<i64> =
        s.trim_matches(['[', ']']).split(", ").map(|n| n.parse().unwrap()).collect();
    assert!(elements.len() > 1 && elements.iter().all(|e| *e > 7), "{s}");
    assert_ne!(found[1]["variables"]["x"], found[1]["variables"]["y"]);
    assert_eq!(found[2]["variables"]["r"], "1");
}

/// All programs of the repository: no value is shown that was not confirmed, or that nobody can read.
#[test]
fn every_counterexample_is_confirmed_and_readable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files = testing::files(root.join("tests/verify"), &["vpr"]);
    files.extend(testing::files(root.join("examples"), &["vpr"]));
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let dir = Scratch::new("messages_all");
    let mut args = vec!["verify", "--counterexample", "--format", "json"];
    args.extend(files.iter().map(String::as_str));
    let output = dir.run(&args);
    let (mut confirmed, mut others) = (0, 0);
    for line in stdout(&output).lines() {
        assert!(!line.contains("!val!"), "{line}");
        let object: Value = serde_json::from_str(line).unwrap();
        for error in object["errors"].as_array().unwrap() {
            let Some(example) = error.get("counterexample") else { continue };
            if example["confirmed"] == true {
                confirmed += 1;
            } else {
                others += 1;
                assert_eq!(example["variables"], serde_json::json!({}), "{line}");
                assert_eq!(example["heap"], serde_json::json!([]), "{line}");
            }
        }
    }
    // Most of them are found; a change that loses many should be noticed.
    assert!(confirmed > 200 && others * 8 < confirmed, "{confirmed} confirmed, {others} not");
}

// --- Warnings

#[test]
fn invariants_that_nobody_checks_are_warned_of() {
    let dir = Scratch::new("messages_idle");
    let text = "\
method forward(b: Bool) {
    if (b) { goto end }
    label end invariant false
}
method back(n: Int) {
    var i: Int := 0
    label again invariant i >= 0
    i := i + 1
    if (i < n) { goto again }
}
";
    let report = verify(&dir, text, &[]);
    let warnings = report["warnings"].as_array().unwrap();
    let found: Vec<_> = warnings.iter().map(|w| (w["id"].as_str(), w["line"].as_u64())).collect();
    assert_eq!(found, [(Some("verifier.warning:idle.invariant"), Some(3))]);
    assert_eq!(report["status"], "verified");
}

// --- Advice

/// The help for the errors of a program, by line.
fn help(dir: &Scratch, text: &str) -> Vec<(u64, String)> {
    let found = errors(dir, text, &[]);
    let line = |e: &Value| e["line"].as_u64().unwrap();
    found.iter().map(|e| (line(e), e["help"].as_str().unwrap_or("-").to_string())).collect()
}

#[test]
fn what_is_held_folded() {
    let dir = Scratch::new("messages_folded");
    let text = "\
field f: Int field next: Ref
predicate P(x: Ref) { acc(x.f) && acc(x.next) }
predicate Q(x: Ref) { acc(x.next) }
predicate R(x: Ref, b: Bool) { b ==> acc(x.f) }
method named(x: Ref) requires Q(x) && P(x) { x.f := 1 }
method surely(x: Ref, b: Bool) requires R(x, b) && b { x.f := 1 }
method deeper(x: Ref) requires acc(x.next) && P(x.next) { x.next.f := 1 }
method another(x: Ref, y: Ref) requires P(y) { var z: Ref z.f := 1 }
function reads(x: Ref): Int requires P(x) { x.f }
";
    let unfold = |what: &str| format!("`{what}` is held folded: unfold it first");
    let expected = [
        (5, unfold("P(x)")),
        (6, unfold("R(x, b)")),
        (7, unfold("P(x.next)")),
        (8, "-".to_string()),
        (9, "`P(x)` is held folded: read it with `unfolding P(x) in …`".to_string()),
    ];
    assert_eq!(help(&dir, text), expected);
}

#[test]
fn what_is_held_unfolded() {
    let dir = Scratch::new("messages_unfolded");
    let text = "\
field f: Int field next: Ref
predicate list(x: Ref) { acc(x.f) && acc(x.next) && (x.next != null ==> list(x.next)) }
predicate half(x: Ref) { acc(x.f, 1/2) && x.f > 0 }
method again(x: Ref) requires list(x) ensures list(x) { unfold list(x) x.f := 1 }
method callee(y: Ref) requires list(y)
method calls(x: Ref) requires list(x) { unfold list(x) callee(x) }
method not_true(x: Ref) requires half(x) ensures half(x) { unfold half(x) inhale acc(x.f, 1/2) x.f := 0 }
method lost(x: Ref) requires list(x) ensures list(x) { exhale list(x) }
method partly(x: Ref) requires list(x) ensures list(x) { unfold list(x) exhale acc(x.f) }
";
    let fold = |what: &str| format!("`{what}` is held unfolded: fold it first");
    let none = || "-".to_string();
    let expected =
        [(4, fold("list(x)")), (6, fold("list(x)")), (7, none()), (8, none()), (9, none())];
    assert_eq!(help(&dir, text), expected);
}

#[test]
fn what_is_missing_in_the_precondition() {
    let dir = Scratch::new("messages_precondition");
    let text = "\
field f: Int field next: Ref
predicate P(x: Ref) { acc(x.f) }
method callee(y: Ref) requires P(y)
method verifies(x: Ref) { x.f := 1 }
method further(x: Ref) { x.f := 1 assert x.f == 2 }
method calls(a: Ref) { callee(a) }
method posts(a: Ref) ensures acc(a.f) {}
method many(s: Set[Ref]) { exhale forall r: Ref :: r in s ==> acc(r.f) }
method never_then(x: Ref) requires acc(x.f, 1/2) { x.f := 1 }
method not_there_then(x: Ref) { inhale acc(x.f, 1/2) x.f := 1 }
method unknown_there() { var y: Ref y.f := 1 }
method given_away(x: Ref) { exhale acc(x.f) exhale acc(x.f) }
";
    let missing = |what: &str| format!("`{what}` is missing in the precondition");
    let none = || "-".to_string();
    let found = help(&dir, text);
    let expected = [
        (4, missing("acc(x.f)")),
        (5, missing("acc(x.f)")),
        (6, missing("P(a)")),
        (7, missing("acc(a.f)")),
        (8, missing("forall r: Ref :: r in s ==> acc(r.f)")),
        (9, none()),
        (10, none()),
        (11, none()),
        (12, missing("acc(x.f)")),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_a_loop_does_not_keep() {
    let dir = Scratch::new("messages_loops");
    let text = "\
field f: Int
predicate P(x: Ref) { acc(x.f) }
method field_(x: Ref) requires acc(x.f) {
    var i: Int := 0
    while (i < 3) { x.f := i i := i + 1 }
}
method predicate_(x: Ref, n: Int) requires P(x) {
    var i: Int := 0
    while (i < n) invariant i >= 0 { unfold P(x) fold P(x) i := i + 1 }
}
method never_held(x: Ref, y: Ref, n: Int) requires P(x) {
    var i: Int := 0
    while (i < n) { var z: Ref unfold P(z) i := i + 1 }
}
";
    let keep = |what: &str| format!("the loop invariant does not keep `{what}`");
    let found = help(&dir, text);
    assert_eq!(found, [(5, keep("acc(x.f)")), (9, keep("P(x)")), (13, "-".to_string())]);
}

#[test]
fn ranges_and_data_types_are_looked_through() {
    let dir = Scratch::new("messages_ranges");
    let text = "\
adt Tree { Leaf() Node(left: Tree, value: Int, right: Tree) }
method trees(t: Tree) requires t.isNode { assert t.left == t.right }
method some(s: Seq[Int]) requires |s| == 2 { assert exists i: Int :: 0 <= i && i < |s| && s[i] == 7 }
method positive(s: Seq[Int]) { assert forall i: Int :: 0 <= i && i < |s| ==> s[i] > 0 }
";
    let found = examples(&dir, text);
    assert!(found.iter().all(|e| e["confirmed"] == true), "{found:#?}");
    let tree = found[0]["variables"]["t"].as_str().unwrap();
    assert!(tree.starts_with("Node("), "{tree}");
    let elements = found[1]["variables"]["s"].as_str().unwrap();
    assert!(!elements.contains('7') && elements.contains(", "), "{elements}");
    assert_ne!(found[2]["variables"]["s"], "[]");
}
