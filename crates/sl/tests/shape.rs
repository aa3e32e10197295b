//! Predicates are recognised by what they define.
#![allow(clippy::unwrap_used, clippy::panic)]

use report::FileId;
use sl::Semantics;
use sl::shape::{Shape, classify};

/// A short description of the shape of the first predicate.
fn shape(text: &str) -> String {
    let document =
        sl::text::parse(&[(FileId(0), text)]).unwrap_or_else(|e| panic!("{text}: {}", e.message));
    let definition = &document.signature.predicates[&"p".into()];
    classify(definition, &document.signature, Semantics::Precise)
        .map_or("other".into(), |shape| describe(&shape))
}

fn describe(shape: &Shape) -> String {
    match shape {
        Shape::List(l) => {
            let mut words = vec![format!("{}-{}->{:?}", l.root, l.next, l.end)];
            for (holds, word) in [
                (l.acyclic, "acyclic"),
                (!l.may_be_empty, "nonempty"),
                (l.from_the_end, "from the end"),
                (l.is_plain_segment(), "plain"),
            ] {
                if holds {
                    words.push(word.into());
                }
            }
            if let Some(b) = l.back {
                words.push(format!("back {} {} {:?}", b.prev, b.before, b.last));
            }
            for m in &l.measures {
                words.push(format!("{} {:?} {:?} {:?}", m.param, m.field, m.change, m.at_end));
            }
            for o in &l.orders {
                words.push(format!("sorted {} {:?}", o.field, o.change));
            }
            for n in &l.nested {
                words.push(format!("nested {} {} {:?}", n.field, n.predicate, n.end));
            }
            if !l.nil_fields.is_empty() {
                words.push(format!("nil {:?}", l.nil_fields));
            }
            if !l.free_fields.is_empty() {
                words.push(format!("free {:?}", l.free_fields));
            }
            words.join(", ")
        }
        Shape::Tree(t) => {
            format!("tree {} {:?} {:?} {}", t.root, t.children, t.parent, t.may_be_empty)
        }
    }
}

const NODE: &str = "sort L; record N { n: L }; heap L -> N;";
const PAIR: &str = "sort L; record N { n: L, p: L }; heap L -> N;";
const DATA: &str = "sort L; record N { n: L, d: Int }; heap L -> N;";

#[test]
fn singly_linked_segments() {
    let with = |body: &str| shape(&format!("{NODE} pred p(x: L, y: L) := {body};"));
    let plain = "0-0->Param(1), acyclic, plain";
    assert_eq!(with("x = y || exists u. x != y * x |-> u * p(u, y)"), plain);
    assert_eq!(with("(exists z. p(z, y) * x |-> z * y != x) || y = x * emp"), plain);
    assert_eq!(with("x = y || exists u, v. v = x * x != y * v |-> u * p(u, y)"), plain);
    assert_eq!(with("x = y || exists u. x != nil * x != y * x |-> u * p(u, y)"), plain);
    assert_eq!(with("x = y || exists u. x |-> u * p(u, y)"), "0-0->Param(1)");
    assert_eq!(with("x |-> y || exists u. x |-> u * p(u, y)"), "0-0->Param(1), nonempty");
    assert_eq!(with("x = y || exists u. u |-> y * p(x, u)"), "0-0->Param(1), from the end");
    assert_eq!(with("x = y || exists u. y |-> u * p(x, u)"), "1-0->Param(0)");
    assert_eq!(with("x = y || exists u. x != u * x |-> u * p(u, y)"), "other");
    assert_eq!(with("x = y || exists u. y != nil * x |-> u * p(u, y)"), "other");
    assert_eq!(with("emp || exists u. x |-> u * p(u, y)"), "other");
    // The last location is the end, which is more than a list says.
    assert_eq!(with("x = y * x |-> y || exists u. x |-> u * p(u, y)"), "other");
    let nil = |body: &str| shape(&format!("{NODE} pred p(x: L) := {body};"));
    assert_eq!(nil("x = nil * x |-> nil || exists u. x |-> u * p(u)"), "other");
}

/// What the fields of the only location of the shortest list hold counts, too.
#[test]
fn segments_from_the_end() {
    let with = |body: &str| shape(&format!("{PAIR} pred p(x: L, y: L) := {body};"));
    let step = "exists u, v. u |-> {n: y, p: v} * p(x, u)";
    let list = "0-0->Param(1), nonempty, from the end, free [1]";
    assert_eq!(with(&format!("(exists w. x |-> {{n: y, p: w}}) || {step}")), list);
    for held in ["nil", "x", "y"] {
        assert_eq!(with(&format!("x |-> {{n: y, p: {held}}} || {step}")), "other");
    }
}

