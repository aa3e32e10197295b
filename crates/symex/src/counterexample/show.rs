//! A world as it is shown: variables, and what is held now and was held before.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use num_rational::BigRational;
use num_traits::Zero;
use report::Pos;
use smt::Term;
use viper::ast::Name;
use viper::core::{Expr, ExprKind, LabelId, Local, LocalId, Program, Type, Wand};

use super::Question;
use super::value::Value;
use super::world::World;
use crate::diagnostics::Reason;
use crate::diagnostics::{free_locals, shorten};
use crate::encoding::Argument;
use crate::prover::Prover;
use crate::state::{Heap, Owner, QuantifiedChunk, ResourceId, State};
use crate::verdict::{Counterexample, Held};

/// A chunk, with the term of its value.
pub(super) struct Row {
    pub resource: ResourceId,
    pub args: Rc<[Term]>,
    pub perm: Term,
    pub snap: Term,
    pub value: Option<Term>,
}

/// The chunks of a heap.
pub(super) struct Rows {
    pub single: Vec<Row>,
    pub quantified: Vec<QuantifiedChunk>,
}

/// What a user wants to know.
pub(super) struct Shown {
    pub variables: Vec<(String, Term)>,
    /// Earlier states: how expressions say that they are meant, and what was held then.
    pub states: Vec<Rows>,
    pub names: Vec<String>,
}

/// A location with what is held of it, and its value.
type Place = (ResourceId, Vec<Value>, BigRational, Option<Value>);

/// More locations than that are not read.
const LOCATIONS: usize = 40;
/// Longer values are cut.
const LONGEST: usize = 160;

