//! Printing never loses a program, formatting never loses a comment, and no text makes it crash.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};

use report::{Diagnostic, FileId, SourceMap};
use spl::lexer::{TokenKind, tokenize};
use spl::parser::parse;
use testing::Random;

/// All programs of the repository, and of a folder that the environment may name.
fn programs() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("tests/spl"), root.join("examples/spl")];
    folders.extend(std::env::var_os("LANCEHEAD_SPL_SUITE").map(PathBuf::from));
    let files = folders.iter().flat_map(|folder| testing::files(folder, &["spl"]));
    let mut found: Vec<(PathBuf, String)> = files
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

fn ok(diagnostics: &[Diagnostic]) -> bool {
    !diagnostics.iter().any(Diagnostic::is_error)
}

#[test]
fn printing_loses_nothing() {
    for (path, text) in programs() {
        let parsed = parse(FileId(0), &text);
        if !ok(&parsed.diagnostics) {
            continue;
        }
        let printed = spl::print::program(&parsed.program);
        let again = parse(FileId(0), &printed);
        assert!(ok(&again.diagnostics), "{}: {:#?}\n{printed}", path.display(), again.diagnostics);
        assert!(again.program == parsed.program, "{}\n{printed}", path.display());
        assert_eq!(spl::print::program(&again.program), printed);
    }
}

#[test]
fn formatting_keeps_tokens_and_comments_and_is_idempotent() {
    for (path, text) in programs() {
        let Ok(formatted) = spl::fmt::format(FileId(0), &text) else { continue };
        let tokens = |text: &str| -> Vec<(TokenKind, String)> {
            let slice = |s: u32, e: u32| text[s as usize..e as usize].trim_end().to_owned();
            tokenize(text).iter().map(|t| (t.kind, slice(t.start, t.end))).collect()
        };
        assert_eq!(tokens(&text), tokens(&formatted), "{}", path.display());
        let again = spl::fmt::format(FileId(0), &formatted).unwrap();
        assert_eq!(formatted, again, "{}", path.display());
    }
}

#[test]
fn damaged_programs_do_no_harm() {
    let mut random = Random::new(7);
    let all = programs();
    let words = [
        "(",
        ")",
        "{",
        "}",
        "::",
        ":=",
        "forall x: Int ::",
        "&*&",
        "null",
        "acc",
        "Set<",
        ";",
        "?",
        "'",
        "\"",
        "/*",
        "0x",
        "new",
    ];
    for round in 0..1500 {
        let (_, text) = &all[random.below(all.len())];
        let tokens = tokenize(text);
        let mut damaged = String::new();
        let victim = random.below(tokens.len());
        for (index, token) in tokens.iter().enumerate() {
            let slice = &text[token.start as usize..token.end as usize];
            if index == victim {
                match round % 4 {
                    0 => continue,
                    1 => damaged.push_str(words[random.below(words.len())]),
                    2 => {
                        let other = &tokens[random.below(tokens.len())];
                        damaged.push_str(&text[other.start as usize..other.end as usize]);
                        damaged.push(' ');
                        damaged.push_str(slice);
                    }
                    _ => break,
                }
            } else {
                damaged.push_str(slice);
            }
            damaged.push(' ');
        }
        let mut sources = SourceMap::new();
        let file = sources.add("damaged.spl", damaged.as_str());
        let parsed = parse(file, &damaged);
        // Whatever could be read is checked, even after syntax errors.
        let checked = spl::check(&parsed.program);
        if ok(&parsed.diagnostics) && ok(&checked.diagnostics) {
            assert!(checked.program.is_some());
        }
        // What is accepted becomes a heap program, which is the same when it was printed and parsed.
        if let Some(program) = &checked.program {
            let lowered = spl::lower::lower(program, &sources).program;
            let printed = heap::text::print(&lowered);
            assert_eq!(heap::text::parse(&printed, file), Ok(lowered), "{damaged}");
        }
        let _ = spl::fmt::format(file, &damaged);
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = 100_000;
    for text in [
        format!("procedure p() {{ x := {}1{}; }}", "(".repeat(deep), ")".repeat(deep)),
        format!("procedure p() {{ x := {}1; }}", "- ".repeat(deep)),
        format!("procedure p() {{ {} }}", "{".repeat(deep)),
        format!("procedure p(x: {}Int{})", "Set<".repeat(deep), ">".repeat(deep)),
        format!("procedure p() {{ x := 1{}; }}", " + 1".repeat(deep)),
        format!("axiom {} true", "true ==> ".repeat(deep)),
    ] {
        let run = move || {
            let parsed = parse(FileId(0), &text);
            assert!(!ok(&parsed.diagnostics));
            assert!(parsed.diagnostics[0].message.starts_with("nested too deeply"));
        };
        // The stack that the command line gives to it.
        std::thread::Builder::new().stack_size(256 << 20).spawn(run).unwrap().join().unwrap();
    }
}

#[test]
fn includes_are_read_once_and_missed_clearly() {
    struct Texts;
    impl spl::loader::Files for Texts {
        fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
            match path.to_str() {
                Some("a/main.spl") => Ok(b"include \"../b.spl\"; procedure p() { q(); }".to_vec()),
                Some("b.spl") => Ok(b"include \"a/main.spl\" procedure q() { }".to_vec()),
                Some("bad.spl") => Ok(b"include \"nowhere.spl\"".to_vec()),
                _ => Err(std::io::ErrorKind::NotFound.into()),
            }
        }
    }
    let mut sources = SourceMap::new();
    let loaded = spl::loader::load(&Texts, &mut sources, Path::new("a/main.spl"));
    assert!(loaded.diagnostics.is_empty());
    assert!(spl::check(&loaded.program).program.is_some());
    let loaded = spl::loader::load(&Texts, &mut sources, Path::new("bad.spl"));
    let message = &loaded.diagnostics[0].message;
    assert_eq!(message, "cannot include `nowhere.spl`: there is no such file");
    assert!(loaded.diagnostics[0].pos.span().is_some());
}
