//! `lancehead fmt`: format files in place, or say that they are not formatted.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use report::{SourceMap, human};

use crate::args::{self, Color};
use crate::inputs::{self, Input};
use crate::output::{Output, complain, to_stderr};
use crate::{crash, diff, source, spl_program};

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Fmt, color: Color, out: &mut Output) -> u8 {
    let inputs = inputs::expand(&args.files, inputs::PROGRAMS, &|| false);
    inputs.iter().map(|input| format_file(input, args, color, out)).max().unwrap_or(0)
}

fn format_file(input: &Input, args: &args::Fmt, color: Color, out: &mut Output) -> u8 {
    let path = &input.path;
    crash::working_on(path, false);
    let mut sources = SourceMap::new();
    let read = match &input.problem {
        Some(problem) => Err(Box::new(problem.clone())),
        None => source::read(path, &mut sources),
    };
    let formatted = read.map_err(|problem| vec![*problem]).and_then(|file| {
        let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
        let formatted = if spl_program::is_spl(path) {
            spl::fmt::format(file, &text)?
        } else {
            viper::fmt::format(&text)?
        };
        Ok((formatted, text))
    });
    let name = path.display().to_string();
    let (new, old) = match formatted {
        Ok(texts) => texts,
        Err(problems) => {
            let color = color.wanted(&io::stderr());
            let options = human::Options { color, ..human::Options::default() };
            for problem in &problems {
                to_stderr(&human::render_diagnostic(problem, &name, &sources, options));
                to_stderr("\n");
            }
            return 2;
        }
    };
    let changed = *new != *old;
    if args.diff {
        let color = color.wanted(&io::stdout());
        out.write(diff::unified(&name, &name, &old, &new, color).as_bytes());
        return u8::from(changed);
    }
    if args.check {
        if changed {
            out.write(format!("{name}\n").as_bytes());
        }
        return u8::from(changed);
    }
    if args.stdout || source::is_stdin(path) {
        out.write(new.as_bytes());
        return 0;
    }
    if !changed {
        return 0;
    }
    match replace(path, &new) {
        Ok(()) => 0,
        Err(e) => {
            complain(&format!("{name} cannot be written: {e}"));
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
