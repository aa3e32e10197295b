//! Shape analysis of heap programs: symbolic heaps with inductive predicates that are found on the way.
//!
//! A state is a symbolic heap ([MNCL06]): objects, segments, a pure part. Commands are executed on it, segments are
//! unfolded where memory is accessed, and folded at the heads of loops. A procedure is analysed for what its
//! arguments and globals lead to; what its caller knows besides is framed.

mod abduce;
mod access;
mod calls;
mod engine;
mod eval;
mod exec;
mod facts;
mod fold;
mod heap;
mod join;
mod live;
mod precision;
mod preds;
mod pure;
mod records;
mod start;
mod term;
mod unfold;
mod vars;

pub use crate::abduce::{abduce, anything, has_global_pointers};
pub use crate::heap::{
    Cell, Heap, Kind, Obj, Place, Seg, State, as_global, as_procedure, global, is_rigid, procedure,
};
pub use engine::{
    CallStates, Certificate, Invariant, Options, Outcome, PossibleFault, Site, Stop, SummaryStates,
    analyse, analyse_all, analyse_all_from, analyse_from,
};
pub use facts::{Facts, Values};
pub use precision::Precision;
pub use preds::{Body, NEXT, PREV, Pred, PredId, Preds, SELF, SHARED, Shape, Tracks};
pub use pure::{Interval, Pure};
pub use start::{Start, kept_params};
pub use term::{Sym, Term};
pub use unfold::has_parent;
pub use vars::Vars;
