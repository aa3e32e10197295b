//! Three opinions on generated formulas: the native procedure for lists, the solver, and all small
//! heaps.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::solver;
use lists::Lists;
use report::FileId;
use sl::ask::once::{check_sat, entails};
use sl::enumerate::{self, Bounds};
use sl::{Answer, Formula, Satisfiability, Semantics};
use testing::Random;

/// Makes them up.
struct Formulas(Random);

impl Formulas {
    fn var(&mut self, vars: usize) -> String {
        match self.0.below(vars + 1) {
            0 => "nil".into(),
            n => format!("x{n}"),
        }
    }

    fn atoms(&mut self, vars: usize, most: usize, kinds: &[&str]) -> String {
        let mut parts = vec!["emp".to_owned()];
        for _ in 0..=self.0.below(most) {
            let kind = kinds[self.0.below(kinds.len())];
            parts.push(kind.chars().map(|letter| self.fill(letter, vars)).collect());
        }
        parts.join(" * ")
    }

    /// `A` to `D` are variables, `N` is a number.
    fn fill(&mut self, letter: char, vars: usize) -> String {
        match letter {
            'A'..='D' => self.var(vars),
            'N' => ["0", "1", "n", "m"][self.0.below(4)].into(),
            other => other.into(),
        }
    }
}

const LISTS: [&str; 5] = ["A = B", "A != B", "A |-> B", "ls(A, B)", "ls(A, B)"];

fn parse(texts: &[String]) -> sl::text::Document {
    let files: Vec<(FileId, &str)> =
        texts.iter().enumerate().map(|(i, t)| (FileId(i as u32), t.as_str())).collect();
    sl::text::parse(&files).unwrap()
}

#[test]
fn satisfiability_of_lists() {
    let mut random = Formulas(Random::new(0x5eed_0001));
    let mut solver = solver();
    let mut sat = 0;
    for _ in 0..100 {
        let text = random.atoms(5, 7, &LISTS) + " * ls(x1, x1)";
        let document = parse(std::slice::from_ref(&text));
        let formula = &document.formulas[0];
        let formulas = std::slice::from_ref(formula);
        let native = check_sat(&mut Lists, &document.signature, Semantics::Precise, formulas);
        let native = native.as_str() == "sat";
        let verdict = check_sat(
            &mut solver,
            &document.signature,
            Semantics::Precise,
            std::slice::from_ref(formula),
        );
        assert_eq!(verdict.as_str(), if native { "sat" } else { "unsat" }, "{text}: {verdict:?}");
        sat += usize::from(native);
    }
    assert!((20..=80).contains(&sat), "{sat}");
}

#[test]
fn entailment_of_lists() {
    let mut random = Formulas(Random::new(0x5eed_0002));
    let mut solver = solver();
    let mut valid = 0;
    for _ in 0..120 {
        let left = random.atoms(4, 5, &LISTS[1..]) + " * ls(x1, x2)";
        let right = random.atoms(4, 4, &LISTS[3..]) + " * ls(x1, x2)";
        let document = parse(&[left.clone(), right.clone()]);
        let [h, g] = document.formulas.as_slice() else { panic!() };
        let native = entails(&mut Lists, &document.signature, Semantics::Precise, h, g).is_valid();
        let verdict = entails(&mut solver, &document.signature, Semantics::Precise, h, g);
        let expected = if native { "valid" } else { "invalid" };
        assert_eq!(verdict.as_str(), expected, "{left} |= {right}: {verdict:?}");
        valid += usize::from(native);
    }
    assert!(valid > 10, "{valid}");
}

/// Atoms, now and then with a conjunction or a disjunction below `*`.
fn spatial(random: &mut Formulas, kinds: &[&str]) -> String {
    let atoms = random.atoms(3, 2, kinds);
    let sign = match random.0.below(6) {
        0 => "&&",
        1 => "||",
        _ => return atoms,
    };
    let (a, b) = (random.atoms(3, 1, kinds), random.atoms(3, 1, kinds));
    format!("{atoms} * ({a} {sign} {b})")
}

/// A Boolean combination of such formulas.
fn combination(random: &mut Formulas, depth: usize, kinds: &[&str]) -> String {
    match if depth == 0 { 0 } else { random.0.below(4) } {
        0 => format!("({})", spatial(random, kinds)),
        1 => format!("!{}", combination(random, depth - 1, kinds)),
        n => {
            let (a, b) =
                (combination(random, depth - 1, kinds), combination(random, depth - 1, kinds));
            format!("({a} {} {b})", if n == 2 { "&&" } else { "||" })
        }
    }
}

const CYCLIC: &str = "pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);\n";

const DOUBLY: &str = "pred dll(x, a, y, b) := x = y * a = b ||
    exists u. x != y * x |-> {next: u, prev: a} * dll(u, x, y, b);\n";

const CYCLIC_DOUBLY: &str = "pred dll(x, a, y, b) := x = y * a = b ||
    exists u. x |-> {next: u, prev: a} * dll(u, x, y, b);\n";

const SORTED: &str = "pred up(x, y, low) := x = y ||
    exists u, v. x != y * low <= v * x |-> {next: u, data: v} * up(u, y, v);\n";

const CYCLIC_SORTED: &str = "pred up(x, y, low) := x = y ||
    exists u, v. low <= v * x |-> {next: u, data: v} * up(u, y, v);\n";

const STRICT: &str = "pred up(x, y, low) := x = y ||
    exists u, v. x != y * low < v * x |-> {next: u, data: v} * up(u, y, v);\n";

