//! Separation logic with inductive definitions of any kind.
//!
//! - [`system`]: definitions with numbers in place of names; [`linear`]: arithmetic.
//! - [`base`]: what an instance says of its arguments, which decides satisfiability.
//! - [`derivation`]: models, and why they are; [`unfold`]: small ones, one after the other.
//! - [`prove`]: entailment by induction, on [`sequent`]s, with [`invariant`]s of integers and the
//!   [`count`] of cells, of segments from both [`ends`]; [`refute`]: counterexamples.
//! - [`decide`]: questions and answers.

pub mod base;
pub mod count;
pub mod decide;
pub mod derivation;
pub mod ends;
mod generalise;
pub mod invariant;
pub mod linear;
pub mod prove;
pub mod refute;
pub mod sequent;
pub mod system;
pub mod unfold;

pub use decide::{decide, proves};
