//! Pictures as lines of text.

use std::fmt::Write as _;

use super::{Held, Picture};

/// So many objects are shown; the others are counted.
const MAX_BOXES: usize = 24;

/// The picture as lines, an object each: `p, q -> node#3 { next: node#4, data: 7 }`.
#[must_use]
pub fn text(picture: &Picture) -> String {
    let title = |number: u64| {
        let found = picture.boxes.iter().find(|b| b.number == number);
        found.map_or_else(|| format!("#{number}"), |b| b.title.clone())
    };
    let mut lines = String::new();
    for b in picture.boxes.iter().take(MAX_BOXES) {
        let names = if b.labels.is_empty() {
            String::new()
        } else {
            format!("{} -> ", b.labels.join(", "))
        };
        let content = match &b.rows {
            None => "not allocated".to_owned(),
            Some(rows) => {
                let rows: Vec<String> = rows
                    .iter()
                    .map(|row| {
                        let held = match &row.held {
                            Held::Arrow(target) => title(*target),
                            Held::Text(text) => text.clone(),
                        };
                        if row.name.is_empty() { held } else { format!("{}: {held}", row.name) }
                    })
                    .collect();
                format!("{{ {} }}", rows.join(", "))
            }
        };
        // Writing to a string does not fail.
        let _ = writeln!(lines, "{names}{} {content}", b.title);
    }
    if picture.boxes.len() > MAX_BOXES {
        let _ = writeln!(lines, "and {} more objects", picture.boxes.len() - MAX_BOXES);
    }
    if !picture.notes.is_empty() {
        let _ = writeln!(lines, "{}", picture.notes.join(", "));
    }
    lines
}
