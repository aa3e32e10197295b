//! `lancehead z3`: which Z3 is used.

use std::path::Path;

use driver::z3::unless_pinned;
pub(crate) use driver::z3::{Surroundings, find};

use crate::output::{Output, complain, complain_with};

/// The command. Returns the exit status.
pub(crate) fn run(option: Option<&Path>, out: &mut Output) -> u8 {
    let z3 = match find(&Surroundings::of_this_process(option)) {
        Ok(z3) => z3,
        Err(missing) => {
            complain_with(&missing.to_string(), &missing.remedy());
            return 3;
        }
    };
    match z3.version() {
        Ok(version) => {
            out.write(format!("{}\nZ3 {version}, {}\n", z3.path.display(), z3.found).as_bytes());
            if let Some(warning) = unless_pinned(&version) {
                complain(&warning);
            }
            0
        }
        Err(problem) => {
            complain(&problem);
            3
        }
    }
}
