//! Which files a command is about: those that were named, and those in folders that were named.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use report::{Diagnostic, Pos};

use crate::source;

/// What Viper programs in folders are called.
pub const VIPER: &[&str] = &["vpr"];

/// What Viper and SPL programs in folders are called.
pub const PROGRAMS: &[&str] = &["vpr", "spl"];

/// What C programs and heap programs in folders are called.
pub const C: &[&str] = &["c", "i", "heap"];

/// What programs in folders are called of which `infer` and `prove` know whether they are safe.
pub const ANALYSED: &[&str] = &["c", "i", "heap", "spl"];

/// A file, or something that was named and is none.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it is; `-` is standard input.
    pub path: PathBuf,
    /// Why it cannot be read, if that is already known.
    pub problem: Option<Diagnostic>,
}

impl Input {
    /// A file that was named.
    pub fn file(path: impl Into<PathBuf>) -> Input {
        Input { path: path.into(), problem: None }
    }

    fn problem(path: impl Into<PathBuf>, message: impl Into<String>) -> Input {
        let problem = Diagnostic::error("parser.error", Pos::None, message);
        Input { path: path.into(), problem: Some(problem) }
    }
}

/// The files that are meant. A folder stands for all programs in it and in its folders, in the order of
/// their names; what is hidden is passed over, and so is what was met before by another path. A file
/// that is named is meant as often as it is named.
pub fn expand(named: &[PathBuf], extensions: &[&str], stopped: &dyn Fn() -> bool) -> Vec<Input> {
    let mut walk = Walk { extensions, stopped, met: HashSet::new(), inputs: Vec::new() };
    let mut stdin = false;
    for path in named {
        if source::is_stdin(path) && std::mem::replace(&mut stdin, true) {
            walk.inputs.push(Input::problem(path, "standard input can be read only once"));
        } else if !source::is_stdin(path) && path.is_dir() {
            if !walk.folder(path) {
                let kinds: Vec<String> = extensions.iter().map(|e| format!(".{e}")).collect();
                let nothing = format!("there is no {} file in this folder", kinds.join(" or "));
                let help = "hidden files and folders are passed over";
                let mut input = Input::problem(path, nothing);
                input.problem = input.problem.map(|problem| problem.with_help(help));
                walk.inputs.push(input);
            }
        } else {
            walk.met.extend(path.canonicalize());
            walk.inputs.push(Input::file(path));
        }
    }
    walk.inputs
}

struct Walk<'a> {
    extensions: &'a [&'a str],
    stopped: &'a dyn Fn() -> bool,
    /// Files and folders that need not be looked at again, by their real paths.
    met: HashSet<PathBuf>,
    inputs: Vec<Input>,
}

impl Walk<'_> {
    /// Is there something to say about this folder: a program, or that it cannot be read?
    fn folder(&mut self, path: &Path) -> bool {
        // Links may lead back to where we come from.
        if path.canonicalize().is_ok_and(|real| !self.met.insert(real)) || (self.stopped)() {
            return true;
        }
        let names = std::fs::read_dir(path)
            .and_then(|entries| entries.map(|e| Ok(e?.file_name())).collect::<Result<Vec<_>, _>>());
        let mut names: Vec<OsString> = match names {
            Ok(names) => names,
            Err(e) => {
                let message = format!("the folder cannot be read: {e}");
                self.inputs.push(Input::problem(path, message));
                return true;
            }
        };
        names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
        names.sort();
        let mut any = false;
        for name in names {
            let path = path.join(name);
            if path.is_dir() {
                any |= self.folder(&path);
            } else if path
                .extension()
                .is_some_and(|e| self.extensions.iter().any(|known| e == *known))
            {
                // Nobody may ever write into a pipe. A link that leads nowhere is for the reader to
                // complain about.
                if path.metadata().is_ok_and(|file| !file.is_file()) {
                    continue;
                }
                any = true;
                if path.canonicalize().is_ok_and(|real| !self.met.insert(real)) {
                    continue;
                }
                self.inputs.push(Input::file(path));
            }
        }
        any
    }
}
