//! Standing in for Silicon, Viper's own symbolic execution: its options and what it prints.

mod options;
mod output;

pub use options::Options;
pub(crate) use options::{Translation, join_counterexample, table};
pub(crate) use output::render;