impl Prover<'_> {
    /// The variables that a user knows here, with their values: those of the member being verified that
    /// are declared, and those that are bound around the expression in question. Earlier states are
    /// those of that member.
    pub(super) fn shown(&mut self, state: &State, reason: &Reason) -> Shown {
        let (mut owner, mut store, mut scope) = (state.owner, &state.store, &state.scope);
        let (mut old, mut labels) = (&state.old, &state.labels);
        let mut up = state.caller.as_ref();
        while let Some(caller) = up {
            (owner, store, scope) = (caller.owner, &caller.store, &caller.scope);
            (old, labels) = (&caller.old, &caller.labels);
            up = caller.up.as_ref();
        }
        let (always, label_names): (u32, &[Name]) = match owner {
            Owner::Method(id) => {
                let method = self.program.method(id);
                (method.params + method.returns, &method.labels)
            }
            Owner::Function(id) => (self.program.function(id).params, &[]),
            Owner::Predicate(id) => (self.program.predicate(id).params, &[]),
        };
        let about = reason.expr.as_ref().filter(|_| state.caller.is_none());
        let mentioned = about.map(|(e, _)| free_locals(e)).unwrap_or_default();
        let known = |id: LocalId| {
            id.0 < always || mentioned.contains(&id) || scope.iter().any(|l| *l == id)
        };
        let locals = owner.locals(self.program);
        let variables = store
            .values()
            .filter(|(id, _)| known(*id))
            .filter_map(|(id, value)| Some((locals.get(id.index())?, value)))
            .filter(|(local, _)| local.is_written())
            .map(|(local, value)| (local.name.to_string(), value))
            .collect();
        let mut earlier: Vec<(String, Heap)> = Vec::new();
        if let Some(old) = old {
            earlier.push(("old".to_string(), old.clone()));
        }
        let mut passed: Vec<(&LabelId, &Heap)> = labels.iter().collect();
        passed.sort_by_key(|(label, _)| **label);
        for (label, heap) in passed {
            if let Some(name) = label_names.get(label.index()) {
                earlier.push((format!("old[{name}]"), heap.clone()));
            }
        }
        let (names, heaps): (Vec<String>, Vec<Heap>) = earlier.into_iter().unzip();
        let states = heaps.iter().map(|heap| self.rows(heap)).collect();
        Shown { variables, states, names }
    }

    /// The chunks of a heap as they are shown.
    pub(super) fn rows(&mut self, heap: &Heap) -> Rows {
        let mut single = Vec::new();
        for chunk in heap.chunks() {
            let value = match chunk.resource {
                ResourceId::Field(field) => {
                    let sort = self.field_sort(field);
                    Some(self.unwrap(chunk.snap, sort))
                }
                ResourceId::Predicate(_) | ResourceId::Wand(_) => None,
            };
            let (resource, args) = (chunk.resource, Rc::clone(&chunk.args));
            single.push(Row { resource, args, perm: chunk.perm, snap: chunk.snap, value });
        }
        let quantified = heap.quantified().to_vec();
        // Their formals are needed when terms cannot be made any more.
        quantified.iter().for_each(|chunk| drop(self.formals(chunk.resource)));
        Rows { single, quantified }
    }

    /// What a world has for a user to see.
    pub(super) fn show(
        &self,
        world: &mut World<'_, '_>,
        question: &Question<'_>,
        shown: &Shown,
    ) -> Option<Counterexample> {
        let mut readable =
            Readable::new(self.program, self.domain_sorts(), world.value(self.null())?);
        let mut example = Counterexample { confirmed: true, ..Counterexample::default() };
        for (name, term) in &shown.variables {
            let value = world.value(*term)?;
            example.variables.push((name.clone(), readable.value(&value)));
        }
        let now = self.held_places(world, &question.heap)?;
        example.heap = now.iter().map(|place| self.held_text(&mut readable, place)).collect();
        for (name, rows) in shown.names.iter().zip(&shown.states) {
            let then = self.held_places(world, rows)?;
            let changed = then.iter().filter(|place| !now.contains(place));
            let changed: Vec<Held> =
                changed.map(|place| self.held_text(&mut readable, place)).collect();
            if !changed.is_empty() {
                example.states.push((name.clone(), changed));
            }
        }
        Some(example)
    }

    /// The locations of which something is held, each once.
    fn held_places(&self, world: &mut World<'_, '_>, rows: &Rows) -> Option<Vec<Place>> {
        let mut places: Vec<Place> = Vec::new();
        let mut add = |resource: ResourceId, args: Vec<Value>, perm: BigRational, value| {
            if perm.is_zero() || places.len() > LOCATIONS {
                return;
            }
            let same = |p: &&mut Place| p.0 == resource && p.1 == args;
            match places.iter_mut().find(same) {
                Some(place) => place.2 += perm,
                None => places.push((resource, args, perm, value)),
            }
        };
        for row in &rows.single {
            let args: Option<Vec<Value>> = row.args.iter().map(|a| world.value(*a)).collect();
            let perm = world.value(row.perm)?.as_perm()?;
            let value = row.value.and_then(|v| world.value(v));
            add(row.resource, args?, perm, value);
        }
        for chunk in &rows.quantified {
            let formals = self.known_formals(chunk.resource)?;
            for args in self.known_locations(world, &formals) {
                let perm = world.share(chunk, &formals, &args)?;
                let value = match (chunk.resource, args.as_slice()) {
                    (ResourceId::Field(field), [object]) if !perm.is_zero() => {
                        world.quantified_value(chunk, field, object)
                    }
                    _ => None,
                };
                add(chunk.resource, args, perm, value);
            }
        }
        Some(places)
    }

    /// Locations that the model knows of.
    fn known_locations(&self, world: &mut World<'_, '_>, formals: &[Term]) -> Vec<Vec<Value>> {
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        for formal in formals {
            let pool = world.pool_values(self.terms.sort(*formal));
            let extended = all.iter().flat_map(|args| {
                pool.iter().map(|value| args.iter().chain([value]).cloned().collect())
            });
            all = extended.take(400).collect();
        }
        all
    }

    fn held_text(&self, readable: &mut Readable<'_>, place: &Place) -> Held {
        let (resource, args, perm, value) = place;
        let texts: Vec<String> = args.iter().map(|a| readable.value(a)).collect();
        let location = match resource {
            ResourceId::Field(field) => {
                format!("{}.{}", texts.join(", "), self.program.field(*field).name.as_str())
            }
            ResourceId::Predicate(predicate) => {
                let name = self.program.predicate(*predicate).name.as_str();
                format!("{name}({})", texts.join(", "))
            }
            ResourceId::Wand(id) => match self.written_wand(*id) {
                Some((wand, holes, owner)) => self.wand_text(wand, holes, owner, &texts),
                None => "a wand".to_string(),
            },
        };
        let value = value.as_ref().map(|value| readable.value(value));
        Held { location, permission: perm.to_string(), value }
    }

    /// A wand with values for what it depends on.
    fn wand_text(
        &self,
        wand: &Wand,
        holes: &[Argument],
        owner: Owner,
        values: &[String],
    ) -> String {
        let mut locals = owner.locals(self.program).to_vec();
        let mut written = Vec::new();
        for (hole, value) in holes.iter().zip(values) {
            // What was read in another state is not written out.
            let Argument::Value(hole) = hole else { continue };
            let id = LocalId(locals.len() as u32);
            locals.push(Local::made_up(value.as_str(), hole.ty.clone(), Pos::None));
            written.push((hole, Expr::new(ExprKind::Local(id), hole.ty.clone(), Pos::None)));
        }
        let (lhs, rhs) = (with_values(&wand.lhs, &written), with_values(&wand.rhs, &written));
        let filled = Wand { lhs, rhs, pos: wand.pos };
        let e = Expr::new(ExprKind::Wand(filled), Type::Bool, Pos::None);
        shorten(&viper::unparse::expr_text(self.program, &locals, &[], &e), LONGEST)
    }
}

