//! Looking for chunks, taking and adding them.
//!
//! First one chunk is looked for that is certainly the right one. Where that fails, all chunks that
//! may be are taken together: their permissions are summed up by location, so that it does not
//! matter in which of them a permission is.
//!
//! All of this is about terms and what is known of them: nothing here evaluates an expression of the
//! program, or reports an error.

mod lookup;
mod merge;
mod nesting;
mod put;
pub(crate) mod quantified;
mod relate;
mod remove;
mod shares;
mod take;
mod wands;
mod wildcards;

use smt::Term;

use crate::state::Location;

pub(crate) use nesting::{Instance, Nesting, Within};
pub(crate) use remove::Target;
pub(crate) use shares::Share;

/// Permission that is to be taken away.
#[derive(Clone, Copy)]
pub(crate) struct Demand<'a> {
    pub location: Location<'a>,
    pub amount: Term,
    /// May the amount be made as small as needed?
    pub wildcard: bool,
}
