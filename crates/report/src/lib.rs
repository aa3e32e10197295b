//! Diagnostics: one model, many renderers.
//!
//! Every engine describes what it found as [`Diagnostic`]s that point into a [`SourceMap`], and
//! what became of a file as a [`FileReport`]; this crate turns them into what people ([`human`])
//! and tools ([`json`]) read. It knows nothing of Viper, of solvers, or of how a verdict came about.

mod diagnostic;
mod excerpt;
pub mod human;
pub mod json;
pub mod logic;
mod outcome;
pub mod picture;
pub mod safety;
mod source;

pub use diagnostic::{Counterexample, Diagnostic, HeapValue, Heaps, Severity};
pub use outcome::{
    FileReport, MemberReport, MemberSeeds, Numbers, Outcome, QuantifierReport, QueryReport,
    SeedReport, Status, exit_code,
};
pub use source::{FileId, LineCol, LineMarker, Pos, SourceFile, SourceMap, Span};
