//! `lancehead verify x.spl`: statuses, JSON, members.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::process::{Command, Output};

fn lancehead(args: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_lancehead")).args(args).current_dir(root).output().unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_verifies_ends_with_0() {
    let output = lancehead(&["verify", "--format", "json", "examples/spl/queue.spl"]);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    assert_eq!(report["status"], "verified");
    let names: Vec<&str> =
        report["members"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["create", "enqueue", "dequeue"]);
}

#[test]
fn errors_are_where_the_fault_is() {
    let file = "tests/spl/verify/seeded/lists.spl";
    let output = lancehead(&["verify", "--format", "json", "--member", "freed_*", file]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["status"], "failed");
    let errors = report["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["id"], "free.failed");
    assert_eq!(errors[0]["member"], "freed_twice");
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file));
    let line = usize::try_from(errors[0]["line"].as_u64().unwrap()).unwrap();
    assert_eq!(text.unwrap().lines().nth(line - 1), Some("  free c;"));
}

#[test]
fn what_is_not_decided_is_no_success() {
    let output = lancehead(&["verify", "tests/spl/verify/limits/ghost.spl"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("not supported yet"));
}

#[test]
fn bad_input_and_usage_end_with_2() {
    let output = lancehead(&["verify", "--member", "deqeue", "examples/spl/queue.spl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `dequeue`?"));
    let output = lancehead(&["verify", "--seeds", "2", "examples/spl/queue.spl"]);
    assert_eq!(output.status.code(), Some(2));
    let output = lancehead(&["verify", "examples/spl/queue.spl", "examples/list.vpr"]);
    assert_eq!(output.status.code(), Some(2));
    let output = lancehead(&["verify", "--format", "json", "nowhere.spl"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(json(&output)["status"], "invalid");
}
