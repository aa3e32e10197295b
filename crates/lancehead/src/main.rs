//! The `lancehead` program. All of it is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    lancehead::run()
}
