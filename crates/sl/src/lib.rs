//! Separation logic: formulas over a heap of records, with inductive definitions.

pub mod decide;
pub mod draw;
pub mod enumerate;
pub mod eval;
pub mod formula;
pub mod lists;
pub mod model;
pub mod sexp;
pub mod shape;
pub mod signature;
pub mod smtlib;
pub mod sort;
pub mod substitute;
pub mod symbolic;
pub mod term;
pub mod text;

pub use decide::{Verdict, decide};
pub use eval::{Evaluator, Truth};
pub use formula::{Formula, Kind, Semantics};
pub use model::{Loc, Model, Object, Value};
pub use signature::{Cell, Definition, Record, Signature};
pub use sort::{Name, Sort, Var};
pub use symbolic::SymbolicHeap;
pub use term::{Term, TermKind};
