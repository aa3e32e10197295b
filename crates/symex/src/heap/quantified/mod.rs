//! Iterated separating conjunctions: permissions to many locations at once.
//!
//! `forall x :: c(x) ==> acc(e(x).f, p(x))` is one chunk `r.f ↦ [v(r), q(r)]` for all `r`: `v` is a value
//! map, and `q(r)` is the term `image(r) && c(inv(r)) ? p(inv(r)) : 0`, where `inv` is the inverse of
//! `e`, which must be injective where `c` holds. `image(r)` says that `r` is some `e(x)` at all; without
//! it, a condition that always holds would make `e` surjective.
//!
//! Permissions are taken pointwise: from each chunk the minimum of what is there and what is still
//! missing, and in the end nothing may be missing at any location. Single chunks count as chunks of
//! one location, so that both kinds can be mixed without loss.

mod chunk;
mod fill;
mod havoc;
mod inverse;
mod summary;
mod update;
mod write;

use smt::Term;

use crate::prover::{Prover, Run};
use crate::state::{ResourceId, State};
use crate::stats::Purpose;

/// A quantified permission with its values, for arbitrary `vars`.
pub(crate) struct QuantifiedAccess {
    pub resource: ResourceId,
    pub vars: Vec<Term>,
    pub condition: Term,
    pub args: Vec<Term>,
    pub amount: Term,
    /// Is the amount positive? Wildcards are: this does not mention them, so that permissions which differ
    /// in nothing but a wildcard have the same inverse, and the same snapshot.
    pub asked: Term,
    pub triggers: Vec<Vec<Term>>,
    /// Is the amount a wildcard?
    pub wildcard: bool,
}

impl Prover<'_> {
    /// Proves something over the formals of a resource for all locations.
    pub fn prove_everywhere(
        &mut self,
        state: &mut State,
        resource: ResourceId,
        goal: Term,
        quickly: bool,
    ) -> Run<bool> {
        let formals = self.formals(resource);
        let args: Vec<Term> = formals
            .iter()
            .map(|f| {
                let sort = self.terms.sort(*f);
                self.fresh(state, "any", sort)
            })
            .collect();
        let goal = self.at(resource, goal, &args);
        if quickly {
            self.prove_quickly(state, Purpose::Permission, goal)
        } else {
            self.prove(state, Purpose::Permission, goal)
        }
    }
}
