//! Circuits and counters: definitions that only say what is `nil`.
#![allow(clippy::unwrap_used, clippy::panic)]

use induct::base::Table;
use induct::propositional;
use induct::system::{Clause, System};
use report::FileId;
use sl::{Semantics, SymbolicHeap};
use testing::Random;

const HEADER: &str = "(declare-sort Ref 0) (declare-heap (Ref Ref))
    (declare-const x Ref) (declare-const y Ref) (declare-const z Ref)";

fn numbered(definitions: &str, formula: &str) -> (System, Clause) {
    let text = format!("{HEADER} {definitions} (assert {formula}) (check-sat)");
    let script = sl::smtlib::parse(FileId(0), &text).unwrap();
    let check = &script.checks[0];
    let formula = check.assertions[0].clone();
    let free: Vec<sl::Var> = formula.free_vars().into_iter().collect();
    let formulas = [formula.clone()];
    let system = System::new(&check.signature, Semantics::Standard, &formulas).unwrap();
    let heaps = SymbolicHeap::disjuncts(&formula, Semantics::Standard).unwrap();
    let clause = system.clause(&heaps[0], &free).unwrap();
    (system, clause)
}

/// Makes them up.
struct Definitions(Random);

impl Definitions {
    /// Something that says nothing of the heap, about variables `a`, `b`, … and instances.
    fn clause(&mut self, vars: &[&str], arities: &[usize], calls: usize) -> String {
        let mut pure = String::new();
        for _ in 0..self.0.below(4) {
            let (a, b) = (vars[self.0.below(vars.len())], vars[self.0.below(vars.len())]);
            pure += &match self.0.below(4) {
                0 => format!(" (= {a} {b})"),
                1 => format!(" (= {a} (as nil Ref))"),
                _ => format!(" (distinct {a} (as nil Ref))"),
            };
        }
        let mut spatial = String::new();
        for _ in 0..self.0.below(calls + 1) {
            let pred = self.0.below(arities.len());
            let args: Vec<&str> =
                (0..arities[pred]).map(|_| vars[self.0.below(vars.len())]).collect();
            spatial += &format!(" (p{pred} {})", args.join(" "));
        }
        format!("(and{pure} (sep (_ emp Ref Ref) (_ emp Ref Ref){spatial}))")
    }

    fn definitions(&mut self, arities: &[usize]) -> String {
        let (mut heads, mut bodies) = (String::new(), String::new());
        for (pred, arity) in arities.iter().enumerate() {
            let names = &["a", "b", "c", "d", "e", "f", "g", "h", "i"][..arity + 2];
            let params: Vec<String> =
                names[..*arity].iter().map(|p| format!("({p} Ref)")).collect();
            heads += &format!(" (p{pred} ({}) Bool)", params.join(" "));
            let (u, v) = (names[*arity], names[arity + 1]);
            let calls = self.0.below(4);
            let cases: Vec<String> = (0..1 + self.0.below(4))
                .map(|_| {
                    format!("(exists (({u} Ref) ({v} Ref)) {})", self.clause(names, arities, calls))
                })
                .collect();
            bodies += &match cases.as_slice() {
                [case] => case.clone(),
                _ => format!("(or {})", cases.join(" ")),
            };
        }
        format!("(define-funs-rec ({heads}) ({bodies}))")
    }
}

#[test]
fn the_same_as_by_base_pairs() {
    let mut random = Definitions(Random::new(0x5eed_0011));
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..600 {
        let mut arities: Vec<usize> =
            (0..2 + random.0.below(4)).map(|_| 1 + random.0.below(3)).collect();
        if random.0.below(2) == 0 {
            // What has so many parameters has no table.
            arities[0] = 7;
        }
        let definitions = random.definitions(&arities);
        let formula = random.clause(&["x", "y", "z"], &arities, 3);
        let (system, clause) = numbered(&definitions, &formula);
        let table = Table::new(&system, 1_000_000);
        let choice = table.consistent(&clause, 1_000_000);
        let Some(expected) = choice.filter(|_| table.complete) else { continue };
        let found = propositional::decide(&system, &clause, 1_000_000).unwrap();
        assert_eq!(found.is_some(), expected.is_some(), "{definitions} {formula}");
        if found.is_some() { sat += 1 } else { unsat += 1 }
    }
    assert!(sat > 100 && unsat > 80, "{sat} {unsat}");
}

#[test]
fn other_definitions_are_left_to_others() {
    let differ = "(define-fun-rec p ((a Ref) (b Ref)) Bool (and (distinct a b) (_ emp Ref Ref)))";
    let cell = "(define-fun-rec p ((a Ref) (b Ref)) Bool (pto a b))";
    for definitions in [differ, cell] {
        let (system, clause) = numbered(definitions, "(p x y)");
        assert_eq!(propositional::decide(&system, &clause, 1_000), None, "{definitions}");
    }
}
