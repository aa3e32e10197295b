//! Separation logic with inductive definitions of any kind.
//!
//! Definitions and sequents are those of [`sl::core`].
//!
//! - [`base`]: what an instance says of its arguments, which decides satisfiability.
//! - [`propositional`]: the same for circuits and counters, where all is `nil` or not.
//! - [`derivation`]: models, and why they are; [`unfold`]: small ones, one after the other.
//! - [`refine`]: definitions split by bases, so that the rest is arithmetic, which [`accelerate`] sums up;
//!   [`reach`]: models with given integers, large ones too.
//! - [`prove`]: entailment by induction, on [`sequent`]s, with [`invariant`]s of integers and the
//!   [`count`] of cells, of segments from both [`ends`]; [`refute`]: counterexamples.
//! - [`decide`]: questions and answers; `frame`: what a proof leaves of a heap.

pub mod accelerate;
pub mod base;
pub mod count;
pub mod decide;
pub mod derivation;
pub mod ends;
mod frame;
mod generalise;
pub mod invariant;
mod prepared;
pub mod propositional;
pub mod prove;
pub mod reach;
pub mod refine;
pub mod refute;
pub mod unfold;

pub use sl::core::{sequent, system};

pub use decide::{Induct, proof_later, proves};
