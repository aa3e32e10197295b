//! What memory looks like at the end of a run.

use report::picture::{Drawn, Held, Picture, Row};

use super::memory::{Life, Object, Owner};
use super::outcome::Run;
use super::value::{Pointer, Value};
use crate::program::Program;
use crate::types::{RecordId, Type};

/// So many elements of an array are shown.
const MAX_ELEMENTS: u64 = 8;
/// So many rows of an object.
const MAX_ROWS: usize = 24;
/// So many objects.
const MAX_OBJECTS: usize = 200;

impl Run {
    /// A picture of the objects that variables of active procedures lead to, and of what is lost.
    #[must_use]
    pub fn picture(&self, program: &Program) -> Picture {
        let mut labels: Vec<(u32, String)> = Vec::new();
        let mut notes = Vec::new();
        for (proc, values, objects) in &self.frames {
            let Some(decl) = program.procs.get(proc.index()) else { continue };
            // Of several active procedures it is said whose variables they are.
            let whose =
                if self.frames.len() > 1 { format!("{}: ", decl.name) } else { String::new() };
            for (var, value) in decl.vars.iter().zip(values).filter(|(var, _)| !var.temporary) {
                let name = format!("{whose}{}", var.name);
                match value {
                    Value::Ptr(p) if p.offset == 0 => labels.push((p.object, name)),
                    Value::Ptr(p) => labels.push((p.object, format!("{name} (at {})", p.offset))),
                    Value::Undef => {}
                    value => notes.push(format!("{name} = {}", self.show(program, *value))),
                }
            }
            for (object, number) in decl.objects.iter().zip(objects) {
                if let (Some(number), false) = (number, object.name.starts_with('$')) {
                    labels.push((*number, format!("{whose}{}", object.name)));
                }
            }
        }
        let mut drawn = Vec::new();
        for (number, object) in self.memory.objects().iter().enumerate() {
            let number = number as u32;
            let names: Vec<String> =
                labels.iter().filter(|(n, _)| *n == number).map(|(_, name)| name.clone()).collect();
            let worth = match object.owner {
                // Strings and globals that hold nothing say nothing.
                Owner::Global(_) => !object.constant && object.values().next().is_some(),
                Owner::Heap => object.life == Life::Live || !names.is_empty(),
                Owner::Local(..) | Owner::Alloca(_) => object.life == Life::Live,
            };
            if worth && drawn.len() < MAX_OBJECTS {
                let rows = (object.life == Life::Live).then(|| self.rows(program, object));
                let next = rows.as_ref().and_then(|rows| {
                    rows.iter().position(|row| matches!(row.held, Held::Arrow(_)))
                });
                let title = self.title(program, number);
                drawn.push(Drawn { number: number.into(), title, labels: names, rows, next });
            }
        }
        Picture::new(drawn, notes)
    }

    fn title(&self, program: &Program, number: u32) -> String {
        let Some(object) = self.memory.object(number) else { return format!("#{number}") };
        let record = |id: RecordId| program.record(id).name.clone();
        let name = match object.owner {
            Owner::Global(id) => program.globals.get(id as usize).map(|g| g.name.clone()),
            Owner::Local(proc, id) => program
                .procs
                .get(proc.index())
                .and_then(|p| p.objects.get(id as usize))
                .map(|o| o.name.clone()),
            Owner::Heap | Owner::Alloca(_) => object.record.map(record),
        };
        let state = match object.life {
            Life::Live => "",
            Life::Freed => " (freed)",
            Life::Gone => " (gone)",
        };
        format!("{}#{number}{state}", name.unwrap_or_default())
    }

    fn rows(&self, program: &Program, object: &Object) -> Vec<Row> {
        let ty = match object.owner {
            Owner::Global(id) => program.globals.get(id as usize).map(|g| g.ty.clone()),
            Owner::Local(proc, id) => program
                .procs
                .get(proc.index())
                .and_then(|p| p.objects.get(id as usize))
                .map(|o| o.ty.clone()),
            Owner::Heap | Owner::Alloca(_) => object.record.map(Type::Record),
        };
        let mut names = Vec::new();
        if let Some(ty) = ty {
            fields(program, &ty, 0, "", &mut names);
        }
        let mut rows: Vec<Row> = object
            .values()
            .take(MAX_ROWS)
            .map(|(offset, _, value)| {
                let name = names.iter().find(|(at, _)| *at == offset).map(|(_, name)| name.clone());
                let name = name.unwrap_or_else(|| format!("+{offset}"));
                let held = match value {
                    Value::Ptr(Pointer { object, offset: 0 }) => Held::Arrow(object.into()),
                    value => Held::Text(self.show(program, value)),
                };
                Row { name, held }
            })
            .collect();
        if object.values().count() > MAX_ROWS {
            rows.push(Row { name: "…".into(), held: Held::Text(String::new()) });
        }
        rows
    }

    /// A value as users read it.
    #[must_use]
    pub fn show(&self, program: &Program, value: Value) -> String {
        match value {
            Value::Undef => "?".into(),
            Value::Garbage => "uninitialised".into(),
            Value::Int(n) => n.to_string(),
            Value::Float(x) => x.to_string(),
            Value::Proc(id) => {
                program.procs.get(id.index()).map_or_else(|| "?".into(), |p| p.name.clone())
            }
            Value::Ptr(p) => {
                let title = self.title(program, p.object);
                if p.offset == 0 { title } else { format!("{title} at {}", p.offset) }
            }
        }
    }
}

/// The names of the places in a type.
fn fields(program: &Program, ty: &Type, offset: u64, prefix: &str, names: &mut Vec<(u64, String)>) {
    match ty {
        Type::Scalar(_) => {
            names.push((offset, if prefix.is_empty() { "value" } else { prefix }.into()))
        }
        Type::Array(element, count) => {
            let size = program.size_of(element);
            for i in 0..(*count).min(MAX_ELEMENTS) {
                fields(program, element, offset + i * size, &format!("{prefix}[{i}]"), names);
            }
        }
        Type::Record(id) => {
            for field in &program.record(*id).fields {
                let name = match (prefix.is_empty(), field.name.is_empty()) {
                    (_, true) => prefix.to_owned(),
                    (true, false) => field.name.clone(),
                    (false, false) => format!("{prefix}.{}", field.name),
                };
                fields(program, &field.ty, offset + field.offset, &name, names);
            }
        }
    }
}
