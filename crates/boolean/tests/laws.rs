//! What everybody knows of `*` and `-*`, and what is not so.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use boolean::Solver;
use report::FileId;
use sl::ask::once;
use sl::{Answer, Satisfiability, Semantics};

fn decide(semantics: Semantics, texts: &[&str]) -> Answer<Satisfiability> {
    let files: Vec<(FileId, &str)> =
        texts.iter().enumerate().map(|(i, text)| (FileId(i as u32), *text)).collect();
    let document = sl::text::parse(&files).unwrap_or_else(|e| panic!("{texts:?}: {}", e.message));
    let (signature, mut solver) = (&document.signature, solver());
    let answer = match document.formulas.as_slice() {
        [left, right] => {
            once::entails(&mut solver, signature, semantics, left, right).counterexample()
        }
        formulas => once::check_sat(&mut solver, signature, semantics, formulas),
    };
    assert!(!matches!(answer, Answer::OutOfFragment(_)), "{texts:?}: {answer:?}");
    answer
}

fn solver() -> Solver {
    Solver::new(boolean::config(testing::z3(), Duration::from_secs(60)))
}

#[track_caller]
fn check(texts: &[&str], expected: &str) {
    for semantics in [Semantics::Standard, Semantics::Precise] {
        let verdict = decide(semantics, texts);
        assert_eq!(verdict.as_str(), expected, "{texts:?} {semantics:?}: {verdict:?}");
    }
}

#[track_caller]
fn sat(formula: &str) {
    check(&[formula], "sat");
}

#[track_caller]
fn unsat(formula: &str) {
    check(&[formula], "unsat");
}

#[track_caller]
fn valid(left: &str, right: &str) {
    check(&[left, right], "unsat");
}

#[track_caller]
fn invalid(left: &str, right: &str) {
    check(&[left, right], "sat");
}

#[test]
fn cells() {
    sat("x |-> y * y |-> x");
    unsat("x |-> y * x |-> z");
    unsat("nil |-> y");
    unsat("x |-> y && emp");
    unsat("x |-> y && y |-> x && !(x |-> x)");
    valid("x |-> y && x |-> z", "y = z * x |-> y");
    sat("!(x |-> y) && !emp");
    invalid("x |-> y * true", "x |-> y");
}

#[test]
fn how_many_locations() {
    let one = "(!emp && !(!emp * !emp))";
    let two = "(!emp * !emp)";
    sat(one);
    sat(&format!("{one} * {one}"));
    unsat(&format!("{one} && {two}"));
    valid(&format!("{one} * {one}"), two);
    invalid(two, &format!("{one} * {one}"));
    valid("x |-> y", one);
    valid("x |-> y * y |-> z", &format!("{one} * {one}"));
    valid(&format!("{two} * {two}"), &format!("{one} * {one} * {one} * true"));
    invalid(&format!("{two} * {two}"), &format!("{one} * {one} * {one} * {one}"));
    // Two locations, and none of them has a name.
    sat(&format!("({one} * {one}) && !(x |-> y * true) && !(x |-> x * true) && (true -* true)"));
    unsat(&format!("x |-> y * y |-> x * {one} && !({two} * {one})"));
}

#[test]
fn wands_come_and_go() {
    valid("x |-> y * (x |-> y -* z |-> z)", "z |-> z");
    valid("z |-> z", "x |-> y -* (x |-> y * z |-> z)");
    invalid("x |-> y -* (x |-> y * z |-> z)", "z |-> z");
    valid("!emp * (!emp -* z |-> z)", "z |-> z");
    valid("emp -* x |-> y", "x |-> y");
    valid("x |-> y", "emp -* x |-> y");
    // What is below a wand may be false because the heap cannot be added.
    sat("(x |-> y -* false) && !emp");
    valid("x |-> z", "x |-> y -* false");
    invalid("x |-> y -* false", "x |-> z * true");
    unsat("(x |-> y -* false) && emp && !(x |-> y -* x |-> z)");
    sat("(x |-> y -* false) && emp");
    unsat("(x |-> y -* false) && emp && !(x |-> x -* false)");
}

