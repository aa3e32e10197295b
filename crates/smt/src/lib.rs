//! Terms, SMT-LIB and solver sessions.
//!
//! [`Terms`] builds hash-consed terms and decides what can be decided without a solver; `print`
//! writes them as SMT-LIB, shared subterms once. What this crate does not know: heaps, permissions,
//! programs.

mod print;
mod simplify;
mod sort;
mod term;

pub use print::print;
pub use sort::{FunDecl, FunId, Meaning, Signature, Sort, SortDecl, SortId, symbol};
pub use term::{Bound, Node, Op, Quant, Quantifier, Term, Terms};
