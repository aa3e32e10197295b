//! Partial models, and generated frames; frames and anti-frames with exact results are in `tests/sl/grass`.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::solver;
use report::FileId;
use sl::ask;
use sl::enumerate::{self, Bounds};
use sl::{Answer, Budget, Defs, Formula, Inference, Semantics};
use testing::Random;

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