#[test]
fn lists_to_nil() {
    let with = |body: &str| shape(&format!("{NODE} pred p(x: L) := {body};"));
    assert_eq!(with("x = nil || exists u. x |-> u * p(u)"), "0-0->Nil, acyclic");
    assert_eq!(with("x |-> nil || exists u. x |-> u * p(u)"), "0-0->Nil, acyclic, nonempty");
}

#[test]
fn doubly_linked_segments() {
    let with = |params: &str, body: &str| shape(&format!("{PAIR} pred p({params}) := {body};"));
    assert_eq!(
        with(
            "fr: L, bk: L, pr: L, nx: L",
            "fr = nx * bk = pr || exists u. fr != nx * bk != pr * fr |-> {n: u, p: pr} * p(u, bk, fr, nx)"
        ),
        "0-0->Param(3), acyclic, back 1 2 Some(1)"
    );
    assert_eq!(
        with(
            "hd: L, p: L, tl: L, n: L",
            "hd = tl * hd |-> {n: n, p: p} || exists x. hd |-> {n: x, p: p} * p(x, hd, tl, n)"
        ),
        "0-0->Param(3), nonempty, back 1 1 Some(2)"
    );
}

#[test]
fn lengths_and_order() {
    let with = |params: &str, body: &str| shape(&format!("{DATA} pred p({params}) := {body};"));
    assert_eq!(
        with(
            "x: L, k: Int",
            "x = nil * k = 0 || exists u, d, j. k = j + 1 * x |-> {n: u, d: d} * p(u, j)"
        ),
        "0-0->Nil, acyclic, 1 None Equal(1) Some(Number(0)), free [1]"
    );
    assert_eq!(
        with("x: L, lo: Int", "x = nil || exists u, d. lo <= d * x |-> {n: u, d: d} * p(u, d)"),
        "0-0->Nil, acyclic, 1 Some(Next(1)) AtMost(0) None"
    );
    assert_eq!(
        with(
            "x: L, a: Int, y: L, b: Int",
            "x = y * a = b || exists u, c. a > c + 1 * x |-> {n: u, d: a} * p(u, c, y, b)"
        ),
        "0-0->Param(2), 1 Some(Here(1)) AtLeast(2) Some(Param(3))"
    );
    assert_eq!(
        with(
            "x: L, lo: Int",
            "x = nil || exists u, d. lo <= d * d < 9 * x |-> {n: u, d: d} * p(u, d)"
        ),
        "other"
    );
}

#[test]
fn nested_and_skip_lists() {
    assert_eq!(
        shape(&format!(
            "{PAIR} pred q(x, y) := x = y || exists u. x != y * x |-> {{n: u, p: nil}} * q(u, y);
             pred p(x, y) := x = y || exists u, z. x != y * x |-> {{n: z, p: u}} * q(z, u) * p(u, y);"
        )),
        "0-1->Param(1), acyclic, nested 0 q Field(1)"
    );
}

#[test]
fn trees() {
    let with = |params: &str, body: &str| shape(&format!("{PAIR} pred p({params}) := {body};"));
    assert_eq!(
        with("x: L", "x = nil || exists l, r. x |-> {n: l, p: r} * p(l) * p(r)"),
        "tree 0 [0, 1] None true"
    );
    assert_eq!(with("x: L", "emp || exists l, r. x |-> {n: l, p: r} * p(l) * p(r)"), "other");
}

