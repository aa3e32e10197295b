//! Heaps whose locations are integers, against all small ones; questions with known answers are in
//! `tests/sl/integers_as_locations.smt2`.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use entail::Decider;
use report::FileId;
use sl::ask;
use sl::{Answer, Budget, Defs, Satisfiability, Semantics, Value};
use testing::Random;

fn decider() -> Decider {
    Decider::new(|| Ok(testing::z3()))
}

/// The answer to a question in SMT-LIB, and its model.
fn ask(decider: &mut Decider, text: &str) -> Answer<Satisfiability> {
    let script =
        sl::smtlib::parse(FileId(0), text).unwrap_or_else(|e| panic!("{text}: {}", e.message));
    let check = script.checks.last().unwrap();
    let defs = Defs::new(check.signature.clone(), Semantics::Standard);
    let deadline = Instant::now() + Duration::from_secs(20);
    ask::check_sat(decider, &defs, &check.assertions, &mut Budget::until(Some(deadline)))
}

const HEAD: &str = "(declare-heap (Int Int)) (declare-const x Int) (declare-const y Int) \
    (declare-const z Int) (declare-const n Int) \
    (define-fun-rec ls ((a Int) (b Int)) Bool (or (and (= a b) (_ emp Int Int)) \
        (exists ((u Int)) (and (distinct a b) (sep (pto a u) (ls u b))))))\n";

/// A formula, as text and as something to evaluate.
enum F {
    Eq(T, T),
    Lt(T, T),
    Emp,
    Pto(T, T),
    Ls(T, T),
    Sep(Box<F>, Box<F>),
    And(Box<F>, Box<F>),
    Or(Box<F>, Box<F>),
    Not(Box<F>),
}

/// A variable plus a number, or only the number.
#[derive(Clone, Copy)]
struct T(Option<usize>, i64);

const VARS: [&str; 3] = ["x", "y", "n"];

type Heap = BTreeMap<i64, i64>;

impl T {
    fn any(state: &mut Random) -> T {
        match state.below(8) {
            0 => T(None, state.below(3) as i64),
            1 | 2 => T(Some(state.below(3)), 1),
            _ => T(Some(state.below(3)), 0),
        }
    }

    fn text(self) -> String {
        match self {
            T(None, number) => number.to_string(),
            T(Some(var), 0) => VARS[var].into(),
            T(Some(var), number) => format!("(+ {} {number})", VARS[var]),
        }
    }

    fn value(self, stack: [i64; 3]) -> i64 {
        self.0.map_or(0, |var| stack[var]) + self.1
    }
}

impl F {
    fn any(state: &mut Random, depth: usize) -> F {
        let kind = state.below(if depth == 0 { 6 } else { 10 });
        let mut sub = || Box::new(F::any(state, depth - 1));
        match kind {
            6 => F::Sep(sub(), sub()),
            7 => F::And(sub(), sub()),
            8 => F::Or(sub(), sub()),
            9 => F::Not(sub()),
            kind => {
                let (a, b) = (T::any(state), T::any(state));
                match kind {
                    0 => F::Eq(a, b),
                    1 => F::Lt(a, b),
                    2 => F::Emp,
                    3 => F::Ls(a, b),
                    _ => F::Pto(a, b),
                }
            }
        }
    }

    fn text(&self) -> String {
        let two = |op: &str, a: &F, b: &F| format!("({op} {} {})", a.text(), b.text());
        match self {
            F::Eq(a, b) => format!("(= {} {})", a.text(), b.text()),
            F::Lt(a, b) => format!("(< {} {})", a.text(), b.text()),
            F::Emp => "(_ emp Int Int)".into(),
            F::Pto(a, b) => format!("(pto {} {})", a.text(), b.text()),
            F::Ls(a, b) => format!("(ls {} {})", a.text(), b.text()),
            F::Sep(a, b) => two("sep", a, b),
            F::And(a, b) => two("and", a, b),
            F::Or(a, b) => two("or", a, b),
            F::Not(a) => format!("(not {})", a.text()),
        }
    }

