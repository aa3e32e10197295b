//! What a search knows: values of variables, what is left of the heap, what is still to be shown.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::formula::Formula;
use crate::model::{Object, Value};
use crate::sort::{Name, Sort};
use crate::term::Term;

pub(super) type Heap = BTreeMap<crate::model::Loc, Object>;

/// The number of a variable of a search.
pub(super) type Slot = usize;

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// Nothing but its sort.
    Free(Sort),
    /// Its value.
    Value(Value),
    /// That it is the same as another one.
    Same(Slot),
}

/// What names mean.
#[derive(Debug)]
pub(super) struct Scope {
    names: Vec<(Name, Slot)>,
    outer: Option<Rc<Scope>>,
}

impl Scope {
    pub(super) fn new(names: Vec<(Name, Slot)>, outer: Option<Rc<Scope>>) -> Rc<Scope> {
        Rc::new(Scope { names, outer })
    }

    pub(super) fn find(&self, name: &Name) -> Option<Slot> {
        let own = self.names.iter().rev().find(|(n, _)| n == name).map(|(_, slot)| *slot);
        own.or_else(|| self.outer.as_ref()?.find(name))
    }
}

/// A formula that is to hold of a part of the heap.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) formula: Formula,
    pub(super) scope: Rc<Scope>,
}

/// Something that is to hold whatever the heap is.
#[derive(Clone, Debug)]
pub(super) enum Constraint {
    /// A formula in which pure atoms say nothing of the heap.
    Pure(Goal),
    /// A term has the value of a variable.
    Equals(Slot, Term, Rc<Scope>),
}

/// One branch of a search.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) slots: Vec<Binding>,
    pub(super) goals: Vec<Goal>,
    pub(super) constraints: Vec<Constraint>,
    /// What no goal has taken yet.
    pub(super) rest: Heap,
    /// May something be left over at the end?
    pub(super) open: bool,
    /// How often definitions were unfolded since the last location was taken.
    pub(super) idle: usize,
    /// Fresh locations in use.
    pub(super) fresh: u32,
}

impl State {
    pub(super) fn new_slot(&mut self, binding: Binding) -> Slot {
        self.slots.push(binding);
        self.slots.len() - 1
    }

    /// The variable that stands for all that are the same as this one.
    pub(super) fn root(&self, mut slot: Slot) -> Slot {
        while let Some(Binding::Same(next)) = self.slots.get(slot) {
            slot = *next;
        }
        slot
    }

    pub(super) fn value(&self, slot: Slot) -> Option<&Value> {
        match self.slots.get(self.root(slot)) {
            Some(Binding::Value(value)) => Some(value),
            _ => None,
        }
    }

    pub(super) fn sort(&self, slot: Slot) -> Option<&Sort> {
        match self.slots.get(self.root(slot)) {
            Some(Binding::Free(sort)) => Some(sort),
            _ => None,
        }
    }

    pub(super) fn bind(&mut self, slot: Slot, value: Value) {
        let root = self.root(slot);
        if let Some(binding) = self.slots.get_mut(root) {
            *binding = Binding::Value(value);
        }
    }

    /// Makes two variables the same; at most one of them has a value.
    pub(super) fn link(&mut self, a: Slot, b: Slot) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (from, to) = if self.value(a).is_some() { (b, a) } else { (a, b) };
        if let Some(binding) = self.slots.get_mut(from) {
            *binding = Binding::Same(to);
        }
    }
}
