//! Consistency.
use crate::core::Program;
use report::Diagnostic;
/// Checks.
pub fn check(_program: &Program) -> Vec<Diagnostic> {
    Vec::new()
}
