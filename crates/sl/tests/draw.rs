//! Pictures of models.
#![allow(clippy::unwrap_used, clippy::panic)]

use report::FileId;
use sl::draw::{dot, svg};
use sl::{Model, Semantics, Signature, Verdict, decide};

fn model(text: &str) -> (Model, Signature) {
    let document = sl::text::parse(&[(FileId(0), text)]).unwrap();
    let signature = (*document.signature).clone();
    match decide(&signature, Semantics::Precise, &document.formulas) {
        Verdict::Sat(model) => (model, signature),
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
