//! Symbolic execution of Viper programs.
//!
//! [`verify`] takes a desugared core program and says, member by member, what could not be proved.
//! It has no global state: front ends in Rust call it as they like, from as many threads as they
//! like, and stop it with a [`Cancel`].

mod axioms;
mod blame;
mod callgraph;
mod cfg;
mod collections;
mod config;
mod consume;
mod counterexample;
mod eval;
mod exec;
mod executor;
mod functions;
mod heap;
mod instances;
mod merge;
mod operators;
mod origin;
mod path;
mod produce;
mod quantified;
mod reach;
mod state;
mod symbols;
mod triggers;
mod unit;
mod unproved;
mod verdict;
mod wands;
mod wording;

pub use config::{Ablation, Cancel, Config, ExhaleMode, JoinMode};
pub use verdict::{
    Counterexample, Failure, Member, MemberKind, Observer, Quantified, Quiet, Stats, Verdict,
};

use viper::core::Program;

/// Verifies a program that is desugared ([`Program::is_desugared`]).
///
/// The verdict does not depend on `config.jobs`, nor on members that a member does not use.
#[must_use]
pub fn verify(program: &Program, config: &Config, observer: &dyn Observer) -> Verdict {
    unit::verify(program, config, observer)
}
