//! Verdicts depend on the program and on nothing else: not on the number of workers, not on members
//! that a member does not use, not on solvers that die. And no program makes a verification crash or
//! run for ever.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What `verify --format json` says about each file, without times, and the exit status.
fn verify(args: &[&str], files: &[PathBuf]) -> (Option<i32>, Vec<Value>) {
    let output = Command::new(env!("CARGO_BIN_EXE_lancehead"))
        .args(["verify", "--format", "json"])
        .args(args)
        .args(files)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = str::from_utf8(&output.stdout).unwrap();
    let objects = text.lines().map(|line| {
        let mut object: Value = serde_json::from_str(line).unwrap();
        remove_times(&mut object);
        object
    });
    (output.status.code(), objects.collect())
}

fn remove_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("time_ms");
            fields.values_mut().for_each(remove_times);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_times),
        _ => {}
    }
}

/// The programs under `tests/verify`.
fn programs() -> Vec<PathBuf> {
    let files = testing::files(testing::root().join("tests/verify"), &["vpr"]);
    assert!(files.len() > 60);
    files
}

fn scratch(test: &str) -> PathBuf {
    testing::scratch(env!("CARGO_TARGET_TMPDIR"), test).unwrap()
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let files = programs();
    assert_eq!(verify(&["--jobs", "1"], &files), verify(&["--jobs", "2"], &files));
}

