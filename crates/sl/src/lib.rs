//! Separation logic: formulas over a heap of records, with inductive definitions.
//!
//! - [`Formula`], [`Term`], [`Signature`]: what can be said, and about what. Immutable, shared, cheap to
//!   clone. [`Semantics`] is what pure atoms say of the heap; whoever interprets a formula is told.
//! - [`text`] and [`smtlib`] read formulas; [`text`] prints them.
//! - [`SymbolicHeap`]: the form in which most procedures want them. [`shape`]: which definitions are
//!   lists and trees.
//! - [`core`]: definitions, symbolic heaps and sequents with numbers in place of names; [`proof`]: proofs.
//!   Engines start there: it shows how definitions and symbolic heaps are made without text.
//! - [`Model`]: a stack and a heap. [`Evaluator`] says whether a formula holds there, [`enumerate`]
//!   tries all small ones, [`draw`] makes pictures.
//! - [`procedure`]: what is asked of a decision procedure, and what it answers; [`ask`]: the same about
//!   formulas.

pub mod addresses;
pub mod ask;
pub mod core;
pub mod draw;
pub mod enumerate;
pub mod eval;
pub mod formula;
pub mod model;
pub mod overlay;
pub mod procedure;
pub mod proof;
pub mod sexp;
pub mod shape;
pub mod signature;
pub mod smtlib;
pub mod sort;
pub mod substitute;
pub mod symbolic;
pub mod term;
pub mod text;

pub use eval::{Evaluator, Truth};
pub use formula::{Formula, Kind, Semantics};
pub use model::{Loc, Model, Object, Value};
pub use overlay::{Layout, OverlaidHeap};
pub use procedure::{
    Answer, Budget, Defs, Entailment, Inference, Limit, Procedure, Proof, Reason, Satisfiability,
};
pub use signature::{Cell, Definition, Record, Signature};
pub use sort::{Name, Sort, Symbol, Var, Variable};
pub use symbolic::SymbolicHeap;
pub use term::{Term, TermKind};
