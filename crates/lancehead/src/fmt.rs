//! `lancehead fmt`: format files in place, or say that they are not formatted.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use report::{SourceMap, human};

use crate::args::{self, Color};
use crate::output::{Output, complain, to_stderr};
use crate::{crash, source};

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Fmt, color: Color, out: &mut Output) -> u8 {
    args.files.iter().map(|path| format_file(path, args, color, out)).max().unwrap_or(0)
}

fn format_file(path: &Path, args: &args::Fmt, color: Color, out: &mut Output) -> u8 {
    crash::working_on(path, false);
    let mut sources = SourceMap::new();
    let formatted =
        source::read(path, &mut sources).map_err(|problem| vec![*problem]).and_then(|file| {
            let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
            Ok((viper::fmt::format(&text)?, text))
        });
    let (new, old) = match formatted {
        Ok(texts) => texts,
        Err(problems) => {
            let color = color.wanted(&io::stderr());
            let options = human::Options { color, ..human::Options::default() };
            let name = path.display().to_string();
            for problem in &problems {
                to_stderr(&human::render_diagnostic(problem, &name, &sources, options));
                to_stderr("\n");
            }
            return 2;
        }
    };
    if args.check {
        return u8::from(*new != *old);
    }
    if args.stdout || source::is_stdin(path) {
        out.write(new.as_bytes());
        return 0;
    }
    if *new == *old {
        return 0;
    }
    match replace(path, &new) {
        Ok(()) => 0,
        Err(e) => {
            complain(&format!("{} cannot be written: {e}", path.display()));
            2
        }
    }
}

/// Replaces a file's text in one step: the new text is written beside it and then renamed.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // Through symbolic links, so that a link stays one.
    let path = path.canonicalize()?;
    let permissions = std::fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = (|| {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(permissions)?;
        file.sync_all()?;
        std::fs::rename(&beside, &path)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