/// Stands in for Z3: runs it, and kills it at a moment that is different each time, every second one
/// soon.
#[cfg(unix)]
fn mortal_solver(dir: &Path) -> PathBuf {
    use driver::z3::{self, Surroundings};
    use std::os::unix::fs::PermissionsExt;
    let z3 = z3::find(&Surroundings::of_this_process(None)).unwrap().path;
    let script = format!(
        "#!/bin/sh
z3='{z3}'
[ \"$1\" = --version ] && exec \"$z3\" \"$@\"
cd '{dir}'
born=$(cat born 2>/dev/null || echo 0)
echo $((born + 1)) >born
# Up to a tenth of a second, or from a quarter to half a second.
wait=$((born * 7919 % 100))
[ $((born % 2)) = 0 ] || wait=$((250 + born * 7919 % 250))
(sleep 0.$(printf %03d $wait); kill -9 $$) </dev/null >/dev/null 2>&1 &
exec \"$z3\" \"$@\"
",
        z3 = z3.canonicalize().unwrap().display(),
        dir = dir.display()
    );
    let path = dir.join("mortal-z3");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn solvers_that_die_change_no_verdict() {
    let dir = scratch("mortal");
    let z3 = mortal_solver(&dir);
    let files = programs();
    let undisturbed = verify(&["--jobs", "1"], &files).1;
    let disturbed = verify(&["--jobs", "1", "--z3", z3.to_str().unwrap()], &files).1;
    for (one, other) in undisturbed.iter().zip(&disturbed) {
        // Solvers that die again and again may leave no verdict. Never another one.
        if other["status"] != "internal-error" {
            assert_eq!(one, other);
        }
    }
    let lost = disturbed.iter().filter(|o| o["status"] == "internal-error").count();
    assert!(lost * 10 <= files.len(), "{lost} of {} files without a verdict", files.len());
    let born: usize = fs::read_to_string(dir.join("born")).unwrap().trim().parse().unwrap();
    assert!(born > 10, "hardly any solver was replaced: {born}");
}

/// A declaration: what it declares, and where it is in the text.
struct Declaration {
    name: String,
    is_method: bool,
    text: std::ops::Range<usize>,
}

/// The methods, functions and predicates of a text without annotations. They start at the beginning
/// of a line, as all our programs are formatted, and end where the next declaration starts.
fn declarations(text: &str) -> Vec<Declaration> {
    let keyword = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default().to_owned();
        let starts =
            ["method", "function", "predicate", "field", "domain", "adt", "define", "import"];
        (starts.contains(&word.as_str()) && !line.starts_with(' ')).then_some(word)
    };
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(word) = keyword(line) {
            starts.push((at, word));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    let all = starts.iter().zip(ends);
    all.filter(|((_, word), _)| matches!(word.as_str(), "method" | "function" | "predicate"))
        .map(|((at, word), end)| {
            let name = text[at + word.len()..end].trim_start();
            let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
            Declaration { name: name.to_owned(), is_method: word == "method", text: *at..end }
        })
        .collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

/// The text with spaces in place of everything that `name` does not need. Places stay what they are.
fn alone(text: &str, declarations: &[Declaration], name: &str) -> String {
    // What is no method, function or predicate stays, with all that it mentions.
    let mut gaps = Vec::new();
    let mut at = 0;
    for d in declarations {
        gaps.push(at..d.text.start);
        at = d.text.end;
    }
    gaps.push(at..text.len());
    let mut needed: BTreeSet<&str> = gaps.into_iter().flat_map(|gap| words(&text[gap])).collect();
    needed.insert(name);
    loop {
        let before = needed.len();
        for d in declarations {
            if needed.contains(d.name.as_str()) {
                needed.extend(words(&text[d.text.clone()]));
            }
        }
        if needed.len() == before {
            break;
        }
    }
    let mut left = text.to_owned();
    for d in declarations.iter().filter(|d| !needed.contains(d.name.as_str())) {
        let spaces: String =
            text[d.text.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        left.replace_range(d.text.clone(), &spaces);
    }
    left
}

fn remove_files(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("file");
            fields.values_mut().for_each(remove_files);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_files),
        _ => {}
    }
}

fn errors_of(object: &Value, member: &str) -> Vec<Value> {
    let errors = object["errors"].as_array().unwrap().iter();
    let own = errors.filter(|e| e["member"] == member).cloned();
    own.map(|mut e| {
        remove_files(&mut e);
        e
    })
    .collect()
}

#[test]
fn other_members_change_nothing() {
    let dir = scratch("alone");
    let mut compared = 0;
    for path in programs() {
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("\n@") || !text.is_ascii() {
            continue;
        }
        let declarations = declarations(&text);
        let whole = verify(&[], std::slice::from_ref(&path)).1.remove(0);
        let methods: Vec<_> = declarations.iter().filter(|d| d.is_method).collect();
        let files: Vec<PathBuf> = methods
            .iter()
            .map(|d| {
                let file = dir.join(format!("{compared}-{}.vpr", d.name));
                fs::write(&file, alone(&text, &declarations, &d.name)).unwrap();
                file
            })
            .collect();
        for (method, object) in methods.iter().zip(verify(&[], &files).1) {
            let name = &method.name;
            assert_ne!(object["status"], "invalid", "{} {name}: {object}", path.display());
            let (with, without) = (errors_of(&whole, name), errors_of(&object, name));
            assert_eq!(with, without, "{} {name}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared}");
}

/// Verifies a text, which must be done in good time, and gives its status.
fn status_of(test: &str, text: &str) -> String {
    let path = scratch(&format!("nasty-{test}")).join("a.vpr");
    fs::write(&path, text).unwrap();
    let start = Instant::now();
    let (code, mut objects) = verify(&["--timeout", "60"], &[path]);
    assert!(start.elapsed() < Duration::from_secs(90), "{test}: {:?}", start.elapsed());
    assert!(matches!(code, Some(0..=2)), "{test}: {code:?} {objects:?}");
    objects.remove(0)["status"].as_str().unwrap().to_owned()
}

fn join(n: usize, separator: &str, piece: impl Fn(usize) -> String) -> String {
    (0..n).map(piece).collect::<Vec<_>>().join(separator)
}

/// As deep as the parser lets through, and deeper.
#[test]
fn deep_nesting() {
    for (n, deep) in [(2900, "verified"), (4000, "invalid")] {
        let ands = format!("method m(a: Bool) requires a {{ assert {}a }}", "a && ".repeat(n));
        assert_eq!(status_of("ands", &ands), deep);
        let amounts = "acc(x.f, 1/9999) && ".repeat(n);
        let heap =
            format!("field f: Int\nmethod m(x: Ref) requires acc(x.f) {{ exhale {amounts}true }}");
        assert_eq!(status_of("heap", &heap), deep);
        let sum = format!("method m(a: Int) {{ assert a{} > a }}", " + 1".repeat(n));
        assert_eq!(status_of("sum", &sum), deep);
        let cases = join(n, "", |i| format!("a == {i} ? {i} : "));
        let cases = format!(
            "method m(a: Int) returns (r: Int) ensures a == 5 ==> r == 5 {{ r := {cases}0 }}"
        );
        assert_eq!(status_of("cases", &cases), deep);
    }
    let (open, close) = ("(".repeat(900), ")".repeat(900));
    let parentheses = format!("method m() {{ assert {open}1 == 1{close} }}");
    assert_eq!(status_of("parentheses", &parentheses), "verified");
    let ifs = join(900, " ", |i| format!("if (a > {i}) {{"));
    let ifs = format!("method m(a: Int) {{ {ifs} assert a > 800 {} }}", "}".repeat(900));
    assert_eq!(status_of("ifs", &ifs), "verified");
}

#[test]
fn long_programs() {
    let methods = join(2000, "\n", |i| {
        format!(
            "method m{i}(x: Ref) requires acc(x.f) && x.f > 0 ensures acc(x.f) && x.f > 1\n\
             {{ x.f := x.f + 1 }}"
        )
    });
    assert_eq!(status_of("methods", &format!("field f: Int\n{methods}")), "verified");
    let statements = format!(
        "field f: Int\nmethod m(x: Ref) requires acc(x.f) ensures acc(x.f) && x.f == old(x.f) + 2000\n\
         {{\n{}}}",
        "x.f := x.f + 1\n".repeat(2000)
    );
    assert_eq!(status_of("statements", &statements), "verified");
}

#[test]
fn many_conditions() {
    let parameters = |n| join(n, ", ", |i| format!("a{i}: Int"));
    // Pure conditions do not split paths: 2^60 of them would take for ever.
    let pure = format!(
        "method m({}) returns (r: Int) ensures r >= 0\n{{\nr := 0\n{}\n}}",
        parameters(60),
        join(60, "\n", |i| format!("r := r + (a{i} > 0 ? 1 : 0)"))
    );
    assert_eq!(status_of("pure", &pure), "verified");
    let statements = format!(
        "method m({}) returns (r: Int) ensures r >= 0\n{{\nr := 0\n{}\n}}",
        parameters(12),
        join(12, "\n", |i| format!("if (a{i} > 0) {{ r := r + 1 }}"))
    );
    assert_eq!(status_of("splits", &statements), "verified");
}

#[test]
fn large_numbers() {
    let large = format!(
        "method m(a: Int) requires a == 1{} {{ assert a > {} }}",
        "0".repeat(9000),
        "9".repeat(9000)
    );
    assert_eq!(status_of("large", &large), "verified");
    let fraction = format!(
        "field f: Int\nmethod m(x: Ref) requires acc(x.f, 1/1{0}) {{ exhale acc(x.f, 1/2{0}) }}",
        "0".repeat(5000)
    );
    assert_eq!(status_of("fraction", &fraction), "verified");
}
