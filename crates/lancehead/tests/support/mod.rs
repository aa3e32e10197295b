//! What tests of the built program share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder of its own for each test.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(test: &str) -> Scratch {
        Scratch(testing::scratch(env!("CARGO_TARGET_TMPDIR"), test).unwrap())
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Runs the program in this folder.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lancehead"));
        command.args(args).current_dir(&self.0).env_remove("LANCEHEAD_Z3").stdin(Stdio::null());
        let z3 = testing::z3();
        if args.first() == Some(&"verify") && z3.exists() {
            command.env("LANCEHEAD_Z3", z3);
        }
        command
    }

    /// Runs `check --format json` on a file and returns its object, which has to keep the contract.
    pub fn json(&self, file: &str) -> Value {
        let output = self.run(&["check", "--format", "json", file]);
        let lines: Vec<&str> = str::from_utf8(&output.stdout).unwrap().lines().collect();
        assert_eq!(lines.len(), 1, "{output:?}");
        let object: Value = serde_json::from_str(lines[0]).unwrap();
        assert_contract(&object);
        let code = if object["status"] == "valid" { 0 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        object
    }
}

pub fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).unwrap()
}

pub fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}

pub fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

pub fn assert_contract(object: &Value) {
    assert_eq!(keys(object), ["errors", "file", "members", "status", "time_ms", "warnings"]);
    assert!(object["time_ms"].is_u64());
    assert!(object["members"].is_array());
    for list in ["errors", "warnings"] {
        for error in object[list].as_array().unwrap() {
            assert_eq!(
                keys(error),
                [
                    "branch",
                    "column",
                    "end_column",
                    "end_line",
                    "file",
                    "help",
                    "id",
                    "labels",
                    "line",
                    "member",
                    "message",
                    "notes",
                    "reason",
                    "related"
                ]
            );
        }
    }
    let errors = object["errors"].as_array().unwrap().len();
    let well = object["status"] == "valid" || object["status"] == "verified";
    assert_eq!(well, errors == 0, "{object}");
}

/// Line, column and identifier of the errors.
pub fn errors(object: &Value) -> Vec<(u64, u64, &str)> {
    let errors = object["errors"].as_array().unwrap().iter();
    errors
        .map(|e| {
            let number = |key: &str| e[key].as_u64().unwrap();
            (number("line"), number("column"), e["id"].as_str().unwrap())
        })
        .collect()
}

/// A program that verifies.
pub const VALID: &str =
    "field f: Int\n\nmethod m(x: Ref)\n    requires acc(x.f)\n{\n    x.f := 1\n}\n";

/// Two members of which one fails, on one of its branches.
pub const FAILS: &str = "\
field f: Int

method good(x: Ref)
    requires acc(x.f)
    ensures acc(x.f) && x.f == 1
{
    x.f := 1
}

method bad(x: Ref, n: Int)
    requires acc(x.f)
    ensures acc(x.f) && x.f >= 0
{
    if (n > 0) {
        x.f := 0 - n
    } else {
        x.f := 0
    }
}
";

/// The objects of `verify --format json`.
pub fn verify(dir: &Scratch, args: &[&str]) -> (Option<i32>, Vec<Value>) {
    let all: Vec<&str> = ["verify", "--format", "json"].iter().chain(args).copied().collect();
    let output = dir.run(&all);
    let objects = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap());
    (output.status.code(), objects.collect())
}
