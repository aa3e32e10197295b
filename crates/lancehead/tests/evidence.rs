//! What `prove` gives others to check: runs that can be run again, witnesses, C tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use support::{Scratch, stderr, stdout};

/// The C programs below a folder of the tests.
fn programs(folder: &str) -> Vec<PathBuf> {
    testing::files(testing::root().join("tests").join(folder), &["c", "i"])
}

/// The verdict on one property, with a witness.
fn ask(dir: &Scratch, program: &Path, property: &str) -> Option<Json> {
    let _ = std::fs::remove_file(dir.0.join("w.yml"));
    let path = program.display().to_string();
    let ask = [
        "prove",
        "--format",
        "json",
        "--property",
        property,
        "--timeout",
        "10",
        "--witness",
        "w.yml",
    ];
    let output = dir.run(&[&ask[..], &[&path]].concat());
    let object: Json = serde_json::from_str(stdout(&output)).expect("one object");
    object["properties"].as_array()?.first().cloned()
}

#[test]
fn every_violation_runs_again_and_every_witness_is_one() {
    let dir = Scratch::new("evidence");
    let (mut violations, mut witnesses) = (0, 0);
    for program in [programs("infer"), programs("c/faults"), programs("c/leaks")].concat() {
        for property in ["memsafety", "memtrack", "reach"] {
            let Some(found) = ask(&dir, &program, property) else { continue };
            let name = program.display().to_string();
            let witness = std::fs::read_to_string(dir.0.join("w.yml"));
            let text = std::fs::read_to_string(&program).unwrap();
            // A witness is one of a program.
            if found["verdict"] == "unknown" || !text.contains("main(") {
                assert!(witness.is_err(), "{name}: a witness of nothing");
                continue;
            }
            let problems = evidence::lint::check(&witness.expect("a witness"), &name, &text);
            assert!(problems.is_empty(), "{name}, {property}: {problems:?}");
            witnesses += 1;
            if found["verdict"] == "unsafe" {
                let command = found["replay"].as_str().expect("a command");
                let words: Vec<&str> = command.split(' ').skip(1).collect();
                let output = dir.run(&[&words[..], &["--format", "json"]].concat());
                let run: Json = serde_json::from_str(stdout(&output)).expect("one object");
                for field in ["kind", "file", "line"] {
                    assert_eq!(run["fault"][field], found[field], "{name}: {command}");
                }
                violations += 1;
            }
        }
    }
    assert!(violations >= 30 && witnesses >= 100, "{violations} violations, {witnesses} witnesses");
}

const LIST: &str = "#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int unknown(int);
struct node { struct node *next; };
int main(void) {
  int n;
  struct node *x = malloc(sizeof *x);
  x->next = 0;
  if (n == 3 && unknown(1) == 4 && __VERIFIER_nondet_int() == 5)
    x = x->next;
  free(x->next);
  return 0;
}
";

#[test]
fn a_test_holds_what_the_program_leaves_open() {
    let dir = Scratch::new("harness");
    dir.file("list.c", LIST);
    let output = dir.run(&["prove", "--property", "memsafety", "--harness", "test.c", "list.c"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let test = std::fs::read_to_string(dir.0.join("test.c")).unwrap();
    for part in [
        "// null-dereference: the null pointer is dereferenced, at list.c:11.",
        "-fsanitize=address,undefined",
        "{0, 0, 0, 4, 3ull}",
        "__asm__(\"unknown\")",
        "values[] = {4ll}",
        "__asm__(\"__VERIFIER_nondet_int\")",
        "values[] = {5ll}",
        "#line 1 \"list.c\"\n#include <stdlib.h>\n",
        "  int n; lh_hold((void *)&n, 0);\n",
    ] {
        assert!(test.contains(part), "{part:?} is not in\n{test}");
    }
    // What the compiler says of it is the business of scripts/check-evidence.
    let output = dir.run(&[
        "prove",
        "--property",
        "memtrack",
        "--harness",
        "other.c",
        "--witness",
        "w.yml",
        "list.c",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let test = std::fs::read_to_string(dir.0.join("other.c")).unwrap();
    assert!(test.contains("lh_check_leaks();"), "{test}");
}

#[test]
fn nothing_is_written_that_is_not_known() {
    let dir = Scratch::new("no-evidence");
    dir.file("safe.c", "int main(void) { return 0; }\n");
    let output = dir.run(&["prove", "--harness", "test.c", "--witness", "w.yml", "safe.c"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("test.c is not written"), "{}", stderr(&output));
    assert!(!dir.0.join("test.c").exists());
    let witness = std::fs::read_to_string(dir.0.join("w.yml")).unwrap();
    assert!(witness.contains("entry_type: invariant_set"), "{witness}");
    let output = dir.run(&["prove", "--witness", "none/w.yml", "safe.c"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn invariants_that_c_can_say() {
    let dir = Scratch::new("invariants");
    dir.file(
        "count.c",
        "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int i = 0;\n  int a[10];\n  \
         while (i < 10 && __VERIFIER_nondet_int()) {\n    a[i] = i;\n    i++;\n  }\n  return 0;\n}\n",
    );
    let output = dir.run(&["prove", "--property", "memsafety", "--witness", "w.yml", "count.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let witness = std::fs::read_to_string(dir.0.join("w.yml")).unwrap();
    for part in ["type: loop_invariant", "line: 5", "column: 3", "i >= 0", "left out"] {
        assert!(witness.contains(part), "{part:?} is not in\n{witness}");
    }
}

#[test]
fn numbers_and_files_as_inputs() {
    let dir = Scratch::new("inputs-inline");
    dir.file(
        "a.c",
        "int __VERIFIER_nondet_int(void);\nint f(int n) { int *p = 0; return n == 7 ? *p : 0; }\n\
        int main(void) { return f(__VERIFIER_nondet_int()); }\n",
    );
    dir.file("seven", "7\n");
    for (arguments, status) in [
        (&["run", "a.c", "--inputs=7"][..], 1),
        (&["run", "a.c", "--inputs", "-7,7"], 0),
        (&["run", "a.c", "--inputs", "seven"], 1),
        (&["run", "a.c", "--inputs", "eight"], 2),
        (&["run", "a.c", "--entry", "f", "--inputs=7"], 1),
        (&["run", "a.c", "--entry", "g"], 2),
    ] {
        let output = dir.run(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
    }
}
