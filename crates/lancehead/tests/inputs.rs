//! Which files a command is about: folders, links, standard input, and how `fmt` treats them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use support::{FAILS, Scratch, VALID, assert_contract, stderr, stdout, verify};

fn with_input(dir: &Scratch, args: &[&str], input: &[u8]) -> Output {
    let mut command = dir.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

/// The files that `check` looked at.
fn checked(dir: &Scratch, args: &[&str]) -> Vec<String> {
    let all: Vec<&str> = ["check", "--format", "json"].iter().chain(args).copied().collect();
    let output = dir.run(&all);
    let objects = stdout(&output).lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects.map(|o| o["file"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_folder_stands_for_the_programs_in_it() {
    let dir = Scratch::new("inputs_folder");
    for name in ["c.vpr", "b/z.vpr", "b.vpr", "a.vpr/inner.vpr", ".hidden.vpr", ".git/x.vpr"] {
        dir.file(&format!("src/{name}"), VALID);
    }
    dir.file("src/readme.txt", "no program");
    dir.file("src/Upper.VPR", "no program either");
    let all = ["src/a.vpr/inner.vpr", "src/b/z.vpr", "src/b.vpr", "src/c.vpr"];
    assert_eq!(checked(&dir, &["src"]), all);
    // What is named is not found again, but as often as it is named.
    assert_eq!(
        checked(&dir, &["src/c.vpr", "src/b", "src/c.vpr", "src"])[..4],
        ["src/c.vpr", "src/b/z.vpr", "src/c.vpr", "src/a.vpr/inner.vpr"]
    );
    assert_eq!(checked(&dir, &["src", "src", "./src"]), all);
    let output = dir.run(&["verify", "src"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stdout(&output).starts_with("4 files: 4 verified ("), "{output:?}");
    let output = dir.run(&["check", "."]);
    assert!(stdout(&output).starts_with("4 files: 4 valid ("), "{output:?}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_not_in_circles() {
    use std::os::unix::fs::symlink;
    let dir = Scratch::new("inputs_links");
    dir.file("src/deep/a.vpr", VALID);
    dir.file("elsewhere/b.vpr", VALID);
    symlink("..", dir.0.join("src/deep/up")).unwrap();
    symlink(".", dir.0.join("src/self")).unwrap();
    symlink("../elsewhere", dir.0.join("src/link")).unwrap();
    symlink("deep/a.vpr", dir.0.join("src/same.vpr")).unwrap();
    symlink("nowhere.vpr", dir.0.join("src/z.vpr")).unwrap();
    let pipe = Command::new("mkfifo").arg(dir.0.join("src/pipe.vpr")).status().unwrap();
    assert!(pipe.success());
    assert_eq!(checked(&dir, &["src"]), ["src/deep/a.vpr", "src/link/b.vpr", "src/z.vpr"]);
}

#[test]
fn a_folder_without_programs_is_an_error() {
    let dir = Scratch::new("inputs_empty");
    dir.file("empty/.hidden/a.vpr", VALID);
    dir.file("empty/b.txt", VALID);
    dir.file("good.vpr", VALID);
    for command in ["verify", "check", "fmt"] {
        let output = dir.run(&[command, "empty", "good.vpr"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let text = format!("{}{}", stdout(&output), stderr(&output));
        assert!(text.contains("there is no .vpr or .spl file in this folder"), "{text}");
        assert!(text.contains("--> empty\n"), "{text}");
    }
    let (code, objects) = verify(&dir, &["empty", "good.vpr"]);
    assert_eq!(code, Some(2));
    objects.iter().for_each(assert_contract);
    let status: Vec<_> = objects.iter().map(|o| (&o["file"], &o["status"])).collect();
    assert_eq!(
        status,
        [(&"empty".into(), &"invalid".into()), (&"good.vpr".into(), &"verified".into())]
    );
}

#[test]
fn standard_input_is_a_file_once() {
    let dir = Scratch::new("inputs_stdin");
    dir.file("good.vpr", VALID);
    let output =
        with_input(&dir, &["verify", "--format", "json", "-", "good.vpr"], FAILS.as_bytes());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let objects: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&objects[0]["file"], &objects[0]["status"]), (&"-".into(), &"failed".into()));
    assert_eq!(objects[1]["status"], "verified");
    let output = with_input(&dir, &["check", "-"], VALID.as_bytes());
    assert!(stdout(&output).starts_with("1 file: 1 valid ("), "{output:?}");
    // The second time it would be empty, and an empty program verifies.
    let output = with_input(&dir, &["verify", "-", "-"], FAILS.as_bytes());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stdout(&output).contains("standard input can be read only once"), "{output:?}");
}

const UGLY: &str = "field   f:Int\n/* a\n   b */\nmethod m( ) { } // end\n";

#[test]
fn fmt_keeps_line_breaks_and_byte_order_marks() {
    let dir = Scratch::new("inputs_crlf");
    let formatted = |name: &str, text: &str| {
        let path = dir.file(name, text);
        assert_eq!(dir.run(&["fmt", name]).status.code(), Some(0));
        let new = fs::read_to_string(path).unwrap();
        assert_eq!(dir.run(&["fmt", "--check", name]).status.code(), Some(0), "{new:?}");
        new
    };
    let plain = formatted("lf.vpr", UGLY);
    assert!(!plain.contains('\r') && plain.contains("field f: Int\n"), "{plain:?}");
    let crlf = UGLY.replace('\n', "\r\n");
    assert_eq!(formatted("crlf.vpr", &crlf), plain.replace('\n', "\r\n"));
    // Most of them decide.
    let mixed = crlf.replacen("\r\n", "\n", 1);
    assert_eq!(formatted("mixed.vpr", &mixed), plain.replace('\n', "\r\n"));
    let mixed = UGLY.replacen('\n', "\r\n", 1);
    assert_eq!(formatted("mostly_lf.vpr", &mixed), plain);
    assert_eq!(formatted("bom.vpr", &format!("\u{feff}{UGLY}")), format!("\u{feff}{plain}"));
    let both = format!("\u{feff}{crlf}");
    let expected = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
    assert_eq!(formatted("both.vpr", &both), expected);
    // Errors are where they are in the file.
    dir.file("bad.vpr", "\u{feff}field f: Int\r\nmethod ()\r\n");
    let output = dir.run(&["fmt", "bad.vpr"]);
    assert!(stderr(&output).contains("--> bad.vpr:2:8\n"), "{output:?}");
}

#[test]
fn fmt_names_files_and_shows_differences() {
    let dir = Scratch::new("inputs_diff");
    dir.file("src/good.vpr", VALID);
    let ugly = VALID.replace("m(x: Ref)", "m( x:Ref )");
    let bad = dir.file("src/deep/ugly.vpr", &ugly);
    dir.file("src/broken.vpr", "method (\n");
    let output = dir.run(&["fmt", "--check", "src/good.vpr", "src/deep"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), "src/deep/ugly.vpr\n"));
    let output = dir.run(&["fmt", "--check", "src"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), "src/deep/ugly.vpr\n"));
    assert!(stderr(&output).contains("src/broken.vpr:1:8"), "{output:?}");
    for options in [&["--diff"][..], &["--diff", "--check"]] {
        let args = [&["fmt"], options, &["src/deep", "src/good.vpr"]].concat();
        let output = dir.run(&args);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let diff = stdout(&output);
        assert!(
            diff.starts_with("--- src/deep/ugly.vpr\n+++ src/deep/ugly.vpr\n@@ -1,6 "),
            "{diff}"
        );
        assert!(diff.contains("\n-method m( x:Ref )\n+method m(x: Ref)\n"), "{diff}");
        assert!(!diff.contains("good.vpr"), "{diff}");
    }
    assert_eq!(fs::read_to_string(&bad).unwrap(), ugly, "nothing is changed");
    let output = with_input(&dir, &["fmt", "--diff", "-"], ugly.as_bytes());
    assert!(stdout(&output).starts_with("--- -\n+++ -\n"), "{output:?}");
    let output = dir.run(&["fmt", "--diff", "src/good.vpr"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), ""));
}
