//! What is said when a proof fails: reasons and paths in the words of the member that is verified,
//! and values for which it fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder of its own for each test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lancehead"));
        command.args(args).current_dir(&self.0).stdin(Stdio::null());
        // The one of this checkout, wherever the program was built.
        let z3 = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.z3/z3");
        if z3.exists() {
            command.env("LANCEHEAD_Z3", z3);
        }
        command.output().unwrap()
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn errors(dir: &Scratch, text: &str, args: &[&str]) -> Vec<Value> {
    dir.file("a.vpr", text);
    let mut all = vec!["verify", "--format", "json"];
    all.extend(args);
    all.push("a.vpr");
    let output = dir.run(&all);
    let object: Value = serde_json::from_str(stdout(&output)).unwrap();
    object["errors"].as_array().unwrap().clone()
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
