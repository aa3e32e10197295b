//! Files on the disk, and a compiler that preprocesses them.

use std::path::Path;

/// Where C programs and their headers are.
pub struct Disk;

impl c::Files for Disk {
    fn resolve(&self, from: &str, name: &str) -> Option<String> {
        let path = Path::new(from).parent()?.join(name);
        path.is_file().then(|| path.display().to_string())
    }

    fn read(&self, path: &str) -> Result<String, String> {
        std::fs::read(path)
            .map(|b| String::from_utf8_lossy(&b).into_owned())
            .map_err(|e| e.to_string())
    }

    fn compiler_preprocessed(&self, path: &str) -> Result<String, String> {
        let run = std::process::Command::new("cc")
            .args(["-E", path])
            .output()
            .map_err(|e| e.to_string())?;
        Ok(String::from_utf8_lossy(&run.stdout).into_owned())
    }
}
