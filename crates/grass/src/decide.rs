//! Which procedure decides what: the native one for lists first, then the solver.

use sl::{Formula, Semantics, Signature, Verdict};

use crate::solve::{Solver, Work};

/// An answer, and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// Who gave it.
    pub procedure: Procedure,
    /// What the solver did for it.
    pub work: Work,
}

/// How a question is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Procedure {
    /// Lists, without a solver.
    Lists,
    /// Graph reachability and stratified sets, with a solver.
    Grass,
}

impl Procedure {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Procedure::Lists => "lists",
            Procedure::Grass => "grass",
        }
    }
}

/// Is there a model of all of these formulas? The solver is asked for, and started, only if lists are
/// not enough; the reason why there is none makes the answer unknown.
pub fn decide(
    signature: &Signature,
    semantics: Semantics,
    formulas: &[Formula],
    solver: impl FnOnce() -> Result<Solver, String>,
) -> Decision {
    let verdict = sl::decide(signature, semantics, formulas);
    if !matches!(verdict, Verdict::Unknown(_)) {
        return Decision { verdict, procedure: Procedure::Lists, work: Work::default() };
    }
    let (verdict, work) = match solver() {
        Ok(mut solver) => (solver.decide(signature, semantics, formulas), solver.work()),
        Err(reason) => (Verdict::Unknown(reason), Work::default()),
    };
    Decision { verdict, procedure: Procedure::Grass, work }
}
