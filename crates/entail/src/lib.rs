//! Separation logic, decided by whichever procedure can: one after the other, the cheapest first.
//!
//! | procedure | decides | solver | proofs |
//! |---|---|---|---|
//! | `lists` | conjunctions of equations, cells and acyclic list segments | no | yes |
//! | `induct` | symbolic heaps with inductive definitions: satisfiability; many entailments | no | yes |
//! | `grass` | Boolean combinations with singly linked, doubly linked and sorted lists | yes | no |
//! | `boolean` | everything without inductive definitions, wands too | yes | no |
//!
//! [`Portfolio`] asks them on the thread of its caller. [`Decider`] has a thread of its own, with a
//! large stack, so that nobody waits longer than a deadline allows, whatever a step takes. Both are
//! [`Procedure`](sl::Procedure)s like the others.

mod decider;
mod infer;
mod portfolio;
mod subtract;
mod worker;

pub use decider::Decider;
pub use portfolio::{FindSolver, Portfolio};
