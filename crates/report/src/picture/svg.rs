//! Pictures as SVG.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Held, ObjectBox, Picture};

const MARGIN: usize = 24;
const ROW: usize = 22;
const GAP_X: usize = 56;
const GAP_Y: usize = 58;
const CHAR: usize = 8;

const STYLE: &str = "text{font:13px ui-monospace,monospace;fill:#1f2328}\
.box{fill:#f6f8fa;stroke:#57606a;stroke-width:1.2}.free{fill:none;stroke:#8c959f;\
stroke-dasharray:4 3}.head{font-weight:600}.var{fill:#0550ae}.dim{fill:#57606a}\
.edge{fill:none;stroke:#24292f;stroke-width:1.3}\
.seg{fill:#ddf4ff;stroke:#0550ae;stroke-width:1.2;stroke-dasharray:7 3}";

const ARROW: &str = "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" \
markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\">\
<path d=\"M0 0L10 5L0 10z\" fill=\"#24292f\"/></marker></defs>";

/// The picture as SVG.
#[must_use]
pub fn svg(picture: &Picture) -> String {
    let layout = Layout::of(picture);
    let mut text = document(layout.width, layout.height);
    content(picture, &layout, &mut text);
    text.push_str("</svg>\n");
    text
}

/// Several pictures below each other, each with its title.
#[must_use]
pub fn svg_of_states(states: &[(String, Picture)]) -> String {
    let layouts: Vec<Layout> = states.iter().map(|(_, picture)| Layout::of(picture)).collect();
    let width = layouts.iter().map(|layout| layout.width).max().unwrap_or(0);
    let height = layouts.iter().map(|layout| layout.height + 2 * ROW).sum();
    let mut text = document(width, height);
    let mut y = 0;
    for ((title, picture), layout) in states.iter().zip(&layouts) {
        let title = escape(title);
        let _ =
            writeln!(text, "<text x=\"{MARGIN}\" y=\"{}\" class=\"dim\">{title}</text>", y + ROW);
        y += 2 * ROW;
        let (width, height) = (layout.width, layout.height);
        let _ = writeln!(text, "<svg y=\"{y}\" width=\"{width}\" height=\"{height}\">");
        content(picture, layout, &mut text);
        text.push_str("</svg>\n");
        y += height;
    }
    text.push_str("</svg>\n");
    text
}

/// The beginning of a document.
fn document(width: usize, height: usize) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>{STYLE}</style>{ARROW}\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    )
}

fn content(picture: &Picture, layout: &Layout, text: &mut String) {
    for b in &picture.boxes {
        draw_box(b, picture.segments.contains(&b.number), layout, text);
    }
    for b in &picture.boxes {
        for (i, row) in b.rows.iter().flatten().enumerate() {
            if let Held::Arrow(target) = row.held {
                draw_arrow(b.number, i, target, layout, text);
            }
        }
    }
    if !picture.notes.is_empty() || picture.boxes.is_empty() {
        let notes = if picture.notes.is_empty() {
            "the heap is empty".to_owned()
        } else {
            picture.notes.join(", ")
        };
        let y = layout.height - MARGIN / 2;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "<text x=\"{MARGIN}\" y=\"{y}\" class=\"dim\">{}</text>",
            escape(&notes)
        );
    }
}

/// Where boxes are, in pixels.
struct Layout {
    boxes: BTreeMap<u64, Area>,
    width: usize,
    height: usize,
}

#[derive(Clone, Copy)]
struct Area {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    line: usize,
}

impl Layout {
    fn of(picture: &Picture) -> Layout {
        let columns = picture.boxes.iter().map(|b| b.column + 1).max().unwrap_or(0);
        let lines = picture.boxes.iter().map(|b| b.line + 1).max().unwrap_or(0);
        let largest = |of: &dyn Fn(&ObjectBox) -> bool, size: &dyn Fn(&ObjectBox) -> usize| {
            picture.boxes.iter().filter(|b| of(b)).map(size).max().unwrap_or(0)
        };
        let mut left = vec![MARGIN];
        for column in 0..columns {
            let start = left.last().copied().unwrap_or(MARGIN);
            left.push(start + largest(&|b| b.column == column, &span) + GAP_X);
        }
        let mut top = vec![MARGIN + ROW];
        for line in 0..lines {
            let start = top.last().copied().unwrap_or(MARGIN);
            top.push(start + largest(&|b| b.line == line, &height) + GAP_Y);
        }
        let boxes = picture
            .boxes
            .iter()
            .map(|b| {
                let x = left.get(b.column).copied().unwrap_or(MARGIN);
                let y = top.get(b.line).copied().unwrap_or(MARGIN);
                (b.number, Area { x, y, width: width(b), height: height(b), line: b.line })
            })
            .collect();
        let notes = CHAR * picture.notes.join(", ").chars().count() + 2 * MARGIN;
        Layout {
            boxes,
            width: left.last().copied().unwrap_or(MARGIN).max(notes).max(180),
            height: top.last().copied().unwrap_or(MARGIN) + MARGIN / 2,
        }
    }
}