/// With the suite at hand: what becomes of its predicates, for people to look at.
#[test]
fn the_public_suite_has_shapes() {
    let Some(root) = std::env::var_os("LANCEHEAD_SLCOMP") else { return };
    let mut found = std::collections::BTreeMap::new();
    for path in testing::files(root, &["smt2"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let script = sl::smtlib::parse(FileId(0), &text).unwrap();
        let Some(check) = script.checks.last() else { continue };
        let signature = &check.signature;
        for definition in signature.predicates.values() {
            let shape = classify(definition, signature, Semantics::Standard)
                .map_or("other".into(), |s| describe(&s));
            let key = format!("{} {shape}", definition.name);
            let body = definition.body.to_string();
            found.entry(key).or_insert((0, body)).0 += 1;
        }
    }
    for (key, (count, body)) in &found {
        println!("{count:4} {key}   {}", body.chars().take(200).collect::<String>());
    }
    assert!(found.keys().any(|key| key == "ls 0-0->Param(1), acyclic, plain"));
}

/// Neighbours are compared: the second cell is described twice ([PWZ13, Sec. 6]).
#[test]
fn sorted_without_a_bound() {
    let with = |body: &str| shape(&format!("{DATA} pred p(x: L, y: L) := {body};"));
    let single = "exists d. x != y * x |-> {n: y, d: d}";
    let cell = "x |-> {n: u, d: d}";
    let next = "u |-> {n: w, d: e}";
    let sorted = |k: &str| format!("0-0->Param(1), acyclic, sorted 1 {k}");
    for (order, change) in [
        ("d <= e", "AtMost(0)"),
        ("d < e", "AtMost(1)"),
        ("e <= d", "AtLeast(0)"),
        ("e + 2 < d", "AtLeast(3)"),
    ] {
        let step =
            format!("exists u, w, d, e. x != y * {order} * {cell} * (p(u, y) && {next} * true)");
        assert_eq!(with(&format!("x = y || ({single}) || {step}")), sorted(change));
    }
    // The whole heap is described twice.
    let whole = format!("exists u, w, d, e. x != y * d <= e * ({cell} * p(u, y) && {next} * true)");
    assert_eq!(with(&format!("x = y || ({single}) || {whole}")), sorted("AtMost(0)"));
    // The last cell is followed by an empty list.
    let last = format!("exists u, d. x != y * u = y * {cell} * p(u, y)");
    assert_eq!(with(&format!("x = y || ({last}) || {whole}")), sorted("AtMost(0)"));
    // Never empty, and perhaps cyclic.
    let cyclic = format!("exists u, w, d, e. d <= e * {cell} * (p(u, y) && {next} * true)");
    assert_eq!(
        with(&format!("(exists d. x |-> {{n: y, d: d}}) || {cyclic}")),
        "0-0->Param(1), nonempty, sorted 1 AtMost(0)"
    );
    // Something is missing, or more is said.
    for other in [
        format!("x = y || {whole}"),
        format!("x = y || ({single}) || {cyclic}"),
        format!("x = y || ({single}) || {}", whole.replace("d <= e", "d <= e + 1")),
        format!("x = y || ({single}) || {}", whole.replace("d <= e", "d <= e * 0 <= d")),
        format!("x = y || ({single}) || {}", whole.replace("d <= e", "d <= e * w != nil")),
        format!("x = y || (exists d. 0 <= d * x != y * x |-> {{n: y, d: d}}) || {whole}"),
        format!("x = y || ({single}) || {}", whole.replace("u |->", "w |->")),
    ] {
        assert_eq!(with(&other), "other", "{other}");
    }
    let nil = format!(
        "{DATA} pred p(x: L) := x = nil || (exists d. x |-> {{n: nil, d: d}}) \
         || exists u, w, d, e. d <= e * {cell} * (p(u) && {next} * true);"
    );
    assert_eq!(shape(&nil), "0-0->Nil, acyclic, sorted 1 AtMost(0)");
}

/// A list with a bound that is hidden, or that begins with the first cell.
#[test]
fn sorted_with_a_hidden_bound() {
    let with = |bounded: &str, body: &str| {
        shape(&format!(
            "{DATA} pred q(x: L, y: L, b: Int) := x = y || {bounded}; pred p(x: L, y: L) := {body};"
        ))
    };
    let next = "exists u, d. x != y * b <= d * x |-> {n: u, d: d} * q(u, y, d)";
    let here = "exists u, d. x != y * b < d * x |-> {n: u, d: b} * q(u, y, d)";
    let sorted = |k: &str| format!("0-0->Param(1), acyclic, sorted 1 {k}");
    assert_eq!(with(next, "exists b. q(x, y, b)"), sorted("AtMost(0)"));
    assert_eq!(with(here, "x = y || exists b. q(x, y, b)"), sorted("AtMost(1)"));
    let first = "x = y || exists u, d. x != y * x |-> {n: u, d: d} * q(u, y, d)";
    assert_eq!(with(next, first), sorted("AtMost(0)"));
    let compared = "x = y || exists u, d, e. x != y * d < e * x |-> {n: u, d: d} * q(u, y, e)";
    assert_eq!(with(here, compared), sorted("AtMost(1)"));
    // Another order than that of the rest, a known bound, and a ring.
    assert_eq!(with(here, &compared.replace("d < e", "d <= e")), "other");
    assert_eq!(with(next, "q(x, y, 0)"), "other");
    assert_eq!(with(next, &first.replace("x != y * ", "")), "other");
    // Definitions that lead to each other.
    let mutual = "exists u, d. x != y * b <= d * (x |-> {n: u, d: d} * true && p(x, y))";
    assert_eq!(with(mutual, first), sorted("AtMost(0)"));
    assert_eq!(with("p(x, y)", "exists b. q(x, y, b)"), "other");
}
