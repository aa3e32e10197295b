//! `lancehead infer` as users and tools call it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use support::{Scratch, stdout};

const UNSAFE: &str = "int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = 0;
  if (__VERIFIER_nondet_int() > 40)
    return *p;
  return 0;
}
";
const SAFE: &str = "int main(void) { int a[2] = {1, 2}; return a[1]; }\n";

fn json(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("one object per line")).collect()
}

#[test]
fn objects_for_tools() {
    let dir = Scratch::new("infer-json");
    dir.file("a.c", UNSAFE);
    dir.file("b.c", SAFE);
    dir.file("c.c", "int main(void) { return x; }");
    let output = dir.run(&["infer", "--format", "json", "a.c", "b.c", "c.c"]);
    assert_eq!(output.status.code(), Some(2));
    let objects = json(stdout(&output));
    let statuses: Vec<_> = objects.iter().map(|o| o["status"].as_str().unwrap_or("")).collect();
    assert_eq!(statuses, ["unsafe", "safe", "invalid"]);
    let memsafety = &objects[0]["properties"][0];
    assert_eq!(memsafety["property"], "memsafety");
    assert_eq!(memsafety["verdict"], "unsafe");
    assert_eq!(memsafety["violation"], "valid-deref");
    assert_eq!(memsafety["inputs"], serde_json::json!(["41"]));
    assert_eq!(memsafety["line"], 5);
    let last = memsafety["trace"].as_array().and_then(|trace| trace.last()).expect("a trace");
    assert_eq!((&last["line"], &last["what"]), (&5.into(), &"*p".into()));
    assert_eq!(objects[2]["errors"][0]["line"], 1);
    assert_eq!(objects[0]["assumptions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn exit_statuses() {
    let dir = Scratch::new("infer-status");
    dir.file("unsafe.c", UNSAFE);
    dir.file("safe.c", SAFE);
    dir.file("endless.c", "int main(void) { while (1) ; }");
    for (arguments, status) in [
        (&["infer", "safe.c"][..], 0),
        (&["infer", "unsafe.c"], 1),
        (&["infer", "--property", "memtrack", "safe.c"], 0),
        (&["infer", "--property", "sanity", "safe.c"], 2),
        (&["infer", "--entry", "f", "safe.c"], 2),
        (&["infer", "missing.c"], 2),
        (&["infer", "safe.c", "unsafe.c", "--svg", "x.svg"], 2),
        (&["infer", "--int", "machine", "--property", "memsafety", "unsafe.c"], 1),
        (&["infer", "--help"], 0),
    ] {
        assert_eq!(dir.run(arguments).status.code(), Some(status), "{arguments:?}");
    }
    assert!(stdout(&dir.run(&["infer", "--help"])).contains("memtrack"));
}

const LIST: &str = "struct Node { var next: Node; }
predicate list(x: Node) { x == null || x != null &*& acc(x) &*& list(x.next) }
procedure second(x: Node) returns (y: Node)
  requires list(x)
  ensures list(x)
{
  y := x.next;
}
procedure drop(x: Node, ghost n: Int)
  requires list(x)
  ensures emp
{
  while (x != null) { var y := x; x := x.next; free y; }
}
";

#[test]
fn procedures_with_preconditions() {
    let dir = Scratch::new("infer-spl");
    dir.file("list.spl", LIST);
    dir.file("ghost.spl", "procedure p(ghost n: Int) returns (m: Int) { m := n; }");
    let output = dir.run(&["infer", "--format", "json", "list.spl"]);
    assert_eq!(output.status.code(), Some(1));
    let report = &json(stdout(&output))[0];
    let memsafety = &report["properties"][0];
    assert_eq!((&memsafety["verdict"], &memsafety["line"]), (&"unsafe".into(), &7.into()));
    let last = memsafety["trace"].as_array().and_then(|trace| trace.last()).expect("a trace");
    assert_eq!((&last["line"], &last["what"]), (&7.into(), &"x.next".into()));
    for (arguments, status) in [
        (&["infer", "--entry", "drop", "list.spl"][..], 0),
        (&["prove", "--entry", "drop", "list.spl"], 0),
        (&["prove", "list.spl"], 1),
        (&["infer", "--entry", "dorp", "list.spl"], 2),
        (&["infer", "ghost.spl"], 3),
        (&["print", "--core", "ghost.spl"], 2),
        (&["check", "ghost.spl"], 0),
        (&["verify", "ghost.spl"], 0),
    ] {
        assert_eq!(dir.run(arguments).status.code(), Some(status), "{arguments:?}");
    }
    // The heap program is one that can be read again, and analysed.
    let printed = dir.run(&["print", "--core", "list.spl"]);
    assert_eq!(printed.status.code(), Some(0));
    let text = stdout(&printed);
    assert!(
        text.contains("proc drop(x: ptr Node)\n  requires spl \"list(x)\" means \"`list`(`x`)\"")
    );
    dir.file("list.heap", text);
    assert_eq!(dir.run(&["infer", "--entry", "drop", "list.heap"]).status.code(), Some(0));
}

#[test]
fn what_people_read() {
    let dir = Scratch::new("infer-human");
    dir.file("a.c", UNSAFE);
    let output = dir.run(&["infer", "--stats", "--svg", "a.svg", "a.c"]);
    let text = stdout(&output);
    for part in [
        "error[null-dereference]: the null pointer is dereferenced",
        "How it gets there:",
        "p = 0",
        "Inputs: 41",
        "a.c: memsafety unsafe: the null pointer is dereferenced (a.c:5)",
        "runs",
        "1 file: 1 unsafe; integers are unbounded, allocation succeeds",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(std::fs::read_to_string(dir.0.join("a.svg")).unwrap().starts_with("<svg"));
    // The inputs replay it.
    dir.file("inputs", "41");
    let output = dir.run(&["run", "--inputs", "inputs", "a.c"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn bad_input_gets_an_answer() {
    let dir = Scratch::new("infer-bad");
    let deep =
        format!("int main(void) {{ return {}1{}; }}", "(".repeat(20_000), ")".repeat(20_000));
    for (name, text) in [
        ("empty.c", ""),
        ("deep.c", deep.as_str()),
        ("zero.c", "\0\0"),
        ("half.heap", "proc main("),
        ("recursion.c", "int f(int n) { return f(n + 1); } int main(void) { return f(0); }"),
        ("huge.c", "char a[999999999999]; int main(void) { return a[1]; }"),
    ] {
        dir.file(name, text);
        let output = dir.run(&["infer", "--timeout", "2", "--format", "json", name]);
        assert!(matches!(output.status.code(), Some(0..=3)), "{name}: {:?}", output.status);
        assert_eq!(json(stdout(&output)).len(), 1, "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_gives_what_is_known() {
    let dir = Scratch::new("infer-interrupted");
    // A leak is found at once; the assertion is looked for.
    dir.file(
        "a.c",
        "#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  void *p = malloc(1);
  p = 0;
  int sum = 0;
  while (sum >= 0) {
    int n = __VERIFIER_nondet_int();
    sum = sum + n * n;
  }
  assert(p);
}
",
    );
    for command in ["infer", "prove"] {
        let mut child = dir
            .command(&[command, "--timeout", "12", "--format", "json", "a.c"])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(400));
        let pid = child.id().to_string();
        assert!(
            std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success()
        );
        let start = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(start.elapsed().as_secs() < 60, "it goes on");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let output = child.wait_with_output().unwrap();
        // Where signals are ignored, or the machine is slow, it ended by itself.
        let objects = json(stdout(&output));
        assert_eq!(objects[0]["status"], "unsafe", "{output:?}");
        assert_eq!(objects[0]["properties"][1]["verdict"], "unsafe");
    }
}

/// `prove` has the verdicts of `infer`, and says no more than them and the run that goes wrong.
#[test]
fn prove_says_whether_and_shows_a_run() {
    let dir = Scratch::new("prove");
    let walk = "struct n { struct n *next; };
int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
  struct n *l = 0, *t;
  while (__VERIFIER_nondet_int()) { t = malloc(sizeof *t); t->next = l; l = t; }
  while (l) { t = l->next; free(l); l = t; }
  return 0;
}
";
    dir.file("walk.c", walk);
    dir.file("bad.c", UNSAFE);
    let proved = dir.run(&["prove", "walk.c"]);
    assert_eq!(proved.status.code(), Some(0), "{}", stdout(&proved));
    assert!(!stdout(&proved).contains("invariant"), "{}", stdout(&proved));
    assert!(stdout(&dir.run(&["infer", "walk.c"])).contains("invariant"));
    let refuted = dir.run(&["prove", "bad.c"]);
    assert_eq!(refuted.status.code(), Some(1));
    assert!(stdout(&refuted).contains("bad.c:5"), "{}", stdout(&refuted));
    let object = &json(stdout(&dir.run(&["prove", "--format", "json", "walk.c"])))[0];
    assert_eq!(object["status"], "safe");
}
