//! Conjunction, disjunction and negation below `*`, and lists that may have more than one footprint.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{check, solver};
use report::FileId;
use sl::ask::once::check_sat;
use sl::{Semantics, Verdict};

const CYCLIC: &str = "pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);\n";

#[test]
fn two_descriptions_of_one_part() {
    check(
        Semantics::Precise,
        "",
        &[
            ("(ls(x, y) && x |-> y) * ls(z, w)", "x |-> y * ls(z, w)", true),
            ("x != y * x |-> y * ls(z, w)", "(ls(x, y) && x |-> y) * ls(z, w)", true),
            ("x |-> y * ls(z, w)", "(ls(x, y) && x |-> y) * ls(z, w)", false),
            ("(ls(x, y) && ls(x, z)) * w |-> x", "y = z * true", true),
            ("(ls(x, y) && ls(z, y)) * w |-> x", "x = z * true", true),
            ("(ls(x, y) * ls(y, z) && ls(x, w)) * w |-> nil", "ls(x, nil)", true),
            ("ls(x, z) * w |-> nil", "(ls(x, y) * ls(y, z) && ls(x, z)) * w |-> nil", false),
            ("(x = y && ls(x, z)) * w |-> x", "z = x * w |-> y", true),
            (
                "x |-> y * (ls(y, z) && exists u. y |-> u * ls(u, z))",
                "exists v, w. x |-> v * (v |-> w * ls(w, z) && ls(y, z))",
                true,
            ),
            ("((ls(x, y) && x |-> u) * ls(z, w) && true) * v |-> x", "v |-> x * true", true),
        ],
    );
}

/// `*` distributes over conjunction if the other part has one footprint, and only then.
#[test]
fn distribution_over_conjunction() {
    check(
        Semantics::Precise,
        CYCLIC,
        &[
            ("(ls(x, y) && ls(u, v)) * z |-> w", "ls(x, y) * z |-> w && ls(u, v) * z |-> w", true),
            ("ls(x, y) * z |-> w && ls(u, v) * z |-> w", "(ls(x, y) && ls(u, v)) * z |-> w", true),
            ("ls(x, y) * ls(z, w) && u |-> v * ls(z, w)", "(ls(x, y) && u |-> v) * ls(z, w)", true),
            ("x |-> nil * true && y |-> nil * true", "(x |-> nil && y |-> nil) * true", false),
            (
                "x |-> nil * true && y |-> nil * true",
                "(x |-> nil * true && y |-> nil * true) * true",
                true,
            ),
            ("lseg(x, x) && x |-> x * lseg(x, x)", "(emp && x |-> x) * lseg(x, x)", false),
            ("lseg(x, x) && x |-> x * lseg(x, x)", "(emp || x |-> x) * lseg(x, x)", true),
        ],
    );
}

#[test]
fn distribution_over_disjunction() {
    check(
        Semantics::Precise,
        "",
        &[
            ("(ls(x, y) || x |-> z) * ls(u, v)", "ls(x, y) * ls(u, v) || x |-> z * ls(u, v)", true),
            ("ls(x, y) * ls(u, v) || x |-> z * ls(u, v)", "(ls(x, y) || x |-> z) * ls(u, v)", true),
            (
                "(x |-> y || x |-> z) * (y |-> x || z |-> x)",
                "x |-> y * true || x |-> z * true",
                true,
            ),
            ("(x |-> y || x |-> z) * (y |-> x || z |-> x)", "x |-> y * true", false),
        ],
    );
}

/// Where a formula must hold, there is a set of nodes for every part; where it must not, the solver is told
/// of those disjuncts that its models ask for. So there is no limit on their number: here it is 512.
#[test]
fn many_disjunctions() {
    let chain = |kind: &str, n: usize| {
        let fill =
            |i: usize| kind.replace('A', &format!("x{i}")).replace('B', &format!("x{}", i + 1));
        (0..n).map(fill).collect::<Vec<String>>().join(" * ")
    };
    let choices = chain("(A |-> B || ls(A, B))", 9);
    let lists = format!("{choices} * {} * x9 = nil", chain("A != B", 9));
    check(
        Semantics::Precise,
        "",
        &[
            (&lists, "ls(x0, nil)", true),
            (&lists, "ls(x1, nil)", false),
            (&chain("A |-> B", 9), &choices, true),
            (&chain("ls(A, B)", 9), &choices, true),
            (&chain("A |-> B", 8), &choices, false),
            ("x0 |-> x2 * true", &choices, false),
            (
                &format!("x0 != x2 * x1 != x2 * {}", chain("A |-> B", 9)),
                &format!("({choices}) && {choices}"),
                true,
            ),
        ],
    );
}

/// Where a formula must not hold, a negation may have what the other parts leave.
#[test]
fn negation() {
    check(
        Semantics::Precise,
        CYCLIC,
        &[
            ("x != y * x |-> y * ls(z, w)", "!emp * ls(z, w)", true),
            ("x |-> y * ls(z, w)", "!ls(y, x) * ls(z, w)", true),
            ("ls(x, y) * ls(z, w)", "!emp * ls(z, w)", false),
            ("!(ls(x, y)) * ls(z, w)", "ls(z, w) * true", true),
            ("!(ls(x, y)) * !(ls(z, w))", "!emp", false),
            ("!(emp) * !(emp) && ls(x, nil)", "x |-> nil", false),
            (
                "!(emp) * !(emp) && x |-> y * ls(y, nil)",
                "exists u. x |-> y * y |-> u * ls(u, nil)",
                true,
            ),
            ("y |-> z * lseg(x, x)", "!(x |-> x && lseg(x, x)) * lseg(x, x)", true),
        ],
    );
}

