//! No input makes the front end panic, hang or forget: a bounded property test.
//!
//! Arbitrary bytes, token soup, and programs of `tests/` and `examples/` broken in many ways go
//! through lexer, parser, loader, checker, plugins, printer and formatter. The sequence of inputs is
//! always the same; how many there are depends on the time, about 20 seconds unless
//! `LANCEHEAD_FUZZ_SECONDS` says otherwise. An input that fails is cut down before it is shown.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use report::{Diagnostic, FileId, Pos, SourceMap};
use testing::Random;
use viper::lexer::{TokenKind, tokenize};

// --- Properties

/// All that must hold of every text. Panics, with the reason, if something does not.
fn properties(text: &str) {
    lexes(text);
    parses(text);
    checks(text);
    formats(text);
}

fn lexes(text: &str) {
    let tokens = tokenize(text);
    let mut end = 0;
    for token in &tokens {
        assert!(end <= token.start && token.start <= token.end, "tokens overlap: {token:?}");
        assert!(text.get(token.start as usize..token.end as usize).is_some(), "{token:?}");
        end = token.end;
    }
    assert_eq!(tokens.last().map(|t| t.kind), Some(TokenKind::Eof));
}

fn parses(text: &str) {
    let file = FileId(0);
    let parsed = viper::parser::parse(file, text);
    assert_positions(&parsed.diagnostics, text);
    if has_errors(&parsed.diagnostics) {
        return;
    }
    let printed = viper::print::program(&parsed.program);
    let again = viper::parser::parse(file, &printed);
    assert!(
        !has_errors(&again.diagnostics),
        "the printed program does not parse: {:?}\n{printed}",
        again.diagnostics
    );
    assert!(again.program == parsed.program, "printing changed the program:\n{printed}");
}

fn checks(text: &str) {
    let mut sources = SourceMap::new();
    let loaded = viper::load(&OneFile(text), &mut sources, Path::new(MAIN));
    if has_errors(&loaded.diagnostics) {
        return;
    }
    let checked = viper::check(&loaded.program);
    if has_errors(&checked.diagnostics) {
        return;
    }
    let Some(program) = checked.program else {
        panic!("neither a program nor an error");
    };
    for smoke in [false, true] {
        let options = viper::plugins::Options { smoke, ..viper::plugins::Options::default() };
        let (program, _) = viper::plugins::desugar(program.clone(), &options);
        let _ = viper::print::program(&viper::unparse::program(&program));
    }
}

fn formats(text: &str) {
    let Ok(formatted) = viper::fmt::format(text) else {
        return;
    };
    match viper::fmt::format(&formatted) {
        Ok(twice) => assert!(twice == formatted, "formatting twice changes:\n{formatted}"),
        Err(e) => panic!("formatted, it cannot be formatted: {e:?}\n{formatted}"),
    }
    let before = viper::parser::parse(FileId(0), text);
    let after = viper::parser::parse(FileId(0), &formatted);
    if !has_errors(&before.diagnostics) {
        assert!(before.program == after.program, "formatting changed the program:\n{formatted}");
    }
    let comments = |text: &str| tokenize(text).iter().filter(|t| t.kind.is_comment()).count();
    assert_eq!(comments(text), comments(&formatted), "comments are lost:\n{formatted}");
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

fn assert_positions(diagnostics: &[Diagnostic], text: &str) {
    for d in diagnostics {
        let places = d.labels.iter().map(|(pos, _)| *pos).chain([d.pos]);
        for span in places.filter_map(Pos::span) {
            assert!(text.get(span.start as usize..span.end as usize).is_some(), "{d:?}");
        }
    }
}

const MAIN: &str = "main.vpr";

/// A disk with this one file.
struct OneFile<'a>(&'a str);

impl viper::loader::Files for OneFile<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new(MAIN) {
            Ok(self.0.as_bytes().to_vec())
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }
}

// --- Inputs

fn pick<'a>(random: &mut Random, choices: &[&'a str]) -> &'a str {
    random.pick(choices).copied().unwrap_or_default()
}

const SOUP: &[&str] = &[
    "method",
    "function",
    "predicate",
    "field",
    "domain",
    "axiom",
    "adt",
    "define",
    "import",
    "unique",
    "interpretation",
    "returns",
    "requires",
    "ensures",
    "decreases",
    "invariant",
    "var",
    "if",
    "elseif",
    "else",
    "while",
    "goto",
    "label",
    "inhale",
    "exhale",
    "assert",
    "assume",
    "refute",
    "fold",
    "unfold",
    "package",
    "apply",
    "quasihavoc",
    "quasihavocall",
    "new",
    "forall",
    "exists",
    "forperm",
    "let",
    "in",
    "old",
    "perm",
    "unfolding",
    "applying",
    "asserting",
    "acc",
    "true",
    "false",
    "null",
    "result",
    "none",
    "write",
    "wildcard",
    "epsilon",
    "Int",
    "Bool",
    "Ref",
    "Perm",
    "Rational",
    "Seq",
    "Set",
    "Multiset",
    "Map",
    "union",
    "intersection",
    "setminus",
    "subset",
    "range",
    "derives",
    "without",
    "x",
    "y",
    "f",
    "P",
    "m",
    "D",
    "T",
    "lhs",
    "0",
    "1",
    "123456789012345678901234567890",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "==>",
    "<==>",
    "&&",
    "||",
    "!",
    "+",
    "-",
    "*",
    "/",
    "\\",
    "%",
    "++",
    "--*",
    ":=",
    ":",
    "::",
    ",",
    ";",
    ".",
    "..",
    "|",
    "?",
    "#",
    "@",
    "\"",
    "\"a\"",
    "//",
    "/*",
    "*/",
    "\n",
    "..)",
    "_",
    "$",
    "ä",
];

