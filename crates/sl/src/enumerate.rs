//! All small models, one by one: a reference for procedures that are cleverer.
//!
//! Locations that are not `nil` are alike, so of all models that differ only in which is which, one
//! is made: stacks are numbered in the order in which their variables first mention a location. That
//! leaves some heaps that are alike; no model of the given size is left out.

use crate::eval::{Evaluator, Truth};
use crate::formula::{Formula, Semantics};
use crate::model::{Loc, Model, Object, Value};
use crate::signature::Signature;
use crate::sort::{Sort, Var};

/// How large models get.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Locations besides `nil`, of every sort.
    pub locations: u32,
    /// Integers from `-data` to `data`.
    pub data: i64,
}

/// The first model of the given size that a test accepts.
pub fn find_model(
    signature: &Signature,
    variables: &[Var],
    bounds: Bounds,
    accept: &mut impl FnMut(&Model) -> bool,
) -> Option<Model> {
    let mut enumeration = Enumeration { signature, bounds, accept };
    enumeration.stacks(variables, Model::default(), 0)
}

/// A model of the formula, if there is one of the given size.
#[must_use]
pub fn find_satisfying(
    signature: &Signature,
    semantics: Semantics,
    formula: &Formula,
    bounds: Bounds,
) -> Option<Model> {
    let variables: Vec<Var> = formula.free_vars().into_iter().collect();
    let evaluator = Evaluator::new(signature, semantics);
    find_model(signature, &variables, bounds, &mut |model| {
        evaluator.holds(model, formula) == Truth::True
    })
}

/// A model of the first formula that is none of the second, if there is one of the given size.
#[must_use]
pub fn find_counterexample(
    signature: &Signature,
    semantics: Semantics,
    left: &Formula,
    right: &Formula,
    bounds: Bounds,
) -> Option<Model> {
    let mut variables = left.free_vars();
    variables.extend(right.free_vars());
    let variables: Vec<Var> = variables.into_iter().collect();
    let evaluator = Evaluator::new(signature, semantics);
    find_model(signature, &variables, bounds, &mut |model| {
        evaluator.holds(model, left) == Truth::True && evaluator.holds(model, right) == Truth::False
    })
}

struct Enumeration<'a, F> {
    signature: &'a Signature,
    bounds: Bounds,
    accept: &'a mut F,
}

impl<F: FnMut(&Model) -> bool> Enumeration<'_, F> {
    /// Gives values to variables; `used` locations occur already.
    fn stacks(&mut self, variables: &[Var], model: Model, used: u32) -> Option<Model> {
        let Some((first, rest)) = variables.split_first() else { return self.heaps(&model) };
        for value in self.values(&first.sort, used.saturating_add(1)) {
            let mut larger = model.clone();
            let now = match (&value, self.sort_index(&first.sort)) {
                (Value::Loc(loc), Some(0)) => used.max(loc.0),
                _ => used,
            };
            larger.stack.insert(first.name.clone(), value);
            if let Some(found) = self.stacks(rest, larger, now) {
                return Some(found);
            }
        }
        None
    }

    /// All heaps for a stack, by what each location holds.
    fn heaps(&mut self, model: &Model) -> Option<Model> {
        let mut places = Vec::new();
        for (index, cell) in self.signature.heap.iter().enumerate() {
            let contents = self.values(&cell.content, u32::MAX);
            for number in 1..=self.bounds.locations {
                places.push((self.location(index, number), cell.loc.clone(), contents.clone()));
            }
        }
        self.fill(&places, model.clone())
    }

    fn fill(&mut self, places: &[(Loc, Sort, Vec<Value>)], model: Model) -> Option<Model> {
        let Some(((loc, sort, contents), rest)) = places.split_first() else {
            return (self.accept)(&model).then_some(model);
        };
        if let Some(found) = self.fill(rest, model.clone()) {
            return Some(found);
        }
        for content in contents {
            let mut larger = model.clone();
            larger.heap.insert(*loc, Object { sort: sort.clone(), content: content.clone() });
            if let Some(found) = self.fill(rest, larger) {
                return Some(found);
            }
        }
        None
    }

    /// All values of a sort; of the first sort of locations only those up to a number.
    fn values(&self, sort: &Sort, up_to: u32) -> Vec<Value> {
        match sort {
            Sort::Int => {
                (-self.bounds.data..=self.bounds.data).map(|n| Value::Int(n.into())).collect()
            }
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Loc(_) => {
                let index = self.sort_index(sort).unwrap_or(self.signature.heap.len());
                let last = if index == 0 {
                    self.bounds.locations.min(up_to)
                } else {
                    self.bounds.locations
                };
                let locations = (1..=last).map(|n| self.location(index, n));
                std::iter::once(Loc::NIL).chain(locations).map(Value::Loc).collect()
            }
            Sort::Record(_) => match self.signature.record(sort) {
                None => Vec::new(),
                Some(record) => {
                    let mut all = vec![Vec::new()];
                    for field in &record.fields {
                        let values = self.values(&field.sort, up_to);
                        all = all
                            .iter()
                            .flat_map(|start: &Vec<Value>| {
                                values.iter().map(move |value| {
                                    let mut longer = start.clone();
                                    longer.push(value.clone());
                                    longer
                                })
                            })
                            .collect();
                    }
                    all.into_iter().map(Value::Record).collect()
                }
            },
        }
    }

    fn sort_index(&self, sort: &Sort) -> Option<usize> {
        self.signature.heap.iter().position(|cell| cell.loc == *sort)
    }

    fn location(&self, sort: usize, number: u32) -> Loc {
        Loc(sort as u32 * self.bounds.locations + number)
    }
}