/// An expression with others in place of some of its nodes.
fn with_values(e: &Arc<Expr>, values: &[(&Arc<Expr>, Arc<Expr>)]) -> Arc<Expr> {
    match values.iter().find(|(node, _)| node.id() == e.id()) {
        Some((_, value)) => Arc::clone(value),
        None => e.map_children(|child| with_values(child, values)),
    }
}

/// Turns values into something to read.
struct Readable<'p> {
    program: &'p Program,
    /// Domains by the names of their sorts.
    domains: HashMap<String, &'p str>,
    null: Value,
    /// Names of objects and of values of domains, with a number in the order in which they appear.
    names: HashMap<smt::Value, String>,
    counts: HashMap<String, usize>,
}

impl<'p> Readable<'p> {
    fn new(program: &'p Program, domains: HashMap<String, &'p str>, null: Value) -> Readable<'p> {
        Readable { program, domains, null, names: HashMap::new(), counts: HashMap::new() }
    }

    fn value(&mut self, value: &Value) -> String {
        shorten(&self.text(value), LONGEST)
    }

    fn list<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> String {
        values.into_iter().map(|v| self.text(v)).collect::<Vec<_>>().join(", ")
    }

    fn text(&mut self, value: &Value) -> String {
        if *value == self.null {
            return "null".to_string();
        }
        match value {
            Value::Bool(b) => b.to_string(),
            Value::Int(i) => i.to_string(),
            Value::Perm(p) => p.to_string(),
            Value::Seq(elems) => format!("[{}]", self.list(elems)),
            Value::Set(elems) => format!("{{{}}}", self.list(elems)),
            Value::Multiset(counts) => {
                let mut elems = Vec::new();
                for (e, n) in counts {
                    let text = self.text(e);
                    elems.push(if *n == 1.into() { text } else { format!("{text} ({n} times)") });
                }
                format!("Multiset({})", elems.join(", "))
            }
            Value::Map(entries) => {
                let mut texts = Vec::new();
                for (k, v) in entries {
                    texts.push(format!("{} := {}", self.text(k), self.text(v)));
                }
                format!("Map({})", texts.join(", "))
            }
            Value::Data(constructor, args) => {
                let name = self.program.domain_function(*constructor).name.as_str();
                format!("{name}({})", self.list(args))
            }
            Value::Element(raw) => self.element(raw),
        }
    }

    fn element(&mut self, raw: &smt::Value) -> String {
        if let Some(name) = self.names.get(raw) {
            return name.clone();
        }
        let kind = match raw {
            smt::Value::Element(name) => {
                // The solver calls the elements of a sort `sort!val!0`, `sort!val!1`, ….
                let sort = name.split("!val!").next().unwrap_or_default();
                self.domains.get(sort).copied().unwrap_or("object").to_string()
            }
            _ => "value".to_string(),
        };
        let count = self.counts.entry(kind.clone()).or_default();
        *count += 1;
        let name = format!("{kind}{count}");
        self.names.insert(raw.clone(), name.clone());
        name
    }
}
