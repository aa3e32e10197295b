//! Where Z3 is, and whether it is the one that was measured.

use std::ffi::OsString;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

/// The version that all measurements were made with; others work, with a warning.
pub const PINNED: &str = "4.12.6";

/// How long a Z3 may take to say which version it is; usually that takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// A longer answer is not that of a Z3.
const LONGEST_ANSWER: u64 = 4096;

#[cfg(windows)]
const EXECUTABLE: &str = "z3.exe";
#[cfg(not(windows))]
const EXECUTABLE: &str = "z3";

/// A Z3 that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Z3 {
    /// The program.
    pub path: PathBuf,
    /// Why this one.
    pub found: Found,
}

/// The ways to come by a Z3, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// `--z3`
    Option,
    /// `LANCEHEAD_Z3`
    Environment,
    /// In the folder of this program.
    Beside,
    /// Where `scripts/get-z3` puts it.
    Checkout,
    /// On `PATH`.
    Path,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Found::Option => "given by --z3",
            Found::Environment => "given by LANCEHEAD_Z3",
            Found::Beside => "beside the lancehead program",
            Found::Checkout => "fetched by scripts/get-z3",
            Found::Path => "found on PATH",
        })
    }
}

/// Why there is no Z3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The user named one that is not there.
    Named(PathBuf, Found),
    /// Nobody named one, and none was found.
    Anywhere,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Named(path, found) => {
                write!(f, "the Z3 {found} is not a file: {}", path.display())
            }
            Missing::Anywhere => write!(f, "there is no Z3"),
        }
    }
}

/// What to do if there is a Z3, but it is of no use.
pub const REMEDY: &str = "`lancehead z3` says which Z3 is used; name another with --z3 PATH or in the environment variable\n\
     LANCEHEAD_Z3, or run scripts/get-z3 in a checkout of Lancehead to fetch the right one";

impl Missing {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Missing::Named(..) => {
                "name another, or none: then the one beside the lancehead program, \
                                   that of scripts/get-z3,\nor the one on PATH is used"
                    .to_owned()
            }
            Missing::Anywhere => format!(
                "do one of these:\n\
                 - in a checkout of Lancehead, run scripts/get-z3 (it fetches Z3 {PINNED} into .z3/)\n\
                 - put a z3 {PINNED} beside the lancehead program, or on PATH\n\
                 - name one with --z3 PATH or in the environment variable LANCEHEAD_Z3"
            ),
        }
    }
}

impl std::error::Error for Missing {}

/// What the search looks at; a value, so that it can be tested.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The value of `--z3`.
    pub option: Option<PathBuf>,
    /// The value of `LANCEHEAD_Z3`.
    pub environment: Option<OsString>,
    /// This program.
    pub executable: Option<PathBuf>,
    /// Where the user is.
    pub current_dir: Option<PathBuf>,
    /// The value of `PATH`.
    pub path: Option<OsString>,
}

impl Surroundings {
    /// Those of this process.
    #[must_use]
    pub fn of_this_process(option: Option<&Path>) -> Surroundings {
        Surroundings {
            option: option.map(Path::to_owned),
            environment: std::env::var_os("LANCEHEAD_Z3").filter(|v| !v.is_empty()),
            executable: std::env::current_exe().and_then(|exe| exe.canonicalize()).ok(),
            current_dir: std::env::current_dir().ok(),
            path: std::env::var_os("PATH"),
        }
    }
}

/// Finds the Z3 to use.
///
/// # Errors
/// If the user named one that does not exist, or if there is none at all. The message says what to
/// do about it.
pub fn find(surroundings: &Surroundings) -> Result<Z3, Missing> {
    let named =
        surroundings.option.clone().map(|path| (path, Found::Option)).or_else(|| {
            surroundings.environment.clone().map(|path| (path.into(), Found::Environment))
        });
    if let Some((path, found)) = named {
        return if path.is_file() {
            Ok(Z3 { path, found })
        } else {
            Err(Missing::Named(path, found))
        };
    }
    let home = surroundings.executable.as_deref().and_then(Path::parent);
    let beside = home.map(|dir| dir.join(EXECUTABLE)).into_iter();
    let checkouts = home
        .into_iter()
        .chain(surroundings.current_dir.as_deref())
        .flat_map(Path::ancestors)
        // Only a checkout of Lancehead: no other folder gets to say what is run.
        .filter(|dir| dir.join("scripts/get-z3").is_file())
        .map(|dir| dir.join(".z3").join(EXECUTABLE));
    let on_path = surroundings
        .path
        .as_deref()
        .map(std::env::split_paths)
        .into_iter()
        .flatten()
        .filter(|dir| !dir.as_os_str().is_empty())
        .map(|dir| dir.join(EXECUTABLE));
    beside
        .map(|path| Z3 { path, found: Found::Beside })
        .chain(checkouts.map(|path| Z3 { path, found: Found::Checkout }))
        .chain(on_path.map(|path| Z3 { path, found: Found::Path }))
        .find(|z3| z3.path.is_file())
        .ok_or(Missing::Anywhere)
}

impl Z3 {
    /// Asks it for its version, such as `4.12.6`.
    ///
    /// # Errors
    /// With a sentence that says why, if it does not run, does not answer like a Z3, or does not
    /// answer at all within [`PATIENCE`].
    pub fn version(&self) -> Result<String, String> {
        let name = self.path.display();
        let mut child = Command::new(&self.path)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{name} does not run: {e}"))?;
        let (sender, answer) = channel();
        let stdout = child.stdout.take();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(stdout) = stdout {
                let _ = stdout.take(LONGEST_ANSWER).read_to_end(&mut text);
            }
            // Nobody listens any more if it took too long.
            let _ = sender.send(text);
        });
        let answer = answer.recv_timeout(PATIENCE);
        let _ = child.kill();
        let _ = child.wait();
        let text = answer
            .map_err(|_| format!("{name} does not answer when it is asked for its version"))?;
        parse_version(&String::from_utf8_lossy(&text))
            .map(str::to_owned)
            .ok_or_else(|| format!("{name} does not answer like a Z3 when asked for its version"))
    }
}

