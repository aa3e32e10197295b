//! What is proved, and what is decided, against all small heaps, on generated formulas.
#![allow(clippy::unwrap_used, clippy::panic)]

use induct::Induct;
use report::FileId;
use sl::ask::once::check_sat;
use sl::enumerate::{self, Bounds};
use sl::{Answer, Evaluator, Formula, Satisfiability, Semantics, Signature, Truth};
use testing::Random;

const ONE_FIELD: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (next Ref)))))
    (declare-heap (Ref Node))
    (define-fun-rec ls ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((u Ref)) (and (distinct x y) (sep (pto x (node u)) (ls u y))))))
    (define-fun-rec free ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((u Ref)) (sep (pto x (node u)) (free u y)))))
    (define-fun-rec back ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((u Ref)) (sep (back x u) (pto u (node y))))))
    (define-fun-rec plus ((x Ref) (y Ref)) Bool
      (or (pto x (node y)) (exists ((u Ref)) (sep (pto x (node u)) (plus u y)))))
    (define-funs-rec ((even ((x Ref) (y Ref)) Bool) (odd ((x Ref) (y Ref)) Bool))
      ((or (and (= x y) (_ emp Ref Node))
           (exists ((u Ref)) (sep (pto x (node u)) (odd u y))))
       (exists ((u Ref)) (sep (pto x (node u)) (even u y)))))
    (define-fun-rec either ((x Ref) (y Ref)) Bool (or (ls x y) (back x y)))
    (define-fun-rec lasso ((x Ref)) Bool (exists ((u Ref)) (sep (free x u) (plus u u))))
";

const TWO_FIELDS: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (left Ref) (right Ref)))))
    (declare-heap (Ref Node))
    (define-fun-rec tree ((x Ref)) Bool
      (or (and (= x (as nil Ref)) (_ emp Ref Node))
          (exists ((l Ref) (r Ref)) (sep (pto x (node l r)) (tree l) (tree r)))))
    (define-fun-rec tseg ((x Ref) (y Ref)) Bool
      (or (and (= x y) (_ emp Ref Node))
          (exists ((l Ref) (r Ref)) (sep (pto x (node l r)) (tree l) (tseg r y)))
          (exists ((l Ref) (r Ref)) (sep (pto x (node l r)) (tseg l y) (tree r)))))
    (define-fun-rec dll ((x Ref) (l Ref) (p Ref) (n Ref)) Bool
      (or (and (= x n) (= l p) (_ emp Ref Node))
          (exists ((u Ref)) (sep (pto x (node u p)) (dll u l x n)))))
    (define-fun-rec rev ((x Ref) (l Ref) (p Ref) (n Ref)) Bool
      (or (and (= x n) (= l p) (_ emp Ref Node))
          (exists ((u Ref)) (sep (pto l (node n u)) (rev x u p l)))))
    (define-fun-rec up ((x Ref) (p Ref)) Bool
      (or (pto x (node (as nil Ref) p))
          (exists ((u Ref)) (sep (pto x (node u p)) (up u x)))))
";

const LENGTHS: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (next Ref)))))
    (declare-heap (Ref Node))
    (define-fun-rec len ((x Ref) (y Ref) (n Int)) Bool
      (or (and (= x y) (= n 0) (_ emp Ref Node))
          (exists ((u Ref) (m Int)) (and (= n (+ m 1)) (sep (pto x (node u)) (len u y m))))))
    (define-fun-rec most ((x Ref) (n Int)) Bool
      (or (and (= x (as nil Ref)) (<= 0 n) (_ emp Ref Node))
          (exists ((u Ref) (m Int)) (and (< m n) (sep (pto x (node u)) (most u m))))))
    (define-fun-rec twice ((x Ref) (y Ref) (n Int)) Bool
      (or (and (= x y) (= n 0) (_ emp Ref Node))
          (exists ((u Ref) (v Ref) (m Int))
            (and (= n (+ m 2)) (sep (pto x (node u)) (pto u (node v)) (twice v y m))))))
    (declare-const k Int) (declare-const m Int)
";

/// Makes them up.
struct Formulas(Random);

impl Formulas {
    fn var(&mut self, bound: usize) -> String {
        match self.0.below(9 + bound) {
            0 => "(as nil Ref)".into(),
            n @ 1..9 => ["x", "y", "z"][n % 3].into(),
            n => format!("u{}", n - 9),
        }
    }

