//! What was read where: triggers must mention the values that their formulas mention.

use std::collections::HashMap;

use smt::Term;
use viper::core::FieldId;

use super::Encoding;

/// Values that were read.
#[derive(Default)]
pub(super) struct Reads {
    /// For the fact that something was read, its value.
    values: HashMap<Term, Term>,
    /// Values that were read in quantifiers, by location and by what the heap says.
    quantified: HashMap<(Vec<Term>, Vec<Term>), Term>,
}

impl Encoding<'_> {
    /// The fact that a field was read with this value.
    pub fn read_of(&mut self, field: FieldId, object: Term, value: Term) -> Term {
        let read = self.read(field, object);
        self.reads.values.insert(read, value);
        read
    }

    /// The value that was read, given the fact that it was.
    pub fn value_read(&self, read: Term) -> Option<Term> {
        self.reads.values.get(&read).copied()
    }

    /// Remembers the value of a location that was read in a quantifier, in a heap with this contents.
    pub fn note_quantified_read(&mut self, location: (Vec<Term>, Vec<Term>), snap: Term) {
        self.reads.quantified.insert(location, snap);
    }

    pub fn quantified_read(&self, location: &(Vec<Term>, Vec<Term>)) -> Option<Term> {
        self.reads.quantified.get(location).copied()
    }
}