/// `Z3 version 4.12.6 - 64 bit`
fn parse_version(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix("Z3 version ")?.split_whitespace().next()
}

/// What to say of a version that nothing was measured with.
#[must_use]
pub fn unless_pinned(version: &str) -> Option<String> {
    (version != PINNED).then(|| {
        format!(
            "warning: Lancehead is tuned for Z3 {PINNED}; with {version} some proofs may be slower \
             or not found (scripts/get-z3 fetches the right one)"
        )
    })
}

/// The Z3 of a run that may turn out to need one.
pub struct Solver {
    z3: Result<Z3, Missing>,
    /// Asked for while the run goes on: a process takes its time.
    version: Option<JoinHandle<Result<String, String>>>,
}

impl Solver {
    /// Looks for it.
    #[must_use]
    pub fn find(surroundings: &Surroundings) -> Solver {
        let z3 = find(surroundings);
        // Those that were put there for us were checked then.
        let version =
            z3.clone().ok().filter(|z3| !matches!(z3.found, Found::Beside | Found::Checkout));
        Solver { z3, version: version.map(|z3| std::thread::spawn(move || z3.version())) }
    }

    /// What to run. If there is none, this leads nowhere.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        match &self.z3 {
            Ok(z3) => z3.path.clone(),
            Err(Missing::Named(path, _)) => path.clone(),
            Err(Missing::Anywhere) => PathBuf::from("no-z3-found").join(EXECUTABLE),
        }
    }

    /// Why there is none.
    #[must_use]
    pub fn missing(&self) -> Option<Missing> {
        self.z3.clone().err()
    }

    /// What to say if the solver may not be the right one, after a run that used it.
    #[must_use]
    pub fn doubts(self) -> Option<String> {
        match self.version.map(JoinHandle::join) {
            Some(Ok(Ok(version))) => unless_pinned(&version),
            Some(Ok(Err(problem))) => Some(problem),
            Some(Err(_)) | None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parse_version("Z3 version 4.12.6 - 64 bit\n"), Some("4.12.6"));
        assert_eq!(parse_version("Z3 version 4.8.7"), Some("4.8.7"));
        assert_eq!(parse_version("zsh 5.9"), None);
        assert_eq!(parse_version(""), None);
    }

    /// A folder with empty files in it, gone at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn with(name: &str, files: &[&str]) -> Folder {
            let dir = std::env::temp_dir().join(format!("lancehead-{}-{name}", std::process::id()));
            for file in files {
                let path = dir.join(file);
                let _ = path.parent().map(std::fs::create_dir_all);
                let _ = std::fs::write(path, "");
            }
            Folder(dir)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn found(surroundings: &Surroundings) -> Option<Found> {
        find(surroundings).ok().map(|z3| z3.found)
    }

    #[test]
    fn in_the_documented_order() {
        let z3 = |folder: &str| format!("{folder}/{EXECUTABLE}");
        let programs = ["given", "env", "co/target", "co/.z3", "path"].map(z3);
        let mut files: Vec<&str> = programs.iter().map(String::as_str).collect();
        files.push("co/scripts/get-z3");
        let dir = Folder::with("order", &files);
        let mut s = Surroundings {
            option: Some(dir.0.join("given").join(EXECUTABLE)),
            environment: Some(dir.0.join("env").join(EXECUTABLE).into()),
            executable: Some(dir.0.join("co/target/lancehead")),
            current_dir: None,
            path: Some(dir.0.join("path").into()),
        };
        assert_eq!(found(&s), Some(Found::Option));
        s.option = None;
        assert_eq!(found(&s), Some(Found::Environment));
        s.environment = None;
        assert_eq!(found(&s), Some(Found::Beside));
        s.executable = Some(dir.0.join("co/target/deep/lancehead"));
        assert_eq!(found(&s), Some(Found::Checkout));
        s.executable = Some(dir.0.join("elsewhere/lancehead"));
        assert_eq!(found(&s), Some(Found::Path));
        s.current_dir = Some(dir.0.join("co/examples"));
        assert_eq!(found(&s), Some(Found::Checkout));
        s.current_dir = None;
        s.path = None;
        assert_eq!(find(&s), Err(Missing::Anywhere));
    }

    #[test]
    fn a_named_one_is_not_replaced_by_another() {
        let dir = Folder::with("named", &["path/z3"]);
        let gone = dir.0.join("gone");
        let s = Surroundings {
            option: Some(gone.clone()),
            path: Some(dir.0.join("path").into()),
            ..Surroundings::default()
        };
        assert_eq!(find(&s), Err(Missing::Named(gone, Found::Option)));
    }

    #[test]
    fn a_folder_that_is_no_checkout_has_no_say() {
        let dir = Folder::with("stranger", &[".z3/z3"]);
        let s = Surroundings { current_dir: Some(dir.0.clone()), ..Surroundings::default() };
        assert_eq!(find(&s), Err(Missing::Anywhere));
    }

    #[test]
    fn the_message_says_what_to_do() {
        let text = Missing::Anywhere.remedy();
        for hint in ["scripts/get-z3", "--z3 PATH", "LANCEHEAD_Z3", PINNED] {
            assert!(text.contains(hint), "{text}");
        }
    }
}
