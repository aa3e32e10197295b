//! Programs with their expectations: `//:: ExpectedOutput(id)` is about the next line that is no
//! comment. Exactly what is expected must be reported.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use report::SourceMap;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let arguments = Arguments::from_args();
    let mut files = testing::files(root.join("tests/spl/verify"), &["spl"]);
    files.extend(testing::files(root.join("examples/spl"), &["spl"]));
    let trials = files.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || run(&path))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn expected(text: &str) -> BTreeSet<(u32, String)> {
    let mut found = BTreeSet::new();
    let mut pending = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if let Some(annotation) = line.strip_prefix("//::") {
            for part in annotation.split("ExpectedOutput(").skip(1) {
                pending.push(part.split(')').next().unwrap_or_default().to_owned());
            }
        } else if !line.starts_with("//") {
            found.extend(pending.drain(..).map(|id| (number, id)));
        }
    }
    found
}

fn run(path: &Path) -> Result<(), Failed> {
    let mut sources = SourceMap::new();
    let loaded = spl::loader::load(&spl::loader::DiskFiles, &mut sources, path);
    let mut diagnostics = loaded.diagnostics;
    let checked = spl::check(&loaded.program);
    diagnostics.extend(checked.diagnostics);
    if let Some(program) = checked.program {
        let mut config = vc::Config::new(testing::z3());
        if !path.starts_with(testing::root().join("examples")) {
            // Most goals of tests are planted to fail, and are not tried for long.
            config.second_try = 200_000;
        }
        let verdict = vc::verify(&program, &config);
        if let Some(why) = verdict.no_solver {
            return Err(why.into());
        }
        diagnostics.extend(verdict.members.into_iter().flat_map(|m| m.diagnostics));
    }
    let got: BTreeSet<(u32, String)> = diagnostics
        .iter()
        .map(|d| {
            let span = d.pos.span();
            let line = span.and_then(|s| Some(sources.get(s.file)?.line_col(s.start).line));
            (line.unwrap_or(0), d.id.to_string())
        })
        .collect();
    let wanted = expected(&std::fs::read_to_string(path)?);
    if got == wanted {
        return Ok(());
    }
    let messages: Vec<String> = diagnostics.iter().map(|d| d.message.clone()).collect();
    Err(format!("expected {wanted:?}\ngot {got:?}\n{}", messages.join("\n")).into())
}
