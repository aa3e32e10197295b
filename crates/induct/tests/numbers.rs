//! Satisfiability where locations and integers have to be looked at together, on generated formulas.
#![allow(clippy::unwrap_used, clippy::panic)]

use induct::Induct;
use report::FileId;
use sl::ask::once::check_sat;
use sl::enumerate::{self, Bounds};
use sl::{Answer, Evaluator, Model, Satisfiability, Semantics, Truth};
use testing::Random;

const DEFINITIONS: &str = "
    (declare-sort Ref 0)
    (declare-datatypes ((Node 0)) (((node (next Ref) (prev Ref)))))
    (declare-heap (Ref Node))
    (define-fun-rec len ((x Ref) (n Int) (y Ref) (m Int)) Bool
      (or (and (= x y) (= n m) (_ emp Ref Node))
          (exists ((u Ref) (k Int))
            (and (= n (+ k 1)) (sep (pto x (node u u)) (len u k y m))))))
    (define-fun-rec dll ((x Ref) (p Ref) (n Int) (y Ref) (l Ref) (m Int)) Bool
      (or (and (= x y) (= p l) (= n m) (_ emp Ref Node))
          (exists ((u Ref) (k Int))
            (and (= n (+ k 1)) (sep (pto x (node u p)) (dll u x k y l m))))))
    (define-fun-rec falls ((x Ref) (a Int) (y Ref) (b Int)) Bool
      (or (and (= x y) (= a b) (_ emp Ref Node))
          (exists ((u Ref) (k Int))
            (and (> a (+ k 1)) (sep (pto x (node u x)) (falls u k y b))))))
    (define-fun-rec tree ((x Ref) (n Int)) Bool
      (or (and (= x (as nil Ref)) (= n 0) (_ emp Ref Node))
          (exists ((l Ref) (r Ref) (a Int) (b Int))
            (and (= n (+ a b 1)) (sep (pto x (node l r)) (tree l a) (tree r b))))))
    (define-fun-rec pairs ((x Ref) (n Int)) Bool
      (or (and (= x (as nil Ref)) (= n 0) (_ emp Ref Node))
          (exists ((u Ref) (v Ref) (k Int))
            (and (= n (+ k 2)) (sep (pto x (node u u)) (pto u (node v v)) (pairs v k))))))
    (define-fun-rec wide ((x Ref) (n Int)) Bool
      (or (and (= x (as nil Ref)) (= n 3) (_ emp Ref Node))
          (exists ((l Ref) (r Ref) (a Int) (b Int))
            (and (= n (+ a b 2)) (sep (pto x (node l r)) (wide l a) (wide r b))))))
    (define-fun-rec both ((x Ref) (n Int) (m Int)) Bool
      (or (and (= x (as nil Ref)) (= n 1) (= m 0) (_ emp Ref Node))
          (exists ((u Ref) (k Int) (j Int))
            (and (= n (+ k 2)) (= m (- j 1)) (sep (pto x (node u u)) (both u k j))))))
    (define-fun-rec mixed ((x Ref) (y Ref) (n Int) (m Int)) Bool
      (or (and (= x y) (= n m) (_ emp Ref Node))
          (exists ((u Ref) (k Int))
            (and (= n (+ k 4)) (sep (pto x (node u u)) (mixed u y k m))))
          (exists ((u Ref) (k Int))
            (and (= n (- k 6)) (sep (pto x (node u x)) (mixed u y k m))))))
    (define-fun-rec steep ((x Ref) (a Int) (n Int) (y Ref) (b Int) (m Int)) Bool
      (or (and (= x y) (= a b) (= n m) (_ emp Ref Node))
          (exists ((u Ref) (c Int) (k Int))
            (and (< a c) (= n (+ k 1)) (sep (pto x (node u u)) (steep u c k y b m))))))
    (declare-const x Ref) (declare-const y Ref) (declare-const z Ref)
    (declare-const n Int) (declare-const m Int) (declare-const k Int)
";

const PREDICATES: [(&str, &str); 9] = [
    ("wide", "RI"),
    ("len", "RIRI"),
    ("dll", "RRIRRI"),
    ("falls", "RIRI"),
    ("tree", "RI"),
    ("pairs", "RI"),
    ("both", "RII"),
    ("mixed", "RRII"),
    ("steep", "RIIRII"),
];

fn ask(formula: &str, confirm: impl Fn(&Evaluator<'_>, &Model) -> bool) -> Answer<Satisfiability> {
    let text = format!("{DEFINITIONS} (assert {formula}) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let verdict = check_sat(&mut Induct, &check.signature, Semantics::Standard, &check.assertions);
    if let Some(model) = verdict.model() {
        let evaluator = Evaluator::new(&check.signature, Semantics::Standard);
        if confirm(&evaluator, model) {
            let truth = evaluator.holds(model, &check.assertions[0]);
            assert_eq!(truth, Truth::True, "{formula} {model:?}");
        }
    }
    if verdict.is_unsat() {
        let bounds = Bounds { locations: 2, data: 2 };
        let (signature, formula) = (&check.signature, &check.assertions[0]);
        let found = enumerate::find_satisfying(signature, Semantics::Standard, formula, bounds);
        assert_eq!(found, None, "{formula:?}");
    }
    verdict
}

/// Makes them up.
struct Formulas(Random);

impl Formulas {
    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.0.below(all.len())]
    }

    fn formula(&mut self) -> String {
        let (locations, numbers) = (["x", "y", "z"], ["n", "m", "k"]);
        let mut spatial = String::from("(_ emp Ref Node) (_ emp Ref Node)");
        for _ in 0..1 + self.0.below(3) {
            let (name, sorts) = PREDICATES[self.0.below(PREDICATES.len())];
            let args: Vec<&str> = sorts
                .chars()
                .map(|sort| self.of(if sort == 'R' { &locations } else { &numbers }))
                .collect();
            spatial += &format!(" ({name} {})", args.join(" "));
        }
        let mut pure = String::new();
        for _ in 0..1 + self.0.below(3) {
            pure += &if self.0.below(3) == 0 {
                let relation = self.of(&["=", "distinct"]);
                format!(" ({relation} {} {})", self.of(&locations), self.of(&locations))
            } else {
                let relation = self.of(&["=", "<", ">", "distinct"]);
                let (a, b) = (self.of(&numbers), self.of(&numbers));
                format!(" ({relation} {a} (+ {b} {}))", self.0.below(4))
            };
        }
        format!("(and{pure} (sep {spatial}))")
    }
}

#[test]
fn generated_formulas_with_integers() {
    let mut random = Formulas(Random::new(0x5eed_0012));
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for _ in 0..30 {
        let formula = random.formula();
        match ask(&formula, |_, model| model.heap.len() < 6) {
            Answer::Decided(Satisfiability::Sat(_)) => sat += 1,
            Answer::Decided(Satisfiability::Unsat(_)) => unsat += 1,
            _ => unknown += 1,
        }
    }
    assert!(sat > 5 && unsat > 5 && unknown < 2, "{sat} {unsat} {unknown}");
}
