//! Which procedure decides what: the native one for lists first, then the solver.

use sl::{Formula, Semantics, Signature, Verdict};

use crate::solve::Solver;

/// Is there a model of all of these formulas? The solver is asked for, and started, only if lists are
/// not enough; the reason why there is none makes the answer unknown.
pub fn decide(
    signature: &Signature,
    semantics: Semantics,
    formulas: &[Formula],
    solver: impl FnOnce() -> Result<Solver, String>,
) -> Verdict {
    match sl::decide(signature, semantics, formulas) {
        Verdict::Unknown(_) => match solver() {
            Ok(mut solver) => solver.decide(signature, semantics, formulas),
            Err(reason) => Verdict::Unknown(reason),
        },
        decided => decided,
    }
}
