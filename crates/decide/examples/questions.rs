//! Separation logic as a library: many questions, one decider, which starts a solver when the first
//! question needs one and keeps it.
//!
//! ```sh
//! cargo run -p lancehead-decide --example questions -- .z3/z3
//! ```

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use decide::Decider;
use grass::Inference;
use report::FileId;
use sl::{Semantics, Verdict};

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
    decider.set_timeout(Some(Duration::from_secs(10)));
    for (left, right) in QUESTIONS {
        let document = match sl::text::parse_one_each(&[(FileId(0), left), (FileId(1), right)]) {
            Ok(document) => document,
            Err(problem) => {
                eprintln!("{left} |= {right}: {}", problem.message);
                return ExitCode::from(2);
            }
        };
        let [h, g] = document.formulas.as_slice() else { return ExitCode::from(3) };
        let signature = &document.signature;
        let answer = decider.entails(signature, Semantics::Precise, h, g);
        let who = answer.procedure.as_str();
        match answer.verdict {
            Verdict::Unsat => println!("{left} |= {right}: valid, says {who}"),
            Verdict::Sat(model) => {
                println!("{left} |= {right}: not valid, says {who}, for");
                print!("{}", model.to_text(signature));
            }
            Verdict::Unknown(reason) => println!("{left} |= {right}: {reason}"),
        }
        let frame = decider.frame(signature, Semantics::Precise, h, g);
        if let Inference::Found(frame) = frame.inference {
            println!("    what is left over: {frame}");
        }
    }
    ExitCode::SUCCESS
}
