//! What a predicate defines: lists and trees, recognised by their definition and never by their
//! name.
//!
//! The order of parameters, disjuncts and conjuncts, the names of everything, and existential
//! variables that only rename others make no difference.

mod cases;
mod list;
mod sorted;
mod tree;

use std::sync::Arc;

use num_bigint::BigInt;

use crate::core::PredId;
use crate::formula::Semantics;
use crate::procedure::Defs;
use crate::signature::{Definition, Signature};
use crate::sort::Name;

/// The number of a parameter of the definition, from 0.
pub type Param = usize;
/// The number of a field of what locations hold, from 0.
pub type Field = usize;

/// What a predicate defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A list, or a segment of one.
    List(List),
    /// A tree.
    Tree(Tree),
}

/// Where a list ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// At `nil`.
    Nil,
    /// At a parameter: a segment.
    Param(Param),
}

/// A list of locations, each with a field that leads to the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List {
    /// The first location.
    pub root: Param,
    /// The location after the last one.
    pub end: End,
    /// The field that leads to the next location.
    pub next: Field,
    /// Is the end different from every location of the list? Always so if it is `nil`.
    pub acyclic: bool,
    /// Is the list of no locations among them?
    pub may_be_empty: bool,
    /// Does the definition take locations off the end instead of the beginning?
    pub from_the_end: bool,
    /// The way back, of a doubly linked list.
    pub back: Option<Back>,
    /// Parameters that change with every location: lengths, and data in order.
    pub measures: Vec<Measure>,
    /// Data in order that no parameter says anything of.
    pub orders: Vec<Order>,
    /// Fields that hold `nil` in all locations.
    pub nil_fields: Vec<Field>,
    /// Other lists that hang off the locations.
    pub nested: Vec<Nested>,
    /// Fields that hold anything.
    pub free_fields: Vec<Field>,
}

/// The way back in a doubly linked list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Back {
    /// The field that leads to the location before.
    pub prev: Field,
    /// The location before the first one.
    pub before: Param,
    /// The last location, or `before` if there is none; absent if no parameter says it.
    pub last: Option<Param>,
    /// Does every step say that `before` is not the last location?
    pub apart: bool,
}

/// A number that changes from one location to the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// Its value at the first location.
    pub param: Param,
    /// A field that holds it, if there is one.
    pub field: Option<Held>,
    /// How it changes.
    pub change: Change,
    /// Its value at the end (of a list that is never empty: at the last location), if that is said.
    pub at_end: Option<AtEnd>,
}

/// Data that goes up or down from one location to the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The field that holds it.
    pub field: Field,
    /// By how much; never [`Change::Equal`], and never by less than nothing.
    pub change: Change,
}

/// Whose value a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// The field of a location holds the value at this location.
    Here(Field),
    /// The field of a location holds the value that is passed on to the next one.
    Next(Field),
}

/// How a number changes from a location, where it is `here`, to the next, where it is `next`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// `here = next + k`: a length, for `k = 1`.
    Equal(BigInt),
    /// `here >= next + k`: descending, strictly if `k > 0`.
    AtLeast(BigInt),
    /// `here <= next - k`: ascending, strictly if `k > 0`.
    AtMost(BigInt),
}

/// The value of a measure at the end of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AtEnd {
    /// A parameter.
    Param(Param),
    /// A number.
    Number(BigInt),
}

/// A list at every location of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nested {
    /// The field that leads to it.
    pub field: Field,
    /// What it is an instance of.
    pub predicate: Name,
    /// Where it ends.
    pub end: NestedEnd,
}

/// Where a nested list ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NestedEnd {
    /// Its predicate has one parameter that is a location: it says where.
    Own,
    /// At what a field holds: the next location of the outer list in a skip list, or itself.
    Field(Field),
    /// At a parameter of the outer list.
    Param(Param),
    /// At `nil`.
    Nil,
}

/// A tree: locations with several fields that lead to further trees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The root.
    pub root: Param,
    /// The fields that lead to subtrees.
    pub children: Vec<Field>,
    /// The field that leads to the parent, and the parameter for that of the root.
    pub parent: Option<(Field, Param)>,
    /// Is a tree of no locations (at `nil`) among them?
    pub may_be_empty: bool,
}

impl List {
    /// Is it the acyclic segment of a singly linked list and nothing else?
    #[must_use]
    pub fn is_plain_segment(&self) -> bool {
        self.acyclic
            && self.may_be_empty
            && !self.from_the_end
            && matches!(self.end, End::Param(_))
            && self.back.is_none()
            && self.measures.is_empty()
            && self.orders.is_empty()
            && self.nested.is_empty()
            && self.nil_fields.is_empty()
    }
}

/// What a definition defines, if it is one of the shapes above.
#[must_use]
pub fn classify(
    definition: &Definition,
    signature: &Signature,
    semantics: Semantics,
) -> Option<Shape> {
    classify_to(definition, signature, semantics, MAX_DEPTH)
}

/// A definition may be made of so many others, one inside the other.
const MAX_DEPTH: usize = 4;

fn classify_to(
    definition: &Definition,
    signature: &Signature,
    semantics: Semantics,
    depth: usize,
) -> Option<Shape> {
    let cases = cases::Cases::of(definition, semantics);
    let list = cases.as_ref().and_then(|cases| list::classify(cases, signature));
    list.or_else(|| sorted::classify(definition, signature, semantics, depth))
        .map(Shape::List)
        .or_else(|| tree::classify(cases.as_ref()?).map(Shape::Tree))
}

/// The shapes of all definitions, by their numbers in the core.
#[derive(Debug)]
pub struct Shapes(Vec<Option<Shape>>);

impl Shapes {
    fn new(defs: &Defs) -> Shapes {
        let signature = defs.signature();
        let shape = |pred| {
            let definition = signature.predicates.get(defs.core().name(pred)?)?;
            classify(definition, signature, defs.semantics())
        };
        Shapes((0..signature.predicates.len()).map(shape).collect())
    }

    /// The list that a predicate is, if it is one.
    #[must_use]
    pub fn list(&self, pred: PredId) -> Option<&List> {
        match self.0.get(pred) {
            Some(Some(Shape::List(list))) => Some(list),
            _ => None,
        }
    }
}

impl Defs {
    /// The shapes of the definitions, found out once.
    #[must_use]
    pub fn shapes(&self) -> Arc<Shapes> {
        self.prepared(Shapes::new)
    }
}
