//! Pictures of models.
#![allow(clippy::unwrap_used, clippy::panic)]

use lists::Lists;
use report::FileId;
use sl::ask::once::check_sat;
use sl::draw::{dot, svg};
use sl::enumerate::{self, Bounds};
use sl::{Answer, Model, Satisfiability, Semantics, Signature};

fn model(text: &str) -> (Model, Signature) {
    let document = sl::text::parse(&[(FileId(0), text)]).unwrap();
    let signature = (*document.signature).clone();
    match check_sat(&mut Lists, &signature, Semantics::Precise, &document.formulas) {
        Answer::Decided(Satisfiability::Sat(model)) => (model, signature),
        other => panic!("{other:?}"),
    }
}

#[test]
fn graphviz() {
    let (model, signature) = model("x |-> y * a = x * n = nil");
    let expected = "digraph heap {
  rankdir=LR;
  node [shape=record];
  n1 [label=\"#1|<f0> next\"];
  v1 [shape=plaintext, label=\"a, x\"];
  v1 -> n1 [style=dotted];
  n2 [label=\"#2\", style=dashed];
  v2 [shape=plaintext, label=\"y\"];
  v2 -> n2 [style=dotted];
  n1:f0 -> n2;
  notes [shape=plaintext, label=\"n = nil\"];
}
";
    assert_eq!(dot(&model, &signature), expected);
}

#[test]
fn svg_is_well_formed_and_always_the_same() {
    let (model, signature) = model("x != y * ls(x, y) * ls(y, x) * z |-> z * `a<b` |-> nil");
    let text = svg(&model, &signature);
    assert_eq!(text, svg(&model, &signature));
    assert!(text.contains("a&lt;b"));
    // Every location is a box, every field that leads somewhere an arrow.
    assert_eq!(text.matches("class=\"box\"/>").count(), 2 * model.heap.len());
    assert_eq!(text.matches("marker-end").count(), 3);
    assert_eq!(text.matches('<').count(), text.matches('>').count());
}

#[test]
fn the_empty_heap_has_a_picture() {
    let signature = Signature::default();
    assert!(svg(&Model::default(), &signature).contains("the heap is empty"));
    assert_eq!(Model::default().to_text(&signature), "the heap is empty\n");
}

/// The numbers of an attribute of all elements of a kind.
fn numbers(text: &str, element: &str, attribute: &str) -> Vec<usize> {
    let of_kind = text.lines().filter(|line| line.starts_with(element));
    of_kind
        .filter_map(|line| line.split_once(&format!(" {attribute}=\"")))
        .filter_map(|(_, rest)| rest.split_once('"')?.0.parse().ok())
        .collect()
}

#[test]
fn many_names_have_room() {
    let names: Vec<String> = (0..12).map(|n| format!("name{n} = x")).collect();
    let (model, signature) = model(&format!("x |-> y * y |-> nil * {}", names.join(" * ")));
    let text = svg(&model, &signature);
    let columns = numbers(&text, "<rect x", "x");
    assert!(matches!(columns.as_slice(), [x, y] if y - x > 8 * 12 * 7), "{text}");
}

/// A line follows the links forth, from where none leads to.
#[test]
fn a_doubly_linked_list_is_a_line() {
    let list = "z |-> {next: nil, prev: y} * y |-> {next: z, prev: x} * x |-> {next: y, prev: nil}";
    let document = sl::text::parse(&[(FileId(0), list)]).unwrap();
    let (signature, formula) = (&document.signature, &document.formulas[0]);
    let bounds = Bounds { locations: 3, data: 0 };
    let model = enumerate::find_satisfying(signature, Semantics::Precise, formula, bounds).unwrap();
    let text = svg(&model, signature);
    let lines = numbers(&text, "<rect x", "y");
    assert!(lines.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    let at = |name: &str| text.find(&format!(">{name}</text>")).unwrap();
    assert!(at("x") < at("y") && at("y") < at("z"), "{text}");
}
