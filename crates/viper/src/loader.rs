//! Files and imports.

use std::collections::HashSet;
use std::io;
use std::path::{Component, Path, PathBuf};

use report::{Diagnostic, FileId, Pos, SourceMap};

use crate::ast::{At, Import, Member, MemberKind, Program};
use crate::parser;

/// How many files a program may consist of: where [`Files`] cannot tell that different paths lead to
/// the same file, imports could go on for ever.
const MAX_FILES: usize = 10_000;

/// Where files come from.
pub trait Files {
    /// The contents of a file.
    ///
    /// # Errors
    /// Whatever keeps the file from being read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// What tells files apart: a file is imported once even if different paths lead to it.
    fn identity(&self, path: &Path) -> PathBuf {
        normalized(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()))
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
        std::fs::canonicalize(path).unwrap_or_else(|_| {
            normalized(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()))
        })
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

/// A program with everything it imports.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// First the members of the file itself, then those of its imports. Macros are not expanded.
    pub program: Program,
    /// `parser.error` and `parser.warning`.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Is there an error?
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads and parses a file and, once each, all files that it imports directly or indirectly.
pub fn load(files: &dyn Files, sources: &mut SourceMap, path: &Path) -> Loaded {
    let mut loader = Loader { files, sources, seen: HashSet::new(), loaded: Loaded::default() };
    let root = Source { path: path.to_path_buf(), standard: false };
    loader.see(&root);
    match loader.read(&root) {
        Ok(file) => loader.parse(file, &root),
        Err(problem) => {
            let message = format!("cannot read `{}`: {problem}", path.display());
            loader.loaded.diagnostics.push(Diagnostic::error("parser.error", Pos::None, message));
        }
    }
    loader.finish()
}

/// Like [`load`], for a text that is already in the map. Relative imports start at `path`.
pub fn load_text(files: &dyn Files, sources: &mut SourceMap, file: FileId, path: &Path) -> Loaded {
    let mut loader = Loader { files, sources, seen: HashSet::new(), loaded: Loaded::default() };
    let root = Source { path: path.to_path_buf(), standard: false };
    loader.see(&root);
    loader.parse(file, &root);
    loader.finish()
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Source {
    path: PathBuf,
    /// Of the standard library that ships with the tool.
    standard: bool,
}

impl Source {
    /// The source that an import in this one means. What a standard file imports is standard.
    fn resolve(&self, import: &Import) -> Source {
        let path = Path::new(import.path.as_str());
        if import.standard {
            return Source { path: path.to_path_buf(), standard: true };
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Source { path: folder.join(path), standard: self.standard }
    }
}

struct Loader<'a> {
    files: &'a dyn Files,
    sources: &'a mut SourceMap,
    seen: HashSet<Source>,
    loaded: Loaded,
}

impl Loader<'_> {
    /// Is it the first time that this file is imported?
    fn see(&mut self, source: &Source) -> bool {
        let path = if source.standard {
            normalized(&source.path)
        } else {
            self.files.identity(&source.path)
        };
        self.seen.insert(Source { path, standard: source.standard })
    }

    /// With syntax errors nobody checks the program, so errors in its macros are reported here.
    fn finish(mut self) -> Loaded {
        if self.loaded.has_errors() {
            let (_, found) = crate::macros::expand(&self.loaded.program);
            self.loaded.diagnostics.extend(found);
        }
        self.loaded
    }

    fn read(&mut self, source: &Source) -> Result<FileId, String> {
        if source.standard {
            let name = normalized(&source.path);
            let name = name.to_string_lossy();
            let Some(text) = crate::stdlib::get(&name) else {
                return Err(format!(
                    "there is no such file in the standard library; it has {}",
                    crate::stdlib::names().map(|n| format!("<{n}>")).collect::<Vec<_>>().join(", ")
                ));
            };
            return Ok(self.sources.add(format!("<{name}>"), text));
        }
        let bytes = self.files.read(&source.path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_string(),
            _ => e.to_string(),
        })?;
        if u32::try_from(bytes.len()).is_err() {
            return Err("it is larger than 4 GiB".to_string());
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            let line = e.as_bytes().iter().take(at).filter(|&&b| b == b'\n').count() + 1;
            format!("it is not UTF-8: the byte at offset {at} (line {line}) does not fit")
        })?;
        Ok(self.sources.add(source.path.display().to_string(), text))
    }

    /// Parses a file, then its imports, depth first. The depth is bounded by the number of files.
    fn parse(&mut self, file: FileId, source: &Source) {
        let mut pending = vec![(file, source.clone())];
        while let Some((file, source)) = pending.pop() {
            let Some(text) = self.sources.get(file).map(|f| f.text.clone()) else { continue };
            let parsed = parser::parse(file, &text);
            self.loaded.diagnostics.extend(parsed.diagnostics);
            let mut imported = Vec::new();
            for member in parsed.program.members {
                if let Member { kind: MemberKind::Import(import), at, .. } = &member
                    && let Some(next) = self.import(import, *at, &source)
                {
                    imported.push(next);
                }
                self.loaded.program.members.push(member);
            }
            pending.extend(imported.into_iter().rev());
        }
    }

    fn import(&mut self, import: &Import, at: At, from: &Source) -> Option<(FileId, Source)> {
        let source = from.resolve(import);
        if !self.see(&source) {
            return None;
        }
        if self.seen.len() > MAX_FILES {
            // Once is enough to say so.
            if self.seen.len() == MAX_FILES + 1 {
                let message = format!("more than {MAX_FILES} files are imported");
                let help = "do links between folders make the same file appear again and again?";
                let error = Diagnostic::error("parser.error", at.0, message).with_help(help);
                self.loaded.diagnostics.push(error);
            }
            return None;
        }
        match self.read(&source) {
            Ok(file) => Some((file, source)),
            Err(problem) => {
                let message = format!("cannot import `{}`: {problem}", import.path);
                self.loaded.diagnostics.push(Diagnostic::error("parser.error", at.0, message));
                None
            }
        }
    }
}
