//! What is accepted, what is not, and what is said about it.

#![allow(clippy::unwrap_used, clippy::panic)]

use report::{Diagnostic, SourceMap};

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let mut sources = SourceMap::new();
    let file = sources.add("t.spl", text);
    let parsed = spl::parser::parse(file, text);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return parsed.diagnostics;
    }
    spl::check(&parsed.program).diagnostics
}

#[track_caller]
fn accepts(text: &str) {
    let found = diagnostics(text);
    assert!(found.is_empty(), "{text}\n{found:#?}");
}

/// The first error is about this part of the text, and says this.
#[track_caller]
fn rejects(text: &str, part: &str, message: &str) {
    let found = diagnostics(text);
    let Some(first) = found.first() else { panic!("accepted: {text}") };
    assert_eq!(first.message, message, "{text}");
    let span = first.pos.span().map(|s| &text[s.start as usize..s.end as usize]);
    assert_eq!(span, Some(part), "{text}");
}

const NODE: &str = "struct N { var next: N; var data: Int; }\n";

fn in_node(text: &str) -> String {
    format!("{NODE}{text}")
}

#[test]
fn syntax_of_the_reference_tool() {
    accepts("procedure p(x: Int) requires 0 <= x < 9 { }");
    accepts("function f(x: Int) returns (y: Int) { x == 0 ? 1 : (x == 1 ? 2 : 3) }");
    rejects(
        "function f(x: Int) returns (y: Int) { x == 0 ? 1 : x == 1 ? 2 : 3 }",
        "x == 1",
        "expected `Int`, found `Bool`",
    );
    rejects("procedure p() { ; }", ";", "expected an expression, found `;`");
    rejects(
        "procedure p(b: Bool) requires b ==> forall x: Int :: b { }",
        "forall",
        "expected an expression, found `forall`",
    );
    accepts("procedure p(b: Bool) requires b ==> (forall x: Int :: b) { }");
    // `!x in S` is `(!x) in S`, `A ++ B -- C` is `A ++ (B -- C)`.
    accepts("procedure p(b: Bool, S: Set<Bool>) requires !b in S { }");
    accepts("procedure split(x: Int) returns (y: Int) ensures x == y { y := x; }");
    rejects(
        "procedure p(x: Int) { split x == 0; }",
        "split x == 0;",
        "`split` is not supported: it has no meaning in the language",
    );
    rejects("procedure p() { x = 3; }", "=", "expected `:=`, found `=`");
    rejects(
        "struct S { var f: Int[]; }",
        "Int[]",
        "this way to write an array type is no longer part of the language",
    );
}

#[test]
fn one_name_space() {
    rejects(
        "struct A { var next: A; } struct B { var next: B; }",
        "next",
        "`next` is already declared",
    );
    rejects("struct A { var f: Int; var f: Int; }", "f", "`f` is already declared");
    accepts("type A; struct A { var f: Int; } var g: Int; var g: Int;");
    accepts("procedure p(x: Int) ensures x == x procedure p(x: Int) ensures x == x { }");
    rejects(
        "procedure p(x: Int) ensures x == x procedure p(x: Int) { }",
        "p",
        "`p` is declared in another way before",
    );
    rejects("procedure p() { } procedure p() { }", "p", "`p` is already declared");
    rejects("procedure p(x: Int) { var x: Int; }", "x", "`x` is already declared in this scope");
    accepts("procedure p(x: Int) { { var x: Int; } }");
    rejects(
        "procedure p() returns (r: Int) requires r == 0 { }",
        "r",
        "the result `r` has no value yet",
    );
    rejects("type T = Set<T>;", "T", "the type `T` is defined by itself");
}

#[test]
fn misspelt_names() {
    let text = in_node("procedure p(x: N) { x.nxet := null; }");
    let found = diagnostics(&text);
    assert_eq!(found[0].message, "there is no field `nxet`");
    assert_eq!(found[0].help.as_deref(), Some("did you mean `next`?"));
    let found = diagnostics(&in_node("procedure push(x: N) { psuh(x); }"));
    assert_eq!(found[0].help.as_deref(), Some("did you mean `push`?"));
    let found = diagnostics(&in_node("procedure p(first: N) { frist := null; }"));
    assert_eq!(found[0].help.as_deref(), Some("did you mean `first`?"));
    let found = diagnostics("procedure p(x: Itn) { }");
    assert_eq!(found[0].help.as_deref(), Some("did you mean `Int`?"));
    let found = diagnostics("options \"-abspred\" procedure p() { }");
    assert_eq!(found[0].help.as_deref(), Some("did you mean `-abspreds`?"));
}

#[test]
fn types_are_inferred() {
    accepts(&in_node("procedure p(x: N) { var y := x; y := null; var S := {x}; S := {}; }"));
    rejects(
        &in_node("procedure p() { var y := null; }"),
        "null",
        "the type of this expression is not determined",
    );
    rejects(
        "procedure p() { var S := {}; }",
        "{}",
        "the type of this expression is not determined",
    );
    accepts("procedure p() { var S := Set<Int>(); }");
    rejects(
        "procedure p(x: Int) { x := null; }",
        "null",
        "expected `Int`, found the type of `null`",
    );
    rejects(
        &in_node("procedure p(x: N) requires !acc(x) { }"),
        "!acc(x)",
        "a spatial assertion cannot be negated",
    );
    rejects(
        &in_node("procedure p(S: Set<N>) requires forall x in S :: acc(x) { }"),
        "forall x in S :: acc(x)",
        "`forall` over a spatial assertion is not supported",
    );
    rejects("procedure p(S: Set<Int>) requires S < S { }", "S < S", "sets have no strict order");
    // What is bound by a set has the type of its elements.
    accepts(
        "struct B { var length: Int; } procedure p(S: Set<B>) requires forall b in S :: b.length == 0 { }",
    );
    accepts(&in_node("procedure p(next: Map<N, N>, x: N) requires x.next == next[x] { }"));
}

