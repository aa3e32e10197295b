//! Spatial interpolants modulo theories [ABCK15]: proofs of programs from proofs of their paths.
//!
//! *Does not know*: C, files, terminals, how Horn clauses are solved.

pub mod abduce;
pub mod defs;
pub mod entail;
pub mod exec;
pub mod interpolate;
pub mod print;
pub mod rsep;
