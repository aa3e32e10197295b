//! Every file under `tests/sl` is a test: questions, with the answers in comments.
//!
//! A file `.sl` has declarations, then questions, with an empty line before each and the answer above it:
//!
//! ```text
//! pred tree(x) := x = nil || exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r);
//!
//! // valid
//! x |-> {left: l, right: r} * tree(l) * tree(r)
//! |= tree(x)
//! ```
//!
//! | answer | |
//! |---|---|
//! | `valid`, `invalid`, `sat`, `unsat` | |
//! | `not valid`, `not sat`, `not unsat` | any other, or none |
//! | `sat with N cells` | the model has so many |
//! | `frame F`, `anti-frame F` | this formula, or one that is equivalent |
//! | `no frame`, `no anti-frame` | |
//! | `out of fragment: WORDS`, `gave up: WORDS` | not decided, with a reason that has these words |
//!
//! `valid without proof` says that there is none to check; so for the others. Before the first question, `// by NAME` asks only
//! this procedure, `// standard` means that pure atoms say nothing of the heap, and `// in both semantics`
//! asks everything twice. Every question is one about its file's declarations, and no other.
//!
//! A file `.smt2` has the answers as `:status` (`unknown` stands for all but `unsat`), or in comments before
//! `(check-sat)`: `; expect sat with 800 cells`. Among its first lines may be `; by NAME`.
//!
//! Where everybody is asked, those that need no solver are asked by themselves, too: what they decide must
//! be the same. Models are confirmed by the evaluator. What is valid, what has no model, frames and
//! anti-frames have a proof unless a solver says so; proofs are checked. What is valid has no counterexample among small
//! heaps, if there are few variables.

mod ask;
mod read;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use ask::Procedures;

fn main() -> ExitCode {
    let root = testing::root().join("tests/sl");
    let files = testing::files(&root, &["sl", "smt2"]);
    if files.is_empty() {
        eprintln!("there are no files under {}", root.display());
        return ExitCode::FAILURE;
    }
    let trials = files.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || run(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let questions = if path.extension().is_some_and(|e| e == "smt2") {
        read::script(&text)?
    } else {
        read::document(&text)?
    };
    if questions.is_empty() {
        return Err("there is no question".into());
    }
    let mut procedures = Procedures::default();
    let wrong: Vec<String> = questions
        .iter()
        .filter_map(|question| {
            let why = question.wrong(&mut procedures).err()?;
            Some(format!("{}\n    {why}", question.text))
        })
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
