//! What the solver is asked about a member if it has to answer all, as `verify --dump-smt` writes it.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::{Scratch, verify};

/// Symbols, path conditions and questions of a method with two paths, of which one fails.
/// `INSTA_UPDATE=always` writes the snapshot anew.
#[test]
fn the_smt_of_a_unit() {
    let dir = Scratch::new("smt_of_a_unit");
    dir.file(
        "account.vpr",
        "field value: Int

method withdraw(account: Ref, amount: Int) returns (rest: Int)
    requires acc(account.value) && amount <= account.value
    ensures acc(account.value) && rest == account.value && 0 <= rest
{
    if (amount > 0) {
        account.value := account.value - amount
    }
    rest := account.value
}
",
    );
    let alone = ["--ablate", "native", "--jobs", "1", "--dump-smt", "smt", "account.vpr"];
    let (code, _) = verify(&dir, &alone);
    assert_eq!(code, Some(1));
    let dump = fs::read_to_string(dir.0.join("smt/method-withdraw.smt2")).unwrap();
    let lines: Vec<&str> = dump.lines().map(without_time).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

/// An answer is a comment with the time that it took: `; unsat, 0.1 ms`.
fn without_time(line: &str) -> &str {
    match line.rsplit_once(", ") {
        Some((answer, time)) if line.starts_with("; ") && time.ends_with(" ms") => answer,
        _ => line,
    }
}
