//! Integers of the target: random computations on small types, proved by interpolants alone and run with all inputs.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::{Duration, Instant};

use c::NoFiles;
use heap::run::{Config, End, Inputs, Property, Run};
use infer::analysis::Asked;
use report::SourceMap;
use testing::Random;

/// `LANCEHEAD_PROGRAMS` takes more.
fn count() -> u64 {
    std::env::var("LANCEHEAD_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(80)
}

const TYPES: [&str; 6] =
    ["unsigned char", "signed char", "unsigned", "int", "unsigned short", "long"];

/// A program that draws one byte, computes with it in several types, and asserts something.
fn program(random: &mut Random) -> String {
    let mut body = String::new();
    let mut vars = vec!["x".to_owned()];
    for number in 0..1 + random.below(4) {
        let var = format!("v{number}");
        let a = vars[random.below(vars.len())].clone();
        let b = vars[random.below(vars.len())].clone();
        let n = [1, 2, 100, 127, 128, 200, 255, 65_535][random.below(8)];
        let ty = TYPES[random.below(TYPES.len())];
        let value = match random.below(9) {
            0 => format!("{a} + {n}"),
            1 => format!("{a} - {n}"),
            2 => format!("{a} + {b}"),
            3 => format!("{a} - {b}"),
            4 => format!("{a} * {}", n % 7),
            5 => format!("-{a}"),
            6 => format!("{a} / {}", 1 + n % 5),
            7 => format!("({}){a}", TYPES[random.below(TYPES.len())]),
            _ => format!("({}){a} - {b}", TYPES[random.below(TYPES.len())]),
        };
        body.push_str(&format!("  {ty} {var} = {value};\n"));
        vars.push(var);
    }
    let var = &vars[vars.len() - 1];
    let bound = [0, 1, 127, 128, 255, 256, 300, 65_535][random.below(8)];
    let op = ["<=", ">=", "!=", "<"][random.below(4)];
    let sign = if random.below(4) == 0 { "-" } else { "" };
    format!(
        "#include <assert.h>\nunsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {{\n  unsigned char x = \
         __VERIFIER_nondet_uchar();\n{body}  assert({var} {op} {sign}{bound});\n  return 0;\n}}\n"
    )
}

#[test]
fn no_byte_contradicts_a_proof() {
    let mut random = Random::new(1936);
    let (mut safe, mut wrong) = (0, 0);
    for _ in 0..count() {
        let text = program(&mut random);
        let mut sources = SourceMap::new();
        let file = sources.add("random.c", text.clone());
        let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
        let Some(program) = loaded.program else { panic!("{:?}\n{text}", loaded.diagnostics) };
        let config = Config { machine_integers: true, ..Config::default() };
        let (cancelled, progress) = (std::sync::Arc::default(), std::sync::Arc::default());
        let asked = Asked {
            entry: program.entry.unwrap(),
            contract: None,
            library: false,
            properties: &[Property::Reach],
            check: false,
            config: &config,
            deadline: Instant::now() + Duration::from_secs(2),
            cancelled: &cancelled,
            progress: &progress,
        };
        let outcome = driver::prove::interpolants(&program, &asked, Some(None));
        let violated = |byte: &i128| {
            let run = Run::new(&program, &config, Inputs::given([*byte]));
            matches!(&run.end, End::Fault(fault) if fault.kind.property() == Some(Property::Reach))
        };
        let violation = (0..256).find(violated);
        if outcome.proves(Property::Reach) {
            safe += 1;
            if let Some(byte) = violation {
                panic!("it is proved, but fails with {byte}:\n{text}");
            }
        }
        wrong += u32::from(violation.is_some());
    }
    println!("{safe} proved, {wrong} wrong");
    assert!(safe > 10 && wrong > 10, "{safe} proved, {wrong} wrong");
}
