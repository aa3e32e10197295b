//! The built program, run as a user runs it: exit statuses, the JSON contract, and nasty files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use support::{FAILS, Scratch, VALID, assert_contract, errors, keys, stderr, stdout, verify};

#[test]
fn a_valid_file() {
    let dir = Scratch::new("valid");
    dir.file("a.vpr", VALID);
    let output = dir.run(&["check", "a.vpr"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).starts_with("1 file: 1 valid ("), "{output:?}");
    assert_eq!(stderr(&output), "");
    assert_eq!(dir.json("a.vpr")["file"], "a.vpr");
}

#[test]
fn a_syntax_error_is_shown_with_carets() {
    let dir = Scratch::new("syntax");
    dir.file("a.vpr", "field f: Int\nmethod ()\n");
    let output = dir.run(&["check", "a.vpr"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stdout(&output);
    assert!(text.starts_with("error[parser.error]: "), "{text}");
    assert!(text.contains("--> a.vpr:2:8\n"), "{text}");
    assert!(text.contains("2 | method ()\n  |        ^"), "{text}");
    assert!(text.contains("\n1 file: 1 invalid; 1 error ("), "{text}");
    assert!(!text.contains('\u{1b}'), "colours without a terminal");
    assert_eq!(errors(&dir.json("a.vpr")), [(2, 8, "parser.error")]);
}

#[test]
fn a_type_error() {
    let dir = Scratch::new("type");
    dir.file("a.vpr", "method m()\n{\n    assert 1 + true == 2\n}\n");
    assert_eq!(errors(&dir.json("a.vpr")), [(3, 16, "typechecker.error")]);
}

#[test]
fn colours_on_request() {
    let dir = Scratch::new("colour");
    dir.file("a.vpr", "method ()\n");
    let output = dir.run(&["check", "--color", "always", "a.vpr"]);
    assert!(stdout(&output).contains("\u{1b}["));
    let output = dir.run(&["--color", "never", "check", "a.vpr"]);
    assert!(!stdout(&output).contains("\u{1b}["));
}

#[test]
fn several_files_are_reported_in_order_and_the_worst_decides() {
    let dir = Scratch::new("several");
    dir.file("good.vpr", VALID);
    dir.file("bad.vpr", "method\n");
    let output =
        dir.run(&["check", "--format", "json", "good.vpr", "bad.vpr", "gone.vpr", "good.vpr"]);
    assert_eq!(output.status.code(), Some(2));
    let objects: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    objects.iter().for_each(assert_contract);
    let summary: Vec<_> = objects
        .iter()
        .map(|o| (o["file"].as_str().unwrap(), o["status"].as_str().unwrap()))
        .collect();
    assert_eq!(
        summary,
        [
            ("good.vpr", "valid"),
            ("bad.vpr", "invalid"),
            ("gone.vpr", "invalid"),
            ("good.vpr", "valid")
        ]
    );
}

#[test]
fn a_missing_file_and_a_directory_say_so() {
    let dir = Scratch::new("missing");
    dir.file("folder.vpr/a.vpr", VALID);
    // A folder stands for the programs in it, except where one file is meant.
    for (command, name, say) in [
        ("verify", "gone.vpr", "No such file"),
        ("check", "gone.vpr", "No such file"),
        ("fmt", "gone.vpr", "No such file"),
        ("print", "gone.vpr", "No such file"),
        ("print", "folder.vpr", "is a directory"),
    ] {
        let output = dir.run(&[command, name]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let text = format!("{}{}", stdout(&output), stderr(&output));
        assert!(text.contains(say) && text.contains(name), "{text}");
    }
    assert_eq!(errors(&dir.json("gone.vpr")), [(0, 0, "parser.error")]);
}

#[test]
fn bytes_that_are_not_utf8_are_located() {
    let dir = Scratch::new("utf8");
    let text = b"field f: Int\n// caf\xe9\nmethod m()\n";
    let path = dir.file("a.vpr", text);
    for command in ["check", "print", "fmt"] {
        let output = dir.run(&[command, "a.vpr"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
    assert_eq!(errors(&dir.json("a.vpr")), [(2, 7, "parser.error")]);
    assert_eq!(fs::read(path).unwrap(), text, "fmt must not touch it");
}

#[test]
fn line_breaks_of_every_kind_and_byte_order_marks() {
    let dir = Scratch::new("lines");
    dir.file("crlf.vpr", VALID.replace('\n', "\r\n"));
    dir.file("bom.vpr", format!("\u{feff}{VALID}"));
    dir.file("empty.vpr", "");
    dir.file("only_bom.vpr", "\u{feff}");
    for name in ["crlf.vpr", "bom.vpr", "empty.vpr", "only_bom.vpr"] {
        assert_eq!(errors(&dir.json(name)), [], "{name}");
    }
    dir.file("bad.vpr", "field f: Int\r\n\r\n// ä\r\nmethod m() { assert ü }\r\n");
    assert_eq!(errors(&dir.json("bad.vpr")).first().map(|e| e.0), Some(4));
}

#[test]
fn text_that_never_ends() {
    let dir = Scratch::new("endless");
    for (name, text) in [
        ("comment.vpr", "method m() {}\n/* and then"),
        ("string.vpr", "import \"abc\n"),
        ("body.vpr", "method m() {"),
        ("paren.vpr", "function f(): Int { (1"),
        ("annotation.vpr", "@key(\"x"),
    ] {
        dir.file(name, text);
        let found = dir.json(name);
        assert!(errors(&found).iter().all(|e| e.2 == "parser.error"), "{found}");
        assert_ne!(errors(&found), [], "{name}");
    }
}

#[test]
fn deep_nesting_is_an_answer_and_not_a_crash() {
    let dir = Scratch::new("deep");
    let n = 100_000;
    let programs = [
        format!("function f(): Int {{ {}1{} }}", "(".repeat(n), ")".repeat(n)),
        format!("function f(): Int {{ {} }}", "(".repeat(n)),
        format!("function f(): Int {{ {}1 }}", "-".repeat(n)),
        format!("function f(): Bool {{ {}true }}", "!".repeat(n)),
        format!("function f(): Bool {{ {}true }}", "true ==> ".repeat(n)),
        format!("function f(): Int {{ 1{} }}", " + 1".repeat(n)),
        format!("function f(): Int {{ {}1 }}", "true ? 1 : ".repeat(n)),
        format!("method m() {}{}", "{".repeat(n), "}".repeat(n)),
        format!("method m() {{ {} }}", "if (true) { } else ".repeat(n)),
        format!("method m() {{ {}{} }}", "if (true) {".repeat(n), "}".repeat(n)),
        format!("field f: {}Int{}", "Seq[".repeat(n), "]".repeat(n)),
        format!("method m(x: Ref) {{ assert x{} == x }}", ".f".repeat(n)),
        format!("function f(s: Seq[Int]): Int {{ s{} }}", "[0]".repeat(n)),
        format!("function f(): Bool {{ {}true }}", "forall x: Int :: ".repeat(n)),
        format!("define d(x) x\nmethod m() {{ assert {}true{} }}", "d(".repeat(n), ")".repeat(n)),
        "/*".repeat(n),
    ];
    for (i, program) in programs.iter().enumerate() {
        let name = format!("deep{i}.vpr");
        dir.file(&name, program);
        dir.json(&name);
        for command in ["print", "fmt"] {
            let code = dir.run(&[command, &name]).status.code();
            assert!(matches!(code, Some(0 | 2)), "{command} {name}: {code:?}");
        }
    }
}

#[test]
fn macros_that_explode_are_stopped() {
    let dir = Scratch::new("explode");
    let mut text = String::from("define m0(x) x + x\n");
    for i in 1..40 {
        text.push_str(&format!("define m{i}(x) m{}(x) + m{}(x)\n", i - 1, i - 1));
    }
    text.push_str("function f(): Int { m39(1) }\n");
    dir.file("a.vpr", text);
    assert_eq!(dir.json("a.vpr")["status"], "invalid");
}

#[test]
fn imports_that_go_in_circles_or_nowhere() {
    let dir = Scratch::new("imports");
    dir.file("a.vpr", "import \"b.vpr\"\nmethod a() { b() }\n");
    dir.file("b.vpr", "import \"a.vpr\"\nimport \"b.vpr\"\nmethod b() { a() }\n");
    assert_eq!(errors(&dir.json("a.vpr")), []);
    dir.file("c.vpr", "method c() {}\nimport \"gone.vpr\"\n");
    assert_eq!(errors(&dir.json("c.vpr")).first().map(|e| (e.0, e.2)), Some((2, "parser.error")));
    dir.file("d.vpr", "import <no/such/library.vpr>\n");
    assert_eq!(errors(&dir.json("d.vpr")).first().map(|e| (e.0, e.2)), Some((1, "parser.error")));
    dir.file("broken.vpr", "\nmethod (\n");
    dir.file("e.vpr", "import \"broken.vpr\"\n");
    let report = dir.json("e.vpr");
    assert_eq!(errors(&report).first().map(|e| (e.0, e.2)), Some((2, "parser.error")));
    let file = report["errors"][0]["file"].as_str().unwrap();
    assert!(file.ends_with("broken.vpr"), "{file}");
    dir.file("f.vpr", "import \".\"\nimport \"/\"\nimport \"\"\n");
    assert_eq!(dir.json("f.vpr")["status"], "invalid");
}

#[cfg(unix)]
#[test]
fn folders_that_contain_themselves() {
    let dir = Scratch::new("links");
    for link in ["x", "y"] {
        std::os::unix::fs::symlink(".", dir.0.join(link)).unwrap();
    }
    dir.file("a.vpr", "import \"x/a.vpr\"\nimport \"y/a.vpr\"\n");
    // All paths lead to the one file, which is imported once.
    assert_eq!(dir.json("a.vpr")["status"], "valid");
}

#[test]
fn a_long_line_and_a_large_file() {
    let dir = Scratch::new("large");
    let mut text = String::new();
    for i in 0..40_000 {
        text.push_str(&format!(
            "method m{i}(x: Int) returns (y: Int) ensures y > x {{ y := x + {i} }} "
        ));
    }
    text.push_str("method wrong() { assert nothing }");
    let column = text.find("nothing").unwrap() as u64 + 1;
    dir.file("one_line.vpr", &text);
    assert_eq!(errors(&dir.json("one_line.vpr")), [(1, column, "typechecker.error")]);
    let output = dir.run(&["check", "one_line.vpr"]);
    assert!(output.stdout.len() < 2000, "the excerpt is cut: {} bytes", output.stdout.len());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = Scratch::new("pipe");
    let bad = format!("method m() {{ {} }}", "assert a\n".repeat(20_000));
    dir.file("bad.vpr", bad);
    dir.file("good.vpr", VALID);
    for (args, code) in [
        (&["check", "bad.vpr"][..], 2),
        (&["check", "--format", "json", "bad.vpr"], 2),
        (&["print", "good.vpr"], 0),
        (&["completions", "zsh"], 0),
        (&["--help"], 0),
    ] {
        let mut child =
            dir.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?} {output:?}");
        assert_eq!(stderr(&output), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let dir = Scratch::new("full");
    dir.file("good.vpr", VALID);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = dir.command(&["print", "good.vpr"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(stderr(&output).contains("cannot write"), "{output:?}");
}

const UGLY: &str =
    "// kept\nfield   f:Int\nmethod m( x:Ref ) requires acc( x.f ) { x.f:=1 /* too */ }\n";

#[test]
fn fmt_in_place_and_on_standard_output() {
    let dir = Scratch::new("fmt");
    let path = dir.file("a.vpr", UGLY);
    assert_eq!(dir.run(&["fmt", "--check", "a.vpr"]).status.code(), Some(1));
    let printed = dir.run(&["fmt", "--stdout", "a.vpr"]);
    assert_eq!(printed.status.code(), Some(0));
    assert_eq!(fs::read_to_string(&path).unwrap(), UGLY, "--stdout leaves the file alone");

    let output = dir.run(&["fmt", "a.vpr"]);
    assert_eq!((output.status.code(), stdout(&output), stderr(&output)), (Some(0), "", ""));
    let formatted = fs::read_to_string(&path).unwrap();
    assert_eq!(formatted, stdout(&printed));
    assert!(formatted.contains("// kept\n") && formatted.contains("/* too */"), "{formatted}");
    assert_eq!(dir.run(&["fmt", "--check", "a.vpr"]).status.code(), Some(0));
    let leftovers = fs::read_dir(&dir.0).unwrap().count();
    assert_eq!(leftovers, 1, "no temporary file is left");

    let mut child =
        dir.command(&["fmt", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(UGLY.as_bytes()).unwrap();
    assert_eq!(stdout(&child.wait_with_output().unwrap()), formatted);
}

#[test]
fn fmt_leaves_alone_what_it_does_not_understand() {
    let dir = Scratch::new("fmt_bad");
    let bad = dir.file("bad.vpr", "method (\n");
    let good = dir.file("good.vpr", UGLY);
    let output = dir.run(&["fmt", "bad.vpr", "good.vpr"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("bad.vpr:1:8"), "{output:?}");
    assert_eq!(fs::read_to_string(bad).unwrap(), "method (\n");
    assert_ne!(fs::read_to_string(good).unwrap(), UGLY, "the other file is formatted all the same");
}

#[cfg(unix)]
#[test]
fn fmt_keeps_modes_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = Scratch::new("fmt_modes");
    let path = dir.file("a.vpr", UGLY);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.vpr", dir.0.join("link.vpr")).unwrap();
    assert_eq!(dir.run(&["fmt", "link.vpr"]).status.code(), Some(0));
    assert!(dir.0.join("link.vpr").is_symlink());
    assert_ne!(fs::read_to_string(&path).unwrap(), UGLY);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn what_is_printed_is_the_same_program() {
    let dir = Scratch::new("print");
    dir.file("a.vpr", UGLY);
    let first = dir.run(&["print", "a.vpr"]);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    dir.file("b.vpr", &first.stdout);
    assert_eq!(errors(&dir.json("b.vpr")), []);
    let second = dir.run(&["print", "b.vpr"]);
    assert_eq!(stdout(&first), stdout(&second));

    dir.file("c.vpr", "define one 1\nimport \"a.vpr\"\nmethod n() { assert one == 1 }\n");
    let core = dir.run(&["print", "--core", "c.vpr"]);
    assert_eq!(core.status.code(), Some(0), "{core:?}");
    let text = stdout(&core);
    assert!(text.contains("1 == 1") && text.contains("method m"), "{text}");
    assert!(!text.contains("define") && !text.contains("import"), "{text}");
}

#[test]
fn verify_of_what_is_no_program() {
    let dir = Scratch::new("verify_invalid");
    dir.file("syntax.vpr", "method ()\n");
    dir.file("types.vpr", "method m()\n{\n    assert 1 + true == 2\n}\n");
    let (code, objects) = verify(&dir, &["syntax.vpr", "types.vpr", "gone.vpr"]);
    assert_eq!(code, Some(2));
    assert!(objects.iter().all(|o| o["status"] == "invalid"), "{objects:?}");
    objects.iter().for_each(assert_contract);
    assert_eq!(errors(&objects[1]), [(3, 16, "typechecker.error")]);
    let human = dir.run(&["verify", "syntax.vpr"]);
    assert!(stdout(&human).contains("--> syntax.vpr:1:8\n"), "{human:?}");
    assert!(stdout(&human).contains("\n1 file: 1 invalid; 1 error ("), "{human:?}");
    let silicon = dir.run(&["verify", "--format", "silicon", "types.vpr"]);
    let lines: Vec<&str> = stdout(&silicon).lines().collect();
    assert!(lines[0].starts_with("Silicon 1.1-SNAPSHOT ("), "{lines:?}");
    assert!(lines[1].starts_with("Silicon found 1 error in "), "{lines:?}");
    assert!(lines[2].starts_with("  [0] ") && lines[2].ends_with(" (types.vpr@3.16--3.20)"));
    assert_eq!(lines.len(), 3);
}

#[test]
fn warnings_of_the_parser_count_where_it_fails() {
    let dir = Scratch::new("verify_warnings");
    let unused = "define B(x) true\n";
    dir.file("bad.vpr", format!("{unused}method m()\n    ensures B()\n"));
    dir.file("good.vpr", unused);
    let (_, objects) = verify(&dir, &["bad.vpr", "good.vpr"]);
    let ids = |object: &Value, list: &str| -> Vec<String> {
        let list = object[list].as_array().unwrap().iter();
        list.map(|e| e["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&objects[0], "errors"), ["parser.warning", "parser.error"]);
    assert_eq!(ids(&objects[1], "errors"), [""; 0]);
    assert_eq!(ids(&objects[1], "warnings"), ["parser.warning"]);
    // For `check` a warning stays one.
    assert_eq!(ids(&dir.json("bad.vpr"), "warnings"), ["parser.warning"]);
}

#[test]
fn a_solver_is_missed_only_if_it_is_needed() {
    let dir = Scratch::new("verify_no_solver");
    dir.file("nothing.vpr", "");
    let output = dir.run(&["verify", "--z3", "no/such/z3", "nothing.vpr"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    assert!(stdout(&output).starts_with("1 file: 1 verified ("), "{output:?}");
}

#[test]
fn numbers_on_request() {
    let dir = Scratch::new("verify_stats");
    dir.file("nothing.vpr", "");
    let (code, objects) = verify(&dir, &["nothing.vpr"]);
    assert_eq!(code, Some(0));
    assert_contract(&objects[0]);
    assert_eq!(objects[0]["stats"], Value::Null);
    let (_, objects) = verify(&dir, &["--stats", "nothing.vpr"]);
    assert!(objects[0]["stats"]["queries"].is_u64(), "{objects:?}");
    let human = dir.run(&["verify", "--stats", "nothing.vpr"]);
    assert!(stdout(&human).contains(" ms  nothing.vpr: verified\n"), "{human:?}");
}

#[test]
fn questions_are_counted_by_purpose() {
    let dir = Scratch::new("verify_purposes");
    dir.file(
        "ask.vpr",
        "method m(x: Int, s: Seq[Int]) requires |s| > 3 && x > 2 {
            if (x * x > 4) { assert s[1] + x > s[1] }
        }",
    );
    let (code, objects) = verify(&dir, &["ask.vpr"]);
    assert_eq!((code, &objects[0]["queries"]), (Some(0), &Value::Null));
    let (_, objects) = verify(&dir, &["--stats", "ask.vpr"]);
    let queries = objects[0]["queries"].as_array().unwrap();
    let count = |q: &Value| {
        ["proved", "refuted", "unknown"].iter().filter_map(|answer| q[answer].as_u64()).sum::<u64>()
    };
    let purposes: Vec<&str> = queries.iter().filter_map(|q| q["purpose"].as_str()).collect();
    assert_eq!(purposes, ["branch", "assertion", "well-formedness"]);
    // What the solver was asked, and what it was not.
    let native: u64 = queries.iter().filter_map(|q| q["native"].as_u64()).sum();
    let asked = objects[0]["stats"]["queries"].as_u64().unwrap();
    assert_eq!(asked + native, queries.iter().map(count).sum::<u64>());
    assert!(native > 0, "{queries:?}");
    let human = dir.run(&["verify", "--stats", "ask.vpr"]);
    assert!(stdout(&human).contains(" assertion "), "{human:?}");
}

#[test]
fn joined_paths_are_fewer() {
    let dir = Scratch::new("verify_joins");
    let ifs: String =
        (0..4).map(|i| format!("if (b{i}) {{ r := r + 1 }} else {{ r := r - 1 }}\n")).collect();
    let method = "method m(b0: Bool, b1: Bool, b2: Bool, b3: Bool) returns (r: Int)";
    dir.file("ifs.vpr", format!("{method}\n{{ r := 0\n{ifs} }}"));
    let paths = |args: &[&str]| {
        let all: Vec<&str> = ["--stats", "ifs.vpr"].iter().chain(args).copied().collect();
        let (code, objects) = verify(&dir, &all);
        assert_eq!(code, Some(0));
        objects[0]["stats"]["paths"].as_u64()
    };
    assert_eq!(paths(&[]), Some(16));
    assert_eq!(paths(&["--join", "impure"]), Some(16));
    assert_eq!(paths(&["--join", "all"]), Some(1));
    assert_eq!(paths(&["--moreJoins", "2"]), Some(1));
}

#[test]
fn options_of_silicon() {
    let dir = Scratch::new("verify_silicon");
    dir.file("nothing.vpr", "");
    let run = |args: &[&str]| {
        let all: Vec<&str> =
            ["verify"].iter().chain(args).chain(&["nothing.vpr"]).copied().collect();
        dir.run(&all)
    };
    let fine = run(&[
        "--format",
        "silicon",
        "--no-timing",
        "--logLevel",
        "ERROR",
        "--counterexample",
        "mapped",
        "--proverConfigArgs",
        "smt.arith.nl=false",
        "--numberOfErrorsToReport",
        "0",
        "--timeout",
        "10",
        "--disableCaching",
    ]);
    assert_eq!((fine.status.code(), stderr(&fine)), (Some(0), ""));
    assert!(stdout(&fine).ends_with("\nSilicon finished verification successfully.\n"), "{fine:?}");
    let refused = run(&["--parseOnly"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--parseOnly is not supported"));
    // They are told of, but not in the help.
    assert!(!stdout(&dir.run(&["verify", "--help"])).contains("--exhaleMode"));
    assert!(stdout(&dir.run(&["silicon-options"])).contains("--exhaleMode"));
}

#[test]
fn what_the_solver_is_told_goes_where_it_can() {
    let dir = Scratch::new("verify_dump");
    dir.file("nothing.vpr", "");
    let output = dir.run(&["verify", "--dump-smt", "new/folder", "nothing.vpr"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(dir.0.join("new/folder").is_dir());
    let output = dir.run(&["verify", "--dump-smt", "nothing.vpr/folder", "nothing.vpr"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stderr(&output).contains("cannot be made"), "{output:?}");
}

#[test]
fn verified_and_failed() {
    let dir = Scratch::new("verify_verdicts");
    dir.file("good.vpr", VALID);
    dir.file("bad.vpr", FAILS);
    let (code, objects) = verify(&dir, &["good.vpr", "bad.vpr"]);
    assert_eq!(code, Some(1));
    objects.iter().for_each(assert_contract);
    assert_eq!(objects[0]["status"], "verified");
    assert_eq!(objects[1]["status"], "failed");
    let members: Vec<_> = objects[1]["members"].as_array().unwrap().iter().collect();
    let of = |m: &Value| (m["name"].clone(), m["kind"].clone(), m["status"].clone());
    assert_eq!(of(members[0]), ("good".into(), "method".into(), "verified".into()));
    assert_eq!(of(members[1]), ("bad".into(), "method".into(), "failed".into()));
    assert!(members.iter().all(|m| m["time_ms"].is_u64()));
    let found = errors(&objects[1]);
    assert_eq!(found, [(12, 13, "postcondition.violated:assertion.false")]);
    let error = &objects[1]["errors"][0];
    assert_eq!(error["member"], "bad");
    assert_eq!(error["reason"], "assertion.false");
    assert_eq!(error["branch"], serde_json::json!(["n > 0"]));
}

#[test]
fn a_failure_for_people() {
    let dir = Scratch::new("verify_human");
    dir.file("bad.vpr", FAILS);
    let output = dir.run(&["verify", "--counterexample", "bad.vpr"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(1), ""));
    let text = stdout(&output);
    for part in [
        "error[postcondition.violated:assertion.false]: ",
        " --> bad.vpr:12:13\n",
        "= note: on the path where n > 0\n",
        "= note: it may fail for\n",
        "1 file: 1 failed; 1 error (",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_failure_for_tools_that_know_silicon() {
    let dir = Scratch::new("verify_silicon_failure");
    dir.file("bad.vpr", FAILS);
    let output = dir.run(&["verify", "--format", "silicon", "--no-timing", "bad.vpr"]);
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<&str> = stdout(&output).lines().skip(1).collect();
    let error = "  [0] Postcondition of bad might not hold. Assertion x.f >= 0 might not hold. \
                 (bad.vpr@12.13--12.33)";
    assert_eq!(lines, ["Silicon found 1 error:", error]);
}

#[test]
fn values_and_numbers_for_tools() {
    let dir = Scratch::new("verify_values");
    dir.file("bad.vpr", FAILS);
    let (_, objects) = verify(&dir, &["--counterexample", "--stats", "bad.vpr"]);
    let values = &objects[0]["errors"][0]["counterexample"];
    assert!(values["variables"]["n"].is_string(), "{values}");
    let held = &values["heap"][0];
    assert_eq!(keys(held), ["location", "permission", "value"]);
    assert!(objects[0]["stats"]["queries"].as_u64() > Some(0), "{objects:?}");
    assert!(objects[0]["members"][1]["stats"]["paths"].as_u64() > Some(0), "{objects:?}");
}

/// An array, whose slots are written one after the other.
const SLOTS: &str = "field val: Int
domain Array {
    function loc(a: Array, i: Int): Ref
    function len(a: Array): Int
    function first(r: Ref): Array
    function second(r: Ref): Int
    axiom injective {
        forall a: Array, i: Int :: { loc(a, i) } first(loc(a, i)) == a && second(loc(a, i)) == i
    }
}
define slots(a) forall j: Int :: 0 <= j && j < len(a) ==> acc(loc(a, j).val)
method swap(a: Array, i: Int, k: Int)
    requires slots(a)
    requires 0 <= i && i < len(a) && 0 <= k && k < len(a)
    ensures slots(a)
    ensures loc(a, i).val == old(loc(a, k).val) && loc(a, k).val == old(loc(a, i).val)
{
    var t: Int := loc(a, i).val
    loc(a, i).val := loc(a, k).val
    loc(a, k).val := t
}
";

#[test]
fn instances_of_quantifiers_have_places() {
    let dir = Scratch::new("verify_instances");
    dir.file("slots.vpr", SLOTS);
    let (_, objects) = verify(&dir, &["slots.vpr"]);
    assert_eq!(
        (&objects[0]["status"], &objects[0]["quantifiers"]),
        (&"verified".into(), &Value::Null)
    );
    // Of what Z3 does; what is proved without it, it does not instantiate.
    let solver = ["--ablate", "native", "--stats"];
    let (code, objects) =
        verify(&dir, &[&solver[..], &["--dump-smt", "dump", "slots.vpr"]].concat());
    assert_eq!(code, Some(0));
    let quantifiers = objects[0]["quantifiers"].as_array().unwrap();
    let counts: Vec<u64> = quantifiers.iter().map(|q| q["instances"].as_u64().unwrap()).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b) && !counts.contains(&0), "{quantifiers:?}");
    let places = |kind: &str| -> Vec<u64> {
        let found = quantifiers.iter().filter(|q| q["kind"] == kind);
        found.map(|q| q["line"].as_u64().unwrap()).collect()
    };
    assert_eq!((places("axiom"), places("inverse")), (vec![8], vec![13]));
    // In a dump, every quantifier has a name, and the names have places.
    let dump = fs::read_to_string(dir.0.join("dump/method-swap.smt2")).unwrap();
    let quantifiers = dump.matches("(forall (").count() + dump.matches("(exists (").count();
    assert_eq!(dump.matches(":qid").count(), quantifiers);
    assert!(dump.contains(":qid inverse.1"), "{dump}");
    assert!(dump.contains("; inverse.1 is from slots.vpr:13:"), "{dump}");
    let human = dir.run(&[&["verify"], &solver[..], &["slots.vpr"]].concat());
    assert!(stdout(&human).contains(" slots.vpr:8:9\n"), "{human:?}");
}

#[test]
fn a_matching_loop_is_a_warning() {
    let dir = Scratch::new("verify_matching_loop");
    dir.file(
        "loop.vpr",
        "domain D {
    function f(x: Int): Int
    axiom { forall x: Int :: { f(x) } f(x) == 2 * f(x + 1) }
}
method m() { assert f(1) == f(2) + f(2) }
method n() { assert f(1) == f(2) }
",
    );
    // A proof that does not need it, and one that fails: neither the verdict nor the errors change.
    for (member, status, code) in [("m", "verified", 0), ("n", "failed", 1)] {
        let (_, plain) = verify(&dir, &["--member", member, "loop.vpr"]);
        let (exit, objects) = verify(&dir, &["--stats", "--member", member, "loop.vpr"]);
        assert_eq!((exit, &objects[0]["status"]), (Some(code), &status.into()));
        assert_eq!(objects[0]["errors"], plain[0]["errors"]);
    }
    let (_, objects) = verify(&dir, &["--stats", "loop.vpr"]);
    let warnings = objects[0]["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0]["id"], "verifier.warning:matching.loop");
    assert_eq!((&warnings[0]["line"], &warnings[0]["column"]), (&3.into(), &13.into()));
    dir.file("slots.vpr", SLOTS);
    let (_, objects) = verify(&dir, &["--stats", "slots.vpr"]);
    assert_eq!(objects[0]["warnings"], Value::Array(Vec::new()));
}

#[test]
fn ablations_leave_the_verdict_alone() {
    let dir = Scratch::new("verify_ablations");
    dir.file("slots.vpr", SLOTS);
    let inverses = |folder: &str, args: &[&str]| {
        let all: Vec<&str> = [args, &["--dump-smt", folder, "slots.vpr"]].concat();
        let (code, objects) = verify(&dir, &all);
        assert_eq!((code, &objects[0]["status"]), (Some(0), &"verified".into()), "{args:?}");
        let dump = fs::read_to_string(dir.0.join(folder).join("method-swap.smt2")).unwrap();
        let axioms = dump.lines().filter(|line| line.contains(":qid inverse."));
        let axioms: Vec<bool> = axioms.map(|line| line.contains(":pattern")).collect();
        (axioms.len(), axioms.contains(&true))
    };
    assert_eq!(inverses("all", &[]), (1, true));
    let (number, triggers) = inverses("memoisation", &["--ablate", "memoisation"]);
    assert!(number > 1 && triggers);
    assert_eq!(inverses("triggers", &["--ablate", "triggers"]), (1, false));
}

#[test]
fn injectivity_can_be_assumed() {
    let dir = Scratch::new("verify_injectivity");
    dir.file(
        "refs.vpr",
        "field f: Int
method m(s: Seq[Ref])
    requires forall i: Int :: 0 <= i && i < |s| ==> acc(s[i].f)
    requires |s| > 1
    ensures forall i: Int :: 0 <= i && i < |s| ==> acc(s[i].f)
{
    assert s[0] != s[1]
    s[0].f := 1
}
method exhales(s: Seq[Ref], t: Seq[Ref])
    requires forall r: Ref :: r in t ==> acc(r.f)
    requires forall i: Int :: 0 <= i && i < |s| ==> s[i] in t
{
    exhale forall i: Int :: 0 <= i && i < |s| ==> acc(s[i].f)
}
",
    );
    let (_, objects) = verify(&dir, &["refs.vpr"]);
    assert_eq!(errors(&objects[0])[0].2, "not.wellformed:qp.not.injective");
    // What is given away is checked all the same.
    for option in ["--assumeInjectivityOnInhale", "--assume-injectivity-on-inhale"] {
        let (_, objects) = verify(&dir, &[option, "refs.vpr"]);
        let found: Vec<_> = errors(&objects[0]).iter().map(|e| (e.0, e.2)).collect();
        assert_eq!(found, [(14, "exhale.failed:qp.not.injective")]);
    }
}

#[test]
fn what_is_said_and_for_which_values() {
    let dir = Scratch::new("verify_words");
    dir.file("bad.vpr", FAILS);
    let (_, objects) = verify(&dir, &["--counterexample", "--member", "bad", "bad.vpr"]);
    let error = &objects[0]["errors"][0];
    // To the word what Silicon says.
    let message = "Postcondition of bad might not hold. Assertion x.f >= 0 might not hold.";
    assert_eq!(error["message"], message);
    let end = (error["end_line"].as_u64(), error["end_column"].as_u64());
    assert_eq!(end, (Some(12), Some(33)));
    let values = &error["counterexample"];
    let n: i64 = values["variables"]["n"].as_str().unwrap().parse().unwrap();
    assert!(n > 0, "{values}");
    let x = values["variables"]["x"].as_str().unwrap();
    let held = &values["heap"][0];
    assert_eq!(held["location"], format!("{x}.f"));
    assert_eq!(held["permission"], "1");
    assert_eq!(held["value"], (-n).to_string());
}

#[test]
fn values_of_what_is_in_scope() {
    let dir = Scratch::new("verify_scope");
    let text = "\
method blocks(n: Int) { var a: Int if (n > 0) { var inner: Int } var b: Int assert a > 0 var c: Int }
method loops() { var i: Int := 1 while (i > 0) invariant i < 9 { var step: Int i := step } }
method bodies() returns (r: Int) ensures r > 0 { var a: Int }
method bound() { var a: Int := 1 assert let b == (a) in b == 0 }
method inside() { var a: Int assert let b == (a) in 1 / b == 0 }
";
    dir.file("a.vpr", text);
    let (_, objects) = verify(&dir, &["--counterexample", "a.vpr"]);
    let errors = objects[0]["errors"].as_array().unwrap().iter();
    let shown: Vec<_> = errors
        .map(|e| format!("{}: {}", e["line"], keys(&e["counterexample"]["variables"]).join(" ")))
        .collect();
    assert_eq!(shown, ["1: a b n", "2: i", "3: r", "4: a", "5: a b", "5: a"]);
}

#[test]
fn several_errors_in_one_member() {
    let dir = Scratch::new("verify_several");
    let text = "\
method m(a: Int)
{
    if (a > 0) {
        assert a > 1
    } else {
        assert a < 0
    }
}
";
    dir.file("a.vpr", text);
    let (code, objects) = verify(&dir, &["a.vpr"]);
    assert_eq!(code, Some(1));
    let id = "assert.failed:assertion.false";
    assert_eq!(errors(&objects[0]), [(4, 16, id), (6, 16, id)]);
    let branches: Vec<_> = (0..2).map(|i| objects[0]["errors"][i]["branch"].clone()).collect();
    assert_eq!(branches, [serde_json::json!(["a > 0"]), serde_json::json!(["!(a > 0)"])]);
    let (_, objects) = verify(&dir, &["--max-errors", "1", "a.vpr"]);
    assert_eq!(errors(&objects[0]), [(4, 16, id)]);
    let output = dir.run(&["verify", "a.vpr"]);
    assert!(stdout(&output).contains("1 file: 1 failed; 2 errors ("), "{output:?}");
}

#[test]
fn independent_mistakes_are_all_reported_and_bounded() {
    let dir = Scratch::new("verify_all");
    let asserts: String = (0..8).map(|i| format!("    assert a > {i}\n")).collect();
    let text = format!(
        "function f(a: Int): Bool\n    ensures a > 0 ? a > 1 : a > 2\n    ensures a > 3\n{{ true }}\n\
         method m(a: Int)\n{{\n{asserts}}}\n"
    );
    dir.file("a.vpr", text);
    let lines = |args: &[&str]| -> Vec<u64> {
        let (_, objects) = verify(&dir, &[args, &["a.vpr"]].concat());
        errors(&objects[0]).iter().map(|(line, ..)| *line).collect()
    };
    assert_eq!(lines(&[]), [2, 3, 7, 8, 9, 10, 11, 12, 13, 14]);
    assert_eq!(lines(&["--max-errors", "0"]), lines(&[]));
    assert_eq!(lines(&["--max-errors", "3"]), [2, 3, 7, 8, 9]);
    assert_eq!(lines(&["--max-errors", "1"]), [2, 7]);
}

#[cfg(unix)]
#[test]
fn no_answer_in_time_is_no_verdict() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Scratch::new("verify_timeout");
    dir.file("bad.vpr", FAILS);
    let sleeper = dir.file("sleeper", "#!/bin/sh\n[ $1 = --version ] || exec sleep 60\n");
    fs::set_permissions(&sleeper, fs::Permissions::from_mode(0o755)).unwrap();
    let start = std::time::Instant::now();
    let z3 = sleeper.to_str().unwrap();
    let (code, objects) = verify(&dir, &["--z3", z3, "--timeout", "0.3", "bad.vpr"]);
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
    assert_eq!(code, Some(3), "{objects:?}");
    assert_contract(&objects[0]);
    assert_eq!(objects[0]["status"], "timeout");
    assert_eq!(objects[0]["errors"][0]["id"], "timeout.error");
}

#[test]
fn some_members_only() {
    let dir = Scratch::new("verify_members");
    dir.file("bad.vpr", FAILS);
    for (options, names) in [
        (&["--member", "good"][..], &["good"][..]),
        (&["--member", "g*", "--member", "b?d"], &["good", "bad"]),
        (&["--includeMethods", "go*"], &["good"]),
        (&["--excludeMethods", "bad"], &["good"]),
    ] {
        let args: Vec<&str> = options.iter().chain(&["bad.vpr"]).copied().collect();
        let (code, objects) = verify(&dir, &args);
        let members = objects[0]["members"].as_array().unwrap().iter();
        assert_eq!(members.map(|m| m["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
        assert_eq!(code, Some(i32::from(names.contains(&"bad"))));
    }
}

#[test]
fn numbers_of_jobs_do_not_change_the_verdict() {
    let dir = Scratch::new("verify_jobs");
    dir.file("bad.vpr", FAILS);
    let errors = |jobs: &str| verify(&dir, &["--jobs", jobs, "bad.vpr"]).1[0]["errors"].clone();
    assert_eq!(errors("1"), errors("4"));
}

#[test]
fn z3_is_found_or_missed_with_advice() {
    let dir = Scratch::new("z3");
    let output = dir.run(&["--z3", "no/such/z3", "z3"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("given by --z3 is not a file: no/such/z3"), "{output:?}");
    let mut command = dir.command(&["z3"]);
    let output = command.env("LANCEHEAD_Z3", "no/such/z3").output().unwrap();
    assert!(stderr(&output).contains("given by LANCEHEAD_Z3"), "{output:?}");
    // A file that is no Z3.
    let other = dir.file("a.vpr", VALID);
    let output = dir.run(&["z3", "--z3", other.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_solver_that_keeps_its_version_to_itself() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Scratch::new("z3_version");
    let script = dir.file("z3", "#!/bin/sh\nexec sleep 60\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let start = std::time::Instant::now();
    let output = dir.run(&["z3", "--z3", "./z3"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("does not answer when it is asked"), "{output:?}");
    assert!(start.elapsed() < std::time::Duration::from_secs(40));
}

#[test]
fn usage_errors_exit_with_2_and_help_teaches() {
    let dir = Scratch::new("usage");
    for args in [
        &[][..],
        &["check"],
        &["frobnicate"],
        &["check", "--nonsense", "a.vpr"],
        &["fmt", "--check", "--stdout", "a.vpr"],
        &["fmt", "--diff", "--stdout", "a.vpr"],
        &["verify", "--seeds", "0", "a.vpr"],
        &["verify"],
        &["verify", "--jobs", "0", "a.vpr"],
        &["verify", "--timeout", "-1", "a.vpr"],
        &["verify", "--timeout", "soon", "a.vpr"],
        &["verify", "--counterexample=strange", "a.vpr"],
        &["verify", "--z3-option", "nonsense", "a.vpr"],
    ] {
        assert_eq!(dir.run(args).status.code(), Some(2), "{args:?}");
    }
    let help = dir.run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    for word in ["Examples:", "lancehead verify", "Exit status:"] {
        assert!(stdout(&help).contains(word), "{word}");
        assert!(stdout(&dir.run(&["verify", "--help"])).contains(word), "{word}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = dir.run(&["completions", shell]);
        assert!(output.status.success() && stdout(&output).contains("lancehead"), "{shell}");
    }
}
