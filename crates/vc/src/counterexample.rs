//! What is said when a proof fails: what might not hold, the way there, and a heap in which it does not.

use std::collections::BTreeMap;

use report::picture::{Drawn, Held, Picture, Row};
use report::{Diagnostic, Heaps};
use spl::core::{LocalId, Type};

use crate::prove::Failure;
use crate::translate::HeapVar;
use crate::unit::{Choice, State, Unit};
use crate::world::{Value, World};

/// Numbers of locations of different types are so far apart.
const APART: u64 = 1000;

impl Unit<'_> {
    pub fn diagnostic(&mut self, failure: &Failure) -> Diagnostic {
        let blame = &failure.check.blame;
        let mut message = blame.message.clone();
        match &failure.undecided {
            // Patterns found no proof, and there is no small heap in which it fails.
            Some(why) if why.contains("incomplete") => {
                message += " (unknown: neither a proof nor a counterexample was found)"
            }
            Some(why) => message += &format!(" (unknown: the solver gave up, {why})"),
            None => {}
        }
        let mut diagnostic = Diagnostic::error(blame.id, blame.span, message);
        for (span, text) in &blame.labels {
            diagnostic = diagnostic.with_label(*span, text.clone());
        }
        for (span, choice) in self.way(failure.node) {
            let text = match choice {
                Choice::Then => "this condition holds on the way there",
                Choice::Else => "this condition does not hold on the way there",
                Choice::Branch => "this branch is taken",
                Choice::Iteration => "in an iteration of this loop",
            };
            diagnostic = diagnostic.with_label(span, text);
        }
        if let Some(world) = &failure.world {
            let mut states = Vec::new();
            let params: Vec<LocalId> = self.initial.keys().copied().collect();
            if let Some(start) = self.beginning(failure.node) {
                let (title, shown) = match start.choice {
                    Some((_, Choice::Iteration)) => ("at the start of an iteration", None),
                    _ => ("before", Some(params)),
                };
                if let Some(state) = start.start.clone() {
                    states.push((title.to_owned(), self.picture(world, &state, shown.as_deref())));
                }
            }
            let state = failure.check.state.clone();
            states.push(("where it fails".to_owned(), self.picture(world, &state, None)));
            diagnostic.heaps = Some(Box::new(Heaps { confirmed: world.confirmed, states }));
        }
        diagnostic
    }

    /// The choices that lead to a step.
    fn way(&self, node: usize) -> Vec<(report::Span, Choice)> {
        let mut way = Vec::new();
        let mut at = Some(node);
        while let Some(step) = at.and_then(|node| self.steps.get(node)) {
            way.extend(step.choice);
            at = step.parent;
        }
        way.reverse();
        way
    }

    pub fn beginning(&self, node: usize) -> Option<&crate::unit::Step> {
        let mut step = self.steps.get(node)?;
        while let Some(parent) = step.parent {
            step = self.steps.get(parent)?;
        }
        Some(step)
    }

    /// A heap of a world, as it is in a state; with these variables, or all of them.
    fn picture(&mut self, world: &World, state: &State, shown: Option<&[LocalId]>) -> Picture {
        let mut labels: BTreeMap<(Type, usize), Vec<String>> = BTreeMap::new();
        let mut notes = Vec::new();
        for (local, term) in &state.locals {
            if shown.is_some_and(|shown| !shown.contains(local)) {
                continue;
            }
            let Some(declared) = self.procedure.locals.get(local.0 as usize) else { continue };
            let Some(value) = world.eval(&mut self.translator.logic, *term) else { continue };
            let (name, ty) = (&declared.name, &declared.ty);
            match &value {
                Value::Location(number) if *number > 0 => {
                    labels.entry((ty.clone(), *number)).or_default().push(name.to_string());
                }
                Value::Map(_) => {}
                value => notes.push(format!("{name} = {}", text(ty, value))),
            }
        }
        let types: Vec<Type> = self.types.iter().cloned().collect();
        let set = |unit: &mut Self, sets: &BTreeMap<Type, smt::Term>, ty: &Type| {
            let term = sets.get(ty)?;
            match world.eval(&mut unit.translator.logic, *term)? {
                Value::Set(set) => Some(set),
                _ => None,
            }
        };
        let mut objects: Vec<(Type, usize, Drawn)> = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let (Some(allocated), Some(owned)) =
                (set(self, &state.alloc, ty), set(self, &state.footprint, ty))
            else {
                continue;
            };
            for number in 1..world.count(ty) {
                let rows = allocated
                    .contains(&number)
                    .then(|| self.rows(world, state, ty, number, &types));
                let mut title = format!("{ty}#{number}");
                if allocated.contains(&number) && !owned.contains(&number) {
                    title += " (not owned)";
                }
                let next = rows.as_ref().and_then(|rows| {
                    rows.iter().position(
                        |row| matches!(row.held, Held::Arrow(to) if to / APART == index as u64),
                    )
                });
                let labels = labels.remove(&(ty.clone(), number)).unwrap_or_default();
                let number_there = index as u64 * APART + number as u64;
                objects.push((
                    ty.clone(),
                    number,
                    Drawn { number: number_there, title, labels, rows, next },
                ));
            }
        }
        // What nobody can see is not shown.
        let reached: Vec<u64> = objects
            .iter()
            .flat_map(|(.., drawn)| drawn.rows.iter().flatten())
            .filter_map(|row| match row.held {
                Held::Arrow(to) => Some(to),
                Held::Text(_) => None,
            })
            .collect();
        let objects = objects.into_iter().map(|(.., drawn)| drawn).filter(|drawn| {
            !drawn.labels.is_empty()
                || reached.contains(&drawn.number)
                || (drawn.rows.is_some() && !drawn.title.ends_with("(not owned)"))
        });
        Picture::new(objects.collect(), notes)
    }

    /// The fields of an object.
    fn rows(
        &mut self,
        world: &World,
        state: &State,
        ty: &Type,
        number: usize,
        types: &[Type],
    ) -> Vec<Row> {
        let Type::Struct(name) = ty else { return Vec::new() };
        let mut rows = Vec::new();
        for field in self.program.structs.get(name).into_iter().flatten() {
            let Some(decl) = self.program.fields.get(field) else { continue };
            let Some(term) = state.heap.values.get(&HeapVar::Field(field.clone())) else {
                continue;
            };
            // Nobody asked for this field.
            let Some(Value::Map(map)) = world.eval(&mut self.translator.logic, *term) else {
                continue;
            };
            let held = match map.get(number) {
                Some(Value::Location(to)) if *to > 0 => {
                    match types.iter().position(|ty| *ty == decl.ty) {
                        Some(index) => Held::Arrow(index as u64 * APART + *to as u64),
                        None => Held::Text(format!("{}#{to}", decl.ty)),
                    }
                }
                Some(value) => Held::Text(text(&decl.ty, value)),
                None => continue,
            };
            rows.push(Row { name: field.to_string(), held });
        }
        rows
    }
}

/// A value as people write it.
fn text(ty: &Type, value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Location(0) => "null".to_owned(),
        Value::Location(number) => format!("{ty}#{number}"),
        Value::Set(set) => {
            let of = match ty {
                Type::Set(of) => (**of).clone(),
                other => other.clone(),
            };
            let all: Vec<String> = set.iter().map(|n| text(&of, &Value::Location(*n))).collect();
            format!("{{{}}}", all.join(", "))
        }
        Value::Map(_) => "a map".to_owned(),
    }
}
