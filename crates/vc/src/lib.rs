//! Verification conditions of SPL programs, by reduction to GRASS [PWZ13, App. B].
//!
//! ```text
//!  spl::core ─► effects ─► unit: exec, call, frame ─► steps ─► prove ─► verdict
//!                             translate, assertion ─► logic ─► smt
//! ```
//!
//! * [`verify`] takes a checked program and gives a [`Verdict`], member by member.
//! * `effects`: what procedures write, allocate and free, by a fixpoint over calls.
//! * `unit`, `exec`, `call`, `join`: forward execution; a tree of assumptions and goals.
//! * `translate`, `assertion`: expressions as terms; spatial assertions as formulas with exact
//!   footprints.
//! * `predicate`, `function`, `reads`: definitions as symbols, unfolded on demand, and which parts of the heap determine them.
//! * `logic`, `frame`: the axioms of reachability, sets, maps, arrays, and of frames.
//! * `wp`: weakest preconditions, a second way to the goals, against which the first is tested.
//! * `prove`: goals to the solver; `share`, which goals a worker asks; `cache`, which need not be asked.
//! * `vacuous`: contracts that nothing satisfies.
//! * `small`, `world`, `counterexample`: small heaps in which a goal fails, evaluated, as evidence.
//!
//! What this crate does not know: text, files, terminals, how a diagnostic is drawn.

mod assertion;
mod bits;
mod cache;
mod call;
mod counterexample;
mod datatype;
mod definitions;
mod effects;
mod ending;
mod exec;
mod frame;
mod function;
mod ghost;
mod join;
mod logic;
mod member;
mod predicate;
mod prove;
mod reads;
mod scope;
mod share;
mod small;
mod termination;
mod translate;
mod unit;
mod vacuous;
mod verify;
mod wellformed;
mod world;
mod wp;

pub use cache::Cache;
pub use verify::{Config, Member, Verdict, member_names, verify};
pub use wp::{Partial, partial_correctness};
