//! The heaps that a wand must be tried with.
//!
//! A formula without quantifiers and predicates sees of a heap what is at the locations that it
//! mentions on the left of `|->`, of their contents which of the terms on the right they are equal to,
//! and how many other locations there are. Numbers of those are alike for it from some size on: 1 for
//! `emp` and `|->`, the sum for `*`, the size of the right side for `-*`, else the maximum. So for
//! `a -* b` it is enough to add
//!
//! - locations that `a` or `b` mentions, with contents that they mention or one that is different; all
//!   contents, if there are only finitely many;
//! - up to as many fresh locations as the greater size, with any content.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_bigint::BigInt;

use super::state::{Heap, Scope, State};
use crate::formula::{Formula, Kind, Semantics};
use crate::model::{Loc, Object, Value};
use crate::signature::Signature;
use crate::sort::Sort;

/// A heap is not extended in more ways.
const MAX_EXTENSIONS: usize = 20_000;
/// Contents of which there are more count as infinitely many.
const MAX_VALUES: usize = 16;

/// What two formulas mention.
#[derive(Default)]
struct Mentioned {
    /// The sorts of the locations on the left.
    locations: BTreeMap<Loc, Sort>,
    /// What is on the right, by the sort of the location.
    contents: BTreeMap<Sort, BTreeSet<Value>>,
}

/// Heaps that can be added to another one, of which one is enough of those that the formulas cannot
/// tell apart; none has a location that is not greater than `last`, but for those mentioned. With them
/// comes the last location that they use. `None` if that is not known.
pub(super) fn extensions(
    state: &State,
    heap: &Heap,
    formulas: [&Formula; 2],
    scope: &Rc<Scope>,
    (signature, semantics): (&Signature, Semantics),
    last: u32,
) -> Option<(Vec<Heap>, u32)> {
    let mut mentioned = Mentioned::default();
    let mut size = 0;
    for formula in formulas {
        mentioned.add(formula, state, scope)?;
        size = size.max(threshold(formula, semantics));
    }
    // Contents may be this location, and none is there.
    let elsewhere = Loc(last.checked_add(1)?);
    let mut next = elsewhere.0;
    let mut all = vec![Heap::new()];
    for (loc, sort) in &mentioned.locations {
        if heap.contains_key(loc) || *loc == Loc::NIL {
            continue;
        }
        let contents = mentioned.contents_of(sort, signature, elsewhere)?;
        let mut larger = all.clone();
        for content in contents {
            let object = Object { sort: sort.clone(), content };
            larger.extend(all.iter().map(|heap| with(heap, *loc, object.clone())));
        }
        all = larger;
        (all.len() <= MAX_EXTENSIONS).then_some(())?;
    }
    for cell in &signature.heap {
        let content = mentioned.contents_of(&cell.loc, signature, elsewhere)?.pop()?;
        let object = Object { sort: cell.loc.clone(), content };
        let mut previous = all.clone();
        for _ in 0..size {
            next = next.checked_add(1)?;
            previous = previous.iter().map(|h| with(h, Loc(next), object.clone())).collect();
            all.extend(previous.iter().cloned());
            (all.len() <= MAX_EXTENSIONS).then_some(())?;
        }
    }
    Some((all, next))
}

fn with(heap: &Heap, loc: Loc, object: Object) -> Heap {
    let mut heap = heap.clone();
    heap.insert(loc, object);
    heap
}

/// From which number on other locations are alike.
fn threshold(formula: &Formula, semantics: Semantics) -> u32 {
    let parts = || formula.parts().into_iter().map(|part| threshold(part, semantics));
    match formula.kind() {
        Kind::Emp | Kind::PointsTo(..) => 1,
        Kind::Wand(_, b) => threshold(b, semantics),
        Kind::Sep(_) => parts().fold(0, u32::saturating_add),
        _ if formula.is_pure_atom() => u32::from(semantics == Semantics::Precise),
        _ => parts().max().unwrap_or(0),
    }
}

impl Mentioned {
    fn add(&mut self, formula: &Formula, state: &State, scope: &Rc<Scope>) -> Option<()> {
        match formula.kind() {
            Kind::Pred(..) | Kind::Exists(..) | Kind::Forall(..) => return None,
            Kind::PointsTo(loc, content) => {
                let sort = loc.sort();
                let Value::Loc(address) = state.term(loc, scope)? else { return None };
                let content = state.term(content, scope)?;
                self.contents.entry(sort.clone()).or_default().insert(content);
                self.locations.insert(address, sort);
            }
            _ => {}
        }
        formula.parts().into_iter().try_for_each(|part| self.add(part, state, scope))
    }

    /// What a location of this sort may hold; the last one is something else, if it can be.
    fn contents_of(&self, loc: &Sort, signature: &Signature, free: Loc) -> Option<Vec<Value>> {
        let content = signature.content(loc)?;
        if let Some(all) = all_values(content, signature) {
            return Some(all);
        }
        let mut values: Vec<Value> =
            self.contents.get(loc).into_iter().flatten().cloned().collect();
        let mut numbers = BTreeSet::from([BigInt::ZERO]);
        values.iter().for_each(|value| add_numbers(value, &mut numbers));
        let greater: BigInt = numbers.last()? + 1;
        values.push(unlike(content, signature, &greater, free)?);
        Some(values)
    }
}

/// All values of a sort, if there are few.
fn all_values(sort: &Sort, signature: &Signature) -> Option<Vec<Value>> {
    match sort {
        Sort::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Sort::Int | Sort::Loc(_) => None,
        Sort::Record(_) => {
            let mut all = vec![Vec::new()];
            for field in &signature.record(sort)?.fields {
                let values = all_values(&field.sort, signature)?;
                all = all
                    .iter()
                    .flat_map(|start: &Vec<Value>| {
                        values.iter().map(move |v| start.iter().chain([v]).cloned().collect())
                    })
                    .collect();
                (all.len() <= MAX_VALUES).then_some(())?;
            }
            Some(all.into_iter().map(Value::Record).collect())
        }
    }
}

/// A value that has this number and this location where it can.
fn unlike(sort: &Sort, signature: &Signature, number: &BigInt, loc: Loc) -> Option<Value> {
    Some(match sort {
        Sort::Bool => Value::Bool(false),
        Sort::Int => Value::Int(number.clone()),
        Sort::Loc(_) => Value::Loc(loc),
        Sort::Record(_) => {
            let fields = signature.record(sort)?.fields.iter();
            let values = fields.map(|field| unlike(&field.sort, signature, number, loc));
            Value::Record(values.collect::<Option<_>>()?)
        }
    })
}

fn add_numbers(value: &Value, all: &mut BTreeSet<BigInt>) {
    match value {
        Value::Int(number) => {
            all.insert(number.clone());
        }
        Value::Record(values) => values.iter().for_each(|value| add_numbers(value, all)),
        Value::Loc(_) | Value::Bool(_) => {}
    }
}
