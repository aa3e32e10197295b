//! How fast the front end is. `make bench` runs it; so does
//! `cargo bench -p lancehead --bench front_end -- TREE`.
//!
//! Three questions: how many MB/s on real programs (one core, files in memory), whether time grows
//! linearly with the size of a file, and how long a user waits for `check` of a small file, process
//! start included. Every number is a median.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use report::{FileId, SourceMap};
use viper::loader::{DiskFiles, Files};

/// The allocator of the program that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let trees: Vec<PathBuf> = match std::env::args().skip(1).find(|a| !a.starts_with("--")) {
        Some(tree) => vec![tree.into()],
        None if root.join("../shared/suites/viper").is_dir() => {
            vec![root.join("../shared/suites/viper")]
        }
        None => vec![root.join("examples"), root.join("tests")],
    };
    viper::with_deep_stack(|| {
        throughput(&trees);
        linearity();
        start_up(&root.join("examples/list.vpr"));
    });
}

/// The median duration of some runs.
fn median(runs: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn megabytes_per_second(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

fn throughput(trees: &[PathBuf]) {
    let files: Vec<PathBuf> =
        trees.iter().flat_map(|tree| testing::files(tree, &["vpr"])).collect();
    let cache = Cache::default();
    let texts: Vec<String> = files
        .iter()
        .map(|path| String::from_utf8_lossy(&cache.read(path).unwrap_or_default()).into_owned())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} files, {:.2} MB", files.len(), bytes as f64 / 1e6);

    let parse = median(9, || {
        for text in &texts {
            drop(viper::parser::parse(FileId(0), text));
        }
    });
    println!("  parse          {:7.1} MB/s", megabytes_per_second(bytes, parse));
    let check = median(9, || {
        for path in &files {
            front_end(&cache, path);
        }
    });
    println!("  parse + check  {:7.1} MB/s", megabytes_per_second(bytes, check));
}

fn front_end(files: &dyn Files, path: &Path) {
    let mut sources = SourceMap::new();
    let loaded = viper::load(files, &mut sources, path);
    if loaded.diagnostics.iter().any(report::Diagnostic::is_error) {
        return;
    }
    let checked = viper::check(&loaded.program);
    if let Some(program) = checked.program {
        drop(viper::plugins::desugar(program, &viper::plugins::Options::default()));
    }
}

fn linearity() {
    println!("growth (parse + check of one generated file)");
    let path = Path::new("generated.vpr");
    let mut before: Option<f64> = None;
    for members in [10_000, 20_000, 40_000, 80_000] {
        let text = generated(members);
        let cache = Cache::default();
        cache.0.lock().unwrap().insert(path.to_owned(), text.clone().into_bytes());
        let time = median(3, || front_end(&cache, path));
        let seconds = time.as_secs_f64();
        let factor = before.map(|b| format!("  x{:.2}", seconds / b)).unwrap_or_default();
        println!(
            "  {members:6} members {:6.1} MB {:8.0} ms {:7.1} MB/s{factor}",
            text.len() as f64 / 1e6,
            seconds * 1e3,
            megabytes_per_second(text.len(), time),
        );
        before = Some(seconds);
    }
}

/// A well-typed program of the usual shape with this many members.
fn generated(members: usize) -> String {
    let mut text = String::new();
    for i in 0..members / 4 {
        let _ = write!(
            text,
            "field value{i}: Int\n\n\
             predicate cell{i}(x: Ref) {{\n    acc(x.value{i}) && x.value{i} >= 0\n}}\n\n\
             function get{i}(x: Ref): Int\n    requires cell{i}(x)\n    ensures result >= 0\n{{\n    \
             unfolding cell{i}(x) in x.value{i}\n}}\n\n\
             method add{i}(x: Ref, n: Int) returns (sum: Int)\n    requires cell{i}(x) && n >= 0\n    \
             ensures cell{i}(x) && sum == get{i}(x)\n{{\n    var old_value: Int := get{i}(x)\n    \
             unfold cell{i}(x)\n    if (n > 0) {{\n        x.value{i} := old_value + n\n    }} else {{\n        \
             assert x.value{i} == old_value\n    }}\n    sum := x.value{i}\n    fold cell{i}(x)\n    \
             assert forall k: Int :: k >= 0 && k < n ==> k + 1 <= n\n}}\n\n"
        );
    }
    text
}

fn start_up(file: &Path) {
    let time = median(101, || {
        let status = Command::new(env!("CARGO_BIN_EXE_lancehead"))
            .arg("check")
            .arg(file)
            .stdout(Stdio::null())
            .status();
        assert!(status.is_ok_and(|s| s.success()));
    });
    println!("lancehead check {}", file.file_name().unwrap_or_default().display());
    println!("  {:.2} ms, process start included", time.as_secs_f64() * 1e3);
}

/// The disk, read once.
#[derive(Default)]
struct Cache(Mutex<HashMap<PathBuf, Vec<u8>>>);

impl Files for Cache {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut files = self.0.lock().unwrap();
        if let Some(bytes) = files.get(path) {
            return Ok(bytes.clone());
        }
        let bytes = DiskFiles.read(path)?;
        files.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }
}
