//! Evidence for a verdict in forms that other tools check: a C test that fails where the run did ([`harness`]), and
//! witnesses in the format of SV-COMP ([`witness`]).
//!
//! Both are made of a run that is run once more, and of what the program leaves open in it ([`left_open`]).
//!
//! *Does not know*: how verdicts are found, files on disk, terminals.

pub mod harness;
pub mod left_open;
pub mod lint;
pub mod sha256;
mod source;
pub mod witness;
