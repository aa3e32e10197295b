//! Pictures of models: boxes for locations, arrows for fields, variables as labels.
//!
//! [`dot`] leaves the layout to Graphviz; [`svg`] needs nothing else. Both draw the same [`Picture`],
//! and the same model always gives the same text.

mod dot;
mod svg;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Loc, Model, Value};
use crate::signature::Signature;
use crate::sort::Sort;

pub use dot::dot;
pub use svg::svg;

/// What there is to draw.
#[derive(Clone, Debug)]
struct Picture {
    boxes: Vec<LocBox>,
    /// Variables that do not stand for a location, as `n = 3`.
    notes: Vec<String>,
}

/// A location.
#[derive(Clone, Debug)]
struct LocBox {
    loc: Loc,
    /// Variables that stand for it.
    labels: Vec<String>,
    /// What it holds; `None` if it is not allocated.
    rows: Option<Vec<Row>>,
    /// Where it is: locations of a list stand in a line.
    column: usize,
    line: usize,
}

/// A field.
#[derive(Clone, Debug)]
struct Row {
    name: String,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    /// An arrow to a location.
    Arrow(Loc),
    /// `nil`, a number, a truth value.
    Text(String),
}

impl Picture {
    fn of(model: &Model, signature: &Signature) -> Picture {
        let places = places(model, signature);
        let mut boxes: Vec<LocBox> = places
            .iter()
            .map(|(loc, (column, line))| LocBox {
                loc: *loc,
                labels: labels(model, *loc),
                rows: model.heap.get(loc).map(|o| rows(&o.content, &signature.fields(&o.sort))),
                column: *column,
                line: *line,
            })
            .collect();
        boxes.sort_by_key(|b| (b.line, b.column));
        let notes = model
            .stack
            .iter()
            .filter(|(_, v)| !matches!(v, Value::Loc(loc) if *loc != Loc::NIL))
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        Picture { boxes, notes }
    }
}

/// The variables that stand for a location, and which integer it is.
fn labels(model: &Model, loc: Loc) -> Vec<String> {
    let names = model.names_of(loc).map(ToString::to_string);
    names.chain(model.addresses.get(&loc).map(ToString::to_string)).collect()
}

fn rows(content: &Value, fields: &[(Option<crate::sort::Name>, Sort)]) -> Vec<Row> {
    let values = match content {
        Value::Record(values) => values.as_slice(),
        single => std::slice::from_ref(single),
    };
    values
        .iter()
        .enumerate()
        .map(|(i, value)| Row {
            name: fields
                .get(i)
                .and_then(|(name, _)| name.as_ref())
                .map(ToString::to_string)
                .unwrap_or_default(),
            held: match value {
                Value::Loc(loc) if *loc != Loc::NIL => Held::Arrow(*loc),
                other => Held::Text(other.to_string()),
            },
        })
        .collect()
}

/// A column and a line for every location. Lists that begin at variables come first; each line
/// follows the first field until it comes to what has a place already.
fn places(model: &Model, signature: &Signature) -> BTreeMap<Loc, (usize, usize)> {
    let mut places = BTreeMap::new();
    let mut line = 0;
    for start in starts(model, signature) {
        let mut at = Some(start);
        let mut column = 0;
        while let Some(loc) = at.filter(|loc| !places.contains_key(loc)) {
            places.insert(loc, (column, line));
            column += 1;
            at = successor(model, signature, loc);
        }
        line += usize::from(column > 0);
    }
    places
}

/// Where to begin: locations that no line leads to, then those with a name, then all.
fn starts(model: &Model, signature: &Signature) -> Vec<Loc> {
    let all = model.locations();
    let reached: BTreeSet<Loc> =
        all.iter().filter_map(|loc| successor(model, signature, *loc)).collect();
    let named = |loc: &Loc| model.names_of(*loc).next().is_some();
    let mut order: Vec<Loc> = all.into_iter().collect();
    order.sort_by_key(|loc| (reached.contains(loc), !named(loc), *loc));
    order
}

/// Where the first field leads that leads anywhere; the others may lead back.
fn successor(model: &Model, signature: &Signature, loc: Loc) -> Option<Loc> {
    let object = model.heap.get(&loc)?;
    let fields = signature.fields(&object.sort);
    let first = fields.iter().position(|(_, sort)| sort.is_loc())?;
    match rows(&object.content, &fields).get(first)?.held {
        Held::Arrow(target) => Some(target),
        Held::Text(_) => None,
    }
}
