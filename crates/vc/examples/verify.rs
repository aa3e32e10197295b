//! Verifies SPL programs with the library alone: `cargo run --example verify -- Z3 FILE…`

use std::path::Path;

use report::SourceMap;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(solver) = args.next() else { return };
    for file in args {
        let mut sources = SourceMap::new();
        let loaded = spl::loader::load(&spl::loader::DiskFiles, &mut sources, Path::new(&file));
        let checked = spl::check(&loaded.program);
        let unreadable = loaded.diagnostics.iter().any(report::Diagnostic::is_error);
        let Some(program) = checked.program.filter(|_| !unreadable) else {
            println!("{file}: invalid");
            continue;
        };
        let start = std::time::Instant::now();
        let mut config = vc::Config::new(solver.clone().into());
        config.dump_smt = std::env::var_os("DUMP_SMT").map(Into::into);
        let verdict = vc::verify(&program, &config);
        println!("{file}: {} {:?}", verdict.status().as_str(), start.elapsed());
        for member in &verdict.members {
            println!(
                "  {} {:?} goals {} {:?}",
                member.name, member.status, member.goals, member.time
            );
            for diagnostic in &member.diagnostics {
                let line = diagnostic.pos.span().and_then(|s| {
                    let file = sources.get(s.file)?;
                    Some((file.name.clone(), file.line_col(s.start)))
                });
                println!("    {line:?} {}", diagnostic.message);
                for (pos, text) in &diagnostic.labels {
                    let shown = pos.span().and_then(|s| sources.text(s)).unwrap_or_default();
                    println!("      {text}: {shown}");
                }
            }
        }
    }
}
