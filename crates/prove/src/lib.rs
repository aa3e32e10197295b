//! Spatial interpolants modulo theories [ABCK15]: proofs of programs from proofs of their paths.
//!
//! - [`defs`], [`rsep`], [`print`](mod@print): records, refined recursive predicates, formulas.
//! - [`entail`], [`exec`]: entailment and execution, with the Horn clauses that they ask of data.
//! - [`abduce`], [`interpolate`]: bounded abduction, spatial path interpolants.
//! - [`holds`]: formulas in concrete states, for tests.
//! - [`refine`]: data refinements of a path.
//! - [`contract`]: calls of procedures that are not inlined.
//! - [`program`], [`art`]: heap programs as the paper's; the abstract reachability tree.
//!
//! *Does not know*: C, files, terminals, how Horn clauses are solved.

pub mod abduce;
pub mod art;
pub mod contract;
pub mod defs;
pub mod entail;
pub mod exec;
pub mod holds;
pub mod interpolate;
mod paths;
pub mod print;
pub mod program;
pub mod refine;
pub mod rsep;
