//! A program with everything it includes.

use std::collections::HashSet;
use std::io;
use std::path::{Component, Path, PathBuf};

use report::{Diagnostic, FileId, Pos, SourceMap};

use crate::ast::{DeclKind, Program};
use crate::parser;

/// More files than this are an accident.
const MAX_FILES: usize = 10_000;

/// Where included files come from.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// What tells files apart: a file is read once even if different paths lead to it.
    fn identity(&self, path: &Path) -> PathBuf {
        normalized(path)
    }
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        std::fs::read(path)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        std::fs::canonicalize(path).unwrap_or_else(|_| normalized(path))
    }
}

/// With `.` and `..` resolved as far as the text of the path allows.
fn normalized(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match result.components().next_back() {
                Some(Component::Normal(_)) => {
                    result.pop();
                }
                Some(Component::RootDir) => {}
                _ => result.push(component),
            },
            other => result.push(other),
        }
    }
    result
}

/// A program with its includes.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// First the declarations of the file itself, then those of its includes, in the order in which
    /// they were met.
    pub program: Program,
    /// `parser.error` and `parser.warning`.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a text that is already in the map and, once each, all files that it includes, directly or
/// not. Relative includes start at `path`. Cycles are fine: a file is read once.
pub fn load_text(files: &dyn Files, sources: &mut SourceMap, file: FileId, path: &Path) -> Loaded {
    let mut loaded = Loaded::default();
    let mut seen = HashSet::from([files.identity(path)]);
    let mut pending = vec![(file, path.to_path_buf())];
    while let Some((file, path)) = pending.pop() {
        let Some(text) = sources.get(file).map(|f| f.text.clone()) else { continue };
        let parsed = parser::parse(file, &text);
        loaded.diagnostics.extend(parsed.diagnostics);
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut included = Vec::new();
        for decl in parsed.program.decls {
            if let DeclKind::Include(name) = &decl.kind {
                let target = normalized(&folder.join(&**name));
                if seen.insert(files.identity(&target)) {
                    let error = |problem: String| {
                        let message = format!("cannot include `{name}`: {problem}");
                        Diagnostic::error("parser.error", decl.at, message)
                    };
                    if seen.len() > MAX_FILES {
                        if seen.len() == MAX_FILES + 1 {
                            let many = format!("more than {MAX_FILES} files are included");
                            loaded.diagnostics.push(error(many));
                        }
                    } else {
                        match read(files, sources, &target) {
                            Ok(file) => included.push((file, target)),
                            Err(problem) => loaded.diagnostics.push(error(problem)),
                        }
                    }
                }
            }
            loaded.program.decls.push(decl);
        }
        pending.extend(included.into_iter().rev());
    }
    loaded
}

/// Like [`load_text`], for a file.
pub fn load(files: &dyn Files, sources: &mut SourceMap, path: &Path) -> Loaded {
    match read(files, sources, path) {
        Ok(file) => load_text(files, sources, file, path),
        Err(problem) => {
            let message = format!("cannot read `{}`: {problem}", path.display());
            let error = Diagnostic::error("parser.error", Pos::None, message);
            Loaded { program: Program::default(), diagnostics: vec![error] }
        }
    }
}

fn read(files: &dyn Files, sources: &mut SourceMap, path: &Path) -> Result<FileId, String> {
    let bytes = files.read(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        _ => e.to_string(),
    })?;
    if u32::try_from(bytes.len()).is_err() {
        return Err("it is larger than 4 GiB".to_string());
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!("it is not UTF-8: the byte at offset {at} does not fit")
    })?;
    Ok(sources.add(path.display().to_string(), text))
}