const DOUBLY_KINDS: [&str; 4] =
    ["A != B", "A |-> {next: B, prev: C}", "dll(A, B, C, D)", "dll(A, B, C, D)"];

const SORTED_KINDS: [&str; 5] =
    ["A != B", "N <= N", "A |-> {next: B, data: N}", "up(A, B, N)", "up(A, B, N)"];

fn against_small_heaps(seed: u64, count: usize, semantics: Semantics, kinds: &[&str]) {
    let bounds = Bounds { locations: 3, data: 0 };
    against_heaps(seed, count, semantics, (CYCLIC, kinds), bounds);
}

fn against_heaps(
    seed: u64,
    count: usize,
    semantics: Semantics,
    (definitions, kinds): (&str, &[&str]),
    bounds: Bounds,
) {
    let mut random = Formulas(Random::new(seed));
    let mut solver = solver();
    let mut unsat = 0;
    for _ in 0..count {
        let parts: Vec<String> = (0..3).map(|_| combination(&mut random, 2, kinds)).collect();
        let text = format!("{definitions}{}", parts.join(" && "));
        let document = parse(std::slice::from_ref(&text));
        let formula: &Formula = &document.formulas[0];
        let verdict =
            check_sat(&mut solver, &document.signature, semantics, std::slice::from_ref(formula));
        match &verdict {
            Answer::Decided(Satisfiability::Sat(_)) => {}
            Answer::Decided(Satisfiability::Unsat(_)) => {
                unsat += 1;
                let model =
                    enumerate::find_satisfying(&document.signature, semantics, formula, bounds);
                assert_eq!(model, None, "{text}");
            }
            unknown => panic!("{text}: {unknown:?}"),
        }
    }
    assert!(unsat * 10 > count, "{unsat}");
}

#[test]
fn combinations_of_lists() {
    against_small_heaps(0x5eed_0003, 50, Semantics::Precise, &LISTS);
}

#[test]
fn combinations_in_the_standard_semantics() {
    against_small_heaps(0x5eed_0004, 50, Semantics::Standard, &LISTS);
}

/// A segment that may come back to its end.
#[test]
fn combinations_of_cyclic_lists() {
    let kinds = ["A = B", "A != B", "A |-> B", "lseg(A, B)", "lseg(A, B)"];
    against_small_heaps(0x5eed_0005, 40, Semantics::Precise, &kinds);
}

/// Among them lists that share nodes, and must go back the same way.
#[test]
fn combinations_of_doubly_linked_lists() {
    let bounds = Bounds { locations: 2, data: 0 };
    let lists = (DOUBLY, &DOUBLY_KINDS[..]);
    against_heaps(0x5eed_0006, 80, Semantics::Precise, lists, bounds);
    let lists = (CYCLIC_DOUBLY, &DOUBLY_KINDS[..]);
    against_heaps(0x5eed_000c, 40, Semantics::Precise, lists, bounds);
}

#[test]
fn combinations_of_sorted_lists() {
    let bounds = Bounds { locations: 1, data: 1 };
    let lists = (SORTED, &SORTED_KINDS[..]);
    against_heaps(0x5eed_0007, 60, Semantics::Precise, lists, bounds);
    let lists = (STRICT, &SORTED_KINDS[..]);
    against_heaps(0x5eed_0009, 60, Semantics::Precise, lists, bounds);
}

/// A sorted segment that may come back to its end: data do not rise along a cycle for ever.
#[test]
fn combinations_of_cyclic_sorted_lists() {
    let bounds = Bounds { locations: 1, data: 1 };
    let lists = (CYCLIC_SORTED, &SORTED_KINDS[..]);
    against_heaps(0x5eed_000d, 40, Semantics::Precise, lists, bounds);
}

/// Sorted segments without a bound: each step compares a cell with the next one, or a bound is hidden.
const UNBOUNDED: [&str; 5] = [
    "pred sls(x, y) := x = y || (exists d. x != y * x |-> {next: y, data: d}) ||
        exists u, w, d, e. x != y * d <= e * x |-> {next: u, data: d} *
            (sls(u, y) && u |-> {next: w, data: e} * true);\n",
    "pred sls(x, y) := x = y || (exists d. x != y * x |-> {next: y, data: d}) ||
        exists u, w, d, e. x != y * e < d *
            (x |-> {next: u, data: d} * sls(u, y) && u |-> {next: w, data: e} * true);\n",
    "pred sls(x, y) := (exists d. x |-> {next: y, data: d}) ||
        exists u, w, d, e. d <= e * x |-> {next: u, data: d} *
            (sls(u, y) && u |-> {next: w, data: e} * true);\n",
    "pred up(x, y, b) := x = y ||
        exists u, d. x != y * b <= d * x |-> {next: u, data: d} * up(u, y, d);
     pred sls(x, y) := exists b. up(x, y, b);\n",
    "pred up(x, y, b) := x = y ||
        exists u, d. x != y * b < d * x |-> {next: u, data: b} * up(u, y, d);
     pred sls(x, y) := x = y ||
        exists u, d, e. x != y * d < e * x |-> {next: u, data: d} * up(u, y, e);\n",
];

#[test]
fn combinations_of_sorted_lists_without_a_bound() {
    let bounds = Bounds { locations: 2, data: 1 };
    let kinds = ["A != B", "A |-> {next: B, data: N}", "sls(A, B)", "sls(A, B)"];
    for (seed, definitions) in (0x5eed_0010..).zip(UNBOUNDED) {
        let lists = (definitions, &kinds[..]);
        against_heaps(seed, 20, Semantics::Precise, lists, bounds);
    }
}
