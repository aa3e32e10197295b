//! Heap programs as text: the examples run, and what is printed is parsed again.

#![allow(clippy::expect_used)]

use heap::run::{Config, End, Inputs, Run};
use heap::text::{parse, print};
use report::FileId;

const LISTS: &str = include_str!("../../../examples/heap/lists.heap");

#[test]
fn list_programs_run_and_lose_nothing() {
    let program = parse(LISTS, FileId(0)).expect("a program");
    let run = Run::new(&program, &Config::default(), Inputs::seeded(0));
    assert_eq!(run.end, End::Returned(0));
}

#[test]
fn contracts_are_printed_and_parsed_again() {
    let program = parse(LISTS, FileId(0)).expect("a program");
    let printed = print(&program);
    let again = parse(&printed, FileId(0)).expect("a printed program");
    assert_eq!(program, again);
    let reverse = again.proc(again.find("reverse").expect("it is there"));
    assert_eq!(reverse.requires[0].text, "ls(list, null)");
    assert_eq!(reverse.ensures[0].text, "ls(done, null)");
    let body = reverse.body.as_ref().expect("a body");
    let invariants = body.locations.iter().flat_map(|l| &l.invariants);
    assert_eq!(invariants.count(), 1);
}

#[test]
fn a_formula_knows_its_place() {
    let program = parse(LISTS, FileId(0)).expect("a program");
    for proc in &program.procs {
        for formula in proc.requires.iter().chain(&proc.ensures) {
            let span = formula.pos.span().expect("a place");
            assert_eq!(LISTS.get(span.start as usize..span.end as usize), Some(&*formula.text));
        }
    }
}

#[test]
fn formulas_may_hold_anything() {
    let text = r#"proc f() requires "a \"b\" \\ c\n" { return; }"#;
    let program = parse(text, FileId(0)).expect("a program");
    assert_eq!(program.procs[0].requires[0].text, "a \"b\" \\ c\n");
    assert_eq!(parse(&print(&program), FileId(0)).expect("a program"), program);
}

#[test]
fn clauses_of_other_languages_say_what_they_mean() {
    let text = r#"record node 16 { next: ptr node at 0; data: int at 8 }
define spl "p(x) { … }" unknown "a set"
proc f(x: ptr node, n: int)
  requires spl "list(x)" means "list(x)"
  requires spl pure free "n in S" means "emp" without "a set"
  ensures spl pure "n == old(n)" unknown "`old`" {
  0: assert freed (x != null) goto 1
  1: assert length (0 <= n) goto 2
  2: assume formula spl "x.next |-> y" means "x |-> {next: y}" goto 3
  3: assert formula "ls(x, nil)" goto 4
  4: unsupported "a \"set\"" goto 5
  5: return
}
"#;
    let program = parse(text, FileId(0)).expect("a program");
    assert_eq!(parse(&print(&program), FileId(0)), Ok(program.clone()));
    let f = &program.procs[0];
    assert_eq!(f.requires[0].in_logic(), Ok("list(x)"));
    assert_eq!(f.requires[1].missing().map(|(what, _)| what), Some("a set"));
    assert_eq!(f.ensures[0].in_logic().map_err(|(why, _)| why), Err("`old`"));
    assert_eq!(f.vars[1].ty, heap::Scalar::Int(heap::IntType::UNBOUNDED));
}

#[test]
fn a_run_ends_where_nobody_knows_what_comes_next() {
    for command in [r#"assume formula "x""#, r#"assert formula "x""#, r#"unsupported "x""#] {
        let text = format!("proc f() {{ {command}; assert (0 == 1); }} entry f");
        let program = parse(&text, FileId(0)).expect("a program");
        let run = Run::new(&program, &Config::default(), Inputs::given([]));
        assert!(matches!(run.end, End::Limit(_)), "{:?}", run.end);
    }
}

#[test]
fn damaged_texts_are_refused_with_a_place() {
    for (text, message) in [
        ("proc f() requires x { return; }", "expected a formula between quotes"),
        ("proc f() requires \"x { return; }", "expected a formula between quotes"),
        ("proc f() { while (1) { return; }", "expected `}`"),
        ("proc f() { return 1; }", "this procedure has no result"),
        ("proc f() { 0: goto 1 }", "expected a command"),
        ("proc f() requires spl \"x\" { return; }", "expected `means` or `unknown`"),
        ("proc f() { unsupported; }", "expected a reason between quotes"),
        ("proc f() { if (1) { skip } }", "expected `;`"),
    ] {
        let problem = parse(text, FileId(0)).expect_err("it is damaged");
        assert_eq!(problem.message, message, "{text}");
        assert!(problem.end <= text.len());
    }
    let deep = format!("proc f() {{ {} }}", "if (1) { ".repeat(100_000));
    assert!(parse(&deep, FileId(0)).is_err());
}

/// The control-flow graph of a procedure that is written with `if` and `while`, with its loops.
/// `INSTA_UPDATE=always` writes the snapshot anew.
#[test]
fn a_graph_as_text() {
    let text = r#"record node 16 { data: i32 at 0; next: ptr node at 8 }
proc count(list: ptr node, key: i32) -> n
  requires "ls(list, null)" ensures "ls(old(list), null)" {
  var n: i32;
  var k: i32;
  n := 0;
  while (list != null) invariant "ls(old(list), list) * ls(list, null)" {
    k := [list: i32];
    while (k < key) { k := (k +.i32 1); }
    if (k == key) { n := (n +.i32 1); } else { skip; }
    list := [(list @ 8): ptr node];
  }
}
"#;
    let program = parse(text, FileId(0)).expect("a program");
    let mut shown = print(&program);
    let body = program.procs[0].body.as_ref().expect("a body");
    for this in flow::Loops::new(body).loops {
        shown += &format!("loop at {}, depth {}\n", this.head, this.depth);
    }
    insta::assert_snapshot!(shown);
}
