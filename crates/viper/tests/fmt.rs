//! The formatter, by example.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use report::FileId;
use viper::{fmt, parser, print};

/// `input` is formatted as `expected`, which is left alone, and both are the same program.
#[track_caller]
fn formats(input: &str, expected: &str) {
    let output = fmt::format(input).unwrap();
    assert_eq!(output, expected);
    assert_eq!(fmt::format(&output).unwrap(), output, "formatting twice");
    let parse = |text| parser::parse(FileId(0), text).program;
    assert_eq!(parse(input), parse(&output));
}

/// Is already as it should be.
#[track_caller]
fn keeps(text: &str) {
    formats(text, text);
}

#[test]
fn spaces_and_blank_lines() {
    formats(
        "field  f:Int;field g : Ref\n\n\n\nmethod m( x:Ref,y : Int )returns( z:Int ){\n\n\n\
         z:=x . f+y;if(z>0){z:=1}else{}\n\n\n  assert z  >=0\n\n}",
        "\
field f: Int;
field g: Ref

method m(x: Ref, y: Int) returns (z: Int) {
    z := x.f + y;
    if (z > 0) {
        z := 1
    } else {}

    assert z >= 0
}
",
    );
    formats("", "");
    formats("// only a comment", "// only a comment\n");
    formats("\n\n\n// a\n\n\n\n// b\n\n", "// a\n\n// b\n");
}

#[test]
fn line_breaks_and_byte_order_marks_stay() {
    let dos = "field f: Int\r\n\r\n// c\r\nfield g: Int\r\n";
    keeps(dos);
    keeps(&format!("\u{feff}{dos}"));
    keeps("\u{feff}field f: Int\n");
    formats("\u{feff}field f:Int\r\n", "\u{feff}field f: Int\r\n");
    // What most of them are; if there are as many of both, what the first is.
    formats(
        "field f: Int\r\nfield g: Int\nfield h: Int\n",
        "field f: Int\nfield g: Int\nfield h: Int\n",
    );
    formats("field f: Int\r\nfield g: Int\n", "field f: Int\r\nfield g: Int\r\n");
    formats("field f: Int\nfield g: Int\r\n", "field f: Int\nfield g: Int\n");
}

#[test]
fn parentheses_and_semicolons_stay() {
    keeps(
        "\
method m(a: Int, b: Int)
    requires ((a)) + (b) > 0;
    ensures ((a > 0) ==> (b > 0))
{
    a := (((b)));
    (x).f := ((f(a): Int))
    assert (a < b) < c
    assert --1 == !(!true)
}
",
    );
}

#[test]
fn comments_stay_on_their_lines() {
    keeps(
        "\
// A header.

/* A file. */
field f: Int // trailing

// before g
field g: Int
// after g

method m(/* none */) // no results
{ // starts
    var x: Int // first
    // own line

    /* ghost */ var y: Int /* at the end */
    x := 2 + // continued
        y
    if (x > 0) {
        // nothing else
    } // then
    else { /* no */
        x := /* inline */ 3
        // last
    }
    // the end
}
// the very end
",
    );
}

#[test]
fn comments_in_contracts_and_conjunctions() {
    formats(
        "\
method m(x: Ref)
  // before
  requires acc(x.f) && // first
 acc(x.g)     // second
      // of the clause
   && true
  // after
{
}
",
        "\
method m(x: Ref)
    // before
    requires acc(x.f) && // first
        acc(x.g) // second
        // of the clause
        && true
    // after
{}
",
    );
}

#[test]
fn comments_in_lists() {
    formats(
        "method m(a: Int, // the first\n  b: Int /* the second */) { f(a, /* inline */ b) x := f(a,\n// own\nb\n// last\n) }",
        "\
method m(
    a: Int, // the first
    b: Int /* the second */
) {
    f(a, /* inline */ b)
    x := f(
        a,
        // own
        b
        // last
    )
}
",
    );
}

#[test]
fn stars_of_comments_are_aligned() {
    formats(
        "domain D {\n/** Says\n* what\n      * this is. */\nfunction f(): Int }",
        "\
domain D {
    /** Says
     * what
     * this is. */
    function f(): Int
}
",
    );
    // Other comments may be drawings or code.
    keeps("/* a\n      b\n  c */\nfield f: Int\n");
}

#[test]
fn long_expressions() {
    formats(
        "predicate list(this: Ref) { acc(this.value) && acc(this.next) && (this.next != null ==> list(this.next)) && this.value >= 0 }",
        "\
predicate list(this: Ref) {
    acc(this.value)
    && acc(this.next)
    && (this.next != null ==> list(this.next)) && this.value >= 0
}
",
    );
    formats(
        "function f(s: Seq[Int], i: Int): Bool requires forall j: Int :: { s[j] } 0 <= j && j < |s| && i != j ==> s[j] <= s[i] && s[j] >= 0 { let x == (s[i]) in x > 100000000000000000000000000 ? x < 20000000000000000000000000 : x != 3 }",
        "\
function f(s: Seq[Int], i: Int): Bool
    requires forall j: Int ::
        { s[j] } 0 <= j && j < |s| && i != j ==> s[j] <= s[i] && s[j] >= 0
{
    let x == (s[i])
    in x > 100000000000000000000000000 ?
            x < 20000000000000000000000000 : x != 3
}
",
    );
}

