//! Diagnostics: one model, many renderers.
//!
//! Every engine describes what it found as [`Diagnostic`]s that point into a [`SourceMap`]; this
//! crate turns them into what people and tools read. It knows nothing of Viper, of solvers, or of
//! how a verdict came about.

mod diagnostic;
mod source;

pub use diagnostic::{Diagnostic, Severity};
pub use source::{FileId, LineCol, Pos, SourceFile, SourceMap, Span};
