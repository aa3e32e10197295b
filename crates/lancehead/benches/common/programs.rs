//! The programs in a folder.

use std::path::{Path, PathBuf};

/// Adds the `.vpr` files under a folder, in order.
pub fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "vpr") {
            files.push(path);
        }
    }
}
