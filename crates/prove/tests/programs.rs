//! One test for each program in `tests/prove`: what spatial interpolants alone say of it.
//!
//! `//:: prove safe` is for a proof; `//:: prove open` for a failure that a path leads to, as far as its data show.
//! `//:: prove unproved` is for a program with an error that need not be found. `//:: prove with machine
//! integers: …` is for those of the target. A proof may say more: `safe, nothing is lost`, or `safe, memory may be lost`.

#![allow(clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use prove::art::{Art, Options, Verdict};
use prove::program::Setting;

fn main() -> std::process::ExitCode {
    let root = testing::root().join("tests/prove");
    let mut files: Vec<PathBuf> = std::fs::read_dir(root)
        .expect("a folder of programs")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let trial = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Trial::test(name.unwrap_or_default(), move || check(&path))
    };
    libtest_mimic::run(&Arguments::from_args(), files.into_iter().map(trial).collect()).exit_code()
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let wanted = text.lines().find_map(|line| line.strip_prefix("//:: prove "));
    let wanted = wanted.ok_or("it does not say what is expected")?;
    let (machine_integers, wanted) = match wanted.strip_prefix("with machine integers: ") {
        Some(wanted) => (true, wanted),
        None => (false, wanted),
    };
    let mut sources = report::SourceMap::new();
    let file = sources.add(path.display().to_string(), text.clone());
    let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
    let program = loaded.program.ok_or_else(|| format!("{:?}", loaded.diagnostics))?;
    let entry = program.entry.ok_or("there is no main")?;
    let setting = Setting { machine_integers, ..Setting::default() };
    let cfg = prove::program::translate(&program, entry, setting)?;
    let options = Options {
        deadline: Some(Instant::now() + Duration::from_secs(20)),
        cancelled: Arc::default(),
        quick: false,
        solver: Some(testing::z3()),
    };
    let mut art = Art::new(&cfg, &options);
    let verdict = art.run();
    let found = match &verdict {
        Verdict::Safe if wanted == "safe" => "safe",
        Verdict::Safe if art.keeps_memory() => "safe, nothing is lost",
        Verdict::Safe => "safe, memory may be lost",
        _ if wanted == "unproved" => "unproved",
        Verdict::Open { .. } => "open",
        Verdict::Stopped { .. } => "stopped",
    };
    if found != wanted {
        return Err(format!("{verdict:?} after {:?}", art.stats).into());
    }
    Ok(())
}

struct NoFiles;

impl c::Files for NoFiles {
    fn resolve(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn read(&self, path: &str) -> Result<String, String> {
        Err(format!("{path} is not read"))
    }

    fn compiler_preprocessed(&self, _: &str) -> Result<String, String> {
        Err("no compiler is asked".to_owned())
    }
}
