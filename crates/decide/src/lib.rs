//! Separation logic, decided by whichever procedure can: one after the other, the cheapest first.
//!
//! | procedure | decides | solver |
//! |---|---|---|
//! | [`Lists`](Procedure::Lists) | conjunctions of equations, cells and acyclic list segments | no |
//! | [`Induct`](Procedure::Induct) | symbolic heaps with inductive definitions: satisfiability; many entailments | no |
//! | [`Grass`](Procedure::Grass) | Boolean combinations with singly linked, doubly linked and sorted lists | yes |
//! | [`Boolean`](Procedure::Boolean) | everything without inductive definitions, wands too | yes |

use std::path::PathBuf;
use std::time::Duration;

use grass::{Solver, Work};
use sl::{Formula, Semantics, Signature, Verdict};

/// An answer, and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// Who gave it; the last one that was asked if there is none.
    pub procedure: Procedure,
    /// What it took [`Procedure::Grass`].
    pub work: Work,
}

/// How a question is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Procedure {
    /// Lists, without a solver: `sl::lists`.
    Lists,
    /// Inductive definitions of any kind, without a solver.
    Induct,
    /// Graph reachability and stratified sets, with a solver.
    Grass,
    /// Splits and extensions of heaps, with a solver.
    Boolean,
}

impl Procedure {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Procedure::Lists => "lists",
            Procedure::Induct => "induct",
            Procedure::Grass => "grass",
            Procedure::Boolean => "boolean",
        }
    }
}

/// Is there a model of all of these formulas? The path of the solver is asked for only when it is needed,
/// and the reason why there is none is one why the answer is unknown. The time is that of one question to
/// the solver.
pub fn decide(
    signature: &Signature,
    semantics: Semantics,
    formulas: &[Formula],
    solver: impl Fn() -> Result<PathBuf, String>,
    timeout: Duration,
) -> Decision {
    let mut reasons: Vec<String> = Vec::new();
    let mut open = |procedure: Procedure, verdict: Verdict, work: Work| match verdict {
        Verdict::Unknown(reason) => {
            reasons.push(format!("{}: {reason}", procedure.as_str()));
            let verdict = Verdict::Unknown(reasons.join("; "));
            Err(Decision { verdict, procedure, work })
        }
        verdict => Ok(Decision { verdict, procedure, work }),
    };
    let none = Work::default();
    // Whoever knows says so with `Ok`; the last `Err` has all the reasons.
    let decision = open(Procedure::Lists, sl::decide(signature, semantics, formulas), none)
        .or_else(|_| open(Procedure::Induct, induct::decide(signature, semantics, formulas), none))
        .or_else(|_| {
            let path = match solver() {
                Ok(path) => path,
                Err(reason) => return open(Procedure::Grass, Verdict::Unknown(reason), none),
            };
            let mut grass = Solver::new(grass::config(path.clone(), timeout));
            let verdict = grass.decide(signature, semantics, formulas);
            open(Procedure::Grass, verdict, grass.work()).or_else(
                |undecided| match boolean::decide(signature, semantics, formulas, path, timeout) {
                    Ok(verdict) => open(Procedure::Boolean, verdict, undecided.work),
                    Err(reason) => {
                        let verdict = Verdict::Unknown(reason.0);
                        open(Procedure::Boolean, verdict, undecided.work)
                    }
                },
            )
        });
    decision.unwrap_or_else(|undecided| undecided)
}
