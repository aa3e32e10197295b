//! Values, and the parts of a heap that hold them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spl::core::{Name, Type};

/// A value of a type. Locations of different types have the same numbers: types keep them apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i128),
    /// 8 bits.
    Byte(u8),
    /// An object or an array; 0 is `null`.
    Location(u32),
    /// A cell: the array and the index.
    Cell(u32, i128),
    /// `null` among cells.
    NoCell,
    /// A finite set.
    Set(Arc<BTreeSet<Value>>),
    /// A total map.
    Map(Arc<Map>),
    /// A constructor with its arguments.
    Data(Name, Arc<Vec<Value>>),
    /// A value of a type of which nothing is known.
    Opaque(u32),
}

/// A total map: equal almost everywhere. No entry holds the default, so equal maps are the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Map {
    entries: BTreeMap<Value, Value>,
    default: Value,
}

impl Map {
    /// The same everywhere.
    #[must_use]
    pub fn constant(default: Value) -> Map {
        Map { entries: BTreeMap::new(), default }
    }

    /// At a key.
    #[must_use]
    pub fn get(&self, key: &Value) -> &Value {
        self.entries.get(key).unwrap_or(&self.default)
    }

    /// `m[key := value]`
    #[must_use]
    pub fn updated(&self, key: Value, value: Value) -> Map {
        let mut map = self.clone();
        if value == map.default {
            map.entries.remove(&key);
        } else {
            map.entries.insert(key, value);
        }
        map
    }

    /// Where it is not the default.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    /// What it is elsewhere.
    #[must_use]
    pub fn default(&self) -> &Value {
        &self.default
    }
}

impl Value {
    /// `null` of a reference type.
    #[must_use]
    pub fn null(ty: &Type) -> Value {
        match ty {
            Type::Cell(_) => Value::NoCell,
            _ => Value::Location(0),
        }
    }

    /// Is it `null`?
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Location(0) | Value::NoCell)
    }

    /// A finite set.
    pub fn set(elements: impl IntoIterator<Item = Value>) -> Value {
        Value::Set(Arc::new(elements.into_iter().collect()))
    }

    /// As people write it.
    #[must_use]
    pub fn text(&self, ty: &Type) -> String {
        match (self, ty) {
            (Value::Bool(b), _) => b.to_string(),
            (Value::Int(n), _) => n.to_string(),
            (Value::Byte(n), _) => n.to_string(),
            (Value::Location(0) | Value::NoCell, _) => "null".to_owned(),
            (Value::Location(n), _) => format!("{ty}#{n}"),
            (Value::Cell(array, index), Type::Cell(of)) => {
                format!("Array<{of}>#{array}.cells[{index}]")
            }
            (Value::Cell(array, index), _) => format!("#{array}.cells[{index}]"),
            (Value::Set(set), Type::Set(of)) => {
                let all: Vec<String> = set.iter().map(|v| v.text(of)).collect();
                format!("{{{}}}", all.join(", "))
            }
            (Value::Set(set), _) => format!("{{{} elements}}", set.len()),
            (Value::Map(map), Type::Map(k, v)) => {
                let mut all: Vec<String> = map
                    .entries()
                    .map(|(key, value)| format!("{} -> {}", key.text(k), value.text(v)))
                    .collect();
                all.push(format!("else {}", map.default().text(v)));
                format!("[{}]", all.join(", "))
            }
            (Value::Map(_), _) => "a map".to_owned(),
            (Value::Data(name, args), _) if args.is_empty() => name.to_string(),
            (Value::Data(name, args), _) => {
                // Types of arguments are those of the constructor; numbers look the same without.
                let all: Vec<String> = args.iter().map(|v| v.text(&Type::Perm)).collect();
                format!("{name}({})", all.join(", "))
            }
            (Value::Opaque(n), _) => format!("{ty}!{n}"),
        }
    }
}

/// What is owned: locations with their types.
pub type Footprint = BTreeSet<(Type, Value)>;

/// Something with a value that a program can change, or that nothing determines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A field of an object.
    Field(Name, u32),
    /// An element of an array: the type of the elements, the array, the index.
    Element(Type, u32, i128),
    /// A global variable.
    Global(Name),
    /// The length of an array, which never changes.
    Length(Type, u32),
    /// What an operation is where nothing says what it is: on other constructors, by zero, on `null`.
    Unspecified(Name, Vec<Value>),
    /// A function without body: its arguments, and the heap if it depends on it.
    Abstract(Name, Vec<Value>, Vec<(Place, Value)>),
}

/// The value of a place that was written to, or which of the bases has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Value(Value),
    Base(u32),
}

/// A heap: what was written, over a base of values that are chosen when somebody looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heap {
    pub base: u32,
    pub written: BTreeMap<Place, Slot>,
}
