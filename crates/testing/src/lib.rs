//! What tests share. Nothing here knows what is tested.
//!
//! - [`Random`]: numbers that look random and are the same in every run.
//! - [`damage`]: texts that are nearly right.
//! - [`shrink`]: a smaller failure that is still one.
//! - [`files`]: those below a folder.
//! - [`scratch`]: an empty folder.
//! - [`z3`]: where the solver is.

mod damage;
mod random;
pub mod shrink;

pub use damage::{damage, pieces};
pub use random::Random;

use std::path::{Path, PathBuf};

/// The solver that `LANCEHEAD_Z3` names, or the one that `scripts/get-z3` has put into the repository.
#[must_use]
pub fn z3() -> PathBuf {
    std::env::var_os("LANCEHEAD_Z3").map_or_else(|| root().join(".z3/z3"), PathBuf::from)
}

/// An empty folder for one test, below the one that Cargo gives to tests (`env!("CARGO_TARGET_TMPDIR")`), with what
/// the test left there the last time removed.
///
/// # Errors
/// If it cannot be made.
pub fn scratch(below: &str, test: &str) -> std::io::Result<PathBuf> {
    let folder = Path::new(below).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The files below a folder whose names end in one of these, in the order of their paths; none if there is no such
/// folder.
#[must_use]
pub fn files(folder: impl AsRef<Path>, endings: &[&str]) -> Vec<PathBuf> {
    let mut folders = vec![folder.as_ref().to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
            let is_wanted = |ending: &&str| path.extension().is_some_and(|e| e == *ending);
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(is_wanted) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The folder of the repository.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
