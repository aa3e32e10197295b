//! Programs that violate a property in some run, or on some machine: nobody may claim that it holds. The first line
//! of each file says which property that is. And programs that are right, of which all properties are proved.

#![allow(clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::time::{Duration, Instant};

use heap::run::Property;
use report::SourceMap;

struct Alone;

impl c::Files for Alone {
    fn resolve(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn read(&self, path: &str) -> Result<String, String> {
        Err(format!("{path} is not there"))
    }

    fn compiler_preprocessed(&self, path: &str) -> Result<String, String> {
        Err(format!("{path} needs a compiler"))
    }
}

fn load(name: &str, text: String) -> heap::Program {
    let mut sources = SourceMap::new();
    let id = sources.add(name.to_string(), text);
    let loaded = c::load(&Alone, &mut sources, id, c::Options::default());
    loaded.program.unwrap_or_else(|| panic!("{name}: {:?}", loaded.diagnostics))
}

#[test]
fn what_is_right_is_proved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proved");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("a file").path();
        let name = path.display().to_string();
        let program = load(&name, std::fs::read_to_string(&path).expect("a text"));
        let entry = program.entry.expect("main");
        let options = shape::Options {
            deadline: Some(Instant::now() + Duration::from_secs(60)),
            ..shape::Options::default()
        };
        let all = [Property::MemSafety, Property::MemTrack, Property::Reach];
        let outcomes = shape::analyse_all(&program, entry, &options, &all);
        for property in all {
            assert!(outcomes.iter().any(|o| o.proves(property)), "{name}: {property:?}");
        }
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn what_a_run_refutes_is_not_claimed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refuted");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("a file").path();
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a text");
        let property = match text.lines().next() {
            Some("// not claimed: memsafety") => Property::MemSafety,
            Some("// not claimed: memtrack") => Property::MemTrack,
            Some("// not claimed: reach") => Property::Reach,
            other => panic!("{name}: no property: {other:?}"),
        };
        let program = load(&name, text);
        let entry = program.entry.expect("main");
        let options = shape::Options {
            deadline: Some(Instant::now() + Duration::from_secs(20)),
            ..shape::Options::default()
        };
        let outcomes = shape::analyse_all(&program, entry, &options, &[property]);
        assert!(!outcomes.iter().any(|o| o.proves(property)), "{name} is claimed");
        count += 1;
    }
    assert!(count > 0);
}