    fn heap(&mut self, atoms: &[(&str, usize)], most: usize, exists: bool) -> String {
        let bound = if exists { self.0.below(3) } else { 0 };
        let mut spatial = String::from("(_ emp Ref Node)");
        for _ in 0..=self.0.below(most) {
            let (name, arity) = atoms[self.0.below(atoms.len())];
            let args: Vec<String> = (0..arity).map(|_| self.var(bound)).collect();
            spatial += &match name.strip_prefix("pto") {
                Some(_) => format!(" (pto {} (node {}))", args[0], args[1..].join(" ")),
                None => format!(" ({name} {})", args.join(" ")),
            };
        }
        let mut pure = String::new();
        for _ in 0..self.0.below(3) {
            let relation = ["=", "distinct", "distinct"][self.0.below(3)];
            pure += &format!(" ({relation} {} {})", self.var(bound), self.var(bound));
        }
        let body = format!("(and{pure} (sep {spatial}))");
        if bound == 0 {
            return body;
        }
        let vars: Vec<String> = (0..bound).map(|n| format!("(u{n} Ref)")).collect();
        format!("(exists ({}) {body})", vars.join(" "))
    }
}

struct Parsed {
    signature: Signature,
    left: Formula,
    right: Formula,
}

fn parse(definitions: &str, left: &str, right: &str) -> Parsed {
    let consts = "(declare-const x Ref) (declare-const y Ref) (declare-const z Ref)";
    let text = format!("{definitions} {consts} (assert {left}) (assert (not {right})) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let sl::Kind::Not(right) = check.assertions[1].kind() else { panic!("{text}") };
    Parsed {
        signature: (*check.signature).clone(),
        left: check.assertions[0].clone(),
        right: right.clone(),
    }
}

/// Nothing is proved that small heaps refute; how many were proved and refuted?
fn entailments(
    definitions: &str,
    atoms: &[(&str, usize)],
    seed: u64,
    count: usize,
    locations: u32,
) {
    let mut random = Formulas(Random::new(seed));
    let (mut proved, mut refuted) = (0, 0);
    for _ in 0..count {
        let left = random.heap(atoms, 3, false);
        let right = random.heap(atoms, 2, true);
        let Parsed { signature, left: l, right: r } = parse(definitions, &left, &right);
        let bounds = Bounds { locations, data: 0 };
        let counterexample =
            enumerate::find_counterexample(&signature, Semantics::Standard, &l, &r, bounds);
        let proof = induct::proves(&signature, Semantics::Standard, &l, &r);
        assert!(!proof || counterexample.is_none(), "{left} |= {right}: {counterexample:?}");
        proved += usize::from(proof);
        refuted += usize::from(counterexample.is_some());
    }
    assert!(proved >= count / 12 && refuted >= count / 12, "{proved} {refuted}");
}

#[test]
fn no_proof_of_what_small_heaps_refute() {
    let atoms = [
        ("pto", 2),
        ("ls", 2),
        ("free", 2),
        ("back", 2),
        ("plus", 2),
        ("even", 2),
        ("odd", 2),
        ("either", 2),
        ("lasso", 1),
    ];
    entailments(ONE_FIELD, &atoms, 0x5eed_0001, 150, 3);
}

#[test]
fn no_proof_of_what_small_heaps_with_two_fields_refute() {
    let atoms =
        [("pto", 3), ("tree", 1), ("tseg", 2), ("dll", 4), ("rev", 4), ("up", 2), ("tree", 1)];
    entailments(TWO_FIELDS, &atoms, 0x5eed_0002, 150, 2);
}

#[test]
fn no_proof_of_lengths_that_small_heaps_refute() {
    let mut random = Formulas(Random::new(0x5eed_0004));
    let number =
        |random: &mut Formulas| ["k", "m", "k", "m", "(+ k m)", "(+ k 1)", "1"][random.0.below(7)];
    let heap = |random: &mut Formulas| {
        let mut spatial = String::from("(_ emp Ref Node)");
        for _ in 0..=random.0.below(2) {
            let (a, b, n) = (random.var(0), random.var(0), number(random));
            spatial += &match random.0.below(4) {
                0 => format!(" (pto {a} (node {b}))"),
                1 => format!(" (most {a} {n})"),
                2 => format!(" (twice {a} {b} {n})"),
                _ => format!(" (len {a} {b} {n})"),
            };
        }
        let (a, b) = (number(random), number(random));
        let relation = ["=", "<=", "<", "distinct"][random.0.below(4)];
        format!("(and ({relation} {a} {b}) (sep {spatial}))")
    };
    let mut proved = 0;
    for _ in 0..150 {
        let (left, right) = (heap(&mut random), heap(&mut random));
        let Parsed { signature, left: l, right: r } = parse(LENGTHS, &left, &right);
        if !induct::proves(&signature, Semantics::Standard, &l, &r) {
            continue;
        }
        proved += 1;
        let bounds = Bounds { locations: 2, data: 2 };
        let found = enumerate::find_counterexample(&signature, Semantics::Standard, &l, &r, bounds);
        assert_eq!(found, None, "{left} |= {right}");
    }
    assert!(proved >= 5, "{proved}");
}

const SIZES: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (next Ref) (prev Ref)))))
    (declare-heap (Ref Node))
    (define-fun-rec len ((x Ref) (y Ref) (n Int)) Bool
      (or (and (= x y) (= n 0) (_ emp Ref Node))
          (exists ((u Ref) (v Ref) (m Int))
            (and (= n (+ m 1)) (sep (pto x (node u v)) (len u y m))))))
    (define-fun-rec dll ((x Ref) (p Ref) (l Ref) (e Ref) (n Int)) Bool
      (or (and (= x l) (= n 1) (pto x (node e p)))
          (exists ((u Ref) (m Int))
            (and (= n (+ m 1)) (<= 1 m) (sep (pto x (node u p)) (dll u x l e m))))))
    (define-fun-rec rev ((x Ref) (p Ref) (l Ref) (e Ref) (n Int)) Bool
      (or (and (= x l) (= n 1) (pto x (node e p)))
          (exists ((u Ref) (m Int))
            (and (= n (+ m 1)) (<= 1 m) (sep (pto l (node e u)) (rev x p u l m))))))
    (define-fun-rec tree ((x Ref) (n Int)) Bool
      (or (and (= x (as nil Ref)) (= n 0) (_ emp Ref Node))
          (exists ((l Ref) (r Ref) (i Int) (j Int))
            (and (= n (+ i j 1)) (<= 0 i) (<= 0 j)
              (sep (pto x (node l r)) (tree l i) (tree r j))))))
    (declare-const k Int) (declare-const m Int)