fn width(b: &ObjectBox) -> usize {
    let rows = b.rows.iter().flatten().map(|row| match &row.held {
        Held::Arrow(_) => row.name.chars().count() + 2,
        Held::Text(text) => row.name.chars().count() + text.chars().count() + 2,
    });
    let longest = rows.chain([4, b.title.chars().count()]).max().unwrap_or(4);
    CHAR * longest + 16
}

/// What a box takes with the names above it.
fn span(b: &ObjectBox) -> usize {
    width(b).max(CHAR * b.labels.join(", ").chars().count())
}

fn height(b: &ObjectBox) -> usize {
    ROW * (1 + b.rows.as_ref().map_or(0, Vec::len))
}

fn draw_box(b: &ObjectBox, segment: bool, layout: &Layout, text: &mut String) {
    let Some(area) = layout.boxes.get(&b.number) else { return };
    let Area { x, y, width, height, .. } = *area;
    let class = match (segment, b.rows.is_some()) {
        (true, _) => "seg",
        (false, true) => "box",
        (false, false) => "box free",
    };
    // Any number of objects: one behind the other.
    if segment {
        let (x, y) = (x + 6, y + 6);
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"12\" class=\"seg\"/>"
        );
    }
    let _ = writeln!(
        text,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{}\" class=\"{class}\"/>",
        if segment { 12 } else { 4 }
    );
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" class=\"head\">{}</text>",
        x + 8,
        y + 15,
        escape(&b.title)
    );
    if !b.labels.is_empty() {
        let names = escape(&b.labels.join(", "));
        let _ =
            writeln!(text, "<text x=\"{}\" y=\"{}\" class=\"var\">{names}</text>", x + 2, y - 6);
    }
    for (i, row) in b.rows.iter().flatten().enumerate() {
        let line = y + ROW * (i + 1);
        let _ = writeln!(text, "<path d=\"M{x} {line}h{width}\" class=\"box\"/>");
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" class=\"dim\">{}</text>",
            x + 8,
            line + 15,
            escape(&row.name)
        );
        if let Held::Text(value) = &row.held {
            let _ = writeln!(
                text,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                x + width - 8,
                line + 15,
                escape(value)
            );
        }
    }
}

/// From the row of a field to the next box in a straight line; to all others in a bow.
fn draw_arrow(from: u64, row: usize, to: u64, layout: &Layout, text: &mut String) {
    let (Some(a), Some(b)) = (layout.boxes.get(&from), layout.boxes.get(&to)) else { return };
    let x1 = a.x + a.width - 6;
    let y1 = a.y + ROW * (row + 1) + ROW / 2;
    let y2 = b.y + ROW / 2;
    let ahead = b.x > a.x;
    let path = if ahead && a.line == b.line && b.x - a.x <= a.width + 2 * GAP_X {
        format!("M{x1} {y1}L{} {}", b.x, y2.max(b.y + 4))
    } else if ahead {
        let bend = x1 + GAP_X / 2;
        format!("M{x1} {y1}C{bend} {y1} {} {y2} {} {y2}", b.x.saturating_sub(GAP_X / 2), b.x)
    } else {
        // Back, or to itself: to the gap below the target, or above it if it is further down.
        let down = b.line > a.line;
        let (turn, end) = if down {
            (b.y.saturating_sub(GAP_Y / 2), b.y)
        } else {
            (b.y + b.height + GAP_Y / 3, b.y + b.height)
        };
        let out = x1 + GAP_X / 2;
        // Names are above the left part of a box.
        let foot = b.x + if down { b.width - 8 } else { b.width / 2 };
        format!("M{x1} {y1}C{out} {y1} {out} {turn} {x1} {turn}S{foot} {turn} {foot} {end}")
    };
    let _ = writeln!(text, "<path d=\"{path}\" class=\"edge\" marker-end=\"url(#arrow)\"/>");
    let _ = writeln!(text, "<circle cx=\"{x1}\" cy=\"{y1}\" r=\"2.2\" fill=\"#24292f\"/>");
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
