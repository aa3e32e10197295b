//! Consistency.
use report::Diagnostic;
use crate::core::Program;
/// Checks.
pub fn check(_program: &Program) -> Vec<Diagnostic> { Vec::new() }
