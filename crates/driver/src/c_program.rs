//! C programs on disk, heap programs as text, and the compiler that preprocesses what our preprocessor cannot.

use std::path::Path;
use std::process::{Command, Stdio};

use c::{Files, Loaded, Options};
use report::{Diagnostic, FileId, SourceMap, Span};

use crate::source;

/// Is this the name of a C program, or of a heap program as text?
pub fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "c" || e == "i" || e == "h") || is_heap_text(path)
}

pub(crate) fn is_heap_text(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "heap")
}

/// Reads and translates a C program, or reads a heap program.
pub fn load(path: &Path, options: Options) -> (Loaded, SourceMap) {
    let mut sources = SourceMap::new();
    let loaded = match source::read_bytes(path, "*.c", &mut sources) {
        Ok(file) if is_heap_text(path) => heap_text(&sources, file),
        Ok(file) => c::load(&Disk, &mut sources, file, options),
        Err(problem) => Loaded { program: None, diagnostics: vec![*problem] },
    };
    (loaded, sources)
}

fn heap_text(sources: &SourceMap, file: FileId) -> Loaded {
    let text = sources.get(file).map(|f| &*f.text).unwrap_or_default();
    match heap::text::parse(text, file) {
        Ok(program) => Loaded { program: Some(program), diagnostics: Vec::new() },
        Err(problem) => {
            let span = Span { file, start: problem.start as u32, end: problem.end as u32 };
            let error = Diagnostic::error("heap.syntax", span, problem.message);
            Loaded { program: None, diagnostics: vec![error] }
        }
    }
}

struct Disk;

impl Files for Disk {
    fn resolve(&self, from: &str, name: &str) -> Option<String> {
        let path = Path::new(from).parent()?.join(name);
        path.is_file().then(|| path.display().to_string())
    }

    fn read(&self, path: &str) -> Result<String, String> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(e) => Err(e.to_string()),
        }
    }

    fn compiler_preprocessed(&self, path: &str) -> Result<String, String> {
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let run = Command::new(&compiler)
            .args(["-E", path])
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("`{}` cannot be run: {e}", compiler.display()))?;
        if run.status.success() {
            return Ok(String::from_utf8_lossy(&run.stdout).into_owned());
        }
        let message = String::from_utf8_lossy(&run.stderr).into_owned();
        Err(message.lines().next().unwrap_or("the compiler failed").to_owned())
    }
}
