//! Terms, SMT-LIB and solver sessions.
//!
//! [`Terms`] builds hash-consed terms and decides what can be decided by looking at them; [`print()`]
//! writes them as SMT-LIB, shared subterms once; a [`Session`] puts questions to a solver, which is a
//! process that may be slow, die or lie without doing harm.
//!
//! What this crate does not know: heaps, permissions, programs.

mod config;
mod dump;
mod hash;
mod model;
mod native;
mod once;
mod print;
mod process;
mod profile;
mod relevance;
mod session;
mod simplify;
mod sort;
mod term;
mod values;

pub use config::{Answer, Config, Limits, SolverError, Stats};
pub use hash::{FastHasher, FastMap, FastSet};
pub use model::{Model, Value};
pub use native::Native;
pub use once::ask_once;
pub use print::{Printer, print};
pub use profile::Instances;
pub use session::{Proposal, Session};
pub use sort::{FunDecl, FunId, Meaning, Signature, Sort, SortDecl, SortId, symbol};
pub use term::{Bound, Node, Op, Quant, Quantifier, Term, Terms};
