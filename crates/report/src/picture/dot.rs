//! Pictures for Graphviz.

use std::fmt::Write as _;

use super::{Held, Picture};

/// The picture as a graph in Graphviz's language.
#[must_use]
pub fn dot(picture: &Picture) -> String {
    let mut text = String::from("digraph heap {\n  rankdir=LR;\n  node [shape=record];\n");
    // Writing to a string does not fail.
    for b in &picture.boxes {
        let number = b.number;
        let mut label = escape(&b.title);
        for (i, row) in b.rows.iter().flatten().enumerate() {
            let held = match &row.held {
                Held::Arrow(_) => String::new(),
                Held::Text(text) => format!(" {text}"),
            };
            let _ = write!(label, "|<f{i}> {}{}", escape(&row.name), escape(&held));
        }
        let style = if b.rows.is_none() { ", style=dashed" } else { "" };
        let _ = writeln!(text, "  n{number} [label=\"{label}\"{style}];");
        if !b.labels.is_empty() {
            let names = escape(&b.labels.join(", "));
            let _ = writeln!(text, "  v{number} [shape=plaintext, label=\"{names}\"];");
            let _ = writeln!(text, "  v{number} -> n{number} [style=dotted];");
        }
    }
    for b in &picture.boxes {
        for (i, row) in b.rows.iter().flatten().enumerate() {
            if let Held::Arrow(target) = row.held {
                let _ = writeln!(text, "  n{}:f{i} -> n{};", b.number, target);
            }
        }
    }
    if !picture.notes.is_empty() {
        let notes = escape(&picture.notes.join(", "));
        let _ = writeln!(text, "  notes [shape=plaintext, label=\"{notes}\"];");
    }
    text.push_str("}\n");
    text
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '{' | '}' | '|' | '<' | '>') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
