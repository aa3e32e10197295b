//! Run-time assertion checking of SPL programs: a procedure runs on a small heap that satisfies its precondition,
//! and everything is checked on the way that the verifier checks before.
//!
//! ```text
//!  spl::core ─► start: a state ─► exec: statements, contracts ─► End, with the heaps before and after
//!                    └── solve: spatial assertions ── eval: expressions
//! ```
//!
//! * `value`, `machine`: values, heaps, searches over choices (`oracle`).
//! * `eval`, `quantify`, `define`: expressions. Reachability follows fields, sets are finite, recursive definitions
//!   are unfolded.
//! * `solve`: does a spatial assertion hold, and on which footprint? This also finds implicit ghost arguments, and
//!   heaps that satisfy a precondition.
//! * `start`, `exec`, `contract`, `allocate`: where a run starts; statements; calls; `new` and `free`.
//! * `effects`: what code may change.
//! * [`run`], [`refute`], [`Snapshot`]: runs, runs into a given fault, pictures of their heaps.
//!
//! It shares no code with `vc` beyond the language, so that each is evidence for the other.
//!
//! What this crate does not know: solvers, proofs, text, files, terminals.

mod allocate;
mod contract;
mod define;
mod effects;
mod eval;
mod exec;
mod machine;
mod oracle;
mod picture;
mod quantify;
mod refute;
mod run;
mod solve;
mod start;
mod value;

pub use machine::{Drawn, Fault};
pub use picture::Snapshot;
pub use refute::{Counterexample, enclosing_loop, refute};
pub use run::{Config, End, Run, run, run_turn};
pub use value::{Footprint, Map, Value};
