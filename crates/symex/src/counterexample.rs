//! Values for which a proof fails, from the solver's model.

use std::collections::HashMap;
use std::sync::Arc;

use smt::Term;
use viper::core::{Expr, LocalId};

use crate::executor::Executor;
use crate::state::{Owner, ResourceId, State};
use crate::verdict::Counterexample;
use crate::wording::free_locals;

impl Executor<'_> {
    /// Values of the variables and of what is held, where `goal` does not hold.
    pub fn counterexample(
        &mut self,
        state: &State,
        goal: Option<Term>,
        about: Option<&Arc<Expr>>,
    ) -> Option<Counterexample> {
        let names: Vec<(String, Term)> = self.visible(state, about);
        let mut wanted: Vec<Term> = vec![self.symbols.null];
        wanted.extend(names.iter().map(|(_, value)| *value));
        let chunks = state.heap.chunks().to_vec();
        let mut rows = Vec::new();
        for chunk in &chunks {
            let value = match chunk.resource {
                ResourceId::Field(field) => {
                    let sort = self.sort(&self.program.field(field).ty);
                    Some(self.symbols.unwrap(&mut self.terms, chunk.snap, sort))
                }
                ResourceId::Predicate(_) | ResourceId::Wand(_) => None,
            };
            let start = wanted.len();
            wanted.extend(chunk.args.iter());
            wanted.push(chunk.perm);
            wanted.extend(value);
            rows.push((start, chunk.args.len(), value.is_some()));
        }
        self.flush_symbols().ok()?;
        let goal = goal.unwrap_or_else(|| self.terms.bool(false));
        let limits = self.limits.thorough;
        let (_, values) =
            self.session.prove_with_values(&mut self.terms, goal, limits, &wanted).ok()?;
        if values.iter().all(Option::is_none) {
            return None;
        }
        let mut readable = Readable { null: values[0].clone(), objects: HashMap::new() };
        let text = |readable: &mut Readable, i: usize| {
            values.get(i).and_then(Option::as_ref).map(|v| readable.value(v))
        };
        let mut example = Counterexample::default();
        for (i, (name, _)) in names.iter().enumerate() {
            if let Some(value) = text(&mut readable, i + 1) {
                example.variables.push((name.clone(), value));
            }
        }
        for (chunk, (start, args, has_value)) in chunks.iter().zip(rows) {
            let args: Vec<String> = (start..start + args)
                .map(|i| text(&mut readable, i).unwrap_or_else(|| "_".to_string()))
                .collect();
            let perm = text(&mut readable, start + args.len()).unwrap_or_else(|| "_".to_string());
            let value = if has_value { text(&mut readable, start + args.len() + 1) } else { None };
            let location = match chunk.resource {
                ResourceId::Field(field) => {
                    format!("{}.{}", args[0], self.program.field(field).name.as_str())
                }
                ResourceId::Predicate(predicate) => {
                    let name = self.program.predicate(predicate).name.as_str();
                    format!("{name}({})", args.join(", "))
                }
                ResourceId::Wand(_) => continue,
            };
            if perm != "0" {
                example.heap.push((location, perm, value));
            }
        }
        Some(example)
    }

    /// The variables that a user knows here, with their values: those that are declared, and those
    /// that are bound around the expression in question.
    fn visible(&self, state: &State, about: Option<&Arc<Expr>>) -> Vec<(String, Term)> {
        let (mut owner, mut store, mut scope) = (state.owner, &state.store, &state.scope);
        let mut up = state.caller.as_ref();
        while let Some(caller) = up {
            (owner, store, scope) = (caller.owner, &caller.store, &caller.scope);
            up = caller.up.as_ref();
        }
        let about = about.filter(|_| state.caller.is_none());
        let always = match owner {
            Owner::Method(id) => {
                let method = self.program.method(id);
                method.params + method.returns
            }
            Owner::Function(id) => self.program.function(id).params,
            Owner::Predicate(id) => self.program.predicate(id).params,
        };
        let mentioned = about.map(free_locals).unwrap_or_default();
        let known = |id: LocalId| {
            id.0 < always || mentioned.contains(&id) || scope.iter().any(|l| *l == id)
        };
        let locals = self.locals(owner);
        store
            .values()
            .filter(|(id, _)| known(*id))
            .filter_map(|(id, value)| Some((locals.get(id.index())?.name.to_string(), value)))
            .filter(|(name, _)| !name.starts_with("__"))
            .collect()
    }
}

/// Turns the solver's values into something to read.
struct Readable {
    null: Option<String>,
    /// Names of objects, in the order in which they appear.
    objects: HashMap<String, usize>,
}

impl Readable {
    fn value(&mut self, text: &str) -> String {
        if self.null.as_deref() == Some(text) {
            return "null".to_string();
        }
        if text.starts_with("Ref.t!val!") {
            let next = self.objects.len() + 1;
            let number = *self.objects.entry(text.to_string()).or_insert(next);
            return format!("object{number}");
        }
        number(text).unwrap_or_else(|| text.to_string())
    }
}

/// `(- (/ 1.0 2.0))` as `-1/2`.
fn number(text: &str) -> Option<String> {
    let text = text.trim();
    let plain = |t: &str| t.chars().all(|c| c.is_ascii_digit() || c == '.') && !t.is_empty();
    if plain(text) {
        return Some(text.strip_suffix(".0").unwrap_or(text).to_string());
    }
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    if let Some(rest) = inner.strip_prefix("- ") {
        return Some(format!("-{}", number(rest)?));
    }
    let (a, b) = inner.strip_prefix("/ ")?.rsplit_once(' ')?;
    Some(format!("{}/{}", number(a)?, number(b)?))
}
