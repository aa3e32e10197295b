//! One test for each C program in `tests/c`: what is reported, what it prints, how it ends.
//!
//! Comments before a line say what is expected there: `//:: Error(id)`, `//:: Warning(id)`, or
//! `//:: Fault(kind)`, which must be found in some of the runs, and no other fault in any. The lines of
//! the output are in comments that start with `//>`. Every program is printed and parsed again.

use std::collections::BTreeSet;
use std::path::Path;

use c::Files;
use heap::run::{Config, End, Inputs, Run};
use libtest_mimic::{Arguments, Failed, Trial};
use report::{FileId, Pos, SourceMap};

/// With so many seeds each program is run.
const SEEDS: u64 = 60;

fn main() -> std::process::ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
    let files = testing::files(&root, &["c", "i"]);
    let trials = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || check(&path))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Only files: there is no compiler.
struct Disk;

impl Files for Disk {
    fn resolve(&self, from: &str, name: &str) -> Option<String> {
        let path = Path::new(from).parent()?.join(name);
        path.is_file().then(|| path.display().to_string())
    }

    fn read(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|e| e.to_string())
    }

    fn compiler_preprocessed(&self, _: &str) -> Result<String, String> {
        Err("there is no compiler".into())
    }
}

/// What a file says of itself: kind, identifier and line of everything expected; the output.
fn expectations(text: &str) -> (BTreeSet<(String, String, u32)>, String) {
    let (mut expected, mut output, mut pending) = (BTreeSet::new(), String::new(), Vec::new());
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if let Some(annotation) = line.strip_prefix("//::") {
            if let Some((kind, rest)) = annotation.trim().split_once('(') {
                pending.push((kind.to_owned(), rest.trim_end_matches(')').to_owned()));
            }
        } else if let Some(printed) = line.strip_prefix("//>") {
            output.push_str(printed.strip_prefix(' ').unwrap_or(printed));
            output.push('\n');
        } else if (!line.starts_with("//") || line.starts_with("//@")) && !line.is_empty() {
            expected.extend(pending.drain(..).map(|(kind, id)| (kind, id, number)));
        }
    }
    (expected, output)
}

/// Comments do not show spaces at the end of a line.
fn same_lines(a: &str, b: &str) -> bool {
    a.lines().map(str::trim_end).eq(b.lines().map(str::trim_end))
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let (expected, output) = expectations(&text);
    let mut sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), text);
    let loaded = c::load(&Disk, &mut sources, file, c::Options::default());
    let line = |pos: Pos| {
        let found =
            pos.span().and_then(|span| Some(sources.get(span.file)?.presumed(span.start).1.line));
        found.unwrap_or(0)
    };
    let mut found = BTreeSet::new();
    for d in &loaded.diagnostics {
        let kind = if d.is_error() { "Error" } else { "Warning" };
        // A function without a body is said so; the tests are about other things.
        if d.id != "c.no-body" {
            found.insert((kind.to_owned(), d.id.to_string(), line(d.pos)));
        }
    }
    if let Some(program) = &loaded.program {
        let printed = heap::text::print(program);
        match heap::text::parse(&printed, FileId(0)) {
            Ok(again) if again == *program => {}
            Ok(_) => return Err("printed and parsed it is another program".into()),
            Err(problem) => return Err(format!("{problem:?} in\n{printed}").into()),
        }
        let config = Config { machine_integers: true, max_steps: 100_000, ..Config::default() };
        for seed in 0..SEEDS {
            let run = Run::new(program, &config, Inputs::seeded(seed));
            if let End::Fault(fault) = &run.end {
                let kind = fault.kind.as_str().to_owned();
                found.insert(("Fault".to_owned(), kind, line(fault.pos)));
            }
            if !output.is_empty() && !same_lines(&run.output, &output) {
                return Err(format!("printed\n{}\nexpected\n{output}", run.output).into());
            }
            // The inputs that were drawn lead to the same run.
            let drawn = run.inputs.drawn().iter().map(|d| d.value);
            let again = Run::new(program, &config, Inputs::given(drawn));
            if (&again.end, again.steps) != (&run.end, run.steps) {
                return Err(
                    format!("seed {seed}: {:?}, and again: {:?}", run.end, again.end).into()
                );
            }
        }
    }
    if found != expected {
        return Err(format!("found {found:?}\nexpected {expected:?}").into());
    }
    Ok(())
}