#[test]
fn long_calls_and_signatures() {
    formats(
        "method m(first_argument: Int, second_argument: Int, third_argument: Int, fourth_argument: Int, fifth: Int) { m(first_argument + second_argument, third_argument, fourth_argument, fifth, first_argument) if (first_argument > second_argument && third_argument > fourth_argument && fifth > 0) { assert true } }",
        "\
method m(
    first_argument: Int,
    second_argument: Int,
    third_argument: Int,
    fourth_argument: Int,
    fifth: Int
) {
    m(
        first_argument + second_argument,
        third_argument,
        fourth_argument,
        fifth,
        first_argument
    )
    if (first_argument > second_argument
        && third_argument > fourth_argument && fifth > 0)
    {
        assert true
    }
}
",
    );
}

#[test]
fn every_declaration() {
    keeps(
        "\
import \"other.vpr\"
import <decreases/int.vpr>

define zero 0
define Ints Seq[Int]
define swap(a, b) {
    a := b
}

@opaque()
@key.dotted(\"a\", \"b\")
function f(x: Int): Int
    requires x > 0
    decreases x, 1 if x > 0
    ensures result > 0

domain D[T]
    interpretation (SMTLIB: \"Int\")
{
    unique function d(Int, y: T): D[T]
    function e(): Int interpretation \"e\"

    axiom {
        true
    }
    axiom named {
        e() == 1
    }
}

adt List[T] {
    Nil();
    Cons(head: T, tail: List[T])
} derives {
    contains without tail
}

predicate P(x: Ref)

method abstract(x: Ref) returns ()
    decreases *
",
    );
}

#[test]
fn every_statement() {
    keeps(
        "\
method m(x: Ref) {
    define here x
    var a: Int, b: Int := 1
    a, x.f := n(x)
    x := new(*)
    x := new(f, g)
    fold acc(P(x), 1 / 2)
    unfold P(x)
    package A --* B
    package A --* B {
        fold P(x)
    }
    apply A --* B
    while (true) {}
    while (a > 0)
        invariant a > 0

        invariant b > 0
        decreases a
    {
        a := a - 1
    }
    if (a == 1) {
        goto end
    } elseif (a == 2) {
        m(x)
    } else {
        m
    }
    label end
        invariant true
    quasihavoc a > 0 ==> x.f
    quasihavocall y: Ref :: y == x ==> P(y)
    @key()
    assert true
    {
        refute false
    }
}
",
    );
}

#[test]
fn every_expression() {
    keeps(
        "\
method m() {
    inhale [true, false] && perm(x.f) >= write - none
    assume forperm r: Ref [r.f] :: r.f in [0..3)
    assert s[1] + s[..1][2..][3..4][0 := 1][0] == | |s| + |t| |
    assert exists x: Int, y: Int :: { f(x), g(y) } { h(x, y) } x < y <= 3
    assert Map(1 := 2)[1] == 2 && Map[Int, Int]() != range(m)
    assert old[lhs](x) == old[l](x) && Set[Int]() == Set() union Set(1, 2)
    assert unfolding P(x) in applying (A --* B) in asserting (c) in #P(x)
    assert @trigger(\"1\") (a --* b) && (a ? b : c) || !a.f && -b.g > -1
    assert a ==> b <==> c ==> d --* e ==> f
}
",
    );
    formats("import  <a/b c.vpr>  // c\nfield f:Int", "import <a/b c.vpr> // c\nfield f: Int\n");
    formats("define A ||s| + 1|", "define A | |s| + 1|\n");
}

#[test]
fn errors_are_reported() {
    let errors = fmt::format("method m( {").unwrap_err();
    assert!(errors.iter().any(report::Diagnostic::is_error));
}

#[test]
fn what_is_printed_is_formatted() {
    let text =
        "field f: Int method m(x:Ref)requires acc(x.f)&&x.f>0{package true--*true{}\n{x.f:=1}}";
    let parsed = parser::parse(FileId(0), text);
    let printed = print::program(&parsed.program);
    assert_eq!(fmt::format(&printed).unwrap(), printed);
}

#[test]
fn deep_and_long_programs_take_linear_time() {
    let sum = vec!["x"; 2900].join(" + ");
    let conjunction = vec!["x > 0"; 2900].join(" && ");
    let parens = format!("{}x{}", "(".repeat(500), ")".repeat(500));
    let text = format!(
        "method m(x: Int) {{\nassert {sum} > 0\nassert {conjunction}\nassert {parens} > 0\n}}"
    );
    let output = fmt::format(&text).unwrap();
    assert_eq!(fmt::format(&output).unwrap(), output);
}
