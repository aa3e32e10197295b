//! Two opinions on generated formulas: the procedure, and all small heaps.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use boolean::Solver;
use report::FileId;
use sl::ask::once::check_sat;
use sl::enumerate::{self, Bounds};
use sl::{Answer, Satisfiability, Semantics};
use testing::Random;

/// A number from 0 to `n - 1`, the same in every run.
struct Formulas(Random, Data);

/// What locations hold.
#[derive(Clone, Copy)]
enum Data {
    Locations,
    Numbers,
    TruthValues,
}

impl Data {
    fn declarations(self) -> &'static str {
        match self {
            Data::Locations => "",
            Data::Numbers => {
                "sort Loc; record Cell { value: Int }; heap Loc -> Cell; \
                              var x: Loc, y: Loc, z: Loc, p: Int, q: Int; "
            }
            Data::TruthValues => {
                "sort Loc; record Cell { value: Bool }; heap Loc -> Cell; \
                                  var x: Loc, y: Loc, z: Loc, p: Bool, q: Bool; "
            }
        }
    }
}

impl Formulas {
    fn var(&mut self) -> &'static str {
        ["x", "y", "x", "y", "z", "nil"][self.0.below(6)]
    }

    fn formula(&mut self, depth: usize, wands: bool) -> String {
        let choice = if depth == 0 { self.0.below(5) } else { 5 + self.0.below(6) };
        match choice {
            0 | 1 => {
                let (x, y) = (["x", "y", "z"][self.0.below(3)], self.var());
                let data = ["p", "q"][self.0.below(2)];
                match self.1 {
                    Data::Locations => format!("{x} |-> {y}"),
                    Data::Numbers | Data::TruthValues => format!("{x} |-> {{value: {data}}}"),
                }
            }
            2 => "emp".into(),
            3 if matches!(self.1, Data::Locations) || self.0.below(2) == 0 => {
                format!("{} = {}", self.var(), self.var())
            }
            3 => "p = q".into(),
            4 => "true".into(),
            5 | 6 => format!("!({})", self.formula(depth - 1, wands)),
            n => {
                let joint = match n {
                    7 | 8 => "*",
                    9 => ["&&", "||"][self.0.below(2)],
                    _ if wands => "-*",
                    _ => "*",
                };
                let left = self.formula(depth - 1, wands);
                format!("({left}) {joint} ({})", self.formula(depth - 1, wands))
            }
        }
    }
}

fn against_small_heaps(random: Formulas, count: usize, semantics: Semantics, wands: bool) {
    let mut solver = Solver::new(boolean::config(testing::z3(), Duration::from_secs(60)));
    let mut random = random;
    let declarations = random.1.declarations();
    let bounds = Bounds { locations: 3, data: 1 };
    let (mut unsat, mut unknown) = (0, 0);
    for _ in 0..count {
        let parts: Vec<String> =
            (0..3).map(|_| format!("({})", random.formula(3, wands))).collect();
        let text = format!("{declarations}{}", parts.join(" && "));
        let document = sl::text::parse(&[(FileId(0), &text)]).unwrap();
        let (signature, formulas) = (&document.signature, &document.formulas);
        match check_sat(&mut solver, signature, semantics, formulas) {
            Answer::Decided(Satisfiability::Sat(_)) => {}
            Answer::Decided(Satisfiability::Unsat(_)) => {
                unsat += 1;
                let model = enumerate::find_satisfying(signature, semantics, &formulas[0], bounds);
                assert_eq!(model, None, "{text}");
            }
            other => {
                println!("{text}: {other:?}");
                unknown += 1;
            }
        }
    }
    println!("{unsat} of {count} have no model");
    assert!(unknown == 0, "{unknown}");
    assert!(unsat * 10 > count && unsat * 10 < count * 9, "{unsat}");
}

#[test]
fn splits() {
    against_small_heaps(
        Formulas(Random::new(0x5eed_0021), Data::Locations),
        60,
        Semantics::Standard,
        false,
    );
}

#[test]
fn splits_in_the_precise_semantics() {
    against_small_heaps(
        Formulas(Random::new(0x5eed_0022), Data::Locations),
        40,
        Semantics::Precise,
        false,
    );
}

#[test]
fn splits_and_extensions() {
    against_small_heaps(
        Formulas(Random::new(0x5eed_0023), Data::Locations),
        60,
        Semantics::Standard,
        true,
    );
}

#[test]
fn splits_and_extensions_in_the_precise_semantics() {
    against_small_heaps(
        Formulas(Random::new(0x5eed_0024), Data::Locations),
        40,
        Semantics::Precise,
        true,
    );
}

#[test]
fn numbers_and_truth_values() {
    let numbers = Formulas(Random::new(0x5eed_0025), Data::Numbers);
    against_small_heaps(numbers, 20, Semantics::Standard, true);
    let truth_values = Formulas(Random::new(0x5eed_0026), Data::TruthValues);
    against_small_heaps(truth_values, 20, Semantics::Standard, true);
}
