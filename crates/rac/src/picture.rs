//! States of runs as pictures.

use std::collections::BTreeMap;

use report::picture::{Drawn, Held, Picture, Row};
use spl::core::{Local, LocalId, Name, Program, Type};

use crate::machine::{Machine, State};
use crate::value::{Footprint, Place, Slot, Value};

/// Numbers of locations of different types are so far apart.
const APART: u64 = 1000;

/// A state of a run.
#[derive(Clone, Debug)]
pub struct Snapshot<'p> {
    program: &'p Program,
    declared: &'p [Local],
    locals: Vec<Option<Value>>,
    state: State,
}

impl<'p> Machine<'p> {
    pub fn snapshot(&self, locals: &[Option<Value>], declared: &'p [Local]) -> Snapshot<'p> {
        let (program, state) = (self.program, self.state.clone());
        Snapshot { program, declared, locals: locals.to_vec(), state }
    }
}

impl<'p> Snapshot<'p> {
    /// The same state, with all values that were chosen when somebody looked.
    pub(crate) fn knowing(&self, machine: &Machine<'p>) -> Snapshot<'p> {
        let mut known = self.clone();
        known.state.base.clone_from(&machine.state.base);
        known
    }

    /// The value of a variable.
    #[must_use]
    pub fn value(&self, local: LocalId) -> Option<&Value> {
        self.locals.get(local.0 as usize)?.as_ref()
    }

    /// What is owned.
    #[must_use]
    pub fn owned_locations(&self) -> &Footprint {
        &self.state.owned
    }

    /// What a field of an object holds, if somebody looked.
    #[must_use]
    pub fn field(&self, name: &Name, at: u32) -> Option<&Value> {
        self.held(&Place::Field(name.clone(), at))
    }

    /// What an element of an array is, if somebody looked.
    #[must_use]
    pub fn element(&self, of: &Type, array: u32, index: i128) -> Option<&Value> {
        self.held(&Place::Element(of.clone(), array, index))
    }

    /// The length of an array, if somebody looked.
    #[must_use]
    pub fn length(&self, of: &Type, array: u32) -> Option<i128> {
        match self.state.base.get(&(0, Place::Length(of.clone(), array))) {
            Some(Value::Int(length)) => Some(*length),
            _ => None,
        }
    }

    /// What a global variable holds, if somebody looked.
    #[must_use]
    pub fn global(&self, name: &Name) -> Option<&Value> {
        self.held(&Place::Global(name.clone()))
    }
}

impl Snapshot<'_> {
    /// Variables with their values.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, String)> {
        let values = self.declared.iter().zip(&self.locals);
        values
            .filter_map(|(local, value)| {
                Some((local.name.to_string(), value.as_ref()?.text(&local.ty)))
            })
            .collect()
    }

    fn held(&self, place: &Place) -> Option<&Value> {
        let heap = &self.state.heap;
        let base = match heap.written.get(place) {
            Some(Slot::Value(value)) => return Some(value),
            Some(Slot::Base(base)) => *base,
            None => heap.base,
        };
        self.state.base.get(&(base, place.clone()))
    }

    fn allocated(&self, ty: &Type, location: &Value) -> bool {
        self.state.allocated.contains(&(ty.clone(), location.clone()))
    }

    fn owned(&self, ty: &Type, location: &Value) -> bool {
        self.state.owned.contains(&(ty.clone(), location.clone()))
    }

    /// The heap with the variables.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let types: Vec<&Type> = self.state.count.keys().collect();
        let number = |ty: &Type, at: u32| {
            let index = types.iter().position(|t| **t == *ty)?;
            Some(index as u64 * APART + u64::from(at))
        };
        let mut labels: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let mut notes = Vec::new();
        for (local, value) in self.declared.iter().zip(&self.locals) {
            match value {
                Some(Value::Location(at @ 1..)) => {
                    if let Some(number) = number(&local.ty, *at) {
                        labels.entry(number).or_default().push(local.name.to_string());
                    }
                }
                Some(value) => notes.push(format!("{} = {}", local.name, value.text(&local.ty))),
                None => {}
            }
        }
        for (name, ty) in &self.program.globals {
            if let Some(value) = self.held(&Place::Global(name.clone())) {
                notes.push(format!("{name} = {}", value.text(ty)));
            }
        }
        let mut objects = Vec::new();
        for ty in &types {
            for at in 1..=self.state.count.get(*ty).copied().unwrap_or(0) {
                let location = Value::Location(at);
                let Some(id) = number(ty, at) else { continue };
                let rows = self.allocated(ty, &location).then(|| self.rows(ty, at, &number));
                let mut title = format!("{ty}#{at}");
                if rows.is_some() && !self.owned(ty, &location) {
                    title += " (not owned)";
                }
                let next = rows.as_ref().and_then(|rows| {
                    let same =
                        |row: &Row| matches!(row.held, Held::Arrow(to) if to / APART == id / APART);
                    rows.iter().position(same)
                });
                let labels = labels.remove(&id).unwrap_or_default();
                objects.push(Drawn { number: id, title, labels, rows, next });
            }
        }
        let reached: Vec<u64> = objects
            .iter()
            .flat_map(|drawn| drawn.rows.iter().flatten())
            .filter_map(|row| match row.held {
                Held::Arrow(to) => Some(to),
                Held::Text(_) => None,
            })
            .collect();
        objects.retain(|drawn| {
            !drawn.labels.is_empty()
                || (drawn.rows.is_some() && !drawn.title.ends_with("(not owned)"))
                || reached.contains(&drawn.number)
        });
        Picture::new(objects, notes)
    }

    fn rows(&self, ty: &Type, at: u32, number: &dyn Fn(&Type, u32) -> Option<u64>) -> Vec<Row> {
        let held = |ty: &Type, value: &Value| match value {
            Value::Location(to @ 1..) => match number(ty, *to) {
                Some(id) => Held::Arrow(id),
                None => Held::Text(value.text(ty)),
            },
            value => Held::Text(value.text(ty)),
        };
        let mut rows = Vec::new();
        match ty {
            Type::Struct(name) => {
                for field in self.program.structs.get(name).into_iter().flatten() {
                    let Some(declared) = self.program.fields.get(field) else { continue };
                    // Nobody looked at what is not there.
                    if let Some(value) = self.held(&Place::Field(field.clone(), at)) {
                        let held = held(&declared.ty, value);
                        rows.push(Row { name: field.to_string(), held });
                    }
                }
            }
            Type::Array(of) => {
                let place = Place::Length((**of).clone(), at);
                let Some(Value::Int(length)) = self.state.base.get(&(0, place)) else {
                    return rows;
                };
                rows.push(Row { name: "length".to_owned(), held: Held::Text(length.to_string()) });
                for index in 0..(*length).min(8) {
                    let cell = Value::Cell(at, index);
                    let mut name = format!("[{index}]");
                    if !self.owned(&Type::Cell(of.clone()), &cell)
                        && self.owned(ty, &Value::Location(at))
                    {
                        name += " (not owned)";
                    }
                    if let Some(value) = self.held(&Place::Element((**of).clone(), at, index)) {
                        rows.push(Row { name, held: held(of, value) });
                    }
                }
            }
            _ => {}
        }
        rows
    }
}
