//! A concrete interpreter of a subset of Viper.
//!
//! [`run`] executes a method from a random state that satisfies its precondition, with a heap,
//! permissions as exact rationals, predicate instances with what is folded into them, and wands with
//! footprints. What the language leaves open is chosen at random. A run ends with a fault where a
//! verified method cannot: an assertion that is false, permission that is missing, a postcondition
//! that does not hold. So
//!
//! > whatever the verifier accepts must not fault here.
//!
//! The converse does not hold: a run is one of many, and one that leaves the subset ends silently
//! ([`Outcome::Outside`]). Modular verification sees more than what a whole program does, and so does
//! this: a call may do whatever the contract allows, a turn of a loop may start in any state that
//! satisfies the invariant.
//!
//! It works on the typed core as [`viper::check`] makes it, before plugins: that a loop ends and that
//! data types are what they should be is not taken from the translation that is tested.
//!
//! What this crate does not know: symbolic execution, solvers, how a proof is found. It shares no code
//! with the verifier beyond the language.

mod assertion;
mod choose;
mod collections;
mod eval;
mod exec;
mod flow;
pub mod generate;
mod machine;
pub mod mutate;
mod quantify;
mod resources;
mod state;
mod value;
mod wand;

pub use choose::Random;
pub use machine::{Outcome, Report, run};
pub use state::Fault;