    fn holds(&self, stack: [i64; 3], heap: &Heap) -> bool {
        match self {
            F::Eq(a, b) => a.value(stack) == b.value(stack),
            F::Lt(a, b) => a.value(stack) < b.value(stack),
            F::Emp => heap.is_empty(),
            F::Pto(a, b) => *heap == Heap::from([(a.value(stack), b.value(stack))]),
            F::Ls(a, b) => {
                let (mut at, end) = (a.value(stack), b.value(stack));
                let mut rest = heap.clone();
                while at != end {
                    let Some(next) = rest.remove(&at) else { return false };
                    at = next;
                }
                rest.is_empty()
            }
            F::Sep(a, b) => {
                let cells: Vec<(i64, i64)> = heap.iter().map(|(k, v)| (*k, *v)).collect();
                (0..1usize << cells.len()).any(|mask| {
                    let part = |inside: bool| {
                        let is = |i: usize| (mask >> i & 1 == 1) == inside;
                        cells.iter().enumerate().filter(|(i, _)| is(*i)).map(|(_, c)| *c).collect()
                    };
                    a.holds(stack, &part(true)) && b.holds(stack, &part(false))
                })
            }
            F::And(a, b) => a.holds(stack, heap) && b.holds(stack, heap),
            F::Or(a, b) => a.holds(stack, heap) || b.holds(stack, heap),
            F::Not(a) => !a.holds(stack, heap),
        }
    }
}

/// All heaps with addresses and contents from 0 to 2.
fn heaps() -> Vec<Heap> {
    let mut all = vec![Heap::new()];
    for address in 0..3 {
        let smaller = all.clone();
        for content in 0..3 {
            all.extend(smaller.iter().cloned().map(|mut heap| {
                heap.insert(address, content);
                heap
            }));
        }
    }
    all
}

/// Every model is one, by an evaluator that knows nothing of locations; where there is said to be none,
/// there is none among the small ones.
#[test]
fn generated() {
    let count = std::env::var("LANCEHEAD_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let mut state = Random::new(0x5eed_0030);
    let mut decider = decider();
    let heaps = heaps();
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for _ in 0..count {
        let formulas: Vec<F> = (0..2).map(|_| F::any(&mut state, 2)).collect();
        let texts: Vec<String> =
            formulas.iter().map(|f| format!("(assert {})", f.text())).collect();
        let text = format!("{HEAD}{}(check-sat)", texts.concat());
        let holds = |stack, heap: &Heap| formulas.iter().all(|f| f.holds(stack, heap));
        match ask(&mut decider, &text) {
            Answer::Decided(Satisfiability::Sat(model)) => {
                let number = |value: &Value| match value {
                    Value::Int(number) => i64::try_from(number).unwrap(),
                    Value::Loc(loc) => i64::try_from(&model.addresses[loc]).unwrap(),
                    _ => panic!("{value}"),
                };
                let stack = VARS.map(|name| model.stack.get(&name.into()).map_or(0, number));
                let cell = |(loc, o): (&sl::Loc, &sl::Object)| {
                    (number(&Value::Loc(*loc)), number(&o.content))
                };
                let heap: Heap = model.heap.iter().map(cell).collect();
                assert!(holds(stack, &heap), "{text}: {stack:?} {heap:?}");
                sat += 1;
            }
            Answer::Decided(Satisfiability::Unsat(_)) => {
                for number in 0..27 {
                    let stack = [number % 3, number / 3 % 3, number / 9];
                    let model = heaps.iter().find(|heap| holds(stack, heap));
                    assert_eq!(model, None, "{text}: {stack:?}");
                }
                unsat += 1;
            }
            _ => unknown += 1,
        }
    }
    assert!(
        sat > count / 4 && unsat > count / 10 && unknown < count / 3,
        "{sat} {unsat} {unknown}"
    );
}
