//! What people see: the exact text for typical and for nasty diagnostics.
#![allow(clippy::panic)]

use std::time::Duration;

use report::human::{Options, members, render_diagnostic, summary, totals};
use report::{Counterexample, Diagnostic, FileId, FileReport, HeapValue, MemberReport};
use report::{Pos, SourceMap, Span, Status};

/// The span of the `n`th occurrence (from 0) of `what`.
fn find(sources: &SourceMap, file: FileId, what: &str, n: usize) -> Span {
    let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
    let start = text.match_indices(what).nth(n).unwrap_or_else(|| panic!("no `{what}`")).0 as u32;
    Span { file, start, end: start + what.len() as u32 }
}

fn render(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let text = render_diagnostic(diagnostic, "list.vpr", sources, Options::default());
    text.lines().map(|l| format!("{}\n", l.trim_end())).collect()
}

const LIST: &str = "field next: Ref\n\npredicate list(x: Ref) {\n    x != null ==> acc(x.next) && list(x.nxt)\n}\n";

#[test]
fn carets_labels_and_help() {
    let mut sources = SourceMap::new();
    let file = sources.add("list.vpr", LIST);
    let nxt = find(&sources, file, "nxt", 0);
    let d = Diagnostic::error("typechecker.error", nxt, "there is no field `nxt`")
        .with_label(find(&sources, file, "next", 0), "a field with a similar name")
        .with_help("did you mean `next`?");
    assert_eq!(
        render(&d, &sources),
        "\
error[typechecker.error]: there is no field `nxt`
 --> list.vpr:4:41
  |
1 | field next: Ref
  |       ---- a field with a similar name
2 |
3 | predicate list(x: Ref) {
4 |     x != null ==> acc(x.next) && list(x.nxt)
  |                                         ^^^
  |
  = help: did you mean `next`?
"
    );
}

#[test]
fn the_branch_that_leads_to_a_failure() {
    let mut sources = SourceMap::new();
    let file = sources.add("list.vpr", LIST);
    let mut d = Diagnostic::error(
        "assert.failed:assertion.false",
        find(&sources, file, "x != null", 0),
        "Assertion x != null might not hold.",
    );
    d.branch = vec!["y > 0".into(), "!(y == 2)".into()];
    assert_eq!(
        render(&d, &sources),
        "\
error[assert.failed:assertion.false]: Assertion x != null might not hold.
 --> list.vpr:4:5
  |
4 |     x != null ==> acc(x.next) && list(x.nxt)
  |     ^^^^^^^^^
  |
  = note: on the path where y > 0, !(y == 2)
"
    );
}

#[test]
fn values_for_which_it_may_fail() {
    let mut sources = SourceMap::new();
    let file = sources.add("list.vpr", LIST);
    let mut d = Diagnostic::error(
        "assert.failed:assertion.false",
        find(&sources, file, "x != null", 0),
        "Assertion x != null might not hold.",
    );
    d.branch = vec!["y > 0".into()];
    d.counterexample = Some(Box::new(Counterexample {
        confirmed: true,
        states: Vec::new(),
        variables: vec![("x".into(), "null".into()), ("count".into(), "3".into())],
        heap: vec![
            HeapValue {
                location: "x.next".into(),
                permission: "1/2".into(),
                value: Some("x".into()),
            },
            HeapValue { location: "list(x)".into(), permission: "1".into(), value: None },
        ],
    }));
    assert_eq!(
        render(&d, &sources),
        "\
error[assert.failed:assertion.false]: Assertion x != null might not hold.
 --> list.vpr:4:5
  |
4 |     x != null ==> acc(x.next) && list(x.nxt)
  |     ^^^^^^^^^
  |
  = note: on the path where y > 0
  = note: it may fail for
            x       = null
            count   = 3
            x.next  = x  (permission 1/2)
            list(x)   (permission 1)
"
    );
    d.branch.clear();
    d.counterexample =
        Some(Box::new(Counterexample { confirmed: true, ..Counterexample::default() }));
    assert!(!render(&d, &sources).contains("note"), "there is nothing to show");
    d.counterexample = Some(Box::default());
    assert!(render(&d, &sources).contains("no counterexample could be confirmed"));
}

#[test]
fn a_table_of_members_and_what_was_counted() {
    let member = |name: &str, ms, stats| MemberReport {
        name: name.into(),
        kind: "method".into(),
        status: Status::Verified,
        time: Duration::from_millis(ms),
        stats,
    };
    let mut report = FileReport::new("a.vpr", Status::Verified, Vec::new());
    report.members = vec![
        member("quick", 2, Vec::new()),
        member("slow", 1234, vec![("queries", 7), ("unknown", 0), ("solver_ms", 80)]),
    ];
    assert_eq!(
        members(&report, 9),
        "    1234 ms  method     slow   verified, 7 queries, 80 solver ms\n       \
         2 ms  method     quick  verified\n"
    );
    assert_eq!(members(&report, 1).lines().count(), 1);
    report.stats = vec![("paths", 3)];
    assert_eq!(totals(&report), "       0 ms  a.vpr: verified, 3 paths\n");
}

#[test]
fn places_far_apart_get_excerpts_of_their_own() {
    let mut sources = SourceMap::new();
    let text = format!("field f: Int\n{}field f: Ref\n", "\n".repeat(1000));
    let file = sources.add("list.vpr", text);
    let second = find(&sources, file, "f: Ref", 0);
    let d = Diagnostic::error("consistency.error", second, "`f` is declared twice")
        .with_label(find(&sources, file, "f: Int", 0), "first declared here");
    assert_eq!(
        render(&d, &sources),
        "\
error[consistency.error]: `f` is declared twice
    --> list.vpr:1002:7
     |
1002 | field f: Ref
     |       ^^^^^^
     |
    ::: list.vpr:1:7
     |
   1 | field f: Int
     |       ------ first declared here
"
    );
}

#[test]
fn short_blocks_are_drawn_and_long_ones_shrink() {
    let mut sources = SourceMap::new();
    let short = "method m() {\n  assert true\n}\n";
    let long = format!("method n() {{\n{}}}\n", "  assert true\n".repeat(50));
    let a = sources.add("a.vpr", short);
    let b = sources.add("b.vpr", long.as_str());
    let whole = |file, text: &str| Span { file, start: 0, end: text.len() as u32 - 1 };
    assert_eq!(
        render(&Diagnostic::warning("x.warning", whole(a, short), "all of this"), &sources),
        "\
warning[x.warning]: all of this
 --> a.vpr:1:1
  |
1 | / method m() {
2 | |   assert true
3 | | }
  | |_^
"
    );
    assert_eq!(
        render(&Diagnostic::warning("x.warning", whole(b, &long), "all of this"), &sources),
        "\
warning[x.warning]: all of this
 --> b.vpr:1:1
  |
1 | method n() {
  | ^^^^^^^^^^^^
"
    );
}

#[test]
fn without_a_position_the_file_is_named() {
    let sources = SourceMap::new();
    let elsewhere = Span { file: FileId(9), start: 1, end: 2 };
    for pos in [Pos::None, Pos::Foreign(7), Pos::Source(elsewhere)] {
        let d = Diagnostic::error("parser.error", pos, "cannot read the file: permission denied")
            .with_help("is it yours?");
        assert_eq!(
            render(&d, &sources),
            "\
error[parser.error]: cannot read the file: permission denied
--> list.vpr
 = help: is it yours?
"
        );
    }
}

#[test]
fn the_end_of_the_file_is_a_place() {
    let mut sources = SourceMap::new();
    let file = sources.add("list.vpr", "method m()\n{\n");
    let end = Span { file, start: 13, end: 13 };
    assert_eq!(
        render(&Diagnostic::error("parser.error", end, "expected `}`"), &sources),
        "\
error[parser.error]: expected `}`
 --> list.vpr:3:1
  |
3 |
  | ^
"
    );
}

#[test]
fn long_lines_are_cut_and_the_column_stays_right() {
    let mut sources = SourceMap::new();
    let text = format!("{} bad {}", "ä".repeat(1_000_000), "ö".repeat(1_000_000));
    let file = sources.add("list.vpr", text);
    let d = Diagnostic::error("parser.error", find(&sources, file, "bad", 0), "unexpected `bad`");
    let text = render(&d, &sources);
    assert!(text.contains("list.vpr:1:1000002\n"), "{text}");
    assert!(text.contains("ää bad öö"), "{text}");
    assert!(text.contains("^^^\n"), "{text}");
    assert!(text.len() < 1000, "{} bytes", text.len());
}

#[test]
fn tabs_carriage_returns_and_escapes_do_no_harm() {
    let mut sources = SourceMap::new();
    let file = sources.add("list.vpr", "\tx\u{1b}[31m := 1\r\n\ty := 2\r\n");
    let first = find(&sources, file, ":= 1", 0);
    let d = Diagnostic::error("parser.error", first, "odd \u{1b}[31m name")
        .with_label(find(&sources, file, "y", 0), "one\ntwo");
    assert_eq!(
        render(&d, &sources),
        "\
error[parser.error]: odd \u{FFFD}[31m name
 --> list.vpr:1:9
  |
1 |     x\u{241B}[31m := 1
  |            ^^^^
2 |     y := 2
  |     - one two
"
    );
}

#[test]
fn colours_are_there_on_request_only() {
    let mut sources = SourceMap::new();
    let file = sources.add("list.vpr", LIST);
    let d = Diagnostic::error("parser.error", find(&sources, file, "nxt", 0), "no");
    let with = |color| {
        render_diagnostic(&d, "list.vpr", &sources, Options { color, ..Options::default() })
    };
    assert!(!with(false).contains('\u{1b}'));
    assert!(with(true).contains('\u{1b}'));
}

#[test]
fn one_line_for_the_whole_run() {
    let report = |status, diagnostics| FileReport::new("x.vpr", status, diagnostics);
    let error = Diagnostic::error("parser.error", Pos::None, "");
    let warning = Diagnostic::warning("parser.warning", Pos::None, "");
    let valid = report(Status::Valid, vec![]);
    let invalid = report(Status::Invalid, vec![error.clone(), error, warning]);
    let ms = Duration::from_millis;
    assert_eq!(summary(std::slice::from_ref(&valid), ms(3)), "1 file: 1 valid (3 ms)");
    assert_eq!(
        summary(&[valid.clone(), invalid, valid], ms(1200)),
        "3 files: 2 valid, 1 invalid; 2 errors, 1 warning (1200 ms)"
    );
}

/// Any span in any text can be drawn: past the end, backwards, inside a character, over CR LF.
#[test]
fn any_span_can_be_drawn() {
    let mut random = testing::Random::new(0x9E37_79B9_7F4A_7C15);
    let mut next = |bound: usize| random.below(bound);
    let pieces = [
        "a",
        "\n",
        "\r\n",
        "\t",
        "ä",
        "漢",
        "\u{301}",
        "\u{0}",
        "\u{202e}",
        "🦀",
        " ",
        "xxxxxxxxxxxxxxxxxxxx",
    ];
    for _ in 0..3000 {
        let text: String = (0..next(60)).map(|_| pieces[next(pieces.len())]).collect();
        let mut sources = SourceMap::new();
        let file = sources.add("list.vpr", text.as_str());
        let mut span =
            || Span { file, start: next(text.len() + 3) as u32, end: next(text.len() + 3) as u32 };
        let d = Diagnostic::error("parser.error", span(), "m")
            .with_label(span(), "l")
            .with_label(span(), "k")
            .with_help("h");
        assert!(render(&d, &sources).starts_with("error[parser.error]: m\n"));
    }
}
