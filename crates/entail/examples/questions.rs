//! Separation logic as a library: many questions, one decider, which starts a solver when the first
//! question needs one and keeps it.
//!
//! ```sh
//! cargo run -p lancehead-entail --example questions -- .z3/z3
//! ```

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use entail::Decider;
use report::FileId;
use sl::ask;
use sl::{Answer, Budget, Defs, Entailment, Inference, Semantics};

/// Does the first entail the second?
const QUESTIONS: [(&str, &str); 4] = [
    ("x != z * x |-> y * ls(y, z)", "ls(x, z)"),
    ("ls(x, y) * ls(y, z)", "ls(x, z)"),
    ("ls(x, y) || ls(y, x)", "ls(x, y) || !emp"),
    ("x |-> y * (x |-> y -* z |-> y)", "z |-> y"),
];

fn main() -> ExitCode {
    let solver = std::env::args_os().nth(1).map(PathBuf::from);
    let find = move || solver.clone().ok_or_else(|| "no solver was given".to_owned());
    let mut decider = Decider::new(find);
    for (left, right) in QUESTIONS {
        let document = match sl::text::parse_one_each(&[(FileId(0), left), (FileId(1), right)]) {
            Ok(document) => document,
            Err(problem) => {
                eprintln!("{left} |= {right}: {}", problem.message);
                return ExitCode::from(2);
            }
        };
        let [h, g] = document.formulas.as_slice() else { return ExitCode::from(3) };
        let defs = Defs::new(document.signature.clone(), Semantics::Precise);
        let mut budget = Budget::until(Instant::now().checked_add(Duration::from_secs(10)));
        let answer = ask::entails(&mut decider, &defs, h, g, &mut budget);
        let who = budget.stats.procedure.unwrap_or("nobody");
        match answer {
            Answer::Decided(Entailment::Valid(_)) => {
                println!("{left} |= {right}: valid, says {who}")
            }
            Answer::Decided(Entailment::Invalid(model)) => {
                println!("{left} |= {right}: not valid, says {who}, for");
                print!("{}", model.to_text(defs.signature()));
            }
            Answer::OutOfFragment(reason) => println!("{left} |= {right}: {reason}"),
            Answer::GaveUp(limit) => println!("{left} |= {right}: {limit}"),
        }
        if let Answer::Decided(Inference::Found(frame, _)) =
            ask::frame(&mut decider, &defs, h, g, &mut budget)
        {
            println!("    what is left over: {frame}");
        }
    }
    ExitCode::SUCCESS
}
