//! Separation logic decided by a solver, after "Automating Separation Logic Using SMT" (Piskac, Wies,
//! Zufferey, 2013).
//!
//! - [`theory`]: function graphs and their paths; `paths` finds the instances of axioms that a model
//!   contradicts, `doubly` and `sorted` those of lists that are more than paths.
//! - [`logic`]: the logic of graph reachability and stratified sets (GRASS), and its reduction to formulas
//!   that a solver decides, and why that is complete.
//! - [`translate`]: separation logic in that logic.
//! - [`solve`]: questions, and models as answers, confirmed before they are shown.
//! - [`frame`]: what is left over, and what is missing.

mod choices;
mod cover;
mod cycles;
mod doubly;
pub mod frame;
mod inverse;
pub mod logic;
mod paths;
pub mod print;
mod procedure;
mod readback;
mod segment;
pub mod solve;
mod sorted;
pub mod theory;
pub mod translate;

pub use solve::{Solver, config};
