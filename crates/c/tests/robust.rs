//! Damaged programs do no harm: they are refused with a position, or run.
//!
//! `LANCEHEAD_FUZZ_SECONDS=600` looks for longer.

#![allow(clippy::expect_used)]

use std::path::Path;
use std::time::{Duration, Instant};

use c::NoFiles;
use heap::run::{Config, Inputs, Run};
use report::SourceMap;
use testing::Random;

/// So many programs are tried if nobody says how long to look.
const PROGRAMS: u32 = 3_000;

/// Reads a text, and runs it if it is a program. Every error has a place.
fn try_text(text: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("damaged.c", text);
    let loaded = c::load(&NoFiles, &mut sources, file, c::Options::default());
    match &loaded.program {
        None => {
            let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.is_error()).collect();
            assert!(!errors.is_empty(), "refused without an error:\n{text}");
        }
        Some(program) => {
            let printed = heap::text::print(program);
            let again = heap::text::parse(&printed, file).expect("a printed program is one");
            assert!(again == *program, "printed and parsed it is another program:\n{text}");
            let config = Config { max_steps: 5_000, max_bytes: 1 << 24, ..Config::default() };
            drop(Run::new(program, &config, Inputs::seeded(1)));
        }
    }
}

fn damaged(text: &str, random: &mut Random) -> String {
    const WORDS: [&str; 22] = [
        "(", ")", "{", "}", ";", ",", "*", "&", "->", ".", "=", "struct", "int", "sizeof", "[",
        "]", "#", "\"", "'", "\\", "static", "goto",
    ];
    let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(', ')', ',']).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(words.len());
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, WORDS[random.below(WORDS.len())]),
            2 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            3 => words.insert(at, words[random.below(words.len())]),
            _ => words.truncate(at.max(1)),
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

fn with_deep_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn damaged_programs_do_no_harm() {
    let seconds = std::env::var("LANCEHEAD_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let limit = seconds.map(Duration::from_secs);
    with_deep_stack(move || {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
        let files = testing::files(root, &["c"]);
        let texts: Vec<String> =
            files.iter().map(|path| std::fs::read_to_string(path).expect("a file")).collect();
        let mut random = Random::new(0x5eed);
        let start = Instant::now();
        let mut tried = 0;
        while limit.map_or(tried < PROGRAMS, |limit| start.elapsed() < limit) {
            tried += 1;
            let text = damaged(&texts[random.below(texts.len())], &mut random);
            let before = Instant::now();
            try_text(&text);
            assert!(before.elapsed() < Duration::from_secs(5), "this takes too long:\n{text}");
        }
    });
}

#[test]
fn deep_and_long_programs_do_no_harm() {
    with_deep_stack(|| {
        for (open, close) in
            [("(", ")"), ("{", "}"), ("[", "]"), ("-", ""), ("!", ""), ("*", ""), ("&", "")]
        {
            for depth in [10, 200, 300, 100_000] {
                let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                try_text(&format!("int main(void) {{ int x = {nested}; return x; }}"));
            }
        }
        let statement = "if (1) ".repeat(5_000);
        try_text(&format!("int main(void) {{ {statement}; return 0; }}"));
        let sum = "1 + ".repeat(20_000);
        try_text(&format!("int main(void) {{ return {sum}1; }}"));
        try_text(&"#if 1\n".repeat(10_000));
        try_text("#define A A A\nint A;");
        try_text(
            "#define F(x) x x\nint F(F(F(F(F(F(F(F(F(F(F(F(F(F(F(F(F(F(F(F(a))))))))))))))))))));",
        );
        // Types inside of types, and values of which only the type is needed.
        for (before, after, core) in [
            ("1 ? 1 : ", "", "2"),
            ("x ?: ", "", "2"),
            ("sizeof(", ")", "x"),
            ("(struct s){ ", " }.a", "1"),
            ("((struct s[]){ { ", " } })[0].a", "1"),
            ("({ int y = ", "; y; })", "x"),
            ("sizeof(typeof(", "))", "x"),
            ("*(int *)malloc(sizeof(", "))", "x"),
            ("_Generic(", ", default: x)", "x"),
            ("f(", ", 1)", "x"),
            ("a[", "]", "x"),
            ("x = ", "", "1"),
            ("(x, ", ")", "1"),
            ("x && ", "", "x"),
        ] {
            for depth in [20, 60, 240] {
                let nested = format!("{}{core}{}", before.repeat(depth), after.repeat(depth));
                let text = format!(
                    "void *malloc(unsigned long); struct s {{ int a; }}; int f(int, ...); int a[3];\n\
                     int main(void) {{ int x = 0; return {nested}; }}"
                );
                let before = Instant::now();
                try_text(&text);
                assert!(before.elapsed() < Duration::from_secs(20), "this takes too long:\n{text}");
            }
        }
        let record = "struct { int a; ".repeat(200) + &"} b; ".repeat(200);
        try_text(&format!("struct s {{ {record} }}; int main(void) {{ return 0; }}"));
        let designated: String = (0..3000).map(|i| format!("[{i}] = {i}, ")).collect();
        try_text(&format!("int a[] = {{ {designated} }}; int main(void) {{ return 0; }}"));
        let cases: String = (0..3000).map(|i| format!("case {i}: x++; ")).collect();
        try_text(&format!("int main(void) {{ int x = 0; switch (x) {{ {cases} }} return 0; }}"));
        try_text("int a[] = { [0 ... 100000000] = 1 }; int main(void) { return a[5]; }");
        try_text("int main(void) { static char c[1 << 30] = { [1 << 29] = 1 }; return c[5]; }");
        try_text(
            "struct s { int x : 32, : 0, y : 7; } s = { .y = 1, .x = 2 }; int main(void) { return s.y; }",
        );
        try_text(
            "struct s { char c[1 << 62]; char d[1 << 62]; char e[1 << 62]; } s; int main(void) { return s.d[1]; }",
        );
        try_text("enum { A = 0x7fffffffffffffffffff }; int main(void) { return A; }");
        try_text("int main(void) { return 1 << 200 >> -1 / 0 % 0; }");
        try_text("struct s { struct s s; int x : 99; int y : -1; }; int main(void) { return 0; }");
        try_text("int a[0x7fffffffffffffff]; int main(void) { return a[1]; }");
        try_text("int main(void) { int a[1000000000]; a[5] = 1; return 0; }");
    });
}
