//! Pictures of heaps: boxes for objects, arrows for pointers, variables as labels.
//!
//! [`dot`] leaves the layout to Graphviz; [`svg`] needs nothing else; [`text`] is for terminals. All draw
//! the same [`Picture`], and the same picture always gives the same text.

mod dot;
mod svg;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use dot::dot;
pub use svg::{svg, svg_of_states};
pub use text::text;

/// What there is to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    boxes: Vec<ObjectBox>,
    /// Variables that lead to no object, as `n = 3`.
    notes: Vec<String>,
    /// Boxes that stand for any number of objects.
    segments: BTreeSet<u64>,
}

/// An object that is to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Its number, unique in a picture.
    pub number: u64,
    /// What to call it.
    pub title: String,
    /// Variables that lead to it.
    pub labels: Vec<String>,
    /// What it holds; `None` if it is not allocated.
    pub rows: Option<Vec<Row>>,
    /// The row whose arrow leads to the next object of its line.
    pub next: Option<usize>,
}

/// A box with its place: objects of a list stand in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ObjectBox {
    number: u64,
    title: String,
    labels: Vec<String>,
    rows: Option<Vec<Row>>,
    column: usize,
    line: usize,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub held: Held,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// An arrow to an object.
    Arrow(u64),
    /// The null pointer, a number, a truth value.
    Text(String),
}

impl Picture {
    /// A picture of objects and of variables that lead to none of them. Lists that begin at variables
    /// come first; each line follows the arrows to next objects until it comes to what has a place.
    #[must_use]
    pub fn new(objects: Vec<Drawn>, notes: Vec<String>) -> Picture {
        let successors: BTreeMap<u64, u64> = objects
            .iter()
            .filter_map(|object| match object.rows.as_ref()?.get(object.next?)?.held {
                Held::Arrow(target) => Some((object.number, target)),
                Held::Text(_) => None,
            })
            .collect();
        let known: BTreeSet<u64> = objects.iter().map(|object| object.number).collect();
        let reached: BTreeSet<u64> = successors.values().copied().collect();
        let mut starts: Vec<(bool, bool, u64)> = objects
            .iter()
            .map(|o| (reached.contains(&o.number), o.labels.is_empty(), o.number))
            .collect();
        starts.sort_unstable();
        let mut places = BTreeMap::new();
        let mut line = 0;
        for (_, _, start) in starts {
            let mut at = Some(start);
            let mut column = 0;
            while let Some(number) = at.filter(|n| known.contains(n) && !places.contains_key(n)) {
                places.insert(number, (column, line));
                column += 1;
                at = successors.get(&number).copied();
            }
            line += usize::from(column > 0);
        }
        let mut boxes: Vec<ObjectBox> = objects
            .into_iter()
            .map(|Drawn { number, title, labels, rows, .. }| {
                let (column, line) = places.get(&number).copied().unwrap_or_default();
                ObjectBox { number, title, labels, rows, column, line }
            })
            .collect();
        boxes.sort_by_key(|b| (b.line, b.column));
        Picture { boxes, notes, segments: BTreeSet::new() }
    }

    /// The same where these boxes stand for any number of objects: instances of predicates.
    #[must_use]
    pub fn with_segments(mut self, numbers: impl IntoIterator<Item = u64>) -> Picture {
        self.segments.extend(numbers);
        self
    }

    /// Is there nothing to draw?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty() && self.notes.is_empty()
    }
}
