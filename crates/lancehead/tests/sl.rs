//! `lancehead sl`, run as a user runs it.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::PathBuf;
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

/// A file in a folder of its own.
fn scratch(name: &str, text: &str) -> PathBuf {
    let path = testing::scratch(env!("CARGO_TARGET_TMPDIR"), &format!("sl-{name}")).unwrap();
    let path = path.join(name);
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
    let text = SCRIPT.replace("(seg u out)", "(and (seg u out) (seg out u))");
    let path = scratch("no-list.smt2", &text);
    let output = run(&[path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"sat\nunknown\n");
    let reason = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        reason,
        "lancehead: not decided: a definition is no disjunction of symbolic heaps; and `seg` is no list\n"
    );
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
    assert!(message.contains("`seg` takes 2 arguments, but there is 1"), "{message}");
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
    let folder = testing::scratch(env!("CARGO_TARGET_TMPDIR"), "sl-models-drawn").unwrap();
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

/// A frame that there is none of has a counterexample.
#[test]
fn counterexamples_of_frames_are_drawn() {
    let folder = testing::scratch(env!("CARGO_TARGET_TMPDIR"), "sl-frames-drawn").unwrap();
    let svg = folder.join("frame.svg");
    let args = ["frame", "ls(x, nil)", "x |-> y", "--svg", svg.to_str().unwrap()];
    assert_eq!(answer(&args), (0, "none\n".into()));
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg "));
    let (status, text) = complaint(&["frame", "x |-> y", "x |-> y", "--svg", "none.svg"]);
    assert_eq!((status, text.contains("no model to draw")), (0, true), "{text}");
    let args = ["frame", "ls(x, nil)", "x |-> y", "--dot", "no/such/folder/frame.dot"];
    assert_eq!(complaint(&args).0, 2);
}

#[test]
fn proofs_are_drawn_whatever_the_format() {
    let folder = testing::scratch(env!("CARGO_TARGET_TMPDIR"), "sl-proofs-drawn").unwrap();
    for format in ["human", "json"] {
        let svg = folder.join(format!("proof-{format}.svg"));
        let drawn = ["--proof-svg", svg.to_str().unwrap(), "--format", format];
        let question = ["entails", "x |-> y * ls(y, nil)", "true * ls(y, nil)"];
        assert_eq!(answer(&[&question[..], &drawn].concat()).0, 0);
        assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg "), "{format}");
        let nowhere = ["--proof-svg", "no/such/folder/proof.svg", "--format", format];
        let (status, text) = complaint(&[&question[..], &nowhere].concat());
        assert_eq!((status, text.contains("cannot be written")), (2, true), "{text}");
    }
    let (status, text) = complaint(&["entails", "emp", "x |-> y", "--proof-svg", "none.svg"]);
    assert_eq!((status, text.contains("there is no proof to draw")), (0, true), "{text}");
}

/// What has no model entails `false`; a frame is one by an entailment.
#[test]
fn proofs_of_contradictions_and_of_frames() {
    let (status, text) = answer(&["sat", "x |-> y * x |-> z", "--proof", "--check-proofs"]);
    assert_eq!((status, text.contains("|- false")), (0, true), "{text}");
    let checked = ["--proof", "--check-proofs"];
    let question = ["frame", "x |-> y * ls(y, nil)", "x |-> y"];
    let (status, text) = answer(&[&question[..], &checked].concat());
    assert_eq!((status, text.contains("[match cell]")), (0, true), "{text}");
    // The frame is the one that the proof is about.
    assert!(text.contains("|- x != nil * x != y * x |-> y * ls(y, nil) "), "{text}");
    let (_, json) = answer(&[&question[..], &checked, &["--format", "json"]].concat());
    let object: Value = serde_json::from_str(json.trim_end()).unwrap();
    assert!(object["proof"].as_str().unwrap().contains("[match cell]"), "{json}");
    let (status, text) = answer(&[&["abduce", "x |-> y", "ls(x, nil)"][..], &checked].concat());
    assert_eq!((status, text.contains("x |-> y * ls(y, nil) |- ls(x, nil)")), (0, true), "{text}");
}

/// Where only a solver knows, that is said, whether proofs are to be shown or to be checked.
#[test]
fn answers_without_a_proof_say_so() {
    let overlaid = "(ls(x, y) && x |-> y) * ls(z, w)";
    for question in
        [["entails", "x |-> y * y |-> x", "!emp * !emp"], ["frame", overlaid, "ls(z, w)"]]
    {
        for wanted in ["--proof", "--check-proofs"] {
            let (status, text) = complaint(&[&question[..], &[wanted]].concat());
            let said = text.contains("there is no proof: a solver found no counterexample");
            assert_eq!((status, said), (0, true), "{text}");
        }
    }
}

/// Where integers are locations, a proof is about other locations, and is accepted all the same.
#[test]
fn proofs_about_integers_as_locations() {
    let folder = testing::scratch(env!("CARGO_TARGET_TMPDIR"), "sl-proofs-of-integers").unwrap();
    let path = folder.join("integers.smt2");
    let text = "(declare-heap (Int Int)) (declare-const x Int) (declare-const y Int)
        (assert (sep (pto x y) (pto y 3))) (assert (not (sep (pto y 3) (pto x y)))) (check-sat)
        (reset-assertions) (assert (sep (pto x y) (pto x 3))) (check-sat)";
    fs::write(&path, text).unwrap();
    let (status, text) = answer(&[path.to_str().unwrap(), "--proof", "--check-proofs"]);
    assert_eq!((status, text.matches("unsat\n").count()), (0, 2), "{text}");
    assert_eq!(text.matches("[match cell]").count(), 2, "{text}");
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
    let question = "ls(x, y) && ls(x, z) && !emp && !(x |-> y)";
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
    assert!(line.starts_with("stats: induct, "), "{line}");
    let output = run(&["--stats", "abduce", "x |-> y", "ls(x, nil)"]);
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.starts_with("stats: grass, ") && line.contains(" instances of axioms"), "{line}");
}

