//! What tests share.

use std::time::Duration;

use grass::Solver;

/// A solver of its own.
pub fn solver() -> Solver {
    Solver::new(grass::config(testing::z3(), Duration::from_secs(60)))
}
