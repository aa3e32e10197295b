//! The text notation: what is read, what is printed, what is said of mistakes.
#![allow(clippy::unwrap_used, clippy::panic)]

use report::{FileId, SourceMap};
use sl::text::{Document, parse, print_document};
use sl::{Kind, Sort};

fn read(text: &str) -> Document {
    parse(&[(FileId(0), text)]).unwrap_or_else(|e| panic!("{text}: {}", e.message))
}

/// Printed and read again it is the same.
fn round_trip(document: &Document) {
    let printed = print_document(document);
    let again = read(&printed);
    assert!(again == *document, "{printed}\nbecame\n{}", print_document(&again));
}

#[test]
fn formulas_are_printed_as_they_are_written() {
    for text in [
        "x != z * x |-> y * ls(y, z)",
        "emp",
        "x = y && emp || x |-> y",
        "!ls(x, y) && true",
        "!(x = y)",
        "(x = y || x = z) * emp",
        "(x |-> y * emp) * emp",
        "exists y. x |-> y * (exists z. y |-> z)",
        "x |-> y -* ls(x, z) -* ls(u, z)",
        "(x |-> y -* emp) -* emp",
        "forall y. !(x |-> y) || y = nil",
        "x |-> {next: y, prev: nil, data: 3}",
        "x |-> {next: y, data: d} * d + 1 < n - 2 * n <= mul(2, -d)",
        "`strange name` |-> nil * a' != `exists`",
        "x |-> {next: y, size: 1 - (2 + n)}",
    ] {
        let document = read(text);
        assert_eq!(document.formulas[0].to_string(), text);
        round_trip(&document);
    }
}

#[test]
fn sorts_are_guessed() {
    let document = read("x |-> {next: y, data: d} * d < 3 * n = d + 1");
    let sort = |name: &str| {
        document.constants.iter().find(|c| c.name.as_str() == name).unwrap().sort.clone()
    };
    assert_eq!(sort("x"), Sort::Loc("Loc".into()));
    assert_eq!(sort("n"), Sort::Int);
    assert_eq!(document.signature.records[0].fields[1].sort, Sort::Int);
}

#[test]
fn declarations_come_first() {
    let text = "
        sort Ref; record Cell { next: Ref, data: Int }; heap Ref -> Cell; // what there is
        pred sorted(x: Ref, low) := x = nil && emp ||
            (exists y, d. low <= d * x |-> {next: y, data: d} * sorted(y, d));
        var z: Int;
        x != nil * sorted(x, z)";
    let document = read(text);
    let definition = &document.signature.predicates[&"sorted".into()];
    assert_eq!(definition.params[1].sort, Sort::Int);
    let Kind::Sep(parts) = document.formulas[0].kind() else { panic!() };
    assert_eq!(parts.len(), 2);
    round_trip(&document);
}

#[test]
fn texts_share_names() {
    let document =
        parse(&[(FileId(0), "pred one(x) := exists y. x |-> y; one(a)"), (FileId(1), "one(b)")])
            .unwrap();
    assert_eq!(document.formulas.len(), 2);
}

#[test]
fn mistakes_have_a_place_and_a_sentence() {
    for (text, expected) in [
        ("x |-> ", ": a formula or a term is due here"),
        ("x |-> y * (emp", ": `)` is due here"),
        ("x |-> y)", "): this closes nothing"),
        ("x = y ls(x, y)", "ls: `;` is due here"),
        ("x", "x: a formula is due here, but this is a term"),
        ("lst(x, y)", "lst: there is no predicate `lst`"),
        ("ls(x)", "ls: `ls` takes 2 arguments, but there is 1"),
        ("ls(x, 3)", "3: data of sort `Loc` is due here, but this is of sort `Int`"),
        ("ls(x, emp)", "emp: data is due here, but this is a formula"),
        ("x |-> {next: y, next: z}", "next: the field `next` is given twice"),
        ("x |-> {next: y} * z |-> {prev: y}", "{next: y}: the field `prev` is missing"),
        ("x # y", "#: `#` is not part of the notation"),
        ("sort A; sort A; emp", "A: the sort `A` is declared twice"),
        ("heap Loc -> Int; emp", "Loc: there is no sort `Loc`"),
        ("pred p(x) := !p(x); emp", "p(x): the definition of `p` has no meaning"),
        ("exists sort. emp", "sort: `sort` has a meaning of its own; write it in backquotes"),
    ] {
        let mut map = SourceMap::new();
        let file = map.add("test", text);
        let error = parse(&[(file, text)]).unwrap_err();
        let place = map.text(error.pos.span().unwrap()).unwrap();
        assert_eq!(format!("{place}: {}", error.message), expected, "{text}");
    }
}

#[test]
fn one_formula_in_every_text() {
    let message = |texts: [&str; 2]| {
        let mut map = SourceMap::new();
        let files: Vec<_> = texts.iter().map(|text| (map.add("test", *text), *text)).collect();
        let parsed = sl::text::parse_one_each(&files);
        parsed.map(|document| document.formulas.len()).map_err(|error| {
            let place = map.text(error.pos.span().unwrap()).unwrap();
            format!("{place}: {}", error.message)
        })
    };
    assert_eq!(message(["pred p(x) := emp; p(x)", "emp"]), Ok(2));
    let second = "true: this is a second formula, where one is due";
    assert_eq!(message(["emp; true", ""]), Err(second.into()));
    assert_eq!(message(["emp", "pred p(x) := emp;"]), Err(": a formula is due here".into()));
    assert_eq!(message(["", "emp"]), Err(": a formula is due here".into()));
}

#[test]
fn deep_texts_are_refused() {
    for text in ["(".repeat(100_000), "!".repeat(100_000), "x = -".repeat(2) + &"-".repeat(100_000)]
    {
        assert!(parse(&[(FileId(0), &text)]).is_err());
    }
}

/// With the suite at hand: every question of it can be printed and read again.
#[test]
fn the_public_suite_survives_printing() {
    let Some(root) = std::env::var_os("LANCEHEAD_SLCOMP") else { return };
    let mut same = 0;
    for path in testing::files(root, &["smt2"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let script = sl::smtlib::parse(FileId(0), &text).unwrap();
        let Some(check) = script.checks.last() else { continue };
        let document = Document {
            signature: check.signature.clone(),
            constants: check.constants.clone(),
            formulas: check.assertions.clone(),
        };
        let printed = print_document(&document);
        let again = parse(&[(FileId(0), &printed)])
            .unwrap_or_else(|e| panic!("{}: {}", path.display(), e.message));
        let twice = read(&print_document(&again));
        assert!(again == twice, "{}", path.display());
        // Constructors have no names in this notation, and bound variables may be renamed.
        same += usize::from(again.formulas.len() == document.formulas.len());
    }
    assert!(same > 0);
}