";

/// Sizes and locations that are to be found, of segments that touch.
#[test]
fn no_proof_of_sizes_that_small_heaps_refute() {
    let mut random = Formulas(Random::new(0x5eed_0006));
    let place = |random: &mut Formulas, bound: bool| {
        let places = ["x", "y", "z", "x", "y", "(as nil Ref)", "a", "b", "a"];
        places[random.0.below(if bound { 9 } else { 6 })]
    };
    let number = |random: &mut Formulas, bound: bool| {
        ["k", "m", "1", "2", "i", "j", "i"][random.0.below(if bound { 7 } else { 4 })]
    };
    let heap = |random: &mut Formulas, most: usize, bound: bool| {
        let mut spatial = String::from("(_ emp Ref Node)");
        let (mut from, mut before) = (place(random, bound), place(random, bound));
        for _ in 0..=random.0.below(most) {
            let (to, last, n) = (place(random, bound), place(random, bound), number(random, bound));
            spatial += &match random.0.below(6) {
                0 => format!(" (pto {from} (node {to} {before}))"),
                1 => format!(" (tree {from} {n})"),
                2 => format!(" (len {from} {to} {n})"),
                3 => format!(" (rev {from} {before} {last} {to} {n})"),
                _ => format!(" (dll {from} {before} {last} {to} {n})"),
            };
            (from, before) = if random.0.below(3) == 0 { (last, to) } else { (to, last) };
        }
        let relation = ["=", "<=", "<", "distinct"][random.0.below(4)];
        let (a, b) = (number(random, bound), number(random, bound));
        let body = format!("(and ({relation} {a} {b}) (sep {spatial}))");
        let vars = "((a Ref) (b Ref) (i Int) (j Int))";
        if bound { format!("(exists {vars} {body})") } else { body }
    };
    let mut proved = 0;
    for _ in 0..150 {
        let (left, right) = (heap(&mut random, 2, false), heap(&mut random, 3, true));
        let Parsed { signature, left: l, right: r } = parse(SIZES, &left, &right);
        if !induct::proves(&signature, Semantics::Standard, &l, &r) {
            continue;
        }
        proved += 1;
        let bounds = Bounds { locations: 2, data: 2 };
        let found = enumerate::find_counterexample(&signature, Semantics::Standard, &l, &r, bounds);
        assert_eq!(found, None, "{left} |= {right}");
    }
    assert!(proved >= 12, "{proved}");
}

#[test]
fn satisfiability_of_generated_formulas() {
    let atoms = [("pto", 2), ("ls", 2), ("back", 2), ("plus", 2), ("odd", 2), ("lasso", 1)];
    let mut random = Formulas(Random::new(0x5eed_0003));
    let mut sat = 0;
    for _ in 0..200 {
        let left = random.heap(&atoms, 5, true);
        let Parsed { signature, left: formula, .. } = parse(ONE_FIELD, &left, "(ls x x)");
        let formulas = [formula.clone()];
        match check_sat(&mut Induct, &signature, Semantics::Standard, &formulas) {
            Answer::Decided(Satisfiability::Sat(model)) => {
                let evaluator = Evaluator::new(&signature, Semantics::Standard);
                assert_eq!(evaluator.holds(&model, &formula), Truth::True, "{left}");
                sat += 1;
            }
            Answer::Decided(Satisfiability::Unsat(_)) => {
                let bounds = Bounds { locations: 3, data: 0 };
                let found =
                    enumerate::find_satisfying(&signature, Semantics::Standard, &formula, bounds);
                assert_eq!(found, None, "{left}");
            }
            unknown => panic!("{left}: {unknown:?}"),
        }
    }
    assert!((40..160).contains(&sat), "{sat}");
}
