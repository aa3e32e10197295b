//! Looks for programs that do harm to those who read them, for a number of seconds: programs of this
//! repository are damaged, and given to the lexer, parser, checker and formatter of their language (Viper, SPL,
//! C, heap programs as text). These may refuse them, not panic, and none may take long.
//!
//! ```sh
//! make fuzz-readers SECONDS=60 SEED=1
//! ```
//!
//! What is found is made small and printed; then the exit status is 1.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use report::SourceMap;
use testing::{Random, damage, shrink};

/// No text may take longer to read.
const LIMIT: Duration = Duration::from_secs(5);

/// A language, by the extension of its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Viper,
    Spl,
    C,
    Heap,
}

impl Language {
    fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "vpr" => Some(Language::Viper),
            "spl" => Some(Language::Spl),
            "c" => Some(Language::C),
            "heap" => Some(Language::Heap),
            _ => None,
        }
    }

    /// Reads a text, as far as one can get.
    fn read(self, text: &str) {
        let mut sources = SourceMap::new();
        let file = sources.add("damaged", text);
        match self {
            Language::Viper => {
                let parsed = viper::parser::parse(file, text);
                let _ = viper::print::program(&parsed.program);
                let _ = viper::check(&parsed.program);
                let _ = viper::fmt::format(text);
            }
            Language::Spl => {
                let parsed = spl::parser::parse(file, text);
                let _ = spl::check(&parsed.program);
                let _ = spl::fmt::format(file, text);
            }
            Language::C => {
                drop(c::load(&c::NoFiles, &mut sources, file, c::Options::default()));
            }
            Language::Heap => {
                drop(heap::text::parse(text, file));
            }
        }
    }

    /// Does reading a text panic, or take too long?
    fn suffers(self, text: &str) -> bool {
        let start = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| self.read(text)));
        ended.is_err() || start.elapsed() > LIMIT
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if Language::of(&path).is_some() {
            found.push(path);
        }
    }
}

fn main() -> ExitCode {
    viper::with_deep_stack(fuzz)
}

fn fuzz() -> ExitCode {
    let number = |name: &str, or: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(or)
    };
    let end = Instant::now() + Duration::from_secs(number("SECONDS", 10));
    let mut random = Random::new(number("SEED", 1));
    let mut paths = Vec::new();
    for folder in ["tests", "examples"] {
        collect(&testing::root().join(folder), &mut paths);
    }
    paths.sort();
    let mut corpora: Vec<(Language, Vec<String>)> = Vec::new();
    for path in &paths {
        let (Some(language), Ok(text)) = (Language::of(path), std::fs::read_to_string(path)) else {
            continue;
        };
        match corpora.iter_mut().find(|(known, _)| *known == language) {
            Some((_, texts)) => texts.push(text),
            None => corpora.push((language, vec![text])),
        }
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut counts = vec![0_u64; corpora.len()];
    while Instant::now() < end {
        for ((language, texts), count) in corpora.iter().zip(&mut counts) {
            let others: Vec<&str> = texts.iter().map(String::as_str).collect();
            let text = random.pick(&others).copied().unwrap_or_default();
            let text = damage(text, &others, &mut random);
            *count += 1;
            if language.suffers(&text) {
                let small = shrink::text(&text, 2_000, |text| language.suffers(text));
                println!("{language:?} does harm:\n{small}");
                return ExitCode::FAILURE;
            }
        }
    }
    for ((language, texts), count) in corpora.iter().zip(counts) {
        println!("{language:?}: {count} texts made of {}: nothing found", texts.len());
    }
    ExitCode::SUCCESS
}
