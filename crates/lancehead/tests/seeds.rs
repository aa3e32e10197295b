//! `verify --seeds N`: what changes with the solver's random choices and the order of members.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::fs;

use serde_json::json;
use support::{FAILS, Scratch, VALID, stdout, verify};

#[test]
fn runs_that_agree() {
    let dir = Scratch::new("seeds_agree");
    dir.file("good.vpr", VALID);
    dir.file("bad.vpr", FAILS);
    dir.file("invalid.vpr", "method (");
    let (code, objects) = verify(&dir, &["--seeds", "3", "good.vpr"]);
    assert_eq!((code, &objects[0]["status"]), (Some(0), &"verified".into()));
    let all = |status: &str| json!({"runs": 3, "agree": true, "statuses": [status, status, status], "changes": []});
    assert_eq!(objects[0]["seeds"], all("verified"));
    let (code, objects) = verify(&dir, &["--seeds", "3", "good.vpr", "bad.vpr", "invalid.vpr"]);
    assert_eq!(code, Some(2));
    assert_eq!(objects[1]["seeds"], all("failed"));
    assert_eq!(objects[1]["errors"].as_array().map(Vec::len), Some(1), "those of one run");
    assert!(objects[2].get("seeds").is_none(), "{objects:?}");
    let output = dir.run(&["verify", "--seeds", "3", "good.vpr", "bad.vpr"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("\n2 files: 1 verified, 1 failed; 1 error ("), "{output:?}");
    assert!(stdout(&output).ends_with("\n3 runs with different seeds: all agree\n"), "{output:?}");
    // One run is the usual one.
    let (_, objects) = verify(&dir, &["--seeds", "1", "good.vpr"]);
    assert!(objects[0].get("seeds").is_none(), "{objects:?}");
}

/// A Z3 whose answers depend on the seed, and who has to answer everything.
#[cfg(unix)]
#[test]
fn runs_that_do_not_agree() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Scratch::new("seeds_differ");
    let z3 = testing::z3();
    // With seed 2 it knows no longer whether 4 is twice 2.
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exec {0} --version\n\
         seed=0; while read -r line; do case $line in\n\
         *'smt.random_seed 2)'*) seed=2; echo \"$line\";;\n\
         *'(* 2 n'*) if [ $seed = 2 ]; then line=; fi; echo \"$line\";;\n\
         *) echo \"$line\";; esac; done | {0} \"$@\"\n",
        z3.display()
    );
    let path = dir.file("fickle-z3", script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    dir.file(
        "a.vpr",
        "method same(n: Int) { assert n > 7 }\nmethod other(n: Int, m: Int) { assume 2 * n == m\n assert m != 5 }\n",
    );
    let alone = ["--z3", "./fickle-z3", "--ablate", "native"];
    let (code, objects) = verify(&dir, &[&alone[..], &["--seeds", "4", "a.vpr"]].concat());
    assert_eq!(code, Some(1));
    let seeds = &objects[0]["seeds"];
    assert_eq!((&seeds["runs"], &seeds["agree"]), (&4.into(), &false.into()), "{seeds}");
    assert_eq!(
        seeds["changes"],
        json!([{"member": "other", "kind": "method", "outcomes": [
            {"seeds": [0, 1, 3], "status": "verified", "errors": []},
            {"seeds": [2], "status": "failed", "errors": [
                {"id": "assert.failed:assertion.false", "file": "a.vpr", "line": 3, "column": 9}]},
        ]}])
    );
    // What is reported is the first run, but success is success with all seeds.
    let args = [&alone[..], &["--seeds", "3", "--member", "other", "a.vpr"]].concat();
    let (code, objects) = verify(&dir, &args);
    assert_eq!((code, &objects[0]["status"]), (Some(1), &"verified".into()));
    let output = dir.run(&[&["verify"], &args[..]].concat());
    let text = stdout(&output);
    assert!(
        text.contains("warning[verifier.warning:unstable]: `other` is not the same in all 3 runs"),
        "{text}"
    );
    assert!(text.contains("= note: verified with seeds 0-1\n"), "{text}");
    assert!(
        text.contains("= note: failed (assert.failed:assertion.false) with seed 2\n"),
        "{text}"
    );
    assert!(
        text.ends_with("\n3 runs with different seeds: 1 member is not the same in all of them\n"),
        "{text}"
    );
}
