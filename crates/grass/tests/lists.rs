//! Lists that are more than acyclic paths: doubly linked, sorted, cyclic.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{check, solver};
use report::FileId;
use sl::ask::once::entails;
use sl::{Semantics, Verdict};

#[test]
fn sorted_lists() {
    let definitions = "pred up(x, y, low) := x = y ||
        exists u, v. x != y * low <= v * x |-> {next: u, data: v} * up(u, y, v);\n";
    check(
        Semantics::Precise,
        definitions,
        &[
            ("up(x, nil, 3)", "up(x, nil, 2)", true),
            ("up(x, nil, 2)", "up(x, nil, 3)", false),
            ("x |-> {next: y, data: 3} * up(y, nil, 4)", "up(x, nil, 3)", true),
            ("x |-> {next: y, data: 3} * up(y, nil, 2)", "up(x, nil, 3)", false),
            (
                "x |-> {next: y, data: n} * y |-> {next: nil, data: m} * n <= m",
                "up(x, nil, n)",
                true,
            ),
            ("x |-> {next: y, data: n} * y |-> {next: nil, data: m}", "up(x, nil, n)", false),
            ("up(x, y, 0) * y |-> {next: nil, data: 5}", "up(x, nil, 0)", false),
        ],
    );
}

#[test]
fn doubly_linked_lists() {
    let definitions = "pred dll(x, a, y, b) := x = y * a = b ||
        exists u. x != y * a != b * x |-> {next: u, prev: a} * dll(u, x, y, b);\n";
    check(
        Semantics::Precise,
        definitions,
        &[
            ("dll(x, a, y, b)", "dll(x, a, y, b)", true),
            ("x |-> {next: y, prev: a} * x != y * a != x", "dll(x, a, y, x)", true),
            ("x |-> {next: y, prev: a} * a != x", "dll(x, a, nil, x)", false),
            ("x |-> {next: u, prev: nil} * dll(u, x, nil, b)", "dll(x, nil, nil, b)", true),
            ("dll(x, nil, u, c) * dll(u, c, nil, b)", "dll(x, nil, nil, b)", true),
            ("dll(x, nil, u, c) * dll(u, d, nil, b)", "dll(x, nil, nil, b)", false),
        ],
    );
}

#[test]
fn strictly_sorted_lists() {
    let definitions = "pred up(x, y, low) := x = y ||
        exists u, v. x != y * low < v * x |-> {next: u, data: v} * up(u, y, v);\n";
    check(
        Semantics::Precise,
        definitions,
        &[
            ("x |-> {next: y, data: 3} * up(y, nil, 3)", "up(x, nil, 2)", true),
            ("x |-> {next: y, data: 3} * up(y, nil, 2)", "up(x, nil, 2)", false),
            (
                "x |-> {next: y, data: n} * y |-> {next: nil, data: n}",
                "up(x, nil, 0) || n < 1 * x |-> {next: y, data: n} * y |-> {next: nil, data: n}",
                false,
            ),
        ],
    );
}

/// A cycle that is not entered at the end of the list is no list: this was once taken for one.
#[test]
fn cyclic_lists() {
    check(
        Semantics::Precise,
        "pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);\n",
        &[
            ("x |-> y * y |-> u * u |-> y", "lseg(x, y)", true),
            ("x |-> u * u |-> y * y |-> u", "lseg(x, y)", false),
            ("x |-> u * u |-> y * y |-> u", "lseg(x, u)", true),
            ("lseg(x, y) * lseg(y, nil)", "lseg(x, nil)", true),
            ("lseg(x, x)", "emp", false),
        ],
    );
}

/// The list comes to its end, goes on and comes back to it; the link back is to where it came from first.
#[test]
fn cyclic_doubly_linked_lists() {
    let to_y = "x |-> {next: y, prev: a} * y |-> {next: z, prev: x}";
    let around = format!("{to_y} * z |-> {{next: y, prev: y}}");
    check(
        Semantics::Precise,
        "pred dll(x, a, y, b) := x = y * a = b ||
            exists u. x |-> {next: u, prev: a} * dll(u, x, y, b);\n",
        &[
            (&around, "dll(x, a, y, z)", true),
            (&around, "dll(x, a, y, x)", false),
            (&around, "dll(x, a, z, y)", false),
            (to_y, "dll(x, a, z, y)", true),
            ("x |-> {next: x, prev: a}", "dll(x, a, x, x)", true),
            ("x |-> {next: y, prev: a} * y |-> {next: x, prev: x}", "dll(x, a, x, y)", true),
            ("x |-> {next: y, prev: a} * y |-> {next: x, prev: y}", "dll(x, a, x, y)", false),
            ("dll(x, a, y, b) * dll(y, b, z, c)", "dll(x, a, z, c)", true),
            ("dll(x, a, y, b)", "x = y * a = b", false),
        ],
    );
}

/// Only steps say that what is before is not the last location, and one location takes no step.
#[test]
fn doubly_linked_lists_of_at_least_one() {
    check(
        Semantics::Precise,
        "pred dll(x, a, y, b) := x = b * x |-> {next: y, prev: a} ||
            exists u. x != y * a != b * x |-> {next: u, prev: a} * dll(u, x, y, b);\n",
        &[
            ("x |-> {next: y, prev: x}", "dll(x, x, y, x)", true),
            ("dll(x, x, y, x)", "false", false),
            ("x |-> {next: x, prev: a}", "dll(x, a, x, x)", true),
            (
                "x |-> {next: y, prev: a} * y |-> {next: y, prev: x} * a != y",
                "dll(x, a, y, y)",
                true,
            ),
            (
                "x |-> {next: y, prev: a} * y |-> {next: x, prev: x} * a != y",
                "dll(x, a, x, y)",
                false,
            ),
            (
                "x != u * x |-> {next: u, prev: u} * u |-> {next: y, prev: x}",
                "dll(x, u, y, u)",
                false,
            ),
        ],
    );
}

/// The last location may lead to itself: this was once said to be impossible.
#[test]
fn lists_of_at_least_one() {
    check(
        Semantics::Precise,
        "pred some(x, y) := x |-> y || exists u. x != y * x |-> u * some(u, y);\n",
        &[
            ("x |-> x", "some(x, x)", true),
            ("x |-> y * y |-> y", "some(x, y)", true),
            ("x |-> y * y |-> x", "some(x, x)", false),
            ("some(x, x)", "x |-> x", true),
            ("some(x, y) * y != nil", "x |-> y", false),
        ],
    );
}

/// The case that stops says more than that of a list.
#[test]
fn definitions_that_look_like_lists() {
    let loop_at_the_end = "pred p(x, y) := x = y * x |-> y || exists u. x |-> u * p(u, y);";
    let nothing = "pred p(x) := x = nil * x |-> nil || exists u. x |-> u * p(u);";
    let first = "pred p(x, y) := x |-> {next: y, other: nil} ||
        exists u, v. u |-> {next: y, other: v} * p(x, u);";
    for (definition, left, right) in [
        (loop_at_the_end, "x |-> y * x != y", "p(x, y)"),
        (nothing, "x |-> nil", "p(x)"),
        (first, "x |-> {next: y, other: z} * z != nil", "p(x, y)"),
    ] {
        let left = format!("{definition} {left}");
        let document = sl::text::parse(&[(FileId(0), &left), (FileId(1), right)]).unwrap();
        let [h, g] = document.formulas.as_slice() else { panic!() };
        let verdict =
            Verdict::from(entails(&mut solver(), &document.signature, Semantics::Precise, h, g));
        assert_ne!(verdict, Verdict::Unsat, "{left} |= {right}");
    }
}