#[test]
fn pure_atoms_that_say_nothing_of_the_heap() {
    check(
        Semantics::Standard,
        "",
        &[
            (
                "(x != y && ls(x, y) && x |-> z * true) * w |-> x",
                "exists u. w |-> u * x |-> z * ls(z, y)",
                true,
            ),
            ("(ls(x, y) && ls(x, z)) * w |-> x", "y = z", true),
            (
                "x != y && x |-> y * w |-> x",
                "(x != y && ls(x, y) && x |-> y) * (w |-> x && x = x)",
                true,
            ),
            ("(x = y) * (x |-> z && ls(x, z))", "ls(y, z) * true", true),
            ("(x = y && ls(x, z)) * (w |-> x || x != y && emp)", "w |-> y * true", true),
            ("(x = y && ls(x, z)) * (w |-> x || x != y && emp)", "w |-> z * true", false),
        ],
    );
}

/// As many as there are: each is as short as can be, or has the cycle on which its end is.
#[test]
fn many_lists_that_may_be_cyclic() {
    let chain = |kind: &str, n: usize| {
        let parts: Vec<String> = (0..n)
            .map(|i| kind.replace('A', &format!("x{i}")).replace('B', &format!("x{}", i + 1)))
            .collect();
        parts.join(" * ")
    };
    let (lists, cells) = (chain("lseg(A, B)", 8), chain("A |-> B", 8));
    check(
        Semantics::Precise,
        CYCLIC,
        &[
            (&chain("lseg(A, B)", 5), "lseg(x0, x5)", true),
            (&lists, "lseg(x0, x7)", false),
            (&cells, &lists, true),
            (&format!("x7 = x8 * {}", chain("A |-> B", 7)), &lists, true),
            (&chain("A |-> B", 7), &lists, false),
        ],
    );
}

#[test]
fn cycles_belong_to_one_list() {
    check(
        Semantics::Precise,
        CYCLIC,
        &[
            ("x |-> y * y |-> y", "lseg(x, y) * lseg(y, y)", true),
            ("x |-> y * y |-> x", "lseg(x, x) * lseg(y, y)", true),
            ("x |-> y * y |-> x", "lseg(x, y) * lseg(y, x)", true),
            ("x |-> x * y |-> y", "lseg(x, x) * lseg(y, y)", true),
            ("x |-> x * y |-> y", "lseg(x, x) * lseg(x, x)", false),
            ("x |-> y * y |-> x * z |-> y", "lseg(z, x) * lseg(z, x)", false),
            ("x |-> y * y |-> x * z |-> y", "lseg(z, y) * lseg(x, x)", true),
            ("x |-> y * y |-> x * z |-> y", "lseg(z, y) * lseg(x, x) * true", true),
            ("x |-> x", "lseg(x, x) * lseg(y, y) * x |-> x", true),
            ("x |-> x * y |-> x", "lseg(y, x) * lseg(y, x) * true", false),
        ],
    );
    // Which list has the cycle matters if they are more than links.
    check(
        Semantics::Precise,
        "pred dll(x, a, y, b) := x = y * a = b ||
            exists u. x |-> {next: u, prev: a} * dll(u, x, y, b);\n",
        &[
            ("x |-> {next: x, prev: a}", "dll(x, a, x, x) * dll(x, b, x, b)", true),
            ("x |-> {next: x, prev: a}", "dll(x, b, x, b) * dll(x, a, x, x)", true),
            ("x |-> {next: x, prev: a}", "dll(x, b, x, b) * dll(x, c, x, c)", false),
            ("x |-> {next: x, prev: a}", "dll(x, b, x, b) * dll(x, a, x, x) * true", true),
            ("x |-> {next: x, prev: a}", "dll(x, a, x, x) * dll(x, a, x, x) * true", false),
        ],
    );
}

/// Models were once so large here, with cells that nobody can name, that they could not be confirmed.
#[test]
fn models_have_few_cells_that_nobody_can_name() {
    let text = "pred dll(x, a, y, b) := x = y * a = b ||
            exists u. x |-> {next: u, prev: a} * dll(u, x, y, b);
        !((y |-> {next: y, prev: x} * dll(nil, y, z, x) * nil |-> {next: z, prev: nil} *
            ((dll(y, nil, nil, y) * (dll(z, y, y, nil) * (dll(z, y, z, x) && dll(x, y, x, y)) ||
                dll(y, nil, nil, z) * (dll(x, z, z, nil) && dll(z, x, nil, x)))) &&
                z |-> {next: nil, prev: x} * x != nil)) || dll(z, x, y, x)) &&
        dll(z, x, y, nil) * true * (dll(y, z, y, y) * true && dll(x, y, nil, z))";
    let document = sl::text::parse(&[(FileId(0), text)]).unwrap();
    let verdict =
        check_sat(&mut solver(), &document.signature, Semantics::Precise, &document.formulas[..1]);
    let Verdict::Sat(model) = verdict else { panic!("{verdict:?}") };
    assert!(model.trimmed(2).is_none(), "{model:?}");
}
