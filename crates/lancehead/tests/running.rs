//! How `verify` runs: what is shown and when, solvers that are of no use, Ctrl-C, readers that go away.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{FAILS, Scratch, VALID, assert_contract, errors, stderr, stdout, verify};

#[test]
fn a_name_that_no_member_has() {
    let dir = Scratch::new("running_member");
    dir.file("a.vpr", VALID);
    dir.file("bad.vpr", FAILS);
    for (name, help) in [("nobody", ""), ("goood", "; did you mean `good`?"), ("x*", "")] {
        let output = dir.run(&["verify", "--member", name, "a.vpr", "bad.vpr"]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{output:?}");
        let expected = format!("lancehead: there is no member named '{name}'{help}\n");
        assert_eq!(stderr(&output), expected);
    }
    // Tools are told, too: nothing is "verified".
    let (code, objects) = verify(&dir, &["--member", "goood", "a.vpr", "bad.vpr"]);
    assert_eq!((code, objects.len()), (Some(2), 2));
    for object in &objects {
        assert_contract(object);
        assert_eq!(object["status"], "invalid");
        assert_eq!(object["errors"][0]["help"], "did you mean `good`?");
    }
    // One file that has it is enough; every name is to be found.
    let (code, objects) = verify(&dir, &["--member", "good", "a.vpr", "bad.vpr"]);
    assert_eq!(code, Some(0));
    assert_eq!(objects[0]["members"].as_array().map(Vec::len), Some(0));
    assert_eq!(objects[1]["members"].as_array().map(Vec::len), Some(1));
    let (code, _) = verify(&dir, &["--member", "good", "--member", "worse", "a.vpr", "bad.vpr"]);
    assert_eq!(code, Some(2));
    // A domain is no member that is verified.
    dir.file("domain.vpr", "domain Dom { function f(): Int }\nmethod m() {}\n");
    let output = dir.run(&["verify", "--member", "Dom", "domain.vpr"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn files_are_verified_together_and_reported_in_order() {
    let dir = Scratch::new("running_order");
    let mut names = Vec::new();
    for i in 0..12 {
        let name = format!("f{i:02}.vpr");
        let text = if i % 3 == 0 { FAILS } else { VALID };
        dir.file(&name, if i == 7 { "method (" } else { text });
        names.push(name);
    }
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    for jobs in ["1", "3"] {
        let args = [&["--jobs", jobs][..], &files].concat();
        let (code, objects) = verify(&dir, &args);
        assert_eq!(code, Some(2));
        objects.iter().for_each(assert_contract);
        let seen: Vec<&str> = objects.iter().map(|o| o["file"].as_str().unwrap()).collect();
        assert_eq!(seen, files);
        for (i, object) in objects.iter().enumerate() {
            let status = match i {
                7 => "invalid",
                _ if i % 3 == 0 => "failed",
                _ => "verified",
            };
            assert_eq!(object["status"], status);
        }
        let output = dir.run(&[&["verify", "--jobs", jobs][..], &files].concat());
        let places = stdout(&output).lines().filter_map(|line| line.trim().strip_prefix("--> "));
        let places: Vec<&str> = places.map(|place| place.split(':').next().unwrap()).collect();
        assert_eq!(places, ["f00.vpr", "f03.vpr", "f06.vpr", "f07.vpr", "f09.vpr"]);
        let last = stdout(&output).lines().last().unwrap();
        let summary = "12 files: 7 verified, 4 failed, 1 invalid; 5 errors (";
        assert!(last.starts_with(summary), "{last}");
    }
}

/// An impostor of Z3. `LANCEHEAD_Z3` leads to the real one.
#[cfg(unix)]
fn script(dir: &Scratch, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = dir.file(name, format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn errors_come_before_the_run_is_over() {
    let dir = Scratch::new("running_stream");
    // The second method waits for a solver that is in no hurry.
    dir.file(
        "a.vpr",
        "method first(n: Int) { assert n > 0 }\n\n\
         method slow(n: Int, m: Int) requires n * m * m > 7 { assert n * n * n > 12345 }\n",
    );
    let z3 = testing::z3();
    let wait = format!(
        "while read -r line; do case $line in *12345*) sleep 5;; esac; echo \"$line\"; done | {} \"$@\"",
        z3.display()
    );
    script(
        &dir,
        "slow-z3",
        &format!("[ \"$1\" = --version ] && exec {} --version\n{wait}", z3.display()),
    );
    let mut child = dir
        .command(&["verify", "--jobs", "1", "--z3", "./slow-z3", "a.vpr"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let early = start.elapsed();
    assert!(first.starts_with("error[assert.failed:assertion.false]"), "{first}");
    let rest = lines.count();
    let late = start.elapsed();
    assert!(child.wait().unwrap().code() == Some(1) && rest > 3);
    assert!(late - early > Duration::from_secs(3), "{early:?} {late:?}");
}

#[test]
fn a_missing_solver_is_one_message_with_its_remedy() {
    let dir = Scratch::new("running_no_solver");
    dir.file("bad.vpr", FAILS);
    dir.file("other.vpr", FAILS);
    dir.file("invalid.vpr", "method (");
    let gone = "the Z3 given by --z3 is not a file: no/such/z3";
    let output =
        dir.run(&["verify", "--format", "json", "--z3", "no/such/z3", "bad.vpr", "other.vpr"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(stderr(&output).matches(gone).count(), 1, "{output:?}");
    for line in stdout(&output).lines() {
        let object: Value = serde_json::from_str(line).unwrap();
        assert_contract(&object);
        assert_eq!(object["status"], "internal-error");
        assert_eq!(errors(&object), [(0, 0, "internal.error")]);
        assert_eq!(object["errors"][0]["message"], gone);
        assert!(object["errors"][0]["help"].as_str().unwrap().contains("scripts/get-z3"));
    }
    let output = dir.run(&["verify", "--z3", "no/such/z3", "bad.vpr", "other.vpr", "invalid.vpr"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(text.matches("Z3").count(), 1, "{text}");
    assert!(text.contains("3 files: 1 invalid, 2 not finished; "), "{text}");
    // What is no program is said to be none all the same.
    assert!(text.contains("--> invalid.vpr:1:8"), "{text}");
}

#[cfg(unix)]
#[test]
fn solvers_that_are_none() {
    let dir = Scratch::new("running_impostors");
    dir.file("bad.vpr", FAILS);
    dir.file("plain-file", "no program");
    script(&dir, "dies", "exit 7");
    script(&dir, "raves", "while read -r line; do echo \"$line\"; done");
    let version = "[ \"$1\" = --version ] && echo 'Z3 version 4.12.6 - 64 bit' && exit";
    script(&dir, "dies-later", &format!("{version}\nexit 7"));
    for (z3, say) in [
        ("./plain-file", "Permission denied"),
        ("./dies", "ends at once (exit status: 7)"),
        ("./dies-later", "ends at once (exit status: 7)"),
        ("./raves", "does not answer"),
    ] {
        let output = dir.run(&["verify", "--z3", z3, "--format", "json", "bad.vpr"]);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let object: Value = serde_json::from_str(stdout(&output)).unwrap();
        assert_contract(&object);
        assert_eq!(errors(&object), [(0, 0, "internal.error")]);
        let message = object["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(say), "{message}");
        let told = stderr(&output);
        assert_eq!(told.matches("lancehead: ").count(), 1, "{told}");
        assert!(told.contains("scripts/get-z3"), "{told}");
    }
    let output = dir.run(&["verify", "--z3-option", "no_such_option=1", "bad.vpr"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(stderr(&output).contains("--z3-option"), "{output:?}");
    assert!(stderr(&output).contains("no_such_option"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn another_version_is_one_warning() {
    let dir = Scratch::new("running_version");
    for name in ["a.vpr", "b.vpr"] {
        dir.file(name, FAILS);
    }
    let z3 = testing::z3();
    let version = "[ \"$1\" = --version ] && echo 'Z3 version 4.8.7 - 64 bit' && exit";
    script(&dir, "old-z3", &format!("{version}\nexec {} \"$@\"", z3.display()));
    let output = dir.run(&["verify", "--z3", "./old-z3", "a.vpr", "b.vpr"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(stderr(&output).matches("warning: ").count(), 1, "{output:?}");
    assert!(stderr(&output).contains("with 4.8.7"), "{output:?}");
}

/// Under `nohup` and the like signals are ignored, and stay so.
#[cfg(target_os = "linux")]
fn signals_are_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    u64::from_str_radix(ignored, 16).unwrap() & 0b100_0000_0000_0011 != 0
}

#[cfg(target_os = "linux")]
fn interrupt(dir: &Scratch, args: &[&str], ready: &Path) -> (std::process::Output, Duration) {
    let child = dir
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !ready.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    // Its standard input stays open meanwhile.
    let mut child = child;
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    (output, start.elapsed())
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_while_reading_standard_input() {
    if signals_are_ignored() {
        return;
    }
    let dir = Scratch::new("running_interrupted_input");
    // Once the folder is there, signals are heard.
    let folder = dir.0.join("smt");
    for format in ["human", "json"] {
        let _ = fs::remove_dir_all(&folder);
        let args =
            ["verify", "--format", format, "--jobs", "1", "--dump-smt", "smt", "-", "later.vpr"];
        let (output, time) = interrupt(&dir, &args, &folder);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert_eq!(stderr(&output), "lancehead: interrupted\n");
        assert!(time < Duration::from_secs(10), "{time:?}");
        let text = stdout(&output);
        if format == "human" {
            assert!(text.starts_with("interrupted: 0 of 2 files done, "), "{text}");
            assert_eq!(text.lines().count(), 1, "{text}");
        } else {
            let object: Value = serde_json::from_str(text).unwrap();
            assert_contract(&object);
            assert_eq!((&object["file"], &object["status"]), (&"-".into(), &"timeout".into()));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_while_nobody_reads() {
    if signals_are_ignored() {
        return;
    }
    let dir = Scratch::new("running_interrupted_writing");
    let text: String =
        (0..2000).map(|i| format!("method m{i}(n: Int) {{ assert n > {i} }}\n")).collect();
    dir.file("many.vpr", text);
    let mut child = dir.command(&["verify", "many.vpr"]).stdout(Stdio::piped()).spawn().unwrap();
    // The errors do not fit into the pipe.
    std::thread::sleep(Duration::from_secs(3));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let start = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_while_the_solver_thinks() {
    if signals_are_ignored() {
        return;
    }
    let dir = Scratch::new("running_interrupted");
    let mut text = String::from("method easy() { assert 1 == 2 }\n");
    for i in 0..3000 {
        text.push_str(&format!("method m{i}(n: Int) {{ assert n * n != {i} }}\n"));
    }
    dir.file("many.vpr", &text);
    // It says where it is, answers what it knows, and sleeps over the first question of the others.
    let z3 = testing::z3();
    let pids = dir.0.join("pids");
    let think = format!("echo $$ >> {0}; exec sleep 100", pids.display());
    let slow = format!(
        "(while read -r line; do case $line in *'declare-fun n'*) touch thinking; {think};; esac; echo \"$line\"; done) | {} \"$@\"",
        z3.display()
    );
    script(&dir, "slow-z3", &slow);
    for format in ["human", "json"] {
        let thinking = dir.0.join("thinking");
        let _ = fs::remove_file(&thinking);
        let args = ["verify", "--format", format, "--jobs", "1", "--z3", "./slow-z3", "many.vpr"];
        let (output, time) = interrupt(&dir, &args, &thinking);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(time < Duration::from_secs(10), "{time:?}");
        assert_eq!(stderr(&output), "lancehead: interrupted\n");
        let text = stdout(&output);
        if format == "human" {
            // What was found, and a line.
            assert!(text.lines().count() < 10, "{text}");
            assert!(text.contains("--> many.vpr:1:24"), "{text}");
            let last = text.lines().last().unwrap();
            assert!(
                last.starts_with(
                    "interrupted: 0 of 1 file done, 0 members verified, 1 failed; 1 error ("
                ),
                "{last}"
            );
        } else {
            let object: Value = serde_json::from_str(text).unwrap();
            assert_contract(&object);
            assert_eq!(object["status"], "timeout");
            assert_eq!(object["members"].as_array().map(Vec::len), Some(3001));
            let ids: Vec<_> = errors(&object).into_iter().map(|e| e.2).collect();
            assert_eq!(ids, ["assert.failed:assertion.false", "timeout.error"]);
        }
    }
    // The impostor's own sleep is not ours to end.
    for pid in fs::read_to_string(&pids).unwrap_or_default().lines() {
        let _ = Command::new("kill").arg(pid).stderr(Stdio::null()).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_solver_that_is_interrupted_has_not_failed_to_prove_anything() {
    use std::os::unix::process::CommandExt;
    if signals_are_ignored() {
        return;
    }
    let dir = Scratch::new("running_interrupted_group");
    // A question that keeps Z3 busy for longer than it takes to press Ctrl-C.
    dir.file(
        "hard.vpr",
        "domain D { function f(x: Int): Int  axiom { forall x: Int :: { f(x) } f(x) == f(x + 1) + 1 } }\n\
         method m(a: Int) { assert f(0) == a }\n",
    );
    let mut child = dir
        .command(&["verify", "--dump-smt", "smt", "hard.vpr"])
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !dir.0.join("smt/method-m.smt2").exists() {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    // As on a terminal: all processes get it.
    let _ = Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status();
    let output = child.wait_with_output().unwrap();
    // If it was faster than we were, there is nothing to see.
    if output.status.code() == Some(3) {
        assert!(!stdout(&output).contains("error["), "{output:?}");
    }
}

#[test]
fn time_that_is_over_is_one_error() {
    let dir = Scratch::new("running_timeout");
    let mut text = String::new();
    for i in 0..500 {
        text.push_str(&format!("method m{i}(n: Int) {{ assert n > {i} }}\n"));
    }
    dir.file("many.vpr", text);
    let (code, objects) = verify(&dir, &["--timeout", "0.01", "many.vpr"]);
    assert_eq!((code, &objects[0]["status"]), (Some(3), &"timeout".into()));
    assert_contract(&objects[0]);
    let over: Vec<&Value> = objects[0]["errors"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|e| e["id"] == "timeout.error")
        .collect();
    assert_eq!(over.len(), 1, "{over:?}");
    let note = over[0]["notes"][0].as_str().unwrap();
    assert!(note.starts_with("the same for `m") && note.ends_with(" more"), "{note}");
}

#[test]
fn a_reader_that_goes_away_ends_the_run() {
    let dir = Scratch::new("running_pipe");
    let mut text = String::new();
    for i in 0..4000 {
        text.push_str(&format!("method m{i}(n: Int) {{ assert n > {i} }}\n"));
    }
    dir.file("many.vpr", text);
    let mut child = dir
        .command(&["verify", "many.vpr"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(3), ""), "{output:?}");
}

#[test]
fn labels_and_help_are_for_tools_too() {
    let dir = Scratch::new("running_labels");
    dir.file("a.vpr", "import \"b.vpr\"\nfield g: Int\nmethod m(x: Ref) { x.gg := 1 }\n");
    dir.file("b.vpr", "field f: Int\n");
    let object = dir.json("a.vpr");
    assert_eq!(object["errors"][0]["help"], "did you mean `g`?");
    dir.file("bad.vpr", FAILS);
    let (_, objects) = verify(&dir, &["bad.vpr"]);
    let label = &objects[0]["errors"][0]["labels"][0];
    assert_eq!((&label["file"], &label["line"]), (&"bad.vpr".into(), &12.into()));
    assert_eq!(label["text"], "this is what fails");
}