#[test]
fn what_the_reference_tool_lets_pass_wrongly() {
    // `havoc` of a field, and an assignment to one, would break framing.
    rejects(
        &in_node("procedure p() { havoc next; }"),
        "next",
        "the field `next` of all objects cannot be assigned at once",
    );
    rejects(
        &in_node("procedure q() returns (x: Int) procedure p() { pure assert q() == 0; }"),
        "q()",
        "operations with side effects are not allowed in specifications",
    );
    // A formula may be any value.
    accepts("procedure p(x: Int) returns (b: Bool) { b := x == 3; b := b ==> x < 3; }");
}

#[test]
fn calls_and_results() {
    let two = "procedure two() returns (x: Int, y: Int)\n";
    accepts(&format!("{two}procedure p() {{ var a: Int, b: Int; a, b := two(); }}"));
    rejects(
        &format!("{two}procedure p() {{ two(); }}"),
        "two()",
        "the results of `two` are not used",
    );
    rejects(
        &format!("{two}procedure p(a: Int) {{ a := two(); }}"),
        "two()",
        "`two` has 2 results, not 1",
    );
    rejects(
        &format!("{two}procedure p(a: Int) {{ a := two() + 1; }}"),
        "two()",
        "expected `Int`, found `Permission`",
    );
    rejects(
        "procedure p(implicit ghost x: Int) procedure q() { p(3); }",
        "p",
        "`p` takes 0 arguments, but 1 is given",
    );
    rejects(
        "procedure p() { while (true) { return; } }",
        "return;",
        "a procedure cannot return from within a loop or a proof",
    );
    rejects(
        &in_node("procedure p(x: N, y: Int) { x.data, y := 1, 2; }"),
        "x.data",
        "only variables may be assigned simultaneously",
    );
    rejects("procedure p(x: Int) { x, x := 1, 2; }", "x", "this variable is assigned twice");
}

#[test]
fn macros() {
    accepts("define m(a, b) { a + b } procedure p(x: Int) requires m(x, 1) > 0 { }");
    rejects(
        "define m(a) { m(a) } procedure p(x: Int) requires m(x) > 0 { }",
        "m",
        "macro `m` is defined by itself",
    );
    rejects(
        "define m(a) { a } procedure p(x: Int) requires m() > 0 { }",
        "m",
        "macro `m` takes 1 argument, but 0 are given",
    );
    let mut bomb = String::from("define m0(a) { a + a }\n");
    for n in 1..60 {
        bomb += &format!("define m{n}(a) {{ m{}(m{}(a)) }}\n", n - 1, n - 1);
    }
    bomb += "procedure p(x: Int) requires m59(x) > 0 { }";
    assert!(diagnostics(&bomb)[0].message.starts_with("macros expand to more than"));
}

/// Habits from other languages, each with the one piece of advice that helps; never a second error.
#[test]
fn slips_of_beginners() {
    for (slip, help) in [
        ("procedure p(x: N) { x->next := null; }", "fields are written `x.f`"),
        ("procedure p(x: N) { var y: N = x; }", "assignment is written `:=`"),
        ("procedure p(i: Int) { i++; }", "write `i := i + 1;`"),
        ("procedure p(i: Int) { i += 2; }", "write `i := i + n;`"),
        ("procedure p(x: N) { int y; }", "write `var x: T;`"),
        ("procedure p(x: N) { delete x; }", "write `free x;`"),
        ("procedure p() { for (var i := 0; i < 3;) { } }", "write `while (…) invariant … { … }`"),
        ("procedure p(x: N) ensure acc(x) { }", "did you mean `ensures`?"),
        ("method p(x: N) { }", "write `procedure`"),
        (
            "procedure p(x: N) { x := new N(); }",
            "write `new T` without parentheses; fields are assigned one by one",
        ),
        ("function f(x: Int): Int { x }", "write `returns (r: T)`, with a name for the result"),
        (
            "function f(x: Int) returns (y: Int) { y := x; }",
            "the body of a function is an expression, which is its result",
        ),
        (
            "procedure p(x: N) requires acc(x) * x != null { }",
            "separating conjunction is written `&*&`",
        ),
        ("procedure p(S: Set<Int>) { S := S + {1}; }", "the union of sets is written `++`"),
        (
            "procedure p(x: N) requires acc(x) &*& { }",
            "`{ }` is the empty set here: something is missing before it",
        ),
        (
            "procedure p(x: N) ensures result == 3 { }",
            "a result has the name that `returns (…)` gives it",
        ),
        ("procedure p(x: N) requires x == nil { }", "write `null`"),
    ] {
        let found = diagnostics(&in_node(slip));
        let said: Vec<Option<&str>> = found.iter().map(|d| d.help.as_deref()).collect();
        assert_eq!(said, [Some(help)], "{slip}: {found:#?}");
    }
    // A name of one letter resembles no other.
    let found = diagnostics(&in_node("procedure p(x: N) { y := x; }"));
    assert_eq!(found[0].help, None);
    rejects(
        "procedure p() returns (r: Int) { return 1, 2; }",
        "return 1, 2;",
        "expected 1 value to return, found 2",
    );
    // What a macro that is wrong would have stood for is not looked for.
    let found = diagnostics("define m(a) { m(a) } procedure p(x: Int) requires m(x) { }");
    assert_eq!(found.len(), 1, "{found:#?}");
}
