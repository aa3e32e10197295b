//! New objects and arrays, `free`, and ghost links, which are forests between procedures.

use report::Span;
use spl::core::{Expr, Name, Type};

use crate::eval::unknown;
use crate::exec::Blame;
use crate::machine::{Env, Machine, Result, State, Stop};
use crate::value::{Place, Value};

impl<'p> Machine<'p> {
    /// A location that is not allocated; there is always another one.
    fn fresh(&mut self, ty: &Type, allowed: impl Fn(&State, u32) -> bool) -> u32 {
        let count = self.count(ty);
        let all: Vec<u32> = (1..=count)
            .filter(|n| !self.state.allocated.contains(&(ty.clone(), Value::Location(*n))))
            .filter(|n| allowed(&self.state, *n))
            .collect();
        let number = match all.get(self.choose(all.len())) {
            Some(number) => *number,
            None => {
                self.state.count.insert(ty.clone(), count + 1);
                count + 1
            }
        };
        let used = self.state.used.entry(ty.clone()).or_default();
        self.reused |= number <= *used;
        *used = (*used).max(number);
        number
    }

    fn take(&mut self, ty: Type, location: Value) {
        self.state.allocated.insert((ty.clone(), location.clone()));
        self.state.owned.insert((ty, location));
    }

    pub fn new_object(&mut self, ty: &Type, span: Span) -> Result<Value> {
        let at = self.fresh(ty, |_, _| true);
        self.take(ty.clone(), Value::Location(at));
        let Type::Struct(name) = ty else { return unknown(span, "this allocation") };
        let program = self.program;
        for field in program.structs.get(name).into_iter().flatten() {
            let Some(declared) = program.fields.get(field) else { continue };
            let value = match declared.ghost && declared.ty == *ty {
                true => Value::Location(0),
                false => self.any(&declared.ty, span)?,
            };
            self.store(Place::Field(field.clone(), at), value);
        }
        Ok(Value::Location(at))
    }

    pub fn new_array(&mut self, env: &Env<'p>, of: &Type, n: Value, span: Span) -> Result<Value> {
        let Value::Int(n) = n else { return unknown(span, "this length") };
        if n < 0 {
            self.furthest = None;
            let blame = Blame::new("length.negative", span, "the length of the array is negative");
            return self.fault(env, blame, true);
        }
        if n > 10_000 {
            return Err(Stop::Limit("an array is too large".to_owned()));
        }
        let ty = Type::Array(of.clone().into());
        let cell = Type::Cell(of.clone().into());
        let at = self.fresh(&ty, |m, at| {
            // Its length was always this one, and none of its cells is allocated.
            let length = m.base.get(&(0, Place::Length(of.clone(), at)));
            length.is_none_or(|length| *length == Value::Int(n))
                && (0..n).all(|i| !m.allocated.contains(&(cell.clone(), Value::Cell(at, i))))
        });
        self.state.base.insert((0, Place::Length(of.clone(), at)), Value::Int(n));
        self.take(ty, Value::Location(at));
        for index in 0..n {
            let value = self.any(of, span)?;
            self.store(Place::Element(of.clone(), at, index), value);
            if !self.simple_arrays {
                self.take(cell.clone(), Value::Cell(at, index));
            }
        }
        Ok(Value::Location(at))
    }

    pub fn free(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<()> {
        let at = self.code_value(env, e)?;
        let mut all = vec![(e.ty.clone(), at.clone())];
        if let (Type::Array(of), Value::Location(array @ 1..), false) =
            (&e.ty, &at, self.simple_arrays)
        {
            let length = self.length(of, *array);
            let cells = (0..length).map(|i| (Type::Cell(of.clone()), Value::Cell(*array, i)));
            all.extend(cells);
        }
        for location in all {
            if !self.state.owned.remove(&location) {
                self.furthest = None;
                let what = location.1.text(&location.0);
                let message = format!("this deallocation is unsafe: `{what}` is not owned");
                return self.fault(env, Blame::new("free.failed", e.span, message), true);
            }
            self.state.allocated.remove(&location);
        }
        Ok(())
    }

    // --- Ghost links

    /// Ghost fields that lead to objects of the same struct are forests, and lead to and from allocated objects.
    pub fn broken_forest(&mut self, env: &Env<'p>, span: Span) -> Result<Option<String>> {
        let program = self.program;
        let links = program.fields.iter().filter(|(name, f)| f.ghost && self.is_link(name));
        let links: Vec<(&Name, Type)> = links.map(|(n, f)| (n, f.ty.clone())).collect();
        for (name, ty) in links {
            for start in 1..=self.count(&ty) {
                let (mut at, mut steps) = (start, 0);
                while at != 0 {
                    let place = Place::Field(name.clone(), at);
                    let next = self.load(env, place, &ty, span)?;
                    let Value::Location(next) = next else { break };
                    let there =
                        |n: u32| self.state.allocated.contains(&(ty.clone(), Value::Location(n)));
                    if next != 0 && next != at && !(there(at) && there(next)) {
                        return Ok(Some(format!(
                            "the ghost field `{name}` leads to or from freed objects"
                        )));
                    }
                    (at, steps) = (next, steps + 1);
                    if steps > 10_000 {
                        let message = format!(
                            "the ghost field `{name}` does not lead to `null` from everywhere"
                        );
                        return Ok(Some(message));
                    }
                }
            }
        }
        Ok(None)
    }

    pub fn check_forests(&mut self, env: &Env<'p>, span: Span, at: &str) -> Result<()> {
        // Whether a callee relies on them depends on what it touches; what it starts with is its caller's to mend.
        if !self.calls.is_empty() {
            return Ok(());
        }
        if let Some(problem) = self.broken_forest(env, span)? {
            self.furthest = None;
            let blame = Blame::new("ghost.field", span, format!("{problem} {at}"));
            return self.fault(env, blame, true);
        }
        Ok(())
    }
}
