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
    let folder = testing::scratch(env!("CARGO_TARGET_TMPDIR"), "undecided").unwrap();
    let program = folder.join("undecided.spl");
    std::fs::write(&program, "options \"-symbexec\"\nprocedure p() { }\n").unwrap();
    let output = lancehead(&["verify", program.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("not supported yet"));
}

#[test]
fn bad_input_and_usage_end_with_2() {
    let output = lancehead(&["verify", "--member", "deqeue", "examples/spl/queue.spl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `dequeue`?"));
    let output = lancehead(&["verify", "examples/spl/queue.spl", "examples/list.vpr"]);
    assert_eq!(output.status.code(), Some(2));
    let output = lancehead(&["verify", "--format", "json", "nowhere.spl"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(json(&output)["status"], "invalid");
}

/// With other seeds of the solver the same is proved, and the same is not.
#[test]
fn verdicts_do_not_depend_on_luck() {
    for (file, status) in [
        ("examples/spl/queue.spl", "verified"),
        ("examples/spl/doubly_linked.spl", "verified"),
        ("tests/spl/verify/seeded/joins.spl", "failed"),
    ] {
        let report = json(&lancehead(&["verify", "--seeds", "3", "--format", "json", file]));
        assert_eq!(report["status"], status);
        assert_eq!(report["seeds"]["runs"], 3);
        assert_eq!(report["seeds"]["agree"], true, "{report}");
    }
    let output = lancehead(&["verify", "--seeds", "2", "examples/spl/queue.spl"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("2 runs"));
}

/// Where lists are all there is to it, a failed proof has a heap that the evaluator found to be one, before
/// the code and where it fails.
#[test]
fn failures_have_confirmed_counterexamples() {
    let file = "tests/spl/verify/seeded/lists.spl";
    let report = json(&lancehead(&["verify", "--format", "json", file]));
    let errors = report["errors"].as_array().unwrap();
    assert!(errors.len() > 10);
    for error in errors {
        assert_eq!(error["heaps"]["confirmed"], true, "{error}");
    }
    let leak = errors.iter().find(|error| error["member"] == "leak_one").unwrap();
    let states = leak["heaps"]["states"].as_array().unwrap();
    assert_eq!((states.len(), &states[0]["state"]), (2, &"before".into()));
    assert!(states[1]["heap"].as_str().unwrap().contains("Cell#1 { link: "), "{leak}");
}

#[test]
fn the_way_to_a_failure_is_shown() {
    let folder = testing::scratch(env!("CARGO_TARGET_TMPDIR"), "way").unwrap();
    let (program, svg) = (folder.join("way.spl"), folder.join("way.svg"));
    let text = "struct N { var next: N; }\n\
        procedure second(x: N) returns (r: N)\n  requires acc(x) ensures acc(x)\n\
        {\n  if (x.next != x) {\n    r := x.next.next;\n  }\n}\n";
    std::fs::write(&program, text).unwrap();
    let (program, drawn) = (program.to_str().unwrap(), svg.to_str().unwrap());
    let output = lancehead(&["verify", "--svg", drawn, program]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let drawn = std::fs::read_to_string(&svg);
    assert!(shown.contains("this condition holds on the way there"), "{shown}");
    assert!(shown.contains("it fails for this heap"), "{shown}");
    assert!(shown.contains("x -> N#"), "{shown}");
    let drawn = drawn.unwrap();
    assert!(
        drawn.starts_with("<svg")
            && drawn.contains(">before<")
            && drawn.contains(">where it fails<")
    );
    let output = lancehead(&["verify", "--svg", "x.svg", "examples/list.vpr"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Never without having tried it: nothing is said where the only suggestion is a contradiction.
#[test]
fn what_is_missing_in_a_contract_is_inferred() {
    let file = "tests/spl/verify/seeded/missing.spl";
    let report = json(&lancehead(&["verify", "--format", "json", file]));
    let help = |member: &str| {
        let errors = report["errors"].as_array().unwrap().iter();
        let mut own = errors.filter(|error| error["member"] == member);
        own.find_map(|error| error["help"].as_str().map(str::to_owned))
    };
    for (member, missing) in [
        ("not_empty", "requires x != null"),
        ("nothing", "requires acc(x)"),
        ("second_list", "requires seg(y, null)"),
        ("rest_of_list", "invariant seg(c, null)"),
        ("for_a_call", "requires seg(b, null)"),
        ("two_names", "requires a != b"),
    ] {
        assert_eq!(help(member), Some(format!("it verifies with `{missing}`")), "{member}");
    }
    assert_eq!(help("contradiction"), None);
}
