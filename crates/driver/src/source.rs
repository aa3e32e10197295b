//! Reading the file that the user named. Imports are read by `viper::loader`.

use std::io::{self, Read};
use std::path::Path;

use report::{Diagnostic, FileId, Pos, SourceMap, Span};

/// Is this the name of standard input?
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a program, or standard input for `-`.
pub fn read(path: &Path, sources: &mut SourceMap) -> Result<FileId, Box<Diagnostic>> {
    read_one_of(path, "*.vpr", sources)
}

/// Reads a file whose bytes may be anything; what is no UTF-8 is replaced.
pub fn read_bytes(
    path: &Path,
    pattern: &str,
    sources: &mut SourceMap,
) -> Result<FileId, Box<Diagnostic>> {
    match read_one_of(path, pattern, sources) {
        Err(problem) => match problem.pos {
            // The text was read, and is in the map.
            Pos::Source(span) => Ok(span.file),
            Pos::None | Pos::Foreign(_) => Err(problem),
        },
        read => read,
    }
}

/// Reads a file, or standard input for `-`. The pattern is what such files are called.
pub fn read_one_of(
    path: &Path,
    pattern: &str,
    sources: &mut SourceMap,
) -> Result<FileId, Box<Diagnostic>> {
    let bytes = if is_stdin(path) {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        if let Some(problem) = not_a_file(path, pattern) {
            return Err(problem.into());
        }
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|e| {
        Box::new(Diagnostic::error(
            "parser.error",
            Pos::None,
            format!("the file cannot be read: {e}"),
        ))
    })?;
    if u32::try_from(bytes.len()).is_err() {
        let message = "the file is larger than 4 GiB";
        return Err(Diagnostic::error("parser.error", Pos::None, message).into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(sources.add(path.display().to_string(), text)),
        Err(e) => {
            let start = e.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(e.as_bytes());
            // The bad bytes are one replacement character in the lossy text, at the same offset.
            let end = (start + '\u{FFFD}'.len_utf8()) as u32;
            let file = sources.add(path.display().to_string(), text);
            Err(Box::new(Diagnostic::error(
                "parser.error",
                Span { file, start: start as u32, end },
                format!("the text is not UTF-8: invalid byte at offset {start}"),
            )))
        }
    }
}

/// What is wrong with a path that does not even name a file.
fn not_a_file(path: &Path, pattern: &str) -> Option<Diagnostic> {
    path.is_dir().then(|| {
        Diagnostic::error("parser.error", Pos::None, "this is a directory, not a file").with_help(
            format!("name the files in it, for example {}", path.join(pattern).display()),
        )
    })
}
