//! From files to reports: what the commands do, without a terminal.
//!
//! Reading and checking programs, choosing members, finding Z3, verifying many files at once, asking
//! questions of separation logic, and what came of it as [`report`]s. Whoever wants to see something earlier is told by [`verify::Events`].
//! Nothing here prints, and nothing ends the process.

pub mod ask;
pub mod c_program;
pub mod infer;
pub mod inputs;
mod library;
pub mod prove;
mod seeds;
pub mod select;
pub mod source;
mod spl_help;
mod spl_infer;
pub mod spl_program;
pub mod spl_run;
pub mod spl_start;
pub mod spl_verify;
pub mod verdict;
pub mod verify;
pub mod viper_program;
pub mod z3;