#[test]
fn any_heap_can_be_added() {
    // There is always another location.
    unsat("!emp -* false");
    unsat("true -* emp");
    valid("true", "!emp -* !emp");
    valid("!emp", "!emp -* (!emp * !emp)");
    invalid("!emp", "!emp -* (!emp * !emp * !emp)");
    unsat(
        "(true -* !(x |-> y * true)) && !(x |-> y * true) && !(x |-> z * true) && emp && !(x |-> y -* false)",
    );
    // If `x` cannot be added, it is there or it is `nil`.
    valid("!emp * (x |-> y -* false)", "(x |-> y -* false) || x |-> z || !emp");
    unsat("x |-> y * (true -* !(x |-> y * true)) && !(x |-> y * true)");
    // Something can be at `x` that is neither `y` nor `z`.
    unsat("emp && !(x |-> y -* false) && ((!emp && !(!emp * !emp)) -* (x |-> y || x |-> z))");
    sat("!(!((x |-> y * true) || (x |-> z * true)) -* !(!emp * !emp))");
}

#[test]
fn septraction() {
    // `x |-> y` can be added so that the result is as on the right.
    let can_add = |right: &str| format!("!(x |-> y -* !({right}))");
    valid(&can_add("x |-> y * z |-> z"), "z |-> z");
    sat(&can_add("x |-> y * z |-> z"));
    unsat(&can_add("x |-> x && !(x |-> y)"));
    valid(&can_add("true"), "!(x |-> z * true)");
    // Any heap can be taken away again.
    valid("emp", "!(!emp -* emp)");
    sat("!(!emp -* !(x |-> y * z |-> x))");
    valid("!(!emp -* !(x |-> y))", "emp");
}

#[test]
fn nested_wands() {
    valid("x |-> y -* z |-> y -* true", "x |-> y * z |-> y -* true");
    valid(
        "(x |-> y) -* ((z |-> y) -* (x |-> y * true))",
        "(x |-> y * z |-> y) -* (x |-> y * true)",
    );
    valid("(x |-> y * z |-> y) -* (w |-> w)", "(x |-> y) -* ((z |-> y) -* (w |-> w))");
    valid("!emp -* (!emp -* (x |-> y * true))", "(!emp * !emp) -* (x |-> y * true)");
    unsat("(!emp * !emp) -* !(!emp * !emp * !emp)");
    unsat("(true -* (true -* emp))");
    sat("!(true -* !(true -* (true || emp)))");
}

#[test]
fn distribution() {
    valid("x |-> y * (emp || z |-> z)", "x |-> y || x |-> y * z |-> z");
    valid("x |-> y * (true && !emp)", "(x |-> y * true) && (x |-> y * !emp)");
    valid("(x |-> y * true) && (x |-> y * !emp)", "x |-> y * !emp");
    // Only where the common part is precise.
    invalid("(true * x |-> y) && (true * z |-> z)", "true * (x |-> y && z |-> z)");
    invalid("(!emp * x |-> y) && (!emp * z |-> z)", "!emp * (x |-> y && z |-> z)");
    valid("!emp * (x |-> y && z |-> z)", "(!emp * x |-> y) && (!emp * z |-> z)");
    valid("(emp || x |-> y) * (emp || x |-> y)", "emp || x |-> y");
    valid("!(x |-> y) * !(x |-> y)", "!(x |-> y)");
    invalid("!(x |-> y) * !(z |-> y)", "!(x |-> y)");
    valid("!(x |-> y) && emp", "!(x |-> y) * !(x |-> y)");
}

/// Data is looked at only as a whole, but numbers have their own laws.
#[test]
fn numbers() {
    let declared = "sort Ref; record Cell { value: Int }; heap Ref -> Cell; var x: Ref; ";
    let with = |text: &str| format!("{declared}{text}");
    unsat(&with("(x |-> {value: n} && x |-> {value: m}) * n < m"));
    sat(&with("x |-> {value: n} && !(x |-> {value: m}) && !(x |-> {value: n + 1})"));
    unsat(&with("(x |-> {value: n + 1} && x |-> {value: m}) * m <= n"));
    // There is always another number.
    unsat(&with(
        "emp && !(x |-> {value: n} -* false) && \
         ((!emp && !(!emp * !emp)) -* (x |-> {value: n} || x |-> {value: 3}))",
    ));
    let one = "(!emp && !(!emp * !emp))";
    sat(&with(&format!("{one} * {one} && !(x |-> {{value: n}} * true)")));
}

