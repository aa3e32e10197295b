//! The core: definitions, symbolic heaps and sequents with numbers in place of names.
//!
//! The surface ([`Formula`](crate::Formula), [`Signature`](crate::Signature)) is what people write.
//! Procedures and proofs are about the core: a [`System`] of definitions, each a disjunction of
//! symbolic heaps ([`Clause`]), and [`Sequent`]s, entailments between symbolic heaps over variables
//! that all have numbers of their own. Integers are linear constraints of `arith`.

pub mod print;
pub mod sequent;
pub mod system;

pub use print::Names;
pub use sequent::{Heap, Sequent};
pub use system::{Call, Cell, Clause, PredId, Predicate, SortId, System, Var};
