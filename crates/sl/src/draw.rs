//! Pictures of models: boxes for locations, arrows for fields, variables as labels.

use report::picture::{Drawn, Held, Picture, Row};

use crate::model::{Loc, Model, Value};
use crate::signature::Signature;
use crate::sort::{Name, Sort};

/// The model as an SVG picture.
#[must_use]
pub fn svg(model: &Model, signature: &Signature) -> String {
    report::picture::svg(&picture(model, signature))
}

/// The model as a graph in Graphviz's language.
#[must_use]
pub fn dot(model: &Model, signature: &Signature) -> String {
    report::picture::dot(&picture(model, signature))
}

/// What there is to draw.
fn picture(model: &Model, signature: &Signature) -> Picture {
    let objects = model
        .locations()
        .into_iter()
        .map(|loc| {
            let object = model.heap.get(&loc);
            let fields = object.map(|o| signature.fields(&o.sort)).unwrap_or_default();
            Drawn {
                number: loc.0.into(),
                title: format!("#{}", loc.0),
                labels: labels(model, loc),
                rows: object.map(|o| rows(&o.content, &fields)),
                // The first field that leads anywhere; the others may lead back.
                next: fields.iter().position(|(_, sort)| sort.is_loc()),
            }
        })
        .collect();
    let notes = model
        .stack
        .iter()
        .filter(|(_, v)| !matches!(v, Value::Loc(loc) if *loc != Loc::NIL))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    Picture::new(objects, notes)
}

/// The variables that stand for a location, and which integer it is.
fn labels(model: &Model, loc: Loc) -> Vec<String> {
    let names = model.names_of(loc).map(ToString::to_string);
    names.chain(model.addresses.get(&loc).map(ToString::to_string)).collect()
}

fn rows(content: &Value, fields: &[(Option<Name>, Sort)]) -> Vec<Row> {
    let values = match content {
        Value::Record(values) => values.as_slice(),
        single => std::slice::from_ref(single),
    };
    let name =
        |i: usize| fields.get(i).and_then(|(name, _)| name.as_ref()).map(ToString::to_string);
    values
        .iter()
        .enumerate()
        .map(|(i, value)| Row {
            name: name(i).unwrap_or_default(),
            held: match value {
                Value::Loc(loc) if *loc != Loc::NIL => Held::Arrow(loc.0.into()),
                other => Held::Text(other.to_string()),
            },
        })
        .collect()
}