/// There are only two truth values.
#[test]
fn truth_values() {
    let declared = "sort Ref; record Cell { value: Bool }; heap Ref -> Cell; var x: Ref; ";
    let with = |text: &str| format!("{declared}var p: Bool; var q: Bool; var r: Bool; {text}");
    let at_x = |v: &str| format!("x |-> {{value: {v}}}");
    let (p, q, r) = (at_x("p"), at_x("q"), at_x("r"));
    unsat(&with(&format!("{p} && !({q}) && !({r}) && (q = r * true -* false)")));
    sat(&with(&format!("{p} && !({q}) && !({r})")));
    // If `p` and `q` are different, `x` holds one of them.
    let elsewhere = format!("!({p} * true) && !({q} * true)");
    let can_hold = |r: &str| format!("emp && !(({elsewhere}) -* !({r} * true))");
    let standard = |text: String| decide(Semantics::Standard, &[&with(&text)]);
    assert_eq!(standard(format!("{} && p != q", can_hold(&r))).as_str(), "unsat");
    assert_eq!(standard(format!("{} && p = q", can_hold(&r))).as_str(), "sat");
}

#[test]
fn several_sorts() {
    let declared = "sort A; sort B; record a { b: B }; record b { a: A }; \
                    heap A -> a; heap B -> b; var x: A; var y: B; ";
    let with = |text: &str| format!("{declared}{text}");
    sat(&with("x |-> {b: y} * y |-> {a: x}"));
    unsat(&with("x |-> {b: y} && y |-> {a: x}"));
    unsat(&with("emp && !(x |-> {b: y} -* false) && (!emp -* (x |-> {b: y} * true))"));
    sat(&with("!(x |-> {b: y}) && !(y |-> {a: x}) && !emp && !(!emp * !emp)"));
}

/// What is not recursive is not inductive.
#[test]
fn definitions() {
    valid(
        "pred two(a, b) := a |-> b * b |-> a; two(x, y) && !(x |-> x * true)",
        "two(y, x) * (x != y && emp)",
    );
    sat("pred odd(a) := !(a |-> a * true) * !emp; odd(x) && odd(y)");
    let texts = [(FileId(0), "ls(x, y)")];
    let document = sl::text::parse(&texts).unwrap();
    let nobody = std::path::PathBuf::from("no solver is needed");
    let mut solver = Solver::new(boolean::config(nobody, Duration::from_secs(1)));
    let signature = &document.signature;
    let verdict = once::check_sat(&mut solver, signature, Semantics::Precise, &document.formulas);
    assert!(matches!(verdict, Answer::OutOfFragment(_)), "{verdict:?}");
}

#[test]
fn quantifiers() {
    valid("x |-> y", "exists z. x |-> z");
    valid("exists z. x |-> z", "!emp");
    invalid("exists z. x |-> z", "x |-> y");
    unsat("(forall z. !(x |-> z * true)) && (x |-> y * true)");
    unsat("(exists z. x |-> z) && (forall z. !(x |-> z))");
    sat("forall z. !(z |-> x * true)");
    // A heap cannot have all locations; that it has all that have a name says nothing.
    let everything = decide(Semantics::Standard, &["forall z. z = nil || !(z |-> x -* true)"]);
    assert_ne!(everything.as_str(), "sat");
}

/// Every instance of a quantifier has new names, of which the quantifiers below have instances.
#[test]
fn nested_quantifiers_come_to_an_end() {
    let text = "forall a. forall b. forall c. forall d. !(a |-> b * c |-> d * true)";
    let document = sl::text::parse(&[(FileId(0), text)]).unwrap();
    let (signature, formulas) = (&document.signature, &document.formulas);
    let verdict = once::check_sat(&mut solver(), signature, Semantics::Standard, formulas);
    assert!(matches!(verdict, Answer::OutOfFragment(_)), "{verdict:?}");
}

/// What must hold of the stack is known everywhere below.
#[test]
fn known_facts() {
    unsat("x != nil && x != y && (x = y && emp || x |-> y) && !(x |-> y)");
    unsat("x |-> y * y != nil && (y = nil || emp)");
    sat("(x = y || x |-> y) && (x = y || !(x |-> y))");
    // A negation may also hold because the heap is not empty, if pure atoms are about the empty heap.
    let text = "!(x = y) && (x = y) * a |-> b";
    assert_eq!(decide(Semantics::Precise, &[text]).as_str(), "sat");
    assert_eq!(decide(Semantics::Standard, &[text]).as_str(), "unsat");
}

/// The same cell twice is no heap, however deep in wands it is asked for.
#[test]
fn wands_towards_nothing() {
    sat(
        "a |-> b * b |-> c && !(a |-> b * (a |-> c -* (b |-> c * (b |-> a -* b |-> b * b |-> a))))",
    );
    sat("a |-> b * b |-> c && !(a |-> b * (a |-> c -* (b |-> c * (b |-> a -* false))))");
}
