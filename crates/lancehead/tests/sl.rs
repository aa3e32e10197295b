//! `lancehead sl`, run as a user runs it.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lancehead")).arg("sl").args(args).output().unwrap()
}

/// The exit status and standard output.
fn answer(args: &[&str]) -> (i32, String) {
    let output = run(args);
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn scratch(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}

const SCRIPT: &str = "(set-logic QF_SHLS)
(declare-sort Ref 0)
(declare-datatypes ((Cell 0)) (((cell (next Ref)))))
(declare-heap (Ref Cell))
(define-fun-rec seg ((in Ref) (out Ref)) Bool
  (or (and (= in out) (_ emp Ref Cell))
      (exists ((u Ref)) (and (distinct in out) (sep (pto in (cell u)) (seg u out))))))
(check-sat)
(declare-const x Ref)
(declare-const y Ref)
(assert (sep (seg x y) (seg y (as nil Ref))))
(assert (not (seg x (as nil Ref))))
(check-sat)
";

#[test]
fn files_have_a_line_for_every_question() {
    let path = scratch("two.smt2", SCRIPT);
    assert_eq!(answer(&[path.to_str().unwrap()]), (0, "sat\nunsat\n".into()));
}

#[test]
fn what_is_not_decided_is_unknown_and_says_why() {
    let text = SCRIPT.replace("(seg u out)", "(and (seg u out) (seg u out))");
    let path = scratch("no-list.smt2", &text);
    let output = run(&[path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"sat\nunknown\n");
    let reason = String::from_utf8(output.stderr).unwrap();
    assert_eq!(reason, "lancehead: not decided: `seg` is no list\n");
}

#[test]
fn lists_may_be_cyclic() {
    let text = SCRIPT.replace("(distinct in out)", "true");
    let path = scratch("cyclic.smt2", &text);
    assert_eq!(answer(&[path.to_str().unwrap()]), (0, "sat\nunsat\n".into()));
}

#[test]
fn bad_input_has_a_place() {
    let path = scratch("bad.smt2", &SCRIPT.replace("(seg y (as nil Ref))", "(seg y)"));
    let output = run(&[path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("`seg` takes 2 arguments, but there are 1"), "{message}");
    assert!(message.contains("bad.smt2:11:"), "{message}");
}

#[test]
fn the_text_notation_needs_no_file() {
    assert_eq!(answer(&["sat", "x |-> y * y |-> x"]), (0, "sat\n".into()));
    assert_eq!(answer(&["sat", "x |-> y * x |-> z"]), (0, "unsat\n".into()));
    assert_eq!(
        answer(&["entails", "x != z * x |-> y * ls(y, z)", "ls(x, z)"]),
        (0, "valid\n".into())
    );
    assert_eq!(answer(&["entails", "ls(x, y) * ls(y, z)", "ls(x, z)"]), (0, "invalid\n".into()));
    assert_eq!(answer(&["--semantics", "standard", "sat", "x != nil && x |-> nil"]).1, "sat\n");
    let output = run(&["sat", "x |-> "]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(run(&[]).status.code(), Some(2));
    assert_eq!(run(&["file.smt2", "sat", "emp"]).status.code(), Some(2));
}

#[test]
fn models_are_shown() {
    let (_, text) = answer(&["sat", "x != nil * ls(x, nil)", "--model"]);
    assert_eq!(text, "sat\nx = #1\n#1 |-> {next: nil}\n");
}

#[test]
fn models_are_drawn() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (svg, dot) = (folder.join("model.svg"), folder.join("model.dot"));
    let output = run(&[
        "entails",
        "ls(x, y) * ls(y, z)",
        "ls(x, z)",
        "--svg",
        svg.to_str().unwrap(),
        "--dot",
        dot.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(fs::read_to_string(dot).unwrap().starts_with("digraph heap {"));
}

#[test]
fn json_is_one_object() {
    let (status, text) = answer(&["sat", "x |-> nil", "--format", "json"]);
    assert_eq!(status, 0);
    let object: Value = serde_json::from_str(text.trim_end()).unwrap();
    assert_eq!(object["status"], "solved");
    assert_eq!(object["checks"][0]["verdict"], "sat");
    assert_eq!(object["checks"][0]["model"]["heap"][0]["fields"]["next"], "nil");
    let (status, text) = answer(&["sat", "x |-> ", "--format", "json"]);
    assert_eq!(status, 2);
    let object: Value = serde_json::from_str(text.trim_end()).unwrap();
    assert_eq!(object["status"], "invalid");
    assert_eq!(object["errors"][0]["id"], "sl.syntax");
}

#[test]
fn frames_and_anti_frames() {
    let frame = answer(&["frame", "x != z * x |-> y * ls(y, z)", "x |-> y"]);
    assert_eq!(frame, (0, "x != y * x != z * x != nil * ls(y, z)\n".into()));
    assert_eq!(answer(&["frame", "ls(x, nil)", "x |-> y"]), (0, "none\n".into()));
    assert_eq!(answer(&["abduce", "x |-> y", "ls(x, nil)"]), (0, "ls(y, nil)\n".into()));
    let output = run(&["abduce", "--format", "json", "x |-> y", "x |-> z"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["formula"], "y = z");
}

#[test]
fn what_is_no_list_fragment_goes_to_the_solver() {
    let combination = "!(x |-> y) && (x |-> y || ls(x, y)) && !(emp)";
    assert_eq!(answer(&["sat", combination]), (0, "sat\n".into()));
    assert_eq!(
        answer(&["entails", "x |-> y", "ls(x, y) || x = y * x |-> y"]),
        (0, "valid\n".into())
    );
}

#[test]
fn wands_and_negation_below_them() {
    let two = "!emp * !emp";
    assert_eq!(answer(&["entails", "x |-> y * y |-> x", two]), (0, "valid\n".into()));
    assert_eq!(answer(&["entails", two, "!(x |-> y) * !(y |-> x)"]), (0, "valid\n".into()));
    assert_eq!(answer(&["entails", "x |-> z -* false", "x |-> y * true"]), (0, "invalid\n".into()));
    assert_eq!(answer(&["sat", "!emp -* false"]), (0, "unsat\n".into()));
}

#[test]
fn stats_say_who_answered_and_what_it_took() {
    let output = run(&["--stats", "entails", "ls(x, y) * ls(y, nil)", "ls(x, nil)"]);
    assert_eq!(output.stdout, b"valid\n");
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.starts_with("stats: lists, "), "{line}");
    let question = "!(x |-> y) && ls(x, y) && !emp";
    let output = run(&["--stats", "--format", "json", "sat", question]);
    assert_eq!(output.stderr, b"");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let stats = &object["checks"][0]["stats"];
    assert_eq!(stats["procedure"], "grass");
    assert_eq!(stats["searches"], 1);
    assert!(stats["queries"].as_u64() > stats["rounds"].as_u64(), "{stats}");
    assert!(stats["instances"].as_u64() >= stats["rounds"].as_u64(), "{stats}");
    let output = run(&["--stats", "frame", "x |-> y * ls(y, nil)", "x |-> y"]);
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.starts_with("stats: grass, ") && line.contains(" instances of axioms"), "{line}");
}
