//! What formulas are about: records, the heap, and definitions of predicates.

use std::collections::BTreeMap;
use std::sync::Arc;

use report::Pos;

use crate::formula::Formula;
use crate::sort::{Name, Sort, Var};

/// A record: what a location of the heap can hold.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Record {
    /// The name of its sort.
    pub name: Name,
    /// What makes a record of the values of its fields.
    pub constructor: Name,
    /// Its fields, in their order.
    pub fields: Vec<Var>,
}

/// One part of the heap: locations of a sort and what they hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// A sort of locations.
    pub loc: Sort,
    /// What they hold: mostly a record, but any sort will do.
    pub content: Sort,
}

/// The definition of a predicate. It may mention itself, other predicates and stack variables; it
/// means the least relation for which it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The predicate.
    pub name: Name,
    /// Its parameters; their names are different.
    pub params: Vec<Var>,
    /// What it stands for.
    pub body: Formula,
    /// Where it was written.
    pub pos: Pos,
}

/// Everything that a formula can refer to, except stack variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// Sorts of locations and of things that we know nothing about, in the order of declaration.
    pub sorts: Vec<Name>,
    /// The records by the name of their sort, in the order of declaration.
    pub records: Vec<Arc<Record>>,
    /// What can be allocated.
    pub heap: Vec<Cell>,
    /// The definitions.
    pub predicates: BTreeMap<Name, Arc<Definition>>,
}

impl Signature {
    /// The record of a sort.
    #[must_use]
    pub fn record(&self, sort: &Sort) -> Option<&Arc<Record>> {
        match sort {
            Sort::Record(name) => self.records.iter().find(|r| r.name == *name),
            _ => None,
        }
    }

    /// What locations of this sort hold, if they can be allocated at all.
    #[must_use]
    pub fn content(&self, loc: &Sort) -> Option<&Sort> {
        self.heap.iter().find(|cell| cell.loc == *loc).map(|cell| &cell.content)
    }

    /// The names and sorts of what locations of this sort hold. A cell that holds no record has one
    /// field without a name.
    #[must_use]
    pub fn fields(&self, loc: &Sort) -> Vec<(Option<Name>, Sort)> {
        match self.content(loc) {
            None => Vec::new(),
            Some(content) => match self.record(content) {
                Some(record) => record
                    .fields
                    .iter()
                    .map(|field| (Some(field.name.clone()), field.sort.clone()))
                    .collect(),
                None => vec![(None, content.clone())],
            },
        }
    }
}