fn bytes(random: &mut Random) -> String {
    let bytes: Vec<u8> = (0..random.below(200)).map(|_| random.number() as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn soup(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(120) {
        text.push_str(pick(random, SOUP));
        if random.below(8) > 0 {
            text.push(' ');
        }
    }
    text
}

/// A program with a few things done to its tokens.
fn mutant(random: &mut Random, corpus: &[&str]) -> String {
    let text = pick(random, corpus);
    let mut pieces = pieces(text);
    for _ in 0..=random.below(4) {
        let at = random.below(pieces.len());
        let len = (1 + random.below(4)).min(pieces.len() - at);
        match random.below(8) {
            0 => drop(pieces.drain(at..at + len)),
            1 => pieces.insert(at, pick(random, SOUP)),
            2 if at < pieces.len() => pieces[at] = pick(random, SOUP),
            3 if at < pieces.len() => {
                let other = random.below(pieces.len());
                pieces.swap(at, other);
            }
            4 => {
                // The names and constants of the program itself keep it closer to well-typed.
                let from = random.below(pieces.len());
                if let (Some(&piece), true) = (pieces.get(from), at < pieces.len()) {
                    pieces[at] = piece;
                }
            }
            5 => {
                let copy: Vec<&str> = pieces[at..at + len].to_vec();
                pieces.splice(at..at, copy);
            }
            6 => {
                let other = self::pieces(pick(random, corpus));
                let from = random.below(other.len());
                let to = (from + random.below(30)).min(other.len());
                pieces.splice(at..at, other[from..to].iter().copied());
            }
            _ if random.below(4) == 0 => pieces.truncate(at),
            _ => {}
        }
    }
    pieces.concat()
}

/// The tokens of a text, and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut end = 0;
    for token in tokenize(text) {
        pieces.push(&text[end..token.start as usize]);
        pieces.push(&text[token.start as usize..token.end as usize]);
        end = token.end as usize;
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

// --- The test

/// The input under way, and since when.
static CURRENT: Mutex<Option<(String, Instant)>> = Mutex::new(None);

/// No input may take longer.
const LIMIT: Duration = Duration::from_secs(10);

fn fails(text: &str) -> bool {
    *CURRENT.lock().unwrap() = Some((text.to_owned(), Instant::now()));
    let failed = catch_unwind(AssertUnwindSafe(|| properties(text))).is_err();
    *CURRENT.lock().unwrap() = None;
    failed
}

/// Ends the process, with a message, when an input takes too long: a loop cannot be unwound.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_millis(500));
        if let Some((text, since)) = &*CURRENT.lock().unwrap()
            && since.elapsed() > LIMIT
        {
            eprintln!("--- this input takes longer than {LIMIT:?}:\n{text}\n---");
            std::process::exit(1);
        }
    }
}

/// Drops as much of a failing text as possible while it keeps failing: tokens first, characters then.
fn shrink(text: &str) -> String {
    let tokens = shrink_pieces(pieces(text));
    let chars: Vec<String> = tokens.chars().map(String::from).collect();
    shrink_pieces(chars.iter().map(String::as_str).collect())
}

/// Every question may take as long as the input itself: there is an end to them after ten seconds.
fn shrink_pieces(all: Vec<&str>) -> String {
    let deadline = Instant::now() + Duration::from_secs(10);
    let still_fails = |some: &[&str]| Instant::now() < deadline && fails(&some.concat());
    testing::shrink::items(&all, 100_000, still_fails).concat()
}

fn run(text: &str) {
    if fails(text) {
        let small = shrink(text);
        // Once more, for its message.
        let _ = std::panic::take_hook();
        eprintln!("--- this input fails:\n{small}\n--- because:");
        properties(&small);
        properties(text);
    }
}

#[test]
fn nothing_panics_and_what_is_accepted_round_trips() {
    let seconds = std::env::var("LANCEHEAD_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let deadline = Instant::now() + Duration::from_secs(seconds.unwrap_or(20));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = ["tests", "examples"].map(|folder| testing::files(root.join(folder), &["vpr"]));
    let corpus: Vec<String> =
        files.iter().flatten().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let corpus: Vec<&str> = corpus.iter().map(String::as_str).collect();
    assert!(!corpus.is_empty());

    std::thread::spawn(watch);
    viper::with_deep_stack(|| {
        std::panic::set_hook(Box::new(|_| {}));
        for text in &corpus {
            run(text);
        }
        let mut random = Random::new(0x005E_ED0F_1A9C_E4EA);
        let mut count = 0_u64;
        while Instant::now() < deadline {
            let text = match random.below(10) {
                0 => bytes(&mut random),
                1 | 2 => soup(&mut random),
                _ => mutant(&mut random, &corpus),
            };
            run(&text);
            count += 1;
        }
        let _ = std::panic::take_hook();
        println!("{count} inputs");
    });
}
