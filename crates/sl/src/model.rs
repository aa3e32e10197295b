//! Stacks and heaps.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use num_bigint::BigInt;

use crate::signature::Signature;
use crate::sort::{Name, Sort};

/// A location. All sorts share the numbers, except that every sort has its own `nil`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Loc(pub u32);

impl Loc {
    /// The location that is never allocated.
    pub const NIL: Loc = Loc(0);
}

/// A value.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A location.
    Loc(Loc),
    /// An integer.
    Int(BigInt),
    /// A truth value.
    Bool(bool),
    /// The values of a record's fields.
    Record(Vec<Value>),
}

/// What is allocated at a location.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// The sort of the location.
    pub sort: Sort,
    /// What it holds.
    pub content: Value,
}

/// A stack and a heap.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Model {
    /// Values of variables.
    pub stack: BTreeMap<Name, Value>,
    /// What is allocated; never [`Loc::NIL`].
    pub heap: BTreeMap<Loc, Object>,
    /// Where locations are integers: which ones.
    pub addresses: BTreeMap<Loc, BigInt>,
}

impl Model {
    /// All locations that occur in it, also those that are not allocated, without `nil`.
    #[must_use]
    pub fn locations(&self) -> BTreeSet<Loc> {
        let mut all: BTreeSet<Loc> = self.heap.keys().copied().collect();
        for value in self.stack.values().chain(self.heap.values().map(|o| &o.content)) {
            value.add_locations(&mut all);
        }
        all.remove(&Loc::NIL);
        all
    }

    /// The same with only so many of the cells to which no variable leads; `None` if there are no more.
    #[must_use]
    pub fn trimmed(&self, kept: usize) -> Option<Model> {
        let mut reached = BTreeSet::new();
        self.stack.values().for_each(|value| value.add_locations(&mut reached));
        let mut pending: Vec<Loc> = reached.iter().copied().collect();
        while let Some(object) = pending.pop().map(|loc| self.heap.get(&loc)) {
            let mut next = BTreeSet::new();
            object.into_iter().for_each(|object| object.content.add_locations(&mut next));
            pending.extend(next.into_iter().filter(|loc| reached.insert(*loc)));
        }
        let others = self.heap.keys().filter(|loc| !reached.contains(loc));
        let dropped: BTreeSet<Loc> = others.skip(kept).copied().collect();
        if dropped.is_empty() {
            return None;
        }
        let mut model = self.clone();
        model.heap.retain(|loc, _| !dropped.contains(loc));
        Some(model)
    }

    /// The variables that stand for a location.
    pub fn names_of(&self, loc: Loc) -> impl Iterator<Item = &Name> {
        self.stack.iter().filter(move |(_, v)| **v == Value::Loc(loc)).map(|(name, _)| name)
    }

    /// As text: a line for every variable, then one for every location that is allocated.
    #[must_use]
    pub fn to_text(&self, signature: &Signature) -> String {
        let mut text = String::new();
        for (name, value) in &self.stack {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name} = {}", self.show(value));
        }
        if self.heap.is_empty() {
            text.push_str("the heap is empty\n");
        }
        for (loc, object) in &self.heap {
            let at = self.show(&Value::Loc(*loc));
            let _ = writeln!(text, "{at} |-> {}", self.content(object, signature));
        }
        text
    }

    /// A value as text.
    #[must_use]
    pub fn show(&self, value: &Value) -> String {
        match value {
            Value::Loc(loc) => {
                self.addresses.get(loc).map_or_else(|| value.to_string(), ToString::to_string)
            }
            Value::Record(values) => {
                let values: Vec<String> = values.iter().map(|value| self.show(value)).collect();
                format!("{{{}}}", values.join(", "))
            }
            Value::Int(_) | Value::Bool(_) => value.to_string(),
        }
    }

    /// What a location holds, with the names of its fields.
    fn content(&self, object: &Object, signature: &Signature) -> String {
        let fields = signature.fields(&object.sort);
        match &object.content {
            Value::Record(values) => {
                let named: Vec<String> = values
                    .iter()
                    .zip(&fields)
                    .map(|(value, (name, _))| match name {
                        Some(name) => format!("{name}: {}", self.show(value)),
                        None => self.show(value),
                    })
                    .collect();
                format!("{{{}}}", named.join(", "))
            }
            value => self.show(value),
        }
    }
}

impl Value {
    /// Adds the locations in it.
    pub fn add_locations(&self, all: &mut BTreeSet<Loc>) {
        match self {
            Value::Loc(loc) => {
                all.insert(*loc);
            }
            Value::Record(values) => values.iter().for_each(|v| v.add_locations(all)),
            Value::Int(_) | Value::Bool(_) => {}
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Loc(Loc::NIL) => f.write_str("nil"),
            Value::Loc(Loc(number)) => write!(f, "#{number}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Record(values) => {
                f.write_char('{')?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_char('}')
            }
        }
    }
}
