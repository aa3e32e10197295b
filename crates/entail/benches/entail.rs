//! How long an entailment takes: a decider is kept, definitions are prepared once, and questions are
//! parsed before the clock starts. The median of each question, and of each family; first of symbolic
//! heaps, as engines ask, then of the same formulas, which are lowered for every question.
//!
//! ```sh
//! make bench-entail
//! ```
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::time::{Duration, Instant};

use entail::Decider;
use report::FileId;
use sl::ask;
use sl::{Answer, Budget, Defs, Entailment, Formula, Procedure, Semantics};

const ROUNDS: usize = 200;

struct Family {
    name: &'static str,
    definitions: &'static str,
    /// In microseconds.
    goal: u128,
    questions: &'static [(&'static str, &'static str)],
}

const FAMILIES: [Family; 4] = [
    Family {
        name: "plain lists",
        definitions: "",
        goal: 10,
        questions: &[
            ("x != z * x |-> y * ls(y, z)", "ls(x, z)"),
            ("ls(x, y) * ls(y, nil)", "ls(x, nil)"),
            ("ls(x, y) * ls(y, z)", "ls(x, z)"),
            ("ls(x, y) * ls(y, z) * z |-> w", "ls(x, z) * z |-> w"),
            ("x |-> a * a |-> b * b |-> c * ls(c, nil)", "ls(x, nil)"),
            ("ls(a, b) * ls(b, c) * ls(c, d) * d |-> e", "ls(a, d) * ls(d, e)"),
            ("ls(a, b) * b |-> c * ls(c, d) * d |-> e * ls(e, nil)", "ls(a, nil)"),
            ("a |-> b * ls(b, c) * c |-> d * ls(d, e) * ls(e, f) * ls(f, nil)", "ls(a, nil)"),
        ],
    },
    Family {
        name: "doubly linked",
        definitions: "pred dll(f, p, l, n) := f = n * p = l || \
             exists u. f |-> {next: u, prev: p} * dll(u, f, l, n); ",
        goal: 100,
        questions: &[
            ("dll(a, p, b, m) * dll(m, b, l, n)", "dll(a, p, l, n)"),
            ("a |-> {next: u, prev: p} * dll(u, a, l, n)", "dll(a, p, l, n)"),
            (
                "a |-> {next: b, prev: p} * b |-> {next: c, prev: a} * dll(c, b, l, nil)",
                "dll(a, p, l, nil)",
            ),
        ],
    },
    Family {
        name: "trees",
        definitions: "pred tree(x) := x = nil || \
             exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r); ",
        goal: 100,
        questions: &[
            ("x |-> {left: l, right: r} * tree(l) * tree(r)", "tree(x)"),
            ("x |-> {left: l, right: r} * l |-> {left: nil, right: nil} * tree(r)", "tree(x)"),
            ("x |-> {left: l, right: r} * tree(l)", "tree(x)"),
        ],
    },
    Family {
        name: "cyclic lists",
        definitions: "pred seg(x, y) := x = y || exists u. x |-> u * seg(u, y); \
             pred ring(x) := exists u. x |-> u * seg(u, x); ",
        goal: 100,
        questions: &[
            ("x |-> y * seg(y, x)", "ring(x)"),
            ("x |-> y * y |-> z * seg(z, x)", "ring(x)"),
            ("x |-> y * seg(y, z) * z |-> x", "ring(x)"),
        ],
    },
];

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let solver = std::env::var_os("LANCEHEAD_Z3").map(std::path::PathBuf::from);
    let mut decider = Decider::new(move || solver.clone().ok_or_else(|| "no solver".to_owned()));
    for family in FAMILIES {
        let (mut medians, mut of_formulas) = (Vec::new(), Vec::new());
        let mut worst = Duration::ZERO;
        for (left, right) in family.questions {
            let text = format!("{}{left}", family.definitions);
            let files = [(FileId(0), text.as_str()), (FileId(1), *right)];
            let document = sl::text::parse(&files).unwrap_or_else(|e| panic!("{}", e.message));
            let [h, g]: &[Formula; 2] = document.formulas.as_slice().try_into().unwrap();
            let defs = Defs::new(document.signature.clone(), Semantics::Precise);
            let mut measure = |ask: &mut dyn FnMut(&mut Decider) -> Answer<Entailment>| {
                let answer = ask(&mut decider);
                let times = (0..ROUNDS).map(|_| {
                    let start = Instant::now();
                    std::hint::black_box(ask(&mut decider));
                    start.elapsed()
                });
                (median(times.collect()), answer)
            };
            let (scope, left_heap, right_heap) = ask::lowered(&defs, h, g);
            let (time, answer) = measure(&mut |decider| {
                decider.entails(&scope, &left_heap, &right_heap, &mut Budget::default())
            });
            let (of_formula, _) =
                measure(&mut |decider| ask::entails(decider, &defs, h, g, &mut Budget::default()));
            println!(
                "{:>9.1} {:>9.1} µs  {:<8} {left} |= {right}",
                micros(time),
                micros(of_formula),
                answer.as_str()
            );
            worst = worst.max(time);
            medians.push(time);
            of_formulas.push(of_formula);
        }
        println!(
            "{:>9.1} {:>9.1} µs  {}: median; at most {:.1} µs; the goal is {} µs\n",
            micros(median(medians)),
            micros(median(of_formulas)),
            family.name,
            micros(worst),
            family.goal
        );
    }
}

fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1000.0
}
