//! Looks for inputs that do harm, for a number of seconds:
//!
//! - readers of texts (the text notation, SMT-LIB) get damaged texts; they may refuse them, not panic;
//! - entailments between generated symbolic heaps are decided, and compared with all small heaps: nothing
//!   that is called valid has a counterexample there, and proofs are accepted by the checker.
//!
//! ```sh
//! make fuzz-sl SECONDS=60 SEED=1
//! ```
//!
//! What is found is made small and printed; then the exit status is 1.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use induct::Induct;
use lists::Lists;
use report::FileId;
use sl::enumerate::{self, Bounds};
use sl::{Answer, Budget, Defs, Entailment, Procedure, Semantics, ask};
use testing::{Random, damage, shrink};

const DEFINITIONS: &str = "pred seg(x, y) := x = y || exists u. x |-> u * seg(u, y); \
     pred some(x, y) := x |-> y || exists u. x |-> u * some(u, y); \
     pred back(x, y) := x = y || exists u. back(x, u) * u |-> y; ";

const TEXTS: [&str; 4] = [
    "sort Ref; record Cell { next: Ref, data: Int }; heap Ref -> Cell; pred sorted(x: Ref, low: Int) := \
     x = nil || exists y, d. low <= d * x |-> {next: y, data: d} * sorted(y, d); x != nil * sorted(x, 0)",
    "(x |-> y -* z |-> y) * !(emp && ls(x, nil)) || forall u. u = x * mul(2, n) <= 3 - m",
    "exists a: Loc, n: Int. a |-> {left: nil, right: a, `odd name`: n} * true",
    "(declare-sort Ref 0) (declare-datatypes ((Node 0)) (((node (next Ref) (data Int))))) \
     (declare-heap (Ref Node)) (define-fun-rec ls ((x Ref) (y Ref)) Bool (or (and (= x y) \
     (_ emp Ref Node)) (exists ((u Ref) (d Int)) (sep (pto x (node u d)) (ls u y))))) \
     (declare-const x Ref) (set-info :status sat) (assert (ls x (as nil Ref))) (push 1) \
     (assert (not (wand (_ emp Ref Node) true))) (check-sat) (pop 1) (get-model) (exit)",
];

fn main() -> ExitCode {
    let number = |name: &str, or: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(or)
    };
    let end = Instant::now() + Duration::from_secs(number("SECONDS", 10));
    let mut random = Random::new(number("SEED", 1));
    let (mut texts, mut decided, mut undecided) = (0_u64, 0_u64, 0_u64);
    std::panic::set_hook(Box::new(|_| {}));
    while Instant::now() < end {
        for _ in 0..50 {
            let text = random.pick(&TEXTS).copied().unwrap_or_default();
            let text = damage(text, &TEXTS, &mut random);
            texts += 1;
            if panics(&text) {
                println!("panics:\n{}", shrink::text(&text, 2_000, panics));
                return ExitCode::FAILURE;
            }
        }
        let question = [atoms(&mut random), atoms(&mut random)];
        match fault(&question) {
            Ok(true) => decided += 1,
            Ok(false) => undecided += 1,
            Err(_) => {
                let (left, right) = (&question[0], &question[1]);
                let left = shrink::items(left, 500, |left| {
                    fault(&[left.to_vec(), right.clone()]).is_err()
                });
                let right = shrink::items(right, 500, |right| {
                    fault(&[left.clone(), right.to_vec()]).is_err()
                });
                let why = fault(&[left, right]).err().unwrap_or_default();
                println!("{DEFINITIONS}\n{why}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{texts} texts, {decided} entailments decided, {undecided} not: nothing found");
    ExitCode::SUCCESS
}

fn panics(text: &str) -> bool {
    let read = || {
        let _ = sl::text::parse(&[(FileId(0), text)]);
        let _ = sl::smtlib::parse(FileId(0), text);
    };
    catch_unwind(AssertUnwindSafe(read)).is_err()
}

fn atoms(random: &mut Random) -> Vec<String> {
    const VARS: [&str; 4] = ["x", "y", "z", "nil"];
    let mut var = || VARS[random.below(VARS.len())];
    let pairs: Vec<(&str, &str)> = (0..4).map(|_| (var(), var())).collect();
    let count = 1 + random.below(pairs.len());
    let atom = |(a, b): (&str, &str)| match random.below(8) {
        0 => format!("{a} = {b}"),
        1 => format!("{a} != {b}"),
        2 | 3 => format!("{a} |-> {b}"),
        4 => format!("ls({a}, {b})"),
        5 => format!("seg({a}, {b})"),
        6 => format!("some({a}, {b})"),
        _ => format!("back({a}, {b})"),
    };
    pairs.into_iter().take(count).map(atom).collect()
}

/// Is it decided? What is wrong, if something is.
fn fault([left, right]: &[Vec<String>; 2]) -> Result<bool, String> {
    let join = |atoms: &[String]| {
        if atoms.is_empty() { "emp".to_owned() } else { atoms.join(" * ") }
    };
    let (left, right) = (join(left), join(right));
    let text = format!("{DEFINITIONS}{left}");
    let Ok(document) = sl::text::parse(&[(FileId(0), &text), (FileId(1), &right)]) else {
        return Ok(false);
    };
    let [h, g] = document.formulas.as_slice() else { return Ok(false) };
    let defs = Defs::new(document.signature.clone(), Semantics::Precise);
    let (scope, lowered, goal) = ask::lowered(&defs, h, g);
    let mut decided = false;
    let procedures: [&mut dyn Procedure; 2] = [&mut Lists, &mut Induct];
    for procedure in procedures {
        let mut budget = Budget { steps: Some(20_000), ..Budget::default() };
        let Answer::Decided(answer) = procedure.entails(&scope, &lowered, &goal, &mut budget)
        else {
            continue;
        };
        decided = true;
        let bounds = Bounds { locations: 3, data: 0 };
        let semantics = Semantics::Precise;
        let small = enumerate::find_counterexample(defs.signature(), semantics, h, g, bounds);
        let name = procedure.name();
        match (answer, small) {
            (Entailment::Valid(_), Some(model)) => {
                let model = model.to_text(defs.signature());
                return Err(format!("{name} calls this valid: {left} |= {right}, but\n{model}"));
            }
            (Entailment::Valid(proof), None) => {
                if proof.derivations().is_ok() {
                    proof::check_entailment(&scope, &lowered, &goal, &proof).map_err(|fault| {
                        format!("{name}'s proof of {left} |= {right} is wrong: {fault}")
                    })?;
                }
            }
            // It was confirmed by the evaluator; there may be no smaller one.
            (Entailment::Invalid(_), _) => {}
        }
    }
    Ok(decided)
}
