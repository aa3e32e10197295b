//! Separation logic with inductive definitions of any kind.
//!
//! - [`system`]: definitions with numbers in place of names; [`linear`]: arithmetic.
//! - [`base`]: what an instance says of its arguments, which decides satisfiability.
//! - [`derivation`]: models, and why they are; [`unfold`]: small ones, one after the other.
//! - [`decide`]: questions and answers.

pub mod base;
pub mod decide;
pub mod derivation;
pub mod linear;
pub mod system;
pub mod unfold;

pub use decide::decide;
