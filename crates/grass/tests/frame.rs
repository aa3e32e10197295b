//! Frames and anti-frames, with exact results.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::solver;
use report::FileId;
use sl::ask;
use sl::enumerate::{self, Bounds};
use sl::{Answer, Budget, Defs, Formula, Inference, Semantics};
use testing::Random;

/// Asks all questions, and complains about all answers that are not the expected ones.
fn check(abduce: bool, cases: &[(&str, &str, &str)]) {
    check_with("", abduce, cases);
}

fn check_with(definitions: &str, abduce: bool, cases: &[(&str, &str, &str)]) {
    let mut solver = solver();
    let mut wrong = String::new();
    for (h, g, expected) in cases {
        let defined = format!("{definitions}{h}");
        let document = sl::text::parse(&[(FileId(0), &defined), (FileId(1), g)]).unwrap();
        let [left, right] = document.formulas.as_slice() else { panic!() };
        let defs = Defs::new(document.signature.clone(), Semantics::Precise);
        let mut budget = Budget::default();
        let answer = if abduce {
            ask::abduce(&mut solver, &defs, left, right, &mut budget)
        } else {
            ask::frame(&mut solver, &defs, left, right, &mut budget)
        };
        let text = match answer {
            Answer::Decided(Inference::Found(frame, _)) => frame.to_string(),
            Answer::Decided(Inference::Nothing(_)) => "nothing".to_owned(),
            unknown => format!("unknown: {}", unknown.why_not().unwrap_or_default()),
        };
        if text != *expected {
            wrong += &format!("        ({h:?}, {g:?}, {text:?}),\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The partial models of the paper, `x -> y = z` and `x -> y ~> z`; here there is a `nil`, too, which is
/// one of the nodes or not.
#[test]
fn example_8() {
    let document =
        sl::text::parse(&[(FileId(0), "x != z * ls(x, z)"), (FileId(1), "x |-> y")]).unwrap();
    let [h, g] = document.formulas.as_slice() else { panic!() };
    let defs = Defs::new(document.signature.clone(), Semantics::Precise);
    let (scope, h, g) = ask::lowered(&defs, h, g);
    let (h, g) = (&h.form(&scope).unwrap(), &g.form(&scope).unwrap());
    let models = solver().partial_models(&scope, h, g).unwrap();
    let text = |form| scope.named(form).unwrap().to_string();
    let mut models: Vec<String> = models.iter().map(text).collect();
    models.sort();
    let expected = [
        "x != y * x != z * x != nil * y != z * y != nil * z != nil * ls(y, z)",
        "y = z * x != y * x != z * x != nil * y != nil * z != nil",
        "y = z * y = nil * z = nil * x != y * x != z * x != nil",
        "z = nil * x != y * x != z * x != nil * y != z * y != nil * ls(y, nil)",
    ];
    assert_eq!(models, expected);
    let rest = solver().rest(&scope, h, g).unwrap().unwrap();
    assert_eq!(text(&rest), "x != y * x != z * x != nil * ls(y, z)");
    // It is no frame, since there need not be such a part; with the part it is.
    check(
        false,
        &[
            ("x != z * ls(x, z)", "x |-> y", "nothing"),
            ("x != z * x |-> y * ls(y, z)", "x |-> y", "x != y * x != z * x != nil * ls(y, z)"),
        ],
    );
}

#[test]
fn frames() {
    check(
        false,
        &[
            ("x != z * ls(x, z) * x != w", "x |-> y", "nothing"),
            ("emp", "emp", "emp"),
            ("x |-> y", "x |-> y", "x != nil"),
            ("x |-> y * y |-> z", "x |-> y", "x != y * x != nil * y |-> z"),
            ("x |-> y * y |-> z", "y |-> z", "x != y * y != nil * x |-> y"),
            ("x |-> y", "y |-> x", "nothing"),
            ("ls(x, y) * ls(y, nil)", "ls(x, y)", "ls(y, nil)"),
            ("ls(x, y) * ls(y, nil)", "ls(x, nil)", "emp"),
            ("ls(x, nil) * ls(y, nil)", "ls(x, nil)", "ls(y, nil)"),
            ("x |-> y * ls(y, nil)", "ls(x, nil)", "x != y * x != nil"),
            ("ls(x, nil)", "x |-> y", "nothing"),
            ("x |-> y || x |-> z", "emp", "x |-> y || x |-> z"),
            ("x |-> y", "emp", "x |-> y"),
            ("x |-> nil * y |-> nil", "y |-> nil", "x != y * y != nil * x |-> nil"),
            ("x = y * x |-> z", "y |-> z", "x = y * x != nil"),
            ("x = y * x |-> z * ls(z, nil)", "y |-> z", "x = y * x != z * x != nil * ls(z, nil)"),
            (
                "x |-> y * y |-> z * z |-> nil",
                "ls(x, z)",
                "x != y * x != z * x != nil * y != z * y != nil * z |-> nil",
            ),
            (
                "x |-> y * y |-> z * z |-> nil",
                "ls(y, nil)",
                "x != y * x != z * y != z * y != nil * z != nil * x |-> y",
            ),
            ("ls(x, y) * y |-> z", "ls(x, y)", "x != nil * y |-> z"),
            ("ls(x, y) * y |-> z", "y |-> z", "y != nil * ls(x, y)"),
            ("ls(x, y)", "ls(x, y)", "emp"),
            ("x != y * ls(x, y)", "emp", "x != y * ls(x, y)"),
            ("ls(x, y)", "ls(y, x)", "nothing"),
            ("x |-> y * ls(z, nil)", "ls(z, nil)", "x != z * x |-> y"),
            (
                "x |-> y * (ls(y, nil) || y |-> z)",
                "x |-> y",
                "x != y * x != nil * ls(y, nil) || x != y * x != nil * y |-> z",
            ),
            (
                "(x |-> y || ls(x, y)) * z |-> nil",
                "z |-> nil",
                "x != z * z != nil * x |-> y || z != nil * ls(x, y)",
            ),
            ("x |-> y && x |-> z", "x |-> y", "y = z * x != nil"),
            ("x |-> x", "x |-> x", "x != nil"),
            ("x != x", "y |-> z", "false"),
            ("x |-> y * x |-> z", "y |-> z", "false"),
            (
                "x |-> {next: y, data: 3} * y |-> {next: nil, data: n}",
                "x |-> {next: y, data: 3}",
                "x != y * x != nil * y |-> {next: nil, data: n}",
            ),
            ("exists u. x |-> u * ls(u, nil)", "ls(x, nil)", "x != nil"),
            ("ls(x, y) * ls(y, z) * ls(z, nil)", "ls(x, y) * ls(z, nil)", "ls(y, z)"),
        ],
    );
}

#[test]
fn anti_frames() {
    check(
        true,
        &[
            ("emp", "x |-> y", "x |-> y"),
            ("x |-> y", "x |-> y * y |-> z", "y |-> z"),
            ("x |-> y", "ls(x, nil)", "ls(y, nil)"),
            ("ls(x, y)", "ls(x, nil)", "ls(y, nil)"),
            ("x |-> y", "x |-> z", "y = z"),
            ("x |-> y", "y |-> x", "x = y"),
            ("x |-> y", "emp", "nothing"),
            ("emp", "ls(x, nil)", "ls(x, nil)"),
            ("x |-> y * ls(z, nil)", "ls(x, nil)", "ls(y, z)"),
            ("ls(x, y)", "ls(x, z)", "x = y * ls(x, z) || y = z || z = nil * ls(y, nil)"),
            // A list to `z` comes after one from `x` only if `z` is not in that.
            ("ls(x, y) * y |-> z", "ls(x, w)", "w = nil * ls(z, nil) || x = y * w != x * ls(z, w)"),
            ("x != z * x |-> y", "ls(x, z)", "ls(y, z)"),
            ("x |-> nil", "x |-> nil * y |-> x", "y |-> x"),
            ("ls(x, y)", "ls(x, y) * ls(z, nil)", "ls(z, nil)"),
        ],
    );
}

#[test]
fn frames_of_doubly_linked_lists() {
    check_with(
        DOUBLY.definitions,
        false,
        &[
            (
                "x |-> {next: u, prev: nil} * dll(u, x, nil, b)",
                "x |-> {next: u, prev: nil}",
                "u != x * x != nil * dll(u, x, nil, b)",
            ),
            ("dll(x, nil, u, c) * dll(u, c, nil, b)", "dll(x, nil, u, c)", "dll(u, c, nil, b)"),
            (
                "dll(x, nil, u, c) * u |-> {next: nil, prev: c}",
                "dll(x, nil, nil, u)",
                "c != u * u != nil * x != nil",
            ),
            (
                "dll(x, nil, nil, b) * dll(y, nil, nil, c)",
                "dll(y, nil, nil, c)",
                "dll(x, nil, nil, b)",
            ),
            ("dll(x, nil, nil, b)", "x |-> {next: nil, prev: nil}", "nothing"),
        ],
    );
}

#[test]
fn anti_frames_of_doubly_linked_lists() {
    check_with(
        DOUBLY.definitions,
        true,
        &[
            ("x |-> {next: u, prev: nil}", "dll(x, nil, nil, b)", "dll(u, x, nil, b)"),
            ("dll(x, nil, u, c)", "dll(x, nil, nil, b)", "dll(u, c, nil, b)"),
            (
                "x |-> {next: u, prev: nil}",
                "x |-> {next: u, prev: nil} * dll(u, x, nil, b)",
                "dll(u, x, nil, b)",
            ),
            ("emp", "dll(x, nil, nil, b)", "dll(x, nil, nil, b)"),
            ("dll(u, x, nil, b)", "dll(x, nil, nil, b)", "dll(x, nil, u, x)"),
        ],
    );
}

#[test]
fn frames_of_sorted_lists() {
    check_with(
        SORTED.definitions,
        false,
        &[
            (
                "x |-> {next: y, data: 3} * up(y, nil, 3)",
                "x |-> {next: y, data: 3}",
                "x != y * x != nil * up(y, nil, 3)",
            ),
            ("up(x, y, n) * up(z, nil, n)", "up(x, y, n)", "up(z, nil, n)"),
            ("up(x, nil, 3)", "up(x, nil, 2)", "emp"),
            ("up(x, nil, 2)", "up(x, nil, 3)", "nothing"),
            (
                "n <= m * up(x, nil, m) * y |-> {next: nil, data: n}",
                "up(x, nil, n)",
                "n <= m * x != y * y |-> {next: nil, data: n}",
            ),
        ],
    );
}

#[test]
fn anti_frames_of_sorted_lists() {
    check_with(
        SORTED.definitions,
        true,
        &[
            ("x |-> {next: y, data: 3}", "up(x, nil, 3)", "up(y, nil, 3)"),
            ("x |-> {next: y, data: n}", "up(x, nil, m)", "m <= n * up(y, nil, n)"),
            ("up(x, nil, 3)", "up(x, nil, 3) * up(y, nil, n)", "up(y, nil, n)"),
            ("up(x, nil, n)", "up(x, nil, m)", "m <= n"),
        ],
    );
}

/// Heaps of atoms that begin at different variables, and one of them or a list that it is as the part
/// to take away.
struct Family {
    definitions: &'static str,
    /// `A` is where it begins, `B` to `D` are other variables, `N` is a number.
    kinds: &'static [&'static str],
}

const LISTS: Family = Family { definitions: "", kinds: &["A |-> B", "ls(A, B)", "ls(A, B)"] };

const DOUBLY: Family = Family {
    definitions: "pred dll(x, a, y, b) := x = y * a = b ||
        exists u. x != y * x |-> {next: u, prev: a} * dll(u, x, y, b);\n",
    kinds: &["A |-> {next: B, prev: C}", "dll(A, B, C, D)"],
};

const SORTED: Family = Family {
    definitions: "pred up(x, y, low) := x = y ||
        exists u, v. x != y * low <= v * x |-> {next: u, data: v} * up(u, y, v);\n",
    kinds: &["A |-> {next: B, data: N}", "up(A, B, N)"],
};

/// Neighbours are compared: there is no bound that a frame would have to find.
const UNBOUNDED: Family = Family {
    definitions: "pred sls(x, y) := x = y || (exists d. x != y * x |-> {next: y, data: d}) ||
        exists u, w, d, e. x != y * d <= e * x |-> {next: u, data: d} *
            (sls(u, y) && u |-> {next: w, data: e} * true);\n",
    kinds: &["A |-> {next: B, data: N}", "sls(A, B)"],
};

impl Family {
    fn atom(&self, state: &mut Random, root: &str) -> String {
        let kind = self.kinds[state.below(self.kinds.len())];
        let fill = |letter: char| match letter {
            'A' => root.to_owned(),
            'B'..='D' => ["x", "y", "z", "nil"][state.below(4)].to_owned(),
            'N' => ["0", "1", "n"][state.below(3)].to_owned(),
            other => other.to_string(),
        };
        kind.chars().map(fill).collect()
    }

    /// Every frame satisfies `H |= G * F`; most are not `false`. The first few are tried in all small
    /// heaps, too.
    fn check(&self, seed: u64, count: usize, enumerated: usize) {
        let mut state = Random::new(seed);
        let mut solver = solver();
        let semantics = Semantics::Precise;
        let mut meant = 0;
        for number in 0..count {
            let atoms: Vec<String> = ["x", "y", "z"][..2 + state.below(2)]
                .iter()
                .map(|root| self.atom(&mut state, root))
                .collect();
            let part = state.below(atoms.len());
            let (h, g) = (format!("{}{}", self.definitions, atoms.join(" * ")), &atoms[part]);
            let document = sl::text::parse(&[(FileId(0), &h), (FileId(1), g)]).unwrap();
            let [left, right] = document.formulas.as_slice() else { panic!() };
            let signature = &document.signature;
            let defs = Defs::new(signature.clone(), semantics);
            let mut budget = Budget::default();
            let frame = match ask::frame(&mut solver, &defs, left, right, &mut budget) {
                Answer::Decided(Inference::Found(frame, _)) => frame,
                other => panic!("no frame of {h} for {g}: {other:?}"),
            };
            let whole = Formula::sep(vec![right.clone(), frame.clone()]);
            let answer = ask::entails(&mut solver, &defs, left, &whole, &mut budget);
            assert!(answer.is_valid(), "{h} |= {g} * {frame}");
            if number < enumerated {
                let bounds = Bounds { locations: 3, data: 0 };
                let wrong =
                    enumerate::find_counterexample(signature, semantics, left, &whole, bounds);
                assert_eq!(wrong, None, "{h} |= {g} * {frame}");
            }
            meant += usize::from(frame.kind() != &sl::Kind::False);
        }
        assert!(meant * 2 > count, "{meant} of {count}");
    }
}

#[test]
fn generated_frames_of_lists() {
    LISTS.check(0x5eed_0008, 640, 20);
}

#[test]
fn generated_frames_of_doubly_linked_lists() {
    DOUBLY.check(0x5eed_000a, 240, 0);
}

#[test]
fn generated_frames_of_sorted_lists() {
    SORTED.check(0x5eed_000b, 240, 0);
}

#[test]
fn generated_frames_of_sorted_lists_without_a_bound() {
    UNBOUNDED.check(0x5eed_000e, 120, 0);
}

#[test]
fn frames_of_sorted_lists_without_a_bound() {
    let cell = "x |-> {next: y, data: 3}";
    check_with(
        UNBOUNDED.definitions,
        false,
        &[
            (&format!("{cell} * sls(y, nil)"), cell, "x != y * x != nil * sls(y, nil)"),
            ("sls(x, y) * sls(y, nil)", "sls(x, y)", "sls(y, nil)"),
            ("sls(x, y) * sls(y, nil)", "sls(x, nil)", "nothing"),
        ],
    );
    check_with(
        UNBOUNDED.definitions,
        true,
        &[
            ("sls(x, y)", "sls(x, y) * sls(y, z)", "sls(y, z)"),
            ("x |-> {next: y, data: 3}", "sls(x, nil)", "y = nil"),
        ],
    );
}

/// Where there may be more than is said, the rest may be more, too.
#[test]
fn frames_of_heaps_with_more() {
    check(
        false,
        &[
            ("x |-> y * true", "x |-> y", "x != nil * true"),
            ("ls(x, y) * true", "emp", "ls(x, y) * true"),
            ("ls(x, y) * y |-> z", "y |-> z * true", "emp"),
            ("x |-> y * (ls(y, z) || true)", "x |-> y", "x != nil * true"),
        ],
    );
}

/// What is described twice is left over as one of the two.
#[test]
fn frames_below_star() {
    check(
        false,
        &[
            ("(ls(x, y) && x |-> y) * ls(z, w)", "ls(z, w)", "x != y * x |-> y"),
            ("(ls(x, y) && x |-> y) * ls(z, w)", "x |-> y", "x != y * x != nil * ls(z, w)"),
            ("x != y * x |-> y * ls(z, w)", "ls(x, y) && x |-> y", "x != y * x != nil * ls(z, w)"),
            ("(ls(x, y) || x |-> z) * ls(u, v)", "ls(u, v)", "ls(x, y) || x |-> z"),
        ],
    );
}

/// A cyclic list may be taken with its cycle or without; what is left must do for one of them.
#[test]
fn frames_of_cyclic_lists() {
    let definitions = "pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);\n";
    check_with(
        definitions,
        false,
        &[
            ("lseg(x, y) * lseg(y, z)", "lseg(x, y)", "lseg(y, z)"),
            ("x |-> y * lseg(y, z)", "x |-> y", "x != nil * lseg(y, z)"),
        ],
    );
}
