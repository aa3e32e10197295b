//! What a program looks like when every name is resolved and plugins are gone.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use report::{Diagnostic, SourceMap};
use viper::loader::{DiskFiles, load_text};
use viper::{print, unparse};

/// Macros are gone after the check, data types and measures of termination after the plugins.
/// `INSTA_UPDATE=always` writes the snapshot anew.
#[test]
fn the_core_of_a_program() {
    let text = "adt List {
    Nil()
    Cons(head: Int, tail: List)
}

define positive(l) (l.isCons && l.head > 0)

field value: List

predicate cell(x: Ref) { acc(x.value) && x.value.isCons }

function length(l: List): Int
    ensures result >= 0
    decreases l
{
    l.isNil ? 0 : 1 + length(l.tail)
}

method pop(x: Ref) returns (n: Int)
    requires cell(x) && unfolding cell(x) in positive(x.value)
    ensures acc(x.value) && n > 0
    decreases
{
    unfold cell(x)
    n := x.value.head
    x.value := x.value.tail
}
";
    let mut sources = SourceMap::new();
    let file = sources.add("list.vpr", text);
    let loaded = load_text(&DiskFiles, &mut sources, file, Path::new("list.vpr"));
    assert_eq!(loaded.diagnostics, Vec::new());
    let checked = viper::check(&loaded.program);
    assert!(!checked.diagnostics.iter().any(Diagnostic::is_error), "{:?}", checked.diagnostics);
    let program = checked.program.unwrap();
    let before = print::program(&unparse::program(&program));
    let (program, _) = viper::plugins::desugar(program, &viper::plugins::Options::default());
    let after = print::program(&unparse::program(&program));
    insta::assert_snapshot!(format!("{before}\n// --- without plugins\n\n{after}"));
}
