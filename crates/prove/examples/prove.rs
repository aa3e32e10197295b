//! Proves C programs by spatial interpolants alone: `cargo run -p lancehead-prove --example prove FILE…`.
#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    for path in std::env::args().skip(1) {
        let Some(program) = load(&path) else {
            println!("{path}: invalid");
            continue;
        };
        let Some(entry) = program.entry else { continue };
        let begin = Instant::now();
        let cfg =
            match prove::program::translate(&program, entry, prove::program::Setting::default()) {
                Ok(cfg) => cfg,
                Err(reason) => {
                    println!("{path}: {reason}");
                    continue;
                }
            };
        let options = prove::art::Options {
            deadline: Some(
                Instant::now()
                    + Duration::from_millis(
                        std::env::var("MS").ok().and_then(|s| s.parse().ok()).unwrap_or(8000),
                    ),
            ),
            cancelled: Arc::default(),
            quick: std::env::var_os("QUICK").is_some(),
            solver: Some(testing::z3()),
        };
        let mut art = prove::art::Art::new(&cfg, &options);
        let verdict = art.run();
        let time = begin.elapsed();
        let kept = matches!(verdict, prove::art::Verdict::Safe) && art.keeps_memory();
        println!("{path}: {verdict:?} memory kept: {kept} {time:?} {:?}", art.stats);
        if std::env::var_os("SHOW").is_some() {
            for (loc, all) in art.invariants() {
                println!("  {loc}: {all:#?}");
            }
        }
    }
}

struct Disk;

impl c::Files for Disk {
    fn resolve(&self, from: &str, name: &str) -> Option<String> {
        let path = Path::new(from).parent()?.join(name);
        path.is_file().then(|| path.display().to_string())
    }

    fn read(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|e| e.to_string())
    }

    fn compiler_preprocessed(&self, _: &str) -> Result<String, String> {
        Err("no compiler is asked".to_owned())
    }
}

fn load(path: &str) -> Option<heap::Program> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut sources = report::SourceMap::new();
    let file = sources.add(path.to_owned(), text);
    c::load(&Disk, &mut sources, file, c::Options::default()).program
}