/// The exit status and standard error.
fn complaint(args: &[&str]) -> (i32, String) {
    let output = run(args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

const TREE: &str = "pred t(x) := x = nil ||
    exists l, r. x |-> {left: l, right: r} * t(l) * t(r);";

#[test]
fn help_teaches() {
    let (status, text) = answer(&["--help"]);
    assert_eq!(status, 0);
    for part in ["Examples:", "Notation of", "pred p(x, y) :=", "What is decided:", "Exit status:"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn reasons_are_those_of_the_procedures_that_came_closest() {
    let left = format!("{TREE} t(x) * t(y)");
    let (status, reason) = complaint(&["entails", &left, "t(y) -* t(x)"]);
    assert_eq!(status, 3);
    let expected =
        "not decided: what is negated is no disjunction of symbolic heaps; and `t` is no list";
    assert_eq!(reason, format!("lancehead: {expected}\n"));
    let (status, reason) = complaint(&["--z3", "/no/z3", "sat", "!emp -* false"]);
    assert_eq!(status, 3);
    // With what to do about it.
    let expected =
        "lancehead: not decided: the Z3 given by --z3 is not a file: /no/z3; name another";
    assert!(reason.starts_with(expected), "{reason}");
}

#[test]
fn mistakes_in_texts_have_a_place() {
    for (text, message, place) in [
        ("", "a formula is due here", "H:1:1"),
        ("pred p(x) := emp;", "a formula is due here", "H:1:18"),
        ("emp; x |-> y", "this is a second formula, where one is due", "H:1:6"),
        ("x |-> y)", "this closes nothing", "H:1:8"),
        ("foo(x)", "define it before the formula: `pred foo(x) := …;`", "H:1:1"),
        ("heap L -> C; emp", "declare it first: `sort L;`", "H:1:6"),
        ("x = (y |-> z)", "data is due here, but this is a formula", "H:1:6"),
        ("pred p(x) := !p(x); p(x)", "the definition of `p` has no meaning", "H:1:15"),
    ] {
        let (status, error) = complaint(&["sat", text]);
        assert_eq!(status, 2, "{text}: {error}");
        assert!(error.contains(message) && error.contains(place), "{text}: {error}");
    }
    // Both formulas of one text are no entailment.
    assert_eq!(run(&["entails", "emp; emp", ""]).status.code(), Some(2));
    let deep = "!(".repeat(20_000) + "emp" + &")".repeat(20_000);
    assert!(complaint(&["sat", &deep]).1.contains("nested deeper than"));
}

#[test]
fn mistakes_in_files_have_a_place() {
    let heap = "(declare-heap (Ref Cell))";
    for (name, text, message, place) in [
        ("no-heap", SCRIPT.replace(heap, ""), "no heap is declared", ":6:23"),
        ("two-heaps", SCRIPT.replace(heap, &heap.repeat(2)), "the heap is declared twice", ":4:26"),
        (
            "other-heap",
            SCRIPT.replace(heap, "(declare-heap (Cell Ref))"),
            "`Cell` is no sort of locations",
            ":4:16",
        ),
        (
            "content",
            SCRIPT.replace("(pto in (cell u))", "(pto in u)"),
            "`Ref` holds `Cell`, but this is of sort `Ref`",
            ":7:61",
        ),
        (
            "name",
            SCRIPT.replace("(seg x y)", "(seg x w)"),
            "there is nothing of the name `w`",
            ":11:21",
        ),
        ("open", SCRIPT.replacen("(check-sat)", "(check-sat", 1), "is never closed", ":8:1"),
        ("closed", SCRIPT.replacen("(check-sat)", "(check-sat))", 1), "closes nothing", ":8:12"),
    ] {
        let path = scratch(&format!("{name}.smt2"), &text);
        let (status, error) = complaint(&[path.to_str().unwrap()]);
        assert_eq!(status, 2, "{name}: {error}");
        assert!(error.contains(message), "{name}: {error}");
        assert!(error.contains(&format!("{name}.smt2{place}")), "{name}: {error}");
    }
    let path = scratch("empty.smt2", "");
    let (status, error) = complaint(&[path.to_str().unwrap()]);
    assert_eq!(status, 0);
    assert!(error.ends_with("there is no `(check-sat)`, so nothing to decide\n"), "{error}");
    let folder = env!("CARGO_TARGET_TMPDIR");
    let (status, error) = complaint(&[folder]);
    assert_eq!(status, 2);
    assert!(error.contains("this is a directory") && error.contains("*.smt2"), "{error}");
    assert_eq!(complaint(&["/no/such/file.smt2"]).0, 2);
}

/// The status of a file is that of its last question, wherever it is said.
#[test]
fn another_opinion_of_the_author_is_a_warning() {
    let script = format!("(set-info :status sat)\n{SCRIPT}");
    let path = scratch("status.smt2", &script);
    let name = path.to_str().unwrap();
    let output = run(&[name]);
    assert_eq!((output.status.code(), output.stdout), (Some(0), b"sat\nunsat\n".to_vec()));
    let expected = format!(
        "lancehead: warning: {name}: the answer is unsat, but its `:status` is sat; perhaps it is meant \
         in the other semantics: see --semantics\n"
    );
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
    let script = format!("(set-info :status unsat)\n{SCRIPT}");
    let path = scratch("status-of-the-file.smt2", &script);
    assert_eq!(complaint(&[path.to_str().unwrap()]), (0, String::new()));
    let script =
        SCRIPT.replace("(declare-const x Ref)", "(set-info :status sat)\n(declare-const x Ref)");
    let path = scratch("status-sat.smt2", &script);
    let (status, warning) = complaint(&[path.to_str().unwrap()]);
    assert_eq!(status, 0);
    assert!(warning.contains("the answer is unsat, but its `:status` is sat"), "{warning}");
    assert!(warning.contains("--semantics"), "{warning}");
    let right = SCRIPT.replace("(declare-const x", "(set-info :status unsat)\n(declare-const x");
    let path = scratch("status-right.smt2", &right);
    assert_eq!(complaint(&[path.to_str().unwrap()]), (0, String::new()));
    let end = SCRIPT.find("(check-sat)").unwrap() + "(check-sat)".len();
    let first = format!("(set-info :status unsat)\n{}", &SCRIPT[..end]);
    let path = scratch("status-of-one.smt2", &first);
    let (status, warning) = complaint(&[path.to_str().unwrap()]);
    assert_eq!(status, 0);
    assert!(warning.contains("the answer is sat, but its `:status` is unsat"), "{warning}");
}

/// Definitions that can be unfolded for ever without taking a location: the evaluator must not go on as
/// long as that.
#[test]
fn definitions_that_go_nowhere_take_no_time() {
    let script = "(set-logic QF_SHID)
(declare-sort Ref 0)
(declare-datatypes ((Cell 0)) (((cell (next Ref)))))
(declare-heap (Ref Cell))
(define-funs-rec ((p ((a Ref) (b Ref)) Bool) (q ((a Ref) (b Ref)) Bool) (r ((a Ref) (b Ref)) Bool)) (
  (or (exists ((u Ref)) (and (= a b) (_ emp Ref Cell)))
      (exists ((u Ref)) (and (= a b) (_ emp Ref Cell)))
      (exists ((u Ref)) (and (= a b) (_ emp Ref Cell))))
  (or (exists ((u Ref)) (and (= a b) (_ emp Ref Cell)))
      (exists ((u Ref)) (and (= a b) (_ emp Ref Cell))))
  (or (pto a (cell b))
      (exists ((u Ref)) (sep (q a u) (q u b)))
      (exists ((u Ref)) (sep (p a u) (r u b))))))
(declare-const x Ref)
(declare-const z Ref)
(assert (r (as nil Ref) x))
(assert (not (sep (q (as nil Ref) x) (r (as nil Ref) z))))
(check-sat)
";
    let file = scratch("nowhere.smt2", script);
    let start = std::time::Instant::now();
    let (_, verdict) = answer(&[file.to_str().unwrap()]);
    assert!(["unknown\n", "sat\n"].contains(&verdict.as_str()), "{verdict}");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
