//! Both engines behind `lancehead prove` as one.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use c::NoFiles;
use driver::prove::Portfolio;
use heap::run::{Config, Property};
use infer::analysis::{Analysis, NoAnalysis};
use infer::verdict::{Report, Verdict};

fn ask(text: &str, analysis: &dyn Analysis) -> Report {
    let mut sources = report::SourceMap::new();
    let file = sources.add("program.c", text.to_owned());
    let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
    let program = loaded.program.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let options = infer::Options {
        properties: vec![Property::Reach],
        timeout: Some(Duration::from_secs(20)),
        config: Config::default(),
        progress: std::sync::Arc::default(),
        check: false,
    };
    infer::infer(
        &program,
        program.entry.unwrap(),
        None,
        &options,
        analysis,
        &std::sync::Arc::default(),
    )
}

/// Two equations have one solution, which nobody guesses; a path that gets there has it as its model.
#[test]
fn inputs_of_a_path_are_run() {
    let text = "#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = 0;
  while (n < 2) n++;
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (3 * a + 5 * b == 777777 && a - 2 * b == 12331)
    assert(n > 2);
  return 0;
}
";
    let by_runs = ask(text, &NoAnalysis);
    assert!(matches!(by_runs.properties[0].1, Verdict::Unknown(_)), "it is guessed");
    let report = ask(text, &Portfolio::default());
    let Verdict::Unsafe(violation) = &report.properties[0].1 else {
        panic!("{:?}", report.properties);
    };
    let inputs: Vec<i128> = violation.inputs.iter().map(|drawn| drawn.value).collect();
    assert_eq!(3 * inputs[0] + 5 * inputs[1], 777_777);
}
